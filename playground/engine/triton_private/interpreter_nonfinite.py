"""Where NaN and infinities come about in interpreted programs: the operation, and what went in.

Every operation of the interpreter's builder is looked at. A result that is not finite where all
that went in at that element is finite has been made there; one whose operands carry such elements
already hands their origins on. So a store knows where the NaN that it stores was made.
"""

from __future__ import annotations

import contextlib
import functools
import linecache
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from playground.engine.triton_private.interpreter_access import place
from playground.engine.triton_private.interpreter_arithmetic import values
from playground.model.debugging import Operand, Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playground.engine.triton_private.interpreter_formats import Array

MOST_ORIGINS = 64
"""Origins told of one program: a loop makes them by the thousand."""
_CARRIED = 8
_ATTRIBUTE = "playground.origins"

_MOVES = frozenset(
    f"create_{name}"
    for name in ("broadcast", "expand_dims", "splat", "reshape", "trans", "join", "cat", "split",
                 "gather", "bitcast", "select", "unsplat")
)  # fmt: skip
"""Operations that compute nothing: what they bring was in their operands."""

_WORDS = {
    "create_fdiv": "/", "create_fmul": "*", "create_fadd": "+", "create_fsub": "-",
    "create_frem": "%", "create_exp": "exp", "create_exp2": "exp2", "create_log": "log",
    "create_log2": "log2", "create_sqrt": "sqrt", "create_precise_sqrt": "sqrt",
    "create_rsqrt": "rsqrt", "create_precise_divf": "/", "create_dot": "dot", "create_fma": "fma",
}  # fmt: skip


@dataclass
class StoredBad:
    """Elements that are not finite that one store of one program let out."""

    program: int
    line: int
    file: str
    addresses: Array
    values: Array
    origins: tuple[Origin, ...]


@dataclass
class Hunter:
    """Follows what is not finite through the programs of a launch.

    Parameters
    ----------
    program
        Returns the linear id of the program that runs.
    place_of
        Returns tensor and element of an address.
    """

    program: Callable[[], int]
    place_of: Callable[[int], tuple[str, int]]
    made: int = 0
    stored: list[StoredBad] = field(default_factory=list)
    _now: int = -1
    _here: int = 0

    def looked(self, name: str, operands: tuple[Any, ...], result: Any) -> None:
        """Look at an operation's result."""
        got = _floats(result)
        if got is None or _ATTRIBUTE in result.attr:  # an operation made of others
            return
        bad = ~np.isfinite(got)
        if not bad.any():
            return
        carried = _origins_of(operands)
        if name in _MOVES:
            _mark(result, carried)
            return
        fresh = bad & ~_spoilt(name, operands, got.shape)
        if not fresh.any():
            _mark(result, carried)
            return
        self.made += 1
        origin = self._origin(name, operands, got, fresh, "computed")
        _mark(result, (*carried, origin) if origin is not None else carried)

    def loaded(self, pointers: Any, mask: Any, result: Any) -> None:
        """Look at what a load brought from memory."""
        got = _floats(result)
        if got is None:
            return
        bad = ~np.isfinite(got)
        if mask is not None:
            bad = bad & np.broadcast_to(_lanes(mask), bad.shape)
        if not bad.any():
            return
        origin = self._origin("load", (), got, bad, "loaded", pointers)
        if origin is not None:
            _mark(result, (origin,))

    def storing(self, pointers: Any, value: Any, mask: Any) -> None:
        """Look at what a store lets out."""
        got = _floats(value)
        if got is None:
            return
        got = np.broadcast_to(got, pointers.data.shape)
        bad = ~np.isfinite(got)
        if mask is not None:
            bad = bad & np.broadcast_to(_lanes(mask), bad.shape)
        if bad.any():
            line, file = place()
            self.stored.append(
                StoredBad(
                    self.program(), line or 0, file or "", pointers.data[bad].astype(np.int64),
                    got[bad].astype(np.float64), _origins_of((value,)),
                )
            )  # fmt: skip

    def _origin(
        self, name: str, operands: tuple[Any, ...], got: Array, bad: Array, made: Any,
        pointers: Any = None,
    ) -> Origin | None:  # fmt: skip
        program = self.program()
        if program != self._now:
            self._now, self._here = program, 0
        self._here += 1
        if self._here > MOST_ORIGINS:
            return None
        index = tuple(int(item) for item in np.argwhere(bad)[0])
        line, file = place()
        told = []
        for operand in operands:
            numbers = _floats(operand)
            if numbers is not None and name != "create_dot":
                told.append(_operand(numbers, index, got.shape))
        if name == "create_dot":
            told = _dot_operands(operands, index)
        tensor, element = "", -1
        if pointers is not None:
            address = np.broadcast_to(pointers.data, got.shape)[index]
            tensor, element = self.place_of(int(address))
        return Origin(
            program, file or "", line or 0, linecache.getline(file or "", line or 0).strip(),
            float(got[index]), made, _WORDS.get(name, name.removeprefix("create_")),
            tuple(got.shape) if got.size > 1 else (), index if got.size > 1 else (),
            int(bad.sum()), tuple(told), tensor, element,
        )  # fmt: skip


def _operand(numbers: Array, index: tuple[int, ...], shape: tuple[int, ...]) -> Operand:
    """Return what went in at an element; of a reduction's operand, what stands out in it."""
    try:
        value = np.broadcast_to(numbers, shape)[index]
    except ValueError:
        flat = numbers.reshape(-1)
        value = flat[int(np.argmax(np.abs(np.where(np.isfinite(flat), flat, 0.0))))]
        return Operand("largest", float(value))
    return Operand("", float(value))


