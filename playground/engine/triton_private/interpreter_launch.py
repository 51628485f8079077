"""Launches of the interpreter: arguments, grid, program loop, and the names patched meanwhile.

A launch patches hundreds of functions of `triton.language`. Triton leaves some of them replaced
for good when a kernel calls a helper, and patches anew at every call of one; here one scope per
launch patches once and restores however the launch ends.
"""

from __future__ import annotations

import inspect
import threading
import types
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from triton._utils import canonicalize_dtype

from playground.engine.triton_private.interpreter_checks import ORIGIN
from playground.engine.triton_private.interpreter_programs import Programs
from playground.engine.triton_private.interpreter_result import InterpretedLaunch, launch_hooks
from playground.engine.triton_private.interpreter_storages import (
    storages_by_address,
    storages_of,
)

if TYPE_CHECKING:
    from playground.engine.triton_private.interpreter_arithmetic import Arithmetic
    from playground.engine.triton_private.interpreter_memory import Memory
    from playground.engine.triton_private.interpreter_storages import Storage

_ABSENT = object()


class LanguagePatch:
    """Replaces `triton.language`'s functions while a launch runs; may be entered again inside.

    Parameters
    ----------
    interpreter
        The module `triton.runtime.interpreter`.
    """

    def __init__(self, interpreter: Any) -> None:
        self._interpreter = interpreter
        self._depth = 0
        self._changes: list[tuple[Any, str, Any]] = []
        self._originals: list[tuple[Any, str, Any]] = []

    @property
    def active(self) -> bool:
        """Whether a launch is running."""
        return self._depth > 0

    def __enter__(self) -> None:
        self._depth += 1
        if self._depth > 1:
            return
        try:
            if not self._changes:
                self._changes, self._originals = self._learn()
            for owner, name, value in self._changes:
                setattr(owner, name, value)
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth:
            return
        try:
            self._restore()
        except BaseException:  # interrupted: what was restored is restored again, and the rest
            self._restore()
            raise

    def _restore(self) -> None:
        for owner, name, original in self._originals:
            if original is not _ABSENT:
                setattr(owner, name, original)
            elif name in vars(owner):
                delattr(owner, name)

    def _learn(self) -> tuple[list[tuple[Any, str, Any]], list[tuple[Any, str, Any]]]:
        """Let Triton patch once and note what it put where; the same is put there from then on."""
        language = self._interpreter.tl
        visible = {"tl": language, "core": language.core}
        probe = types.FunctionType((lambda: None).__code__, visible)
        scope = self._interpreter._patch_lang(probe)
        try:
            last = {(id(owner), name): (owner, name) for owner, name, _ in scope._changes}
            changes = [(owner, name, vars(owner)[name]) for owner, name in last.values()]
        finally:
            scope.restore()

        # Triton 3.6 converts a one-element array, which NumPy 2.4 no longer allows.
        def index(tensor: Any) -> int:
            return int(tensor.handle.data.item())

        changes.append((language.tensor, "__index__", index))
        # Triton restored them just now.
        originals = [(owner, name, getattr(owner, name, _ABSENT)) for owner, name, _ in changes]
        return changes, originals


