"""The list of findings."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from playground.model.finding import Finding
from playground.ui.document import Document
from playground.ui.findings_view import FindingsView
from playground.ui.theme import Theme
from tests.ui.fake_engine import FakeEngine

ERROR = Finding("error", "compile", "no such thing", "use another", line=7, column=4, detail="a\nb")
HINT = Finding("hint", "timing", "short kernel", "raise the size")


@pytest.fixture
def view(qtbot):
    engine = FakeEngine()
    document = Document(engine)
    widget = FindingsView(document, Theme("light"))
    qtbot.addWidget(widget)
    widget.document = document
    widget.resize(700, 300)
    widget.show()
    yield widget
    engine.shutdown()


def messages_of(view):
    return [view.tree.topLevelItem(i).text(0) for i in range(view.tree.topLevelItemCount())]


def test_says_that_there_is_nothing(view):
    assert view._empty.isVisible()
    assert "Nothing to report" in view._empty.text()


def test_gravest_first_with_hint_place_and_detail(view):
    view.document.set_findings("a", (HINT,))
    view.document.set_findings("b", (ERROR,))
    assert messages_of(view) == ["no such thing", "short kernel"]
    item = view.tree.topLevelItem(0)
    assert (item.text(1), item.text(2)) == ("use another", "line 7")
    assert item.child(0).text(0) == "a\nb"
    assert not item.icon(0).isNull()
    assert view._counts.text() == "1 error, 1 hint"


def test_click_goes_to_the_line(view, qtbot):
    view.document.set_findings("b", (ERROR,))
    place = view.tree.visualItemRect(view.tree.topLevelItem(0)).center()
    with qtbot.waitSignal(view.placeRequested) as asked:
        QTest.mouseClick(view.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert asked.args == [7, 4]


def test_finding_of_another_file_goes_nowhere(view, qtbot, tmp_path):
    path = tmp_path / "here.py"
    path.write_text("x = 1\n")
    view.document.open_file(str(path))
    view.document.set_findings("b", (Finding("error", "driver", "x", file="/other.py", line=3),))
    with qtbot.assertNotEmitted(view.placeRequested):
        view._go(view.tree.topLevelItem(0))
    view.document.file.close()


def test_filter_and_copy(view):
    view.document.set_findings("b", (ERROR, HINT))
    QTest.keyClicks(view._filter, "SHORT")
    assert messages_of(view) == ["short kernel"]
    view._filter.setText("nowhere")
    assert "No finding fits" in view._empty.text()
    view._filter.clear()
    view.copy()
    text = QGuiApplication.clipboard().text()
    assert text == f"{ERROR.text()}\na\nb\n{HINT.text()}"
    view.tree.topLevelItem(1).setSelected(True)
    view.copy()
    assert QGuiApplication.clipboard().text() == HINT.text()


def test_a_long_message_wraps(view, qtbot):
    long = Finding("error", "check", "a message of many words " * 8, "do this " * 10, line=3)
    view.document.set_findings("check", (long, HINT))
    heights = [view.tree.visualItemRect(view.tree.topLevelItem(row)).height() for row in range(2)]
    assert heights[0] >= 3 * view.fontMetrics().height()
    assert heights[1] < 2.5 * view.fontMetrics().height()
