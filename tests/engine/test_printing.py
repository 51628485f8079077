"""Kernels that print: their copies print nothing, and which lines print is known, without a GPU."""

from __future__ import annotations

import pytest

from tests.engine.conftest import RunEngine

CODE = '''
import torch
from playground.engine import printing
from playground.engine.session import Session

TEXT = """
import torch
import triton
import triton.language as tl

@triton.jit
def helper(x):
    print("helped", x)
    return x + 1

@triton.jit
def loud(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.device_print("x is", x)
    tl.store(x_ptr + offsets, helper(x), mask=offsets < n)

@triton.jit
def quiet(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, 1.0, mask=offsets < n)

def example(n=100):
    x = torch.zeros(n)
    loud[(2,)](x, n, BLOCK=64)
    quiet[(2,)](x, n, BLOCK=64)
    return x
"""
session = Session()
session.load(write("loud.py", TEXT))
session.run()
outcomes = [session.compile(index, target="cuda:90") for index in (0, 1)]
may = printing.may_print(session)
lines = [printing.lines_of(item, session.path) for item in outcomes]
session.load(session.path, TEXT.replace("print", "abs").replace('"helped", ', ""))
session.kept.may_print = None
answer({
    "prints": [printing.prints(item) for item in outcomes], "lines": lines,
    "may": [may, printing.may_print(session)],
})
session.close()
'''
COPIES = '''
import torch
from playground.engine.triton_private.stub_driver import activate_stub
activate_stub("cuda:90")
import importlib.util, sys
from playground.engine.triton_private import silent, stamping, tracing
path = write("kernels.py", """
import triton
import triton.language as tl

@triton.jit
def loud(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.device_print("x is", x)
    if n > 5:
        print("n", n)
    tl.store(x_ptr + offsets, x + 1, mask=offsets < n)
""")
spec = importlib.util.spec_from_file_location("kernels", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
x = torch.zeros(64)
arguments = {"x_ptr": x, "n": 50, "BLOCK": 64}
made = {
    "own": tracing.build_with(tracing.code_generator.CodeGenerator, module.loud, arguments, {}),
    "silent": silent.build_silent(module.loud, arguments, {"num_warps": 2}),
    "stamped": stamping.build_stamped(
        module.loud, arguments, {}, stamping.StampPlan(0x7f0012340000, 100, False)
    ),
    "counted": tracing.build(
        module.loud, arguments, {}, tracing.Plan(0x7f0012340000, (4,), (False,), ())
    ),
}
answer({name: [kernel.asm["ptx"].count("vprintf"), "st.global" in kernel.asm["ptx"],
               kernel.metadata.num_warps] for name, kernel in made.items()})
'''


def test_a_print_is_known_by_the_ir_with_its_lines(run_engine: RunEngine) -> None:
    found = run_engine(CODE)
    assert found["prints"] == [True, False]
    assert found["lines"] == [[8, 15], []]
    assert found["may"] == [True, False]


def test_copies_that_count_or_time_print_nothing(run_engine: RunEngine) -> None:
    found = run_engine(COPIES, interpret=False)
    assert found["own"][0] > 0
    assert [found[name][0] for name in ("silent", "stamped", "counted")] == [0, 0, 0]
    assert all(row[1] for row in found.values())
    assert found["silent"][2] == 2  # the launch's own options


@pytest.mark.gpu
def test_a_time_tells_both_and_only_the_run_prints(run_engine: RunEngine, capfd) -> None:
    del capfd
    found = run_engine(
        CODE.partition("session = Session()")[0].replace("torch.zeros(n)",
                                                         'torch.zeros(n, device="cuda")')
        + '''
import os, tempfile
from playground.engine.gpu_prints import standard_output_taken
session = Session()
session.load(write("loud.py", TEXT))
with standard_output_taken() as ran:
    session.run()
    session.synchronize()
with standard_output_taken() as replayed:
    timed = session.measure(0, session.launches[0].info.config, 30.0, "cold", Job())
    other = session.measure(1, session.launches[1].info.config, 30.0, "cold", Job())
    session.check(0)
    session.coverage(0)
    session.schedule(0)
answer({"ran": len(ran.lines()), "replayed": len(replayed.lines()), "notes": list(timed.notes),
        "median": timed.median_ms, "silent": timed.silent_ms, "other": other.silent_ms})
session.close()
'''.replace("session = Session()", "from playground.engine.job import Job\nsession = Session()", 1),
        interpret=False,
    )  # fmt: skip
    assert found["ran"] > 100
    assert found["replayed"] == 0
    assert found["silent"] < found["median"]
    assert any("the kernel prints in line" in note for note in found["notes"])
    assert found["other"] is None
