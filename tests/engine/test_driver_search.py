"""A written driver that does not fit its file is changed until it runs; the user's own never is."""

from __future__ import annotations

import pytest

from tests.engine.conftest import RunEngine

HEAD = """
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)


def get_copy(x):
    out = torch.empty_like(x)
    copy_kernel[(triton.cdiv(x.numel(), 256),)](x, out, x.numel(), BLOCK=256)
    return out
"""

# By what they ask for: the file behind HEAD, and lines that the driver then has.
FITTED = {
    "shape_by_slice": (
        """
def keep(e, c, targets):
    assert e.size()[0:-1] == targets.size()
    assert e.size(-1) == c.size(1)
    return get_copy(e), get_copy(c), get_copy(targets)
""",
        [],
    ),
    "rank_out_of_sight": (
        """
def sizes_of(tensor):
    batch, rows, columns = getattr(tensor, "shape")
    return batch * rows * columns

def flat(x):
    if sizes_of(x) == 0:
        return x
    return get_copy(x)
""",
        ["x = torch.randn(2, 64, 64, device=device)"],
    ),
    "type_by_table": (
        """
KINDS = {torch.float16: 1, torch.bfloat16: 2}

def half(x):
    kind = KINDS[x.dtype]
    return get_copy(x * kind)
""",
        ["dtype=torch.float16"],
    ),
    "object": (
        """
from dataclasses import dataclass

@dataclass(frozen=True)
class Limits:
    low: float
    high: float = 1.0

def clamped(x, limits):
    return get_copy(x.clamp(limits.low, limits.high))
""",
        ["Limits(low=1.0)"],
    ),
    "divides": (
        """
def grouped(x):
    if x.shape[-1] % 48 != 0:
        raise ValueError("rows are split into 48s")
    return get_copy(x)
""",
        ["x = torch.randn(960, device=device)"],
    ),
    "optional_after_all": (
        """
def biased(x, bias=None):
    rows, columns = x.shape
    strides = max(*(bias.stride(0), 1) if bias is not None else 0)
    return get_copy(x + bias)
""",
        ["biased(x, bias)"],
    ),
    "another_launcher": (
        """
class Layer:
    pass

def with_layer(x, layer):
    return scaled(x, layer.weight.storage.data)

def scaled(x, w):
    out = torch.empty_like(x)
    copy_kernel[(triton.cdiv(x.numel(), 256),)](x, out, x.numel(), BLOCK=256)
    return out * w.sum()
""",
        ["scaled("],
    ),
    "inside_of_all": (
        """
@triton.jit
def gather_kernel(x_ptr, ids_ptr, out_ptr, stride, BLOCK: tl.constexpr):
    row = tl.load(ids_ptr + tl.program_id(0)) * 1000
    columns = tl.arange(0, BLOCK)
    tl.store(out_ptr + tl.program_id(0) * BLOCK + columns, tl.load(x_ptr + row * stride + columns))

def gather(x, ids):
    rows, columns = x.shape
    n = getattr(ids, "numel")()
    out = x.new_empty(n, 16)
    gather_kernel[(n,)](x, ids, out, x.stride(0), BLOCK=16)
    return out
""",
        ["ids = torch.zeros("],
    ),
    "way_with_a_launch": (
        """
def choose(x, backend):
    if backend in ("triton", "fused"):
        return get_copy(x)
    return x + 1
""",
        ["'triton'"],
    ),
}


@pytest.fixture
def answers(run_engine: RunEngine):
    files = {name: HEAD + text for name, (text, _) in FITTED.items()}
    return run_engine(
        f"""
        import playground
        from playground.engine import driver_search
        driver_search.LONGEST_S = 600.0  # a busy machine finds the same
        files = {files!r}
        told = {{}}
        for name, text in files.items():
            play = playground.open(write(name + ".py", text))
            first = play.outline.drivers[0]
            run = play.run()
            told[name] = dict(
                launches=len(run.launches), code=run.driver, first=first.code,
                errors=[f.text() for f in run.findings if f.severity == "error"],
                told=[f for f in run.findings if "did not fit" in f.message][:1] != [],
                replay=play.check(0).result.status if run.launches else "",
                again=play.run().driver, kept=play.driver.code,
            )
            play.close()
        answer(told)
        """
    )


