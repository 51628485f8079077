"""Kernels that go different ways, follow data and touch memory in every kind: for both counters."""

import torch
import triton
import triton.language as tl


@triton.jit
def ways(src, dst, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    if pid % 3 == 0:
        value = tl.load(src + offsets, mask=offsets < n)
    elif pid % 3 == 1:
        value = tl.load(src + n - 1 - offsets, mask=offsets < n)
    else:
        if pid == 5:
            return
        value = tl.load(src + offsets // 2, mask=offsets < n)
    for _ in range(pid):
        value += tl.load(src + offsets % 7)
    tl.store(dst + offsets, value, mask=offsets < n)


@triton.jit
def halving(src, dst, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    left = pid
    total = 0.0
    while left > 0:
        total += tl.load(src + left)
        left = left // 2
    tl.store(dst + pid + tl.arange(0, BLOCK) * 0, total)


@triton.jit
def chase(next_of, dst, steps, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    for _ in range(steps):
        at = tl.load(next_of + at)
    tl.store(dst + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), at)


@triton.jit
def ragged_rows(starts, src, dst, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    begin = tl.load(starts + row)
    end = tl.load(starts + row + 1)
    total = tl.zeros((BLOCK,), tl.float32)
    for at in range(begin, end, BLOCK):
        lanes = at + tl.arange(0, BLOCK)
        total += tl.load(src + lanes, mask=lanes < end, other=0.0)
    tl.store(dst + row, tl.sum(total))


@triton.jit
def chosen_by_value(src, dst, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(src + offsets, mask=offsets < n, other=-1.0)
    tl.store(dst + offsets, tl.exp(value), mask=(value > 0.25) & (offsets < n))


@triton.jit
def packed(src, dst, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    value = tl.load(src + tl.program_id(0) * BLOCK + lanes)
    places = tl.cumsum((value > 0).to(tl.int32), 0) - 1
    tl.store(dst + tl.program_id(0) * BLOCK + places, value, mask=value > 0)


@triton.jit
def best(src, dst, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    value = tl.load(src + row * cols + lanes, mask=lanes < cols, other=float("-inf"))
    at = tl.argmax(value, 0)
    tl.store(dst + row, tl.load(src + row * cols + at))


@triton.jit
def larger(a, b):
    return tl.where(a > b, a, b)


@triton.jit
def folded(src, dst, BLOCK: tl.constexpr):
    rows = tl.arange(0, 4)
    lanes = tl.arange(0, BLOCK)
    value = tl.load(src + rows[:, None] * BLOCK + lanes[None, :])
    top = tl.reduce(value, 1, larger)
    run = tl.associative_scan(value, 1, larger)
    tl.store(dst + top, tl.sum(run, 1).to(tl.float32))


@triton.jit
def tickets(counter, dst, BLOCK: tl.constexpr):
    ticket = tl.atomic_add(counter, 1)
    tl.store(dst + ticket * BLOCK + tl.arange(0, BLOCK), 1.0)


@triton.jit
def histogram(src, counts, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    key = tl.load(src + offsets, mask=offsets < n, other=0)
    tl.atomic_add(counts + key, 1, mask=offsets < n)


@triton.jit
def in_place(index, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = tl.load(index + offsets, mask=offsets < n, other=0)
    tl.store(index + at, at + 1, mask=offsets < n)


@triton.jit
def overlapping(src, dst, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, 2 * BLOCK)
    tl.store(dst + offsets, tl.load(src + offsets, mask=offsets < n), mask=offsets < n)


@triton.jit
def outside(src, dst, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    before = tl.load(src + offsets - 3)
    after = tl.load(src + offsets + 3, mask=offsets % 2 == 0)
    if tl.program_id(0) == 1:
        after += tl.load(src + 100 * n + offsets)
    tl.store(dst + offsets, before + after)


@triton.jit
def wrapped(src, dst, stride, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(dst + rows, tl.load(src + rows * stride))


@triton.jit
def bytes_of(words, halves, dst, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    whole = tl.load(words + offsets)
    part = tl.load(halves + 2 * offsets + 1)
    tl.store(dst + offsets, whole + part)


@triton.jit
def pointed(table, dst, n, BLOCK: tl.constexpr):
    which = tl.program_id(0) % 2
    base = tl.load(table + which).to(tl.pointer_type(tl.float32))
    offsets = tl.program_id(0) // 2 * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(base + offsets, mask=offsets < n)
    tl.store(dst + which * n + offsets, value, mask=offsets < n)


@triton.jit
def turned(src, dst, M: tl.constexpr, N: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    x = tl.load(src + rows[:, None] * N + columns[None, :])
    y = tl.trans(x).reshape(M * N)
    a, b = tl.split(tl.join(y, y + 1).reshape(M * N, 2))
    where = tl.flip(tl.arange(0, M * N), 0) ^ 1
    tl.store(dst + where, tl.where(where % 2 == 0, a, b))
    tl.store(dst + M * N + tl.sort(where % 8 * 8 + where // 8), y)


@triton.jit
def described(src, dst, m, n, BM: tl.constexpr, BN: tl.constexpr):
    a = tl.make_tensor_descriptor(src, [m, n], [n, 1], [BM, BN])
    b = tl.make_tensor_descriptor(dst, [m, n], [n, 1], [BM, BN])
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    b.store([row, column], a.load([row, column]) * 2)


@triton.jit
def blocks(src, dst, m, n, BM: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(0) * BM
    a = tl.make_block_ptr(src, (m, n), (n, 1), (row, 0), (BM, BN), (1, 0))
    b = tl.make_block_ptr(dst, (m, n), (n, 1), (row, 0), (BM, BN), (1, 0))
    for _ in range(0, n, BN):
        tile = tl.load(a, boundary_check=(0, 1), padding_option="zero")
        tl.store(b, tile * 3.0, boundary_check=(0, 1))
        a = tl.advance(a, (0, BN))
        b = tl.advance(b, (0, BN))


@triton.jit
def cube(dst, sx, sy, sz):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    if (x + y) % 2 == 0 or z == 3:
        tl.store(dst + x * sx + y * sy + z * sz, x + 10.0 * y + tl.num_programs(2))


@triton.jit
def random_rows(dst, seed, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = (tl.rand(seed, offsets) * n).to(tl.int32)
    tl.store(dst + tl.program_id(0) * n + at.to(tl.int64), 1.0)


@triton.jit
def telling(src, dst, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.device_print("block", tl.program_id(0))
    tl.store(dst + offsets, tl.load(src + offsets))


@triton.jit
def tiles(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = (tl.program_id(0) * BM + tl.arange(0, BM)) % M
    columns = (tl.program_id(1) * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        left = K - step * BK
        a = tl.load(a_ptr + rows[:, None] * K + (step * BK + k)[None, :], mask=k[None, :] < left)
        b = tl.load(b_ptr + (step * BK + k)[:, None] * N + columns[None, :], mask=k[:, None] < left)
        total += tl.dot(a, b)
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], total, mask=inside)


@triton.jit
def rows_by_index(rows, src, dst, m, BLOCK: tl.constexpr):
    source = tl.make_tensor_descriptor(src, [m, BLOCK], [BLOCK, 1], [1, BLOCK])
    target = tl.make_tensor_descriptor(dst, [m, BLOCK], [BLOCK, 1], [1, BLOCK])
    at = tl.load(rows + tl.program_id(0) * 8 + tl.arange(0, 8))
    target.scatter(source.gather(at, 0), at, 0)


@triton.jit
def scaled(a, a_scale, b, b_scale, dst, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, N), tl.arange(0, K)
    byte = tl.arange(0, K // 2)
    group = tl.arange(0, K // 32)[None, :]
    left = tl.load(a + m * (K // 2) + byte[None, :])
    right = tl.load(b + k[:, None] * N + n[None, :])
    left_scale = tl.load(a_scale + m * (K // 32) + group)
    right_scale = tl.load(b_scale + n[:, None] * (K // 32) + group)
    product = tl.dot_scaled(left, left_scale, "e2m1", right, right_scale, "e4m3")
    tl.store(dst + m * N + n[None, :], product)


@triton.jit
def assembled(src, dst, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(src + offsets, mask=offsets < n)
    once, twice = tl.inline_asm_elementwise(
        "mov.b32 $0, $2; add.s32 $1, $2, $2;", "=r,=r,r", [values],
        dtype=(tl.int32, tl.int32), is_pure=True, pack=1,
    )  # fmt: skip
    tl.store(dst + offsets, once + twice, mask=offsets < n)


@triton.jit
def one_element(dst):
    tl.store(dst + tl.program_id(0), 1)


@triton.jit
def long_sum(src, dst, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        total += tl.load(src + start + offsets)
    tl.store(dst + offsets, total)


def call_scaled():
    """Launch a product of (32, 64) fp4 by (64, 16) fp8 elements, once."""
    scale = torch.full((32, 2), 127, dtype=torch.uint8)
    left = torch.full((32, 32), 0x22, dtype=torch.uint8)
    right = torch.ones(64, 16).to(torch.float8_e4m3fn)
    scaled[(1,)](left, scale, right, scale[:16], torch.zeros(32, 16), M=32, N=16, K=64)


def call_assembled():
    """Launch a copy of 50 elements with inline assembly in between."""
    whole = torch.ones(50, dtype=torch.int32)
    assembled[(4,)](whole, torch.zeros_like(whole), 50, BLOCK=16)


def numbers(*shape):
    return torch.rand(shape, generator=torch.Generator().manual_seed(0))


def calls():
    """Return launches by name, and why a launch must run program after program, if it must."""
    x, out = numbers(1000), torch.zeros
    lengths = torch.tensor([3, 0, 40, 17, 64, 1, 0, 9])
    starts = torch.cat([torch.zeros(1, dtype=torch.int64), lengths.cumsum(0)])
    ring = torch.randperm(512, generator=torch.Generator().manual_seed(1))
    keys = torch.randint(0, 10, (1000,), generator=torch.Generator().manual_seed(2))
    both = numbers(2, 300)
    table = torch.tensor([both[0].data_ptr(), both[1].data_ptr()])
    words = torch.arange(512, dtype=torch.int32)
    small = torch.randint(0, 64, (256,), generator=torch.Generator().manual_seed(3)).int()
    tile = numbers(64, 64)
    found = {
        "ways": (lambda: ways[(9,)](x, out(1152), 1000, BLOCK=128), ""),
        "halving": (lambda: halving[(50,)](x, out(64), BLOCK=4), ""),
        "chase": (lambda: chase[(8,)](ring, out(512), 5, BLOCK=64), ""),
        "ragged_rows": (lambda: ragged_rows[(8,)](starts, x, out(8), BLOCK=16), ""),
        "chosen_by_value": (lambda: chosen_by_value[(8,)](x, out(1000), 1000, BLOCK=128), ""),
        "packed": (lambda: packed[(4,)](x - 0.5, out(1000), BLOCK=128), ""),
        "best": (lambda: best[(8,)](x, out(8), 100, BLOCK=128), ""),
        "folded": (lambda: folded[(1,)](small, out(64), BLOCK=64), ""),
        "tickets": (
            lambda: tickets[(4,)](torch.zeros(1, dtype=torch.int32), out(128), BLOCK=32),
            "an atomic's result is used",
        ),
        "histogram": (
            lambda: histogram[(8,)](keys, torch.zeros(10, dtype=torch.int32), 1000, BLOCK=128), ""
        ),
        "in_place": (
            lambda: in_place[(4,)](torch.arange(512), 500, BLOCK=128),
            "an address depends on a value that the launch stores",
        ),
        "overlapping": (
            lambda: overlapping[(8,)](x, out(1000), 1000, BLOCK=128),
            "programs store to the same elements",
        ),
        "outside": (lambda: outside[(8,)](x, out(1000), 1000, BLOCK=128), ""),
        "wrapped": (lambda: wrapped[(2,)](x, out(256), 1 << 28, BLOCK=128), ""),
        "bytes_of": (
            lambda: bytes_of[(4,)](words, words.view(torch.int16), out(512), BLOCK=128), ""
        ),
        "pointed": (lambda: pointed[(6,)](table, out(600), 300, BLOCK=128), ""),
        "turned": (lambda: turned[(1,)](x, out(512), M=16, N=16), ""),
        "described": (lambda: described[(3, 2)](tile, out(64, 64), 40, 64, BM=16, BN=32), ""),
        "rows_by_index": (
            lambda: rows_by_index[(2,)](torch.randperm(20)[:16].int(), tile[:20], out(20, 64), 18,
                                        BLOCK=64), ""
        ),
        "scaled": (call_scaled, ""),
        "cube": (lambda: cube[(3, 4, 5)](out(3, 4, 5), 20, 5, 1), ""),
        "random_rows": (lambda: random_rows[(4,)](out(400), 7, 100, BLOCK=32), ""),
        "telling": (lambda: telling[(2,)](x, out(64), BLOCK=32), "the kernel prints"),
        "tiles": (
            lambda: tiles[(3, 2)](tile, tile[:, :33].contiguous(), out(40, 33), 40, 33, 64,
                                  BM=16, BN=32, BK=16), ""
        ),
    }  # fmt: skip
    if tuple(map(int, triton.__version__.split(".")[:2])) < (3, 9):  # they are gone from then on
        found["blocks"] = (lambda: blocks[(5,)](tile, out(40, 50), 40, 50, BM=8, BN=16), "")
    return found


def large_calls():
    """Return launches that are too large to look at each access."""
    elements, block = 1 << 21, 1 << 15
    dots = torch.zeros(20_000, dtype=torch.int8)
    return {
        "small": lambda: one_element[(20_000,)](dots),
        "long": lambda: long_sum[(1,)](
            torch.ones(elements), torch.zeros(block), elements, BLOCK=block
        ),
    }
