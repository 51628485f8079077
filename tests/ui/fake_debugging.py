"""What a scripted engine says of one program of its vector add, by arithmetic."""

from __future__ import annotations

from collections import deque

import numpy as np

from playground.model.debugging import (
    AloneRun,
    Breakpoint,
    Differences,
    ElementDifference,
    Frame,
    NonFinite,
    Operand,
    Origin,
    Printed,
    Prints,
    Stop,
    Stored,
    Value,
    WrittenTensor,
)
from playground.model.finding import Finding
from playground.protocol import messages

LINES = (19, 20, 21, 22, 23)
"""The statements of `kernels/vector_add.py`'s kernel; each makes one more of `NAMES`."""
NAMES = ("offsets", "mask", "x", "y")


class FakeDebugging:
    """Steps through lines 19 to 23, and answers single questions."""

    debug_job = 0
    _queue: deque[tuple[messages.Reply, int]]

    def _answer_preparedebugger(self, _request: messages.PrepareDebugger) -> list[messages.Reply]:
        return [messages.Finished()]

    def _answer_debug(self, request: messages.Debug) -> list[messages.Reply]:
        self._debug = request
        self._points, self._shown = request.breakpoints, request.shown
        self._watches = request.watches
        self._at = 0
        if not request.stop_at_entry:
            return self._go("breakpoint")
        return [self._stopped("entry")]

    def _answer_debugcommand(self, request: messages.DebugCommand) -> list[messages.Reply]:
        looks = request.watches is not None or request.shown is not None
        self._points = self._points if request.breakpoints is None else request.breakpoints
        self._shown = self._shown if request.shown is None else request.shown
        self._watches = self._watches if request.watches is None else request.watches
        replies: list[messages.Reply] = []
        if request.verb in ("into", "over", "out", "round"):
            self._at += 1
            replies = [self._stopped("step")]
        elif request.verb == "until":
            self._at = LINES.index(request.line)
            replies = [self._stopped("cursor")]
        elif request.verb == "go":
            replies = self._go("breakpoint")
        elif looks:
            replies = [self._stopped("step")]
        self._queue.extend((reply, self.debug_job) for reply in replies)
        return [messages.Finished()]

    def _go(self, reason: str) -> list[messages.Reply]:
        lines = {point.line for point in self._points}
        ahead = [at for at in range(self._at + 1, len(LINES)) if LINES[at] in lines]
        if not ahead:
            return [messages.DebugEnded(self.debug_prints()), messages.Finished()]
        self._at = ahead[0]
        return [self._stopped(reason)]

    def _end_debugged(self, job: int) -> None:
        if job == self.debug_job:
            self._queue.append((messages.Finished(cancelled=True), job))

    def _numbers(self, name: str) -> np.ndarray:
        block = int(self._debug.config["BLOCK_SIZE"] or 1)
        offsets = np.arange(block) + self._debug.program * block
        elements = self.elements_of()  # type: ignore[attr-defined]
        return {
            "offsets": offsets, "mask": offsets < elements, "x": offsets * 0.5,
            "y": offsets * -0.25,
        }[name]  # fmt: skip

    def _stopped(self, reason: str) -> messages.DebugStopped:
        known = NAMES[: self._at]
        values = [Value("x_ptr", "pointer", "*fp32", "x_ptr[0]")]
        for place, name in enumerate(known):
            numbers = self._numbers(name)
            values.append(
                Value(name, "block", f"fp32[{len(numbers)}]", ", ".join(map(str, numbers[:3])),
                      numbers.shape, float(numbers.min()), float(numbers.max()),
                      changed=place == len(known) - 1)
            )  # fmt: skip
        watches = tuple(
            Value(text, "scalar", "float64", "7") if text != "nothing"
            else Value(text, "other", "", "", problem="NameError: name 'nothing' is not defined")
            for text in self._watches
        )  # fmt: skip
        line = LINES[min(self._at, len(LINES) - 1)]
        stop = Stop(
            reason, self._debug.program, (Frame("add_kernel", self.path_of(), line),),  # type: ignore[arg-type]
            tuple(values), watches, steps=self._at + 1,
        )  # fmt: skip
        shown = None
        if self._shown in known:
            shown = messages.BlockValue(self._shown, "fp32", self._numbers(self._shown))
        return messages.DebugStopped(stop, shown)

    def path_of(self) -> str:
        return self._launches[0].file  # type: ignore[attr-defined]

    def debug_prints(self) -> Prints:
        return Prints(
            "interpreter",
            (Printed(3, "x", ("1.5", "2.5"), (2,), 2, 22), Printed(4, "x", ("7",), (), 1, 22)),
            ("BLOCK is 1024",), 3,
        )  # fmt: skip

    def _answer_runalone(self, request: messages.RunAlone) -> list[messages.Reply]:
        elements = np.arange(1024) + 1024 * request.program
        run = AloneRun(
            request.mode, request.program, (97, 1, 1),
            (WrittenTensor("out_ptr", (98432,), "float32", 1024, int(elements[0]),
                           int(elements[-1])),),
            self.debug_prints(), 1.5,
        )  # fmt: skip
        values = messages.WrittenValues("out_ptr", elements, elements * 0.0, elements * 0.25)
        return [messages.RanAlone(run, (values,))]

    def _answer_getprints(self, _request: messages.GetPrints) -> list[messages.Reply]:
        return [messages.PrintsOf(self.debug_prints())]

    def _answer_huntnonfinite(self, request: messages.HuntNonFinite) -> list[messages.Reply]:
        origin = Origin(
            5, self.path_of(), 23, "tl.store(out_ptr + offsets, x + y, mask=mask)", float("inf"),
            "computed", "/", (1024,), (7,), 2, (Operand("", 1.5), Operand("", 0.0)),
        )  # fmt: skip
        stored = Stored("out_ptr", (5127,), float("inf"), 5, 23, 0, 2)
        found = NonFinite((stored,), (origin,), 1, 1, 97)
        finding = Finding("error", "check", "program 5 makes inf: 1.5 / 0", line=23)
        return [messages.Hunted(found, (finding,))]

    def _answer_compareelements(self, request: messages.CompareElements) -> list[messages.Reply]:
        if request.against == "reference":
            found = Finding("error", "runtime", "the file has no reference(): write one")
            return [messages.Finished(findings=(found,))]
        one = ElementDifference(
            "out_ptr", (98432,), 98432, 3, 1e-4, 2.0, (2050,), 1.0, 3.0, (2051,), 0.0, 2.0, 2,
            self.path_of(), 23,
        )  # fmt: skip
        ratios = np.zeros((193, 512))
        ratios[4, 2:5] = 50.0
        ratios[-1, 128:] = np.nan
        picture = messages.ErrorMap("out_ptr", ratios * 1e-4, ratios, (193, 512))
        told = Differences("interpreter", request.against, (one,), 97, 97)
        return [messages.Differed(told, (picture,))]


def points(*lines: int) -> tuple[Breakpoint, ...]:
    return tuple(Breakpoint("", line) for line in lines)
