# ruff: noqa: SIM108  (the line with the fault stands alone)
"""Forty planted faults, each kernel with its correct twin.

A case is a function that launches a kernel; its first argument says whether with the fault. The
line that a finding must name ends in `# FAULT name`. Names of the other kinds of findings stand in
the table `CASES` at the end. Sizes are small: every case runs in the interpreter as well.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def ramp(*shape, dtype=torch.float32):
    """Return a tensor whose elements all differ."""
    count = 1
    for size in shape:
        count *= size
    return torch.arange(count, dtype=torch.float32, device=DEVICE).reshape(shape).to(dtype)


def empty(*shape, dtype=torch.float32):
    return torch.empty(*shape, dtype=dtype, device=DEVICE)


def zeros(*shape, dtype=torch.float32):
    return torch.zeros(*shape, dtype=dtype, device=DEVICE)


# ------------------------------------------------------------------- masks


@triton.jit
def k_load_mask(x, out, n, BLOCK: tl.constexpr, BAD: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if BAD:
        value = tl.load(x + offsets)  # FAULT missing mask of a load
    else:
        value = tl.load(x + offsets, mask=offsets < n)
    tl.store(out + offsets, value, mask=offsets < n)


def missing_load_mask(bad):
    k_load_mask[(4,)](ramp(1000), empty(1000), 1000, BLOCK=256, BAD=bad)


@triton.jit
def k_store_mask(x, out, n, BLOCK: tl.constexpr, BAD: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n)
    if BAD:
        tl.store(out + offsets, value)  # FAULT missing mask of a store
    else:
        tl.store(out + offsets, value, mask=offsets < n)


def missing_store_mask(bad):
    k_store_mask[(4,)](ramp(1000), empty(1000), 1000, BLOCK=256, BAD=bad)


@triton.jit
def k_off_by_one(x, out, n, BLOCK: tl.constexpr, BAD: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = offsets <= n if BAD else offsets < n
    value = tl.load(x + offsets, mask=keep)  # FAULT mask one too wide
    tl.store(out + offsets, value, mask=offsets < n)


def mask_one_too_wide(bad):
    k_off_by_one[(4,)](ramp(1000), empty(1000), 1000, BLOCK=256, BAD=bad)


@triton.jit
def k_row_mask(x, out, rows, columns, BR: tl.constexpr, BC: tl.constexpr, BAD: tl.constexpr):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.arange(0, BC)
    inside = (r[:, None] < rows) & (c[None, :] < columns)
    only = (r[:, None] < rows + BR) & (c[None, :] < columns)
    keep = only if BAD else inside
    value = tl.load(x + r[:, None] * columns + c[None, :], mask=inside)
    tl.store(out + r[:, None] * columns + c[None, :], value, mask=keep)  # FAULT rows not masked


def rows_not_masked(bad):
    k_row_mask[(4,)](ramp(30, 20), empty(30, 20), 30, 20, BR=8, BC=32, BAD=bad)


@triton.jit
def k_column_mask(x, out, rows, columns, BR: tl.constexpr, BC: tl.constexpr, BAD: tl.constexpr):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.arange(0, BC)
    inside = (r[:, None] < rows) & (c[None, :] < columns)
    wide = (r[:, None] < rows) & (c[None, :] < columns + 4)
    value = tl.load(x + r[:, None] * columns + c[None, :], mask=inside)
    keep = wide if BAD else inside
    target = out + r[:, None] * columns + c[None, :]
    tl.store(target, value, mask=keep)  # FAULT spills into next row


def columns_spill(bad):
    k_column_mask[(4,)](ramp(32, 20), empty(32, 20), 32, 20, BR=8, BC=32, BAD=bad)


@triton.jit
def k_mask_of_other_axis(x, out, m, n, BM: tl.constexpr, BN: tl.constexpr, BAD: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BN + tl.arange(0, BN)
    if BAD:
        keep = (r[:, None] < n) & (c[None, :] < m)
    else:
        keep = (r[:, None] < m) & (c[None, :] < n)
    value = tl.load(x + r[:, None] * n + c[None, :], mask=keep)  # FAULT sizes swapped in the mask
    tl.store(out + r[:, None] * n + c[None, :], value, mask=(r[:, None] < m) & (c[None, :] < n))


def sizes_swapped_in_mask(bad):
    k_mask_of_other_axis[(3, 3)](ramp(20, 40), empty(20, 40), 20, 40, BM=16, BN=16, BAD=bad)


# ------------------------------------------------------------------- strides and indices


@triton.jit
def k_wrong_stride(x, out, rows, columns, step, BLOCK: tl.constexpr, BAD: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    start = row * (step + 16) if BAD else row * step
    value = tl.load(x + start + c, mask=c < columns)  # FAULT wrong stride
    tl.store(out + row * columns + c, value, mask=c < columns)


def wrong_stride(bad):
    k_wrong_stride[(16,)](ramp(16, 64), empty(16, 60), 16, 60, 64, BLOCK=64, BAD=bad)


@triton.jit
def k_swapped_strides(x, out, m, n, s0, s1, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BN + tl.arange(0, BN)
    keep = (r[:, None] < m) & (c[None, :] < n)
    value = tl.load(x + r[:, None] * s0 + c[None, :] * s1, mask=keep)  # FAULT strides swapped
    tl.store(out + r[:, None] * n + c[None, :], value, mask=keep)


def swapped_strides(bad):
    x = ramp(32, 64)
    first, second = (x.stride(1), x.stride(0)) if bad else (x.stride(0), x.stride(1))
    k_swapped_strides[(2, 4)](x, empty(32, 64), 32, 64, first, second, BM=16, BN=16)


@triton.jit
def k_negative(x, out, n, BLOCK: tl.constexpr, BAD: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = offsets < n
    if not BAD:
        keep = keep & (offsets > 0)
    before = tl.load(x + offsets - 1, mask=keep, other=0.0)  # FAULT negative index
    tl.store(out + offsets, before, mask=offsets < n)


def negative_index(bad):
    k_negative[(4,)](ramp(1000), empty(1000), 1000, BLOCK=256, BAD=bad)


@triton.jit
def k_overflow(x, out, step, n, BAD: tl.constexpr):
    row = tl.program_id(0)
    wide = row * step if BAD else row.to(tl.int64) * step
    value = tl.load(x + wide % n)  # FAULT int32 overflow
    tl.store(out + row, value)


def int32_overflow(bad):
    k_overflow[(8,)](ramp(1 << 12), empty(8), 700_000_001, 1 << 12, BAD=bad)


@triton.jit
def k_overflow_far(x, out, step, BAD: tl.constexpr):
    row = tl.program_id(0)
    wide = row * step if BAD else row.to(tl.int64) * step
    p = x + row - row.to(tl.int64) * step
    value = tl.load(p + wide)  # FAULT int32 overflow far away
    tl.store(out + row, value)


def int32_overflow_far(bad):
    k_overflow_far[(8,)](ramp(64), empty(8), 700_000_001, BAD=bad)


@triton.jit
def k_gather(table, index, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    chosen = tl.load(index + offsets, mask=offsets < n, other=0)
    value = tl.load(table + chosen, mask=offsets < n)  # FAULT index past the table
    tl.store(out + offsets, value, mask=offsets < n)


def gather_past_the_table(bad):
    index = torch.arange(500, device=DEVICE, dtype=torch.int32) % 100
    if bad:
        index[77] = 164
    k_gather[(2,)](ramp(100), index, empty(500), 500, BLOCK=256)


@triton.jit
def k_scatter(x, index, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    chosen = tl.load(index + offsets, mask=offsets < n, other=0)
    value = tl.load(x + offsets, mask=offsets < n)
    tl.store(out + chosen, value, mask=offsets < n)  # FAULT two programs scatter to one place


def scatter_collides(bad):
    index = torch.arange(512, device=DEVICE, dtype=torch.int32).flip(0).contiguous()
    if bad:
        index[3] = index[400]
    k_scatter[(2,)](ramp(512), index, zeros(512), 512, BLOCK=256)


@triton.jit
def k_pid_order(x, out, m, n, BM: tl.constexpr, BN: tl.constexpr, BAD: tl.constexpr):
    pid = tl.program_id(0)
    tiles_n = tl.cdiv(n, BN)
    tiles_m = tl.cdiv(m, BM)
    row = pid // tiles_m if BAD else pid // tiles_n
    column = pid % tiles_m if BAD else pid % tiles_n
    r = row * BM + tl.arange(0, BM)
    c = column * BN + tl.arange(0, BN)
    at = r[:, None] * n + c[None, :]
    value = tl.load(x + at)  # FAULT wrong order of program ids
    tl.store(out + at, value)


def wrong_pid_order(bad):
    k_pid_order[(8,)](ramp(32, 64), empty(32, 64), 32, 64, BM=16, BN=16, BAD=bad)


@triton.jit
def k_axis(x, out, n, BLOCK: tl.constexpr, BAD: tl.constexpr):
    block = tl.program_id(0) if BAD else tl.program_id(1)
    offsets = block * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + tl.program_id(0) * n + offsets)
    tl.store(out + tl.program_id(0) * n + offsets, value)  # FAULT the wrong axis of the grid


def wrong_grid_axis(bad):
    k_axis[(2, 4)](ramp(4, 256), zeros(4, 256), 256, BLOCK=64, BAD=bad)


# ------------------------------------------------------------------- elements left out


@triton.jit
def k_copy(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n)
    tl.store(out + offsets, value, mask=offsets < n)  # FAULT uncovered tail


def uncovered_tail(bad):
    k_copy[(1000 // 256 if bad else triton.cdiv(1000, 256),)](
        ramp(1000), empty(1000), 1000, BLOCK=256
    )


@triton.jit
def k_step(x, out, n, BLOCK: tl.constexpr, STEP: tl.constexpr):
    offsets = tl.program_id(0) * STEP + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n)
    tl.store(out + offsets, value, mask=offsets < n)  # FAULT holes between blocks


def holes_between_blocks(bad):
    k_step[(4,)](ramp(1024), empty(1024), 1024, BLOCK=128 if bad else 256, STEP=256)


@triton.jit
def k_persistent(x, out, n, programs, BLOCK: tl.constexpr, BAD: tl.constexpr):
    pid = tl.program_id(0)
    blocks = n // BLOCK if BAD else tl.cdiv(n, BLOCK)
    for block in range(pid, blocks, programs):
        offsets = block * BLOCK + tl.arange(0, BLOCK)
        value = tl.load(x + offsets, mask=offsets < n)
        tl.store(out + offsets, value, mask=offsets < n)  # FAULT persistent loop ends early


def persistent_ends_early(bad):
    k_persistent[(3,)](ramp(1000), empty(1000), 1000, 3, BLOCK=64, BAD=bad)


@triton.jit
def k_batch(x, out, n, BLOCK: tl.constexpr):
    start = tl.program_id(1) * n
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + start + offsets, mask=offsets < n)
    tl.store(out + start + offsets, value, mask=offsets < n)  # FAULT one batch left out


def batch_left_out(bad):
    k_batch[(2, 3 if bad else 4)](ramp(4, 100), empty(4, 100), 100, BLOCK=64)


# ------------------------------------------------------------------- programs in each other's way


@triton.jit
def k_overlap(x, out, n, BLOCK: tl.constexpr, STEP: tl.constexpr):
    offsets = tl.program_id(0) * STEP + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n)
    if STEP < BLOCK:
        value = value + tl.program_id(0)
    tl.store(out + offsets, value, mask=offsets < n)  # FAULT overlapping tiles


def overlapping_tiles(bad):
    k_overlap[(8,)](ramp(1024), empty(1024), 1024, BLOCK=256, STEP=128 if bad else 256)


@triton.jit
def k_total(x, total, n, BLOCK: tl.constexpr, BAD: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x + offsets, mask=offsets < n, other=0.0))
    if BAD:
        tl.store(total, tl.load(total) + part)  # FAULT missing atomic
    else:
        tl.atomic_add(total, part)


def missing_atomic(bad):
    k_total[(4,)](ramp(1000), zeros(1), 1000, BLOCK=256, BAD=bad)


@triton.jit
def k_partial(x, parts, n, BLOCK: tl.constexpr, BAD: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x + offsets, mask=offsets < n, other=0.0))
    slot = pid // 2 if BAD else pid
    tl.store(parts + slot, part)  # FAULT two programs share a partial sum


def shared_partial_sum(bad):
    k_partial[(4,)](ramp(1000), zeros(4), 1000, BLOCK=256, BAD=bad)


@triton.jit
def k_stencil(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = offsets < n
    left = tl.load(x + offsets - 1, mask=keep & (offsets > 0), other=0.0)  # FAULT in-place stencil
    here = tl.load(x + offsets, mask=keep)
    tl.store(out + offsets, here + left, mask=keep)


def in_place_stencil(bad):
    x = ramp(1000)
    k_stencil[(4,)](x, x if bad else torch.empty_like(x), 1000, BLOCK=256)


@triton.jit
def k_transpose(x, out, n, BLOCK: tl.constexpr):
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + r[:, None] * n + c[None, :])  # FAULT in-place transpose
    tl.store(out + c[None, :] * n + r[:, None], value)


def in_place_transpose(bad):
    x = ramp(64, 64)
    k_transpose[(4, 4)](x, x if bad else torch.empty_like(x), 64, BLOCK=16)


@triton.jit
def k_two_phases(x, middle, out, n, BLOCK: tl.constexpr, PHASE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if PHASE != 2:
        value = tl.load(x + offsets, mask=offsets < n)
        tl.store(middle + offsets, value * 2, mask=offsets < n)
    if PHASE != 1:
        other = n - 1 - offsets
        value = tl.load(middle + other, mask=offsets < n)  # FAULT two phases in one launch
        tl.store(out + offsets, value, mask=offsets < n)


def two_phases_in_one_launch(bad):
    x, middle, out = ramp(1024), zeros(1024), empty(1024)
    for phase in (0,) if bad else (1, 2):
        k_two_phases[(4,)](x, middle, out, 1024, BLOCK=256, PHASE=phase)


@triton.jit
def k_halo(x, n, BLOCK: tl.constexpr, HALO: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    offsets = start + tl.arange(0, BLOCK)
    value = tl.load(x + offsets + HALO, mask=offsets + HALO < n)  # FAULT reads its neighbour's tile
    tl.store(x + offsets, value + 1, mask=offsets < n)


def reads_the_neighbours_tile(bad):
    k_halo[(4,)](ramp(1024), 1024, BLOCK=256, HALO=8 if bad else 0)


@triton.jit
def k_split_k(a, out, n, k, SPLIT: tl.constexpr, BLOCK: tl.constexpr, BAD: tl.constexpr):
    row = tl.program_id(0)
    part = tl.program_id(1)
    span = k // SPLIT
    c = part * span + tl.arange(0, BLOCK)
    total = tl.sum(tl.load(a + row * k + c, mask=c < (part + 1) * span, other=0.0))
    if BAD:
        tl.store(out + row, total)  # FAULT split-K without atomics
    else:
        tl.atomic_add(out + row, total)


def split_k_without_atomics(bad):
    k_split_k[(8, 4)](ramp(8, 64), zeros(8), 8, 64, SPLIT=4, BLOCK=16, BAD=bad)


@triton.jit
def k_counter(x, count, out, n, BLOCK: tl.constexpr, BAD: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n, other=0.0)
    found = tl.sum((value > 5).to(tl.int32))
    if BAD:
        tl.store(count, 0)  # FAULT every program resets the counter
    tl.atomic_add(count, found)


def counter_reset_by_all(bad):
    k_counter[(4,)](ramp(1000), zeros(1, dtype=torch.int32), empty(1), 1000, BLOCK=256, BAD=bad)


@triton.jit
def k_bins(x, bins, n, BLOCK: tl.constexpr, BAD: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n, other=0)
    if BAD:
        old = tl.load(bins + value, mask=offsets < n)
        tl.store(bins + value, old + 1, mask=offsets < n)  # FAULT histogram without atomics
    else:
        tl.atomic_add(bins + value, 1, mask=offsets < n)


def histogram_without_atomics(bad):
    x = torch.arange(1000, device=DEVICE, dtype=torch.int32) % 10
    k_bins[(4,)](x, zeros(10, dtype=torch.int32), 1000, BLOCK=256, BAD=bad)


# ------------------------------------------------------------------- what nothing has written


@triton.jit
def k_accumulate(x, acc, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    old = tl.load(acc + offsets, mask=offsets < n)  # FAULT stale scratch
    tl.store(acc + offsets, old + tl.load(x + offsets, mask=offsets < n), mask=offsets < n)


def stale_scratch(bad):
    k_accumulate[(4,)](ramp(1000), empty(1000) if bad else zeros(1000), 1000, BLOCK=256)


@triton.jit
def k_add_up(x, total, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x + offsets, mask=offsets < n, other=0.0))
    tl.atomic_add(total, part)  # FAULT stale sum


def stale_sum(bad):
    k_add_up[(4,)](ramp(1000), empty(1) if bad else zeros(1), 1000, BLOCK=256)


@triton.jit
def k_padded(x, out, n, BLOCK: tl.constexpr, BAD: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    limit = BLOCK if BAD else n
    value = tl.load(x + offsets, mask=offsets < limit, other=0.0)  # FAULT reads the padding
    tl.store(out, tl.sum(value))


def reads_the_padding(bad):
    room = empty(128)
    room[:100] = 1.0
    k_padded[(1,)](room, empty(1), 100, BLOCK=128, BAD=bad)


@triton.jit
def k_last_stage(x, middle, out, n, BLOCK: tl.constexpr, BAD: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n)
    tl.store(middle + offsets, value * 2, mask=(offsets < n - 50) if BAD else offsets < n)
    tl.debug_barrier()
    again = tl.load(middle + offsets, mask=offsets < n)  # FAULT scratch half written
    tl.store(out + offsets, again, mask=offsets < n)


def scratch_half_written(bad):
    k_last_stage[(4,)](ramp(1000), empty(1000), empty(1000), 1000, BLOCK=256, BAD=bad)


# ------------------------------------------------------------------- loops


@triton.jit
def k_loop(a, out, k, BLOCK: tl.constexpr, BAD: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    steps = k // BLOCK + 1 if BAD else k // BLOCK
    for step in range(0, steps):
        c = step * BLOCK + tl.arange(0, BLOCK)
        total += tl.load(a + row * k + c)  # FAULT one K step too many
    tl.store(out + row, tl.sum(total))


def one_k_step_too_many(bad):
    k_loop[(8,)](ramp(8, 64), empty(8), 64, BLOCK=16, BAD=bad)


@triton.jit
def k_short_loop(a, out, k, BLOCK: tl.constexpr, BAD: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, k - BLOCK if BAD else k, BLOCK):
        c = start + tl.arange(0, BLOCK)
        total += tl.load(a + row * k + c, mask=c < k, other=0.0)  # FAULT one K step too few
    tl.store(out + row, tl.sum(total))


def one_k_step_too_few(bad):
    k_short_loop[(8,)](ramp(8, 64), empty(8), 64, BLOCK=16, BAD=bad)


@triton.jit
def k_clamped(x, parts, n, BLOCK: tl.constexpr, BAD: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    if BAD:
        at = tl.minimum(offsets, n - BLOCK + tl.arange(0, BLOCK))
        value = tl.load(x + at)  # FAULT tail counted twice
    else:
        value = tl.load(x + offsets, mask=offsets < n, other=0.0)
    tl.store(parts + pid, tl.sum(value))


def tail_counted_twice(bad):
    k_clamped[(4,)](ramp(1000), empty(4), 1000, BLOCK=256, BAD=bad)


@triton.jit
def k_no_k_mask(a, out, k, BLOCK: tl.constexpr, BAD: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, k, BLOCK):
        c = start + tl.arange(0, BLOCK)
        if BAD:
            total += tl.load(a + row * k + c)  # FAULT K not masked
        else:
            total += tl.load(a + row * k + c, mask=c < k, other=0.0)
    tl.store(out + row, tl.sum(total))


def k_not_masked(bad):
    k_no_k_mask[(8,)](ramp(8, 60), empty(8), 60, BLOCK=16, BAD=bad)


@triton.jit
def k_base(x, out, n, BLOCK: tl.constexpr, BAD: tl.constexpr):
    p = x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    for step in range(0, 2):
        value = tl.load(p)  # FAULT pointer advanced too far
        tl.store(out + (tl.program_id(0) + 2 * step) * BLOCK + tl.arange(0, BLOCK), value)
        p += 3 * BLOCK if BAD else 2 * BLOCK


def pointer_advanced_too_far(bad):
    k_base[(2,)](ramp(256), empty(256), 256, BLOCK=64, BAD=bad)


# ------------------------------------------------------------------- helpers and views


@triton.jit
def put(pointer, offsets, value, n, MASKED: tl.constexpr):
    if MASKED:
        tl.store(pointer + offsets, value, mask=offsets < n)
    else:
        tl.store(pointer + offsets, value)  # FAULT fault in a helper


@triton.jit
def k_helper(x, out, n, BLOCK: tl.constexpr, BAD: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    put(out, offsets, tl.load(x + offsets, mask=offsets < n), n, not BAD)


def fault_in_a_helper(bad):
    k_helper[(4,)](ramp(1000), empty(1000), 1000, BLOCK=256, BAD=bad)


@triton.jit
def k_views(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n)  # FAULT views overlap
    tl.store(out + offsets, value, mask=offsets < n)


def overlapping_views(bad):
    room = ramp(1100)
    k_views[(4,)](room[100:], room[:1000] if bad else empty(1000), 1000, BLOCK=256)


@triton.jit
def k_loss(x, loss, n, BLOCK: tl.constexpr, BAD: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    value = tl.load(x + row * n + c, mask=c < n, other=0.0)
    at = 0 if BAD else row
    tl.store(loss + at, tl.sum(value))  # FAULT every row writes one loss


def every_row_writes_one_loss(bad):
    k_loss[(8,)](ramp(8, 20), zeros(8), 20, BLOCK=32, BAD=bad)


CASES = {
    # name of the FAULT: (launches, severity)
    "missing mask of a load": (missing_load_mask, "error"),
    "missing mask of a store": (missing_store_mask, "error"),
    "mask one too wide": (mask_one_too_wide, "error"),
    "rows not masked": (rows_not_masked, "error"),
    "spills into next row": (columns_spill, "error"),
    "sizes swapped in the mask": (sizes_swapped_in_mask, "error"),
    "wrong stride": (wrong_stride, "error"),
    "strides swapped": (swapped_strides, "error"),
    "negative index": (negative_index, "error"),
    "int32 overflow": (int32_overflow, "error"),
    "int32 overflow far away": (int32_overflow_far, "error"),
    "index past the table": (gather_past_the_table, "error"),
    "two programs scatter to one place": (scatter_collides, "error"),
    "wrong order of program ids": (wrong_pid_order, "error"),
    "the wrong axis of the grid": (wrong_grid_axis, "hint"),
    "uncovered tail": (uncovered_tail, "hint"),
    "holes between blocks": (holes_between_blocks, "hint"),
    "persistent loop ends early": (persistent_ends_early, "hint"),
    "one batch left out": (batch_left_out, "hint"),
    "overlapping tiles": (overlapping_tiles, "error"),
    "missing atomic": (missing_atomic, "error"),
    "two programs share a partial sum": (shared_partial_sum, "error"),
    "in-place stencil": (in_place_stencil, "error"),
    "in-place transpose": (in_place_transpose, "error"),
    "two phases in one launch": (two_phases_in_one_launch, "error"),
    "reads its neighbour's tile": (reads_the_neighbours_tile, "error"),
    "split-K without atomics": (split_k_without_atomics, "error"),
    "every program resets the counter": (counter_reset_by_all, "warning"),
    "histogram without atomics": (histogram_without_atomics, "error"),
    "stale scratch": (stale_scratch, "error"),
    "stale sum": (stale_sum, "error"),
    "reads the padding": (reads_the_padding, "error"),
    "scratch half written": (scratch_half_written, "error"),
    "one K step too many": (one_k_step_too_many, "error"),
    "one K step too few": (one_k_step_too_few, "hint"),
    "tail counted twice": (tail_counted_twice, "hint"),
    "K not masked": (k_not_masked, "error"),
    "pointer advanced too far": (pointer_advanced_too_far, "error"),
    "fault in a helper": (fault_in_a_helper, "error"),
    "views overlap": (overlapping_views, "error"),
    "every row writes one loss": (every_row_writes_one_loss, "error"),
}
