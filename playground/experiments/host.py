"""What the host pays: the first call, a cached one, passing tensors, a tuner."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import torch
import triton

from playground.engine.triton_private.host_cost import empty_cache
from playground.experiments.bundled import fresh
from playground.experiments.kernels import store_address
from playground.model.experiment import Cell, Figures
from playground.model.resources import kernels_dir

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.experiments.bench import Bench


def compile_time(bench: Bench) -> Figures:
    """Time one launch of four kernels: compiled anew, found on disk, found in memory."""
    from playground.engine.session import Session

    names = bench.size(("vector_add", "softmax", "matmul", "flash_attention"), ())
    rows: list[tuple[Cell, ...]] = []
    for name in names:
        session = Session()
        try:
            session.load(kernels_dir() / f"{name}.py")
            session.run()
            cost = session.host_cost(0)
        finally:
            session.close()
        ratio = cost.first_call_ms / cost.cached_ms
        rows.append((name, cost.first_call_ms, cost.cold_start_ms, cost.cached_ms * 1e3, ratio))
    columns = (
        "case", "first call (ms)", "from disk (ms)", "cached (us)", "first over cached",
    )  # fmt: skip
    return Figures(columns, tuple(rows))


def zero_copy(bench: Bench) -> Figures:
    """Look at what a launch does with a tensor: its address, copies, allocations, host time."""
    sizes = bench.size((1 << 10, 1 << 20, 1 << 28), (1 << 4,))
    whole = torch.randn(sizes[-1], device=bench.device)
    cases = [(f"{size * 4:,} bytes", whole[:size]) for size in sizes]
    cases.append(("a view, transposed", whole[: bench.size(1 << 20, 16)].view(4, -1).t()))
    address = torch.empty(1, dtype=torch.int64, device=bench.device)
    rows: list[tuple[Cell, ...]] = []
    for name, tensor in cases:

        def call(tensor: torch.Tensor = tensor) -> object:
            return store_address[(1,)](tensor, address)

        host_us = bench.host_us(call)
        same = float(int(address.item()) == tensor.data_ptr())
        copies = sum("memcpy" in record.lower() for record in bench.records(call))
        rows.append((name, same, float(copies), float(bench.allocations(call)), host_us))
    columns = ("case", "same address", "copies", "allocated (bytes)", "host time (us)")
    return Figures(columns, tuple(rows))


def fixed_config(bench: Bench) -> Figures:
    """Time the autotuned kernel's first and later calls, against its best config given."""
    n_rows, n_cols = bench.size((4096, 4096), (4, 256))
    x = torch.randn(n_rows, n_cols, device=bench.device)
    module = fresh("autotuned")
    tuner = module.gelu_in_place_kernel
    kernel = tuner.fn

    def tuned() -> object:
        return module.gelu_(x)

    with empty_cache():
        tuned_first_ms = _first_ms(tuned)
        best = tuner.best_config
        block, warps = best.kwargs["BLOCK_SIZE"], best.num_warps
        other = fresh("autotuned").gelu_in_place_kernel.fn
        with empty_cache():
            frozen_first_ms = _first_ms(_frozen(other, x, block, warps))
    tuned_us, frozen_us = bench.host_us(tuned), bench.host_us(_frozen(kernel, x, block, warps))
    rows: tuple[tuple[Cell, ...], ...] = (
        ("first call of a process", tuned_first_ms * 1e3, frozen_first_ms * 1e3,
         tuned_first_ms / frozen_first_ms),
        ("every later call, host", tuned_us, frozen_us, tuned_us / frozen_us),
    )  # fmt: skip
    return Figures(("case", "tuned (us)", "frozen (us)", "tuned over frozen"), rows)


def _frozen(kernel: object, x: torch.Tensor, block: int, warps: int) -> Callable[[], object]:
    n_rows, n_cols = x.shape

    def grid(meta: dict[str, int]) -> tuple[int, int]:
        return (n_rows, triton.cdiv(n_cols, meta["BLOCK_SIZE"]))

    launch = kernel[grid]  # type: ignore[index]  # a JITFunction's
    return lambda: launch(x, x.stride(0), n_cols, BLOCK_SIZE=block, num_warps=warps)


def _first_ms(call: Callable[[], object]) -> float:
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    started = time.perf_counter()
    call()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return (time.perf_counter() - started) * 1e3
