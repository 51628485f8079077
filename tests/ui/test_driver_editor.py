"""The driver's code under the driver bar: shown, edited, remembered, put back; and run options."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton

from playground.model.finding import Finding
from playground.protocol import messages
from playground.ui.driver_editor import DRIVER_FILE
from tests.ui.windows import open_window

LAUNCHER = """import torch
import triton
import triton.language as tl

@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, total, mask=mask)

def add(x, y):
    out = torch.empty_like(x)
    n = x.numel()
    add_kernel[(triton.cdiv(n, 128),)](x, y, out, n, BLOCK=128)
    return out
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "add.py"
    path.write_text(LAUNCHER)
    return path


@pytest.fixture
def window(tmp_path, qapp, file):
    with open_window(tmp_path, qapp, mode="interpreter", path=file) as made:
        made.area.start_colours()
        yield made


def test_a_written_driver_is_shown_and_runs_as_it_is(window, qtbot):
    editor = window.drivers.editor
    assert window.document.driver.kind == "generated"
    assert editor.isVisible()
    assert "x = torch.randn(n" in editor.code.text()
    assert editor.code.text().endswith("add(x, y)")
    assert editor.findChild(QLabel, "driver.note").text().startswith("Written by the app")
    assert not editor.reset.isVisible()
    window.document.run()
    request = window.engine.requests(messages.Run)[-1]
    assert request.driver == window.document.outline.drivers[0].code


def test_the_code_is_coloured_and_all_of_it_in_view(window, qtbot):
    code = window.drivers.editor.code
    qtbot.waitUntil(lambda: bool(code.document().firstBlock().layout().formats()))
    assert code.verticalScrollBar().maximum() == 0 or code.blockCount() > 14


