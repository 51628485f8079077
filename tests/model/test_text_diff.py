"""Aligning stages' texts: against difflib and hand-made MLIR, PTX and SASS."""

import itertools
import random
import time

import pytest

from playground.model.matching import common_ends, matches
from playground.model.text_diff import blocks, plain_lines, unified


def longest_common(left, right):
    """Return the length of the longest common subsequence, by the book."""
    row = [0] * (len(right) + 1)
    for item in left:
        above = row[:]
        for at, other in enumerate(right):
            row[at + 1] = above[at] + 1 if item == other else max(above[at + 1], row[at])
    return row[-1]


def test_matches_are_equal_lines_in_order():
    pick = random.Random(1)
    for _ in range(400):
        left = [pick.choice("abcdefgh") for _ in range(pick.randint(0, 14))]
        right = [pick.choice("abcdefgh") for _ in range(pick.randint(0, 14))]
        pairs = list(matches(left, right))
        assert all(left[x] == right[y] for x, y in pairs)
        assert all(a < c and b < d for (a, b), (c, d) in itertools.pairwise(pairs))


def test_without_a_unique_line_the_shortest_edit_is_found():
    pick = random.Random(2)
    for _ in range(300):
        # Every line twice on both sides: no line decides alone.
        left = [pick.choice("abc") for _ in range(6)] * 2
        right = [pick.choice("abc") for _ in range(6)] * 2
        assert len(list(matches(left, right))) == longest_common(left, right)


def test_blocks_cover_both_texts():
    pick = random.Random(3)
    for _ in range(200):
        left = [f"op{pick.randint(0, 9)}" for _ in range(pick.randint(0, 20))]
        right = [f"op{pick.randint(0, 9)}" for _ in range(pick.randint(0, 20))]
        left_at = right_at = 0
        for block in blocks(left, right, "ttgir"):
            assert (block.left_start, block.right_start) == (left_at, right_at)
            left_at, right_at = block.left_end, block.right_end
            same = left[block.left_start : left_at] == right[block.right_start : right_at]
            assert (block.tag == "equal") == same
        assert (left_at, right_at) == (len(left), len(right))


BEFORE = """
#loc = loc("k.py":3:1)
#blocked = #ttg.blocked<{sizePerThread = [1]}>
module {
  tt.func public @k(%x: !tt.ptr<f32> loc("x"(#loc))) {
    %c = arith.constant 7 : i32 loc(#loc)
    %0 = tt.load %x : tensor<64xf32, #blocked> loc(#loc2)
    %1 = arith.mulf %0, %0 : tensor<64xf32, #blocked> loc(#loc3)
    %2 = arith.addf %1, %0 : tensor<64xf32, #blocked> loc(#loc3)
    tt.store %x, %2 : tensor<64xf32, #blocked> loc(#loc4)
  }
}
"""


def changed(before, after, stage="ttgir"):
    left, right = before.splitlines(), after.splitlines()
    return [
        (block.tag, [line.strip() for line in left[block.left_start : block.left_end]],
         [line.strip() for line in right[block.right_start : block.right_end]])
        for block in blocks(left, right, stage)
        if block.tag != "equal"
    ]  # fmt: skip


def test_new_numbers_and_places_are_no_change():
    after = BEFORE.replace("%2", "%9").replace("%1", "%2").replace("#loc3", "#loc7")
    after = after.replace('"k.py":3:1', '"k.py":4:1')
    assert changed(BEFORE, after) == []


def test_an_operation_less_is_one_line():
    after = BEFORE.replace("    %c = arith.constant 7 : i32 loc(#loc)\n", "")
    assert changed(BEFORE, after) == [
        ("delete", ["%c = arith.constant 7 : i32 loc(#loc)"], []),
    ]


def test_another_operand_is_a_change():
    after = BEFORE.replace("arith.addf %1, %0", "arith.addf %0, %1")
    ((tag, left, right),) = changed(BEFORE, after)
    assert tag == "replace"
    assert "addf %1, %0" in left[0]
    assert "addf %0, %1" in right[0]


