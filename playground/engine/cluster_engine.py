"""What an engine of a cluster does for a sweep: it holds one bench worker, a process beside it.

These functions run in ipyparallel's engines, called one at a time; none takes longer than it is
told to wait, so that an engine always hears of the end. What a config does to its process it does
to the worker, which is the same as everywhere else.
"""

from __future__ import annotations

import os
import pickle
import platform
import threading
import time
from dataclasses import dataclass
from typing import Any

from playground.engine.bench_process import BenchError, BenchProcess, DiedError, OverdueError
from playground.engine.gpus import VisibleGpu, visible_gpus

_FORGOTTEN_S = 900.0
"""After so long without a call nobody wants the worker any more: its sweep's engine is gone."""
_WATCH_S = 1.0


@dataclass(frozen=True)
class EngineFacts:
    """Where an engine runs, and which GPUs it may use."""

    host: str
    pid: int
    gpus: tuple[VisibleGpu, ...]


class _Held:
    """One worker, and the thread in which it answers the order under way."""

    def __init__(self, bench: BenchProcess, owner: tuple[str, int]) -> None:
        self.bench = bench
        self._owner = owner
        self._thread: threading.Thread | None = None
        self._answer: Any = None
        self._ended = False
        self._called = time.monotonic()
        threading.Thread(target=self._watch, daemon=True).start()

    def order(self, order: Any, limit_s: float) -> None:
        def work() -> None:
            try:
                if order is None:
                    self.bench.make_ready(self._go_on)
                    self._answer = self.bench.device, self.bench.start_s
                else:
                    self._answer = self.bench.ask(order, limit_s, self._go_on)
            except (BenchError, DiedError, OverdueError) as error:
                self._answer = error
            except _ReleasedError:
                return

        self._answer = None
        self._thread = threading.Thread(target=work, daemon=True)
        self._thread.start()

    def answer(self, wait_s: float) -> Any:
        self._called = time.monotonic()
        if self._thread is not None:
            self._thread.join(wait_s)
        return self._answer

    def close(self) -> None:
        self._ended = True
        if self._thread is not None:
            self._thread.join(5.0)
        self.bench.close()

    def _go_on(self) -> None:
        if self._ended:
            raise _ReleasedError

    def _watch(self) -> None:
        """End the worker when whoever asked for it is gone."""
        host, pid = self._owner
        while not self._ended:
            time.sleep(_WATCH_S)
            gone = host == platform.node() and not os.path.exists(f"/proc/{pid}")
            if gone or time.monotonic() - self._called > _FORGOTTEN_S:
                self.close()


class _ReleasedError(Exception):
    """The sweep has ended; nobody waits for the answer."""


_held: dict[str, _Held] = {}


def facts() -> bytes:
    """Return where this engine is, pickled `EngineFacts`."""
    return pickle.dumps(EngineFacts(platform.node(), os.getpid(), visible_gpus()))


def hold(
    name: str, recipe: bytes, gpu: str, interpret: bool, owner: tuple[str, int]
) -> None:  # fmt: skip
    """Start a worker on one GPU; it is called `name` from now on.

    Parameters
    ----------
    interpret
        Kernels run in Triton's interpreter, even where there is a GPU.
    owner
        Host and number of the process that asks: when it is gone, the worker goes.
    """
    release(name)
    environment = dict(os.environ)
    environment.pop("TRITON_INTERPRET", None)
    if interpret:
        environment["TRITON_INTERPRET"] = "1"
    bench = BenchProcess(pickle.loads(recipe), gpu=gpu, environment=environment)
    held = _held[name] = _Held(bench, tuple(owner))  # type: ignore[arg-type]  # a list by now
    bench.start()
    held.order(None, 0.0)


def ask(name: str, order: bytes, limit_s: float, wait_s: float) -> bytes:
    """Give the worker an order; return what `answer` does."""
    _held[name].order(pickle.loads(order), limit_s)
    return answer(name, wait_s)


def answer(name: str, wait_s: float) -> bytes:
    """Return the pickled answer to the last order, or what went wrong; None when there is none yet.

    The first is to the recipe: the device and the seconds that the start took.
    """
    return pickle.dumps(_held[name].answer(wait_s))


def release(name: str) -> None:
    """End a worker, whatever it does."""
    held = _held.pop(name, None)
    if held is not None:
        held.close()
