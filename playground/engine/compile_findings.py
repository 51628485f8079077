"""Compile failures as findings on the user's own line, with what to write instead."""

from __future__ import annotations

import ast
import linecache
import os
import re
import traceback
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from playground.engine import compile_hints, compile_places, made_since
from playground.engine.triton_private import compiled
from playground.model.finding import Finding

if TYPE_CHECKING:
    from playground.engine.compile_messages import KernelRef, Order

_LIBRARIES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_DETAIL_LIMIT = 6000


@dataclass(frozen=True)
class Context:
    """What was being compiled when it failed."""

    order: Order
    arguments: dict[str, Any]
    printed: str


@dataclass(frozen=True)
class _Place:
    file: str
    line: int
    column: int | None
    source: str


def from_compile_error(error: Exception, context: Context) -> Finding:
    """Return the finding for an exception that Triton raised while it compiled."""
    links = _chain(error)
    deepest = links[-1]
    place = _place(links, context.order.kernel)
    message = _message(links)
    printed = _diagnostic(context.printed, place.file) if not place.source else None
    if printed is not None:
        # A pass failed: the exception says only that, the pass itself printed what and where.
        place = _Place(place.file, printed[0], None, "")
        message = printed[1]
    if not place.source:
        told = compile_places.place_of(message, context.printed, place.file, place.line)
        place = replace(place, line=told or place.line)
    hint = compile_hints.hint_for(
        message,
        kind=type(deepest).__name__,
        file=place.file,
        source=place.source,
        values={name: _number(value) for name, value in context.arguments.items()},
        options=dict(context.order.options),
        target=context.order.target,
    )
    message = compile_hints.plain_message(message, type(deepest).__name__, place.source)
    detail = "\n".join(part for part in (str(error).strip(), context.printed.strip()) if part)
    return Finding(
        "error", "compile", message, hint, place.file, place.line, place.column,
        detail[-_DETAIL_LIMIT:],
    )  # fmt: skip


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


def _chain(error: BaseException) -> list[BaseException]:
    """Return the errors from the outermost to the one that caused it all."""
    links = [error]
    while (cause := links[-1].__cause__) is not None and cause not in links:
        links.append(cause)
    return links


def _message(links: list[BaseException]) -> str:
    for link in reversed(links):
        own = getattr(link, "error_message", None)
        if own:
            return str(own).strip()
        if not hasattr(link, "node") and str(link).strip():
            text = str(link.args[0]) if isinstance(link, KeyError) and link.args else str(link)
            return text.strip()
    return ""


def _place(links: list[BaseException], kernel: KernelRef) -> _Place:
    """Return the innermost place in a file of the user's own."""
    nodes = [link for link in links if getattr(link, "node", None) is not None]
    candidates = made_since.all_objects() if nodes else []
    for link in reversed(nodes):
        node: Any = link.node  # type: ignore[attr-defined]
        places = compiled.source_places(str(getattr(link, "src", "")), candidates)
        for file, def_line in places:
            if any(part in file for part in _LIBRARIES) or not hasattr(node, "lineno"):
                continue
            line = def_line + int(node.lineno) - 1
            source = _statement(node, file, line)
            return _Place(file, line, getattr(node, "col_offset", None), source)
    return _Place(kernel.file, kernel.line, None, "")


def _statement(node: ast.AST, file: str, line: int) -> str:
    try:
        return ast.unparse(node)
    except (AttributeError, TypeError, ValueError, RecursionError):
        return linecache.getline(file, line).strip()


def _number(value: Any) -> int | None:
    value = getattr(value, "value", value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _diagnostic(printed: str, path: str) -> tuple[int, str] | None:
    """Return line and text of the first error that a compiler pass printed about `path`."""
    found = re.search(rf"{re.escape(path)}\"?:(\d+):\d+\)?: error: (.*)", printed)
    return (int(found[1]), found[2].strip()) if found else None
