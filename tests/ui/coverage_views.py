"""The coverage view on a document, shown and settled."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from playground.ui.document import Document
from playground.ui.theme import Theme
from playground.ui.views.coverage import CoverageView


def shown(document: Document, qtbot: QtBot, width: int, height: int) -> CoverageView:
    """Return the view when it has drawn what it asked for."""
    view = CoverageView(document, Theme())
    qtbot.addWidget(view)
    view.resize(width, height)
    view.show()
    qtbot.waitExposed(view)
    qtbot.waitUntil(lambda: view.idle)
    return view
