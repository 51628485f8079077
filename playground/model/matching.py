"""What two sequences have in common: lines of two texts, characters of two lines."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Span = tuple[int, int, int, int]
"""Lines `[0]` to `[1]` of the left text and `[2]` to `[3]` of the right one, ends not included."""

_MOST_STEPS = 150
"""Edit steps after which the way that led furthest is taken: the time grows with their square."""


def common_ends(left: Sequence[object], right: Sequence[object]) -> tuple[int, int]:
    """Return how long the beginning and the end are that both have; the two never overlap."""
    shorter = min(len(left), len(right))
    head = 0
    while head < shorter and left[head] == right[head]:
        head += 1
    tail = 0
    while tail < shorter - head and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    return head, tail


def line_map(old: str, new: str) -> dict[int, int]:
    """Return for each line of `old` (from 1) that `new` still has its number there."""
    pairs = matches(old.split("\n"), new.split("\n"))
    return {before + 1: after + 1 for before, after in pairs}


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
