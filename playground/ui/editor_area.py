"""What stands in the window's middle: tabs, driver bar, notices, editor, find bar."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from playground.ui.drivers_bar import DriversBar
from playground.ui.editor.code_editor import CodeEditor
from playground.ui.editor.edits import replace_text
from playground.ui.editor.find_bar import FindBar
from playground.ui.editor.sheet import Sheet
from playground.ui.file_tabs import FileTabs
from playground.ui.notices import Notices
from playground.ui.of_file import OfFile

if TYPE_CHECKING:
    from PySide6.QtGui import QAction, QResizeEvent

    from playground.ui.document import Document
    from playground.ui.editor.completion import Completion
    from playground.ui.gallery import Gallery
    from playground.ui.open_files import OpenFiles
    from playground.ui.theme import Theme


class EditorArea(QWidget):
    """Keeps the text on each sheet and its document's text one; asks about outside changes."""

    fileChosen = Signal(str)
    openWanted = Signal()

    def __init__(self, files: OpenFiles, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("editorArea")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._files = files
        self._document = document = files.front
        self._theme = theme
        self._sheets: dict[Document, Sheet] = {}
        self._paths: dict[Document, str] = {}
        self._read: set[Document] = set()
        self.tabs = FileTabs(files, theme, self)
        self.editor = CodeEditor(theme, self)
        self.find_bar = FindBar(self.editor, theme, self)
        self.completion: Completion | None = None
        self.drivers: DriversBar | None = None
        self._gallery: Gallery | None = None
        self._recent: list[str] = []
        self.notices = Notices(self)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self._layout.addWidget(self.tabs)
        self._layout.addWidget(self.notices)
        self._layout.addWidget(self.find_bar)
        self._beside = QHBoxLayout()
        self._beside.setSpacing(0)
        self._beside.addWidget(self.editor, 1)
        self._layout.addLayout(self._beside, 1)
        self.setAcceptDrops(True)
        self.editor.viewport().installEventFilter(self)
        self.editor.edited.connect(self._on_edited)
        document.findingsChanged.connect(self._show_findings)
        document.outlineChanged.connect(self._show_findings)  # lines moved, or were changed
        document.pathChanged.connect(self._show_gallery)
        files.added.connect(self._add)
        files.shown.connect(self._show)
        files.removed.connect(self._remove)
        self._sheets[files.current] = self.editor.sheet
        self._follow(files.current)
        self.notices.show_of(files.current)
        if document.text:
            self._on_text_replaced(files.current, document.text)

    def add_drivers_bar(self, run: QAction, edit: QAction) -> DriversBar:
        """Put the driver bar on top, the driver's code under it; it needs the window's actions."""
        self.drivers = DriversBar(self._document, self._theme, run, edit, self)
        self._layout.insertWidget(1, self.drivers)
        self._layout.insertWidget(2, self.drivers.editor)
        return self.drivers

    def put_beside(self, strip: QWidget) -> None:
        """Put a narrow strip to the right of the editor, as high as it."""
        self._beside.addWidget(strip)

    def go_to(self, line: int, column: int = 0) -> None:
        """Show a 1-based line on behalf of a view or a finding."""
        self.editor.go_to(line, column)

    def go_to_driver(self, line: int, column: int = 0) -> None:
        """Show a 1-based line of the driver's code."""
        if self.drivers is not None:
            self.drivers.show_editor()
            self.drivers.editor.go_to(line, column)

    def start_colours(self) -> None:
        """Begin to colour the texts by their syntax."""
        self.editor.start_colours()
        if self.drivers is not None:
            self.drivers.editor.code.start_colours()

    def add_completion(self) -> None:
        """Begin to offer names while the user types, and to read what was typed."""
        if self.completion is None:
            from playground.ui.editor.completion import Completion

            self.completion = Completion(self.editor, self._document)
            self._read_now()

    # --------------------------------------------------------------------------- sheets

    def line_of(self, document: Document) -> int:
        """Return the line, from 1, of the cursor in a file's text."""
        if document is self._files.current:
            return self.editor.textCursor().blockNumber() + 1
        sheet = self._sheets.get(document)
        return 1 if sheet is None else sheet.line

    def put_cursor(self, document: Document, line: int) -> None:
        """Put the cursor of a file's text on a line, from 1, if it has so many."""
        sheet = self._sheets[document]
        if 1 < line <= sheet.document.blockCount():
            if document is self._files.current:
                self.editor.go_to(line, focus=False)
            else:
                sheet.go_to(line)

    def _add(self, document: Document) -> None:
        self._sheets[document] = Sheet(self._theme, self)
        self._follow(document)

    def _follow(self, document: Document) -> None:
        for signal, slot in (
            (document.textReplaced, self._on_text_replaced),
            (document.changedOnDisk, self._on_changed_on_disk),
            (document.deletedOnDisk, self._on_deleted),
            (document.dirtyChanged, self._on_dirty),
        ):
            signal.connect(OfFile(self, document, slot).take)

    def _show(self, document: Document) -> None:
        self.editor.hintsUnwanted.emit()
        self.editor.show_sheet(self._sheets[document])
        self.notices.show_of(document)
        self._read_now()

    def _read_now(self) -> None:
        """Begin to read the names in the file shown, once completion is there."""
        document = self._files.current
        if self.completion is not None and document not in self._read:
            self._read.add(document)
            document.editing.start()

    def _remove(self, document: Document) -> None:
        self.notices.forget(document)
        if document is not self._files.home:
            self._sheets.pop(document).deleteLater()
            self._paths.pop(document, None)
            self._read.discard(document)

    def close_helpers(self) -> None:
        """End what runs beside the editor."""
        if self.completion is not None:
            self.completion.close()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the larger part of the height to the file."""
        super().resizeEvent(event)
        if self.drivers is not None:
            self.drivers.editor.set_highest(round(self.height() * 0.38))

    # ----------------------------------------------------------------------------- text

    def _on_edited(self, text: str) -> None:
        self._document.set_text(text)
        self._show_gallery()

    def _on_text_replaced(self, document: Document, text: str) -> None:
        sheet, same = self._sheets[document], document.path == self._paths.get(document, "")
        self._paths[document] = document.path
        self.notices.take_back("disk", document)
        if document is not self._files.current:
            if same and sheet.text():
                replace_text(sheet.document, text)
            else:
                sheet.load(text)
            return
        if same and self.editor.text():
            self.editor.replace(text)
        else:
            self.editor.load(text)
        self._show_findings()
        self._show_gallery()

    def _show_findings(self) -> None:
        name = os.path.basename(self._document.path) or "untitled.py"
        self.editor.set_findings([
            finding for finding in self._document.findings_in_text()
            if not finding.file or os.path.basename(finding.file) == name
        ])  # fmt: skip

    # -------------------------------------------------------------------- outside changes

    def _on_changed_on_disk(self, document: Document, path: str) -> None:
        self.notices.ask(
            "disk",
            f"{os.path.basename(path)} changed on disk. Undo works after a reload.",
            (
                ("reload", "Reload", lambda: _done(document.reload())),
                ("keep", "Keep this text", _nothing),
            ),
            document,
        )

    def _on_deleted(self, document: Document, path: str) -> None:
        self.notices.ask(
            "disk",
            f"{os.path.basename(path)} is no longer on disk: it was deleted, moved or renamed. "
            "Its text is only in this window now.",
            (
                ("save", "Save it again", lambda: _done(document.save())),
                ("keep", "Not now", _nothing),
            ),
            document,
        )

    def _on_dirty(self, document: Document, dirty: bool) -> None:
        if not dirty:
            self.notices.take_back("disk", document)

    # --------------------------------------------------------------------------- gallery

    def show_gallery(self) -> None:
        """Offer the bundled kernels while there is neither a file nor a text."""
        if self._gallery is None:
            from playground.ui.gallery import Gallery

            self._gallery = Gallery(self._theme, self.editor.viewport(), recent=self._recent)
            self._gallery.fileChosen.connect(self.fileChosen)
            self._gallery.openWanted.connect(self.openWanted)
            self._gallery.show_target(self.gpu_target())
            self._document.deviceChanged.connect(self._mark_gallery)
        self._show_gallery()

    def gpu_target(self) -> str | None:
        """Return the target of the engine's GPU; empty without one, None before that is known."""
        device = self._document.device
        if device is None:
            return None
        return device.target if device.mode == "gpu" else ""

    def show_recent(self, paths: list[str]) -> None:
        """Offer these files in the gallery."""
        self._recent = paths
        if self._gallery is not None:
            self._gallery.show_recent(paths)
            self._place_gallery()

    def _mark_gallery(self) -> None:
        if self._gallery is not None:
            self._gallery.show_target(self.gpu_target())

    def _show_gallery(self, _path: str = "") -> None:
        if self._gallery is None:
            return
        self._gallery.setVisible(not self._document.path and not self.editor.text())
        self._place_gallery()

    def _place_gallery(self) -> None:
        if self._gallery is None or not self._gallery.isVisibleTo(self.editor.viewport()):
            return
        area = self.editor.viewport().rect()
        line = self.editor.fontMetrics().height()
        width = min(self._gallery.maximumWidth(), area.width() - 4 * line)
        height = self._gallery.heightForWidth(width)
        self._gallery.resize(width, min(max(height, 0), area.height() - 4 * line))
        self._gallery.move((area.width() - width) // 2, 3 * line)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the gallery in the middle."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            self._place_gallery()
        return super().eventFilter(watched, event)


def _done(_well: bool) -> None:
    """Take what a verb returns: how it went is told by a finding."""


def _nothing() -> None:
    """Leave everything as it is: the question goes."""
