"""The compile worker: a process that compiles kernels of one file and never runs any.

`python -m playground.engine.compile_worker FD` talks over the inherited socket FD. It executes the
same text as the engine, without `TRITON_INTERPRET`, with a stand-in driver for the target; every
launch that the text makes meanwhile is noted and skipped. When the engine goes, the worker goes.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import sys
import threading
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.compile_messages import Answer, KernelRef, Order, UseFile
    from playground.engine.worker_file import WorkerFile

_OUTPUT_LIMIT = 20_000
_ALL = 16 << 20
_NICE = 5
_OF_EVERY_ORDER = (
    "compile_findings", "loading", "simulated_cuda", "stages_reached", "surroundings",
    "torch_doors", "worker_file", "triton_private.passes", "triton_private.skipped",
)  # fmt: skip
"""Modules that loading a file and compiling need, of this package."""
_FILE_AND_ORDER = 2
"""Messages from which on somebody waits: the file alone is told ahead."""


def main() -> None:
    """Answer orders until the engine closes its end of the socket."""
    connection = Connection(int(sys.argv[1]))
    # The terminal's Ctrl-C is for the engine, which then tells the worker or lets it finish.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What waits for a compiled kernel (the engine, a bench worker that starts) goes first.
    os.nice(_NICE)
    inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(connection, inbox), daemon=True).start()
    worker = _Worker()
    worker.get_ready()  # while nobody has asked for anything yet: it takes most of the start
    if inbox.qsize() < _FILE_AND_ORDER:
        worker.use_first()
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


class _Worker:
    """Holds the file and answers orders."""

    def __init__(self) -> None:
        self._printed = _Printed()
        self._use: UseFile | None = None
        self._files: dict[str, WorkerFile] = {}

    def answer(self, content: Any, tell: Callable[[Any], None]) -> Answer | None:
        from playground.engine.compile_messages import UseFile

        if isinstance(content, UseFile):
            for name, value in content.environment:
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
            self._use, self._files = content, {}
            return None
        return self._compile(content, tell)

    def get_ready(self) -> None:
        """Import torch and triton, and set both for compiling."""
        import torch

        from playground.engine.triton_private import compiled, settings

        settings.complete_cache_keys()
        settings.hold_mode(False)
        # Many workers share the processors; none of them computes anything.
        torch.set_num_threads(1)
        compiled.prepare_compiler()

    def use_first(self) -> None:
        """Import what every order needs and compile once: the first order would wait for it."""
        import importlib

        from playground.engine.machine import DEFAULT_TARGET
        from playground.engine.triton_private import first_compile

        for name in _OF_EVERY_ORDER:
            importlib.import_module(f"playground.engine.{name}")

        # Where it fails a real order fails too, and that one says why, with a place. The target is
        # not known yet; what costs is LLVM and ptxas, which all of NVIDIA's have in common.
        with contextlib.suppress(Exception):
            first_compile.compile_first(DEFAULT_TARGET)

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

    def _file(self, target: str) -> WorkerFile:
        """Return the file loaded for `target`: module-level code may ask for it."""
        file = self._files.get(target)
        if file is None:
            if self._use is None:
                raise RuntimeError("an order came before the file")
            from playground.engine.worker_file import WorkerFile

            file = WorkerFile(self._use, target)
            file.load()
            self._files[target] = file
        return file


if __name__ == "__main__":
    main()
