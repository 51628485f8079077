"""Documents and their text from records made by hand: no number is lost, none is invented."""

import json
import math

import pytest

from playground.cli import schema, text, text_table
from playground.cli.timing_text import extras
from playground.model.check import CheckResult
from playground.model.comparison import Comparison
from playground.model.config import Config
from playground.model.coverage import AccessCount, Coverage, TensorCoverage
from playground.model.curve import Axis, Curve, CurveRow
from playground.model.finding import Finding
from playground.model.measurement import Energy, HostCost, Measurement
from playground.model.nsight import Metric, NsightReport
from playground.model.roofline import Ceilings, standing
from playground.model.stall_reasons import stalls
from playground.model.sweep import SweepResult, SweepRow
from tests.cli.documents import EXTRAS, NSIGHT, conforms

CONFIG = Config.of({"BLOCK_SIZE": 256, "num_warps": 4})


def test_a_config_is_an_object_by_knob_name():
    assert schema.plain(CONFIG) == {"BLOCK_SIZE": 256, "num_warps": 4}


def test_a_number_that_is_not_finite_is_null():
    assert schema.plain({"a": math.inf, "b": [math.nan, 1.5]}) == {"a": None, "b": [None, 1.5]}


def test_what_has_no_place_in_a_document_is_refused():
    with pytest.raises(TypeError, match="set has no place"):
        schema.plain({1, 2})


def test_counts_of_a_tensor():
    tensor = TensorCoverage(
        "x_ptr", (10,), "float32", 10, AccessCount(10, 1, 1), AccessCount(0, 0, 0), None, 0, 3
    )
    coverage = Coverage(0, CONFIG, (1, 1, 1), (tensor,), 40, 40, 0, (), "interpreter", 1.0)
    item = schema.coverage(coverage, "k")["tensors"][0]
    assert item["loads"] == {"total": 10, "min": 1, "max": 1}
    assert item["unwritten"] is None
    assert item["out_of_bounds"] == 3
    assert json.loads(json.dumps(item)) == item


def test_the_interpreter_never_gets_a_bandwidth():
    measured = Measurement(
        0, CONFIG, (1.0, 2.0, 3.0), "interpreter", "none", bytes_unique=1_000_000
    )
    item = schema.measurement(measured, "k", CheckResult("correct", "reference"))
    assert item["bandwidth_gbps"] is None
    assert item["median_ms"] == 2.0
    shown = text.render({"measurement": item}, "measurement")
    assert "not a GPU timing" in shown
    assert "GB/s" not in shown


def test_bandwidth_on_a_gpu_is_bytes_over_median():
    measured = Measurement(0, CONFIG, (2.0,), "cupti", "cold", bytes_unique=4_000_000_000)
    item = schema.measurement(measured, "k", None)
    assert item["bandwidth_gbps"] == 2000.0
    assert "2,000 GB/s" in text.render({"measurement": item}, "measurement")


def test_one_sample_has_no_interval_and_a_wrong_result_marks_its_time():
    config = CONFIG.with_value("ACTIVATION", "")
    measured = Measurement(0, config, (2.0,), "interpreter", "none")
    item = schema.measurement(measured, "k", CheckResult("wrong", "captured"))
    shown = text.render({"measurement": item}, "measurement")
    assert "interval" not in shown
    assert "2.000 ms (of a wrong result)" in shown
    assert "1: its spread is unknown" in shown
    assert "ACTIVATION=''" in shown
    three = Measurement(0, config, (1.0, 2.0, 3.0), "interpreter", "none")
    item = schema.measurement(three, "k", CheckResult("correct", "captured"))
    shown = text.render({"measurement": item}, "measurement")
    assert "2.000 ms, 95 % interval 1.000 ms to 3.000 ms" in shown
    assert "wrong" not in shown