def test_another_layout_under_the_same_name_is_a_change():
    after = BEFORE.replace("sizePerThread = [1]", "sizePerThread = [4]")
    lines = [line for _, left, _ in changed(BEFORE, after) for line in left]
    assert any("tt.load" in line for line in lines)
    assert any(line.startswith("#blocked = ") for line in lines)


def test_the_same_layout_under_another_name_is_none():
    assert changed(BEFORE, BEFORE.replace("#blocked", "#blocked5")) == []


@pytest.mark.parametrize(
    ("stage", "left", "right", "same"),
    [
        ("sass", "        /*0010*/   FADD R1, R2, R3 ;", "   /*0420*/   FADD R4, R9, R3 ;", True),
        ("sass", "  /*0010*/   FADD R1, R2, R3 ;", "  /*0010*/   FMUL R1, R2, R3 ;", False),
        ("sass", "  /*00*/  LDG.E.128 R4, [R2.64] ;", "  /*00*/  LDG.E R4, [R2.64] ;", False),
        ("ptx", "\tadd.s32 \t%r1, %r2, 64;", "\tadd.s32 \t%r7, %r1, 64;", True),
        ("ptx", "\tadd.s32 \t%r1, %r2, 64;", "\tadd.s32 \t%r1, %r2, 32;", False),
        ("ptx", "\t.loc\t1 31 0", "\t.loc\t1 32 4", True),
        ("amdgcn", "\tv_add_u32_e32 v1, s2, v[4:5]", "\tv_add_u32_e32 v9, s4, v[6:7]", True),
        ("amdgcn", "\ts_waitcnt vmcnt(0)", "\ts_waitcnt vmcnt(1)", False),
        ("llir", "  %5 = add i32 %3, 4, !dbg !12", "  %7 = add i32 %6, 4, !dbg !99", True),
    ],
)  # fmt: skip
def test_registers_labels_and_places_do_not_count(stage, left, right, same):
    assert (changed(left, right, stage) == []) == same


def test_a_unified_diff_reads_as_others_do():
    left = [f"op{number}" for number in range(20)]
    right = [*left[:9], "new", *left[10:]]
    lines = unified(left, right, blocks(left, right, "ttgir"))
    assert lines == [
        "@@ -7,7 +7,7 @@", " op6", " op7", " op8", "-op9", "+new", " op10", " op11", " op12",
    ]  # fmt: skip


def test_places_are_left_out():
    lines = plain_lines(BEFORE)
    assert not any("loc(" in line for line in lines)
    assert lines[3].strip() == "%c = arith.constant 7 : i32"


def test_five_thousand_lines_take_a_moment():
    pick = random.Random(4)
    kinds = ["IMAD", "LDS.128", "HMMA.16816.F32", "LDGSTS.E.128", "FADD", "LOP3.LUT", "ISETP.GE"]
    left = [
        f"        /*{16 * at:04x}*/   {pick.choice(kinds)} R{pick.randint(0, 200)}, "
        f"R{pick.randint(0, 200)}, {pick.choice(['', '0x10, ', '0x20, '])}R{pick.randint(0, 99)} ;"
        for at in range(5000)
    ]
    right = [line for line in left if pick.random() > 0.1]
    right = [line.replace("FADD", "FMUL") if pick.random() < 0.05 else line for line in right]
    started = time.process_time()
    found = blocks(left, right, "sass")
    took_s = time.process_time() - started
    equal = sum(block.left_end - block.left_start for block in found if block.tag == "equal")
    # No worse than half of what is really the same, in a bounded time: the real aim is 0.3 s.
    assert equal > 2500
    assert took_s < 3


def test_common_ends_never_overlap():
    assert common_ends("abcxyz", "abc--xyz") == (3, 3)
    assert common_ends("aa", "aaa") == (2, 0)
    assert common_ends("", "a") == (0, 0)
    assert common_ends("ab", "ba") == (0, 0)
