"""How long a frame of the tile maps and of the schedule takes while a hand moves in them.

Run it from the checkout's root: `python -m tests.benchmarks.coverage_views`. The maps are those of
a matrix product of 8192 squared, all tensors side by side, drawn offscreen; a frame is the input
event, every answer of the engine that it brings about, and painting what changed, in time of the
window's thread. What the scripted engine needs for its answers is taken off: a real one works them
out in a process of its own.
"""

from __future__ import annotations

import argparse
import functools
import os
import statistics
import sys
import time
from collections.abc import Callable

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QEventLoop, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from playground.model.schedule import Schedule
from playground.protocol import messages
from playground.ui import app as ui_app
from playground.ui.document import Document
from playground.ui.theme import Theme
from playground.ui.views.coverage import CoverageView
from playground.ui.views.schedule import ScheduleView
from tests.ui.matmul_engine import MatmulEngine

SIZE = 8192
PROGRAMS, SMS, RESIDENT = 65_536, 132, 8
TARGET_MS = 1000 / 30


class Engine(MatmulEngine):
    """The scripted matrix product, which takes the time of its own answers."""

    def __init__(self) -> None:
        super().__init__("gpu", size=SIZE, hole=False)
        self.spent_s = 0.0

    def send(self, request: messages.Request, file: int = 0) -> int:
        begun = time.thread_time()
        job = super().send(request, file)
        self.spent_s += time.thread_time() - begun
        return job

    def _answer_getschedule(self, request: messages.GetSchedule) -> list[messages.Reply]:
        ids = np.arange(PROGRAMS)
        start = ids // (SMS * RESIDENT) * 1000 + ids * 7 % 400
        length = 600 + ids * 13 % 300
        figures = Schedule(
            request.launch, request.config, (PROGRAMS, 1, 1), SMS, SMS,
            int((start + length).max()), 600, 750, 900, RESIDENT, RESIDENT,
            PROGRAMS / (SMS * RESIDENT), 500, 0.1, 32,
        )  # fmt: skip
        sm = (ids % SMS).astype(np.int32)
        return [messages.Scheduled(figures, sm, start, start + length)]


def settle(app: QApplication, done: Callable[[], bool]) -> None:
    """Handle events until `done`."""
    until = time.monotonic() + 60
    while not done() and time.monotonic() < until:
        app.processEvents()
    app.processEvents()


def frames_ms(
    engine: Engine, idle: Callable[[], bool], moves: list[Callable[[], object]]
) -> list[float]:
    """Return the window's own time for each of these moves, with everything that follows from it.

    Each is waited for until nothing more is asked of the engine, so that none goes without its
    footprints and its sharper picture; waiting itself costs no time of the window's.
    """
    found = []
    loop = QEventLoop()
    for move in moves:
        engine.spent_s = 0.0
        begun = time.thread_time()
        move()
        until = time.monotonic() + 5
        while True:
            loop.processEvents(QEventLoop.ProcessEventsFlag.AllEvents)
            if idle() or time.monotonic() > until:
                break
            loop.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        # What the last answers had painted anew.
        loop.processEvents(QEventLoop.ProcessEventsFlag.AllEvents)
        found.append((time.thread_time() - begun - engine.spent_s) * 1e3)
    return found


def mouse(widget: QWidget, at: QPointF, pressed: bool = False) -> Callable[[], object]:
    """Return a move of the mouse over a widget."""
    buttons = Qt.MouseButton.LeftButton if pressed else Qt.MouseButton.NoButton

    def move() -> None:
        event = QMouseEvent(
            QMouseEvent.Type.MouseMove, at, widget.mapToGlobal(at), Qt.MouseButton.NoButton,
            buttons, Qt.KeyboardModifier.NoModifier,
        )  # fmt: skip
        QApplication.sendEvent(widget, event)

    return move


