"""Where a knob enters: values from classes, callers, modules; several at once; what stays alone."""

from __future__ import annotations

PLAY = """
from playground.engine.session import Session
import torch
HEAD = '''
import torch, triton, triton.language as tl
@triton.jit
def copy(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, i < n), i < n)
'''
def opened(name, text, **run):
    play = Session()
    play.load(write(name, text))
    play.found = play.run(**run).findings
    return play
def verdict(play, launch=0, **knobs):
    r = play.check(launch, **knobs).result
    return [r.status, r.against, r.route]
def lines(play, knob, value, launch=0):
    found = play.kept.entries.searched(play, play.launches[launch], knob, value).found
    return [[part[0].line for part in entry.parts] for entry in found]
"""


def test_values_from_callers_classes_and_modules(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
write("sizes.py", "SMALL = 16\\nBLOCKS = {'copy': 4 * SMALL}\\n")
cases = {
"keyword": '''
def inner(x, *, block):
    o = torch.empty_like(x)
    copy[(triton.cdiv(x.numel(), block),)](x, o, x.numel(), B=block)
    return o
def example(n=1000): return inner(torch.randn(n), block=64)
''',
"positional, through a list": '''
def inner(*args):
    copy[(triton.cdiv(args[2], args[3]),)](*args)
def example(n=1000):
    x, o = torch.randn(n), torch.empty(n)
    arguments = [x, o, n, 64]
    inner(*arguments)
    return o
''',
"a helper module": '''
from sizes import BLOCKS
def example(n=1000):
    x, o = torch.randn(n), torch.empty(n)
    copy[(triton.cdiv(n, BLOCKS["copy"]),)](x, o, n, B=BLOCKS["copy"])
    return o
''',
"a class attribute": '''
class Copy(torch.autograd.Function):
    BLOCK = 64
    @staticmethod
    def forward(ctx, x):
        o = torch.empty_like(x)
        copy[(-(-x.numel() // Copy.BLOCK),)](x, o, x.numel(), Copy.BLOCK)
        return o
def example(n=1000): return Copy.apply(torch.randn(n))
''',
"a function's choice": '''
def pick(n):
    if n > 10_000:
        return 1024
    return 64 if n > 100 else 32
def example(n=1000):
    x, o = torch.randn(n), torch.empty(n)
    B = pick(n)
    copy[(triton.cdiv(n, B),)](x, o, n, B=B)
    return o
''',
"a loop": '''
def example(n=1000):
    x, o = torch.randn(n), torch.empty(n)
    for B in (64,):
        copy[(triton.cdiv(n, B),)](x, o, n, B=B)
    return o
''',
"a command line": '''
import argparse
def example(n=1000):
    parser = argparse.ArgumentParser()
    parser.add_argument("--block-size", type=int, default=1 << 6)
    args = parser.parse_args([])
    x, o = torch.randn(n), torch.empty(n)
    copy[(triton.cdiv(n, args.block_size),)](x, o, n, B=args.block_size)
    return o
''',
"the environment": '''
import os
BLOCK = int(os.environ.get("NO_SUCH_BLOCK", "64"))
def example(n=1000):
    x, o = torch.randn(n), torch.empty(n)
    copy[(triton.cdiv(n, BLOCK),)](x, o, n, B=BLOCK)
    return o
''',
"computed from the data": '''
def example(n=1000):
    x, o = torch.randn(n), torch.empty(n)
    B = triton.next_power_of_2(n) // 16
    copy[(triton.cdiv(n, B),)](x, o, n, B=B)
    return o
''',
}
out = {}
for name, text in cases.items():
    play = opened("k.py", HEAD + text)
    before = dict(play.namespace)
    out[name] = [
        play.launches[0].info.config["B"],
        [play.prepare(0, B=b).grid[0] for b in (32, 128)],
        [verdict(play, B=b) for b in (32, 128)],
        all(play.namespace[key] is value for key, value in before.items()),
    ]
answer(out)
"""
    )
    for name, item in got.items():
        assert item == [64, [32, 8], [["correct", "captured", "driver"]] * 2, True], name


def test_one_number_for_two_knobs_and_two_numbers_for_one(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
TILE = '''
@triton.jit
def flip(x, o, M, N, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BN + tl.arange(0, BN)
    m = (r[:, None] < M) & (c[None, :] < N)
    tl.store(o + c[None, :] * M + r[:, None], tl.load(x + r[:, None] * N + c[None, :], m), m)
def flipped(x, BM, BN):
    M, N = x.shape
    o = torch.empty(N, M)
    flip[(triton.cdiv(M, BM), triton.cdiv(N, BN))](x, o, M, N, BM=BM, BN=BN)
    return o
'''
tied = opened("tied.py", HEAD + TILE + '''
def both(x, BLOCK=16):
    M, N = x.shape
    o = torch.empty(N, M)
    grid = (triton.cdiv(M, BLOCK), triton.cdiv(N, BLOCK))
    flip[grid](x, o, M, N, BM=BLOCK, BN=BLOCK)
    return o
def example(): return both(torch.randn(40, 50))
''')
split = opened("split.py", HEAD + TILE + '''
def example():
    BLOCK = 16
    BM = BN = BLOCK
    return flipped(torch.randn(40, 50), BM, BN)
''')
apart = opened("apart.py", HEAD + TILE + '''
def example(): return flipped(torch.randn(40, 50), 16, 16)
''')
out = {}
for name, play in dict(tied=tied, split=split, apart=apart).items():
    moved = play.prepare(0, BM=32)
    out[name] = [moved.grid, moved.effective.as_dict()["BN"], verdict(play, BM=32),
                 play.prepare(0, BM=8, BN=64).grid if name != "tied" else None]
    out[name] += [[one.message for one in play.check(0, BM=32).findings if one.stage == "check"]]
header = tied.export(0, BM=32).text.partition("# grid")[0]
out["header"] = [line for line in header.splitlines() if line.startswith("# config")]
answer(out)
"""
    )
    right = ["correct", "captured", "driver"]
    # One BLOCK decides both: the host can make no other grid, and the effective config says so.
    along = "flip ran with BN=32, not 16: the host code makes it of BM"
    assert got["tied"] == [[2, 2, 1], 32, right, None, [along]]
    assert got["header"] == ["# config    BM=32 BN=32 num_warps=4 num_stages=3 num_ctas=1"]
    assert got["split"] == [[2, 4, 1], 16, right, [5, 1, 1], []]
    assert got["apart"] == [[2, 4, 1], 16, right, [5, 1, 1], []]


