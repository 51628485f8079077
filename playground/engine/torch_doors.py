"""Ways in which torch would lead a launcher past our door, or away from it.

`torch.compile` hands a launcher to a compiler that launches kernels by itself; an operator's
implementation for CUDA is never chosen for the CPU's tensors that stand in for a GPU's here.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from typing import TYPE_CHECKING, Any

import torch
from torch._library.custom_ops import CustomOpDef

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_INDUCTOR_FOLDER = "TORCHINDUCTOR_CACHE_DIR"

EAGER = (
    "torch.compile was left out: its functions run as they are written, so that their launches "
    "are seen"
)


@contextlib.contextmanager
def compiled_functions_run_eagerly(tell: Callable[[str], None] | None = None) -> Iterator[None]:
    """Make `torch.compile` return what it is given, and `tell` of it once."""
    told = tell is None

    def eager(model: Any = None, **_options: Any) -> Any:
        nonlocal told
        if tell is not None and not told:
            told = True
            tell(EAGER)
        return (lambda function: function) if model is None else model

    def in_place(_module: Any, *_args: Any, **_options: Any) -> None:
        eager(_module)

    before = torch.compile, torch.nn.Module.compile
    torch.compile, torch.nn.Module.compile = eager, in_place  # type: ignore[assignment,method-assign]
    try:
        with without_inductors_folder():
            yield
    finally:
        torch.compile, torch.nn.Module.compile = before  # type: ignore[method-assign]


@contextlib.contextmanager
def without_inductors_folder() -> Iterator[None]:
    """Take out of the environment what torch puts there when its compiler is first imported.

    Operators and torch's profiler import it.
    """
    folder = os.environ.get(_INDUCTOR_FOLDER)
    try:
        yield
    finally:
        if folder is None:
            os.environ.pop(_INDUCTOR_FOLDER, None)


@contextlib.contextmanager
def cuda_implementations_serve() -> Iterator[None]:
    """Register what a file implements for CUDA as the CPU's, in place of the file's own for it.

    For a run on a simulated GPU, where every tensor is the CPU's.
    """
    claimed: dict[int, Any] = {}
    claimed_names: set[tuple[str, str]] = set()
    register: Any = CustomOpDef.register_kernel
    implement: Any = torch.library.Library.impl

    def register_kernel(operator: Any, device_types: Any, fn: Any = None, /) -> Any:
        if device_types is None:
            return register(operator, device_types, fn)
        wanted = [device_types] if isinstance(device_types, str) else list(device_types)
        if "cuda" in wanted:
            claimed[id(operator)] = operator
            wanted = list(dict.fromkeys("cpu" if name == "cuda" else name for name in wanted))
        elif id(operator) in claimed:
            wanted = [name for name in wanted if name != "cpu"]
        if not wanted:
            return fn if fn is not None else (lambda function: function)
        return register(operator, wanted, fn)

    def impl(library: Any, op_name: Any, fn: Any, dispatch_key: str = "", **options: Any) -> Any:
        key = dispatch_key or library.dispatch_key
        name = (str(library.ns), str(op_name).rpartition("::")[2])
        if key == "CUDA":
            claimed_names.add(name)
            key = "CPU"
        elif key == "CPU" and name in claimed_names:
            return None
        with warnings.catch_warnings():
            # Torch warns of a second implementation, which the file does not have.
            warnings.filterwarnings("ignore", message="(?s).*overriding a previously registered")
            return implement(library, op_name, fn, key, **options)

    CustomOpDef.register_kernel = register_kernel  # type: ignore[method-assign]
    torch.library.Library.impl = impl  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        CustomOpDef.register_kernel = register  # type: ignore[method-assign]
        torch.library.Library.impl = implement  # type: ignore[method-assign]
