"""Like launches are one, counted; what they cost, and how a later one is found again."""

from __future__ import annotations

FILE = """
import torch, triton, triton.language as tl

def shifted(offset):
    @triton.jit
    def kernel(x_ptr, o_ptr, n, B: tl.constexpr):
        i = tl.program_id(0) * B + tl.arange(0, B)
        tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) + offset, i < n)
    return kernel

@triton.jit
def step(x_ptr, t, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x_ptr + i, tl.load(x_ptr + i, i < n) + t, i < n)

def example(steps=40):
    x = torch.zeros(1000)
    for t in range(1, steps + 1):
        step[lambda meta: (triton.cdiv(1000, meta["B"]),)](x, t, 1000, B=256)
    for size in (64, 128, 64):
        o = torch.empty(size)
        step[(1,)](o.fill_(0.0), 1, size, B=128)
    five, seven = shifted(tl.constexpr(5)), shifted(tl.constexpr(7))
    for kernel in (five, seven, five):
        out = torch.empty(1000)
        kernel[lambda meta: (triton.cdiv(1000, meta["B"]),)](x, out, 1000, B=256)
    return out
"""

SESSION = f"""
FILE = {FILE!r}
from playground.engine.session import Session
play = Session()
play.load(write("k.py", FILE))
result = play.run()
L = [launch.info for launch in play.launches]
"""


def test_like_launches_are_one_and_counted(run_engine) -> None:
    got = run_engine(
        SESSION
        + """
answer({
    "rows": [(l.kernel, l.grid, l.count) for l in L],
    "ordinals": [x.ordinals for x in play.launches],
    "kept": [len(x.snapshot.images) for x in play.launches],
    "result": play.result[:2].tolist(),
    "shown": repr(play.launches).splitlines()[1],
    "one": repr(play.launches[0]),
    "checks": [play.check(i, B=128).result.text() for i in range(len(L))],
    "after": [x.snapshot.result(x.arguments["o_ptr"])[0].item() for x in play.launches[3:]],
})
"""
    )
    # The first 40, those of 64 and of 128 elements, and one for each value closed over.
    assert [tuple(row) for row in got["rows"]] == [
        ("step", [4, 1, 1], 40), ("step", [1, 1, 1], 2), ("step", [1, 1, 1], 1),
        ("kernel", [4, 1, 1], 2), ("kernel", [4, 1, 1], 1),
    ]  # fmt: skip
    assert got["ordinals"] == [list(range(40)), [40, 42], [41], [0, 2], [1]]
    assert got["result"] == [825.0, 825.0]  # 1 + 2 + … + 40, and 5
    assert got["after"] == [825.0, 827.0]
    assert "step ×40" in got["shown"]
    assert "×40" in got["one"]
    assert all(text.startswith("correct") for text in got["checks"]), got["checks"]


def test_a_loop_keeps_the_memory_of_one_launch(run_engine) -> None:
    got = run_engine(
        """
from playground.engine import capture
from playground.engine.session import Session
play = Session()
play.load(write("loop.py", '''
    import torch, triton, triton.language as tl
    @triton.jit
    def fill(o_ptr, v, n, B: tl.constexpr):
        i = tl.arange(0, B)
        tl.store(o_ptr + i, v, i < n)
    def example():
        o = torch.zeros(64)
        for v in range(400):
            fill[(1,)](o, v + 1, 64, B=64)
        for n in range(1, 64):
            fill[(1,)](torch.zeros(n), 1, n, B=64)
'''))
capture.KEPT_LAUNCHES = 32
result = play.run()
answer({
    "counts": [l.info.count for l in play.launches],
    "said": [f.message for f in result.findings if "only the first" in f.message],
    "found": play.launches[20].ordinal,
})
"""
    )
    assert got["counts"] == [400] + [1] * 31
    assert len(got["said"]) == 1
    assert got["said"][0].endswith("32 more ran")  # 63 sizes, of which 31 are kept
    assert got["found"] == 419


