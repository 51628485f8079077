"""Knobs by keyboard and mouse, and the chips that say what a config came to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from playground.model.check import CheckResult
from playground.model.knobs import Knob
from playground.protocol import messages
from playground.ui.document import Document
from playground.ui.theme import Theme
from playground.ui.views.chips import Chip
from playground.ui.views.formatting import significant, time_text
from playground.ui.views.knob_row import KnobRow
from playground.ui.views.knob_widgets import KnobSlider, KnobSpinBox
from playground.ui.views.knobs import KnobsPanel
from tests.ui.fake_engine import FakeEngine
from tests.ui.matmul_engine import MatmulEngine


def show(panel: QWidget, qtbot: QtBot, width: int = 380, height: int = 640) -> None:
    qtbot.addWidget(panel)
    panel.resize(width, height)
    panel.show()
    qtbot.waitExposed(panel)


@pytest.fixture
def panel(gpu_ran: Document, qtbot: QtBot) -> KnobsPanel:
    made = KnobsPanel(gpu_ran, Theme())
    show(made, qtbot)
    return made


@pytest.fixture
def matmul(qapp, qtbot: QtBot) -> Iterator[Document]:
    engine = MatmulEngine()
    engine.start()
    document = Document(engine)
    qtbot.waitUntil(lambda: engine.state == "ready")
    document.set_text("# matmul")
    document.run()
    qtbot.waitUntil(lambda: document.is_current(document.coverage))
    yield document
    document.close()
    engine.shutdown()


def spin(panel: KnobsPanel, name: str) -> KnobSpinBox:
    found = panel.findChild(KnobSpinBox, f"knob:{name}")
    assert found is not None
    return found


def slider(panel: KnobsPanel, name: str) -> KnobSlider:
    found = panel.findChild(KnobSlider, f"knob-slider:{name}")
    assert found is not None
    return found


def type_value(box: KnobSpinBox, text: str) -> None:
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, text)
    QTest.keyClick(box, Qt.Key.Key_Return)


def test_nothing_to_turn_before_a_run(gpu_document: Document, qtbot: QtBot) -> None:
    panel = KnobsPanel(gpu_document, Theme())
    show(panel, qtbot)
    assert panel.findChild(QWidget, "knobs.empty").isVisible()
    assert "F5" in panel.findChild(QWidget, "knobs.empty").text


def test_every_knob_has_its_widget(panel: KnobsPanel) -> None:
    assert spin(panel, "BLOCK_SIZE").value() == 1024
    assert spin(panel, "num_warps").value() == 4
    assert spin(panel, "num_stages").value() == 3
    assert spin(panel, "BLOCK_SIZE").accessibleName() == "BLOCK_SIZE"


def test_arrows_double_and_halve(panel: KnobsPanel, gpu_ran: Document) -> None:
    box = spin(panel, "BLOCK_SIZE")
    QTest.keyClick(box, Qt.Key.Key_Up)
    assert gpu_ran.config["BLOCK_SIZE"] == 2048
    QTest.keyClick(box, Qt.Key.Key_PageDown)
    assert gpu_ran.config["BLOCK_SIZE"] == 512
    QTest.keyClick(box, Qt.Key.Key_Home)
    assert gpu_ran.config["BLOCK_SIZE"] == 1
    QTest.keyClick(spin(panel, "num_warps"), Qt.Key.Key_End)
    assert gpu_ran.config["num_warps"] == 32


def test_an_invalid_value_is_explained_and_goes_nowhere(
    panel: KnobsPanel, gpu_ran: Document
) -> None:
    box = spin(panel, "BLOCK_SIZE")
    type_value(box, "200")
    assert gpu_ran.config["BLOCK_SIZE"] == 1024
    message = panel.findChild(QLabel, "knob-message:BLOCK_SIZE")
    assert message.isVisible()
    assert "128 or 256" in message.text()
    panel.findChild(QPushButton, "knob-offer:BLOCK_SIZE:128").click()
    assert gpu_ran.config["BLOCK_SIZE"] == 128
    assert box.value() == 128
    assert not message.isVisible()


def test_a_typed_value_is_applied(panel: KnobsPanel, gpu_ran: Document) -> None:
    type_value(spin(panel, "BLOCK_SIZE"), "4096")
    assert gpu_ran.config["BLOCK_SIZE"] == 4096
    type_value(spin(panel, "num_stages"), "99")
    assert gpu_ran.config["num_stages"] == 3
    assert "at most 8" in panel.row("num_stages").message


def test_a_drag_is_one_undo_step_and_ends_in_one_full_measurement(
    panel: KnobsPanel, gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    bar = slider(panel, "BLOCK_SIZE")
    start = bar.handle_rect().center().toPoint()
    gpu_engine.sent.clear()
    steps = gpu_ran.knob_history.count()
    QTest.mousePress(bar, Qt.MouseButton.LeftButton, pos=start)
    for x in range(start.x(), bar.width() - 30, 4):
        QTest.mouseMove(bar, QPoint(x, start.y()))
        qtbot.wait(1)
    QTest.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=QPoint(bar.width() - 30, start.y()))
    value = gpu_ran.config["BLOCK_SIZE"]
    assert isinstance(value, int)
    assert value > 1024
    assert spin(panel, "BLOCK_SIZE").value() == value
    assert gpu_ran.knob_history.count() == steps + 1
    qtbot.waitUntil(lambda: gpu_ran.is_current(gpu_ran.coverage))
    full = [r for r in gpu_engine.requests(messages.Replay) if "coverage" in r.steps]
    assert len(full) == 1
    gpu_ran.knob_history.undo()
    assert spin(panel, "BLOCK_SIZE").value() == 1024


def test_slider_keys(panel: KnobsPanel, gpu_ran: Document) -> None:
    bar = slider(panel, "num_warps")
    bar.setFocus()
    QTest.keyClick(bar, Qt.Key.Key_Right)
    assert gpu_ran.config["num_warps"] == 8
    QTest.keyClick(bar, Qt.Key.Key_Home)
    assert gpu_ran.config["num_warps"] == 1


def test_reset_of_one_knob_and_of_all(panel: KnobsPanel, gpu_ran: Document) -> None:
    reset = panel.findChild(QToolButton, "knob-reset:BLOCK_SIZE")
    assert not reset.isVisible()
    QTest.keyClick(spin(panel, "BLOCK_SIZE"), Qt.Key.Key_Up)
    QTest.keyClick(spin(panel, "num_warps"), Qt.Key.Key_Up)
    assert reset.isVisible()
    assert reset.text() == "1024"
    QTest.mouseClick(reset, Qt.MouseButton.LeftButton)
    assert gpu_ran.config["BLOCK_SIZE"] == 1024
    assert gpu_ran.config["num_warps"] == 8
    QTest.mouseClick(panel.findChild(QPushButton, "knobs.reset"), Qt.MouseButton.LeftButton)
    assert gpu_ran.config == gpu_ran.launch.config


def test_presets_are_the_configs_of_the_file(panel: KnobsPanel, gpu_ran: Document) -> None:
    presets = panel.findChild(QComboBox, "knobs.presets")
    presets.setFocus()
    QTest.keyClick(presets, Qt.Key.Key_Down)
    presets.activated.emit(presets.currentIndex())
    assert gpu_ran.config["BLOCK_SIZE"] == 4096
    assert gpu_ran.config["num_warps"] == 8
    assert presets.currentIndex() == 1


def test_chips(panel: KnobsPanel, gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot) -> None:
    chip = {c.objectName(): c for c in panel.findChildren(Chip)}
    assert chip["verdict.correct"].text == "correct"
    assert chip["verdict.fits"].text == "fits"
    assert chip["verdict.registers"].text == "32 registers"
    assert chip["verdict.time"].text == time_text(gpu_ran.measurement.median_ms)
    gpu_engine.wrong_configs.add(gpu_ran.config.with_value("BLOCK_SIZE", 2048))
    gpu_engine.hold = True
    QTest.keyClick(spin(panel, "BLOCK_SIZE"), Qt.Key.Key_Up)
    assert chip["verdict.correct"].text == "checking …"
    assert chip["verdict.time"].text == ""
    gpu_engine.hold = False
    gpu_engine.release()
    qtbot.waitUntil(lambda: chip["verdict.correct"].text == "wrong")
    assert chip["verdict.correct"].tone == "bad"
    assert "512 of 98432" in chip["verdict.correct"].toolTip()
    qtbot.waitUntil(lambda: chip["verdict.time"].text.endswith(", wrong result"))
    assert chip["verdict.time"].tone == "bad"


def test_interpreter_time_is_said_to_be_the_cpus(ran: Document, qtbot: QtBot) -> None:
    panel = KnobsPanel(ran, Theme())
    show(panel, qtbot)
    chip = panel.findChild(Chip, "verdict.time")
    assert chip.text.endswith("on the CPU")
    assert chip.tone == "warn"


def test_a_config_that_does_not_compile_is_right_in_the_interpreter_only(
    ran: Document, engine: FakeEngine, qtbot: QtBot
) -> None:
    panel = KnobsPanel(ran, Theme())
    show(panel, qtbot)
    chip = {c.objectName(): c for c in panel.findChildren(Chip)}
    reason = "tl.dot needs K at least 16"
    engine.refused_blocks = {256: reason}
    # Set as a whole, as a preset or the command line does it: no knob was moved by hand.
    ran.apply_config(ran.config.updated({"BLOCK_SIZE": 256, "num_warps": 8}))
    qtbot.waitUntil(lambda: ran.is_current(ran.measurement))
    qtbot.waitUntil(lambda: chip["verdict.correct"].text == "right in the interpreter only")
    assert chip["verdict.correct"].tone == "warn"
    assert reason in chip["verdict.correct"].toolTip()
    assert (chip["verdict.fits"].text, chip["verdict.fits"].tone) == ("does not compile", "bad")
    assert reason in chip["verdict.fits"].toolTip()
    assert chip["verdict.registers"].text == ""
    assert chip["verdict.time"].text.endswith("on the CPU, cannot run")
    assert "it counts for nothing" in chip["verdict.time"].toolTip()
    assert chip["verdict.time"].isVisible()
    assert chip["verdict.time"].tone == "bad"
    slider = panel.findChild(KnobSlider, "knob-slider:BLOCK_SIZE")
    assert slider.tip_at(slider.handle_rect().center().x()) == f"256 cannot run: {reason}"
    assert panel.row("BLOCK_SIZE").message == f"256 cannot run: {reason}"
    assert ran.is_rejected(ran.measurement)
    ran.reset_knobs()
    qtbot.waitUntil(lambda: chip["verdict.correct"].text == "correct")
    assert chip["verdict.fits"].text == "fits"
    assert "cannot run" not in chip["verdict.time"].text


def test_a_compiler_that_does_not_reach_the_kernel_is_no_verdict(
    ran: Document, qtbot: QtBot
) -> None:
    panel = KnobsPanel(ran, Theme())
    show(panel, qtbot)
    chip = {c.objectName(): c for c in panel.findChildren(Chip)}
    ran.take_compiled(messages.Compiled(ran.revision, None, ()))
    assert (chip["verdict.fits"].text, chip["verdict.fits"].tone) == ("not compiled", "warn")
    assert chip["verdict.correct"].text == "correct"
    assert not ran.is_rejected(ran.measurement)


def test_other_kinds_of_knobs(matmul: Document, qtbot: QtBot) -> None:
    panel = KnobsPanel(matmul, Theme())
    show(panel, qtbot, height=900)
    box = panel.findChild(QCheckBox, "knob:EVEN_K")
    QTest.keyClick(box, Qt.Key.Key_Space)
    assert matmul.config["EVEN_K"] is False
    combo = panel.findChild(QComboBox, "knob:OUT_DTYPE")
    QTest.keyClick(combo, Qt.Key.Key_Down)
    assert matmul.config["OUT_DTYPE"] == "tl.bfloat16"
    fixed = panel.findChild(QWidget, "knob:ACTIVATION")
    assert not fixed.isEnabled()
    assert "cannot be moved" in panel.row("ACTIVATION").message
    assert "dictates" in panel.row("PADDED").message
    assert not panel.findChild(QToolButton, "knob-lock:BLOCK").isVisible()


def test_any_limit_of_registers_can_be_typed(matmul: Document, qtbot: QtBot) -> None:
    panel = KnobsPanel(matmul, Theme())
    show(panel, qtbot, height=900)
    combo = panel.findChild(QComboBox, "knob:maxnreg")
    assert combo.currentText() == "none"
    field = combo.lineEdit()
    assert field.objectName() == "knob:maxnreg.text"
    for typed, value, shown in (("58", 58, "58"), ("9", 58, "9"), ("None", None, "none")):
        field.selectAll()
        QTest.keyClicks(field, typed)
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert matmul.config["maxnreg"] == value
        assert combo.currentText() == shown
        assert panel.row("maxnreg").message == ("maxnreg is at least 16, not 9" * (typed == "9"))


def test_no_limit_of_registers_is_offered_where_the_target_takes_none(
    matmul: Document, qtbot: QtBot
) -> None:
    panel = KnobsPanel(matmul, Theme())
    show(panel, qtbot, height=900)
    row = panel.row("maxnreg")
    matmul.set_target("hip:gfx942")
    assert row.isVisible()  # it runs on the machine's own GPU all the same
    matmul.device = replace(matmul.device, mode="interpreter")
    matmul.set_target("cuda:90")
    assert row.isVisible()
    matmul.set_target("hip:gfx942")
    assert not row.isVisible()
    assert panel.row("num_warps").isVisible()
    matmul.set_knob("maxnreg", 64)
    assert row.isVisible()  # to be set back
    matmul.set_knob("maxnreg", None)
    assert not row.isVisible()


def test_a_knob_bound_to_the_data_moves_once_unlocked(matmul: Document, qtbot: QtBot) -> None:
    panel = KnobsPanel(matmul, Theme())
    show(panel, qtbot, height=900)
    lock = panel.findChild(QToolButton, "knob-lock:PADDED")
    slider = panel.findChild(KnobSlider, "knob-slider:PADDED")
    assert lock.isVisible()
    assert lock.text() == "bound to the data"
    assert "dictates" in lock.toolTip()
    assert not slider.isEnabled()
    assert not spin(panel, "PADDED").isEnabled()
    QTest.mouseClick(lock, Qt.MouseButton.LeftButton)
    assert matmul.is_unlocked("PADDED")
    assert slider.isEnabled()
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert matmul.config["PADDED"] == 2048
    assert "dictates" in panel.row("PADDED").message
    QTest.mouseClick(lock, Qt.MouseButton.LeftButton)
    assert not slider.isEnabled()


def test_values_that_cannot_run_are_crossed_out_with_their_reason(
    panel: KnobsPanel, gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    gpu_engine.unusable_blocks = {2048: "it needs 393216 bytes of shared memory"}
    knob = gpu_ran.launch.knob("BLOCK_SIZE")
    # Found while compiling the slider's neighbours ahead, in idle time.
    qtbot.waitUntil(lambda: gpu_ran.unusable_values(knob) != {})
    assert gpu_ran.unusable_values(knob) == {2048: "it needs 393216 bytes of shared memory"}
    slider = panel.findChild(KnobSlider, "knob-slider:BLOCK_SIZE")
    handle = slider.handle_rect().center().x()
    assert slider.tip_at(handle) == "1024"
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert gpu_ran.config["BLOCK_SIZE"] == 2048
    assert slider.tip_at(slider.handle_rect().center().x()) == (
        "2048 cannot run: it needs 393216 bytes of shared memory"
    )
    # Stepping there by key says so too, to the eye and to a screen reader.
    assert panel.row("BLOCK_SIZE").message.startswith("2048 cannot run")
    assert slider.accessibleDescription() == panel.row("BLOCK_SIZE").message
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert panel.row("BLOCK_SIZE").message == ""
    # Under another num_warps nothing is known of 2048.
    gpu_ran.set_knob("BLOCK_SIZE", 1024)
    gpu_ran.set_knob("num_warps", 8)
    assert gpu_ran.unusable_values(gpu_ran.launch.knob("BLOCK_SIZE")) == {}


def test_the_verdict_says_when_the_driver_was_run_again(
    panel: KnobsPanel, gpu_ran: Document
) -> None:
    chip = panel.findChild(Chip, "verdict.route")
    assert not chip.isVisible()
    gpu_ran.take_checked(
        messages.Checked(
            gpu_ran.revision, gpu_ran.config, CheckResult("correct", "captured", route="driver")
        )
    )
    assert chip.isVisible()
    assert chip.text == "driver run again"
    gpu_ran.set_knob("BLOCK_SIZE", 512)
    assert not chip.isVisible()


def test_a_theme_change_keeps_everything(panel: KnobsPanel, gpu_ran: Document) -> None:
    panel._theme.set_name("dark")
    assert spin(panel, "BLOCK_SIZE").value() == 1024


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (1.234, "1.23"), (12.34, "12.3"), (123.4, "123"), (999.6, "1\u2009000"),
     (4249.0, "4\u2009249"), (0.0123, "0.0123"), (10.0, "10.0")],
)  # fmt: skip
def test_significant_digits(value: float, text: str) -> None:
    assert significant(value) == text


@pytest.mark.parametrize(
    ("time_ms", "text"),
    [(0.00051, "510 ns"), (0.00246, "2.46 µs"), (0.3687, "369 µs"), (12.5, "12.5 ms"),
     (2500.0, "2.50 s")],
)  # fmt: skip
def test_times_take_the_unit_that_suits(time_ms: float, text: str) -> None:
    assert time_text(time_ms) == text


def test_tab_goes_from_knob_to_knob(ran: Document, qtbot: QtBot) -> None:
    view = KnobsPanel(ran, Theme())
    qtbot.addWidget(view)
    view.show()
    qtbot.waitExposed(view)
    names = [stop.objectName() for row in view._rows.values() for stop in row.stops]
    widget: QWidget = view.row("BLOCK_SIZE").stops[0]
    met = []
    for _ in range(200):
        if widget.objectName() in names:
            met.append(widget.objectName())
        widget = widget.nextInFocusChain()
        if met and widget is view.row("BLOCK_SIZE").stops[0]:
            break
    assert met == names


def test_a_locked_knob_keeps_no_room_for_its_reset(qtbot: QtBot) -> None:
    knob = Knob("BLOCK_SIZE", "pow2", "constexpr", 1024, minimum=16, maximum=65536)
    row = KnobRow(knob.marked_derived("next_power_of_2(n)"), Theme())
    qtbot.addWidget(row)
    row.show_value(1024, 1024)
    reset = row.findChild(QToolButton, "knob-reset:BLOCK_SIZE")
    assert reset.isHidden()
    assert not reset.sizePolicy().retainSizeWhenHidden()
    row.take_knob(row.knob, unlocked=True)
    assert reset.sizePolicy().retainSizeWhenHidden()


def test_undo_where_a_knob_has_the_keyboard_takes_its_move_back(
    panel: KnobsPanel, gpu_ran: Document
) -> None:
    box = spin(panel, "BLOCK_SIZE")
    assert "Ctrl+Z" in box.toolTip()
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Up)
    QTest.keyClick(box, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert gpu_ran.config["BLOCK_SIZE"] == 1024
    groove = slider(panel, "BLOCK_SIZE")
    QTest.keyClick(
        groove, Qt.Key.Key_Z,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )  # fmt: skip
    assert gpu_ran.config["BLOCK_SIZE"] == 2048
    # What is being typed is the field's own to undo.
    box.selectAll()
    QTest.keyClicks(box, "77")
    QTest.keyClick(box.lineEdit(), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert gpu_ran.config["BLOCK_SIZE"] == 2048
