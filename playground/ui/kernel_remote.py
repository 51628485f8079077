"""Kernels elsewhere: one whose connection file is given, and one on another machine over SSH.

Sockets go through the SSH connection; no port is opened on either machine. The window's text and
messages travel, tensors stay where the kernel is.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shlex
import subprocess
import threading
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playground.ui.kernel_process import GRACE_S, Kernel

ATTACH = (
    "from playground.engine.attach import attach as _attach; _attach(fresh={fresh}); del _attach"
)
START_S = 120.0
_CHANNELS = ("shell", "iopub", "stdin", "control", "hb")
_OPTIONS = (
    # A window has no terminal to ask for a password in: keys or an agent open the connection.
    "BatchMode=yes", "ConnectTimeout=10", "ExitOnForwardFailure=yes", "StreamLocalBindUnlink=yes",
    "ServerAliveInterval=5", "ServerAliveCountMax=3",
)  # fmt: skip


class PlaceError(ValueError):
    """A place that cannot be reached as it was given; the message is fit for the user."""


@dataclass(frozen=True)
class RemotePlace:
    """Where the engine is to run: a host that SSH knows, a kernel's connection file, or both.

    With both the file lies on the host. `python` is the host's Python with triton-playground.
    """

    host: str = ""
    existing: str = ""
    python: str = "python3"

    def launcher(self) -> RemoteLauncher:
        """Return what reaches a kernel there.

        Raises
        ------
        PlaceError
            There is no such connection file, or the host's name is none.
        """
        if self.host.startswith("-") or any(letter.isspace() for letter in self.host):
            raise PlaceError(f"{self.host!r} is no host: give a name that ssh knows")
        if self.existing and not self.host:
            _read_connection(self.existing)
        return RemoteLauncher(self)

    def text(self) -> str:
        """Return the place in a few words."""
        if self.existing:
            at = f" at {self.host}" if self.host else ""
            return f"in {os.path.basename(self.existing)}{at}"
        return f"at {self.host}"


@dataclass
class AttachedKernel(Kernel):
    """A kernel of somebody else's, reached by its connection file; it outlives the window."""

    info: dict[str, Any] = field(default_factory=dict)
    tunnel: subprocess.Popen[bytes] | None = None

    def connection_info(self) -> dict[str, Any]:
        """Return what its client connects to."""
        return self.info

    def end(self, *, graceful: bool) -> None:
        """Close the connection and the tunnel; the kernel goes on."""
        super().end(graceful=graceful)
        _end_ssh(self.tunnel)

    def death(self) -> str:
        """Return why the connection ended."""
        return self._with_report(f"the connection to the kernel {self.place} ended")


@dataclass
class SshKernel(AttachedKernel):
    """An engine that was started on another machine, and ends with the connection."""

    def end(self, *, graceful: bool) -> None:
        """Let the engine end, then the connection."""
        if self.tunnel is not None and graceful:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.tunnel.wait(timeout=GRACE_S)
        super().end(graceful=graceful)

    def death(self) -> str:
        """Return why the connection or the engine ended."""
        return self._with_report(f"the connection to the engine {self.place} ended")