def test_a_launch_that_can_be_replayed_alone_runs_no_host_code(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
play = opened("alone.py", HEAD + '''
RUNS = []
import builtins
builtins.RUNS = getattr(builtins, "RUNS", 0)
def example(n=1000):
    builtins.RUNS += 1
    x, o = torch.randn(n), torch.empty(n)
    B = 64
    copy[lambda meta: (triton.cdiv(n, meta["B"]),)](x, o, n, B=B, num_warps=2)
    return o
''')
import builtins
checks = [verdict(play, B=b) for b in (16, 32, 128)]
alone = play.kept.entries.of(play, play.launches[0], "B").alone
closed = opened("closed.py", HEAD + '''
def example(n=1000):
    x, o = torch.randn(n), torch.empty(n)
    B = 64
    copy[lambda meta: (triton.cdiv(n, B),)](x, o, n, B=B)
    return o
''')
answer({"checks": checks, "alone": alone, "runs": builtins.RUNS,
        "closed": [closed.prepare(0, B=16).grid[0], verdict(closed, B=16)]})
"""
    )
    assert got["checks"] == [["correct", "captured", "launch"]] * 3
    assert got["alone"]
    assert got["runs"] == 1
    # A lambda that looks at a name of the host does not follow by itself.
    assert got["closed"] == [63, ["correct", "captured", "driver"]]


def test_the_problem_is_never_changed(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
play = opened("group.py", HEAD + '''
@triton.jit
def scaled(q, s, o, n, GROUP: tl.constexpr):
    i = tl.program_id(0) * GROUP + tl.arange(0, GROUP)
    tl.store(o + i, tl.load(q + i, i < n) * tl.load(s + tl.program_id(0)), i < n)
def example(n=256, group=64):
    torch.manual_seed(0)
    q, s = torch.randn(n), torch.rand(n // group) + 1.0
    o = torch.empty(n)
    scaled[(n // group,)](q, s, o, n, GROUP=group)
    return o
''')
checked = play.check(0, GROUP=32)
knob = play.launches[0].info.knob("GROUP")
size = opened("size.py", HEAD + '''
@triton.jit
def row(x, o, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(o + tl.program_id(0) * N + i, tl.load(x + tl.program_id(0) * N + i) + 1)
def example(m=4, n=64):
    x = torch.randn(m, n)
    o = torch.empty_like(x)
    row[(m,)](x, o, n)
    return o
''')
wrong = size.check(0, N=32)
answer({"group": [checked.result.status, list(checked.derived), knob.derived, knob.note],
        "shapes": list(play.prepare(0, GROUP=32).arguments["s"].shape),
        "size": [wrong.result.status, list(wrong.derived), size.launches[0].info.knob("N").note],
        "sweep": [sorted({c["N"] for c in map(lambda r: r.config, size.sweep(0).rows)})]})
"""
    )
    status, derived, marked, note = got["group"]
    assert (status, derived, marked) == ("wrong", ["GROUP"], True)
    assert note == (
        "the value at line 12 decides the launch's inputs as well: another one is another problem"
    )
    assert got["shapes"] == [4]
    assert got["size"][:2] == ["wrong", ["N"]]
    assert "line 12" in got["size"][2]
    assert got["sweep"] == [[64]]  # a sweep leaves a knob alone that is bound to the data