class Launches:
    """The replaced entry points of interpreted kernels.

    Parameters
    ----------
    interpreter
        The module `triton.runtime.interpreter`.
    arithmetic, memory
        Those installed beside it.
    """

    def __init__(self, interpreter: Any, arithmetic: Arithmetic, memory: Memory) -> None:
        self._interpreter = interpreter
        self._arithmetic = arithmetic
        self._memory = memory
        self._patch = LanguagePatch(interpreter)
        self._convert = interpreter._implicit_cvt
        self._alone = threading.RLock()

    def install(self) -> None:
        """Replace argument conversion, the launch, and calls of helpers."""
        launches, interpreter = self, self._interpreter
        function_class = interpreter.InterpretedFunction

        def run(function: Any, *args: Any, grid: Any, warmup: bool, **named: Any) -> Any:
            result = InterpretedLaunch(function, args, named)
            if not warmup:
                kernel = function.rewrite()
                hooks = function.pre_run_hooks
                executor = interpreter.GridExecutor(kernel, function.arg_names, grid, hooks)
                executor.launched = result
                executor(*args, **named)
            return result

        def launch(executor: Any, *args: Any, **named: Any) -> None:
            # Host code may launch from several threads; which memory is allowed is one launch's.
            with launches._alone:
                launches.launch(executor, args, named)

        def call(function: Any, *args: Any, **named: Any) -> Any:
            return launches.call_helper(function, args, named)

        interpreter._implicit_cvt = self.convert
        interpreter.GridExecutor.__call__ = launch
        function_class.run = run
        function_class.__call__ = call

    def convert(self, value: Any, annotation: str | None = None, name: str = "") -> Any:
        """Return a kernel argument as the kernel sees it; `name` tells out-of-bounds records."""
        language = self._interpreter.tl
        if isinstance(value, language.constexpr):
            value = value.value
        if isinstance(value, bool):
            data: Any = np.array([value], dtype=np.bool_)
            return language.tensor(self._arithmetic.make(data, language.int1), language.int1)
        if isinstance(value, float):
            # A float argument is an fp32 tensor to the compiler, unless annotated otherwise.
            type_ = {
                "fp16": language.float16,
                "bf16": language.bfloat16,
                "fp64": language.float64,
            }.get(annotation or "", language.float32)
            data = np.array([value], dtype=np.float64)
            return language.tensor(self._arithmetic.make(data, type_), type_)
        result = self._plain(value)
        if result is None:
            result = self._convert(value)
        if isinstance(result, language.tensor) and result.dtype.is_ptr():
            setattr(result.handle.dtype, ORIGIN, self._storage_of(value, name))
        return result

    def _plain(self, value: Any) -> Any:
        """Return an integer or a tensor as the kernel sees it; None for anything else.

        Triton's own way asks the compiler's front end for a type's name, which imports all of
        Gluon for it: that is most of what a first launch takes.
        """
        language = self._interpreter.tl
        if type(value) is int and -(1 << 63) <= value < 1 << 63:
            small = -(1 << 31) <= value < 1 << 31
            type_ = language.int32 if small else language.int64
            data: Any = np.array([value], dtype=np.int32 if small else np.int64)
        elif isinstance(value, torch.Tensor):
            type_ = language.str_to_ty(f"*{canonicalize_dtype(value.dtype)}", None)
            data = np.array([value.data_ptr()], dtype=np.uint64)
        else:
            return None
        return language.tensor(self._interpreter.TensorHandle(data, type_), type_)

    def _storage_of(self, value: Any, name: str) -> Storage | None:
        address = value.data_ptr()
        held = [s for s in self._memory.launch.storages if s.start <= address < s.end]
        return next((s for s in held if s.name == name), held[0] if held else None)

    def _annotations(self, executor: Any) -> dict[str, str]:
        from triton.runtime.jit import _normalize_ty

        found = inspect.get_annotations(executor.fn)
        return {name: _normalize_ty(annotation) for name, annotation in found.items()}

    def launch(self, executor: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Run every program of a launch, x fastest, as the hardware numbers them."""
        spec = inspect.getfullargspec(executor.fn)
        parameters = {*spec.args, *spec.kwonlyargs}
        named = {name: value for name, value in named.items() if name in parameters}
        host_args, host_named = executor._init_args_hst(args, named)
        for hook in executor.pre_run_hooks:
            hook(*host_args, **host_named)
        given = inspect.getcallargs(executor.fn, *args, **named)
        bound = inspect.getcallargs(executor.fn, *host_args, **host_named)

        grid = executor.grid(given) if callable(executor.grid) else executor.grid
        size_x, size_y, size_z = self._grid(grid)
        storages = storages_of(bound, given)
        if not self._memory.ranges_are_told:
            storages += storages_by_address(bound, storages)
        self._memory.begin(storages, size_x * size_y * size_z)

        builder = self._interpreter.interpreter_builder
        # The GPU says nothing of overflows and NaNs, so neither does the interpreter.
        size = size_x, size_y, size_z
        with (
            launch_hooks(executor.launched, size),
            self._patch,
            np.errstate(all="ignore"),
        ):
            arguments = self._kernel_arguments(executor, bound)
            builder.set_grid_dim(size_x, size_y, size_z)
            if self._memory.batched is not None:
                self._memory.batched(executor.fn, arguments, size, self._memory.launch)
                return

            def select(index: int) -> None:
                self._memory.begin_program(index)
                z, rest = divmod(index, size_x * size_y)
                builder.set_grid_idx(rest % size_x, rest // size_x, z)

            chosen = self._memory.chosen
            programs = Programs(
                size_x * size_y * size_z if chosen is None else len(chosen),
                select if chosen is None else lambda index: select(chosen[index]),
                lambda: self._run_program(executor.fn, arguments),
            )
            self._memory.launch.programs = programs
            try:
                programs.run_all()
            finally:
                self._memory.stopped_by = None  # its frames hold this launch's tensors
        if any(storage.told != storage.start for storage in storages):
            executor._restore_args_dev(args, host_args, named, host_named)

    def _kernel_arguments(self, executor: Any, bound: dict[str, Any]) -> dict[str, Any]:
        annotations = self._annotations(executor)
        arguments = {}
        for name, value in bound.items():
            annotation = annotations.get(name, "")
            if "constexpr" in annotation:
                constexpr = isinstance(value, self._interpreter.tl.constexpr)
                arguments[name] = value.value if constexpr else value
            else:
                arguments[name] = self.convert(value, annotation, name)
        return arguments

    def _grid(self, grid: Any) -> tuple[int, int, int]:
        sizes = [int(size) for size in grid]
        if not 1 <= len(sizes) <= 3:
            raise ValueError(f"a grid has 1 to 3 dimensions, not {len(sizes)}: {tuple(grid)}")
        x, y, z = [*sizes, 1, 1][:3]
        return x, y, z

    def _run_program(self, kernel: Any, arguments: dict[str, Any]) -> None:
        error_class = self._interpreter.InterpreterError
        try:
            kernel(**arguments)
        except error_class:
            raise
        except Exception as error:
            if error is self._memory.stopped_by:  # nothing the kernel did
                raise
            if self._interpreter.triton.knobs.compilation.front_end_debugging:
                raise
            raise error_class(repr(error)) from error

    def call_helper(self, function: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Call a jit function from another one."""
        helper = function.rewrite()
        if self._patch.active:
            # The launch wraps what goes wrong, once, with the whole traceback.
            return helper(*args, **named)
        with self._patch, np.errstate(all="ignore"):
            try:
                return helper(*args, **named)
            except Exception as error:
                raise self._interpreter.InterpreterError(repr(error)) from error
