"""Slots that know which file's signal they were called by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.ui.document import Document


class OfFile(QObject):
    """Calls `slot` with the document before what its signal carries; `take` is what to connect.

    It lives as long as `listener`. A partial function or a lambda would hold its listener, and with
    it the whole window, for as long as the document lives.
    """

    def __init__(self, listener: QObject, document: Document, slot: Callable[..., object]) -> None:
        super().__init__(listener)
        self._document, self._slot = document, slot
        document.destroyed.connect(self.deleteLater)

    def take(self, *carried: object) -> None:
        """Pass a signal of the document on."""
        self._slot(self._document, *carried)
