"""The window on a scripted engine: driven by its actions and keys, looked at by its widgets."""

import pytest
from PySide6.QtCore import QEvent, QMimeData, QObject, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QMessageBox,
    QScrollBar,
    QSpinBox,
    QWidget,
)

from playground.model.finding import Finding
from playground.model.resources import kernels_dir
from playground.protocol import messages
from playground.ui.actions import ACTIONS
from playground.ui.docks import DOCKS
from playground.ui.settings import Settings
from tests.ui.windows import open_window

KERNEL = kernels_dir() / "vector_add.py"


@pytest.fixture
def window(qtbot, qapp, tmp_path):
    with open_window(tmp_path, qapp, path=KERNEL) as made:
        qtbot.waitUntil(lambda: made.document.engine_state == "ready")
        yield made


def child(window, kind, name):
    found = window.findChild(kind, name)
    assert found is not None, name
    return found


def test_all_promised_names_are_there(qtbot, qapp, tmp_path):
    with open_window(tmp_path, qapp, path=KERNEL, views=True) as window:
        window.document.run()
        qtbot.waitUntil(lambda: window.document.coverage is not None)
        names = (
            "editor console launches knobs timings coverage compiler findings engineStatus "
            "knob:BLOCK_SIZE"
        )
        for name in names.split():
            widget = child(window, QWidget, name)
            assert widget.accessibleName(), name
        for name in [
            "file.open",
            "file.save",
            "run",
            "interrupt",
            "restart",
            "baseline.pin",
            "export",
            "sweep",
        ]:
            assert window.actions_table[name].objectName() == name


def test_editor_can_be_typed_in_at_first_paint(qtbot, qapp, tmp_path):
    with open_window(tmp_path, qapp) as window:
        qtbot.waitUntil(lambda: window._painted)
        assert not window.docks.views
        QTest.keyClicks(window.editor, "x = 1")
        assert window.document.text == "x = 1"
        assert window.document.dirty


def test_nothing_but_the_window_shows_up_while_it_fills(qtbot, qapp, tmp_path):
    shown = []

    class Watch(QObject):
        def eventFilter(self, watched, event):
            showing = event.type() == QEvent.Type.Show and isinstance(watched, QWidget)
            if showing and watched.isWindow():
                shown.append(watched.objectName())
            return False

    watch = Watch()
    qapp.installEventFilter(watch)
    with open_window(tmp_path, qapp, path=KERNEL) as window:
        with qtbot.waitSignal(window.docks.allFilled, timeout=20_000):
            window.load_views()
        assert window.isActiveWindow()
    qapp.removeEventFilter(watch)
    assert shown == ["mainWindow"]


def test_opening_shows_the_text_and_runs_nothing(window):
    assert window.editor.text() == KERNEL.read_text()
    assert window.windowTitle().startswith("vector_add.py")
    assert window.area.tabs.bar.tabText(0) == "vector_add.py"
    assert not window.engine.requests(messages.Run)


def test_f5_runs_the_edited_text_with_the_chosen_size(window, qtbot):
    window.editor.go_to(8)
    QTest.keyClicks(window.editor, "# edited")
    child(window, QSpinBox, "size:size").setValue(5000)
    QTest.keyClick(window, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: window.document.launch is not None)
    (request,) = window.engine.requests(messages.Run)
    assert "\n# edited\n" in request.text
    assert request.sizes == {"size": 5000}
    assert request.driver == "example()"
    assert window.area.tabs.bar.tabText(0) == "vector_add.py ●"
    assert window.area.tabs.bar.accessibleTabName(0).startswith("vector_add.py, unsaved changes")


def test_actions_follow_what_there_is(window, qtbot):
    actions = window.actions_table
    for name in ("sweep", "export", "baseline.pin", "baseline.clear"):
        assert not actions[name].isEnabled()
    window.document.run()
    qtbot.waitUntil(lambda: window.document.measurement is not None)
    assert actions["sweep"].isEnabled()
    actions["baseline.pin"].trigger()
    assert window.document.baseline is window.document.measurement
    assert actions["baseline.clear"].isEnabled()
    window.document.set_knob("BLOCK_SIZE", 512)
    actions["edit.undoKnob"].trigger()
    assert window.document.config["BLOCK_SIZE"] == 1024
    actions["edit.redoKnob"].trigger()
    assert window.document.config["BLOCK_SIZE"] == 512