def test_what_comes_of_the_driver_decides(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
PARTS = HEAD + '''
@triton.jit
def parts(x, p, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(p + tl.program_id(0), tl.sum(tl.load(x + i, i < n, other=0.0)))
def summed(x, B=64):
    n, p = x.numel(), torch.zeros(64)
    parts[lambda meta: (triton.cdiv(n, meta["B"]),)](x, p, n, B=B)
    return p
'''
returned = opened("returned.py", PARTS + '''
def example(n=1000):
    torch.manual_seed(0)
    return summed(torch.randn(n)).sum().item()
''')
asserted = opened("asserted.py", PARTS + '''
def example(n=1000):
    x = torch.randn(n)
    torch.testing.assert_close(summed(x).sum(), x.sum())
''')
refused = opened("refused.py", PARTS + '''
def example(n=1000):
    x = torch.randn(n)
    p = summed(x)
    assert torch.allclose(p[0], x[:64].sum())
''')
script = opened("script.py", PARTS + '''
x = torch.randn(1000)
results = {"total": [summed(x).sum()]}
''')
silent = opened("silent.py", PARTS + '''
def example(n=1000):
    summed(torch.randn(n)).sum()
''')
out = {name: verdict(play, B=32) for name, play in dict(
    returned=returned, asserted=asserted, refused=refused, script=script, silent=silent).items()}
out["text"] = returned.check(0, B=32).result.text()
answer(out)
"""
    )
    assert got["returned"] == ["correct", "captured", "driver"]
    assert got["asserted"] == ["correct", "reference", "driver"]
    assert got["refused"][0] == "wrong"
    assert got["script"] == ["correct", "captured", "driver"]
    assert got["silent"][0] == "wrong"  # nothing tells that the parts may be others
    assert got["text"].endswith("; the driver ran again with it")


def test_a_grid_function_whose_names_have_moved_on(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
play = opened("late.py", HEAD + '''
def example(n=1000):
    x = torch.randn(n)
    outs = [torch.empty(n), torch.empty(n)]
    for o, B in zip(outs, (64, 128)):
        copy[lambda meta: (triton.cdiv(n, B),)](x, o, n, B=B)
    return outs
''')
counts = opened("counts.py", HEAD + '''
def example():
    x, o = torch.randn(64), torch.empty(64)
    for size in (64, 32, 0):
        copy[lambda meta: (triton.cdiv(size, meta["B"]),)](x, o, size, B=16)
    return o
''')
answer({
    "same": [verdict(play, 0), play.prepare(0).grid[0], play.prepare(0, num_warps=8).grid[0]],
    "moved": [play.prepare(0, B=32).grid[0], verdict(play, 0, B=32)],
    "counts": [counts.prepare(0).grid[0], verdict(counts, 0),
               counts.prepare(0, B=8).grid[0], verdict(counts, 0, B=8)],
})
"""
    )
    assert got["same"] == [["correct", "captured", "launch"], 16, 16]
    assert got["moved"] == [32, ["correct", "captured", "driver"]]
    assert got["counts"] == [
        4, ["correct", "captured", "launch"], 8, ["correct", "captured", "driver"],
    ]  # fmt: skip


