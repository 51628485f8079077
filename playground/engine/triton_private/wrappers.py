"""Triton's launch path: what wraps a kernel, how its arguments bind, and where launches pass.

Everything here depends on attributes of `JITFunction`, `InterpretedFunction`, `Autotuner` and
`Heuristics` that are no public interface; checked against triton 3.6 and 3.9.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
from typing import TYPE_CHECKING, Any, Protocol

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import CompiledKernel, make_backend
from triton.runtime.autotuner import Autotuner, Heuristics
from triton.runtime.interpreter import InterpretedFunction
from triton.runtime.jit import JITFunction, _normalize_ty

from playground.model.knobs import OPTION_KNOBS

if TYPE_CHECKING:
    import types
    from collections.abc import Callable, Iterator

DTYPES = {
    "fp16": "tl.float16", "bf16": "tl.bfloat16", "fp32": "tl.float32", "fp64": "tl.float64",
    "fp8e4nv": "tl.float8e4nv", "fp8e5": "tl.float8e5", "int1": "tl.int1", "int8": "tl.int8",
    "int16": "tl.int16", "int32": "tl.int32", "int64": "tl.int64", "uint8": "tl.uint8",
    "uint16": "tl.uint16", "uint32": "tl.uint32", "uint64": "tl.uint64",
}  # fmt: skip
"""Name of a `tl.dtype` object to the name people write."""


def chain(kernel: Any) -> tuple[Any, ...]:
    """Return what wraps a kernel, outermost first; the last is the jitted function itself."""
    links = [kernel]
    while not is_function(links[-1]):
        inner = getattr(links[-1], "fn", None)
        if inner is None:
            raise TypeError(f"{type(links[-1]).__name__} wraps no Triton kernel")
        links.append(inner)
    return tuple(links)


def unwrap(kernel: Any) -> Any:
    """Return the innermost `JITFunction` or `InterpretedFunction`."""
    return chain(kernel)[-1]


def is_function(value: Any) -> bool:
    """Tell whether `value` is a kernel with nothing around it."""
    return isinstance(value, (JITFunction, InterpretedFunction))


def is_interpreted(function: Any) -> bool:
    """Tell whether launches of `function` run in the interpreter."""
    return isinstance(function, InterpretedFunction)


def wrapper_names(kernel: Any) -> tuple[str, ...]:
    """Return `("autotune", "heuristics")` and the like, outermost first."""
    known = {Autotuner: "autotune", Heuristics: "heuristics"}
    return tuple(known.get(type(link), type(link).__name__) for link in chain(kernel)[:-1])


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
    annotations = inspect.get_annotations(python_function(function))
    return frozenset(
        name for name, value in annotations.items() if "constexpr" in str(_normalize_ty(value))
    )


def signature(function: Any) -> inspect.Signature:
    """Return the signature of the kernel's Python function."""
    return inspect.signature(python_function(function))


def definition(function: Any) -> tuple[str, int]:
    """Return the file and the line of the kernel's `def`."""
    python = python_function(function)
    lines, start = inspect.getsourcelines(python)
    offset = next(
        (index for index, line in enumerate(lines) if re.match(r"\s*(async\s+)?def\s", line)), 0
    )
    return python.__code__.co_filename, start + offset


def source_text(function: Any) -> str:
    """Return the text of a kernel, decorators included."""
    return inspect.getsource(python_function(function))


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
    return next((link for link in chain(kernel) if isinstance(link, Autotuner)), None)


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
    for link in chain(kernel):
        if isinstance(link, Heuristics):
            found.update(link.values)
    return found


class Recorder(Protocol):
    """What the hooks report to."""

    def launch(
        self,
        kernel: Any,
        function: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        grid: Any,
        run: Callable[..., Any],
        chosen: Any,
    ) -> Any:
        """Take one launch: `run(function, *args, grid=, warmup=False, **kwargs)` performs it.

        `chosen` is the autotuner's `triton.Config` for this launch, or None.
        """  # fmt: skip

    def skipped_config(self, kernel: Any, config: Any, error: Exception) -> None:
        """Take note that a tuning config cannot run, as Triton's own tuning would skip it."""


