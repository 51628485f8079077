"""Which of Triton's library functions sort: their own reductions are no part of what a user asks.

Sorting compares and exchanges by way of sums along axes of two. Told as reductions of the kernel's
they would outnumber all that it has.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType

_LIBRARY = "triton.language.standard"
_SORTING = frozenset({"sort", "sort_impl", "topk", "bitonic_merge"})


def sorts(function: Any) -> bool:
    """Tell whether a jit function is one of Triton's that sort."""
    plain = getattr(function, "fn", function)
    return (
        getattr(plain, "__module__", "") == _LIBRARY and getattr(plain, "__name__", "") in _SORTING
    )


def within_sorting() -> bool:
    """Tell whether the interpreter is inside one of Triton's functions that sort."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name in _SORTING and frame.f_globals.get("__name__") == _LIBRARY:
            return True
        frame = frame.f_back
    return False


class SortingContext:
    """Marks functions that are compiled for a sorting function: the others' own are apart."""

    def mangle(self) -> str:
        """Return the part of their names that tells them apart."""
        return "_SORTING"

    def initialize_callee(self, function: Any, builder: Any) -> None:
        """Leave the function as it is."""
