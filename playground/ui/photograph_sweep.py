"""What a photograph shows of a sweep: what to try, and which view to look at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from playground.ui.document import Document
    from playground.ui.views.sweep import SweepView
    from playground.ui.window import MainWindow


@dataclass(frozen=True)
class SweepShot:
    """Wishes for the sweep; `view` names a view of its panel, `space` and `sizes` are as typed.

    Knobs not in `space` keep their value; without any a few steps of the first knobs are tried.
    """

    view: str = ""
    space: dict[str, str] = field(default_factory=dict)
    where: str = ""
    sizes: dict[str, str] = field(default_factory=dict)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Let a command line say what is swept and shown."""
    parser.add_argument(
        "--space",
        action="append",
        default=[],
        metavar="NAME=VALUES",
        help="values of a knob to sweep",
    )
    parser.add_argument("--where", default="", help="a condition on the configs of the sweep")
    parser.add_argument(
        "--sizes", action="append", default=[], metavar="NAME=SIZES",
        help="problem sizes to sweep at; several names move together",
    )  # fmt: skip
    parser.add_argument(
        "--sweep-view",
        default="",
        help="setup, ranking, heat, parallel, importance, convergence, sizes, past or compare",
    )


def shot_of(options: argparse.Namespace) -> SweepShot:
    """Return what a command line wishes."""
    space, sizes = (
        {name: values for name, _, values in (text.partition("=") for text in texts)}
        for texts in (options.space, options.sizes)
    )
    return SweepShot(options.sweep_view, space, options.where, sizes)


def set_up(document: Document, shot: SweepShot) -> str:
    """Set the sweep up as wished; return what is wrong with that, or an empty text."""
    sweep = document.sweep
    sweep.offer_present()
    for name, values in shot.space.items():
        sweep.set_values(name, values)
    sweep.set_choice(source="values", where=shot.where, sizes=tuple(shot.sizes.items()))
    return sweep.reading.problem


def show(window: MainWindow, shot: SweepShot, wait: Callable[[Callable[[], bool]], bool]) -> None:
    """Look at a view of the sweep's panel, and move the pointer away."""
    if not shot.view:
        return
    view = cast("SweepView", window.docks.views["sweep"])
    past = window.document.sweep.past
    if shot.view in ("past", "compare"):
        past.refresh()
        wait(lambda: bool(past.sweeps))
    if shot.view == "compare":
        window.sweep_verbs.compare()
        wait(lambda: past.comparison is not None)
    view.show_view(shot.view)