def test_a_launch_that_raises_is_not_joined(run_engine) -> None:
    got = run_engine(
        """
from playground.engine.session import Session
play = Session()
play.load(write("raises.py", '''
    import torch, triton, triton.language as tl
    @triton.jit
    def picky(o_ptr, v, B: tl.constexpr):
        tl.static_assert(B > 8)
        tl.store(o_ptr + tl.arange(0, B), v)
    @triton.autotune([triton.Config({"B": 8}), triton.Config({"B": 16})], key=[])
    @triton.jit
    def tuned(o_ptr, v, B: tl.constexpr):
        tl.static_assert(B > 8)
        tl.store(o_ptr + tl.arange(0, B), v)
    def example():
        o = torch.zeros(16)
        for v in (1.0, 2.0, 3.0):
            try:
                picky[(1,)](o, v, B=8)
            except Exception:
                pass
        for v in (1.0, 2.0, 3.0):
            tuned[(1,)](o, v)
        return o
'''))
result = play.run()
answer({
    "rows": [(l.info.kernel, l.info.count, l.error is not None, l.info.config["B"], l.ordinals)
             for l in play.launches],
    "o": play.result[0].item(),
    "said": [f.message for f in result.findings if "cannot run" in f.message],
})
"""
    )
    assert got["rows"] == [
        ["picky", 1, True, 8, [0]], ["picky", 1, True, 8, [1]], ["picky", 1, True, 8, [2]],
        ["tuned", 3, False, 16, [0, 1, 2]],
    ]  # fmt: skip
    assert got["o"] == 3.0
    assert len(got["said"]) == 1  # later launches take the config that could run


def test_presets_are_what_the_kernel_would_see(run_engine) -> None:
    got = run_engine(
        """
from playground.engine.session import Session
play = Session()
play.load(write("presets.py", '''
    import torch, triton, triton.language as tl
    configs = [triton.Config({"B": b}, num_warps=w) for b, w in ((16, 1), (64, 2), (256, 4))]
    @triton.jit
    def put(o_ptr, n, B: tl.constexpr, HALF: tl.constexpr, EVEN: tl.constexpr):
        tl.store(o_ptr + tl.arange(0, B), HALF, tl.arange(0, B) < n)
    def prune(configs, named, **meta):
        return [c for c in configs if c.kwargs["B"] <= named["n"]]
    inner = triton.heuristics({"HALF": lambda a: a["B"] // 2})(put)
    tuned = triton.autotune(configs, key=["n"], prune_configs_by={"early_config_prune": prune})(
        inner)
    both = triton.heuristics({"EVEN": lambda a: a["n"] % 64 == 0 and "B" not in a})(tuned)
    def example():
        o = torch.zeros(256)
        both[(1,)](o, 128)
        both[(1,)](o, 64)
        return o
'''))
play.run()
from playground.model.sweep import own_space
answer([
    [[p.config[name] for name in ("B", "HALF", "EVEN", "num_warps")] for p in l.info.presets]
    + [len(own_space(l.info))]
    for l in play.launches
])
"""
    )
    # The third is pruned; the outer heuristic does not see the config's block.
    assert got == [[[16, 8, True, 1], [64, 32, True, 2], 2]] * 2


def test_no_programs_still_return_a_kernel_and_hooks_end_with_the_run(run_engine) -> None:
    got = run_engine(
        """
import triton
from playground.engine.session import Session
play = Session()
play.load(write("hooks.py", '''
    import torch, triton, triton.language as tl
    SEEN = []
    @triton.jit
    def put(o_ptr, n, B: tl.constexpr):
        tl.store(o_ptr + tl.arange(0, B), 1.0, tl.arange(0, B) < n)
    triton.knobs.runtime.launch_enter_hook.add(lambda data: SEEN.append(data.get()["name"]))
    def example():
        o = torch.zeros(16)
        kernel = put[(0,)](o, 16, B=16)
        again = put[(1,)](o, 16, B=16, num_warps=2)
        again[(1, 1, 1)](o, 16, 16)
        return [kernel.metadata.num_warps, again.metadata.num_warps, list(SEEN)]
'''))
play.run()
answer({
    "result": play.result,
    "warps": [l.info.config["num_warps"] for l in play.launches],
    "grids": [l.info.grid for l in play.launches],
    "left": len(triton.knobs.runtime.launch_enter_hook.calls),
})
"""
    )
    assert got["result"] == [4, 2, ["put", "put"]]
    assert got["warps"] == [4, 2, 2]
    assert got["grids"] == [[0, 1, 1], [1, 1, 1], [1, 1, 1]]
    assert got["left"] == 0


def test_a_number_as_grid_is_told(run_engine) -> None:
    got = run_engine(
        """
from playground.engine.session import Session
play = Session()
play.load(write("number.py", '''
    import torch, triton, triton.language as tl
    @triton.jit
    def put(o_ptr):
        tl.store(o_ptr + tl.program_id(0), 1.0)
    def example():
        put[3](torch.zeros(3))
'''))
result = play.run()
answer([(f.severity, f.message, f.hint, f.line) for f in result.findings if "grid" in f.message])
"""
    )
    assert got == [
        ["warning", "the grid of put is a number, which Triton refuses", "write put[(3,)](…)", 7]
    ]
