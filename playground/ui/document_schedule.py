"""Where and when the programs of the launch ran, measured on the GPU; and what its L2 would do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from playground.protocol import messages
from playground.ui.newest_question import NewestQuestion

if TYPE_CHECKING:
    from playground.model.config import Config
    from playground.model.finding import Finding
    from playground.model.schedule import CacheReuse
    from playground.protocol.messages import Reply, Scheduled
    from playground.ui.document import Document


@dataclass(frozen=True, eq=False)
class Turns:
    """What follows from a schedule for each program, all by its linear id.

    `rank` is its place in the order of starts, `started` the programs in that order, `wave` how
    many rounds of programs its multiprocessor had run before it, from 0.
    """

    rank: np.ndarray
    started: np.ndarray
    wave: np.ndarray


def turns(reply: Scheduled) -> Turns:
    """Return the order of starts and the waves of a schedule."""
    started = np.argsort(reply.start_ns, kind="stable")
    rank = np.empty(len(started), np.int64)
    rank[started] = np.arange(len(started))
    # Within each multiprocessor, by start: the first `resident` of them are its first wave.
    order = np.lexsort((rank, reply.multiprocessor))
    owners = reply.multiprocessor[order]
    first = np.searchsorted(owners, owners)
    wave = np.empty(len(started), np.int64)
    wave[order] = (np.arange(len(order)) - first) // max(reply.figures.resident, 1)
    return Turns(rank, started, wave)


class DocumentSchedule(QObject):
    """Asks for the schedule and for the cache's reuse while somebody looks; keeps the newest.

    `reply` belongs to the coverage's launch and config, or is None; `why` says why there is none.
    `reuse` is the estimate, `pinned_reuse` an earlier one to compare it with.
    """

    changed = Signal()
    reuseChanged = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self.reply: Scheduled | None = None
        self.turns: Turns | None = None
        self.why = ""
        self.reuse: CacheReuse | None = None
        self.pinned_reuse: CacheReuse | None = None
        self.reuse_why = ""
        self._wanted: set[str] = set()
        self._reuse_wanted: set[str] = set()
        self._tried: tuple[int, Config] | None = None
        self._reuse_tried: tuple[int, Config, str | None] | None = None
        self._question = NewestQuestion(document, self._take, self._ended)
        self._reuse_question = NewestQuestion(document, self._take_reuse, self._reuse_ended)
        document.coveredChanged.connect(self._on_covered)
        document.deviceChanged.connect(self._on_covered)
        document.targetChanged.connect(self._ask_reuse)

    @property
    def rank(self) -> np.ndarray | None:
        """The place of each program in the order of starts, None without a schedule."""
        return self.turns.rank if self.turns is not None else None

    @property
    def started(self) -> np.ndarray | None:
        """The programs in the order in which they started, None without a schedule."""
        return self.turns.started if self.turns is not None else None

    @property
    def running(self) -> bool:
        """Whether the schedule is being recorded."""
        return self._question.running

    @property
    def reuse_running(self) -> bool:
        """Whether the reuse is being estimated."""
        return self._reuse_question.running

    def possible(self) -> bool:
        """Tell whether the engine has a GPU whose multiprocessors run programs."""
        device = self._document.device
        return device is not None and device.mode == "gpu"

    def missing(self) -> str:
        """Return why there is no schedule, empty where there is one."""
        if self.reply is not None:
            return ""
        if not self.possible():
            return "needs a GPU: without one programs run one after another in the interpreter"
        return self.why or "records where and when every program runs"

    def want(self, who: str, wanted: bool) -> None:
        """Tell that `who` shows the schedule, or no longer does; recorded while anybody looks."""
        (self._wanted.add if wanted else self._wanted.discard)(who)
        self._ask()

    def want_reuse(self, who: str, wanted: bool) -> None:
        """Tell that `who` shows the reuse, or no longer does."""
        (self._reuse_wanted.add if wanted else self._reuse_wanted.discard)(who)
        self._ask_reuse()

    def again(self) -> None:
        """Record the schedule anew: each launch is another one."""
        self._tried = None
        self._ask()

    def pin_reuse(self) -> None:
        """Keep the estimate shown to compare later ones with it; a second time lets go of it."""
        self.pinned_reuse = None if self.pinned_reuse is not None else self.reuse
        self.reuseChanged.emit()

    # ------------------------------------------------------------------------------ asking

    def _ask(self) -> None:
        coverage = self._document.coverage
        if coverage is None or not self._wanted or not self.possible():
            return
        key = (coverage.launch, coverage.config)
        if self._tried == key:
            return
        self._tried = key
        self._question.ask(messages.GetSchedule(*key))
        self.changed.emit()

    def _take(self, reply: Reply) -> None:
        coverage = self._document.coverage
        if not isinstance(reply, messages.Scheduled) or coverage is None:
            return
        figures = reply.figures
        if (figures.launch, figures.config) == (coverage.launch, coverage.config):
            self.reply, self.turns, self.why = reply, turns(reply), ""
            self.changed.emit()

    def _ended(self, findings: tuple[Finding, ...]) -> None:
        if self.reply is None:
            self.why = findings[0].message if findings else "recording the schedule was cancelled"
        self.changed.emit()

    def _ask_reuse(self, _target: str = "") -> None:
        coverage = self._document.coverage
        if coverage is None or not self._reuse_wanted:
            return
        key = (coverage.launch, coverage.config, self._document.work.wire_target())
        if self._reuse_tried == key:
            return
        self._reuse_tried = key
        self._reuse_question.ask(messages.GetReuse(*key))
        self.reuseChanged.emit()

    def _take_reuse(self, reply: Reply) -> None:
        if isinstance(reply, messages.Reused):
            self.reuse = reply.reuse
            self.reuse_why = "" if reply.reuse else "the addresses of its accesses are not known"
            self.reuseChanged.emit()

    def _reuse_ended(self, findings: tuple[Finding, ...]) -> None:
        if findings:
            self.reuse_why = findings[0].message
        self.reuseChanged.emit()

    def _on_covered(self) -> None:
        coverage = self._document.coverage
        key = (coverage.launch, coverage.config) if coverage is not None else None
        figures = self.reply.figures if self.reply is not None else None
        if figures is None or (figures.launch, figures.config) != key:
            self.reply, self.turns, self.why = None, None, ""
            self._tried = None
        if coverage is None:
            self.reuse, self.pinned_reuse, self._reuse_tried = None, None, None
            self.reuseChanged.emit()
        self.changed.emit()
        self._ask()
        self._ask_reuse()
