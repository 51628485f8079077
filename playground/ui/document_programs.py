"""The programs looked at: which ones are chosen, which one is under the cursor, in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Signal

from playground.model.program_grid import program_count
from playground.protocol import messages
from playground.ui.document_schedule import DocumentSchedule
from playground.ui.document_steps import DocumentSteps

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np

    from playground.model.program_grid import Grid
    from playground.protocol.messages import Reply
    from playground.ui.document import Document

Order = Literal["launch", "start"]

UNION_LIMIT = 32
"""So many programs at most are asked for to draw what all of them touch; of more, the last one."""


class DocumentPrograms(QObject):
    """What every view of programs shares, so that each shows what another one points at.

    `chosen` stays until another choice, the last one is the current; `hovered` is what the cursor
    is over in one of the views. Programs are linear ids of the coverage shown.
    """

    chosenChanged = Signal()
    hoveredChanged = Signal()
    orderChanged = Signal()
    countsSaved = Signal(str, str)

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self.chosen: tuple[int, ...] = ()
        self.hovered: int | None = None
        self.order: Order = "launch"
        self.schedule = DocumentSchedule(document)
        self.steps = DocumentSteps(document, self)
        document.coveredChanged.connect(self._on_covered)
        self.schedule.changed.connect(self._on_schedule)

    @property
    def grid(self) -> Grid:
        """The grid of the coverage shown; one program while there is none."""
        coverage = self._document.coverage
        return coverage.grid if coverage is not None else (1, 1, 1)

    @property
    def count(self) -> int:
        """How many programs there are."""
        return program_count(self.grid)

    @property
    def current(self) -> int | None:
        """The program chosen last, None while none is."""
        return self.chosen[-1] if self.chosen else None

    @property
    def shown(self) -> tuple[int, ...]:
        """The programs whose accesses are drawn: the chosen ones, else the one hovered over."""
        if self.chosen:
            return self.chosen if len(self.chosen) <= UNION_LIMIT else self.chosen[-1:]
        return () if self.hovered is None else (self.hovered,)

    @property
    def previewed(self) -> bool:
        """Whether what is drawn only follows the cursor."""
        return not self.chosen and self.hovered is not None

    def choose(self, programs: Iterable[int]) -> None:
        """Choose these programs, the last one as the current; those not in the grid are left out.

        Each counts once.
        """
        wanted = tuple(dict.fromkeys(p for p in programs if 0 <= p < self.count))
        if wanted != self.chosen:
            self.chosen = wanted
            self.chosenChanged.emit()

    def toggle(self, program: int) -> None:
        """Add a program to the chosen ones, or take it away."""
        rest = tuple(each for each in self.chosen if each != program)
        self.choose(rest if len(rest) < len(self.chosen) else (*rest, program))

    def hover(self, program: int | None) -> None:
        """Tell which program the cursor is over."""
        if program != self.hovered:
            self.hovered = program
            self.hoveredChanged.emit()

    def set_order(self, order: Order) -> None:
        """Step in the order of launch, or in that in which the programs really started."""
        if order != self.order:
            self.order = order
            self.orderChanged.emit()

    def step(self, direction: int) -> bool:
        """Choose the next program in the order, or the one before; tell whether there was one."""
        now = self.position()
        place = (0 if direction > 0 else self.count - 1) if now is None else now + direction
        if not 0 <= place < self.count:
            return False
        self.choose((self.at(place),))
        return True

    def position(self) -> int | None:
        """Return the place of the current program in the order, from 0."""
        if self.current is None:
            return None
        rank = self.schedule.rank if self.order == "start" else None
        return self.current if rank is None else int(rank[self.current])

    def at(self, place: int) -> int:
        """Return the program at a place of the order."""
        started = self.schedule.started if self.order == "start" else None
        return place if started is None else int(started[place])

    def ranks(self) -> np.ndarray | None:
        """Return the place of every program in the order, None where it is the id itself."""
        return self.schedule.rank if self.order == "start" else None

    def save_counts(self, path: str) -> None:
        """Have the engine write the counts of every element as `.npz`; `countsSaved` tells.

        It carries the path, and why the file is not there where it is not. A schedule that is known
        goes into the file as well.
        """
        coverage = self._document.coverage
        if coverage is None:
            return

        def take(reply: Reply) -> None:
            if isinstance(reply, messages.CountsSaved):
                self.countsSaved.emit(reply.path, reply.problem)
            elif isinstance(reply, messages.Finished) and (reply.findings or reply.cancelled):
                why = reply.findings[0].message if reply.findings else "cancelled"
                self.countsSaved.emit(path, why)

        self._document.work.ask(
            messages.SaveCounts(
                coverage.launch, coverage.config, path, self.schedule.reply is not None
            ),
            "export",
            take,
        )

    def _on_covered(self) -> None:
        self.hover(None)
        self.choose(self.chosen)

    def _on_schedule(self) -> None:
        if self.order == "start" and self.schedule.reply is None:
            self.order = "launch"
        self.orderChanged.emit()
