"""Whether other ways to write a bundled kernel come nearer to its ceiling: a GPU decides.

`python -m tests.benchmarks.kernel_variants [--only WORD ...] [--json FILE]`: for each kernel that
misses its ceiling the present way with its best config, and others, timed in random turns with it
(cold L2); which is faster, and the share of the ceiling that each reaches. Results are checked
before anything is timed. A row is printed as soon as it is known; about a minute in all. Without a
GPU every variant is run by the interpreter at small, ragged sizes and checked (`--small`).
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import ModuleType

KERNELS = Path(__file__).parents[2] / "kernels"
BUDGET_MS = 120.0
_COMPILERS = 8

Tensors = tuple[torch.Tensor, ...]


@dataclass
class Row:
    """One kernel at one size: the ceiling, the present way and the others, each to be called.

    `expected` is what every way returns, within `limit` of the largest element.
    """

    title: str
    present: Callable[[], Tensors]
    others: dict[str, Callable[[], Tensors]]
    expected: Callable[[], Tensors]
    limit: float
    ceiling: Callable[[], object] | None = None
    lines: list[dict[str, Any]] = field(default_factory=list)


@functools.cache
def bundled(name: str) -> ModuleType:
    """Return a bundled kernel file as a module."""
    spec = importlib.util.spec_from_file_location(f"bundled_{name}", KERNELS / f"{name}.py")
    if spec is None or spec.loader is None:
        raise RuntimeError(f"no kernel file {name}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


# ------------------------------------------------------------------- attention

PRESENT_FORWARD = {
    (False, 128): (128, 64, 8, 3),
    (True, 128): (64, 64, 4, 3),
    (True, 64): (64, 64, 4, 3),
}
OTHER_FORWARD = {
    128: {"ahead 128x128": (128, 128, True, 8, 2), "TMA 128x128": (128, 128, False, 8, 2),
          "TMA 128x64": (128, 64, False, 8, 2), "TMA 128x64 s3": (128, 64, False, 8, 3),
          "TMA 64x64": (64, 64, False, 4, 2)},
    64: {"ahead 128x128": (128, 128, True, 8, 2), "TMA 128x128": (128, 128, False, 8, 3),
         "TMA 128x64": (128, 64, False, 8, 3), "TMA 64x64": (64, 64, False, 4, 3)},
}  # fmt: skip
OTHER_BACKWARD = {
    128: {"five 32x128": (32, 128, 8, 2), "five 64x64": (64, 64, 8, 2)},
    64: {"five 64x128": (64, 128, 8, 2), "five 32x128": (32, 128, 8, 2)},
}
PRESENT_BACKWARD = {
    (False, 128): ((64, 64, 4, 2), (128, 64, 8, 3)), (True, 128): ((64, 64, 4, 2), (128, 64, 8, 3)),
    (True, 64): ((32, 64, 4, 3), (128, 64, 8, 3)),
}  # fmt: skip


def attention(causal: bool, head: int, small: bool) -> Iterator[Row]:
    """Yield attention forward and backward for one mask and head size."""
    import triton

    from tests.benchmarks.variants import attention as variant

    file = bundled("flash_attention")
    shape = (1, 2, 200) if small else (2, 16, 4096)
    q, k, v, dout = file.inputs(*shape, head, torch.float16)
    batch, heads, length, _ = q.shape
    scale = head**-0.5 * file.LOG2_E
    kind = "causal" if causal else "all keys"

    def forward(m: int, n: int, warps: int, stages: int) -> Tensors:
        out = torch.empty_like(q)
        log = torch.empty((batch * heads, length), device=q.device, dtype=torch.float32)
        file.attention_forward[(triton.cdiv(length, m), batch * heads)](
            q, k, v, out, log, q.stride(1), q.stride(2), length, scale, HEAD=head, BLOCK_M=m,
            BLOCK_N=n, CAUSAL=causal, num_warps=warps, num_stages=stages,
        )  # fmt: skip
        return out, log

    def other_forward(m: int, n: int, ahead: bool, warps: int, stages: int) -> Tensors:
        return variant.forward(
            q, k, v, causal=causal, block_m=m, block_n=n, ahead=ahead, num_warps=warps,
            num_stages=stages,
        )  # fmt: skip

    out, log = forward(64, 32, 4, 3)

    def backward(columns: tuple[int, ...], rows: tuple[int, ...]) -> Tensors:
        delta = (out.float() * dout.float()).sum(dim=-1).view(batch * heads, length)
        dq, dk, dv = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
        sizes = (q.stride(1), q.stride(2), length, scale)
        m, n, warps, stages = columns
        file.attention_backward_columns[(triton.cdiv(length, n), batch * heads)](
            q, k, v, dout, log, delta, dk, dv, *sizes, HEAD=head, BLOCK_M=m, BLOCK_N=n,
            CAUSAL=causal, num_warps=warps, num_stages=stages,
        )  # fmt: skip
        m, n, warps, stages = rows
        file.attention_backward_rows[(triton.cdiv(length, m), batch * heads)](
            q, k, v, dout, log, delta, dq, *sizes, HEAD=head, BLOCK_M=m, BLOCK_N=n,
            CAUSAL=causal, num_warps=warps, num_stages=stages,
        )  # fmt: skip
        return dq, dk, dv

    def other_backward(m: int, n: int, warps: int, stages: int) -> Tensors:
        return variant.backward(
            q, k, v, out, log, dout, causal=causal, block_m=m, block_n=n, num_warps=warps,
            num_stages=stages,
        )  # fmt: skip

    leaves = [each.detach().clone().requires_grad_() for each in (q, k, v)]

    def cudnn() -> torch.Tensor:
        from torch.nn.attention import SDPBackend, sdpa_kernel

        with sdpa_kernel([SDPBackend.CUDNN_ATTENTION]):
            return torch.nn.functional.scaled_dot_product_attention(*leaves, is_causal=causal)

    made: list[torch.Tensor] = []

    def cudnn_backward() -> object:
        if not made:
            made.append(cudnn())
        return torch.autograd.grad(made[0], leaves, dout, retain_graph=True)

    def exactly() -> Tensors:
        found: Tensors = file.reference(*shape, head, causal)
        return found

    present = PRESENT_FORWARD[causal, head]
    yield Row(
        f"attention forward, {kind}, head {head}", functools.partial(forward, *present),
        {name: functools.partial(other_forward, *config)
         for name, config in OTHER_FORWARD[head].items()},
        lambda: (exactly() if small else forward(64, 32, 4, 3))[:1], 1e-2, cudnn,
    )  # fmt: skip
    default = ((32, 64, 4, 2), (64, 32, 4, 2))
    yield Row(
        f"attention backward, {kind}, head {head}",
        functools.partial(backward, *PRESENT_BACKWARD[causal, head]),
        {name: functools.partial(other_backward, *config)
         for name, config in OTHER_BACKWARD[head].items()},
        lambda: exactly()[1:] if small else backward(*default), 2e-2, cudnn_backward,
    )  # fmt: skip


# ------------------------------------------------------------------- layer norm, stencil

PRESENT_NORM = (2, 8, 512, 16, 8)
OTHER_NORM = {
    "1 wave, 16 warps": (1, 16, 512, 16, 8), "1 wave, 32 warps": (1, 32, 256, 16, 8),
    "2 waves, 16 warps": (2, 16, 512, 16, 8), "sums 256x32": (2, 8, 256, 32, 8),
    "1 wave, sums 128x32": (1, 16, 128, 32, 4), "4 waves, 4 warps": (4, 4, 1024, 16, 8),
}  # fmt: skip
PRESENT_STENCIL = (4, 128, 8, 4)
OTHER_STENCIL = {  # one element a thread: its loads beside it are as wide as the rest
    "4x128x8, 16 warps": (4, 128, 8, 16), "8x128x16, 32 warps": (8, 128, 16, 32),
    "4x64x8, 8 warps": (4, 64, 8, 8), "8x64x16, 16 warps": (8, 64, 16, 16),
    "4x128x32, 16 warps": (4, 128, 32, 16), "4x128x16, 8 warps": (4, 128, 16, 8),
}  # fmt: skip


def norm(small: bool) -> Iterator[Row]:
    """Yield layer norm's gradients with other numbers of programs and warps."""
    import triton

    file = bundled("layer_norm")
    n_rows, n_cols = (37, 300) if small else (8192, 4096)
    x, weight, bias, dy = file.inputs(n_rows, n_cols, torch.float32)
    mean = x.mean(-1)
    inverse = 1 / torch.sqrt(x.var(-1, correction=0) + 1e-5)
    leaves = [each.detach().clone().requires_grad_() for each in (x, weight, bias)]

    def gradients(waves: int, warps: int, rows: int, columns: int, sum_warps: int) -> Tensors:
        programs = min(file.multiprocessors() * waves, n_rows)
        dx = torch.empty_like(x)
        sums = torch.empty((2, n_cols), device=x.device)
        partial = torch.empty((programs, 2 * n_cols), device=x.device)
        file.layer_norm_backward[(programs,)](
            dy, x, weight, mean, inverse, dx, partial, x.stride(0), n_rows, n_cols,
            BLOCK_SIZE=triton.next_power_of_2(n_cols), STAGES=1, num_warps=warps,
        )  # fmt: skip
        file.sum_partial_rows[(triton.cdiv(2 * n_cols, columns),)](
            partial, sums, programs, 2 * n_cols, BLOCK_ROWS=rows, BLOCK_COLUMNS=columns,
            num_warps=sum_warps,
        )  # fmt: skip
        return dx, sums[0], sums[1]

    def by_torch() -> Tensors:
        y = torch.nn.functional.layer_norm(leaves[0], (n_cols,), leaves[1], leaves[2])
        return torch.autograd.grad(y, leaves, dy)

    copied = torch.empty(3 * n_rows * n_cols // 2, device=x.device)
    target = torch.empty_like(copied)
    yield Row(
        "layer norm backward", functools.partial(gradients, *PRESENT_NORM),
        {name: functools.partial(gradients, *config) for name, config in OTHER_NORM.items()},
        by_torch, 1e-4, lambda: target.copy_(copied),
    )  # fmt: skip


def stencil(small: bool) -> Iterator[Row]:
    """Yield the 3D stencil with other tiles."""
    import triton

    file = bundled("stencil_3d")
    shape = (12, 30, 100) if small else (512, 512, 512)
    volume = file.inputs(*shape)
    depth, height, width = shape

    def smoothed(y: int, x: int, planes: int, warps: int) -> Tensors:
        out = torch.empty_like(volume)
        grid = (triton.cdiv(width, x), triton.cdiv(height, y), triton.cdiv(depth, planes))
        file.stencil_3d_kernel[grid](
            volume, out, volume.stride(0), volume.stride(1), depth, height, width, BLOCK_Y=y,
            BLOCK_X=x, PLANES=planes, num_warps=warps,
        )  # fmt: skip
        return (out,)

    target = torch.empty_like(volume)
    yield Row(
        "stencil 3D", functools.partial(smoothed, *PRESENT_STENCIL),
        {name: functools.partial(smoothed, *config) for name, config in OTHER_STENCIL.items()},
        lambda: (file.reference(*shape),) if small else smoothed(4, 128, 8, 4), 1e-5,
        lambda: target.copy_(volume),
    )  # fmt: skip


def rows(small: bool = False) -> Iterator[Callable[[], Iterator[Row]]]:
    """Yield what makes the rows: each holds its tensors only as long as it is looked at."""
    yield functools.partial(norm, small)
    yield functools.partial(stencil, small)
    for causal, head in ((False, 128), (True, 128), (True, 64)):
        yield functools.partial(attention, causal, head, small)


# ------------------------------------------------------------------- checking and timing


def wrong(row: Row, way: Callable[[], Tensors]) -> str:
    """Return how a way's result differs from what is expected, empty where it does not."""
    for number, (got, want) in enumerate(zip(way(), row.expected(), strict=False)):
        largest = float(want.double().abs().max())
        worst = float((got.double() - want.double()).abs().max())
        if not worst <= row.limit * max(largest, 1e-30):
            return f"result {number} is off by {worst:.3g} of {largest:.3g}"
    return ""


def timed(row: Row) -> Iterator[str]:
    """Yield a line for each way, timed against the present one."""
    from playground.engine.comparing import Contestant, compare, expression_work
    from playground.engine.job import Job
    from playground.model.roofline import duration
    from playground.model.statistics import median

    def contestant(name: str, way: Callable[[], object]) -> Contestant:
        return Contestant(name, expression_work(way, "cold"))

    def against(name: str, way: Callable[[], object]) -> Any:
        return compare(contestant(name, way), contestant("present", row.present), cache="cold",
                       budget_ms=BUDGET_MS, job=Job())  # fmt: skip

    ceiling_ms = None
    if row.ceiling is not None:
        try:
            found = against("ceiling", row.ceiling)
        except RuntimeError as error:  # this torch has no such backend
            yield f"no ceiling: {error}"
        else:
            ceiling_ms, present_ms = median(found.a_ms), median(found.b_ms)
            share = ceiling_ms / present_ms
            row.lines.append({"way": "present", "ms": present_ms, "of": share})
            yield f"present {duration(present_ms)}, {share:.1%} of {duration(ceiling_ms)}"
    for name, way in row.others.items():
        try:
            problem = wrong(row, way)
        except Exception as error:  # it may not fit this GPU
            problem = f"{type(error).__name__}: {error}"
        if problem:
            row.lines.append({"way": name, "problem": problem})
            yield f"{name:<22} not timed: {problem}"
            continue
        found = against(name, way)
        share = ceiling_ms / median(found.a_ms) if ceiling_ms else 0.0
        row.lines.append({"way": name, "ms": median(found.a_ms), "over_present": found.ratio,
                          "low": found.low, "high": found.high, "verdict": found.verdict,
                          "of": share or None})  # fmt: skip
        of = f", {share:.1%} of the ceiling" if share else ""
        yield (f"{name:<22} {duration(median(found.a_ms)):>8}, {1 / found.ratio:.3f} × as fast "
               f"({1 / found.high:.3f} to {1 / found.low:.3f}, {found.verdict}){of}")  # fmt: skip


def main(given: Sequence[str]) -> int:
    """Print every row, and write all figures to a file where one is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], help="rows whose title holds a word")
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    parser.add_argument("--small", action="store_true", help="check only, at small sizes")
    options = parser.parse_args(given)
    small = options.small or not torch.cuda.is_available()
    begun = time.perf_counter()
    failures, told = 0, {}
    for make in rows(small):
        for row in make():
            if options.only and not any(word in row.title for word in options.only):
                continue
            print(f"{row.title}", flush=True)
            if small:
                for name, way in {"present": row.present, **row.others}.items():
                    problem = wrong(row, way)
                    failures += bool(problem)
                    print(f"  {name:<22} {problem or 'right'}", flush=True)
                continue
            with ThreadPoolExecutor(_COMPILERS) as pool:  # compiling is most of the time
                for done in [pool.submit(way) for way in (row.present, *row.others.values())]:
                    done.exception()  # told where it is timed
            try:
                for text in timed(row):
                    print(f"  {text}", flush=True)
            except Exception as error:  # one row's failure is its own
                failures += 1
                print(f"  failed: {type(error).__name__}: {error}", flush=True)
            told[row.title] = row.lines
            if options.json:
                options.json.write_text(json.dumps(told, indent=1))
    print(f"{time.perf_counter() - begun:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
