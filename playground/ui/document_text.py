"""The document's text: opened, edited, saved, and what others do to its file meanwhile."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from playground.model.finding import Finding
from playground.ui.document_driver import DocumentDriver
from playground.ui.document_file import ChangedMeanwhile
from playground.ui.files import FileProblem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtCore import QObject

    from playground.ui.engine_port import EnginePort
    from playground.ui.knob_undo import KnobHistory, Moved


_NOT_KEPT = re.compile("\\A[\ufeff\ufffe]|[\u2029\ufdd0\ufdd1]")
"""Characters that Qt's text widgets drop, or take for the end of a line."""


def _not_kept(text: str, path: str) -> tuple[Finding, ...]:
    """Return a warning if an edit would change more of `text` than what is edited."""
    found = _NOT_KEPT.search(text)
    if found is None:
        return ()
    line = text.count("\n", 0, found.start()) + 1
    return (
        Finding(
            "warning", "engine",
            f"the editor cannot keep the character U+{ord(found[0]):04X} of this line",
            "the file stays as it is until you edit and save it", file=path, line=line,
        ),
    )  # fmt: skip


class DocumentText(DocumentDriver):
    """Opens, takes edits and saves; failures become findings, and no text is lost by them."""

    knob_history: KnobHistory

    def __init__(self, engine: EnginePort, parent: QObject | None = None) -> None:
        super().__init__(engine, parent)
        self.file.changedOnDisk.connect(self._on_changed_on_disk)
        self.file.deletedOnDisk.connect(self._on_deleted_on_disk)

    def open_file(self, path: str) -> bool:
        """Open `path` without executing it; a failure becomes a finding and keeps what was open."""
        self.aboutToOpen.emit()
        try:
            text = self.file.read(path)
        except FileProblem as problem:
            self.set_findings("file", (Finding("error", "engine", str(problem), file=path),))
            return False
        self._begin(text)
        self.set_findings("characters", _not_kept(text, self.path))
        return True

    def open_unsaved(self, path: str, text: str) -> bool:
        """Open `path` with a text that was never saved to it; undo shows what the file holds.

        A file that is no longer there is one that saving writes anew.
        """
        if path and os.path.exists(path):
            if not self.open_file(path):
                return False
        else:
            self.aboutToOpen.emit()
            self.file.adopt(path)
            self._begin("")
        self.text = text
        self.textReplaced.emit(text)
        self._set_dirty(self.file.differs_from(text))
        self._refresh_outline()
        self.edited.emit()
        return True

    def resume(
        self,
        driver: str | None,
        sizes: Mapping[str, int],
        moved: Mapping[int, Moved],
        launch: int,
        unlocked: set[tuple[str, str]],
    ) -> None:
        """Take up how the file was last looked at; knobs move when it has run.

        A driver is taken only if the text offers it.
        """
        offered = next((each for each in self.outline.drivers if each.code == driver), None)
        chosen = self.driver
        if offered is not None and (chosen is None or chosen.kind != "typed"):
            self.set_driver(offered)
        known = {size.name for size in self.driver.sizes} if self.driver else set()
        for name, value in sizes.items():
            if name in known and self.sizes.get(name) != value:
                self.set_size(name, value)
        self._moved = dict(moved)
        self._index_before = launch
        self._unlocked = set(unlocked)

    def close_file(self) -> None:
        """Show nothing, as at the start; unsaved text is gone."""
        self.aboutToOpen.emit()
        self.file.adopt("")
        self._begin("")

    def _begin(self, text: str) -> None:
        self.work.abandon()
        self._forget_results()
        self._moved = {}
        self._index_before = 0
        self._findings.clear()
        self.knob_history.clear()
        self._history.clear()
        self.clear_baseline()
        self.historyChanged.emit()
        self.text = text
        self.driver = None
        self.typed_driver, self.driver_seen = "", None
        self.sizes = {}
        self._unlocked = set()
        self.set_run_benchmarks(False)
        self.set_run_tuning(False)
        self.pathChanged.emit(self.path)
        self.textReplaced.emit(text)
        self._set_dirty(False)
        self._refresh_outline()
        self.opened.emit()

    def replace_text(self, text: str) -> None:
        """Change the text as an edit of the editor's, which undo takes back."""
        if text == self.text:
            return
        self.text = text
        self.textReplaced.emit(text)
        self._set_dirty(self.file.differs_from(text))
        self._refresh_outline()
        self.edited.emit()

    def reload(self) -> bool:
        """Read the file again from disk; launches and results stay until the next run."""
        try:
            text = self.file.read(self.path)
        except FileProblem as problem:
            self.set_findings("file", (Finding("error", "engine", str(problem), file=self.path),))
            return False
        self.text = text
        self.textReplaced.emit(text)
        self._set_dirty(False)
        self.set_findings("file", ())
        self._refresh_outline()
        return True

    def set_text(self, text: str) -> None:
        """Take the editor's text after an edit; nothing is executed."""
        if text == self.text:
            return
        self.text = text
        self._set_dirty(self.file.differs_from(text))
        self._outline_timer.start()
        self.edited.emit()

    def save(self, path: str | None = None) -> bool:
        """Save the buffer to `path`, by default the open file; a failure becomes a finding."""
        target = path or self.path
        if not target:
            self.set_findings("file", (Finding("error", "engine", "the file has no name yet"),))
            return False
        before = self.path
        try:
            self.file.write(target, self.text)
        except ChangedMeanwhile:
            self._on_changed_on_disk(target)
            return False
        except FileProblem as problem:
            hint = "the text is still here, and the file as it was: make room, or save it elsewhere"
            found = Finding("error", "engine", str(problem), hint, file=target)
            self.set_findings("file", (found,))
            return False
        if self.path != before:
            self.pathChanged.emit(self.path)
            self._refresh_outline()
        self.set_findings("file", ())
        self._set_dirty(False)
        return True

    def _on_changed_on_disk(self, path: str) -> None:
        self._set_dirty(self.file.differs_from(self.text))
        if not self.dirty:
            self.set_findings("file", ())
            return
        hint = "reload it, or save to put the text shown here in its place"
        self.set_findings(
            "file",
            (Finding("warning", "engine", "the file changed on disk", hint, file=path),),
        )
        self.changedOnDisk.emit(path)

    def _on_deleted_on_disk(self, path: str) -> None:
        self._set_dirty(True)
        hint = "save to write the text shown here again"
        found = Finding("warning", "engine", "the file is no longer on disk", hint, file=path)
        self.set_findings("file", (found,))
        self.deletedOnDisk.emit(path)

    def _set_dirty(self, dirty: bool) -> None:
        if dirty != self.dirty:
            self.dirty = dirty
            self.dirtyChanged.emit(dirty)
