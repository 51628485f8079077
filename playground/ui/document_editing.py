"""What is known of the text while it is being edited, before it runs: names, and compile errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from playground.model.matching import line_map
from playground.protocol import messages
from playground.ui.document_driver import OUTLINE_DELAY_MS
from playground.ui.finding_store import placed

if TYPE_CHECKING:
    from playground.model.config import Config
    from playground.model.finding import Finding
    from playground.protocol.messages import Reply
    from playground.ui.document import Document

PAUSE_MS = 600
"""How long nothing was typed before the last launch is compiled from the text as it stands."""

LONG_TEXT_LINES = 1500
LONG_TEXT_DELAY_MS = 1000
"""Reading names takes 15 to 30 µs a line: longer texts wait until nothing was typed for so long."""

Asked = tuple[str, int, "Config", str]
"""A text, and the launch, config and target to compile it for."""


class DocumentEditing(QObject):
    """Follows the text: names are read with the outline, the last launch is compiled in a pause.

    Both are of the newest text only. Nothing of a file is executed here that was not run before:
    without a launch nothing is compiled. Whatever the user waits for comes first.
    """

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self._job: int | None = None
        self._asked: Asked | None = None
        self._judged: Asked | None = None
        self._judged_text = ""
        self._verdict: tuple[Finding, ...] = ()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._compile)
        self._names_timer = QTimer(self)
        self._names_timer.setSingleShot(True)
        self._names_timer.setInterval(LONG_TEXT_DELAY_MS)
        self._names_timer.timeout.connect(self._read_names)
        self._told = document.findings
        document.findingsChanged.connect(self._note_told)
        document.outlineChanged.connect(self._on_text)
        document.pathChanged.connect(self.forget)
        document.launchesChanged.connect(self.forget)
        document.configChanged.connect(self._wait)
        document.targetChanged.connect(self._wait)

    def start(self) -> None:
        """Look at the text for the first time."""
        if self._document.text:
            self._on_text()

    def close(self) -> None:
        """Stop looking at the text."""
        self._timer.stop()
        self._names_timer.stop()
        self._cancel()

    def forget(self, _path: str = "") -> None:
        """Take what compiling found away: a real run is under way or has told the truth."""
        self._timer.stop()
        self._cancel()
        now = self._now()
        # The text may have been edited while it ran.
        self._judged = None if now is None else (self._document.work.ran_text, *now[1:])
        self._verdict = ()
        self._document.set_findings("edited", ())
        self._wait()

    # ------------------------------------------------------------------------------- names

    def _on_text(self) -> None:
        document = self._document
        # Not in a thread: Python 3.11 cannot make two syntax trees at a time (cpython #106905).
        if document.text.count("\n") > LONG_TEXT_LINES:
            self._names_timer.start()
        else:
            self._read_names()
        self._place_verdict()
        self._wait()
        if document.findings != self._told:
            document.findingsChanged.emit()  # what the run said stands on other lines now

    def _note_told(self) -> None:
        self._told = self._document.findings

    def _read_names(self) -> None:
        from playground.ui.editor.live_findings import live_findings

        document = self._document
        self._names_timer.stop()
        document.set_findings("names", live_findings(document.text, document.path or "untitled.py"))

    # ------------------------------------------------------------------------------ compile

    def _now(self) -> Asked | None:
        """Return what would be compiled now, None while there is nothing to compile."""
        document = self._document
        if document.launch is None or not document.work.ran_text:
            return None
        return document.text, document.launch_index, document.config, document.target

    def _wait(self, _what: object = None) -> None:
        now = self._now()
        if now is None or now == self._judged:
            self._timer.stop()
            self._cancel()
            return
        if self._judged is not None and now[0] == self._judged[0] == self._document.work.ran_text:
            # Only a knob moved: the replay of what ran compiles that itself.
            self._judged = now
            return
        self._timer.start(PAUSE_MS - OUTLINE_DELAY_MS)

    def _compile(self) -> None:
        document, now = self._document, self._now()
        if now is None or now == self._judged or not document.work.shown:
            return
        if any(finding.severity == "error" for finding in document.outline.findings):
            return  # no Python: with the next key the outline is read again, and this starts anew
        if document.work.user_waits() or document.engine.state != "ready":
            self._timer.start(PAUSE_MS)
            return
        if self._job is not None:
            if now == self._asked:
                return
            self._cancel()
        self._asked = now
        text, launch, config, _ = now
        request = messages.CompileEdited(launch, config, document.work.wire_target(), text)
        self._job = document.work.ask(request, "edited", lambda reply: self._take(now, reply))

    def _cancel(self) -> None:
        job, self._job, self._asked = self._job, None, None
        if job is not None:
            self._document.work.cancel_job(job)

    def _take(self, asked: Asked, reply: Reply) -> None:
        if asked != self._asked:
            return  # a newer text was asked for since
        if isinstance(reply, messages.Edited):
            if asked != self._now():
                return
            self._judged, self._judged_text, self._verdict = asked, reply.text, reply.findings
            if reply.report is not None or reply.findings:
                # What the compiler made of the text that ran is no longer of interest.
                self._document.set_findings("compile", ())
            self._document.set_findings("edited", reply.findings)
        elif isinstance(reply, messages.Finished):
            self._job = None
            if reply.findings:
                self._judged = asked
                self._document.set_findings("edited", reply.findings)
            else:
                self._wait()  # something else came first, or the text is another one by now

    def _place_verdict(self) -> None:
        """Move what compiling found to the lines that it is about in the text as it stands."""
        if self._verdict and self._document.text != self._judged_text:
            where = line_map(self._judged_text, self._document.text)
            kept = placed(self._verdict, where, self._document.path)
            self._document.set_findings("edited", kept)
