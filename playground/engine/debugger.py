"""The console's debugger: each step waits for the next stop, and shows where the program stands."""

from __future__ import annotations

import re
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playground.engine.debug_messages import Command
from playground.model.debugging import Breakpoint, Prints
from playground.protocol.debugging import DebugEnded, DebugRunning, DebugStopped

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from playground.engine.debug_process import Stepping
    from playground.model.debugging import StepVerb, Stop
    from playground.model.finding import Finding

_CONDITION = re.compile(r"^\s*(?:(.+):)?(\d+)(?:\s+if\s+(.+))?\s*$", re.DOTALL)
_WAIT_S = 0.05


def breakpoint_from(given: int | str | Breakpoint, file: str) -> Breakpoint:
    """Return a breakpoint from a line, `"LINE if CONDITION"` or `"FILE:LINE if CONDITION"`.

    Raises
    ------
    ValueError
        The text says no line.
    """
    if isinstance(given, Breakpoint):
        return given
    if isinstance(given, int):
        return Breakpoint(file, given)
    found = _CONDITION.match(given)
    if found is None:
        raise ValueError(f"a breakpoint is LINE or LINE if CONDITION, not {given!r}")
    named, line, condition = found.groups()
    return Breakpoint(str(Path(named).resolve()) if named else file, int(line), condition or "")


class Debugger:
    """One program that is stepped through, from the console or a script.

    `stop` is where it stands, None once it has ended; `prints` and `findings` are there then.
    """

    def __init__(
        self, stepping: Stepping, breakpoints: Sequence[Breakpoint], watches: Sequence[str]
    ) -> None:
        self._stepping = stepping
        # Forgotten in the console, it takes its process along.
        self._finalizer = weakref.finalize(self, stepping.close)
        self._breakpoints = list(breakpoints)
        self._watches = list(watches)
        self.stop: Stop | None = None
        self.shown: Any = None
        self.prints = Prints("interpreter", ())
        self.findings: tuple[Finding, ...] = ()
        self.ended = False
        self._wait()

    def __repr__(self) -> str:
        if self.stop is None:
            told = "".join(f"\n  {finding.text()}" for finding in self.findings)
            return f"<debugger: the program has ended>{told}"
        stop = self.stop
        lines = [f"{stop.reason} at {Path(stop.file).name}:{stop.line} of program {stop.program}"]
        lines += [f"  round {one.round} of the loop at line {one.line}" for one in stop.rounds]
        lines += [f"  {note}" for note in stop.notes]
        for value in (*stop.values, *stop.watches):
            mark = "*" if value.changed else " "
            lines.append(f"{mark} {value.name:16} {value.type:18} {value.problem or value.text}")
        return "\n".join(lines)

    def step(self) -> Debugger:
        """Go on to the next line, into helpers too."""
        return self._move("into")

    def next(self) -> Debugger:
        """Go on to the next line of this function."""
        return self._move("over")

    def out(self) -> Debugger:
        """Go on until this function has returned."""
        return self._move("out")

    def go(self) -> Debugger:
        """Go on to the next breakpoint, or to the end."""
        return self._move("go")

    def round(self) -> Debugger:
        """Go on to the next round of the loop."""
        return self._move("round")

    def until(self, line: int, file: str | None = None) -> Debugger:
        """Go on to a line of this file, or of another one."""
        return self._move("until", line, file or (self.stop.file if self.stop else ""))

    def pause(self) -> None:
        """Ask a program that runs on to stop at its next line."""
        self._stepping.send(Command("pause"))

    def watch(self, expression: str) -> Debugger:
        """Have an expression over the values, as NumPy arrays, told at every stop."""
        self._watches.append(expression)
        return self._look(Command(watches=tuple(self._watches)))

    def break_at(self, point: int | str | Breakpoint) -> None:
        """Stop at a line from now on: `20`, or `"20 if k == 2"`."""
        file = self.stop.file if self.stop else ""
        self._breakpoints.append(breakpoint_from(point, file))
        self._stepping.send(Command(breakpoints=tuple(self._breakpoints)))

    def value(self, name: str) -> np.ndarray[Any, Any] | None:
        """Return a name's or an expression's elements; None where it has none.

        A pointer's are elements of the tensor that it points into.
        """
        self._look(Command(shown=name))
        return None if self.shown is None else self.shown.data

    def close(self) -> None:
        """End the program."""
        self._stepping.close()
        self.stop, self.ended = None, True

    def _move(self, verb: StepVerb, line: int = 0, file: str = "") -> Debugger:
        if self.stop is not None:
            self._stepping.send(Command(verb, file, line))
            self._wait()
        return self

    def _look(self, command: Command) -> Debugger:
        if self.stop is not None:
            self._stepping.send(command)
            self._wait()
        return self

    def _wait(self) -> None:
        while True:
            try:
                event = self._stepping.event(_WAIT_S)
            except KeyboardInterrupt:  # the console's: stop the program at its next line
                self.pause()
                continue
            if isinstance(event, DebugStopped):
                self.stop, self.shown = event.stop, event.shown
                return
            if isinstance(event, DebugEnded):
                self.stop, self.ended = None, True
                self.prints, self.findings = event.prints, event.findings
                self._stepping.close()
                return
            if event is not None and not isinstance(event, DebugRunning):
                raise RuntimeError(f"the debug worker told {type(event).__name__}")
