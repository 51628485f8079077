"""The tracing copy, compiled for a GPU that is not in the machine."""

import re

import pytest

from tests.engine.coverage_parts import in_child

KERNELS = """
import torch, triton, triton.language as tl

@triton.jit
def helper(pointer, offsets, mask):
    return tl.load(pointer + offsets, mask=mask, other=1.0)

@triton.jit
def loads(x, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    a = tl.load(x + offsets)
    b = tl.load(x + offsets, mask=offsets < n)
    c = helper(x, offsets, offsets < n)
    d = tl.load(x)
    tl.store(x + offsets, a + b + c + d)
    tl.store(x, 1.0)

@triton.jit
def looped(x, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    step = 0
    for i in range(0, n):
        total += tl.load(x + i * BLOCK + tl.arange(0, BLOCK))
        if i > 3:
            total += helper(x, tl.arange(0, BLOCK), tl.arange(0, BLOCK) < n)
    while step < n:
        total += tl.load(x + step)
        step += 1
    tl.store(x + tl.arange(0, BLOCK), total)

@triton.jit
def atomics(x, flags, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.atomic_add(x + offsets, 1.0, mask=offsets < n)
    tl.atomic_max(x + offsets, 1.0)
    tl.atomic_xchg(flags, 1)
    tl.atomic_cas(flags, 0, 1)
    tl.atomic_and(flags + offsets, 3)

@triton.jit
def small(mask_ptr, half, wide, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    keep = tl.load(mask_ptr + offsets, mask=offsets < n)
    value = tl.load(half + offsets, mask=keep)
    tl.store(wide + offsets, value.to(tl.float64), mask=keep)

@triton.jit
def dotted(a, b, c, K, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, K, BLOCK):
        x = tl.load(a + i[:, None] * K + k + i[None, :])
        y = tl.load(b + (k + i[:, None]) * BLOCK + i[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + i[:, None] * BLOCK + i[None, :], total)

@triton.jit
def blocked(a, c, M, N, BLOCK: tl.constexpr):
    source = tl.make_block_ptr(a, (M, N), (N, 1), (0, 0), (BLOCK, BLOCK), (1, 0))
    target = tl.make_block_ptr(c, (M, N), (N, 1), (0, 0), (BLOCK, BLOCK), (1, 0))
    for k in range(0, N, BLOCK):
        value = tl.load(source, boundary_check=(0, 1), padding_option="zero")
        tl.store(target, value, boundary_check=(0, 1))
        source = tl.advance(source, (0, BLOCK))
        target = tl.advance(target, (0, BLOCK))

@triton.jit
def device_descriptor(a, c, M, N, BLOCK: tl.constexpr):
    source = tl.make_tensor_descriptor(a, [M, N], [N, 1], [BLOCK, BLOCK])
    target = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BLOCK, BLOCK])
    for k in range(0, N, BLOCK):
        target.store([0, k], source.load([0, k]))
        target.atomic_add([0, k], source.load([0, k]))

@triton.jit
def gathered(a, c, rows, M, N, BLOCK: tl.constexpr):
    source = tl.make_tensor_descriptor(a, [M, N], [N, 1], [1, BLOCK])
    target = tl.make_tensor_descriptor(c, [M, N], [N, 1], [1, BLOCK])
    at = tl.load(rows + tl.arange(0, 8))
    target.scatter(source.gather(at, 0), at, 0)

@triton.jit
def assembled(x, BLOCK: tl.constexpr):
    value = tl.load(x + tl.arange(0, BLOCK))
    value = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=f,f", [value], tl.float32, True, 1)
    tl.store(x + tl.arange(0, BLOCK), value)

@triton.jit
def reduced(x, out, BLOCK: tl.constexpr):
    rows = tl.load(x + tl.arange(0, BLOCK)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :])
    tl.store(out + tl.arange(0, BLOCK), tl.sum(rows, 1) + tl.cumsum(tl.max(rows, 0), 0))
    tl.store(out, tl.argmin(tl.sum(rows, 0), 0))

@triton.jit
def sorted_and_summed(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.sort(tl.load(x + i))
    tl.store(out + i, value + tl.sum(value))

@triton.jit
def arithmetic(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = (n - i) * 2 % 64 + i.to(tl.int64) - 3 + (-i) * (i - n)
    at = tl.where(i < n, at, i // 2) & 255
    pointers = x + 4 - 4 + tl.minimum(at, 255) - 0
    value = tl.load(pointers - 1 + 1, mask=i < n)
    for step in range(2):
        pointers += 1
        value += tl.load(pointers - step)
    tl.store(out - 2 + (2 + i), value - 1.0 * i + value % 2)

@triton.jit
def turned(x, out, n, down, right, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    places = x + i[:, None] * down + i[None, :] * right
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, n):
        total += tl.load(places, mask=i[:, None] < n)
        places += 64
    tl.store(out + i[:, None] * down + i[None, :] * right, total)

@triton.jit
def host_descriptor(source, target, N, BLOCK: tl.constexpr):
    for k in range(0, N, BLOCK):
        target.store([0, k], source.load([0, k]))
"""

