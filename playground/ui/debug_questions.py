"""Single questions about a launch's values: one program alone, prints, NaN, elements compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from playground.protocol import messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.model.finding import Finding
    from playground.protocol.messages import Reply, Request
    from playground.ui.document import Document


class DebugQuestions(QObject):
    """Asks them of the engine, one at a time, for `program` where they are about one.

    `looked` tells of answers: `alone`, `prints`, `hunted`, `differed`, or why there is none.
    """

    looked = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self.program = 0
        self.alone: messages.RanAlone | None = None
        self.prints: messages.PrintsOf | None = None
        self.hunted: messages.Hunted | None = None
        self.differed: messages.Differed | None = None
        self.asking = ""
        self.failure = ""
        self._question = 0

    def run_alone(self, mode: messages.DebugMode) -> None:
        """Run the program and no other."""
        launch = self._document.launch
        if launch is not None:
            self._ask(
                messages.RunAlone(launch.index, self._document.config, self.program, mode), "alone"
            )

    def ask_prints(self, mode: messages.DebugMode, *, whole: bool) -> None:
        """Ask what the launch prints, or the program alone."""
        launch = self._document.launch
        if launch is not None:
            program = None if whole else self.program
            self._ask(
                messages.GetPrints(launch.index, self._document.config, mode, program), "prints"
            )

    def hunt(self, *, whole: bool = True) -> None:
        """Ask where NaN and infinities come about."""
        launch = self._document.launch
        if launch is not None:
            program = None if whole else self.program
            self._ask(messages.HuntNonFinite(launch.index, self._document.config, program), "hunt")

    def compare(self, against: messages.Against) -> None:
        """Compare the launch's result element by element."""
        launch = self._document.launch
        if launch is not None:
            self._ask(
                messages.CompareElements(launch.index, self._document.config, against), "compare"
            )

    def cancel(self) -> None:
        """Stop the question at work."""
        if self.asking:
            self._document.work.cancel_job(self._question)

    def _ask(self, request: Request, kind: str) -> None:
        if self.asking:
            return
        self.asking, self.failure = kind, ""
        take: Callable[[Reply], None] = self._take_answer
        self._question = self._document.work.ask(request, "debugging", take)
        self.looked.emit()

    def _take_answer(self, reply: Reply) -> None:
        found: tuple[Finding, ...] | None = None
        if isinstance(reply, messages.RanAlone):
            self.alone, found = reply, reply.findings
        elif isinstance(reply, messages.PrintsOf):
            self.prints, found = reply, reply.findings
        elif isinstance(reply, messages.Hunted):
            self.hunted, found = reply, reply.findings
        elif isinstance(reply, messages.Differed):
            self.differed, found = reply, reply.findings
        elif isinstance(reply, messages.Finished):
            self.asking = ""
            if reply.findings:
                self.failure = reply.findings[0].message
            elif reply.cancelled:
                self.failure = "cancelled"
        if found is not None:
            self._document.set_findings("debugging", found)
        self.looked.emit()

    def forget_answers(self) -> None:
        """Forget what was said of another launch or config."""
        self.alone = self.prints = self.hunted = self.differed = None
        self.failure = ""
        self._document.set_findings("debugging", ())
        self.looked.emit()
