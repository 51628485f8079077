"""The texts of the compiler's stages, fetched while one is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from playground.model.config import Config
from playground.model.targets import TargetError, parse_target
from playground.protocol import messages
from playground.ui.newest_question import NewestQuestion

if TYPE_CHECKING:
    from playground.model.finding import Finding
    from playground.protocol.messages import Ir, Reply
    from playground.ui.document import Document

Key = tuple[int, Config, str]
"""A compilation: launch, config and target."""

STAGES = ("ttir", "ttgir", "llir", "ptx", "sass")
AMD_STAGES = ("ttir", "ttgir", "llir", "amdgcn")


def stages_of(target: str) -> tuple[str, ...]:
    """Return the stages a target is compiled through, whether or not they are reached."""
    try:
        return AMD_STAGES if parse_target(target).backend == "hip" else STAGES
    except TargetError:
        return STAGES


class DocumentStages(QObject):
    """Holds the newest text of each stage; `problems` says which of them were not reached, and why.

    A config that does not compile has texts up to the stage it reached.
    """

    changed = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self._question = NewestQuestion(document, self._take, self._ended)
        self._looked_at = ""
        self._texts: dict[str, tuple[Key, Ir]] = {}
        self.problems: dict[str, str] = {}
        document.compiledChanged.connect(self._on_compiled)
        document.launchesChanged.connect(self._forget)

    def stages(self) -> tuple[str, ...]:
        """Return the stages of the last compilation; one that failed has those it reached first."""
        document = self._document
        if document.compile_report is not None:
            return document.compile_report.stages
        all_of_them = stages_of(document.target)
        reached = document.stages_reached
        return (*reached, *(stage for stage in all_of_them if stage not in reached))

    def look_at(self, stage: str) -> None:
        """Tell which stage is looked at; an empty name means none is."""
        self._looked_at = stage
        self._ask()

    def text(self, stage: str) -> Ir | None:
        """Return the newest text of a stage, of the last compilation or an older one."""
        held = self._texts.get(stage)
        return held[1] if held is not None else None

    def is_current(self, stage: str) -> bool:
        """Tell whether a stage's text is of the last compilation."""
        held = self._texts.get(stage)
        return held is not None and held[0] == self._key()

    def _key(self) -> Key | None:
        document = self._document
        # The text is of the config compiled, which while a knob moves is not the one shown.
        if (report := document.compile_report) is not None:
            return report.launch, report.config, report.target
        if document.launch is not None and document.failed_to_compile:
            return document.launch_index, document.config, document.target
        return None

    def _ask(self) -> None:
        key, stage = self._key(), self._looked_at
        document = self._document
        if document.failed_to_compile and stage and stage not in document.stages_reached:
            came = f" It came through {', '.join(document.stages_reached)}."
            self.problems[stage] = "Compiling ended before it; the findings say why." + (
                came if document.stages_reached else ""
            )
        if key is None or not stage or self.is_current(stage) or stage in self.problems:
            return
        target = self._document.work.wire_target()
        self._question.ask(messages.GetIr(key[0], key[1], stage, target))

    def _key_asked(self) -> Key | None:
        """Return what the last question was about, which may be an older compilation."""
        asked, device = self._question.last, self._document.device
        if not isinstance(asked, messages.GetIr) or device is None:
            return None
        return asked.launch, asked.config, asked.target or device.target

    def _take(self, reply: Reply) -> None:
        key = self._key_asked()
        if isinstance(reply, messages.Ir) and key is not None:
            self._texts[reply.stage] = (key, reply)
            self.changed.emit()

    def _ended(self, findings: tuple[Finding, ...]) -> None:
        asked = self._question.last
        if findings and isinstance(asked, messages.GetIr) and self._key_asked() == self._key():
            first = findings[0]
            self.problems[asked.stage] = " ".join(filter(None, (first.message, first.hint)))
        self.changed.emit()

    def _on_compiled(self) -> None:
        self.problems = {}
        self._ask()
        self.changed.emit()

    def _forget(self) -> None:
        self._texts, self.problems = {}, {}
        self.changed.emit()
