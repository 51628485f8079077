"""The running app under random hands: moves, edits, runs, interrupts, restarts, and no rest.

Run: python -m tests.benchmarks.soak --actions 10000 [--seed N] [--minutes M]

The real window on its real engine. After every action the text must be what was typed, and every
result that arrives must be of the config shown, told by arithmetic: the grid from BLOCK_SIZE, the
stores from the problem size, the threads from num_warps.

Memory, file handles and threads of window, engine and its workers are noted every 100 actions, all
at rest. The first third of a process's life is its warm-up: bounded stores fill (64 replays, 48
compilations and the like). After it nothing may grow by more than 5 %: the last quarter
against the first, medians of memory, the least of what is counted, since a thread comes and goes
with its job. The exit status is 1 for a crash, a lost edit, a wrong answer or a leak.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import psutil
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication

from playground.engine.tidying import REST_S
from playground.model.resources import kernels_dir
from playground.ui.app import ErrorsToFindings, build_window
from playground.ui.collector import Collector
from playground.ui.document import Document
from playground.ui.engine_process import EngineProcess
from playground.ui.settings import Settings
from playground.ui.theme import Theme

FILE_SIZE, SIZE = "98432", 16_416
"""What the file has, and what runs in its place: the interpreter is not what is tried here."""
BLOCKS, WARPS, STAGES = (64, 128, 256, 512, 1024, 2048, 4096), (1, 2, 4, 8), (1, 2, 3, 4)
FLAT = 0.05
SAMPLE_EVERY = 100
WAIT_S = 120.0
REST_MS = round(1000 * REST_S) + 300
"""Until an engine that rests has given back what it does not use."""
LOOKS, LOOK_MS = 5, 100
"""How often, and how far apart, the engine's threads are counted at rest: the least counts."""
LAST_RESTART = 0.6
"""Of the actions: the engine lives on after it, so that its memory can be compared."""

WEIGHTS = {
    "drag": 30, "move": 40, "type": 14, "undo text": 3, "run": 3, "undo knob": 3, "interrupt": 2,
    "cancel": 2, "reset": 1, "pin": 1, "cache": 1, "theme": 0.2, "look": 3, "restart": 0.3,
    "kill": 0.1,
}  # fmt: skip


@dataclass
class Use:
    """What a process held at one moment."""

    rss: int
    handles: int
    threads: int
    gpu_bytes: int = 0


WHO = ("window", "engine", "a worker")
WHAT = ("rss", "handles", "threads", "gpu_bytes")


@dataclass
class Outcome:
    """What a soak found.

    `levels` are the first sample, the one after the warm-up and the last, by what was compared;
    `growth` is the last over the second, minus 1.
    """

    seed: int
    actions: Counter[str] = field(default_factory=Counter)
    answers: int = 0
    faults: list[str] = field(default_factory=list)
    growth: dict[str, float] = field(default_factory=dict)
    levels: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    elapsed_s: float = 0.0


