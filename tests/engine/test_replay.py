"""Replays start from the captured bytes, follow the host's grid, and are judged."""

from __future__ import annotations

PLAY = """
from playground.engine.session import Session
import torch
def opened(name, text, **run):
    play = Session()
    play.load(write(name, text))
    play.found = play.run(**run).findings
    return play
def status(play, launch=0, **knobs):
    checked = play.check(launch, **knobs)
    return [checked.result.status, checked.result.against]
HEAD = '''
import torch, triton, triton.language as tl
'''
"""


def test_in_place_and_shared_storage(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
play = opened("k.py", HEAD + '''
@triton.jit
def soft_(x, n, B: tl.constexpr):
    r = tl.program_id(0); i = tl.arange(0, B); m = i < n
    v = tl.load(x + r * n + i, m, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0)); tl.store(x + r * n + i, e / tl.sum(e, 0), m)
@triton.jit
def total(x, s, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(s, tl.sum(tl.load(x + i, i < n, other=0.0)))
@triton.jit
def shift(src, dst, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(dst + i, tl.load(src + i, i < n), i < n)
def example():
    torch.manual_seed(1)
    x = torch.randn(4, 20)
    soft_[(4,)](x, 20, B=32)
    s = torch.zeros(1); y = torch.ones(64)
    total[lambda m: (triton.cdiv(64, m["B"]),)](y, s, 64, B=16)
    w = torch.zeros(40); w[:32] = torch.arange(32.)
    shift[(4,)](w[:32], w[8:], 32, B=8)
    return x, s, w
def reference():
    torch.manual_seed(1)
    x = torch.randn(4, 20).double().softmax(1)
    return x, torch.tensor([64.0])
''')
first = play.prepare(0)
values = []
for _ in range(3):
    first.restore(); first.run(); values.append(first.arguments["x"].clone())
summed = play.prepare(1)
for _ in range(3):
    summed.restore(); summed.run()
overlap = play.prepare(2)
overlap.restore(); overlap.run()
moved = overlap.arguments["dst"].tolist()
twin = play.prepare(2).clone()
twin.run()
first_twin = twin.arguments["dst"].clone()
answer({
    "same": [torch.equal(values[0], v) for v in values],
    "user": torch.equal(play.launches[0].arguments["x"], values[0]),
    "sum": summed.arguments["s"].item(),
    "overlap": moved == play.result[2][8:].tolist(),
    "shared": overlap.arguments["src"].untyped_storage().data_ptr()
              == overlap.arguments["dst"].untyped_storage().data_ptr(),
    "twin": [first_twin.tolist() == play.result[2][8:].tolist(),
             twin.arguments["dst"].data_ptr() != overlap.arguments["dst"].data_ptr()],
    "checks": [status(play, 0), status(play, 1), status(play, 1, B=64), status(play, 2)],
    "alignment": [overlap.arguments["dst"].data_ptr() % 16, play.result[2][8:].data_ptr() % 16],
    "written": [list(l.snapshot.written) for l in play.launches],
    "storages": [[a.tensor.storage for a in l.info.tensors()] for l in play.launches],
})
"""
    )
    assert got["same"] == [True] * 3
    assert got["user"]
    assert got["sum"] == 64.0
    assert got["overlap"]
    assert got["shared"]
    assert got["twin"] == [True, True]
    assert got["checks"] == [
        ["correct", "reference"], ["correct", "reference"], ["correct", "reference"],
        ["correct", "captured"],
    ]  # fmt: skip
    assert got["alignment"][0] == got["alignment"][1]
    assert got["written"] == [["x"], ["s"], ["src", "dst"]]
    assert got["storages"] == [[0], [0, 1], [0, 0]]


def test_a_tuple_grid_follows_the_knob_through_the_host(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
KERNEL = HEAD + '''
@triton.jit
def copy(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, i < n), i < n)
'''
local = opened("local.py", KERNEL + '''
def run(x):
    o = torch.empty_like(x)
    B = 64
    grid = (triton.cdiv(x.numel(), B),)
    copy[grid](x, o, x.numel(), B)
    return o
def example(n=1000):
    return run(torch.randn(n))
''')
module = opened("module.py", KERNEL + '''
B = 64
def example(n=1000):
    x, o = torch.randn(n), torch.empty(n)
    copy[(triton.cdiv(n, B), 1)](x, o, n, B=B)
    return o
''')
script = opened("script.py", KERNEL + '''
BLOCK = 64
x, o = torch.arange(1000.0), torch.empty(1000)
GRID = (triton.cdiv(1000, BLOCK),)
copy[GRID](x, o, 1000, B=BLOCK)
''')
literal = opened("literal.py", KERNEL + '''
def example(n=1000):
    x, o = torch.randn(n), torch.empty(n)
    copy[(triton.cdiv(n, 64),)](x, o, n, B=64)
    return o
''')
fixed = opened("fixed.py", KERNEL + '''
def example(n=1000):
    x, o = torch.randn(n), torch.empty(n)
    copy[(16,)](x, o, n, B=64)
    return o
''')
out = {}
for name, play in dict(local=local, module=module, script=script, fixed=fixed).items():
    out[name] = [play.prepare(0, B=b).grid[0] for b in (16, 64, 256)], [
        status(play, B=b) for b in (16, 64, 256)]
out["global"] = module.namespace["B"]
out["literal"] = [status(literal, B=b) for b in (16, 64, 256)], literal.prepare(0, B=16).grid[0]
out["routes"] = [literal.check(0, B=16).result.route, local.check(0, B=16).result.route,
                 local.check(0).result.route, local.check(0, num_warps=8).result.route]
checked = fixed.check(0, B=16)
out["finding"] = [[f.severity, f.stage, f.line] for f in checked.findings]
out["derived"] = checked.derived
out["mismatches"] = checked.result.mismatches
out["first"] = checked.result.first_index
out["x"] = torch.equal(local.prepare(0, B=16).arguments["x"], local.launches[0].arguments["x"])
answer(out)
"""
    )
    for name in ("local", "module", "script"):
        assert got[name] == [
            [63, 16, 4],
            [["correct", "captured"]] * 3,
        ], name
    assert got["global"] == 64
    # One block size written in two places: the result of the launch alone tells that both move.
    assert got["literal"] == [[["correct", "captured"]] * 3, 63]
    assert got["routes"] == ["driver", "driver", "launch", "launch"]
    assert got["fixed"][0] == [16, 16, 16]
    assert [status for status, _ in got["fixed"][1]] == ["wrong", "correct", "correct"]
    assert ["warning", "capture", 11] in got["finding"]
    assert got["derived"] == []
    # 16 programs of 16 elements: the other 744 keep the poison that `torch.empty` is given.
    assert got["mismatches"] == 1000 - 256
    assert got["first"] == [256]
    assert got["x"]


