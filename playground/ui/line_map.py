"""Where the lines of an older text are in a newer one."""

from __future__ import annotations

from difflib import SequenceMatcher


def line_map(old: str, new: str) -> dict[int, int]:
    """Return for each line of `old` (from 1) that `new` still has its number there."""
    before, after = old.split("\n"), new.split("\n")
    shorter = min(len(before), len(after))
    head = 0
    while head < shorter and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < shorter - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    found = {line: line for line in range(1, head + 1)}
    # Edits are mostly in one place; only what lies between is matched in earnest.
    middle = SequenceMatcher(
        None, before[head : len(before) - tail], after[head : len(after) - tail], autojunk=False
    )
    for left, right, size in middle.get_matching_blocks():
        for step in range(size):
            found[head + left + step + 1] = head + right + step + 1
    for step in range(tail):
        found[len(before) - step] = len(after) - step
    return found
