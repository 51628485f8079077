"""Debugging the selected launch: one program stepped through, run alone, its numbers looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal

from playground.model.debugging import Breakpoint
from playground.model.matching import line_map
from playground.model.program_grid import program_count
from playground.protocol import messages
from playground.ui.debug_questions import DebugQuestions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playground.model.config import Config
    from playground.model.debugging import StepVerb, Stop
    from playground.protocol.messages import Reply
    from playground.ui.document import Document

RUNNING_SHOWN_MS = 150
"""A step takes milliseconds: the values stay bright that long before they are shown as old."""


class DocumentDebugging(DebugQuestions):
    """What the debugger's views show; lines are those of the text as it stands.

    `stop` is where the program stands, None while there is none; `running` says that it goes on.
    `pointsChanged` tells of breakpoints, `changed` of everything about the stepped program.
    """

    changed = Signal()
    pointsChanged = Signal()
    stopped = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self.points: dict[int, str] = {}
        self.watches: tuple[str, ...] = ()
        self.shown = ""
        self._follows = True
        self.stop: Stop | None = None
        self.block: messages.BlockValue | None = None
        self.running = False
        self.slow = False
        self.active = False
        self.ended: messages.DebugEnded | None = None
        self.why = ""
        self._job = 0
        self._token = object()
        self.launch_index = 0
        self.config: Config | None = None
        self._kept: dict[str, dict[int, str]] = {}
        self._path = document.path
        self._prepared = False
        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.setInterval(RUNNING_SHOWN_MS)
        self._slow.timeout.connect(self._on_slow)
        document.pathChanged.connect(self._on_path)
        document.launchesChanged.connect(self._on_launches)
        document.launchSelected.connect(self._forget_results)
        document.configChanged.connect(self._forget_results)
        document.engineStateChanged.connect(self._on_engine)

    # -------------------------------------------------------------------------------- program

    @property
    def grid(self) -> tuple[int, int, int]:
        """The launch's grid under the config shown, as far as it is known."""
        coverage = self._document.coverage
        if coverage is not None and self._document.is_current(coverage):
            return coverage.grid
        launch = self._document.launch
        return launch.grid if launch is not None else (1, 1, 1)

    def choose(self, program: int) -> None:
        """Look at this program from now on."""
        program = min(max(program, 0), max(program_count(self.grid) - 1, 0))
        if program != self.program:
            self.program = program
            self.changed.emit()

    def prepare(self) -> None:
        """Have the engine start the process that interprets: it needs seconds."""
        if not self._prepared and self._document.engine_state == "ready":
            self._prepared = True
            self._document.work.tell(messages.PrepareDebugger())

    # ------------------------------------------------------------------------------- stepping

    def start(self, program: int | None = None, *, at_entry: bool = True) -> None:
        """Step through a program from its first line; one that is stepped through ends."""
        launch = self._document.launch
        if launch is None:
            return
        self.end()
        if program is not None:
            self.program = program
        self.active, self.running, self.ended, self.why = True, True, None, ""
        self.launch_index, self.config = launch.index, self._document.config
        token = self._token = object()
        self._job = self._document.work.ask(
            messages.Debug(
                launch.index, self._document.config, self.program, self._told_points(),
                self.watches, self.shown, at_entry,
            ),
            "debug",
            lambda reply: self._take(token, reply),
        )  # fmt: skip
        self._slow.start()
        self.changed.emit()

    def start_at(self, program: int, line: int) -> None:
        """Run a program up to a line of the text, and stop there."""
        self.points.setdefault(line, "")
        self.pointsChanged.emit()
        self.start(program, at_entry=False)

    def move(self, verb: StepVerb, line: int = 0) -> None:
        """Let the program go on, or (`pause`) stop at its next line."""
        if not self.active or (self.running and verb != "pause"):
            return
        launch = self._document.launch
        file = launch.file if launch is not None else ""
        if verb != "pause":
            self.running = True
            self._slow.start()
        self._tell(messages.DebugCommand(self._job, verb, file, self._ran_line(line)))
        self.changed.emit()

    def end(self) -> None:
        """End the program, whatever it does."""
        if self.active:
            self._document.work.cancel_job(self._job)
            gone = self._document.engine_state in ("dead", "restarting")
            self._over("the engine ended" if gone else "")

    # --------------------------------------------------------------------- what is looked at

    def toggle_point(self, line: int) -> None:
        """Set a breakpoint on a line of the text, or take it away."""
        if line in self.points:
            del self.points[line]
        else:
            self.points[line] = ""
        self._points_moved()

    def set_condition(self, line: int, condition: str) -> None:
        """Stop at a line only where an expression over the values holds; empty stops always."""
        self.points[line] = condition.strip()
        self._points_moved()

    def clear_points(self) -> None:
        """Take all breakpoints away."""
        self.points.clear()
        self._points_moved()

    def points_at(self, points: Mapping[int, str]) -> None:
        """Take breakpoints as the text has moved them."""
        if dict(points) != self.points:
            self.points = dict(points)
            self.pointsChanged.emit()

    def watch(self, expression: str) -> None:
        """Have an expression told at every stop."""
        expression = expression.strip()
        if expression and expression not in self.watches:
            self.watches = (*self.watches, expression)
            self._tell(messages.DebugCommand(self._job, watches=self.watches))
            self.changed.emit()

    def unwatch(self, expression: str) -> None:
        """Let an expression be."""
        self.watches = tuple(one for one in self.watches if one != expression)
        self._tell(messages.DebugCommand(self._job, watches=self.watches))
        self.changed.emit()

    def show(self, name: str, *, picked: bool = False) -> None:
        """Have the elements of a value, or of an expression, sent at every stop.

        Until one is picked by hand, the block that has changed last is shown.
        """
        self._follows = self._follows and not picked
        if name != self.shown:
            self.shown = name
            self._tell(messages.DebugCommand(self._job, shown=name))

    def text_line(self, line: int) -> int:
        """Return where a line of the text that ran is now; 0 where it is gone."""
        ran, text = self._document.work.ran_text, self._document.text
        return line if ran in ("", text) else line_map(ran, text).get(line, 0)

    @property
    def line(self) -> int:
        """The line of the text at which the program stands, 0 where that is in another file."""
        stop = self.stop
        if stop is None or not self._document.is_open(stop.file):
            return 0
        return self.text_line(stop.line)

    @property
    def stale(self) -> str:
        """Say what is stepped through where that is not what the window shows now."""
        document = self._document
        if not self.active or self.config is None:
            return ""
        if self.launch_index != document.launch_index:
            return f"of launch {self.launch_index}, not of the one selected"
        return "" if self.config == document.config else f"under {self.config.label()}"

    def _ran_line(self, line: int) -> int:
        ran, text = self._document.work.ran_text, self._document.text
        if ran in ("", text) or not line:
            return line
        return line_map(text, ran).get(line, line)

    def _told_points(self) -> tuple[Breakpoint, ...]:
        launch = self._document.launch
        file = launch.file if launch is not None else self._document.path
        return tuple(
            Breakpoint(file, self._ran_line(line), condition)
            for line, condition in sorted(self.points.items())
        )

    def _points_moved(self) -> None:
        self.pointsChanged.emit()
        if self.active:
            self._tell(messages.DebugCommand(self._job, breakpoints=self._told_points()))

    def _tell(self, command: messages.DebugCommand) -> None:
        if self.active:
            self._document.work.tell(command)

    # --------------------------------------------------------------------------- the engine

    def _take(self, token: object, reply: Reply) -> None:
        if token is not self._token or not self.active:
            return  # of a program that was ended
        if isinstance(reply, messages.DebugStopped):
            self._slow.stop()
            self.running, self.slow = False, False
            self.stop, self.block = reply.stop, reply.shown
            self.changed.emit()
            self.stopped.emit()
            self._follow()
        elif isinstance(reply, messages.DebugEnded):
            self.ended = reply
            self._document.set_findings("debugging", reply.findings)
        elif isinstance(reply, messages.Finished):
            self._over(reply.findings[0].message if reply.findings else "")

    def _over(self, why: str) -> None:
        self._slow.stop()
        self._prepared = False
        self.active = self.running = self.slow = False
        self.stop, self.block, self.why = None, None, why
        self.changed.emit()
        self.prepare()  # the process went with the program, and the next one is likely

    def _follow(self) -> None:
        """Show the block that the last step has made or changed."""
        if self._follows and self.stop is not None:
            blocks = [one.name for one in self.stop.values if one.kind == "block" and one.changed]
            if blocks:
                self.show(blocks[-1])

    def _on_slow(self) -> None:
        self.slow = True
        self.changed.emit()

    def _on_engine(self, state: str) -> None:
        if state in ("dead", "restarting"):
            self._prepared, self.asking = False, ""
            if self.active:
                self._over("the engine ended")

    def _on_path(self, path: str) -> None:
        self.end()
        self._kept[self._path] = self.points
        self._path = path
        self.points = self._kept.get(path, {})
        self.pointsChanged.emit()
        self._forget_results()

    def _on_launches(self) -> None:
        self.end()
        self.program = 0
        self._forget_results()

    def _forget_results(self, _what: object = None) -> None:
        self.forget_answers()
        self.program = min(self.program, max(program_count(self.grid) - 1, 0))
        self.changed.emit()
