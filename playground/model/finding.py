"""A finding: something the app tells the user, with a place in the source and a remedy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "hint", "info"]
Stage = Literal[
    "syntax", "driver", "capture", "compile", "resources", "runtime", "check", "coverage",
    "timing", "sweep", "export", "engine",
]  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """What is wrong or worth knowing, where, and what to do about it.

    `line` and `column` are 1-based and 0-based like Python's own; `detail` is longer text
    (a traceback cut to the user's frames, the compiler's message) shown on demand.
    """

    severity: Severity
    stage: Stage
    message: str
    hint: str = ""
    file: str | None = None
    line: int | None = None
    column: int | None = None
    detail: str = ""

    def text(self) -> str:
        """Return one line for a terminal: `file:line: error (compile): message - hint`."""
        place = ""
        if self.file:
            place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: "
        tail = f" - {self.hint}" if self.hint else ""
        return f"{place}{self.severity} ({self.stage}): {self.message}{tail}"
