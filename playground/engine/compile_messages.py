"""What the engine and its compile workers tell each other, and how arguments cross over.

A worker compiles from what Triton looks at and from nothing else: the dtype and alignment of a
tensor, the value of a number, the place of a function. No tensor crosses the border.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
import triton
from triton.tools.tensor_descriptor import TensorDescriptor

from playground.engine.triton_private import wrappers
from playground.engine.triton_private.compiled import Compiled, StandInTensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.model.compilations import Pass
    from playground.model.finding import Finding

Spec = tuple[Any, ...]
"""An argument as plain hashable data: what it is, then what Triton looks at."""

_TWO_GIB = 2**31 - 1


@dataclass(frozen=True)
class KernelRef:
    """Where a jitted function is: enough to find its twin in another process."""

    module: str
    qualname: str
    file: str
    line: int

    @property
    def by_name(self) -> bool:
        """Whether attribute access from the module may reach it (it is not inside a function)."""
        return "<locals>" not in self.qualname


@dataclass(frozen=True)
class UseFile:
    """Take this text as the file; `driver` is for kernels that only a run makes.

    `rebound` are globals with other values than the text gives them (module, name, value), and
    `environment` the variables that were changed, None for one that is gone.
    """

    generation: int
    path: str
    text: str
    driver: str
    sizes: tuple[tuple[str, int], ...]
    search_path: tuple[str, ...]
    rebound: tuple[tuple[str, str, Spec], ...] = ()
    environment: tuple[tuple[str, str | None], ...] = ()


@dataclass(frozen=True)
class Order:
    """One compilation; `launch` is its ordinal in the run, for kernels that only a run makes.

    `called` is the line of the file in use that makes the launch: launch options are wrong there.
    It says nothing about the compilation itself. `passes` asks for the compiler's passes as well:
    `mlir` for Triton's, `llvm` for LLVM's too.
    """

    kernel: KernelRef
    arguments: tuple[tuple[str, Spec], ...]
    options: tuple[tuple[str, Any], ...]
    target: str
    launch: int
    called: int | None = field(default=None, compare=False)
    passes: str = ""


@dataclass(frozen=True)
class Answer:
    """A worker's reply to one order: a product, or findings that say why there is none.

    `load_failed` means that the file itself did not execute in the worker, `undecided` that the
    kernel was not reached for this or another reason; `output` is what the user's code and the
    compiler printed meanwhile. `stages` are the texts of the stages that a failed compilation was
    through with.
    """

    product: Compiled | None
    findings: tuple[Finding, ...] = ()
    output: str = ""
    load_failed: bool = False
    undecided: bool = False
    stages: dict[str, str | bytes] = field(default_factory=dict, repr=False)
    passes: tuple[Pass, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Numbered:
    """A message with the number that pairs an order with its answer."""

    number: int
    content: Any = field(repr=False)


class ArgumentError(TypeError):
    """An argument that cannot be told to another process."""


def reference(function: Any) -> KernelRef:
    """Return where `function` (a `JITFunction` or its interpreted twin) is."""
    python = wrappers.python_function(function)
    file, line = wrappers.definition(function)
    return KernelRef(python.__module__, python.__qualname__, file, line)


def encode(value: Any) -> Spec:
    """Return an argument as plain data.

    Raises
    ------
    ArgumentError
        It is of a kind that Triton takes by identity and that cannot be found again by name.
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return ("plain", value)
    if isinstance(value, torch.Tensor):
        return _tensor(value.dtype, value)
    if isinstance(value, triton.TensorWrapper):
        return _tensor(value.dtype, value.base)
    if isinstance(value, triton.language.constexpr):
        return ("constexpr", encode(value.value))
    if isinstance(value, triton.language.dtype):
        return ("tl.dtype", str(value))
    if isinstance(value, torch.dtype):
        return ("torch.dtype", str(value).removeprefix("torch."))
    if wrappers.is_function(value):
        return ("function", reference(value))
    if isinstance(value, TensorDescriptor):
        return (
            "descriptor", encode(value.base), tuple(value.shape), tuple(value.strides),
            tuple(value.block_shape), value.padding,
            bool(getattr(value, "round_f32_to_tf32", False)),
        )  # fmt: skip
    if isinstance(value, (tuple, list)):
        items = tuple(encode(item) for item in value)
        if hasattr(value, "_fields"):
            return ("namedtuple", type(value).__module__, type(value).__qualname__, items)
        return ("tuple" if isinstance(value, tuple) else "list", items)
    if hasattr(value, "data_ptr") and hasattr(value, "dtype"):
        return _tensor(value.dtype, value)
    try:
        return ("pickled", pickle.dumps(value))
    except Exception as error:
        raise ArgumentError(
            f"a {type(value).__name__} cannot be handed to the compile worker: {error}"
        ) from error


def _tensor(dtype: Any, place: Any) -> Spec:
    size = place.untyped_storage().nbytes() if isinstance(place, torch.Tensor) else 0
    name = str(dtype) if isinstance(dtype, torch.dtype) else f"tl.{dtype}"
    return ("tensor", name, int(place.data_ptr()) % 16 == 0, size <= _TWO_GIB)


def decode(spec: Spec, find: Callable[[KernelRef], Any], module: Callable[[str], Any]) -> Any:
    """Return an argument for Triton to specialize on; tensors come back as stand-ins.

    Parameters
    ----------
    spec
        What `encode` returned.
    find
        Finds a function of this process.
    module
        Finds a module of this process by the other process's name for it.
    """
    kind, *rest = spec
    if kind == "plain":
        return rest[0]
    if kind == "tensor":
        name, aligned, small = rest
        return StandInTensor(_dtype(name), aligned=aligned, small=small)
    if kind == "constexpr":
        return triton.language.constexpr(decode(rest[0], find, module))
    if kind == "tl.dtype":
        return triton.language.dtype(rest[0])
    if kind == "torch.dtype":
        return getattr(torch, rest[0])
    if kind == "function":
        return find(rest[0])
    if kind == "descriptor":
        base, shape, strides, block, padding, rounded = rest
        extra = {"round_f32_to_tf32": True} if rounded else {}
        return TensorDescriptor(
            decode(base, find, module), list(shape), list(strides), list(block), padding, **extra
        )
    if kind == "namedtuple":
        name, qualname, items = rest
        made = module(name)
        for part in qualname.split("."):
            made = getattr(made, part)
        return made(*(decode(item, find, module) for item in items))
    if kind in ("tuple", "list"):
        items = [decode(item, find, module) for item in rest[0]]
        return tuple(items) if kind == "tuple" else items
    return pickle.loads(rest[0])


def _dtype(name: str) -> Any:
    if name.startswith("torch."):
        return getattr(torch, name.removeprefix("torch."))
    return triton.language.dtype(name.removeprefix("tl."))
