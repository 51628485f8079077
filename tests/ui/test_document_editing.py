"""Findings while the user types: real keys into a real editor, on the scripted engine."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCharFormat
from PySide6.QtTest import QTest

from playground.model.finding import Finding
from playground.protocol import messages
from playground.ui.editor_area import EditorArea
from playground.ui.open_files import OpenFiles
from playground.ui.theme import Theme
from tests.ui.conftest import run_vector_add

BROKEN = "x - y"


@pytest.fixture
def area(ran, qtbot):
    area = EditorArea(OpenFiles(ran), Theme("light"))
    qtbot.addWidget(area)
    area.resize(800, 600)
    area.show()
    ran.editing.start()
    yield area
    area.close_helpers()


@pytest.fixture
def compiler(engine, ran):
    """Let the engine's compiler refuse every text with `BROKEN` in it."""

    def refused(text):
        lines = text.split("\n")
        return tuple(
            Finding("error", "compile", "the compiler takes no minus", "write +", ran.path,
                    number, line.index(BROKEN))
            for number, line in enumerate(lines, 1) if BROKEN in line
        )  # fmt: skip

    engine.edited_findings = refused
    return engine


def line_with(area, part):
    return next(n for n, text in enumerate(area.editor.text().split("\n"), 1) if part in text)


def waves(area):
    """Return line and text of everything that is underlined."""
    found = []
    for mark in area.editor.extraSelections():
        if mark.format.underlineStyle() == QTextCharFormat.UnderlineStyle.WaveUnderline:
            line = area.editor.document().findBlock(mark.cursor.selectionStart()).blockNumber() + 1
            found.append((line, mark.cursor.selectedText()))
    return found


def type_at(area, line, column, text):
    area.editor.go_to(line, column)
    QTest.keyClicks(area.editor, text)


def type_error(area):
    line = line_with(area, "x + y")
    column = area.editor.text().split("\n")[line - 1].index("+ y")
    area.editor.go_to(line, column)
    QTest.keyClick(area.editor, Qt.Key.Key_Delete)
    QTest.keyClicks(area.editor, "-")
    return line


def test_a_name_is_underlined_while_it_is_typed_and_no_longer_when_it_is_right(area, qtbot):
    line = line_with(area, "x + y")
    end = len(area.editor.text().split("\n")[line - 1].rstrip().removesuffix(")"))
    start = area.editor.text().split("\n")[line - 1].index("x + y")
    type_at(area, line, start, "w")
    qtbot.waitUntil(lambda: area.editor.severity_at(line) == "error", timeout=5000)
    area.editor.go_to(1)
    assert waves(area) == [(line, "wx")]
    (finding,) = area.editor.findings_at(line)
    assert finding.message == "wx is not defined"
    area.editor.go_to(line, start + 1)
    QTest.keyClick(area.editor, Qt.Key.Key_Backspace)
    qtbot.waitUntil(lambda: not waves(area), timeout=5000)
    assert area.editor.severity_at(line) is None
    assert end > start


def test_a_word_half_typed_is_not_underlined(area, qtbot):
    line = line_with(area, "x + y")
    start = area.editor.text().split("\n")[line - 1].index("x + y")
    type_at(area, line, start, "undefined + ")
    for _ in range(3):
        QTest.keyClick(area.editor, Qt.Key.Key_Left)
    qtbot.waitUntil(lambda: bool(area.editor.findings_at(line)), timeout=5000)
    area.editor._typing.start()
    area.editor._refresh_marks()
    assert waves(area) == []  # the cursor is at its end
    area.editor._typing.stop()
    area.editor._refresh_marks()
    assert waves(area) == [(line, "undefined")]


def test_the_compiler_looks_at_a_pause_and_its_error_goes_when_it_is_mended(area, compiler, qtbot):
    line = type_error(area)
    assert not compiler.requests(messages.CompileEdited)  # not while keys come
    qtbot.waitUntil(lambda: area.editor.severity_at(line) == "error", timeout=5000)
    (request,) = compiler.requests(messages.CompileEdited)
    assert request.text == area.editor.text()
    assert [text for _, text in waves(area)] == [BROKEN]
    QTest.keyClick(area.editor, Qt.Key.Key_Backspace)
    QTest.keyClicks(area.editor, "+")
    qtbot.waitUntil(lambda: area.editor.severity_at(line) is None, timeout=5000)
    assert waves(area) == []


def test_an_underline_moves_with_its_line(area, compiler, qtbot):
    line = type_error(area)
    qtbot.waitUntil(lambda: area.editor.severity_at(line) == "error", timeout=5000)
    area.editor.go_to(1)
    QTest.keyClick(area.editor, Qt.Key.Key_Return)
    assert area.editor.severity_at(line + 1) == "error"  # at once
    assert area.editor.severity_at(line) is None
    qtbot.waitUntil(lambda: len(compiler.requests(messages.CompileEdited)) == 2, timeout=5000)
    qtbot.wait(50)
    assert [found for found, _ in waves(area)] == [line + 1]


def test_what_a_run_said_moves_too_and_goes_with_its_line(area, ran, qtbot):
    line = line_with(area, "x + y")
    told = Finding("error", "runtime", "it went wrong", "", ran.path, line)
    ran.set_findings("run", (told,))
    assert area.editor.severity_at(line) == "error"
    area.editor.go_to(1)
    QTest.keyClick(area.editor, Qt.Key.Key_Return)
    QTest.keyClick(area.editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: told not in ran.findings, timeout=5000)
    assert area.editor.severity_at(line + 2) == "error"
    assert [finding.line for finding in ran.findings if finding.message == told.message] == [
        line + 2
    ]
    type_error(area)
    qtbot.waitUntil(lambda: area.editor.severity_at(line + 2) is None, timeout=5000)


