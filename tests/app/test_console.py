"""The console: the same objects, output of runs, bounded text, and life after a restart."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest

from playground.model.resources import kernels_dir
from playground.ui.console import ConsoleView
from playground.ui.theme import Theme
from tests.app.conftest import App, pause, wait_for


@pytest.fixture
def console(app: App) -> Iterator[ConsoleView]:
    theme = Theme("light")
    view = ConsoleView(app.document, theme, app.engine)
    view.resize(700, 300)
    view.show()
    wait_for(lambda: prompts(view) > 0, 30, "the first prompt")
    yield view
    view.close()
    view.deleteLater()
    theme.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def prompts(view: ConsoleView) -> int:
    return view.text().count("In [")


def execute(view: ConsoleView, code: str) -> str:
    """Execute `code` and return what it added to the console."""
    before, length = prompts(view), len(view.text())
    view.execute(code)
    wait_for(lambda: prompts(view) > before, 20, f"the prompt after {code!r}")
    return view.text()[length:]


def test_it_computes_and_its_banner_names_play(console: ConsoleView) -> None:
    assert "`play` is the session" in console.text()
    assert "Type 'copyright'" not in console.text()
    assert "42" in execute(console, "6 * 7")


def test_its_objects_are_the_windows(app: App, console: ConsoleView) -> None:
    app.document.open_file(str(kernels_dir() / "vector_add.py"))
    app.document.run()
    wait_for(lambda: bool(app.document.launches), 60)
    app.settle()
    assert "add_kernel" in execute(console, "play.launches[0].info.kernel")
    assert "98432" in execute(console, "add(*inputs(98432)).numel()")
    assert "vector_add.py" in execute(console, "play.path")


def test_output_of_a_run_appears(app: App, console: ConsoleView, tmp_path: Path) -> None:
    app.write(tmp_path, "import sys\nprint('from the driver')\nprint('and err', file=sys.stderr)\n")
    app.document.run()
    wait_for(lambda: "from the driver" in console.text(), 20)
    wait_for(lambda: "and err" in console.text(), 20)
    app.settle()
    assert console.text().rstrip().endswith(":")  # the open prompt stays below it


def test_names_of_an_old_run_go(app: App, console: ConsoleView, tmp_path: Path) -> None:
    app.write(tmp_path, "first_only = 1\nboth = 1\n")
    app.document.run()
    app.settle()
    assert "(1, 1)" in execute(console, "first_only, both")
    app.write(tmp_path, "both = 2\nplay = 'shadow'\n", "other.py")
    app.document.run()
    app.settle()
    assert "(False, 2)" in execute(console, "'first_only' in globals(), both")
    assert "Session" in execute(console, "type(play).__name__")


def test_reset_keeps_play(console: ConsoleView) -> None:
    execute(console, "%reset -f")
    assert "Session" in execute(console, "type(play).__name__")


def test_exit_does_not_end_the_engine(app: App, console: ConsoleView) -> None:
    pid = app.engine.pid
    assert "The console stays as long as its window" in execute(console, "exit()")
    assert "2" in execute(console, "1 + 1")
    assert app.engine.pid == pid


def test_an_endless_loop_in_the_console_is_interrupted(app: App, console: ConsoleView) -> None:
    pid, before = app.engine.pid, prompts(console)
    console.execute("while True: pass")
    wait_for(lambda: app.engine.state == "busy", 10, "the loop")
    pause(0.3)
    app.document.interrupt()
    wait_for(lambda: prompts(console) > before, 10, "the prompt after the interrupt")
    assert "KeyboardInterrupt" in console.text()
    assert app.engine.pid == pid


def test_input_is_asked_for_in_the_console(app: App, console: ConsoleView) -> None:
    before = prompts(console)
    console.execute("answer = input('how many? ')")
    wait_for(lambda: console.text().endswith("how many? "), 10, "the question")
    assert console.widget is not None
    QTest.keyClicks(console.widget.edit, "42")
    QTest.keyClick(console.widget.edit, Qt.Key.Key_Return)
    wait_for(lambda: prompts(console) > before, 10, "the prompt after the answer")
    assert "84" in execute(console, "2 * int(answer)")


def test_input_in_a_driver_is_refused_in_words(
    app: App, console: ConsoleView, tmp_path: Path
) -> None:
    app.write(tmp_path, "n = int(input('how many? '))\n")
    app.document.run()
    wait_for(lambda: bool(app.document.findings), 20, "the end of the run")
    app.settle()
    (finding,) = [f for f in app.document.findings if f.severity == "error"]
    assert "no keyboard for input()" in finding.hint
    assert finding.line == 1


def test_the_engine_killed_from_the_console_comes_back(app: App, console: ConsoleView) -> None:
    pid, before = app.engine.pid, console.text().count("the engine was restarted")
    console.execute("!kill -9 $PPID")
    wait_for(lambda: bool(app.deaths), 20, "the death")
    wait_for(lambda: app.engine.state == "ready", 60, "the new engine")
    wait_for(lambda: console.text().count("the engine was restarted") > before, 20)
    assert app.engine.pid != pid
    said = "\n".join(finding.text() for finding in app.document.findings)
    assert "SIGKILL" in said
    assert "variables made in the console are lost" in said
    pause(0.2)
    assert "2" in execute(console, "1 + 1")


def test_an_error_does_not_abort_what_follows(console: ConsoleView) -> None:
    before = prompts(console)
    console.execute("1/0")
    wait_for(lambda: prompts(console) > before, 20)
    assert "ZeroDivisionError" in console.text()
    assert "aborted" not in execute(console, "'go' + 'es on'")


def test_huge_output_is_clipped_and_lines_bounded(
    app: App, console: ConsoleView, tmp_path: Path
) -> None:
    app.write(
        tmp_path, "for _ in range(10):\n    print(('z' * 99 + '\\n') * 10_000)\nprint('end')\n"
    )
    app.document.run()
    wait_for(lambda: "\nend" in console.text(), 60)
    app.settle()
    assert "characters of output not shown" in console.text()
    assert len(console.text()) < 2_000_000
    assert "3" in execute(console, "1 + 2")


def test_it_works_after_a_restart(app: App, console: ConsoleView) -> None:
    execute(console, "kept = 'before the restart'")
    app.document.restart()
    wait_for(lambda: app.engine.state == "ready", 60)
    wait_for(lambda: "the engine was restarted" in console.text(), 20)
    pause(0.2)
    assert "before the restart" in console.text()
    assert console.widget is not None
    assert "kept = 'before the restart'" in console.widget.history_tail(1000)
    console.widget.edit.moveCursor(QTextCursor.MoveOperation.End)
    QTest.keyClick(console.widget.edit, Qt.Key.Key_Up)
    assert console.widget.input_buffer == "kept = 'before the restart'"
    console.widget.input_buffer = ""
    assert "False" in execute(console, "'kept' in globals()")
    assert "Session" in execute(console, "type(play).__name__")


def test_completion_comes_from_the_kernel(console: ConsoleView) -> None:
    widget = console.widget
    assert widget is not None
    execute(console, "uncommon_name = 1")
    widget.input_buffer = "uncommon_na"
    widget._complete()
    wait_for(lambda: widget.input_buffer == "uncommon_name", 20)


def test_it_follows_the_theme(console: ConsoleView) -> None:
    theme = console._theme
    theme.set_name("dark")
    assert console.widget is not None
    assert theme.color("surface").name() in console.widget.style_sheet
