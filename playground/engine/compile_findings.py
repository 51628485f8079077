"""Compile failures as findings on the user's own line, with what to write instead."""

from __future__ import annotations

import os
import re
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playground.engine import (
    compile_chain,
    compile_crashes,
    compile_hints,
    compile_places,
    crash_reproducer,
)
from playground.engine.compile_wording import plain_message
from playground.model.finding import Finding

if TYPE_CHECKING:
    from playground.engine.compile_chain import Frame
    from playground.engine.compile_messages import KernelRef, Order
    from playground.engine.compile_places import Place

_DETAIL_LIMIT = 6000
_ABOUT_OPTIONS = re.compile(
    r"num_warps must be|was specified but unrecognised|num_ctas > 1|num_stages must|maxnreg must"
)


@dataclass(frozen=True)
class Context:
    """What was being compiled when it failed.

    `printed` is all that the compiler printed, `stages` the texts of the stages that were through,
    `failed` the stage that was not, and `path` the file that was run.
    """

    order: Order
    arguments: dict[str, Any]
    printed: str
    stages: dict[str, str | bytes] = field(default_factory=dict)
    failed: str = ""
    path: str = ""


def from_compile_error(error: Exception, context: Context) -> Finding:
    """Return the finding for an exception that Triton raised while it compiled."""
    links = compile_chain.links_of(error)
    kind = type(links[-1]).__name__
    frames = compile_chain.frames_of(links)
    own = [frame for frame in frames if not frame.in_library]
    source = own[-1].source if own else ""
    message = _message(links)
    broken = compile_places.printed_place(context.printed) if not own else None
    if broken is not None:
        # A pass failed: the exception says only that, the pass itself printed what and where.
        message = broken[1]
    place = _place(message, own, broken[0] if broken else None, context)
    hint = compile_hints.hint_for(
        message,
        kind=kind,
        file=place[0],
        line=place[1],
        source=source,
        values={name: _number(value) for name, value in context.arguments.items()},
        options=dict(context.order.options),
        target=context.order.target,
    )
    if not own and ("PassManager" in str(error) or "MLIR pass pipeline" in str(error)):
        kept = compile_crashes.kept_note(
            context.order, context.printed, context.stages, context.failed, message
        )
        hint = "; ".join(part for part in (hint, kept) if part)
    text = plain_message(message, kind, source, place[0], place[1])
    printed = crash_reproducer.without_reproducer(context.printed)
    told = str(error).strip()
    own_words = "" if message in told else message
    parts = (compile_chain.told(frames), own_words, told, printed.strip())
    return Finding(
        "error", "compile", text + _within(frames), hint, *place,
        "\n".join(part for part in parts if part)[-_DETAIL_LIMIT:],
    )  # fmt: skip


def _place(message: str, own: list[Frame], broken: Place | None, context: Context) -> Place:
    kernel, order = context.order.kernel, context.order
    if own:
        frame = own[-1]
        if "eturn type" in message and frame.source.lstrip().startswith(("def ", "@")):
            # Told of the whole function; the last `return` is the one that differs.
            at = compile_places.last_return(frame.file, frame.line)
            if at is not None:
                return (frame.file, *at)
        inner = compile_places.function_around(frame.file, frame.line)
        if "StopIteration" in message and inner is not None:
            return frame.file, inner.lineno, inner.col_offset  # told of its parameters
        return frame.file, frame.line, frame.column
    if broken is not None:
        return broken
    if _ABOUT_OPTIONS.search(message) and order.called is not None and context.path:
        return context.path, order.called, None
    told = compile_places.place_of(message, context.stages, kernel.file, kernel.line)
    return told or (kernel.file, kernel.line, None)


def _within(frames: list[Frame]) -> str:
    """Return `, in scaled called on line 20`: by which call an error in another function came."""
    own = [frame for frame in frames if not frame.in_library]
    if frames and frames[-1].in_library and own:
        inner = frames[frames.index(own[-1]) + 1]
        return f", inside Triton's {inner.function}"
    if len(own) < 2:
        return ""
    caller, inside = own[-2], own[-1]
    where = f"line {caller.line}"
    if caller.file != inside.file:
        where += f" of {os.path.basename(caller.file)}"
    return f", in {inside.function} called on {where}"


def from_load_error(error: BaseException, path: str) -> Finding:
    """Return the finding for a file that does not execute in the compile worker."""
    own = _own_frames(error, path)
    line = own[-1].lineno if own else getattr(error, "lineno", None)
    text = "".join(traceback.format_exception(error)).strip()
    return Finding(
        "error", "compile",
        f"the file cannot be executed for compiling: {type(error).__name__}: {error}",
        "the compile worker executes the file as an import does, without a GPU of its own: put "
        'what needs one under `if __name__ == "__main__":` or into a function',
        path, line, None, text[-_DETAIL_LIMIT:],
    )  # fmt: skip


def line_of(error: BaseException, path: str) -> int | None:
    """Return the line of the file's own statement that `error` was raised in, if there is one."""
    own = _own_frames(error, path)
    return own[0].lineno if own else None


def _own_frames(error: BaseException, path: str) -> list[traceback.FrameSummary]:
    return [item for item in traceback.extract_tb(error.__traceback__) if item.filename == path]


def not_found(kernel: KernelRef, driver_error: Exception | None) -> Finding:
    """Return the finding for a kernel that the worker cannot reach."""
    detail = "" if driver_error is None else "".join(traceback.format_exception(driver_error))
    return Finding(
        "error", "compile", f"the compile worker does not find the kernel {kernel.qualname}",
        "a kernel made inside a function is found by running the driver without launching; define "
        "the kernel at the top of the file, or pass what it closes over as tl.constexpr",
        kernel.file, kernel.line, None, detail[-_DETAIL_LIMIT:],
    )  # fmt: skip


def _message(links: list[BaseException]) -> str:
    for link in reversed(links):
        own = getattr(link, "error_message", None)
        if own:
            return str(own).strip()
        if not hasattr(link, "node") and str(link).strip():
            text = str(link.args[0]) if isinstance(link, KeyError) and link.args else str(link)
            return text.strip()
    return ""


def _number(value: Any) -> int | None:
    value = getattr(value, "value", value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
