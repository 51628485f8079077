"""What an expert would say of the launch, asked for by hand, and what was tried of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from playground.model.advice import LineEdit, StaleTryError, edited
from playground.model.knobs import KnobError
from playground.protocol import advice, messages

if TYPE_CHECKING:
    from playground.model.advice import Advisory, Try, TryResult
    from playground.model.config import Config
    from playground.protocol.messages import Reply
    from playground.ui.document import Document

TRY_BUDGET_MS = 400.0


@dataclass(frozen=True)
class Tried:
    """A try that was made, what came of it, and the config from before; `applied` until undone."""

    result: TryResult
    launch: int
    before: Config
    applied: bool


class DocumentAdvice(QObject):
    """Asks for advice on the launch shown; makes tries, and undoes them.

    `advisory` is of the launch and config that it names, or None; `why` says why there is none or
    what went wrong. A try is measured by the engine first and then put in place: knobs are set,
    lines changed, each as one step that can be undone.
    """

    changed = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self.advisory: Advisory | None = None
        self.text = ""
        self.why = ""
        self.running = False
        self.trying: Try | None = None
        self.tried: tuple[Tried, ...] = ()
        self._job = 0
        self._launch_tried = 0
        self._before: Config | None = None
        document.pathChanged.connect(self._forget)
        document.configChanged.connect(self.changed)
        document.launchesChanged.connect(self.changed)
        document.targetChanged.connect(lambda _target: self.changed.emit())
        document.engineStateChanged.connect(self._on_engine)

    # ------------------------------------------------------------------------------ asking

    def is_current(self) -> bool:
        """Tell whether the advice is on the launch, config and text shown now."""
        document, found = self._document, self.advisory
        return (
            found is not None
            and (found.launch, found.config) == (document.launch_index, document.config)
            and self.text == document.work.ran_text
        )

    def possible(self) -> bool:
        """Tell whether there is a launch to give advice on."""
        return self._document.launch is not None

    def ask(self) -> None:
        """Ask for advice on the launch and config shown."""
        document = self._document
        launch = document.launch
        if self.running or self.trying is not None or launch is None:
            return
        self.running, self.why = True, ""
        self.text = document.work.ran_text
        request = advice.GetAdvice(launch.index, document.config, document.work.wire_target())
        self._job = document.work.ask(request, "advice", self._take)
        self.changed.emit()

    def cancel(self) -> None:
        """Stop asking, or trying."""
        if self.running or self.trying is not None:
            self._document.work.cancel_job(self._job)

    def _take(self, reply: Reply) -> None:
        if isinstance(reply, advice.Advised):
            self.advisory = reply.advisory
        elif isinstance(reply, messages.Finished):
            self.running = False
            if reply.findings:
                self.why = reply.findings[0].message
            elif reply.cancelled:
                self.why = "looking for advice was cancelled"
        else:
            return
        self.changed.emit()

    # ------------------------------------------------------------------------------ trying

    def result_of(self, attempt: Try) -> Tried | None:
        """Return the last time that a try was made, None where it was not."""
        return next((item for item in reversed(self.tried) if item.result.attempt == attempt), None)

    def try_it(self, attempt: Try) -> None:
        """Measure a try against what is shown, then put it in place."""
        document, found = self._document, self.advisory
        if self.running or self.trying is not None or found is None:
            return
        self.trying, self.why = attempt, ""
        self._launch_tried, self._before = found.launch, found.config
        request = advice.TryAdvice(
            found.launch, found.config, attempt, document.cache, TRY_BUDGET_MS
        )
        self._job = document.work.ask(request, "try", self._take_try)
        self.changed.emit()

    def _take_try(self, reply: Reply) -> None:
        if isinstance(reply, advice.TriedAdvice):
            self._finish(reply.result)
        elif isinstance(reply, messages.Finished):
            self.trying = None
            if reply.findings:
                self.why = reply.findings[0].message
            elif reply.cancelled:
                self.why = "the try was cancelled"
        else:
            return
        self.changed.emit()

    def _finish(self, result: TryResult) -> None:
        before = self._before
        if before is None:
            return
        applied = result.status in ("measured", "not measured") and self._apply(result.attempt)
        self.tried = (*self.tried, Tried(result, self._launch_tried, before, applied))

    def _apply(self, attempt: Try) -> bool:
        """Set a try's knobs, or change its lines and run; say why where that cannot be."""
        document = self._document
        try:
            if attempt.values and document.launch_index == self._launch_tried:
                document.apply_config(attempt.config(document.config))
            if attempt.edits:
                document.replace_text(attempt.text(document.text))
                document.run()
        except (KnobError, StaleTryError) as error:
            self.why = str(error)
            return False
        return True

    def undo(self, made: Tried) -> None:
        """Take a try back: its knobs to where they were, its lines to what they were."""
        document = self._document
        attempt = made.result.attempt
        back = tuple(
            LineEdit(edit.line + shift, edit.after, edit.before)
            for edit, shift in _shifts(attempt.edits)
        )
        try:
            if attempt.values and document.launch_index == made.launch:
                document.apply_config(
                    made.before.updated(
                        {
                            name: value
                            for name, value in document.config.values
                            if name not in dict(attempt.values)
                        }
                    )
                )
            if back:
                document.replace_text(edited(document.text, back))
                document.run()
        except (KnobError, StaleTryError) as error:
            self.why = f"not undone: {error}"
        else:
            self.why = ""
            self.tried = tuple(
                item if item is not made else Tried(made.result, made.launch, made.before, False)
                for item in self.tried
            )
        self.changed.emit()

    # ------------------------------------------------------------------------------ following

    def _on_engine(self, state: str) -> None:
        if state in ("dead", "restarting") and (self.running or self.trying is not None):
            self.running, self.trying = False, None
            self.why = "the engine ended meanwhile"
        self.changed.emit()

    def _forget(self, _path: str = "") -> None:
        self.advisory, self.why, self.tried = None, "", ()
        self.changed.emit()


def _shifts(edits: tuple[LineEdit, ...]) -> list[tuple[LineEdit, int]]:
    """Return edits with how far earlier ones moved their lines."""
    found, shift = [], 0
    for edit in sorted(edits, key=lambda item: item.line):
        found.append((edit, shift))
        shift += len(edit.after) - len(edit.before)
    return found
