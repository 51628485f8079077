"""Typing an error into a kernel, with the real engine: told at a pause, gone when mended."""

import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from playground.model.resources import kernels_dir
from playground.protocol import messages
from playground.ui.editor_area import EditorArea
from playground.ui.open_files import OpenFiles
from playground.ui.theme import Theme
from tests.app.conftest import wait_for

LIMIT_S = 60.0


@pytest.fixture
def area(app, tmp_path):
    path = tmp_path / "vector_add.py"
    path.write_text((kernels_dir() / "vector_add.py").read_text())
    document = app.document
    document.open_file(str(path))
    area = EditorArea(OpenFiles(document), Theme("light"))
    area.resize(900, 700)
    area.show()
    document.editing.start()
    document.run()
    wait_for(lambda: document.is_current(document.coverage), LIMIT_S, "the first results")
    app.settle()
    yield area
    area.close()
    area.deleteLater()


def line_with(area, part):
    return next(n for n, text in enumerate(area.editor.text().split("\n"), 1) if part in text)


def test_an_error_is_underlined_before_run_and_goes_when_it_is_mended(app, area):
    editor, document = area.editor, app.document
    line = line_with(area, "x + y")
    column = editor.text().split("\n")[line - 1].index("x + y")
    editor.go_to(line, column + len("x + y"))
    QTest.keyClicks(editor, " + tl.arange(0, 16)")
    started = time.monotonic()
    wait_for(lambda: editor.severity_at(line) == "error", LIMIT_S, "the underline")
    took_s = time.monotonic() - started
    (finding,) = editor.findings_at(line)
    assert "do not fit together" in finding.message
    assert finding.stage == "compile"
    # Nothing ran: what is on screen is the last run's.
    assert document.launches
    assert document.work.ran_text != editor.text()
    for _ in range(len(" + tl.arange(0, 16)")):
        QTest.keyClick(editor, Qt.Key.Key_Backspace)
    wait_for(lambda: editor.severity_at(line) is None, LIMIT_S, "the mended line")
    # From the second pause on, the worker is there.
    editor.go_to(line, column)
    QTest.keyClicks(editor, "2.0 << ")
    started = time.monotonic()
    wait_for(lambda: editor.severity_at(line) == "error", LIMIT_S, "the second underline")
    print(f"first {took_s:.2f} s, second {time.monotonic() - started:.2f} s")
    document.run()
    wait_for(lambda: document.findings_in_text() and not document.work.user_waits(), LIMIT_S, "run")
    assert any(f.line == line and f.severity == "error" for f in document.findings)


def test_neither_the_console_nor_a_job_waits_for_it(app, area):
    document = app.document
    slow = area.editor.text() + "\nimport time\ntime.sleep(4)\n"
    request = messages.CompileEdited(0, document.config, None, slow)
    job = app.engine.send(request)
    started = time.monotonic()
    replies = app.ask(messages.GetIr(0, document.config, "ttir"))
    assert any(isinstance(reply, messages.Ir) for reply in replies)
    assert time.monotonic() - started < 2
    assert not app.of(job)
    app.engine.send(messages.Cancel(job))
    finished = app.wait_job(job)[-1]
    assert finished.cancelled
    assert time.monotonic() - started < 3
