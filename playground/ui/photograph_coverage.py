"""What a photograph shows of programs: a program, one of its steps, how the maps stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from playground.ui.views.coverage import CoverageView
    from playground.ui.views.map_grid import Arrangement
    from playground.ui.window import MainWindow


@dataclass(frozen=True)
class CoverageShot:
    """Wishes for the tile maps; what is empty stays as it is.

    `program` is highlighted, `step` counts its accesses from 1; `table` shows the tables.
    """

    maps: str = ""
    colour: str = ""
    program: int | None = None
    step: int = 0
    table: bool = False


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Let a command line say what the tile maps show."""
    parser.add_argument("--maps", choices=("one", "large", "all"), default="")
    parser.add_argument("--colour", default="", help="of the maps: owner, order, loads, wave, …")
    parser.add_argument("--program", type=int, help="program to highlight")
    parser.add_argument("--step", type=int, default=0, help="step of the program, from 1")
    parser.add_argument("--coverage-table", action="store_true", help="show tables, not maps")


def shot_of(options: argparse.Namespace) -> CoverageShot:
    """Return what a command line wishes."""
    return CoverageShot(
        options.maps, options.colour, options.program, options.step, options.coverage_table
    )


def show(
    window: MainWindow, shot: CoverageShot, wait: Callable[[Callable[[], bool]], bool]
) -> tuple[str, ...]:
    """Bring the maps into the state wished for; return what of it did not come."""
    view = cast("CoverageView", window.docks.views["coverage"])
    programs = window.document.programs
    missing: list[str] = []
    if shot.maps:
        view.set_arrangement(cast("Arrangement", shot.maps))
    if shot.colour:
        view.controls.colourChosen.emit(shot.colour)
    if shot.program is not None:
        programs.choose((shot.program,))
    if shot.step:
        view.stepper.steps.setChecked(True)
        if wait(lambda: programs.steps.count >= shot.step):
            programs.steps.go(shot.step - 1)
        else:
            missing.append("steps")
    if shot.table:
        view.show_table()
    if not wait(lambda: view.idle):
        missing.append("tile maps")
    return tuple(missing)
