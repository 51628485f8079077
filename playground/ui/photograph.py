"""A photograph of the real window: the file opened, run, measured and covered, drawn offscreen.

`python -m playground.ui.photograph FILE PNG [--theme dark] [--scale 2] [--sweep] …` writes the
picture and says on standard output, as one JSON line, what is in it. The command line calls it the
same way where there is no display.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from playground.model.config import Config
from playground.model.knobs import KnobError, KnobValue
from playground.ui import photograph_coverage, photograph_debugger, photograph_sweep
from playground.ui.small_space import small_space

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from playground.ui.document import Document
    from playground.ui.engine_port import EnginePort
    from playground.ui.photograph_coverage import CoverageShot
    from playground.ui.photograph_debugger import DebuggerShot
    from playground.ui.photograph_sweep import SweepShot
    from playground.ui.theme import ThemeName
    from playground.ui.window import MainWindow

DEFAULT_SIZE = (1600, 1000)
_IDLE_S = 20.0
_SETTLE_S = 0.5
"""Pictures of planes and plots come some milliseconds after the results they draw."""


@dataclass(frozen=True)
class Photographed:
    """What was in the window when the picture was taken; `missing` names what did not come."""

    png: str
    width: int
    height: int
    launches: int
    findings: tuple[str, ...]
    missing: tuple[str, ...]
    engine: str
    device: str
    median_ms: float | None
    bandwidth_gbps: float | None


def photograph(
    path: str | Path,
    png: str | Path,
    *,
    theme: ThemeName = "light",
    scale: float = 1,
    size: tuple[int, int] = DEFAULT_SIZE,
    run: bool = True,
    sweep: bool = False,
    launch: int = 0,
    problem: Mapping[str, int] | None = None,
    config: Mapping[str, KnobValue] | None = None,
    front: Sequence[str] = (),
    compare: str = "",
    curve: bool = False,
    nsight: bool = False,
    compiler: str = "",
    line: int = 0,
    target: str = "",
    coverage: CoverageShot | None = None,
    swept: SweepShot | None = None,
    debugger: DebuggerShot | None = None,
    timeout_s: float = 180.0,
    engine: EnginePort | None = None,
) -> Photographed:
    """Open the window on `path`, let it work, save it as `png`, close everything.

    `problem` sets problem sizes of the driver; with `config` knobs are moved after the run. `front`
    names panels to bring forward (`compiler`, `sweep`, `advisor`, which is asked …). `compare`
    names an expression to time the launch against, `curve` draws it over its first problem size,
    `nsight` profiles it; all three need a GPU. `compiler` names a tab of the compiler's panel
    (`resources`, `lines`, `stages:sass`, `passes`, `compilations:ttgir`, `fits`), `line` puts the
    cursor on a source line and `target` compiles for another one. `coverage` says what the tile
    maps show, `swept` what a sweep tries and which of its views is looked at. `scale` only
    takes effect while there is no application yet. What has not come after `timeout_s`, or not at
    all because of an error that the picture shows, is named as missing in the result.

    Raises
    ------
    OSError
        The picture could not be written.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.setdefault("QT_SCALE_FACTOR", f"{scale:g}")
    from PySide6.QtCore import QTemporaryDir

    from playground.ui import app
    from playground.ui.document import Document
    from playground.ui.late_engine import LateEngine
    from playground.ui.settings import Settings
    from playground.ui.theme import Theme

    application = app.application([sys.argv[0]])
    # The picture shows the default layout, and leaves the user's own settings alone.
    folder = QTemporaryDir()
    settings = Settings(Path(folder.filePath("window.ini")))
    document = Document(engine or LateEngine())
    window = app.build_window(document, Theme(theme), document.engine, settings=settings)
    errors = app.ErrorsToFindings(document)
    errors.install()
    try:
        opened = document.open_file(os.path.abspath(path))
        window.resize(*size)
        window.show()
        window.docks.arrange()
        document.engine.start()
        window.area.start_colours()
        window.docks.fill_now()
        missing: tuple[str, ...] = ()
        for name, value in (problem or {}).items():
            document.set_size(name, value)
        if opened and run:
            work = _Work(document, timeout_s)
            missing = work.do(launch, config or {}, sweep=sweep, swept=swept)
            advised = "advisor" in front
            found = work.analyse(compare, curve=curve, nsight=nsight, advised=advised)
            missing = (*missing, *found)
            if target:
                document.set_target(target)
        if line:
            window.area.go_to(line)
        if "sweep" not in front and sweep:
            window.docks["timings"].raise_()
        for name in front:
            window.docks[name].show()
            window.docks[name].raise_()
        if coverage is not None and document.coverage is not None:
            came = photograph_coverage.show(window, coverage, lambda done: _wait(done, _IDLE_S))
            missing = (*missing, *came)
        if swept is not None:
            photograph_sweep.show(window, swept, lambda done: _wait(done, _IDLE_S))
        if debugger is not None and document.launch is not None:
            missing = (*missing, *photograph_debugger.show(window, debugger, _wait))
        if compiler:
            missing = (*missing, *_show_compiler(window, compiler, timeout_s))
        _wait(lambda: False, _SETTLE_S)
        # A panel brought forward asks for what it shows (a stage's text) only then.
        _wait(lambda: not document.work.user_waits(), _IDLE_S)
        _wait(lambda: False, _SETTLE_S)
        picture = window.grab()
        Path(png).parent.mkdir(parents=True, exist_ok=True)
        if not picture.save(str(png), "PNG"):
            raise OSError(f"cannot write {png}")
        measured = document.measurement
        return Photographed(
            str(png), picture.width(), picture.height(), len(document.launches),
            tuple(finding.text() for finding in document.findings), missing,
            document.engine_state, document.device.name if document.device else "",
            measured.median_ms if measured else None,
            measured.bandwidth_gbps if measured else None,
        )  # fmt: skip
    finally:
        errors.remove()
        _close(window)
        application.processEvents()


