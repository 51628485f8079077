"""The one log file: what the program did and what failed in it, and nothing of the user's code."""

from __future__ import annotations

import logging
import os
import platform
import traceback
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, qVersion

import playground
from playground.ui.state_files import StateProblem, state_folder

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from playground.ui.document import Document

MOST_BYTES = 500_000
_OWN = os.path.dirname(os.path.abspath(playground.__file__))
_log = logging.getLogger("playground")


class _WithoutUserCode(logging.Formatter):
    """Of an error only its type and the places in this program that it came through.

    Its message and the lines of source may be the user's.
    """

    def formatException(
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None]
        | tuple[None, None, None],
    ) -> str:
        kind, _, trace = ei
        if kind is None:
            return ""
        lines = [kind.__name__]
        for frame in traceback.extract_tb(trace):
            own = os.path.abspath(frame.filename).startswith(_OWN + os.sep)
            where = f"{frame.filename[len(_OWN) + 1 :]}:{frame.lineno}" if own else "(elsewhere)"
            if not own and lines[-1].endswith("(elsewhere)"):
                continue
            lines.append(f"  at {where}")
        return "\n".join(lines)


def _not_written(_record: logging.LogRecord) -> None:
    # A full disk must not print a traceback for each line.
    return


def log_path() -> Path:
    """Return where the log is; raises `StateProblem` where there is no folder for it."""
    return state_folder() / "triton-playground.log"


class LogFile(QObject):
    """Writes while the window is open; a file of half a megabyte and the one before it are kept."""

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._handler: logging.Handler | None = None
        try:
            handler = RotatingFileHandler(
                log_path(), maxBytes=MOST_BYTES, backupCount=1, encoding="utf-8", delay=True,
                errors="backslashreplace",
            )  # fmt: skip
        except (StateProblem, OSError):
            return  # the window works without one; what cannot be kept is told of elsewhere
        handler.handleError = _not_written  # type: ignore[assignment, method-assign]
        handler.setFormatter(
            _WithoutUserCode("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s")
        )
        self._handler = handler
        _log.addHandler(handler)
        _log.setLevel(logging.INFO)
        _log.info(
            "triton-playground %s, Python %s, Qt %s, %s",
            playground.__version__, platform.python_version(), qVersion(), platform.platform(),
        )  # fmt: skip
        document.engine.stateChanged.connect(self._on_state)
        document.engine.died.connect(self._on_died)
        document.deviceChanged.connect(self._on_device)
        self._document = document

    def close(self) -> None:
        """Write no more."""
        handler, self._handler = self._handler, None
        if handler is not None:
            _log.info("the window was closed")
            _log.removeHandler(handler)
            handler.close()

    def _on_state(self, state: str) -> None:
        if state not in ("ready", "busy"):  # those come and go with every move of a knob
            _log.info("the engine is %s", state)

    def _on_died(self, why: str) -> None:
        # What follows the first line is the process' own output, tracebacks of the user's included.
        _log.warning("%s", why.partition("\n")[0])

    def _on_device(self) -> None:
        device = self._document.device
        if device is not None:
            _log.info(
                "the engine is there: %s, target %s, torch %s, triton %s",
                device.name, device.target, device.torch, device.triton,
            )  # fmt: skip
