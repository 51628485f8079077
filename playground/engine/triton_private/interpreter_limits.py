"""What Triton's interpreter has no meaning for: done where that is sound, refused in words if not.

Waiting for an earlier grid (`gdc_wait`) means nothing while launches run one after another, so it
does nothing. A multiprocessor's number and its clock get a stand-in. Other instructions of one GPU
cannot be interpreted, and `NotInterpretableError` says so: everything the compiler tells is still
right.
"""

from __future__ import annotations

import importlib
import inspect
import time
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from playground.engine.triton_private.interpreter_arithmetic import Arithmetic

REMEDY = (
    "compiling works all the same: the code, registers, shared memory and occupancy shown are "
    "right; values need a GPU"
)
"""What is left where a kernel cannot be interpreted."""


class NotInterpretableError(NotImplementedError):
    """A kernel does what only a GPU can do; it compiles all the same."""


class WaitsForeverError(NotInterpretableError):
    """A program waits for a value that only another program can write."""


def cuda_modules(part: str = "", vendor: str = "cuda") -> list[ModuleType]:
    """Return the module `triton.language.extra.cuda[.part]`: Triton loads two copies of it."""
    path = f"{vendor}.{part}" if part else vendor
    imported = importlib.import_module(f"triton.language.extra.{path}")
    reached: Any = importlib.import_module("triton.language.extra")
    for name in path.split("."):
        reached = getattr(reached, name, None)
    return [imported] if reached is None or reached is imported else [imported, reached]


def install(interpreter: Any, arithmetic: Arithmetic) -> None:
    """Give the intrinsics of CUDA's language module a meaning here, for good.

    Kernel files bind them by name when they are imported, so this comes before any kernel file.
    """

    def nothing(*_args: Any, **_named: Any) -> None:
        return None

    def clock(*_args: Any, **_named: Any) -> Any:
        return _scalar(interpreter, arithmetic, time.monotonic_ns(), interpreter.tl.int64)

    def multiprocessor(*_args: Any, **_named: Any) -> Any:
        return _scalar(interpreter, arithmetic, 0, interpreter.tl.int32)

    replaced: dict[str, Callable[..., Any]] = {
        "gdc_wait": nothing,
        "gdc_launch_dependents": nothing,
        "globaltimer": clock,
        "smid": multiprocessor,
    }
    for name in ("num_threads", "num_warps"):
        replaced[name] = _refused(name, "the interpreter has no threads")
    for module in (*cuda_modules(), *cuda_modules("gdc"), *cuda_modules("utils")):
        for name, stand_in in replaced.items():
            if hasattr(module, name):
                setattr(module, name, stand_in)

    def inline_assembly(*_args: Any, **_named: Any) -> Any:
        raise NotInterpretableError(
            "inline assembly is for one kind of GPU: this kernel cannot be interpreted"
        )

    interpreter.InterpreterBuilder.create_inline_asm = inline_assembly
    _take_format_names(interpreter)


def _take_format_names(interpreter: Any) -> None:
    """Let `tl.dot_scaled` be told its formats as text: Triton 3.6 wants them as constexprs."""
    # Launches make semantics of their own, so their class is changed.
    semantic = type(interpreter.interpreter_semantic)
    compute = semantic.dot_scaled
    wanted = (3, 6)  # self; lhs, its scale and format; rhs, its scale and format; the rest
    if "lhs_format.value" not in inspect.getsource(compute):
        return

    def dot_scaled(*args: Any) -> Any:
        told = [
            interpreter.tl.constexpr(value) if at in wanted and isinstance(value, str) else value
            for at, value in enumerate(args)
        ]
        return compute(*told)

    semantic.dot_scaled = dot_scaled


def _scalar(interpreter: Any, arithmetic: Arithmetic, value: int, type_: Any) -> Any:
    return interpreter.tl.tensor(arithmetic.make(np.array([value], np.int64), type_), type_)


def _refused(name: str, why: str) -> Callable[..., Any]:
    def call(*_args: Any, **_named: Any) -> Any:
        raise NotInterpretableError(f"{name}(): {why}; this kernel cannot be interpreted")

    call.__name__ = name
    return call
