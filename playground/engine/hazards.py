"""What a launch's programs do to each other's elements, read out of who touched which.

A GPU runs programs in no order. So an element that one of them stores and another one loads or
stores as well holds what chance decides, unless the programs order themselves by atomics. The first
and last program to touch each element tell which elements are so; who then touches those elements,
with which values, and who reads what nobody has written, is looked at in a run of its own, which
only launches with such elements need.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch

from playground.engine.access_sites import touched
from playground.engine.counter_layout import PROGRAM_LIMIT, distinct_elements, first_shown
from playground.engine.poisoning import never_written
from playground.model.hazard import Hazard, HazardPlace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from playground.engine.access_sites import Addresses, Survey
    from playground.engine.counter_layout import Layout, TensorView
    from playground.engine.recording import RecordedSite
    from playground.model.access_site import AccessKind
    from playground.model.hazard import HazardKind

# Bits of a cell's mark: what is to be looked at there.
WRITES, READ_AND_WRITE, PLAIN_AND_ATOMIC, MAYBE_UNWRITTEN = 1, 2, 4, 8
UNWRITTEN = 16
"""Bit of a site: it did read cells that nothing had written."""
RANK_SHIFT = 8
"""A mark's bits from here on number the cells whose stored values are compared; 0 is none."""
MOST_RANKS = 1 << 22
"""So many cells have their values compared: more would take too much memory."""

_WRAPPED = -(2**31)
"""What "last" (program + 1) and "first" add to, in int32, where it is one and the same program."""


@dataclass(frozen=True)
class Extremes:
    """First and last program per cell, int32: program plus one, and the limit minus program."""

    last: torch.Tensor
    first: torch.Tensor

    def several(self) -> torch.Tensor:
        """Return where more than one program touched the cell."""
        return (self.last > 0) & ((self.last + self.first) != _WRAPPED)

    def any(self) -> torch.Tensor:
        """Return where any program did."""
        return self.last > 0

    def programs(self, cell: int) -> tuple[int, ...]:
        """Return the first and the last program of a cell, once where it is the same."""
        last, first = int(self.last[cell]), int(self.first[cell])
        return tuple(dict.fromkeys((PROGRAM_LIMIT - first, last - 1))) if last else ()


@dataclass(frozen=True)
class Touchers:
    """Who touched each cell by plain loads, plain stores and atomics; None where nobody did."""

    stores: Extremes
    loads: Extremes | None = None
    atomics: Extremes | None = None


@dataclass
class MarkedRun:
    """What a run found at marked cells.

    `site_bits` are the bits of the marks that each site met, by its number. `unwritten_first` is a
    vector over cells like a "first" of `Extremes`: the first program to read what was unwritten.
    `differ` says, by rank, where several values were stored; None where values were not compared.
    """

    site_bits: list[int]
    unwritten_first: torch.Tensor
    differ: torch.Tensor | None = None
    sites: Sequence[RecordedSite] = field(default_factory=tuple)


def marks_of(
    touchers: Touchers, loads: torch.Tensor, uninitialised: torch.Tensor | None
) -> torch.Tensor | None:
    """Return the marks (int32 over cells) of what has to be looked at; None where there is nothing.

    Parameters
    ----------
    loads
        How often each cell is loaded, by atomics too.
    uninitialised
        Where a cell held what no one had written when the launch began; None for nowhere.
    """
    several = touchers.stores.several()
    marks: torch.Tensor | None = several.to(torch.int32) if bool(several.any()) else None
    if marks is not None:
        ranks = torch.cumsum(several, dim=0, dtype=torch.int32)
        ranks = torch.where(several & (ranks <= MOST_RANKS), ranks, 0)
        marks |= ranks << RANK_SHIFT
    stored = touchers.stores.any()
    found: list[tuple[int, torch.Tensor]] = []
    if touchers.loads is not None:
        both = touchers.loads.any() & stored & ~_one(touchers.loads, touchers.stores)
        found.append((READ_AND_WRITE, both))
    if touchers.atomics is not None:
        for plain in (touchers.loads, touchers.stores):
            if plain is not None:
                mixed = plain.any() & touchers.atomics.any() & ~_one(plain, touchers.atomics)
                found.append((PLAIN_AND_ATOMIC, mixed))
    if uninitialised is not None:
        found.append((MAYBE_UNWRITTEN, uninitialised & (loads > 0)))
    for bit, cells in found:
        if bool(cells.any()):
            if marks is None:
                marks = torch.zeros_like(loads)
            marks |= cells.to(torch.int32) * bit
    return marks


def uninitialised_cells(
    layout: Layout, held: Sequence[tuple[int, torch.Tensor]], device: torch.device
) -> torch.Tensor | None:
    """Return where cells hold what no one has written (bool over cells), None for nowhere.

    Parameters
    ----------
    held
        Address and bytes of each storage that the host allocated uninitialised.
    """
    found: torch.Tensor | None = None
    for start, data in held:
        for number, slot in enumerate(layout.storages):
            types = {view.dtype for view in layout.tensors if view.storage == number}
            if slot.start != start or slot.mixed or len(types) != 1:
                continue
            never = never_written(data, getattr(torch, types.pop()))
            if never is None or not bool(never.any()):
                continue
            if found is None:
                found = torch.zeros(layout.cells, dtype=torch.bool, device=device)
            count = min(slot.cells, never.numel())
            found[slot.first : slot.first + count] = never[:count].to(device)
    return found


def _one(left: Extremes, right: Extremes) -> torch.Tensor:
    """Return where both are of one and the same program."""
    same = (left.last == right.last) & (left.first == right.first)
    return same & ((left.last + left.first) == _WRAPPED)


