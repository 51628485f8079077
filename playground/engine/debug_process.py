"""The debug worker as the engine has it: started when first needed, given launches and orders."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playground.engine import debug_package
from playground.engine.child_process import ChildProcess
from playground.engine.debug_messages import (
    Begin,
    Looking,
    Opened,
    Ran,
    RunPrograms,
)
from playground.model.debugging import Prints
from playground.model.finding import Finding
from playground.protocol.debugging import DebugEnded

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.compile_messages import UseFile
    from playground.engine.debug_messages import Command, Package
    from playground.engine.debug_package import PackedFile
    from playground.engine.job import Job
    from playground.engine.replay import PreparedReplay

START_LIMIT_S = 120.0
_POLL_S = 0.02


class DebugError(RuntimeError):
    """No program can be debugged; `findings` say why."""

    def __init__(self, text: str, findings: tuple[Finding, ...] = ()) -> None:
        super().__init__(text)
        self.findings = findings


@dataclass
class Packed:
    """A launch on its way to a worker."""

    key: Any
    package: Package
    file: PackedFile


def environment() -> dict[str, str]:
    """Return the environment of a worker: it interprets, and sees no GPU."""
    return {**os.environ, "TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""}


class DebugProcess:
    """One worker; a new one takes the place of one that has died or was ended.

    It holds one launch at a time. A program that is stepped through takes the worker with
    it: see `step`.
    """

    def __init__(self) -> None:
        self._process: ChildProcess | None = None
        self._held: Any = None

    def prestart(self) -> None:
        """Start the process now: it takes seconds to import torch and Triton."""
        if self._process is None or not self._process.alive:
            self.close()
            self._process = ChildProcess("playground.engine.debug_worker", environment())

    def pack(
        self, key: Any, make: Callable[[], PreparedReplay], use: UseFile, target: str
    ) -> Packed | None:
        """Return a launch for `take`; None where the worker has it already, which `key` tells."""
        self.prestart()
        if self._held == key:
            return None
        self._held = None
        package, file = debug_package.pack(make(), use, target)
        return Packed(key, package, file)

    def take(self, packed: Packed | None, job: Job) -> None:
        """Give the worker what `pack` returned.

        Raises
        ------
        DebugError
            The worker does not come to the launch.
        """
        if packed is None:
            return
        try:
            opened = self.ask(packed.package, job, START_LIMIT_S)
        finally:
            packed.file.close()
        if not isinstance(opened, Opened) or opened.findings:
            found = getattr(opened, "findings", ())
            raise DebugError(found[0].message if found else "the worker gave no answer", found)
        self._held = packed.key

    def run(self, order: RunPrograms, job: Job, limit_s: float | None = None) -> Ran:
        """Return what became of these programs.

        Raises
        ------
        DebugError
            The process ended under them, or they took longer than `limit_s`.
        """
        ran = self.ask(order, job, limit_s)
        if not isinstance(ran, Ran):
            raise DebugError(f"the worker answered {type(ran).__name__}")
        return ran

    def ask(self, order: Package | RunPrograms, job: Job, limit_s: float | None = None) -> Any:
        """Send an order and return its answer; a cancelled job ends the process."""
        process = self._process
        if process is None:
            raise DebugError("the debug worker is gone")
        end = None if limit_s is None else time.monotonic() + limit_s
        try:
            process.send_object(order)
            while True:
                while not process.connection.poll(_POLL_S):
                    job.check()
                    if end is not None and time.monotonic() > end:
                        raise DebugError(f"no end after {limit_s:g} s")
                answer = process.receive_object()
                if not isinstance(answer, Looking):
                    return answer
                done = answer.program / max(answer.programs, 1)
                job.progress(f"interpreting program {answer.program} of {answer.programs}", done)
        except (EOFError, OSError) as error:
            raise self._death() from error
        except BaseException:
            self.close()  # whatever it does now, nobody waits for it
            raise

    def step(self, order: Begin) -> Stepping:
        """Begin to step through a program; the worker is the stepping's from now on."""
        process, self._process, self._held = self._process, None, None
        if process is None:
            raise DebugError("the debug worker is gone")
        return Stepping(process, order)

    def close(self) -> None:
        """End the process, whatever it does."""
        if self._process is not None:
            self._process.close()
            self._process, self._held = None, None

    def _death(self) -> DebugError:
        if self._process is None:
            return DebugError("the debug worker is gone")
        how, said = self._process.death()
        self.close()
        last = said.strip().splitlines()[-1:]
        return DebugError(
            f"the process that interprets the kernel ended ({how}){': ' if last else ''}"
            f"{last[0][:300] if last else ''}"
        )


class Stepping:
    """A program that is stepped through, in a process of its own: commands in, events out.

    Commands may be sent from any thread; one thread takes the events.
    """

    def __init__(self, process: ChildProcess, order: Begin) -> None:
        self._process = process
        self._closed = False
        process.send_object(order)

    def send(self, command: Command) -> None:
        """Tell the program what to do; one that has ended takes no notice."""
        if self._closed:
            return
        try:
            self._process.send_object(command)
        except OSError:  # it has ended: the events say so
            return

    def event(self, wait_s: float) -> Any:
        """Return the next event, None where none is in time; `DebugEnded` where it has died."""
        try:
            if not self._process.connection.poll(wait_s):
                return None
            return self._process.receive_object()
        except (EOFError, OSError):
            if self._closed:
                return DebugEnded(Prints("interpreter", ()))
            how, said = self._process.death()
            finding = Finding(
                "error", "runtime", f"the process that interpreted the program ended ({how})",
                "the interpreter reads and writes memory of its own process: look for an access "
                "outside of every tensor", detail=said[-2000:],
            )  # fmt: skip
            return DebugEnded(Prints("interpreter", ()), (finding,))

    def close(self) -> None:
        """End the program, whatever it does."""
        if not self._closed:
            self._closed = True
            self._process.close()
