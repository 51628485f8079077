"""Values of many programs at once, kept small: an array per part of a sum, not one per lane.

A block of addresses is nearly always a sum such as `base + row * stride + column`, in which each
part varies along few axes. Here a value is a tuple of arrays ("terms") whose sum it is: axis 0 is
the program, the others are the block's, and an axis along which a term does not vary has size 1.
Of a mask (boolean) it is the conjunction. Only `dense` makes one array of it.

All integers are of one fixed width and wrap around as NumPy's and the GPU's do.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from playground.engine.triton_private.interpreter_formats import Array

Terms = tuple["Array", ...]


def dense(terms: Terms) -> Array:
    """Return the value as one array; axes along which it does not vary keep size 1."""
    join = np.logical_and if terms[0].dtype == np.bool_ else np.add
    return functools.reduce(join, terms)


def shape_of(terms: Terms) -> tuple[int, ...]:
    """Return the shape of the value, with size 1 along axes on which it does not vary."""
    return np.broadcast_shapes(*(term.shape for term in terms))


def _joined(left: Terms, right: Terms, join: Callable[[Array, Array], Array]) -> Terms:
    """Return the terms of both, merging two where the result is no larger than either."""
    result = list(left)
    for term in right:
        for at, other in enumerate(result):
            if _joined_size(term, other) == max(term.size, other.size):
                result[at] = join(other, term)
                break
        else:
            result.append(term)
    return tuple(result)


def _joined_size(left: Array, right: Array) -> int:
    return math.prod(max(a, b) for a, b in zip(left.shape, right.shape, strict=True))


def added(left: Terms, right: Terms) -> Terms:
    """Return the sum of two integers of one type."""
    return _joined(left, right, np.add)


def negated(terms: Terms) -> Terms:
    """Return minus an integer, wrapped around."""
    return tuple(np.negative(term) for term in terms)


def scaled(terms: Terms, factor: Array) -> Terms | None:
    """Return an integer times one that is the same in all lanes; None where `factor` is not."""
    if factor.size != factor.shape[0]:
        return None
    return tuple(term * factor for term in terms)


def conjunction(left: Terms, right: Terms) -> Terms:
    """Return `left and right` of two masks, parts that are always true left out."""
    parts = [term for term in _joined(left, right, np.logical_and) if not term.all()]
    if not parts:
        return (np.ones((1,) * left[0].ndim, dtype=np.bool_),)
    for term in parts:
        if not term.any():
            return (np.zeros((1,) * left[0].ndim, dtype=np.bool_),)
    return tuple(parts)


def bounds(terms: Terms) -> tuple[int, int]:
    """Return numbers that no sum of the terms' elements falls below or exceeds."""
    return sum(int(term.min()) for term in terms), sum(int(term.max()) for term in terms)


def program_bounds(terms: Terms) -> tuple[Array, Array]:
    """Return the same for each program: int64 arrays of one element or one per program.

    Terms must be int64, or narrower: sums of 64-bit terms may wrap around here.
    """
    low: Any = np.zeros(1, dtype=np.int64)
    high: Any = np.zeros(1, dtype=np.int64)
    for term in terms:
        axes = tuple(range(1, term.ndim))
        low = low + term.min(axis=axes).astype(np.int64)
        high = high + term.max(axis=axes).astype(np.int64)
    return low, high


def exact(terms: Terms) -> bool:
    """Return whether no sum of the terms can wrap around in their type."""
    if len(terms) == 1:
        return True
    low, high = bounds(terms)
    limits = np.iinfo(terms[0].dtype)
    return int(limits.min) <= low and high <= int(limits.max)


def converted(terms: Terms, dtype: np.dtype[Any]) -> Terms:
    """Return an integer in another integer type, as `astype` does."""
    if len(terms) == 1 or dtype.itemsize <= terms[0].dtype.itemsize or exact(terms):
        return tuple(term.astype(dtype, copy=False) for term in terms)
    return (dense(terms).astype(dtype),)


def aligned(terms: Terms, rank: int) -> Terms:
    """Return the terms with `rank` block axes, a scalar's value standing for all lanes."""
    return tuple(
        term if term.ndim == rank + 1 else term.reshape(term.shape + (1,) * (rank + 1 - term.ndim))
        for term in terms
    )


def full(terms: Terms, shape: tuple[int, ...]) -> Array:
    """Return the value as one array with every block axis at its size in `shape`."""
    found = dense(terms)
    return np.broadcast_to(found, (found.shape[0], *shape))