def test_what_was_launched_is_replayed_though_no_knob_would_take_it(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
from playground.model.knobs import KnobError
play = opened("odd.py", HEAD + '''
def example(n=1000):
    x, o = torch.randn(n), torch.empty(n)
    copy[lambda meta: (triton.cdiv(n, meta["B"]),)](x, o, n, B=64, num_warps=3)
    return o
''')
out = [verdict(play), verdict(play, B=32)]
try:
    play.check(0, num_warps=5)
except KnobError as error:
    out.append("power of two" in str(error))
answer({"out": out})
"""
    )
    right = ["correct", "captured", "launch"]
    assert got["out"] == [right, right, True]


def test_a_file_that_was_open_before_is_not_searched(run_engine) -> None:
    got = run_engine(
        """
from playground.engine.session import Session

TEXT = '''
import torch, triton, triton.language as tl
from SIZES import BLOCK

@triton.jit
def fill(o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, 1.0, mask=i < n)

def main():
    o = torch.empty(100)
    fill[(triton.cdiv(100, BLOCK),)](o, 100, BLOCK=BLOCK)
    return o
'''
write("sizes_a.py", "BLOCK = 64")
write("sizes_b.py", "BLOCK = 64")
session = Session()
files = {}
for name in ("a", "b"):
    session.load(write(f"{name}.py", TEXT.replace("SIZES", f"sizes_{name}")))
    session.run("main()")
    flow = session.kept.entries.flow(session)
    files[name] = sorted(file.rpartition("/")[2] for file in flow.index.calls if ".py" in file)
session.close()
answer(files)
"""
    )
    assert got == {"a": ["a.py", "sizes_a.py"], "b": ["b.py", "sizes_b.py"]}


def test_a_block_size_that_the_grid_has_written_out_once_an_axis(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
TEXT = HEAD + '''
@triton.jit
def flip(x, o, M, N, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BN + tl.arange(0, BN)
    m = (r[:, None] < M) & (c[None, :] < N)
    tl.store(o + c[None, :] * M + r[:, None], tl.load(x + r[:, None] * N + c[None, :], m), m)
def example():
    x = torch.randn(100, 150)
    o = torch.empty(150, 100)
    flip[(triton.cdiv(100, 32), triton.cdiv(150, 32))](x, o, 100, 150, BM=32, BN=32)
    return o
'''
def moved(**knobs):
    play = opened("axes.py", TEXT)
    told = verdict(play, **knobs)
    made = play.prepare(0, **knobs)
    return [told, list(made.grid), made.effective.as_dict()["BM"], made.effective.as_dict()["BN"]]
out = {
    "less": moved(BM=16), "other axis": moved(BN=16), "more": moved(BM=64),
    "both": moved(BM=16, BN=64), "both less": moved(BM=16, BN=16), "both more": moved(BM=64, BN=64),
}
play = opened("axes.py", TEXT)
counted = play.coverage(0, BM=16)
out["counted"] = [list(counted.grid), [one.unwritten for one in counted.tensors]]
play = opened("axes.py", TEXT)
out["exported"] = [
    line.strip() for line in play.export(0, BM=16).text.splitlines() if "flip[" in line
]
answer(out)
"""
    )
    right = ["correct", "captured", "driver"]
    # 100 rows and 150 columns: each axis follows its own knob, and the other stays as captured.
    assert got["less"] == [right, [7, 5, 1], 16, 32]
    assert got["other axis"] == [right, [4, 10, 1], 32, 16]
    assert got["more"] == [right, [2, 5, 1], 64, 32]
    assert got["both"] == [right, [7, 3, 1], 16, 64]
    assert got["both less"] == [right, [7, 10, 1], 16, 16]
    assert got["both more"] == [right, [2, 3, 1], 64, 64]
    assert got["counted"] == [[7, 5, 1], [None, 0]]
    assert got["exported"] == [
        "flip[(triton.cdiv(100, 16), triton.cdiv(150, 32))]"
        "(x, o, 100, 150, BM=16, BN=32, num_warps=4, num_stages=3)"
    ]
