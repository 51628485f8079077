"""Having an exported file prove itself: `python FILE --check` in a process of its own."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QProcess, Signal

from playground.model.finding import Finding

if TYPE_CHECKING:
    from playground.ui.document import Document
    from playground.ui.window import MainWindow

_TOLD_LINES = 30


class ExportCheck(QObject):
    """Offers the check of each file that is exported, and tells what came of it.

    `path` is the file exported last. `checked` carries a path and whether it proved itself.
    """

    offered = Signal(str)
    checked = Signal(str, bool)

    def __init__(self, window: MainWindow, document: Document) -> None:
        super().__init__(window)
        self._window, self._document = window, document
        self.path = ""
        self._process: QProcess | None = None
        window.closed.connect(self.stop)

    @property
    def running(self) -> bool:
        """Whether a file is being checked."""
        return self._process is not None

    def offer(self, path: str) -> None:
        """Ask above the text whether the file just written is to be checked."""
        self.path = path
        name = os.path.basename(path)
        self._window.area.notices.ask(
            "exported",
            f"{name} is written. It proves itself with `python {name} --check`.",
            (
                ("check", "Check it", self.check),
                ("open", "Open it", lambda: self._open(path)),
                ("no", "Not now", lambda: None),
            ),
        )
        self._window.refresh_actions()
        self.offered.emit(path)

    def check(self) -> None:
        """Run the file exported last with `--check`; what it says becomes a finding."""
        if not self.path or self.running:
            return
        name = os.path.basename(self.path)
        self._process = process = QProcess(self)
        process.setWorkingDirectory(os.path.dirname(self.path))
        process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
        process.finished.connect(self._on_finished)
        process.errorOccurred.connect(self._on_error)
        self._window.area.notices.ask(
            "exported", f"{name} runs its own check …", (("stop", "Stop", self.stop),)
        )
        process.start(sys.executable, [self.path, "--check"])

    def stop(self) -> None:
        """End a check at work; nothing is said of it."""
        process, self._process = self._process, None
        if process is not None:
            process.finished.disconnect(self._on_finished)
            process.errorOccurred.disconnect(self._on_error)
            process.kill()
            process.waitForFinished(2000)
            process.deleteLater()
        self._window.area.notices.take_back("exported")

    def _open(self, path: str) -> None:
        self._window.files.open_path(path)

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart and self._process is not None:
            self._tell(False, self._process.errorString())

    def _on_finished(self, status: int, how: QProcess.ExitStatus) -> None:
        process = self._process
        if process is None:
            return
        said = bytes(process.readAll().data()).decode(errors="replace").strip()
        if how == QProcess.ExitStatus.CrashExit:
            said = f"{said}\nits process crashed".strip()
        self._tell(status == 0 and how == QProcess.ExitStatus.NormalExit, said)

    def _tell(self, proved: bool, said: str) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.deleteLater()
        lines = said.splitlines()
        last, name = (lines[-1] if lines else "it said nothing"), os.path.basename(self.path)
        if proved:
            found = Finding(
                "info", "export", f"{name} proved itself with --check: {last}",
                f"it is {self.path}, and runs alone", file=self.path,
            )  # fmt: skip
        else:
            found = Finding(
                "error", "export", f"{name} did not pass its --check: {last}",
                f"run it in a terminal to see all of it: python {self.path} --check",
                file=self.path, detail="\n".join(lines[-_TOLD_LINES:]),
            )  # fmt: skip
        self._document.set_findings("export", (found,))
        self._window.area.notices.take_back("exported")
        self.checked.emit(self.path, proved)
