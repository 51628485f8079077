"""Two sweeps side by side as text, and as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playground.cli import schema
from playground.cli.text_table import duration, indented, table
from playground.model.past_sweep import differences
from playground.model.sweep_compare import SweepComparison, WinnerChange, counts_text

if TYPE_CHECKING:
    from playground.model.config import Config
    from playground.model.past_sweep import PastSweep
    from playground.model.sweep_compare import ConfigChange

ROWS = 40
"""Configs that are listed; all of them are in the JSON form."""


def data(before: PastSweep, after: PastSweep, found: SweepComparison) -> dict[str, Any]:
    """Return the comparison for other programs."""
    return {
        "before": schema.record(before),
        "after": schema.record(after),
        "differences": [list(item) for item in differences(before, after)],
        **schema.record(found),
    }


def text(before: PastSweep, after: PastSweep, found: SweepComparison) -> str:
    """Return what differs, who won, and the configs that changed most."""
    lines = [f"sweep {before.number} ({before.title}, {before.machine()})",
             f"against {after.number} ({after.title}, {after.machine()})"]  # fmt: skip
    moved = differences(before, after)
    if moved:
        lines.append(indented(table(("differs", str(before.number), str(after.number)), moved)))
    else:
        lines.append("  the same kernel, arguments, GPU and versions")
    if before.gpu != after.gpu:
        lines.append("  times of different GPUs: what counts is which config wins where")
    lines.append(f"  {counts_text(found.changes) or 'no config in either'}")
    if found.mean is not None:
        lines.append(
            f"  {found.timed} timed in both: {_percent(found.mean)} on average (geometric mean)"
        )
    if found.order_kept is not None:
        lines.append(f"  {found.order_kept * 100:.0f} % of pairs stand in the same order")
    lines += _winner(found.winner)
    lines.append(indented(_rows(found.changes)))
    left = len(found.changes) - ROWS
    return "\n".join([*lines, *([f"  {left} more (--json has them)"] if left > 0 else [])])


def _winner(winner: WinnerChange | None) -> list[str]:
    if winner is None:
        return ["  no winner in one of them: nothing was right and timed"]
    lines = []
    if winner.is_same:
        lines.append(f"  the same config wins: {winner.before.label()}")
    else:
        lines += [f"  winner before: {winner.before.label()}",
                  f"  winner after:  {winner.after.label()}"]  # fmt: skip
    if winner.ratio is not None:
        first, second = winner.before_ms[0], winner.after_ms[1]
        lines.append(
            f"  winner against winner: {duration(first)} and {duration(second)}, "
            f"{_percent(winner.ratio)}"
        )
    if not winner.is_same and winner.loss is not None:
        lines.append(f"  keeping the old winner costs {(winner.loss - 1) * 100:.1f} %")
    return lines


def _rows(changes: tuple[ConfigChange, ...]) -> str:
    names = _moved([item.config for item in changes])
    rows = []
    for item in changes[:ROWS]:
        times = [row.median_ms if row else None for row in (item.before, item.after)]
        interval = ""
        if item.low is not None and item.high is not None:
            interval = f"{_percent(item.low)} to {_percent(item.high)}"
        rows.append((
            *(item.config.as_dict().get(name) for name in names), item.change,
            *(duration(each) for each in times),
            "" if item.ratio is None else _percent(item.ratio), interval,
            *(row.status if row else "not tried" for row in (item.before, item.after)),
        ))  # fmt: skip
    titles = (*names, "change", "before", "after", "time", "95 % intervals", "result before",
              "result after")  # fmt: skip
    return table(titles, rows)


def _moved(configs: list[Config]) -> list[str]:
    names = list(configs[0]) if configs else []
    return [
        name for name in names
        if len({repr(config.as_dict().get(name)) for config in configs}) > 1
    ] or names  # fmt: skip


def _percent(ratio: float) -> str:
    share = (ratio - 1) * 100
    return f"{'+' if share >= 0 else '−'}{abs(share):.1f} %"
