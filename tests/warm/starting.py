"""Starting a process as a fork of a warm one: `subprocess.Popen` as far as it is used for that."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SOCKETS = {False: "PG_TEST_WARM_COMPILED", True: "PG_TEST_WARM_INTERPRETED"}
"""Environment variables with the sockets of the warm processes, by whether they interpret."""
_WORKERS = ("compile_worker", "bench_worker", "debug_worker")


class WarmPopen:
    """A process forked from the warm one for its environment.

    Parameters
    ----------
    arguments
        A Python and its command line: `-P`, `-W`, then `-m`, `-c` or a script.
    start_children_warm
        Whether the engine's workers and those of the command line are forked there, too.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        stdin: Any = None,
        stdout: Any = None,
        stderr: Any = None,
        env: Mapping[str, str] | None = None,
        cwd: Any = None,
        pass_fds: Sequence[int] = (),
        text: bool = False,
        encoding: str | None = None,
        start_new_session: bool = False,
        start_children_warm: bool = True,
    ) -> None:
        self.args = list(arguments)
        self.returncode: int | None = None
        self.stdin = self.stdout = self.stderr = None
        environment = dict(os.environ if env is None else env)
        ours: list[int] = []
        theirs: list[int] = []
        given: list[int] = []
        mode = {"encoding": encoding or "utf-8"} if text or encoding else {}
        for number, (name, wanted) in enumerate(
            (("stdin", stdin), ("stdout", stdout), ("stderr", stderr))
        ):
            if wanted == subprocess.PIPE:
                reading, writing = os.pipe()
                mine, other = (writing, reading) if number == 0 else (reading, writing)
                kind = ("w" if number == 0 else "r") + ("" if mode else "b")
                setattr(self, name, os.fdopen(mine, kind, **mode))
                ours.append(mine)
                theirs.append(other)
                given.append(other)
            elif wanted == subprocess.DEVNULL:
                theirs.append(os.open(os.devnull, os.O_RDWR))
                given.append(theirs[-1])
            elif wanted == subprocess.STDOUT:
                given.append(given[1])
            else:
                given.append(
                    number if wanted is None
                    else wanted if isinstance(wanted, int) else wanted.fileno()
                )  # fmt: skip
        order = {
            "arguments": [str(item) for item in self.args[1:]],
            "environment": environment,
            "folder": str(cwd or os.getcwd()),
            "numbers": [0, 1, 2, *pass_fds],
            "new_session": start_new_session,
            "start_children_warm": start_children_warm,
        }
        interpret = environment.get("TRITON_INTERPRET") == "1"
        self._connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._connection.connect(os.environ[SOCKETS[interpret]])
        message = json.dumps(order).encode()
        socket.send_fds(self._connection, [message], [*given, *pass_fds])
        for file in theirs:
            os.close(file)
        self.pid = int(self._connection.recv(64))

    def poll(self) -> int | None:
        """Return the exit status, or None while the process runs."""
        if self.returncode is None and select.select([self._connection], [], [], 0)[0]:
            self._take_status()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit status once there is one; raises `subprocess.TimeoutExpired`."""
        if self.returncode is None:
            if not select.select([self._connection], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
            self._take_status()
        assert self.returncode is not None
        return self.returncode

    def _take_status(self) -> None:
        # Nothing is answered where the warm process itself was ended.
        self.returncode = int(self._connection.recv(64) or -signal.SIGKILL)
        self._connection.close()

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End the process."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask the process to end."""
        self.send_signal(signal.SIGTERM)


def run_warm(
    arguments: Sequence[str], folder: Any, *, stdin: str | None, limit_s: float, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run a process to its end and return what came of it, as `subprocess.run` does.

    Its output goes through files of `folder`: a process that it left behind may hold them open.
    """
    names = {name: os.path.join(folder, f"_{name}") for name in ("stdin", "stdout", "stderr")}
    with open(names["stdin"], "w") as file:
        file.write(stdin or "")
    with (
        open(names["stdin"], "rb") as file,
        open(names["stdout"], "wb") as out,
        open(names["stderr"], "wb") as err,
    ):
        process = WarmPopen(arguments, stdin=file, stdout=out, stderr=err, **options)
    try:
        status = process.wait(limit_s)
    except BaseException:
        process.kill()
        process.wait()
        raise
    texts = []
    for name in ("stdout", "stderr"):
        with open(names[name], encoding="utf-8", errors="replace") as file:
            texts.append(file.read())
    return subprocess.CompletedProcess(list(arguments), status, *texts)


class _Subprocess:
    """The module `subprocess` to the modules that start our own workers."""

    def __getattr__(self, name: str) -> Any:
        return getattr(subprocess, name)

    def Popen(self, arguments: Sequence[str], **options: Any) -> Any:
        environment = dict(os.environ if options.get("env") is None else options["env"])
        if arguments[:2] == [sys.executable, "-P"] and arguments[2] == "-m":
            if not arguments[3].endswith(_WORKERS):
                return subprocess.Popen(arguments, **options)
        else:
            # The command line's worker chooses for itself, which needs a process without Triton.
            from playground.engine.machine import interpret_wanted

            if interpret_wanted():
                environment.setdefault("TRITON_INTERPRET", "1")
        return WarmPopen(arguments, **{**options, "env": environment})


def start_workers_warm() -> None:
    """Let this process start the engine's workers and those of the command line as forks."""
    from playground.cli import process
    from playground.engine import child_process

    child_process.subprocess = process.subprocess = _Subprocess()  # type: ignore[assignment]


class WarmProcess:
    """A process to fork from, in which kernels are interpreted or compiled."""

    def __init__(self, folder: Any, environment: Mapping[str, str], *, interpret: bool) -> None:
        self.socket = os.path.join(folder, f"warm{interpret:d}")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.warm.server", self.socket],
            stdin=subprocess.PIPE, env=dict(environment), start_new_session=True,
        )  # fmt: skip

    def wait_until_ready(self, limit_s: float = 120.0) -> None:
        """Wait until it takes orders."""
        deadline = time.monotonic() + limit_s
        while not os.path.exists(self.socket):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"no warm process: {self._process.returncode}")
            time.sleep(0.02)

    def close(self) -> None:
        """End it; what was forked from it has ended before, each by whoever asked for it."""
        self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
