"""The verbs of a session that look at the programs of a launch: when, where, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from playground.engine.job import Job

if TYPE_CHECKING:
    from pathlib import Path

    from playground.engine.session import Session
    from playground.model.config import Config
    from playground.model.knobs import KnobValue
    from playground.model.schedule import CacheReuse
    from playground.protocol.programs import ProgramSteps, Scheduled


class ProgramVerbs:
    """What a session tells of single programs; a part of `Session`, in a file of its own."""

    @property
    def _own_session(self) -> Session:
        return cast("Session", self)

    def schedule(
        self,
        launch: int = 0,
        config: Config | None = None,
        job: Job | None = None,
        *,
        again: bool = False,
        **knobs: KnobValue,
    ) -> Scheduled:
        """Return where and when each program of a launch runs under a config; needs a GPU.

        With `again` it is measured anew: no two launches run alike.

        Returns
        -------
        Scheduled
            `figures`, and per linear program id `multiprocessor` (int32), `start_ns` and `end_ns`
            (int64, from the first start).

        Raises
        ------
        schedule.NotScheduledError
            There is no NVIDIA GPU, or the grid is empty.
        """
        from playground.engine import schedule
        from playground.engine.replay import put_back_after

        session, job = self._own_session, job or Job()
        captured, config = session.chosen(launch, config, knobs)
        key = (captured.info.index, config)
        found = session.kept.schedules.get(key)
        if found is None or again:
            report = None
            if session.device.mode == "gpu":
                report = session.compile(captured.info.index, config, job=job).report
            with (
                session.guarded(job),
                put_back_after(session.prepare(captured.info.index, config)) as prepared,
            ):
                found = schedule.schedule(prepared, session.device, report, job)
            session.kept.keep_schedule(key, found)
        return found

    def steps(
        self,
        launch: int = 0,
        config: Config | None = None,
        program: int = 0,
        job: Job | None = None,
        **knobs: KnobValue,
    ) -> ProgramSteps:
        """Return the accesses of one program (linear id) in order, as elements of the arguments.

        The launch is counted first where it was not: the steps name the coverage's access sites.

        Raises
        ------
        IndexError
            The grid has no such program.
        findings.NotCountedError
            The kernel is of a kind whose accesses are not recorded.
        """
        from playground.engine import steps
        from playground.engine.replay import put_back_after

        session, job = self._own_session, job or Job()
        captured, config = session.chosen(launch, config, knobs)
        index = captured.info.index
        key = (index, config, program)
        found = session.kept.steps.get(key)
        if found is None:
            sites = session.coverage(index, config, job).sites
            with (
                session.guarded(job),
                put_back_after(session.prepare(index, config)) as prepared,
            ):
                found = steps.program_steps(prepared, program, sites, job)
            session.kept.keep_steps(key, found)
        return found

    def reuse(
        self,
        launch: int = 0,
        config: Config | None = None,
        target: str | None = None,
        job: Job | None = None,
        **knobs: KnobValue,
    ) -> CacheReuse:
        """Estimate what the L2 of a target would fetch for a launch, from its order of accesses.

        Parameters
        ----------
        target
            Whose L2 and multiprocessors are taken: the machine's GPU, or without one the chosen
            target's, when left out.

        Raises
        ------
        LookupError
            Nothing is known of the target's GPU.
        findings.NotCountedError
            The kernel is of a kind whose accesses are not recorded.
        """
        from playground.engine import outline, reuse
        from playground.engine.replay import put_back_after
        from playground.engine.replay_layout import layout_for

        session, job = self._own_session, job or Job()
        captured, config = session.chosen(launch, config, knobs)
        index = captured.info.index
        target = target or session.device.target
        key = (index, config, target)
        found = session.kept.reuse.get(key)
        if found is None:
            report = session.compile(index, config, target, job).report
            cache, notes = reuse.cache_of(target, session.device, report)
            with (
                session.guarded(job),
                put_back_after(session.prepare(index, config)) as prepared,
            ):
                accesses = session.kept.outlines.get((index, config))
                if accesses is None:
                    accesses = outline.outlined(prepared, job)
                    session.kept.keep_outline((index, config), accesses)
                layout = layout_for(prepared)
            x, y, z = prepared.grid
            found = reuse.cache_reuse(
                accesses, layout, cache, launch=index, config=config, programs=x * y * z,
                notes=notes,
                look=lambda share: job.progress("following the cache", share),
            )  # fmt: skip
            session.kept.reuse[key] = found
        return found

    def save_counts(
        self,
        path: str | Path,
        launch: int = 0,
        config: Config | None = None,
        job: Job | None = None,
        *,
        schedule: bool = False,
        sample: int | None = None,
        **knobs: KnobValue,
    ) -> None:
        """Count a launch and write, as `.npz`, what happens to every element of every tensor.

        With `schedule` where and when each program ran is in it as well; `sample` is that of
        `coverage`. `numpy.load` reads it; the arrays' names are those of `counts_file.save_counts`.

        Raises
        ------
        OSError
            The file cannot be written.
        schedule.NotScheduledError
            A schedule was asked for, and there is no NVIDIA GPU.
        """
        from playground.engine import counts_file

        session = self._own_session
        captured, config = session.chosen(launch, config, knobs)
        index = captured.info.index
        session.coverage(index, config, job, sample=sample)
        session.collect_loaders(index, config, job)
        scheduled = session.schedule(index, config, job) if schedule else None
        counts = session.kept.counts_to_show((index, config))
        if counts is None:
            raise LookupError("the counts are no longer kept: they take more memory than there is")
        counts_file.save_counts(path, counts, captured.info.kernel, scheduled)
