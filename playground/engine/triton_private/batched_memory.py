"""Loads, stores, atomics and products of the batched interpreter: told to a counter, not executed.

Memory stays as it is. A loaded value that an address or a branch needs is read when it is asked
for; that it is what the kernel would have seen is checked at the end: no program may have stored to
such a cell. What cannot be known this way (the result of an atomic, prints, failing assertions)
raises `NeedsExactError`, and the launch is counted by running it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from playground.engine.triton_private import batched_values as algebra
from playground.engine.triton_private.batched_nodes import NeedsExactError, Node
from playground.engine.triton_private.batched_shapes import BatchedShapes
from playground.engine.triton_private.interpreter_access import place_with_column
from playground.model.coverage import flop_kind, scaled_dot

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.triton_private.batched_values import Terms
    from playground.engine.triton_private.interpreter_formats import Array
    from playground.model.access_site import AccessKind


_LOOK_EVERY = 256
"""Operations after which the observer is asked whether to go on."""


@dataclass(frozen=True)
class BatchAccess:
    """One load, store or atomic of all programs of a batch.

    `addresses` (uint64) and `mask` (bool) are sums and conjunctions of terms (`batched_values`)
    over (programs, *shape). `pointer` is the type of the pointers; `number` counts what these
    programs did before.
    """

    kind: AccessKind
    addresses: Terms
    mask: Terms
    shape: tuple[int, ...]
    element_size: int
    programs: Array
    number: int
    line: int | None
    file: str | None
    pointer: Any
    column: int = 0


@dataclass(frozen=True)
class Unseen:
    """What an inline assembly computes, as Triton asks for it."""

    results: tuple[Node, ...]

    def get_result(self, index: int) -> Node:
        """Return one of its values."""
        return self.results[index]


class BatchObserver(Protocol):
    """Is told what batches of programs do; each access and product of each program once."""

    def on_access(self, access: BatchAccess) -> None:
        """Take one load, store or atomic of a batch."""

    def on_dot(self, m: int, n: int, k: int, kind: str, programs: int) -> None:
        """Take one `tl.dot` of as many programs."""

    def on_operations(self, name: str, count: int) -> None:
        """Take the element operations of a reduction or scan of all programs of a batch."""

    def on_unseen(self, note: str) -> None:
        """Take what to say of something that no counter sees."""

    def on_work(self) -> None:
        """Take notice that programs do something; what this raises ends the launch."""

    def on_read(self, addresses: Array, active: Array, element_size: int) -> Array:
        """Take the lanes whose values are needed; return those that lie in the launch's memory."""


