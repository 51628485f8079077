"""One kernel process from its start to its end: what happens to it outside the window's thread."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jupyter_client.manager import KernelManager

    from playground.ui.engine_client import EngineClient
    from playground.ui.inbox import Inbox
    from playground.ui.process_end import ProcessEnd

GRACE_S = 1.0
"""How long a kernel may take to end by itself before it is killed."""
_REPORT_BYTES = 4000


@dataclass
class Kernel:
    """One life of a kernel, as the window knows it.

    `pid` is the process whose end is the kernel's, None where that is out of reach. `place` says
    for people where it runs, nothing for this machine. `attach` is code that makes an engine of a
    foreign kernel, to be executed before anything is asked of it; such a kernel is not `owned`, and
    goes on when the window closes. `far` tells that its connection is to be watched.
    """

    generation: int
    pid: int | None
    report: Path
    place: str = ""
    attach: str = ""
    owned: bool = True
    far: bool = False
    client: EngineClient | None = None
    end_watch: ProcessEnd | None = None
    inbox: Inbox | None = None
    subshell: str | None = None
    heard: bool = False
    comms_open: bool = False
    jobs_comm: str = ""
    side_comm: str = ""
    ready: bool = False

    def connection_info(self) -> dict[str, Any]:
        """Return what its client connects to, as a connection file has it."""
        raise NotImplementedError

    def interrupt(self) -> None:
        """Interrupt what it runs, as Ctrl+C would, by asking it."""
        if self.client is not None:
            message = self.client.session.msg("interrupt_request", {})
            self.client.control_channel.send(message)

    def end(self, *, graceful: bool) -> None:
        """End what was started for it, and free what it used; outside the window's thread."""
        if self.client is not None:
            self.client.end()

    def death(self) -> str:
        """Return why it ended: the first line for a message, the rest as its detail."""
        raise NotImplementedError

    def _with_report(self, why: str) -> str:
        try:
            tail = self.report.read_bytes()[-_REPORT_BYTES:].decode(errors="replace").strip()
        except OSError:
            tail = ""
        return f"{why}\n{tail}" if tail else why


@dataclass
class LocalKernel(Kernel):
    """A kernel that this window started on this machine."""

    manager: KernelManager | None = None

    def connection_info(self) -> dict[str, Any]:
        """Return what its client connects to."""
        return dict(self._manager.get_connection_info())

    def interrupt(self) -> None:
        """Send SIGINT to the kernel alone: its compile workers go on."""
        if self.pid is None:
            return
        if sys.platform == "win32":  # no signals there: the kernel waits for an event
            from jupyter_client.win_interrupt import send_interrupt

            provisioner: Any = self._manager.provisioner
            send_interrupt(provisioner.process.win32_interrupt_event)
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGINT)

    @property
    def _manager(self) -> KernelManager:
        if self.manager is None:
            raise RuntimeError("a local kernel has a manager")
        return self.manager

    def end(self, *, graceful: bool) -> None:
        """Wait for the kernel to end, kill what is left of its process group, free its sockets."""
        provisioner: Any = self._manager.provisioner
        process = provisioner.process if provisioner is not None else None
        if process is not None and self.pid is not None:
            if graceful:
                with contextlib.suppress(Exception):  # a timeout: killed below
                    process.wait(timeout=GRACE_S)
            # Also after a good end: compile workers share the group, and none may stay behind.
            _kill_group(self.pid)
            process.wait()
            if process.stdin is not None:
                process.stdin.close()
        super().end(graceful=graceful)
        self._manager.cleanup_connection_file()
        self._manager.cleanup_ipc_files()
        self._manager.context.destroy(linger=0)
        with contextlib.suppress(FileNotFoundError):
            self.report.unlink()

    def death(self) -> str:
        """Return why the process ended."""
        provisioner: Any = self._manager.provisioner
        code = provisioner.process.wait() if provisioner and provisioner.process else None
        if code is None:
            why = "the engine process ended"
        elif code < 0:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = f"signal {-code}"
            why = f"the engine process was ended by {name}"
        else:
            why = f"the engine process exited with status {code}"
        return self._with_report(why)


def _kill_group(leader: int) -> None:
    """Kill a process that leads a group of its own, and what is left of its group."""
    if sys.platform == "win32":  # no groups there, but a tree while its root lives
        import psutil

        with contextlib.suppress(psutil.NoSuchProcess):
            root = psutil.Process(leader)
            for process in (*root.children(recursive=True), root):
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def start_kernel(folder: Path, generation: int) -> Kernel:
    """Start the engine as a kernel with its sockets and its report in `folder`."""
    from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
    from jupyter_client.manager import KernelManager

    import playground.ui.engine_client  # noqa: F401 - so that the window's thread finds it imported

    class EngineSpecs(KernelSpecManager):
        """Knows one kernel: this application's engine, in this Python."""

        def get_kernel_spec(self, _name: str) -> KernelSpec:
            argv = [sys.executable, "-P", "-m", "playground.engine", "-f", "{connection_file}"]
            return KernelSpec(argv=argv, display_name="Triton Playground", language="python")

    # A cleaner of temporary files may have taken it.
    folder.mkdir(mode=0o700, exist_ok=True)
    connection = folder / f"k{generation}.json"
    report = folder / f"k{generation}.log"
    manager = KernelManager(
        transport="ipc",
        connection_file=str(connection),
        kernel_spec_manager=EngineSpecs(),
        shutdown_wait_time=GRACE_S,
    )
    with report.open("wb") as out:
        manager.start_kernel(stdout=out, stderr=out, env=_environment())
    provisioner: Any = manager.provisioner
    return LocalKernel(generation, provisioner.pid, report, manager=manager)


def _environment() -> dict[str, str]:
    environment = dict(os.environ)
    # The kernel runs without the current folder on its path, where a user's `triton.py` may lie;
    # from a checkout it must still find this package.
    root = str(Path(__file__).resolve().parents[2])
    if os.path.basename(root) not in ("site-packages", "dist-packages"):
        paths = [root, *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
        environment["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
    return environment
