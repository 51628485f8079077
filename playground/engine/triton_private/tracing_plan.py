"""What a tracing copy is built for: its table in device memory, modes, numbered accesses."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playground.model.access_site import AccessKind

# The table: int64 words. The first ones are the same for every tracing copy.
MODE, SELECTED, WINDOW, LOADS, STORES = 0, 1, 2, 3, 4
STORER_LAST, STORER_FIRST, LOADER_LAST, LOADER_FIRST = 5, 6, 7, 8
FLOPS, OUTSIDE, SCRATCH = 9, 10, 11
RECORD_PROGRAMS, RECORD_CURSOR, RECORD_EVENTS, RECORD_EVENT_ROOM = 12, 13, 14, 15
RECORD_LANES, RECORD_LANE_ROOM, RECORD_LIMITS, RECORD_TAKEN = 16, 17, 18, 19
OPERATIONS = 20
MARKS, MARKED_SITES, WRITTEN, UNWRITTEN_FIRST, VALUE_HIGH, VALUE_LOW = 21, 22, 23, 24, 25, 26
LEAVE = 27  # not 0: programs that nobody looks at end at once
HEAD = 28  # cells before the storages' own
HEADER_WORDS = 29
STORAGE_WORDS = 3  # base address, bytes, first counter cell

# Bits of the table's mode word: which counters a run collects.
COUNT, COUNT_STORERS, COUNT_LOADERS, COUNT_OUTSIDE, COUNT_FLOPS = 1, 2, 4, 8, 16
RECORD, COUNT_OPERATIONS = 32, 64
# The programs that touch a cell by an atomic: counted among storers and loaders where asked for.
STORING_ATOMICS, LOADING_ATOMICS, LOOK_AT_MARKED = 128, 256, 512

COUNTING_MODES = COUNT | COUNT_STORERS | STORING_ATOMICS | COUNT_FLOPS | COUNT_OPERATIONS
LOADING_MODES = COUNT_LOADERS | LOADING_ATOMICS
CHOSEN_MODES = COUNT | COUNT_STORERS | STORING_ATOMICS | LOADING_MODES
EVERY_COUNT = COUNTING_MODES | LOADING_MODES | COUNT_OUTSIDE

# Counter cells before the storages' own. The first ones are one per access site, for its lanes
# outside every storage; then a few per access count how often it is made. After these, at multiples
# of their number, each access with a mask has cells for the lanes that the mask switches off: such
# a lane counts as well, in one of those by its address. So every lane has a cell and no counter
# needs a condition; and no threads have to meet to add up the lanes that are on.
SITE_CELLS = 1024
EXECUTION_CELLS = 16  # a program adds to the cell of its number modulo this: less contention
OFF_CELLS = 1 << 13
_FIXED_CELLS = 2 * OFF_CELLS  # of sites and of how often accesses are made
_MOST_ACCESSES = (_FIXED_CELLS - SITE_CELLS) // EXECUTION_CELLS

NARROW_CELLS = (1 << 31) - (1 << 24)
"""So many cells of storages a narrow plan can have: with those before them, 31 bits number all."""

FLOPS_CELLS = 64  # a dot adds to the cell of its program modulo this: less contention


@dataclass(frozen=True)
class Site:
    """One access in the source: what it does and where it stands."""

    kind: AccessKind
    file: str
    line: int
    column: int


@dataclass(frozen=True)
class BlockAccess:
    """An access site with one shape of block: a helper may be called with several.

    `site` is the site's number, `shape` empty for a scalar, `size` an element's bytes.
    """

    site: int
    shape: tuple[int, ...]
    size: int
    masked: bool

    @property
    def lanes(self) -> int:
        """Number of lanes of a block."""
        return math.prod(self.shape)


_numbering = threading.Lock()


@dataclass
class Plan:
    """What one tracing copy is built for.

    `units` holds the counters' grain in bytes for each storage; `mixed` says for each whether its
    arguments have elements of several sizes, so that one access may cover several cells.
    `descriptors` names the kernel's parameters that are host tensor descriptors; their base
    addresses follow the storages' words. `modes` says which counters a run can ask for: fewer
    compile faster. `sites`, `accesses` and `operations` (reductions and scans) number what the
    source has of them; copies that compile at the same time share them. `waits` are the lines of
    `while` loops, in which a program may wait for another one. One that `adapts_warps` has them
    chosen by the lanes of its largest access. `narrow` says that every storage begins at a multiple
    of its grain and that there are no more than `NARROW_CELLS`: then most of a lane's arithmetic is
    of half the width. `windowed` says that a run counts some of the cells only, `choosing` that the
    table's mode and selected program tell which programs count what; else all of them count all of
    `modes`.
    """

    table_address: int
    units: tuple[int, ...]
    mixed: tuple[bool, ...] = ()
    descriptors: tuple[str, ...] = ()
    modes: int = EVERY_COUNT
    sites: dict[Site, int] = field(default_factory=dict)
    accesses: dict[BlockAccess, int] = field(default_factory=dict)
    operations: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    waits: list[int] = field(default_factory=list)
    adapts_warps: bool = False
    narrow: bool = False
    windowed: bool = False
    choosing: bool = True

    @property
    def leaves(self) -> bool:
        """Whether a run can have programs that nobody looks at end at once."""
        return bool(self.modes & RECORD) or (self.choosing and bool(self.modes & COUNT))

    def site(self, site: Site) -> int:
        """Return the number of an access site; loop bodies are visited twice but count once."""
        with _numbering:
            return min(self.sites.setdefault(site, len(self.sites)), SITE_CELLS - 1)

    def access(self, access: BlockAccess) -> int:
        """Return the number of an access with its shape."""
        with _numbering:
            return self.accesses.setdefault(access, len(self.accesses))

    def execution_cell(self, access: BlockAccess) -> int:
        """Return the first cell that counts how often an access is made.

        Those beyond the first 960 accesses count together.
        """
        return SITE_CELLS + EXECUTION_CELLS * min(self.access(access), _MOST_ACCESSES - 1)

    def off_cell(self, access: BlockAccess) -> int:
        """Return the first cell for lanes that an access's mask switches off."""
        with _numbering:
            self.accesses.setdefault(access, len(self.accesses))
            masked = [other for other in self.accesses if other.masked]
        return _FIXED_CELLS + OFF_CELLS * masked.index(access)

    @property
    def head_cells(self) -> int:
        """Number of cells before the storages' own, known once the copy is compiled."""
        return _FIXED_CELLS + OFF_CELLS * sum(access.masked for access in list(self.accesses))

    def operation(self, name: str) -> int:
        """Return the number of a kind of reduction or scan."""
        with _numbering:
            return self.operations.setdefault(name, len(self.operations))

    def note(self, text: str) -> None:
        """Note something for the user, once."""
        if text not in self.notes:
            self.notes.append(text)

    @property
    def words(self) -> int:
        """Size of the table in 64-bit words."""
        return HEADER_WORDS + STORAGE_WORDS * len(self.units) + len(self.descriptors)


@dataclass(frozen=True)
class TrackedAccess:
    """One access while its IR is built.

    `parts` are (cells, lanes) pairs: an access wider than the grain covers several cells.
    """

    made: BlockAccess
    kind: AccessKind
    address: Any
    mask: Any
    element: Any
    shape: list[int]
    parts: list[tuple[Any, Any]]
