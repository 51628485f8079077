"""What the advisor says of kernels crippled by one cause each, and what its tries gain.

`python -m tests.benchmarks.advisor_tries [--only NAME ...] [--from NAME] [--jobs N] [--json FILE]`:
for every kernel of `tests/engine/advisor` its planted cause, what is named first, whether its tuned
twin is left alone, and what the try that comes first gains in a paired comparison. Needs an NVIDIA
GPU. A row is printed, and the file written, as soon as it is known; `--from` goes on after a run
that was cut short, with the rows that the file has.

Several processes compile side by side; who times has the GPU alone (`shared_gpu.py`). With
`--small` the sizes are those for the interpreter, no GPU is needed, and nothing is timed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections import deque
from dataclasses import asdict
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.advisor_rows import HEAD, Row, line, measured, totals
from tests.engine.advisor.table import CASES, Case

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

JOBS = 5
_WORKERS_EACH = 3
_BY_NAME = {case.name: case for case in CASES}


def works(connection: Connection, folder: str, small: bool) -> None:
    """Advise on the cases whose names come in, until there are no more; a process of its own."""
    from playground.engine.session import Session
    from tests.benchmarks.shared_gpu import SharedGpu

    SharedGpu(Path(folder)).serve()
    session = Session()
    if session.device.mode == "gpu":
        session.compiler.worker_limit = _WORKERS_EACH
        session.compiler.start_all()
    try:
        device = session.device
        title = f"{device.badge()}, triton {device.triton}, torch {device.torch}"
        connection.send(title if small or device.mode == "gpu" else "")
        while (name := connection.recv()) is not None:
            connection.send(measured(session, _BY_NAME[name], small=small))
    finally:
        session.close()


def table(cases: Sequence[Case], jobs: int, *, small: bool = False) -> Iterator[str | Row]:
    """Yield what the device is, then the rows as they are known, in no order.

    Nothing but an empty text comes where a GPU is needed and there is none.
    """
    waiting = deque(cases)
    processes = multiprocessing.get_context("spawn")
    started = []
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        alive: dict[Connection, str] = {}
        for _ in range(max(1, min(jobs, len(cases)))):
            ours, theirs = processes.Pipe()
            process = processes.Process(target=works, args=(theirs, folder, small))
            process.start()
            theirs.close()
            stack.callback(process.join, 10)
            stack.callback(ours.close)
            started.append(process)
            alive[ours] = ""
        told = False
        while alive:
            for ready in wait(list(alive)):
                assert isinstance(ready, Connection)
                try:
                    found = ready.recv()
                except EOFError:  # it died; its case is told
                    name = alive.pop(ready)
                    if name:
                        yield Row(name, _BY_NAME[name].cause, note="the process ended")
                    continue
                if isinstance(found, Row) or not told:
                    told = True
                    yield found
                alive[ready] = waiting.popleft().name if waiting and found else ""
                ready.send(alive[ready] or None)
                if not alive[ready]:
                    del alive[ready]


def main(given: Sequence[str]) -> int:
    """Print the table, a row as soon as it is known, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=[], choices=list(_BY_NAME), metavar="NAME")
    parser.add_argument("--from", dest="first", default="", choices=["", *_BY_NAME], metavar="NAME")
    parser.add_argument("--jobs", type=int, default=min(JOBS, max(1, (os.cpu_count() or 1) // 2)))
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    parser.add_argument("--small", action="store_true", help="small sizes, without a GPU")
    options = parser.parse_args(given)
    names = list(_BY_NAME)
    wanted = names[names.index(options.first) :] if options.first else names
    wanted = [name for name in wanted if not options.only or name in options.only]
    rows: dict[str, Row] = {}
    if options.first and options.json and options.json.is_file():
        known = json.loads(options.json.read_text())["rows"]
        rows = {item["name"]: Row(**item) for item in known if item["name"] not in wanted}
    begun = time.perf_counter()
    title = ""
    for found in table([_BY_NAME[name] for name in wanted], options.jobs, small=options.small):
        if isinstance(found, str):
            title = found
            print(f"{title}\n{HEAD}" if title else "needs an NVIDIA GPU (or --small)", flush=True)
            continue
        rows[found.name] = found
        print(line(found), flush=True)
        if options.json:
            shown = [asdict(rows[name]) for name in names if name in rows]
            options.json.write_text(json.dumps({"device": title, "rows": shown}, indent=1))
    if not title:
        return 2
    print(f"{totals(list(rows.values()))}; {time.perf_counter() - begun:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
