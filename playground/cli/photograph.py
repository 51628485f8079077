"""What runs in the process that draws the window offscreen: the real window on the real engine."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QTimer

from playground.model.config import Config
from playground.model.knobs import KnobError, sweep_values
from playground.ui.app import application, build_window
from playground.ui.document import Document
from playground.ui.engine_process import EngineProcess
from playground.ui.settings import Settings
from playground.ui.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.model.knobs import KnobValue
    from playground.ui.window import MainWindow

SIZE = (1680, 1050)
START_S = 90.0
STEP_S = 90.0
SETTLE_S = 0.5


class TooLongError(Exception):
    """The engine did not get something done in its time; the message says what."""


def main(arguments: list[str]) -> int:
    """Draw the window on FILE under CONFIG (JSON) into PNG; return the exit status."""
    file, png, values = arguments
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        try:
            photograph(file, png, json.loads(values), Path(folder) / "window.ini")
        except TooLongError as error:
            print(error, file=sys.stderr)
            return 1
    return 0


def photograph(file: str, png: str, values: dict[str, KnobValue], settings: Path) -> None:
    """Save a picture of the window with `file` run and swept under the knobs in `values`.

    The settings are a file of its own: the user's layout is neither used nor changed.
    """
    application(["triton-playground"])
    engine = EngineProcess()
    document = Document(engine)
    window = build_window(document, Theme("light"), engine, settings=Settings(settings))
    try:
        window.resize(*SIZE)
        window.show()
        window.docks.arrange()
        engine.start()
        window.load_views()
        window.docks.fill_now()
        document.open_file(os.path.abspath(file))
        _wait(lambda: engine.state in ("ready", "dead"), START_S, "the engine to start")
        if engine.state == "ready":
            _do_the_work(document, values)
        window.docks["timings"].raise_()  # a sweep brings its own panel forward
        _pause(SETTLE_S)
        if not window.grab().save(png):
            raise TooLongError(f"could not write {png}")
    finally:
        _close(window, document, engine)


def _do_the_work(document: Document, values: dict[str, KnobValue]) -> None:
    document.run()
    _settle(document, lambda: document.launches, "the file to run")
    launch = document.launch
    if launch is None:
        return
    try:
        document.apply_config(Config.of(values))
    except KnobError as error:
        print(f"the picture shows the config as launched: {error}", file=sys.stderr)
    _settle(document, lambda: _has_all(document), "the tuned config to be replayed")
    knob = next((k for k in launch.knobs if k.kind == "pow2" and not k.derived), None)
    if knob is not None:
        steps: dict[str, tuple[KnobValue, ...]] = {
            name: (document.config[name],) for name in document.config
        }
        steps[knob.name] = sweep_values(knob, document.config[knob.name])
        document.start_sweep(steps)
        _settle(document, lambda: document.sweep_result, "the sweep")


def _has_all(document: Document) -> bool:
    """Tell whether the config shown has all its results."""
    shown = (document.compile_report, document.measurement, document.coverage)
    return all(document.is_current(item) for item in shown)


def _settle(document: Document, has_come: Callable[[], object], what: str) -> None:
    """Wait for what was asked for, or an error in its place, and then for the engine to rest."""
    idle_since = [time.monotonic()]

    def rests() -> bool:
        expected = has_come() or any(item.severity == "error" for item in document.findings)
        busy = document.engine_state == "busy" or document.work.queue.job is not None
        if busy or not expected:
            idle_since[0] = time.monotonic()
        return time.monotonic() - idle_since[0] > SETTLE_S

    _wait(rests, STEP_S, what)


def _wait(holds: Callable[[], object], limit_s: float, what: str) -> None:
    loop = QEventLoop()
    poll, limit = QTimer(), QTimer()
    poll.timeout.connect(lambda: loop.quit() if holds() else None)
    limit.timeout.connect(loop.quit)
    poll.start(20)
    limit.start(round(limit_s * 1000))
    if not holds():
        loop.exec()
    poll.stop()
    limit.stop()
    if not holds():
        raise TooLongError(f"waited {limit_s:.0f} s in vain for {what}")


def _pause(seconds: float) -> None:
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


def _close(window: MainWindow, document: Document, engine: EngineProcess) -> None:
    window.close_without_asking()
    document.close()
    engine.shutdown()
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
