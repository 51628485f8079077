"""Where launches pass: every way a kernel is launched, followed from its outermost wrapper in.

`JITFunction.run`, its interpreted twin, the wrappers' `run` and a compiled kernel's launcher are
replaced while a run is recorded. Checked against triton 3.6 and 3.9.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from typing import TYPE_CHECKING, Any, Protocol

import triton
from triton.compiler.compiler import CompiledKernel
from triton.runtime.autotuner import Autotuner, Heuristics
from triton.runtime.interpreter import InterpretedFunction
from triton.runtime.jit import JITFunction

from playground.engine.triton_private import tuning, wrappers
from playground.model.knobs import OPTION_KNOBS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_FRAMES_LOOKED_AT = 12

Call = tuple[tuple[Any, ...], dict[str, Any]]
"""Positional and named arguments as the caller gave them."""


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

    def about_to_tune(self, arguments: dict[str, Any]) -> None:
        """Take note that a kernel is run on `arguments` under config after config from here on."""

    def skipped_config(self, kernel: Any, config: Any, error: Exception) -> None:
        """Take note that a tuning config cannot run, as Triton's own tuning would skip it."""


_current: _Door | None = None


def outer_call() -> Call | None:
    """Return what the launch being recorded was called with before any wrapper added to it."""
    return None if _current is None else _current.call


@contextlib.contextmanager
def hooked(recorder: Recorder, *, tuning: bool = False) -> Iterator[None]:
    """Route every launch of this process to `recorder` meanwhile.

    Parameters
    ----------
    tuning
        Let the file's autotuners time their configs, as they do without us; else the first config
        that can run is taken.
    """
    global _current
    door = _Door(recorder, tunes=tuning)
    replaced: list[tuple[Any, str, Any]] = [
        (JITFunction, "run", door.jit_run(JITFunction.run)),
        (InterpretedFunction, "run", door.jit_run(InterpretedFunction.run)),
        (Heuristics, "run", door.heuristics_run(Heuristics.run)),
        (Autotuner, "run", door.autotuner_run(Autotuner.run)),
        (Autotuner, "_bench", door.bench(Autotuner._bench)),
        (CompiledKernel, "__getitem__", door.compiled_item(CompiledKernel.__getitem__)),
        (InterpretedFunction, "__call__", door.interpreted_call(InterpretedFunction.__call__)),
    ]
    originals = [(owner, name, getattr(owner, name)) for owner, name, _ in replaced]
    before, _current = _current, door
    try:
        for owner, name, value in replaced:
            setattr(owner, name, value)
        with _launch_hooks_kept():
            yield
    finally:
        for owner, name, value in originals:
            setattr(owner, name, value)
        _current = before


@contextlib.contextmanager
def _launch_hooks_kept() -> Iterator[None]:
    """Take out afterwards what the file hooked into every launch of the process."""
    runtime = triton.knobs.runtime
    chains = [runtime.launch_enter_hook, runtime.launch_exit_hook]
    before = [list(chain.calls) for chain in chains]
    try:
        yield
    finally:
        runtime.launch_enter_hook, runtime.launch_exit_hook = chains
        for chain, calls in zip(chains, before, strict=True):
            chain.calls[:] = calls


