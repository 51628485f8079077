"""Stepping through one interpreted program: Python's own tracing, in the kernel's frames only."""

from __future__ import annotations

import sys
import sysconfig
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playground.engine import debug_source, debug_values
from playground.model.debugging import Frame, Round, Stop, Value
from playground.protocol.debugging import DebugRunning, DebugStopped

if TYPE_CHECKING:
    import types
    from collections.abc import Callable

    from playground.engine.debug_messages import Begin, Command
    from playground.engine.triton_private.interpreter_values import Held
    from playground.model.debugging import Breakpoint, StepVerb, StopReason

_OWN = (
    str(Path(__file__).resolve().parents[1]),
    sysconfig.get_paths()["stdlib"],
    *{path for key, path in sysconfig.get_paths().items() if key in ("purelib", "platlib")},
)


class StoppedError(BaseException):
    """The one who steps has gone, or has had enough.

    No `Exception`: a kernel's own handlers let it pass.
    """


@dataclass
class _Place:
    """Where a frame was last, and how often it has gone round its loops."""

    statement: int = 0
    line: int = 0
    rounds: dict[int, int] = field(default_factory=dict)


@dataclass
class _Aim:
    """When to stop next."""

    verb: StepVerb
    frame: Any = None
    line: int = 0
    file: str = ""
    loop: debug_source.Loop | None = None