class RemoteLauncher:
    """Reaches a kernel at a place, again and again: each call is another try."""

    def __init__(self, place: RemotePlace) -> None:
        self.place = place
        self._gone = threading.Event()
        self._reached = False

    def __call__(self, folder: Path, generation: int) -> Kernel:
        """Reach a kernel; in `folder` lie its local sockets and what SSH says."""
        import playground.ui.engine_client  # noqa: F401 - so that the window finds it imported

        report = folder / f"k{generation}.log"
        if self.place.host and not self.place.existing:
            return self._started(folder, generation, report)
        # The first time a session that is there is taken over; whoever comes again wants a new one.
        attach = ATTACH.format(fresh=self._reached)
        self._reached = True
        info, tunnel = self._connection(folder, generation, report)
        return AttachedKernel(
            generation, tunnel.pid if tunnel is not None else None, report,
            place=self.place.text(), attach=attach, owned=False, far=True, info=info, tunnel=tunnel,
        )  # fmt: skip

    def give_up(self) -> None:
        """Stop waiting for a connection that is being made."""
        self._gone.set()

    # -------------------------------------------------------------------------- an engine

    def _started(self, folder: Path, generation: int, report: Path) -> Kernel:
        remote = f"/tmp/tpg-{uuid.uuid4().hex[:12]}"
        ports = {f"{name}_port": number for number, name in enumerate(_CHANNELS, 1)}
        shared = {
            **ports, "transport": "ipc", "key": uuid.uuid4().hex,
            "signature_scheme": "hmac-sha256", "kernel_name": "",
        }  # fmt: skip
        local = folder / f"r{generation}"
        forwards = [f"{local}-{port}:{remote}/k-{port}" for port in ports.values()]
        python = shlex.quote(self.place.python)
        tunnel = self._ssh(report, f"{python} -P -m playground.engine.remote", forwards)
        order = {"folder": remote, "connection": {**shared, "ip": f"{remote}/k"}}
        try:
            self._say(tunnel, json.dumps(order))
            self._wait_for(tunnel, report)
        except BaseException:
            _end_ssh(tunnel)
            raise
        return SshKernel(
            generation, tunnel.pid, report, place=self.place.text(), far=True,
            info={**shared, "ip": str(local)}, tunnel=tunnel,
        )  # fmt: skip

    @staticmethod
    def _say(tunnel: subprocess.Popen[bytes], line: str) -> None:
        if tunnel.stdin is not None:
            with contextlib.suppress(BrokenPipeError):  # it ended: what it said is told below
                tunnel.stdin.write(line.encode() + b"\n")
                tunnel.stdin.flush()

    def _wait_for(self, tunnel: subprocess.Popen[bytes], report: Path) -> None:
        """Wait until the other side says that the engine was started."""
        if tunnel.stdout is None:
            raise PlaceError("the output of ssh is not heard")
        until = time.monotonic() + START_S
        said = b""
        while b"\n" not in said:
            if self._gone.is_set() or time.monotonic() > until:
                raise PlaceError(f"{self.place.host} did not answer within {START_S:.0f} s")
            if not select.select([tunnel.stdout], [], [], 0.1)[0]:
                continue
            part = os.read(tunnel.stdout.fileno(), 4096)
            if not part:
                tunnel.wait()
                told = report.read_text(errors="replace").strip()
                raise PlaceError(f"no engine was started at {self.place.host}: {told}")
            said += part

    # ----------------------------------------------------------------- somebody's kernel

    def _connection(
        self, folder: Path, generation: int, report: Path
    ) -> tuple[dict[str, Any], subprocess.Popen[bytes] | None]:
        """Return what to connect to, and the tunnel to it if there must be one."""
        if not self.place.host:
            return _read_connection(self.place.existing), None
        told = subprocess.run(
            [*_ssh_command(), "--", self.place.host, f"cat {shlex.quote(self.place.existing)}"],
            capture_output=True, timeout=START_S, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        if told.returncode:
            raise PlaceError(told.stderr.decode(errors="replace").strip() or "ssh failed")
        info = _parsed(told.stdout.decode(errors="replace"), self.place.existing)
        local = folder / f"r{generation}"
        forwards, ports = [], {}
        for number, name in enumerate(_CHANNELS, 1):
            port = info[f"{name}_port"]
            there = f"{info['ip']}-{port}" if info["transport"] == "ipc" else f"{info['ip']}:{port}"
            forwards.append(f"{local}-{number}:{there}")
            ports[f"{name}_port"] = number
        tunnel = self._ssh(report, "echo forwarding && exec cat", forwards)
        try:
            self._wait_for(tunnel, report)
        except BaseException:
            _end_ssh(tunnel)
            raise
        return {**info, **ports, "transport": "ipc", "ip": str(local)}, tunnel

    def _ssh(self, report: Path, command: str, forwards: list[str]) -> subprocess.Popen[bytes]:
        with report.open("wb") as out:
            return subprocess.Popen(
                [*_ssh_command(), *(part for one in forwards for part in ("-L", one)), "--",
                 self.place.host, command],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=out,
                # Ctrl+C in the terminal that the window was started from is not for it.
                start_new_session=True,
            )  # fmt: skip


def _ssh_command() -> list[str]:
    return ["ssh", *(part for option in _OPTIONS for part in ("-o", option))]


def _end_ssh(tunnel: subprocess.Popen[bytes] | None) -> None:
    if tunnel is None:
        return
    for pipe in (tunnel.stdin, tunnel.stdout):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
    try:
        tunnel.wait(timeout=GRACE_S)
    except subprocess.TimeoutExpired:
        tunnel.kill()
        tunnel.wait()


def _read_connection(path: str) -> dict[str, Any]:
    """Return what a connection file says; raises `PlaceError`."""
    try:
        text = Path(path).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PlaceError(f"cannot read {path}: {getattr(error, 'strerror', error)}") from error
    return _parsed(text, path)


def _parsed(text: str, path: str) -> dict[str, Any]:
    try:
        info = json.loads(text)
    except ValueError as error:
        raise PlaceError(f"{path} is no connection file: {error}") from error
    wanted = {"transport", "ip", "key", *(f"{name}_port" for name in _CHANNELS)}
    missing = sorted(wanted - set(info)) if isinstance(info, dict) else sorted(wanted)
    if missing:
        raise PlaceError(f"{path} is no connection file of a Jupyter kernel: no {missing[0]} in it")
    return dict(info)
