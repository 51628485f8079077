"""The verbs of a session that make something for others to read or run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from playground.engine.session import Session
    from playground.model.config import Config
    from playground.model.knobs import KnobValue


class SharingVerbs:
    """What a session hands on of a launch; a part of `Session`, in a file of its own."""

    def report(
        self,
        path: str | Path | None = None,
        launch: int = 0,
        config: Config | None = None,
        **knobs: KnobValue,
    ) -> str:
        """Return a report of a launch as one HTML file that needs no other; with `path` write it.

        It has source, config, plots, coverage, the compiler's table and the device, measured where
        they are not known yet, and names no folder of this machine.

        Raises
        ------
        OSError
            `path` cannot be written.
        """
        from playground.engine import reporting

        session = cast("Session", self)
        captured, config = session.chosen(launch, config, knobs)
        text = reporting.report(session, captured.info.index, config).text
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def reproducer(self, launch: int = 0, config: Config | None = None, **knobs: KnobValue) -> str:
        """Return a minimal script that launches a kernel once, for a bug report to Triton.

        Raises
        ------
        reproducer.NoReproducerError
            The launch cannot be written down alone.
        """
        from playground.engine import reproducer

        session = cast("Session", self)
        captured, config = session.chosen(launch, config, knobs)
        return reproducer.reproducer(session, captured.info.index, config).text
