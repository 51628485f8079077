"""The calls that lead to a compile error: the functions it was raised in, as places in files."""

from __future__ import annotations

import ast
import linecache
import os
from dataclasses import dataclass
from typing import Any

from playground.engine import made_since
from playground.engine.compile_places import in_library
from playground.engine.triton_private import compiled
from playground.model.source_tree import column_of


@dataclass(frozen=True)
class Frame:
    """One function on the way to an error: where in it, the code there, and its name."""

    file: str
    line: int
    column: int | None
    source: str
    function: str

    @property
    def in_library(self) -> bool:
        """Whether it is none of the user's own."""
        return in_library(self.file)


def links_of(error: BaseException) -> list[BaseException]:
    """Return the errors from the outermost to the one that caused it all."""
    links = [error]
    while (cause := links[-1].__cause__) is not None and cause not in links:
        links.append(cause)
    return links


def frames_of(links: list[BaseException]) -> list[Frame]:
    """Return the functions that an error came through, the kernel first; one frame each."""
    nodes = [link for link in links if getattr(link, "node", None) is not None]
    candidates = made_since.all_objects() if nodes else []
    frames: list[Frame] = []
    for link in nodes:
        frame = _frame(link, candidates)
        if frame is None:
            continue
        if frames and (frames[-1].file, frames[-1].function) == (frame.file, frame.function):
            frames[-1] = frame  # the same function, told more exactly
        else:
            frames.append(frame)
    return frames


def told(frames: list[Frame]) -> str:
    """Return the chain as lines of text, empty where it has one link only."""
    if len(frames) < 2:
        return ""
    lines = [
        f"{'  ' * depth}{os.path.basename(frame.file)}:{frame.line} in {frame.function}: "
        f"{_short(frame.source)}"
        for depth, frame in enumerate(frames)
    ]
    return "\n".join(["reached by", *lines])


def _short(source: str) -> str:
    first = source.strip().partition("\n")[0]
    return first if len(first) <= 100 else f"{first[:100]} …"


def _frame(link: Any, candidates: list[Any]) -> Frame | None:
    node, text = link.node, str(getattr(link, "src", "") or "")
    if not hasattr(node, "lineno"):
        return None
    places = compiled.source_places(text, candidates)
    if not places:
        return None
    # Two functions of one text: the user's own copy is meant rather than a library's.
    file, def_line = min(places, key=lambda place: in_library(place[0]))
    line = def_line + int(node.lineno) - 1
    return Frame(file, line, _column(node, text, file, def_line), _source(node, file, line),
                 _name(text))  # fmt: skip


def _column(node: Any, text: str, file: str, def_line: int) -> int | None:
    """Return the column in the file: Triton compiles a function's text without its indentation."""
    offset = getattr(node, "col_offset", None)
    lines = text.splitlines()
    if offset is None or not 0 < node.lineno <= len(lines):
        return None
    head = linecache.getline(file, def_line)
    indent = len(head) - len(head.lstrip())
    return indent + column_of(lines[node.lineno - 1], int(offset))


def _name(text: str) -> str:
    head = text.lstrip().partition("(")[0]
    return head.removeprefix("def ").strip()


def _source(node: ast.AST, file: str, line: int) -> str:
    try:
        return ast.unparse(node)
    except (AttributeError, TypeError, ValueError, RecursionError):
        return linecache.getline(file, line).strip()
