"""Debugging one program, without a GPU: stepped, run alone, prints, NaN, compared elements."""

from pathlib import Path

import numpy as np
import pytest

from playground.engine.debugger import breakpoint_from
from playground.model.debugging import Breakpoint
from tests.engine.coverage_parts import in_child

FILE = Path(__file__).parent / "debugged_kernels.py"
LINES = FILE.read_text().splitlines()


def line(mark: str) -> int:
    """Return the line that ends with a comment."""
    return next(number for number, text in enumerate(LINES, 1) if text.endswith(f"# {mark}"))


STEPPED = f"""
import playground
session = playground.open({str(FILE)!r})
session.run()
facts = {{}}

def at(debugger):
    stop = debugger.stop
    return [stop.reason, stop.line, stop.frames[0].function, len(stop.frames)]

def values(debugger):
    return {{value.name: value.text for value in debugger.stop.values}}

debugger = session.debug(1)
facts["entry"] = at(debugger)
facts["entry values"] = values(debugger)
facts["next"] = [at(debugger.next()) for _ in range(4)]
facts["load is one stop"] = at(debugger.next())
facts["into"] = [at(debugger.step()) for _ in range(1)]
facts["helper"] = [value.name for value in debugger.stop.values]
facts["out"] = at(debugger.out())
facts["rounds"] = [[one.line, one.round, one.rounds] for one in debugger.stop.rounds]
facts["changed"] = [value.name for value in debugger.stop.values if value.changed]
facts["round"] = [at(debugger.round()), debugger.stop.rounds[0].round]
facts["k"] = values(debugger)["k"]
debugger.watch("x.max()")
debugger.watch("memory['out_ptr'][0] + BLOCK")
debugger.watch("nothing")
facts["watches"] = [[one.text, one.problem] for one in debugger.stop.watches]
facts["until"] = at(debugger.until({line("the store")}))
facts["notes"] = list(debugger.stop.notes)
facts["total"] = debugger.value("total").tolist()
facts["pointer"] = debugger.value("out_ptr + 0") is None
facts["returned"] = at(debugger.next())
facts["stored"] = debugger.value("memory['out_ptr']").tolist()
debugger.go()
facts["ended"] = [debugger.ended, debugger.stop is None]
facts["printed"] = [[one.program, one.prefix, list(one.values[:2]), one.count, one.line]
                    for one in debugger.prints.printed]
facts["static"] = list(debugger.prints.static)

watched = session.debug(0, breakpoints=["{line("the call")} if x.max() > 20"])
facts["condition"] = [at(watched.go()), watched.stop.rounds[0].round]
watched.break_at({line("in the helper")})
facts["breakpoint"] = at(watched.go())
watched.close()
session.close()
answer = facts
"""


@pytest.fixture(scope="module")
def stepped(tmp_path_factory):
    return in_child(STEPPED, interpret=True, tmp_path=tmp_path_factory.mktemp("stepped"))


def test_each_line_is_a_stop_and_a_statement_is_one(stepped):
    first = LINES.index("    pid = tl.program_id(0)") + 1
    loop = line("the loop")
    assert stepped["entry"] == ["entry", first, "sums", 1]
    assert stepped["next"] == [
        ["step", place, "sums", 1] for place in (first + 1, loop, loop + 1, loop + 2)
    ]
    # The load is written over five lines.
    assert stepped["load is one stop"] == ["step", line("the call"), "sums", 1]


def test_into_a_helper_and_out_again(stepped):
    assert stepped["into"] == [["step", line("in the helper"), "twice", 2]]
    assert stepped["helper"] == ["v"]
    assert stepped["out"] == ["step", line("the loop"), "sums", 1]
    assert stepped["rounds"] == []  # on the header: not within its body
    assert stepped["changed"] == ["total"]


def test_rounds_of_a_loop_are_counted(stepped):
    assert stepped["round"] == [["round", line("first in the loop"), "sums", 1], 1]
    assert stepped["k"] == "1"


def test_values_are_those_of_the_program(stepped):
    assert stepped["entry values"] == {
        "x_ptr": "x_ptr[0]", "out_ptr": "out_ptr[0]", "n": "60", "BLOCK": "16", "ROUNDS": "2",
    }  # fmt: skip
    # Program 1 sums places 32..47 and 48..63, of which 60 and more are masked off.
    numbers = np.pad(np.arange(60.0), (0, 4)).reshape(4, 16)
    total = 2 * (numbers[2] + numbers[3])
    assert stepped["total"] == total.tolist()
    assert stepped["stored"] == [0.0] * 16 + total.tolist()


def test_expressions_see_numpy_arrays_and_memory(stepped):
    assert stepped["watches"] == [
        ["47", ""], ["16", ""], ["", "NameError: name 'nothing' is not defined"]
    ]  # fmt: skip
    assert stepped["pointer"] is False


