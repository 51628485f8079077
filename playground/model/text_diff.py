"""Two texts of a compiler stage aligned line by line, whatever their values are called.

A compiler numbers its values anew after every change: compared as they stand, two texts that differ
in one operation differ in every line below it. So lines are matched by what is left of them without
numbers of values, registers, labels and source places; those count again only where a line uses
another value than its twin does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playground.model.compilations import Block
from playground.model.matching import matches

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_VALUE = re.compile(r"%[\w.$#:]*[\w$#]|![0-9]+|\^bb\d+")
_ALIAS = re.compile(r"#\w+")
_ALIASED = re.compile(r"^(#\w+) = (.*)$")
_PLACE = re.compile(r" loc\((?:[^()]|\([^()]*\))*\)|, !dbg !\d+|/\*[0-9a-f]{4,}\*/")
_REGISTER = re.compile(
    r"(?<![\w.%])(?:U?R|U?P|B|SB)\d+|%(?:r|rd|rs|f|fd|p|rq)\d+|(?<!\w)[vsa](?:\d+|\[\d+:\d+\])|"
    r"\$L__\w+|\.L_\w+|\.?L?BB\d+_\d+|\.Ltmp\d+|\.Lfunc_\w+"
)
_COMMENT = re.compile(r"\s*(?://|;).*$")
_NOISE = re.compile(r"^\s*(?:#loc\w*\s*=|![0-9]+\s*=|\.loc\s|\.file\s|//|//##|;\s|\.Ltmp|\$L__tmp)")
_DEFINED = re.compile(r"(%[\w.$]+)(?=\s*(?::\d+)?\s*=|:\s)")
_USED = re.compile(r"(%[\w.$]+)(#\d+)?")
_DEBUG = re.compile(r"^\s*\.section\s+\.debug")

_NUMBERED = ("#", "!", ";", "//", " ", "\t")
_SINGLE_ASSIGNMENT = frozenset({"ttir", "ttgir", "llir"})
"""Stages in which a name stands for one value, so that uses of another one can be told."""


def keys(lines: Sequence[str], stage: str) -> list[str]:
    """Return what is left of a stage's lines when everything numbered is taken out of them."""
    if stage in _SINGLE_ASSIGNMENT:
        return _keys_of_values([without_place(line) for line in lines])
    found = []
    debugging = False
    for line in lines:
        debugging = debugging or _DEBUG.match(line) is not None
        bare = "" if debugging or _NOISE.match(line) else without_place(line)
        found.append(_REGISTER.sub("%", _COMMENT.sub("", bare)).strip())
    return found


def _keys_of_values(lines: Sequence[str]) -> list[str]:
    # Layouts have numbered names: two lines are alike only if the layouts are.
    layouts: dict[str, str] = {
        alias[1]: alias[2]
        for line in lines
        if line.startswith("#") and not line.startswith("#loc") and (alias := _ALIASED.match(line))
    }
    found = []
    for line in lines:
        if line.startswith(_NUMBERED) and _NOISE.match(line):
            found.append("")
            continue
        if "#" in line:
            line = _ALIAS.sub(lambda name: layouts.get(name[0], name[0]), line)
        found.append(_VALUE.sub("%", line).strip())
    return found


def without_place(line: str) -> str:
    """Return a line without the place in the source that it comes from."""
    placed = " loc(" in line or "!dbg" in line or "/*" in line
    return _PLACE.sub("", line) if placed else line


def plain_lines(text: str) -> list[str]:
    """Return a text's lines without the places in the source, which fill half of MLIR's."""
    lines = (without_place(line).rstrip() for line in text.strip("\n").splitlines())
    return [line for line in lines if not line.startswith("#loc")]


def blocks(left: Sequence[str], right: Sequence[str], stage: str) -> tuple[Block, ...]:
    """Return how two texts of a stage align; the blocks cover both from first to last line."""
    if left == right:
        return (Block("equal", 0, len(left), 0, len(right)),) if left else ()
    pairs = list(matches(keys(left, stage), keys(right, stage)))
    if stage in _SINGLE_ASSIGNMENT:
        pairs = _same_values(pairs, left, right)
    return tuple(_covering(pairs, len(left), len(right)))


def unified(
    left: Sequence[str], right: Sequence[str], blocks: Sequence[Block], context: int = 3
) -> list[str]:
    """Return the lines of a unified diff; equal lines are shown as the right text has them."""
    lines: list[str] = []
    for hunk in _hunks(blocks, context):
        first, last = hunk[0], hunk[-1]
        lines.append(
            f"@@ -{first.left_start + 1},{last.left_end - first.left_start} "
            f"+{first.right_start + 1},{last.right_end - first.right_start} @@"
        )
        for block in hunk:
            if block.tag == "equal":
                lines += [f" {line}" for line in right[block.right_start : block.right_end]]
                continue
            lines += [f"-{line}" for line in left[block.left_start : block.left_end]]
            lines += [f"+{line}" for line in right[block.right_start : block.right_end]]
    return lines


def _hunks(blocks: Sequence[Block], context: int) -> Iterator[list[Block]]:
    """Yield the blocks that differ, near ones together, with `context` equal lines around."""
    hunk: list[Block] = []
    for number, block in enumerate(blocks):
        if block.tag != "equal":
            hunk.append(block)
            continue
        length = block.right_end - block.right_start
        last = number == len(blocks) - 1
        if hunk and not last and length <= 2 * context:
            hunk.append(block)
            continue
        if hunk:
            yield [*hunk, _part(block, 0, min(context, length))]
        hunk = [] if last else [_part(block, max(0, length - context), length)]
    if hunk and any(block.tag != "equal" for block in hunk):
        yield hunk


def _part(block: Block, start: int, end: int) -> Block:
    left, right = block.left_start, block.right_start
    return Block("equal", left + start, left + end, right + start, right + end)


def _covering(pairs: list[tuple[int, int]], left_end: int, right_end: int) -> Iterator[Block]:
    left_at = right_at = 0
    index = 0
    while index <= len(pairs):
        left_next, right_next = pairs[index] if index < len(pairs) else (left_end, right_end)
        if left_at < left_next or right_at < right_next:
            both = left_at < left_next and right_at < right_next
            tag = "replace" if both else "delete" if left_at < left_next else "insert"
            yield Block(tag, left_at, left_next, right_at, right_next)  # type: ignore[arg-type]
        run = index
        while run < len(pairs) and pairs[run] == (
            left_next + run - index, right_next + run - index,
        ):  # fmt: skip
            run += 1
        if run == index:
            return
        left_at, right_at = left_next + run - index, right_next + run - index
        yield Block("equal", left_next, left_at, right_next, right_at)
        index = run


def _same_values(
    pairs: list[tuple[int, int]], left: Sequence[str], right: Sequence[str]
) -> list[tuple[int, int]]:
    """Drop pairs of lines that do the same to different values."""
    twin: dict[str, str] = {}
    kept = []
    for left_at, right_at in pairs:
        before, after = without_place(left[left_at]), without_place(right[right_at])
        used, others = _USED.findall(before), _USED.findall(after)
        if " = " in before or ": " in before:
            twin.update(zip(_DEFINED.findall(before), _DEFINED.findall(after), strict=False))
        for (name, part), (other, other_part) in zip(used, others, strict=False):
            if part != other_part or twin.setdefault(name, other) != other:
                break
        else:
            kept.append((left_at, right_at))
    return kept
