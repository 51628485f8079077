"""What a config compiled to before an edit: kept from one run of the file to the next."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.model.text_diff import plain_lines

if TYPE_CHECKING:
    from playground.engine.compile_outcome import CompileOutcome
    from playground.model.config import Config

_KEPT = 48

Key = tuple[str, str, int, "Config", str]
"""The file, the kernel, the launch's number, its config, the target."""


@dataclass(frozen=True, eq=False)
class Compilation:
    """What compiling came to, and the text of the file then."""

    outcome: CompileOutcome
    text: str


class Earlier:
    """The last two compilations of each config that differ; those used longest ago go first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, tuple[Compilation, Compilation | None]] = OrderedDict()

    def note(self, key: Key, outcome: CompileOutcome, text: str) -> None:
        """Take note of a compilation of `text`; one that failed has nothing to compare with."""
        if outcome.report is None:
            return
        made = Compilation(outcome, text)
        last, before = self._kept.get(key, (None, None))
        if last is not None and _module(last.outcome) != _module(outcome):
            before = last
        self._kept[key] = (made, before)
        self._kept.move_to_end(key)
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)

    def before(self, key: Key, *, failing_now: bool) -> Compilation | None:
        """Return the compilation before the edit; the last there was where it now fails."""
        last, before = self._kept.get(key, (None, None))
        return last if failing_now else before


def _module(outcome: CompileOutcome) -> list[str]:
    """Return the module that the front end made, without places: comments may have moved those."""
    return plain_lines(str(outcome.asm.get("ttir", "")))
