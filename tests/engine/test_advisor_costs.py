"""The advisor's model of time: each part against arithmetic by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from playground.engine.advisor import costs, parallelism
from playground.engine.advisor.facts import Facts
from playground.model import roofline
from playground.model.access_site import AccessSite
from playground.model.compiling import CompileReport, Occupancy
from playground.model.config import Config
from playground.model.coverage import Coverage
from playground.model.launch import Launch
from playground.model.machine_code import LineCode, MachineCode
from playground.model.targets import facts_for

CONFIG = Config.of({"BLOCK": 1024, "num_warps": 4, "num_stages": 3})
GPU = facts_for("cuda:90", "NVIDIA H200")
assert GPU is not None
SMS = GPU.multiprocessors


def site(**changed) -> AccessSite:
    figures = {
        "kind": "load", "line": 5, "file": "k.py", "tensors": ("x",), "lanes": 1 << 20,
        "active": 1 << 20, "bytes_requested": 4 << 20, "bytes_looked_at": 4 << 20,
        "bytes_unique": 4 << 20, "requests": 1 << 15, "sectors": 1 << 17,
        "sectors_least": 1 << 17, "executions": 1024, "programs_looked_at": 1024,
        "lanes_looked_at": 1 << 20,
    }  # fmt: skip
    return AccessSite(**{**figures, **changed})


def facts(programs=1024, sites=(), flops=(), code=None, registers=32, held=8) -> Facts:
    launch = Launch(0, "k", "k.py", 1, None, (programs, 1, 1), "callable", (), (), CONFIG)
    coverage = Coverage(
        0, CONFIG, (programs, 1, 1), (), sum(item.bytes_requested for item in sites),
        sum(item.bytes_unique for item in sites), sum(count for _, count in flops), (),
        "interpreter", 1.0, flops_by_kind=tuple(flops), sites=tuple(sites),
    )  # fmt: skip
    report = CompileReport(
        0, CONFIG, "cuda:90", "k", registers, 0, 0, 0, 1 << 17, 128, True, (), 1.0, False, (),
        Occupancy(held, 4 * held, 64, "warps"),
    )  # fmt: skip
    return Facts(
        launch, CONFIG, "cuda:90", (programs, 1, 1), GPU, roofline.expected(GPU), None, coverage,
        report, code,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("programs", "lost"),
    [(SMS, 1.0), (2 * SMS, 1.0), (SMS + 1, 2 * SMS / (SMS + 1)), (SMS // 2, 2.0)],
)
def test_the_busiest_multiprocessor_over_an_even_share(programs, lost):
    assert costs.uneven(facts(programs)) == pytest.approx(lost)


def test_distinct_bytes_over_the_memorys_rate():
    found = costs.costs(facts(sites=[site()]))
    assert found.memory_ms == pytest.approx((4 << 20) / (GPU.bandwidth_gbps * 1e6))


def test_wasted_sectors_are_moved_all_the_same():
    wasteful = site(sectors=1 << 20)  # eight times the fewest
    assert costs.moved(wasteful) == 32 << 20
    assert costs.needed(wasteful) == 4 << 20
    # The L2 is assumed to be twice as fast as memory.
    expected = (32 << 20) / (2 * GPU.bandwidth_gbps * 1e6)
    assert costs.costs(facts(sites=[wasteful])).l2_ms == pytest.approx(expected)


def test_a_sample_stands_for_the_whole_launch():
    sampled = site(sampled=True, sectors=1 << 10, sectors_least=1 << 10, lanes_looked_at=1 << 13,
                   executions=8, programs_looked_at=8)  # fmt: skip
    assert costs.moved(sampled) == pytest.approx(4 << 20)
    assert facts(sites=[sampled]).executions(sampled) == pytest.approx(1.0)


def test_a_loop_of_which_only_the_first_steps_were_looked_at():
    # 16 programs make 256 steps of 4096 lanes; 8 steps of each were looked at.
    looped = site(lanes=16 * 256 * 4096, executions=16 * 8, programs_looked_at=16,
                  lanes_looked_at=16 * 8 * 4096, sampled=True)  # fmt: skip
    found = facts(16, [looped])
    assert found.executions(looped) == pytest.approx(256)
    expected = 256 * costs.LATENCY_MS + costs.START_MS
    assert costs.costs(found).latency_ms == pytest.approx(expected)


def test_waves_of_programs_wait_one_after_the_other():
    found = facts(8 * SMS * 10, [site(executions=8 * SMS * 10, lanes=1 << 20)], held=8)
    assert costs.waves(found) == pytest.approx(10)


def test_the_checklist_counts_waves_as_the_compiler_panel_does():
    # Half of the programs that fit at once: half a wave, though half of the places stay empty.
    assert f"{SMS} multiprocessors × 8 at once: 0.5 waves" in parallelism.answers(facts(SMS * 4))
    assert "× 8 at once: 2.5 waves" in parallelism.answers(facts(SMS * 20))
    assert facts(SMS * 4).resident == 4


def test_products_over_their_peak():
    flops = 2 * 4096**3
    found = costs.costs(facts(2 * SMS, flops=[("fp16", flops)]))
    peak = GPU.peak("fp16")
    assert peak is not None
    assert found.arithmetic_ms == pytest.approx(flops / (peak * 1e9))


def test_updates_of_one_address_go_one_after_the_other():
    atomic = site(kind="atomic", bytes_unique=4)
    assert costs.updates_of_one_address(atomic) == 1 << 20
    found = costs.costs(facts(sites=[atomic]))
    assert found.contention_ms == pytest.approx((1 << 20) / (costs.clock_ghz(facts()) * 1e6))


def test_the_data_sheets_float32_rate_tells_the_clock():
    rate = GPU.peak("fp32")
    assert rate is not None
    assert costs.clock_ghz(facts()) == pytest.approx(rate * 1e3 / (SMS * 256))


def test_spills_are_moved_by_every_thread():
    line = LineCode(5, (("local memory", 4),), spill_bytes=16)
    code = MachineCode(0, CONFIG, "cuda:90", (line,), (("local memory", 4),))
    assert costs.spilled_bytes(facts(10, code=code)) == 16 * 128 * 10


def test_products_and_loads_take_turns_where_nothing_runs_ahead():
    found = costs.Costs(arithmetic_ms=2.0, latency_ms=3.0, serial=True)
    assert found.time_ms == 5.0
    assert replace(found, serial=False).time_ms == 3.0
