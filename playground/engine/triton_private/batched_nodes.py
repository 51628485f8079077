"""Values that are computed when an address, a mask or a branch asks for them, and the batch.

A `Node` stands where Triton's interpreter has a `TensorHandle`. It knows its type and the shape of
one program's block; its value, for all programs of the batch, is computed on demand and not before.
So products, exponentials and loaded data cost nothing unless an address depends on them.

A batch gets smaller while it runs: where programs go different ways, or a value would be too large
for all of them together, some are put off and the rest goes on. What was put off runs again from
the start, without counting again what had been counted when it was put off.
"""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from playground.engine.triton_private import batched_values as algebra

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.triton_private.batched_values import Terms
    from playground.engine.triton_private.interpreter_formats import Array

VALUE_BYTES = 24 << 20
"""Of one value of all programs of a batch: above it, the batch is made smaller."""
_KEPT_BYTES = 128 << 20
_SMALL_BYTES = 1 << 16


class NeedsExactError(Exception):
    """The launch does what only running program after program can answer; the text says what."""


class _PutOffError(Exception):
    """Ends one evaluation: only the programs marked in `keep` are to go on."""

    def __init__(self, keep: Array) -> None:
        super().__init__()
        self.keep = keep


class Node:
    """One value of every program; `evaluate` makes its terms of those of `inputs`."""

    __slots__ = ("attr", "dtype", "epoch", "evaluate", "inputs", "shape", "terms")

    def __init__(
        self,
        dtype: Any,
        shape: tuple[int, ...],
        evaluate: Callable[..., Terms] | None,
        inputs: tuple[Node, ...] = (),
        terms: Terms | None = None,
    ) -> None:
        self.dtype = dtype
        self.shape = shape
        self.evaluate = evaluate
        self.inputs = inputs
        self.terms = terms
        self.epoch = 0
        self.attr: dict[str, Any] = {}

    @property
    def data(self) -> Any:
        """Refuse: what asks for the values of one program cannot run batched."""
        raise NeedsExactError("something asks for the values of a single program")

    def __bool__(self) -> bool:
        raise NeedsExactError("a value is asserted")

    def get_element_ty(self) -> Any:
        """Return what a pointer points at, as Triton's own handles do."""
        dtype = self.dtype
        while hasattr(dtype, "element_ty"):
            dtype = dtype.element_ty
        return dtype

    def set_attr(self, key: str, value: Any) -> None:
        """Take a hint to the compiler, which means nothing here."""
        self.attr[key] = value

    def clone(self) -> Node:
        """Return the node itself: it never changes."""
        return self


class Batch:
    """The programs that run together, and what was put off.

    Parameters
    ----------
    programs
        Linear program ids, ascending.
    grid
        Sizes of the grid.
    skip
        How many accesses and products of these programs are counted already.
    put_off
        Called with the programs that are to run later and how much of them is counted.
    """

    def __init__(
        self, programs: Array, grid: tuple[int, int, int], skip: int,
        put_off: Callable[[Array, int], None],
    ) -> None:  # fmt: skip
        self.programs = programs
        self.grid = grid
        self._skip = skip
        self._put_off = put_off
        self._narrowings: list[Array] = []
        self._events = 0
        self._counted = 0
        self._kept: deque[tuple[Node, int]] = deque()
        self._kept_bytes = 0

    # Events ----------------------------------------------------------------------------------

    def next_event(self) -> bool:
        """Move on to the next thing to count; return whether it is still to be counted."""
        self._events += 1
        return self._events > self._skip

    def counted(self) -> int:
        """Note that the event has been counted, for all programs of the batch; return its number.

        Programs put off before this run again from this event on, those put off later do not.
        """
        self._counted = self._events
        return self._events

    # Getting smaller -------------------------------------------------------------------------

    def narrow(self, keep: Array) -> None:
        """Go on with the programs marked in `keep`; the others run later, as one batch."""
        self._later(self.programs[~keep])
        self._narrowings.append(np.flatnonzero(keep))
        self.programs = self.programs[keep]

    def _later(self, programs: Array) -> None:
        self._put_off(programs, max(self._skip, self._counted))

    @property
    def epoch(self) -> int:
        """How often the batch got smaller."""
        return len(self._narrowings)

    def decide(self, node: Node) -> Any:
        """Return a scalar's value, the same for every program that goes on: the rest is put off."""
        found = algebra.dense(self.force(node)).reshape(-1)
        first = found[0]
        if found.size == 1 or (found == first).all():
            return first.item()
        values, which, sizes = np.unique(found, return_inverse=True, return_counts=True)
        chosen = int(sizes.argmax())
        for other in range(len(values)):
            if other != chosen:
                self._later(self.programs[which == other])
        keep = which == chosen
        self._narrowings.append(np.flatnonzero(keep))
        self.programs = self.programs[keep]
        return values[chosen].item()

    # Values ----------------------------------------------------------------------------------

    def force(self, node: Node) -> Terms:
        """Return a node's value for the programs of the batch, which may get fewer by it."""
        waiting = [node]
        while waiting:
            top = waiting[-1]
            if top.terms is None:
                missing = [item for item in top.inputs if item.terms is None]
                if missing:
                    waiting.extend(missing)
                    continue
                try:
                    self._evaluate(top)
                except _PutOffError as signal:
                    self.narrow(signal.keep)
                    continue
            waiting.pop()
        return self.current(node)

    def current(self, node: Node) -> Terms:
        """Return the value of a node that has one, for the programs that still go on."""
        terms = node.terms
        if terms is None:
            raise RuntimeError("the node has not been computed")
        if node.epoch < len(self._narrowings):
            for index in self._narrowings[node.epoch :]:
                terms = tuple(
                    term if len(term) == 1 else np.ascontiguousarray(term[index]) for term in terms
                )
            node.terms = terms
            node.epoch = len(self._narrowings)
        return terms

    def _evaluate(self, node: Node) -> None:
        if node.evaluate is None:
            raise RuntimeError("the node has neither a value nor a way to it")
        inputs = [self.current(item) for item in node.inputs]
        node.terms = node.evaluate(self, *inputs)
        node.epoch = len(self._narrowings)
        size = sum(term.nbytes for term in node.terms)
        if size <= _SMALL_BYTES:
            node.evaluate, node.inputs = None, ()  # lets go of all that led here
            return
        self._kept.append((node, size))
        self._kept_bytes += size
        while self._kept_bytes > _KEPT_BYTES and len(self._kept) > 1:
            old, size = self._kept.popleft()
            self._kept_bytes -= size
            if old is not node:
                old.terms = None  # computed again should it be asked for once more

    def room_for(self, shape: tuple[int, ...], itemsize: int) -> None:
        """Make the batch smaller where an array of `shape` (programs first) would be too large."""
        count = shape[0]
        one = math.prod(shape[1:]) * itemsize
        if count > 1 and count * one > VALUE_BYTES:
            keep = np.zeros(len(self.programs), dtype=bool)
            keep[: max(1, VALUE_BYTES // one)] = True
            raise _PutOffError(keep)

    def only(self, keep: Array) -> None:
        """Go on with some of the programs only; called while a node is evaluated."""
        raise _PutOffError(keep)
