"""Where and when programs run, measured on the GPU, against what must be so."""

import pytest

pytestmark = pytest.mark.gpu

OWN = """
import torch, triton, triton.language as tl

@triton.jit
def uneven(out, long_one, steps, BLOCK: tl.constexpr):
    program = tl.program_id(0) + tl.num_programs(0) * (
        tl.program_id(1) + tl.num_programs(1) * tl.program_id(2))
    offsets = tl.arange(0, BLOCK)
    value = tl.zeros((BLOCK,), tl.float32) + program
    count = tl.where(program == long_one, steps, 1)
    for _ in range(0, count):
        value = tl.sin(value) + 1.0
    tl.store(out + program * BLOCK + offsets, value)

@triton.jit
def leaves_early(x, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    if start >= n:
        return
    offsets = start + tl.arange(0, BLOCK)
    if start == 0:
        tl.store(x + offsets, -1.0)
        return
    tl.store(x + offsets, tl.load(x + offsets) + 1.0)

def run_uneven(long_one, steps=20000):
    out = torch.zeros(5 * 3 * 7 * 128, device="cuda")
    uneven[(5, 3, 7)](out, long_one, steps, BLOCK=128)
    return out

def run_early():
    x = torch.zeros(64 * 256, device="cuda")
    leaves_early[(200,)](x, 64 * 256, BLOCK=256)
    return x
"""

PLAY = """
import torch
import numpy as np
from playground.engine.session import Session
play = Session()

def told(**knobs):
    found = play.schedule(**knobs)
    f = found.figures
    took = found.end_ns - found.start_ns
    return {
        "sms": f.multiprocessors, "used": f.used, "grid": list(f.grid), "resident": f.resident,
        "theoretical": f.resident_theoretical, "waves": f.waves, "duration": f.duration_ns,
        "tail": f.tail_ns, "idle": f.idle_share, "step": f.resolution_ns,
        "shortest": f.shortest_ns, "longest": f.longest_ns, "median": f.median_ns,
        "programs": len(took), "busy": int(took.sum()), "least": int(took.min()),
        "first": int(found.start_ns.min()), "last": int(found.end_ns.max()),
        "slowest": int(took.argmax()), "notes": list(f.notes),
        "where": [int(found.multiprocessor.min()), int(found.multiprocessor.max())],
        "per_sm": int(np.bincount(found.multiprocessor).max()),
    }
"""


def plausible(told):
    """Fail unless figures fit one another."""
    assert told["first"] == 0
    assert told["last"] == told["duration"]
    assert told["least"] == told["shortest"] <= told["median"] <= told["longest"]
    assert told["longest"] <= told["duration"]
    assert 0 <= told["where"][0] <= told["where"][1] < told["sms"]
    assert 1 <= told["used"] <= told["sms"]
    if told["theoretical"] is not None:
        assert told["resident"] <= told["theoretical"]
    # No multiprocessor does more than it holds at once, and all the time.
    assert told["busy"] <= told["used"] * told["resident"] * told["duration"]
    assert 0 <= told["idle"] < 1
    assert 0 <= told["tail"] <= told["duration"]
    assert told["step"] in (1, 32) or told["step"] % 32 == 0
    x, y, z = told["grid"]
    assert told["programs"] == x * y * z
    assert told["waves"] == pytest.approx(x * y * z / (told["sms"] * told["resident"]))


def test_vector_add_runs_on_every_multiprocessor(run_engine):
    got = run_engine(
        PLAY
        + """
play.load(KERNELS / "vector_add.py")
play.run(sizes={"size": 1 << 20})
out = told(BLOCK_SIZE=1024)
checked = play.check(BLOCK_SIZE=1024).result.status
measured_ms = play.bench(BLOCK_SIZE=1024, cache="warm").median_ms
answer([out, checked, measured_ms])
""",
        interpret=False,
    )
    told, checked, measured_ms = got
    plausible(told)
    assert told["programs"] == 1024
    assert told["used"] == told["sms"]
    assert told["least"] > 0
    assert checked == "correct"
    assert told["duration"] <= 1.3 * 1e6 * measured_ms + 5000


