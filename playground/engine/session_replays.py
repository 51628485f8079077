"""The verbs of a session that run, compile, check, count, sweep and export a launch."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from playground.engine import surroundings
from playground.engine.job import Job
from playground.engine.launches import Last
from playground.engine.session_timing import TimingVerbs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.capture import CapturedLaunch
    from playground.engine.checking import Expected
    from playground.engine.child_process import ChildProcess
    from playground.engine.compile_outcome import CompileOutcome
    from playground.engine.freezing_dispatch import Dispatch
    from playground.engine.host_code import Edit
    from playground.engine.hosting import Hosted
    from playground.engine.replay import PreparedReplay
    from playground.model.config import Config
    from playground.model.coverage import Coverage
    from playground.model.finding import Finding
    from playground.model.knobs import KnobValue
    from playground.model.measurement import CacheMode
    from playground.model.sweep import SweepResult
    from playground.model.sweep_plan import SweepPlan
    from playground.model.sweep_workers import Workers
    from playground.protocol import messages

    Reference = tuple[list[Expected], tuple[Finding, ...]]


STEPS: tuple[messages.Step, ...] = ("compile", "check", "measure", "coverage")


class ReplayVerbs(TimingVerbs):
    """What a session does with a launch; a part of `Session`, in a file of its own."""

    def prepare(
        self, launch: int = 0, config: Config | None = None, **knobs: KnobValue
    ) -> PreparedReplay:
        """Return a launch ready to run under a config: its captured one, with `knobs` changed."""
        from playground.engine import replay

        captured, config = self._me.chosen(launch, config, knobs)
        key = (captured.info.index, config)
        prepared = self._me.kept.replays.get(key)
        if prepared is None:
            with surroundings.as_in_the_run(self._me):
                prepared = replay.prepare(captured, config, self._me)
            self._me.kept.keep_replay(key, prepared)
        else:
            self._me.kept.replays.move_to_end(key)
            prepared.restore()
        return prepared

    def compile(
        self,
        launch: int = 0,
        config: Config | None = None,
        target: str | None = None,
        job: Job | None = None,
        **knobs: KnobValue,
    ) -> CompileOutcome:
        """Compile a launch under a config for a target: the machine's GPU when left out."""
        captured, config = self._me.chosen(launch, config, knobs)
        target = target or self._me.device.target
        key = (captured.info.index, config, target)
        outcome = self._me.kept.outcomes.get(key)
        if outcome is None:
            outcome = self._me.compiler.compile(captured, config, target, job or Job())
            self._me.kept.keep_outcome(key, outcome)
            self._me.note_compilation(captured, config, target, outcome)
        self._me.last_of(captured, config).outcome = outcome
        return outcome

    def check(
        self,
        launch: int = 0,
        config: Config | None = None,
        job: Job | None = None,
        **knobs: KnobValue,
    ) -> messages.Checked:
        """Run a launch once under a config and compare its result.

        Without a GPU the interpreter runs it, which takes much that no compiler does: what
        compiling for the target says against the config is among the findings.
        """
        captured, config = self._me.chosen(launch, config, knobs)
        checked = self.judge(captured.info.index, config, job)
        refused = self.refusals(captured.info.index, config, None, job)
        return replace(checked, findings=(*checked.findings, *refused)) if refused else checked

    def judge(self, launch: int, config: Config, job: Job | None = None) -> messages.Checked:
        """Do what `check` does, without asking the compiler: for those who ask it themselves."""
        captured, config = self._me.chosen(launch, config, {})
        checked = self._me.verdict_on(captured, config, job or Job())
        self._me.last_of(captured, config).check = checked.result
        return checked

    def coverage(
        self,
        launch: int = 0,
        config: Config | None = None,
        job: Job | None = None,
        *,
        sample: int | None = None,
        **knobs: KnobValue,
    ) -> Coverage:
        """Count what every program of a launch loads and stores under a config.

        With `sample` only so many programs are counted where no GPU counts them all in no time:
        the first, the last and an even spread. What is not known of all is left out, and
        `programs_counted` and `resolution` say so.

        Raises
        ------
        ValueError
            A sample of no programs was asked for.
        """
        from playground.engine import coverage
        from playground.engine.replay import put_back_after

        if sample is not None and sample < 1:
            raise ValueError(f"sample is a number of programs, 1 or more, not {sample}")
        captured, config = self._me.chosen(launch, config, knobs)
        key = (captured.info.index, config)
        counts = self._me.kept.counts.get(key)
        held = self._me.kept.samples.get(key)
        if counts is None and held is not None and held.run.programs_counted == sample:
            counts = held
        if counts is None:
            job = job or Job()
            if self._me.hosted(captured, config).findings:
                self.judge(captured.info.index, config, job)  # the result tells the grid
            with (
                self._me.guarded(job),
                put_back_after(self._me.prepare(launch, config)) as prepared,
            ):
                counts = coverage.count(prepared, job, sample=sample)
            self._me.kept.keep_counts(key, counts)
        summary = counts.summary()
        if summary.programs_counted is None:
            self._me.last_of(captured, config).coverage = summary
        return summary

    def collect_loaders(
        self, launch: int, config: Config, job: Job | None = None, limit_ms: float = math.inf
    ) -> None:
        """Find the first and last loader of each element of a launch that has been counted.

        On a GPU a count leaves them out: they take a run of their own, which no figure needs. It is
        not made where the counting run took longer than `limit_ms`.
        """
        from playground.engine.replay import put_back_after

        captured = self._me.launches[launch]
        counts = self._me.kept.counts_to_show((captured.info.index, config))
        if counts is None or counts.loaders_known or counts.run.mode != "gpu":
            return
        if counts.run.duration_ms > limit_ms:
            return
        job = job or Job()
        with (
            self._me.guarded(job),
            put_back_after(self._me.prepare(launch, config)) as prepared,
        ):
            counts.know_loaders(prepared, job)

    def replay(
        self,
        launch: int = 0,
        config: Config | None = None,
        steps: Sequence[messages.Step] = STEPS,
        job: Job | None = None,
        revision: int = 0,
        budget_ms: float = 100.0,
        cache: CacheMode = "cold",
        target: str | None = None,
        sample: int | None = None,
        **knobs: KnobValue,
    ) -> Last:
        """Do `steps` for a launch under a config; each step's reply is sent as soon as it is there.

        A step that fails sends its finding and ends the replay, except that a config which does not
        compile for `target` may still run where another machine would.

        Returns
        -------
        Last
            What came out: `outcome`, `check`, `measurement`, `coverage` and `findings`.
        """
        from playground.engine.replaying import Replaying

        captured, config = self._me.chosen(launch, config, knobs)
        self._me.last = Last(launch=captured.info, config=config)
        return Replaying(
            self._me,
            captured.info.index,
            config,
            job or Job(),
            revision,
            budget_ms,
            cache,
            target,
            sample,
        ).perform(steps)

    def sweep(
        self,
        launch: int = 0,
        configs: Sequence[Config] | None = None,
        target: str | None = None,
        budget_ms: float = 50.0,
        job: Job | None = None,
        plan: SweepPlan | None = None,
    ) -> SweepResult:
        """Try configs, each in a process of its own that it may hang or crash at no other's cost.

        Without a plan every one of `configs` is tried; without any, those the file offers, else
        steps around the captured one.
        """
        from playground.engine import sweep, sweep_record
        from playground.model.sweep import own_space
        from playground.model.sweep_plan import SweepPlan
        from playground.model.sweep_space import SweepSpace

        captured = self._me.launches[launch]
        if plan is None:
            chosen = own_space(captured.info) if configs is None else configs
            plan = SweepPlan(
                SweepSpace(listed=tuple(chosen)), "exhaustive", budget_ms=budget_ms,
                start=captured.info.config,
            )  # fmt: skip
        with sweep_record.record_for(self._me, launch, plan, target) as (record, note):
            result = sweep.run_sweep(self._me, launch, plan, target, job or Job(), record)
        return replace(result, note=f"{result.note}; {note}".strip("; ")) if note else result

    def prestart_bench(self, workers: Workers | None = None) -> None:
        """Start the processes of the next sweep now: each needs seconds until it has torch.

        Those that time, and those that compile.

        Raises
        ------
        benches.WorkersError
            There are fewer GPUs than workers asked for.
        """
        from playground.engine.bench_process import QUIET_CORES, spare_process
        from playground.engine.benches import worker_gpus
        from playground.model.sweep_workers import Workers

        wanted = workers or Workers()
        gpus = () if wanted.cluster else worker_gpus(self._me, wanted)
        spares = self._me.spare_benches = [
            (gpu, spare) for gpu, spare in self._me.spare_benches if spare.alive
        ]
        missing = list(gpus)
        for gpu, _ in spares:
            if gpu in missing:
                missing.remove(gpu)
        # These first: nothing can be timed before they have torch.
        spares += [(gpu, spare_process(gpu=gpu)) for gpu in missing]
        self._me.compiler.start_all(QUIET_CORES * len(gpus))

    def take_bench(self, gpu: str = "") -> ChildProcess | None:
        """Hand over a bench worker that was started ahead for this GPU, if there is one."""
        for place, (pinned, spare) in enumerate(self._me.spare_benches):
            if pinned == gpu:
                del self._me.spare_benches[place]
                return spare
        return None

    def export(
        self,
        launch: int = 0,
        config: Config | None = None,
        *,
        keep_autotune: bool = False,
        others: Sequence[Config] = (),
        dispatch: Dispatch | None = None,
        **knobs: KnobValue,
    ) -> messages.Exported:
        """Return the text of a `.py` that runs alone with the config frozen into it.

        With `keep_autotune` the kernel's autotuner keeps its configs, the frozen one first; with
        `others` it chooses between these and the frozen one, a kernel without one being given one.
        `dispatch` is a table of configs by size.
        """
        from playground.engine import export

        captured, config = self._me.chosen(launch, config, knobs)
        return export.export(
            self._me,
            captured.info.index,
            config,
            keep_autotune=keep_autotune,
            others=others,
            dispatch=dispatch,
        )

    def hosted(self, launch: CapturedLaunch, config: Config) -> Hosted:
        """Return a launch as the host code makes it under a config; worked out once."""
        from playground.engine import hosting

        key = (launch, config)
        found = self._me.kept.hosted.get(key)
        if found is None:
            with surroundings.as_in_the_run(self._me):
                found = hosting.hosted(self._me, launch, config)
            self._me.kept.keep_hosted(key, found)
        return found

    def rerun_host(self, launch: CapturedLaunch, edits: Sequence[Edit]) -> CapturedLaunch | None:
        """Return the launch as the host code makes it with edits, or None when it cannot."""
        from playground.engine.rehost import rerun

        return rerun(self._me, launch, edits)

    def verdict_on(self, launch: CapturedLaunch, config: Config, job: Job) -> messages.Checked:
        """Return the verdict on a launch under a config, from an earlier check if there was one."""
        key = (launch.info.index, config)
        if key not in self._me.kept.checked:
            from playground.engine.verdict import judged

            with surroundings.as_in_the_run(self._me):
                self._me.kept.checked[key] = judged(self._me, launch, config, job)
        return self._me.kept.checked[key]

    def expected(self) -> Reference:
        """Return the reference's tensors paired with those the driver returned; computed once."""
        if self._me.kept.expected is None:
            from playground.engine.reference_value import expected

            self._me.kept.expected = expected(self._me)
        return self._me.kept.expected
