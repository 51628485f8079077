"""Capture, replay and checks on the GPU."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.gpu

PLAY = """
import torch, time
from playground.engine.session import Session
play = Session()
def status(launch=0, **knobs):
    checked = play.check(launch, **knobs)
    return [checked.result.status, checked.result.against, checked.result.text()]
def ran(text, driver=None, **sizes):
    play.load(write("k.py", text))
    return play.run(driver, sizes=sizes)
HEAD = '''
import torch, triton, triton.language as tl
'''
"""


def test_bundled_kernels_are_right_under_many_configs(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
out = {"mode": play.device.mode}
ran(open(KERNELS / "vector_add.py").read())
out["add"] = [status(BLOCK_SIZE=b, num_warps=w) for b in (64, 1024, 8192) for w in (1, 4, 8)]
ran(open(KERNELS / "softmax.py").read())
out["softmax"] = [status(BLOCK_SIZE=b) for b in (512, 1024, 4096)]
out["derived"] = play.check(0, BLOCK_SIZE=512).derived
for dtype in ("float16", "bfloat16", "float32"):
    ran(open(KERNELS / "matmul.py").read(), f"example(300, 200, 500, torch.{dtype})")
    out[dtype] = [status(BLOCK_M=m, BLOCK_N=n, BLOCK_K=k, num_stages=s)
                  for m, n, k, s in ((64, 64, 32, 3), (128, 64, 64, 4), (16, 128, 16, 1))]
answer(out)
""",
        interpret=False,
    )
    assert got["mode"] == "gpu"
    for name in ("add", "float16", "bfloat16", "float32"):
        assert [item[:2] for item in got[name]] == [["correct", "reference"]] * len(got[name]), got
    assert [item[0] for item in got["softmax"]] == ["wrong", "correct", "correct"]
    assert got["derived"] == ["BLOCK_SIZE"]


def test_the_shortest_launch_is_the_same_launch(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
ran(open(KERNELS / "vector_add.py").read(), size=1 << 20)
prepared = play.prepare(0, BLOCK_SIZE=512)
first = prepared.run()
x, y, o = (prepared.arguments[n] for n in ("x_ptr", "y_ptr", "out_ptr"))
out = {"first": torch.equal(o, x + y), "kernel": first.n_regs > 0}
prepared.restore()
out["poisoned"] = bool(o.isnan().all())
again = prepared.run()
out["again"] = [torch.equal(o, x + y), again is first]
prepared.restore()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    prepared.run()
torch.cuda.synchronize()
out["captured only"] = bool(o.isnan().all())
graph.replay()
torch.cuda.synchronize()
out["graph"] = torch.equal(o, x + y)
stream = torch.cuda.Stream()
other = prepared.clone()
stream.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(stream):
    other.run()
stream.synchronize()
out["clone"] = [torch.equal(other.arguments["out_ptr"], x + y),
                other.arguments["out_ptr"].data_ptr() != o.data_ptr()]
torch.cuda.synchronize()
start = time.perf_counter()
for _ in range(200):
    prepared.run()
out["host_us"] = (time.perf_counter() - start) / 200 * 1e6
torch.cuda.synchronize()
out["grid"] = prepared.grid
out["user"] = torch.equal(play.result, play.launches[0].arguments["out_ptr"])
steps = ("compile", "check", "coverage")
play.replay(0, BLOCK_SIZE=512, steps=steps)
start = time.perf_counter()
play.replay(0, BLOCK_SIZE=512, steps=steps)
out["cached_ms"] = (time.perf_counter() - start) * 1e3
start = time.perf_counter()
play.prepare(0, BLOCK_SIZE=512)
torch.cuda.synchronize()
out["prepare_ms"] = (time.perf_counter() - start) * 1e3
print(out)
answer(out)
""",
        interpret=False,
    )
    assert got["first"]
    assert got["kernel"]
    assert got["poisoned"]
    assert got["again"] == [True, True]
    assert got["captured only"]
    assert got["graph"]
    assert got["clone"] == [True, True]
    assert got["grid"] == [2048, 1, 1]
    assert got["user"]


def test_in_place_atomics_tuple_grids_and_tuning(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
ran(HEAD + '''
@triton.jit
def total(x, s, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(s, tl.sum(tl.load(x + i, i < n, other=0.0)))
@triton.jit
def twice(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, i < n) * 2, i < n)
@triton.autotune([triton.Config({"B": 256}, num_warps=2), triton.Config({"B": 512})], key=["n"])
@triton.heuristics({"EVEN": lambda a: a["n"] % a["B"] == 0})
@triton.jit
def tuned(x, o, n, B: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    if EVEN:
        tl.store(o + i, tl.load(x + i) + 1)
    else:
        tl.store(o + i, tl.load(x + i, i < n) + 1, i < n)
def example(n=1000):
    x, s = torch.ones(n, device="cuda"), torch.zeros(1, device="cuda")
    o = torch.empty_like(x)
    BLOCK = 128
    total[(triton.cdiv(n, BLOCK),)](x, s, n, B=BLOCK)
    twice[(triton.cdiv(n, BLOCK),)](x, n, BLOCK)
    tuned[lambda m: (triton.cdiv(n, m["B"]),)](x, o, n)
    kernel = twice.warmup(x, n, 64, grid=(1,))
    kernel[(triton.cdiv(n, 64), 1, 1)](x, n, 64)
    return s, o
def reference(n=1000):
    return torch.tensor([1000.0], device="cuda"), torch.full((n,), 3.0, device="cuda")
''')
prepared = play.prepare(0, B=64)
for _ in range(3):
    prepared.restore(); prepared.run()
out = {"sum": prepared.arguments["s"].item(), "grid": prepared.grid}
out["checks"] = [status(0)[:2], status(0, B=64)[:2], status(1, B=512)[:2],
                 *(status(2, B=b)[:2] for b in (128, 256, 512))]
out["launches"] = [l.info.kernel for l in play.launches]
out["config"] = play.launches[2].info.config.as_dict()["num_warps"]
out["last"] = [play.launches[3].info.grid, play.launches[3].info.config.as_dict()["B"],
               status(3)[:2], status(3, B=256)[:2]]
out["x"] = play.launches[1].arguments["x"].unique().tolist()
answer(out)
""",
        interpret=False,
    )
    assert got["sum"] == 1000.0
    assert got["grid"] == [16, 1, 1]
    assert got["checks"] == [
        ["correct", "reference"], ["correct", "reference"], ["correct", "captured"],
        *[["correct", "reference"]] * 3,
    ]  # fmt: skip
    assert got["launches"] == ["total", "twice", "tuned", "twice"]
    assert got["config"] == 2
    assert got["last"][:3] == [[16, 1, 1], 64, ["correct", "captured"]]
    assert got["x"] == [4.0]


