"""The JSON documents of the command line, schema `triton-playground/1`; the README describes them.

Every document has `schema`, `playground`, `device`, `file` and `findings`, and what the verb found
under a key of its own. Version 1 only ever gains fields. A number that is not finite is null.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import playground
from playground.cli import programs_schema
from playground.model.config import Config
from playground.model.curve import spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.model.access_site import AccessSite
    from playground.model.check import CheckResult
    from playground.model.comparison import Comparison
    from playground.model.coverage import AccessCount, Coverage, TensorCoverage
    from playground.model.curve import Curve
    from playground.model.device import DeviceInfo
    from playground.model.finding import Finding
    from playground.model.launch import Launch
    from playground.model.measurement import Measurement
    from playground.model.nsight import NsightReport
    from playground.model.roofline import Ceilings, Standing
    from playground.model.schedule import CacheReuse
    from playground.model.sweep import SweepResult
    from playground.model.sweep_sizes import Across, SizedSweep
    from playground.protocol.programs import ProgramSteps, Scheduled

SCHEMA = "triton-playground/1"

Json = dict[str, object]

PAYLOADS = {
    "launches": "launches",
    "bench": "measurement",
    "replay": "replay",
    "compile": "compile",
    "coverage": "coverage",
    "advise": "advice",
    "debug": "debug",
    "sweep": "sweep",
    "export": "export",
    "report": "report",
    "reproducer": "reproducer",
    "doctor": "doctor",
}
"""Verb to the key of what it found: an empty list for `launches`, else null, where it failed."""


DEBUG_PARTS = ("stops", "alone", "prints", "nonfinite", "differences")
"""What `debug` was asked for; null where it was not."""


def document(verb: str, file: str) -> Json:
    """Return the document of a verb that has found nothing yet."""
    base: Json = {
        "schema": SCHEMA,
        "playground": playground.__version__,
        "device": None,
        "file": file or None,
        "findings": [],
    }
    if verb in PAYLOADS:
        base[PAYLOADS[verb]] = [] if verb in ("launches", "doctor") else None
    return base


def plain_object(value: object) -> Json:
    """Return a dataclass in JSON's own types, by field name."""
    return {
        item.name: plain(getattr(value, item.name))
        for item in dataclasses.fields(value)  # type: ignore[arg-type]
    }


def plain(value: object) -> object:
    """Return `value` in JSON's own types; a config becomes an object by knob name."""
    if isinstance(value, Config):
        return {name: plain(item) for name, item in value.values}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{type(value).__name__} has no place in a document")


def record(value: object) -> Json:
    """Return a dataclass as an object by field."""
    result = plain(value)
    if not isinstance(result, dict):
        raise TypeError(f"{type(value).__name__} is no record")
    return result


def finding(value: Finding) -> Json:
    """Return a finding."""
    return record(value)


def device(value: DeviceInfo) -> Json:
    """Return the device."""
    return record(value)


def launch(value: Launch) -> Json:
    """Return a launch, with its number of programs."""
    return {**record(value), "programs": value.programs}


EXTRAS = ("comparison", "curve", "roofline", "host_cost", "energy", "nsight")
"""Keys of a measurement that are null unless they were asked for."""


def measurement(
    value: Measurement, kernel: str, check: CheckResult | None, extras: Json | None = None
) -> Json:
    """Return a measurement with its statistics, whether what was timed is right, and `extras`."""
    return {
        **record(value),
        **dict.fromkeys(EXTRAS),
        **(extras or {}),
        "kernel": kernel,
        "median_ms": plain(value.median_ms),
        "interval_ms": plain(value.interval_ms),
        "spread": plain(value.spread),
        "bandwidth_gbps": plain(value.bandwidth_gbps),
        "tflops": plain(value.tflops),
        "check": plain(check),
    }


def comparison(value: Comparison) -> Json:
    """Return a comparison with every round, and its verdict as text."""
    return {**record(value), "rounds": value.rounds, "text": value.text()}


def curve(value: Curve) -> Json:
    """Return a curve; each row with its rates."""
    rows = [
        {**record(row), "sizes": spread(row.sizes), "gbps": plain(row.value("GB/s")),
         "tflops": plain(row.value("TFLOP/s"))}
        for row in value.rows
    ]  # fmt: skip
    return {**record(value), "rows": rows}