def test_a_written_driver_is_changed_until_it_runs(answers) -> None:
    for name, (_, parts) in FITTED.items():
        got = answers[name]
        assert got["launches"] >= 1, (name, got)
        assert got["errors"] == [], (name, got)
        assert got["told"], (name, got)
        for part in parts:
            assert part in got["code"], (name, got["code"])
        assert got["code"] != got["first"]
        assert got["replay"] == "correct", (name, got)
        # Found once, it is not searched for again.
        assert got["again"] == got["kept"] == got["code"]


NEVER = (
    HEAD
    + """
def never(x):
    rows, columns = x.shape
    assert rows == 7 and rows == 9, "cannot be"
    return get_copy(x)
"""
)
PAIR = (
    HEAD
    + """
def pair(x):
    rows, columns = x.shape
    return get_copy(x)
"""
)


UNMASKED = (
    HEAD
    + """
@triton.jit
def unmasked_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets) * 2)

def double(x):
    assert x.shape == (3, 100)
    out = torch.empty_like(x)
    unmasked_kernel[(triton.cdiv(x.numel(), 128),)](x, out, BLOCK=128)
    return out
"""
)


def test_where_it_finds_nothing_the_error_stays_and_what_is_the_users_is_never_changed(
    run_engine: RunEngine,
) -> None:
    got = run_engine(
        f"""
        import playground
        from playground.engine import driver_search
        from playground.engine.job import Job
        driver_search.MOST_TRIES, driver_search.LONGEST_S = 3, 600.0
        play = playground.open(write("never.py", {NEVER!r}))
        run = play.run()
        nothing = [len(run.launches), run.driver,
                   play.driver.code == play.outline.drivers[0].code,
                   [(f.severity, f.message, f.detail) for f in run.findings]]
        again = [f.message for f in play.run().findings if "none ran" in f.message]
        play.searched.clear()
        driver_search.MOST_TRIES = 1
        one = [f.message for f in play.run().findings if "none ran" in f.message]
        driver_search.MOST_TRIES = 12
        driver_search.LONGEST_S = 0.0
        play.searched.clear()
        none = [f.message for f in play.run().findings if "none ran" in f.message]
        driver_search.LONGEST_S = 600.0
        steps = []
        class Impatient(Job):
            def progress(self, text, fraction=None):
                steps.append(text)
                if "reading 2" in text:
                    self.cancel()
                super().progress(text, fraction)
        cut = play.run(job=Impatient())
        ended = [len(cut.launches), *(f.message for f in cut.findings)]
        play.close()
        play = playground.open(write("pair.py", {PAIR!r}))
        run = play.run("pair(torch.ones(8))")
        users = [len(run.launches), run.driver, play.driver.code,
                 [f.message for f in run.findings]]
        play.close()
        play = playground.open(write("double.py", {UNMASKED!r}))
        run = play.run()
        unmasked = [run.driver, [f.message for f in run.findings if f.severity == "error"]]
        answer([nothing, again, one, none, steps[-1], ended, users, unmasked])
        """
    )
    (launches, driver, same, findings), again, one, none, last, ended, users, unmasked = got
    assert (launches, driver, same) == (0, "", True)
    assert findings[0][:2] == ["error", "AssertionError: cannot be"]
    tried = [detail for severity, message, detail in findings if "none ran" in message]
    assert len(tried) == 1
    assert again == ["2 other readings of the file were tried for the driver, and none ran without "
                     "an error"]  # fmt: skip
    assert "cannot be" in tried[0]
    assert one == [
        "1 other reading of the file was tried for the driver, and none ran without an error"
    ]
    assert none == []
    assert (ended, "reading 2" in last) == ([0, "interrupted"], True)
    assert users[:3] == [0, "", "pair(torch.ones(8))"]
    assert not any("reading" in message or "did not fit" in message for message in users[3])
    # An access without a mask is the file's own: the driver stays, and the finding, too.
    assert unmasked[0] == ""
    assert any("unmasked_kernel: load outside x_ptr" in message for message in unmasked[1])
