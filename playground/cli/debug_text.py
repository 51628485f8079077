"""What people read of `debug`: stops with their values, prints, what was written or differs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from playground.cli.text_table import duration, indented, table
from playground.model.plane import index_text

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHOWN = 8
_SHOWN_PRINTS = 60


def section(item: dict[str, Any]) -> str:
    """Return everything that was asked for."""
    x, y, z = item["grid"]
    parts = [f"{item['kernel']}: program {item['program']} of the grid {x} × {y} × {z}"]
    for key, text in (
        ("stops", _stops), ("alone", _alone), ("prints", _prints), ("nonfinite", _nonfinite),
        ("differences", _differences),
    ):  # fmt: skip
        if item[key]:
            parts.append(text(item[key]))
    return "\n".join(parts)


def _number(value: Any) -> str:
    return "nan or inf" if value is None else f"{value:g}"


def _index(index: Sequence[int] | None) -> str:
    return "" if index is None else index_text(index)


def _stops(item: dict[str, Any]) -> str:
    lines = []
    for stop in item["rows"]:
        if "printed" in stop:
            values = ", ".join(map(_number, (stop["values"] or [])[:_SHOWN]))
            shape = " × ".join(map(str, stop["shape"])) or "scalar"
            lines.append(f"  {stop['printed']} ({shape}): {values or 'no numbers'}")
            continue
        where = " < ".join(f"{one['function']}:{one['line']}" for one in stop["frames"])
        rounds = "".join(
            f", round {one['round'] + 1}" + (f" of {one['rounds']}" if one["rounds"] else "")
            for one in stop["rounds"]
        )
        lines.append(f"{stop['reason']} at {Path(stop['file']).name} {where}{rounds}")
        lines += [f"  {note}" for note in stop["notes"]]
        rows = [
            ("*" if one["changed"] else "", one["name"], one["type"], _range(one),
             one["problem"] or one["text"])
            for one in (*stop["watches"], *stop["values"])
        ]  # fmt: skip
        if rows:
            lines.append(indented(table(("", "name", "type", "range", "value"), rows)))
    if item["truncated"]:
        lines.append(f"only the first {len(item['rows'])} stops: give a condition (LINE if EXPR)")
    lines.append("the program has ended" if item["ended"] else "the program was left where it is")
    if item["prints"]["rows"]:
        lines.append(_prints(item["prints"]))
    return "\n".join(lines)


def _range(value: dict[str, Any]) -> str:
    parts = []
    if value["minimum"] is not None:
        parts.append(f"{value['minimum']:.4g} … {value['maximum']:.4g}")
    parts += [f"{value['nans']} NaN"] if value["nans"] else []
    parts += [f"{value['infinities']} inf"] if value["infinities"] else []
    return ", ".join(parts)


def _alone(item: dict[str, Any]) -> str:
    where = "on the GPU" if item["mode"] == "gpu" else "in the interpreter"
    lines = [f"alone {where}, {duration(item['duration_ms'])}"]
    rows = [
        (one["tensor"], one["dtype"], f"{one['elements']:,}", f"{one['first']:,}",
         f"{one['last']:,}", one["nans"], one["infinities"],
         ", ".join(map(_number, one["after"][:4])))
        for one in item["written"]
    ]  # fmt: skip
    if rows:
        header = ("writes", "type", "elements", "from", "to", "NaN", "inf", "first values")
        lines.append(indented(table(header, rows)))
    lines += [f"  note: {note}" for note in item["notes"]]
    if item["prints"]["lines"] or item["prints"]["static"]:
        lines.append(_prints(item["prints"]))
    return "\n".join(lines)


def _prints(item: dict[str, Any]) -> str:
    where = "on the GPU" if item["mode"] == "gpu" else "in the interpreter"
    lines = [f"printed {where}: {item['lines']:,} values"]
    rows = [
        (one["program"] if one["program"] >= 0 else "", one["line"] or "", one["prefix"],
         " × ".join(map(str, one["shape"])), ", ".join(one["values"][:_SHOWN])
         + (" …" if one["count"] > _SHOWN else ""))
        for one in item["rows"][:_SHOWN_PRINTS]
    ]  # fmt: skip
    if rows:
        lines.append(indented(table(("program", "line", "text", "shape", "values"), rows)))
    left = len(item["rows"]) - len(rows)
    lines += [f"  … {left:,} more: --json has them"] if left > 0 else []
    lines += [f"  at compile time: {text}" for text in item["static"]]
    lines += [f"  note: {note}" for note in item["notes"]]
    return "\n".join(lines)


def _nonfinite(item: dict[str, Any]) -> str:
    lines = []
    for one in item["stored"]:
        lines.append(
            f"{one['tensor']}{_index(one['element'])} is not finite, stored by program "
            f"{one['program']} in line {one['line']} ({one['nans']:,} NaN, "
            f"{one['infinities']:,} infinite)"
        )
    rows = [
        (one["line"], one["program"], one["value"], one["what"], ", ".join(
            f"{part['text']} {float(part['value']):g}".strip() for part in one["operands"]),
         _index(one["index"]) if one["index"] else "", one["lanes"], one["source"])
        for one in item["origins"]
    ]  # fmt: skip
    if rows:
        header = ("made in line", "program", "made", "by", "of", "at", "lanes", "source")
        lines.append(indented(table(header, rows)))
    if not item["stored"]:
        lines.append("every element of the result is finite")
    if item["harmless"]:
        lines.append(f"  {item['harmless']:,} more came about in lanes that no store let out")
    lines += [f"  note: {note}" for note in item["notes"]]
    return "\n".join(lines)


def _differences(item: dict[str, Any]) -> str:
    rows = [
        (one["tensor"], f"{one['mismatches']:,} of {one['compared']:,}", _index(one["first"]),
         _number(one["got"]) if one["first"] else "", _number(one["want"]) if one["first"] else "",
         one["program"] if one["program"] >= 0 else "", one["line"] or "",
         _number(one["max_abs_error"]), _index(one["worst"]), _number(one["tolerance"]))
        for one in item["tensors"]
    ]  # fmt: skip
    header = ("tensor", "differ", "first", item["left"], item["right"], "program", "line",
              "largest error", "at", "allowed")  # fmt: skip
    lines = [f"{item['left']} beside {item['right']}", indented(table(header, rows))]
    lines += [f"  note: {note}" for note in item["notes"]]
    return "\n".join(lines)
