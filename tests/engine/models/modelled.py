"""Kernels of every kind of access, each with a model that lists its accesses in plain NumPy.

A case returns its call and its model: `touch(kind, tensor, index arrays, program)` is called for
every access of every program, with the indices written out by hand from what the kernel is for.
Every case runs in the interpreter as well as on a GPU, so sizes are small.
"""

import itertools

import numpy as np
import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def ones(*shape, dtype=torch.float32):
    return torch.ones(*shape, dtype=dtype, device=DEVICE)


def empty(*shape, dtype=torch.float32):
    return torch.empty(*shape, dtype=dtype, device=DEVICE)


def blocks(n, block):
    """Yield each block's number and its elements inside 0 to n."""
    for number in range(-(-n // block)):
        yield number, np.arange(number * block, min((number + 1) * block, n))


CASES = {}


def case(make):
    """Register a case under its function's name."""
    CASES[make.__name__] = make
    return make


# ------------------------------------------------------------------- elementwise


@triton.jit
def k_copy(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offsets, tl.load(x + offsets, mask=offsets < n), mask=offsets < n)


@case
def masked_copy():
    def model(touch):
        for pid, i in blocks(1000, 128):
            touch("load", "x", (i,), pid)
            touch("store", "out", (i,), pid)

    return lambda: k_copy[(8,)](ones(1000), empty(1000), 1000, BLOCK=128), model


@case
def copy_of_small_elements():
    def model(touch):
        for pid, i in blocks(777, 64):
            touch("load", "x", (i,), pid)
            touch("store", "out", (i,), pid)

    return lambda: k_copy[(13,)](
        ones(777, dtype=torch.float16), empty(777, dtype=torch.float64), 777, BLOCK=64
    ), model


@triton.jit
def k_whole(x, out, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offsets, tl.load(x + offsets) + 1)


@case
def unmasked_copy():
    def model(touch):
        for pid, i in blocks(512, 64):
            touch("load", "x", (i,), pid)
            touch("store", "out", (i,), pid)

    return lambda: k_whole[(8,)](ones(512), empty(512), BLOCK=64), model


@triton.jit
def k_scalar(x, out):
    pid = tl.program_id(0)
    tl.store(out + pid, tl.load(x) + tl.load(x + pid))


@case
def scalars():
    def model(touch):
        for pid in range(9):
            touch("load", "x", ([0],), pid)
            touch("load", "x", ([pid],), pid)
            touch("store", "out", ([pid],), pid)

    return lambda: k_scalar[(9,)](ones(9), empty(9)), model


@triton.jit
def k_in_place(x, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + offsets, tl.load(x + offsets, mask=offsets < n) * 2, mask=offsets < n)


@case
def in_place():
    def model(touch):
        for pid, i in blocks(300, 128):
            touch("load", "x", (i,), pid)
            touch("store", "x", (i,), pid)

    return lambda: k_in_place[(3,)](ones(300), 300, BLOCK=128), model


# ------------------------------------------------------------------- strides and views


@triton.jit
def k_rows(x, out, m, n, sx0, sx1, so0, so1, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BN + tl.arange(0, BN)
    keep = (r[:, None] < m) & (c[None, :] < n)
    value = tl.load(x + r[:, None] * sx0 + c[None, :] * sx1, mask=keep)
    tl.store(out + r[:, None] * so0 + c[None, :] * so1, value, mask=keep)


def tile_model(m, n, bm, bn):
    def model(touch):
        for (i, r), (j, c) in itertools.product(blocks(m, bm), blocks(n, bn)):
            pid = i + j * -(-m // bm)
            touch("load", "x", np.meshgrid(r, c, indexing="ij"), pid)
            touch("store", "out", np.meshgrid(r, c, indexing="ij"), pid)

    return model


def tiled(x, out, m, n):
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 32))
    return lambda: k_rows[grid](x, out, m, n, *x.stride(), *out.stride(), BM=16, BN=32)


@case
def ragged_tiles():
    return tiled(ones(50, 70), empty(50, 70), 50, 70), tile_model(50, 70, 16, 32)


@case
def non_contiguous_rows():
    return tiled(ones(40, 100)[:, 20:84], empty(40, 64), 40, 64), tile_model(40, 64, 16, 32)


@case
def every_second_row():
    return tiled(ones(80, 64)[::2], empty(40, 64), 40, 64), tile_model(40, 64, 16, 32)


@case
def transposed_input():
    return tiled(ones(64, 48).t(), empty(48, 64), 48, 64), tile_model(48, 64, 16, 32)


@case
def transposed_output():
    return tiled(ones(48, 64), empty(64, 48).t(), 48, 64), tile_model(48, 64, 16, 32)


@case
def storage_offset():
    room = ones(200 + 32 * 32)
    x = room[100 : 100 + 32 * 32].view(32, 32)
    return tiled(x, empty(32, 32), 32, 32), tile_model(32, 32, 16, 32)


@case
def broadcast_rows():
    # Each row of the view is the same memory: one element stands for 32.
    x = ones(1, 64).expand(32, 64)

    def model(touch):
        for (i, r), (j, c) in itertools.product(blocks(32, 16), blocks(64, 32)):
            pid = i + j * 2
            touch("load", "x", np.meshgrid(r, c, indexing="ij"), pid)
            touch("store", "out", np.meshgrid(r, c, indexing="ij"), pid)

    return tiled(x, empty(32, 64), 32, 64), model


@case
def two_views_of_one_storage():
    room = ones(64, 64)
    return tiled(room[:, :32], room[:, 32:], 64, 32), tile_model(64, 32, 16, 32)


# ------------------------------------------------------------------- grids


@triton.jit
def k_cube(x, out, s0, s1, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * s0 + tl.program_id(1) * s1 + tl.program_id(2) * BLOCK
    offsets = tl.arange(0, BLOCK)
    keep = tl.program_id(2) * BLOCK + offsets < n
    tl.store(out + at + offsets, tl.load(x + at + offsets, mask=keep), mask=keep)


@case
def grid_of_three_dimensions():
    a, b, n = 3, 4, 20

    def model(touch):
        for i, j in itertools.product(range(a), range(b)):
            for k, c in blocks(n, 8):
                pid = i + a * (j + b * k)
                at = (np.full(c.shape, i), np.full(c.shape, j), c)
                touch("load", "x", at, pid)
                touch("store", "out", at, pid)

    return lambda: k_cube[(a, b, 3)](ones(a, b, n), empty(a, b, n), b * n, n, n, BLOCK=8), model


@triton.jit
def k_persistent(x, out, n, programs, BLOCK: tl.constexpr):
    for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), programs):
        offsets = block * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + offsets, tl.load(x + offsets, mask=offsets < n), mask=offsets < n)


