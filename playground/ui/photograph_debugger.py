"""What a photograph shows of the debugger: a program stopped at a line, or an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from playground.ui.window import MainWindow

START_S = 60.0
ANSWERS = ("alone", "prints", "hunt", "compare")


@dataclass(frozen=True)
class DebuggerShot:
    """Wishes for the debugger: `program` stopped at `line` for the `hits`th time.

    `watch` is an expression, `value` one to show; `answer` asks one of `ANSWERS` instead.
    """

    program: int = 0
    line: int = 0
    hits: int = 1
    watch: str = ""
    value: str = ""
    answer: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Let a command line say what the debugger shows."""
    parser.add_argument(
        "--debug", default="", metavar="PROGRAM:LINE[:HITS]",
        help="a program, stopped at a line for the so manieth time",
    )  # fmt: skip
    parser.add_argument("--watch", default="", help="an expression to watch meanwhile")
    parser.add_argument("--value", default="", help="the value whose elements are shown")
    parser.add_argument("--answer", choices=ANSWERS, default="", help="a page of the debugger")


def shot_of(options: argparse.Namespace) -> DebuggerShot | None:
    """Return what the command line asks for; None where it asks for nothing."""
    if not options.debug and not options.answer:
        return None
    program, line, hits = (*(int(part) for part in options.debug.split(":") if part), 0, 0, 1)[:3]
    return DebuggerShot(program, line, hits, options.watch, options.value, options.answer)


def show(
    window: MainWindow, shot: DebuggerShot, wait: Callable[[Callable[[], bool], float], bool]
) -> tuple[str, ...]:
    """Bring it about; return what did not come."""
    debugging, verbs = window.document.debugging, window.debug_verbs
    debugging.choose(shot.program)
    if shot.answer:
        {
            "alone": verbs.run_alone, "prints": verbs.show_prints, "hunt": verbs.hunt,
            "compare": verbs.compare,
        }[shot.answer]()  # fmt: skip
        came = wait(lambda: not debugging.asking, START_S)
        return () if came and not debugging.failure else (f"debugger {shot.answer}",)
    debugging.toggle_point(shot.line)
    if shot.watch:
        debugging.watch(shot.watch)
    if shot.value:
        debugging.show(shot.value, picked=True)
    verbs.start()
    came = wait(lambda: debugging.stop is not None, START_S)
    for _ in range(shot.hits):
        if not came:
            break
        debugging.move("go")
        came = wait(lambda: not debugging.running, START_S)
    return () if came and debugging.line == shot.line else ("debugger",)
