"""A sweep as text: the ranking as a table, what failed and why, and what holds for all sizes."""

from __future__ import annotations

from typing import Any

from playground.cli.text_table import duration, indented, table
from playground.model.config import label as config_text


def report(item: dict[str, Any]) -> str:
    """Return the table of a sweep, or of every size's, and what is best for all of them."""
    if item.get("at_sizes"):
        each = [f"at {_sizes(one['sizes'])}\n{_one(one)}" for one in item["at_sizes"]]
        return "\n\n".join([*each, _across(item["across"])])
    return _one(item)


def _one(item: dict[str, Any]) -> str:
    """Return one sweep's table, the fastest first, and what is to be said of it."""
    all_rows = item["rows"]
    timed = any(row["median_ms"] is not None for row in all_rows)
    ranked = any(row["place"] for row in all_rows)
    # Only the knobs that were moved get a column; what they all share is said once.
    configs = [row["config"] for row in all_rows]
    names = list(configs[0]) if configs else []
    moved = [name for name in names if any(c[name] != configs[0][name] for c in configs)]
    fixed = {name: configs[0][name] for name in names if name not in moved}
    shown = [row for row in all_rows if row["status"] != "constraint"]
    devices = [row["device"] for row in shown if row["device"]]
    several = len(set(devices)) > 1
    ruled_out = len(all_rows) - len(shown) + item["excluded"]
    ordered = sorted(
        shown,
        key=lambda row: (
            row["median_ms"] is None,
            row["place"] or len(all_rows),
            (row["relative"] if several else None) or row["median_ms"] or 0.0,
            row["status"] != "correct",
            _order(row["config"], moved),
        ),
    )
    rows = [
        (
            *((row["place"],) if ranked else ()),
            *(row["config"][name] for name in moved),
            row["status"],
            *((duration(row["median_ms"]), _note(row)) if timed else ()),
            row["registers"],
            row["spill_bytes"],
            row["shared_bytes"],
            row["unwritten"],
            *((row["device"],) if several else ()),
            "" if row["status"] == "correct" else " ".join(row["reason"].split())[:80],
        )
        for row in ordered
    ]
    header = (*(("place",) if ranked else ()), *moved, "result",
              *(("median", "timed") if timed else ()), "registers", "spilled", "shared",
              "unwritten", *(("device",) if several else ()), "reason")  # fmt: skip
    cut = ", cancelled" if item["cancelled"] else ""
    lines = [
        f"sweep of {item['kernel']} for {item['target']}: {len(all_rows)} of {item['total']} "
        f"configs in {item['elapsed_s']:.1f} s{cut}",
        indented(table(header, rows)),
        *([f"  {ruled_out:,} ruled out by a condition"] if ruled_out else []),
        *([f"  all with {config_text(fixed)}"] if fixed else []),
        *([f"  all on {devices[0]}"] if devices and not several else []),
        *_winner(item),
        *([f"  {item['note']}"] if item["note"] else []),
        *([f"  kept as sweep {item['store']}"] if item["store"] is not None else []),
    ]
    return "\n".join(lines)


def _across(item: dict[str, Any]) -> str:
    """Return the configs for all sizes, and what each size loses under them."""
    lines = []
    for name, title in (("by_mean", "best on average"), ("by_worst", "best in the worst case")):
        found = item[name]
        if found is None:
            continue
        lines.append(f"{title} over all sizes: {config_text(found['config'])}")
        rows = [
            (_sizes(loss["sizes"]), f"{(loss['loss'] - 1) * 100:.1f} %") for loss in found["losses"]
        ]
        lines.append(indented(table(("size", "slower than its best"), rows)))
    return "\n".join(lines) or "no config was right and timed at every size"


def _winner(item: dict[str, Any]) -> list[str]:
    if not item["best"]:
        return []
    lines = [f"  fastest: {config_text(item['best']['config'])}"]
    groups, margin = item["ranking"]["groups"], item["ranking"]["margin"]
    if groups and len(groups[0]) > 1:
        lines.append(f"  {len(groups[0])} configs are tied with it, place 1; it needs the least")
    if margin is not None:
        ahead, low, high = (100 * (margin[key] - 1) for key in ("ratio", "low", "high"))
        lines.append(
            f"  {ahead:.1f} % ahead of {config_text(margin['rival'])} "
            f"(95 % interval {low:.1f} to {high:.1f} %)"
        )
    proved = sum(row["proved"] for row in item["rows"])
    if proved and item["best"]["proved"]:
        those = "it is" if proved == 1 else f"it and {proved - 1} more of the best are"
        lines.append(f"  {those} right on other inputs too: {item['proved_at']}")
    return lines


def _note(row: dict[str, Any]) -> str:
    if row["confirmed"]:
        return "in turns"
    if row["screened"]:
        return "cut short"
    return "shortly" if row["median_ms"] is not None else ""


def _sizes(sizes: dict[str, int]) -> str:
    return " ".join(f"{name}={value}" for name, value in sizes.items())


def _order(config: dict[str, Any], names: list[str]) -> list[tuple[bool, float, str]]:
    values = [config[name] for name in names]
    return [
        (not isinstance(v, (int, float)), v if isinstance(v, (int, float)) else 0, str(v))
        for v in values
    ]
