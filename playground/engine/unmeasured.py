"""The time that a file gets where nothing was measured: a number that host code can go on with."""

from __future__ import annotations

from typing import Any

SHOWN = "not measured"
"""How such a time prints."""


class Unmeasured(float):
    """A time, or what was computed from one, that stands for no measurement.

    Its value is 1, so that sorting, taking the least, dividing and rounding go on as they do with a
    time; NaN and infinity would change which branch such code takes, or raise. It never prints a
    number, whatever the format, and what is computed from it by arithmetic doesn't either.
    """

    def __new__(cls, value: float = 1.0) -> Unmeasured:
        """Return such a number with the value `value`."""
        return super().__new__(cls, value)

    def __repr__(self) -> str:
        return SHOWN

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        width = "".join(letter for letter in spec.partition(".")[0] if letter in "0123456789<>^")
        return format(SHOWN, width.lstrip("0"))

    def __add__(self, other: Any) -> Any:
        return _kept(super().__add__(other))

    def __radd__(self, other: Any) -> Any:
        return _kept(super().__radd__(other))

    def __sub__(self, other: Any) -> Any:
        return _kept(super().__sub__(other))

    def __rsub__(self, other: Any) -> Any:
        return _kept(super().__rsub__(other))

    def __mul__(self, other: Any) -> Any:
        return _kept(super().__mul__(other))

    def __rmul__(self, other: Any) -> Any:
        return _kept(super().__rmul__(other))

    def __truediv__(self, other: Any) -> Any:
        return _kept(super().__truediv__(other))

    def __rtruediv__(self, other: Any) -> Any:
        return _kept(super().__rtruediv__(other))

    def __round__(self, digits: Any = None) -> Any:
        return _kept(round(float(self), digits))


def _kept(value: Any) -> Any:
    """Return a float as a number that was not measured; `NotImplemented` and the like unchanged."""
    return Unmeasured(value) if isinstance(value, (float, int)) else value
