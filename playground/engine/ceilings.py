"""The ceilings of this GPU, measured: memory, L2, matrix products by kind, plain arithmetic.

Measured once a device and kept in a file of the user's cache folder; random data, for a GPU
multiplies zeros with less power and so faster.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from playground.engine import ceiling_kernels, sampling, timing
from playground.engine.clocks import choice, events
from playground.engine.clocks.work import Work
from playground.engine.job import Job
from playground.model.roofline import Ceilings
from playground.model.statistics import median

if TYPE_CHECKING:
    from collections.abc import Callable

VERSION = 1
MATRIX = 8192
"""Side of the matrices multiplied: large enough that every kind reaches its plateau."""
_COPY_BYTES = 1 << 30
_TURNS = 30
_L2_PASSES = 16
_SUSTAINED_MS, _MOST_RUNS = 500.0, 1000


def ceilings(job: Job | None = None, *, again: bool = False) -> Ceilings:
    """Return this GPU's ceilings, kept ones unless `again`; measuring takes a few seconds.

    Raises
    ------
    RuntimeError
        There is no GPU.
    """
    file, key = _file(), _key()
    if not again:
        kept = _kept(file).get(key)
        if kept is not None:
            return kept
    found = _measure(job or Job())
    _keep(file, key, found)
    return found


def _measure(job: Job) -> Ceilings:
    device = torch.cuda.current_device()
    name = torch.cuda.get_device_name(device)
    timing.warm_up(Work(_product(torch.bfloat16)), 1.0, job)
    kinds: dict[str, Callable[[], tuple[Callable[[], object], float]]] = {
        "bf16": lambda: (_product(torch.bfloat16), 2.0 * MATRIX**3),
        "fp16": lambda: (_product(torch.float16), 2.0 * MATRIX**3),
        "tf32": lambda: (_product(torch.float32, tf32=True), 2.0 * MATRIX**3),
        "fp32": lambda: (_product(torch.float32), 2.0 * MATRIX**3),
        "fp64": lambda: (_product(torch.float64), 2.0 * MATRIX**3),
        "fp8": lambda: (_product_fp8(), 2.0 * MATRIX**3),
        "int8": lambda: (_product_int8(), 2.0 * MATRIX**3),
        "fp32 fma": _fma,
    }
    rates: list[tuple[str, float]] = []
    for number, (kind, make) in enumerate(kinds.items()):
        job.progress(f"measuring the ceiling of {kind}", (number + 2) / (len(kinds) + 2))
        job.check()
        # A kind that this GPU, or this torch, does not have bounds nothing and is left out.
        with contextlib.suppress(RuntimeError, NotImplementedError, AttributeError):
            run, operations = make()
            rates.append((kind, operations / (_time_ms(run, 10) * 1e9)))
    return Ceilings(
        device=name,
        copy_gbps=copy_gbps(device),
        tflops=tuple(rates),
        measured=True,
        source=(
            f"measured here: device copy of {_COPY_BYTES >> 30} GiB, products of {MATRIX}² "
            f"matrices by cuBLAS (torch {torch.__version__}), reads and multiply-adds by own "
            "kernels"
        ),
        l2_gbps=_l2_gbps(device),
        launch_ms=_time_ms(lambda: ceiling_kernels.nothing[(1,)](), _TURNS),
    )


@lru_cache(maxsize=8)
def copy_gbps(device: int = 0) -> float:
    """Return the measured device-to-device copy rate in GB/s, bytes read plus written.

    The median of ten copies of 1 GiB (less where memory is short).
    """
    with torch.cuda.device(device):
        free_bytes, _ = torch.cuda.mem_get_info()
        size = min(_COPY_BYTES, free_bytes // 4)
        source = torch.empty(size, dtype=torch.uint8, device="cuda").random_()
        target = torch.empty_like(source)
        # Event pairs: at hundreds of µs a copy the launch gap is under 1 %, and no profiler starts.
        samples = events.sample(Work(lambda: target.copy_(source)), 13)[3:]
        return 2 * size / (median(samples) * 1e6)


def _time_ms(run: Callable[[], object], count: int) -> float:
    work = Work(run)
    run()
    torch.cuda.synchronize()
    # A product of large matrices runs into the power limit after some tenths of a second: the rate
    # that lasts is the ceiling, not the first burst.
    estimate_ms = max(median(events.sample(work, 3)), 1e-3)
    for _ in range(min(int(_SUSTAINED_MS / estimate_ms), _MOST_RUNS)):
        run()
    found = choice.turns([work], [0] * (count + sampling.DROPPED))
    return median(found.times_ms[sampling.DROPPED :])


def _product(dtype: torch.dtype, *, tf32: bool = False) -> Callable[[], object]:
    a, b = (torch.randn(MATRIX, MATRIX, device="cuda").to(dtype) for _ in range(2))
    out = torch.empty(MATRIX, MATRIX, device="cuda", dtype=dtype)

    def run() -> object:
        before = torch.get_float32_matmul_precision()
        torch.set_float32_matmul_precision("high" if tf32 else "highest")
        try:
            return torch.mm(a, b, out=out)
        finally:
            torch.set_float32_matmul_precision(before)

    return run


def _product_fp8() -> Callable[[], object]:
    a, b = (torch.randn(MATRIX, MATRIX, device="cuda").to(torch.float8_e4m3fn) for _ in range(2))
    one = torch.ones((), device="cuda")
    b = b.t().contiguous().t()  # the second operand has to lie by columns
    return lambda: torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)


def _product_int8() -> Callable[[], object]:
    a, b = (
        torch.randint(-128, 128, (MATRIX, MATRIX), device="cuda", dtype=torch.int8)
        for _ in range(2)
    )
    b = b.t().contiguous().t()
    return lambda: torch._int_mm(a, b)


def _fma() -> tuple[Callable[[], object], float]:
    block, turns = 1024, 4096
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    programs = properties.multi_processor_count * 8
    x = torch.randn(programs * block, device="cuda")
    out = torch.empty_like(x)

    def run() -> object:
        return ceiling_kernels.multiply_add[(programs,)](
            x, out, TURNS=turns, BLOCK=block, num_warps=8
        )

    return run, 2.0 * 4 * turns * programs * block


def _l2_gbps(device: int) -> float:
    properties: Any = torch.cuda.get_device_properties(device)
    block, programs = 4096, properties.multi_processor_count * 4
    steps = max(1, properties.L2_cache_size // 4 // (4 * block * programs)) * programs
    x = torch.randint(-100, 100, (steps * block,), device="cuda", dtype=torch.int32)
    out = torch.empty(programs * block, device="cuda", dtype=torch.int32)

    def run() -> object:
        return ceiling_kernels.read_all[(programs,)](
            x, out, x.numel(), PASSES=_L2_PASSES, BLOCK=block, num_warps=8
        )

    return 4.0 * x.numel() * _L2_PASSES / (_time_ms(run, 10) * 1e6)


# ---------------------------------------------------------------------------- kept in a file


def _file() -> Path:
    import platformdirs  # here: the copy rate alone, which every start asks for, needs no file

    return Path(platformdirs.user_cache_dir("triton-playground")) / "ceilings.json"


def _key() -> str:
    properties: Any = torch.cuda.get_device_properties(torch.cuda.current_device())
    return f"{VERSION} {properties.uuid} {properties.name} torch {torch.__version__}"


def _kept(file: Path) -> dict[str, Ceilings]:
    try:
        rows = json.loads(file.read_text())
        return {
            key: Ceilings(**{**row, "tflops": tuple((k, float(v)) for k, v in row["tflops"])})
            for key, row in rows.items()
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        # Damaged, or of another version: figures that can be measured again.
        return {}


def _keep(file: Path, key: str, found: Ceilings) -> None:
    rows = {name: asdict(item) for name, item in {**_kept(file), key: found}.items()}
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=".ceilings")
        with os.fdopen(handle, "w") as stream:
            json.dump(rows, stream)
        os.replace(name, file)
    except OSError:
        return  # measured again next time; a full disk is no reason to fail a measurement
