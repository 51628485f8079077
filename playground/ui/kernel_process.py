"""One kernel process from its start to its end: what happens to it outside the window's thread."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jupyter_client.manager import KernelManager
    from PySide6.QtCore import QSocketNotifier

    from playground.ui.engine_client import EngineClient
    from playground.ui.engine_process import Inbox

GRACE_S = 1.0
"""How long a kernel may take to end by itself before it is killed."""
_SOCKET_PATH_LIMIT = 100
"""A Unix socket's path may have 107 bytes; the kernel appends the channel's number."""
_REPORT_BYTES = 4000


@dataclass
class Kernel:
    """One life of the kernel process."""

    generation: int
    manager: KernelManager
    pid: int
    report: Path
    client: EngineClient | None = None
    pidfd: int | None = None
    notifier: QSocketNotifier | None = None
    inbox: Inbox | None = None
    subshell: str | None = None
    heard: bool = False
    comms_open: bool = False
    jobs_comm: str = ""
    side_comm: str = ""
    ready: bool = False


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
    return Kernel(generation, manager, provisioner.pid, report)


def _environment() -> dict[str, str]:
    environment = dict(os.environ)
    # The kernel runs without the current folder on its path, where a user's `triton.py` may lie;
    # from a checkout it must still find this package.
    root = str(Path(__file__).resolve().parents[2])
    if os.path.basename(root) not in ("site-packages", "dist-packages"):
        paths = [root, *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
        environment["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
    return environment


def end_kernel(kernel: Kernel, *, graceful: bool) -> None:
    """Wait for the kernel to end, kill what is left of its process group, free its sockets."""
    provisioner: Any = kernel.manager.provisioner
    process = provisioner.process if provisioner is not None else None
    if process is not None:
        if graceful:
            with contextlib.suppress(Exception):  # a timeout: killed below
                process.wait(timeout=GRACE_S)
        # Also after a good end: compile workers share the group, and none may stay behind.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(kernel.pid, signal.SIGKILL)
        process.wait()
        if process.stdin is not None:
            process.stdin.close()
    if kernel.pidfd is not None:
        os.close(kernel.pidfd)
    if kernel.client is not None:
        kernel.client.end()
    kernel.manager.cleanup_connection_file()
    kernel.manager.cleanup_ipc_files()
    kernel.manager.context.destroy(linger=0)
    with contextlib.suppress(FileNotFoundError):
        kernel.report.unlink()


def death(kernel: Kernel) -> str:
    """Return why the process ended: the first line for a message, the rest as its detail."""
    provisioner: Any = kernel.manager.provisioner
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
    try:
        tail = kernel.report.read_bytes()[-_REPORT_BYTES:].decode(errors="replace").strip()
    except OSError:
        tail = ""
    return f"{why}\n{tail}" if tail else why


def short_folder() -> str | None:
    """Return a folder in which socket paths stay short, None for the usual temporary one."""
    for folder in (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir(), "/tmp"):
        if folder and len(folder) < _SOCKET_PATH_LIMIT - 40 and os.access(folder, os.W_OK):
            return folder
    return None
