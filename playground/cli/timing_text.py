"""What people read of the extras of `bench`: comparison, curve, roofline, host, energy, Nsight."""

from __future__ import annotations

from typing import Any

from playground.cli.text_table import duration, table
from playground.model.curve import names_of

_NSIGHT_SHOWN = (
    "Compute (SM) Throughput", "Memory Throughput", "DRAM Throughput", "L1/TEX Cache Throughput",
    "L2 Cache Throughput", "L1/TEX Hit Rate", "L2 Hit Rate", "Duration", "SM Frequency",
    "Theoretical Occupancy", "Achieved Occupancy", "Registers Per Thread",
    "Warp Cycles Per Issued Instruction", "Issue Slots Busy", "No Eligible",
)  # fmt: skip

_LEAST_SHARE = 0.005


def extras(item: dict[str, Any]) -> list[str]:
    """Return a block of text for every extra that was asked for."""
    blocks = [
        render(item[key])
        for key, render in (
            ("comparison", _comparison),
            ("roofline", _roofline),
            ("host_cost", _host),
            ("energy", _energy),
            ("curve", _curve),
            ("nsight", _nsight),
        )
        if item.get(key)
    ]
    return [block for block in blocks if block]


def _comparison(item: dict[str, Any]) -> str:
    floor = f"; differences under {item['floor']:.2%} mean nothing here" if item["floor"] else ""
    return f"comparison: {item['text']}{floor}" + "".join(f"\n  {note}" for note in item["notes"])


def _roofline(item: dict[str, Any]) -> str:
    ceilings, standing = item["ceilings"], item["standing"]
    kind = "measured" if ceilings["measured"] else "expected, not measured"
    rates = ", ".join(f"{name} {rate:,.0f}" for name, rate in ceilings["tflops"].items())
    lines = [
        f"roofline of {ceilings['device']} ({kind})",
        f"  memory {ceilings['copy_gbps']:,.0f} GB/s"
        + (f", L2 {ceilings['l2_gbps']:,.0f} GB/s" if ceilings["l2_gbps"] else "")
        + (
            f", empty kernel {duration(ceilings['launch_ms'])}"
            if ceilings["launch_ms"] is not None
            else ""
        ),
        f"  TFLOP/s: {rates}",
        f"  {ceilings['source']}",
    ]
    if standing:
        lines.insert(1, f"  {standing['text']}")
        lines += [f"  {note}" for note in standing["notes"]]
    return "\n".join(lines)


def _host(item: dict[str, Any]) -> str:
    return (
        f"host: first call (compiles) {duration(item['first_call_ms'])}, cold start (from Triton's "
        f"cache) {duration(item['cold_start_ms'])}, cached call {duration(item['cached_ms'])}"
    )


def _energy(item: dict[str, Any]) -> str:
    return (
        f"energy: {item['joules']:.4g} J a launch, {item['power_w']:.0f} W mean over "
        f"{item['launches']:,} launches in {item['elapsed_s']:.2f} s"
    )


def _curve(item: dict[str, Any]) -> str:
    names = [axis["name"] for axis in item["axes"]]
    rows = [
        (
            *(row["sizes"].get(names_of(name)[0]) for name in names), row["line"],
            duration(row["median_ms"]) if row["median_ms"] is not None else None,
            _rounded(row["gbps"]), _rounded(row["tflops"]), row["reason"][:60],
        )
        for row in item["rows"]
    ]  # fmt: skip
    header = (*names, "line", "median", "GB/s", "TFLOP/s", "reason")
    cut = ", cancelled" if item["cancelled"] else ""
    text = table(header, rows)
    indented = "\n".join(f"  {line}" for line in text.splitlines())
    return f"{item['kernel']} over {', '.join(names)} ({item['cache']} L2{cut})\n{indented}"


def _nsight(item: dict[str, Any]) -> str:
    report = item["report"]
    if report is None:
        return ""
    found = {metric["name"]: metric for metric in report["metrics"]}
    rows = [
        (name, found[name]["value"], found[name]["unit"]) for name in _NSIGHT_SHOWN if name in found
    ]
    text = table(("Nsight Compute", "value", "unit"), rows)
    advice = "".join(f"\n  {line}" for line in report["advice"][:3])
    return "\n".join(f"  {line}" for line in text.splitlines()) + _stalls(report) + advice


def _stalls(report: dict[str, Any]) -> str:
    """Return what warps wait for, and what to do about the longest of it."""
    found = report["stalls"]
    if not found:
        return ""
    rows = [
        (item["title"], f"{item['share']:.1%}", f"{item['cycles']:.2f}")
        for item in found
        if item["share"] >= _LEAST_SHARE
    ]
    lines = [report["stall_text"], *table(("why warps wait", "share", "cycles"), rows).splitlines()]
    first = found[0]
    lines.append(f"{first['title']}: {first['meaning']} What to do: {first['remedy']}")
    return "".join(f"\n  {line}" for line in lines)


def _rounded(value: float | None) -> str | None:
    return None if value is None else f"{value:,.1f}"
