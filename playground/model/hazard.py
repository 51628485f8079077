"""Programs of one launch that get in each other's way, and reads of what nobody wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from playground.model.access_site import AccessKind

HazardKind = Literal[
    "writes differ", "writes agree", "read and write", "plain and atomic", "unwritten read"
]


@dataclass(frozen=True)
class HazardPlace:
    """An access that takes part in a hazard."""

    kind: AccessKind
    line: int
    file: str


@dataclass(frozen=True)
class Hazard:
    """Elements of one tensor that several programs touch without an order between them.

    `writes differ`: programs stored different values, the last one wins by chance. `writes agree`:
    they stored equal values, which is benign. `read and write`: one loads what another stores.
    `plain and atomic`: one updates by an atomic what another loads or stores plainly. `unwritten
    read`: a program loads what neither the host nor an earlier store has written; `programs` then
    names it once. `first` is the index of the first such element, `programs` two of those involved.
    With `among` they are the first and the last of more than two that store to it, and those whose
    values differ may be others of them.
    With `ordered` the kernel has atomics by which its programs may order themselves: then this is a
    question and no error.
    """

    kind: HazardKind
    tensor: str
    elements: int
    first: tuple[int, ...]
    programs: tuple[int, ...]
    places: tuple[HazardPlace, ...]
    ordered: bool = False
    among: bool = False

    @property
    def who(self) -> str:
        """The programs in words: `programs 1 and 2`, or `programs 1 to 9` of several."""
        names = [str(program) for program in self.programs]
        if len(names) == 1:
            return f"program {names[0]}"
        return f"programs {(' to ' if self.among else ' and ').join(names)}"
