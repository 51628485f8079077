"""All programs followed together: what they count is what running them one by one counts.

The exact interpreter is the reference here; its own counts are proved elsewhere.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine import coverage_parts
from tests.engine.test_bundled_kernels import CASES

COMPARE = """
import torch
from playground.engine.coverage import count
from playground.engine.triton_private.tracing_interpreter import InterpreterCounter

follow = InterpreterCounter._follow

def differences(ready):
    together = count(ready)
    why = together._source.why_exact
    InterpreterCounter._follow = lambda *args, **named: None
    try:
        alone = count(ready)
    finally:
        InterpreterCounter._follow = follow
    found = []
    for name, cells in vars(together.cells).items():
        other = getattr(alone.cells, name)
        same = (cells is None) == (other is None) and (cells is None or torch.equal(cells, other))
        if not same:
            found.append(name)
    for name in ("flops", "out_of_bounds", "atomics", "values_compared", "resolution", "hazards"):
        if getattr(together.run, name) != getattr(alone.run, name):
            found.append([name, str(getattr(together.run, name)), str(getattr(alone.run, name))])
    for name in ("sites", "operations", "tensors"):
        if getattr(together.summary(), name) != getattr(alone.summary(), name):
            found.append(name)
    return found, why
"""


@pytest.fixture(scope="module")
def special(tmp_path_factory):
    """Differences and reasons of the kernels made for this."""
    return coverage_parts.in_child(
        COMPARE
        + f"""
