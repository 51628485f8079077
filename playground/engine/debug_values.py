"""The values of a stopped program in words and arrays, and expressions over them."""

from __future__ import annotations

import ast
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from playground.engine.triton_private import interpreter_values
from playground.model.debugging import Value
from playground.protocol.debugging import BlockValue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from playground.engine.triton_private.interpreter_values import Held, Placed

LARGEST_SHOWN = 1 << 20
"""Elements of a block that are sent to be shown."""
_PREVIEW = 6

_TL = types.SimpleNamespace(
    cdiv=lambda one, other: -(-int(one) // int(other)),
    range=range, static_range=range,
    minimum=np.minimum, maximum=np.maximum, where=np.where, abs=np.abs, exp=np.exp, sum=np.sum,
    max=np.max, min=np.min,
)  # fmt: skip
"""What of `tl` an expression over NumPy arrays may use."""


class Scope:
    """The names of one frame: what they hold, and what expressions over them give.

    Expressions see NumPy arrays and plain numbers: nothing that they do reaches the kernel.

    Parameters
    ----------
    frame
        A frame of a rewritten kernel or helper.
    tensors
        The launch's tensors by address.
    memory
        Arrays over the tensors as they are now, by name.
    program
        The program's place in the grid.
    """

    def __init__(
        self, frame: types.FrameType, tensors: Sequence[Placed],
        memory: Mapping[str, np.ndarray[Any, Any]], program: tuple[int, int, int],
    ) -> None:  # fmt: skip
        self._held: dict[str, Held] = {}
        code = frame.f_code
        local = frame.f_locals
        for name in dict.fromkeys((*code.co_varnames, *code.co_cellvars, *code.co_freevars)):
            if name in local and name not in interpreter_values.HIDDEN and not _is_ours(name):
                self._held[name] = interpreter_values.held(local[name], tensors)
        self.globals: dict[str, Held] = {}
        for name in code.co_names:
            value = frame.f_globals.get(name)
            if isinstance(value, (bool, int, float)) or type(value).__name__ == "constexpr":
                found = interpreter_values.held(value, tensors)
                if found.array is not None:
                    self.globals[name] = found
        self._memory = memory
        self._program = program

    def names(self) -> tuple[str, ...]:
        """Return the frame's names in the order in which the text has them."""
        return tuple(self._held)

    def held(self, name: str) -> Held | None:
        """Return what a name holds, None where it holds nothing yet."""
        return self._held.get(name) or self.globals.get(name)

    def evaluated(self, expression: str) -> Any:
        """Return what an expression gives; raises whatever it does."""
        names: dict[str, Any] = {
            "np": np, "tl": _TL, "memory": self._memory, "pid": self._program,
        }  # fmt: skip
        for name, one in (*self.globals.items(), *self._held.items()):
            if one.array is not None:
                names[name] = one.array.item() if one.array.ndim == 0 else one.array
            elif one.kind in ("constexpr", "scalar"):
                names[name] = one.text
        with np.errstate(all="ignore"):
            return eval(expression, names)


def _is_ours(name: str) -> bool:
    return name.startswith(("playground_", "_playground", "__"))


def row(name: str, one: Held, before: Held | None, kind: Any = None) -> Value:
    """Return a table's row for what a name holds; `before` is what it held at the last stop."""
    changed = before is None or not _same(one, before)
    kind = kind or one.kind
    if one.array is None:
        return Value(name, kind, one.type, one.text, changed=changed)
    array = one.array
    text = _text(array, one.of)
    if array.ndim == 0 or not array.size:
        bad = array.dtype.kind == "f" and array.size > 0
        nans = int(np.isnan(array).sum()) if bad else 0
        infinities = int(np.isinf(array).sum()) if bad else 0
        return Value(name, kind, one.type, text, array.shape, nans=nans, infinities=infinities,
                     changed=changed)  # fmt: skip
    nans = infinities = 0
    finite = array
    if array.dtype.kind == "f":
        nans, infinities = int(np.isnan(array).sum()), int(np.isinf(array).sum())
        finite = array[np.isfinite(array)] if nans or infinities else array
    low = float(finite.min()) if finite.size else None
    high = float(finite.max()) if finite.size else None
    return Value(name, kind, one.type, text, array.shape, low, high, nans, infinities, changed)


def _same(one: Held, other: Held) -> bool:
    if one.array is None or other.array is None:
        return one.array is other.array and one.text == other.text
    if one.array.shape != other.array.shape or one.array.dtype != other.array.dtype:
        return False
    return one.array.tobytes() == other.array.tobytes()


def _text(array: np.ndarray[Any, Any], of: str) -> str:
    if of and array.size:
        low, high = int(array.min()), int(array.max())
        return f"{of}[{low}]" if low == high else f"{of}[{low} … {high}]"
    if array.ndim == 0:
        return number(array.item())
    flat = array.reshape(-1)
    shown = ", ".join(number(item.item()) for item in flat[:_PREVIEW])
    return f"{shown}, …" if flat.size > _PREVIEW else shown


def number(value: Any) -> str:
    """Return a number as a table shows it."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def watched(expression: str, scope: Scope, before: Held | None) -> tuple[Value, Held | None]:
    """Return the row of a watched expression, and what it holds."""
    try:
        result = scope.evaluated(expression)
    except Exception as error:  # the user's own expression: what it says is the answer
        problem = f"{type(error).__name__}: {error}"
        return Value(expression, "other", "", "", problem=problem), None
    array = np.asarray(result) if isinstance(result, (bool, int, float, np.ndarray, np.generic)) \
        else None  # fmt: skip
    named = scope.held(expression)
    if named is not None:
        one = named
    elif array is None or array.dtype.kind not in "biuf":
        one = interpreter_values.Held("other", type(result).__name__, text=repr(result)[:200])
    else:
        sizes = ", ".join(map(str, array.shape))
        kind = f"{array.dtype.name}[{sizes}]" if array.ndim else array.dtype.name
        one = interpreter_values.Held("block" if array.ndim else "scalar", kind, array)
    return row(expression, one, before), one


def block(name: str, one: Held) -> BlockValue | None:
    """Return the elements of what a name holds, as they are sent."""
    if one.array is None or one.array.dtype.kind not in "biuf":
        return None
    array, truncated = one.array, False
    if array.size > LARGEST_SHOWN and array.ndim:
        rows = max(1, LARGEST_SHOWN // max(1, array[0].size))
        array, truncated = array[:rows], True
    kind = {"f": np.float64, "b": np.bool_}.get(array.dtype.kind, np.int64)
    return BlockValue(name, one.type, np.ascontiguousarray(array).astype(kind), one.of, truncated)


def length_of(over: ast.expr, scope: Scope) -> int | None:
    """Return how many rounds a loop over an expression has; None where that cannot be told."""
    try:
        return len(scope.evaluated(ast.unparse(over)))
    except Exception:  # a list of functions, names that have changed meanwhile: it is not told
        return None