def press(widget: QWidget, at: QPointF, kind: QMouseEvent.Type) -> None:
    event = QMouseEvent(
        kind, at, widget.mapToGlobal(at), Qt.MouseButton.LeftButton, Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    QApplication.sendEvent(widget, event)


def wheel(widget: QWidget, at: QPointF, steps: int) -> Callable[[], object]:
    """Return a turn of the wheel over a widget."""

    def move() -> None:
        event = QWheelEvent(
            at, widget.mapToGlobal(at), QPoint(), QPoint(0, 120 * steps), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(widget, event)

    return move


def path(widget: QWidget, area: object, count: int) -> list[QPointF]:
    """Return places along a curve through the middle of an area."""
    turn = np.linspace(0, 6, count)
    centre, width, height = area.center(), area.width(), area.height()  # type: ignore[attr-defined]
    return [
        QPointF(centre.x() + width * 0.4 * np.sin(t), centre.y() + height * 0.4 * np.cos(1.7 * t))
        for t in turn
    ]


def drag(widget: QWidget, places: list[QPointF]) -> list[Callable[[], object]]:
    """Return the moves of one drag."""
    down, up = QMouseEvent.Type.MouseButtonPress, QMouseEvent.Type.MouseButtonRelease
    return [
        lambda: press(widget, places[0], down),
        *(mouse(widget, place, pressed=True) for place in places),
        lambda: press(widget, places[-1], up),
    ]


def say(what: str, spent_ms: list[float]) -> None:
    median, most = statistics.median(spent_ms), np.percentile(spent_ms, 95)
    rate = f"{1000 / max(median, 0.01):6.0f} frames/s"
    late = sum(spent > TARGET_MS for spent in spent_ms)
    sys.stdout.write(
        f"{what:44} median {median:6.2f} ms  95 % {most:6.2f} ms  {rate}  "
        f"{late} of {len(spent_ms)} over {TARGET_MS:.0f} ms\n"
    )
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--frames", type=int, default=120)
    parser.add_argument("--size", default="1200x900", help="of the view, logical pixels")
    options = parser.parse_args()
    width, height = (int(part) for part in options.size.split("x"))
    app = ui_app.application(["coverage_views"])
    theme = Theme("light")
    theme.apply(app)
    engine = Engine()
    document = Document(engine)
    engine.start()
    settle(app, lambda: engine.state == "ready")
    document.set_text("# matmul")
    document.run()
    settle(app, lambda: document.is_current(document.coverage))
    count = options.frames
    for arrangement in ("large", "all"):
        view = CoverageView(document, theme)
        view.resize(width, height)
        view.show()
        view.set_arrangement(arrangement)
        settle(app, lambda v=view: v.idle)
        maps = next(each for each in view.maps if each.tensor.name == "c_ptr")
        canvas = maps.canvas
        places = path(canvas, canvas.plot_area(), count)
        head = f"{arrangement}: "
        run = functools.partial(frames_ms, engine, lambda v=view: v.idle)
        say(head + "hover, footprints in all maps", run([mouse(canvas, p) for p in places]))
        view.show_program(5)
        settle(app, lambda v=view: v.idle)
        say(head + "hover over a chosen program", run([mouse(canvas, p) for p in places]))
        middle = canvas.plot_area().center()
        turns = [wheel(canvas, middle, 1) for _ in range(18)] + [
            wheel(canvas, middle, -1) for _ in range(18)
        ]
        say(head + "zoom to single elements and back", run(turns))
        for turn in turns[:9]:
            turn()
        settle(app, lambda v=view: v.idle)
        say(head + "pan", run(drag(canvas, places)))
        canvas.fit()
        steps = [lambda: document.programs.step(1)] * count
        say(head + "next program", run(steps))
        document.programs.steps.want("test", True)
        settle(app, lambda: document.programs.steps.count > 0)
        steps = [lambda s=step: document.programs.steps.go(s) for step in range(count)]
        say(head + "next step within a program", run(steps))
        document.programs.steps.want("test", False)
        document.programs.choose(())
        grid = view.program_map.canvas
        say("programs' own map: hover", run([
            mouse(grid, p) for p in path(grid, grid.plot_area(), count)
        ]))  # fmt: skip
        view.close()
        view.deleteLater()
    schedule = ScheduleView(document, theme)
    schedule.resize(width, height)
    schedule.show()
    settle(app, lambda: schedule.plot.lanes is not None)
    plot = schedule.plot
    places = path(plot, plot.area(), count)
    run = functools.partial(frames_ms, engine, lambda: True)
    head = f"schedule of {PROGRAMS} programs: "
    say(head + "hover", run([mouse(plot, place) for place in places]))
    say(head + "zoom", run([wheel(plot, places[0], 1 if i < 20 else -1) for i in range(40)]))
    for _ in range(8):
        plot.zoom(1.25)
    say(head + "pan", run(drag(plot, places)))
    schedule.close()
    document.close()
    engine.shutdown()


if __name__ == "__main__":
    main()
