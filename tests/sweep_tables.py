"""Sweeps to search offline: recorded ones (JSON), and a made-up cost model with the same traits."""

from __future__ import annotations

import json
import math
import random
from dataclasses import dataclass, field
from pathlib import Path

from playground.model.config import Config
from playground.model.constraints import parse_constraint
from playground.model.knobs import KnobValue
from playground.model.search import Search
from playground.model.sweep_space import SweepSpace

RECORDED = Path(__file__).parents[1] / "assets" / "sweeps"


@dataclass
class Table:
    """Every config of a space with its time in ms, None where it fails or is wrong."""

    name: str
    space: SweepSpace
    times_ms: dict[Config, float | None] = field(repr=False)

    @property
    def best_ms(self) -> float:
        return min(time for time in self.times_ms.values() if time is not None)

    def replay(self, search: Search, batch: int = 8) -> list[float]:
        """Return, after each config, the best time found over the true best."""
        found, curve = math.inf, []
        while configs := search.ask(batch):
            for config in configs:
                time_ms = self.times_ms.get(config)
                search.tell(config, time_ms)
                found = min(found, math.inf if time_ms is None else time_ms)
                curve.append(found / self.best_ms)
        return curve


def recorded() -> list[Table]:
    """Return the sweeps that were recorded on a GPU (`record_sweeps`)."""
    return [read(path) for path in sorted(RECORDED.glob("*.json"))]


def packed(told: dict[str, str], space: SweepSpace, times_ms: dict[Config, float | None]) -> str:
    """Return a recorded sweep as text: the axes, and a time for each of their combinations.

    null is a config that fails, is wrong, is ruled out or was not reached; four digits are more
    than the timing knows.
    """
    times = [times_ms.get(config) for config in space.combinations()]
    short = [None if time is None else float(f"{time:.4g}") for time in times]
    axes = {name: list(values) for name, values in space.axes}
    where = [item.text for item in space.constraints]
    return json.dumps(
        {**told, "axes": axes, "where": where, "times_ms": short}, separators=(",", ":")
    )


def read(path: Path) -> Table:
    """Return the recorded sweep that `packed` wrote."""
    told = json.loads(path.read_text())
    axes = tuple((name, tuple(values)) for name, values in told["axes"].items())
    names = [name for name, _ in axes]
    space = SweepSpace(axes, tuple(parse_constraint(text, names) for text in told["where"]))
    times = dict(zip(space.combinations(), told["times_ms"], strict=True))
    return Table(path.stem, space, times)


def synthetic(seed: int = 0) -> Table:
    """Return about 1,000 matmul-like configs whose times come from a model of what costs what.

    Wide tiles reread less, too wide ones spill, warps must fit the tile, stages hide latency until
    shared memory runs out (those fail), and every config has a quirk of its own of 2 %.
    """
    source = random.Random(seed)
    axes: tuple[tuple[str, tuple[KnobValue, ...]], ...] = (
        ("BLOCK_M", (16, 32, 64, 128, 256)), ("BLOCK_N", (16, 32, 64, 128, 256)),
        ("BLOCK_K", (16, 32, 64, 128)), ("num_warps", (2, 4, 8)), ("num_stages", (2, 3, 4, 5)),
    )  # fmt: skip
    space = SweepSpace(axes)
    times = {config: _model_ms(config, source) for config in space.combinations()}
    return Table(f"synthetic-{seed}", space, times)


def _model_ms(config: Config, source: random.Random) -> float | None:
    m, n, k, warps, stages = (float(value) for _, value in config.values)  # type: ignore[arg-type]
    shared = 2 * (m + n) * k * stages
    if shared > 232_448:
        return None
    rereads = 1 / m + 1 / n
    accumulators = m * n / (32 * warps)
    spills = max(0.0, accumulators - 128) / 64
    idle_warps = max(0.0, 32 * warps * 16 / (m * n) - 0.5)
    latency = 1 / (stages - 1) * (32 / k)
    resident = min(8.0, 232_448 / shared, 65536 / (32 * warps * (accumulators + 40)))
    hidden = 0.4 / max(resident * warps / 8, 0.3)
    time_ms = 0.12 + 4.0 * rereads + 0.05 * spills + 0.08 * idle_warps + 0.03 * latency
    return (time_ms + 0.04 * hidden) * math.exp(source.gauss(0, 0.02))