def test_what_bench_was_asked_for_beside_the_time():
    compared = Comparison(
        "a", "b", (1.0, 1.0), (2.0, 2.0), 0.5, 0.5, 0.5, "faster", "cupti", "cold"
    )
    rows = (
        # 8e6 bytes in 2 ms are 4 GB/s, 6e9 operations 3 TFLOP/s.
        CurveRow((("n", 8),), "a", 2.0, 1.9, 2.1, 30, 8_000_000, 6_000_000_000, "cupti"),
        CurveRow((("n", 9),), "a", reason="it does not compile"),
    )
    curve = Curve(0, "k", (Axis("n", (8, 9)),), ("a",), rows, "cold")
    counted = Coverage(0, CONFIG, (1, 1, 1), (), 40, 40, 0, (), "gpu", 1.0)
    ceilings = Ceilings("a GPU", 4000.0, (("fp16", 700.0),), True, "measured")
    found = {
        "comparison": schema.comparison(compared),
        "curve": schema.curve(curve),
        "roofline": schema.roofline(ceilings, standing(counted, ceilings)),
        "host_cost": schema.plain(HostCost(500.0, 20.0, 0.015)),
        "energy": schema.plain(Energy(0.5, 600.0, 1000, 1.0)),
        "nsight": {"command": "ncu x", "report": None},
    }
    measured = Measurement(0, CONFIG, (2.0,), "cupti", "cold")
    item = json.loads(json.dumps(schema.measurement(measured, "k", None, found)))
    for key, shape in EXTRAS.items():
        conforms(item[key], shape, key)
    assert item["comparison"]["rounds"] == 2
    assert [row["sizes"] for row in item["curve"]["rows"]] == [{"n": 8}, {"n": 9}]
    first, failed = item["curve"]["rows"]
    assert (first["gbps"], first["tflops"]) == (4.0, 3.0)
    assert (failed["gbps"], failed["reason"]) == (None, "it does not compile")
    assert item["roofline"]["ceilings"]["tflops"] == {"fp16": 700.0}


def test_what_warps_wait_for_is_told_with_its_remedy():
    waits = stalls({"long_scoreboard": 30.0, "wait": 8.9, "drain": 0.1, "selected": 1.0})
    figures = (Metric("Scheduler Statistics", "No Eligible", "90", "%"),)
    report = schema.nsight(NsightReport("k", figures, ("advice",), waits))
    conforms(report, NSIGHT, "nsight")
    (shown,) = extras({"nsight": {"command": "ncu x", "report": report}})
    assert "a scheduler issues one in 10% of all cycles" in shown
    assert "waiting for global memory" in shown
    assert "75.0%" in shown
    assert "30.00" in shown
    assert "num_stages" in shown
    assert "at the end" not in shown  # a quarter of a percent


def test_the_best_row_comes_first_and_failures_keep_their_reason():
    rows = (
        SweepRow(CONFIG, "correct", median_ms=2.0),
        SweepRow(CONFIG.with_value("num_warps", 8), "correct", median_ms=1.0),
        SweepRow(CONFIG.with_value("num_warps", 16), "compile", reason="no such\n  layout"),
    )
    item = schema.sweep(SweepResult(0, "cuda:90", rows, 3, False, 1.0), "k")
    assert item["best"]["config"]["num_warps"] == 8
    lines = text.render({"sweep": item}, "sweep").splitlines()
    assert lines[1].split()[:3] == ["num_warps", "result", "median"]
    assert lines[2].split()[:3] == ["8", "correct", "1.000"]
    assert "no such layout" in lines[4]
    assert "all with BLOCK_SIZE=256" in lines[5]


def test_findings_read_as_compilers_do():
    document = schema.document("bench", "a.py")
    document["findings"] = [
        schema.finding(Finding("error", "compile", "bad", "do this", "a.py", 7, detail="one\ntwo"))
    ]
    assert text.findings(document) == ("a.py:7: error (compile): bad - do this\n    one\n    two")


def test_tables_align():
    shown = text_table.table(("name", "count"), [("a", 5), ("long name", 1234), ("b", None)])
    assert shown.splitlines() == [
        "name       count",
        "a              5",
        "long name   1234",
        "b              -",
    ]


@pytest.mark.parametrize(
    ("time_ms", "shown"),
    [(0.00000196, "1.96 ns"), (0.00051, "510 ns"), (0.00138, "1.38 µs"), (0.0498, "49.80 µs"),
     (3.687, "3.687 ms"), (1500.0, "1.50 s")],
)  # fmt: skip
def test_times_carry_a_unit_that_fits(time_ms, shown):
    assert text_table.duration(time_ms) == shown
