"""A process of ours that works for the engine: its start, the socket to it, and its end."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_OUTPUT_LIMIT = 16 << 20


def usable_cores() -> frozenset[int]:
    """Return the processor cores that this process may use; empty where that cannot be told."""
    return frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else frozenset()


def module_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which another Python finds this package as it is here."""
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, *filter(None, [environment.get("PYTHONPATH")])]
    return {**environment, "PYTHONPATH": os.pathsep.join(paths)}


class ChildProcess:
    """`python -m MODULE FD`, which talks over the inherited socket FD and ends when we do.

    Parameters
    ----------
    cores
        The processor cores it may use; every one when empty.
    """

    def __init__(
        self, module: str, environment: Mapping[str, str], cores: Iterable[int] = ()
    ) -> None:
        ours, theirs = socket.socketpair()
        self._output = tempfile.TemporaryFile(prefix="pg-worker-")  # noqa: SIM115 - until close
        environment = module_environment(environment)
        self._process = subprocess.Popen(
            # -P: a file of the current folder called like a library's (glob.py) is none of it.
            [sys.executable, "-P", "-m", module, str(theirs.fileno())],
            pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=self._output,
            stderr=self._output, env=environment, start_new_session=True,
        )  # fmt: skip
        theirs.close()
        self.connection = Connection(ours.detach())
        self.move_to(cores)

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def move_to(self, cores: Iterable[int]) -> None:
        """Let the process run on these cores only; threads it has already stay where they are."""
        wanted = set(cores)
        if wanted and self.alive and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(self.pid, wanted)

    def send_object(self, content: Any) -> None:
        """Send a message; raises `OSError` when the process is gone."""
        self.connection.send_bytes(pickle.dumps(content))

    def receive_object(self) -> Any:
        """Return the next message; raises `EOFError` or `OSError` when the process died."""
        return pickle.loads(self.connection.recv_bytes())

    def death(self) -> tuple[str, str]:
        """Return how the process died, and what it printed since its last order."""
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        how = f"exit status {code}"
        if code < 0:
            how = signal.Signals(-code).name
        return how, self.printed()

    def printed(self) -> str:
        """Return the last of what it printed since its last order."""
        size = os.fstat(self._output.fileno()).st_size
        start = max(0, size - _OUTPUT_LIMIT)
        return os.pread(self._output.fileno(), _OUTPUT_LIMIT, start).decode(errors="replace")

    def close(self) -> None:
        """End the process, whatever it does, and free what belongs to it."""
        self._process.kill()
        self._process.wait()
        self.connection.close()
        self._output.close()