def test_an_edit_is_the_users_driver_is_remembered_and_can_be_put_back(
    window, qtbot, qapp, tmp_path, file
):
    editor = window.drivers.editor
    written = editor.code.text()
    editor.code.selectAll()
    QTest.keyClicks(editor.code, "add(torch.ones(5), torch.ones(5))")
    QTest.keyClick(editor.code, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    run = window.engine.requests(messages.Run)[-1]
    assert run.driver == "add(torch.ones(5), torch.ones(5))"
    assert window.document.driver.kind == "typed"
    assert window.drivers.choice.currentText() == "your driver"
    assert editor.reset.isVisible()
    with open_window(tmp_path, qapp, path=file, settings=window.settings) as other:
        assert other.document.driver.kind == "typed"
        assert other.drivers.editor.code.text() == "add(torch.ones(5), torch.ones(5))"
        QTest.mouseClick(other.drivers.editor.reset, Qt.MouseButton.LeftButton)
        assert other.document.driver.kind == "generated"
        assert other.drivers.editor.code.text() == written
    assert window.settings.typed_driver(str(file)) == ""


def test_typing_the_written_one_again_is_the_written_one(window):
    editor = window.drivers.editor
    editor.code.moveCursor(editor.code.textCursor().MoveOperation.End)
    QTest.keyClicks(editor.code, "!")
    assert window.document.driver.kind == "typed"
    QTest.keyClick(editor.code, Qt.Key.Key_Backspace)
    assert window.document.driver.kind == "generated"


def test_the_written_driver_follows_the_text_and_yours_stays(window, qtbot):
    document = window.document
    document.set_text(LAUNCHER.replace("def add(x, y)", "def add(x, y, alpha)"))
    qtbot.waitUntil(lambda: "add(x, y, 2.0)" in window.drivers.editor.code.text())
    assert document.driver.kind == "generated"
    editor = window.drivers.editor
    editor.code.selectAll()
    QTest.keyClicks(editor.code, "mine()")
    document.set_text(LAUNCHER)
    qtbot.waitUntil(lambda: not document._outline_timer.isActive())
    assert document.driver.code == "mine()"


def test_the_code_folds_away_and_comes_back_by_key(window, qtbot):
    editor = window.drivers.editor
    QTest.mouseClick(window.drivers.edit, Qt.MouseButton.LeftButton)
    assert not editor.isVisible()
    window.actions_table["driver.edit"].trigger()
    assert editor.isVisible()
    assert editor.code.hasFocus()


def test_a_finding_in_the_driver_is_marked_there_and_leads_there(qtbot, qapp, tmp_path, file):
    with open_window(tmp_path, qapp, path=file, views=True) as window:
        window.drivers.edit.setChecked(False)
        window.engine.run_findings = (
            Finding("error", "driver", "NameError: x", "define it", file=DRIVER_FILE, line=9),
        )
        window.document.run()
        qtbot.waitUntil(lambda: bool(window.document.findings))
        code = window.drivers.editor.code
        assert code.severity_at(9) == "error"
        assert window.editor.severity_at(9) is None
        tree = window.docks.views["findings"].tree
        assert tree.topLevelItem(0).text(2) == "driver:9"
        tree.itemActivated.emit(tree.topLevelItem(0), 0)
        assert window.drivers.editor.isVisible()
        assert code.textCursor().blockNumber() == 8


def test_files_with_an_example_keep_the_code_folded(tmp_path, qapp):
    from playground.model.resources import kernels_dir

    with open_window(tmp_path, qapp, path=kernels_dir() / "vector_add.py") as window:
        assert window.document.driver.kind == "example"
        assert not window.drivers.editor.isVisible()
        window.drivers.show_editor()
        assert window.drivers.editor.code.text() == "example()"


def test_benchmarks_and_tuning_run_when_asked(window, qtbot, tmp_path):
    document = window.document
    document.run()
    assert window.engine.requests(messages.Run)[-1].benchmarks is False
    window.actions_table["run.benchmarks"].trigger()
    window.actions_table["run.tuning"].trigger()
    document.run()
    request = window.engine.requests(messages.Run)[-1]
    assert (request.benchmarks, request.tuning) == (True, True)
    # Another file starts without.
    other = tmp_path / "other.py"
    other.write_text(LAUNCHER)
    document.open_file(str(other))
    assert not window.actions_table["run.benchmarks"].isChecked()
    assert not document.run_tuning


@pytest.mark.parametrize("flag", ["benchmarks", "tuning"])
def test_what_a_run_left_out_runs_at_a_click(qtbot, qapp, tmp_path, file, flag):
    with open_window(tmp_path, qapp, path=file, views=True) as window:
        window.engine.run_findings = (
            Finding("info", "driver", "its benchmark at line 40 skipped", f"to run it: --{flag}"),
            Finding("info", "driver", "something else", "nothing to click"),
        )
        window.document.run()
        tree = window.docks.views["findings"].tree

        def button(row):
            holder = tree.itemWidget(tree.topLevelItem(row), 3)
            return holder and holder.findChild(QPushButton, f"findings.do.{flag}")

        qtbot.waitUntil(lambda: tree.topLevelItemCount() == 2)
        assert button(1) is None
        assert not tree.isColumnHidden(3)
        before = len(window.engine.requests(messages.Run))
        button(0).click()
        qtbot.waitUntil(lambda: len(window.engine.requests(messages.Run)) == before + 1)
        assert getattr(window.engine.requests(messages.Run)[-1], flag) is True
        assert window.actions_table[f"run.{flag}"].isChecked()


def test_sizes_that_no_block_divides_are_tried_at_a_click(qtbot, qapp, tmp_path):
    kernel = Path(__file__).resolve().parents[2] / "kernels" / "vector_add.py"
    with open_window(tmp_path, qapp, path=kernel, views=True) as window:
        window.engine.run_findings = (
            Finding("info", "driver", "no mask was needed", "run example(size=1025) as well"),
        )
        window.document.run()
        tree = window.docks.views["findings"].tree
        qtbot.waitUntil(lambda: tree.topLevelItemCount() == 1)
        before = len(window.engine.requests(messages.Run))
        holder = tree.itemWidget(tree.topLevelItem(0), 3)
        holder.findChild(QPushButton, "findings.do.ragged").click()
        qtbot.waitUntil(lambda: len(window.engine.requests(messages.Run)) == before + 1)
        assert window.engine.requests(messages.Run)[-1].sizes == {"size": 1025}
        assert window.document.sizes["size"] == 1025


def test_a_simulated_gpu_is_on_the_badge(window, qtbot):
    badge = window.statusBar().badge
    assert "simulated" not in badge.text()
    window.engine.run_findings = (
        Finding("info", "driver", "the GPU is simulated: tensors asked for on a CUDA device are on "
                "the CPU"),
    )  # fmt: skip
    window.document.run()
    qtbot.waitUntil(lambda: badge.text().endswith("(GPU simulated)"))
    assert "on the CPU" in badge.toolTip()
    window.engine.run_findings = ()
    window.document.run()
    qtbot.waitUntil(lambda: "simulated" not in badge.text())


def test_colouring_the_code_is_no_edit(tmp_path, qapp):
    kernel = Path(__file__).resolve().parents[2] / "kernels" / "vector_add.py"
    with open_window(tmp_path, qapp, path=kernel) as window:
        assert window.document.driver.kind == "example"
        window.area.start_colours()  # the window does this after its first paint, with a file open
        qapp.processEvents()
        assert window.document.driver.kind == "example"
        assert window.settings.typed_driver(str(kernel)) == ""


def test_a_driver_that_was_changed_until_it_ran_is_shown_and_remembered(window, qtbot, file):
    document, editor = window.document, window.drivers.editor
    written = document.driver
    found = written.code.replace("torch.randn(n, ", "torch.randn(2, n, ")
    window.engine.run_driver = found
    document.run()
    qtbot.waitUntil(lambda: document.driver.code == found)
    assert document.driver.kind == "generated"
    assert document.driver.label == written.label
    assert editor.code.text() == found
    note = editor.findChild(QLabel, "driver.note").text()
    assert note.startswith("Written by the app, and changed until it ran")
    assert window.drivers.choice.currentText() == written.label
    assert not editor.reset.isVisible()
    # It is what runs next, also after the text was edited and the file opened again.
    window.engine.run_driver = ""
    document.run()
    assert window.engine.requests(messages.Run)[-1].driver == found
    document.set_text(document.text + "\n# more\n")
    document._refresh_outline()
    assert document.driver.code == found
    document.open_file(str(file))
    assert document.driver.code == found
    assert window.settings.found_drivers(str(file)) == {written.code: found}


def test_another_functions_driver_that_ran_instead_is_the_first_from_then_on(window, qtbot, file):
    document = window.document
    second = (
        "\ndef scale(x, y):\n    return add(x, y) * 2\n\ndef twice(x, y):\n    return add(x, y)\n"
    )
    document.set_text(document.text + second)
    document._refresh_outline()
    first, other = [d for d in document.outline.drivers if d.kind == "generated"][:2]
    document.set_driver(first)
    window.engine.run_driver = other.code.replace("device=device)", "device=device) + 1")
    document.run()
    qtbot.waitUntil(lambda: document.driver.label == other.label)
    labels = [d.label for d in document.outline.drivers if d.kind == "generated"]
    assert labels[:2] == [other.label, first.label]
    assert window.drivers.choice.currentText() == other.label


def test_what_the_user_typed_is_not_replaced(window, qtbot):
    editor = window.drivers.editor
    editor.code.setFocus()
    editor.code.selectAll()
    QTest.keyClicks(editor.code, "add(a, b)")
    window.engine.run_driver = "something else"
    window.document.run()
    window.document.take_found_driver("something else")
    assert window.document.driver.kind == "typed"
    assert window.document.driver.code == "add(a, b)"
    assert window.document.found_drivers == {}
