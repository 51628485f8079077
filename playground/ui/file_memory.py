"""How each file was last looked at: driver, sizes, knobs, baseline and place, kept and put back."""

from __future__ import annotations

import contextlib
import hashlib
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, QTimer

from playground.model.remembered import MovedKnobs, RememberedBaseline, RememberedFile
from playground.ui.knob_undo import Moved, moved
from playground.ui.state_files import (
    KEEP_AFTER_MS,
    StateProblem,
    private_folder,
    read_state,
    state_folder,
    write_state,
)

if TYPE_CHECKING:
    from pathlib import Path

    from playground.ui.document import Document

VERSION = 1
MOST_FILES = 300


class Cursors(Protocol):
    """Where the cursors stand in the texts of all documents."""

    def line_of(self, document: Document) -> int:
        """Return the line, from 1, of the cursor in a document's text."""

    def put_cursor(self, document: Document, line: int) -> None:
        """Put the cursor of a document's text on a line, from 1, if it has so many."""


class FileMemory(QObject):
    """Follows the document; what a file had is put back when it is opened, its knobs once it ran.

    Nothing is executed: a driver is only chosen if the text itself offers it, and the values of
    knobs are checked against the launch.
    """

    def __init__(self, document: Document, cursors: Cursors, folder: Path | None = None) -> None:
        super().__init__(document)
        self._document = document
        self._cursors = cursors
        self._folder = folder
        self._kept: RememberedFile | None = None
        self._baseline: RememberedBaseline | None = None
        self._target = ""
        self.note = ""
        """What had to be set aside, for the user."""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(KEEP_AFTER_MS)
        self._timer.timeout.connect(self.keep_now)

    def start(self) -> None:
        """Put back what is known of the open file, and follow it from now on."""
        document = self._document
        try:
            self._folder = self._folder or state_folder() / "files"
            private_folder(self._folder)
        except StateProblem as problem:
            self.note = str(problem)
            self._folder = None
            return
        self.put_back()
        document.aboutToOpen.connect(self.keep_now)
        document.opened.connect(self.put_back)
        document.launchesChanged.connect(self._put_baseline_back)
        document.baselineChanged.connect(self._on_baseline)
        document.deviceChanged.connect(self._put_target_back)
        for changed in (
            document.driverChanged, document.configChanged, document.launchSelected,
            document.targetChanged, document.cacheChanged, document.knobsChanged,
        ):  # fmt: skip
            changed.connect(self._wait)

    def close(self) -> None:
        """Write what is not written yet."""
        self.keep_now()
        self._timer.stop()

    def put_back(self) -> None:
        """Give the open file what it had when it was last open."""
        self._timer.stop()
        document = self._document
        self._kept = self._baseline = None
        self._target = ""
        if self._folder is None or not document.path:
            return
        held, note = read_state(self._place(document.path), RememberedFile, VERSION)
        self.note = note or self.note
        if held is None or held.path != document.path:
            return
        self._kept = held
        self._baseline = held.baseline
        document.resume(
            held.driver, held.sizes or {},
            {each.launch: Moved(each.kernel, each.captured, each.config) for each in held.moved},
            held.launch, set(held.unlocked),
        )  # fmt: skip
        if held.cache in ("cold", "warm"):
            document.set_cache("warm" if held.cache == "warm" else "cold")
        self._target = held.target
        self._put_target_back()
        self._go_to(held)

    def keep_now(self) -> None:
        """Write how the open file is looked at, where that changed."""
        self._timer.stop()
        document = self._document
        if self._folder is None or not document.path:
            return
        now = self._now()
        if now == self._kept:
            return
        with contextlib.suppress(StateProblem):  # nobody waits for it; unsaved text is told of
            write_state(self._place(document.path), now, VERSION)
            self._kept = now
            self._prune()

    def _wait(self, _what: object = None) -> None:
        if not self._timer.isActive():
            self._timer.start()

    def _now(self) -> RememberedFile:
        document = self._document
        before = moved(document.launches, document.configs) or document.moved_before
        baseline = self._baseline
        pinned = document.baseline
        if pinned is not None and document.launches and document.device is not None:
            kernel = document.launches[pinned.launch].kernel
            baseline = RememberedBaseline(kernel, document.device.name, pinned)
        return RememberedFile(
            document.path, document.driver.code if document.driver else None,
            dict(document.sizes), document.launch_index,
            tuple(MovedKnobs(i, m.kernel, m.captured, m.config) for i, m in before.items()),
            tuple(sorted(document.unlocked)), baseline, self._target or document.target,
            document.cache, self._cursors.line_of(document),
        )  # fmt: skip

    def _put_baseline_back(self) -> None:
        held, document = self._baseline, self._document
        if held is None or not document.launches or document.baseline is not None:
            return
        index = held.measurement.launch
        same = index < len(document.launches) and document.launches[index].kernel == held.kernel
        # A time of another machine would only mislead.
        if same and document.device is not None and document.device.name == held.device:
            document.pin(held.measurement)

    def _put_target_back(self) -> None:
        # Which targets there are is known when the engine is ready.
        if not self._target or not self._document.targets:
            return
        target, self._target = self._target, ""
        if target in self._document.targets:
            self._document.set_target(target)

    def _on_baseline(self) -> None:
        if self._document.baseline is None:
            self._baseline = None
        self._wait()

    def _go_to(self, held: RememberedFile) -> None:
        if held.path == self._document.path:
            self._cursors.put_cursor(self._document, held.line)

    def _place(self, path: str) -> Path:
        if self._folder is None:
            raise RuntimeError("nothing is kept yet")
        digest = hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:24]
        return self._folder / f"{digest}.json"

    def _prune(self) -> None:
        if self._folder is None:
            return
        with contextlib.suppress(OSError):  # another window may prune as well
            files = sorted(self._folder.glob("*.json"), key=lambda each: each.stat().st_mtime)
            for old in files[:-MOST_FILES]:
                old.unlink()
