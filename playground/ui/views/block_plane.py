"""A block of values as a plane of numbers: cut, scaled to colours, told element by element."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from playground.model.plane import fold, index_text

if TYPE_CHECKING:
    from playground.protocol.messages import BlockValue
    from playground.ui.theme import Theme

_FEW, _FEW_COLUMNS = 512, 16


@dataclass(frozen=True, eq=False)
class BlockPlane:
    """One plane of a block: `numbers` (rows, columns) with `held` where there is an element.

    `low` and `high` are the least and the largest finite number of the whole block. Without
    `figures` the colours are all there is to see.
    """

    name: str
    shape: tuple[int, ...]
    slices: tuple[int, ...]
    numbers: np.ndarray
    held: np.ndarray
    low: float
    high: float
    of: str = ""
    figures: bool = True

    @property
    def rows(self) -> int:
        """Rows of the plane."""
        return int(self.numbers.shape[0])

    @property
    def columns(self) -> int:
        """Columns of the plane."""
        return int(self.numbers.shape[1])

    def text(self, row: int, column: int) -> str:
        """Return the number at a place, as short as it can be told."""
        return number_text(self.numbers[row, column])

    def told(self, row: int, column: int) -> str:
        """Return a place with its number: `x[3, 5] = 0.25`; empty where there is no element."""
        if not self.held[row, column]:
            return ""
        index: tuple[int, ...] = (row * self.columns + column,)
        if len(self.shape) >= 2:
            index = (*self.slices, row, column)
        elif not self.shape:
            index = ()
        value = self.numbers[row, column]
        shown = repr(float(value)) if self.numbers.dtype.kind == "f" else str(value)
        if self.of:
            shown = f"{self.of}[{value}]"
        return f"{self.name}{index_text(index) if index else ''} = {shown}"

    def shares(self) -> np.ndarray:
        """Return where each number lies between the least (0) and the largest (1)."""
        span = self.high - self.low
        numbers = self.numbers.astype(np.float64)
        if not span > 0:
            return np.full(numbers.shape, 0.5)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.clip((numbers - self.low) / span, 0.0, 1.0))


def number_text(value: np.generic) -> str:
    """Return a number in few characters."""
    if isinstance(value, np.floating):
        return f"{value:.4g}"
    return str(value)


def plane_of(block: BlockValue, slices: tuple[int, ...] = ()) -> BlockPlane:
    """Return the plane of a block that `slices` cut out of it; one dimension is folded."""
    data = np.asarray(block.data)
    shape = tuple(data.shape)
    finite = data[np.isfinite(data)] if data.dtype.kind == "f" else data.reshape(-1)
    low = float(finite.min()) if finite.size else 0.0
    high = float(finite.max()) if finite.size else 0.0
    cut = tuple(
        min(max(at, 0), size - 1)
        for at, size in zip((*slices, *(0,) * len(shape)), shape[:-2], strict=False)
    )
    if len(shape) >= 2:
        numbers = data[cut]
        held = np.ones(numbers.shape, np.bool_)
    else:
        flat = data.reshape(-1)
        columns = folded(flat.size)
        rows = max(1, -(-flat.size // columns))
        missing = rows * columns - flat.size
        numbers = np.pad(flat, (0, missing)).reshape(rows, columns)
        held = np.pad(np.ones(flat.size, np.bool_), (0, missing)).reshape(rows, columns)
    return BlockPlane(block.name, shape, cut, numbers, held, low, high, block.of)


def folded(elements: int) -> int:
    """Return the columns that a block of one dimension is folded into: few, so numbers fit."""
    return min(_FEW_COLUMNS, max(elements, 1)) if elements <= _FEW else fold(elements)


def colours(plane: BlockPlane, theme: Theme) -> np.ndarray:
    """Return the pixel (ARGB) of each number: dark to bright, NaN and infinities on their own."""
    table = np.array([_pixel(*rgb) for rgb in theme.sequential_colormap(256)], np.uint32)
    if plane.numbers.dtype.kind == "b":
        table = np.concatenate([np.repeat(table[60:61], 128), np.repeat(table[235:236], 128)])
    shares = np.nan_to_num(plane.shares(), nan=0.0)
    found = table[(shares * 255).astype(np.int64)]
    if plane.numbers.dtype.kind == "f":
        found[np.isnan(plane.numbers)] = _token(theme, "bad")
        found[np.isinf(plane.numbers)] = _token(theme, "plot_2")
    found[~plane.held] = 0
    return np.ascontiguousarray(found)


def _pixel(red: int, green: int, blue: int) -> int:
    return 0xFF << 24 | red << 16 | green << 8 | blue


def _token(theme: Theme, token: str) -> int:
    color = theme.color(token)
    return _pixel(color.red(), color.green(), color.blue())