@contextlib.contextmanager
def hooked(recorder: Recorder) -> Iterator[None]:
    """Route every launch of this process to `recorder` meanwhile; tuning loops do not run."""
    launches = _Launches(recorder)
    originals = [
        (cls, "run", cls.run) for cls in (JITFunction, InterpretedFunction, Heuristics, Autotuner)
    ]
    original_item = CompiledKernel.__getitem__
    original_call = InterpretedFunction.__call__
    run_jit, run_interpreted, run_heuristics, _ = (original for _, _, original in originals)

    def jit(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        return launches.function(run_jit, self, args, grid, warmup, kwargs)

    def interpreted(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        return launches.function(run_interpreted, self, args, grid, warmup, kwargs)

    def heuristics(self: Any, *args: Any, **kwargs: Any) -> Any:
        with launches.inside(self):
            return run_heuristics(self, *args, **kwargs)

    def autotuner(self: Any, *args: Any, **kwargs: Any) -> Any:
        with launches.inside(self):
            return launches.autotuned(self, args, kwargs)

    def compiled_item(self: Any, grid: Any) -> Any:
        return launches.compiled(original_item, self, grid)

    def interpreted_call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if launches.depth == 0:
            # The interpreter would let host code call a kernel like any function; a GPU does not.
            raise RuntimeError("Cannot call @triton.jit'd outside of the scope of a kernel")
        return original_call(self, *args, **kwargs)

    try:
        InterpretedFunction.__call__ = interpreted_call
        for cls, replacement in zip(
            (JITFunction, InterpretedFunction, Heuristics, Autotuner),
            (jit, interpreted, heuristics, autotuner),
            strict=True,
        ):
            cls.run = replacement
        CompiledKernel.__getitem__ = compiled_item
        yield
    finally:
        for cls, attribute, original in originals:
            setattr(cls, attribute, original)
        CompiledKernel.__getitem__ = original_item
        InterpretedFunction.__call__ = original_call


class _Launches:
    """Follows a launch from the outermost wrapper in."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.stack: list[Any] = []
        self.chosen: list[Any] = []
        self.tuned: set[tuple[int, tuple[Any, ...]]] = set()
        self.depth = 0

    @contextlib.contextmanager
    def inside(self, link: Any) -> Iterator[None]:
        self.stack.append(link)
        try:
            yield
        finally:
            self.stack.pop()

    def function(
        self, run: Callable[..., Any], function: Any, args: tuple[Any, ...], grid: Any,
        warmup: bool, kwargs: dict[str, Any],
    ) -> Any:  # fmt: skip
        if warmup:
            return run(function, *args, grid=grid, warmup=True, **kwargs)
        kernel = self.stack[0] if self.stack else function
        chosen = self.chosen[-1] if self.chosen else None
        # What the launch itself calls (hooks, helpers) is no part of the wrappers around it.
        stack, self.stack = self.stack, []
        chosen_before, self.chosen = self.chosen, []
        self.depth += 1
        try:
            return self.recorder.launch(kernel, function, args, kwargs, grid, run, chosen)
        finally:
            self.stack, self.chosen = stack, chosen_before
            self.depth -= 1

    def autotuned(self, tuner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Do what `Autotuner.run` does once it has tuned, with the first config that can run."""
        tuner.nargs = dict(zip(tuner.arg_names, args, strict=False))
        configs = list(tuner.configs)
        if len(configs) > 1:
            configs = list(tuner.prune_configs(kwargs))
        failure: Exception | None = None
        for config in configs:
            tuner.best_config = config
            twice = kwargs.keys() & config.all_kwargs().keys()
            if twice:
                # Triton says so when it tunes; with one config Python does, in other words.
                raise ValueError(f"Conflicting meta-parameters: {', '.join(sorted(twice))}")
            full = {**tuner.nargs, **kwargs, **config.all_kwargs()}
            self._reset(tuner, configs, full, kwargs)
            if config.pre_hook is not None:
                config.pre_hook(full)
            self.chosen.append(config)
            try:
                result = tuner.fn.run(*args, **kwargs, **config.all_kwargs())
            except Exception as error:
                if not is_excluded(error) or len(configs) == 1:
                    raise
                self.recorder.skipped_config(tuner, config, error)
                failure = error
                continue
            finally:
                self.chosen.pop()
            tuner.nargs = None
            return result
        raise failure if failure is not None else RuntimeError("the autotuner offers no config")

    def _reset(
        self, tuner: Any, configs: list[Any], full: dict[str, Any], kwargs: dict[str, Any]
    ) -> None:
        # Triton zeroes `reset_to_zero` once, right after tuning, and never on later calls.
        if len(configs) < 2:
            return
        named = {**tuner.nargs, **kwargs}
        own = {name: value for name, value in named.items() if name in tuner.arg_names}
        key = (
            *(repr(own[name]) for name in tuner.keys if name in own),
            *(str(value.dtype) for value in own.values() if hasattr(value, "dtype")),
        )
        if (id(tuner), key) in self.tuned or key in tuner.cache:
            return
        self.tuned.add((id(tuner), key))
        tuner.pre_hook(full, reset_only=True)

    def compiled(self, item: Callable[..., Any], kernel: Any, grid: Any) -> Any:
        function = getattr(kernel.src, "fn", None)
        if not isinstance(function, JITFunction):
            return item(kernel, grid)

        def launch(*args: Any, stream: Any = None) -> Any:
            def run(_: Any, *args: Any, grid: Any, warmup: bool, **options: Any) -> Any:
                return item(kernel, grid)(*args, stream=stream)

            metadata = kernel.metadata
            options = {
                name: getattr(metadata, name) for name in OPTION_KNOBS if hasattr(metadata, name)
            }
            return self.recorder.launch(function, function, args, options, grid, run, None)

        return launch


def is_excluded(error: BaseException) -> bool:
    """Tell whether `error` says that the kernel or the target rules a config out."""
    from triton.compiler.errors import CompileTimeAssertionFailure
    from triton.runtime.errors import OutOfResources, PTXASError

    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, (CompileTimeAssertionFailure, OutOfResources, PTXASError)):
            return True
        if isinstance(seen, AssertionError) and type(error).__name__ == "InterpreterError":
            return True
        seen = seen.__cause__
    return False


def forget_rewritten(namespace: dict[str, Any]) -> None:
    """Drop the interpreter's rewritten copies of kernels of an old module, so that it can go."""
    rewritten = InterpretedFunction.rewritten_fn
    for fn in [fn for fn in rewritten if getattr(fn, "__globals__", None) is namespace]:
        del rewritten[fn]