def roofline(ceilings: Ceilings, standing: Standing | None) -> Json:
    """Return the ceilings, and where the launch stands under them."""
    found: Json = {"ceilings": {**record(ceilings), "tflops": dict(ceilings.tflops)}}
    found["standing"] = None
    if standing is not None:
        found["standing"] = {
            **record(standing), "share": plain(standing.share), "text": standing.text(),
        }  # fmt: skip
    return found


def nsight(value: NsightReport) -> Json:
    """Return what Nsight Compute says, and how much the waiting of warps matters."""
    return {**record(value), "stall_text": value.stall_text()}


COVERAGE_EXTRAS = ("schedule", "reuse", "steps")
"""Keys of a coverage that are null unless they were asked for."""

COVERAGE_FILES = ("png", "svg", "npz")
"""Files that a coverage is written to when asked for."""


def coverage(value: Coverage, kernel: str, extras: Json | None = None) -> Json:
    """Return coverage; each tensor's `loads` and `stores` are total, min and max per element.

    `extras` are the schedule, the reuse, the steps and the files that were asked for.
    """
    return {
        **record(value),
        **dict.fromkeys(COVERAGE_EXTRAS),
        "files": dict.fromkeys(COVERAGE_FILES),
        **(extras or {}),
        "kernel": kernel,
        "tensors": [_tensor(tensor) for tensor in value.tensors],
        "sites": [_site(site) for site in value.sites],
    }


def _site(value: AccessSite) -> Json:
    return {
        **record(value),
        "efficiency": plain(value.efficiency),
        "reread_factor": plain(value.reread_factor),
        "masked_off_share": plain(value.masked_off_share),
    }


def schedule(value: Scheduled) -> Json:
    """Return the figures of a schedule, and where and when each program ran."""
    return {**record(value.figures), "programs": programs_schema.listed(value)}


def reuse(value: CacheReuse) -> Json:
    """Return what a cache would fetch; each tensor as [name, requested, fetched]."""
    return record(value)


def steps(value: ProgramSteps, coverage: Coverage) -> Json:
    """Return the steps of one program."""
    return {
        "program": value.program,
        "truncated": value.truncated,
        "rows": programs_schema.step_rows(value, coverage),
    }


def _tensor(value: TensorCoverage) -> Json:
    return {**record(value), "loads": _count(value.loads), "stores": _count(value.stores)}


def _count(value: AccessCount) -> Json:
    return {"total": value.total, "min": value.minimum, "max": value.maximum}


def sweep(value: SweepResult, kernel: str) -> Json:
    """Return all rows of a sweep in the order tried, and the best of them."""
    return {
        **record(value), "kernel": kernel, "best": plain(value.best), "at_sizes": None,
        "across": None,
    }  # fmt: skip


def sweeps(done: Sequence[SizedSweep], all_sizes: Across, kernel: str) -> Json | None:
    """Return the first size's sweep with those of every size, and what is best for all of them."""
    if not done:
        return None
    each = [{**sweep(item.result, kernel), "sizes": dict(item.sizes)} for item in done]
    found: Json = {}
    for name, one in (("by_mean", all_sizes.by_mean), ("by_worst", all_sizes.by_worst)):
        found[name] = None if one is None else {
            "config": plain(one.config), "mean": one.mean,
            "losses": [{"sizes": dict(sizes), "loss": loss} for sizes, loss in one.losses],
        }  # fmt: skip
    return {**sweep(done[0].result, kernel), "at_sizes": each, "across": found}


# ------------------------------------------------------------------ reading documents


def findings_of(document: Json) -> list[Json]:
    """Return the findings of a document."""
    return _records(document.get("findings"))


TEXTS = ("export", "report", "reproducer")
"""Verbs that end with a text, which `-o` writes to a file."""


def export_of(document: Json, verb: str = "export") -> dict[str, str]:
    """Return the text parts of a document's export (or report): `name`, `kernel` and `text`."""
    return _texts(document.get(verb))


def config_of(document: Json) -> Json:
    """Return the config of a document's export, empty where there is none."""
    export = document.get("export")
    config = export.get("config") if isinstance(export, dict) else None
    return config if isinstance(config, dict) else {}


def set_coverage_file(document: Json, kind: str, path: str) -> None:
    """Say in the document where a file of its coverage was written."""
    coverage = document.get("coverage")
    if isinstance(coverage, dict):
        coverage["files"][kind] = path


def set_export_path(document: Json, path: str, verb: str = "export") -> None:
    """Say in the document where its export (or report) was written."""
    export = document.get(verb)
    if isinstance(export, dict):
        export["path"] = path


def _records(value: object) -> list[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _texts(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    return {key: item for key, item in value.items() if isinstance(item, str)}
