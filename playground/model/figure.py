"""One figure that the program shows: what it is, and how it is worked out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A figure that the program shows: its name, what it is, and how it is worked out."""

    title: str
    meaning: str
    formula: str = ""

    def text(self) -> str:
        """Return all of it as plain text, a line each."""
        return "\n".join(filter(None, (self.title, self.meaning, self.formula)))