class BatchedMemory(BatchedShapes):
    """The builder with its memory operations; `observer` is told of them."""

    observer: BatchObserver
    _done = 0

    def elementwise(
        self, compute: Callable[..., Any], operands: tuple[Any, ...], dtype: Any
    ) -> Node:
        """Return the node, and let the observer end a loop that touches no memory."""
        self._done += 1
        if self._done % _LOOK_EVERY == 0:
            self.observer.on_work()
        return super().elementwise(compute, operands, dtype)

    def access(
        self, kind: AccessKind, pointers: Any, mask: Any, shape: tuple[int, ...] | None = None
    ) -> None:
        """Tell the observer of an access, unless these programs' was counted already.

        Parameters
        ----------
        pointers, mask
            Handles; no mask lets all lanes through.
        shape
            The lanes' shape where it is not that of the pointers.
        """
        batch = self.batch
        if not batch.next_event():
            return
        pointer = self.node(pointers)
        wanted: tuple[int, ...] = pointer.shape if shape is None else shape
        batch.force(pointer)
        if mask is not None:
            batch.force(self.node(mask))  # may put programs off: the addresses are taken after it
        rank = len(wanted)
        addresses = algebra.aligned(batch.current(pointer), rank)
        open_mask = (np.ones((1,) * (rank + 1), dtype=np.bool_),)
        chosen = (
            open_mask if mask is None else algebra.aligned(batch.current(self.node(mask)), rank)
        )
        line, file, column = place_with_column()
        size = self._interpreter._get_np_dtype(pointer.get_element_ty()).itemsize
        access = BatchAccess(
            kind, addresses, chosen, wanted, size, batch.programs, batch.counted(), line, file,
            pointer.dtype, column,
        )  # fmt: skip
        self.observer.on_access(access)

    # Loads and stores ------------------------------------------------------------------------

    def create_load(self, ptr: Any, *_: Any) -> Node:
        """Return what pointers point at."""
        return self.load(ptr, None, None)

    def create_masked_load(self, ptrs: Any, mask: Any, other: Any, *_: Any, **__: Any) -> Node:
        """Return what pointers point at where the mask is set, else `other` or 0."""
        return self.load(ptrs, mask, other)

    def create_store(self, ptr: Any, _val: Any, *_: Any) -> None:
        """Count a store."""
        self.access("store", ptr, None)

    def create_masked_store(self, ptrs: Any, _value: Any, mask: Any, *_: Any, **__: Any) -> None:
        """Count a store of the lanes that the mask lets through."""
        self.access("store", ptrs, mask)

    def create_atomic_load(self, ptr: Any, mask: Any, *_: Any) -> Node:
        """Return what pointers point at: as every load here, before the launch."""
        return self.load(ptr, mask, None)

    def create_atomic_store(self, ptr: Any, _val: Any, mask: Any, *_: Any) -> None:
        """Count a store."""
        self.access("store", ptr, mask)

    def load(self, ptrs: Any, mask: Any, other: Any) -> Node:
        """Count a load and return its value, which is read where an address needs it."""
        self.access("load", ptrs, mask)
        pointer = self.node(ptrs)
        element = pointer.get_element_ty()
        dtype = self._interpreter._get_np_dtype(element)
        native, observer = self._interpreter._interpreter, self.observer
        masked, filled = mask is not None, other is not None
        inputs = [pointer]
        inputs += [self.node(mask)] if masked else []
        inputs += [self.node(other)] if filled else []

        def compute(addresses: Array, *rest: Array) -> Array:
            active = rest[0] if masked else np.ones(addresses.shape, dtype=bool)
            fill = rest[-1] if filled else np.zeros(addresses.shape, dtype=dtype)
            addresses, active, fill = np.broadcast_arrays(addresses, active, fill)
            touched = observer.on_read(addresses, active, dtype.itemsize)
            found: Array = native.load(addresses, touched, fill, dtype)
            found[active & ~touched] = 0
            return found

        return self.whole(tuple(inputs), pointer.shape, compute, element)

    # Atomics ---------------------------------------------------------------------------------

    def unknown(self, dtype: Any, shape: tuple[int, ...], what: str) -> Node:
        """Return a node whose value only running the kernel tells; `what` says why."""

        def evaluate(*_: Any) -> Terms:
            raise NeedsExactError(what)

        return Node(dtype, shape, evaluate)

    def create_atomic_rmw(
        self, _op: Any, ptr: Any, val: Any, mask: Any, _sem: Any, _scope: Any
    ) -> Node:
        """Count an atomic update; its result cannot be known."""
        self.access("atomic", ptr, mask)
        value = self.node(val)
        return self.unknown(value.dtype.scalar, self.node(ptr).shape, "an atomic's result is used")

    def create_atomic_cas(self, ptr: Any, cmp: Any, _val: Any, _sem: Any, _scope: Any) -> Node:
        """Count a compare-and-swap; its result cannot be known."""
        pointer, expected = self.node(ptr), self.node(cmp)
        shape = np.broadcast_shapes(pointer.shape, expected.shape)
        self.access("atomic", pointer, None, shape)
        return self.unknown(expected.dtype.scalar, shape, "an atomic's result is used")

    def create_atomic_poll(self, *_: Any) -> Node:
        """Refuse to wait for other programs: they are not there."""
        raise NeedsExactError("a program waits for another")

    # Arithmetic --------------------------------------------------------------------------------

    def note_operations(self, name: str, count: int) -> None:
        """Count element operations of one program, for all of the batch."""
        if self.batch.next_event():
            self.observer.on_operations(name, count * len(self.batch.programs))
            self.batch.counted()

    def create_dot(self, a: Any, b: Any, d: Any, precision: Any, imprecise: Any) -> Node:
        """Count a matrix product; its value is computed where an address needs it."""
        left, right, total = self.node(a), self.node(b), self.node(d)
        if self.batch.next_event():
            *batch, m, k = left.shape
            kind = flop_kind(left.dtype.scalar.name, str(precision))
            self.observer.on_dot(
                m * math.prod(batch), right.shape[-1], k, kind, len(self.batch.programs)
            )
            self.batch.counted()
        return self._by_whole_handles(
            "create_dot", (left, right, total), total, (precision, imprecise)
        )

    def create_dot_scaled(
        self, lhs: Any, lhs_scale: Any, lhs_format: Any, rhs: Any, rhs_scale: Any, rhs_format: Any,
        fast_math: Any, lhs_k_pack: Any, rhs_k_pack: Any, acc: Any,
    ) -> Node:  # fmt: skip
        """Count a scaled product; its value cannot be asked for."""
        del lhs_scale, rhs_scale, fast_math, lhs_k_pack
        left, right = self.node(lhs), self.node(rhs)
        if self.batch.next_event():
            e2m1 = self._interpreter._ir.ScaleDotElemTypeTY.E2M1
            fp4 = lhs_format == e2m1, rhs_format == e2m1
            told = scaled_dot(left.shape, right.shape[-1], fp4, bool(rhs_k_pack))
            self.observer.on_dot(*told, len(self.batch.programs))
            self.batch.counted()
        total = self.node(acc)
        what = "an address depends on a scaled product"
        return self.unknown(total.dtype.scalar, total.shape, what)

    def _by_whole_handles(
        self, name: str, operands: tuple[Node, ...], like: Node, rest: tuple[Any, ...]
    ) -> Node:
        # The arithmetic below what the exact interpreter installs: products told of are counted.
        handle, types = self._interpreter.TensorHandle, [item.dtype for item in operands]
        operation = getattr(self.arithmetic, name)

        def compute(*arrays: Array) -> Array:
            handles = [handle(data, type_) for data, type_ in zip(arrays, types, strict=True)]
            found: Array = operation(*handles, *rest).data
            return found

        return self.whole(operands, like.shape, compute, like.dtype.scalar)

    def create_histogram(self, data: Any, bins: int, mask: Any) -> Node:
        """Return how often each number below `bins` stands in a block."""
        source = self.node(data)
        operands = (source,) if mask is None else (source, self.node(mask))
        exact, handle, bool_type = self._exact, self._interpreter.TensorHandle, self._language.int1

        def compute(values: Array, *masks: Array) -> Array:
            rows = []
            for at, row in enumerate(values):
                chosen = handle(masks[0][at], bool_type) if masks else None
                rows.append(exact.create_histogram(handle(row, source.dtype), bins, chosen).data)
            return np.stack(rows)

        return self.whole(operands, (bins,), compute, self._language.int32)

    # What only running tells -----------------------------------------------------------------

    def create_print(self, *_: Any) -> None:
        """Refuse: prints come program by program."""
        raise NeedsExactError("the kernel prints")

    def create_assert(self, condition: Any, message: Any) -> None:
        """Go on where the condition holds for all programs."""
        del message
        self._holds(condition)

    def create_assume(self, condition: Any) -> None:
        """Go on where the condition holds for all programs."""
        self._holds(condition)

    def _holds(self, condition: Any) -> None:
        value = self.batch.force(self.node(condition))
        if not algebra.dense(value).all():
            raise NeedsExactError("an assertion fails")

    def create_inline_asm(
        self, _asm: Any, _constraints: Any, _values: Any, types: Any, _pure: Any, _pack: Any
    ) -> Unseen:
        """Say that it is not seen; what it computes cannot be asked for."""
        line, _, _ = place_with_column()
        self.observer.on_unseen(
            f"the inline assembly at line {line} is not seen: what it loads or stores is not "
            "counted"
        )
        what = "the kernel holds inline assembly"
        return Unseen(
            tuple(
                self.unknown(type_.scalar, tuple(type_.shape) if type_.is_block() else (), what)
                for type_ in types
            )
        )
