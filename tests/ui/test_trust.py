"""Opening, previewing and completing run nothing; a file from outside is asked about once."""

import json
import subprocess
import sys
import sysconfig

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton

from playground.model.resources import kernels_dir
from playground.protocol import messages
from playground.protocol.timing import Compare
from playground.ui.document_timing import Rival
from playground.ui.rival_files import other_file
from playground.ui.settings import Settings
from playground.ui.trust import Trust
from tests.child_environment import child_environment
from tests.ui.windows import open_window

KERNEL = kernels_dir() / "vector_add.py"


NATIVE = """
#include <Python.h>
#include <stdio.h>
PyMODINIT_FUNC PyInit_native(void) {
    fclose(fopen("MARKER", "w"));
    static struct PyModuleDef made = {PyModuleDef_HEAD_INIT, "native", 0, -1, 0};
    return PyModule_Create(&made);
}
"""


@pytest.fixture
def outside(tmp_path):
    folder = tmp_path / "outside"
    folder.mkdir()
    path = folder / "k.py"
    path.write_text(KERNEL.read_text())
    return path


@pytest.fixture
def window(qtbot, qapp, tmp_path, outside):
    with open_window(tmp_path, qapp, path=outside) as made:
        Trust(made)
        qtbot.waitUntil(lambda: made.document.engine_state == "ready")
        yield made


def press(window, name):
    found = window.findChild(QPushButton, name)
    assert found is not None, name
    QTest.mouseClick(found, Qt.MouseButton.LeftButton)


def runs(window):
    return len(window.engine.requests(messages.Run))


def test_the_first_run_is_asked_about_and_the_second_is_not(window, qtbot):
    QTest.keyClick(window, Qt.Key.Key_F5)
    text = window.findChild(QLabel, "notice.trust.text").text()
    assert "k.py has not run here before" in text
    assert "with all your rights" in text
    assert runs(window) == 0
    press(window, "notice.trust.file")
    qtbot.waitUntil(lambda: window.document.launch is not None)
    assert (runs(window), window.area.notices.shown()) == (1, ())
    QTest.keyClick(window, Qt.Key.Key_F5)
    assert (runs(window), window.area.notices.shown()) == (2, ())


def test_a_refusal_runs_nothing_and_asks_again(window):
    window.document.run()
    press(window, "notice.trust.no")
    assert runs(window) == 0
    window.document.run()
    assert window.area.notices.shown() == ("trust",)
    window.document.open_file(str(KERNEL))
    assert window.area.notices.shown() == ()


def test_a_folder_is_trusted_with_all_in_it_and_so_it_stays(qtbot, qapp, tmp_path, window, outside):
    window.document.run()
    press(window, "notice.trust.folder")
    assert runs(window) == 1
    below = outside.parent / "below"
    below.mkdir()
    settings = Settings(tmp_path / "window.ini")
    window.settings.flush()
    assert settings.trusts(str(below / "other.py"))
    assert not settings.trusts(str(outside.parent) + "-not/k.py")
    settings.forget_trust()
    assert not settings.trusts(str(below / "other.py"))


def test_a_link_into_a_trusted_folder_is_judged_by_where_it_leads(window, outside, tmp_path):
    window.settings.trust_folder(str(outside.parent))
    elsewhere = tmp_path / "elsewhere.py"
    elsewhere.write_text("x = 1\n")
    (outside.parent / "link.py").symlink_to(elsewhere)
    window.document.open_file(str(outside.parent / "link.py"))
    window.document.run()
    assert runs(window) == 0
    assert window.area.notices.shown() == ("trust",)


def test_what_was_made_here_and_what_is_bundled_is_not_asked_about(
    window, qtbot, tmp_path, monkeypatch
):
    window.document.open_file(str(KERNEL))
    window.document.run()
    assert runs(window) == 1
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_a, **_k: (str(tmp_path / "made.py"), "")
    )
    window.files.new()
    assert window.document.path == str(tmp_path / "made.py")
    window.document.run()
    assert runs(window) == 2
    assert window.area.notices.shown() == ()


