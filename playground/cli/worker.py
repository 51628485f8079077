"""The process that does a verb's work: it may die of the user's kernel, the command line does not.

It writes one JSON line for every state of its document to the pipe that was its standard output;
the last line has the verb's exit status. What the user's driver prints goes to standard error.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import json
import os
import signal
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn, TextIO

from playground.cli import schema
from playground.cli.task import INTERRUPTED, Task
from playground.engine.machine import prepare_environment
from playground.engine.start_failure import require_triton, start_failure
from playground.model.finding import Finding

if TYPE_CHECKING:
    from playground.cli.schema import Json
    from playground.engine.ahead import Ahead


class Report:
    """The document in the making, and the pipe on which its states go to the command line."""

    def __init__(self, verb: str, file: str, pipe: TextIO, *, progress: bool) -> None:
        self._document = schema.document(verb, file)
        self._findings: list[Finding] = []
        self._pipe = pipe
        self._progress = progress
        self._doing = "starting"
        self._status: int | None = None
        self.usage_error = False

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found so far."""
        return tuple(self._findings)

    @property
    def failed(self) -> bool:
        """Whether an error was found."""
        return any(item.severity == "error" for item in self._findings)

    def doing(self, what: str) -> None:
        """Say what comes next, so that it can be named if this process dies of it."""
        self._doing = what
        self._send()

    def put(self, key: str, value: object) -> None:
        """Set a part of the document and hand on its state."""
        self._document[key] = value
        self._send()

    def add(self, *findings: Finding) -> None:
        """Add findings, each once: several steps may fail of the same, on different ways to it."""
        for item in findings:
            if not any(replace(item, detail=known.detail) == known for known in self._findings):
                self._findings.append(item)
        self._document["findings"] = [schema.finding(item) for item in self._findings]

    def refuse(self, finding: Finding) -> None:
        """Add a finding that means: the command line asked for something that is not there."""
        self.usage_error = True
        self.add(finding)

    def progress(self, text: str, fraction: float | None) -> None:
        """Show how far the work is, where somebody watches."""
        if self._progress:
            share = "" if fraction is None else f" ({fraction:.0%})"
            print(f"\r\033[K{text}{share}"[:160], end="", file=sys.stderr, flush=True)

    def finish(self, *, interrupted: bool) -> int:
        """Hand on the final document with the exit status it stands for, and return that."""
        if self._progress:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        status = 2 if self.usage_error else int(self.failed)
        self._status = INTERRUPTED if interrupted else status
        self._send()
        return self._status

    def _send(self) -> None:
        state: Json = {"status": self._status, "doing": self._doing, "document": self._document}
        self._pipe.write(json.dumps(state, allow_nan=False) + "\n")
        self._pipe.flush()


def main() -> NoReturn:
    """Do the task in the first argument and end the process with the verb's exit status."""
    # The pipe moves out of the way first: what user code prints, on whatever level, is not ours.
    pipe = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    faulthandler.enable()
    _die_with_parent()
    # Ignored where a script started the command in the background; the parent interrupts by it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    prepare_environment()
    task = Task.from_json(sys.argv[1])
    report = Report(task.verb, task.file, pipe, progress=task.progress)
    report.doing("importing torch and triton")
    interrupted = False
    try:
        ahead = _started_ahead(task)
        try:
            require_triton()
            from playground.cli.verbs import perform
        except Exception as error:  # torch or triton do not import: nothing can be done here
            report.add(start_failure(error))
        else:
            perform(task, report, ahead)
        finally:
            if ahead is not None:
                ahead.close()
    except KeyboardInterrupt:
        report.add(Finding("error", "engine", "interrupted", file=task.file or None))
        interrupted = True
    status = report.finish(interrupted=interrupted)
    _end(status)


def _started_ahead(task: Task) -> Ahead | None:
    """Start a sweep's processes, which import torch while this one does."""
    if task.verb != "sweep":
        return None
    from playground.engine.ahead import start_ahead
    from playground.model.sweep_workers import Workers

    return start_ahead(Workers(task.gpus, task.share, task.cluster))


def _end(status: int) -> NoReturn:
    """End the process without Python's and the libraries' own tidying up.

    The document is delivered and the session closed: nothing is left that tidying could save. But
    the exit handlers of CUDA's, CUPTI's and torch's libraries run in no order they agreed on, and
    now and then one frees what another has freed ("double free or corruption").
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # user code may have closed it
            stream.flush()
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).fflush(None)  # what kernels print on a GPU waits in C's buffers
    os._exit(status)


def _die_with_parent() -> None:
    """Ask Linux to end this process when the command line is killed: nobody would read on."""
    if sys.platform.startswith("linux"):
        import signal

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGTERM)
