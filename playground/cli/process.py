"""Run the worker process of a verb and turn its death, whatever the cause, into a finding."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from playground.cli import schema
from playground.cli.task import INTERRUPTED
from playground.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from playground.cli.schema import Json
    from playground.cli.task import Task

GRACE_S = 5.0
"""How long a worker may take to end by itself after it was interrupted."""

_REMEDIES = {
    "SIGSEGV": "code outside Triton touched memory that is not its own; run the driver alone in "
    "a debugger, or leave out what it does besides launching kernels",
    "SIGABRT": "a library gave up; what it said is above",
    "SIGKILL": "it was killed, most likely because memory ran out: choose a smaller problem size "
    "with --set",
    "SIGBUS": "memory it had was taken away, for example because /dev/shm is full",
}


@dataclass(frozen=True)
class Outcome:
    """The last state of the document, and the exit status of the verb."""

    document: Json
    status: int


def run_worker(
    task: Task, timeout_s: float | None, on_document: Callable[[Json], None] | None = None
) -> Outcome:
    """Do `task` in a process of its own and return what came of it.

    Parameters
    ----------
    on_document
        Called with every state of the document as the work goes on, from another thread.
    """
    with unwinding_on_sigterm():
        worker = _Worker(task, on_document)
        try:
            return worker.wait(timeout_s)
        finally:
            worker.end()


@contextlib.contextmanager
def unwinding_on_sigterm() -> Iterator[None]:
    """Let SIGTERM unwind the stack as Ctrl-C does, so that processes begun here are ended."""
    before = signal.signal(signal.SIGTERM, _terminated)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminated(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + signal.SIGTERM)


class _Worker:
    def __init__(self, task: Task, on_document: Callable[[Json], None] | None) -> None:
        self._task = task
        self._on_document = on_document
        self._document = schema.document(task.verb, task.file)
        self._doing = "starting"
        self._delivered: int | None = None
        self._untold: OSError | None = None
        # A session of its own: Ctrl-C reaches this process only, which then ends the worker and
        # whatever it started in an order that loses nothing.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _start_code(), task.to_json()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=os.name != "nt",
        )
        self._reader = threading.Thread(target=self._read, name="worker-reader", daemon=True)
        self._reader.start()

    def wait(self, timeout_s: float | None) -> Outcome:
        """Return the outcome; the limit and Ctrl-C become findings like any other failure."""
        try:
            status = self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            reached = self._ended_early(
                f"not done after {timeout_s:g} s while {self._doing}",
                "choose a smaller problem size with --set, or a longer --timeout",
                1,
            )
            self._stop()  # what the worker says about being stopped is not news
            return reached
        except KeyboardInterrupt:
            # Stopped first: the reader then knows what the worker was doing. What the worker finds
            # once it is being stopped (no launch, say) is no news.
            document = self._document
            self._stop()
            self._document = document
            return self._ended_early(f"interrupted while {self._doing}", "", INTERRUPTED)
        self._drain()
        if self._untold is not None:
            raise self._untold
        if self._delivered == INTERRUPTED:
            return self._ended_early(f"interrupted while {self._doing}", "", INTERRUPTED)
        if self._delivered is not None:
            # Whatever the process died of after its last word: the work was done.
            return Outcome(self._document, self._delivered)
        if status < 0:
            name = signal.Signals(-status).name
            return self._ended_early(
                f"the process with the kernel died of {name} while {self._doing}",
                _REMEDIES.get(name, ""),
                1,
            )
        return self._ended_early(
            f"the process with the kernel ended with exit status {status} while {self._doing}",
            "code that ends the process takes everything with it",
            1,
        )

    def end(self) -> None:
        """Leave no process behind, also none that the user's code started."""
        kill_group(self._process)
        self._process.wait()
        self._drain()

    def _stop(self) -> None:
        if os.name == "nt":
            self._process.terminate()
        else:
            self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(GRACE_S)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            kill_group(self._process)
            self._process.wait()
        self._drain()

    def _drain(self) -> None:
        # A process that the worker left behind may hold the pipe open.
        self._reader.join(0.5)
        if self._reader.is_alive():
            kill_group(self._process)
            self._reader.join(GRACE_S)
        if self._process.stdout is not None and not self._reader.is_alive():
            self._process.stdout.close()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            try:
                state = json.loads(line)
            except ValueError:
                continue  # the last line of a process that died while writing it
            self._document = state["document"]
            self._doing = state["doing"]
            self._delivered = state["status"]
            if self._on_document is not None:
                try:
                    self._on_document(self._document)
                except OSError as error:
                    # Nobody reads what is told any more: raised again where the worker is awaited.
                    self._untold = error
                    kill_group(self._process)
                    return

    def _ended_early(self, message: str, hint: str, status: int) -> Outcome:
        finding = Finding("error", "engine", message, hint=hint, file=self._task.file or None)
        findings = self._document["findings"]
        known = findings if isinstance(findings, list) else []
        kept = [item for item in known if item.get("message") != "interrupted"]
        document = {**self._document, "findings": [*kept, schema.finding(finding)]}
        return Outcome(document, status)


def _start_code() -> str:
    # Not `-m`: that would put the current folder first on the path, and a `queue.py` there
    # would stand in for the standard library's.
    root = str(Path(__file__).resolve().parents[2])
    return (
        f"import sys; root = {root!r}; root in sys.path or sys.path.append(root); "
        "from playground.cli.worker import main; main()"
    )


def kill_group(process: subprocess.Popen[str]) -> None:
    """Kill a process that leads a session of its own, and all that it started."""
    try:
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return  # nobody is left