def test_every_action_has_a_handler_and_no_two_share_keys(window):
    from operator import attrgetter

    taken = {}
    for spec in ACTIONS:
        assert callable(attrgetter(spec.handler)(window)), spec.id
        assert spec.tip, spec.id
        if spec.keys:
            assert spec.keys not in taken, (spec.id, taken.get(spec.keys))
            taken[spec.keys] = spec.id
    for dock in DOCKS:
        assert dock.keys not in taken
        taken[dock.keys] = dock.id


def test_engine_status_and_badge(window, qtbot, qapp, tmp_path):
    assert child(window, QLabel, "engineStatus").text() == "Engine ready"
    badge = child(window, QLabel, "deviceBadge")
    assert badge.text() == "NVIDIA H200"
    assert child(window, QComboBox, "cache").isVisible()
    with open_window(tmp_path, qapp, "interpreter") as other:
        qtbot.waitUntil(lambda: other.document.device is not None)
        assert child(other, QLabel, "deviceBadge").text() == "interpreter: no GPU timings"
        assert child(other, QLabel, "deviceBadge").isVisible()
        assert not child(other, QComboBox, "cache").isVisible()


def test_target_and_cache_are_chosen_in_the_status_bar(window, qtbot):
    window.document.run()
    qtbot.waitUntil(lambda: window.document.coverage is not None)
    target = child(window, QComboBox, "target")
    target.setCurrentIndex(target.findData("hip:gfx942"))
    target.activated.emit(target.currentIndex())
    assert window.document.target == "hip:gfx942"
    cache = child(window, QComboBox, "cache")
    cache.activated.emit(cache.findData("warm"))
    assert window.document.cache == "warm"


def test_progress_shows_after_a_while_with_a_cancel(window, qtbot):
    cancel = child(window, QWidget, "progress.cancel")
    window.engine.hold = True
    window.document.run()
    assert not cancel.isVisible()
    qtbot.waitUntil(cancel.isVisible, timeout=3000)
    QTest.mouseClick(cancel, Qt.MouseButton.LeftButton)
    assert window.engine.requests(messages.Cancel)
    window.engine.hold = False
    window.engine.release()
    qtbot.waitUntil(lambda: not cancel.isVisible())


def test_a_typed_driver_runs_and_is_remembered(window, qtbot, qapp, tmp_path):
    bar = window.drivers
    bar.choice.setCurrentIndex(bar.choice.count() - 1)
    bar.choice.activated.emit(bar.choice.count() - 1)
    code = bar.editor.code
    assert code.isVisible()
    assert code.text() == "example()"  # what ran before is what one starts from
    QTest.keyClicks(code, "example(size=77)")
    QTest.keyClick(code, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert window.engine.requests(messages.Run)[-1].driver == "example(size=77)"
    with open_window(tmp_path, qapp, path=KERNEL, settings=window.settings) as other:
        assert other.document.driver.kind == "typed"
        assert other.drivers.editor.code.text() == "example(size=77)"
        assert other.drivers.editor.isVisible()


@pytest.mark.parametrize(
    ("answer", "closes", "saved"),
    [
        (QMessageBox.StandardButton.Cancel, False, False),
        (QMessageBox.StandardButton.Discard, True, False),
        (QMessageBox.StandardButton.Save, True, True),
    ],
)
def test_closing_with_unsaved_text_asks(qtbot, qapp, tmp_path, monkeypatch, answer, closes, saved):
    path = tmp_path / "k.py"
    path.write_text("x = 1\n")
    monkeypatch.setattr(QMessageBox, "exec", lambda _box: answer)
    with open_window(tmp_path, qapp, path=path) as window:
        QTest.keyClicks(window.editor, "y")
        assert window.close() is closes
        assert path.read_text() == ("yx = 1\n" if saved else "x = 1\n")


def test_saved_layout_comes_back_and_can_be_reset(qtbot, qapp, tmp_path):
    settings = Settings(tmp_path / "window.ini")
    with open_window(tmp_path, qapp, settings=settings) as window:
        window.docks["sweep"].close()
        assert window.close()
    with open_window(tmp_path, qapp, settings=settings) as window:
        window._restore()
        assert window.docks["sweep"].isHidden()
        window.reset_layout()
        assert not window.docks["sweep"].isHidden()
        window.docks["coverage"].setFloating(True)
        window.reset_layout()
        assert not window.docks["coverage"].isFloating()


@pytest.mark.parametrize("size", [(1600, 1000), (1280, 800)])
def test_default_layout_fits(qtbot, qapp, tmp_path, size):
    with open_window(tmp_path, qapp, path=KERNEL, size=size, views=True) as window:
        window.document.run()
        qtbot.waitUntil(lambda: window.document.coverage is not None)
        qtbot.wait(50)
        assert (window.width(), window.height()) == size
        assert window.editor.width() >= 0.3 * size[0]
        for name in ("timings", "coverage", "knobs", "console"):
            assert window.docks[name].width() >= 0.15 * size[0], name
            assert window.docks[name].height() >= 0.15 * size[1], name


def test_change_on_disk_is_noticed_and_asked(qtbot, qapp, tmp_path):
    path = tmp_path / "k.py"
    path.write_text("x = 1\n")
    with open_window(tmp_path, qapp, path=path) as window:
        path.write_text("x = 2\n")
        notice = child(window, QWidget, "noticeBar")
        qtbot.waitUntil(notice.isVisible)
        assert window.editor.text() == "x = 1\n"
        QTest.mouseClick(child(window, QWidget, "notice.disk.reload"), Qt.MouseButton.LeftButton)
        assert window.editor.text() == "x = 2\n"
        assert not notice.isVisible()
        window.editor.undo()
        assert window.editor.text() == "x = 1\n"
        assert window.document.dirty


def test_export_writes_the_answer(window, qtbot, tmp_path, monkeypatch):
    out = tmp_path / "tuned"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(out), ""))
    window.document.run()
    qtbot.waitUntil(lambda: window.document.coverage is not None)
    window.actions_table["export"].trigger()
    qtbot.waitUntil((tmp_path / "tuned.py").exists)
    assert (tmp_path / "tuned.py").read_text().startswith("# tuned: BLOCK_SIZE=1024")
    assert any("--check" in finding.hint for finding in window.document.findings)


