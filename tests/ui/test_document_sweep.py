"""The sweep of the document: set up, begun, paused, gone on with, past ones, two side by side."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from playground.model.finding import Finding
from playground.model.resources import kernels_dir
from playground.model.sweep_sizes import parse_sizes
from playground.protocol import messages
from playground.ui.document import Document
from playground.ui.settings import Settings
from playground.ui.sweep_memory import remembered
from tests.ui.fake_engine import FakeEngine
from tests.ui.recorded_sweep import SPACE, START
from tests.ui.sweep_engine import SweepEngine


def sent(engine: FakeEngine) -> messages.Sweep:
    return engine.requests(messages.Sweep)[-1]  # type: ignore[return-value]


def done(document: Document, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not document.sweep.running)


# ------------------------------------------------------------------------------ set-up


def test_the_space_is_counted_and_what_is_wrong_is_told_at_its_place(swept: Document) -> None:
    sweep = swept.sweep
    assert sweep.plan_text() == "72 configs to try"
    sweep.set_choice(where="BLOCK_M * BLOCK_N <= 16384\n  num_warps in (4, 8) and BLOK > 1")
    (wrong,) = sweep.reading.conditions
    assert (wrong.line, wrong.column) == (1, 27)
    assert "BLOK" in wrong.why
    sweep.set_choice(where="BLOCK_M * BLOCK_N <= 16384")
    # 64 × {64, 128, 256} and 128 × {64, 128} of 6 tiles, each with 12 others.
    assert sweep.plan_text() == "60 of 72 configs meet the conditions"
    sweep.set_values("num_warps", "4, 7")
    assert "power of two" in sweep.reading.problems["num_warps"]
    assert sweep.plan_text() == sweep.reading.problems["num_warps"]
    sweep.set_values("num_warps", "4, 8")
    sweep.set_choice(where="BLOCK_M > 1000")
    assert sweep.plan_text() == (
        "no config meets the conditions: BLOCK_M > 1000 is not met (64 against 1000)"
    )


def test_the_files_own_configs_are_part_of_the_space(
    swept: Document, sweep_engine: SweepEngine, qtbot: QtBot
) -> None:
    sweep = swept.sweep
    sweep.set_choice(source="own")
    assert sweep.plan_text() == "3 configs to try"
    sweep.start()
    done(swept, qtbot)
    assert sent(sweep_engine).values == {}
    assert [config["BLOCK_N"] for config in sent(sweep_engine).listed] == [128, 256, 128]
    for name in SPACE:
        sweep.set_values(name, str(START[name]))
    sweep.set_choice(source="both")
    assert sweep.reading.count.valid == 3  # the present config is one of the file's own


def test_a_large_space_is_searched(swept: Document) -> None:
    sweep = swept.sweep
    sweep.set_values("GROUP_M", "1, 2, 4, 8, 16, 32, 64, 128")
    assert sweep.plan_text() == "576 configs to try, 100 of them by TPE search"
    sweep.set_choice(strategy="climb", most=30)
    assert sweep.plan_text() == "576 configs to try, 30 of them by hill climb from the sliders"
    sweep.set_choice(strategy="exhaustive", most=None)
    assert sweep.plan_text() == "576 configs to try"


def test_many_combinations_are_counted_in_a_pause_of_typing(swept: Document, qtbot: QtBot) -> None:
    sweep = swept.sweep
    for name in ("BLOCK_M", "BLOCK_N", "BLOCK_K", "GROUP_M"):
        sweep.set_values(name, "1..512:pow2")
    sweep.set_choice(where="BLOCK_M == BLOCK_N")
    assert sweep.plan_text().startswith("counting how many of 60,000 configs")
    assert not sweep.reading.problem
    qtbot.waitUntil(lambda: not sweep.reading.counting)
    # One in ten of the 10⁴ tiles, times 2 · 3 of warps and stages.
    assert sweep.reading.count.valid == pytest.approx(6_000, rel=0.15)


def test_what_cannot_all_be_tried_is_no_plan(swept: Document, qtbot: QtBot) -> None:
    sweep = swept.sweep
    for name in ("BLOCK_M", "BLOCK_N", "BLOCK_K", "GROUP_M"):
        sweep.set_values(name, "1..512:pow2")
    sweep.set_choice(strategy="exhaustive")
    assert sweep.reading.problem.startswith("60,000 configs are too many to try them all")
    sweep.set_choice(most=50)
    assert sweep.plan_text() == "60,000 configs to try, 50 of them"
    # A billion under a condition that ties all of them together: the window goes on meanwhile.
    for name in ("BLOCK_M", "BLOCK_N", "BLOCK_K", "GROUP_M", "num_warps"):
        sweep.set_values(name, ", ".join(str(1 << n) for n in range(10 if name != "num_warps"
                                                                    else 6)))  # fmt: skip
    sweep.set_choice(where="BLOCK_M + BLOCK_N + BLOCK_K + GROUP_M + num_warps + num_stages < 5")
    qtbot.waitUntil(lambda: not sweep.reading.counting, timeout=20_000)
    assert sweep.reading.problem.startswith("no config that meets the conditions was found")


def test_a_condition_may_be_put_aside_and_hidden_fields_are_not_wrong(
    gpu_ran: Document,
) -> None:
    sweep = gpu_ran.sweep
    sweep.set_choice(where="# nonsense here\nnum_warps > 0")
    assert sweep.where() == ("num_warps > 0",)
    assert not sweep.reading.conditions
    sweep.set_choice(source="own")
    sweep.set_values("num_warps", "seven")
    assert not sweep.reading.problems
    sweep.set_choice(source="values")
    assert "whole number" in sweep.reading.problem


def test_sizes_that_belong_together_or_not() -> None:
    texts = {"m": "16, 2^5", "n": "8", "k": "64..128"}
    assert parse_sizes(texts, together=True) == (
        (("m", 16), ("n", 8), ("k", 64)), (("m", 32), ("n", 8), ("k", 128)),
    )  # fmt: skip
    assert len(parse_sizes(texts, together=False)) == 4
    assert parse_sizes({"m": "512..2048:512"}, together=True)[-1] == (("m", 2048),)
    assert parse_sizes({"m": " "}, together=True) == ()
    for wrong, why in (({"m": "1, 2", "n": "1, 2, 3"}, "equally many"), ({"m": "x"}, "m: x is no"),
                       ({"m": "8..4"}, "runs down")):  # fmt: skip
        with pytest.raises(ValueError, match=why):
            parse_sizes(wrong, together=True)


def test_what_was_swept_is_remembered_by_file_and_kernel(
    swept: Document, qtbot: QtBot, tmp_path: Path
) -> None:
    swept.setup_store = Settings(tmp_path / "window.ini")
    sweep = swept.sweep
    sweep.set_choice(where="BLOCK_M > 8", strategy="climb", most=5, total_s=9.0,
                     sizes=(("m", "1024, 2048"),))  # fmt: skip
    kept = sweep.choice
    sweep.keep()
    sweep.set_choice(where="", strategy="auto", sizes=())
    sweep.offer_around()
    sweep._shape = None  # as where the file is opened again
    sweep._on_launch()
    assert sweep.choice == kept
    odd = '{"matmul_kernel": {"values": [["GONE", "1"], 4], "most": true, "source": "x"}}'
    for text in ("", "no json", '{"matmul_kernel": 3}', odd):
        assert remembered(text, "matmul_kernel", kept, ("m",)).values == kept.values
        assert remembered(text, "matmul_kernel", kept, ("m",)).most == 5


# ------------------------------------------------------------------------------ running


def test_rows_come_in_and_the_sweep_is_paused_and_cancelled(
    swept: Document, sweep_engine: SweepEngine, qtbot: QtBot
) -> None:
    sweep = swept.sweep
    sweep_engine.hold = True
    sweep.start()
    job = sweep_engine.sent[-1][0]
    assert sweep.running
    sweep_engine.release(1)
    assert sweep.done == (36, 72)
    assert sweep.eta_s == 1.5
    assert sweep.result is None
    sweep.pause()
    assert sweep_engine.requests(messages.Pause) == [messages.Pause(job, True)]
    sweep.pause(False)
    assert sweep_engine.requests(messages.Pause)[-1] == messages.Pause(job, False)
    sweep.cancel()
    sweep_engine.hold = False
    sweep_engine._schedule()
    done(swept, qtbot)
    assert len(sweep.rows) == 36  # what was measured stays
    assert sweep.can_continue
    sweep.start(resume=True)
    assert sent(sweep_engine).resume
    done(swept, qtbot)
    assert len(sweep.rows) == 72
    assert not sweep.can_continue
    assert sweep.best().config == sweep.result.ranking.winner


def test_rows_outlive_the_engine(
    swept: Document, sweep_engine: SweepEngine, qtbot: QtBot
) -> None:  # fmt: skip
    sweep = swept.sweep
    sweep_engine.hold = True
    sweep.start()
    sweep_engine.release(1)
    sweep_engine.hold = False
    sweep_engine.crash()
    qtbot.waitUntil(lambda: sweep_engine.state == "ready" and swept.launch is not None)
    assert not sweep.running
    assert len(sweep.rows) == 36
    assert sweep.can_continue
    assert "Continue" in sweep.problem


def test_each_size_is_a_part_of_the_sweep(
    swept: Document, sweep_engine: SweepEngine, qtbot: QtBot
) -> None:
    sweep = swept.sweep
    for name in ("m", "n", "k"):
        sweep.set_size(name, "1024, 4096")
    assert sweep.plan_text() == "72 configs to try, at each of 2 sizes"
    sweep.start()
    done(swept, qtbot)
    assert sent(sweep_engine).sizes[1] == (("m", 4096), ("n", 4096), ("k", 4096))
    assert [dict(part.sizes)["m"] for part in sweep.parts] == [1024, 4096]
    assert [dict(item.sizes)["m"] for item in sweep.sized()] == [1024, 4096]
    assert sweep.shown == 1
    sweep.show_part(0)
    assert sweep.best().median_ms < 0.05


def test_one_size_that_is_the_present_one_is_no_sweep_of_its_own(
    swept: Document, sweep_engine: SweepEngine, qtbot: QtBot
) -> None:
    sweep = swept.sweep
    sweep.set_size("m", str(sweep.size_now("m")))
    sweep.start()
    done(swept, qtbot)
    assert sent(sweep_engine).sizes == ()
    sweep.set_size("m", "999")
    sweep.start()
    done(swept, qtbot)
    assert sent(sweep_engine).sizes == ((("m", 999),),)


def test_the_bench_process_is_asked_for_once(swept: Document, sweep_engine: SweepEngine) -> None:
    swept.sweep.prepare()
    swept.sweep.prepare()
    assert len(sweep_engine.requests(messages.PrepareSweep)) == 1


def test_another_file_leaves_no_rows_behind(
    swept: Document, sweep_engine: SweepEngine, qtbot: QtBot
) -> None:
    sweep_engine.hold = True
    swept.sweep.start()
    sweep_engine.release(1)
    swept.open_file(str(Path(kernels_dir()) / "vector_add.py"))
    assert swept.sweep.rows == []
    sweep_engine.hold = False
    sweep_engine._schedule()
    done(swept, qtbot)
    assert swept.sweep.rows == []


# ------------------------------------------------------------------------------ the store


def test_past_sweeps_open_and_compare(
    swept: Document, sweep_engine: SweepEngine, qtbot: QtBot
) -> None:
    past = swept.sweep.past
    past.refresh()
    qtbot.waitUntil(lambda: len(past.sweeps) == 3)
    assert [one.number for one in past.of_this()] == [7, 5, 3]
    past.open(3)
    qtbot.waitUntil(lambda: swept.sweep.opened is not None)
    assert swept.sweep.opened.number == 3
    assert swept.sweep.stored() == (3,)
    assert len(swept.sweep.rows) == 72
    past.compare(3, 7)
    qtbot.waitUntil(lambda: past.comparison is not None)
    # The formula makes every config of the earlier one e^0.05 slower, the noise being under 1 %.
    assert past.comparison.mean == pytest.approx(0.951, abs=0.01)
    assert past.comparison.winner.is_same


def test_an_unfinished_sweep_is_set_up_as_it_was_and_gone_on_with(
    swept: Document, sweep_engine: SweepEngine, qtbot: QtBot
) -> None:
    sweep = swept.sweep
    sweep.past.refresh()
    qtbot.waitUntil(lambda: bool(sweep.past.sweeps))
    sweep.set_values("BLOCK_M", "16")
    sweep.past.go_on(5)
    assert sent(sweep_engine).resume
    assert sent(sweep_engine).values["BLOCK_M"] == (64, 128)
    done(swept, qtbot)


def test_a_sweep_of_another_kernel_cannot_be_gone_on_with(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    gpu_engine.past = dict(SweepEngine().past)
    past = gpu_ran.sweep.past
    past.refresh()
    qtbot.waitUntil(lambda: bool(past.sweeps))
    past.go_on(5)
    assert "matmul_kernel" in past.problem
    assert not gpu_engine.requests(messages.Sweep)
    gpu_ran.sweep.apply(START)
    assert any("sliders stay" in item.message for item in gpu_ran.findings)


def test_exports_are_asked_of_what_is_shown(
    swept: Document, sweep_engine: SweepEngine, qtbot: QtBot
) -> None:
    swept.sweep.start()
    done(swept, qtbot)
    exported: list[messages.Exported] = []
    swept.exported.connect(exported.append)
    swept.sweep.export("autotune", best=2)
    qtbot.waitUntil(lambda: bool(exported))
    assert exported[0].text == "# autotune of (7,)\n"
    swept.export(swept.sweep.best().config)
    qtbot.waitUntil(lambda: len(exported) == 2)
    assert "BLOCK_M=128" in exported[1].text


def test_findings_of_a_sweep_are_told(
    swept: Document, sweep_engine: SweepEngine, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = Finding("error", "sweep", "Optuna is not installed", "pip install optuna")
    monkeypatch.setattr(
        sweep_engine, "_answer_sweep", lambda _request: [messages.Finished(findings=(wrong,))]
    )
    swept.sweep.start()
    done(swept, qtbot)
    assert swept.sweep.problem == "Optuna is not installed"
    assert wrong in swept.findings
