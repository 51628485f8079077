"""The session as the window, the console and programs use it."""

from __future__ import annotations


def test_replies_come_step_by_step_and_are_remembered(run_engine) -> None:
    got = run_engine(
        """
import time
import playground
from playground.engine.job import Job
play = playground.open(KERNELS / "vector_add.py")
outline = [d.code for d in play.outline.drivers]
nothing_ran = play.namespace == {} and len(play.launches) == 0
empty = repr(play)
result = play.run(sizes={"size": 5000})
sent = []
config = play.launches[0].info.config.with_value("BLOCK_SIZE", 256)
last = play.replay(0, config, job=Job(sent.append), revision=7, budget_ms=1)
first = [[type(r).__name__, r.revision] for r in sent if hasattr(r, "revision")]
again = []
steps = ("compile", "check", "coverage")
start = time.perf_counter()
play.replay(0, config, steps, job=Job(again.append), revision=8, budget_ms=1)
again_ms = (time.perf_counter() - start) * 1e3
kinds = {type(r).__name__: r for r in sent}
measured = kinds["Measured"].measurement
out = {
    "outline": outline, "nothing_ran": nothing_ran, "empty": empty, "first": first,
    "grid": kinds["Covered"].coverage.grid, "checked": kinds["Checked"].result.text(),
    "source": measured.source, "bandwidth": measured.bandwidth_gbps,
    "same": play.measured(0, config) is measured,
    "report": [kinds["Compiled"].report.target, kinds["Compiled"].report.shared_bytes],
    "again": [[type(r).__name__, r.revision] for r in again if hasattr(r, "revision")],
    "again_ms": again_ms,
    "counts": play.kept.counts[(0, config)].summary().tensor("out_ptr").stores.total,
    "ptx": ".target sm_90" in play.last.asm["ptx"],
    "last": repr(last), "play": repr(play), "launch": repr(play.launches[0]),
    "by_name": play.replay(BLOCK_SIZE=512, steps=("check",)).config.as_dict()["BLOCK_SIZE"],
    "globals": "add_kernel" in play.namespace,
    "elapsed": result.elapsed_ms > 0, "result": result.result[:7],
}
for wrong in (lambda: play.launches[3], lambda: play.check(0, BLOCK=3),
              lambda: play.check(0, BLOCK_SIZE=100), lambda: play.coverage(sample=0)):
    try:
        wrong()
    except Exception as error:
        out.setdefault("refused", []).append([type(error).__name__, str(error)])
play.close()
answer(out)
"""
    )
    assert got["outline"] == ["example()", ""]
    assert got["nothing_ran"]
    assert "vector_add.py on interpreter: no GPU timings, 0 launches" in got["empty"]
    assert got["first"] == [["Compiled", 7], ["Checked", 7], ["Measured", 7], ["Covered", 7]]
    assert got["grid"] == [20, 1, 1]
    assert got["checked"].startswith("correct against the reference")
    assert (got["source"], got["bandwidth"], got["same"]) == ("interpreter", None, True)
    assert got["report"] == ["cuda:90", 0]
    assert got["again"] == [["Compiled", 8], ["Checked", 8], ["Covered", 8]]
    assert got["again_ms"] < 40
    assert got["counts"] == 5000
    assert got["ptx"]
    assert "add_kernel BLOCK_SIZE=256" in got["last"]
    assert "interpreter wall time" in got["last"]
    assert "add_kernel" in got["play"]
    assert "add_kernel[5, 1, 1] BLOCK_SIZE=1024" in got["launch"]
    assert got["by_name"] == 512
    assert got["globals"]
    assert got["elapsed"]
    assert got["result"] == "tensor("
    kinds = [kind for kind, _ in got["refused"]]
    assert kinds == ["IndexError", "KnobError", "KnobError", "ValueError"]
    assert "128" in got["refused"][2][1]


def test_cancelling_and_interrupting_leave_the_session_usable(run_engine) -> None:
    got = run_engine(
        """
import builtins, os, signal
from playground.engine.job import CancelledError, Job
from playground.engine.session import Session
play = Session()
play.load(write("slow.py", '''
    import builtins, threading
    import torch, triton, triton.language as tl
    stop = getattr(builtins, "stop_the_launch", None)
    @triton.jit
    def slow(o, n, B: tl.constexpr):
        i = tl.program_id(0) * B + tl.arange(0, B)
        tl.store(o + i, 1.0, i < n)
    def example(n=2000):
        o = torch.empty(n)
        # The launch that follows takes minutes: what stops it comes while it runs.
        if stop is not None:
            threading.Timer(1.5, stop).start()
        slow[lambda m: (triton.cdiv(n, m["B"]),)](o, n, B=1)
        return o
'''))
out = {"first": len(play.run(sizes={"n": 10}).launches)}
job = Job()
builtins.stop_the_launch = job.cancel
result = play.run(sizes={"n": 2_000_000}, job=job)
out["cancelled"] = [[f.stage, f.message] for f in result.findings], len(result.launches)
builtins.stop_the_launch = lambda: os.kill(os.getpid(), signal.SIGINT)
result = play.run(sizes={"n": 2_000_000})
builtins.stop_the_launch = None
out["interrupted"] = [[f.stage, f.message] for f in result.findings], len(result.launches)
out["unjudged"] = play.launches[0].error is not None
job = Job()
job.cancel()
result = play.run(job=job)  # stopped beside the user's code, with the last run forgotten
out["beside"] = [[f.stage, f.message] for f in result.findings], len(result.launches)
out["after"] = play.run(sizes={"n": 20}).launches[0].grid
job = Job()
job.cancel()
try:
    play.replay(0, job=job)
except CancelledError:
    out["replay"] = "cancelled"
sent = []
job = Job(lambda reply: (sent.append(reply), job.cancel()))
try:
    play.replay(0, steps=("check", "measure"), job=job)
except CancelledError:
    out["between"] = [type(r).__name__ for r in sent]
out["check"] = play.check(0).result.status
play.close()
answer(out)
"""
    )
    assert got["first"] == 1
    assert got["cancelled"] == [[["driver", "interrupted"]], 1]
    assert got["interrupted"] == [[["driver", "interrupted"]], 1]
    assert got["unjudged"]
    assert got["beside"] == [[["driver", "interrupted"]], 0]
    assert got["after"] == [20, 1, 1]
    assert got["replay"] == "cancelled"
    assert got["between"] == ["Checked"]
    assert got["check"] == "correct"


