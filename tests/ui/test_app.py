"""Starting: what is imported when, what happens to errors, what the photographer tells."""

import json
import subprocess
import sys
import time

import pytest
from PySide6.QtCore import QTimer

from playground.model.finding import Finding
from playground.model.resources import kernels_dir
from playground.protocol import messages
from playground.ui.app import ErrorsToFindings, theme_name
from playground.ui.document import Document
from playground.ui.photograph import photograph
from playground.ui.photograph_sweep import SweepShot
from tests.child_environment import child_environment
from tests.ui.fake_engine import FakeEngine

KERNEL = kernels_dir() / "vector_add.py"

FIRST_PAINT = """
import json, sys
from playground.ui import app
from playground.ui.window import MainWindow
made = MainWindow.__init__
def init(self, *arguments, **named):
    made(self, *arguments, **named)
    def look():
        self.editor.insertPlainText("# typed\\n")
        print(json.dumps({
            "heavy": sorted(set(sys.modules) & set(
                "torch triton qtconsole jupyter_client pyqtgraph zmq jedi pygments".split())),
            "numpy": "numpy._core" in sys.modules,
            "messages": "playground.protocol.replies" in sys.modules,
            "text": self.document.text[:20],
        }), flush=True)
        self.close_without_asking()
    self.firstPainted.connect(look)
MainWindow.__init__ = init
sys.exit(app.main(sys.argv[1:]))
"""


def test_first_paint_comes_before_everything_heavy(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", FIRST_PAINT, str(KERNEL)],
        capture_output=True, text=True, timeout=60, check=False,
        env=child_environment(PLAYGROUND_CONFIG_DIR=str(tmp_path)),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen == {
        "heavy": [],
        "numpy": False,
        "messages": False,
        "text": '# typed\n"""Vector add'[:20],
    }


def test_a_deferred_module_is_whole_when_used(tmp_path):
    code = (
        "import sys; from playground.ui.deferred import defer, load; defer('numpy');"
        "import numpy as np; import numpy; assert 'numpy._core' not in sys.modules;"
        "assert np.arange(3).sum() == 3; load('numpy'); import numpy.linalg;"
        "assert numpy.linalg.norm([3, 4]) == 5; defer('no.such'.split('.')[1] + 'module_x');"
        "print('whole')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "whole\n", done.stderr


def test_an_error_in_a_slot_becomes_a_finding(qtbot, monkeypatch):
    engine = FakeEngine()
    document = Document(engine)
    shown = []
    monkeypatch.setattr(sys, "excepthook", lambda *a: shown.append(a))
    report = ErrorsToFindings(document)
    report.install()
    try:
        sys.excepthook(ValueError, ValueError("broken slot"), None)
        (finding,) = document.findings
        assert finding.stage == "engine"
        assert "broken slot" in finding.message
        assert shown
    finally:
        report.remove()
    engine.shutdown()


def test_theme_choice(qapp):
    assert theme_name("dark") == "dark"
    assert theme_name("light") == "light"
    assert theme_name("system") in ("light", "dark")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_photograph_of_the_scripted_engine(qtbot, qapp, tmp_path, theme):
    png = tmp_path / "deep" / f"{theme}.png"
    result = photograph(
        KERNEL, png, theme=theme, size=(1280, 800), engine=FakeEngine("gpu"), sweep=True,
        front=("compiler",), timeout_s=30,
    )  # fmt: skip
    assert result.missing == ()
    assert result.launches == 1
    assert (result.width, result.height) == (1280, 800)
    assert png.read_bytes().startswith(b"\x89PNG")
    qapp.setStyleSheet("")


def test_photograph_says_what_is_missing(qtbot, qapp, tmp_path):
    engine = FakeEngine("gpu")
    engine.hold = True
    result = photograph(KERNEL, tmp_path / "a.png", engine=engine, timeout_s=0.3)
    assert result.missing == ("engine",)
    qapp.setStyleSheet("")


def test_photograph_moves_knobs(qtbot, qapp, tmp_path):
    engine = FakeEngine("gpu")
    result = photograph(
        KERNEL, tmp_path / "a.png", engine=engine, config={"BLOCK_SIZE": 256}, timeout_s=30
    )
    assert result.missing == ()
    replayed = [request for _, request in engine.sent if isinstance(request, messages.Replay)]
    assert replayed[-1].config["BLOCK_SIZE"] == 256
    qapp.setStyleSheet("")


@pytest.mark.parametrize("part", ["stages:ptx", "lines", "passes", "compilations:ttir", "fits"])
def test_photograph_of_the_compilers_tabs(qtbot, qapp, tmp_path, part):
    engine = FakeEngine("gpu")
    result = photograph(
        KERNEL, tmp_path / "a.png", engine=engine, config={"BLOCK_SIZE": 256}, compiler=part,
        line=22, target="cuda:80", timeout_s=30,
    )  # fmt: skip
    assert result.missing == ()
    qapp.setStyleSheet("")


def test_photograph_of_a_sweep(qtbot, qapp, tmp_path):
    engine = FakeEngine("gpu")
    wish = SweepShot("heat", {"BLOCK_SIZE": "256..1024", "num_warps": "4, 8"}, "BLOCK_SIZE > 256")
    result = photograph(
        KERNEL, tmp_path / "a.png", engine=engine, sweep=True, swept=wish, front=("sweep",),
        timeout_s=30,
    )  # fmt: skip
    assert result.missing == ()
    swept = next(request for _, request in engine.sent if isinstance(request, messages.Sweep))
    assert swept.values["BLOCK_SIZE"] == (256, 512, 1024)
    assert len(swept.values["num_stages"]) == 1
    assert swept.where == ("BLOCK_SIZE > 256",)
    qapp.setStyleSheet("")


def test_photograph_of_an_error_does_not_wait_for_results(qtbot, qapp, tmp_path):
    engine = FakeEngine("gpu")
    engine.launch_count = 0
    engine.run_findings = (Finding("error", "driver", "RuntimeError: on purpose"),)
    started = time.monotonic()
    result = photograph(KERNEL, tmp_path / "a.png", engine=engine, sweep=True, timeout_s=600)
    assert result.missing == ("launches",)
    assert "on purpose" in result.findings[0]
    assert time.monotonic() - started < 300
    qapp.setStyleSheet("")


def test_quitting_at_once_leaves_nothing(qtbot, qapp, tmp_path, monkeypatch):
    from playground.ui import app
    from playground.ui.window import MainWindow

    monkeypatch.setenv("PLAYGROUND_CONFIG_DIR", str(tmp_path))
    made = MainWindow.__init__

    def init(self, *arguments, **named):
        made(self, *arguments, **named)
        QTimer.singleShot(0, self.close_without_asking)

    monkeypatch.setattr(MainWindow, "__init__", init)
    assert app.main() == 0
    qapp.setStyleSheet("")
