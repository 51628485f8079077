"""Counting in the interpreter, against arithmetic."""

import pytest

from tests.engine.coverage_parts import in_child


@pytest.fixture(scope="module")
def bundled(tmp_path_factory):
    """Counts of the bundled kernels at the sizes they are shown with."""
    return in_child(
        """
import time
from playground.protocol.messages import PlaneView
add, matmul, softmax = load("vector_add"), load("matmul"), load("softmax")
counts, ready = counted(lambda: add.example(size=98432))
answer["add"] = table(counts.summary())
answer["mode"] = counts.summary().mode
plane = counts.plane("out_ptr", "owner", PlaneView())
answer["plane"] = [plane.plane_rows, plane.plane_columns, plane.values.tolist(), plane.programs]
answer["flags"] = [int(plane.flags.min()), int(plane.flags.max())]
element = counts.element("out_ptr", 2, 5)
answer["element"] = [list(element.index), element.loads, element.stores, element.owner]
loaded = counts.element("x_ptr", 192, 127)
answer["loader"] = [loaded.loads, loaded.first_loader, loaded.last_loader, loaded.owner]
foot = counts.footprint(ready, "x_ptr", 96, PlaneView())
answer["foot"] = [foot.loads, foot.stores, int((foot.touched == 1).sum())]
foot = counts.footprint(ready, "out_ptr", 3, PlaneView())
answer["foot_out"] = [foot.loads, foot.stores, int((foot.touched == 2).sum())]
counts, ready = counted(lambda: matmul.matmul(*matmul.inputs(256, 256, 256)))
answer["matmul"] = table(counts.summary())
owner = counts.plane("c_ptr", "owner", PlaneView())
answer["tiles"] = owner.values[::64, ::64].tolist()
cell = counts.element("a_ptr", 70, 3)
answer["shared"] = [cell.loads, cell.first_loader, cell.last_loader]
counts, _ = counted(lambda: matmul.matmul(*matmul.inputs(100, 60, 70)))
answer["ragged"] = table(counts.summary())
counts, _ = counted(lambda: softmax.example())
answer["softmax"] = table(counts.summary())
""",
        interpret=True,
        tmp_path=tmp_path_factory.mktemp("coverage"),
    )


def test_vector_add_is_exact(bundled):
    n = 98432
    tensors = bundled["add"]["tensors"]
    for name in ("x_ptr", "y_ptr"):
        assert tensors[name]["loads"] == [n, 1, 1]
        assert tensors[name]["stores"] == [0, 0, 0]
        assert tensors[name]["unwritten"] is None
    assert tensors["out_ptr"] == {
        "shape": [n], "loads": [0, 0, 0], "stores": [n, 1, 1],
        "unwritten": 0, "multi_written": 0, "out_of_bounds": 0,
    }  # fmt: skip
    assert bundled["add"]["bytes_requested"] == 3 * 4 * n
    assert bundled["add"]["bytes_unique"] == 3 * 4 * n
    assert bundled["add"]["flops"] == 0
    assert bundled["mode"] == "interpreter"