class Soak:
    """One window and its engine, driven by a seeded random generator."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.outcome = Outcome(seed)
        path = folder / "vector_add.py"
        text = (kernels_dir() / "vector_add.py").read_text()
        path.write_text(text.replace(FILE_SIZE, str(SIZE)))
        self.engine = EngineProcess()
        self.document = Document(self.engine)
        self.window = build_window(
            self.document, Theme("light"), self.engine, settings=Settings(folder / "w.ini")
        )
        self.errors = ErrorsToFindings(self.document)
        self.errors.install()
        self.collector = Collector(self.window)
        self.document.open_file(str(path))
        self.window.resize(1600, 1000)
        self.window.show()
        self.window.docks.arrange()
        self.engine.start()
        self.window.load_views()
        self.typed = self.document.text
        self.killed = 0
        self.last: list[str] = []
        self.deaths: list[str] = []
        self.engine.died.connect(self.deaths.append)
        self.uses: dict[str, list[Use]] = {who: [] for who in WHO}
        document = self.document
        document.compiledChanged.connect(self._on_compiled)
        document.coveredChanged.connect(self._on_covered)
        document.measuredChanged.connect(self._on_measured)
        document.checkedChanged.connect(self._on_checked)

    # ------------------------------------------------------------------------------ answers

    def _wrong(self, what: str) -> None:
        self.fault(f"{what}, shown {self.document.config.label()}")

    def fault(self, text: str) -> None:
        """Note a fault and print it at once: the soak goes on."""
        self.outcome.faults.append(text)
        print(f"FAULT after {sum(self.outcome.actions.values())} actions: {text}", flush=True)

    def _on_compiled(self) -> None:
        report, config = self.document.compile_report, self.document.config
        if report is None:
            return
        self.outcome.answers += 1
        if report.config != config or report.threads != 32 * int(config["num_warps"] or 0):
            self._wrong(f"a compile report of {report.config.label()} with {report.threads}")

    def _on_covered(self) -> None:
        coverage, config = self.document.coverage, self.document.config
        if coverage is None:
            return
        self.outcome.answers += 1
        programs = -(-SIZE // int(config["BLOCK_SIZE"] or 1))
        stores = coverage.tensor("out_ptr").stores.total
        if coverage.config != config or coverage.grid != (programs, 1, 1) or stores != SIZE:
            self._wrong(f"a coverage of {coverage.config.label()}, {coverage.grid}, {stores}")

    def _on_measured(self) -> None:
        measured = self.document.measurement
        if measured is None:
            return
        self.outcome.answers += 1
        if measured.config != self.document.config:
            self._wrong(f"a measurement of {measured.config.label()}")

    def _on_checked(self) -> None:
        check = self.document.check
        if check is None:
            return
        self.outcome.answers += 1
        if self.document.checked_config != self.document.config or check.status == "wrong":
            self._wrong(f"a verdict {check.status}")

    # ------------------------------------------------------------------------------ actions

    def run(self, count: int, limit_s: float = float("inf")) -> Outcome:
        """Do `count` random actions, or fewer in `limit_s`; a fault is noted, the soak goes on."""
        started = time.monotonic()
        if not self.wait(lambda: self.engine.state == "ready", "the engine"):
            return self.outcome
        self.collector.start()
        self.document.run()
        self.settle()
        names = list(WEIGHTS)
        for number in range(count):
            elapsed_s = time.monotonic() - started
            if elapsed_s > limit_s:
                break
            done = max(number / count, elapsed_s / limit_s)
            name = self.random.choices(names, list(WEIGHTS.values()))[0]
            if name in ("restart", "kill") and done > LAST_RESTART:
                name = "move"
            self.outcome.actions[name] += 1
            self.last = [*self.last[-9:], name]
            getattr(self, f"do_{name.replace(' ', '_')}")()
            self.pause(self.random.choice((0, 0, 1, 5, 20)))
            if self.document.text != self.typed or self.window.editor.text() != self.typed:
                self.fault(f"a lost edit after {name}, action {number}")
                self.typed = self.document.text
            if number % SAMPLE_EVERY == SAMPLE_EVERY - 1:
                self.settle()
                self.sample()
                if number % 1000 == 999:
                    faults = len(self.outcome.faults)
                    print(f"{number + 1} actions, {elapsed_s:.0f} s, {faults} faults", flush=True)
        self.settle()
        self.sample()
        unexpected = len(self.deaths) - self.killed
        if unexpected:
            self.fault(f"the engine died {unexpected} times: {self.deaths[-1]}")
        self.outcome.elapsed_s = time.monotonic() - started
        self._compare()
        return self.outcome

    def knob(self, dragging: bool) -> None:
        if self.document.launch is None:
            return
        name, values = self.random.choice(
            (("BLOCK_SIZE", BLOCKS), ("num_warps", WARPS), ("num_stages", STAGES))
        )
        self.document.set_knob(name, self.random.choice(values), dragging=dragging)

    def do_move(self) -> None:
        self.knob(dragging=False)

    def do_drag(self) -> None:
        for _ in range(self.random.randint(1, 8)):
            self.knob(dragging=True)
            self.pause(self.random.choice((0, 2, 10)))
        self.document.end_drag()

    def do_type(self) -> None:
        # Into comments of its own at the end, so that the file stays one that runs.
        cursor = QTextCursor(self.window.editor.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        text = f"\n# {self.random.random()} \u00b5 \U0001f600"
        if len(self.typed) > 20_000:
            self.typed = self.typed[: -self.random.randint(100, 5000)]
            # Qt counts UTF-16 units, and its steps by character count pairs of them once.
            units = len(self.typed.encode("utf-16-le")) // 2
            cursor.setPosition(units, QTextCursor.MoveMode.KeepAnchor)
            text = "\n# cut"
        cursor.insertText(text)
        self.typed += text

    def do_undo_text(self) -> None:
        before = self.window.editor.text()
        self.window.editor.undo()
        undone = self.window.editor.text()
        self.window.editor.redo()
        if self.window.editor.text() != before:
            self.fault("undo and redo are not each other's inverse")
        self.window.editor.undo()
        self.typed = undone

    def do_run(self) -> None:
        self.document.run()

    def do_undo_knob(self) -> None:
        history = self.document.knob_history
        history.undo() if self.random.random() < 0.6 else history.redo()

    def do_interrupt(self) -> None:
        self.document.interrupt()

    def do_cancel(self) -> None:
        self.document.cancel()

    def do_reset(self) -> None:
        self.document.reset_knobs()

    def do_pin(self) -> None:
        self.document.pin_baseline()

    def do_cache(self) -> None:
        self.document.set_cache(self.random.choice(("cold", "warm")))

    def do_theme(self) -> None:
        self.window.toggle_theme()

    def do_look(self) -> None:
        self.window.docks.show(self.random.choice(list(self.window.docks.views)))

    def do_restart(self) -> None:
        self.document.restart()

    def do_kill(self) -> None:
        if self.engine.pid is not None and self.engine.state in ("ready", "busy"):
            self.killed += 1
            psutil.Process(self.engine.pid).kill()
            self.wait(lambda: len(self.deaths) >= self.killed, "the death of the engine")

    # ------------------------------------------------------------------------------ resting

    def pause(self, milliseconds: int) -> None:
        """Handle events for a while; with 0 those that wait."""
        if not milliseconds:
            QCoreApplication.processEvents()
            return
        loop = QEventLoop()
        QTimer.singleShot(milliseconds, loop.quit)
        loop.exec()

    def wait(self, condition, what: str) -> bool:
        """Handle events until `condition`; a fault when it never comes."""
        until = time.monotonic() + WAIT_S
        while not condition():
            if time.monotonic() > until:
                work = self.document.work
                at_work = sorted(work._kinds.items()), work.queue.job, work.queue.waiting
                told = [f"{found.stage}: {found.message}" for found in self.document.findings]
                self.fault(
                    f"waited {WAIT_S:.0f} s for {what}: engine {self.engine.state}, {at_work}, "
                    f"open {sorted(self.engine._open_jobs)}, executing {self.engine._executing}, "
                    f"last {self.last}, config {self.document.config.label()}, findings {told}"
                )
                return False
            self.pause(5)
        return True

    def settle(self) -> None:
        """Wait until all is answered and of the config shown; run again where nothing is there."""
        document, work = self.document, self.document.work

        def rests() -> bool:
            return (
                self.engine.state == "ready"
                and work.queue.job is None
                and work.queue.waiting is None
                and not work.user_waits()
                and not work._rerun_when_ready
            )

        self.wait(rests, "rest")
        if document.launch is None:
            document.run()
            self.wait(lambda: document.launch is not None, "launches")
        if not document.is_current(document.coverage):
            # An interrupt or a cancel took the last answer: asking again must bring it.
            document.select_launch(0)
        self.wait(lambda: document.is_current(document.coverage), "the last answer")
        self.wait(rests, "rest after the last answer")

    def sample(self) -> None:
        """Note what window and engine hold."""
        gc.collect()
        self.pause(REST_MS)
        self.uses["window"].append(_use([psutil.Process()]))
        if self.engine.pid is None:
            return
        engine = psutil.Process(self.engine.pid)
        use = _use([engine])
        for _ in range(LOOKS):
            # A thread that is just ending is no thread that stays.
            self.pause(LOOK_MS)
            use.threads = min(use.threads, _use([engine]).threads or use.threads)
        use.gpu_bytes = _gpu_bytes()
        if getattr(self, "_pid", None) != self.engine.pid:
            self.uses["engine"].clear()  # another life
            self.uses["a worker"].clear()
        self._pid = self.engine.pid
        self.uses["engine"].append(use)
        # How many there are goes by the work, up to a limit: one of them must not grow.
        workers = engine.children(recursive=True)
        whole, count = _use(workers), max(len(workers), 1)
        self.uses["a worker"].append(
            Use(whole.rss // count, whole.handles // count, whole.threads // count)
        )

    def _compare(self) -> None:
        for who, uses in self.uses.items():
            settled = uses[len(uses) // 3 :]
            part = max(len(settled) // 4, 1)
            if len(settled) < 4:
                continue
            for what in WHAT:
                level = statistics.median if what in ("rss", "gpu_bytes") else min
                warm = level(getattr(use, what) for use in settled[:part])
                end = level(getattr(use, what) for use in settled[-part:])
                if not warm:
                    continue
                self.outcome.growth[f"{who} {what}"] = round(end / warm - 1, 6)
                self.outcome.levels[f"{who} {what}"] = (getattr(uses[0], what), warm, end)

    def close(self) -> None:
        """End window and engine."""
        self.collector.stop()
        self.errors.remove()
        self.window.close_without_asking()
        self.window.deleteLater()
        for widget in QApplication.topLevelWidgets():
            if widget.parent() is None:
                widget.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _use(processes: list[psutil.Process]) -> Use:
    """Return what some processes hold together; one that has just ended holds nothing."""
    use = Use(0, 0, 0)
    for process in processes:
        try:
            with process.oneshot():
                use.rss += process.memory_info().rss
                use.handles += process.num_fds()
                use.threads += process.num_threads()
        except psutil.Error:
            continue
    return use


def _gpu_bytes() -> int:
    """Return what is used of the first GPU's memory, 0 without one."""
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return 0
    used = int(pynvml.nvmlDeviceGetMemoryInfo(pynvml.nvmlDeviceGetHandleByIndex(0)).used)
    pynvml.nvmlShutdown()
    return used


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--actions", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after so long")
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.actions} actions", flush=True)
    application = QApplication([])
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        os.environ["PLAYGROUND_CONFIG_DIR"] = folder
        soak = Soak(Path(folder), options.seed)
        try:
            outcome = soak.run(options.actions, 60 * options.minutes)
        finally:
            soak.close()
    application.processEvents()
    done = ", ".join(f"{count} {name}" for name, count in outcome.actions.most_common())
    print(f"{sum(outcome.actions.values())} actions in {outcome.elapsed_s:.0f} s: {done}")
    print(f"{outcome.answers} answers; {soak.killed} kills, {len(soak.deaths)} deaths")
    print(f"{'':17} {'start':>9} {'warm':>9} {'end':>9}  (memory in MB)")
    leaks = []
    for name, growth in outcome.growth.items():
        scale = 1e6 if name.endswith(("rss", "bytes")) else 1
        levels = " ".join(f"{level / scale:9.1f}" for level in outcome.levels[name])
        print(f"{name:17} {levels}  {100 * growth:+.1f} %")
        if growth > FLAT:
            leaks.append(f"{name} grew by {100 * growth:.1f} %")
    for fault in leaks:
        print(f"FAULT: {fault}")
    return int(bool(outcome.faults or leaks))


if __name__ == "__main__":
    sys.exit(main())
