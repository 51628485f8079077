"""What the document has the engine do: jobs by number, newest replay wins, crashes outlived."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from playground.model.finding import Finding
from playground.model.knobs import step
from playground.protocol import messages
from playground.ui.replay_queue import ReplayQueue

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from playground.model.config import Config
    from playground.model.launch import Launch
    from playground.protocol.messages import Reply, Request
    from playground.ui.document import Document
    from playground.ui.engine_port import EnginePort

AHEAD_DELAY_MS = 200
"""How long the engine must have been idle before it compiles ahead."""

INTERRUPT_MS = 5000
"""How long an interrupt may take before the user is told what else there is."""

_NOT_INTERRUPTED = Finding(
    "warning", "engine", "the engine has not stopped: it is inside code that no interrupt reaches",
    "`Restart engine` ends it; the text, the driver and the knobs stay",
)  # fmt: skip

_BACKGROUND = ("ahead", "floor", "clocks", "edited", "prepare", "debug")
"""Work that nobody waits for; what of it takes the engine's time makes way for everything else."""

_UNASKED = (*_BACKGROUND, "query")
"""Work that nobody started by hand: cancelling leaves it alone."""

_BESIDE = ("clocks", "debug")
"""Work that goes on beside the engine's turns and takes none."""

_HOLDING = ("run", "sweep", "curve", "nsight", "experiment")
"""Work that has the engine for long: replays asked for meanwhile wait for its end."""

_LOST = "variables made in the console are lost"

_STEP_OF_REPLY = {
    "Compiled": "compile", "Checked": "check", "Measured": "measure", "Covered": "coverage",
}  # fmt: skip
"""By the reply's class, whose name says what it is; the classes themselves are read after start."""


