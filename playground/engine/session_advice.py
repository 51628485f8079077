"""The verbs of a session that give advice on a launch, and try it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from playground.engine.job import Job

if TYPE_CHECKING:
    from playground.engine.compiling import Compiler
    from playground.engine.session import Session
    from playground.model.advice import Advisory, Try, TryResult
    from playground.model.config import Config
    from playground.model.knobs import KnobValue
    from playground.model.measurement import CacheMode

TRY_BUDGET_MS = 400.0


class AdviceVerbs:
    """What a session says an expert would do; a part of `Session`, in a file of its own."""

    trial_compiler: Compiler | None = None
    """Compiles changed texts: kept from one try to the next, for its worker has torch loaded."""

    def advise(
        self,
        launch: int = 0,
        config: Config | None = None,
        target: str | None = None,
        job: Job | None = None,
        **knobs: KnobValue,
    ) -> Advisory:
        """Return what there is to say about a launch: five points in order, each with evidence.

        Counts, compiles and with a GPU times the launch as far as that was not done yet. Expected
        gains come from figures; `try_advice` measures one.
        """
        from playground.engine.advisor import advise

        me = cast("Session", self)
        captured, config = me.chosen(launch, config, knobs)
        return advise.advise(me, captured.info.index, config, target, job or Job())

    def try_advice(
        self,
        attempt: Try,
        launch: int = 0,
        config: Config | None = None,
        cache: CacheMode = "cold",
        budget_ms: float = TRY_BUDGET_MS,
        job: Job | None = None,
        **knobs: KnobValue,
    ) -> TryResult:
        """Check what a piece of advice offers to try, and time it in turns with what is there.

        Nothing of the session changes. Without a GPU the try is checked and not measured.
        """
        from playground.engine.advisor import advise

        me = cast("Session", self)
        captured, config = me.chosen(launch, config, knobs)
        return advise.tried(
            me, captured.info.index, config, attempt, cache, budget_ms, job or Job()
        )
