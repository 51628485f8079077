"""What a tracing copy is built for: its table in device memory, modes, numbered accesses."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import triton

if TYPE_CHECKING:
    from playground.model.access_site import AccessKind

# The table: int64 words. The first ones are the same for every tracing copy.
MODE, SELECTED, WINDOW, LOADS, STORES = 0, 1, 2, 3, 4
STORER_LAST, STORER_FIRST, LOADER_LAST, LOADER_FIRST = 5, 6, 7, 8
FLOPS, OUTSIDE, SCRATCH = 9, 10, 11
RECORD_PROGRAMS, RECORD_CURSOR, RECORD_EVENTS, RECORD_EVENT_ROOM = 12, 13, 14, 15
RECORD_LANES, RECORD_LANE_ROOM, RECORD_LIMITS, RECORD_TAKEN = 16, 17, 18, 19
ACCESSES, OPERATIONS = 20, 21
MARKS, MARKED_SITES, WRITTEN, UNWRITTEN_FIRST, VALUE_HIGH, VALUE_LOW = 22, 23, 24, 25, 26, 27
LEAVE = 28  # not 0: programs that are not recorded end at once
HEADER_WORDS = 29
STORAGE_WORDS = 3  # base address, bytes, first counter cell

# Bits of the table's mode word: which counters a run collects.
COUNT, COUNT_STORERS, COUNT_LOADERS, COUNT_OUTSIDE, COUNT_FLOPS = 1, 2, 4, 8, 16
RECORD, COUNT_ACCESSES, COUNT_OPERATIONS = 32, 64, 128
# The programs that touch a cell by an atomic: counted among storers and loaders where asked for.
STORING_ATOMICS, LOADING_ATOMICS, LOOK_AT_MARKED = 256, 512, 1024

COUNTING_MODES = (
    COUNT
    | COUNT_STORERS
    | COUNT_LOADERS
    | COUNT_FLOPS
    | STORING_ATOMICS
    | LOADING_ATOMICS
    | COUNT_ACCESSES
    | COUNT_OPERATIONS
)
EVERY_COUNT = COUNTING_MODES | COUNT_OUTSIDE

# An atomic on a block whose layout the compiler cannot derive gets its default: up to 3.6 a warp's
# lanes then run along the first axis, later along the last. Along the last, where neighbours lie
# side by side in memory as a rule, a warp's atomics share a few sectors instead of taking one each.
LANES_RUN_ALONG_FIRST_AXIS = tuple(map(int, triton.__version__.split(".")[:2])) < (3, 7)

SITE_CELLS = 1024  # counter cells before the storages' own, one per access site
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


_numbering = threading.Lock()


@dataclass
class Plan:
    """What one tracing copy is built for.

    `units` holds the counters' grain in bytes for each storage; `mixed` says for each whether its
    arguments have elements of several sizes, so that one access may cover several cells.
    `descriptors` names the kernel's parameters that are host tensor descriptors; their base
    addresses follow the storages' words. `modes` says which counters a run can ask for: fewer
    compile faster. `sites`, `accesses` and `operations` (reductions and scans) number what the
    source has of them; copies that compile at the same time share them. `largest` is the number of
    lanes of the largest access, by which one that `adapts_warps` has its warps chosen. `narrow`
    says that every storage begins at a multiple of its grain and that 32 bits number all cells:
    then most of a lane's arithmetic is of half the width.
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
    adapts_warps: bool = False
    narrow: bool = False
    largest: int = 0

    def site(self, site: Site) -> int:
        """Return the number of an access site; loop bodies are visited twice but count once."""
        with _numbering:
            return min(self.sites.setdefault(site, len(self.sites)), SITE_CELLS - 1)

    def access(self, access: BlockAccess) -> int:
        """Return the number of an access with its shape."""
        with _numbering:
            return self.accesses.setdefault(access, len(self.accesses))

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

    site: int
    kind: AccessKind
    address: Any
    mask: Any
    element: Any
    size: int
    shape: list[int]
    parts: list[tuple[Any, Any]]
