"""No answer comes from before: helpers, globals, the environment and Triton's settings."""

from __future__ import annotations

PLAY = """
import os
from playground.engine.session import Session
KERNEL = '''
import os
import torch, triton, triton.language as tl
import helper
AMOUNT = 1.0
@triton.jit
def plus(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, helper.more(tl.load(x + i, i < n)) + AMOUNT, i < n)
def blocks(n, B):
    return triton.cdiv(n, B) * int(os.environ.get("TIMES", "1"))
def example(n=100):
    x, o = torch.zeros(n), torch.empty(n)
    B = 16
    plus[(blocks(n, B),)](x, o, n, B=B)
    return o
def reference(n=100):
    return torch.full((n,), helper.STEP + AMOUNT)
'''
HELPER = '''
import triton, triton.language as tl
STEP = 1.0
@triton.jit
def more(v):
    return v + 1.0
'''
write("helper.py", HELPER)
play = Session()
play.load(write("k.py", KERNEL))
play.run()
def verdict(**knobs):
    checked = play.check(0, **knobs)
    return [checked.result.status, checked.result.mismatches]
"""


def test_globals_bound_in_the_console_count(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
import helper
out = {"first": verdict(B=32)}
play.namespace["AMOUNT"] = 5.0
prepared = play.prepare(0, B=32); prepared.run()
out["moved"] = prepared.arguments["o"][0].item()
out["judged by the reference as it is now"] = verdict(B=32)
helper.STEP = 7.0
out["a helper's global"] = verdict(B=32)
helper.STEP = 1.0
out["back"] = verdict(B=32)
out["grid"] = play.prepare(0, B=32).grid[0]
play.namespace["blocks"] = lambda n, B: 2 * -(-n // B)
out["a function typed anew"] = play.prepare(0, B=32).grid[0]
out["untouched"] = play.namespace["AMOUNT"], play.launches[0].arguments["o"][0].item()
answer(out)
"""
    )
    assert got["first"] == ["correct", 0]
    assert got["moved"] == 6.0
    assert got["judged by the reference as it is now"] == ["correct", 0]
    assert got["a helper's global"] == ["wrong", 100]
    assert got["back"] == ["correct", 0]
    assert got["grid"] == 4
    assert got["a function typed anew"] == 8
    assert got["untouched"] == [5.0, 2.0]


def test_a_helper_edited_on_disk_runs_anew(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
out = {"first": verdict(B=32)}
launches = play.launches
write("helper.py", HELPER.replace("1.0", "3.0"))
out["edited"] = verdict(B=32), play.launches[0].arguments["o"][0].item()
out["same text written again"] = [play.launches is launches]
now = play.launches
write("helper.py", HELPER.replace("1.0", "3.0"))
verdict(B=64)
out["same text written again"].append(play.launches is now)
write("helper.py", HELPER.replace("v + 1.0", "v + 4.0"))
out["wrong now"] = verdict(B=32)
answer(out)
"""
    )
    assert got["first"] == ["correct", 0]
    assert got["edited"] == [["correct", 0], 4.0]
    assert got["same text written again"] == [False, True]
    assert got["wrong now"] == ["wrong", 100]


def test_the_environment_counts(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
out = [play.prepare(0, B=32).grid[0]]
os.environ["TIMES"] = "2"
out.append(play.prepare(0, B=32).grid[0])
del os.environ["TIMES"]
out.append(play.prepare(0, B=32).grid[0])
same = play.prepare(0, B=32) is play.prepare(0, B=32)
answer({"grids": out, "kept while nothing changes": same})
"""
    )
    assert got["grids"] == [4, 8, 4]
    assert got["kept while nothing changes"]


def test_compilations_know_of_globals_environment_and_settings(run_engine) -> None:
    got = run_engine(
        """
import os
from playground.engine.session import Session
import triton
play = Session()
play.load(write("k.py", '''
import torch, triton, triton.language as tl
import amounts
AMOUNT = tl.constexpr(3)
@triton.jit
def plus(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, i < n) * 1.5 + AMOUNT + amounts.MORE, i < n)
def example(n=100):
    x, o = torch.zeros(n), torch.empty(n)
    plus[lambda meta: (triton.cdiv(n, meta["B"]),)](x, o, n, B=16)
    return o
''')) if write("amounts.py", "import triton.language as tl\\nMORE = tl.constexpr(0.0)\\n") else 0
play.run()
def compiled(what, stage="ttir"):
    outcome = play.compile(0, target="cuda:90")
    assert outcome.report is not None, [f.text() for f in outcome.findings]
    return what in outcome.asm[stage]
out = {"three": compiled("3.000000e+00")}
play.namespace["AMOUNT"] = triton.language.constexpr(11)
out["eleven"] = compiled("1.100000e+01"), compiled("3.000000e+00")
import amounts
amounts.MORE = triton.language.constexpr(77.0)
out["helper"] = compiled("7.700000e+01")
play.namespace["AMOUNT"] = triton.language.constexpr(3)
out["back"] = compiled("3.000000e+00")
out["fused"] = compiled("fma.rn.f32", "ptx")
os.environ["TRITON_DEFAULT_FP_FUSION"] = "0"
out["not fused"] = compiled("fma.rn.f32", "ptx")
triton.knobs.language.default_fp_fusion = True
out["fused by a setting"] = compiled("fma.rn.f32", "ptx")
play.close()
answer(out)
"""
    )
    assert got["three"]
    assert got["eleven"] == [True, False]
    assert got["helper"]
    assert got["back"]
    assert got["fused"]
    assert not got["not fused"]
    assert got["fused by a setting"]


def test_triton_waits_until_its_mode_is_decided(run_engine) -> None:
    got = run_engine(
        """
import playground.engine.session
answer({"imported": "triton" in sys.modules})
""",
        interpret=False,
        fresh=True,
    )
    assert not got["imported"]
