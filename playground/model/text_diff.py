"""Two texts of a compiler stage aligned line by line, whatever their values are called.

A compiler numbers its values anew after every change: compared as they stand, two texts that differ
in one operation differ in every line below it. So lines are matched by what is left of them without
numbers of values, registers, labels and source places; those count again only where a line uses
another value than its twin does.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

from playground.model.compilations import Block

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Span = tuple[int, int, int, int]
"""Lines `[0]` to `[1]` of the left text and `[2]` to `[3]` of the right one, ends not included."""

_MOST_STEPS = 150
"""Edit steps after which the way that led furthest is taken: the time grows with their square."""

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


def matches(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield pairs of equal lines in order: lines that are alone of their kind decide first.

    That is patience diff; between such lines the shortest edit is looked for, in bounded time.
    """
    waiting: list[Span] = [(0, len(left), 0, len(right))]
    while waiting:
        a, b, c, d = waiting.pop()
        while a < b and c < d and left[a] == right[c]:
            yield a, c
            a, c = a + 1, c + 1
        tail = 0
        while a < b - tail and c < d - tail and left[b - 1 - tail] == right[d - 1 - tail]:
            tail += 1
        if tail:
            waiting.append((b - tail, b, d - tail, d))
            b, d = b - tail, d - tail
        if a == b or c == d:
            continue
        anchors = _alone(left, right, (a, b, c, d))
        if not anchors:
            yield from _shortest(left, right, (a, b, c, d))
            continue
        ends = [*anchors, (b, d)]
        # The last stretch first: they are taken from the end of the list.
        starts = [(a, c), *anchors]
        for (left_at, right_at), (left_end, right_end) in reversed(
            list(zip(starts, ends, strict=True))
        ):
            waiting.append((left_at, left_end, right_at, right_end))


def _alone(left: Sequence[str], right: Sequence[str], span: Span) -> list[tuple[int, int]]:
    """Return the lines that each text has once, in the longest order common to both."""
    a, b, c, d = span
    left_count, right_count = Counter(left[a:b]), Counter(right[c:d])
    where = {right[at]: at for at in range(c, d) if right_count[right[at]] == 1}
    pairs = [
        (at, where[left[at]])
        for at in range(a, b)
        if left_count[left[at]] == 1 and left[at] in where
    ]
    # The longest increasing run of the right positions, by patience sorting.
    tops: list[int] = []
    piles: list[int] = []
    back: list[int] = []
    for index, (_, at) in enumerate(pairs):
        pile = bisect_left(tops, at)
        back.append(piles[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(at)
            piles.append(index)
        else:
            tops[pile], piles[pile] = at, index
    chain: list[tuple[int, int]] = []
    index = piles[-1] if piles else -1
    while index >= 0:
        chain.append(pairs[index])
        index = back[index]
    return chain[::-1]


def _shortest(left: Sequence[str], right: Sequence[str], span: Span) -> Iterator[tuple[int, int]]:
    """Yield the pairs of the shortest edit (Myers), in pieces where it takes many steps."""
    a, b, c, d = span
    # A line that the other text does not have can only be an edit: it need not be looked at.
    theirs, ours = set(right[c:d]), set(left[a:b])
    lefts = [at for at in range(a, b) if left[at] in theirs]
    rights = [at for at in range(c, d) if right[at] in ours]
    mine, others = [left[at] for at in lefts], [right[at] for at in rights]
    x = y = 0
    while x < len(mine) and y < len(others):
        pairs, x_moved, y_moved = _myers(mine[x:], others[y:])
        for x_at, y_at in pairs:
            yield lefts[x + x_at], rights[y + y_at]
        x, y = x + x_moved, y + y_moved


def _myers(left: list[str], right: list[str]) -> tuple[list[tuple[int, int]], int, int]:
    """Return the pairs of the shortest edit, and how far it leads in either text."""
    n, m = len(left), len(right)
    reach = {1: 0}
    trail: list[dict[int, int]] = []
    for steps in range(n + m + 1):
        trail.append(dict(reach))
        furthest = (0, 0)
        for k in range(-steps, steps + 1, 2):
            down = k == -steps or (k != steps and reach[k - 1] < reach[k + 1])
            x = reach[k + 1] if down else reach[k - 1] + 1
            y = x - k
            while x < n and y < m and left[x] == right[y]:
                x, y = x + 1, y + 1
            reach[k] = x
            if x >= n and y >= m:
                return _walked(trail, steps, n, m), n, m
            if x <= n and y <= m:
                furthest = max(furthest, (x + y, x))
        if steps >= _MOST_STEPS and furthest[0]:
            x, y = furthest[1], furthest[0] - furthest[1]
            return _walked(trail, steps, x, y), x, y
    return [], n, m


def _walked(trail: list[dict[int, int]], steps: int, x: int, y: int) -> list[tuple[int, int]]:
    """Return the pairs on the way to `x` and `y`, from what was reached after each step."""
    pairs: list[tuple[int, int]] = []
    for step in range(steps, 0, -1):
        reach, k = trail[step], x - y
        down = k == -step or (k != step and reach[k - 1] < reach[k + 1])
        before = k + 1 if down else k - 1
        last_x = reach[before]
        last_y = last_x - before
        while x > last_x + (not down) and y > last_y + down:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = last_x, last_y
    while x > 0 and y > 0:
        x, y = x - 1, y - 1
        pairs.append((x, y))
    return pairs[::-1]
