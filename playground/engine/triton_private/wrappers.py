"""What wraps a kernel, what its function says of itself, and how its arguments bind.

Everything here depends on attributes of `JITFunction`, `InterpretedFunction`, `Autotuner` and
`Heuristics` that are no public interface; checked against triton 3.6 and 3.9.
"""

from __future__ import annotations

import functools
import inspect
import re
import types
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import make_backend
from triton.runtime.autotuner import Autotuner, Heuristics
from triton.runtime.interpreter import InterpretedFunction
from triton.runtime.jit import JITFunction, _normalize_ty

from playground.model.knobs import OPTION_KNOBS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DTYPES = {
    "fp16": "tl.float16", "bf16": "tl.bfloat16", "fp32": "tl.float32", "fp64": "tl.float64",
    "fp8e4nv": "tl.float8e4nv", "fp8e5": "tl.float8e5", "int1": "tl.int1", "int8": "tl.int8",
    "int16": "tl.int16", "int32": "tl.int32", "int64": "tl.int64", "uint8": "tl.uint8",
    "uint16": "tl.uint16", "uint32": "tl.uint32", "uint64": "tl.uint64",
}  # fmt: skip
"""Name of a `tl.dtype` object to the name people write."""


def chain(kernel: Any) -> tuple[Any, ...]:
    """Return what wraps a kernel, outermost first; the last is the jitted function itself.

    Raises
    ------
    TypeError
        There is no jitted function inside.
    """
    found = links(kernel)
    if not found or not is_function(found[-1]):
        raise TypeError(f"{type(kernel).__name__} wraps no Triton kernel")
    return found


def links(kernel: Any) -> tuple[Any, ...]:
    """Return `kernel` and what it wraps as far as that can be followed, outermost first."""
    found = [kernel]
    while not is_function(found[-1]):
        inner = _inner(found[-1])
        if inner is None or any(inner is link for link in found):
            break
        found.append(inner)
    return tuple(found)


def _inner(link: Any) -> Any:
    """Return the kernel or wrapper that `link` holds: as `fn` by Triton's custom, or otherwise."""
    if isinstance(link, types.FunctionType):
        # `functools.wraps` copies the attributes of what it wraps, its `fn` included.
        return getattr(link, "__wrapped__", None)
    own = getattr(link, "__dict__", None)
    if not isinstance(own, dict):
        return None
    first = own.get("fn")
    if first is not None and not inspect.isfunction(first):
        return first
    return next((value for value in own.values() if is_kernel_like(value)), None)


def is_kernel_like(value: Any) -> bool:
    """Tell whether `value` is a kernel, or Triton's own wrapper around one."""
    return is_function(value) or isinstance(value, (Autotuner, Heuristics))


def unwrap(kernel: Any) -> Any:
    """Return the innermost `JITFunction` or `InterpretedFunction`."""
    return chain(kernel)[-1]


def is_function(value: Any) -> bool:
    """Tell whether `value` is a kernel with nothing around it."""
    return isinstance(value, (JITFunction, InterpretedFunction))


def is_interpreted(function: Any) -> bool:
    """Tell whether launches of `function` run in the interpreter."""
    return isinstance(function, InterpretedFunction)


def is_gluon(function: Any) -> bool:
    """Tell whether a kernel is written in Gluon, which only the compiler understands."""
    return isinstance(function, JITFunction) and function.is_gluon()


def wrapper_names(kernel: Any) -> tuple[str, ...]:
    """Return `("autotune", "heuristics")` and the like, outermost first."""
    known = {Autotuner: "autotune", Heuristics: "heuristics"}
    around = [link for link in links(kernel) if not is_function(link)]
    return tuple(known.get(type(link), type(link).__name__) for link in around)


@dataclass(frozen=True)
class _Facts:
    """What a kernel's Python function says of itself; reading it takes a millisecond."""

    signature: inspect.Signature
    constexprs: frozenset[str]
    place: tuple[str, int]
    text: str


_facts_of: weakref.WeakKeyDictionary[types.FunctionType, _Facts] = weakref.WeakKeyDictionary()


def _facts(function: Any) -> _Facts:
    python = python_function(function)
    known = _facts_of.get(python)
    if known is None:
        parameters = inspect.signature(python)
        constexprs = frozenset(
            name
            for name, parameter in parameters.parameters.items()
            if parameter.annotation is not parameter.empty
            and "constexpr" in str(_normalize_ty(parameter.annotation))
        )
        innermost = inspect.unwrap(python)
        known = _Facts(parameters, constexprs, *_place_and_text(function, innermost))
        _facts_of[python] = known
    return known


def _place_and_text(function: Any, python: types.FunctionType) -> tuple[tuple[str, int], str]:
    if function.fn is python and getattr(function, "raw_src", None):
        # Triton has cut the same lines out already, which takes a millisecond.
        lines, start = function.raw_src, function.starting_line_number
    else:
        lines, start = inspect.getsourcelines(python)
    offset = next(
        (index for index, line in enumerate(lines) if re.match(r"\s*(async\s+)?def\s", line)), 0
    )
    return (python.__code__.co_filename, start + offset), "".join(lines)