def _dot_operands(operands: tuple[Any, ...], index: tuple[int, ...]) -> list[Operand]:
    left, right, total = (values(one) for one in operands[:3])
    *batch, row, column = index
    at = tuple(batch)
    of_left, of_right = left[at][row], right[at][:, column]
    return [
        Operand("largest of the row", float(of_left[np.abs(of_left).argmax()])),
        Operand("largest of the column", float(of_right[np.abs(of_right).argmax()])),
        Operand("accumulator", float(total[index])),
    ]


def _floats(handle: Any) -> Array | None:
    """Return a handle's numbers if they are floats."""
    data = getattr(handle, "data", None)
    scalar = getattr(getattr(handle, "dtype", None), "scalar", None)
    if not isinstance(data, np.ndarray) or scalar is None or not scalar.is_floating():
        return None
    found: Array = values(handle)
    return found if found.dtype.kind == "f" else None


def _origins_of(operands: tuple[Any, ...]) -> tuple[Origin, ...]:
    found: dict[int, Origin] = {}
    for operand in operands:
        for origin in getattr(operand, "attr", {}).get(_ATTRIBUTE, ()):
            found.setdefault(id(origin), origin)
    return tuple(found.values())


def _lanes(mask: Any) -> Any:
    # Before 3.9, block pointers come with a bare array.
    return mask if isinstance(mask, np.ndarray) else mask.data


def _mark(handle: Any, origins: tuple[Origin, ...]) -> None:
    if hasattr(handle, "attr"):
        known = handle.attr.get(_ATTRIBUTE, ())
        handle.attr[_ATTRIBUTE] = (*known, *origins)[:_CARRIED]


def _spoilt(name: str, operands: tuple[Any, ...], shape: tuple[int, ...]) -> Any:
    """Return where something that is not finite went in; everywhere if shapes do not tell."""
    if name == "create_dot":
        left, right, total = (~np.isfinite(values(one)) for one in operands[:3])
        return np.any(left, -1, keepdims=True) | np.any(right, -2, keepdims=True) | total
    spoilt: Any = np.zeros(shape, np.bool_)
    for operand in operands:
        numbers = _floats(operand)
        if numbers is None:
            continue
        bad = ~np.isfinite(numbers)
        if not bad.any():
            continue
        try:
            spoilt = spoilt | np.broadcast_to(bad, shape)
        except ValueError:  # a reduction, a product: any element of it may be behind it
            return np.ones(shape, np.bool_)
    return spoilt


@contextlib.contextmanager
def hunting(hunter: Hunter, memory: Any) -> Iterator[None]:
    """Have `hunter` look at every operation of the launches inside the context.

    Parameters
    ----------
    memory
        The interpreter's installed `Memory`, through which every load and store goes.
    """
    from triton.runtime import interpreter

    builder = interpreter.InterpreterBuilder
    with contextlib.ExitStack() as stack:
        for name in dir(builder):
            function = getattr(builder, name)
            if name.startswith("create_") and callable(function) and not _is_memory(name):
                _put(stack, builder, name, _watched(hunter, name, function))
        for kind, owner in (("reduce", interpreter.ReduceOps), ("scan", interpreter.ScanOps)):
            _put(stack, owner, "apply_impl", _combined(hunter, kind, owner.apply_impl))
        load, store, update = memory._load, memory._store, memory._update

        def watched_load(pointers: Any, mask: Any, other: Any) -> Any:
            result = load(pointers, mask, other)
            hunter.loaded(pointers, mask, result)
            _mark(result, _origins_of((other,)))
            return result

        def watched_store(pointers: Any, value: Any, mask: Any) -> None:
            hunter.storing(pointers, value, mask)
            store(pointers, value, mask)

        def watched_update(op: Any, pointers: Any, value: Any, mask: Any, sem: Any) -> Any:
            hunter.storing(pointers, value, mask)
            return update(op, pointers, value, mask, sem)

        _put(stack, memory, "_load", watched_load)
        _put(stack, memory, "_store", watched_store)
        _put(stack, memory, "_update", watched_update)
        yield


def _is_memory(name: str) -> bool:
    return any(part in name for part in ("load", "store", "atomic", "descriptor", "print"))


def _put(stack: contextlib.ExitStack, owner: Any, name: str, value: Any) -> None:
    absent = name not in vars(owner)
    before = getattr(owner, name)

    def back() -> None:
        if absent:
            delattr(owner, name)
        else:
            setattr(owner, name, before)

    setattr(owner, name, value)
    stack.callback(back)


def _watched(hunter: Hunter, name: str, function: Any) -> Any:
    @functools.wraps(function)
    def watched(me: Any, *args: Any, **named: Any) -> Any:
        result = function(me, *args, **named)
        hunter.looked(name, (*args, *named.values()), result)
        return result

    return watched


def _combined(hunter: Hunter, kind: str, apply: Any) -> Any:
    def combined(op: Any, inputs: Any) -> Any:
        result = apply(op, inputs)
        operands = tuple(tensor.handle for tensor in inputs)
        named = getattr(getattr(op.combine_fn, "fn", None), "__name__", "").strip("_")
        what = named.replace("_combine", "").replace("elementwise_", "") or kind
        for tensor in result if isinstance(result, (tuple, list)) else (result,):
            hunter.looked(what, operands, tensor.handle)
        return result

    return combined
