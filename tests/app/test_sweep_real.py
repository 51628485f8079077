"""A sweep through the window's own transport: paused, resumed, the engine killed, gone on with."""

from __future__ import annotations

import json
import os
import signal

from playground.model.sweep import SweepResult
from playground.protocol import messages
from tests.app.conftest import App, pause, wait_for

TEXT = """
import torch, triton, triton.language as tl

@triton.jit
def add_one(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, i < n) + 1, i < n)

def example(n: int = 1000):
    x = torch.zeros(n)
    o = torch.empty_like(x)
    add_one[lambda meta: (triton.cdiv(n, meta["B"]),)](x, o, n, B=64)
    return o
"""
BLOCKS = (16, 32, 64, 128, 256)


def swept(replies: list[messages.Reply]) -> SweepResult:
    return next(reply.result for reply in replies if isinstance(reply, messages.Swept))


def request(app: App, *, resume: bool = False) -> messages.Sweep:
    launch = app.document.launch
    assert launch is not None
    values = {knob.name: (launch.config[knob.name],) for knob in launch.knobs}
    return messages.Sweep(0, launch.config, {**values, "B": BLOCKS}, where=("B != 16",),
                          strategy="exhaustive", resume=resume)  # fmt: skip


def run(app: App, path: str) -> None:
    app.document.open_file(path)
    app.document.run()
    wait_for(lambda: app.document.is_current(app.document.coverage), 60, "the run")
    app.settle()


def test_a_sweep_pauses_and_after_a_kill_only_the_rest_is_tried(app: App, tmp_path) -> None:
    path = app.write(tmp_path, TEXT)
    run(app, path)

    def rows(job: int) -> int:
        return sum(isinstance(reply, messages.SweepProgress) for reply in app.of(job))

    job = app.engine.send(request(app))
    wait_for(lambda: rows(job) >= 2, 60, "two rows")
    app.engine.send(messages.Pause(job))
    pause(1.0)  # what was under way ends
    before = rows(job)
    pause(1.0)
    assert rows(job) == before < len(BLOCKS)
    pid = app.engine.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: app.deaths, 30, "the engine's death")
    app.engine.restart()
    wait_for(lambda: app.engine.state == "ready", 60, "a new engine")
    run(app, path)
    again = swept(app.wait_job(app.engine.send(request(app, resume=True)), 90))
    statuses = {row.config["B"]: row.status for row in again.rows}
    assert statuses == {16: "constraint", 32: "correct", 64: "correct", 128: "correct",
                        256: "correct"}  # fmt: skip
    kept = [row for row in again.rows if row.kept]
    assert len(kept) == before - 1  # all but the one that the condition rules out
    assert not again.cancelled


def test_two_sizes_are_swept_kept_compared_and_exported(app: App, tmp_path) -> None:
    run(app, app.write(tmp_path, TEXT))
    sweep, past = app.document.sweep, app.document.sweep.past
    sweep.prepare()
    sweep.offer_present()
    sweep.set_values("B", "32..128:pow2")
    sweep.set_size("n", "500, 1000")
    sweep.set_choice(where="B < n and B != 128")
    assert sweep.plan_text() == "2 of 3 configs meet the conditions, at each of 2 sizes"
    sweep.start()
    wait_for(lambda: not sweep.running, 90, "the sweep")
    app.settle()
    assert [part.sizes for part in sweep.parts] == [(("n", 500),), (("n", 1000),)]
    for part in sweep.parts:
        assert {row.config["B"]: row.status for row in part.rows} == {
            32: "correct", 64: "correct", 128: "constraint",
        }  # fmt: skip
    wait_for(lambda: len(past.of_this()) >= 2, 30, "the list of past sweeps")
    first, second = sweep.stored()
    past.compare(first, second)
    wait_for(lambda: past.comparison is not None, 30, "the comparison")
    assert past.comparison is not None
    # Without a GPU nothing is timed: what is right in both is the same.
    assert {item.config["B"]: item.change for item in past.comparison.changes} == {
        32: "same", 64: "same",
    }  # fmt: skip
    assert past.before is not None
    assert past.before.sizes == (("n", 500),)
    assert past.before.where == ("B < n and B != 128",)
    exported: list[messages.Exported] = []
    app.document.exported.connect(exported.append)
    sweep.export("t4")
    wait_for(lambda: bool(exported), 30, "the export")
    results = json.loads(exported[0].text)["results"]
    assert {item["invalidity"] for item in results} == {"correct", "constraints"}
    sweep.export("autotune")

    def told() -> bool:
        return any("timed no right config" in item.message for item in app.document.findings)

    wait_for(told, 30, "why there is no tuner to write")
    app.document.exported.disconnect(exported.append)
    app.settle()
