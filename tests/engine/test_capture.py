"""Every launch is captured, with what the kernel really saw."""

from __future__ import annotations

FILE = """
import torch, triton, triton.language as tl

@triton.jit
def helper(v):
    return v * 2

@triton.jit
def plain(x_ptr, o_ptr, n, B: tl.constexpr, DT: tl.constexpr, FLAG: tl.constexpr = True):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = helper(tl.load(x_ptr + i, i < n))
    tl.store(o_ptr + i, v.to(DT), i < n)

@triton.autotune([triton.Config({"B": 32}, num_warps=2), triton.Config({"B": 64})], key=["n"],
                 reset_to_zero=["o_ptr"])
@triton.jit
def tuned(x_ptr, o_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o_ptr + i, tl.load(o_ptr + i, i < n) + tl.load(x_ptr + i, i < n), i < n)

@triton.autotune([triton.Config({"B": 64}), triton.Config({"B": 128})], key=[])
@triton.heuristics({"B": lambda a: min(a["B"], 32), "EVEN": lambda a: a["n"] % a["B"] == 0})
@triton.jit
def inner_heuristics(o_ptr, n, B: tl.constexpr, EVEN: tl.constexpr):
    tl.store(o_ptr + tl.program_id(0), B)

@triton.heuristics({"EVEN": lambda a: a["n"] % 64 == 0})
@triton.autotune([triton.Config({"B": 64}), triton.Config({"B": 128})], key=["n"])
@triton.jit
def outer_heuristics(o_ptr, n, B: tl.constexpr, EVEN: tl.constexpr):
    tl.store(o_ptr + tl.program_id(0), B)

@triton.autotune([triton.Config({"B": 64}), triton.Config({"B": 16})], key=[])
@triton.jit
def asserting(o_ptr, LIMIT: tl.constexpr, B: tl.constexpr):
    tl.static_assert(B <= LIMIT, "tile too wide")
    tl.store(o_ptr + tl.arange(0, B), 1.0)

@triton.jit
def three(o_ptr, B: tl.constexpr):
    p = tl.program_id(0) + tl.num_programs(0) * (
        tl.program_id(1) + tl.num_programs(1) * tl.program_id(2))
    tl.store(o_ptr + p, p)

class Launcher(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        o = torch.empty_like(x)
        three[(x.numel(),)](o, 1)
        return o
    @staticmethod
    def backward(ctx, g):
        o = torch.empty_like(g)
        three[(g.numel(),)](o, B=2)
        return o

def example():
    x, o = torch.arange(100.0), torch.empty(100)
    blocks = lambda meta: (triton.cdiv(meta["n"], meta["B"]),)
    plain[blocks](x, o, 100, 32, DT=tl.float32, num_warps=8)
    t = torch.full((100,), 5.0)
    tuned[lambda meta: (triton.cdiv(100, meta["B"]),)](x, t, 100)
    tuned[lambda meta: (triton.cdiv(100, meta["B"]),)](x, t, 100)
    s = torch.empty(4, dtype=torch.int32)
    inner_heuristics[lambda meta: (2 if int(meta["B"]) == 32 else 3,)](s, 100)
    outer_heuristics[(2,)](s, 100)
    asserting[(1,)](o, 32)
    c = torch.empty(24, dtype=torch.int32)
    three[[2, 3, 4]](c, B=1)
    three[(2, 3)](c, 1)
    three[5](c, 1)
    three[(0,)](c, 1)
    y = Launcher.apply(torch.zeros(6, requires_grad=True))
    y.sum().backward()
    return c
"""

SESSION = f"""
FILE = {FILE!r}
from playground.engine.session import Session
play = Session()
play.load(write("k.py", FILE))
result = play.run()
L = [launch.info for launch in play.launches]
"""