class _Work:
    """Has the document do its work, waiting for what comes of it until the time is over."""

    def __init__(self, document: Document, timeout_s: float) -> None:
        self._document = document
        self._until = time.monotonic() + timeout_s

    def do(
        self, launch: int, config: Mapping[str, KnobValue], *, sweep: bool,
        swept: SweepShot | None = None,
    ) -> tuple[str, ...]:  # fmt: skip
        """Run the file and wait for its results; return the names of those that did not come."""
        document = self._document
        _wait(lambda: document.engine_state in ("ready", "dead"), self._left())
        if document.engine_state != "ready":
            return ("engine",)
        document.run()
        self._settle(lambda: bool(document.launches))
        if not document.launches:
            return ("launches",)
        if launch:
            document.select_launch(launch)
        if config:
            try:
                document.apply_config(Config.of(config))
            except KnobError as error:
                sys.stderr.write(f"the picture shows the config as launched: {error}\n")
        self._settle(lambda: not _missing(document))
        missing = _missing(document)
        if sweep and not missing:
            if swept is not None and swept.space:
                wrong = photograph_sweep.set_up(document, swept)
                if wrong:
                    sys.stderr.write(f"the picture has no sweep: {wrong}\n")
                document.sweep.start()
            else:
                document.sweep.start_values(small_space(document))
            self._settle(lambda: not document.sweep.running)
            if document.sweep.result is None:
                document.cancel()
                missing = ("sweep",)
        # Compiling ahead is still going on; the picture shall say that the engine is ready.
        _wait(lambda: document.engine_state == "ready", min(self._left(), _IDLE_S))
        return missing

    def analyse(self, compare: str, *, curve: bool, nsight: bool, advised: bool) -> tuple[str, ...]:
        """Compare, draw a curve, profile, ask for advice; return the names of what did not come."""
        from playground.ui.document_timing import Rival

        document = self._document
        missing: list[str] = []
        if compare:
            document.timing.compare(Rival(expression=compare))
            _wait(lambda: document.timing.comparing is None, self._left())
            missing += [] if document.timing.comparison else ["comparison"]
        if curve:
            document.curves.start()
            _wait(lambda: not document.curves.running, self._left())
            missing += [] if document.curves.curve and document.curves.done else ["curve"]
        if nsight:
            document.nsight.profile()
            _wait(lambda: not document.nsight.running, self._left())
            missing += [] if document.nsight.report else ["nsight"]
        if advised:
            document.advice.ask()
            _wait(lambda: not document.advice.running, self._left())
            missing += [] if document.advice.advisory else ["advice"]
        return tuple(missing)

    def _left(self) -> float:
        return max(self._until - time.monotonic(), 0.0)

    def _settle(self, has_come: Callable[[], bool]) -> None:
        """Wait for what was asked for, or for an error and an engine that then rests."""
        document = self._document
        busy_at = [time.monotonic()]

        def rests() -> bool:
            failed = any(item.severity == "error" for item in document.findings)
            busy = document.engine_state == "busy" or document.work.queue.job is not None
            if busy or not failed:
                busy_at[0] = time.monotonic()
            return time.monotonic() - busy_at[0] > _SETTLE_S

        _wait(lambda: has_come() or rests(), self._left())


