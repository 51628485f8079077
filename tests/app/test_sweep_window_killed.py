"""The window killed in mid-sweep: its engine and workers go, what was measured stays."""

from __future__ import annotations

import json
import subprocess
import sys

import psutil

from playground.engine.sweep_store import opened
from tests.app.test_sweep_real import BLOCKS, TEXT
from tests.child_environment import ROOT, child_environment

WINDOW = """
import sys
from PySide6.QtWidgets import QApplication
from playground.protocol import messages
from playground.ui.document import Document
from playground.ui.engine_process import EngineProcess
from tests.app.conftest import App, wait_for
from tests.app.test_sweep_real import request, run

qt = QApplication([])
engine = EngineProcess()
app = App(engine, Document(engine))
rows = 0

def take(reply, job):
    global rows
    app.replies.append((reply, job))
    if isinstance(reply, messages.SweepProgress):
        rows += 1
        print("rows", rows, engine.pid, flush=True)
        if rows == 3:
            engine.send(messages.Pause(job))

engine.reply.connect(take)
engine.start()
wait_for(lambda: engine.state == "ready", 60, "the engine")
run(app, sys.argv[1])
engine.send(request(app))
wait_for(lambda: False, 120)
"""
RESUME = """
import json, sys
import playground
from playground.model.sweep_plan import SweepPlan
from playground.model.sweep_space import make_space
from tests.app.test_sweep_real import BLOCKS

session = playground.open(sys.argv[1])
session.run()
launch = session.launches[0].info
values = {**{knob.name: (launch.config[knob.name],) for knob in launch.knobs}, "B": BLOCKS}
space = make_space(launch.knobs, launch.config, values, ("B != 16",))
result = session.sweep(0, plan=SweepPlan(space, start=launch.config, resume=True, stored=True))
print(json.dumps([[row.config["B"], row.status, row.kept] for row in result.rows]))
session.close()
"""


def test_a_killed_window_loses_nothing_that_was_measured(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    path = tmp_path / "user.py"
    path.write_text(TEXT)
    environment = child_environment(interpret=True)
    # Its standard error is not read: full of what Qt says, it must not block.
    window = subprocess.Popen(
        [sys.executable, "-c", WINDOW, str(path)], stdout=subprocess.PIPE, text=True, cwd=ROOT,
        env=environment, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert window.stdout is not None
    with window.stdout:
        for line in window.stdout:
            if line.startswith("rows 3"):
                break
        else:
            raise AssertionError(f"no three rows came: {window.wait()}")
        below = psutil.Process(window.pid).children(recursive=True)
        names = {"playground.engine", "playground.engine.bench_worker"}
        assert names <= {word for one in below for word in one.cmdline()}
        window.kill()
        window.wait()
    _, alive = psutil.wait_procs(below, timeout=20)
    assert not alive

    with opened() as store:
        (cut,) = store.sweeps()
        known = {row.config["B"]: row.status for row, _ in store.rows(cut.number)}
    assert cut.state == "running"
    assert len(known) >= 3
    done = subprocess.run(
        [sys.executable, "-c", RESUME, str(path)], capture_output=True, text=True, cwd=ROOT,
        env=environment, check=True,
    )  # fmt: skip
    rows = json.loads(done.stdout.splitlines()[-1])
    assert {block: status for block, status, _ in rows} == {
        block: "constraint" if block == 16 else "correct" for block in BLOCKS
    }
    kept = {block for block, _, kept in rows if kept}
    assert kept == {block for block, status in known.items() if status == "correct"}
    with opened() as store:
        (whole,) = store.sweeps()
        assert (whole.state, whole.rows) == ("done", len(BLOCKS))
