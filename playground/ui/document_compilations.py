"""Two compilations of the selected launch side by side: which two, and what moved."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, QTimer, Signal

from playground.model.compilations import Variant
from playground.model.knobs import KnobError
from playground.model.sweep_values import parse_values
from playground.protocol import messages
from playground.ui.newest_question import NewestQuestion

if TYPE_CHECKING:
    from playground.model.config import Config
    from playground.model.finding import Finding
    from playground.model.launch import Launch
    from playground.protocol.messages import ComparedCompilations, Reply, StageDiff
    from playground.ui.document import Document

What = Literal["current", "captured", "baseline", "before", "typed"]
PAUSE_MS = 200
"""How long the choices must rest before they are compiled."""


@dataclass(frozen=True)
class Side:
    """One side's choice; `target` empty means the target shown, `typed` holds `NAME=VALUE …`."""

    what: What
    target: str = ""
    typed: str = ""


class DocumentCompilations(QObject):
    """Follows both choices while somebody looks; `compared` and the diffs belong together.

    `problem` says why there is nothing to show, of the choice or of compiling.
    """

    changed = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self._question = NewestQuestion(document, self._take, self._ended)
        self._stages = NewestQuestion(document, self._take_stage, self._stage_ended)
        self._wanted = False
        self.left = Side("captured")
        self.right = Side("current")
        self.compared: ComparedCompilations | None = None
        self.diffs: dict[str, StageDiff] = {}
        self.problem = ""
        self.stage_problem = ""
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self._ask)
        for changed in (
            document.compiledChanged, document.baselineChanged, document.targetChanged,
            document.launchSelected,
        ):  # fmt: skip
            changed.connect(self._on_change)
        document.launchesChanged.connect(self._forget)

    @property
    def running(self) -> bool:
        """Whether a comparison is on its way or about to begin."""
        return self._question.running or self._pause.isActive()

    @property
    def fetching(self) -> bool:
        """Whether a stage's texts are on their way."""
        return self._stages.running

    def want(self, on: bool) -> None:
        """Tell that somebody looks: then the two are compiled as the choices change."""
        self._wanted = on
        if on:
            self._ask()

    def choose(self, side: Literal["left", "right"], choice: Side) -> None:
        """Compare with another one on a side."""
        if getattr(self, side) != choice:
            setattr(self, side, choice)
            self._on_change()

    def swap(self) -> None:
        """Put left to the right and right to the left."""
        self.left, self.right = self.right, self.left
        self._on_change()

    def variant(self, side: Side) -> Variant:
        """Return what a choice means now.

        Raises
        ------
        KnobError
            There is nothing of the kind; the message says what would do.
        """
        document = self._document
        launch = document.launch
        if launch is None:
            raise KnobError("there is no launch yet: press F5 to run the file")
        target = side.target or document.target
        if side.what == "captured":
            return Variant(launch.config, target)
        if side.what == "baseline":
            if document.baseline is None or document.baseline.launch != launch.index:
                raise KnobError("no baseline is pinned: pin one with Ctrl+B")
            return Variant(document.baseline.config, target)
        if side.what == "typed":
            return Variant(typed_config(side.typed, launch, document.config), target)
        return Variant(document.config, target, before_edit=side.what == "before")

    def request_stage(self, stage: str) -> None:
        """Ask for one stage's texts of what is compared."""
        compared = self.compared
        if compared is not None and stage not in self.diffs:
            self.stage_problem = ""
            self._stages.ask(
                messages.GetStageDiff(
                    self._document.launch_index, compared.left, compared.right, stage
                )
            )

    def _ask(self) -> None:
        if not self._wanted:
            return
        try:
            left, right = self.variant(self.left), self.variant(self.right)
        except KnobError as error:
            self._lose(str(error))
            return
        if left == right:
            self._lose("Both sides are the same: choose another config or target on one of them.")
            return
        held = self.compared
        if held is not None and (held.left, held.right) == (left, right) and not self.running:
            return
        self.problem = ""
        self._question.ask(messages.CompareCompilations(self._document.launch_index, left, right))
        self.changed.emit()

    def _lose(self, problem: str) -> None:
        self.compared, self.diffs, self.problem = None, {}, problem
        self.changed.emit()

    def _take(self, reply: Reply) -> None:
        if isinstance(reply, messages.ComparedCompilations):
            self.compared, self.diffs, self.problem = reply, {}, ""
            self.changed.emit()

    def _ended(self, findings: tuple[Finding, ...]) -> None:
        if findings:
            self._lose(" ".join(filter(None, (findings[0].message, findings[0].hint))))
        else:
            self.changed.emit()

    def _take_stage(self, reply: Reply) -> None:
        if isinstance(reply, messages.StageDiff):
            self.diffs[reply.stage] = reply
            self.changed.emit()

    def _stage_ended(self, findings: tuple[Finding, ...]) -> None:
        self.stage_problem = findings[0].message if findings else ""
        self.changed.emit()

    def _on_change(self, _what: object = None) -> None:
        if self._wanted:
            self._pause.start()
        self.changed.emit()

    def _forget(self) -> None:
        self.compared, self.diffs, self.problem, self.stage_problem = None, {}, "", ""
        self._on_change()


def typed_config(text: str, launch: Launch, around: Config) -> Config:
    """Return `around` with the values of `BLOCK_M=64, num_warps=8`.

    Raises
    ------
    KnobError
        A part is not `NAME=VALUE`, or not of a knob of this launch and a value it can take.
    """
    values = {}
    for part in re.split(r"[\s,]+", re.sub(r"\s*=\s*", "=", text.strip())):
        name, equals, value = part.partition("=")
        if not equals or not name:
            raise KnobError("type NAME=VALUE, several with blanks between (num_warps=8 BLOCK_M=64)")
        knob = next((knob for knob in launch.knobs if knob.name == name), None)
        if knob is None or name not in around:
            names = ", ".join(name for name in around)
            raise KnobError(f"{name} is no knob of this launch; its knobs are {names}")
        values[name] = parse_values(knob, value)[0]
    return around.updated(values)
