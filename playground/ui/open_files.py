"""The open files of a window: a document each, in the order of their tabs; one is in front."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from playground.ui.file_names import distinct_names
from playground.ui.front import front_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.ui.document import Document
    from playground.ui.engine_work import EngineWork


class OpenFiles(QObject):
    """Opens, shows, orders and closes files; `front` is the document that views draw from.

    There is always one document at least: without a file it is blank. The one that the window began
    with is never deleted, because what is about the machine hangs on it; closed, it waits for the
    next file. `added` tells of a document before anything is opened in it, `shown` of the one that
    came to the front: its text can be typed in at once. The views are told when the window has
    handled what waits, and then `told` says so; nobody sees them meanwhile. `changed` tells of
    names, order and marks.
    """

    added = Signal(object)
    shown = Signal(object)
    told = Signal()
    removed = Signal(object)
    changed = Signal()

    def __init__(self, first: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.front, self._stand_in = front_of(first, self)
        self._home = self.current = first
        self._documents = [first]
        self._next_number = first.number + 1
        self._waiting: list[str] = []
        self._ahead = 0
        self._telling = QTimer(self)
        self._telling.setSingleShot(True)
        self._telling.timeout.connect(self._tell)
        self._follow(first)

    # --------------------------------------------------------------------------- looking

    @property
    def documents(self) -> tuple[Document, ...]:
        """All documents, in the order of their tabs."""
        return tuple(self._documents)

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that are open, in the order of their tabs."""
        return tuple(document.path for document in self._documents if document.path)

    @property
    def unsaved(self) -> tuple[Document, ...]:
        """The documents with text that is in no file."""
        return tuple(document for document in self._documents if document.dirty)

    @property
    def home(self) -> Document:
        """The document that the window began with, which is never deleted."""
        return self._home

    @property
    def is_blank(self) -> bool:
        """Whether neither a file nor a text is open."""
        return len(self._documents) == 1 and _is_blank(self.current)

    def find(self, path: str) -> Document | None:
        """Return the document of a file, by whichever name it is reached, or None."""
        if not path:
            return None
        real = os.path.realpath(path)
        return next(
            (each for each in self._documents if each.path and os.path.realpath(each.path) == real),
            None,
        )

    def names(self) -> dict[Document, str]:
        """Return what each tab is called; files of one name are told apart by their folders."""
        names = distinct_names([document.path for document in self._documents])
        return dict(zip(self._documents, names, strict=True))

    def busy(self) -> Document | None:
        """Return the document whose work the engine has at hand, None while nobody waits for it."""
        waited = [
            (job, document) for document in self._documents
            if document.work.user_waits() and (job := document.work.oldest_job()) is not None
        ]  # fmt: skip
        return min(waited, key=lambda each: each[0])[1] if waited else None

    # --------------------------------------------------------------------------- opening

    def open(self, path: str, *, show: bool = True, at: int | None = None) -> Document | None:
        """Open a file in a tab of its own, or find the one that it has; nothing is executed.

        One that cannot be read becomes a finding of the file in front, and None is returned.

        Parameters
        ----------
        at
            The place of a new tab; beside the one in front if left out.
        """
        found = self.find(path)
        if found is None:
            made = self._room(at)
            if not made.open_file(path):
                if made is not self.current:
                    told = tuple(found for found in made.findings if found.file == path)
                    self._drop(made)
                    self.current.set_findings("file", told)
                return None
            found = made
        if show:
            self.show(found)
        return found

    def open_unsaved(self, path: str, text: str) -> Document | None:
        """Open a file, or none, with a text that was never saved, and show it."""
        found = self.find(path)
        if found is None or found.dirty:
            if found is not None:
                return None
            found = self._room(None)
        if not found.open_unsaved(path, text):
            return None
        self.show(found)
        return found

    def open_later(self, paths: Sequence[str]) -> None:
        """Open further files around the one in front, in this order, one after the other.

        The window handles what the user does in between; one that cannot be read is left out.
        """
        front = os.path.realpath(self.current.path) if self.current.path else ""
        names = [os.path.realpath(path) for path in paths]
        before = names.index(front) if front in names else 0
        self._waiting = [*paths[:before], *paths[before + 1 if front in names else before :]]
        self._ahead = before
        if self._waiting:
            QTimer.singleShot(0, self, self._open_next)

    @property
    def is_filling(self) -> bool:
        """Whether files of the last session are still to come."""
        return bool(self._waiting)

    def _open_next(self) -> None:
        if not self._waiting:
            return
        path = self._waiting.pop(0)
        place = self._documents.index(self.current)
        if os.path.isfile(path):
            self.open(path, show=False, at=place if self._ahead > 0 else len(self._documents))
        self._ahead -= 1
        if self._waiting:
            QTimer.singleShot(0, self, self._open_next)
        self.changed.emit()

    def _room(self, at: int | None) -> Document:
        """Return a blank document with a tab."""
        if _is_blank(self.current):
            return self.current
        made = self._home if self._home not in self._documents else self._made()
        place = self._documents.index(self.current) + 1 if at is None else at
        self._documents.insert(max(min(place, len(self._documents)), 0), made)
        made.set_shown(False)
        return made

    def _made(self) -> Document:
        # With messages comes numpy: the window paints first.
        from playground.protocol import VERSION, messages
        from playground.ui.document import Document

        home = self._home
        made = Document(home.engine, number=self._next_number)
        self._next_number += 1
        made.may_execute, made.setup_store = home.may_execute, home.setup_store
        if home.device is not None:
            made.take_ready(messages.Ready(VERSION, home.device, home.targets))
        self._follow(made)
        self.added.emit(made)
        return made

    def _follow(self, document: Document) -> None:
        document.work.peers = self._works
        for changed in (
            document.pathChanged, document.dirtyChanged, document.progressChanged,
            document.deletedOnDisk, document.changedOnDisk,
        ):  # fmt: skip
            changed.connect(self._on_change)

    def _works(self) -> Sequence[EngineWork]:
        return tuple(document.work for document in self._documents)

    def _on_change(self, *_what: object) -> None:
        self.changed.emit()

    # --------------------------------------------------------------------------- showing

    def show(self, document: Document) -> None:
        """Bring a document to the front."""
        before = self.current
        if document is not before:
            before.set_shown(False)
            self.current = document
            self._stand_in.change_over(document)
            self.shown.emit(document)
            self._telling.start()
        self.changed.emit()

    def _tell(self) -> None:
        self._stand_in.tell_all()
        self.current.set_shown(True)
        self.told.emit()

    def step(self, direction: int) -> None:
        """Show the next tab, or the one before; after the last comes the first."""
        place = self._documents.index(self.current) + direction
        self.show(self._documents[place % len(self._documents)])

    def move(self, document: Document, place: int) -> None:
        """Put a document's tab at another place."""
        self._documents.remove(document)
        self._documents.insert(place, document)
        self.changed.emit()

    # --------------------------------------------------------------------------- closing

    def close(self, document: Document) -> None:
        """Close a document's tab; its unsaved text and its work are given up, others go on."""
        place = self._documents.index(document)
        if document.engine_state in ("ready", "busy"):
            from playground.protocol import messages

            document.work.abandon()
            document.engine.send(messages.CloseFile(), document.number)
        if len(self._documents) > 1 or document is not self._home:
            rest = [each for each in self._documents if each is not document] or [self._home]
            if not self._documents[1:]:
                self._documents.append(self._home)
            if document is self.current:
                self.show(rest[min(place, len(rest) - 1)])
        self._drop(document)

    def _drop(self, document: Document) -> None:
        if len(self._documents) > 1:
            self._documents.remove(document)
        document.close_file()
        self.removed.emit(document)
        if document is not self._home:
            document.close()
            document.deleteLater()
        self.changed.emit()

    def close_all(self) -> None:
        """Stop all documents: the window is closed, and everything was asked."""
        for document in {*self._documents, self._home}:
            document.close()


def _is_blank(document: Document) -> bool:
    return not document.path and not document.text
