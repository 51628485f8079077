"""Kernels whose accesses in outline can be compared with recordings; runs anywhere."""

import torch
import triton
import triton.language as tl

from playground.engine.job import Job
from playground.engine.outline import LINE_BYTES, outlined
from playground.engine.recording import record
from tests.engine.coverage_parts import captured, prepared

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def ragged(x, y, rows, columns, step, BLOCK: tl.constexpr):
    row = tl.program_id(0) + tl.num_programs(0) * tl.program_id(1)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        inside = (offsets < columns) & (row < rows)
        value = tl.load(x + row * step + offsets, mask=inside, other=0.0)
        tl.store(y + row * columns + offsets, value, mask=inside)


@triton.jit
def gathered(table, indices, out, width, BLOCK: tl.constexpr):
    row = tl.load(indices + tl.program_id(0))
    offsets = tl.arange(0, BLOCK)
    value = tl.load(table + row * width + offsets * 37 % width)
    tl.store(out + tl.program_id(0) * BLOCK + offsets, value)


@triton.jit
def tiled(a, c, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    j = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    tile = tl.load(a + i[:, None] * columns + j[None, :], mask=inside, other=0.0)
    tl.store(c + i[:, None] * columns + j[None, :], tile, mask=inside)
    tl.store(c, 0.0, mask=(tl.program_id(0) == 1) & (tl.program_id(1) == 2))


@triton.jit
def scalars(x, y, n):
    for k in range(tl.program_id(0), n, 4):
        tl.store(y + k, tl.load(x + n - 1 - k))


@triton.jit
def beyond(x, y, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(y + offsets, tl.load(x + offsets))


def differences(call):
    """Return what differs between the outline of a launch and its recording; nothing is right."""
    ready = prepared(captured(call)[-1])
    outline = outlined(ready, Job())
    count = ready.grid[0] * ready.grid[1] * ready.grid[2]
    recording = record(ready, range(count))
    found = []
    starts = [start for start, _ in ready.ranges()]
    if (outline.programs, len(outline)) != (count, len(recording)):
        return [["counts", outline.programs, len(outline), count, len(recording)]]
    for number in range(len(recording)):
        addresses = recording.addresses[recording.offsets[number] : recording.offsets[number + 1]]
        shape = outline.shapes[outline.shape[number]]
        lines = [
            int(outline.line[number]) + line
            for start, length in zip(shape.starts, shape.lengths, strict=True)
            for line in range(int(start), int(start + length))
        ]
        # Each storage begins on a line.
        expected = sorted(
            {
                (address - max(s for s in starts if s <= address) % LINE_BYTES) // LINE_BYTES
                for address in addresses.tolist()
            }
        )
        least = int(addresses.min()) if addresses.size else -1
        asked = addresses.size * int(recording.element_size[number])
        mine = [int(outline.program[number]), int(outline.least[number]),
                int(outline.requested_bytes[number]), lines]  # fmt: skip
        if mine != [int(recording.program[number]), least, asked, expected]:
            found.append([number, mine, [least, asked, expected]])
    return found


def facts():
    """Return the differences for each kernel, and how many shapes there were."""
    x = torch.randn(13, 100, device=DEVICE)
    y = torch.empty(13, 90, device=DEVICE)
    table = torch.randn(50, 300, device=DEVICE, dtype=torch.float16)
    indices = torch.randint(0, 50, (20,), device=DEVICE)
    out = torch.empty(20, 64, device=DEVICE, dtype=torch.float16)
    short = torch.zeros(100, device=DEVICE)
    wide = torch.randn(40, 72, device=DEVICE)
    return {
        "tiled": differences(
            lambda: tiled[(3, 5)](wide, torch.empty_like(wide), 40, 72, ROWS=16, COLUMNS=16)
        ),
        "scalars": differences(lambda: scalars[(4,)](short, torch.zeros_like(short), 99)),
        "ragged": differences(lambda: ragged[(5, 3)](x, y, 13, 90, 100, BLOCK=32)),
        "gathered": differences(lambda: gathered[(20,)](table, indices, out, 300, BLOCK=64)),
        "beyond": differences(lambda: beyond[(4,)](short, torch.zeros_like(short), BLOCK=32)),
    }
