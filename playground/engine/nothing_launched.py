"""Why a run launched no kernel: what the user's file decided, caught, skipped or did not call."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from playground.engine import children_started, host_watch
from playground.engine.interpreter_findings import limit_of
from playground.model.finding import Finding
from playground.model.outline import is_jit
from playground.model.source_tree import tree_of

if TYPE_CHECKING:
    from playground.engine.run_notes import RunNotes
    from playground.engine.session import Session

Place = tuple[str, int]
_MOST_NAMES = 6


def finding(session: Session, notes: RunNotes) -> Finding:
    """Return the finding of a run that went through and launched nothing, with its reasons."""
    driver = session.driver
    shown = f"`{driver.label}`" if driver is not None else "the file"
    reasons = _reasons(session, notes)
    text, hint, place = reasons[0] if reasons else ("", "", None)
    if place is None:
        place = session.path, driver.line if driver is not None and driver.line else 0
    more = [reason for reason, _, _ in reasons[1:]]
    return Finding(
        "warning",
        "capture",
        f"{shown} launched no Triton kernel" + (f": it {text}" if text else ""),
        hint
        or "choose or type a driver that launches one, such as example(): a call that reaches "
        "kernel[grid](...)",
        place[0],
        place[1] or None,
        detail="\n".join(f"it also {reason}" for reason in more),
    )


def _reasons(session: Session, notes: RunNotes) -> list[tuple[str, str, Place | None]]:
    """Return what kept the file from launching, the likeliest first: text, hint, place."""
    found = _in_children(session)
    seen: set[Place] = set()
    for event in reversed(host_watch.events):
        place = event.file, event.line
        if place in seen:
            continue
        seen.add(place)
        if isinstance(event, host_watch.Branch):
            text = (
                f"took the way without a launch at line {event.line}, where `{event.test}` was "
                f"{event.outcome}"
            )
            hint = (
                "call it so that the condition leads to the kernel, or type a driver that launches "
                "the kernel itself"
            )
        else:
            error = event.error
            text = f"caught {type(error).__name__} by itself at line {event.line}: {error}"
            hint = "the exception is why no kernel was launched: mend what it says"
        found.append((text, hint, place))
    found.extend((text, "", place) for text, place in notes.skipped)
    if not found:
        found += _nothing_called(session)
    return found


def _in_children(session: Session) -> list[tuple[str, str, Place | None]]:
    """Return the lines that start child processes: no launch is captured in those."""
    try:
        tree = tree_of(session.text)
    except (SyntaxError, ValueError):
        return []
    found: list[tuple[str, str, Place | None]] = []
    for start in children_started.starts(tree):
        call = f"{start.function}(…)" if start.function else "the function that launches it"
        found.append(
            (
                f"starts a child process at line {start.line} (`{start.text}`), and launches are "
                "captured in this process only",
                f"type a driver that does here what the child does: {call}",
                (session.path, start.line),
            )
        )
    return found


def _nothing_called(session: Session) -> list[tuple[str, str, Place | None]]:
    """Return the reason of a script that only defines things."""
    driver = session.driver
    if driver is not None and driver.code.strip():
        return []
    try:
        tree = tree_of(session.text)
    except (SyntaxError, ValueError):
        return []
    names = [
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef) or (isinstance(node, ast.FunctionDef) and not
                                              is_jit(node))
    ]  # fmt: skip
    calls = [
        node
        for node in tree.body
        if isinstance(node, ast.If) or (isinstance(node, ast.Expr) and isinstance(node.value,
                                                                                 ast.Call))
    ]  # fmt: skip
    if calls:
        return []
    if not names:
        return [("only defines kernels", "type a driver that launches one", None)]
    shown = ", ".join(names[:_MOST_NAMES]) + ("…" if len(names) > _MOST_NAMES else "")
    return [
        (
            f"only defines {shown} and calls nothing",
            f"choose a driver that calls one of them, or type one: {names[0]}(…)",
            None,
        )
    ]


def swallowed(session: Session) -> list[Finding]:
    """Return findings for launches that failed while the file went on as if nothing had happened.

    `session.launches` holds those launches with their error.
    """
    found = []
    for launch in session.launches:
        if launch.error is None or limit_of(launch.error) is not None:
            continue  # the interpreter's limits are told where the launch is made
        caught = next(
            (
                event
                for event in host_watch.events
                if isinstance(event, host_watch.Caught) and event.error is launch.error
            ),
            None,
        )
        where = f" at line {caught.line}" if caught is not None else ""
        told = session.finding(launch.error, "driver")
        found.append(
            Finding(
                "warning",
                told.stage,
                f"{launch.info.kernel} failed and the file went on, having caught the exception"
                f"{where}: {told.message}",
                told.hint,
                told.file,
                told.line,
                told.column,
                told.detail,
            )
        )
    return found
