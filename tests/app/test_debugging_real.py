"""Stepping on the real engine: it stays free meanwhile, and any program can be ended."""

from __future__ import annotations

import textwrap
from pathlib import Path

import psutil

from playground.protocol import messages
from tests.app.conftest import App, wait_for

FILE = """
    import torch, triton, triton.language as tl

    @triton.jit
    def kernel(x_ptr, rounds):
        total = 0.0
        for k in range(0, rounds):
            total += tl.load(x_ptr) + k
        tl.store(x_ptr + 1, total)

    def example(rounds: int = 3000):
        x = torch.ones(4)
        kernel[(2,)](x, rounds)
        return x
"""


def workers(app: App) -> list[psutil.Process]:
    found = psutil.Process(app.engine.pid).children(recursive=True)
    return [one for one in found if "playground.engine.debug_worker" in words_of(one)]


def words_of(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:  # it ended meanwhile, and is still to be waited for
        return ""


def test_a_program_is_stepped_while_the_engine_is_free(app: App, tmp_path: Path) -> None:
    path = tmp_path / "rounds.py"
    path.write_text(textwrap.dedent(FILE))
    document, debugging = app.document, app.document.debugging
    assert document.open_file(str(path))
    document.run()
    wait_for(lambda: document.is_current(document.coverage), 60, "the coverage")
    app.settle()
    debugging.toggle_point(8)
    debugging.start(1)
    wait_for(lambda: debugging.stop is not None, 60, "the first stop")
    assert document.engine_state == "ready"
    assert debugging.line == 6
    for turn in range(2):
        debugging.move("go")
        wait_for(lambda: not debugging.running, 20, "the breakpoint")
        assert debugging.stop is not None
        assert (debugging.line, debugging.stop.rounds[0].round) == (8, turn)
    # Other work is done meanwhile, and the program still stands.
    replies = app.ask(messages.Replay(0, document.config, ("check",), 99, 20.0, "cold"))
    assert any(isinstance(reply, messages.Checked) for reply in replies)
    values = {one.name: one.text for one in debugging.stop.values}
    assert (values["k"], values["total"]) == ("1", "1")
    debugging.watch("memory['x_ptr'][1] + total")
    wait_for(lambda: debugging.stop is not None and bool(debugging.stop.watches), 10, "the watch")
    assert debugging.stop.watches[0].text == "2"  # its copy of the memory: nothing was stored yet
    (worker,) = workers(app)
    debugging.end()
    wait_for(lambda: worker not in workers(app), 10, "the worker's end")

    # One that runs on is paused, and ended, from outside.
    debugging.clear_points()
    debugging.set_condition(8, "k == -1")
    debugging.start(0)
    wait_for(lambda: debugging.stop is not None, 60, "the first stop")
    debugging.move("go")
    debugging.move("pause")
    wait_for(lambda: not debugging.running, 30, "the pause")
    assert debugging.stop is not None
    assert debugging.stop.reason == "paused"
    (worker,) = workers(app)
    debugging.move("go")
    debugging.end()
    wait_for(lambda: worker not in workers(app), 10, "the worker's end")
    app.settle()