COMMON = """
import re, torch
from playground.engine.triton_private.stub_driver import activate_stub
activate_stub("cuda:90")
from playground.engine.triton_private import tracing
from playground.engine.triton_private.tracing_plan import (Plan)
TABLE = 0x7f0012340000
kernels = load(PATH)
f32, f64 = torch.zeros(1024), torch.zeros(1024, dtype=torch.float64)
i32, f16 = torch.zeros(1024, dtype=torch.int32), torch.zeros(1024, dtype=torch.float16)
square = torch.zeros(128, 128, dtype=torch.float16)

def traced(name, units, arguments, descriptors=(), mixed=()):
    plan = Plan(TABLE, tuple(units), tuple(mixed), tuple(descriptors))
    options = {"num_warps": 4, "num_stages": 1}
    kernel = tracing.build(getattr(kernels, name), arguments, options, plan)
    ttir, ptx = kernel.asm["ttir"], kernel.asm["ptx"]
    answer[name] = {
        "sites": [[site.kind, site.line] for site in plan.sites],
        "rmw": ttir.count("tt.atomic_rmw"), "cas": ttir.count("tt.atomic_cas"),
        "descriptors": ttir.count("tt.descriptor") + ttir.count("make_tensor_ptr"),
        "table": ttir.count("tt.load") and str(TABLE) in ttir,
        "waits": plan.waits, "ptx": ptx.count("red.") + ptx.count("atom."), "notes": plan.notes,
        "cubin": len(kernel.asm["cubin"]), "flops": "c65536_i64" in ttir or "65536 : i64" in ttir,
    }
"""


