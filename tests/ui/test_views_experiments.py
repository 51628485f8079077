"""The gallery of experiments: verdicts from figures, shipped ones without a GPU, measuring here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from playground.model.experiments import EXPERIMENTS
from playground.protocol import experiment_files
from playground.protocol.messages import MeasureExperiment
from playground.ui.document import Document
from playground.ui.theme import Theme
from playground.ui.views.experiments import ExperimentsView
from playground.ui.views.notice import Notice
from tests.ui import fake_experiments as fake
from tests.ui.fake_engine import FakeEngine

PLACE = {item.name: place for place, item in enumerate(EXPERIMENTS)}


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Two results that came with the program, and a folder of our own with nothing in it."""
    monkeypatch.setattr(experiment_files, "shipped_dir", lambda: tmp_path / "shipped")
    monkeypatch.setattr(experiment_files, "own_dir", lambda: tmp_path / "own")
    for name, figures in (("tma", fake.TMA), ("block-size", fake.BLOCKS)):
        experiment_files.keep(fake.result(name, figures, fake.OTHER), tmp_path / "shipped")
    return tmp_path


def show(document: Document, qtbot: QtBot, name: str) -> ExperimentsView:
    view = ExperimentsView(document, Theme())
    qtbot.addWidget(view)
    view.resize(620, 760)
    view.show()
    qtbot.waitExposed(view)
    choose(view, name)
    return view


def choose(view: ExperimentsView, name: str) -> None:
    view._table.select_record(PLACE[name])


def notice(view: ExperimentsView, name: str) -> Notice:
    found = view.findChild(Notice, f"experiments.{name}")
    assert isinstance(found, Notice)
    return found


def cells(view: ExperimentsView, name: str) -> list[str]:
    record = EXPERIMENTS[PLACE[name]]
    return [column.text(record) if column.text else str(column.value(record))
            for column in view._model.columns]  # fmt: skip


def test_without_a_gpu_the_shipped_figures_are_shown_with_their_gpu_and_date(
    document: Document, qtbot: QtBot
) -> None:
    view = show(document, qtbot, "tma")
    assert "no GPU here to measure" in notice(view, "notice").text
    assert not view.findChild(QPushButton, "experiments.start").isEnabled()
    assert not view.findChild(QPushButton, "experiments.all").isEnabled()
    said = notice(view, "came").text
    assert said.startswith("Holds only when: 2048 x 2048, fp32")
    assert "8192 x 8192, fp32: 1.20×" in said
    assert "NVIDIA H200, 2026-11-30" in said
    assert not notice(view, "here").isVisible()
    assert cells(view, "tma") == ["TMA: 40 % faster transposes", "–", "only when …"]


def test_a_rule_nobody_has_measured_says_so(document: Document, qtbot: QtBot) -> None:
    view = show(document, qtbot, "hints")
    assert "Not measured yet" in view.findChild(QLabel, "experiments.missing").text()
    assert not view.page.bars.isVisible()
    assert not view.page.actions_row.isVisible()


def test_measuring_here_stands_beside_what_was_shipped_and_is_kept(
    gpu_engine: FakeEngine, gpu_document: Document, qtbot: QtBot
) -> None:
    view = show(gpu_document, qtbot, "tma")
    assert notice(view, "notice").text == ""
    view.findChild(QPushButton, "experiments.start").click()
    qtbot.waitUntil(lambda: not gpu_document.experiments.running)
    assert [r.name for r in gpu_engine.requests(MeasureExperiment)] == ["tma"]
    assert "NVIDIA Test 9000" in notice(view, "here").text
    assert "NVIDIA H200" in notice(view, "came").text
    bars = view.page.bars._bars
    assert [(bar.name, bar.value, bar.other) for bar in bars] == [
        ("2048 x 2048, fp32", 2.0, 2.0), ("8192 x 8192, fp32", 1.2, 1.2),
    ]  # fmt: skip
    assert cells(view, "tma")[1:] == ["only when …", "only when …"]


def test_lines_are_drawn_a_case_each_and_the_table_has_every_figure(
    document: Document, qtbot: QtBot
) -> None:
    view = show(document, qtbot, "block-size")
    assert view.page.lines.isVisible()
    assert view.page.lines.words == ("2^16", "2^24")
    assert "2^24: 64.0 1.9, 128.0 1.3" in view.page.lines.accessibleDescription()
    view.page.actions_row.show_table(True)
    assert view.page.table.isVisible()
    assert not view.page.lines.isVisible()
    assert view.page._model.as_csv().splitlines()[:2] == [
        "case,BLOCK_SIZE,time (us),over the fastest", "2^16,64.0,2.6,1.3",
    ]  # fmt: skip


def test_all_are_measured_in_turn_and_a_failure_is_told(
    gpu_engine: FakeEngine, gpu_document: Document, qtbot: QtBot
) -> None:
    view = show(gpu_document, qtbot, "tma")
    view.findChild(QPushButton, "experiments.all").click()
    experiments = gpu_document.experiments
    qtbot.waitUntil(lambda: not experiments.running and not experiments.waiting)
    asked = [request.name for request in gpu_engine.requests(MeasureExperiment)]
    assert asked == [item.name for item in EXPERIMENTS]
    assert "failed: out of memory" in notice(view, "notice").text
    assert experiments.own("tma") is not None
    assert experiments.own("hints") is None


def test_cancelling_leaves_the_rest_unmeasured(
    gpu_engine: FakeEngine, gpu_document: Document, qtbot: QtBot
) -> None:
    view = show(gpu_document, qtbot, "tma")
    gpu_engine.hold = True
    view.findChild(QPushButton, "experiments.all").click()
    assert view.findChild(QPushButton, "experiments.start").text() == "Cancel"
    view.findChild(QPushButton, "experiments.start").click()
    gpu_engine.release()
    qtbot.waitUntil(lambda: not gpu_document.experiments.running)
    assert len(gpu_engine.requests(MeasureExperiment)) == 1
    assert "cancelled" in notice(view, "notice").text
