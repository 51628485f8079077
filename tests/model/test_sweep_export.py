"""Sweeps for other programs: T4's schema rule by rule, and the servers' table."""

from __future__ import annotations

import pytest

from playground.model.config import Config
from playground.model.sweep import SweepResult, SweepRow
from playground.model.sweep_export import TableError, t4, table

A = Config.of({"BLOCK_SIZE_M": 16, "num_warps": 4, "maxnreg": None})
B = A.with_value("BLOCK_SIZE_M", 64)
# From the schema's own file: what `invalidity` may be.
WORDS = {"timeout", "compile", "runtime", "correctness", "constraints", "correct"}


def test_t4_has_every_required_field_and_only_its_words() -> None:
    rows = [
        (SweepRow(A, "correct", median_ms=2.0), (1.0, 2.0, 3.0)),
        *((SweepRow(B, status), ()) for status in (
            "wrong", "unjudged", "constraint", "compile", "resources", "runtime", "timeout",
            "cancelled")),
    ]  # fmt: skip
    document = t4(rows, when=0.0)
    assert document["schema_version"] == "1.0.0"
    results = document["results"]
    assert isinstance(results, list)
    assert len(results) == 8  # all but the cancelled one
    for result in results:
        assert {"configuration", "times", "invalidity", "correctness"} <= result.keys()
        assert result["invalidity"] in WORDS
    first = results[0]
    assert first["timestamp"] == "1970-01-01T00:00:00+00:00"
    assert first["times"]["runtimes"] == [1.0, 2.0, 3.0]
    assert {item["name"]: item["value"] for item in first["measurements"]} == {
        "time": 2.0, "time_stdev": 1.0,
    }  # fmt: skip
    assert [result["correctness"] for result in results] == [1] + [0] * 7


def test_the_table_has_the_best_of_each_size() -> None:
    def result(config: Config, status: str = "correct") -> SweepResult:
        row = SweepRow(config, status, median_ms=1.0)  # type: ignore[arg-type]
        return SweepResult(0, "cuda:90", (row,), 1, False, 1.0)

    assert table([(64, result(B)), (1, result(A))]) == {
        "1": {"BLOCK_SIZE_M": 16, "num_warps": 4},
        "64": {"BLOCK_SIZE_M": 64, "num_warps": 4},
    }
    with pytest.raises(TableError, match="size 8"):
        table([(8, result(A, "wrong"))])