def test_errors_on_the_gpu_are_findings(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
KERNEL = HEAD + '''
@triton.jit
def k(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0)
'''
out = {}
def found(name, text):
    out[name] = [[f.severity, f.stage, f.line, f.message, f.hint] for f in ran(text).findings]
found("cpu", KERNEL + '''
def example():
    k[(1,)](torch.ones(16), B=16)
''')
found("arange", KERNEL + '''
def example():
    k[(1,)](torch.ones(16, device="cuda"), B=12)
''')
ran(open(KERNELS / "matmul.py").read())
play.replay(0, BLOCK_M=256, BLOCK_N=256, BLOCK_K=128, num_stages=4)
out["resources"] = [[f.severity, f.stage, f.message] for f in play.last.findings]
out["still"] = status()[0]
answer(out)
""",
        interpret=False,
    )
    assert got["cpu"][0][:3] == ["error", "driver", 9]
    assert "device='cuda'" in got["cpu"][0][4]
    assert got["arange"][0][:3] == ["error", "compile", 6]
    assert got["resources"][0][:2] == ["error", "resources"]
    assert got["still"] == "correct"


def test_an_illegal_access_is_fatal_and_says_so(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
from playground.engine.findings import FatalError
kind = text = ""
try:
    ran(HEAD + '''
@triton.jit
def k(x, far, B: tl.constexpr):
    tl.store(x + far + tl.arange(0, B), 1.0)
def example():
    k[(1,)](torch.ones(16, device="cuda"), 1 << 40, B=16)
''')
except FatalError as error:
    kind = "fatal"
    found = play.finding(error, "driver")
    text = [found.stage, found.message, found.hint]
answer({"kind": kind, "text": text})
import os
sys.stdout.flush()
os._exit(0)
""",
        interpret=False,
    )
    assert got["kind"] == "fatal"
    assert got["text"][0] == "runtime"
    assert "illegal" in got["text"][1]
    assert "restarted" in got["text"][2]


def test_a_large_launch_keeps_its_snapshot(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
started = time.perf_counter()
ran(open(KERNELS / "vector_add.py").read(), size=1 << 26)
run_s = time.perf_counter() - started
started = time.perf_counter()
checked = status(BLOCK_SIZE=2048)
first_ms = (time.perf_counter() - started) * 1e3
snapshot = play.launches[0].snapshot
out = {"checked": checked[0], "run_s": run_s, "first_ms": first_ms,
       "on": sorted({str(i.saved.device) for i in snapshot.images.values()})}
print(out)
answer(out)
""",
        interpret=False,
    )
    assert got["checked"] == "correct"
    assert got["on"] == ["cuda:0"]


OUTSIDE = """
@triton.jit
def copy(x, o, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i))
def example():
    x, o = torch.arange(20.0, device="cuda"), torch.zeros(20, device="cuda")
    copy[(2,)](x, o, B=16)
    return o
"""


def test_a_store_beside_a_tensor_is_caught_by_its_guard(run_engine) -> None:
    got = run_engine(
        PLAY
        + f"""
ran(HEAD + {OUTSIDE!r})
first = play.check(0)
fewer = play.check(0, B=8)
counted = play.coverage(0)
answer({{
    "status": [first.result.status, fewer.result.status],
    "told": [[f.severity, f.message] for f in first.findings],
    "fewer": [f.message for f in fewer.findings],
    "traced": [[p.tensor, p.kind, p.lanes] for p in counted.out_of_bounds],
}})
""",
        interpret=False,
    )
    assert got["status"] == ["correct", "wrong"]  # 16 lanes leave 4 elements out, and stay inside
    # 32 lanes store to 20 elements: 12 go beyond.
    assert ["error", "copy wrote outside of o: 12 elements, the first 1 past its end"] in got[
        "told"
    ]
    assert not any("wrote outside" in message for message in got["fewer"])
    assert sorted(got["traced"]) == [["o", "store", 12], ["x", "load", 12]]