def test_export_that_cannot_be_written_is_a_finding(window, tmp_path):
    exported = messages.Exported("x = 1\n", "x.py")
    assert not window.files.write_export(str(tmp_path / "none" / "x.py"), exported)
    assert window.document.findings[0].severity == "error"


def test_new_file_is_a_kernel_that_can_run(window, tmp_path, monkeypatch):
    path = tmp_path / "fresh"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(path), ""))
    window.actions_table["file.new"].trigger()
    assert window.document.path == str(path.with_suffix(".py"))
    assert [kernel.name for kernel in window.document.outline.kernels] == ["scale_kernel"]
    assert window.document.driver.code == "example()"


def test_dropped_file_is_opened(window):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(kernels_dir() / "softmax.py"))])
    event = QDropEvent(
        QPointF(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    window.editor.dropEvent(event)
    assert window.document.path.endswith("softmax.py")


def test_recent_files_and_bundled_kernels_are_in_the_menu(window):
    window.menus.fill_recent()
    assert window.menus.recent.actions()[0].text() == "vector_add.py"
    window.menus.fill_kernels()
    offered = [item for item in window.menus.kernels.actions() if not item.isSeparator()]
    assert len(offered) == len(list(kernels_dir().glob("*.py")))
    offered[1].trigger()
    assert window.settings.recent[0] == window.document.path != str(KERNEL)


def test_an_empty_window_offers_the_kernels(qtbot, qapp, tmp_path):
    with open_window(tmp_path, qapp) as window:
        window.area.show_gallery()
        gallery = child(window, QWidget, "gallery")
        assert gallery.isVisible()
        assert window.editor.viewport().rect().contains(gallery.geometry())
        QTest.mouseClick(child(window, QWidget, "gallery:softmax"), Qt.MouseButton.LeftButton)
        assert window.document.path.endswith("softmax.py")
        assert not gallery.isVisible()


def test_theme_toggles_everywhere_and_is_remembered(window):
    window.actions_table["theme.toggle"].trigger()
    assert window.theme.name == "dark"
    assert window.settings.theme == "dark"
    image = window.editor.grab().toImage()
    assert image.pixelColor(image.width() - 30, image.height() - 30) == window.theme.color(
        "surface"
    )


def test_sweep_comes_forward_when_it_starts(qtbot, qapp, tmp_path):
    with open_window(tmp_path, qapp, path=KERNEL, views=True) as window:
        window.document.run()
        qtbot.waitUntil(lambda: window.document.coverage is not None)
        window.actions_table["sweep"].trigger()
        qtbot.waitUntil(lambda: window.document.sweep.result is not None)
        assert not window.docks.views["sweep"].visibleRegion().isEmpty()


def test_keyboard_reaches_editor_and_panels(qtbot, qapp, tmp_path):
    with open_window(tmp_path, qapp, path=KERNEL, views=True) as window:
        QTest.keyClick(window, Qt.Key.Key_6, Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda: not window.docks.views["compiler"].visibleRegion().isEmpty())
        QTest.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
        assert window.editor.hasFocus()
        QTest.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
        assert child(window, QWidget, "findBar").isVisible()


def test_every_interactive_widget_has_a_name(qtbot, qapp, tmp_path):
    interactive = (QComboBox, QSpinBox, QAbstractButton, QAbstractSlider, QLineEdit)
    # What Qt makes inside its own widgets has no name of ours and needs none.
    inside = ("QTabBar", "QToolBar", "QMenuBar", "QSpinBox", "QComboBox", "QLineEdit")
    nameless = []
    with open_window(tmp_path, qapp, path=KERNEL) as window:
        for widget in window.findChildren(QWidget):
            if not isinstance(widget, interactive) or isinstance(widget, QScrollBar):
                continue
            if widget.objectName().startswith("qt_"):
                continue
            if widget.parent().metaObject().className() in inside and not widget.objectName():
                continue
            if not (widget.objectName() and widget.accessibleName()):
                nameless.append(f"{widget!r} in {widget.parent()!r}")
    assert nameless == []


def test_escape_closes_the_find_bar_also_while_the_engine_works(window, qtbot):
    window.engine.hold = True
    window.document.run()
    window.engine.release(1)
    assert window.actions_table["cancel"].isEnabled()
    window.actions_table["edit.find"].trigger()
    bar = window.area.find_bar
    QTest.keyClick(bar.query, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert not window.engine.requests(messages.Cancel)
    QTest.keyClick(window.editor, Qt.Key.Key_Escape)
    assert window.engine.requests(messages.Cancel)
    window.engine.hold = False
    window.engine.release()


def test_findings_come_forward_with_an_error_of_a_run_not_while_typing(window, qtbot):
    view = window.docks["findings"]
    QTest.keyClicks(window.editor, "(")
    qtbot.waitUntil(lambda: bool(window.document.findings))
    assert view.visibleRegion().isEmpty()
    window.editor.undo()
    qtbot.waitUntil(lambda: not window.document.findings)
    window.engine.run_findings = (Finding("error", "driver", "it failed", line=3),)
    window.document.run()
    qtbot.waitUntil(lambda: not view.visibleRegion().isEmpty())
    assert window.editor.severity_at(3) == "error"


def test_f5_on_a_syntax_error_goes_to_it(window, qtbot):
    window.docks["console"].raise_()
    window.editor.go_to(1)
    QTest.keyClicks(window.editor, "def half(")
    window.actions_table["run"].trigger()
    assert not window.engine.requests(messages.Run)
    qtbot.waitUntil(lambda: not window.docks["findings"].visibleRegion().isEmpty())
    assert window.editor.textCursor().blockNumber() == 0


def test_a_long_progress_text_does_not_widen_the_window(window, qtbot):
    window.resize(1280, 800)
    width = window.width()
    text = "BLOCK=128 GROUP_M=8 EVEN_K=True OUT_DTYPE=tl.float16 num_warps=8 at m=256, n=256 " * 3
    window.document.progressChanged.emit(text, 0.5)
    label = window.statusBar().progress_label
    qtbot.waitUntil(label.isVisible)
    assert window.width() == width
    assert "…" in label.text()
    assert label.toolTip() == text
    window.document.progressChanged.emit("", None)


def test_actions_of_sweeps_bring_their_view_forward(qtbot, qapp, tmp_path):
    with open_window(tmp_path, qapp, path=KERNEL, views=True) as window:
        table, sweep = window.actions_table, window.document.sweep
        window.document.run()
        qtbot.waitUntil(lambda: window.document.coverage is not None)
        panel = window.docks.views["sweep"]
        for action, view in (
            ("sweep.past", "past"), ("sweep.compare", "compare"), ("sweep.setup", "setup"),
        ):  # fmt: skip
            table[action].trigger()
            assert panel.page == view
        assert not panel.visibleRegion().isEmpty()
        sweep.start_values({"BLOCK_SIZE": (512, 1024)})
        table["sweep.pause"].trigger()
        assert sweep.paused
        qtbot.waitUntil(lambda: not sweep.running)
        table["sweep.best"].trigger()
        assert window.document.config == sweep.best().config
        table["sweep.continue"].trigger()
        assert window.engine.requests(messages.Sweep)[-1].resume
        qtbot.waitUntil(lambda: not sweep.running)