def test_every_kind_of_launch(run_engine) -> None:
    got = run_engine(
        SESSION
        + """
import torch
from playground.protocol.codec import encode
encode(result, 1)
def left(index):
    launch = play.launches[index]
    return launch.snapshot.result(launch.arguments["o_ptr"]).tolist()
answer({
    "kernels": [l.kernel for l in L],
    "grids": [l.grid for l in L],
    "kinds": [l.grid_kind for l in L],
    "wrappers": [l.wrappers for l in L],
    "configs": [l.config.as_dict() for l in L],
    "presets": [[p.config.as_dict() for p in l.presets] for l in L],
    "knobs": [[(k.name, k.kind, k.origin) for k in l.knobs] for l in L],
    "lines": [(l.line, l.call_line) for l in L],
    "written": [list(x.snapshot.written) for x in play.launches],
    "findings": [f.text() for f in result.findings],
    "o": left(0)[:3],
    "t": [left(i)[1] for i in (1, 2)],
    "s": left(3)[:2],
    "c": left(6),
    "text": FILE.splitlines(),
    "repr": repr(play.launches),
    "arguments": [(a.name, a.kind, a.text) for a in L[0].arguments],
})
"""
    )
    assert got["kernels"] == [
        "plain", "tuned", "tuned", "inner_heuristics", "outer_heuristics", "asserting", "three",
        "three", "three", "three", "three", "three",
    ]  # fmt: skip
    assert got["grids"] == [
        [4, 1, 1], [4, 1, 1], [4, 1, 1], [2, 1, 1], [2, 1, 1], [1, 1, 1], [2, 3, 4], [2, 3, 1],
        [5, 1, 1], [0, 1, 1], [6, 1, 1], [6, 1, 1],
    ]  # fmt: skip
    assert got["kinds"][:2] == ["callable"] * 2
    assert got["kinds"][6] == "fixed"
    assert got["wrappers"][3] == ["autotune", "heuristics"]
    assert got["wrappers"][4] == ["heuristics", "autotune"]
    plain = got["configs"][0]
    assert (plain["B"], plain["DT"], plain["FLAG"], plain["num_warps"]) == (
        32, "tl.float32", True, 8,
    )  # fmt: skip
    assert plain["num_stages"] == 3
    assert plain["num_ctas"] == 1
    assert plain["maxnreg"] is None
    kinds = {name: (kind, origin) for name, kind, origin in got["knobs"][0]}
    assert kinds["B"] == ("pow2", "constexpr")
    assert kinds["DT"] == ("choice", "constexpr")
    assert kinds["FLAG"] == ("bool", "constexpr")
    assert kinds["num_ctas"] == ("pow2", "option")
    assert got["configs"][1]["B"] == 32
    assert got["configs"][1]["num_warps"] == 2
    assert [preset["B"] for preset in got["presets"][1]] == [32, 64]
    assert [preset["num_warps"] for preset in got["presets"][1]] == [2, 4]
    # The kernel saw 32, whatever the tuning config says.
    assert got["configs"][3]["B"] == 32
    assert got["configs"][3]["EVEN"] is False
    assert got["s"] == [32, 32]
    assert [preset["B"] for preset in got["presets"][3]] == [32, 32]
    assert got["configs"][4]["B"] == 64
    assert got["configs"][5]["B"] == 16
    assert any("tile too wide" in text or "B: 64" in text for text in got["findings"])
    assert got["o"] == [0.0, 2.0, 4.0]
    # Zeroed once, after tuning would have been, and not on the second call.
    assert got["t"] == [1.0, 2.0]
    assert got["c"] == list(range(24))
    assert got["written"][0] == ["o_ptr"]
    assert got["written"][9] == []
    lines = got["text"]
    for (line, call_line), kernel in zip(got["lines"], got["kernels"], strict=True):
        assert lines[line - 1].startswith(f"def {kernel}(")
        assert f"{kernel}[" in lines[call_line - 1]
    assert got["repr"].splitlines()[1].split()[:3] == ["0", "plain", str(got["lines"][0][1])]
    assert ["x_ptr", "tensor", "float32[100]"] in got["arguments"]
    assert ["n", "int", "100"] in got["arguments"]
    assert ["DT", "constexpr", "tl.float32"] in got["arguments"]


def test_launches_of_the_console_are_not_recorded_and_run_as_ever(run_engine) -> None:
    got = run_engine(
        SESSION
        + """
import torch
c = torch.zeros(24, dtype=torch.int32)
play.namespace["three"][(2, 3, 4)](c, B=1)
from triton.runtime.interpreter import InterpretedFunction
from triton.runtime.autotuner import Autotuner
answer({"launches": len(play.launches), "c": c.tolist(),
        "unhooked": "hooked" not in InterpretedFunction.run.__qualname__
                    and Autotuner.run.__module__ == "triton.runtime.autotuner"})
"""
    )
    assert got == {"launches": 12, "c": list(range(24)), "unhooked": True}


def test_helper_modules_and_scripts(run_engine) -> None:
    got = run_engine(
        """
from playground.engine.session import Session
write("my_ops.py", '''
    import torch, triton, triton.language as tl
    @triton.jit
    def fill(o_ptr, n, B: tl.constexpr):
        i = tl.program_id(0) * B + tl.arange(0, B)
        tl.store(o_ptr + i, 7.0, i < n)
    def filled(n, block=32):
        o = torch.empty(n)
        grid = (triton.cdiv(n, block),)
        fill[grid](o, n, B=block)
        return o
''')
path = write("script.py", '''
    import sys, torch
    from my_ops import filled
    def go():
        return filled(100)
    if __name__ == "__main__":
        out = go()
        argument = list(sys.argv)
        sys.exit(3)
''')
play = Session()
play.load(path)
result = play.run()
captured = play.launches[0]
wider = play.prepare(0, B=16)
wider.run()
answer({
    "findings": [f.text() for f in result.findings],
    "files": [captured.info.file, captured.info.call_line],
    "folder": str(FOLDER), "argv": play.namespace["argument"], "path": path,
    "name": play.namespace["__name__"],
    "modified": result.modified_files,
    "grid": captured.info.grid, "wider": wider.grid,
    "right": [play.check(0, B=b).result.status for b in (16, 32, 64, 128)],
})
"""
    )
    assert [item.split("itself: ")[1] for item in got["findings"]] == ["exit status 3"]
    assert got["files"] == [got["folder"] + "/my_ops.py", 5]
    assert got["argv"] == [got["path"]]
    assert got["name"] == "__main__"
    assert got["modified"] == [got["folder"] + "/my_ops.py"]
    assert got["grid"] == [4, 1, 1]
    assert got["wider"] == [7, 1, 1]
    assert got["right"] == ["correct"] * 4