def test_outputs_whose_shape_follows_the_block(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
play = opened("parts.py", HEAD + '''
@triton.jit
def parts(x, p, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(p + tl.program_id(0), tl.sum(tl.load(x + i, i < n, other=0.0)))
@triton.jit
def finish(p, o, m, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o, tl.sum(tl.load(p + i, i < m, other=0.0)))
def total(x, BLOCK=128):
    n = x.numel()
    m = triton.cdiv(n, BLOCK)
    p, o = torch.empty(m), torch.empty(1)
    parts[(m,)](x, p, n, B=BLOCK)
    finish[(1,)](p, o, m, B=triton.next_power_of_2(m))
    return o
def example(n=1000):
    torch.manual_seed(0)
    return total(torch.randn(n))
def reference(n=1000):
    torch.manual_seed(0)
    return torch.randn(n).double().sum().reshape(1)
''')
small = play.prepare(0, B=32)
small.run()
answer({
    "grid": small.grid, "shape": list(small.arguments["p"].shape), "reshaped": small.reshaped,
    "sum": abs(small.arguments["p"].sum().item() - play.result.item()) < 1e-3,
    "checks": [status(play, 0, B=b) for b in (32, 128, 512)],
    "last": status(play, 1),
    "untouched": play.launches[0].arguments["p"].isfinite().all().item(),
})
"""
    )
    assert got["grid"] == [32, 1, 1]
    assert got["shape"] == [32]
    assert got["reshaped"] == ["p"]
    assert got["sum"]
    assert got["checks"] == [
        ["correct", "reference"], ["correct", "captured"], ["correct", "reference"],
    ]  # fmt: skip
    assert got["last"] == ["correct", "reference"]
    assert got["untouched"]


def test_heuristics_follow_and_tuning_never_runs(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
play = opened("h.py", HEAD + '''
@triton.autotune([triton.Config({"B": 64}), triton.Config({"B": 128})], key=["n"])
@triton.heuristics({"EVEN": lambda a: a["n"] % a["B"] == 0})
@triton.jit
def twice(x, o, n, B: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    if EVEN:
        tl.store(o + i, tl.load(x + i) * 2)
    else:
        tl.store(o + i, tl.load(x + i, i < n) * 2, i < n)
def example(n=192):
    x, o = torch.arange(float(n)), torch.empty(n)
    twice[lambda m: (triton.cdiv(n, m["B"]),)](x, o, n)
    return o
def reference(n=192):
    return torch.arange(float(n)) * 2
''')
wide = play.prepare(0, B=128)
answer({
    "captured": play.launches[0].info.config.as_dict()["EVEN"],
    "followed": [wide.effective.as_dict()["EVEN"], wide.config.as_dict()["EVEN"], wide.grid],
    "forced": play.prepare(0, B=64, EVEN=False).effective.as_dict()["EVEN"],
    "checks": [status(play, 0, B=b) for b in (32, 64, 128, 256)],
    "cache": len(play.launches[0].kernel.cache),
})
"""
    )
    assert got["captured"] is True
    assert got["followed"] == [False, True, [2, 1, 1]]
    assert got["forced"] is False
    assert got["checks"] == [["correct", "reference"]] * 4
    assert got["cache"] == 0


