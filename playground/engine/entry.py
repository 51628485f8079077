"""An entry: places of host code that make a knob what is wanted, and what is known of a knob."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.host_code import Edit, Place


@dataclass(frozen=True)
class Entry:
    """Places whose values make a knob what is wanted, together.

    `way` says how the value there follows from the knob's: equal, in proportion, as an exponent.
    `tied` are other knobs that take the same value with it.
    """

    parts: tuple[tuple[Place, Any, str], ...]
    tied: tuple[str, ...] = ()

    def edits(self, captured: Any, wanted: Any) -> list[Edit] | None:
        """Return the edits that make the knob `wanted`, or None where no value would."""
        made: list[Edit] = []
        for place, literal, way in self.parts:
            value = _scaled(literal, captured, wanted, way)
            if value is None:
                return None
            made.append((place, value))
        return made

    @property
    def line(self) -> int:
        """The line of the first place."""
        return self.parts[0][0].line


@dataclass
class KnobEntries:
    """What is known of one knob of one launch.

    Parameters
    ----------
    alone
        Nothing else that the launch passes comes from where the knob does: the launch can be
        replayed alone.
    found
        The entries that were tried and hold, the one in use first.
    decided
        The result has shown that the launch alone does not do: the entry is used even so.
    changes_inputs
        The place whose value is the knob's, yet decides the launch's inputs as well.
    """

    alone: bool = False
    found: list[Entry] = field(default_factory=list)
    searched: bool = False
    decided: bool = False
    changes_inputs: Place | None = None

    @property
    def entry(self) -> Entry | None:
        """The entry in use."""
        return self.found[0] if self.found else None


def combined(
    known: Sequence[tuple[KnobEntries, Any, Any]],
) -> list[Edit] | None:
    """Return the edits for several knobs at once: (what is known, captured value, wanted value).

    None when no knob has an entry. A knob without one is left to the launch itself.
    """
    edits: dict[Place, Any] = {}
    for item, captured, wanted in known:
        if item.entry is None:
            continue
        for place, value in item.entry.edits(captured, wanted) or ():
            edits.setdefault(place, value)
    return list(edits.items()) or None


def _scaled(literal: Any, captured: Any, wanted: Any, way: str) -> Any:
    """Return what must stand where `literal` stands so that a knob goes from captured to wanted."""
    if way == "same":
        return wanted
    if way == "digits":
        return str(wanted)
    if not (isinstance(captured, int) and isinstance(wanted, int) and captured > 0 and wanted > 0):
        return None
    if way == "ratio":
        value, rest = divmod(literal * wanted, captured)
        return None if rest else value
    if way == "inverse":
        value, rest = divmod(literal * captured, wanted)
        return None if rest else value
    if captured & (captured - 1) or wanted & (wanted - 1):
        return None
    return literal + wanted.bit_length() - captured.bit_length()
