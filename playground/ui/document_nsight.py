"""What Nsight Compute says of the launch, asked for by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from playground.protocol import messages, timing

if TYPE_CHECKING:
    from playground.model.compiling import CompileReport
    from playground.model.config import Config
    from playground.model.measurement import Measurement
    from playground.model.nsight import NsightReport
    from playground.protocol.messages import Reply
    from playground.ui.document import Document


class DocumentNsight(QObject):
    """Profiles the selected launch; `report` is of `config`, `command` does the same by hand.

    `why` says why there is no report. `measurement` and `compiled` are the app's own figures of
    that config, as they were when it was profiled.
    """

    changed = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self.report: NsightReport | None = None
        self.config: Config | None = None
        self.launch = 0
        self.kernel = ""
        self.command = ""
        self.why = ""
        self.running = False
        self.measurement: Measurement | None = None
        self.compiled: CompileReport | None = None
        self._job = 0
        document.pathChanged.connect(self._forget)
        document.engineStateChanged.connect(self._on_engine)

    def is_current(self) -> bool:
        """Tell whether the report is of the launch and config shown now."""
        document = self._document
        return self.config == document.config and self.launch == document.launch_index

    def profile(self) -> None:
        """Run Nsight Compute on exactly the selected launch under the config shown."""
        document = self._document
        launch = document.launch
        if self.running or launch is None:
            return
        self.running, self.why, self.report = True, "", None
        self.config, self.launch, self.kernel = document.config, launch.index, launch.kernel
        self._job = document.work.ask(
            timing.Profile(launch.index, document.config), "nsight", self._take
        )
        document.progressChanged.emit("profiling with Nsight Compute", None)
        self.changed.emit()

    def cancel(self) -> None:
        """Stop Nsight Compute."""
        if self.running:
            self._document.work.cancel_job(self._job)

    def _take(self, reply: Reply) -> None:
        document = self._document
        if isinstance(reply, timing.Profiled):
            self.report, self.command, self.why = reply.report, reply.command, reply.why
            self.measurement = next(
                (
                    item
                    for item in reversed(document.history)
                    if (item.launch, item.config) == (reply.launch, reply.config)
                    and item.source != "interpreter"
                ),
                None,
            )
            compiled = document.compile_report
            self.compiled = compiled if document.is_current(compiled) else None
        elif isinstance(reply, messages.Finished):
            self.running = False
            if reply.findings:
                self.why = reply.findings[0].message
            elif reply.cancelled:
                self.why = self.why or "profiling was cancelled"
        else:
            return
        self.changed.emit()

    def _on_engine(self, state: str) -> None:
        if self.running and state in ("dead", "restarting"):
            self.running, self.why = False, "the engine ended while the launch was profiled"
        self.changed.emit()

    def _forget(self, _path: str = "") -> None:
        self.report, self.config, self.command, self.why = None, None, "", ""
        self.changed.emit()
