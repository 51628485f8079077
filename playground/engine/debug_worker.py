"""The debug worker: a process that interprets programs of one launch, stepped or as they are.

`python -m playground.engine.debug_worker FD` talks over the inherited socket FD. It interprets
wherever it runs, beside a GPU too, on bytes that the engine packed; whatever a kernel does to its
process is done to this one. When the engine goes, the worker goes.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import sys
import threading
import time
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import types
    from collections.abc import Callable

    from playground.engine.debug_launch import DebugLaunch
    from playground.engine.debug_messages import Begin, Command, Opened, Package, Ran, RunPrograms
    from playground.engine.debug_values import Scope
    from playground.engine.triton_private.interpreter_prints import PrintCollector
    from playground.engine.worker_file import WorkerFile
    from playground.model.debugging import Prints
    from playground.model.finding import Finding

_TOLD_EVERY_S = 0.3


def main() -> None:
    """Answer orders until the engine closes its end of the socket."""
    connection = Connection(int(sys.argv[1]))
    # The terminal's Ctrl-C is for the engine, which then ends the worker.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(connection, inbox), daemon=True).start()
    worker = _Worker(lambda content: connection.send_bytes(pickle.dumps(content)), inbox)
    worker.get_ready()
    while True:
        worker.answer(pickle.loads(inbox.get()))


def _read(connection: Connection, inbox: queue.SimpleQueue[bytes]) -> None:
    while True:
        try:
            inbox.put(connection.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)  # the engine is gone


class _Worker:
    def __init__(self, send: Callable[[Any], None], inbox: queue.SimpleQueue[bytes]) -> None:
        self._send = send
        self._inbox = inbox
        self._launch: DebugLaunch | None = None
        self._file: tuple[Any, WorkerFile] | None = None
        self._generation = 0

    def get_ready(self) -> None:
        """Import torch and Triton, which take most of the start."""
        import torch

        from playground.engine.triton_private import interpreter, settings

        torch.set_num_threads(1)
        interpreter.install()
        settings.hold_mode(True)

    def answer(self, order: Any) -> None:
        """Do one order; what goes wrong is in its answer."""
        from playground.engine.debug_messages import Begin, Package, RunPrograms
        from playground.protocol.debugging import DebugEnded

        sys.stdout.flush()
        os.ftruncate(1, 0)
        os.lseek(1, 0, os.SEEK_SET)
        if isinstance(order, Package):
            self._send(self._open(order))
        elif isinstance(order, RunPrograms):
            self._send(self._run(order))
        elif isinstance(order, Begin):
            prints, findings = self._step(order)
            self._send(DebugEnded(prints, findings))

    # ------------------------------------------------------------------------ the launch

    def _open(self, package: Package) -> Opened:
        from playground.engine import compile_findings
        from playground.engine.debug_launch import DebugLaunch
        from playground.engine.debug_messages import Opened
        from playground.engine.triton_private import stub_driver
        from playground.engine.worker_file import WorkerFile

        if self._launch is not None:
            self._launch.close()
            self._launch = None
        use = package.use
        for name, value in use.environment:
            if name in _OWN_VARIABLES:
                continue
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        stub_driver.activate_stub(package.target)
        if self._file is None or self._file[0] != (use.generation, package.target):
            file = WorkerFile(use, package.target)
            file.load()
            self._file = (use.generation, package.target), file
        file = self._file[1]
        try:
            self._launch = DebugLaunch(package, file)
        except LookupError:
            if file.load_error is not None:
                return Opened((compile_findings.from_load_error(file.load_error, use.path),))
            return Opened((compile_findings.not_found(package.kernel, file.driver_error),))
        return Opened()

    def _opened(self) -> DebugLaunch:
        if self._launch is None:
            raise RuntimeError("an order came before the launch")
        return self._launch

    # ------------------------------------------------------------------------ whole programs

    def _run(self, order: RunPrograms) -> Ran:
        from playground.engine.debug_messages import Looking, Ran, StoredOdd
        from playground.engine.debug_stores import StoreCollector
        from playground.engine.triton_private import interpreter
        from playground.engine.triton_private.interpreter_nonfinite import Hunter
        from playground.engine.triton_private.interpreter_prints import PrintCollector, collected

        launch = self._opened()
        call = launch.prepare()
        prints = PrintCollector(interpreter.current_program)
        stores = StoreCollector(order.most if order.stores else 0)
        hunter = Hunter(interpreter.current_program, launch.place_of)
        told, done = time.monotonic(), 0

        def look(program: int, programs: int) -> None:
            nonlocal told, done
            done += 1
            if time.monotonic() - told > _TOLD_EVERY_S:
                told = time.monotonic()
                self._send(Looking(program, programs))

        started = time.perf_counter()
        error: BaseException | None = None
        with contextlib.ExitStack() as stack:
            stack.enter_context(interpreter.storages(launch.ranges))
            stack.enter_context(interpreter.only_programs(order.programs))
            stack.enter_context(interpreter.checking(look))
            stack.enter_context(collected(prints))
            if order.stores:
                stack.enter_context(interpreter.observing(stores))
            if order.hunt:
                stack.enter_context(interpreter.hunting(hunter))
            try:
                call()
            except Exception as raised:  # the kernel's own: what it did until then is told
                error = raised
        x, y, z = launch.package.grid
        odd = tuple(
            StoredOdd(one.program, one.line, one.file, launch.engine_addresses(one.addresses),
                      one.values, one.origins)
            for one in hunter.stored
        )  # fmt: skip
        return Ran(
            self._prints(prints), stores.stored(launch.engine_addresses), tuple(stores.sites), odd,
            hunter.made, len(order.programs) if order.programs is not None else x * y * z,
            (time.perf_counter() - started) * 1e3, stores.truncated and order.stores,
            self._findings(error),
        )  # fmt: skip

    # -------------------------------------------------------------------------- stepping

    def _step(self, order: Begin) -> tuple[Prints, tuple[Finding, ...]]:
        from playground.engine.stepping import Stepper, StoppedError
        from playground.engine.triton_private import interpreter
        from playground.engine.triton_private.interpreter_prints import PrintCollector, collected

        launch = self._opened()
        call = launch.prepare()
        prints = PrintCollector(interpreter.current_program)
        x, y, _ = launch.package.grid
        program = order.program % x, order.program // x % y, order.program // (x * y)

        def scope_of(frame: types.FrameType) -> Scope:
            from playground.engine.debug_values import Scope

            return Scope(frame, launch.tensors, launch.memory, program)

        stepper = Stepper(order, scope_of, _Notes(prints).new, self._send, self._receive)
        error: BaseException | None = None
        with (
            interpreter.storages(launch.ranges),
            interpreter.only_programs([order.program]),
            collected(prints),
        ):
            try:
                stepper.run(call)
            except StoppedError:
                pass
            except Exception as raised:  # the kernel's own
                error = raised
        return self._prints(prints), self._findings(error)

    def _receive(self, wait: bool) -> Command | None:
        from playground.engine.debug_messages import Command

        while True:
            try:
                message = pickle.loads(self._inbox.get(block=wait))
            except queue.Empty:
                return None
            if isinstance(message, Command):
                return message

    # ----------------------------------------------------------------------------- results

    def _prints(self, collector: PrintCollector) -> Prints:
        from playground.model.debugging import Prints

        kept = sum(len(one.values) if one.shape or one.values else 1 for one in collector.printed)
        notes: tuple[str, ...] = ()
        if kept < collector.lines:
            notes = (f"of {collector.lines} lines the first {kept} are shown",)
        return Prints(
            "interpreter", tuple(collector.printed), tuple(collector.texts), collector.lines,
            notes=notes,
        )  # fmt: skip

    def _findings(self, error: BaseException | None) -> tuple[Finding, ...]:
        from playground.engine.coverage_findings import out_of_bounds
        from playground.engine.findings import finding_from_exception
        from playground.engine.triton_private import interpreter

        launch = self._opened()
        found = [
            out_of_bounds(launch.package.kernel.qualname.rpartition(".")[2], event)
            for event in interpreter.last_out_of_bounds()
        ]
        if error is not None:
            path = launch.package.use.path
            found.insert(0, finding_from_exception(error, "runtime", user_files=(path,)))
        return tuple(found)


class _Notes:
    """What a stepped program printed and touched outside of tensors since the last stop."""

    def __init__(self, prints: PrintCollector) -> None:
        self._prints = prints
        self._printed = self._texts = 0
        self._outside: dict[Any, int] = {}

    def new(self) -> tuple[str, ...]:
        from playground.engine.triton_private import interpreter

        found = [
            f"printed {one.prefix} {', '.join(one.values[:8])}{' …' if one.count > 8 else ''}"
            for one in self._prints.printed[self._printed :]
        ]
        found += [f"printed {text}" for text in self._prints.texts[self._texts :]]
        self._printed, self._texts = len(self._prints.printed), len(self._prints.texts)
        for event in interpreter.current_outside():
            key = event.tensor, event.kind, event.line
            new = event.lanes - self._outside.get(key, 0)
            self._outside[key] = event.lanes
            if new:
                found.append(
                    f"line {event.line}: {new} lanes of a {event.kind} outside {event.tensor}"
                )
        return tuple(found)


_OWN_VARIABLES = frozenset({"TRITON_INTERPRET", "CUDA_VISIBLE_DEVICES"})


if __name__ == "__main__":
    main()