def test_cursor_end_and_prints(stepped):
    assert stepped["until"] == ["cursor", line("the store"), "sums", 1]
    assert any(note.startswith("printed total") for note in stepped["notes"])
    assert stepped["returned"][:2] == ["returned", line("the store")]
    assert stepped["ended"] == [True, True]
    printed = LINES.index('    tl.device_print("total", total)') + 1
    # 2 * (32 + 48) and 2 * (33 + 49)
    assert stepped["printed"] == [[1, "total", ["160", "164"], 16, printed]]
    assert stepped["static"] == ["BLOCK is 16"]


def test_a_condition_lets_earlier_rounds_pass(stepped):
    # Program 0 loads 0..15, then 16..31.
    assert stepped["condition"] == [["breakpoint", line("the call"), "sums", 1], 1]
    assert stepped["breakpoint"] == ["breakpoint", line("in the helper"), "twice", 2]


LOOKED = f"""
import contextlib, io, playground
from playground.model.config import Config
session = playground.open({str(FILE)!r})
session.run()
before = [tensor.clone() for tensor in session.result]
facts = {{}}
said = io.StringIO()
with contextlib.redirect_stdout(said):
    session.check(0)
facts["said"] = said.getvalue()
ran = session.alone((1, 0, 0))
facts["alone"] = [[one.tensor, one.elements, one.first, one.last] for one in ran.run.written]
facts["values"] = ran.values[0].after.tolist()
facts["before"] = ran.values[0].before.tolist()
prints = session.prints().prints
facts["prints"] = [[one.program, one.shape, one.values[0]] for one in prints.printed]
facts["lines"] = prints.lines
found = session.hunt(1).found
facts["stored"] = [[one.tensor, list(one.element), str(one.value), one.program, one.line]
                   for one in found.stored]
facts["origins"] = [[one.program, one.line, one.what, list(one.index),
                     [operand.value for operand in one.operands]] for one in found.origins]
facts["finite"] = len(session.hunt(0).found.stored)
masked = session.hunt(1, program=3).found
facts["masked"] = [len(masked.stored), len(masked.origins), masked.harmless]
told = session.differences("reference").differences
facts["difference"] = [[one.tensor, one.mismatches, list(one.first or ()), one.got, one.want,
                        one.program, one.line] for one in told.tensors]
facts["captured"] = [one.mismatches for one in session.differences("captured").differences.tensors]
def refused(call):
    try:
        call()
    except (ValueError, IndexError) as error:
        return f"{{type(error).__name__}}: {{error}}"
facts["no gpu"] = refused(lambda: session.differences("interpreter"))
facts["no program"] = refused(lambda: session.debug(2))
facts["no gpu run"] = refused(lambda: session.alone(0, mode="gpu"))
facts["untouched"] = all(one.equal(other) or bool((one.isnan() == other.isnan()).all())
                         for one, other in zip(before, session.result))
session.close()
answer = facts
"""


@pytest.fixture(scope="module")
def looked(tmp_path_factory):
    return in_child(LOOKED, interpret=True, tmp_path=tmp_path_factory.mktemp("looked"))


def test_one_program_runs_alone(looked):
    assert looked["alone"] == [["out_ptr", 16, 16, 31]]
    numbers = np.pad(np.arange(60.0), (0, 4)).reshape(4, 16)
    assert looked["values"] == (2 * (numbers[2] + numbers[3])).tolist()
    assert looked["before"] == [0.0] * 16
    assert looked["untouched"] is True


def test_prints_are_told_by_program(looked):
    assert looked["said"] == ""  # a replay prints nothing: the run has
    # The first element of program 0 is 2 * (0 + 16), of program 1 2 * (32 + 48).
    assert looked["prints"] == [[0, [16], "32"], [1, [16], "160"]]
    assert looked["lines"] == 32


def test_the_line_that_made_an_infinity_and_what_went_in(looked):
    assert looked["stored"] == [["out_ptr", [0], "-inf", 0, line("stores the logarithm")]]
    assert looked["origins"] == [[0, line("the logarithm"), "log", [0], [0.0]]]
    assert looked["finite"] == 0


def test_what_a_mask_keeps_in_is_harmless(looked):
    # The last program's block has lanes past the end, where log(-1) is NaN.
    assert looked["masked"] == [0, 0, 1]


def test_the_first_difference_has_a_program_and_a_line(looked):
    # Element 20 is element 4 of program 1: 2 * (36 + 52) = 176, and the reference says 177.
    assert looked["difference"] == [
        ["out_ptr", 1, [20], 176.0, 177.0, 1, line("the store")]
    ]  # fmt: skip
    assert looked["captured"] == [0]


def test_what_is_not_there_is_said(looked):
    assert looked["no gpu"].startswith("ValueError: no GPU here")
    assert looked["no program"] == "IndexError: there is no program 2: the grid has 2, from 0"
    assert looked["no gpu run"].startswith("ValueError: no GPU here")


def test_breakpoints_are_written_as_text():
    assert breakpoint_from(7, "a.py") == Breakpoint("a.py", 7)
    assert breakpoint_from("7 if k == 2", "a.py") == Breakpoint("a.py", 7, "k == 2")
    assert breakpoint_from("/b.py:9", "a.py") == Breakpoint("/b.py", 9)
    with pytest.raises(ValueError, match="LINE if CONDITION"):
        breakpoint_from("k == 2", "a.py")
