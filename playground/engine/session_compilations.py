"""The verbs of a session that look at compilations: passes, pairs, many targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from playground.engine.job import Job
from playground.model.compilations import Fit, Variant
from playground.model.finding import Finding
from playground.model.targets import known_targets, parse_target

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from playground.engine.capture import CapturedLaunch
    from playground.engine.compile_outcome import CompileOutcome
    from playground.engine.earlier import Earlier, Key
    from playground.engine.session import Session
    from playground.model.config import Config
    from playground.model.knobs import KnobValue
    from playground.protocol import messages


class CompilationVerbs:
    """What a session shows of compilations; a part of `Session`, in a file of its own."""

    earlier: Earlier

    @property
    def _own(self) -> Session:
        return cast("Session", self)

    def passes(
        self,
        launch: int = 0,
        config: Config | None = None,
        target: str | None = None,
        job: Job | None = None,
        *,
        llvm: bool = False,
        **knobs: KnobValue,
    ) -> messages.Passes:
        """Compile a launch once more, and return what each pass of the compiler changed.

        Where the compilation fails, the passes up to there are returned with the findings. With
        `llvm` LLVM's own passes follow Triton's, which takes several times as long.
        """
        from playground.protocol import messages

        captured, config = self._own.chosen(launch, config, knobs)
        name = parse_target(target or self._own.device.target).name
        found, findings = self._own.compiler.passes(captured, config, name, job, llvm=llvm)
        return messages.Passes(captured.info.index, config, name, found, findings)

    def compile_all(
        self,
        launch: int = 0,
        config: Config | None = None,
        targets: Sequence[str] = (),
        job: Job | None = None,
        **knobs: KnobValue,
    ) -> tuple[Fit, ...]:
        """Compile one config for all `targets` at once: every known one when left out.

        A `Fitted` is sent as each ends; a target that the config does not fit says what would only
        in what is returned.
        """
        from playground.protocol import messages

        job = job or Job()
        captured, config = self._own.chosen(launch, config, knobs)
        names = tuple(dict.fromkeys(parse_target(name).name for name in targets))
        names = names or known_targets()
        ended = 0

        def done(target: str, outcome: CompileOutcome) -> None:
            nonlocal ended
            ended += 1
            job.send(messages.Fitted(_fit(target, outcome), ended, len(names)))

        outcomes = self._own.compiler.compile_targets(captured, config, names, job, done)
        return tuple(_fit(name, outcomes[name]) for name in names)

    def compare_compilations(
        self, launch: int, left: Variant, right: Variant, job: Job | None = None
    ) -> messages.ComparedCompilations:
        """Return two compilations of a launch side by side: every figure, what moved by line."""
        return self.comparison_reader(launch, left, right, job)()

    def comparison_reader(
        self, launch: int, left: Variant, right: Variant, job: Job | None = None
    ) -> Callable[[], messages.ComparedCompilations]:
        """Compile both, unless they are kept; return what compares them, in any thread."""
        from playground.engine import compilation_diff
        from playground.engine.machine_code import reader_of_outcome
        from playground.engine.resources import ToolError
        from playground.protocol import messages

        sides = [self._side(launch, variant, job) for variant in (left, right)]
        reports = [outcome.report for outcome, _ in sides]
        file = self._own.launches[launch].info.file
        readers = [reader_of_outcome(outcome, file) for outcome, _ in sides]
        before, after = (text for _, text in sides)
        edited = (before, after) if before != after and file == self._own.path else None

        def read() -> messages.ComparedCompilations:
            findings = [item for outcome, _ in sides for item in outcome.findings]
            changes = list(compilation_diff.figures(reports[0], reports[1]))
            try:
                codes = [read() for read in readers if read is not None]
            except ToolError as error:
                codes = []
                findings.append(Finding("error", "compile", f"no instructions to compare: {error}"))
            if len(codes) == len(sides):
                changes += compilation_diff.instructions(codes[0], codes[1])
                changes += compilation_diff.lines(codes[0], codes[1], edited)
            return messages.ComparedCompilations(
                left, right, reports[0], reports[1], tuple(changes), tuple(dict.fromkeys(findings))
            )

        return read

    def stage_diff(
        self, launch: int, left: Variant, right: Variant, stage: str, job: Job | None = None
    ) -> messages.StageDiff:
        """Return one stage's texts of two compilations, aligned line by line.

        Raises
        ------
        StageError
            One of them does not compile that far, or its target has no such stage.
        """
        return self.stage_diff_reader(launch, left, right, stage, job)()

    def stage_diff_reader(
        self, launch: int, left: Variant, right: Variant, stage: str, job: Job | None = None
    ) -> Callable[[], messages.StageDiff]:
        """Compile both, unless they are kept; return what aligns their texts, in any thread.

        That raises as `stage_diff` does.
        """
        from playground.engine.compile_outcome import StageError
        from playground.model import text_diff
        from playground.protocol import messages

        sides = [(variant, self._side(launch, variant, job)[0]) for variant in (left, right)]

        def read() -> messages.StageDiff:
            texts = []
            for variant, outcome in sides:
                try:
                    texts.append(str(outcome.asm[stage]))
                except KeyError:
                    reasons = "; ".join(item.text() for item in outcome.findings)
                    raise StageError(
                        f"{variant_label(variant)} has no {stage}: {reasons or 'no such stage'}"
                    ) from None
            blocks = text_diff.blocks(texts[0].splitlines(), texts[1].splitlines(), stage)
            return messages.StageDiff(stage, texts[0], texts[1], blocks)

        return read

    def note_compilation(
        self, captured: CapturedLaunch, config: Config, target: str, outcome: CompileOutcome
    ) -> None:
        """Keep what compiling came to, for a comparison after the next edit."""
        self.earlier.note(self._key(captured, config, target), outcome, self._own.text)

    def _key(self, captured: CapturedLaunch, config: Config, target: str) -> Key:
        info = captured.info
        return self._own.path, info.kernel, info.index, config, parse_target(target).name

    def _side(self, launch: int, variant: Variant, job: Job | None) -> tuple[CompileOutcome, str]:
        """Return what a variant came to, and the text of the file that it is a compilation of."""
        from playground.engine.compile_outcome import CompileOutcome

        now = self._own.compile(launch, variant.config, variant.target or None, job)
        if not variant.before_edit:
            return now, self._own.text
        captured, config = self._own.chosen(launch, variant.config, {})
        key = self._key(captured, config, variant.target or self._own.device.target)
        before = self.earlier.before(key, failing_now=now.report is None)
        if before is not None:
            return before.outcome, before.text
        missing = Finding(
            "info", "compile",
            f"nothing is known of {variant_label(variant)}: it was not compiled before an edit "
            "that changed it",
            "compile it, edit the text and run it again; then the two can be compared",
        )  # fmt: skip
        return CompileOutcome(None, (missing,), undecided=True), self._own.text


def variant_label(variant: Variant) -> str:
    """Return `BLOCK=64 num_warps=4 for cuda:90, before the edit`."""
    when = ", before the edit" if variant.before_edit else ""
    return f"{variant.config.label() or 'the config'} for {variant.target}{when}"


def _fit(target: str, outcome: CompileOutcome) -> Fit:
    return Fit(target, outcome.report, outcome.findings)
