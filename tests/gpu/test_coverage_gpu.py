"""Counting on the GPU, against arithmetic."""

from dataclasses import replace

import pytest

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.gpu

KERNELS = """
import torch, triton, triton.language as tl

@triton.jit
def copy(src, dst, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(dst + offsets, tl.load(src + offsets))

@triton.jit
def copy_masked(src, dst, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(dst + offsets, tl.load(src + offsets, mask=offsets < n), mask=offsets < n)

@triton.jit
def wild(src, dst, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(src + offsets.to(tl.int64) * 1000000000)
    tl.store(dst + offsets - 3, value)

@triton.jit
def before(dst, BLOCK: tl.constexpr):
    tl.store(dst + tl.arange(0, BLOCK) - 5, 1.0)

@triton.jit
def rows(src, dst, rows, columns, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    value = tl.load(src + row * stride + offsets, mask=offsets < columns)
    tl.store(dst + row * columns + offsets, value, mask=offsets < columns)

@triton.jit
def tile(src, dst, rows, columns, step, BLOCK: tl.constexpr):
    row, column = tl.arange(0, BLOCK), tl.arange(0, BLOCK)
    places = row[:, None] * step + column[None, :]
    on = (row[:, None] < rows) & (column[None, :] < columns)
    value = tl.load(src + places, mask=on, other=0.0)
    value += tl.load(src + places, mask=on & (row[:, None] < 0), other=0.0)
    value += tl.load(src + 5, mask=tl.program_id(0) == 0, other=0.0)
    tl.store(dst + places, value, mask=on)

@triton.jit
def cube(dst, sx, sy):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    tl.store(dst + x * sx + y * sy + z, 1.0)

@triton.jit
def total(src, dst, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(dst, tl.sum(tl.load(src + offsets, mask=offsets < n, other=0.0)))

@triton.jit
def histogram(src, bins, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(src + offsets, mask=offsets < n, other=0)
    tl.atomic_add(bins + value, 1, mask=offsets < n)

@triton.jit
def lock(flag, counter):
    while tl.atomic_cas(flag, 0, 1) == 1:
        pass
    tl.store(counter, tl.load(counter) + 1)
    tl.atomic_xchg(flag, 0)

@triton.jit
def double(x, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n)
    tl.store(x + offsets, value * 2, mask=offsets < n)

@triton.jit
def same_place(dst, BLOCK: tl.constexpr):
    tl.store(dst + tl.arange(0, BLOCK), tl.program_id(0))

@triton.jit
def blocked(a, c, M, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    source = tl.make_block_ptr(a, (M, N), (N, 1), (pid * BLOCK, 0), (BLOCK, BLOCK), (1, 0))
    target = tl.make_block_ptr(c, (M, N), (N, 1), (pid * BLOCK, 0), (BLOCK, BLOCK), (1, 0))
    for k in range(0, N, BLOCK):
        tl.store(target, tl.load(source, boundary_check=(0, 1)), boundary_check=(0, 1))
        source = tl.advance(source, (0, BLOCK))
        target = tl.advance(target, (0, BLOCK))

@triton.jit
def described(source, target, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    for k in range(0, N, BLOCK):
        target.store([pid * BLOCK, k], source.load([pid * BLOCK, k]))

@triton.jit
def described_here(a, c, M, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    source = tl.make_tensor_descriptor(a, [M, N], [N, 1], [BLOCK, BLOCK])
    target = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BLOCK, BLOCK])
    for k in range(0, N, BLOCK):
        target.store([pid * BLOCK, k], source.load([pid * BLOCK, k]))
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    from tests.engine.coverage_parts import load

    file = tmp_path_factory.mktemp("coverage") / "counted_kernels.py"
    file.write_text(KERNELS)
    return load(file)


def line_of(text):
    return next(number for number, line in enumerate(KERNELS.splitlines(), start=1) if text in line)


def count(call, **knobs):
    from tests.engine.coverage_parts import counted

    return counted(call, **knobs)


def figures(counts, name):
    item = counts.summary().tensor(name)
    return (
        (item.loads.total, item.loads.minimum, item.loads.maximum),
        (item.stores.total, item.stores.minimum, item.stores.maximum),
    )


NEVER = (0, 0, 0)


@pytest.mark.parametrize("size", [98432, 2**26])
def test_vector_add(size):
    from playground.protocol.messages import PlaneView
    from tests.engine.coverage_parts import load

    module = load("vector_add")
    counts, ready = count(lambda: module.add(*module.inputs(size)))
    summary = counts.summary()
    assert summary.mode == "gpu"
    assert figures(counts, "x_ptr") == ((size, 1, 1), NEVER)
    assert figures(counts, "y_ptr") == ((size, 1, 1), NEVER)
    assert figures(counts, "out_ptr") == (NEVER, (size, 1, 1))
    out = summary.tensor("out_ptr")
    assert (out.unwritten, out.multi_written) == (0, 0)
    assert summary.tensor("x_ptr").unwritten is None
    assert summary.bytes_requested == summary.bytes_unique == 12 * size
    assert summary.out_of_bounds == ()
    for index in (0, 1023, 1024, size - 1):
        row, column = divmod(index, counts.plane("x_ptr", "loads", PlaneView()).plane_columns)
        written = counts.element("out_ptr", row, column)
        assert written.owner == index // 1024
        loaded = counts.element("x_ptr", row, column)
        assert (loaded.first_loader, loaded.last_loader) == (index // 1024, index // 1024)
    # The counting copy computes what the kernel computes; a footprint's run, one program of it.
    assert torch.equal(
        ready.arguments["out_ptr"], ready.arguments["x_ptr"] + ready.arguments["y_ptr"]
    )
    foot = counts.footprint(ready, "x_ptr", 7, PlaneView())
    assert (foot.loads, foot.stores) == (1024, 0)
    other = counts.footprint(ready, "out_ptr", 96, PlaneView())
    assert (other.loads, other.stores) == (0, min(1024, size - 96 * 1024))


def test_owners_of_a_vector_are_its_blocks():
    from playground.protocol.messages import PlaneView
    from tests.engine.coverage_parts import load

    module = load("vector_add")
    counts, _ = count(lambda: module.example(98432), BLOCK_SIZE=256)
    plane = counts.plane("out_ptr", "owner", PlaneView())
    expected = torch.arange(98432) // 256
    assert torch.equal(torch.from_numpy(plane.values).reshape(-1)[:98432].long(), expected)


def grouped_owner(pid, tiles_m, tiles_n, group_m):
    in_group = group_m * tiles_n
    group = pid // in_group
    size = min(tiles_m - group * group_m, group_m)
    return group * group_m + (pid % in_group) % size, (pid % in_group) // size


@pytest.mark.parametrize(("n", "blocks"), [(512, (64, 64, 32)), (4096, (128, 128, 64))])
def test_matmul_bf16_in_grouped_order(n, blocks):
    from playground.protocol.messages import PlaneView
    from tests.engine.coverage_parts import load

    module = load("matmul")
    m, k_block = blocks[0], blocks[2]
    counts, ready = count(
        lambda: module.matmul(*module.inputs(n, n, n, torch.bfloat16)),
        BLOCK_M=m, BLOCK_N=blocks[1], BLOCK_K=k_block, GROUP_M=8, num_warps=8, num_stages=3,
    )  # fmt: skip
    tiles = n // m
    assert figures(counts, "a_ptr") == ((n * n * tiles, tiles, tiles), NEVER)
    assert figures(counts, "b_ptr") == ((n * n * tiles, tiles, tiles), NEVER)
    assert figures(counts, "c_ptr") == (NEVER, (n * n, 1, 1))
    assert counts.summary().flops == 2 * n**3
    assert counts.summary().flops_by_kind == (("bf16", 2 * n**3),)
    assert counts.summary().bytes_requested == 2 * n * n * (2 * tiles + 1)
    assert counts.summary().tensor("c_ptr").multi_written == 0
    owner = counts.plane("c_ptr", "owner", PlaneView(max_rows=n, max_columns=n)).values
    for pid in range(tiles * tiles):
        row, column = grouped_owner(pid, tiles, tiles, 8)
        tile = owner[row * m : (row + 1) * m, column * m : (column + 1) * m]
        assert (tile == pid).all()
    first = [pid for pid in range(tiles * tiles) if grouped_owner(pid, tiles, tiles, 8)[0] == 1]
    cell = counts.element("a_ptr", m + 3, 5)
    assert (cell.first_loader, cell.last_loader) == (min(first), max(first))
    foot = counts.footprint(ready, "a_ptr", 0, PlaneView())
    assert (foot.loads, foot.stores) == (m * n, 0)


def test_matmul_with_ragged_edges_and_transposed_input():
    from tests.engine.coverage_parts import load

    module = load("matmul")

    def call():
        a, b = module.inputs(1000, 777, 333, torch.float16)
        return module.matmul(a, b.t().contiguous().t())

    counts, _ = count(call)
    assert figures(counts, "a_ptr") == ((1000 * 333 * 13, 13, 13), NEVER)
    assert figures(counts, "b_ptr") == ((333 * 777 * 16, 16, 16), NEVER)
    assert figures(counts, "c_ptr") == (NEVER, (1000 * 777, 1, 1))
    assert counts.summary().flops == 2 * (16 * 64) * (13 * 64) * (11 * 32)


def test_softmax():
    from tests.engine.coverage_parts import load

    counts, _ = count(lambda: load("softmax").example())
    written = [item for item in counts.summary().tensors if item.stores.total]
    read = [item for item in counts.summary().tensors if item.loads.total]
    assert (len(written), len(read)) == (1, 1)
    assert written[0].stores.total == written[0].elements
    assert (written[0].unwritten, written[0].multi_written) == (0, 0)
    assert (read[0].loads.minimum, read[0].loads.maximum) == (1, 1)


def test_strided_views(kernels):
    big = torch.zeros(100, 512, device="cuda")
    view = big[:, 100:300]
    counts, _ = count(
        lambda: kernels.rows[(100,)](
            view, torch.empty(100, 200, device="cuda"), 100, 200, 512, BLOCK=256
        )
    )
    assert figures(counts, "src") == ((20000, 1, 1), NEVER)
    assert figures(counts, "dst") == (NEVER, (20000, 1, 1))


def test_a_missing_mask_is_reported_and_does_not_fault(kernels):
    x = torch.arange(1000, dtype=torch.float32, device="cuda")
    # Inside a larger block of memory, so that the launch itself does not fault either.
    room = torch.zeros(4096, device="cuda")
    counts, ready = count(lambda: kernels.copy[(4,)](x, torch.empty_like(x), 1000, BLOCK=256))
    del room
    records = sorted(counts.summary().out_of_bounds, key=lambda item: item.kind)
    assert [(item.kind, item.program, item.lanes, item.distance) for item in records] == [
        ("load", 3, 24, 1), ("store", 3, 24, 1),
    ]  # fmt: skip
    assert {item.line for item in records} == {line_of("tl.store(dst + offsets, tl.load(src + off")}
    assert {item.file.rsplit("/", 1)[-1] for item in records} == {"counted_kernels.py"}
    assert figures(counts, "src") == ((1000, 1, 1), NEVER)
    assert figures(counts, "dst") == (NEVER, (1000, 1, 1))
    assert torch.equal(ready.arguments["dst"], x)
    assert counts.summary().tensor("src").out_of_bounds in (0, 24)


def test_lanes_before_the_start_are_negative(kernels):
    dst = torch.zeros(4096, device="cuda")[1024:2048]
    whole = torch.zeros(64, device="cuda")
    counts, _ = count(lambda: kernels.before[(1,)](whole, BLOCK=16))
    del dst
    (record,) = counts.summary().out_of_bounds
    assert (record.tensor, record.kind, record.lanes, record.distance) == ("dst", "store", 5, -1)
    assert figures(counts, "dst")[1] == (11, 0, 1)


def test_wild_addresses_do_not_fault(kernels):
    """Not launched on its own: the capture would poison the context. Only the copy runs."""
    from playground.engine.coverage import count as count_prepared
    from tests.engine.coverage_parts import captured, prepared

    x = torch.ones(1024, device="cuda")
    launch = captured(lambda: kernels.copy_masked[(4,)](x, torch.empty_like(x), 1024, BLOCK=256))[0]
    launch.function = kernels.wild
    counts = count_prepared(prepared(launch))
    torch.cuda.synchronize()
    assert figures(counts, "src") == ((1, 0, 1), NEVER)
    assert counts.summary().tensor("dst").stores.total == 1021
    lanes = {item.kind: item.lanes for item in counts.summary().out_of_bounds}
    assert lanes == {"load": 1023, "store": 3}


def test_grids_of_two_and_three_dimensions(kernels):
    from playground.protocol.messages import PlaneView

    dst = torch.empty(5, 6, 7, device="cuda")
    counts, _ = count(lambda: kernels.cube[(5, 6, 7)](dst, 42, 7))
    assert figures(counts, "dst") == (NEVER, (210, 1, 1))
    for x in range(5):
        plane = counts.plane("dst", "owner", PlaneView(slices=(x,))).values.tolist()
        assert plane == [[x + 5 * (y + 6 * z) for z in range(7)] for y in range(6)]


def test_atomics(kernels):
    x = torch.ones(1000, device="cuda")
    counts, _ = count(
        lambda: kernels.total[(4,)](x, torch.zeros(1, device="cuda"), 1000, BLOCK=256)
    )
    assert figures(counts, "dst") == ((4, 4, 4), (4, 4, 4))
    assert counts.summary().tensor("dst").multi_written == 1
    values = torch.randint(0, 10, (5000,), device="cuda")
    bins = torch.zeros(10, dtype=torch.int32, device="cuda")
    counts, ready = count(lambda: kernels.histogram[(5,)](values, bins, 5000, BLOCK=1024))
    expected = torch.bincount(values, minlength=10)
    stores = [counts.element("bins", 0, column).stores for column in range(10)]
    assert stores == expected.tolist()
    assert ready.arguments["bins"].tolist() == expected.tolist()


def test_compare_and_swap_in_a_loop(kernels):
    flag = torch.zeros(1, dtype=torch.int32, device="cuda")
    counts, ready = count(lambda: kernels.lock[(8,)](flag, torch.zeros_like(flag)))
    assert ready.arguments["counter"].item() == 8
    assert figures(counts, "counter") == ((8, 8, 8), (8, 8, 8))
    assert figures(counts, "flag")[1][0] >= 16


def test_in_place_and_two_arguments_on_one_storage(kernels):
    x = torch.ones(1000, device="cuda")
    counts, ready = count(lambda: kernels.double[(4,)](x, 1000, BLOCK=256))
    assert figures(counts, "x") == ((1000, 1, 1), (1000, 1, 1))
    assert ready.arguments["x"].unique().tolist() == [2.0]
    both = torch.ones(1000, device="cuda")
    counts, _ = count(lambda: kernels.copy_masked[(2,)](both[:500], both[500:], 500, BLOCK=256))
    assert figures(counts, "src") == ((500, 1, 1), NEVER)
    assert figures(counts, "dst") == (NEVER, (500, 1, 1))


def test_races_and_holes(kernels):
    dst = torch.zeros(512, dtype=torch.int32, device="cuda")
    counts, _ = count(lambda: kernels.same_place[(9,)](dst, BLOCK=256))
    item = counts.summary().tensor("dst")
    assert (item.unwritten, item.multi_written) == (256, 256)
    assert counts.element("dst", 0, 0).owner == 8
    assert counts.element("dst", 0, 0).multi_written


def test_elements_of_several_sizes(kernels):
    src = torch.ones(1000, dtype=torch.float16, device="cuda")
    dst = torch.empty(1000, dtype=torch.float64, device="cuda")
    counts, _ = count(lambda: kernels.copy_masked[(4,)](src, dst, 1000, BLOCK=256))
    assert figures(counts, "src") == ((1000, 1, 1), NEVER)
    assert figures(counts, "dst") == (NEVER, (1000, 1, 1))
    assert counts.summary().bytes_requested == 1000 * (2 + 8)
    keep = torch.ones(1000, dtype=torch.bool, device="cuda")
    counts, _ = count(
        lambda: kernels.copy_masked[(4,)](keep, torch.empty_like(keep), 1000, BLOCK=256)
    )
    assert figures(counts, "dst") == (NEVER, (1000, 1, 1))


def test_block_pointers(kernels):
    import inspect

    import triton.language as tl

    if "boundary_check" not in inspect.signature(tl.load).parameters:
        pytest.skip("this Triton has no block pointers")
    a = torch.randn(100, 200, device="cuda")
    counts, ready = count(lambda: kernels.blocked[(4,)](a, torch.empty_like(a), 100, 200, BLOCK=32))
    assert figures(counts, "a") == ((20000, 1, 1), NEVER)
    assert figures(counts, "c") == (NEVER, (20000, 1, 1))
    assert torch.equal(ready.arguments["c"], a)


def test_tensor_descriptors(kernels):
    import triton
    from triton.tools.tensor_descriptor import TensorDescriptor

    a = torch.randn(100, 256, device="cuda", dtype=torch.float16)
    c = torch.empty_like(a)
    counts, ready = count(
        lambda: kernels.described[(4,)](
            TensorDescriptor.from_tensor(a, [32, 32]), TensorDescriptor.from_tensor(c, [32, 32]),
            256, BLOCK=32,
        )
    )  # fmt: skip
    assert figures(counts, "source") == ((25600, 1, 1), NEVER)
    assert figures(counts, "target") == (NEVER, (25600, 1, 1))
    assert torch.equal(ready.arguments["target"].base, a)
    triton.set_allocator(
        lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cuda")
    )
    counts, ready = count(lambda: kernels.described_here[(4,)](a, c, 100, 256, BLOCK=32))
    assert figures(counts, "a") == ((25600, 1, 1), NEVER)
    assert figures(counts, "c") == (NEVER, (25600, 1, 1))


def test_windows_give_the_same_counts(kernels):
    from playground.engine.coverage import count as count_prepared
    from tests.engine.coverage_parts import captured, prepared

    x = torch.ones(300_000, device="cuda")
    ready = prepared(
        captured(lambda: kernels.copy[(1172,)](x, torch.empty_like(x), 300_000, BLOCK=256))[0]
    )
    whole = count_prepared(ready)
    pieces = count_prepared(ready, budget_bytes=1)
    assert "runs" in pieces.summary().resolution
    # Values are only compared where all counters are on the GPU at once.
    known = [replace(item, disputed=None) for item in whole.summary().tensors]
    assert list(pieces.summary().tensors) == known
    assert pieces.summary().out_of_bounds == whole.summary().out_of_bounds
    assert [site.active for site in pieces.summary().sites] == [300_032, 300_032]
    assert not pieces.loaders_known


@pytest.mark.parametrize("budget_bytes", [None, 1])
def test_lanes_that_a_mask_switches_off_are_told_exactly(kernels, budget_bytes):
    from playground.engine.coverage import count as count_prepared
    from tests.engine.coverage_parts import captured, prepared

    rows, columns, step = 100, 70, 8192  # rows lie a power of two apart
    src = torch.ones(256 * step, device="cuda")
    dst = torch.zeros(256 * step, device="cuda")
    ready = prepared(
        captured(lambda: kernels.tile[(3,)](src, dst, rows, columns, step, BLOCK=128))[0]
    )
    counts = count_prepared(ready, budget_bytes=budget_bytes)
    asked = {(site.kind, site.lanes, site.active) for site in counts.summary().sites}
    lanes = 3 * 128 * 128
    assert asked == {
        ("load", lanes, 3 * rows * columns),  # a block
        ("load", lanes, 0),  # nothing of it
        ("load", 3, 1),  # a scalar, by the first program only
        ("store", lanes, 3 * rows * columns),
    }
    if budget_bytes is None:
        assert counts.summary().sites[0].bytes_requested == 4 * 3 * rows * columns
    assert counts.summary().tensor("src").loads.total == 3 * rows * columns + 1
    assert counts.summary().tensor("dst").stores.total == 3 * rows * columns


def test_loaders_are_found_when_they_are_asked_for(kernels):
    from playground.engine.counter_layout import PROGRAM_LIMIT
    from playground.engine.coverage import count as count_prepared
    from tests.engine.coverage_parts import captured, prepared

    x = torch.ones(5000, device="cuda")
    ready = prepared(
        captured(lambda: kernels.copy_masked[(5,)](x, torch.empty_like(x), 5000, BLOCK=1024))[0]
    )
    counts = count_prepared(ready)
    assert not counts.loaders_known
    counts.know_loaders(ready)
    view = counts.layout.tensor("src")
    for index in (0, 1023, 1024, 4999):
        cell = view.offset + index
        assert int(counts.cells.loader_last[cell]) - 1 == index // 1024
        assert PROGRAM_LIMIT - int(counts.cells.loader_first[cell]) == index // 1024


def test_a_look_at_few_programs_tells_the_totals_of_all():
    # More than a million lanes: programs that are not looked at leave at once, for no program
    # reads what another stores.
    from tests.engine.coverage_parts import load

    module = load("vector_add")
    size = 3 * 2**20 + 77
    counts, _ = count(lambda: module.add(*module.inputs(size)))
    sites = counts.summary().sites
    assert [site.kind for site in sites] == ["load", "load", "store"]
    for site in sites:
        assert (site.active, site.bytes_requested) == (size, 4 * size)
        assert site.sampled
        assert site.executions > 0
        assert site.sectors == site.sectors_least > 0


def test_a_launch_that_loads_what_it_stores_runs_as_a_whole(kernels):
    size = 2**20 + 5
    x = torch.ones(size, device="cuda")
    counts, _ = count(lambda: kernels.double[(1025,)](x, size, BLOCK=1024))
    summary = counts.summary()
    assert [(site.kind, site.active, site.sampled) for site in summary.sites] == [
        ("load", size, True), ("store", size, True),
    ]  # fmt: skip
    assert summary.hazards == ()  # each program has its own elements
    assert summary.tensor("x").disputed == 0


def test_another_schedule_needs_no_compile(kernels):
    from playground.engine.coverage import count as count_prepared
    from playground.engine.triton_private import tracing_runs
    from tests.engine.coverage_parts import captured, prepared

    x = torch.ones(5000, device="cuda")
    launch = captured(lambda: kernels.copy_masked[(5,)](x, torch.empty_like(x), 5000, BLOCK=1024))[
        0
    ]
    first = count_prepared(prepared(launch))
    compiled = len(tracing_runs._copies)
    again = count_prepared(prepared(launch, num_warps=2, num_stages=1))
    assert len(tracing_runs._copies) == compiled
    assert again.summary().tensors == first.summary().tensors


def test_the_normal_kernel_is_not_touched(kernels):
    from triton.compiler import code_generator, compiler

    x = torch.ones(5000, device="cuda")
    launch = lambda: kernels.double[(5,)](x, 5000, BLOCK=1024)  # noqa: E731
    before = launch().hash
    exchanged = code_generator.CodeGenerator, compiler.get_cache_manager
    count(launch)
    assert launch().hash == before
    assert (code_generator.CodeGenerator, compiler.get_cache_manager) == exchanged


def test_pictures_of_a_large_matrix_are_quick():
    from playground.protocol.messages import PlaneView
    from tests.engine.coverage_parts import load

    module = load("matmul")
    counts, _ = count(
        lambda: module.matmul(*module.inputs(2048, 2048, 64, torch.float16)), BLOCK_M=128
    )
    plane = counts.plane("c_ptr", "stores", PlaneView(max_rows=512, max_columns=512))
    assert plane.values.shape == (512, 512)
    assert (plane.values == 1).all()
    assert (plane.flags == 0).all()
