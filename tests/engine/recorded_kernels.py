"""Kernels whose accesses a few lines of NumPy can list, for recording here and on a GPU.

Runs in a process of its own: where kernels are interpreted, or where a GPU is.
"""

import numpy as np
import torch
import triton
import triton.language as tl

from playground.engine.recording import record
from tests.engine.coverage_parts import captured, prepared


@triton.jit
def tail(x, y, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + offsets, tl.load(x + offsets, mask=offsets < n, other=0.0), mask=offsets < n)


@triton.jit
def tiles(a, out, M, N, step, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    total = tl.zeros((BM,), tl.float32)
    for start in range(0, N, BN):
        columns = start + tl.arange(0, BN)
        inside = (rows[:, None] < M) & (columns[None, :] < N)
        total += tl.sum(
            tl.load(a + rows[:, None] * step + columns[None, :], mask=inside, other=0.0), 1
        )
    tl.store(out + rows, total, mask=rows < M)


@triton.jit
def count_up(x, counter):
    value = tl.load(x + tl.program_id(0))
    tl.atomic_add(counter, value)


@triton.jit
def unmasked(x, y, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + offsets, tl.load(x + offsets) + 1)


DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def kept(call, programs, **keywords):
    """Return the recording of a launch, and the argument tensors that it was made with."""
    ready = prepared(captured(call)[-1])
    return record(ready, programs, **keywords), ready.arguments


def listed(recording, tensors):
    """Return every access as (program, kind, tensor, elements, lanes, outside)."""
    rows = []
    for index in range(len(recording)):
        mine = slice(recording.offsets[index], recording.offsets[index + 1])
        addresses = recording.addresses[mine]
        name, elements = "", []
        for label, tensor in tensors.items():
            if not isinstance(tensor, torch.Tensor):
                continue
            start, end = tensor.data_ptr(), tensor.data_ptr() + 4 * tensor.numel()
            if addresses.size and start <= int(addresses[0]) < end:
                name, elements = label, ((addresses - np.uint64(start)) // np.uint64(4)).tolist()
        rows.append(
            [
                int(recording.program[index]), recording.sites[recording.site[index]].kind, name,
                elements, int(recording.lanes[index]), int(recording.outside[index]),
            ]
        )  # fmt: skip
    return rows


def facts():
    """Return what recordings of these kernels hold, as plain data."""
    told = {}
    x = torch.arange(100, dtype=torch.float32, device=DEVICE)
    made, tensors = kept(lambda: tail[(4,)](x, torch.empty_like(x), 100, BLOCK=32), [3, 0, 3])
    told["tail"] = listed(made, tensors)
    told["tail_programs"] = list(made.programs)
    told["tail_lanes"] = made.lane[made.offsets[2] : made.offsets[3]].tolist()
    told["bytes"] = made.active_bytes()
    told["sites"] = [[site.kind, site.line, site.column] for site in made.sites]
    told["shapes"] = [list(made.shapes[number]) for number in made.shape]
    a = torch.ones(5, 10, device=DEVICE)
    made, tensors = kept(
        lambda: tiles[(2,)](a, torch.empty(5, device=DEVICE), 5, 7, 10, BM=4, BN=4), [0, 1]
    )
    told["tiles"] = listed(made, tensors)
    told["of_program"] = [list(made.of_program(program)) for program in range(3)]
    told["cut"] = [made.truncated]
    ones = torch.ones(8, device=DEVICE)
    made, tensors = kept(lambda: count_up[(8,)](ones, torch.zeros(1, device=DEVICE)), range(8))
    told["atomics"] = listed(made, tensors)
    short = torch.zeros(
        20, device=DEVICE
    )  # torch keeps 512 bytes for it: the launch faults nowhere
    made, tensors = kept(lambda: unmasked[(1,)](short, torch.zeros_like(short), BLOCK=32), [0])
    told["unmasked"] = [row[4:] for row in listed(made, tensors)]
    # Of 4 programs with 2 accesses of 32 lanes, about one fits into a run of the least memory.
    big = torch.zeros(64 * 1024, device=DEVICE)
    made, _ = kept(
        lambda: tail[(64,)](big, torch.empty_like(big), 64 * 1024, BLOCK=1024), range(64),
        budget_bytes=8 * 64 * 2048,
    )  # fmt: skip
    told["many"] = [len(made), made.truncated, made.addresses.size]
    made, _ = kept(
        lambda: tail[(64,)](big, torch.empty_like(big), 64 * 1024, BLOCK=1024), range(64),
        budget_bytes=8 * 5 * 2048,
    )  # fmt: skip
    told["little"] = [made.truncated, len(made.programs) < 64, len(made) >= 4]
    return told
