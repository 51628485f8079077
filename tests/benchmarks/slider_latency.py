"""What a slider move costs beyond its measuring, in the running app with its real kernel.

Run: python -m tests.benchmarks.slider_latency

A move is timed from the call the knob widget makes to the reply that the views redraw from. Of
that, the engine's own time for the check (a run of the kernel and a comparison) and for measuring
is what the user asked for; the rest is overhead: transport, cache look-up, state, queueing.
"""

from __future__ import annotations

import os
import statistics
import sys
import time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import psutil
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from playground.model.resources import kernels_dir
from playground.protocol import messages
from playground.ui.document import Document
from playground.ui.engine_process import EngineProcess

MOVES = 24
BUDGET_MS = 40.0


class Arrivals:
    """When each reply of each job came, in seconds."""

    def __init__(self, engine: EngineProcess) -> None:
        self.items: list[tuple[float, messages.Reply, int]] = []
        engine.reply.connect(self._take)

    def _take(self, reply: messages.Reply, job: int) -> None:
        self.items.append((time.perf_counter(), reply, job))


def wait(condition: object, limit_s: float = 120.0) -> None:
    """Run Qt's events until the condition holds."""
    deadline = time.perf_counter() + limit_s
    loop = QEventLoop()
    poll = QTimer()
    poll.setInterval(1)
    poll.timeout.connect(
        lambda: loop.quit() if condition() or time.perf_counter() > deadline else None  # type: ignore[operator]
    )
    poll.start()
    loop.exec()
    if not condition():  # type: ignore[operator]
        raise SystemExit("waited in vain: the engine does not answer")


def main() -> None:
    application = QApplication(sys.argv)
    started = time.perf_counter()
    engine = EngineProcess()
    document = Document(engine)
    arrivals = Arrivals(engine)
    engine.start()
    wait(lambda: engine.state in ("ready", "dead"))
    print(f"kernel start to ready          {time.perf_counter() - started:8.2f} s")
    try:
        _measure(engine, document, arrivals)
    finally:
        document.close()
        ending = time.perf_counter()
        engine.shutdown()
        print(f"shutdown                       {(time.perf_counter() - ending) * 1e3:8.1f} ms")
        del application


