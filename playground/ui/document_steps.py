"""The accesses of the current program one by one, in the order in which it makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from playground.protocol import messages
from playground.ui.newest_question import NewestQuestion

if TYPE_CHECKING:
    from playground.model.access_site import AccessSite
    from playground.model.finding import Finding
    from playground.protocol.messages import ProgramSteps, Reply
    from playground.ui.document import Document
    from playground.ui.document_programs import DocumentPrograms


class DocumentSteps(QObject):
    """Steps through one program while somebody looks; `at` is the step shown, -1 for all of them.

    `reply` belongs to the current program of the coverage shown, or is None; `why` tells why.
    """

    changed = Signal()
    moved = Signal()

    def __init__(self, document: Document, programs: DocumentPrograms) -> None:
        super().__init__(document)
        self._document, self._programs = document, programs
        self.reply: ProgramSteps | None = None
        self.at = -1
        self.why = ""
        self._wanted: set[str] = set()
        self._question = NewestQuestion(document, self._take, self._ended)
        programs.chosenChanged.connect(self._follow)
        document.coveredChanged.connect(self._forget)

    @property
    def count(self) -> int:
        """How many steps there are; 0 while they are not known."""
        return len(self.reply.sites) if self.reply is not None else 0

    @property
    def running(self) -> bool:
        """Whether they are being recorded."""
        return self._question.running

    def want(self, who: str, wanted: bool) -> None:
        """Tell that `who` looks at steps, or no longer; without anybody all of them are shown."""
        if wanted == (who in self._wanted):
            return
        (self._wanted.add if wanted else self._wanted.discard)(who)
        if not self._wanted:
            self.go(-1)
        self._follow()

    def go(self, step: int) -> None:
        """Show a step, or with -1 all of them."""
        step = min(max(step, -1), self.count - 1)
        if step != self.at:
            self.at = step
            self.moved.emit()

    def site(self) -> AccessSite | None:
        """Return the place in the source of the step shown."""
        coverage = self._document.coverage
        if self.reply is None or self.at < 0 or coverage is None:
            return None
        site = int(self.reply.sites[self.at])
        return coverage.sites[site] if 0 <= site < len(coverage.sites) else None

    def tensor(self) -> str:
        """Return the tensor of the step shown, empty for none."""
        coverage = self._document.coverage
        if self.reply is None or self.at < 0 or coverage is None:
            return ""
        tensor = int(self.reply.tensors[self.at])
        return coverage.tensors[tensor].name if 0 <= tensor < len(coverage.tensors) else ""

    def elements(self) -> np.ndarray | None:
        """Return the elements of the step shown, by their places in the tensor; None for all."""
        if self.reply is None or self.at < 0:
            return None
        first, last = self.reply.offsets[self.at], self.reply.offsets[self.at + 1]
        return self.reply.elements[first:last]

    def of_tensor(self, name: str) -> np.ndarray:
        """Return all elements of a tensor that the program touches, step after step."""
        coverage, reply = self._document.coverage, self.reply
        parts = [np.empty(0, np.int64)]
        if reply is not None and coverage is not None:
            names = [tensor.name for tensor in coverage.tensors]
            steps = np.flatnonzero(reply.tensors == names.index(name)) if name in names else ()
            parts += [reply.elements[reply.offsets[i] : reply.offsets[i + 1]] for i in steps]
        return np.concatenate(parts)

    # ------------------------------------------------------------------------------ asking

    def _follow(self) -> None:
        coverage, program = self._document.coverage, self._programs.current
        mine = (
            self.reply is not None and coverage is not None
            and (self.reply.launch, self.reply.config, self.reply.program)
            == (coverage.launch, coverage.config, program)
        )  # fmt: skip
        if mine:
            return
        if self.reply is not None:
            self.reply = None
            self.at = -1
            self.changed.emit()
            self.moved.emit()
        if not self._wanted or coverage is None or program is None:
            return
        self.why = ""
        self._question.ask(messages.GetSteps(coverage.launch, coverage.config, program))
        self.changed.emit()

    def _take(self, reply: Reply) -> None:
        if isinstance(reply, messages.ProgramSteps) and reply.program == self._programs.current:
            self.reply, self.why = reply, ""
            self.at = -1
            self.changed.emit()
            self.moved.emit()

    def _ended(self, findings: tuple[Finding, ...]) -> None:
        if findings:
            self.why = findings[0].message
        self.changed.emit()

    def _forget(self) -> None:
        self.reply = None
        self.at = -1
        self.why = ""
        self.changed.emit()
        self.moved.emit()
        self._follow()