class Stepper:
    """Steps one program of a launch.

    Parameters
    ----------
    begin
        The program, breakpoints, watches and the value shown at first.
    scope_of
        Returns what a frame's names hold.
    notes
        Returns what has happened since it was last asked.
    send
        Takes `DebugStopped` and `DebugRunning`.
    receive
        Returns the next command; waits for it, or (`wait=False`) returns None when there is none.
    """

    def __init__(
        self, begin: Begin, scope_of: Callable[[types.FrameType], debug_values.Scope],
        notes: Callable[[], tuple[str, ...]], send: Callable[[Any], None],
        receive: Callable[[bool], Command | None],
    ) -> None:  # fmt: skip
        self._program = begin.program
        self._scope_of = scope_of
        self._notes = notes
        self._send = send
        self._receive = receive
        self._breakpoints: dict[tuple[str, int], Breakpoint] = {}
        self._set_breakpoints(begin.breakpoints)
        self._watches = begin.watches
        self._shown = begin.shown
        self._aim = _Aim("into" if begin.stop_at_entry else "go")
        self._frames: list[types.FrameType] = []
        self._places: list[_Place] = []
        self._before: dict[tuple[int, str], Held] = {}
        self._steps = 0
        self._last: Stop | None = None
        self._failed: BaseException | None = None
        self._is_user: dict[Any, bool] = {}
        self._extra: tuple[str, ...] = ()

    # ------------------------------------------------------------------------- Python's end

    def run(self, launch: Callable[[], Any]) -> None:
        """Perform `launch`, one of whose programs is stepped through."""
        sys.settrace(self._enter)
        try:
            launch()
        finally:
            sys.settrace(None)

    def _enter(self, frame: types.FrameType, event: str, _argument: Any) -> Any:
        if event != "call" or not self._users(frame.f_code):
            return None
        self._frames.append(frame)
        self._places.append(_Place())
        return self._trace

    def _trace(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if not self._frames or self._frames[-1] is not frame:
            return self._trace
        if event == "line":
            self._on_line(frame)
        elif event == "return":
            self._on_return(frame)
        elif event == "exception":
            self._on_exception(frame, argument)
        return self._trace

    def _users(self, code: types.CodeType) -> bool:
        known = self._is_user.get(code)
        if known is None:
            file = code.co_filename
            known = not file.startswith(("<", *_OWN)) and not code.co_name.startswith("<")
            self._is_user[code] = known
        return known

    def _on_line(self, frame: types.FrameType) -> None:
        place, line, file = self._places[-1], frame.f_lineno, frame.f_code.co_filename
        lines = debug_source.lines_of(file)
        statement = lines.statement(line)
        self._count_rounds(lines, place, statement)
        place.line = line
        if statement == place.statement:  # another line of it: Python goes back and forth
            return
        place.statement = statement
        self._steps += 1
        self._take_commands()
        reason = self._why_stop(frame, statement, file)
        if reason is not None:
            self._stop(reason)

    def _count_rounds(self, lines: debug_source.Lines, place: _Place, statement: int) -> None:
        for loop in lines.loops:
            if loop.header == statement:
                if loop.first <= place.line <= loop.last:
                    place.rounds[loop.header] = place.rounds.get(loop.header, 0) + 1
                elif place.statement != statement:
                    place.rounds[loop.header] = 0

    def _on_return(self, frame: types.FrameType) -> None:
        if len(self._frames) == 1 and self._failed is None and self._aim.verb != "go":
            self._stop("returned")
        self._frames.pop()
        self._places.pop()
        if self._aim.frame is frame and self._frames and self._aim.verb in ("over", "out", "round"):
            self._aim = _Aim("over", self._frames[-1])  # on to the caller's next statement

    def _on_exception(self, frame: types.FrameType, raised: Any) -> None:
        _, error, _ = raised
        if self._failed is not None or isinstance(
            error, (StoppedError, StopIteration, GeneratorExit)
        ):
            return
        self._failed = error
        self._stop("error", (f"{type(error).__name__}: {error}",))

    # ------------------------------------------------------------------------------ stopping

    def _why_stop(self, frame: types.FrameType, statement: int, file: str) -> StopReason | None:
        aim = self._aim
        point = self._breakpoints.get((file, statement))
        if point is not None and self._holds(point, frame):
            return "breakpoint"
        if aim.verb == "pause":
            return "paused"
        if aim.verb == "into":
            return "step" if self._steps > 1 else "entry"
        if aim.verb == "over" and aim.frame is frame:
            return "step"
        if aim.verb == "until" and (file, statement) == (aim.file, aim.line):
            return "cursor"
        if aim.verb == "round" and aim.frame is frame and aim.loop is not None:
            if statement == aim.loop.first:
                return "round"
            if not aim.loop.first <= statement <= aim.loop.last and statement != aim.loop.header:
                return "step"
        return None

    def _holds(self, point: Breakpoint, frame: types.FrameType) -> bool:
        if not point.condition.strip():
            return True
        try:
            result = self._scope_of(frame).evaluated(point.condition)
            holds = result.any() if hasattr(result, "any") else result
            return bool(holds)
        except NameError:
            return False  # names that get their values further on
        except Exception as error:  # a condition that cannot be asked is worth stopping for
            self._extra = (f"condition {point.condition}: {type(error).__name__}: {error}",)
            return True

    def _stop(self, reason: StopReason, notes: tuple[str, ...] = ()) -> None:
        stop, scope = self._stopped(reason, (*self._extra, *notes))
        self._extra = ()
        self._send(DebugStopped(stop, self._shown_value(scope)))
        while True:
            command = self._receive(True)
            if command is None:
                raise StoppedError
            looks = self._take(command)
            if command.verb is not None and command.verb != "pause":
                self._aim_at(command)
                self._send(DebugRunning())
                return
            if looks:
                stop, scope = self._stopped(reason, notes, again=True)
                self._send(DebugStopped(stop, self._shown_value(scope)))

    def _aim_at(self, command: Command) -> None:
        frame = self._frames[-1]
        verb = command.verb or "go"
        aim = _Aim(verb, frame)
        if verb == "until":
            lines = debug_source.lines_of(command.file)
            aim.file, aim.line = command.file, lines.next_statement(command.line)
        elif verb == "round":
            lines = debug_source.lines_of(frame.f_code.co_filename)
            place = self._places[-1]
            inside = next(lines.around(place.statement), None)
            at = next((loop for loop in lines.loops if loop.header == place.statement), None)
            aim.loop = at or inside
            if aim.loop is None:
                aim.verb = "over"
        self._aim = aim

    def _take_commands(self) -> None:
        """Take what was told to the running program: now and then, it costs a look."""
        while (command := self._receive(False)) is not None:
            self._take(command)
            if command.verb == "pause":
                self._aim = _Aim("pause")

    def _take(self, command: Command) -> bool:
        """Take what is to be looked at; tell whether the stop looks different now."""
        if command.breakpoints is not None:
            self._set_breakpoints(command.breakpoints)
        looks = False
        if command.watches is not None:
            self._watches, looks = command.watches, True
        if command.shown is not None:
            self._shown, looks = command.shown, True
        return looks

    def _set_breakpoints(self, points: tuple[Breakpoint, ...]) -> None:
        self._breakpoints = {
            (point.file, debug_source.lines_of(point.file).next_statement(point.line)): point
            for point in points
        }

    # ------------------------------------------------------------------------- what is shown

    def _stopped(
        self, reason: StopReason, notes: tuple[str, ...], *, again: bool = False
    ) -> tuple[Stop, debug_values.Scope]:
        frame = self._frames[-1]
        scope = self._scope_of(frame)
        now: dict[tuple[int, str], Held] = {}
        values: list[Value] = []
        for name in scope.names():
            one = scope.held(name)
            if one is not None:
                now[id(frame), name] = one
                values.append(debug_values.row(name, one, self._before.get((id(frame), name))))
        for name, one in scope.globals.items():
            values.append(debug_values.row(name, one, one, "global"))
        watches = []
        for expression in self._watches:
            row, held = debug_values.watched(expression, scope, self._before.get((0, expression)))
            watches.append(row)
            if held is not None:
                now[0, expression] = held
        if not again:
            kept = {id(item) for item in self._frames}
            self._before = {
                **{key: one for key, one in self._before.items() if key[0] in kept},
                **now,
            }
        elif self._last is not None:
            old = {value.name: value.changed for value in self._last.values}
            values = [_as_before(value, old) for value in values]
            notes = self._last.notes
        frames = tuple(
            Frame(item.f_code.co_name, item.f_code.co_filename, self._line_of(number))
            for number, item in reversed(list(enumerate(self._frames)))
        )
        told = notes if again else (*self._notes(), *notes)
        stop = Stop(
            reason, self._program, frames, tuple(values), tuple(watches),
            self._rounds(scope), told, self._steps,
        )  # fmt: skip
        self._last = stop
        return stop, scope

    def _line_of(self, number: int) -> int:
        place = self._places[number]
        return place.statement or self._frames[number].f_lineno

    def _rounds(self, scope: debug_values.Scope) -> tuple[Round, ...]:
        frame, place = self._frames[-1], self._places[-1]
        lines = debug_source.lines_of(frame.f_code.co_filename)
        found = []
        for loop in lines.around(place.statement):
            rounds = None
            if loop.over is not None:
                rounds = debug_values.length_of(loop.over, scope)
            found.append(Round(loop.header, place.rounds.get(loop.header, 0), rounds))
        return tuple(found)

    def _shown_value(self, scope: debug_values.Scope) -> Any:
        if not self._shown:
            return None
        one = scope.held(self._shown)
        if one is None:
            _, one = debug_values.watched(self._shown, scope, None)
        return None if one is None else debug_values.block(self._shown, one)


def _as_before(value: Value, changed: dict[str, bool]) -> Value:
    return replace(value, changed=changed.get(value.name, False))