def test_addresses_inside_tensors_replay_in_place(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
play = opened("group.py", HEAD + '''
@triton.jit
def scale_all(ptrs, sizes, B: tl.constexpr):
    g = tl.program_id(0)
    p = tl.load(ptrs + g).to(tl.pointer_type(tl.float32)); n = tl.load(sizes + g)
    i = tl.arange(0, B)
    tl.store(p + i, tl.load(p + i, i < n) * 2, i < n)
def example():
    a, b = torch.ones(8), torch.ones(5)
    ptrs, sizes = torch.tensor([a.data_ptr(), b.data_ptr()]), torch.tensor([8, 5])
    scale_all[(2,)](ptrs, sizes, 8)
    return a, b
''')
a, b = play.result
a.fill_(7.0)
got = status(play), a.tolist(), b.tolist(), play.prepare(0).in_place
wrong = status(play, 0, B=4)
a.fill_(2.0)
answer({"check": got, "wrong": wrong, "after": a.tolist(), "again": status(play, 0, B=16)})
"""
    )
    assert got["check"] == [["correct", "captured"], [7.0] * 8, [2.0] * 5, True]
    assert got["wrong"][0] == "wrong"
    assert got["after"] == [2.0] * 8
    assert got["again"] == ["correct", "captured"]


def test_positional_constexprs_named_like_options_and_descriptors(run_engine) -> None:
    got = run_engine(
        PLAY
        + """
from triton.tools.tensor_descriptor import TensorDescriptor
play = opened("d.py", HEAD + '''
from triton.tools.tensor_descriptor import TensorDescriptor
@triton.jit
def loop(o, n, num_stages: tl.constexpr):
    for i in tl.range(0, n, num_stages=num_stages):
        tl.store(o + i, i)
@triton.jit
def tile(x_desc, o_desc, B: tl.constexpr):
    r = tl.program_id(0) * B
    o_desc.store([r, 0], x_desc.load([r, 0]) + 1.0)
def add_one(x, BLOCK=16):
    o = torch.empty_like(x)
    xd = TensorDescriptor.from_tensor(x, [BLOCK, 16])
    od = TensorDescriptor.from_tensor(o, [BLOCK, 16])
    tile[(x.shape[0] // BLOCK,)](xd, od, B=BLOCK)
    return o
def example():
    o = torch.empty(8, dtype=torch.int32)
    loop[(1,)](o, 8, 4, num_warps=2)
    return o, add_one(torch.randn(64, 16))
def reference():
    return torch.arange(8, dtype=torch.int32), None
''')
small = play.prepare(1, B=32)
answer({
    "knobs": [k.name for k in play.launches[0].info.knobs],
    "options": play.prepare(0, num_stages=2).options["num_warps"],
    "stages": play.prepare(0, num_stages=2).arguments["num_stages"],
    "first": [status(play, 0), status(play, 0, num_stages=2)],
    "grid": small.grid, "block": small.arguments["x_desc"].block_shape,
    "second": [status(play, 1), status(play, 1, B=32)],
    "kinds": [a.kind for a in play.launches[1].info.arguments],
    "user": play.launches[1].arguments["x_desc"].block_shape,
})
"""
    )
    assert got["knobs"] == ["num_stages", "num_warps", "num_ctas", "maxnreg"]
    assert got["options"] == 2
    assert got["stages"] == 2
    assert got["first"] == [["correct", "reference"]] * 2
    assert got["grid"] == [2, 1, 1]
    assert got["block"] == [32, 16]
    assert got["user"] == [16, 16]
    assert got["second"] == [["correct", "captured"]] * 2
    assert got["kinds"] == ["descriptor", "descriptor", "constexpr"]
