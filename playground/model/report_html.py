"""A report as one HTML file that needs no other: pictures and style stand in it."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterable

from playground.model.figures import FIGURES
from playground.model.report import KernelReport
from playground.model.report_plot import samples_plot
from playground.model.report_words import (
    amount_text,
    clock_text,
    escaped,
    fact,
    number_text,
    pairs,
    rate_text,
    share_text,
    table,
    time_text,
    times_text,
    unit_of,
)

MARK = "report by Triton Playground"
"""What tells a report that this program wrote from other files."""

FEWEST_SAMPLES = 5
"""Fewer are told as figures alone: a plot of them shows nothing."""

_STYLE = """
:root { color-scheme: light dark; --text: #1b2027; --muted: #57616d; --ground: #ffffff;
  --raised: #f3f5f8; --border: #d3d8df; --accent: #1f6fb8; --good: #176c3c; --bad: #b4232f; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ee; --muted: #a3adb9;
  --ground: #15181d; --raised: #1f242c; --border: #3a424d; --accent: #6db3f2; --good: #67cf94;
  --bad: #ff8d8d; } }
@media print { :root { --text: #000; --muted: #333; --ground: #fff; --raised: #f3f3f3;
  --border: #999; --accent: #1f6fb8; --good: #176c3c; --bad: #b4232f; }
  details { display: block; } h1, h2, h3 { break-after: avoid; } pre { white-space: pre-wrap; }
  tr, figure, .fact, .plot { break-inside: avoid; } body { margin: 0; max-width: none; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground);
  max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
.muted, .axis, .tick { color: var(--muted); fill: var(--muted); } .axis, .tick { font-size: 12px; }
table { border-collapse: collapse; width: 100%; margin: 0 0 1rem; }
td, th { text-align: left; padding: .25rem .6rem;
  border-bottom: 1px solid var(--border); vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: .6rem;
  margin: 1rem 0; } .fact { background: var(--raised); border-radius: 6px; padding: .6rem .8rem; }
.fact b { display: block; font-size: 1.25rem; font-weight: 600; } .good { color: var(--good); }
.bad { color: var(--bad); } code, pre { font-family: ui-monospace, monospace; font-size: 13px; }
pre { background: var(--raised); border-radius: 6px; padding: .8rem; overflow-x: auto; }
pre .n { color: var(--muted); user-select: none; } .plot { width: 100%; height: auto; }
.plot .grid { stroke: var(--border); } .plot .dots { fill: var(--accent); fill-opacity: .55; }
.plot .median { stroke: var(--text); stroke-dasharray: 5 3; } .maps { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); margin-bottom: 1rem; }
figure { margin: 0; max-width: 26rem; } figure img { width: 100%; height: auto;
  image-rendering: pixelated; border: 1px solid var(--border); } figcaption { font-size: 13px; }
@media (max-width: 44rem) { body { margin: 1rem auto; } .facts { grid-template-columns: 1fr 1fr; }
  table { display: block; overflow-x: auto; } }
"""


def render(report: KernelReport) -> str:
    """Return the report as HTML; no folder of the machine it was made on is named in it."""
    title = f"{report.launch.kernel} · {report.file}"
    parts = [
        _head(report),
        _section("Time", _time(report), report, "time"),
        _section("Coverage", _coverage(report), report, "coverage"),
        _section("Compiler", _compiler(report), report, "compiler"),
        _section("Source", _source(report), report, "source"),
        _section("Launch", _launch(report), report, "launch"),
        _section("Device", _device(report), report, "device"),
        _section("Findings", _findings(report), report, "findings"),
        _section("What the figures mean", _meanings(), report, "meanings"),
    ]
    text = (
        f'<!DOCTYPE html>\n<!-- {MARK} -->\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head>\n"
        f"<body>{''.join(parts)}</body></html>\n"
    )
    return without_folders(text, report.private)


def without_folders(text: str, folders: Iterable[str]) -> str:
    """Return `text` with paths under `folders` cut to what lies in them."""
    for folder in sorted({item for item in folders if len(item) > 1}, key=len, reverse=True):
        for written in {folder, html.escape(folder)}:
            text = re.sub(rf"{re.escape(written)}(?:/|\\\\|(?=\W|$))", "", text)
    return text


# ------------------------------------------------------------------------------- sections


def _head(report: KernelReport) -> str:
    facts = []
    if report.check is not None:
        tone = {"correct": "good", "wrong": "bad"}.get(report.check.status, "muted")
        sign = {"correct": "✓ ", "wrong": "✗ "}.get(report.check.status, "")
        facts.append(fact("Result", sign + report.check.status, report.check.text(), tone))
    errors = [found for found in report.findings if found.severity == "error"]
    if errors:
        where = f"line {errors[0].line}: " if errors[0].line else ""
        more = f" and {len(errors) - 1} more" if len(errors) > 1 else ""
        facts.append(fact("Error", "✗ failed", f"{where}{errors[0].message}{more}", "bad"))
    measured = report.measurement
    if measured is not None:
        facts.append(fact("Median time", time_text(measured.median_ms), clock_text(measured)))
        if measured.bandwidth_gbps is not None:
            ceiling = report.device.copy_ceiling_gbps
            share = f"{100 * measured.bandwidth_gbps / ceiling:.0f} % of a copy" if ceiling else ""
            facts.append(fact("Bandwidth", f"{measured.bandwidth_gbps:.4g} GB/s", share))
        if measured.tflops is not None:
            facts.append(fact("Products", f"{measured.tflops:.4g} TFLOP/s", "of tl.dot"))
    if report.compiled is not None and report.compiled.occupancy is not None:
        occupancy = report.compiled.occupancy
        facts.append(fact("Occupancy", occupancy.share_text, f"limited by {occupancy.limiter}"))
    of = (report.file, report.config.label(), report.device.badge(), report.made)
    return (
        f"<header><h1>{escaped(report.launch.kernel)}</h1>"
        f"<p class='muted'>{escaped(' · '.join(of))}</p>"
        f"<div class='facts'>{''.join(facts)}</div></header>"
    )


def _time(report: KernelReport) -> str:
    measured = report.measurement
    if measured is None:
        return ""
    unit, scale = unit_of(measured.median_ms)
    low, high = measured.interval_ms
    single = len(measured.samples_ms) < 2  # it says nothing about how the next one would differ
    rows = [
        ("Median", f"{measured.median_ms * scale:.5g} {unit}"),
        ("95 % interval", "" if single else f"{low * scale:.5g} to {high * scale:.5g} {unit}"),
        ("Spread", "" if single else f"{100 * measured.spread:.3g} %"),
        ("Samples", f"{len(measured.samples_ms)}, {clock_text(measured)}"),
        ("Distinct bytes", amount_text(measured.bytes_unique)),
        ("Bytes asked for", amount_text(measured.bytes_requested)),
    ]
    clock = measured.after.sm_clock_mhz
    if clock:
        rows.append(("SM clock", f"{clock} MHz"))
    notes = "".join(f"<p class='muted'>{escaped(note)}</p>" for note in measured.notes)
    few = len(measured.samples_ms) < FEWEST_SAMPLES
    plot = "" if few else samples_plot(measured.samples_ms, unit, scale)
    return plot + pairs(rows) + notes


def _coverage(report: KernelReport) -> str:
    coverage = report.coverage
    if coverage is None:
        return ""
    figures = "".join(
        f"<figure><img alt='{escaped(picture.caption)}' width='{picture.width}' "
        f"height='{picture.height}' src='data:image/png;base64,"
        f"{base64.b64encode(picture.png).decode()}'><figcaption><b>{escaped(picture.title)}</b><br>"
        f"<span class='muted'>{escaped(picture.caption)}</span></figcaption></figure>"
        for picture in report.pictures
    )
    tensors = table(
        ("Tensor", "Shape", "Type", "#Loads", "#Stores", "#Unwritten", "#By several"),
        [
            (
                tensor.name, "×".join(map(str, tensor.shape)) or "scalar", tensor.dtype,
                f"{tensor.loads.total:,}", f"{tensor.stores.total:,}",
                "" if tensor.unwritten is None else f"{tensor.unwritten:,}",
                f"{tensor.multi_written:,}",
            )
            for tensor in coverage.tensors
        ],
    )  # fmt: skip
    sites = table(
        ("Line", "Access", "Tensors", "#Asked for", "#Sector efficiency", "#Read again",
         "#Masked off"),
        [
            (
                f"{site.line}", site.kind, ", ".join(site.tensors),
                amount_text(site.bytes_requested),
                share_text(site.efficiency), times_text(site.reread_factor),
                share_text(site.masked_off_share),
            )
            for site in coverage.sites
        ],
    )  # fmt: skip
    counted = (
        "every program" if coverage.programs_counted is None
        else f"{coverage.programs_counted} programs, spread over the grid"
    )  # fmt: skip
    return (
        f"<div class='maps'>{figures}</div>"
        f"<p class='muted'>Counted: {counted}, {escaped(coverage.resolution)}.</p>"
        f"{tensors}<h3>Accesses</h3>{sites}"
    )


def _compiler(report: KernelReport) -> str:
    made = report.compiled
    if made is None:
        return ""
    rows = [
        ("Target", made.target),
        ("Registers a thread", number_text(made.registers)),
        ("Spills a thread", amount_text(made.spill_bytes)),
        (
            "Shared memory a program",
            amount_text(made.shared_bytes + (made.static_shared_bytes or 0)),
        ),
        ("Threads a program", str(made.threads)),
        ("Can be launched", "yes" if made.fits else "no"),
        (
            "Compile time",
            f"{made.total_ms:.0f} ms" + (" (from the cache)" if made.cache_hit else ""),
        ),
    ]
    if made.occupancy is not None:
        held = made.occupancy
        rows.insert(
            5, ("Occupancy", f"{held.share_text}: {held.programs_per_sm} programs, limited by "
                f"{held.limiter}"),
        )  # fmt: skip
    if made.waves is not None:
        rows.insert(6, ("Waves", f"{made.waves.count:.2f}"))
    rows += [("Gain", gain.text) for gain in made.gains]
    times = [(item.stage, f"{item.time_ms:.1f}") for item in made.stage_times]
    return pairs(rows) + (table(("Stage", "#ms"), times) if times else "")


def _source(report: KernelReport) -> str:
    accesses: dict[int, list[str]] = {}
    for site in report.coverage.sites if report.coverage else ():
        accesses.setdefault(site.line, []).append(
            f"{site.kind} {share_text(site.efficiency)}"
            if site.efficiency is not None
            else site.kind
        )
    code = {item.line: item.instructions for item in report.code.lines} if report.code else {}
    lines = report.source.rstrip("\n").split("\n")
    width = len(str(len(lines)))
    rows = []
    for number, line in enumerate(lines, 1):
        told = "; ".join(accesses.get(number, ()))
        if number in code:
            many = "" if code[number] == 1 else "s"
            told = f"{told}; {code[number]} instruction{many}".strip("; ")
        mark = f"  <span class='muted'># {escaped(told)}</span>" if told else ""
        rows.append(f"<span class='n'>{number:>{width}}  </span>{escaped(line)}{mark}")
    return f"<pre>{chr(10).join(rows)}</pre>"


def _launch(report: KernelReport) -> str:
    launch = report.launch
    knobs = table(("Knob", "Value"), [(name, str(v)) for name, v in report.config.values])
    arguments = table(
        ("Argument", "Kind", "Value"), [(a.name, a.kind, a.text) for a in launch.arguments]
    )
    rows = [
        ("Grid", " × ".join(map(str, launch.grid))), ("Programs", f"{launch.programs:,}"),
        ("Kernel", f"line {launch.line}"),
    ]  # fmt: skip
    driver = f"<h3>Driver</h3><pre>{escaped(report.driver)}</pre>" if report.driver else ""
    return pairs(rows) + knobs + arguments + driver


def _device(report: KernelReport) -> str:
    device = report.device
    rows = [
        ("Device", device.name), ("Target", device.target), ("Mode", device.mode),
        ("torch", device.torch), ("triton", device.triton), ("Python", device.python),
        ("Driver", device.driver), ("CUDA", device.cuda),
        ("Multiprocessors", number_text(device.multiprocessors)),
        ("L2", amount_text(device.l2_bytes)),
        ("Memory", amount_text(device.memory_bytes)),
        ("Copy ceiling", rate_text(device.copy_ceiling_gbps)),
        ("Triton Playground", report.playground),
    ]  # fmt: skip
    return pairs([row for row in rows if row[1]])


def _findings(report: KernelReport) -> str:
    if not report.findings:
        return "<p class='muted'>None.</p>"
    return table(
        ("Severity", "Line", "What", "What to do"),
        [
            (found.severity, str(found.line or ""), found.message, found.hint)
            for found in report.findings
        ],
    )


def _meanings() -> str:
    rows = [
        (figure.title, figure.meaning, figure.formula) for figure in FIGURES.values()
    ]  # fmt: skip
    rows_table = table(("Figure", "Meaning", "Formula"), rows)
    return f"<details><summary>Definitions and formulas</summary>{rows_table}</details>"


def _section(title: str, body: str, report: KernelReport, part: str) -> str:
    why = dict(report.missing).get(part)
    if not body:
        body = f"<p class='muted'>{escaped(why or 'Not known.')}</p>"
    return f"<section id='{part}'><h2>{title}</h2>{body}</section>\n"
