"""Several files in tabs: each keeps what is its own, and the views show the one in front."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox

from playground.model.resources import kernels_dir
from playground.protocol import messages
from playground.ui.file_names import distinct_names
from playground.ui.front import front_of
from playground.ui.memory import Memory
from playground.ui.settings import Settings
from tests.ui.windows import open_window

KERNEL = Path(kernels_dir()) / "vector_add.py"


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAYGROUND_CONFIG_DIR", str(tmp_path / "config"))


@pytest.fixture
def files(tmp_path):
    made = []
    for name in ("a.py", "b.py", "c.py"):
        path = tmp_path / name
        path.write_text(f"# {name}\n" + KERNEL.read_text())
        made.append(path)
    return made


@pytest.fixture
def window(qapp, tmp_path, files):
    with open_window(tmp_path, qapp, path=files[0], size=(1280, 800)) as made:
        yield made


def tabs(window):
    return [window.area.tabs.bar.tabText(i) for i in range(window.area.tabs.bar.count())]


def open_all(window, files):
    for path in files:
        assert window.files.open_path(str(path))


def settle(window, qtbot):
    qtbot.waitUntil(lambda: not window.open_files._telling.isActive())


def test_opening_makes_a_tab_or_brings_it_forward(window, files, tmp_path):
    open_all(window, files)
    assert tabs(window) == ["a.py", "b.py", "c.py"]
    link = tmp_path / "link.py"
    link.symlink_to(files[1])
    window.files.open_dropped([str(files[2]), str(link)])
    assert len(tabs(window)) == 3
    assert window.document.path == str(files[1])
    assert window.editor.text() == files[1].read_text()
    assert not window.files.open_path(str(tmp_path / "missing.py"))
    assert len(tabs(window)) == 3
    assert "cannot read" in window.document.findings[0].message


def test_each_tab_keeps_text_undo_cursor_folds_and_mark(window, files):
    open_all(window, files[:2])
    window.open_files.show(window.open_files.find(str(files[0])))
    window.editor.go_to(20)
    window.editor.insertPlainText("# one\n")
    window.edit_verbs.fold_all()
    folded, line = window.editor.folds.folded, window.editor.textCursor().blockNumber()
    QTest.keyClick(window, Qt.Key.Key_Tab, Qt.KeyboardModifier.ControlModifier)
    assert window.document.path == str(files[1])
    assert window.editor.folds.folded == ()
    assert not window.document.dirty
    assert tabs(window) == ["a.py ●", "b.py"]
    window.editor.undo()
    assert window.editor.text() == files[1].read_text()
    window.editor.zoom(2)
    points = window.editor.font().pointSizeF()
    modifiers = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(window, Qt.Key.Key_PageUp, modifiers)
    assert window.document.path == str(files[0])
    assert window.editor.folds.folded == folded
    assert window.editor.textCursor().blockNumber() == line
    assert window.editor.document().defaultFont().pointSizeF() == points
    assert "# one" in window.editor.text()
    window.editor.undo()
    assert window.editor.text() == files[0].read_text()
    assert tabs(window) == ["a.py", "b.py"]


def test_the_views_show_the_file_in_front_and_background_work_stays_its_own(window, files, qtbot):
    window.document.run()
    qtbot.waitUntil(lambda: window.document.is_current(window.document.coverage))
    window.document.set_knob("BLOCK_SIZE", 256)
    window.document.pin_baseline()
    first = window.open_files.current
    open_all(window, files[1:2])
    settle(window, qtbot)
    assert window.document.launches == ()
    assert window.document.baseline is None
    window.engine.hold = True
    window.document.run()
    second = window.open_files.current
    window.open_files.show(first)
    settle(window, qtbot)
    assert window.document.config["BLOCK_SIZE"] == 256
    assert window.document.baseline is not None
    window.engine.hold = False
    window.engine.release()
    qtbot.waitUntil(lambda: second.is_current(second.coverage))
    assert [launch.file for launch in window.document.launches] == [str(files[0])]
    assert [launch.file for launch in second.launches] == [str(files[1])]
    assert window.document.config["BLOCK_SIZE"] == 256
    runs = [job for job, request in window.engine.sent if isinstance(request, messages.Run)]
    assert [window.engine.file_of[job] for job in runs] == [first.number, second.number]


def test_an_engine_that_ends_runs_the_file_in_front_again_and_others_when_shown(
    window, files, qtbot
):
    def ran():
        return [Path(run.path).name for run in window.engine.requests(messages.Run)]

    window.document.run()
    qtbot.waitUntil(lambda: window.document.is_current(window.document.coverage))
    first = window.open_files.current
    open_all(window, files[1:2])
    settle(window, qtbot)
    window.document.run()
    qtbot.waitUntil(lambda: window.document.is_current(window.document.coverage))
    window.engine.crash()
    qtbot.waitUntil(lambda: window.document.is_current(window.document.coverage))
    assert ran() == ["a.py", "b.py", "b.py"]
    assert first.launches == ()
    window.open_files.show(first)
    qtbot.waitUntil(lambda: first.is_current(first.coverage))
    assert ran() == ["a.py", "b.py", "b.py", "a.py"]
    window.document.restart()
    qtbot.waitUntil(lambda: first.is_current(first.coverage))
    assert ran()[4:] == ["a.py"]


def test_what_the_engine_let_go_is_run_again(window, files, qtbot, monkeypatch):
    window.document.run()
    qtbot.waitUntil(lambda: window.document.is_current(window.document.coverage))
    monkeypatch.setattr(
        window.engine, "_answer_replay", lambda _request: [messages.Finished(released=True)]
    )
    window.document.set_knob("BLOCK_SIZE", 256)
    qtbot.waitUntil(lambda: len(window.engine.requests(messages.Run)) == 2)
    monkeypatch.undo()
    window.document.run()
    qtbot.waitUntil(lambda: window.document.is_current(window.document.coverage))
    assert window.document.config["BLOCK_SIZE"] == 256


def test_closing_a_tab_gives_up_its_work_alone(window, files, qtbot):
    open_all(window, files)
    settle(window, qtbot)
    window.engine.hold = True
    window.document.run()
    closed = window.open_files.current
    window.files.close()
    assert tabs(window) == ["a.py", "b.py"]
    assert window.document.path == str(files[1])
    cancelled = {request.job for request in window.engine.requests(messages.Cancel)}
    runs = {job for job, request in window.engine.sent if isinstance(request, messages.Run)}
    assert runs <= cancelled
    gone = [job for job, request in window.engine.sent if isinstance(request, messages.CloseFile)]
    assert [window.engine.file_of[job] for job in gone] == [closed.number]
    window.engine.hold = False
    window.engine.release()
    assert window.document.launches == ()
    window.files.close()
    window.files.close()
    assert window.open_files.is_blank
    assert not window.area.tabs.isVisible()
    assert window.editor.text() == ""
    open_all(window, files[2:])
    assert (tabs(window), window.editor.text()) == (["c.py"], files[2].read_text())


def answer(monkeypatch, button):
    asked = []

    def exec_(box):
        asked.append((box.text(), box.informativeText()))
        return button

    monkeypatch.setattr(QMessageBox, "exec", exec_)
    return asked


def test_unsaved_text_is_asked_about_tab_by_tab_or_all_at_once(window, files, monkeypatch):
    open_all(window, files)
    for path in files[:2]:
        window.open_files.show(window.open_files.find(str(path)))
        window.editor.insertPlainText("# new\n")
    asked = answer(monkeypatch, QMessageBox.StandardButton.Cancel)
    window.files.close()
    assert asked[-1][0] == "Save the changes to b.py?"
    window.close()
    assert asked[-1][0] == "Save the changes to 2 files?"
    assert asked[-1][1].splitlines()[:2] == ["a.py", "b.py"]
    assert tabs(window) == ["a.py ●", "b.py ●", "c.py"]
    answer(monkeypatch, QMessageBox.StandardButton.SaveAll)
    window.files.close_documents(list(window.open_files.documents))
    assert window.open_files.is_blank
    assert [path.read_text().startswith("# new\n") for path in files] == [True, True, False]


def test_mouse_keys_and_names_of_the_tab_bar(window, files, qtbot):
    open_all(window, files)
    bar = window.area.tabs.bar
    assert bar.accessibleName() == "Open files"
    assert bar.accessibleTabName(0) == "a.py"
    assert str(files[0]) in bar.tabToolTip(0)
    button = bar.tabButton(1, bar.ButtonPosition.RightSide)
    assert button.accessibleName() == "Close b.py"
    bar.moveTab(2, 0)
    assert [Path(path).name for path in window.open_files.paths] == ["c.py", "a.py", "b.py"]
    bar.setFocus()
    QTest.keyClick(bar, Qt.Key.Key_Right)
    assert window.document.path == str(files[0])
    where = QPointF(bar.tabRect(2).center())
    for kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease):
        middle = Qt.MouseButton.MiddleButton
        event = QMouseEvent(
            kind, where, bar.mapToGlobal(where), middle, middle, Qt.KeyboardModifier.NoModifier
        )
        QApplication.sendEvent(bar, event)
    assert tabs(window) == ["c.py", "a.py"]
    window.files.copy_path_shown()
    assert QApplication.clipboard().text() == str(files[0])
    QTest.keyClick(bar, Qt.Key.Key_Delete)
    assert tabs(window) == ["c.py"]


def test_a_file_deleted_or_changed_behind_is_told_of_in_its_own_tab(window, files, qtbot):
    open_all(window, files)
    files[0].unlink()
    files[1].write_text("# by somebody else\n")
    bar = window.area.tabs.bar
    qtbot.waitUntil(lambda: "no longer on disk" in bar.accessibleTabName(0), timeout=8000)
    qtbot.waitUntil(lambda: window.open_files.documents[1].dirty, timeout=8000)
    assert window.area.notices.shown() == ()
    window.open_files.show(window.open_files.documents[0])
    assert window.area.notices.shown() == ("disk",)
    window.open_files.show(window.open_files.documents[2])
    assert window.area.notices.shown() == ()


def test_a_run_says_which_helper_it_read_from_disk(window, files, qtbot, monkeypatch):
    open_all(window, files[:2])
    window.editor.insertPlainText("# newer\n")
    window.open_files.step(-1)
    run = window.engine._answer_run

    def with_helper(request):
        *rest, result = run(request)
        return [*rest, replace(result, modified_files=(str(files[1]),))]

    monkeypatch.setattr(window.engine, "_answer_run", with_helper)
    window.document.run()
    qtbot.waitUntil(lambda: window.document.is_current(window.document.coverage))
    told = [found.message for found in window.document.findings]
    assert "b.py was read from disk: its tab has unsaved changes" in told


def test_two_texts_without_a_file_are_two_tabs(window):
    window.open_files.open_unsaved("", "x = 1\n")
    window.open_files.open_unsaved("", "y = 2\n")
    assert tabs(window) == ["a.py", "Untitled ●", "Untitled 2 ●"]
    window.open_files.step(-1)
    assert window.editor.text() == "x = 1\n"


def test_saving_under_the_name_of_another_tab(window, files, monkeypatch):
    open_all(window, files[:2])
    from PySide6.QtWidgets import QFileDialog

    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a: (str(files[0]), ""))
    first = window.open_files.find(str(files[0]))
    first.set_text("# changed\n")
    assert not window.files.save_as()
    assert "is open in another tab" in window.document.findings[0].message
    first.save()
    assert window.files.save_as()
    assert tabs(window) == ["a.py"]
    assert files[0].read_text() == files[1].read_text()


def test_thirty_tabs_of_equal_names_are_told_apart(window, tmp_path, qtbot):
    for number in range(30):
        folder = tmp_path / f"run{number}"
        folder.mkdir()
        (folder / "kernel.py").write_text("x = 1\n")
        window.files.open_path(str(folder / "kernel.py"))
    names = tabs(window)
    assert len(set(names)) == len(names) == 31
    assert names[30] == "kernel.py (run29)"
    assert window.width() == 1280
    window.area.tabs._fill_list()
    assert len(window.area.tabs._menu.actions()) == 31


def test_the_next_window_has_all_files_again(qapp, tmp_path, files, qtbot):
    settings = Settings(tmp_path / "window.ini")
    with open_window(tmp_path, qapp, path=files[0], settings=settings) as window:
        Memory(window).start()
        open_all(window, files[1:])
        window.open_files.step(-1)
        window.document.set_size("size", 5000)
    again = Settings(tmp_path / "window.ini")
    assert again.open_files == [str(path) for path in files]
    with open_window(tmp_path, qapp, path=again.last_open, settings=again) as window:
        window.open_files.open_later(again.open_files)
        Memory(window).start()
        qtbot.waitUntil(lambda: not window.open_files.is_filling)
        assert tabs(window) == ["a.py", "b.py", "c.py"]
        assert window.document.path == str(files[1])
        assert window.document.sizes["size"] == 5000
        assert again.open_files == [str(path) for path in files]


def test_settings_of_a_program_with_one_file_still_load(tmp_path):
    (tmp_path / "window.ini").write_text("[files]\nlast=/k.py\n[General]\nversion=1\n")
    assert Settings(tmp_path / "window.ini").open_files == ["/k.py"]


def test_every_unsaved_text_is_kept_and_forgotten_with_its_tab(qapp, tmp_path, files):
    with open_window(tmp_path, qapp, path=files[0]) as window:
        memory = Memory(window)
        memory.start()
        open_all(window, files[1:2])
        for document in window.open_files.documents:
            document.set_text("# typed\n")
        memory.unsaved.keep_now()
        folder = tmp_path / "config" / "state" / "windows"
        kept = [place.read_text() for place in folder.glob("*.json")]
        assert len(kept) == 2
        assert all("# typed" in text for text in kept)
        window.open_files.close(window.open_files.current)
        assert len(list(folder.glob("*.json"))) == 1


def test_names_that_agree_have_their_folders_behind():
    paths = ["/x/a/k.py", "/x/b/k.py", "/x/b/m.py", "", "/y/a/k.py", ""]
    names = distinct_names(paths)
    assert names[2:4] == ["m.py", "Untitled"]
    assert names[5] == "Untitled 2"
    assert names[0] == "k.py (x/a)"
    assert names[1] == "k.py (b)"
    assert names[4] == "k.py (y/a)"


def test_a_stand_in_passes_on_and_changes_over(document, engine, qtbot):
    from playground.ui.document import Document

    other = Document(engine, number=7)
    front, made = front_of(document, document)
    heard = []
    front.dirtyChanged.connect(heard.append)
    front.sweep.changed.connect(lambda: heard.append("sweep"))
    reset = front.reset_knobs
    front.compiler.code.want("lines", True)
    other.set_text("x = 1")
    assert heard == []
    made.change_over(other)
    made.tell_all()
    assert heard == [True, "sweep"]
    assert front.text == "x = 1"
    assert document.compiler.code._lookers == set()
    assert other.compiler.code._lookers == {"lines"}
    reset(False)  # as a button's signal calls it
    front.found_drivers = {"a": "b"}
    assert (other.found_drivers, document.found_drivers) == ({"a": "b"}, {})
    other.close()


def test_the_status_bar_names_the_file_at_work(window, files, qtbot):
    status = window.statusBar()
    qtbot.waitUntil(lambda: window.document.engine_state == "ready")
    open_all(window, files[:2])
    window.engine.hold = True
    window.document.run()
    window.engine._set_state("busy")
    qtbot.waitUntil(lambda: status.state.text() == "Engine busy: b.py")
    window.open_files.show(window.open_files.documents[0])
    assert status.state.text() == "Engine busy: b.py"
    window.engine.hold = False
    window.engine.release()
    qtbot.waitUntil(lambda: status.state.text() == "Engine ready")
