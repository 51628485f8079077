"""Outlining a launch whose programs are followed together: tiles of one shape are seen as such."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from playground.engine.outline import MOST_ACCESSES
from playground.engine.triton_private import batched_values as algebra

if TYPE_CHECKING:
    from playground.engine.outline import OutlineBuilder
    from playground.engine.triton_private.batched_memory import BatchAccess
    from playground.engine.triton_private.batched_values import Terms
    from playground.engine.triton_private.interpreter_formats import Array

_LANES_AT_ONCE = 1 << 20
_NOT_ACTIVE = -1


class TooManyError(Exception):
    """There are more accesses than an outline may have: fewer programs are to be followed."""


class BatchOutliner:
    """Hands every access of every program on in outline; told by a `BatchCounter`.

    `too_many` says that it gave up because there were more than an outline may have.
    """

    def __init__(self, builder: OutlineBuilder) -> None:
        self.too_many = False
        self._builder = builder

    def note_operations(self, name: str, count: int) -> None:
        """Take no notice of arithmetic."""

    def note(self, access: BatchAccess, outside: int) -> None:
        """Take one access of all programs of a batch."""
        if self._builder.accesses >= MOST_ACCESSES:
            self.too_many = True
            raise TooManyError
        terms = tuple(term.view(np.int64) for term in access.addresses)
        count = len(access.programs)
        open_for_all, closed, rest = _by_mask(access.mask, count)
        if len(closed):
            self._builder.add_empty(access.number, access.programs[closed])
        corner, lanes = _corners(terms, count)
        if lanes is None:
            rest = np.concatenate([open_for_all, rest])
        elif len(open_for_all):
            rest = np.concatenate([rest, self._alike(access, corner, lanes, open_for_all)])
        self._one_by_one(access, terms, np.sort(rest))

    def _alike(self, access: BatchAccess, corner: Array, lanes: Array, chosen: Array) -> Array:
        """Take the accesses of programs that differ by where they begin; return those left over."""
        shared = algebra.dense(tuple(part for part in access.mask if len(part) == 1) or _OPEN)
        if shared.ndim == lanes.ndim:
            seen = np.broadcast_shapes(lanes.shape, shared.shape)
            mask = np.broadcast_to(shared, seen)
        else:
            seen, mask = lanes.shape, np.broadcast_to(True, lanes.shape)
        touched = np.broadcast_to(lanes, seen)[mask]
        programs = access.programs[chosen]
        if not touched.size:
            self._builder.add_empty(access.number, programs)
            return chosen[:0]
        lowest = int(touched.min())
        taken = self._builder.add_alike(
            access.number, programs, corner[chosen] + lowest, touched - lowest,
            access.element_size, math.prod(access.shape) // math.prod(seen),
        )  # fmt: skip
        return chosen[~taken]

    def _one_by_one(self, access: BatchAccess, terms: Terms, chosen: Array) -> None:
        lanes = math.prod(access.shape)
        step = max(1, _LANES_AT_ONCE // max(lanes, 1))
        for start in range(0, len(chosen), step):
            index = chosen[start : start + step]
            addresses = algebra.full(_rows(terms, index), access.shape)
            mask = algebra.full(_rows(access.mask, index), access.shape)
            shape = (len(index), *access.shape)
            addresses = np.where(
                np.broadcast_to(mask, shape), np.broadcast_to(addresses, shape), _NOT_ACTIVE
            )
            self._builder.add(
                np.full(len(index), access.number), access.programs[index],
                np.full(len(index), access.element_size),
                torch.from_numpy(np.ascontiguousarray(addresses.reshape(len(index), -1))),
            )  # fmt: skip


_OPEN: Terms = (np.ones((), dtype=np.bool_),)


def _rows(terms: Terms, index: Array) -> Terms:
    return tuple(term if len(term) == 1 else term[index] for term in terms)


def _by_mask(mask: Terms, count: int) -> tuple[Array, Array, Array]:
    """Return which programs' own parts of the mask let all lanes through, which none, and others.

    None at all are let through where a part that all programs share has none.
    """
    always: Any = np.ones(count, dtype=np.bool_)
    never: Any = np.zeros(count, dtype=np.bool_)
    for part in mask:
        axes = tuple(range(1, part.ndim))
        never |= ~part.any(axis=axes)
        if len(part) > 1:
            always &= part.all(axis=axes)
    always &= ~never
    return np.flatnonzero(always), np.flatnonzero(never), np.flatnonzero(~always & ~never)


def _corners(terms: Terms, count: int) -> tuple[Array, Array | None]:
    """Return each program's first lane's address, and how far all lanes lie from it.

    That is None where it is not the same for all programs.
    """
    corner = np.zeros(count, np.int64)
    lanes: Any = np.zeros((1,) * terms[0].ndim, np.int64)
    for term in terms:
        first = term.reshape(len(term), -1)[:, 0]
        corner = corner + first
        apart = term - first.reshape(-1, *(1,) * (term.ndim - 1))
        if len(apart) > 1 and apart.any() and not (apart == apart[:1]).all():
            return corner, None
        lanes = lanes + apart[:1]
    return corner, lanes
