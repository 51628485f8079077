"""The user's file as a worker process has it: executed, no launch performed, its kernels found.

The same text as the engine's, under its real path. What a worker does with the kernels (compile
them, interpret one program) is its own matter; whether Triton interprets was decided before.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.compile_messages import KernelRef, UseFile
    from playground.engine.triton_private.skipped import Skipping


class WorkerFile:
    """The file as executed for one target."""

    def __init__(self, use: UseFile, target: str) -> None:
        self._use = use
        self._target = target
        self._driven: Skipping | None = None
        self.module: ModuleType | None = None
        self.driver_error: Exception | None = None
        self.load_error: BaseException | None = None

    def load(self) -> None:
        """Execute the text; what stops it is kept in `load_error`."""
        from playground.engine import compile_findings, loading
        from playground.engine.triton_private import door, skipped

        for folder in self._use.search_path:
            if folder not in sys.path:
                sys.path.append(folder)
        self.module = ModuleType(loading.module_name(self._use.path))
        with door.hooked(skipped.Skipping()), _simulated(self._use, self._target):
            try:
                loading.execute(self.module, self._use.path, self._use.text)
            except (Exception, SystemExit) as error:
                # It asks for a GPU, or tests itself and finds results missing, as in `_drive`:
                # what it defined until then stays, and what can be defined of the rest is.
                self.load_error = error
                line = compile_findings.line_of(error, self._use.path)
                if line is not None:
                    loading.execute_rest(self.module, self._use.path, self._use.text, line)
        self._rebind()

    def _rebind(self) -> None:
        """Bind anew what the console has bound anew in the engine's modules."""
        from playground.engine.compile_messages import decode

        for module, name, spec in self._use.rebound:
            owner = self.module if not module else sys.modules.get(module)
            if owner is not None:
                setattr(owner, name, decode(spec, _no_function, self.named_module))

    def named_module(self, name: str) -> ModuleType:
        """Return this process's module for the engine's name of it."""
        from playground.engine import loading

        if self.module is None:
            raise LookupError(f"{self._use.path} is not loaded")
        if name in ("__main__", loading.module_name(self._use.path)):
            return self.module
        return sys.modules.get(name) or importlib.import_module(name)

    def find(self, reference: KernelRef, kernel: KernelRef, ordinal: int) -> Any:
        """Return the `JITFunction` at `reference`.

        Where only a run makes it, it is that of the launch of `kernel` which `ordinal` others come
        before, or one of its arguments.
        """
        from playground.engine import made_since
        from playground.engine.triton_private import compiled, wrappers

        where = (reference.file, reference.line)
        if reference.by_name:
            found = self._by_name(reference)
            if found is not None and wrappers.definition(found) == where:
                return found
            everywhere = compiled.find_functions(*where, made_since.all_objects())
            if everywhere:
                return everywhere[-1]
        driven = self._drive()
        named = kernel.qualname.rpartition(".")[2]
        same = driven.nth(named, ordinal)
        functions = [
            wrappers.unwrap(candidate)
            for one in (*([same] if same else []), *driven.launches)
            for candidate in (one.function, *one.arguments.values())
            if wrappers.is_kernel_like(candidate)
        ]
        for function in functions:
            if wrappers.definition(function) == where:
                return function
        for function in functions:
            # Written into a temporary folder by the file itself: another one in this process.
            python = wrappers.python_function(function)
            if (python.__qualname__, wrappers.definition(function)[1]) == (
                reference.qualname, reference.line,
            ):  # fmt: skip
                return function
        raise LookupError(reference.qualname)

    def _by_name(self, reference: KernelRef) -> Any:
        from playground.engine.triton_private import wrappers

        try:
            value: Any = self.named_module(reference.module)
            for part in reference.qualname.split("."):
                value = getattr(value, part)
            return wrappers.unwrap(value)
        except (AttributeError, ImportError, TypeError):
            # Renamed, deleted or rebound after its definition: it is looked for by its place next.
            return None

    def _drive(self) -> Skipping:
        """Run the driver with every launch skipped, once; return the launches it would make."""
        from playground.engine import drivers, loading
        from playground.engine.triton_private import door, skipped

        if self._driven is not None:
            return self._driven
        noted = self._driven = skipped.Skipping()
        code = drivers.with_sizes(self._use.driver, dict(self._use.sizes))
        try:
            with door.hooked(noted), _simulated(self._use, self._target):
                if code.strip():
                    drivers.run_driver(code, self.named_module("__main__").__dict__)
                else:
                    with loading.script_arguments(self._use.path):
                        loading.load_module(self._use.path, self._use.text, name="__main__")
        except (Exception, SystemExit) as error:
            # Results are missing because nothing was launched, so a driver that looks at them may
            # stumble: what it launched before that still counts.
            self.driver_error = error if isinstance(error, Exception) else None
        return noted


def _no_function(reference: KernelRef) -> Any:
    raise LookupError(reference.qualname)  # functions are never told of


@contextlib.contextmanager
def _simulated(use: UseFile, target: str) -> Iterator[None]:
    """Let files written for `device="cuda"` execute where there is no GPU, as the engine does."""
    from playground.engine import machine, simulated_cuda, surroundings, torch_doors

    with contextlib.ExitStack() as stack:
        stack.enter_context(torch_doors.compiled_functions_run_eagerly())
        if not machine.has_nvidia_gpu():
            stack.enter_context(simulated_cuda.simulated_cuda(target))
            stack.enter_context(torch_doors.cuda_implementations_serve())
        stack.enter_context(surroundings.unattended(use.path, use.text))
        yield
