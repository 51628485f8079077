"""How long until another tab's text can be typed in, and until all panels show its results.

Run: python -m tests.benchmarks.file_switch [--tabs 30] [--rounds 15]

The window has so many bundled kernels open; two of them have run, with every result there
(scripted: what is timed is the window's own work). In turn one comes to the front and then the
other. *Text* ends when the editor has painted it and takes a key, *panels* when all panels are told
and painted. Processor time is of the window's thread: on a busy machine it says more.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from playground.model.resources import kernels_dir
from playground.ui.app import application, build_window
from playground.ui.document import Document
from playground.ui.settings import Settings
from playground.ui.theme import Theme
from tests.ui.fake_engine import FakeEngine

AIM_MS = 100.0
LIMIT_S = 60.0


def main(given: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tabs", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args(given)
    app = application([sys.argv[0]])
    engine = FakeEngine("gpu")
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(Path(folder) / "window.ini")
        window = build_window(Document(engine), Theme("light"), engine, settings=settings)
        window.show()
        window.docks.arrange()
        engine.start()
        window.area.start_colours()
        window.docks.fill_now()
        files = window.open_files

        def wait(done) -> None:
            until = time.monotonic() + LIMIT_S
            while not done():
                if time.monotonic() > until:
                    raise TimeoutError("the window does not come to rest")
                app.processEvents()
                time.sleep(0.002)

        for path in sorted(kernels_dir().glob("*.py"))[: options.tabs]:
            window.files.open_path(str(path))
        ran = (files.documents[0], files.documents[-1])
        for document in ran:
            files.show(document)
            document.run()
            wait(lambda document=document: document.is_current(document.coverage))
        figures: dict[str, list[float]] = {
            name: [] for name in ("text", "text cpu", "panels", "panels cpu")
        }
        for number in range(2 * options.rounds):
            wait(lambda: not engine._queue and not files._telling.isActive())
            start, cpu = time.perf_counter(), time.thread_time()
            files.show(ran[number % 2])
            window.editor.repaint()
            QTest.keyClick(window.editor, Qt.Key.Key_Home)
            figures["text"].append((time.perf_counter() - start) * 1e3)
            figures["text cpu"].append((time.thread_time() - cpu) * 1e3)
            told: list[bool] = []
            files.told.connect(lambda told=told: told.append(True))
            while not told:
                app.processEvents()
            app.processEvents()
            figures["panels"].append((time.perf_counter() - start) * 1e3)
            figures["panels cpu"].append((time.thread_time() - cpu) * 1e3)
        print(f"{len(files.documents)} tabs, {2 * options.rounds} switches; ms: median, worst")
        for name, values in figures.items():
            print(f"  {name:<11} {statistics.median(values):6.1f} {max(values):7.1f}")
        slow = statistics.median(figures["text cpu"]) > AIM_MS
        window.close_without_asking()
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
