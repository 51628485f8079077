"""Findings for compilations that ended without an exception: the worker died, or took too long."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playground.engine import compile_places, crash_reproducer, stages_reached
from playground.engine.compile_messages import Answer
from playground.model.finding import Finding

if TYPE_CHECKING:
    from playground.engine.compile_messages import Order
    from playground.engine.stages_reached import Reached

_DETAIL_LIMIT = 6000
_LAST_WORDS = (
    r"LLVM ERROR: (.+)",
    r"Failure value returned from cantFail wrapped call\s*\n(.+)",
    r"Assertion `(.+?)' failed",
    r"^(?:fatal )?error: (.+)",
    r"^UNREACHABLE executed.*",
)


def died(order: Order, how: str, printed: str, reached: Reached | None) -> Answer:
    """Return the answer to an order whose worker ended: what it said, and how far it came."""
    stages = stages_reached.texts(reached)
    words = last_words(printed)
    stage = reached.stage if reached is not None else ""
    within = f" in its stage {stage}" if stage else ""
    said = f": {words}" if words else ""
    message = f"the compiler ended abruptly ({how}){within}{said}, on {label(order)}"
    line, column = order.kernel.line, None
    hint = (
        "this is a fault of the compiler, not of the kernel's meaning: another tile shape, fewer "
        "stages or another num_warps may avoid it"
    )
    if "constraint" in words or "inline asm" in words:
        # LLVM looks at inline assembly by assertions alone.
        place = compile_places.call_of("inline_asm_elementwise", order.kernel.file, line)
        if place is not None:
            line, column = place
        hint = (
            'correct the constraints: one "=r" or "=f" for each result, then one "r" or "f" for '
            "each of args (with pack, for each register), separated by commas; $0 is the first "
            "result, the arguments follow it"
        )
    hint = "; ".join([hint, *_kept(order, printed, stages, stage, words or how)])
    finding = Finding(
        "error", "compile", message, hint, order.kernel.file, line, column,
        crash_reproducer.without_reproducer(printed)[-_DETAIL_LIMIT:],
    )  # fmt: skip
    return Answer(None, (finding,), printed, stages=stages)


def overdue(order: Order, limit_s: float, reached: Reached | None) -> Answer:
    """Return the answer to an order that took longer than it may."""
    within = f", the last of it in its stage {reached.stage}" if reached is not None else ""
    finding = Finding(
        "error", "compile",
        f"timeout: compiling {label(order)} took longer than {limit_s:.0f} s{within}",
        "very large tiles and unrolled loops (tl.static_range) compile for long: make them smaller",
        order.kernel.file, order.kernel.line,
    )  # fmt: skip
    return Answer(None, (finding,), stages=stages_reached.texts(reached))


def _kept(
    order: Order, printed: str, stages: dict[str, str | bytes], stage: str, why: str
) -> list[str]:
    return [kept] if (kept := kept_note(order, printed, stages, stage, why)) else []


def kept_note(
    order: Order, printed: str, stages: dict[str, str | bytes], stage: str, why: str
) -> str:
    """Keep what the compiler broke on; return the words that name the file, empty without one."""
    try:
        path = crash_reproducer.keep(order, printed, stages, stage, why)
    except OSError as error:
        return f"the IR that it failed on cannot be kept: {error}"
    return f"the IR that it failed on is kept in {path}" if path is not None else ""


def last_words(printed: str) -> str:
    """Return what a dying compiler said of the reason, empty where it said nothing."""
    for pattern in _LAST_WORDS:
        found = re.search(pattern, printed, re.MULTILINE)
        if found is not None:
            return (found[1] if found.groups() else found[0]).strip()
    return ""


def label(order: Order) -> str:
    """Return the kernel with its constants and options, as a person would tell it apart."""
    numbers = [
        f"{name}={spec[1]}"
        for name, spec in order.arguments
        if spec[0] == "plain" and isinstance(spec[1], int) and name.isupper()
    ]
    options = [f"{name}={value}" for name, value in order.options if name.startswith("num_")]
    return " ".join([order.kernel.qualname, *numbers, *options])
