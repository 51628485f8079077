"""One config on many targets at once: which were chosen, and what came of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from playground.model.targets import known_targets
from playground.protocol import messages
from playground.ui.newest_question import NewestQuestion

if TYPE_CHECKING:
    from collections.abc import Iterable

    from playground.model.compilations import Fit
    from playground.model.config import Config
    from playground.model.finding import Finding
    from playground.protocol.messages import Reply
    from playground.ui.document import Document


class DocumentFits(QObject):
    """Compiles the config shown for the targets chosen; `fits` fills as each is through."""

    changed = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self._question = NewestQuestion(document, self._take, self._ended, kind="fits")
        self._off: set[str] = set()
        self._pending: tuple[str, ...] = ()
        self.fits: dict[str, Fit] = {}
        self.config: Config | None = None
        self.launch = 0
        self.done = (0, 0)
        self.problem = ""
        document.launchesChanged.connect(self._forget)
        for changed in (
            document.configChanged, document.deviceChanged, document.launchSelected,
            document.targetChanged,
        ):  # fmt: skip
            changed.connect(self._on_move)

    @property
    def running(self) -> bool:
        """Whether targets are still at work."""
        return self._question.running

    def targets(self) -> tuple[str, ...]:
        """Return every target there is: those of the engine's triton, else of the table."""
        document = self._document
        names = document.targets or known_targets()
        here = (document.target,) if document.target and document.target not in names else ()
        return (*here, *names)

    def chosen(self) -> tuple[str, ...]:
        """Return the targets that will be compiled for."""
        return tuple(name for name in self.targets() if name not in self._off)

    def choose(self, targets: Iterable[str], on: bool) -> None:
        """Take targets in, or leave them out."""
        self._off = self._off - set(targets) if on else self._off | set(targets)
        self.changed.emit()

    def is_pending(self, target: str) -> bool:
        """Tell whether a target is still being compiled for."""
        return self.running and target in self._pending and target not in self.fits

    def is_current(self) -> bool:
        """Tell whether what is shown is of the launch and config shown now."""
        document = self._document
        return self.config == document.config and self.launch == document.launch_index

    def compile(self) -> None:
        """Compile the config shown for every target chosen."""
        document, chosen = self._document, self.chosen()
        if document.launch is None or not chosen or self.running:
            return
        self.fits, self.problem, self.done = {}, "", (0, len(chosen))
        self.config, self.launch = document.config, document.launch_index
        self._pending = chosen
        self._question.ask(messages.CompileAll(self.launch, self.config, chosen))
        document.progressChanged.emit(f"compiling for {len(chosen)} targets", 0.0)
        self.changed.emit()

    def cancel(self) -> None:
        """Stop; what is through stays."""
        self._question.cancel()

    def _take(self, reply: Reply) -> None:
        if isinstance(reply, messages.Fitted):
            self.fits[reply.fit.target] = reply.fit
            self.done = (reply.done, reply.total)
            self._document.progressChanged.emit(
                f"compiled for {reply.done} of {reply.total} targets",
                reply.done / max(reply.total, 1),
            )
        elif isinstance(reply, messages.FittedAll):
            self.fits = {fit.target: fit for fit in reply.fits}
        self.changed.emit()

    def _ended(self, findings: tuple[Finding, ...]) -> None:
        self.problem = findings[0].message if findings else ""
        self.changed.emit()

    def _on_move(self, _what: object = None) -> None:
        self.changed.emit()

    def _forget(self) -> None:
        self.fits, self.config, self.problem, self.done = {}, None, "", (0, 0)
        self.changed.emit()