def hazards_of(
    layout: Layout, touchers: Touchers, marks: torch.Tensor, run: MarkedRun, survey: Survey,
    disputed: torch.Tensor | None, stores: torch.Tensor,
) -> tuple[Hazard, ...]:  # fmt: skip
    """Return the hazards of a launch.

    Parameters
    ----------
    marks, run
        The marks that `run` was made with, and what it found.
    survey
        Tells which tensors a site touches.
    disputed
        Where programs stored different values (over cells); None where nowhere.
    stores
        How often each cell is stored to, by atomics too.
    """
    tensors = _tensors_of(survey, layout)
    left = marks.clone()
    unwritten = run.unwritten_first > 0
    found: list[Hazard] = []
    for view in layout.tensors:
        held = distinct_elements(left, view)
        if not bool((held != 0).any()):
            continue
        writes = (held & WRITES) != 0
        if bool(writes.any()):
            differ = torch.zeros_like(writes)
            if disputed is not None:
                differ = writes & (distinct_elements(disputed, view) != 0)
            found += _told("writes differ", differ, WRITES, view, touchers, run, tensors, stores)
            agree = writes & ~differ
            found += _told("writes agree", agree, WRITES, view, touchers, run, tensors)
        for kind, bit in _KINDS:
            cells = (held & bit) != 0
            found += _told(kind, cells, bit, view, touchers, run, tensors)
        never = ((held & MAYBE_UNWRITTEN) != 0) & distinct_elements(unwritten, view)
        found += _told("unwritten read", never, UNWRITTEN, view, touchers, run, tensors)
        held.zero_()  # another argument on the same memory does not tell of it again
    return tuple(found)


_ACCESSES: dict[HazardKind, tuple[AccessKind, ...]] = {
    "writes differ": ("store",),
    "writes agree": ("store",),
    "read and write": ("load", "store"),
}
_KINDS: tuple[tuple[HazardKind, int], ...] = (
    ("read and write", READ_AND_WRITE),
    ("plain and atomic", PLAIN_AND_ATOMIC),
)


def _told(
    kind: HazardKind, cells: torch.Tensor, bit: int, view: TensorView, touchers: Touchers,
    run: MarkedRun, tensors: Mapping[RecordedSite, tuple[str, ...]],
    stores: torch.Tensor | None = None,
) -> list[Hazard]:  # fmt: skip
    once = first_shown(view, cells.device)
    count = int(torch.count_nonzero(cells if once is None else cells & once))
    if not count:
        return []
    index = _first_index(cells)
    cell = view.offset + sum(
        place * stride for place, stride in zip(index, view.strides, strict=True)
    )
    if kind == "unwritten read":
        programs: tuple[int, ...] = (PROGRAM_LIMIT - int(run.unwritten_first[cell]),)
    else:
        programs = _two_programs(kind, touchers, cell)
    kinds = _ACCESSES.get(kind, ("load", "store", "atomic"))
    places = {
        HazardPlace(site.kind, site.line, site.file)
        for site, bits in zip(run.sites, run.site_bits, strict=False)
        if bits & bit and site.kind in kinds and view.name in tensors.get(site, (view.name,))
    }
    ordered = touchers.atomics is not None and kind != "unwritten read"
    # Of more than two stores, those of the first and the last program may be equal.
    among = stores is not None and int(stores[cell]) > 2
    return [Hazard(kind, view.name, count, index, programs, _ordered(places), ordered, among)]


def _ordered(places: set[HazardPlace]) -> tuple[HazardPlace, ...]:
    return tuple(sorted(places, key=lambda place: (place.file, place.line, place.kind)))


def _first_index(cells: torch.Tensor) -> tuple[int, ...]:
    """Return the index of the first element that is set, row by row."""
    flat = int(cells.reshape(-1).to(torch.uint8).argmax())
    index: list[int] = []
    for size in reversed(cells.shape):
        flat, place = divmod(flat, size)
        index.insert(0, place)
    return tuple(index)


def _two_programs(kind: HazardKind, touchers: Touchers, cell: int) -> tuple[int, ...]:
    """Return two programs that meet at a cell, one of each side where there are sides."""
    stores = touchers.stores.programs(cell)
    loads = touchers.loads.programs(cell) if touchers.loads is not None else ()
    if kind in ("writes differ", "writes agree"):
        return stores
    if kind == "read and write":
        sides = (loads, stores)
    else:
        atomics = touchers.atomics.programs(cell) if touchers.atomics is not None else ()
        sides = (atomics, (*loads, *stores))
    for one in sides[0]:
        for other in sides[1]:
            if one != other:
                return one, other
    return tuple(dict.fromkeys((*sides[0], *sides[1])))[:2]


def _tensors_of(survey: Survey, layout: Layout) -> dict[RecordedSite, tuple[str, ...]]:
    """Return the names of the tensors that each site was seen to touch."""
    if survey.seen is not None:
        return {site: look.tensors for site, look in survey.seen.items() if look.tensors}
    recording = survey.recording
    pieces: dict[RecordedSite, list[tuple[Addresses, int]]] = {}
    for index in range(len(recording)):
        cut = slice(int(recording.offsets[index]), int(recording.offsets[index + 1]))
        site = recording.sites[int(recording.site[index])]
        pieces.setdefault(site, []).append(
            (recording.addresses[cut], int(recording.element_size[index]))
        )
    named = {site: touched(many, layout)[0] for site, many in pieces.items()}
    return {site: names for site, names in named.items() if names}
