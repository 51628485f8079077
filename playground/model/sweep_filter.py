"""Which rows of a sweep to show: those with a word, or those that meet a condition."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from playground.model.constraints import Value, parse_constraint
from playground.model.sweep import SweepRow

FIGURES: Mapping[str, Callable[[SweepRow], Value]] = {
    "ms": lambda row: row.median_ms, "registers": lambda row: row.registers,
    "spills": lambda row: row.spill_bytes, "shared": lambda row: row.shared_bytes,
    "programs": lambda row: row.programs_per_sm, "unwritten": lambda row: row.unwritten,
    "place": lambda row: row.place, "status": lambda row: row.status,
}  # fmt: skip
"""What a condition may name beside the knobs: the time in ms, bytes, and counts."""

_CONDITION = re.compile(r"[<>]|==|!=|\bin\s*[(\[]")


def row_filter(text: str, knobs: Iterable[str]) -> Callable[[SweepRow], bool]:
    """Return what tells whether a row is shown.

    Text with a comparison is a condition over the knobs and `FIGURES`, such as
    `num_warps == 8 and ms < 0.2`; a row without the figure (not timed) does not meet it. Other
    text is looked for in the config, the status and the reason, every word of it.

    Raises
    ------
    ConstraintError
        The condition cannot be read; it names the column.
    """
    if not text.strip():
        return lambda _row: True
    if _CONDITION.search(text):
        condition = parse_constraint(text, [*knobs, *FIGURES])
        wanted = [name for name in FIGURES if name in condition.names]

        def meets(row: SweepRow) -> bool:
            values: dict[str, Value] = {name: FIGURES[name](row) for name in wanted}
            values.update(row.config.as_dict())
            known = all(name in values for name in condition.names)
            return known and not condition.violation(values)

        return meets
    words = text.lower().split()

    def holds(row: SweepRow) -> bool:
        told = f"{row.config.label()} {row.status} {row.reason}".lower()
        return all(word in told for word in words)

    return holds
