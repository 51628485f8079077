"""An LRU cache of lines, followed over many accesses at once.

Lines that every access touches together or not at all behave as one: an access touches its lines
in a fixed order, so their distances in the cache's stack are the same. They are one *atom* here,
and the cache is followed by atoms, which gives exactly what following its lines would.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.outline import Outline

    Integers = np.ndarray[Any, np.dtype[Any]]

MOST_PIECES = 1 << 24
"""Pieces of tiles that are looked at singly; above it neighbouring lines are taken together."""
_COARSEST = 1 << 20
_SOME_STEPS = 1 << 14


@dataclass(frozen=True, eq=False)
class Atoms:
    """Atoms and which of them each access touches.

    Access i touches `atoms[offsets[i]:offsets[i + 1]]`, atom a has `lines[a]` lines. `grain` is how
    many neighbouring lines were taken as one.
    """

    lines: Integers
    atoms: Integers
    offsets: Integers
    grain: int = 1

    @property
    def distinct_lines(self) -> int:
        """Lines that any access touches."""
        return int(self.lines.sum())


def atoms_of(outline: Outline, most_pieces: int = MOST_PIECES) -> Atoms:
    """Return the atoms of all accesses of an outline."""
    tiles, access_tile = _tiles(outline)
    grain = 1
    while True:
        owner, first, last = _runs(outline, tiles, grain)
        edges = _ascending(np.concatenate([first, last]))
        low, high = np.searchsorted(edges, first), np.searchsorted(edges, last)
        pieces = int((high - low).sum())
        if pieces <= most_pieces or grain >= _COARSEST:
            break
        grain *= 2
    owner = np.repeat(owner, high - low)
    number = np.arange(pieces) - np.repeat(np.cumsum(high - low) - (high - low), high - low)
    piece = np.repeat(low, high - low) + number
    # Coarser lines may bring one piece into a tile twice.
    owner, piece = _distinct(owner, piece)
    atom = _atom_of_piece(owner, piece, len(edges))
    widths = np.append(np.diff(edges), 0) * grain
    touched = _ascending(piece)
    lines = np.bincount(atom[touched], weights=widths[touched]).astype(np.int64)
    owner, atoms = _distinct(owner, atom[piece])
    starts = np.searchsorted(owner, np.arange(len(tiles) + 1))
    lengths = np.diff(starts)[access_tile]
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    place = np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], lengths)
    return Atoms(lines, atoms[np.repeat(starts[access_tile], lengths) + place], offsets, grain)


def _tiles(outline: Outline) -> tuple[Integers, Integers]:
    """Return the distinct (line, shape), and each access's number among them."""
    pairs = np.stack([outline.line.astype(np.int64), outline.shape.astype(np.int64)], axis=1)
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = (pairs[order[1:]] != pairs[order[:-1]]).any(axis=1)
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(fresh) - 1
    return pairs[order[fresh]], number


def _runs(outline: Outline, tiles: Integers, grain: int) -> tuple[Integers, Integers, Integers]:
    """Return every run of lines of every tile as (tile, first, behind the last), in grains."""
    counts = np.array([len(shape.starts) for shape in outline.shapes], np.int64)
    begins = np.cumsum(counts) - counts
    starts = np.concatenate([shape.starts for shape in outline.shapes])
    lengths = np.concatenate([shape.lengths for shape in outline.shapes])
    shape = tiles[:, 1]
    owner = np.repeat(np.arange(len(tiles)), counts[shape])
    number = np.arange(len(owner)) - np.repeat(np.cumsum(counts[shape]) - counts[shape],
                                               counts[shape])  # fmt: skip
    place = begins[shape[owner]] + number
    first = tiles[owner, 0] + starts[place]
    last = first + lengths[place]
    if grain == 1:
        return owner, first, last
    first, last = first // grain, -(-last // grain)
    order = np.lexsort((last, first, owner))
    rows = np.stack([owner, first, last])[:, order]
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = (rows[:, 1:] != rows[:, :-1]).any(axis=0)
    owner, first, last = rows[:, fresh]
    return owner, first, last


