"""What people read of a document: aligned tables, and findings as `file:line: error (stage): …`."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from playground.cli import (
    advice_text,
    compile_text,
    coverage_text,
    debug_text,
    sweep_text,
    timing_text,
)
from playground.cli.text_table import duration, indented, pairs, table
from playground.model.config import label as config_text
from playground.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from playground.cli.schema import Json


def render(document: Json, key: str) -> str:
    """Return the section of a document that is under `key`, or an empty string if it is empty."""
    payload: Any = document.get(key)
    section: Callable[[Any], str] = _SECTIONS[key]
    return section(payload) if payload else ""


def emitted(document: Json) -> str:
    """Return the texts that `compile --emit` asked for."""
    payload: Any = document["compile"]
    return compile_text.emitted(payload)


def findings(document: Json) -> str:
    """Return the findings, one a line, with their longer text below where they are errors."""
    lines = []
    for item in cast("list[dict[str, Any]]", document["findings"]):
        finding = Finding(**item)
        lines.append(replace(finding, file=_near(finding.file)).text())
        if finding.severity == "error" and finding.detail:
            lines += [f"    {line}" for line in finding.detail.rstrip().splitlines()]
    return "\n".join(lines)


def _near(path: str | None) -> str | None:
    """Return a path as people write it from here: relative where it lies below this folder."""
    if not path or not os.path.isabs(path):
        return path
    try:
        near = os.path.relpath(path)
    except (OSError, ValueError):  # this folder is gone, or the file is on another drive
        return path
    return path if near.startswith(os.pardir) else near


def device_line(document: Json) -> str:
    """Return one line that says what the numbers come from."""
    device = cast("dict[str, Any] | None", document["device"])
    if device is None:
        return ""
    versions = f"torch {device['torch']}, triton {device['triton']}, Python {device['python']}"
    if device["mode"] == "gpu":
        return f"{device['name']} ({device['target']}), {versions}"
    return f"interpreter: no GPU timings ({device['name']}), {versions}"


# ------------------------------------------------------------------ the sections


def _launches(launches: list[dict[str, Any]]) -> str:
    parts = []
    for item in launches:
        grid = " × ".join(map(str, item["grid"]))
        times = f", {item['count']} like launches" if item["count"] > 1 else ""
        place = f", called in line {item['call_line']}" if item["call_line"] else ""
        wrappers = f", under {' and '.join(item['wrappers'])}" if item["wrappers"] else ""
        parts.append(
            f"launch {item['index']}: {item['kernel']} (line {item['line']}{place}{wrappers})\n"
            f"grid {grid} ({item['grid_kind']}), {item['programs']} programs{times}"
        )
        rows = []
        for argument in item["arguments"]:
            tensor = argument["tensor"]
            if tensor is None:
                rows.append((argument["name"], argument["kind"], argument["text"], ""))
            else:
                shape = " × ".join(map(str, tensor["shape"])) or "scalar"
                strides = ", ".join(map(str, tensor["strides"]))
                rows.append((argument["name"], tensor["dtype"], shape, f"({strides})"))
        parts.append(indented(table(("argument", "type", "shape or value", "strides"), rows)))
        knobs = [
            (
                knob["name"],
                knob["kind"],
                item["config"].get(knob["name"], knob["default"]),
                knob["note"] or ("dictated by the data" if knob["derived"] else ""),
            )
            for knob in item["knobs"]
        ]
        parts.append(indented(table(("knob", "kind", "value", "note"), knobs)))
        parts += [f"  preset {preset['label']}" for preset in item["presets"]]
    return "\n".join(parts)


def _measurement(item: dict[str, Any]) -> str:
    low, high = item["interval_ms"]
    count = len(item["samples_ms"])
    spread = f", 95 % interval {duration(low)} to {duration(high)}" if count > 1 else ""
    wrong = " (of a wrong result)" if item["check"] and item["check"]["status"] == "wrong" else ""
    refused = next((note for note in item["notes"] if note.startswith("cannot run on ")), "")
    rows: list[tuple[str, object]] = [("config", config_text(item["config"]))]
    if item["source"] == "interpreter":
        title = f"interpreter wall time of {item['kernel']} on the CPU: not a GPU timing"
    else:
        title = f"kernel time of {item['kernel']} ({item['source']}, {item['cache']} L2)"
    rows.append(("median", f"{duration(item['median_ms'])}{spread}{wrong}"))
    samples = f"{count}, spread {item['spread']:.1%}" if count > 1 else "1: its spread is unknown"
    rows.append(("samples", samples))
    if item["bandwidth_gbps"] is not None:
        rows.append(("bandwidth", f"{item['bandwidth_gbps']:,.0f} GB/s"))
    if item["tflops"] is not None:
        rows.append(("tl.dot", f"{item['tflops']:,.1f} TFLOP/s"))
    if item["host_ms"] is not None:
        rows.append(("host, a launch", duration(item["host_ms"])))
    if item["check"]:
        only = f"; in the interpreter only: it {refused.partition(': ')[0]}" if refused else ""
        rows.append(("result", _verdict(item["check"]) + only))
    text = title + "\n" + indented(pairs(rows)) + _notes(item["notes"])
    return "\n".join([text, *timing_text.extras(item)])


def _replay(item: dict[str, Any]) -> str:
    return f"replayed {item['kernel']} under {config_text(item['config'])}"


def _verdict(check: dict[str, Any]) -> str:
    from playground.model.check import CheckResult

    return CheckResult(**check).text()


def _export(item: dict[str, Any]) -> str:
    if item["path"]:
        return f"wrote {item['path']} ({config_text(item['config'])})"
    return str(item["text"]).rstrip("\n")


def _doctor(checks: list[dict[str, Any]]) -> str:
    rows = [(check["status"], check["name"], check["text"]) for check in checks]
    lines = table(("", "", ""), rows).splitlines()[1:]
    out = []
    for check, line in zip(checks, lines, strict=True):
        out.append(line)
        if check["remedy"]:
            out.append(f"      {check['remedy']}")
    return "\n".join(out)


def _notes(notes: Sequence[str]) -> str:
    return "".join(f"\n  note: {note}" for note in notes)


_SECTIONS: dict[str, Callable[[Any], str]] = {
    "launches": _launches,
    "compile": compile_text.report,
    "measurement": _measurement,
    "replay": _replay,
    "coverage": coverage_text.report,
    "advice": advice_text.report,
    "debug": debug_text.section,
    "sweep": sweep_text.report,
    "export": _export,
    "report": _export,
    "reproducer": _export,
    "doctor": _doctor,
}
