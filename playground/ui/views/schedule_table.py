"""The table twin of the schedule: one row a program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.ui.views.coverage_text import program_text
from playground.ui.views.table_twin import Column, RecordModel

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from playground.ui.document import Document
    from playground.ui.document_schedule import DocumentSchedule


@dataclass(frozen=True)
class ScheduledProgram:
    """Where and when one program ran; times from the launch's first start."""

    program: int
    multiprocessor: int
    start_ns: int
    duration_ns: int
    wave: int
    place: int


def schedule_rows(schedule: DocumentSchedule) -> tuple[ScheduledProgram, ...]:
    """Return one row a program, in the order of ids."""
    reply, turns = schedule.reply, schedule.turns
    if reply is None or turns is None:
        return ()
    columns = (
        reply.multiprocessor, reply.start_ns, reply.end_ns - reply.start_ns, turns.wave + 1,
        turns.rank + 1,
    )  # fmt: skip
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return tuple(ScheduledProgram(program, *row) for program, row in enumerate(rows))


def schedule_model(document: Document, parent: QWidget) -> RecordModel[ScheduledProgram]:
    """Return the model of a table with one row a program."""
    grid = document.programs
    return RecordModel(
        (
            Column("Program", lambda row: row.program,
                   lambda row: program_text(row.program, grid.grid), numeric=True),
            Column("SM", lambda row: row.multiprocessor, numeric=True),
            Column("Start (ns)", lambda row: row.start_ns, numeric=True),
            Column("Duration (ns)", lambda row: row.duration_ns, numeric=True),
            Column("Wave", lambda row: row.wave, numeric=True),
            Column("Place", lambda row: row.place,
                   tip=lambda _row: "Its place in the order of starts", numeric=True),
        ),
        parent,
    )  # fmt: skip
