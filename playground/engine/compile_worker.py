"""The compile worker: a process that compiles kernels of one file and never runs any.

`python -m playground.engine.compile_worker FD` talks over the inherited socket FD. It executes the
same text as the engine, without `TRITON_INTERPRET`, with a stand-in driver for the target; every
launch that the text makes meanwhile is noted and skipped. When the engine goes, the worker goes.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import queue
import signal
import sys
import threading
from multiprocessing.connection import Connection
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playground.engine.compile_messages import Answer, KernelRef, Order, UseFile
    from playground.engine.triton_private.skipped import Skipping

_OUTPUT_LIMIT = 20_000
_ALL = 16 << 20


def main() -> None:
    """Answer orders until the engine closes its end of the socket."""
    connection = Connection(int(sys.argv[1]))
    # The terminal's Ctrl-C is for the engine, which then tells the worker or lets it finish.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(connection, inbox), daemon=True).start()
    worker = _Worker()
    while True:
        message = pickle.loads(inbox.get())

        def tell(content: Any, message: Any = message) -> None:
            connection.send_bytes(pickle.dumps(type(message)(message.number, content)))

        answer = worker.answer(message.content, tell)
        if answer is not None:
            tell(answer)


def _read(connection: Connection, inbox: queue.SimpleQueue[Any]) -> None:
    while True:
        try:
            inbox.put(connection.recv_bytes())
        except (EOFError, OSError):
            # The engine is gone; nobody is left to take an answer, not even from a running compile.
            os._exit(0)


class _Printed:
    """What this process prints: standard output and error are one file the engine made."""

    def start(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        os.ftruncate(1, 0)
        os.lseek(1, 0, os.SEEK_SET)

    def text(self, limit: int = _OUTPUT_LIMIT) -> str:
        """Return the last of it, or all there is where a pass may have printed its whole input."""
        sys.stdout.flush()
        sys.stderr.flush()
        size = os.fstat(1).st_size
        return os.pread(1, limit, max(0, size - limit)).decode(errors="replace")


class _File:
    """The file as executed for one target."""

    def __init__(self, use: UseFile, target: str) -> None:
        self._use = use
        self._target = target
        self._driven: Skipping | None = None
        self.module: ModuleType | None = None
        self.driver_error: Exception | None = None
        self.load_error: BaseException | None = None

    def load(self) -> None:
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


class _Worker:
    """Holds the file and answers orders."""

    def __init__(self) -> None:
        self._printed = _Printed()
        self._use: UseFile | None = None
        self._files: dict[str, _File] = {}
        self._ready = False

    def answer(self, content: Any, tell: Callable[[Any], None]) -> Answer | None:
        from playground.engine.compile_messages import UseFile

        if not self._ready:
            self._get_ready()
        if isinstance(content, UseFile):
            for name, value in content.environment:
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
            self._use, self._files = content, {}
            return None
        return self._compile(content, tell)

    def _get_ready(self) -> None:
        import torch

        from playground.engine.triton_private import compiled, settings

        settings.complete_cache_keys()
        settings.hold_mode(False)
        # Many workers share the processors; none of them computes anything.
        torch.set_num_threads(1)
        compiled.prepare_compiler()
        self._ready = True

    def _compile(self, order: Order, tell: Callable[[Any], None]) -> Answer:
        from playground.engine import compile_findings, stages_reached
        from playground.engine.compile_messages import Answer, decode
        from playground.engine.resources import without_ptxas_log
        from playground.engine.triton_private import compiled, passes, stage_watch, stub_driver

        if self._use is None:
            raise RuntimeError("an order came before the file")
        self._printed.start()
        stub_driver.activate_stub(order.target)
        try:
            file = self._file(order.target)
        except (Exception, SystemExit) as error:
            finding = compile_findings.from_load_error(error, self._use.path)
            return Answer(None, (finding,), self._printed.text(), load_failed=True, undecided=True)
        try:
            function = file.find(order.kernel, order.kernel, order.launch)

            def find(reference: KernelRef) -> Any:
                return file.find(reference, order.kernel, order.launch)

            arguments = {
                name: decode(spec, find, file.named_module) for name, spec in order.arguments
            }
        except LookupError:
            if file.load_error is not None:
                finding = compile_findings.from_load_error(file.load_error, self._use.path)
                printed = self._printed.text()
                return Answer(None, (finding,), printed, load_failed=True, undecided=True)
            finding = compile_findings.not_found(order.kernel, file.driver_error)
            return Answer(None, (finding,), self._printed.text(), undecided=True)
        # What the file and its driver print while nothing is launched is none of the compiler's.
        self._printed.start()
        reached: list[stages_reached.Reached] = []

        def noted(stage: stages_reached.Reached) -> None:
            # Told before the stage begins: it may be the one that ends this process.
            reached[:] = [stage]
            tell(stage)

        dumps = passes.Dumps(order.passes)
        try:
            with stage_watch.watching(noted), dumps.taken():
                made = compiled.compile_function(
                    function, arguments, dict(order.options), self._printed.text
                )
        except Exception as error:
            printed = without_ptxas_log(self._printed.text(_ALL))
            last = reached[-1] if reached else None
            stages = stages_reached.texts(last)
            finding = compile_findings.from_compile_error(error, compile_findings.Context(
                order, arguments, printed, stages, last.stage if last else "", self._use.path
            ))  # fmt: skip
            return Answer(
                None, (finding,), printed[-_OUTPUT_LIMIT:], stages=stages,
                passes=dumps.read(last.stage if last else ""),
            )  # fmt: skip
        printed = without_ptxas_log(self._printed.text())
        return Answer(made, (), printed, passes=dumps.read())

    def _file(self, target: str) -> _File:
        """Return the file loaded for `target`: module-level code may ask for it."""
        file = self._files.get(target)
        if file is None:
            if self._use is None:
                raise RuntimeError("an order came before the file")
            file = _File(self._use, target)
            file.load()
            self._files[target] = file
        return file


if __name__ == "__main__":
    main()