def _show_compiler(window: MainWindow, wanted: str, timeout_s: float) -> tuple[str, ...]:
    """Bring a tab of the compiler's panel forward and wait for what it shows."""
    part, _, stage = wanted.partition(":")
    verbs, state = window.compiler_verbs, window.document.compiler
    _wait(lambda: not window.document.work.user_waits(), timeout_s)
    verbs.show(part)
    if part == "compilations":
        _wait(lambda: state.compilations.compared is not None, timeout_s)
    if stage:
        verbs.show_stage(part, stage)
    if part == "fits":
        state.fits.compile()
    there: dict[str, Callable[[], bool]] = {
        "resources": lambda: window.document.compile_report is not None,
        "stages": lambda: any(state.stages.is_current(name) for name in state.stages.stages()),
        "lines": state.code.is_current,
        "passes": state.passes.is_current,
        "compilations": lambda: (
            state.compilations.compared is not None
            and (not stage or stage in state.compilations.diffs)
        ),
        "fits": lambda: bool(state.fits.fits) and not state.fits.running,
    }
    came = _wait(there[part], timeout_s)
    # The margin's code comes after the tab's own.
    _wait(lambda: not window.document.work.user_waits(), _IDLE_S)
    return () if came else (f"compiler {part}",)


def _missing(document: Document) -> tuple[str, ...]:
    """Return which results of the config shown are not there."""
    checked = document.check is not None and document.checked_config == document.config
    have = {
        "compile": document.is_current(document.compile_report),
        "check": checked,
        "measurement": document.is_current(document.measurement),
        "coverage": document.is_current(document.coverage),
    }
    return tuple(name for name, there in have.items() if not there)


def _wait(done: Callable[[], bool], seconds: float) -> bool:
    """Handle events until `done` or until the time is over; tell which."""
    from PySide6.QtCore import QEventLoop, QTimer

    if done():
        return True
    loop = QEventLoop()
    look = QTimer()
    look.setInterval(25)
    look.timeout.connect(lambda: loop.quit() if done() else None)
    limit = QTimer()
    limit.setSingleShot(True)
    limit.setInterval(max(round(1000 * seconds), 1))
    limit.timeout.connect(loop.quit)
    look.start()
    limit.start()
    loop.exec()
    look.stop()
    limit.stop()
    return done()


def _close(window: MainWindow) -> None:
    from PySide6.QtCore import QCoreApplication, QEvent

    # Nobody is there to answer: the text was not edited, and nothing is saved.
    window.close_without_asking()
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def main(arguments: Sequence[str] | None = None) -> int:
    """Take the photograph the command line asks for; 0 when nothing is missing from it."""
    from playground.ui.theme import ThemeName

    parser = argparse.ArgumentParser("playground.ui.photograph", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("png", type=Path)
    parser.add_argument("--theme", choices=get_args(ThemeName), default="light")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--size", default="1600x1000", help="width x height in logical pixels")
    parser.add_argument("--launch", type=int, default=0)
    parser.add_argument(
        "--problem", type=json.loads, default={}, help="problem sizes to run with, as JSON"
    )
    parser.add_argument(
        "--config", type=json.loads, default={}, help="knobs to move after the run, as JSON"
    )
    parser.add_argument("--front", default="", help="panels to bring forward, separated by commas")
    parser.add_argument("--sweep", action="store_true", help="make a small sweep as well")
    parser.add_argument("--compare", default="", help="time it against this expression (GPU)")
    parser.add_argument("--curve", action="store_true", help="draw it over its first size (GPU)")
    parser.add_argument("--nsight", action="store_true", help="run Nsight Compute on it (GPU)")
    parser.add_argument(
        "--compiler", default="", metavar="PART[:STAGE]",
        help="tab of the compiler's panel: resources, stages, lines, passes, compilations, fits",
    )  # fmt: skip
    parser.add_argument("--line", type=int, default=0, help="source line to put the cursor on")
    parser.add_argument("--target", default="", help="compile for this target")
    photograph_coverage.add_arguments(parser)
    photograph_sweep.add_arguments(parser)
    photograph_debugger.add_arguments(parser)
    parser.add_argument("--no-run", action="store_true", help="only open the file")
    parser.add_argument("--timeout", type=float, default=180.0, help="seconds")
    options = parser.parse_args(arguments)
    width, _, height = options.size.partition("x")
    result = photograph(
        options.file, options.png, theme=options.theme, scale=options.scale,
        size=(int(width), int(height)), run=not options.no_run, sweep=options.sweep,
        launch=options.launch, problem=options.problem, config=options.config,
        compare=options.compare, curve=options.curve, nsight=options.nsight,
        compiler=options.compiler, line=options.line, target=options.target,
        coverage=photograph_coverage.shot_of(options), timeout_s=options.timeout,
        swept=photograph_sweep.shot_of(options), debugger=photograph_debugger.shot_of(options),
        front=tuple(filter(None, options.front.split(","))),
    )  # fmt: skip
    sys.stdout.write(json.dumps(asdict(result)) + "\n")
    return 1 if result.missing else 0


if __name__ == "__main__":
    raise SystemExit(main())