def python_function(function: Any) -> types.FunctionType:
    """Return the user's own Python function under a kernel."""
    inner: types.FunctionType = function.fn
    return inner


def kernel_name(function: Any) -> str:
    """Return the kernel's name as written."""
    return python_function(function).__name__


def parameter_names(function: Any) -> tuple[str, ...]:
    """Return the kernel's parameter names in order."""
    return tuple(function.arg_names)


def constexpr_names(function: Any) -> frozenset[str]:
    """Return the names of the parameters annotated `tl.constexpr`."""
    return _facts(function).constexprs


def signature(function: Any) -> inspect.Signature:
    """Return the signature of the kernel's Python function."""
    return _facts(function).signature


def by_position(names: Sequence[str]) -> int:
    """Return how many parameters must be passed by position: Triton's own call has two names.

    `JITFunction.run(*args, grid, warmup, **kwargs)`: a kernel may call a parameter so as well.
    """
    return max((place for place, name in enumerate(names, 1) if name in ("grid", "warmup")),
               default=0)  # fmt: skip


def definition(function: Any) -> tuple[str, int]:
    """Return the file and the line of the kernel's `def`."""
    return _facts(function).place


def source_text(function: Any) -> str:
    """Return the text of a kernel, decorators included, as it was when it was first launched.

    A generated file may be gone since.
    """
    return _facts(function).text


def bind(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the kernel's arguments by parameter name, and the launch options beside them.

    Raises
    ------
    TypeError
        A parameter is missing or given twice; the message is Python's own.
    """
    names = signature(function).parameters
    own = {name: value for name, value in kwargs.items() if name in names}
    # A constexpr named like an option is both: Triton reads the same keyword twice.
    options = {
        name: value for name, value in kwargs.items() if name not in names or name in OPTION_KNOBS
    }
    bound = signature(function).bind(*args, **own)
    bound.apply_defaults()
    return dict(bound.arguments), options


def parse_target(target: str) -> GPUTarget:
    """Return Triton's target object for `cuda:90`, `hip:gfx942` and the like."""
    backend, _, architecture = target.partition(":")
    if backend == "cuda":
        return GPUTarget("cuda", int(architecture), 32)
    # CDNA's wavefront is 64 lanes wide, RDNA's (gfx10 and later) 32.
    return GPUTarget(backend, architecture, 64 if architecture.startswith("gfx9") else 32)


@functools.lru_cache(maxsize=32)
def option_defaults(target: str) -> dict[str, Any]:
    """Return the launch options of `target` that can be tuned, with Triton's defaults for it."""
    options = make_backend(parse_target(target)).parse_options({})
    defaults = {name: getattr(options, name) for name in OPTION_KNOBS if hasattr(options, name)}
    if not target.startswith("cuda") or int(target.partition(":")[2]) < 90:
        defaults.pop("num_ctas", None)  # clusters of programs came with Hopper
    if not target.startswith("cuda"):
        defaults.pop("maxnreg", None)
    return defaults


@functools.lru_cache(maxsize=32)
def known_options(target: str) -> frozenset[str]:
    """Return every keyword that a launch for `target` takes beside the kernel's parameters."""
    options = make_backend(parse_target(target)).parse_options({})
    return frozenset(options.__dict__) | {"debug", "launch_cooperative_grid", "ir_override"}


def plain(value: Any) -> Any:
    """Return a constexpr's value out of its `tl.constexpr` wrapper, if it has one."""
    while isinstance(value, triton.language.constexpr):
        value = value.value
    return value


def dtype_name(value: Any) -> str | None:
    """Return `tl.float16` for that dtype object, or None for anything else."""
    if isinstance(value, triton.language.dtype):
        return DTYPES.get(value.name)
    return None


def dtype_from_name(name: str) -> Any:
    """Return the dtype object written `tl.float16`."""
    return getattr(triton.language, name.removeprefix("tl."))


def autotuner_of(kernel: Any) -> Autotuner | None:
    """Return the outermost autotuner around a kernel, if there is one."""
    return next((link for link in links(kernel) if isinstance(link, Autotuner)), None)


def tuned_names(kernel: Any) -> tuple[str, ...]:
    """Return the knobs that a kernel's autotuner sets; empty without one."""
    tuner = autotuner_of(kernel)
    if tuner is None:
        return ()
    names = (name for config in tuner.configs for name in config.kwargs)
    return tuple(dict.fromkeys((*names, *OPTION_KNOBS)))


def heuristics_of(kernel: Any) -> dict[str, Callable[[dict[str, Any]], Any]]:
    """Return every heuristic around a kernel by the name it sets, in the order they run."""
    found: dict[str, Callable[[dict[str, Any]], Any]] = {}
    for link in links(kernel):
        if isinstance(link, Heuristics):
            found.update(link.values)
    return found


def forget_rewritten(namespace: dict[str, Any]) -> None:
    """Drop the interpreter's rewritten copies of kernels of an old module, so that it can go."""
    rewritten = InterpretedFunction.rewritten_fn
    for fn in [fn for fn in rewritten if getattr(fn, "__globals__", None) is namespace]:
        del rewritten[fn]
