"""What gives an element of a tile map its colour: its programs, their place and time, or counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from playground.model import colormaps

if TYPE_CHECKING:
    from PySide6.QtGui import QColor

    from playground.protocol.messages import Paint, Plane
    from playground.ui.theme import Theme

ColourBy = Literal["owner", "order", "first", "loads", "stores", "sm", "wave"]

COLOUR_CHOICES: tuple[tuple[ColourBy, str, str], ...] = (
    ("owner", "Owner", "Colour every element by the program that stored it last"),
    ("order", "Last writer", "From dark to bright in the order in which the programs that stored "
     "last come"),
    ("first", "First writer", "From dark to bright by the first program that stores the element"),
    ("loads", "Loads", "Colour every element by how often it is loaded"),
    ("stores", "Stores", "Colour every element by how often it is stored"),
    ("sm", "SM", "Colour every element by the multiprocessor that its owner ran on"),
    ("wave", "Wave", "From dark to bright by the wave in which its owner ran: the first programs "
     "that fill the GPU, those that follow them, …"),
)  # fmt: skip
"""What the user can choose, with its name and what it means."""

SCHEDULED: tuple[ColourBy, ...] = ("sm", "wave")
"""What only a schedule tells."""


@dataclass(frozen=True, eq=False)
class Colouring:
    """A choice of colours; `number` is what colours a program, by its id (None: the id itself)."""

    by: ColourBy = "owner"
    number: np.ndarray | None = None

    @property
    def paint(self) -> Paint:
        """What is asked of the engine for it."""
        if self.by == "first" or self.by == "loads" or self.by == "stores":
            return self.by
        return "owner"

    @property
    def counts(self) -> bool:
        """Whether amounts are shown, and not programs."""
        return self.by in ("loads", "stores")

    @property
    def cyclic(self) -> bool:
        """Whether colours tell things apart, and not little from much."""
        return self.by in ("owner", "sm")

    def numbers(self, programs: int) -> np.ndarray:
        """Return what colours each of so many programs."""
        if self.number is None or len(self.number) < programs:
            return np.arange(programs)
        return self.number

    def same_as(self, other: Colouring) -> bool:
        """Tell whether both give every element the same colour."""
        return self.by == other.by and self.number is other.number


def owner_slot(program: np.ndarray, entries: int) -> np.ndarray:
    """Return the colour of each of these programs (see `colormaps.owner_slot`)."""
    # Its arithmetic is NumPy's as well.
    return np.asarray(colormaps.owner_slot(cast("int", program), entries))


def argb(red: int, green: int, blue: int, alpha: int = 255) -> int:
    """Return a colour as Qt's 32-bit pictures hold it."""
    return alpha << 24 | red << 16 | green << 8 | blue


def argb_of(color: QColor) -> np.uint32:
    """Return a colour of the theme as a pixel."""
    return np.uint32(argb(color.red(), color.green(), color.blue()))


def program_colours(theme: Theme, colouring: Colouring, programs: int) -> np.ndarray:
    """Return the pixel of each of so many programs."""
    numbers = colouring.numbers(programs)
    if colouring.cyclic:
        entries = theme.owner_colormap()
        palette = np.array([argb(*rgb) for rgb in entries], np.uint32)
        return np.asarray(palette[owner_slot(numbers, len(entries))])
    scale = _scale(theme)
    top = max(int(numbers.max(initial=0)), 1)
    return np.asarray(scale[np.clip(numbers, 0, top).astype(np.int64) * 255 // top])


def colour_table(plane: Plane, theme: Theme, colouring: Colouring) -> np.ndarray:
    """Return the pixel of every value of `plane` from -1 on."""
    if not colouring.counts:
        count = max(plane.programs, int(plane.values.max(initial=0)) + 1)
        ground = argb_of(theme.color("plot_background"))
        return np.concatenate([[ground], program_colours(theme, colouring, count)])
    scale = _scale(theme)
    # Counts beyond what eyes tell apart share the top colour; hover gives the exact number.
    top = min(max(int(plane.maximum), 1), 1 << 16)
    none = argb_of(theme.color("border"))
    return np.concatenate([[none, none], scale[np.arange(1, top + 1) * 255 // top]])


def _scale(theme: Theme) -> np.ndarray:
    return np.array([argb(*rgb) for rgb in theme.sequential_colormap(256)], np.uint32)