def _ascending(values: Integers) -> Integers:
    """Return the distinct values in order: NumPy's own `unique` hashes, far more slowly here."""
    values = np.sort(values)
    fresh = np.ones(len(values), np.bool_)
    fresh[1:] = values[1:] != values[:-1]
    distinct: Integers = values[fresh]
    return distinct


def _distinct(owner: Integers, item: Integers) -> tuple[Integers, Integers]:
    """Return the distinct pairs, sorted by owner and then by item."""
    order = np.lexsort((item, owner))
    owner, item = owner[order], item[order]
    fresh = np.ones(len(owner), np.bool_)
    fresh[1:] = (owner[1:] != owner[:-1]) | (item[1:] != item[:-1])
    return owner[fresh], item[fresh]


def _atom_of_piece(owner: Integers, piece: Integers, pieces: int) -> Integers:
    """Return each piece's atom: pieces of the same set of tiles are one.

    The set is told by the sum of a random number for each of its tiles. Atoms are numbered by their
    lowest piece: so an access touches its atoms by address.
    """
    marks = np.random.default_rng(1).integers(1, 1 << 63, int(owner.max(initial=0)) + 1, np.uint64)
    sums = np.zeros(pieces, np.uint64)
    np.add.at(sums, piece, marks[owner])
    _, lowest, atoms = np.unique(sums, return_index=True, return_inverse=True)
    rank = np.empty(len(lowest), np.int64)
    rank[np.argsort(lowest)] = np.arange(len(lowest))
    ranked: Integers = rank[atoms]
    return ranked


def missed_lines(
    atoms: Atoms, order: Integers, cache_lines: int, look: Callable[[float], None] | None = None
) -> Integers:
    """Return how many lines each access misses in an LRU cache of `cache_lines` lines.

    Parameters
    ----------
    order
        The accesses' numbers in the order in which they happen; the result is by number.
    look
        Called now and then with the share that is done.
    """
    missed = np.zeros(len(atoms.offsets) - 1, np.int64)
    widths: list[int] = atoms.lines.tolist()
    held: OrderedDict[int, int] = OrderedDict()
    used = 0
    items, offsets = atoms.atoms.tolist(), atoms.offsets.tolist()
    for step, access in enumerate(order.tolist()):
        if look is not None and step % _SOME_STEPS == 0:
            look(step / len(order))
        lost = 0
        for atom in items[offsets[access] : offsets[access + 1]]:
            width = widths[atom]
            had = held.get(atom, 0)
            held[atom] = width
            held.move_to_end(atom)
            if had == width:
                continue
            # One that was evicted in part is missed as a whole: as its first lines come in, they
            # put out the ones that are still there.
            lost += width
            used += width - had
            while used > cache_lines:
                oldest, lines = held.popitem(last=False)
                over = used - cache_lines
                if lines > over:
                    held[oldest] = lines - over
                    held.move_to_end(oldest, last=False)
                    lines = over
                used -= lines
        missed[access] = lost
    return missed


def in_turns(program: Integers, programs: int, at_once: int) -> Integers:
    """Return the accesses' numbers in the order in which a machine makes them.

    The first `at_once` programs start together and make one access each in turn; where one has
    ended, the next in launch order takes its place.

    Parameters
    ----------
    program : (accesses,) integers, ascending
        Which program makes each access.
    """
    counts = np.bincount(program, minlength=programs)
    begins = np.cumsum(counts) - counts
    start = _starts(counts, at_once)
    turn = start[program] + np.arange(len(program)) - begins[program]
    turns: Integers = np.lexsort((program, turn))
    return turns


def _starts(counts: Integers, at_once: int) -> Integers:
    """Return the turn in which each program makes its first access."""
    start = np.zeros(len(counts), np.int64)
    ends: list[int] = []
    for number, count in enumerate(counts.tolist()):
        if len(ends) < at_once:
            heapq.heappush(ends, count)
        else:
            start[number] = ends[0]
            heapq.heapreplace(ends, ends[0] + count)
    return start
