"""The compiler's passes on the config shown, recorded while somebody looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from playground.protocol import messages
from playground.ui.newest_question import NewestQuestion

if TYPE_CHECKING:
    from playground.model.config import Config
    from playground.model.finding import Finding
    from playground.protocol.messages import Passes, Reply
    from playground.ui.document import Document

PAUSE_MS = 350
"""How long the config must rest: recording compiles once more, past the cache."""


class DocumentPasses(QObject):
    """`recorded` is the last pipeline; `problem` says why there is none.

    With `llvm` LLVM's own passes are recorded as well, which takes several times as long.
    """

    changed = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self._question = NewestQuestion(document, self._take, self._ended)
        self._wanted = False
        self.llvm = False
        self._failed: tuple[int, Config, str] | None = None
        self._recorded_llvm = False
        self.recorded: Passes | None = None
        self.problem = ""
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self._ask)
        document.compiledChanged.connect(self._on_compiled)
        document.launchesChanged.connect(self._forget)

    @property
    def running(self) -> bool:
        """Whether a recording is on its way or about to begin."""
        return self._question.running or self._pause.isActive()

    def want(self, on: bool) -> None:
        """Tell that somebody looks: then the passes are recorded as the config changes."""
        self._wanted = on
        if on and not self.is_current():
            self._ask()

    def set_llvm(self, on: bool) -> None:
        """Record LLVM's own passes as well, or no longer."""
        if on != self.llvm:
            self.llvm = on
            self._failed = None
            self._ask()

    def is_current(self) -> bool:
        """Tell whether the passes are those of the launch, config and target shown now."""
        document, held = self._document, self.recorded
        return (
            held is not None
            and (held.launch, held.config) == (document.launch_index, document.config)
            and held.target == document.target
            and self._recorded_llvm == self.llvm
        )

    def _ask(self) -> None:
        document = self._document
        if not self._wanted or document.launch is None:
            return
        key = (document.launch_index, document.config, document.target)
        if self.is_current() or key == self._failed:
            return
        self._question.ask(
            messages.GetPasses(key[0], key[1], document.work.wire_target(), self.llvm)
        )
        self.changed.emit()

    def _take(self, reply: Reply) -> None:
        if isinstance(reply, messages.Passes):
            self.recorded, self.problem = reply, ""
            asked = self._question.last
            self._recorded_llvm = isinstance(asked, messages.GetPasses) and asked.llvm
            self.changed.emit()

    def _ended(self, findings: tuple[Finding, ...]) -> None:
        if findings:
            document = self._document
            self._failed = (document.launch_index, document.config, document.target)
            self.problem = findings[0].message
        self.changed.emit()

    def _on_compiled(self) -> None:
        if self._wanted:
            self._pause.start()
        self.changed.emit()

    def _forget(self) -> None:
        self.recorded, self.problem, self._failed = None, "", None
        self.changed.emit()