def test_nothing_is_compiled_before_the_file_ran_or_while_it_is_no_python(
    area, compiler, document, qtbot
):
    type_at(area, line_with(area, "x + y"), 0, "(")
    qtbot.waitUntil(lambda: any(f.stage == "syntax" for f in document.findings), timeout=5000)
    qtbot.wait(700)
    assert not compiler.requests(messages.CompileEdited)


def test_a_file_that_was_not_run_is_not_compiled(document, engine, qtbot):
    run_vector_add(document, qtbot)
    document.editing.start()
    document.open_file(document.path)
    document.set_text(document.text.replace("x + y", BROKEN))
    qtbot.wait(900)
    assert not engine.requests(messages.CompileEdited)


def test_the_users_own_work_comes_first(area, compiler, ran, qtbot):
    compiler.hold = True
    type_error(area)
    qtbot.waitUntil(lambda: bool(compiler.requests(messages.CompileEdited)), timeout=5000)
    job = next(n for n, each in compiler.sent if isinstance(each, messages.CompileEdited))
    ran.set_knob("num_warps", 8)
    cancelled = [each.job for each in compiler.requests(messages.Cancel)]
    assert job in cancelled
    before = len(compiler.requests(messages.CompileEdited))
    qtbot.wait(700)
    assert len(compiler.requests(messages.CompileEdited)) == before  # the replay still waits
    compiler.hold = False
    compiler.release()
    line = line_with(area, BROKEN)
    qtbot.waitUntil(lambda: area.editor.severity_at(line) == "error", timeout=5000)


def test_the_newest_text_wins(area, compiler, ran, qtbot):
    compiler.hold = True
    line = type_error(area)
    qtbot.waitUntil(lambda: len(compiler.requests(messages.CompileEdited)) == 1, timeout=5000)
    QTest.keyClick(area.editor, Qt.Key.Key_Backspace)
    QTest.keyClicks(area.editor, "*")
    qtbot.waitUntil(lambda: len(compiler.requests(messages.CompileEdited)) == 2, timeout=5000)
    compiler.hold = False
    compiler.release()
    qtbot.waitUntil(lambda: ran.editing._job is None, timeout=5000)
    assert area.editor.severity_at(line) is None


def test_back_at_the_text_that_ran_nothing_more_is_asked(area, compiler, ran, qtbot):
    compiler.hold = True
    line = type_error(area)
    qtbot.waitUntil(lambda: len(compiler.requests(messages.CompileEdited)) == 1, timeout=5000)
    QTest.keyClick(area.editor, Qt.Key.Key_Backspace)
    QTest.keyClicks(area.editor, "+")
    qtbot.waitUntil(lambda: bool(compiler.requests(messages.Cancel)), timeout=5000)
    compiler.hold = False
    compiler.release()
    qtbot.wait(800)
    assert len(compiler.requests(messages.CompileEdited)) == 1
    assert area.editor.severity_at(line) is None


def test_a_run_replaces_what_was_found_before_it(area, compiler, ran, qtbot):
    line = type_error(area)
    qtbot.waitUntil(lambda: area.editor.severity_at(line) == "error", timeout=5000)
    ran.run()
    qtbot.waitUntil(lambda: not ran.work.user_waits(), timeout=5000)
    assert area.editor.severity_at(line) is None  # the run's own compiler took it
    count = len(compiler.requests(messages.CompileEdited))
    qtbot.wait(800)
    assert len(compiler.requests(messages.CompileEdited)) == count


def test_findings_of_another_file_keep_their_lines(area, ran, qtbot):
    other = Finding("error", "compile", "elsewhere", "", "/other/helper.py", 3)
    ran.set_findings("compile", (other,))
    area.editor.go_to(1)
    QTest.keyClick(area.editor, Qt.Key.Key_Return)
    qtbot.wait(400)
    assert other in ran.findings


def test_one_mistake_is_told_once_by_whoever_sees_it(area, ran, qtbot):
    line = line_with(area, "x + y")
    start = area.editor.text().split("\n")[line - 1].index("x + y")
    type_at(area, line, start, "w")
    qtbot.waitUntil(lambda: area.editor.severity_at(line) == "error", timeout=5000)
    text = "NameError: name 'wx' is not defined. Did you mean: 'x'?"
    ran.set_findings("replay", (Finding("error", "compile", text, "", ran.path, line),))
    ran.work._last_run = messages.Run(ran.path, ran.text, "")
    assert len([f for f in ran.findings if "wx" in f.message]) == 1


def test_the_list_is_filled_anew_only_when_lines_move(area, ran, qtbot):
    line = line_with(area, "x + y")
    ran.set_findings("run", (Finding("error", "runtime", "it went wrong", "", ran.path, line),))
    area.editor.go_to(area.editor.document().blockCount())
    with qtbot.waitSignal(ran.outlineChanged, timeout=5000):
        QTest.keyClicks(area.editor, "#")
    with qtbot.assertNotEmitted(ran.findingsChanged, wait=400):
        QTest.keyClicks(area.editor, "more")
    area.editor.go_to(1)
    with qtbot.waitSignal(ran.findingsChanged, timeout=5000):
        QTest.keyClick(area.editor, Qt.Key.Key_Return)
