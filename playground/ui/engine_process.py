"""The real engine: an IPython kernel in a process of its own, reached over private IPC sockets."""

from __future__ import annotations

import logging
import queue
import sys
import threading
import uuid
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from playground.protocol import VERSION, messages
from playground.protocol.codec import ProtocolError, decode_reply, encode
from playground.ui.comm_watch import LOST, CommWatch
from playground.ui.connection_watch import ConnectionWatch
from playground.ui.engine_port import EnginePort
from playground.ui.inbox import Inbox
from playground.ui.kernel_process import GRACE_S, Kernel, start_kernel
from playground.ui.process_end import ProcessEnd
from playground.ui.socket_folder import SocketFolder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Launcher = Callable[[Path, int], Kernel]

    from playground.protocol.messages import Reply, Request
    from playground.ui.engine_client import EngineClient
    from playground.ui.kernel_remote import RemotePlace

_log = logging.getLogger(__name__)

JOBS_TARGET = "playground.jobs"
SIDE_TARGET = "playground.side"
FIRST_RETRY_MS, RETRY_MS = 1500, 50


class EngineProcess(EnginePort):
    """Starts, watches, restarts and ends the kernel; nothing here blocks the window.

    `clientChanged` carries the client of a fresh kernel, for the console. After a death the kernel
    is started again by itself, unless it died before it was ready.
    """

    clientChanged = Signal(object)
    _launched = Signal(object)
    _launchFailed = Signal(int, str)

    def __init__(self, parent: QObject | None = None, launcher: Launcher = start_kernel) -> None:
        super().__init__(parent)
        self._launcher = launcher
        self._kernel: Kernel | None = None
        self._generation = 0
        self._job = 0
        self._open_jobs: set[int] = set()
        self._comms = CommWatch()
        self._executing = False
        self._attaching = ""
        self._closed = False
        self._sockets = SocketFolder()
        self._folder = self._sockets.path
        self._tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._worker = threading.Thread(target=self._work, name="engine-process", daemon=True)
        self.watch = ConnectionWatch(self)
        self.watch.lost.connect(self._on_lost)
        self.watch.measured.connect(self.latencyMeasured)
        self._retry = QTimer(self)
        self._retry.timeout.connect(self._ask_for_subshell)
        self._launched.connect(self._on_launched)
        self._launchFailed.connect(self._on_launch_failed)

    # -------------------------------------------------------------------------- EnginePort

    @property
    def place(self) -> str:
        """Where the kernel runs, for people; an empty text on this machine."""
        return self.watch.place

    @property
    def kernel(self) -> Kernel | None:
        """The kernel that runs now, as far as this class knows it."""
        return self._kernel

    @property
    def pid(self) -> int | None:
        """Process id of the kernel, or None while there is none."""
        return self._kernel.pid if self._kernel else None

    @property
    def client(self) -> EngineClient | None:
        """The client of the kernel that runs now, for the console."""
        return self._kernel.client if self._kernel else None

    def start(self) -> None:
        """Start the kernel in the background; `Ready` comes when torch and triton are imported."""
        if not self._worker.is_alive():
            self._worker.start()
        self._launch_later()

    def send(self, request: Request, file: int = 0) -> int:
        """Send a request on the comm it belongs on; without an engine it is cancelled at once."""
        self._job += 1
        job = self._job
        kernel = self._kernel
        if kernel is None or not kernel.comms_open:
            self._finish_later(job)
            return job
        side = isinstance(request, messages.SIDE_REQUESTS)
        self._send_comm(kernel, request, job, side=side, file=file)
        if not side and not isinstance(request, messages.UNSEEN_REQUESTS):
            self._open_jobs.add(job)
            self._show_state()
        return job

    def interrupt(self) -> None:
        """Interrupt what the kernel runs; while it starts that would be its end."""
        if self._kernel is None or not self._kernel.ready:
            return  # one that is still starting
        self._kernel.interrupt()

    def move(self, place: RemotePlace | None) -> None:
        """Leave the kernel that runs now, and take one at another place."""
        self.use(start_kernel if place is None else place.launcher())
        self.restart()

    def use(self, launcher: Launcher) -> None:
        """Take the kernel that `launcher` starts or reaches, from the next start on."""
        self._launcher = launcher

    def restart(self) -> None:
        """End the kernel and start a fresh one."""
        if self._closed:
            return
        self._end_current(graceful=True)
        self._set_state("restarting")
        self._launch_later()

    def shutdown(self) -> None:
        """End the kernel, the threads and the socket folder; takes at most a few seconds."""
        if self._closed:
            return
        self._closed = True
        self._generation += 1
        give_up = getattr(self._launcher, "give_up", None)
        if give_up is not None:
            give_up()
        self._end_current(graceful=True)
        if self._worker.is_alive():
            self._tasks.put(None)
            self._worker.join(timeout=GRACE_S + 4)
        self._sockets.remove()
        self._set_state("dead")

    # -------------------------------------------------------------------------- worker

    def _work(self) -> None:
        try:
            self._work_off()
        finally:
            # jupyter_client's blocking calls left an event loop in this thread.
            if (jupyter := sys.modules.get("jupyter_core.utils")) is not None:
                jupyter.ensure_event_loop().close()

    def _work_off(self) -> None:
        while (task := self._tasks.get()) is not None:
            try:
                task()
            except Exception:  # the next kernel must still be started and ended
                _log.exception("a step of starting or ending the engine failed")

    def _launch_later(self) -> None:
        self._generation += 1
        generation = self._generation
        self._tasks.put(lambda: self._launch(generation))

    def _launch(self, generation: int) -> None:
        """In the worker: import the client, start the process, hand it to the window's thread."""
        if generation != self._generation:
            return
        try:
            kernel = self._launcher(self._folder, generation)
        except Exception as error:  # the window must hear of it, whatever it is
            self._launchFailed.emit(generation, f"{type(error).__name__}: {error}")
            return
        self._launched.emit(kernel)
        if generation != self._generation:
            # The window was closed meanwhile and handles no more events: nobody else would do it.
            kernel.end(graceful=False)

    @Slot(int, str)
    def _on_launch_failed(self, generation: int, why: str) -> None:
        if generation == self._generation:
            self.died.emit(f"the engine process could not be started: {why}")
            self._set_state("dead")

    # -------------------------------------------------------------------------- connecting

    @Slot(object)
    def _on_launched(self, kernel: Kernel) -> None:
        if kernel.generation != self._generation or self._closed:
            return
        from playground.ui.engine_client import EngineClient

        self._kernel = kernel
        client = EngineClient()
        client.load_connection_info(kernel.connection_info())
        client.start_channels()
        kernel.client = client
        kernel.inbox = Inbox(kernel, self)
        client.iopub_channel.message_received.connect(kernel.inbox.on_iopub)
        client.shell_channel.message_received.connect(kernel.inbox.on_shell)
        client.control_channel.message_received.connect(kernel.inbox.on_control)
        self._watch(kernel)
        if kernel.attach:
            content = {
                "code": kernel.attach,
                "silent": True,
                "store_history": False,
                "user_expressions": {},
                "allow_stdin": False,
                "stop_on_error": False,
            }
            self._attaching = self._send_shell(kernel, "execute_request", content, [], None)
        self.watch.follow(kernel)
        self._retry.start(FIRST_RETRY_MS)
        self.clientChanged.emit(client)

    def _ask_for_subshell(self) -> None:
        # A kernel that is just coming up can drop the request without an answer, so ask again.
        kernel = self._kernel
        if kernel is None or kernel.client is None or kernel.subshell is not None:
            self._retry.stop()
            return
        session = kernel.client.session
        kernel.client.control_channel.send(session.msg("create_subshell_request", {}))

    def _watch(self, kernel: Kernel) -> None:
        if kernel.pid is None:
            return
        kernel.end_watch = ProcessEnd(kernel.pid, self)
        kernel.end_watch.ended.connect(self._on_exit)

    def _open_comms(self, kernel: Kernel) -> None:
        # Not before the first output message came: until the subscription stands, replies are lost.
        if kernel.subshell is None or not kernel.heard or kernel.comms_open or kernel.attach:
            return
        kernel.comms_open = True
        kernel.jobs_comm, kernel.side_comm = uuid.uuid4().hex, uuid.uuid4().hex
        self._send_shell(
            kernel, "comm_open",
            {"comm_id": kernel.jobs_comm, "target_name": JOBS_TARGET, "data": {}}, [], None,
        )  # fmt: skip
        self._send_shell(
            kernel, "comm_open",
            {"comm_id": kernel.side_comm, "target_name": SIDE_TARGET, "data": {}}, [],
            kernel.subshell,
        )  # fmt: skip
        self._send_comm(kernel, messages.Hello(VERSION), 0, side=True)

    def _send_comm(
        self, kernel: Kernel, request: Request, job: int, *, side: bool, file: int = 0
    ) -> None:
        data, buffers = encode(request, job, file)
        comm = kernel.side_comm if side else kernel.jobs_comm
        content = {"comm_id": comm, "data": data}
        subshell = kernel.subshell if side else None
        self._comms.sent(self._send_shell(kernel, "comm_msg", content, buffers, subshell), job)

    def _send_shell(
        self,
        kernel: Kernel,
        kind: str,
        content: dict[str, Any],
        buffers: list[bytes],
        subshell: str | None,
    ) -> str:
        """Send a message on the shell channel and return its id."""
        client = kernel.client
        if client is None:
            return ""
        message = client.session.msg(kind, content)
        message["buffers"] = buffers
        if subshell is not None:
            message["header"]["subshell_id"] = subshell
        client.shell_channel.send(message)
        return str(message["header"]["msg_id"])

    # -------------------------------------------------------------------------- messages

    def take_control(self, kernel: Kernel, message: dict[str, Any]) -> None:
        """Take a message of a kernel's control channel."""
        self.watch.answered(message)
        if message["header"]["msg_type"] == "create_subshell_reply":
            kernel.subshell = kernel.subshell or message["content"].get("subshell_id")
            # A kernel that is not quite up answers with an error.
            self._retry.start(RETRY_MS)
            if kernel.subshell is not None:
                self._retry.stop()
            self._open_comms(kernel)

    def take_shell(self, kernel: Kernel, message: dict[str, Any]) -> None:
        """Take a message of a kernel's shell channel: its comms, or that it is an engine now."""
        if message["header"]["msg_type"] == "comm_info_reply":
            self._take_comms(kernel, message)
        elif kernel.attach and message["parent_header"].get("msg_id") == self._attaching:
            self._take_attached(kernel, message["content"])

    def _take_comms(self, kernel: Kernel, message: dict[str, Any]) -> None:
        if not kernel.comms_open:
            return
        there = message["content"].get("comms", {})
        if kernel.jobs_comm in there and kernel.side_comm in there:
            return
        lost = self._comms.forget()
        self._open_jobs.clear()
        kernel.comms_open = False
        self._open_comms(kernel)
        for job in lost:
            self.reply.emit(messages.Finished(cancelled=True, findings=(LOST,)), job)
        self._show_state()

    def _take_attached(self, kernel: Kernel, content: dict[str, Any]) -> None:
        """Take the answer to the code that makes an engine of a foreign kernel."""
        if content["status"] == "ok":
            kernel.attach = ""
            self._open_comms(kernel)
            return
        why = f"{content.get('ename', 'error')}: {content.get('evalue', '')}"
        if content.get("ename") == "ModuleNotFoundError":
            why = f"{content.get('evalue')}: install triton-playground where the kernel runs"
        self._end_current(graceful=False)
        self.died.emit(f"the kernel {kernel.place} could not be made an engine: {why}")
        self._set_state("dead")

    def take_iopub(self, kernel: Kernel, message: dict[str, Any]) -> None:
        """Take a message of a kernel's output channel."""
        if not kernel.heard:
            kernel.heard = True
            self._ask_for_subshell()
        kind = message["header"]["msg_type"]
        if kind == "comm_msg":
            if message["content"]["comm_id"] in (kernel.jobs_comm, kernel.side_comm):
                self._on_comm(kernel, message)
        elif kind == "status":
            parent = message["parent_header"]
            idle = message["content"]["execution_state"] == "idle"
            if idle and self._comms.is_unanswered(parent.get("msg_id", "")):
                # Answered from a thread later on; or the code that ran here took the comms away.
                self._send_shell(kernel, "comm_info_request", {}, [], None)
            if parent.get("msg_type") == "execute_request" and not parent.get("subshell_id"):
                self._executing = message["content"]["execution_state"] == "busy"
                self._show_state()

    def _on_comm(self, kernel: Kernel, message: dict[str, Any]) -> None:
        try:
            reply, job = decode_reply(message["content"]["data"], message["buffers"])
        except ProtocolError as error:
            self.died.emit(str(error))
            return
        if isinstance(reply, messages.Finished):
            self._open_jobs.discard(job)
            self._comms.answered(job)
            if job == 0:
                self._on_greeted(kernel, reply)
                return
        self._deliver(kernel, reply, job)

    def _deliver(self, kernel: Kernel, reply: Reply, job: int) -> None:
        self.reply.emit(reply, job)
        if isinstance(reply, messages.Ready):
            kernel.ready = True
        if isinstance(reply, (messages.Ready, messages.Finished)):
            self._show_state()

    def _on_greeted(self, kernel: Kernel, reply: messages.Finished) -> None:
        if kernel.ready:
            return
        # The process lives but has no session: torch or triton could not be imported.
        why = "; ".join(f"{finding.message} - {finding.hint}" for finding in reply.findings)
        details = "\n".join(finding.detail for finding in reply.findings if finding.detail)
        self.died.emit(f"{why or 'the engine did not start'}\n{details}".rstrip())
        self._set_state("dead")

    def _show_state(self) -> None:
        kernel = self._kernel
        if kernel is not None and kernel.ready:
            self._set_state("busy" if self._open_jobs or self._executing else "ready")

    def _finish_later(self, job: int) -> None:
        reply = messages.Finished(cancelled=True)
        QTimer.singleShot(0, self, lambda: self.reply.emit(reply, job))

    # -------------------------------------------------------------------------- the end

    @Slot()
    def _on_exit(self) -> None:
        kernel = self._kernel
        if kernel is None:
            return
        self._after_death(kernel, kernel.death())

    @Slot(str)
    def _on_lost(self, why: str) -> None:
        if self._kernel is not None:
            self._after_death(self._kernel, why)

    def _after_death(self, kernel: Kernel, why: str) -> None:
        was_ready = kernel.ready
        self._end_current(graceful=False)
        self.died.emit(why)
        self._set_state("dead")
        if was_ready and not self._closed:
            self._set_state("restarting")
            self._launch_later()

    def _end_current(self, *, graceful: bool) -> None:
        kernel, self._kernel = self._kernel, None
        self._retry.stop()
        self.watch.stop()
        self._open_jobs.clear()
        self._comms.forget()
        self._executing = False
        if kernel is None:
            return
        if kernel.end_watch is not None:
            kernel.end_watch.stop()
            kernel.end_watch.deleteLater()
        if kernel.client is not None and kernel.inbox is not None:
            kernel.client.iopub_channel.message_received.disconnect(kernel.inbox.on_iopub)
            kernel.client.shell_channel.message_received.disconnect(kernel.inbox.on_shell)
            kernel.client.control_channel.message_received.disconnect(kernel.inbox.on_control)
            kernel.inbox.deleteLater()
            if graceful and kernel.owned:
                kernel.client.shutdown()
        self._tasks.put(lambda: kernel.end(graceful=graceful))