class EngineWork(QObject):
    """Sends the document's requests and hands the replies back to it.

    `idle` tells that nobody waits for the engine and nothing is left to compile ahead.
    """

    idle = Signal()

    def __init__(self, document: Document, engine: EnginePort) -> None:
        super().__init__(document)
        self._document = document
        self._engine = engine
        self.shown = True
        self.peers: Callable[[], Sequence[EngineWork]] = tuple
        """The work of all files of the window."""
        self.queue = ReplayQueue(engine, self, document.number)
        self.queue.idle.connect(self._engine_idle)
        self._callbacks: dict[int, Callable[[Any], None]] = {}
        self._takers: dict[int, Callable[[Any], None]] = {}
        self._kinds: dict[int, str] = {}
        self._delivered: set[str] = set()
        self._last_run: messages.Run | None = None
        self.ran_at = 0.0
        """When a run was last begun, on a clock that only goes forward; 0 before the first."""
        self._waiting_run: messages.Run | None = None
        self._rerun_when_ready = False
        self._rerunning = False
        self._planned = False
        self._ended_by: tuple[str, str] | None = None
        self._restart_note: tuple[Finding, ...] = ()
        self._ahead_done: set[tuple[int, Config, str]] = set()
        self._ahead_timer = QTimer(self)
        self._ahead_timer.setSingleShot(True)
        self._ahead_timer.setInterval(AHEAD_DELAY_MS)
        self._ahead_timer.timeout.connect(self._compile_ahead)
        self._interrupted: set[int] = set()
        self._rest_timer = QTimer(self)
        self._rest_timer.setSingleShot(True)
        self._rest_timer.timeout.connect(self._look_for_rest)
        engine.reply.connect(self._on_reply)
        engine.stateChanged.connect(self._on_state)
        engine.died.connect(self._on_died)

    # ---------------------------------------------------------------------------- requests

    def wire_target(self) -> str | None:
        """Return the target for a request: None means the engine's own."""
        device, target = self._document.device, self._document.target
        return None if device is None or not target or target == device.target else target

    def run(self, request: messages.Run) -> None:
        """Run a file; a run still at work is cancelled, and replays of the old one dropped."""
        self.queue.cancel_all()
        if self._engine.state in ("starting", "restarting"):
            self._waiting_run = request
            self._document.progressChanged.emit("waiting for the engine", None)
            return
        for job, kind in self._kinds.items():
            if kind not in _UNASKED:
                self._engine.send(messages.Cancel(job))
        self._last_run = request
        self.ran_at = time.monotonic()
        self.queue.pause(True)
        self._document.set_findings("engine", self._restart_note)
        self._restart_note = ()
        self._send(request, "run")
        self._document.progressChanged.emit("running", None)

    def set_shown(self, on: bool) -> None:
        """Take note that the file's tab came to the front, or went behind another one.

        Work that was begun goes on behind it. What views asked for is dropped, as they show another
        file now, and nothing is done ahead. A run that an engine lost is made up for when the tab
        is in front again.
        """
        if on == self.shown:
            return
        self.shown = on
        if not on:
            self._callbacks.clear()
            self._stop_ahead()
            return
        if self._engine.state not in ("ready", "busy"):
            return  # told when it is there
        self.tell(messages.ShowFile())
        if self._rerun_when_ready:
            self._on_engine_ready()
        elif not self.user_waits():
            self._ahead_timer.start()

    def replay(self, request: messages.Replay) -> None:
        """Replay the newest config; older ones in flight or waiting give way."""
        self._stop_ahead()
        self.queue.submit(request)

    def export(self, request: messages.Export | messages.ExportSweep) -> None:
        """Ask for the tuned file."""
        self._send(request, "export")

    def query(self, request: Request, callback: Callable[[Any], None]) -> None:
        """Send a question and hand its one answer to `callback`; a failure becomes a finding."""
        self._callbacks[self._send(request, "query")] = callback

    def ask(self, request: Request, kind: str, take: Callable[[Any], None]) -> int:
        """Send work that can be cancelled; all its replies go to `take`, `Finished` as the last.

        What findings it ends with is for `take` to tell. Where the engine ends before the work,
        nothing more comes: `engineStateChanged` tells.
        """
        if kind in _HOLDING:
            self.queue.pause(True)
        job = self._send(request, kind)
        self._takers[job] = take
        return job

    def tell(self, request: Request) -> None:
        """Send what needs no answer."""
        self._engine.send(request, self._document.number)

    def expect_rest(self) -> None:
        """Tell what is left to do if the engine is still at the same work in a while."""
        self._interrupted = set(self._kinds)
        self._rest_timer.start(INTERRUPT_MS)

    def _look_for_rest(self) -> None:
        if self._engine.state == "busy" and self._interrupted & set(self._kinds):
            self._document.set_findings("engine", (_NOT_INTERRUPTED,))

    def cancel_job(self, job: int) -> None:
        """Cancel one piece of work, if it is still on its way."""
        if job in self._kinds:
            self._engine.send(messages.Cancel(job))

    @property
    def ran_text(self) -> str:
        """The text that the engine last ran, which is what it times and profiles."""
        return self._last_run.text if self._last_run is not None else ""

    def cancel(self) -> None:
        """Cancel all work that the user can see."""
        self._waiting_run = None
        self.queue.cancel_all()
        for job, kind in list(self._kinds.items()):
            if kind not in _UNASKED:
                self._engine.send(messages.Cancel(job))
        if "run" in self._kinds.values() and self._engine.state == "busy" and self._has_engine():
            # The user's own code has no steps at which it would look for a cancel.
            self._engine.interrupt()

    def abandon(self) -> None:
        """Give up all work: the document is about another file from now on, or about none.

        Replies that still come are of no interest, and whoever waits for one is told at once.
        """
        self.cancel()
        for job in self._kinds:
            self._engine.send(messages.Cancel(job))
        takers = tuple(self._takers.values())
        self.queue.reset()
        for held in (self._kinds, self._takers, self._callbacks, self._ahead_done):
            held.clear()
        self._delivered.clear()
        self._ahead_timer.stop()
        self._last_run = None
        self.ran_at = 0.0
        self._rerun_when_ready = self._rerunning = False
        for take in takers:
            take(messages.Finished(cancelled=True))
        self._document.progressChanged.emit("", None)

    def oldest_job(self) -> int | None:
        """Return the first job of those that wait for their turn in the engine, None without one.

        Of all files' oldest jobs the lowest is the one that the engine has at hand.
        """
        jobs = [job for job, kind in self._kinds.items() if kind not in _BESIDE]
        return min([*jobs, *([self.queue.job] if self.queue.job is not None else [])], default=None)

    def _has_engine(self) -> bool:
        """Tell whether the engine is at this file's work, as far as the window can know."""
        mine = self.oldest_job()
        others = [work.oldest_job() for work in self.peers() if work is not self]
        return mine is not None and all(other is None or mine < other for other in others)

    def close(self) -> None:
        """Stop the timer of idle work."""
        self._ahead_timer.stop()
        self._rest_timer.stop()

    def plan_restart(self) -> None:
        """Run again after the restart that the user asks for, unless that is what hangs."""
        self._planned = True
        runs = "run" in self._kinds.values() or self._waiting_run is not None
        again = self._last_run is not None and not runs and bool(self._document.launches)
        if not again:
            self._last_run = None
        self._waiting_run = None
        self._rerun_when_ready = again
        self._rerunning = False
        hint = _LOST
        if again:
            hint += "; the file was run again with the knobs as they stood"
        note = (Finding("info", "engine", "the engine was restarted", hint),)
        self._restart_note = note if again else ()
        self._document.set_findings("engine", note)

    def _send(self, request: Request, kind: str) -> int:
        if not isinstance(request, messages.SIDE_REQUESTS):
            self._stop_ahead()
        job = self._engine.send(request, self._document.number)
        self._kinds[job] = kind
        return job

    # ---------------------------------------------------------------------------- replies

    def _on_reply(self, reply: Reply, job: int) -> None:
        document = self._document
        if isinstance(reply, messages.Ready):
            document.take_ready(reply)
            return
        if isinstance(reply, messages.Finished):
            self._on_finished(reply, job)
            return
        if isinstance(reply, messages.Unusable):
            # True of its config whoever asked; the launches of an older run have other jobs.
            if job == self.queue.job or job in self._kinds:
                document.take_unusable(reply)
            return
        if isinstance(reply, messages.Progress):
            if self._kinds.get(job) not in _BACKGROUND:
                document.progressChanged.emit(reply.text, reply.fraction)
            return
        if job == self.queue.job:
            self._on_replay_step(reply)
        elif (take := self._takers.get(job)) is not None:
            take(reply)
        elif (callback := self._callbacks.pop(job, None)) is not None:
            callback(reply)
        elif job in self._kinds:
            self._on_job_reply(reply)

    def _on_job_reply(self, reply: Reply) -> None:
        document = self._document
        if isinstance(reply, messages.RunResult):
            document.set_findings("run", (*reply.findings, *self._unsaved_helpers(reply)))
            document.take_found_driver(reply.driver)
            self._ahead_done.clear()
            document.take_run(reply)
            document.editing.forget()
        elif isinstance(reply, messages.Exported):
            document.set_findings("export", reply.findings)
            document.exported.emit(reply)

    def _unsaved_helpers(self, result: messages.RunResult) -> tuple[Finding, ...]:
        """Return a warning for each helper that another tab has newer text of than the disk."""
        others = (work._document for work in self.peers() if work is not self)
        return tuple(
            Finding(
                "warning", "driver",
                f"{os.path.basename(other.path)} was read from disk: its tab has unsaved changes",
                "save it, and run again", file=other.path,
            )
            for other in others
            if other.dirty and other.path in result.modified_files
        )  # fmt: skip

    def _on_replay_step(self, reply: Reply) -> None:
        document = self._document
        current = getattr(reply, "revision", document.revision) == document.revision
        if isinstance(reply, messages.Measured):
            document.take_measured(reply, current=current)
        if not current:
            return
        self._delivered.add(_STEP_OF_REPLY.get(type(reply).__name__, ""))
        if isinstance(reply, messages.Compiled):
            document.take_compiled(reply)
        elif isinstance(reply, messages.Checked):
            document.take_checked(reply)
        elif isinstance(reply, messages.Covered):
            document.take_covered(reply)

    def _on_finished(self, reply: messages.Finished, job: int) -> None:
        document = self._document
        is_replay = job == self.queue.job
        kind = "replay" if is_replay else self._kinds.pop(job, "")
        self._callbacks.pop(job, None)
        if kind == "":
            return
        take = self._takers.pop(job, None)
        if kind in _BESIDE and take is not None:
            # Answered beside all other work: that goes on as it did.
            take(reply)
            return
        replay = self.queue.running
        if kind == "replay" and replay is not None and replay.revision == document.revision:
            if not reply.cancelled:
                # A step that said nothing this time has nothing to say about this config either.
                for step_name in {"compile", "check", "measure", "coverage"} - self._delivered:
                    if step_name in replay.steps or replay.steps[0] == "compile":
                        document.set_findings(step_name, ())
            document.set_findings("replay", reply.findings)
        elif take is not None:
            take(reply)
        elif kind != "replay" and kind != "ahead" and (reply.findings or kind != "query"):
            document.set_findings("query" if kind == "query" else f"{kind} end", reply.findings)
        self._delivered = set() if is_replay else self._delivered
        if reply.fatal:
            self._recover(reply, kind)
            return
        if reply.released:
            self._run_again()
            return
        if kind in _HOLDING:
            self.queue.pause(any(k in _HOLDING for k in self._kinds.values()))
        if kind == "replay" and not reply.cancelled:
            self._rerunning = False
        self.queue.finished(job)
        if not self.user_waits():
            document.progressChanged.emit("", None)
            self._ahead_timer.start()

    def user_waits(self) -> bool:
        """Tell whether an answer is on its way that somebody waits for."""
        return self.queue.job is not None or any(
            kind not in _BACKGROUND for kind in self._kinds.values()
        )

    # ---------------------------------------------------------------------------- recovery

    def _recover(self, reply: messages.Finished, kind: str) -> None:
        first = next(iter(reply.findings), None)
        self._ended_by = (first.message if first else "the GPU can no longer be used", kind)
        self._document.set_findings("fatal", reply.findings)
        self._engine.restart()

    def _on_died(self, why: str) -> None:
        kinds = set(self._kinds.values())
        kind = "run" if "run" in kinds else "replay" if self.queue.job is not None else "other"
        self._ended_by = (why, kind)
        self._document.set_findings("engine", (_death(why, "restart the engine to try again"),))

    def _plan_rerun(self, why: str, kind: str) -> None:
        # Running again what ended the engine would only end the next one.
        again = self._last_run is not None and kind != "run" and not self._rerunning
        self._rerun_when_ready = again
        self._rerunning = False
        hint = f"the engine was restarted; {_LOST}"
        if again and kind == "replay":
            # The config that ended this engine would end the next one too.
            dropped = self._document.drop_moved()
            hint += "; the file was run again"
            if dropped:
                hint += f", and the knobs of {dropped} are back to what it launched with"
        elif again:
            hint += "; the file was run again with the knobs as they stood"
        elif self._last_run is not None:
            hint += "; the file was not run again because running it ended the engine"
        self._restart_note = (_death(why, hint),)
        self._document.set_findings("engine", self._restart_note)

    def _on_state(self, state: str) -> None:
        if state in ("dead", "restarting"):
            if state == "restarting":
                if self._ended_by is not None:
                    self._plan_rerun(*self._ended_by)
                elif not self._planned:
                    self.plan_restart()  # it was asked for from the tab of another file
                self._ended_by, self._planned = None, False
            self.queue.reset()
            self._kinds.clear()
            self._callbacks.clear()
            self._takers.clear()
            self._delivered.clear()
            self._ahead_done.clear()
            self._ahead_timer.stop()
            self._document.lose_engine()
            self._document.progressChanged.emit("", None)
        elif state == "ready":
            self._on_engine_ready()

    def _run_again(self) -> None:
        """Run what the engine let go for other files to have the room, knobs as they stand."""
        again = self._last_run is not None and not self._rerunning
        self.queue.reset()
        self._document.lose_engine()
        self._rerun_when_ready = again
        if again and self.shown:
            self._on_engine_ready()

    def _on_engine_ready(self) -> None:
        if self.shown and self._document.number and self._rerun_when_ready:
            # A fresh engine shows its first file.
            self.tell(messages.ShowFile())
        if self._waiting_run is not None:
            request, self._waiting_run = self._waiting_run, None
            self.run(request)
        elif self.shown and self._rerun_when_ready and self._last_run is not None:
            self._rerun_when_ready = False
            self._rerunning = True
            self.run(self._last_run)

    # ------------------------------------------------------------------------- idle time

    def _engine_idle(self) -> None:
        if not self.user_waits():
            self._ahead_timer.start()

    def _stop_ahead(self) -> None:
        self._ahead_timer.stop()
        for job, kind in self._kinds.items():
            if kind in ("ahead", "floor", "edited"):
                self._engine.send(messages.Cancel(job))

    def _compile_ahead(self) -> None:
        document = self._document
        launch = document.launch
        # Besides what the user waits for, nothing is asked of an engine that still compiles ahead.
        at_work = any(kind not in _BESIDE for kind in self._kinds.values())
        if (
            not self.shown
            or launch is None
            or at_work
            or self.user_waits()
            or self._engine.state != "ready"
        ):
            return
        target = self.wire_target()
        configs = tuple(
            config
            for config in neighbours(launch, document.config, document.last_knob)
            if (launch.index, config, target or "") not in self._ahead_done
        )
        if configs:
            self._ahead_done.update((launch.index, config, target or "") for config in configs)
            ahead = messages.CompileAhead(launch.index, configs, target)
            self._kinds[self._engine.send(ahead, document.number)] = "ahead"
        else:
            self.idle.emit()


def _death(why: str, hint: str) -> Finding:
    message, _, detail = why.partition("\n")
    return Finding("error", "engine", message, hint, detail=detail)


def neighbours(launch: Launch, config: Config, first: str | None) -> tuple[Config, ...]:
    """Return the configs one step from `config`, those of the knob named `first` in front."""
    knobs = [knob for knob in launch.knobs if knob.kind in ("pow2", "int", "bool")]
    knobs = [knob for knob in knobs if not knob.derived and knob.name in config]
    knobs.sort(key=lambda knob: knob.name != first)
    found: dict[Config, None] = {}
    for knob in knobs:
        for direction in (1, -1):
            value = step(knob, config[knob.name], 1 if direction > 0 else -1)
            if value != config[knob.name]:
                found[config.with_value(knob.name, value)] = None
    return tuple(found)
