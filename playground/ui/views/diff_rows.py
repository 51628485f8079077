"""Two texts aligned row by row for reading side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.model.matching import common_ends

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playground.model.compilations import Block

CONTEXT_LINES = 3
"""Equal lines that stay around a change when only changes are shown."""


@dataclass(frozen=True)
class DiffRow:
    """One row: line numbers from 1 (0 where a side has none), their texts, and the block's tag.

    A row with `skipped` stands for that many equal lines left out.
    """

    left: int
    right: int
    left_text: str
    right_text: str
    tag: str
    skipped: int = 0


def diff_rows(
    left: str, right: str, blocks: Sequence[Block], *, only_changes: bool = False
) -> tuple[DiffRow, ...]:
    """Return the rows of two texts under `blocks`, which cover both from first to last line."""
    one, other = left.split("\n"), right.split("\n")
    rows: list[DiffRow] = []
    for at, block in enumerate(blocks):
        made = list(_rows_of(block, one, other))
        if only_changes and block.tag == "equal":
            made = _cut(made, first=at == 0, last=at == len(blocks) - 1)
        rows += made
    return tuple(rows)


def _rows_of(block: Block, one: Sequence[str], other: Sequence[str]) -> Iterator[DiffRow]:
    height = max(block.left_end - block.left_start, block.right_end - block.right_start)
    for step in range(height):
        left, right = block.left_start + step, block.right_start + step
        has_left = left < min(block.left_end, len(one))
        has_right = right < min(block.right_end, len(other))
        yield DiffRow(
            left + 1 if has_left else 0,
            right + 1 if has_right else 0,
            one[left] if has_left else "",
            other[right] if has_right else "",
            block.tag,
        )


def _cut(rows: list[DiffRow], *, first: bool, last: bool) -> list[DiffRow]:
    head = 0 if first else CONTEXT_LINES
    tail = 0 if last else CONTEXT_LINES
    hidden = len(rows) - head - tail
    if hidden < 2:
        return rows
    gap = DiffRow(0, 0, f"⋯ {hidden} equal lines", f"⋯ {hidden} equal lines", "gap", hidden)
    return [*rows[:head], gap, *rows[len(rows) - tail :]]


def changed_span(one: str, other: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return where two lines differ: start and end of it in the one and in the other."""
    head, tail = common_ends(one, other)
    return (head, len(one) - tail), (head, len(other) - tail)


def change_heads(rows: Sequence[DiffRow]) -> tuple[int, ...]:
    """Return the row each change begins at."""
    tags = ["equal", *(row.tag for row in rows)]
    still = ("equal", "gap")
    return tuple(at for at in range(len(rows)) if tags[at + 1] not in still and tags[at] in still)
