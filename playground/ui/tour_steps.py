"""The steps of the tour: what each says, which control it points at, what it does when asked to."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from playground.model.knobs import sweep_values
from playground.model.resources import kernels_dir
from playground.ui.small_space import small_space

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.model.knobs import Knob
    from playground.ui.window import MainWindow

FIRST_KERNEL = "vector_add"


@dataclass(frozen=True)
class Step:
    """One step; `text` and `target` are asked anew whenever something changes.

    `dock` is the panel with the control, `before` the step that must be done for it, `side` where
    the card stands if there is room.
    """

    id: str
    title: str
    text: Callable[[MainWindow], str]
    target: Callable[[MainWindow], QWidget | None]
    do: Callable[[MainWindow], None]
    do_text: str
    dock: str = ""
    before: str = ""
    side: str = "below"


def has_gpu(window: MainWindow) -> bool:
    """Tell whether the engine times on a GPU; while it is starting, it does not."""
    device = window.document.device
    return device is not None and device.mode == "gpu"


def knob_to_move(window: MainWindow) -> Knob | None:
    """Return the first knob with another value to go to."""
    document = window.document
    for knob in document.launch.knobs if document.launch is not None else ():
        if knob.name in document.config and not knob.derived and _others(window, knob):
            return knob
    return None


def _others(window: MainWindow, knob: Knob) -> list[int | bool | float | str | None]:
    now = window.document.config[knob.name]
    return [value for value in sweep_values(knob, now) if value != now]


def _named(window: MainWindow, *names: str) -> QWidget | None:
    """Return the first widget of those names that is there to be seen, else the last at all."""
    found: QWidget | None = None
    for name in names:
        widget = window.findChild(QWidget, name)
        if widget is not None and widget.isVisible():
            return widget
        found = widget or found
    return found


# ---------------------------------------------------------------------------------- open, run


def _open_text(_window: MainWindow) -> str:
    return (
        "Click “Vector add”, the smallest of the bundled kernels, or open a file of yours. Opening "
        "a file runs nothing of it."
    )


def _open(window: MainWindow) -> None:
    window.files.open_path(str(kernels_dir() / f"{FIRST_KERNEL}.py"))


def _run_text(window: MainWindow) -> str:
    document = window.document
    if document.engine_state not in ("ready", "busy"):
        return "The engine is starting; Run (F5) waits for it."
    if document.engine_state == "busy":
        return "It runs …"
    failed = any(finding.severity == "error" for finding in document.findings)
    if failed:
        return "It did not run to its end: the Findings panel says why, and what to do about it."
    where = (
        "on this machine's GPU" if has_gpu(window)
        else "in Triton's interpreter, because no GPU is here"
    )  # fmt: skip
    return (
        f"Press Run (F5). The text of the editor is executed {where}, and every kernel launch it "
        "makes is captured."
    )


def _run(window: MainWindow) -> None:
    window.document.run()


# ------------------------------------------------------------------------------ knob, coverage


def _knob_text(window: MainWindow) -> str:
    knob = knob_to_move(window)
    name = knob.name if knob is not None else "a knob"
    then = "checked, timed" if has_gpu(window) else "checked"
    return (
        f"Move {name} to another value. The launch is compiled for it, its result {then}, and what "
        "it touches is counted again. `Edit > Undo knob move` takes it back."
    )


def _knob_row(window: MainWindow) -> QWidget | None:
    knob = knob_to_move(window)
    return _named(window, f"knob-row:{knob.name}") if knob is not None else None


def _move(window: MainWindow) -> None:
    knob = knob_to_move(window)
    if knob is not None:
        now = window.document.config[knob.name]
        others = _others(window, knob)
        lower = [value for value in others if isinstance(value, int) and isinstance(now, int)
                 and value < now]  # fmt: skip
        window.document.set_knob(knob.name, (lower or others)[-1 if lower else 0])


def _coverage_text(window: MainWindow) -> str:
    document = window.document
    coverage = document.coverage
    if coverage is None:
        return "Every load and store of the launch is being counted …"
    unwritten = sum(tensor.unwritten or 0 for tensor in coverage.tensors)
    said = (
        f"{unwritten:,} elements are never written: they stand out."
        if unwritten else "Elements never written, or written twice, would stand out."
    )  # fmt: skip
    return (
        f"A colour is a program. Click an element: what its program loads and stores is outlined "
        f"in every tensor. {said}"
    )


def _choose(window: MainWindow) -> None:
    programs = window.document.programs
    program = 1 if programs.count > 1 else 0
    if programs.current == program and programs.count > 2:
        program = 2
    programs.choose((program,))


# --------------------------------------------------------------------------------------- sweep


def _sweep_text(window: MainWindow) -> str:
    sweep = window.document.sweep
    if sweep.running:
        done, total = sweep.done
        return f"{done} of {total} configs tried …" if total else "The sweep begins …"
    configs = 1
    for values in small_space(window.document).values():
        configs *= len(values)
    how = (
        "Each config is compiled, checked and timed, and the best are timed again in turns."
        if has_gpu(window)
        else "Without a GPU each config is compiled for the target and its result checked; nothing "
        "is timed, so there is no ranking."
    )  # fmt: skip
    return f"{how} Start what the panel has set up, or let {configs} configs be tried for you."


def _sweep(window: MainWindow) -> None:
    sweep = window.document.sweep
    if not sweep.running:
        sweep.start_values(small_space(window.document))


# ----------------------------------------------------------------------------- export and check


def _export_text(window: MainWindow) -> str:
    best = window.document.sweep.best()
    timed = best is not None and best.median_ms is not None
    what = (
        f"the sweep's winner ({best.config.label()})" if best is not None and timed
        else "the config on the sliders, checked but not timed here,"
    )  # fmt: skip
    return f"Export writes a .py that runs alone, with {what} frozen in. You choose where it goes."


def _export(window: MainWindow) -> None:
    best = window.document.sweep.best()
    timed = best is not None and best.median_ms is not None
    window.document.export(best.config if best is not None and timed else None)


def _export_button(window: MainWindow) -> QWidget | None:
    best = window.document.sweep.best()
    if best is not None and best.median_ms is not None:
        return _named(window, "toolbar.export", "sweep.export")
    return _named(window, "toolbar.export")


def _check_text(window: MainWindow) -> str:
    check = window.export_check
    name = os.path.basename(check.path) or "the file"
    if check.running:
        return f"{name} runs in a process of its own …"
    failed = [
        finding for finding in window.document.findings
        if finding.severity == "error" and finding.stage == "export"
    ]  # fmt: skip
    if failed:
        return f"It did not pass: {failed[0].message}. The Findings panel has the details."
    return (
        f"{name} runs alone, without Triton Playground. With --check a fresh process runs its "
        "kernel and compares the result with what it should be."
    )


STEPS: tuple[Step, ...] = (
    Step("open", "Open a kernel", _open_text,
         lambda window: _named(window, f"gallery:{FIRST_KERNEL}", "toolbar.file.open"),
         _open, "Open it for me", side="right"),
    Step("run", "Run it", _run_text, lambda window: _named(window, "toolbar.run"),
         _run, "Run it for me", before="open"),
    Step("knob", "Move a knob", _knob_text, _knob_row, _move, "Move it for me", "knobs", "run",
         "right"),
    Step("coverage", "Read the coverage", _coverage_text,
         lambda window: _named(window, "coverage.maps"), _choose, "Choose one for me", "coverage",
         "run"),
    Step("sweep", "Sweep", _sweep_text, lambda window: _named(window, "sweep.start"), _sweep,
         "Sweep for me", "sweep", "run", "left"),
    Step("export", "Export the tuned kernel", _export_text, _export_button, _export,
         "Export…", before="run"),
    Step("check", "Prove it", _check_text,
         lambda window: _named(window, "notice.exported", "toolbar.export"),
         lambda window: window.export_check.check(), "Check it for me", before="export"),
)  # fmt: skip