@case
def persistent_programs():
    def model(touch):
        for block, i in blocks(1000, 64):
            touch("load", "x", (i,), block % 3)
            touch("store", "out", (i,), block % 3)

    return lambda: k_persistent[(3,)](ones(1000), empty(1000), 1000, 3, BLOCK=64), model


@triton.jit
def k_swizzled(x, out, m, n, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    i, j = tl.swizzle2d(tl.program_id(0), tl.program_id(1), m // BM, n // BN, GROUP)
    at = (i * BM + tl.arange(0, BM))[:, None] * n + (j * BN + tl.arange(0, BN))[None, :]
    tl.store(out + at, tl.load(x + at))


@case
def swizzled_tiles():
    # Groups of 2 rows of tiles, walked down each column: program (i, j) counts i * 3 + j.
    def model(touch):
        for i, j in itertools.product(range(4), range(3)):
            order = i * 3 + j
            group, within = divmod(order, 2 * 3)
            row, column = group * 2 + within % 2, within // 2
            at = np.meshgrid(row * 8 + np.arange(8), column * 16 + np.arange(16), indexing="ij")
            touch("load", "x", at, i + 4 * j)
            touch("store", "out", at, i + 4 * j)

    return lambda: k_swizzled[(4, 3)](
        ones(32, 48), empty(32, 48), 32, 48, BM=8, BN=16, GROUP=2
    ), model


# ------------------------------------------------------------------- loops and matrices


@triton.jit
def k_matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    s = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(
            a + r[:, None] * K + k[None, :], mask=(r[:, None] < M) & (k[None, :] < K), other=0.0
        )
        y = tl.load(
            b + k[:, None] * N + s[None, :], mask=(k[:, None] < K) & (s[None, :] < N), other=0.0
        )
        total = tl.dot(x, y, total)
    tl.store(c + r[:, None] * N + s[None, :], total, mask=(r[:, None] < M) & (s[None, :] < N))


@case
def ragged_matmul():
    m, n, k, b = 40, 50, 70, 16

    def model(touch):
        for (i, r), (j, s) in itertools.product(blocks(m, b), blocks(n, b)):
            pid = i + j * -(-m // b)
            for _, q in blocks(k, b):
                touch("load", "a", np.meshgrid(r, q, indexing="ij"), pid)
                touch("load", "b", np.meshgrid(q, s, indexing="ij"), pid)
            touch("store", "c", np.meshgrid(r, s, indexing="ij"), pid)

    half = torch.float16
    return lambda: k_matmul[(3, 4)](
        ones(m, k, dtype=half), ones(k, n, dtype=half), empty(m, n), m, n, k, BM=b, BN=b, BK=b
    ), model


@triton.jit
def k_split_k(a, out, n, span, BLOCK: tl.constexpr):
    row, part = tl.program_id(0), tl.program_id(1)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(part * span, (part + 1) * span, BLOCK):
        c = start + tl.arange(0, BLOCK)
        total += tl.load(a + row * n + c, mask=c < n, other=0.0)
    tl.atomic_add(out + row, tl.sum(total))


@case
def split_k_by_atomics():
    def model(touch):
        for row, part in itertools.product(range(6), range(4)):
            pid = row + 6 * part
            for start in range(part * 32, (part + 1) * 32, 16):
                c = np.arange(start, min(start + 16, 120))
                c = c[c < 120]
                touch("load", "a", (np.full(c.shape, row), c), pid)
            touch("atomic", "out", ([row],), pid)

    return lambda: k_split_k[(6, 4)](
        ones(6, 120), torch.zeros(6, device=DEVICE), 120, 32, BLOCK=16
    ), model


@triton.jit
def k_while(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = 0
    total = 0.0
    while at < n:
        if at < row * BLOCK:
            total += tl.sum(tl.load(x + at + tl.arange(0, BLOCK)))
        at += BLOCK
    tl.store(out + row, total)


@case
def a_while_loop_with_a_branch():
    def model(touch):
        for row in range(5):
            for start in range(0, min(64, row * 16), 16):
                touch("load", "x", (np.arange(start, start + 16),), row)
            touch("store", "out", ([row],), row)

    return lambda: k_while[(5,)](ones(64), empty(5), 64, BLOCK=16), model


@triton.jit
def k_softmax(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    value = tl.load(x + row * n + c, mask=c < n, other=-float("inf"))
    value = tl.exp(value - tl.max(value, 0))
    tl.store(out + row * n + c, value / tl.sum(value, 0), mask=c < n)


@case
def softmax_of_ragged_rows():
    def model(touch):
        for row in range(12):
            at = (np.full(50, row), np.arange(50))
            touch("load", "x", at, row)
            touch("store", "out", at, row)

    return lambda: k_softmax[(12,)](ones(12, 50), empty(12, 50), 50, BLOCK=64), model


@triton.jit
def k_stencil(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = tl.load(x + i - 1, mask=(i > 0) & (i < n), other=0.0)
    here = tl.load(x + i, mask=i < n, other=0.0)
    right = tl.load(x + i + 1, mask=i + 1 < n, other=0.0)
    tl.store(out + i, left + here + right, mask=i < n)


@case
def stencil():
    def model(touch):
        for pid, i in blocks(500, 128):
            touch("load", "x", (i[i > 0] - 1,), pid)
            touch("load", "x", (i,), pid)
            touch("load", "x", (i[i + 1 < 500] + 1,), pid)
            touch("store", "out", (i,), pid)

    return lambda: k_stencil[(4,)](ones(500), empty(500), 500, BLOCK=128), model


# ------------------------------------------------------------------- indices in memory, atomics

INDEX = np.random.default_rng(7).permutation(200)[:150]


@triton.jit
def k_gather(table, index, out, n, width, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    row = tl.load(index + i)
    c = tl.arange(0, BLOCK)
    tl.store(out + i * width + c, tl.load(table + row * width + c, mask=c < width), mask=c < width)


@case
def gather_of_rows():
    index = torch.tensor(INDEX[:20] % 30, dtype=torch.int32, device=DEVICE)

    def model(touch):
        for i in range(20):
            c = np.arange(12)
            touch("load", "index", ([i],), i)
            touch("load", "table", (np.full(12, INDEX[i] % 30), c), i)
            touch("store", "out", (np.full(12, i), c), i)

    return lambda: k_gather[(20,)](ones(30, 12), index, empty(20, 12), 20, 12, BLOCK=16), model


@triton.jit
def k_scatter(x, index, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = tl.load(index + i, mask=i < n, other=0)
    tl.store(out + at, tl.load(x + i, mask=i < n), mask=i < n)


@case
def scatter():
    index = torch.tensor(INDEX, dtype=torch.int64, device=DEVICE)

    def model(touch):
        for pid, i in blocks(150, 64):
            touch("load", "index", (i,), pid)
            touch("load", "x", (i,), pid)
            touch("store", "out", (INDEX[i],), pid)

    return lambda: k_scatter[(3,)](ones(150), index, empty(200), 150, BLOCK=64), model


@triton.jit
def k_histogram(x, bins, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(bins + tl.load(x + i, mask=i < n, other=0), 1, mask=i < n)


@case
def histogram():
    values = torch.tensor(INDEX % 10, dtype=torch.int32, device=DEVICE)

    def model(touch):
        for pid, i in blocks(150, 64):
            touch("load", "x", (i,), pid)
            touch("atomic", "bins", (INDEX[i] % 10,), pid)

    return lambda: k_histogram[(3,)](
        values, torch.zeros(10, dtype=torch.int32, device=DEVICE), 150, BLOCK=64
    ), model


@triton.jit
def k_atomics(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_max(x + i, 3, mask=i < n)
    tl.atomic_min(x + i, 3, mask=i < n)
    tl.atomic_and(x + i, 1, mask=i < n)
    tl.atomic_or(x + i, 1, mask=i < n)
    tl.atomic_xor(x + i, 1, mask=i < n)
    tl.atomic_xchg(y + tl.program_id(0), 1)
    tl.atomic_cas(y, 5, 6)


@case
def every_atomic():
    def model(touch):
        for pid, i in blocks(100, 64):
            for _ in range(5):
                touch("atomic", "x", (i,), pid)
            touch("atomic", "y", ([pid],), pid)
            touch("atomic", "y", ([0],), pid)

    whole = torch.int32
    return lambda: k_atomics[(2,)](
        ones(100, dtype=whole), ones(2, dtype=whole), 100, BLOCK=64
    ), model


# ------------------------------------------------------------------- helpers


@triton.jit
def fetch(pointer, offsets, n):
    return tl.load(pointer + offsets, mask=offsets < n, other=0.0)


@triton.jit
def twice(pointer, offsets, n):
    return fetch(pointer, offsets, n) + fetch(pointer, n - 1 - offsets, n)


@triton.jit
def k_nested(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, twice(x, i, n), mask=i < n)


@case
def nested_helpers():
    # A block divides the size: the mirrored offsets stay inside.
    def model(touch):
        for pid, i in blocks(256, 64):
            touch("load", "x", (i,), pid)
            touch("load", "x", (255 - i,), pid)
            touch("store", "out", (i,), pid)

    return lambda: k_nested[(4,)](ones(256), empty(256), 256, BLOCK=64), model


@triton.jit(noinline=True)
def move_block(x, out, start, n):
    offsets = start + tl.arange(0, 64)
    tl.store(out + offsets, tl.load(x + offsets, mask=offsets < n), mask=offsets < n)


@triton.jit
def k_noinline(x, out, n):
    move_block(x, out, tl.program_id(0) * 128, n)
    move_block(x, out, tl.program_id(0) * 128 + 64, n)


@case
def noinline_helper():
    def model(touch):
        for block, i in blocks(300, 64):
            touch("load", "x", (i,), block // 2)
            touch("store", "out", (i,), block // 2)

    return lambda: k_noinline[(3,)](ones(300), empty(300), 300), model


# ------------------------------------------------------------------- offsets of 64 bits


@triton.jit
def k_wide(x, out, far, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    base = x - far.to(tl.int64) * 3
    tl.store(out + i, tl.load(base + i + far.to(tl.int64) * 3))


@case
def offsets_of_64_bits():
    def model(touch):
        for pid, i in blocks(128, 32):
            touch("load", "x", (i,), pid)
            touch("store", "out", (i,), pid)

    return lambda: k_wide[(4,)](ones(128), empty(128), 2_000_000_000, BLOCK=32), model


# ------------------------------------------------------------------- block pointers, descriptors

HAS_BLOCK_POINTERS = (
    "boundary_check" in tl.load.signature.parameters
    if hasattr(tl.load, "signature")
    else "boundary_check" in __import__("inspect").signature(tl.load).parameters
)

if HAS_BLOCK_POINTERS:

    @triton.jit
    def k_block_pointer(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
        row = tl.program_id(0) * BM
        source = tl.make_block_ptr(x, (M, N), (N, 1), (row, 0), (BM, BN), (1, 0))
        target = tl.make_block_ptr(out, (M, N), (N, 1), (row, 0), (BM, BN), (1, 0))
        for _ in range(0, N, BN):
            value = tl.load(source, boundary_check=(0, 1), padding_option="zero")
            tl.store(target, value, boundary_check=(0, 1))
            source = tl.advance(source, (0, BN))
            target = tl.advance(target, (0, BN))

    @case
    def block_pointers():
        def model(touch):
            for (pid, r), (_, c) in itertools.product(blocks(50, 16), blocks(40, 16)):
                touch("load", "x", np.meshgrid(r, c, indexing="ij"), pid)
                touch("store", "out", np.meshgrid(r, c, indexing="ij"), pid)

        return lambda: k_block_pointer[(4,)](
            ones(50, 40), empty(50, 40), 50, 40, BM=16, BN=16
        ), model


@triton.jit
def k_described(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [M, N], [N, 1], [BM, BN])
    target = tl.make_tensor_descriptor(out, [M, N], [N, 1], [BM, BN])
    row = tl.program_id(0) * BM
    for start in range(0, N, BN):
        target.store([row, start], source.load([row, start]))


@case
def descriptors_made_in_the_kernel():
    def model(touch):
        for (pid, r), (_, c) in itertools.product(blocks(50, 16), blocks(64, 16)):
            touch("load", "x", np.meshgrid(r, c, indexing="ij"), pid)
            touch("store", "out", np.meshgrid(r, c, indexing="ij"), pid)

    def call():
        triton.set_allocator(
            lambda size, align, stream: torch.empty(size, dtype=torch.int8, device=DEVICE)
        )
        k_described[(4,)](ones(50, 64), empty(50, 64), 50, 64, BM=16, BN=16)

    return call, model


@triton.jit
def k_host_described(x, out, N, BM: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(0) * BM
    for start in range(0, N, BN):
        out.store([row, start], x.load([row, start]))


@case
def descriptors_from_the_host():
    from triton.tools.tensor_descriptor import TensorDescriptor

    def model(touch):
        for (pid, r), (_, c) in itertools.product(blocks(50, 16), blocks(64, 16)):
            touch("load", "x", np.meshgrid(r, c, indexing="ij"), pid)
            touch("store", "out", np.meshgrid(r, c, indexing="ij"), pid)

    x, out = ones(50, 64), empty(50, 64)
    return lambda: k_host_described[(4,)](
        TensorDescriptor.from_tensor(x, [16, 16]),
        TensorDescriptor.from_tensor(out, [16, 16]),
        64,
        BM=16,
        BN=16,
    ), model


@triton.jit
def k_reduced(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [M, N], [N, 1], [BM, BN])
    target = tl.make_tensor_descriptor(out, [BM, N], [N, 1], [BM, BN])
    column = tl.program_id(1) * BN
    target.atomic_add([0, column], source.load([tl.program_id(0) * BM, column]))


@case
def descriptor_reduction():
    def model(touch):
        for (i, r), (j, c) in itertools.product(blocks(64, 16), blocks(32, 16)):
            pid = i + 4 * j
            touch("load", "x", np.meshgrid(r, c, indexing="ij"), pid)
            touch("atomic", "out", np.meshgrid(np.arange(16), c, indexing="ij"), pid)

    def call():
        triton.set_allocator(
            lambda size, align, stream: torch.empty(size, dtype=torch.int8, device=DEVICE)
        )
        out = torch.zeros(16, 32, device=DEVICE)
        k_reduced[(4, 2)](ones(64, 32), out, 64, 32, BM=16, BN=16)

    return call, model


# Rows named by indices: GPUs before Blackwell have no such instruction, and refuse the kernel.
if DEVICE == "cpu" or torch.cuda.get_device_capability()[0] >= 10:

    @triton.jit
    def k_rows_by_index(x, out, rows, M, N, BLOCK: tl.constexpr):
        source = tl.make_tensor_descriptor(x, [M, N], [N, 1], [1, BLOCK])
        target = tl.make_tensor_descriptor(out, [M, N], [N, 1], [1, BLOCK])
        at = tl.load(rows + tl.program_id(0) * 8 + tl.arange(0, 8))
        target.scatter(source.gather(at, 0), at, 0)

    @case
    def descriptor_gather_and_scatter():
        chosen = np.random.default_rng(3).permutation(40)[:16]
        rows = torch.tensor(chosen, dtype=torch.int32, device=DEVICE)

        def model(touch):
            for pid in range(2):
                mine = np.arange(pid * 8, pid * 8 + 8)
                at = np.meshgrid(chosen[mine], np.arange(64), indexing="ij")
                touch("load", "rows", (mine,), pid)
                touch("load", "x", at, pid)
                touch("store", "out", at, pid)

        def call():
            triton.set_allocator(
                lambda size, align, stream: torch.empty(size, dtype=torch.int8, device=DEVICE)
            )
            k_rows_by_index[(2,)](ones(40, 64), empty(40, 64), rows, 40, 64, BLOCK=64)

        return call, model