def line_of(text):
    """Return the 1-based line of the kernels' file that holds `text`."""
    return next(number for number, line in enumerate(KERNELS.splitlines(), start=1) if text in line)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """Facts about the tracing copy of each kernel."""
    folder = tmp_path_factory.mktemp("tracing")
    (folder / "traced_kernels.py").write_text(KERNELS)
    return in_child(
        f"PATH = {str(folder / 'traced_kernels.py')!r}\n{COMMON}"
        + """
traced("loads", (4,), dict(x=f32, n=1000, BLOCK=256))
traced("looped", (4,), dict(x=f32, n=1000, BLOCK=256))
traced("atomics", (4, 4), dict(x=f32, flags=i32, n=1000, BLOCK=256))
keep = torch.zeros(1024, dtype=torch.bool)
traced("small", (1, 2, 8), dict(mask_ptr=keep, half=f16, wide=f64, n=1000, BLOCK=256))
traced("dotted", (2, 2, 4), dict(a=square, b=square, c=f32, K=128, BLOCK=32))
traced("device_descriptor", (2, 2), dict(a=square, c=square, M=128, N=128, BLOCK=32))
from triton.tools.tensor_descriptor import TensorDescriptor
desc = TensorDescriptor.from_tensor(square, [32, 32])
both = dict(source=desc, target=desc, N=128, BLOCK=32)
traced("host_descriptor", (2, 2), both, ("source", "target"))
traced("gathered", (2, 2, 4), dict(a=square, c=square, rows=i32, M=128, N=128, BLOCK=64))
traced("assembled", (4,), dict(x=f32, BLOCK=256))
traced("arithmetic", (4, 4), dict(x=f32, out=f32, n=60, BLOCK=64))
from playground.engine.triton_private.tracing_plan import COUNT_OPERATIONS
plan = Plan(TABLE, (4, 4), modes=COUNT_OPERATIONS)
made = tracing.build(kernels.reduced, dict(x=f32, out=f32, BLOCK=32), {"num_warps": 4}, plan)
answer["operations"] = plan.operations
plan = Plan(TABLE, (4, 4), modes=COUNT_OPERATIONS)
tracing.build(kernels.sorted_and_summed, dict(x=f32, out=f32, BLOCK=32), {"num_warps": 4}, plan)
answer["beside_sorting"] = plan.operations
from playground.engine.triton_private.tracing_plan import LEAVE, RECORD, WINDOW
plan = Plan(TABLE, (2, 2, 4), modes=RECORD)
product = dict(a=square, b=square, c=f32, K=128, BLOCK=32)
kept = tracing.build(kernels.dotted, product, {"num_warps": 4, "num_stages": 1}, plan)
answer["leaves"] = [
    str(TABLE + 8 * LEAVE) in kept.asm["ttir"], "cf.cond_br" in kept.asm["ttir"],
    kept.asm["ttir"].count("tt.return"), kept.asm["ttir"].count("tt.dot"),
]
plan = Plan(TABLE, (2, 2, 4), modes=tracing.VARIANTS["count"], choosing=False)
counting = tracing.build(kernels.dotted, product, {"num_warps": 4, "num_stages": 1}, plan)
answer["stays"] = ["cf.cond_br" in counting.asm["ttir"], "scf.if" in counting.asm["ttir"]]
plan = Plan(TABLE, (2, 2, 4), modes=tracing.VARIANTS["chosen"])
chosen = tracing.build(kernels.dotted, product, {"num_warps": 4, "num_stages": 1}, plan)
answer["chosen"] = ["cf.cond_br" in chosen.asm["ttir"], "scf.if" in chosen.asm["ttir"]]
plan = Plan(TABLE, (2, 2, 4), modes=tracing.VARIANTS["windows"], windowed=True, choosing=False)
window = tracing.build(kernels.dotted, product, {"num_warps": 4, "num_stages": 1}, plan)
answer["windowed"] = [
    str(TABLE + 8 * WINDOW) in made.asm["ttir"] for made in (counting, chosen, window)
]
plan = Plan(TABLE, (2, 2, 4), modes=tracing.VARIANTS["count"], narrow=True, choosing=False)
narrow = tracing.build(kernels.dotted, product, {"num_warps": 4, "num_stages": 1}, plan)
wide = lambda made: len(re.findall(r"arith.select .*xi64>", made.asm["ttir"]))
answer["narrow"] = [wide(counting) > 0, wide(narrow), len(narrow.asm["cubin"]) > 0]
answer["same_counters"] = [made.asm["ttir"].count("tt.atomic_rmw") for made in (narrow, counting)]
answer["constants"] = [f" {n} : i64" in made.asm["ttir"] for n in (32 * 31, 31)]
answer["orders"] = {}
for down, right in ((1, 64), (64, 1)):
    plan = Plan(TABLE, (4, 4), modes=tracing.VARIANTS["count"], narrow=True, choosing=False)
    steps = dict(x=f32, out=f32, n=4, down=down, right=right, BLOCK=64)
    made = tracing.build(kernels.turned, steps, {"num_warps": 4, "num_stages": 1}, plan)
    lines = [line for line in made.asm["ttgir"].splitlines() if "64x64x!tt.ptr" in line]
    lines = [line for line in lines if re.search("tt.(load|store|atomic_rmw) ", line)]
    layouts = [re.search("64x64x!tt.ptr<[a-z0-9]+>, (#[a-z0-9]+)>", line)[1] for line in lines]
    named = dict(re.findall("(#[a-z0-9]+) = #ttg.blocked<(.*)>", made.asm["ttgir"]))
    answer["orders"][down] = [named[layout] for layout in sorted(set(layouts))]
plan = Plan(TABLE, (2, 2, 4), adapts_warps=True)
large = dict(a=square, b=square, c=f32, K=128, BLOCK=128)
try:
    tracing.build(kernels.dotted, large, {"num_warps": 4, "num_stages": 1}, plan)
except tracing.MoreWarpsError as more:
    answer["warps"] = more.num_warps
import triton.language as tl, inspect
answer["block_pointers"] = "boundary_check" in inspect.signature(tl.load).parameters
if answer["block_pointers"]:
    traced("blocked", (2, 2), dict(a=square, c=square, M=100, N=128, BLOCK=32))
""",
        interpret=False,
        tmp_path=folder,
    )


