"""Where Triton has no release (macOS, Windows) files can be edited, and what to do is told."""

import os
import subprocess
import sys

import pytest

from playground.engine import start_failure
from playground.ui.document import Document
from playground.ui.engine_process import EngineProcess
from tests.app.conftest import START_S, wait_for
from tests.cli.command import KERNELS, environment

WHAT = "Triton is not installed here: files can be edited, not run"
BLOCK = """
import sys

class NoTriton:
    def find_spec(self, name, path=None, target=None):
        if name == "triton":
            raise ModuleNotFoundError("No module named 'triton'", name="triton")

sys.meta_path.insert(0, NoTriton())
"""


@pytest.fixture
def no_triton(tmp_path, monkeypatch):
    """Have processes started from here find no Triton."""
    (tmp_path / "sitecustomize.py").write_text(BLOCK)
    there = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(tmp_path), there))))


def test_the_window_says_so_and_edits(qapp, no_triton):
    engine = EngineProcess()
    document = Document(engine)
    deaths = []
    engine.died.connect(deaths.append)
    engine.start()
    wait_for(lambda: deaths and engine.state == "dead", START_S, "the engine to give up")
    (why,) = deaths
    assert why == f"{WHAT} - {start_failure.triton_remedy()}"
    assert [item.message for item in document.findings if item.severity == "error"] == [why]
    assert document.open_file(str(KERNELS / "vector_add.py"))
    assert "def add_kernel" in document.text
    document.close()
    engine.shutdown()
    document.deleteLater()


def test_the_command_line_says_so(no_triton):
    done = subprocess.run(
        [sys.executable, "-m", "playground", "bench", str(KERNELS / "vector_add.py")],
        capture_output=True, text=True, timeout=100, check=False, env=environment(),
    )  # fmt: skip
    assert done.returncode == 1
    assert WHAT in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("system", "remedy"),
    [("linux", "pip install triton`"), ("win32", "triton-windows"), ("darwin", "--remote HOST")],
)
def test_the_remedy_is_that_of_the_system(monkeypatch, system, remedy):
    monkeypatch.setattr(start_failure.sys, "platform", system)
    assert remedy in start_failure.triton_remedy()