def _measure(engine: EngineProcess, document: Document, arrivals: Arrivals) -> None:
    document.open_file(str(kernels_dir() / "vector_add.py"))
    document.run()
    wait(lambda: document.is_current(document.coverage))
    blocks = (512, 1024, 2048, 4096)
    for block in blocks:  # compile and settle each once
        document.set_knob("BLOCK_SIZE", block)
        wait(lambda: document.is_current(document.coverage))
    _settle(engine, document)

    direct = []
    for _ in range(MOVES):
        direct.append(_round_trip(engine, arrivals, messages.GetClocks()))
    print(f"side question, engine idle     {_median(direct):8.2f} ms")

    moves = [_one_move(engine, document, arrivals, blocks[n % len(blocks)]) for n in range(MOVES)]
    totals, checks, measures = ([move[part] for move in moves] for part in range(3))
    beyond = [total - measure for total, _, measure in moves]
    rest = [total - check - measure for total, check, measure in moves]
    print(f"slider move, cached config     {_median(totals):8.1f} ms   (worst {max(totals):.1f})")
    print(f"  measuring                    {_median(measures):8.1f} ms")
    print(f"  checking the result          {_median(checks):8.1f} ms")
    print(f"  everything else              {_median(rest):8.1f} ms   (worst {max(rest):.1f})")
    print(f"  else / {BUDGET_MS:.0f} ms                 {_median(rest) / BUDGET_MS:8.2f}")
    print(f"  (else + checking) / {BUDGET_MS:.0f} ms    {_median(beyond) / BUDGET_MS:8.2f}")

    before = len(arrivals.items)
    began = time.perf_counter()
    for number in range(20):
        document.set_knob("BLOCK_SIZE", blocks[number % 4], dragging=True)
        _pause(16)
    released = time.perf_counter()
    document.end_drag()
    last = document.revision
    wait(lambda: any(_is_full(reply, last) for _, reply, _ in arrivals.items[before:]))
    shown = time.perf_counter()
    _settle(engine, document)
    ran = sum(isinstance(reply, messages.Compiled) for _, reply, _ in arrivals.items[before:])
    print(
        f"drag through 20 values         {(released - began) * 1e3:8.1f} ms, {ran} replays started"
    )
    print(f"  release to full measurement  {(shown - released) * 1e3:8.1f} ms")
    print(f"  left waiting                 {0 if document.work.queue.waiting is None else 1:8d}")

    busy = engine.send(messages.Run("/tmp/busy.py", "import time\ntime.sleep(0.01)\n" * 60, ""))
    _pause(50)
    asked = [_round_trip(engine, arrivals, messages.GetClocks()) for _ in range(20)]
    print(f"side question, driver sleeping {_median(asked):8.2f} ms   (worst {max(asked):.1f})")
    wait(lambda: any(j == busy and isinstance(r, messages.Finished) for _, r, j in arrivals.items))
    text = "import time\nend = time.time() + 1.5\nwhile time.time() < end:\n    pass\n"
    busy = engine.send(messages.Run("/tmp/busy.py", text, ""))
    _pause(50)
    asked = [_round_trip(engine, arrivals, messages.GetClocks()) for _ in range(20)]
    print(f"side question, driver spinning {_median(asked):8.2f} ms   (worst {max(asked):.1f})")
    wait(lambda: any(j == busy and isinstance(r, messages.Finished) for _, r, j in arrivals.items))

    process = psutil.Process()
    window, kernel = (p.memory_info().rss / 2**20 for p in (process, psutil.Process(engine.pid)))
    print(f"this process (no window)       {window:8.0f} MiB RSS")
    print(f"engine process                 {kernel:8.0f} MiB RSS")
    print(f"torch or triton here           {[m for m in ('torch', 'triton') if m in sys.modules]}")


def _one_move(
    engine: EngineProcess, document: Document, arrivals: Arrivals, block: int
) -> tuple[float, float, float]:
    """Return one move's time in ms, and of it the engine's time for the check and the measuring."""
    other = 4096 if block != 4096 else 512
    if document.config["BLOCK_SIZE"] == block:
        document.set_knob("BLOCK_SIZE", other)
        wait(lambda: document.is_current(document.coverage))
    _settle(engine, document)
    arrivals.items.clear()
    began = time.perf_counter()
    document.set_knob("BLOCK_SIZE", block)
    wait(lambda: document.is_current(document.measurement))
    times = {type(reply): when for when, reply, _ in arrivals.items}
    done = times[messages.Measured]
    # Steps end with their reply, so the time between two replies is the later one's step.
    check = times[messages.Checked] - times[messages.Compiled]
    measure = done - times[messages.Checked]
    return (done - began) * 1e3, check * 1e3, measure * 1e3


def _is_full(reply: messages.Reply, revision: int) -> bool:
    return isinstance(reply, messages.Measured) and reply.revision == revision


def _round_trip(engine: EngineProcess, arrivals: Arrivals, request: messages.Request) -> float:
    began = time.perf_counter()
    job = engine.send(request)
    loop = QEventLoop()

    def look(reply: messages.Reply, number: int) -> None:
        if number == job and not isinstance(reply, messages.Finished):
            loop.quit()

    engine.reply.connect(look)
    loop.exec()
    ended = time.perf_counter()
    engine.reply.disconnect(look)
    return (ended - began) * 1e3


def _settle(engine: EngineProcess, document: Document) -> None:
    work = document.work
    wait(
        lambda: (
            engine.state == "ready"
            and work.queue.job is None
            and not work._kinds
            and not work._ahead_timer.isActive()
        )
    )


def _pause(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def _median(values: list[float]) -> float:
    return statistics.median(values)


if __name__ == "__main__":
    main()
