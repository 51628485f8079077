"""What people read of `compile`: figures, lines, targets, differences, passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playground.cli.text_table import indented, pairs, table
from playground.model.compiling import SharedBuffer
from playground.model.config import label

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SHORT = {
    "wide memory": "16-byte", "narrow memory": "narrow", "shared memory": "shared",
    "local memory": "local", "async copy": "async", "tensor core": "tensor",
    "floating point": "float", "integer": "integer", "control": "control", "barrier": "barrier",
    "other": "other",
}  # fmt: skip
_SOURCE_WIDTH = 44
_MOST_BUFFERS = 4


def report(item: dict[str, Any]) -> str:
    """Return the figures of a compilation, and a block for everything asked for beside them."""
    blocks = [_figures(item) if item["threads"] is not None else _failed(item)]
    if item["code"]:
        blocks.append(_lines(item["code"]))
    if item["comparison"]:
        blocks.append(_comparison(item["comparison"]))
    if item["targets"]:
        blocks.append(_targets(item["targets"]))
    return "\n\n".join(blocks)


def emitted(item: dict[str, Any]) -> str:
    """Return the texts that `--emit` asked for: stages, or their differences, and passes."""
    compared = item["comparison"]
    texts = compared["diffs"] if compared else item["ir"]
    parts = []
    for stage, text in texts.items():
        heading = [f"======== {stage}"] if len(texts) > 1 or item["passes"] else []
        body = text.rstrip("\n") or ("no difference" if compared else "")
        parts.append("\n".join([*heading, body]))
    if item["passes"]:
        parts.append("\n".join(_passes(item["passes"])))
    return "\n".join(parts)


def _failed(item: dict[str, Any]) -> str:
    reached = ", ".join(item["stages"])
    return (
        f"{item['kernel']} does not compile for {item['target']} under {label(item['config'])}"
        + (f"\n  stages that it came through: {reached}" if reached else "")
    )


# ------------------------------------------------------------------ the figures


def _figures(item: dict[str, Any]) -> str:
    rows: list[tuple[str, object]] = [
        ("config", label(item["config"])),
        ("registers a thread", _registers(item)),
        ("spilled, bytes a thread", item["spill_bytes"]),
        ("stack, bytes a thread", item["stack_bytes"]),
        ("shared memory", _shared(item)),
        *(("", f"{_buffer(each)}") for each in item["shared_buffers"][:_MOST_BUFFERS]),
        ("threads a program", item["threads"]),
        ("fits the target", "yes" if item["fits"] else "NO: it compiles but cannot be launched"),
    ]
    if item["occupancy"]:
        rows.append(("occupancy", _occupancy(item["occupancy"])))
    rows += [("for more" if number == 0 else "", gain["text"])
             for number, gain in enumerate(item["gains"])]  # fmt: skip
    if item["waves"]:
        rows.append(("grid", _waves(item["waves"])))
    cached = " (from the cache)" if item["cache_hit"] else ""
    rows.append(("compile time", f"{item['total_ms']:.0f} ms{cached}"))
    stages = ", ".join(f"{s['stage']} {s['time_ms']:.0f}" for s in item["stage_times"])
    if stages:
        rows.append(("stages, ms", stages))
    notes = "".join(f"\n  note: {note}" for note in item["notes"])
    return f"compiled {item['kernel']} for {item['target']}\n{indented(pairs(rows))}{notes}"


def _registers(item: dict[str, Any]) -> object:
    kinds = item["register_kinds"]
    if not kinds:
        return item["registers"]
    told = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    return f"{item['registers']} ({told})"


def _shared(item: dict[str, Any]) -> str:
    static, limit = item["static_shared_bytes"], item["shared_limit_bytes"]
    text = f"{item['shared_bytes'] + (static or 0):,} bytes"
    if static:
        text += f" ({static:,} of them static)"
    return text + (f" of {limit:,}" if limit else "")


def _buffer(item: dict[str, Any]) -> str:
    return SharedBuffer(**{**item, "shape": tuple(item["shape"])}).text()


def _occupancy(item: dict[str, Any]) -> str:
    share = item["warps_per_sm"] / item["max_warps_per_sm"]
    programs = item["programs_per_sm"]
    return (
        f"{programs} program{'' if programs == 1 else 's'}, {item['warps_per_sm']} of "
        f"{item['max_warps_per_sm']} warps ({100 * share:.3g}%) a multiprocessor, "
        f"limited by {item['limiter']}"
    )


def _waves(item: dict[str, Any]) -> str:
    held = f"{item['programs']:,} programs, {item['per_wave']:,} at once"
    if item["count"] <= 1:
        return f"{held}: {item['count']:.0%} of a wave"
    return f"{held}: {item['count']:.2f} waves, the last one {item['last_wave']:.0%} full"


# ------------------------------------------------------------------ lines


def _lines(code: dict[str, Any]) -> str:
    kinds = [kind for kind in _SHORT if code["total"].get(kind)]
    extras = [
        (name, key)
        for name, key in (
            ("conversions", "conversions"), ("meetings", "barriers"), ("spilled", "spill_bytes"),
        )
        if any(line[key] for line in code["lines"])
    ]  # fmt: skip
    rows = [
        (
            line["line"], _cut(line["source"], _SOURCE_WIDTH), line["instructions"],
            *(line["counts"].get(kind, "") for kind in kinds),
            *(line[key] or "" for _, key in extras),
            _accesses(line),
        )
        for line in code["lines"]
    ]  # fmt: skip
    total = sum(code["total"].values())
    rows.append(
        (
            "",
            "all of it",
            total,
            *(code["total"][kind] for kind in kinds),
            *("" for _ in extras),
            "",
        )
    )
    header = (
        "line", "source", "all", *(_SHORT[kind] for kind in kinds),
        *(name for name, _ in extras), "accesses",
    )  # fmt: skip
    notes = list(code["notes"])
    if code["elsewhere"]:
        notes.append(f"{code['elsewhere']} instructions come from no line of the file")
    return (
        "what each source line became, in instructions\n"
        + indented(table(header, rows))
        + "".join(f"\n  note: {note}" for note in notes)
    )


def _accesses(line: dict[str, Any]) -> str:
    parts = []
    for access in line["accesses"]:
        width = f" {access['bits']} bits" if access["bits"] else ""
        parts.append(f"{access['count']}× {access['space']} {access['what']}{width}")
    parts += [f"{count}× {name}" for name, count in line["matrix"].items()]
    return ", ".join(parts)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


# ------------------------------------------------------------------ targets


def _targets(fits: Sequence[dict[str, Any]]) -> str:
    rows = [_target(item) for item in fits]
    header = ("target", "fits", "registers", "spilled", "shared", "of", "programs", "warps",
              "limited by", "why not")  # fmt: skip
    fitting = sum(row[1] == "yes" for row in rows)
    return f"fits {fitting} of {len(rows)} targets\n{indented(table(header, rows))}"


def _target(item: dict[str, Any]) -> tuple[object, ...]:
    made = item["report"]
    errors = [finding for finding in item["findings"] if finding["severity"] == "error"]
    why = ""
    if errors:
        first = errors[0]["message"].partition("\n")[0]
        why = _cut(first.rpartition("cannot launch: ")[2], 72)
        if errors[0]["stage"] == "resources" and errors[0]["hint"]:
            why += f" - {errors[0]['hint']}"
    if made is None:
        return (item["target"], "NO", *([None] * 7), why or "it does not compile")
    held = made["occupancy"]
    limits = (
        (held["programs_per_sm"], f"{held['warps_per_sm']}/{held['max_warps_per_sm']}",
         held["limiter"])
        if held else (None, None, None)
    )  # fmt: skip
    limit = made["shared_limit_bytes"]
    return (
        item["target"], "yes" if made["fits"] else "NO", made["registers"], made["spill_bytes"],
        f"{made['shared_bytes'] + (made['static_shared_bytes'] or 0):,}",
        None if limit is None else f"{limit:,}", *limits, why,
    )  # fmt: skip


# ------------------------------------------------------------------ two compilations


def _comparison(item: dict[str, Any]) -> str:
    left, right = item["left"], item["right"]
    names = [name for name in right["config"] if left["config"].get(name) != right["config"][name]]
    heads = [
        label({name: side["config"][name] for name in names}) or side["target"]
        for side in (left, right)
    ]
    if names and left["target"] != right["target"]:
        heads = [
            f"{head} for {side['target']}" for head, side in zip(heads, (left, right), strict=True)
        ]
    totals = [change for change in item["changes"] if not change["line"]]
    rows = [_moved(change) for change in totals if change["left"] or change["right"]]
    text = "two compilations\n" + indented(table(("", heads[0], heads[1], "change"), rows))
    by_line = [change for change in item["changes"] if change["line"]]
    if by_line:
        text += "\n\nwhat moved on which line, in instructions\n"
        header = ("line", heads[0], heads[1], "change", "of it")
        text += indented(table(header, _by_line(by_line)))
    return text


def _by_line(changes: Sequence[dict[str, Any]]) -> Iterator[tuple[object, ...]]:
    """Yield a row for each line: its instructions, then every part of them that moved."""
    lines: dict[int, list[dict[str, Any]]] = {}
    for change in changes:
        lines.setdefault(change["line"], []).append(change)
    for line, moved in lines.items():
        total = next((item for item in moved if item["name"] == "instructions"), None)
        parts = ", ".join(
            f"{item['name']} {_number((item['right'] or 0) - (item['left'] or 0), '+')}"
            + (f" {item['unit']}" if item["unit"] == "bytes" else "")
            for item in moved
            if item is not total
        )
        figures = _moved(total)[1:] if total else ("", "", "")
        yield line, *figures, parts


def _moved(change: dict[str, Any]) -> tuple[str, str, str, str]:
    left, right, unit = change["left"], change["right"], change["unit"]
    name = change["name"] + (f", {unit}" if unit not in ("", "instructions") else "")
    if left is None or right is None:
        return name, _number(left), _number(right), ""
    moved = right - left
    share = f" ({moved / left:+.0%})" if left else ""
    return name, _number(left), _number(right), f"{_number(moved, '+')}{share}" if moved else ""


def _number(value: float | None, sign: str = "") -> str:
    if value is None:
        return "-"
    if float(value).is_integer():
        return f"{value:{sign},.0f}"
    return f"{value:{sign},.1f}" if abs(value) >= 10 else f"{value:{sign}.3g}"


# ------------------------------------------------------------------ passes


def _passes(passes: Sequence[dict[str, Any]]) -> Iterator[str]:
    idle: list[str] = []
    stage = ""
    for item in passes:
        if item["stage"] != stage or item["changed"] or item["failed"]:
            yield from _idle(idle)
            idle = []
        if item["stage"] != stage:
            stage = item["stage"]
            yield f"======== passes of {stage}"
        if item["failed"]:
            yield f"-------- {item['name']}: the compilation ended here"
        elif item["changed"]:
            yield f"-------- {item['name']} ({item['lines']:,} lines after it)"
            yield item["diff"]
        else:
            idle.append(item["name"])
    yield from _idle(idle)


def _idle(names: list[str]) -> Iterator[str]:
    if names:
        yield f"-------- changed nothing: {', '.join(names)}"
