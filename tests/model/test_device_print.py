"""What a GPU prints, read back; lines as Triton's PrintOpToLLVM writes them."""

from playground.model.device_print import PrintedLine, buffer_bytes, grouped, parse_line

LINES = [
    "pid (1, 0, 0) idx (  0) x: 1.500000",
    "pid (1, 0, 0) idx (  1) x: -nan",
    "pid (0, 1, 0) idx ( 3,  7) both: (operand 1) 12",
    "pid (0, 0, 0) idx () n: 0x000003e8",
    "pid (0, 0, 0) hello there",
    "something else",
]


def test_a_line_says_program_element_operand_and_value():
    told = [parse_line(line) for line in LINES]
    assert told == [
        PrintedLine((1, 0, 0), (0,), "x:", 0, "1.500000"),
        PrintedLine((1, 0, 0), (1,), "x:", 0, "-nan"),
        PrintedLine((0, 1, 0), (3, 7), "both:", 1, "12"),
        PrintedLine((0, 0, 0), (), "n:", 0, "0x000003e8"),
        PrintedLine((0, 0, 0), None, "hello there", 0, ""),
        None,
    ]


def test_lines_are_gathered_by_program():
    printed, other, count = grouped(LINES, (4, 2, 1), 100)
    assert [(one.program, one.prefix, one.values, one.shape, one.operand) for one in printed] == [
        (0, "n", ("0x000003e8",), (), 0),
        (0, "hello there", (), (), 0),
        (1, "x", ("1.500000", "-nan"), (2,), 0),
        (4, "both", ("12",), (4, 8), 1),  # (0, 1, 0) in a grid of 4 by 2
    ]
    assert other == ("something else",)
    assert count == 5


def test_every_thread_prints_a_scalar_and_it_is_told_once():
    printed, _, count = grouped(["pid (2, 0, 0) idx () n: 7"] * 128, (4, 1, 1), 100)
    assert [(one.values, one.count) for one in printed] == [(("7",), 1)]
    assert count == 128


def test_rounds_of_a_loop_are_told_one_after_the_other():
    lines = [
        f"pid (0, 0, 0) idx ({at}) k: {turn * 10 + at}" for turn in range(2) for at in range(2)
    ]
    printed, _, _ = grouped(lines, (1, 1, 1), 100)
    assert [one.values for one in printed] == [("0", "1"), ("10", "11")]


def test_a_program_that_ran_alone_has_its_own_number():
    printed, _, _ = grouped(["pid (0, 0, 0) idx () n: 7"], (4, 1, 1), 100, program=3)
    assert printed[0].program == 3


def test_values_beyond_the_limit_are_counted_only():
    lines = [f"pid (0, 0, 0) idx ({at}) k: {at}" for at in range(50)]
    printed, _, count = grouped(lines, (1, 1, 1), 10)
    assert (len(printed[0].values), printed[0].count, count) == (10, 50, 50)


def test_the_buffer_s_bytes_are_estimated():
    assert buffer_bytes(["pid (0, 0, 0) idx (1, 2) k: 1.0", "else"]) == 16 + 4 * 5 + 8