class _Door:
    """Follows a launch from the outermost wrapper in."""

    def __init__(self, recorder: Recorder, *, tunes: bool) -> None:
        self.recorder = recorder
        self.tunes = tunes
        self.call: Call | None = None
        self._stack: list[Any] = []
        self._calls: list[Call] = []
        self._chosen: list[Any] = []
        self._tuners = tuning.Tuners()
        self._depth = 0
        self._benching = 0
        # Host code may launch from several threads: what follows one launch follows no other.
        self._alone = threading.RLock()

    # ------------------------------------------------------------------ what replaces what

    def jit_run(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def run(function: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
            if warmup or self._benching:
                return original(function, *args, grid=grid, warmup=warmup, **kwargs)
            return self._launch(original, function, args, grid, kwargs)

        return run

    def heuristics_run(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def run(link: Any, *args: Any, **kwargs: Any) -> Any:
            with self._inside(link, args, kwargs):
                return original(link, *args, **kwargs)

        return run

    def autotuner_run(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def run(tuner: Any, *args: Any, **kwargs: Any) -> Any:
            with self._inside(tuner, args, kwargs):
                if self.tunes and not wrappers.is_interpreted(wrappers.unwrap(tuner)):
                    return original(tuner, *args, **kwargs)
                return self._autotuned(tuner, args, kwargs)

        return run

    def bench(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def bench(tuner: Any, *args: Any, **kwargs: Any) -> Any:
            if not self.tunes:
                # Reached through a project's own `run`: all alike, so that it takes the first.
                return [0.0, 0.0, 0.0]
            if not self._benching:
                named = {name: kwargs[name] for name in tuner.arg_names if name in kwargs}
                self.recorder.about_to_tune({**(tuner.nargs or {}), **named})
            self._benching += 1
            try:
                return original(tuner, *args, **kwargs)
            finally:
                self._benching -= 1

        return bench

    def compiled_item(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def item(kernel: Any, grid: Any) -> Any:
            function = getattr(kernel.src, "fn", None)
            if not isinstance(function, JITFunction) or self._benching:
                return original(kernel, grid)

            def launch(*args: Any, stream: Any = None) -> Any:
                def run(_: Any, *args: Any, grid: Any, warmup: bool, **options: Any) -> Any:
                    return kernel if warmup else original(kernel, grid)(*args, stream=stream)

                metadata = kernel.metadata
                options = {
                    name: getattr(metadata, name)
                    for name in OPTION_KNOBS
                    if hasattr(metadata, name)
                }
                args = _as_compiled(kernel, function, args)
                self.call = args, {}
                return self.recorder.launch(function, function, args, options, grid, run, None)

            return launch

        return item

    def interpreted_call(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(function: Any, *args: Any, **kwargs: Any) -> Any:
            if self._depth == 0:
                # The interpreter would let host code call a kernel like any function; a GPU does
                # not.
                raise RuntimeError("Cannot call @triton.jit'd outside of the scope of a kernel")
            return original(function, *args, **kwargs)

        return call

    # ------------------------------------------------------------------ one launch

    @contextlib.contextmanager
    def _inside(self, link: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[None]:
        with self._alone:
            self._stack.append(link)
            self._calls.append((args, kwargs))
            try:
                yield
            finally:
                self._stack.pop()
                self._calls.pop()

    def _launch(
        self, run: Callable[..., Any], function: Any, args: tuple[Any, ...], grid: Any,
        kwargs: dict[str, Any],
    ) -> Any:  # fmt: skip
        with self._alone:
            return self._launch_alone(run, function, args, grid, kwargs)

    def _launch_alone(
        self, run: Callable[..., Any], function: Any, args: tuple[Any, ...], grid: Any,
        kwargs: dict[str, Any],
    ) -> Any:  # fmt: skip
        kernel = self._stack[0] if self._stack else function
        entry = _entry_around(kernel)
        self.call = self._calls[0] if self._calls else (args, kwargs)
        chosen = self._chosen[-1] if self._chosen else _best_config(entry)
        # What the launch itself calls (hooks, helpers) is no part of the wrappers around it.
        outside = self._stack, self._calls, self._chosen
        self._stack, self._calls, self._chosen = [], [], []
        self._depth += 1
        try:
            return self.recorder.launch(entry, function, args, kwargs, grid, run, chosen)
        finally:
            self._stack, self._calls, self._chosen = outside
            self._depth -= 1

    def _autotuned(self, tuner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Do what `Autotuner.run` does once it has tuned, with the first config that can run."""
        tuner.nargs = dict(zip(tuner.arg_names, args, strict=False))
        configs, first_time = self._tuners.configs(tuner, kwargs)
        failure: Exception | None = None
        for config in configs:
            tuner.best_config = config
            twice = kwargs.keys() & config.all_kwargs().keys()
            if twice:
                # Triton says so when it tunes; with one config Python does, in other words.
                raise ValueError(f"Conflicting meta-parameters: {', '.join(sorted(twice))}")
            full = {**tuner.nargs, **kwargs, **config.all_kwargs()}
            if first_time:
                # Triton zeroes `reset_to_zero` once, right after tuning, and never on later calls.
                tuner.pre_hook(full, reset_only=True)
            if config.pre_hook is not None:
                config.pre_hook(full)
            self._chosen.append(config)
            try:
                result = tuner.fn.run(*args, **kwargs, **config.all_kwargs())
            except Exception as error:
                if not is_excluded(error) or len(configs) == 1:
                    raise
                self.recorder.skipped_config(tuner, config, error)
                failure = error
                continue
            finally:
                self._chosen.pop()
            self._tuners.took(tuner, kwargs, config)
            tuner.nargs = None
            return result
        try:
            raise failure if failure is not None else RuntimeError("the autotuner offers no config")
        finally:
            del failure  # it knows this frame, which would hold it


def _entry_around(kernel: Any) -> Any:
    """Return the project's own object that `kernel` was launched through, else `kernel` itself.

    Such an object is subscripted by the grid as a kernel is and holds the kernel; its frame is
    between the launch and the caller.
    """
    found = kernel
    frame: Any = sys._getframe(3)
    for _ in range(_FRAMES_LOOKED_AT):
        if frame is None:
            break
        code = frame.f_code
        if "self" in code.co_varnames[: code.co_argcount] or "self" in code.co_freevars:
            holder = frame.f_locals.get("self")
            if (
                holder is not None
                and holder is not found
                and hasattr(type(holder), "__getitem__")
                and not wrappers.is_function(holder)
                and any(found is link for link in wrappers.links(holder))
            ):
                found = holder
        frame = frame.f_back
    return found


def _best_config(entry: Any) -> Any:
    tuner = wrappers.autotuner_of(entry)
    return None if tuner is None else getattr(tuner, "best_config", None)


def _as_compiled(kernel: Any, function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return launch arguments with the constants that `kernel` was compiled with.

    A compiled kernel ignores what its launcher passes for them.
    """
    names = list(function.arg_names)
    constexprs = wrappers.constexpr_names(function)
    constants = {
        names[path[0]]: value
        for path, value in getattr(kernel.src, "constants", {}).items()
        if len(path) == 1 and names[path[0]] in constexprs
    }
    if len(args) == len(names):
        return tuple(constants.get(name, value) for name, value in zip(names, args, strict=True))
    given = iter(args)
    rest = [name for name in names if name not in constants]
    if len(args) != len(rest):
        return args
    return tuple(constants[name] if name in constants else next(given) for name in names)


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
