"""The builder of the batched interpreter: arithmetic and shapes of all programs at once, lazily.

Triton's language calls a builder's `create_…` for everything a kernel does. Here each returns a
`Node`. Element by element operations are those of the exact interpreter, applied to all programs
in one go when their value is asked for; sums, products with a stride, casts, masks and changes of
shape keep the form of a sum of small terms (`batched_values`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from playground.engine.triton_private import batched_values as algebra
from playground.engine.triton_private.batched_nodes import Batch, NeedsExactError, Node

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.triton_private.batched_values import Terms
    from playground.engine.triton_private.interpreter_formats import Array

_SEPARATE_LANES = 1 << 18
"""From so many lanes on it pays to part programs whose masks are all true from the others."""

_LIKE_FIRST = (
    *(
        "fadd",
        "fmul",
        "fdiv",
        "frem",
        "fsub",
        "fneg",
        "precise_divf",
        "approx_divf",
        "sdiv",
        "udiv",
    ),
    *("srem", "urem", "shl", "lshr", "ashr", "minsi", "minui", "minimumf", "minnumf", "maxsi"),
    *("maxui", "maximumf", "maxnumf", "xor", "or", "idiv", "umulhi", "clampf", "fabs", "cos"),
    *("exp", "exp2", "iabs", "floor", "ceil", "log", "log2", "precise_sqrt", "sqrt", "sin", "erf"),
    "rsqrt",
)
_LIKE_LAST = ("fma", "select")
_COMPARISONS = (
    *("icmpSLE", "icmpSLT", "icmpSGE", "icmpSGT", "icmpULE", "icmpULT", "icmpUGE", "icmpUGT"),
    *("icmpEQ", "icmpNE", "fcmpOLT", "fcmpOGT", "fcmpOLE", "fcmpOGE", "fcmpOEQ", "fcmpONE"),
    *("fcmpULT", "fcmpUGT", "fcmpULE", "fcmpUGE", "fcmpUEQ", "fcmpUNE"),
)
_ORDERS = {"LE": (True, True), "LT": (True, False), "GE": (False, True), "GT": (False, False)}
_CONVERSIONS = (
    *("si_to_fp", "ui_to_fp", "fp_to_si", "fp_to_ui", "fp_ext", "fp_trunc", "fp_to_fp", "bitcast"),
    *("int_to_ptr", "ptr_to_int"),
)


class BatchedBuilder:
    """What makes nodes; combined with Triton's own builder class, whose types and constants serve.

    Parameters
    ----------
    interpreter
        The module `triton.runtime.interpreter`, put right by `interpreter.install`.
    """

    def __init__(self, interpreter: Any) -> None:
        super().__init__()  # Triton's
        self.arithmetic: Any = None
        """The operations of `interpreter_arithmetic`, below what tells observers of them."""
        self._interpreter = interpreter
        self._language: Any = interpreter.tl
        self._exact: Any = interpreter.interpreter_builder
        self.options = self._exact.options
        self.batch: Batch = Batch(np.zeros(1, dtype=np.int64), (1, 1, 1), 0, lambda *_: None)

    def node(self, handle: Any) -> Node:
        """Return the node of a handle; a handle of Triton's holds a scalar, for all programs."""
        if isinstance(handle, Node):
            return handle
        if handle.data.shape != (1,):
            raise NeedsExactError("a block was made outside of the kernel")
        return Node(handle.dtype, (), None, (), (handle.data,))

    def constant(self, data: Array, dtype: Any) -> Node:
        """Return the node of values that are known, for the programs that run now."""
        node = Node(dtype, data.shape[1:], None, (), (data,))
        node.epoch = self.batch.epoch
        return node

    # Element by element ----------------------------------------------------------------------

    def elementwise(
        self, compute: Callable[..., Any], operands: tuple[Any, ...], dtype: Any
    ) -> Node:
        """Return a node for an operation of the exact interpreter on whole values.

        Parameters
        ----------
        compute
            Takes a handle for each operand, returns one.
        operands
            Handles; scalars among blocks count for all lanes.
        dtype
            Type of the result.
        """
        nodes = tuple(self.node(item) for item in operands)
        shape: tuple[int, ...] = np.broadcast_shapes(*(item.shape for item in nodes))
        types = [item.dtype for item in nodes]
        handle = self._interpreter.TensorHandle

        def evaluate(batch: Batch, *values: Terms) -> Terms:
            arrays = [algebra.aligned(value, len(shape)) for value in values]
            lanes = np.broadcast_shapes(*(algebra.shape_of(value) for value in arrays))
            batch.room_for(lanes, 8)
            handles = [
                handle(algebra.dense(value), type_)
                for value, type_ in zip(arrays, types, strict=True)
            ]
            return (compute(*handles).data,)

        return Node(dtype, shape, evaluate, nodes)

    def exactly(self, name: str, operands: tuple[Any, ...], dtype: Any, *rest: Any) -> Node:
        """Return a node for the exact builder's operation `name`; `rest` follows the operands."""
        operation = getattr(self._exact, name)
        return self.elementwise(lambda *handles: operation(*handles, *rest), operands, dtype)

    def create_extern_elementwise(
        self, library: Any, path: Any, symbol: str, args: Any, result_type: Any, pure: Any
    ) -> Node:
        """Return one of libdevice's functions of its arguments."""
        extern = self._exact.create_extern_elementwise

        def compute(*handles: Any) -> Any:
            return extern(library, path, symbol, list(handles), result_type, pure)

        return self.elementwise(compute, tuple(args), result_type.scalar)

    def whole(
        self, args: tuple[Any, ...], shape: tuple[int, ...], compute: Callable[..., Array],
        dtype: Any,
    ) -> Node:  # fmt: skip
        """Return a node whose value is computed of the arguments' full arrays, programs first."""
        nodes = tuple(self.node(arg) for arg in args)

        def evaluate(batch: Batch, *values: Terms) -> Terms:
            count = max(len(algebra.dense(value)) for value in values)
            sizes = [shape, *(item.shape for item in nodes)]
            largest = max(sizes, key=lambda size: math.prod(size))
            batch.room_for((count, *largest), 8)
            arrays = [
                algebra.full(value, item.shape) if item.shape else algebra.dense(value)
                for value, item in zip(values, nodes, strict=True)
            ]
            together = [np.broadcast_to(one, (count, *one.shape[1:])) for one in arrays]
            return (np.ascontiguousarray(compute(*together)),)

        return Node(dtype, shape, evaluate, nodes)

    # Sums of terms ---------------------------------------------------------------------------

    def create_add(self, lhs: Any, rhs: Any) -> Node:
        """Return a sum of integers."""
        return self._sum(lhs, rhs, "create_add", algebra.added)

    def create_sub(self, lhs: Any, rhs: Any) -> Node:
        """Return a difference of integers."""
        return self._sum(lhs, rhs, "create_sub", _difference)

    def create_mul(self, lhs: Any, rhs: Any) -> Node:
        """Return a product of integers."""
        return self._sum(lhs, rhs, "create_mul", _product)

    def _sum(
        self, lhs: Any, rhs: Any, name: str, join: Callable[[Terms, Terms], Terms | None]
    ) -> Node:
        left, right = self.node(lhs), self.node(rhs)
        plain = self.exactly(name, (left, right), left.dtype.scalar)
        compute = plain.evaluate

        def evaluate(batch: Batch, a: Terms, b: Terms) -> Terms:
            rank = len(plain.shape)
            a, b = algebra.aligned(a, rank), algebra.aligned(b, rank)
            if a[0].dtype == b[0].dtype and a[0].dtype.kind in "iu":
                found = join(a, b)
                if found is not None:
                    return found
            result: Terms = compute(batch, a, b)  # type: ignore[misc]
            return result

        plain.evaluate = evaluate
        return plain

    def create_and(self, lhs: Any, rhs: Any) -> Node:
        """Return `lhs and rhs`, bit by bit; of masks, the conjunction of their parts."""
        left, right = self.node(lhs), self.node(rhs)
        result = self.exactly("create_and", (left, right), left.dtype.scalar)
        compute = result.evaluate

        def evaluate(batch: Batch, a: Terms, b: Terms) -> Terms:
            if a[0].dtype == b[0].dtype == np.bool_:
                rank = len(result.shape)
                return algebra.conjunction(algebra.aligned(a, rank), algebra.aligned(b, rank))
            found: Terms = compute(batch, a, b)  # type: ignore[misc]
            return found

        result.evaluate = evaluate
        return result

    def create_int_cast(self, src: Any, dst_type: Any, is_signed: Any) -> Node:
        """Return an integer in another integer type."""
        source = self.node(src)
        result = self.exactly("create_int_cast", (source,), dst_type.scalar, dst_type, is_signed)
        compute = result.evaluate
        wanted = self._interpreter._get_np_dtype(dst_type.scalar)

        def evaluate(batch: Batch, value: Terms) -> Terms:
            if value[0].dtype.kind in "iu" and wanted.kind in "iu":
                return algebra.converted(value, wanted)
            found: Terms = compute(batch, value)  # type: ignore[misc]
            return found

        result.evaluate = evaluate
        return result

    def create_addptr(self, ptr: Any, offset: Any) -> Node:
        """Return a pointer moved on by elements."""
        pointer, moved = self.node(ptr), self.node(offset)
        shape: tuple[int, ...] = np.broadcast_shapes(pointer.shape, moved.shape)
        size = np.uint64(max(1, pointer.get_element_ty().primitive_bitwidth // 8))

        def evaluate(_batch: Batch, base: Terms, offsets: Terms) -> Terms:
            wide = algebra.converted(algebra.aligned(offsets, len(shape)), np.dtype(np.uint64))
            steps = tuple(term * size for term in wide)
            return algebra.added(algebra.aligned(base, len(shape)), steps)

        return Node(pointer.dtype, shape, evaluate, (pointer, moved))

    def _compare(self, name: str, lhs: Any, rhs: Any) -> Node:
        left, right = self.node(lhs), self.node(rhs)
        result = self.exactly(f"create_{name}", (left, right), self._language.int1)
        compute, order = result.evaluate, _ORDERS.get(name[-2:])

        def evaluate(batch: Batch, a: Terms, b: Terms) -> Terms:
            rank = len(result.shape)
            a, b = algebra.aligned(a, rank), algebra.aligned(b, rank)
            if order is not None and a[0].dtype == b[0].dtype and a[0].dtype.kind in "iu":
                below, equal = order
                known = _decided(*((a, b) if below else (b, a)), equal, batch)
                if known is not None:
                    return (np.full((1,) * (rank + 1), known),)
            found: Terms = compute(batch, a, b)  # type: ignore[misc]
            return found

        result.evaluate = evaluate
        return result

    # Ids and constants -----------------------------------------------------------------------

    def create_get_program_id(self, axis: int) -> Node:
        """Return the programs' position along one dimension of the grid."""

        def evaluate(batch: Batch) -> Terms:
            x, y, _ = batch.grid
            rest = batch.programs // (1, x, x * y)[axis]
            return ((rest % batch.grid[axis]).astype(np.int32),)

        return Node(self._language.int32, (), evaluate)

    def create_get_num_programs(self, axis: int) -> Node:
        """Return the size of one dimension of the grid."""
        size = np.array([self.batch.grid[axis]], dtype=np.int32)
        return Node(self._language.int32, (), None, (), (size,))

    def create_make_range(self, _type: Any, start: int, stop: int) -> Node:
        """Return the integers from `start` up to `stop`."""
        numbers = np.arange(start, stop, dtype=np.int32)[None]
        return Node(self._language.int32, (stop - start,), None, (), (numbers,))


def _difference(left: Terms, right: Terms) -> Terms:
    return algebra.added(left, algebra.negated(right))


def _product(left: Terms, right: Terms) -> Terms | None:
    if len(right) == 1 and (found := algebra.scaled(left, right[0])) is not None:
        return found
    return algebra.scaled(right, left[0]) if len(left) == 1 else None


def _decided(left: Terms, right: Terms, equal: bool, batch: Batch) -> bool | None:
    """Return whether `left < right` (or `<=`) holds for all lanes or for none; None if for some.

    Where it holds everywhere in most programs of a large batch, the others are put off: without
    them there is no mask.
    """
    if not (algebra.exact(left) and algebra.exact(right)) or left[0].dtype == np.uint64:
        return None
    least, most = algebra.program_bounds(left)
    lowest, highest = algebra.program_bounds(right)
    always = (most <= lowest) if equal else (most < lowest)
    if always.all():
        return True
    never = (least > highest) if equal else (least >= highest)
    if never.all():
        return False
    lanes = math.prod(np.broadcast_shapes(algebra.shape_of(left), algebra.shape_of(right)))
    count = len(batch.programs)
    if len(always) == count > 1 and lanes >= _SEPARATE_LANES and 2 * int(always.sum()) > count:
        batch.only(always)
    return None


def _install() -> None:
    """Put the element by element operations on the class; each defers to the exact builder."""

    def like(name: str, place: int) -> Callable[..., Node]:
        def create(me: BatchedBuilder, *args: Any) -> Node:
            handles = tuple(arg for arg in args if hasattr(arg, "get_element_ty"))
            dtype = me.node(handles[place]).dtype.scalar
            return me.exactly(name, handles, dtype, *args[len(handles) :])

        return create

    def comparison(name: str) -> Callable[..., Node]:
        return lambda me, lhs, rhs: me._compare(name, lhs, rhs)

    def conversion(name: str) -> Callable[..., Node]:
        def create(me: BatchedBuilder, src: Any, dst_type: Any, *rest: Any) -> Node:
            return me.exactly(name, (src,), dst_type.scalar, dst_type, *rest)

        return create

    for name in _LIKE_FIRST:
        setattr(BatchedBuilder, f"create_{name}", like(f"create_{name}", 0))
    for name in _LIKE_LAST:
        setattr(BatchedBuilder, f"create_{name}", like(f"create_{name}", -1))
    for name in _COMPARISONS:
        setattr(BatchedBuilder, f"create_{name}", comparison(name))
    for name in _CONVERSIONS:
        setattr(BatchedBuilder, f"create_{name}", conversion(f"create_{name}"))


_install()