def test_triton_imported_too_early_says_what_to_do(run_engine) -> None:
    got = run_engine(
        """
import triton
from playground.engine.machine import has_nvidia_gpu
from playground.engine.interpreting import EngineModeError
from playground.engine.session import Session
text = ""
try:
    Session()
except EngineModeError as error:
    text = str(error)
answer({"text": text, "gpu": has_nvidia_gpu()})
""",
        interpret=False,
    )
    assert got["gpu"] or "set TRITON_INTERPRET=1" in got["text"]


def test_opening_a_file_decides_the_mode_before_triton_is_imported(run_engine) -> None:
    got = run_engine(
        """
import playground
from playground.engine import session  # all that a session needs, imported first
early = sorted(name for name in ("torch", "triton") if name in sys.modules)
play = playground.open(KERNELS / "vector_add.py")
play.run(sizes={"size": 1000})
answer({"early": early, "mode": play.device.mode, "check": play.check().result.status})
play.close()
""",
        interpret=False,
        fresh=True,
    )
    assert "triton" not in got["early"]
    assert got["mode"] in ("interpreter", "gpu")
    assert got["check"] == "correct"


def test_edits_and_drivers(run_engine) -> None:
    got = run_engine(
        """
from playground.engine.session import Session
play = Session()
TEXT = '''
import torch, triton, triton.language as tl
@triton.jit
def fill(o, n, V: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, V, i < n)
def filled(n, value):
    o = torch.empty(n)
    fill[(triton.cdiv(n, 16),)](o, n, V=value, B=16)
    return o
def example(n=20):
    return filled(n, 1)
if __name__ == "__main__":
    filled(40, 2)
'''
play.load("/nowhere/unsaved.py", TEXT)
out = {"unsaved": [play.run().result[:11], play.launches[0].info.grid]}
play.load("/nowhere/unsaved.py", TEXT.replace("filled(n, 1)", "filled(n, 5)"))
play.run()
out["edited"] = play.result.tolist()[0]
play.run("")
out["main"] = [play.launches[0].info.grid, play.driver.kind, play.namespace["__name__"]]
play.run("x = filled(100, 3)\\nfor _ in range(2):\\n    filled(10, 4)\\nx")
out["typed"] = [[l.info.grid[0] for l in play.launches], play.driver.kind, play.driver.label]
out["ordinals"] = [[l.info.count, l.ordinals] for l in play.launches]
out["check"] = [play.check(i).result.status for i in range(2)]
play.run("filled(")
out["bad driver"] = [[f.stage, f.message] for f in play.findings]
play.load("/nowhere/unsaved.py", "def f(:")
result = play.run()
out["syntax"] = [[f.stage, f.line] for f in result.findings], len(result.launches)
play.close()
answer(out)
"""
    )
    assert got["unsaved"] == ["tensor([1.,", [2, 1, 1]]
    assert got["edited"] == 5.0
    assert got["main"] == [[3, 1, 1], "main", "__main__"]
    assert got["typed"] == [[7, 1], "typed", "x = filled(100, 3)"]
    assert got["ordinals"] == [[1, [0]], [2, [1, 2]]]
    assert got["check"] == ["correct"] * 2
    assert got["bad driver"][0][0] == "syntax"
    assert got["syntax"] == [[["syntax", 1]], 0]


def test_a_config_that_only_the_interpreter_takes_is_told_by_check_and_bench(run_engine) -> None:
    got = run_engine(
        """
import playground
path = write("small_dot.py", '''
import torch, triton, triton.language as tl

@triton.jit
def product(a, b, c, K: tl.constexpr):
    rows, inner = tl.arange(0, 16), tl.arange(0, K)
    left = tl.load(a + rows[:, None] * K + inner[None, :])
    right = tl.load(b + inner[:, None] * 16 + rows[None, :])
    tl.store(c + rows[:, None] * 16 + rows[None, :], tl.dot(left, right))

def example(K=8):
    a, b = torch.ones(16, K).half(), torch.ones(K, 16).half()
    c = torch.zeros(16, 16)
    print("SAID BY THE DRIVER")
    product[(1,)](a, b, c, K)
    return c
''')
play = playground.open(path)
play.run("example()")
checked = play.check()
measured = play.bench(budget_ms=1)
told = [[item.severity, item.stage, item.message, item.hint, item.detail]
        for item in checked.findings if item.stage == "compile"]
play.run("example(16)")
fine = [item.message for item in play.check().findings if item.stage == "compile"]
again = list(play.bench(budget_ms=1).notes)
play.close()
answer({"status": checked.result.status, "told": told, "notes": list(measured.notes),
        "fine": fine, "again": again})
"""
    )
    assert got["status"] == "correct"
    ((severity, stage, message, hint, detail),) = got["told"]
    assert (severity, stage) == ("error", "compile")
    assert "K >= 16" in message
    assert hint
    assert "SAID BY THE DRIVER" not in detail
    assert any(note.startswith("cannot run on ") and "K >= 16" in note for note in got["notes"])
    assert got["fine"] == []
    assert not any("cannot run" in note for note in got["again"])
