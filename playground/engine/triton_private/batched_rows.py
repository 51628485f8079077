"""What one access of a batch touches in one storage, as rows: programs that touch the same are one.

A row stands for one program or for several whose lanes lie at the same cells. It carries how many
they are and the lowest and highest of them, which is all that counters want to know.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from playground.engine.triton_private import batched_values as algebra

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.triton_private.batched_values import Terms
    from playground.engine.triton_private.interpreter_formats import Array


@dataclass(frozen=True)
class Rows:
    """Lanes of programs: axis 0 of every term is the row, or has size 1 where rows do not differ.

    `weight` is the number of programs of each row, `first` and `last` are their extremes; int64.
    """

    terms: Terms
    mask: Terms
    weight: Array
    first: Array
    last: Array

    def __len__(self) -> int:
        return len(self.weight)

    def chosen(self, index: Array | slice) -> Rows:
        """Return some of the rows, by their numbers or as a slice."""
        return Rows(
            _chosen(self.terms, index), _chosen(self.mask, index),
            self.weight[index], self.first[index], self.last[index],
        )  # fmt: skip


def _chosen(terms: Terms, index: Array | slice) -> Terms:
    return tuple(term if len(term) == 1 else term[index] for term in terms)


def rows_of(terms: Terms, mask: Terms, programs: Array) -> Rows:
    """Return a row for each program; one for all where neither addresses nor mask differ."""
    if all(len(term) == 1 for term in (*terms, *mask)):
        count = np.array([len(programs)], dtype=np.int64)
        return Rows(terms, mask, count, programs[:1], programs[-1:])
    return Rows(terms, mask, np.ones(len(programs), dtype=np.int64), programs, programs)


def merged(rows: Rows) -> Iterator[Rows]:
    """Yield the rows with those left out that touch nothing and those made one that are alike."""
    always = np.ones(len(rows), dtype=bool)
    never = np.zeros(len(rows), dtype=bool)
    for part in rows.mask:
        axes = tuple(range(1, part.ndim))
        if len(part) > 1:
            always &= part.all(axis=axes)
        never |= ~part.any(axis=axes)
    shared = tuple(part for part in rows.mask if len(part) == 1 and not part.all())
    if not always.all() and len(rows) > 1:
        rest = np.flatnonzero(~always & ~never)
        if rest.size:
            yield rows.chosen(rest)
        if not always.any():
            return
        rows = rows.chosen(np.flatnonzero(always & ~never))
    elif never.any():
        return
    elif len(rows) == 1:
        yield rows
        return
    if len(rows):
        yield _alike(Rows(rows.terms, shared, rows.weight, rows.first, rows.last))


def _alike(rows: Rows) -> Rows:
    """Return rows of which no two touch the same; their masks do not differ."""
    own = [term for term in rows.terms if len(term) > 1]
    if not own:
        weight = np.array([int(rows.weight.sum())], dtype=np.int64)
        first, last = rows.first.min(keepdims=True), rows.last.max(keepdims=True)
        return Rows(rows.terms, rows.mask, weight, first, last)
    if len(own) > 1 or own[0].size != len(own[0]):
        return rows
    values, at, which = np.unique(own[0].reshape(-1), return_index=True, return_inverse=True)
    if len(values) == len(rows):
        return rows
    which = which.reshape(-1)
    weight = np.bincount(which, weights=rows.weight).astype(np.int64)
    first, last = rows.first[at].copy(), rows.last[at].copy()
    np.minimum.at(first, which, rows.first)
    np.maximum.at(last, which, rows.last)
    base = own[0][at]
    terms = tuple(base if term is own[0] else term for term in rows.terms)
    return Rows(terms, rows.mask, weight, first, last)


def lanes(rows: Rows, shape: tuple[int, ...]) -> tuple[Array, Array | None, int]:
    """Return (values, active, times) of all lanes of the rows.

    `values` is (rows, …) with size 1 along axes on which nothing varies: `times` is how many lanes
    each of its elements stands for. `active` has the same shape; None where all are.
    """
    found = algebra.shape_of((*rows.terms, *rows.mask))
    times = 1
    for size, kept in zip(shape, found[1:], strict=True):
        times *= size if kept == 1 else 1
    wanted = (len(rows), *found[1:])
    values = np.broadcast_to(algebra.dense(rows.terms), wanted)
    if not rows.mask:
        return values, None, times
    active = algebra.dense(rows.mask)
    return values, None if active.all() else np.broadcast_to(active, wanted), times
