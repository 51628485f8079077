"""What people read of `advise`: the checklist in its order, advice below each of its points."""

from __future__ import annotations

from typing import Any

from playground.cli.text_table import duration
from playground.model.config import label


def report(item: dict[str, Any]) -> str:
    """Return the advice as text."""
    kind = "measured" if item["measured"] else "expected, not measured"
    head = f"advice on {item['kernel']} for {item['target']}: {label(item['config'])}"
    lines = [head]
    if item["time_ms"]:
        floor = f", the roof allows {duration(item['floor_ms'])}" if item["floor_ms"] else ""
        lines.append(f"  time now {duration(item['time_ms'])} ({kind}){floor}")
    if item["first"] is None:
        lines.append("  nothing to say: no figure speaks for a change")
    else:
        first = _first(item)
        lines.append(f"  start with {first['cause']}: {_place(first)}{first['message']}")
    for answer in item["answers"]:
        lines.append(f"{answer['topic']}: {answer['text']}")
        for advice in item["items"]:
            if advice["topic"] == answer["topic"]:
                lines += _advice(advice)
    lines += [f"  note: {text}" for text in item["missing"]]
    return "\n".join(lines)


def _first(item: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in item["items"] if each["cause"] == item["first"])
    return found


def _place(item: dict[str, Any]) -> str:
    return f"line {item['line']}: " if item["line"] else ""


def _advice(item: dict[str, Any]) -> list[str]:
    lines = [f"  * {item['cause']}: {_place(item)}{item['message']}", f"    {item['remedy']}"]
    if item["gain"]:
        lines.append(f"    {item['gain']['text']}: {item['gain']['formula']}")
    lines += [f"    - {_evidence(each)}" for each in item["evidence"]]
    lines += [f"    note: {text}" for text in item["notes"]]
    for attempt in item["tries"]:
        lines.append(f"    try: {attempt['label']}")
        for edit in attempt["edits"]:
            lines += [f"      {edit['line'] + row:>5} - {text}"
                      for row, text in enumerate(edit["before"])]  # fmt: skip
            lines += [f"            + {text}" for text in edit["after"]]
        if attempt["result"]:
            lines.append(f"      {attempt['result']['text']}")
    return lines


def _evidence(item: dict[str, Any]) -> str:
    if item["value"] is None:
        return f"{item['text']} ({item['source']})"
    from playground.model.advice import amount

    return f"{item['text']}: {amount(item['value'], item['unit'])} ({item['source']})"
