"""What each source line became in the machine's code, kept up with the config while wanted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from playground.protocol import messages
from playground.ui.newest_question import NewestQuestion

if TYPE_CHECKING:
    from playground.model.finding import Finding
    from playground.model.machine_code import LineCode, MachineCode
    from playground.protocol.messages import Reply
    from playground.ui.document import Document


class DocumentCode(QObject):
    """The code of the last compilation that was asked for; `problem` says why there is none.

    Asked for after each compilation as long as somebody looks (`want`); the newest config wins.
    """

    changed = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self._question = NewestQuestion(document, self._take, self._ended)
        self._lookers: set[str] = set()
        self._by_line: dict[int, LineCode] = {}
        self.code: MachineCode | None = None
        self.problem = ""
        document.compiledChanged.connect(self._on_compiled)
        document.launchesChanged.connect(self._forget)
        for moved in (document.configChanged, document.targetChanged, document.launchSelected):
            moved.connect(self._on_move)

    @property
    def running(self) -> bool:
        """Whether newer code is on its way."""
        return self._question.running

    def want(self, who: str, on: bool) -> None:
        """Tell that `who` looks at the code, or no longer does."""
        (self._lookers.add if on else self._lookers.discard)(who)
        self._ask()

    def is_current(self) -> bool:
        """Tell whether the code is of the launch, config and target shown now."""
        code, document = self.code, self._document
        return (
            code is not None
            and (code.launch, code.config) == (document.launch_index, document.config)
            and code.target == document.target
        )

    def is_of_this_file(self) -> bool:
        """Tell whether the kernel is in the file that is open, so that its lines are the text's."""
        launch, document = self._document.launch, self._document
        if launch is None:
            return False
        name = os.path.basename(document.path) or "untitled.py"
        return os.path.basename(launch.file) == name

    def at(self, line: int) -> LineCode | None:
        """Return what a source line became, or None for nothing."""
        return self._by_line.get(line)

    def _ask(self) -> None:
        report = self._document.compile_report
        if not self._lookers or report is None:
            return
        code = self.code
        known = (code.launch, code.config, code.target) if code is not None else None
        if known == (report.launch, report.config, report.target) and not self.running:
            return
        self._question.ask(
            messages.GetCode(report.launch, report.config, self._document.work.wire_target())
        )

    def _take(self, reply: Reply) -> None:
        if isinstance(reply, messages.Code):
            self.code, self.problem = reply.code, ""
            self._by_line = {line.line: line for line in reply.code.lines}
            self.changed.emit()

    def _ended(self, findings: tuple[Finding, ...]) -> None:
        if findings:
            self.problem = findings[0].message
        self.changed.emit()

    def _on_compiled(self) -> None:
        self._ask()
        self.changed.emit()

    def _on_move(self, _what: object = None) -> None:
        self.changed.emit()

    def _forget(self) -> None:
        self.code, self.problem, self._by_line = None, "", {}
        self.changed.emit()