# Per access: loads or stores, and first and last program, and three words for lanes outside, and
# how often it is made. Lanes that a mask switches off are counted by the same operations.
LOAD, STORE, ATOMIC = 1 + 2 + 3 + 1, 1 + 2 + 3 + 1, 2 + 2 + 2 + 3 + 1


def test_each_kind_of_load_has_a_site_and_counters(compiled):
    facts = compiled["loads"]
    assert facts["sites"] == [
        ["load", line_of("    a = tl.load(x + offsets)")],
        ["load", line_of("    b = tl.load(")],
        ["load", line_of("    return tl.load(pointer")],
        ["load", line_of("    d = tl.load(x)")],
        ["store", line_of("    tl.store(x + offsets, a + b")],
        ["store", line_of("    tl.store(x, 1.0)")],
    ]
    assert facts["rmw"] == 4 * LOAD + 2 * STORE
    assert facts["table"]
    assert facts["ptx"] > 0
    assert facts["cubin"] > 0


def test_a_loop_body_is_one_site_however_often_the_front_end_visits_it(compiled):
    assert [site[0] for site in compiled["looped"]["sites"]] == ["load", "load", "load", "store"]
    assert compiled["looped"]["rmw"] == 3 * LOAD + STORE


def test_atomics_count_as_reading_and_writing(compiled):
    facts = compiled["atomics"]
    assert [site[0] for site in facts["sites"]] == ["atomic"] * 5
    # atomic_max on floats is two of them, one for each sign; compare-and-swap is its own.
    assert facts["cas"] == 1
    assert facts["rmw"] == 5 * ATOMIC + 1 + 2 + 1 + 1


def test_bool_and_small_and_wide_elements_compile(compiled):
    assert compiled["small"]["rmw"] == 2 * LOAD + STORE


def test_dots_add_their_operations(compiled):
    facts = compiled["dotted"]
    assert facts["rmw"] == 2 * LOAD + STORE + 1
    assert facts["flops"]  # 2 * 32 * 32 * 32


def test_descriptors_become_counted_pointers(compiled):
    facts = compiled["device_descriptor"]
    assert facts["descriptors"] == 0
    assert [site[0] for site in facts["sites"]] == ["load", "store", "load", "atomic"]
    facts = compiled["host_descriptor"]
    assert facts["descriptors"] == 0
    assert [site[0] for site in facts["sites"]] == ["load", "store"]
    assert facts["notes"] == []


def test_rows_gathered_and_scattered_are_counted(compiled):
    facts = compiled["gathered"]
    assert facts["descriptors"] == 0
    assert [site[0] for site in facts["sites"]] == ["load", "load", "store"]


def test_inline_assembly_is_noted_with_its_line(compiled):
    (note,) = compiled["assembled"]["notes"]
    assert f"line {line_of('tl.inline_asm_elementwise')} is not seen" in note


def test_reductions_and_scans_are_told_by_their_names(compiled):
    assert list(compiled["operations"]) == ["sum", "max", "cumsum", "argmin"]
    # 32 by 32 along an axis: 31 steps in each of 32 rows; 31 along a vector.
    assert compiled["constants"] == [True, True]


def test_arithmetic_on_pointers_and_blocks_is_followed_in_all_its_forms(compiled):
    assert [site[0] for site in compiled["arithmetic"]["sites"]] == ["load", "load", "store"]
    assert compiled["arithmetic"]["cubin"] > 0


def test_what_a_sort_reduces_is_not_the_kernels(compiled):
    assert list(compiled["beside_sorting"]) == ["sum"]


def test_copies_that_look_at_some_programs_let_the_others_leave_at_once(compiled):
    # The table's word is asked for; the block that leaves returns, as the kernel does at its end.
    assert compiled["leaves"] == [True, True, 2, 1]
    assert compiled["chosen"] == [True, True]


def test_a_count_of_everything_asks_for_no_mode_and_no_window(compiled):
    assert compiled["stays"] == [False, False]
    assert compiled["windowed"] == [False, False, True]