kernels = load({str(Path(__file__).with_name("batched_kernels.py"))!r})
for name, (call, expected) in kernels.calls().items():
    ready = prepared(captured(call)[-1])
    answer[name] = [*differences(ready), expected]
    if not expected:  # one program, and the records of some, have the same ways
        source = count(ready)._source
        programs = ready.grid[0] * ready.grid[1] * ready.grid[2]
        for program in sorted({{0, programs // 2, programs - 1}}):
            here = source.footprint(ready, program)
            why = source.why_exact
            InterpreterCounter._follow = lambda *args, **named: None
            there = source.footprint(ready, program)
            InterpreterCounter._follow = follow
            if why or not all(torch.equal(a, b) for a, b in zip(here, there)):
                answer[name][0].append(["footprint", program, why])
""",
        interpret=True,
        tmp_path=tmp_path_factory.mktemp("batched"),
    )


def test_counts_are_the_same_whatever_way_programs_go(special):
    assert {name: found for name, (found, _, _) in special.items() if found} == {}


def test_only_what_must_run_runs(special):
    reasons = {name: why for name, (_, why, _) in special.items()}
    assert reasons == {name: expected for name, (_, _, expected) in special.items()}


def test_bundled_kernels_count_the_same(tmp_path):
    cases = {name: [arguments for arguments, _ in many[1:]] for name, many in CASES.items()}
    found = coverage_parts.in_child(
        COMPARE
        + f"""
for name, cases in {cases!r}.items():
    module = load(name)
    for arguments in cases:
        call = f"module.example({{arguments}})"
        for launch in captured(lambda: eval(call)):
            answer[f"{{name}} {{arguments}} {{launch.info.kernel}}"] = differences(prepared(launch))
""",
        interpret=True,
        tmp_path=tmp_path,
    )
    assert len(found) >= len(CASES)
    assert {name: result for name, result in found.items() if result != [[], ""]} == {}


@pytest.fixture(scope="module")
def sampled(tmp_path_factory):
    """Counts of samples: of a kernel that is followed, and of one that must run."""
    return coverage_parts.in_child(
        f"""
import torch
from playground.engine.coverage import count
from playground.engine.coverage_findings import coverage_findings
from playground.protocol.messages import PlaneView
kernels = load({str(Path(__file__).with_name("batched_kernels.py"))!r})
add = load("vector_add")
for name, call in (
    ("followed", lambda: add.example(64 * 1000)),
    ("run", lambda: kernels.tickets[(64,)](torch.zeros(1, dtype=torch.int32),
                                           torch.zeros(64 * 32), BLOCK=32)),
):
    ready = prepared(captured(call)[-1])
    counts = count(ready, sample=7)
    summary = counts.summary()
    out = summary.tensors[-1]
    plane = counts.plane(out.name, "owner", PlaneView())
    answer[name] = dict(
        why=counts._source.why_exact, resolution=summary.resolution,
        counted=summary.programs_counted, stores=out.stores.total, unwritten=out.unwritten,
        owners=sorted(set(plane.values.reshape(-1).tolist())),
        flags=sorted(set(plane.flags.reshape(-1).tolist())),
        findings=[item.message for item in coverage_findings("k", summary)],
    )
whole = count(ready, sample=64).summary()
answer["whole"] = [whole.programs_counted, whole.resolution]
""",
        interpret=True,
        tmp_path=tmp_path_factory.mktemp("sampled"),
    )


def test_a_sample_counts_programs_spread_over_the_grid(sampled):
    followed = sampled["followed"]
    # 64,000 elements in blocks of 1024: 63 programs. The first, the last and every tenth or so.
    chosen = [0, 10, 21, 31, 41, 52, 62]
    assert followed["why"] == ""
    assert followed["resolution"] == "sample of 7 of 63 programs"
    assert followed["counted"] == 7
    assert followed["stores"] == 6 * 1024 + (64_000 - 62 * 1024)
    assert [owner for owner in followed["owners"] if owner >= 0] == chosen


def test_a_sample_says_nothing_of_what_only_all_programs_tell(sampled):
    for found in (sampled["followed"], sampled["run"]):
        assert found["unwritten"] is None
        assert not any(flags & 1 for flags in found["flags"])
        assert not any("unwritten" in message for message in found["findings"])


def test_a_sample_of_what_must_run_runs_no_others(sampled):
    run = sampled["run"]
    assert run["why"] == "an atomic's result is used"
    assert run["resolution"] == "sample of 7 of 64 programs"
    assert run["stores"] == 7 * 32


def test_a_sample_of_all_programs_is_no_sample(sampled):
    assert sampled["whole"] == [None, "every element"]


def test_a_loop_that_never_ends_can_be_cancelled(tmp_path):
    (tmp_path / "endless.py").write_text(
        """
import triton
import triton.language as tl

@triton.jit
def endless(dst, steps):
    x = tl.program_id(0) * 2
    while x < steps:
        x = x - 1
    tl.store(dst, x)
"""
    )
    found = coverage_parts.in_child(
        f"""
import threading, time, torch
from playground.engine.coverage import count
from playground.engine.job import CancelledError, Job
kernels = load({str(tmp_path / "endless.py")!r})
dst = torch.zeros(1, dtype=torch.int32)
ready = prepared(captured(lambda: kernels.endless[(1,)](dst, -5))[-1])
ready.arguments["steps"] = 5
job = Job()
threading.Timer(1.0, job.cancel).start()
start = time.monotonic()
try:
    count(ready, job)
except CancelledError:
    answer["cancelled_after_s"] = time.monotonic() - start
""",
        interpret=True,
        tmp_path=tmp_path,
    )
    assert 0.9 < found["cancelled_after_s"] < 5


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Sites of very many programs of one element, and of one program of very many accesses."""
    return coverage_parts.in_child(
        f"""
import time
from playground.engine.coverage import count
from playground.engine.triton_private import batched_survey
batched_survey._KEPT_BYTES = 1 << 16
kernels = load({str(Path(__file__).with_name("batched_kernels.py"))!r})
for name, call in kernels.large_calls().items():
    ready = prepared(captured(call)[-1])
    start = time.process_time()
    counts = count(ready)
    answer[name] = dict(
        why=counts._source.why_exact, seconds=time.process_time() - start,
        sites=[vars(site) for site in counts.summary().sites],
    )
assembled = count(prepared(captured(kernels.call_assembled)[-1])).summary()
answer["assembled"] = dict(
    totals=[[item.loads.total, item.stores.total] for item in assembled.tensors],
    notes=assembled.notes,
)
answer["scaled"] = count(prepared(captured(kernels.call_scaled)[-1])).summary().flops_by_kind
""",
        interpret=True,
        tmp_path=tmp_path_factory.mktemp("large"),
    )


def test_very_many_small_programs_take_no_longer_than_one_large_one(large):
    found = large["small"]
    (site,) = found["sites"]
    assert found["why"] == ""
    assert (site["lanes"], site["bytes_unique"], site["tensors"]) == (20_000, 20_000, ["dst"])
    # Looked at one by one they would take seconds.
    assert site["sampled"]
    assert site["requests"] == site["sectors"] == site["executions"] == 64
    assert found["seconds"] < 1


def test_a_scaled_product_has_operations(large):
    assert large["scaled"] == [["fp8", 2 * 32 * 16 * 64]]


def test_inline_assembly_is_not_run_and_what_it_does_is_noted(large):
    assert large["assembled"]["totals"] == [[50, 0], [0, 50]]
    text = Path(__file__).with_name("batched_kernels.py").read_text().splitlines()
    line = next(number for number, row in enumerate(text, 1) if "inline_asm_elementwise" in row)
    seen, hazards = large["assembled"]["notes"]
    assert seen.startswith(f"the inline assembly at line {line} is not seen")
    assert hazards.startswith("hazards between programs are not looked for")


def test_every_place_is_looked_at_however_much_the_one_before_it_does(large):
    load, store = large["long"]["sites"]
    assert (load["tensors"], load["bytes_requested"]) == (["src"], 4 << 21)
    assert (store["tensors"], store["bytes_unique"]) == (["dst"], 4 << 15)
    assert store["sectors"] == store["sectors_least"] == (4 << 15) // 32
