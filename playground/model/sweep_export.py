"""A sweep as data for other programs: T4 results, and the table that inference servers read.

T4 is the results schema of Kernel Tuner and others, version 1.0.0
(https://github.com/odgaard/TuningSchema, branch T4). The servers' table holds one config for each
size (vLLM's and SGLang's tuned kernels): `{"16": {"BLOCK_SIZE_M": 16, …, "num_warps": 4}, …}`.
"""

from __future__ import annotations

import datetime
import statistics
from collections.abc import Iterable, Sequence

from playground.model.config import Config
from playground.model.sweep import SweepResult, SweepRow, SweepStatus

T4_VERSION = "1.0.0"

_INVALIDITY: dict[SweepStatus, str] = {
    "correct": "correct", "unjudged": "correct", "wrong": "correctness",
    "constraint": "constraints", "compile": "compile", "resources": "runtime",
    "runtime": "runtime", "timeout": "timeout",
}  # fmt: skip
"""What T4 calls a status; resources are found missing when a kernel is loaded."""


class TableError(ValueError):
    """Sweeps that make no table: a size is missing, or nothing was found at one."""


def t4(
    rows: Iterable[tuple[SweepRow, Sequence[float]]], when: float | None = None
) -> dict[str, object]:
    """Return rows with their raw samples (ms) as T4 results; cancelled ones are left out.

    Parameters
    ----------
    when
        Seconds since 1970 at which the sweep began.
    """
    stamp = ""
    if when is not None:
        stamp = datetime.datetime.fromtimestamp(when, tz=datetime.UTC).isoformat()
    return {
        "schema_version": T4_VERSION,
        "results": [
            _t4_row(row, samples, stamp) for row, samples in rows if row.status in _INVALIDITY
        ],
    }


def table(found: Iterable[tuple[int, SweepResult]]) -> dict[str, dict[str, object]]:
    """Return the best config of each size, by the size as text, smallest first.

    Raises
    ------
    TableError
        At one of the sizes nothing was timed and right.
    """
    best: dict[int, Config] = {}
    for size, result in found:
        if result.best is None:
            raise TableError(f"at size {size} no config was timed and right")
        best[size] = result.best.config
    return {str(size): _values(best[size]) for size in sorted(best)}


def _t4_row(row: SweepRow, samples: Sequence[float], stamp: str) -> dict[str, object]:
    measurements: list[dict[str, object]] = []
    if row.median_ms is not None:
        measurements.append({"name": "time", "value": row.median_ms, "unit": "ms"})
        if len(samples) > 1:
            spread = statistics.stdev(samples)
            measurements.append({"name": "time_stdev", "value": spread, "unit": "ms"})
    return {
        "timestamp": stamp,
        "configuration": row.config.as_dict(),
        "objectives": ["time"],
        "times": {"compilation_time": 0, "runtimes": list(samples), "validation": 0},
        "invalidity": _INVALIDITY[row.status],
        "correctness": 1 if row.status == "correct" else 0,
        "measurements": measurements,
    }


def _values(config: Config) -> dict[str, object]:
    # An option that is not set has no place in the servers' files.
    return {name: value for name, value in config.values if value is not None}
