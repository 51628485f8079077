"""The verb of a session that shows what each source line became in the machine's code."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.config import Config
    from playground.model.knobs import KnobValue
    from playground.model.machine_code import MachineCode


class CodeVerbs:
    """What a session knows of machine code; a part of `Session`, in a file of its own."""

    def code(
        self,
        launch: int = 0,
        config: Config | None = None,
        target: str | None = None,
        job: Job | None = None,
        **knobs: KnobValue,
    ) -> MachineCode:
        """Return what each source line of a launch became in the machine's code.

        Raises
        ------
        StageError
            The config does not compile, or nothing reads the target's code.
        """
        _, config = cast("Session", self).chosen(launch, config, knobs)
        return self.code_reader(launch, config, target, job)()

    def code_reader(
        self, launch: int, config: Config, target: str | None = None, job: Job | None = None
    ) -> Callable[[], MachineCode]:
        """Compile a launch and return what reads its code, in any thread; raises as `code`."""
        from playground.engine.machine_code import reader_of

        me = cast("Session", self)
        captured, config = me.chosen(launch, config, {})
        return reader_of(me.compiler, captured, config, target, job)