def test_another_file_to_compare_with_is_asked_about_too(window, qtbot, tmp_path):
    window.document.open_file(str(KERNEL))
    window.document.run()
    qtbot.waitUntil(lambda: window.document.launch is not None)
    other = tmp_path / "rival.py"
    other.write_text("x = 1\n")
    window.document.timing.compare(Rival(expression=f"{other}:1"))
    assert not window.engine.requests(Compare)
    press(window, "notice.trust.file")
    assert window.engine.requests(Compare)


@pytest.mark.parametrize(
    ("expression", "file"),
    [("rival.py", "/f/rival.py"), ("/a/b.py:2", "/a/b.py"),
     ("rival.py:1", "/f/rival.py"), ("torch.softmax(x, -1)", ""), ("reference", ""), ("", "")],
)  # fmt: skip
def test_which_file_an_expression_names(expression, file):
    assert other_file(expression, "/f/k.py") == file


# ------------------------------------------------------------------- nothing runs by itself


def test_opening_a_file_that_acts_when_imported_does_nothing(qtbot, qapp, tmp_path):
    marker = tmp_path / "ran"
    act = f"open({str(marker)!r}, 'w').close()\n"
    path = tmp_path / "acts.py"
    path.write_text(act + KERNEL.read_text() + act)
    for name in ("conftest.py", "setup.py", "sitecustomize.py", "jedi.py", "torch.py", "helper.py"):
        (tmp_path / name).write_text(act)
    with open_window(tmp_path, qapp, path=path, views=True) as window:
        window.area.add_completion()
        QTest.keyClicks(window.editor, "import helper")
        qtbot.wait(700)  # names are read, and a pause in typing has passed
        assert not window.engine.requests(messages.Run)
        assert not window.engine.requests(messages.CompileEdited)
    assert not marker.exists()


def test_completing_executes_nothing_that_lies_beside_the_file(tmp_path):
    marker = tmp_path / "ran"
    act = f"open({str(marker)!r}, 'w').close()\n"
    for name in ("helper.py", "conftest.py", "setup.py", "sitecustomize.py", "manage.py"):
        (tmp_path / name).write_text(act + "def known_name(): pass\n")
    text = act + "import helper\nimport native\nhelper.known_name\nnative.\n"
    source = tmp_path / "native.c"
    source.write_text(NATIVE.replace("MARKER", str(marker)))
    built = subprocess.run(
        ["cc", "-shared", "-fPIC", f"-I{sysconfig.get_paths()['include']}", str(source), "-o",
         str(tmp_path / f"native{sysconfig.get_config_var('EXT_SUFFIX')}")],
        capture_output=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr

    for name in ("jedi.py", "triton.py", "torch.py", "json.py"):
        (tmp_path / name).write_text(act)
    requests = [
        {"id": number, "kind": kind, "text": text, "path": str(tmp_path / "k.py"),
         "folder": str(tmp_path), "line": line, "column": column, "word": word}
        for number, (kind, line, column, word) in enumerate((
            ("complete", 4, 12, "known"), ("define", 4, 9, ""), ("describe", 3, 9, ""),
            ("complete", 5, 7, ""), ("call", 1, 10, ""),
        ))
    ]  # fmt: skip
    answers = {}
    for one in requests:  # of several that wait at once only the newest is answered
        done = subprocess.run(
            [sys.executable, "-P", "-m", "playground.ui.editor.completer"], cwd=tmp_path,
            input=json.dumps(one) + "\n", capture_output=True, text=True, timeout=60, check=True,
            env=child_environment(),
        )  # fmt: skip
        answers[one["id"]] = json.loads(done.stdout.splitlines()[-1])
    assert answers[0]["names"] == [{"name": "known_name", "type": "function"}]
    assert answers[1]["place"] is not None
    assert not marker.exists()
