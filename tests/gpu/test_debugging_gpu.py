"""Debugging beside a GPU: programs alone there and interpreted, prints, NaN, the two compared."""

import numpy as np
import pytest

from tests.engine.coverage_parts import in_child
from tests.engine.test_debugging import FILE, line

pytestmark = pytest.mark.gpu

FACTS = f"""
import playground
session = playground.open({str(FILE)!r})
session.run()
facts = {{"mode": session.device.mode}}
before = [tensor.clone() for tensor in session.result]
for mode in ("gpu", "interpreter"):
    ran = session.alone(1, mode=mode)
    facts[f"alone {{mode}}"] = [
        [[one.tensor, one.elements, one.first, one.last] for one in ran.run.written],
        ran.values[0].after.tolist(), ran.values[0].before.tolist()]
    facts[f"printed {{mode}}"] = [
        [one.program, one.prefix, one.count, [float(text) for text in one.values]]
        for one in ran.run.prints.printed]
    facts[f"static {{mode}}"] = list(ran.run.prints.static)
    told = session.prints(mode=mode).prints
    facts[f"all {{mode}}"] = [[one.program, one.count, float(one.values[0])]
                             for one in told.printed]
    facts[f"lost {{mode}}"] = told.lost
hunted = session.hunt(1)
facts["stored"] = [[one.tensor, list(one.element), str(one.value), one.program, one.line]
                   for one in hunted.found.stored]
facts["origins"] = [[one.program, one.line, one.what, [p.value for p in one.operands]]
                    for one in hunted.found.origins]
facts["notes"] = list(hunted.found.notes)
for against in ("interpreter", "reference"):
    told = session.differences(against).differences
    facts[against] = [[one.tensor, one.compared, one.mismatches, list(one.first or ()),
                       one.program, one.line] for one in told.tensors]
debugger = session.debug(1, breakpoints=["{line("the call")} if k == 1"])
debugger.go()
facts["stop"] = [debugger.stop.reason, debugger.stop.line]
facts["x"] = debugger.value("x").tolist()
debugger.close()
facts["untouched"] = all(bool(((one == other) | (one.isnan() & other.isnan())).all())
                         for one, other in zip(before, session.result))
session.close()
answer = facts
"""


@pytest.fixture(scope="module")
def facts(tmp_path_factory):
    return in_child(FACTS, interpret=False, tmp_path=tmp_path_factory.mktemp("debugged"))


NUMBERS = np.pad(np.arange(60.0), (0, 4)).reshape(4, 16)
TOTALS = 2 * (NUMBERS[[0, 2]] + NUMBERS[[1, 3]])


@pytest.mark.parametrize("mode", ["gpu", "interpreter"])
def test_one_program_alone(facts, mode):
    assert facts["mode"] == "gpu"
    written, after, before = facts[f"alone {mode}"]
    assert written == [["out_ptr", 16, 16, 31]]
    assert after == TOTALS[1].tolist()
    assert before == [0.0] * 16
    assert facts["untouched"]


@pytest.mark.parametrize("mode", ["gpu", "interpreter"])
def test_prints_by_program(facts, mode):
    assert facts[f"printed {mode}"] == [[1, "total", 16, TOTALS[1].tolist()]]
    assert facts[f"static {mode}"] == ["BLOCK is 16"]
    assert facts[f"all {mode}"] == [[0, 16, TOTALS[0][0]], [1, 16, TOTALS[1][0]]]
    assert facts[f"lost {mode}"] is False


def test_an_infinity_on_the_gpu_is_found_in_the_interpreter(facts):
    assert facts["stored"] == [["out_ptr", [0], "-inf", 0, line("stores the logarithm")]]
    assert facts["origins"] == [[0, line("the logarithm"), "log", [0.0]]]
    assert facts["notes"] == []


def test_the_gpu_and_the_interpreter_agree_and_the_reference_does_not(facts):
    assert facts["interpreter"] == [["out_ptr", 32, 0, [], -1, 0]]
    assert facts["reference"] == [["out_ptr", 32, 1, [20], 1, line("the store")]]


def test_a_program_is_stepped_beside_the_gpu(facts):
    assert facts["stop"] == ["breakpoint", line("the call")]
    assert facts["x"] == NUMBERS[3].tolist()


def test_a_large_matmul_is_debugged_on_its_own_bytes(tmp_path):
    """One program of a grid, on inputs of 8 MB: in seconds, and as the GPU computes it."""
    found = in_child(
        """
import time, playground
from playground.model.resources import kernels_dir
session = playground.open(kernels_dir() / "matmul.py")
session.run(sizes={"m": 2048, "n": 2048, "k": 2048})
started = time.monotonic()
one = session.alone(3, mode="interpreter")
took = time.monotonic() - started
other = session.alone(3, mode="gpu")
left, right = one.values[0], other.values[0]
told = session.differences("interpreter").differences
answer = {
    "took": took, "same": left.elements.tolist() == right.elements.tolist(),
    "error": float(abs(left.after - right.after).max()),
    "scale": float(abs(left.after).max()),
    "mismatches": told.tensors[0].mismatches, "programs": [told.programs, told.of],
}
session.close()
""",
        interpret=False,
        tmp_path=tmp_path,
    )
    assert found["same"]
    # float16 results of 2048 products: two roundings apart at the most.
    assert found["error"] <= 2 * 2**-10 * found["scale"]
    assert found["mismatches"] == 0
    assert found["took"] < 60