def test_the_copy_takes_almost_the_time_of_the_kernel(run_engine):
    got = run_engine(
        PLAY
        + """
play.load(KERNELS / "matmul.py")
play.run("example(4096, 4096, 4096)")
blocks = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "num_warps": 8}
out = told(**blocks)
measured = play.bench(**blocks, cache="warm")
row_by_row = told(**blocks, GROUP_M=1)
answer([out, measured.median_ms, measured.source, row_by_row])
""",
        interpret=False,
    )
    told, measured_ms, source, row_by_row = got
    plausible(told)
    plausible(row_by_row)
    assert source == "cupti"
    assert told["programs"] == 1024
    assert told["used"] == told["sms"]
    assert told["theoretical"] is not None
    assert told["resident"] == told["theoretical"] or told["notes"]
    assert told["duration"] <= 1.3 * 1e6 * measured_ms + 5000
    assert told["duration"] >= 0.7 * 1e6 * measured_ms
    # 1024 programs in whole waves leave most multiprocessors dry in the last one.
    assert told["tail"] > 0
    assert told["idle"] > 0


def test_a_persistent_kernel_has_no_more_programs_than_fit(run_engine):
    told = run_engine(
        PLAY
        + """
play.load(KERNELS / "matmul_persistent.py")
play.run("example(2048, 2048, 1024)")
answer(told())
""",
        interpret=False,
    )
    plausible(told)
    assert told["programs"] <= told["sms"] * told["resident"]
    assert told["waves"] <= 1
    assert told["per_sm"] <= told["resident"]
    assert told["shortest"] > told["duration"] / 10  # each works nearly to the end


def test_uneven_work_shows_the_long_program_at_its_place_in_the_grid(run_engine):
    got = run_engine(
        PLAY
        + f"text = {OWN!r}\n"
        + """
play.load(write("own.py", text))
out = []
for long_one in (0, 37, 104):
    play.run(f"run_uneven({long_one})")
    out.append(told())
answer(out)
""",
        interpret=False,
    )
    for told, long_one in zip(got, (0, 37, 104), strict=True):
        plausible(told)
        assert told["grid"] == [5, 3, 7]
        assert told["slowest"] == long_one
        assert told["longest"] > 10 * told["median"]
        assert told["tail"] > told["duration"] / 2


def test_programs_that_leave_early_are_stamped_too(run_engine):
    got = run_engine(
        PLAY
        + f"text = {OWN!r}\n"
        + """
play.load(write("own.py", text))
play.run("run_early()")
out = told()
again = told()
checked = play.check().result.status
answer([out, again == out, checked])
""",
        interpret=False,
    )
    told, kept, checked = got
    plausible(told)
    assert told["programs"] == 200
    assert kept
    assert checked != "wrong"


GLUON = """
import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

@gluon.jit
def copy(x, y, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(y + offsets, gl.load(x + offsets, mask=offsets < n), mask=offsets < n)

def run():
    x = torch.randn(100000, device="cuda")
    y = torch.empty_like(x)
    copy[(782,)](x, y, 100000, BLOCK=128, num_warps=4)
    return y
"""


def test_a_kernel_in_gluon_has_a_schedule_too(run_engine):
    told = run_engine(
        PLAY
        + f"text = {GLUON!r}\n"
        + """
play.load(write("own.py", text))
play.run("run()")
answer(told())
""",
        interpret=False,
    )
    plausible(told)
    assert told["programs"] == 782
    assert told["used"] == told["sms"]


def test_counts_are_saved_with_the_schedule(run_engine):
    got = run_engine(
        PLAY
        + """
play.load(KERNELS / "vector_add.py")
play.run(sizes={"size": 100000})
path = str(FOLDER / "counts.npz")
play.save_counts(path, schedule=True, BLOCK_SIZE=1024)
held = np.load(path)
kept = play.schedule(BLOCK_SIZE=1024)
answer([
    held["schedule.start_ns"].tolist() == kept.start_ns.tolist(),
    held["schedule.multiprocessor"].shape[0],
    (held["out_ptr.owner"] == np.arange(100000) // 1024).all().item(),
    (held["x_ptr.loads"] == 1).all().item(),
])
""",
        interpret=False,
    )
    assert got == [True, 98, True, True]
