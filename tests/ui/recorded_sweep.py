"""Sweeps made up by a formula, for tests and for looking at views: not measured anywhere.

The times behave like those of a tiled matrix product (a best tile, spills, too much shared memory),
so that every view has something to show; no number of them says anything about a GPU.
"""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace

from playground.model.config import Config
from playground.model.knobs import constexpr_knob, option_knob
from playground.model.launch import Argument, Launch, Preset, TensorInfo
from playground.model.past_sweep import PastSweep
from playground.model.ranking import Margin, Ranking
from playground.model.sweep import SweepResult, SweepRow, best_rows

SPACE = {
    "BLOCK_M": (64, 128), "BLOCK_N": (64, 128, 256), "BLOCK_K": (32, 64), "GROUP_M": (8,),
    "num_warps": (4, 8), "num_stages": (2, 3, 4),
}  # fmt: skip
"""72 configs."""
LARGE_SPACE = {
    "BLOCK_M": (32, 64, 128, 256), "BLOCK_N": (32, 64, 128, 256), "BLOCK_K": (16, 32, 64, 128),
    "GROUP_M": (1, 4, 8, 16), "num_warps": (4, 8), "num_stages": (2, 3),
}  # fmt: skip
"""1,024 configs."""
SHARED_LIMIT = 232448
START = Config.of({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 8, "num_warps": 8,
                   "num_stages": 3})  # fmt: skip


def configs(space: dict[str, tuple[int, ...]]) -> list[Config]:
    return [
        Config(tuple(zip(space, values, strict=True)))
        for values in itertools.product(*space.values())
    ]


def row(config: Config, size: int = 4096, *, drift: float = 0.0, tries: int = 0) -> SweepRow:
    m, n, k, group, warps, stages = (int(value or 1) for _, value in config.values)
    shared = 2 * stages * k * (m + n)
    registers = min(255, 32 + m * n // (32 * warps * 2))
    facts = {"registers": registers, "shared_bytes": shared, "spill_bytes": 0}
    if shared > SHARED_LIMIT * 0.62:
        why = f"shared memory {shared} bytes, the target allows {SHARED_LIMIT}"
        return SweepRow(config, "resources", why, shared_bytes=shared)
    if m == 64 and n == 256 and warps == 4 and stages == 4:
        return SweepRow(config, "wrong", "512 of 16777216 elements of c_ptr differ", **facts)
    if m == 128 and n == 64 and k == 32 and warps == 8 and stages == 2:
        return SweepRow(config, "timeout", "not done after 30 s", **facts)
    chance = random.Random(f"{config.values}{size}{tries}")
    cost = 0.42 * abs(math.log2(m * n) - 15) + 0.16 * abs(math.log2(k) - 6)
    cost += 0.10 * abs(stages - 3) + 0.06 * abs(math.log2(group) - 3)
    cost += 0.22 * (warps == 4) * (m * n >= 32768) + 0.08 * (warps == 8) * (m * n <= 8192)
    cost -= 0.10 * math.log2(4096 / size) * (m * n < 16384)
    spills = 0
    if m * n // warps > 4096:
        spills, cost = 64, cost + 0.4
    ms = 0.1883 * (size / 4096) ** 3 * math.exp(max(cost, 0.0) + drift + chance.gauss(0, 0.006))
    half = 0.004 + abs(chance.gauss(0, 0.003))
    facts["spill_bytes"] = spills
    return SweepRow(
        config, "correct", "", ms, ms * (1 - half), ms * (1 + half), samples=40, source="cupti",
        screened=cost > 0.8, programs_per_sm=max(1, 65536 // (registers * 32 * warps)), unwritten=0,
        **facts,
    )  # fmt: skip


def recorded(
    space: dict[str, tuple[int, ...]] | None = None, size: int = 4096, *, drift: float = 0.0,
    tries: int = 0, store: int | None = 7,
) -> SweepResult:  # fmt: skip
    """Return a whole sweep with its finalists confirmed: three tied ahead of the next."""
    chosen = configs(space or SPACE)
    random.Random(5).shuffle(chosen)
    rows = [
        replace(row(config, size, drift=drift, tries=tries), at_s=0.9 + 0.07 * number)
        for number, config in enumerate(chosen)
    ]
    result = SweepResult(0, "cuda:90", tuple(rows), len(rows), False, 6.4, store=store)
    best = best_rows(result, 8)
    tied = [one for one in best if (one.median_ms or 1) <= 1.02 * (best[0].median_ms or 1)][:3]
    places = {one.config: 1 for one in tied}
    for place, one in enumerate((one for one in best if one not in tied), start=2):
        places[one.config] = place
    rows = [
        replace(one, confirmed=True, screened=False, samples=200, place=places[one.config])
        if one.config in places else one
        for one in rows
    ]  # fmt: skip
    rest = [one for one in best if one not in tied]
    margin = None
    if rest:
        ratio = (rest[0].median_ms or 1) / (tied[0].median_ms or 1)
        margin = Margin(rest[0].config, ratio, ratio * 0.996, ratio * 1.004)
    groups = (tuple(one.config for one in tied), *((one.config,) for one in rest))
    return replace(result, rows=tuple(rows), ranking=Ranking(groups, margin))


def past(number: int = 7, **changed: object) -> PastSweep:
    """Return how the store would list such a sweep."""
    told = PastSweep(
        number, "matmul_kernel of matmul.py", "done", 1796000000.0 + 3600 * number, None, 72, 0.188,
        kernel="matmul_kernel", file="matmul.py", code="3f9a01c2d4", gpu="NVIDIA H200",
        target="cuda:90", driver="580.82", cuda="13.0", torch="2.11.0", triton="3.6.0", mode="gpu",
        cache="cold", space=tuple(SPACE.items()),
    )  # fmt: skip
    return replace(told, **changed)  # type: ignore[arg-type]


def launch(path: str = "matmul.py", size: int = 4096) -> Launch:
    """Return the launch that such a sweep is of, with three configs of its own tuner."""
    arguments = [
        Argument(name, "tensor", f"bfloat16[{size}, {size}]", TensorInfo(
            (size, size), "bfloat16", (size, 1), 2, storage, 0, 2 * size * size, 16, "cuda:0"))
        for storage, name in enumerate(("a_ptr", "b_ptr", "c_ptr"))
    ]  # fmt: skip
    knobs = (
        *(constexpr_knob(name, START[name]) for name in ("BLOCK_M", "BLOCK_N", "BLOCK_K",
                                                         "GROUP_M")),
        option_knob("num_warps", 8), option_knob("num_stages", 3),
    )  # fmt: skip
    presets = tuple(
        Preset(config.label(), config)
        for config in (START, START.updated({"BLOCK_N": 256}), START.updated({"BLOCK_M": 64}))
    )
    return Launch(
        0, "matmul_kernel", path, 20, 60, ((size // 128) ** 2, 1, 1), "callable",
        (*arguments, Argument("M", "int", str(size))), knobs, START, presets,
    )  # fmt: skip
