"""What people read of a launch's programs: their schedule, the cache's share, one one's steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playground.cli.text_table import duration, indented, pairs, table
from playground.model.plane import index_text

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHOWN_STEPS = 40


def extras(item: dict[str, Any]) -> list[str]:
    """Return the sections that were asked for beside the counts."""
    sections = []
    if item["schedule"]:
        sections.append(_schedule(item["schedule"]))
    if item["reuse"]:
        sections.append(_reuse(item["reuse"]))
    if item["steps"]:
        sections.append(_steps(item["steps"], item["tensors"]))
    sections += [f"wrote {path}" for path in item["files"].values() if path]
    return sections


def _schedule(item: dict[str, Any]) -> str:
    held = item["resident_theoretical"]
    most = "" if held is None else f" of {held} that fit"
    x, y, z = item["grid"]
    rows: list[tuple[str, object]] = [
        ("programs", f"{x * y * z:,} on {item['used']} of {item['multiprocessors']} "
         "multiprocessors"),
        ("at the same time", f"{item['resident']}{most} on one multiprocessor"),
        ("waves", f"{item['waves']:.2f}"),
        ("from first to last", _time(item["duration_ns"])),
        ("a program", f"{_time(item['shortest_ns'])} to {_time(item['longest_ns'])}, median "
         f"{_time(item['median_ns'])}"),
        ("tail", f"{_time(item['tail_ns'])} from the first multiprocessor running dry to the end"),
        ("idle", f"{item['idle_share']:.1%} of the multiprocessors' time"),
    ]  # fmt: skip
    title = f"schedule of the programs (timer in steps of {item['resolution_ns']} ns)"
    return title + "\n" + indented(pairs(rows)) + _notes(item["notes"])


def _time(nanoseconds: int) -> str:
    return duration(nanoseconds / 1e6)


def _reuse(item: dict[str, Any]) -> str:
    rows = [
        (name, f"{asked:,}", f"{fetched:,}", f"{asked / fetched:.2f}" if fetched else "")
        for name, asked, fetched in item["per_tensor"]
    ]
    asked, fetched = item["requested_bytes"], item["fetched_bytes"]
    rows.append(("all", f"{asked:,}", f"{fetched:,}", f"{asked / fetched:.2f}" if fetched else ""))
    return (
        f"estimated for {item['cache_of']}, {item['cache_bytes'] / 2**20:,.0f} MiB: {item['order']}"
        + "\n"
        + indented(table(("tensor", "bytes requested", "fetched", "times reused"), rows))
        + f"\n  {item['least_bytes']:,} bytes at least: each line of 128 once"
        + _notes(item["notes"])
    )


def _steps(item: dict[str, Any], tensors: Sequence[dict[str, Any]]) -> str:
    shapes = {tensor["name"]: tensor["shape"] for tensor in tensors}
    rows = []
    for number, step in enumerate(item["rows"][:_SHOWN_STEPS], start=1):
        shape = shapes.get(step["tensor"], [])
        place = ""
        if step["runs"]:
            first, (last, count) = step["runs"][0][0], step["runs"][-1]
            place = f"{_index(first, shape)} to {_index(last + count - 1, shape)}"
        line = f"line {step['line']}" if step["line"] else ""
        rows.append((number, step["kind"], step["tensor"], f"{step['elements']:,}", place, line))
    left = len(item["rows"]) - len(rows)
    more = f"\n  … {left:,} steps more: --json has them all" if left > 0 else ""
    cut = "\n  note: only its first steps: it has too many" if item["truncated"] else ""
    header = ("step", "kind", "tensor", "elements", "from, to", "")
    return f"steps of program {item['program']}\n" + indented(table(header, rows)) + more + cut


def _index(element: int, shape: Sequence[int]) -> str:
    """Return the index of an element that is counted row by row."""
    index: list[int] = []
    for size in reversed(shape):
        element, at = divmod(element, size)
        index.insert(0, at)
    return index_text(index)


def _notes(notes: Sequence[str]) -> str:
    return "".join(f"\n  note: {note}" for note in notes)
