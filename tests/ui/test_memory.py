"""Nothing typed is lost: kept every two seconds, offered after a crash; and files as last seen."""

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton

from playground.model.config import Config
from playground.model.remembered import MovedKnobs, RememberedFile
from playground.model.resources import kernels_dir
from playground.protocol import messages
from playground.ui import unsaved
from playground.ui.memory import Memory
from playground.ui.settings import Settings
from playground.ui.state_files import read_state, state_folder, write_state
from tests.child_environment import child_environment
from tests.full_disks import full_disk
from tests.ui.windows import open_window

KERNEL = kernels_dir() / "vector_add.py"

# A window's document without the window: it types, and dies as the first argument says.
CRASH = """
import os, signal, sys
from PySide6.QtCore import QCoreApplication, QTimer
from playground.ui.document import Document
from playground.ui.engine_port import EnginePort
from playground.ui.unsaved import Unsaved
app = QCoreApplication([])
document = Document(EnginePort())
keeper = Unsaved(document)
keeper.start()
if sys.argv[2]:
    document.open_file(sys.argv[2])
document.set_text(document.text + "# typed, not saved\\n")
ends = {
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "term": lambda: os.kill(os.getpid(), signal.SIGTERM),
    "abort": os.abort,
    "exit": lambda: os._exit(1),
}
QTimer.singleShot(2300, ends[sys.argv[1]])
app.exec()
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAYGROUND_CONFIG_DIR", str(tmp_path / "config"))


def crash(how: str, path: Path | str, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CRASH, how, str(path)], check=False, capture_output=True, timeout=60,
        env=child_environment(PLAYGROUND_CONFIG_DIR=str(folder / "config")),
    )  # fmt: skip
    assert done.returncode != 0
    assert b"Traceback" not in done.stderr, done.stderr.decode()


def button(window, name):
    found = window.findChild(QPushButton, name)
    assert found is not None, name
    return found


def press(window, name):
    QTest.mouseClick(button(window, name), Qt.MouseButton.LeftButton)


@pytest.mark.parametrize("how", ["kill", "abort"])
def test_after_a_crash_the_unsaved_text_is_offered(qtbot, qapp, tmp_path, how):
    path = tmp_path / "k.py"
    path.write_text("x = 1\n")
    crash(how, path, tmp_path)
    assert path.read_text() == "x = 1\n"
    with open_window(tmp_path, qapp) as window:
        Memory(window).start()
        text = window.findChild(QLabel, "notice.lost0.text").text()
        assert "k.py had unsaved changes" in text
        press(window, "notice.lost0.restore")
        assert window.editor.text() == "x = 1\n# typed, not saved\n"
        assert window.document.path == str(path)
        assert window.document.dirty
        assert not window.engine.requests(messages.Run)
        window.editor.undo()
        assert window.editor.text() == "x = 1\n"
        assert not window.document.dirty
    with open_window(tmp_path, qapp) as again:
        Memory(again).start()
        assert again.area.notices.shown() == ()


def test_text_without_a_file_comes_back_and_so_does_that_of_a_deleted_one(qtbot, qapp, tmp_path):
    gone = tmp_path / "gone.py"
    gone.write_text("y = 2\n")
    crash("term", "", tmp_path)
    crash("exit", gone, tmp_path)
    gone.unlink()
    with open_window(tmp_path, qapp) as window:
        Memory(window).start()
        assert window.area.notices.shown() == ("lost0", "lost1")
        press(window, "notice.lost0.restore")
        assert window.document.path == str(gone)
        assert window.document.text == "y = 2\n# typed, not saved\n"
        assert window.document.save()
        assert gone.read_text() == "y = 2\n# typed, not saved\n"
        press(window, "notice.lost1.restore")
        assert (window.document.path, window.document.text) == ("", "# typed, not saved\n")


def test_a_file_that_changed_since_is_told_of_and_not_overwritten(qtbot, qapp, tmp_path):
    path = tmp_path / "k.py"
    path.write_text("x = 1\n")
    crash("kill", path, tmp_path)
    path.write_text("x = 7\n")
    with open_window(tmp_path, qapp) as window:
        Memory(window).start()
        press(window, "notice.lost0.restore")
        assert "not what these changes were made to" in window.document.findings[0].message
        assert path.read_text() == "x = 7\n"
        window.editor.undo()
        assert window.editor.text() == "x = 7\n"


def test_not_now_keeps_it_for_the_next_window_and_throwing_away_does_not(qtbot, qapp, tmp_path):
    crash("kill", KERNEL, tmp_path)
    for choice, left in (("later", 1), ("drop", 0)):
        with open_window(tmp_path, qapp) as window:
            Memory(window).start()
            press(window, f"notice.lost0.{choice}")
            assert not window.document.path
        with open_window(tmp_path, qapp) as window:
            memory = Memory(window)
            memory.start()
            assert len(memory.unsaved.lost()) == left


def test_closing_leaves_nothing_to_offer(qtbot, qapp, tmp_path):
    with open_window(tmp_path, qapp, path=KERNEL) as window:
        Memory(window).start()
        QTest.keyClicks(window.editor, "#")
        qtbot.waitUntil(
            lambda: "unsaved" in "".join(p.read_text() for p in kept(tmp_path)), timeout=5000
        )
    assert kept(tmp_path) == []


def kept(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "config" / "state" / "windows").glob("*.json"))


def test_typing_without_a_pause_is_kept_too(qtbot, qapp, tmp_path, monkeypatch):
    monkeypatch.setattr(unsaved, "KEEP_AFTER_MS", 150)
    with open_window(tmp_path, qapp, path=KERNEL) as window:
        Memory(window).start()
        for _ in range(20):
            QTest.keyClicks(window.editor, "#")
            qtbot.wait(30)
            if '"#' in kept(tmp_path)[0].read_text():
                break
        else:
            pytest.fail("a text that is typed in without a pause was never written")


def test_a_full_disk_is_told_and_the_text_kept_when_there_is_room(qtbot, qapp, tmp_path):
    with (
        full_disk(tmp_path, 128 * 1024) as disk,
        open_window(tmp_path, qapp, path=KERNEL) as window,
    ):
        keeper = unsaved.Unsaved(window.document, disk / "windows")
        keeper.start()
        filler = disk / "filler"
        filler.write_bytes(b"x" * 96 * 1024)
        window.document.set_text("z" * 60_000)
        keeper.keep_now()
        (finding,) = [f for f in window.document.findings if "is not kept" in f.message]
        assert "No space left" in finding.message
        filler.unlink()
        keeper.keep_now()
        assert not [f for f in window.document.findings if "is not kept" in f.message]
        keeper.close()


def test_a_second_window_on_the_same_file_is_told(qtbot, qapp, tmp_path):
    path = tmp_path / "k.py"
    path.write_text("x = 1\n")
    (tmp_path / "link.py").symlink_to(path)
    with open_window(tmp_path, qapp, path=path) as first:
        Memory(first).start()
        with open_window(tmp_path, qapp, path=tmp_path / "link.py") as second:
            Memory(second).start()
            assert (
                "is open in another window too"
                in second.findChild(QLabel, "notice.elsewhere.text").text()
            )
            assert first.area.notices.shown() == ()
            # What one saves, the other asks about before it overwrites it.
            first.document.set_text("x = 2\n")
            assert first.document.save()
            second.document.set_text("x = 3\n")
            assert not second.document.save()
            assert path.read_text() == "x = 2\n"
            assert "disk" in second.area.notices.shown()
            assert second.document.save()
            assert path.read_text() == "x = 3\n"


def test_damaged_and_newer_state_is_set_aside_and_the_window_starts(qtbot, qapp, tmp_path):
    folder = state_folder() / "windows"
    folder.mkdir()
    (folder / "dead.json").write_bytes(b"\xff{")
    (folder / "new.json").write_text('{"version": 99, "path": "/k.py", "unsaved": "x"}')
    with open_window(tmp_path, qapp, path=KERNEL) as window:
        Memory(window).start()
        assert window.area.notices.shown() == ()
        assert any("was set aside" in found.message for found in window.document.findings)
    assert len([each for each in folder.iterdir() if ".aside-" in each.name]) == 2


# ------------------------------------------------------------------------- files as last seen


def run_it(window, qtbot):
    window.document.run()
    qtbot.waitUntil(lambda: window.document.is_current(window.document.coverage))


def test_knobs_sizes_baseline_target_and_place_come_back(qtbot, qapp, tmp_path):
    with open_window(tmp_path, qapp, path=KERNEL) as window:
        Memory(window).start()
        document = window.document
        document.set_size("size", 5000)
        run_it(window, qtbot)
        document.set_knob("BLOCK_SIZE", 256)
        qtbot.waitUntil(lambda: document.is_current(document.measurement))
        document.pin_baseline()
        document.set_target("cuda:80")
        document.set_cache("warm")
        window.editor.go_to(18)
    with open_window(tmp_path, qapp, path=KERNEL) as window:
        Memory(window).start()
        document = window.document
        assert document.sizes["size"] == 5000
        assert document.cache == "warm"
        assert window.editor.textCursor().blockNumber() == 17
        assert not window.engine.requests(messages.Run)  # nothing is executed for it
        qtbot.waitUntil(lambda: document.engine_state == "ready")
        assert document.target == "cuda:80"
        run_it(window, qtbot)
        assert document.config["BLOCK_SIZE"] == 256
        assert document.baseline is not None
        assert document.baseline.config["BLOCK_SIZE"] == 256
        (request,) = window.engine.requests(messages.Run)
        assert request.sizes == {"size": 5000}


def test_the_baseline_of_another_device_waits_for_it(qtbot, qapp, tmp_path):
    with open_window(tmp_path, qapp, path=KERNEL) as window:
        Memory(window).start()
        run_it(window, qtbot)
        window.document.pin_baseline()
    with open_window(tmp_path, qapp, mode="interpreter", path=KERNEL) as window:
        Memory(window).start()
        qtbot.waitUntil(lambda: window.document.engine_state == "ready")
        run_it(window, qtbot)
        assert window.document.baseline is None
    with open_window(tmp_path, qapp, path=KERNEL) as window:
        Memory(window).start()
        qtbot.waitUntil(lambda: window.document.engine_state == "ready")
        run_it(window, qtbot)
        assert window.document.baseline is not None


def test_each_file_has_its_own_memory(qtbot, qapp, tmp_path):
    other = kernels_dir() / "softmax.py"
    with open_window(tmp_path, qapp, path=KERNEL) as window:
        Memory(window).start()
        run_it(window, qtbot)
        window.document.set_knob("BLOCK_SIZE", 512)
        window.document.open_file(str(other))
        assert window.document.moved_before == {}
        window.document.open_file(str(KERNEL))
        (moved,) = window.document.moved_before.values()
        assert moved.config["BLOCK_SIZE"] == 512


def test_state_cannot_carry_code(qtbot, qapp, tmp_path):
    marker = tmp_path / "ran"
    code = f"open({str(marker)!r}, 'w')"
    config = Config.of({"BLOCK_SIZE": code, "num_warps": 4, "num_stages": 3})
    with open_window(tmp_path, qapp, path=KERNEL) as window:
        memory = Memory(window)
        files = memory.looked_at(window.open_files.current)
        files._folder = state_folder() / "files"
        files._folder.mkdir()
        captured = config.with_value("BLOCK_SIZE", 1024)
        held = RememberedFile(
            str(KERNEL), code, {"size": 5000, code: 3}, 0,
            (MovedKnobs(0, "add_kernel", captured, config),), ((code, code),), None, code,
        )  # fmt: skip
        write_state(files._place(str(KERNEL)), held, 1)
        memory.start()
        qtbot.waitUntil(lambda: window.document.engine_state == "ready")
        assert window.document.driver.code == "example()"
        run_it(window, qtbot)
        (request,) = window.engine.requests(messages.Run)
        assert (request.driver, request.sizes) == ("example()", {"size": 5000})
        assert window.document.config["BLOCK_SIZE"] == 1024
        assert window.document.target != code
    assert not marker.exists()


def test_a_damaged_memory_of_a_file_is_set_aside(qtbot, qapp, tmp_path):
    with open_window(tmp_path, qapp, path=KERNEL) as window:
        memory = Memory(window)
        files = memory.looked_at(window.open_files.current)
        files._folder = state_folder() / "files"
        files._folder.mkdir()
        place = files._place(str(KERNEL))
        place.write_text('{"version": 1, "path": 7}')
        memory.start()
        assert any("was set aside" in found.message for found in window.document.findings)
        files.keep_now()
        assert read_state(place, RememberedFile, 1)[0].path == str(KERNEL)


def test_the_last_file_is_known(qtbot, qapp, tmp_path):
    with open_window(tmp_path, qapp, path=KERNEL) as window:
        Memory(window).start()
        assert window.settings.last_open == str(KERNEL)
        window.actions_table["file.close"].trigger()
        assert window.document.path == ""
        assert window.editor.text() == ""
        assert window.settings.last_open == ""
        window.settings.flush()
    assert Settings(tmp_path / "window.ini").last_open == ""


def test_a_process_that_is_gone_holds_no_lock(tmp_path):
    assert not unsaved._is_locked(tmp_path / "none.lock")
    path = tmp_path / "a.lock"
    path.touch()
    assert not unsaved._is_locked(path)
