"""The engine's end of the two comms: jobs one at a time in the main thread, questions at once."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, Protocol

from tornado.ioloop import IOLoop

from playground.engine.held_files import HeldFiles, ReleasedError
from playground.engine.interrupts import Interrupts
from playground.engine.job import CancelledError, Job, Later
from playground.engine.job_watch import JobWatch, cuda_is_busy
from playground.engine.server_jobs import JOBS, STAGES
from playground.engine.start_failure import start_failure
from playground.engine.tidying import Tidying, set_apart
from playground.model.finding import Finding
from playground.model.targets import known_targets
from playground.protocol import VERSION, messages
from playground.protocol.codec import ProtocolError, decode_request, encode, file_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from playground.protocol.messages import Reply, Request


JOBS_TARGET = "playground.jobs"
SIDE_TARGET = "playground.side"
_REMEMBERED_CANCELS = 1000


class Namespace(Protocol):
    """Where the session and the globals of the user's module are shown."""

    def set_session(self, session: Any) -> None:
        """Make `play` the session."""

    def show_module(self, names: Mapping[str, Any]) -> None:
        """Show a module's globals."""


class EngineServer:
    """Receives requests on the comms of one kernel and sends their replies.

    Replies are sent past `comm.send`: that one pins a comm to the shell which sent on it last, and
    takes the wrong parent when a worker thread reports progress.
    """

    def __init__(self, kernel: Any, namespace: Namespace) -> None:
        self._kernel = kernel
        self._namespace = namespace
        self._files: HeldFiles | None = None
        self._shown = 0
        self._failure: tuple[Finding, ...] = ()
        self._ready: messages.Ready | None = None
        self._lock = threading.Lock()
        self._jobs: dict[int, Job] = {}
        self._cancelled_early: dict[int, None] = {}
        self._greetings: list[Callable[[], None]] = []
        self._watch = JobWatch()
        self.tidying = Tidying(IOLoop.current())
        self._job_comms: set[str] = set()
        self._interrupts = Interrupts(kernel, self._job_comms.__contains__)
        self._pid = os.getpid()

    # ------------------------------------------------------------------------------ start

    def register(self) -> None:
        """Offer the two comm targets."""
        self._kernel.comm_manager.register_target(JOBS_TARGET, self._open_jobs)
        self._kernel.comm_manager.register_target(SIDE_TARGET, self._open_side)

    def start_session(self, make: Callable[[], Any]) -> None:
        """Make the session of the first file and answer the greetings that waited for it."""
        try:
            session = make()
            ready = messages.Ready(VERSION, session.device, _targets(session))
            encode(ready, 0)
        except Exception as error:  # the window must hear of it, whatever it is
            self._failure = (start_failure(error),)
        else:
            self._namespace.set_session(session)
            self._ready = ready
            self._files = HeldFiles(session, lambda: type(session)(session.device))
            if session.device.mode == "gpu":
                self._watch.gpu_is_busy = cuda_is_busy
                set_apart()
        with self._lock:
            greetings, self._greetings = self._greetings, []
        for greet in greetings:
            greet()

    def close(self) -> None:
        """Close the sessions and the workers they started."""
        if self._files is not None:
            self._files.close()

    # ------------------------------------------------------------------------------ comms

    def _open_jobs(self, comm: Any, _message: Any) -> None:
        self._job_comms.add(comm.comm_id)
        comm.on_msg(lambda message: self._on_job(comm, message))

    def _open_side(self, comm: Any, _message: Any) -> None:
        # Set on the instance: `on_msg` would fire the shell's cell events in this thread as well.
        comm.handle_msg = lambda message: self._on_side(comm, message)

    def _send(self, comm: Any, parent: Any, reply: Reply, job: int) -> None:
        data, buffers = encode(reply, job)
        self._kernel.session.send(
            self._kernel.iopub_socket,
            "comm_msg",
            {"comm_id": comm.comm_id, "data": data},
            parent=parent,
            ident=comm.topic,
            buffers=buffers,
        )

    def _receive(self, comm: Any, message: Any) -> tuple[Request, int, int] | None:
        """Return a request, its job and the file it is about."""
        data = message["content"]["data"]
        try:
            return *decode_request(data, message["buffers"]), file_of(data)
        except ProtocolError as error:
            number = data.get("job")
            finding = Finding("error", "engine", str(error))
            if isinstance(number, int):
                self._send(comm, message, messages.Finished(findings=(finding,)), number)
            return None

    # ------------------------------------------------------------------------------ jobs

    def _on_job(self, comm: Any, message: Any) -> None:
        received = self._receive(comm, message)
        if received is None:
            return
        request, number, file = received
        self.tidying.begin()
        job = Job(lambda reply: self._send(comm, message, reply, number))
        with self._lock:
            self._jobs[number] = job
            if number in self._cancelled_early:
                job.cancel()
        finished: messages.Finished | Later = messages.Finished(cancelled=True)
        try:
            try:
                self._interrupts.let_in()
                with self._watch.over(job, lambda error: self._give_up(error, request, number)):
                    finished = self._work(request, job, file)
            finally:
                self.end_forked()
                self._interrupts.keep_out()
        except KeyboardInterrupt:
            self._interrupts.keep_out()
            finished = messages.Finished(cancelled=True) if job.cancelled else _interrupted(request)
        if isinstance(finished, Later):
            threading.Thread(
                target=self._work_beside, args=(finished, request, job, number), daemon=True
            ).start()
        else:
            self._finish(finished, job, number)
        failed = isinstance(finished, messages.Finished) and finished != messages.Finished()
        self.tidying.end(littered=failed or isinstance(request, messages.Run))

    def _finish(self, finished: messages.Finished, job: Job, number: int) -> None:
        with self._lock:
            self._jobs.pop(number, None)
        job.send(finished)

    def end_forked(self) -> None:
        """End this process if it is a copy that user code forked off and let run on.

        It would answer on the engine's own sockets.
        """
        if os.getpid() != self._pid:
            os._exit(0)

    def _give_up(self, error: BaseException, request: Request, number: int) -> None:
        """End a job whose thread does not come back; whoever asked ends this process."""
        with self._lock:
            job = self._jobs.get(number)
        if job is not None:
            self._finish(self._failed(error, request), job, number)

    def _work_beside(self, later: Later, request: Request, job: Job, number: int) -> None:
        finished = messages.Finished()
        try:
            job.send(later.work())
        except CancelledError:
            finished = messages.Finished(cancelled=True)
        except Exception as error:  # the edge of a job: every failure becomes a finding
            finished = self._failed(error, request)
        self._finish(finished, job, number)

    def _work(self, request: Request, job: Job, file: int) -> messages.Finished | Later:
        files = self._files
        if files is None:
            return messages.Finished(findings=self._failure)
        session = None
        try:
            job.check()
            if isinstance(request, messages.CloseFile):
                files.close_file(file)
                return messages.Finished()
            if isinstance(request, messages.ShowFile):
                self._show(files.take(file, runs=True), file)
                return messages.Finished()
            session = files.take(file, runs=isinstance(request, messages.Run))
            if isinstance(request, messages.Run) and file == self._shown:
                self._namespace.show_module({})  # its tensors would stay beside the new ones
            reply = JOBS[type(request)](session, request, job)
            if isinstance(reply, Later):
                return reply
            if reply is not None:
                job.send(reply)
        except CancelledError:
            return messages.Finished(cancelled=True)
        except KeyboardInterrupt:
            return messages.Finished(cancelled=True) if job.cancelled else _interrupted(request)
        except ReleasedError:
            return messages.Finished(released=True)
        except BaseException as error:  # the edge of a job: every failure becomes a finding
            return self._failed(error, request)
        finally:
            if isinstance(request, messages.Run) and session is not None and file == self._shown:
                self._show(session, file)
        return messages.Finished()

    def _show(self, session: Any, file: int) -> None:
        """Let the console see a file: `play` is its session, beside it what its run left."""
        self._shown = file
        self._namespace.set_session(session)
        self._namespace.show_module(getattr(session, "namespace", None) or {})

    def _failed(self, error: BaseException, request: Request) -> messages.Finished:
        from playground.engine.findings import finding_from_exception, is_fatal

        stage = STAGES.get(type(request), "engine")
        session = self._files.current if self._files is not None else None
        path = getattr(session, "path", None)
        finding = finding_from_exception(error, stage, user_files=(path,) if path else ())
        return messages.Finished(fatal=is_fatal(error), findings=(finding,))

    # ------------------------------------------------------------------------------ side

    def _on_side(self, comm: Any, message: Any) -> None:
        received = self._receive(comm, message)
        if received is None:
            return
        request, number, file = received

        def send(reply: Reply) -> None:
            self._send(comm, message, reply, number)

        if isinstance(request, messages.Hello):
            self._greet(request, send)
            return
        if isinstance(request, messages.Cancel):
            self._cancel(request.job)
            send(messages.Finished())
            return
        if isinstance(request, messages.Pause):
            self._pause(request)
            send(messages.Finished())
            return
        if isinstance(request, messages.DebugCommand):
            self._tell(request)
            send(messages.Finished())
            return
        findings: tuple[Finding, ...] = ()
        released = False
        try:
            send(self._answer(request, file))
        except ReleasedError:
            released = True
        except Exception as error:  # the edge of a question: every failure becomes a finding
            text = f"{type(error).__name__}: {error}"
            findings = (Finding("error", "engine", f"{type(request).__name__} failed: {text}"),)
        send(messages.Finished(findings=findings, released=released))

    def _pause(self, request: messages.Pause) -> None:
        with self._lock:
            job = self._jobs.get(request.job)
        if job is not None:
            (job.pause if request.paused else job.resume)()

    def _tell(self, request: messages.DebugCommand) -> None:
        with self._lock:
            job = self._jobs.get(request.debugged)
        if job is not None:
            job.tell(request)

    def _greet(self, request: messages.Hello, send: Callable[[Reply], None]) -> None:
        def answer() -> None:
            if request.version != VERSION:
                text = f"the window speaks protocol {request.version}, the engine {VERSION}"
                send(messages.Finished(findings=(Finding("error", "engine", text),)))
            elif self._ready is None:
                send(messages.Finished(findings=self._failure))
            else:
                send(self._ready)
                send(messages.Finished())

        with self._lock:
            waits = self._files is None and not self._failure
            if waits:
                self._greetings.append(answer)
        if not waits:
            answer()

    def _cancel(self, number: int) -> None:
        with self._lock:
            job = self._jobs.get(number)
            if job is not None:
                job.cancel()
                return
            # The job may still be in the main shell's queue.
            self._cancelled_early[number] = None
            while len(self._cancelled_early) > _REMEMBERED_CANCELS:
                del self._cancelled_early[next(iter(self._cancelled_early))]

    def _answer(self, request: Request, file: int) -> Reply:
        if isinstance(request, messages.GetClocks):
            from playground.engine.clocks.nvml import clock_state

            return messages.Clocks(clock_state())
        if isinstance(request, (messages.GetSweeps, messages.OpenSweep)):
            from playground.engine import server_sweeps

            return server_sweeps.answer(request)
        if not isinstance(request, (messages.GetPlane, messages.GetElement)):
            raise TypeError(f"{type(request).__name__} belongs on the comm {JOBS_TARGET}")
        if self._files is None:
            raise LookupError("the engine has no session yet")
        session = self._files.of(file)
        counts = session.kept.counts_to_show((request.launch, request.config))
        if counts is None:
            raise LookupError("the coverage of this config is no longer kept: measure it again")
        if isinstance(request, messages.GetPlane):
            return counts.plane(request.tensor, request.paint, request.view)  # type: ignore[no-any-return]
        return counts.element(  # type: ignore[no-any-return]
            request.tensor, request.row, request.column, request.slices
        )


def _interrupted(request: Request) -> messages.Finished:
    stage = STAGES.get(type(request), "engine")
    finding = Finding("info", stage, "interrupted", "the engine is alive with all it holds")
    return messages.Finished(cancelled=True, findings=(finding,))


def _targets(session: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys((session.device.target, *known_targets())))