def test_a_kernel_with_a_while_loop_or_an_atomic_may_wait_for_other_programs(compiled):
    assert compiled["looped"]["waits"] == [line_of("while step < n")] * len(
        compiled["looped"]["waits"]
    )
    assert compiled["looped"]["waits"]
    assert not compiled["loads"]["waits"]


def test_a_narrow_copy_counts_the_same_with_less_arithmetic(compiled):
    assert compiled["narrow"] == [True, 0, True]
    first, second = compiled["same_counters"]
    assert first == second


def test_an_access_and_its_counters_are_dealt_out_alike_along_what_lies_side_by_side(compiled):
    # One layout for all of them: one lane a thread, a warp's threads along the axis of step 1.
    for down, order, threads in (("1", "[0, 1]", "[32, 1]"), ("64", "[1, 0]", "[1, 32]")):
        (layout,) = compiled["orders"][down]
        assert f"order = {order}" in layout
        assert f"threadsPerWarp = {threads}" in layout
        assert "sizePerThread = [1, 1]" in layout


def test_a_block_of_many_lanes_asks_for_more_warps(compiled):
    # 128 by 128 lanes, 4 a thread, would be 128 warps: a program has 32 at most.
    assert compiled["warps"] == 32


def test_block_pointers_become_counted_pointers(compiled):
    if not compiled["block_pointers"]:
        pytest.skip("this Triton has no block pointers")
    facts = compiled["blocked"]
    assert facts["descriptors"] == 0
    assert facts["rmw"] == LOAD + STORE


def test_the_normal_kernel_is_left_alone(tmp_path):
    (tmp_path / "traced_kernels.py").write_text(KERNELS)
    facts = in_child(
        f"PATH = {str(tmp_path / 'traced_kernels.py')!r}\n{COMMON}"
        + """
import os, tempfile
from triton import knobs
from triton.compiler import code_generator, compiler
folder = tempfile.mkdtemp()
knobs.cache.dir = folder
before = (code_generator.CodeGenerator, compiler.get_cache_manager)
warm = lambda: kernels.loads.warmup(f32, 1000, BLOCK=256, grid=(1,))
plain = warm()
helper_hash, own_hash = kernels.helper.hash, kernels.loads.hash
files = sorted(os.listdir(folder))
caches = len(kernels.loads.device_caches[0][0])
traced("loads", (4,), dict(x=f32, n=1000, BLOCK=256))
answer["same_hashes"] = (helper_hash, own_hash) == (kernels.helper.hash, kernels.loads.hash)
answer["same_files"] = files == sorted(os.listdir(folder))
answer["same_caches"] = caches == len(kernels.loads.device_caches[0][0])
answer["restored"] = before == (code_generator.CodeGenerator, compiler.get_cache_manager)
kernels.loads.device_caches.clear()
knobs.compilation.always_compile = True
answer["same_code"] = warm().asm["ttir"] == plain.asm["ttir"]
broken = Plan(TABLE, (4,))
try:
    tracing.build(kernels.dotted, dict(a=square, b=f32, c=f32, K=128, BLOCK=32), {}, broken)
    answer["raised"] = False
except Exception as error:
    answer["raised"] = type(error).__name__
after = (code_generator.CodeGenerator, compiler.get_cache_manager)
answer["restored_after_error"] = before == after
""",
        interpret=False,
        tmp_path=tmp_path,
    )
    assert facts["same_hashes"]
    assert facts["same_files"]
    assert facts["same_caches"]
    assert facts["restored"]
    assert facts["same_code"]
    assert facts["raised"] == "CompilationError"
    assert facts["restored_after_error"]


def test_a_wide_access_to_a_shared_storage_covers_several_cells(tmp_path):
    (tmp_path / "traced_kernels.py").write_text(KERNELS)
    facts = in_child(
        f"PATH = {str(tmp_path / 'traced_kernels.py')!r}\n{COMMON}"
        + """
traced("loads", (2,), dict(x=f32, n=1000, BLOCK=256), mixed=(True,))
""",
        interpret=False,
        tmp_path=tmp_path,
    )
    # Twice as many counters and programs as with the grain of the access itself.
    assert facts["loads"]["rmw"] == 6 * (2 * (1 + 2) + 3 + 1)
    assert re.match(r"load|store", facts["loads"]["sites"][0][0])
