"""The head of an exported file: where it comes from, what was chosen and measured, and on what."""

from __future__ import annotations

import datetime
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import playground
from playground.engine import proof
from playground.engine.arguments import dtype_text, tensors_in

if TYPE_CHECKING:
    from playground.engine.session import Session
    from playground.model.config import Config
    from playground.model.launch import Launch
    from playground.model.measurement import Measurement

_SOURCES = {
    "cupti": "CUPTI records", "proton": "Proton's records", "graph": "CUDA graph",
    "events": "CUDA events",
}  # fmt: skip


def header(session: Session, launch: Launch, config: Config, name: str) -> str:
    """Return the comment that an exported file begins with; `name` is the file's."""
    device = session.device
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    # Grid and shapes are those that the host code makes under this config.
    prepared = session.prepare(launch.index, config)
    tensors = ", ".join(
        f"{argument.name} {dtype_text(tensor.dtype)}{list(tensor.shape)}"
        for argument in launch.tensors()
        for tensor in tensors_in(prepared.arguments[argument.name])
    )
    rows = [
        ("source", Path(session.path).name),
        ("config", prepared.effective.label()),
        ("grid", " x ".join(map(str, prepared.grid))),
        ("problem", proof.problem_text(session)),
        ("tensors", tensors),
        ("timing", _timing(session, launch, config)),
        ("device", f"{device.name} ({device.target})" if device.mode == "gpu" else "no GPU"),
        ("versions", _versions(session)),
        ("check", f"python {name} --check"),
    ]
    lines = [
        f"{launch.kernel}, tuned with Triton Playground {playground.__version__} on {today}.",
        "",
    ]
    for label, value in rows:
        if value:
            lines += textwrap.wrap(
                f"{label:<9} {value}", 97, subsequent_indent=" " * 10, break_long_words=False
            )
    return "\n".join(f"# {line}".rstrip() for line in lines)


def _timing(session: Session, launch: Launch, config: Config) -> str:
    if session.device.mode == "interpreter":
        return "not timed: interpreter"
    return timing_text(session.measured(launch.index, config))


def timing_text(measurement: Measurement | None) -> str:
    """Return the timing line of the header: figure, interval, clock source and cache mode."""
    if measurement is None:
        return "not timed"
    low, high = measurement.interval_ms
    text = (
        f"{measurement.median_ms * 1e3:.2f} µs median, 95 % interval {low * 1e3:.2f} to "
        f"{high * 1e3:.2f} µs, {len(measurement.samples_ms)} samples, "
        f"{_SOURCES.get(measurement.source, measurement.source)}, {measurement.cache} L2"
    )
    if measurement.bandwidth_gbps is not None:
        text += f", {measurement.bandwidth_gbps:.0f} GB/s"
    return text


def _versions(session: Session) -> str:
    device = session.device
    cuda = f", CUDA {device.cuda}" if device.cuda else ""
    driver = f", driver {device.driver}" if device.driver else ""
    return f"torch {device.torch}, triton {device.triton}, Python {device.python}{cuda}{driver}"
