"""The verbs of a session that look at the programs of a launch: when, where, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from playground.engine.job import Job

if TYPE_CHECKING:
    from playground.engine.session import Session
    from playground.model.config import Config
    from playground.model.knobs import KnobValue
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
        **knobs: KnobValue,
    ) -> Scheduled:
        """Return where and when each program of a launch runs under a config; needs a GPU.

        Returns
        -------
        Scheduled
            `figures`, and per linear program id `multiprocessor` (int32), `start_ns` and `end_ns`
            (int64, from the first start).

        Raises
        ------
        schedule.NotScheduledError
            There is no NVIDIA GPU, the kernel is written in Gluon, or the grid is empty.
        """
        from playground.engine import schedule
        from playground.engine.replay import put_back_after

        session, job = self._own_session, job or Job()
        captured, config = session.chosen(launch, config, knobs)
        key = (captured.info.index, config)
        found = session.kept.schedules.get(key)
        if found is None:
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