def test_the_tile_map_is_the_block_number(bundled):
    rows, columns, values, programs = bundled["plane"]
    assert programs == 97
    assert rows * columns >= 98432
    flat = [owner for row in values for owner in row]
    assert flat[:98432] == [index // 1024 for index in range(98432)]
    assert set(flat[98432:]) == {-1}
    assert bundled["flags"] == [0, 4]


def test_one_element_and_one_program(bundled):
    assert bundled["element"] == [[2 * 512 + 5], 0, 1, 1]
    assert bundled["loader"] == [1, 96, 96, -1]
    assert bundled["foot"] == [98432 - 96 * 1024, 0, 98432 - 96 * 1024]
    assert bundled["foot_out"] == [0, 1024, 1024]


def test_matmul_loads_each_input_once_per_tile(bundled):
    tensors = bundled["matmul"]["tensors"]
    assert tensors["a_ptr"]["loads"] == [256 * 256 * 4, 4, 4]
    assert tensors["b_ptr"]["loads"] == [256 * 256 * 4, 4, 4]
    assert tensors["c_ptr"]["stores"] == [256 * 256, 1, 1]
    assert tensors["c_ptr"]["multi_written"] == 0
    assert bundled["matmul"]["flops"] == 2 * 256**3
    assert bundled["matmul"]["flops_by_kind"] == [["fp16", 2 * 256**3]]
    assert bundled["matmul"]["bytes_requested"] == 2 * (2 * 4 + 1) * 256 * 256
    assert bundled["matmul"]["bytes_unique"] == 2 * 3 * 256 * 256


def test_matmul_programs_walk_down_the_columns_of_their_group(bundled):
    # GROUP_M is 8 and there are 4 rows of tiles: one group, its rows first.
    assert bundled["tiles"] == [[row + 4 * column for column in range(4)] for row in range(4)]
    # Element [70, 3] of A lies in the second row of tiles: programs 1, 5, 9 and 13 load it.
    assert bundled["shared"] == [4, 1, 13]


def test_masked_edges_are_not_counted(bundled):
    # 100 by 70 times 70 by 60: 2 by 1 tiles of 64, so A is loaded once and B twice.
    tensors = bundled["ragged"]["tensors"]
    assert tensors["a_ptr"]["loads"] == [7000, 1, 1]
    assert tensors["b_ptr"]["loads"] == [2 * 4200, 2, 2]
    assert tensors["c_ptr"]["stores"] == [6000, 1, 1]
    assert bundled["ragged"]["flops"] == 2 * (2 * 64) * 64 * 96


def test_softmax_reads_and_writes_each_element_once(bundled):
    names = list(bundled["softmax"]["tensors"])
    one = [item for item in bundled["softmax"]["tensors"].values() if item["stores"][0]]
    assert len(names) == 2
    assert len(one) == 1
    rows, columns = one[0]["shape"]
    assert one[0]["stores"] == [rows * columns, 1, 1]
    assert one[0]["unwritten"] == 0


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
def strided(src, dst, rows, stride, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    value = tl.load(src + tl.program_id(0) * stride + offsets)
    tl.store(dst + tl.program_id(0) * BLOCK + offsets, value)

@triton.jit
def cube(dst, sx, sy):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    tl.store(dst + x * sx + y * sy + z, 1.0)

@triton.jit
def total(src, dst, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(dst, tl.sum(tl.load(src + offsets, mask=offsets < n, other=0.0)))

@triton.jit
def overlap(src, dst, n, SAME: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(src + offsets, mask=offsets < n)
    tl.store(dst + offsets % 100, value * 0 if SAME else value, mask=offsets < n)

@triton.jit
def sorted_and_summed(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.sort(tl.load(x + i))
    tl.store(out + i, value + tl.sum(value))

@triton.jit
def disagree(out, step, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    value = tl.where((pid == 0) | (pid == 3), 7.0, 8.0)
    mask = (tl.arange(0, BLOCK) >= 0) & ((step == 1) | (pid % 2 == 1))
    tl.store(out + tl.arange(0, BLOCK), value, mask=mask)

@triton.jit
def double(x, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n)
    tl.store(x + offsets, value * 2, mask=offsets < n)
"""


@pytest.fixture(scope="module")
def special(tmp_path_factory):
    """Counts of kernels that do unusual things."""
    folder = tmp_path_factory.mktemp("special")
    (folder / "special.py").write_text(KERNELS)
    return in_child(
        f"""
import torch
from playground.engine.coverage_findings import coverage_findings
kernels = load({str(folder / "special.py")!r})
x = torch.arange(1000, dtype=torch.float32)
counts, ready = counted(lambda: kernels.copy[(4,)](x, torch.empty(1000), 1000, BLOCK=256))
answer["unmasked"] = table(counts.summary())
answer["source"] = kernels.__file__
big = torch.zeros(8, 32)
counts, _ = counted(lambda: kernels.strided[(8,)](big[:, 8:], torch.empty(8, 16), 8, 32, BLOCK=16))
answer["strided"] = table(counts.summary())
for name, programs, step in (("storers", 4, 1), ("two storers", 4, 2)):
    counts, _ = counted(lambda: kernels.disagree[(programs,)](torch.zeros(32), step, BLOCK=32))
    answer[name] = [
        [item.kind, list(item.programs), item.among, item.who]
        for item in counts.summary().hazards
    ]
pairs = torch.zeros(500, 2)
beside = dict()
for name, call in (
    ("strides ignored", lambda: kernels.copy_masked[(2,)](pairs[:, 0], x[:500], 500, BLOCK=256)),
    ("other half", lambda: kernels.copy_masked[(1,)](x[:500], pairs[:, 1], 100, BLOCK=256)),
    ("whole", lambda: kernels.copy_masked[(2,)](x[:500], pairs.view(-1)[:500], 500, BLOCK=256)),
):
    counts, _ = counted(call)
    beside[name] = [
        [[item.name, list(item.beside)] for item in counts.summary().tensors],
        [[item.severity, item.message, item.line]
         for item in coverage_findings("k", counts.summary()) if "memory of" in item.message],
    ]
answer["beside"] = beside
counts, _ = counted(lambda: kernels.cube[(2, 3, 4)](torch.empty(2, 3, 4), 12, 4))
answer["cube"] = table(counts.summary())
from playground.protocol.messages import PlaneView
answer["owners"] = [
    counts.plane("dst", "owner", PlaneView(slices=(i,))).values.tolist() for i in range(2)
]
counts, _ = counted(lambda: kernels.total[(4,)](x, torch.zeros(1), 1000, BLOCK=256))
answer["atomic"] = table(counts.summary())
def races(summary):
    found = [item for item in coverage_findings("k", summary) if "several" in item.message]
    return [[item.severity, item.message, item.hint] for item in found]
answer["races"] = dict(atomic=races(counts.summary()))
for same in (True, False):
    counts, _ = counted(
        lambda: kernels.overlap[(4,)](x, torch.ones(200), 1000, SAME=same, BLOCK=256)
    )
    summary = counts.summary()
    told = summary.tensor("dst")
    answer["races"][str(same)] = [told.multi_written, told.disputed, races(summary)]
counts, _ = counted(lambda: kernels.sorted_and_summed[(1,)](x, torch.empty(16), BLOCK=16))
answer["sorted"] = list(counts.summary().operations)
counts, _ = counted(
    lambda: kernels.copy_masked[(1,)](torch.empty(0), torch.empty(4, 0)[1:], 0, BLOCK=256)
)
hollow = counts.summary()
answer["hollow"] = [
    [item.name, item.shape, item.elements, item.loads.total, item.unwritten]
    for item in hollow.tensors
]
answer["drawable"] = [item.name for item in hollow.drawable]
answer["hollow findings"] = [item.message for item in coverage_findings("k", hollow)]
counts, _ = counted(lambda: kernels.double[(4,)](x, 1000, BLOCK=256))
answer["in_place"] = table(counts.summary())
both = torch.zeros(1000)
counts, _ = counted(
    lambda: kernels.copy_masked[(2,)](both[:500], both[500:], 500, BLOCK=256)
)
answer["one_storage"] = table(counts.summary())
counts, _ = counted(lambda: kernels.copy_masked[(2,)](x, torch.empty(1000), 1000, BLOCK=256))
answer["half"] = table(counts.summary())
counts, _ = counted(
    lambda: kernels.copy_masked[(4,)](
        x.view(-1, 1).expand(1000, 3), torch.empty(1000), 1000, BLOCK=256
    )
)
answer["broadcast"] = table(counts.summary())
from playground.engine.coverage import count
ready = prepared(
    captured(lambda: kernels.copy_masked[(4,)](x, torch.empty(1000), 1000, BLOCK=256))[-1]
)
summary = count(ready, budget_bytes=100).summary()
answer["disk"] = [table(summary), summary.resolution, list(summary.notes)]
""",
        interpret=True,
        tmp_path=folder,
    )  # fmt: skip


def test_lanes_outside_are_recorded_and_not_touched(special):
    counted = special["unmasked"]
    assert counted["tensors"]["src"]["loads"] == [1000, 1, 1]
    assert counted["tensors"]["dst"]["stores"] == [1000, 1, 1]
    load, store = sorted(counted["out_of_bounds"], key=lambda item: item[1])
    # The fourth block of 256 reaches from 768 to 1023: 24 lanes too far, the first right behind.
    assert load[:5] == ["src", "load", 3, 1, 24]
    assert store[:5] == ["dst", "store", 3, 1, 24]
    assert (
        load[5]
        == store[5]
        == KERNELS.splitlines().index("    tl.store(dst + offsets, tl.load(src + offsets))") + 1
    )
    assert counted["tensors"]["src"]["out_of_bounds"] == 24


def test_a_view_is_counted_through_its_strides(special):
    tensors = special["strided"]["tensors"]
    assert tensors["src"]["shape"] == [8, 24]
    assert tensors["src"]["loads"] == [8 * 16, 0, 1]
    assert tensors["dst"]["stores"] == [8 * 16, 1, 1]


def test_what_lies_between_the_elements_of_a_view_is_told(special):
    # Every other element of the first 500 is none of the column's.
    tensors, found = special["beside"]["strides ignored"]
    assert tensors == [["src", [250, 0]], ["dst", [0, 0]]]
    assert found == [
        ["hint", "k loads 250 elements in the memory of src that are not src's", found[0][2]]
    ]
    assert KERNELS.splitlines()[found[0][2] - 1].count("tl.load(src")
    # From element 1 on, 100 in a row: the second, the fourth … belong to the other column.
    tensors, found = special["beside"]["other half"]
    assert tensors == [["src", [0, 0]], ["dst", [0, 50]]]
    assert [message for _, message, _ in found] == [
        "k stores 50 elements in the memory of dst that are not dst's"
    ]
    assert special["beside"]["whole"] == [[["src", [0, 0]], ["dst", [0, 0]]], []]


def test_the_first_and_last_of_more_storers_are_not_said_to_differ(special):
    # Programs 0 and 3 store 7 to each element, 1 and 2 store 8.
    assert special["storers"] == [["writes differ", [0, 3], True, "programs 0 to 3"]]
    assert special["two storers"] == [["writes differ", [1, 3], False, "programs 1 and 3"]]


def test_tensors_without_elements_are_in_the_table(special):
    assert special["hollow"] == [["src", [0], 0, 0, None], ["dst", [3, 0], 0, 0, None]]
    assert special["drawable"] == []
    assert special["hollow findings"] == []


def test_what_a_sort_reduces_is_not_the_kernels(special):
    # Sixteen elements take fifteen additions; sorting compares by way of sums of its own.
    assert special["sorted"] == [["sum", 15]]


def test_programs_are_numbered_with_the_first_grid_dimension_fastest(special):
    assert special["cube"]["tensors"]["dst"]["stores"] == [24, 1, 1]
    assert special["owners"] == [
        [[x + 2 * (y + 3 * z) for z in range(4)] for y in range(3)] for x in range(2)
    ]


def test_an_atomic_reads_and_writes(special):
    target = special["atomic"]["tensors"]["dst"]
    assert target["loads"] == [4, 4, 4]
    assert target["stores"] == [4, 4, 4]
    assert target["multi_written"] == 1


def test_races_are_told_and_stores_of_the_same_value_are_harmless(special):
    found = special["races"]
    assert found["atomic"] == []
    # 1000 lanes in 4 programs over 100 elements: each element is written by every program.
    written, disputed, told = found["False"]
    assert (written, disputed) == (100, 100)
    ((severity, message, hint),) = told
    assert severity == "error"
    assert "store different values to 100 of 200 elements of dst" in message
    assert "atomic" in hint
    written, disputed, told = found["True"]
    assert (written, disputed) == (100, 0)
    ((severity, message, _),) = told
    assert severity == "info"
    assert "store the same values here" in message


def test_in_place_and_shared_storages(special):
    assert special["in_place"]["tensors"]["x"]["loads"] == [1000, 1, 1]
    assert special["in_place"]["tensors"]["x"]["stores"] == [1000, 1, 1]
    halves = special["one_storage"]["tensors"]
    assert (halves["src"]["loads"], halves["src"]["stores"]) == ([500, 1, 1], [0, 0, 0])
    assert (halves["dst"]["loads"], halves["dst"]["stores"]) == ([0, 0, 0], [500, 1, 1])


def test_unwritten_elements_are_counted(special):
    assert special["half"]["tensors"]["dst"]["unwritten"] == 1000 - 512
    assert special["half"]["tensors"]["src"]["unwritten"] is None


def test_a_broadcast_dimension_counts_once(special):
    view = special["broadcast"]["tensors"]["src"]
    assert view["shape"] == [1000, 3]
    assert view["loads"] == [1000, 1, 1]


def test_counters_beyond_the_budget_go_to_disk(special):
    counted, resolution, notes = special["disk"]
    assert counted["tensors"]["dst"]["stores"] == [1000, 1, 1]
    assert "disk" in resolution
    assert any("hazards between programs are not looked for" in note for note in notes)


def test_blocks_that_do_not_divide_the_sizes_are_exact(run_engine):
    got = run_engine(
        """
        import playground
        play = playground.open(KERNELS / "matmul.py")
        play.run(None, {"m": 250, "n": 130, "k": 70})
        found = []
        for knobs in ({}, {"BLOCK_M": 16, "BLOCK_N": 128}, {"BLOCK_K": 128}, {"GROUP_M": 1}):
            config = play.prepare(0, **knobs).config
            counted = play.coverage(0, **knobs)
            a, b, c = counted.tensors
            rows, columns = -(-250 // config["BLOCK_M"]), -(-130 // config["BLOCK_N"])
            found.append([
                [a.loads.total, a.loads.minimum, a.loads.maximum]
                == [250 * 70 * columns, columns, columns],
                [b.loads.total, b.loads.minimum, b.loads.maximum] == [70 * 130 * rows, rows, rows],
                [c.stores.total, c.stores.maximum, c.unwritten, c.multi_written]
                == [250 * 130, 1, 0, 0],
                counted.out_of_bounds == (),
            ])
        answer(found)
        play.close()
        """
    )
    assert got == [[True] * 4] * 4
