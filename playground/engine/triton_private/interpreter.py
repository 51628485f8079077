"""Triton's interpreter made safe and right: what a process without a GPU runs kernels in.

`install()` replaces parts of `triton.runtime.interpreter`, for Triton 3.6 to 3.9. From then on
`kernel[grid](...)` under TRITON_INTERPRET=1 checks every address before memory is touched, computes
bfloat16 and float8 right, takes float arguments, and returns something that scripts can hold. The
other functions here are how the rest of the engine watches and steers such launches.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from playground.engine.triton_private import (
    interpreter_libdevice,
    interpreter_limits,
    interpreter_nonfinite,
    interpreter_source,
)
from playground.engine.triton_private.batched_launch import BatchedInterpreter
from playground.engine.triton_private.interpreter_access import (
    Access,
    Filled,
    LaunchMemory,
    Observer,
    Site,
)
from playground.engine.triton_private.interpreter_arithmetic import Arithmetic
from playground.engine.triton_private.interpreter_arithmetic import judgeable as _judgeable
from playground.engine.triton_private.interpreter_checks import MOST_SITES
from playground.engine.triton_private.interpreter_launch import Launches
from playground.engine.triton_private.interpreter_limits import (
    NotInterpretableError,
    WaitsForeverError,
)
from playground.engine.triton_private.interpreter_memory import Memory
from playground.engine.triton_private.interpreter_reductions import Reductions
from playground.engine.triton_private.interpreter_result import (
    InterpretedLaunch,
    set_compiled_lookup,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from playground.engine.triton_private.batched_memory import BatchObserver
    from playground.engine.triton_private.interpreter_formats import Array
    from playground.engine.triton_private.interpreter_nonfinite import Hunter
    from playground.model.coverage import OutOfBounds

__all__ = [
    "MOST_SITES",
    "Access",
    "Filled",
    "InterpretedLaunch",
    "NotInterpretableError",
    "NotInterpretingError",
    "Observer",
    "Site",
    "WaitsForeverError",
    "any_switched_off",
    "batching",
    "checking",
    "install",
    "installed",
    "judgeable",
    "last_open_lanes",
    "last_out_of_bounds",
    "last_waits",
    "masked_fill",
    "observing",
    "set_check",
    "set_compiled_lookup",
    "storages",
]

_memory: Memory | None = None
_batches: BatchedInterpreter | None = None


class NotInterpretingError(RuntimeError):
    """The process compiles kernels: TRITON_INTERPRET was not set before triton was imported."""


def install() -> None:
    """Put the interpreter right; a second call does nothing.

    Raises
    ------
    NotInterpretingError
        TRITON_INTERPRET=1 was not set before triton was imported. Setting it later leaves
        `tl.sum` and its like compiled, so such a process can interpret only half of its kernels.
    """
    global _memory, _batches
    if _memory is not None:
        return
    import triton.language as tl
    from triton.runtime import interpreter

    if os.environ.get("TRITON_INTERPRET") != "1" or not isinstance(
        tl.sum, interpreter.InterpretedFunction
    ):
        raise NotInterpretingError(
            "set TRITON_INTERPRET=1 before triton is imported, in a process of its own"
        )
    arithmetic = Arithmetic(interpreter)
    arithmetic.install()
    reductions = Reductions(interpreter, arithmetic)
    reductions.install()
    interpreter_libdevice.install(interpreter, arithmetic)
    interpreter_limits.install(interpreter, arithmetic)
    memory = Memory(interpreter, arithmetic)
    memory.install()
    interpreter_source.install(interpreter)
    Launches(interpreter, arithmetic, memory).install()
    _batches = BatchedInterpreter(interpreter, arithmetic, reductions)
    _memory = memory


def installed() -> bool:
    """Return whether `install` has been called."""
    return _memory is not None


def _installed_memory() -> Memory:
    if _memory is None:
        raise NotInterpretingError("install() has not been called in this process")
    return _memory


def judgeable(dtype: str) -> bool:
    """Return whether interpreted results of a type can be trusted.

    Parameters
    ----------
    dtype
        Torch's or Triton's name: `bfloat16`, `torch.float8_e4m3fn`, `fp8e5`.
    """
    return installed() and _judgeable(dtype)


def observing(observer: Observer) -> contextlib.AbstractContextManager[None]:
    """Tell `observer` of every access and dot product of the launches inside the context."""
    return _installed_memory().observing(observer)


@contextlib.contextmanager
def batching(
    observer: Callable[[LaunchMemory], BatchObserver], programs: Array | None = None
) -> Iterator[None]:
    """Run the programs of launches inside the context together, and execute nothing of them.

    Memory stays as it is: `observer`, made of what the launch may touch, is told what all programs
    do. `programs` (linear ids, ascending) are the only ones to run; None means all.

    Raises
    ------
    NeedsExactError
        From within a launch: it must be run program by program instead.
    """
    memory, batches = _installed_memory(), _batches

    def run(kernel: Any, arguments: Any, grid: tuple[int, int, int], launch: LaunchMemory) -> None:
        if batches is None:  # pragma: no cover - installed together
            raise NotInterpretingError("install() has not been called in this process")
        chosen = np.arange(launch.count) if programs is None else programs
        batches.run(kernel, arguments, grid, chosen, observer(launch))

    before, memory.batched = memory.batched, run
    try:
        yield
    finally:
        memory.batched = before


@contextlib.contextmanager
def only_programs(programs: Sequence[int] | None) -> Iterator[None]:
    """Run only these programs (linear ids) of launches inside the context; None means all."""
    memory = _installed_memory()
    before, memory.chosen = memory.chosen, programs
    try:
        yield
    finally:
        memory.chosen = before


def nearest_tensor(pointer: Any, address: int, size: int) -> tuple[str, int]:
    """Return a tensor of the running launch and how many elements off it an address lies.

    `pointer` is the type of the pointer, which knows the argument that it was computed from.
    """
    return _installed_memory().nearest(pointer, address, size)


def current_program() -> int:
    """Return the linear id of the program that runs, or ran last."""
    return _installed_memory().launch.program


def current_outside() -> tuple[OutOfBounds, ...]:
    """Return what the running launch has done outside of every tensor so far."""
    return tuple(_installed_memory().launch.events.values())


def hunting(hunter: Hunter) -> contextlib.AbstractContextManager[None]:
    """Tell `hunter` of every operation, load and store of the launches inside the context."""
    return interpreter_nonfinite.hunting(hunter, _installed_memory())


def storages(ranges: Sequence[tuple[int, int]]) -> contextlib.AbstractContextManager[None]:
    """Allow launches inside the context to touch these ranges [start, end) and nothing else.

    The addresses are those of the caller's tensors (`data_ptr()`). Outside of such a context a
    launch may touch the storages of its own arguments and those whose addresses they hold.
    """
    return _installed_memory().storages(ranges)


def masked_fill(
    value: float, only: Site | None = None
) -> contextlib.AbstractContextManager[Filled]:
    """Fill lanes that load nothing with `value` instead of 0: without `other`, or outside a tensor.

    On a GPU they hold anything. Running twice with different values (NaN, 1e30) shows whether one
    of them reaches a result. Integers and booleans get a pattern of their own. The context gives a
    record of the accesses with such lanes; with `only` (line and file) no other is filled so.
    """
    return _installed_memory().masked_fill(value, only)


def last_open_lanes() -> bool:
    """Return whether the last launch had lanes that loaded nothing and had no value given."""
    return _installed_memory().launch.open_lanes


def any_switched_off(*, forget: bool = False) -> bool:
    """Return whether a mask switched any lane of a load off since this was last forgotten."""
    memory = _installed_memory()
    found = memory.switched_off
    if forget:
        memory.switched_off = False
    return found


def set_check(check: Callable[[int, int], None] | None) -> None:
    """Call `check(program, programs)` before each program, and now and then within a long one.

    What it raises ends the launch and reaches the caller of `kernel[grid](...)` as it is. A
    program that neither touches memory nor computes is looked at only before it starts.
    """
    _installed_memory().check = check


@contextlib.contextmanager
def checking(check: Callable[[int, int], None]) -> Iterator[None]:
    """Have `check` called, as `set_check` says, inside the context in place of what was set."""
    memory = _installed_memory()
    before, memory.check = memory.check, check
    try:
        yield
    finally:
        memory.check = before


def last_out_of_bounds() -> tuple[OutOfBounds, ...]:
    """Return the accesses of the last launch that fell outside, one record per tensor and line.

    `program` and `distance` are those of the first such lane (the element right after the tensor
    is +1, the one right before it -1), `lanes` counts all of them.
    """
    return tuple(_installed_memory().launch.events.values())


def last_waits() -> tuple[int, int | None, str | None]:
    """Return how many programs of the last launch were alive at once, and where one waited.

    More than one means that programs waited for each other: on a GPU all of those must fit at once.
    """
    launch = _installed_memory().launch
    together = launch.programs.together if launch.programs is not None else 1
    line, file = launch.waits_at or (None, None)
    return together, line, file
