"""Which parts of a compiler's text can be folded away, and which are at first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

METADATA_LINES = 4
"""A run of metadata shorter than this is in nobody's way."""


@dataclass(frozen=True)
class Region:
    """Lines that fold into the first of them: `start` stays in view, through `end` is hidden.

    Lines count from 0. `folded` tells that it is debug metadata, out of sight until asked for.
    """

    start: int
    end: int
    folded: bool = False


_BRACES = re.compile(r"[{}]")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_METADATA = {
    "ttir": re.compile(r"#loc\d*\b"),
    "ttgir": re.compile(r"#loc\d*\b"),
    "llir": re.compile(r"![\w.]+ = |attributes #\d"),
}
_DEBUG_SECTION = re.compile(r'\s*\.section\s+"?\.debug_')
_LABEL = {
    "ptx": re.compile(r"(\$L[\w$]+):"),
    "sass": re.compile(r"(\.L_[\w]+):"),
    "amdgcn": re.compile(r"(\.LBB\w+):"),
    "llir": re.compile(r"([\w.$]+):(?:\s|$)"),
}
_JUMP = {
    "ptx": ("bra", re.compile(r"\bbra(?:\.\w+)*\s+(\$L[\w$]+)")),
    "sass": ("BRA", re.compile(r"\bBRA\b[^`]*`\((\.L_\w+)\)")),
    "amdgcn": ("branch", re.compile(r"\bs_c?branch\w*\s+(\.LBB\w+)")),
    "llir": ("label", re.compile(r"\blabel %([\w.$]+)")),
}
"""A word that is in every jump, which is quicker to look for, and what it jumps to."""

_FILE_GROUP = "//## File "


def regions(stage: str, lines: Sequence[str]) -> tuple[Region, ...]:
    """Return what of a stage's text folds: braces, loops, blocks of one place, debug metadata."""
    found: dict[int, Region] = {}
    last = len(lines) - 1
    while last > 0 and not lines[last].strip():
        last -= 1
    for region in _all(stage, lines, last):
        held = found.get(region.start)
        # Two may begin in one line: the longer one holds the other.
        if region.end > region.start and (held is None or region.end > held.end):
            found[region.start] = region
    return tuple(sorted(found.values(), key=lambda region: region.start))


def _all(stage: str, lines: Sequence[str], last: int) -> Iterator[Region]:
    if stage in _METADATA:
        yield from _runs(lines, last, _METADATA[stage])
    tail = last + 1
    if stage in ("ptx", "amdgcn"):
        tail = next((at for at, line in enumerate(lines) if _DEBUG_SECTION.match(line)), last + 1)
        yield Region(tail, last, folded=True)
    if stage in ("ttir", "ttgir", "llir", "ptx"):
        yield from _braces(lines[:tail])
    if stage in _LABEL:
        yield from _loops(lines[:tail], _LABEL[stage], _JUMP[stage])
    if stage == "sass":
        yield from _places(lines, last)


def _runs(lines: Sequence[str], last: int, pattern: re.Pattern[str]) -> Iterator[Region]:
    start, end = -1, -1
    for at in range(last + 2):
        line = lines[at] if at <= last else "end"
        if pattern.match(line):
            start, end = (at if start < 0 else start), at
        elif start >= 0 and line.strip():
            yield Region(start, end, folded=end - start + 1 >= METADATA_LINES)
            start = -1


def _braces(lines: Sequence[str]) -> Iterator[Region]:
    opened: list[int] = []
    for at, line in enumerate(lines):
        if "{" not in line and "}" not in line:
            continue
        kept: list[int] = []
        for brace in _BRACES.findall(_QUOTED.sub("", line) if '"' in line else line):
            if brace == "{":
                kept.append(at)
            elif kept:
                kept.pop()
            elif opened and (start := opened.pop()) < at:
                yield Region(start, at)
        # A brace alone on its line belongs to the text before it.
        alone = line.strip() == "{" and at > 0
        opened += [at - 1 if alone else at for at in kept]


def _loops(
    lines: Sequence[str], label: re.Pattern[str], jump: tuple[str, re.Pattern[str]]
) -> Iterator[Region]:
    labels: dict[str, int] = {}
    word, pattern = jump
    for at, line in enumerate(lines):
        # What is set in by blanks is no label.
        if line and line[0] not in " \t" and (found := label.match(line)):
            labels[found[1]] = at
        elif word in line:
            for target in pattern.findall(line):
                if target in labels:
                    yield Region(labels[target], at)


def _places(lines: Sequence[str], last: int) -> Iterator[Region]:
    start, before = -1, False
    for at in range(last + 1):
        line = lines[at]
        here = _FILE_GROUP in line
        ends = (here and not before) or line.startswith((".L_", "//-----"))
        if start >= 0 and ends:
            yield Region(start, at - 1)
            start = -1
        if here and not before:
            start = at
        before = here
    if start >= 0:
        yield Region(start, last)
