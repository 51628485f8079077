"""A process with torch and triton, nothing else, that forks for each exported file to prove.

`python -I style_proof.py` reads orders from its standard input, a line of JSON each: `file` is run
as the script `file --check` in `folder`, which holds nothing else. It answers on its standard
output with the exit status and what was printed. A fork takes milliseconds where importing torch
and triton anew takes seconds.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.abc
import json
import os
import runpy
import select
import signal
import sys
import time
import traceback


class NoPlayground(importlib.abc.MetaPathFinder):
    """Hides the program where it is installed: an exported file must do without it."""

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        """Refuse the program's package."""
        if name.partition(".")[0] == "playground":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


class Forks:
    """The forks under way."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.waiting: list[dict[str, str]] = []
        self.running: dict[int, tuple[dict[str, str], float]] = {}

    def start(self) -> None:
        """Fork for orders that wait, as many at once as may be."""
        while self.waiting and len(self.running) < self.most:
            order = self.waiting.pop(0)
            number = os.fork()
            if number == 0:
                os._exit(_script(order))
            self.running[number] = (order, time.monotonic() + float(order["limit_s"]))

    def reap(self) -> None:
        """Answer for those that ended; end those that take too long."""
        for number, (order, deadline) in list(self.running.items()):
            if time.monotonic() > deadline:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
            ended, status = os.waitpid(number, os.WNOHANG)
            if not ended:
                continue
            del self.running[number]
            text = ""
            # A fork that was ended at once has made no file yet.
            with (
                contextlib.suppress(FileNotFoundError),
                open(order["output"], encoding="utf-8", errors="replace") as printed,
            ):
                text = printed.read()
            answer = {"id": order["id"], "rc": os.waitstatus_to_exitcode(status), "output": text}
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()


def _script(order: dict[str, str]) -> int:
    """Be the script, in the forked process; return its exit status."""
    os.setsid()
    output = os.open(order["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(order["folder"])
    sys.argv = [order["file"], "--check"]
    sys.path.insert(0, order["folder"])
    try:
        runpy.run_path(order["file"], run_name="__main__")
        code = 0
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        if isinstance(stop.code, str):
            sys.stderr.write(stop.code)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def main() -> None:
    """Carry out orders until there are no more."""
    import torch
    import triton
    import triton.language  # noqa: F401 - imported here so that no fork has to

    sys.meta_path.insert(0, NoPlayground())
    torch.set_num_threads(1)
    torch.testing.assert_close(torch.ones(1), torch.ones(1))  # imports half a second's worth
    gc.collect()
    gc.freeze()
    forks = Forks(int(sys.argv[1]))
    ended = False
    left = b""
    while not ended or forks.waiting or forks.running:
        forks.start()
        forks.reap()
        readable = [] if ended else [0]
        if select.select(readable, [], [], 0.02 if forks.running else None if readable else 0)[0]:
            data = os.read(0, 1 << 16)
            ended = not data
            *lines, left = (left + data).split(b"\n")
            forks.waiting += [json.loads(line) for line in lines]


if __name__ == "__main__":
    main()
