"""What the fastest configs are compiled to on other inputs, compiled while others are still timed.

The best of a sweep are checked at sizes that no block divides, where Triton compiles them anew:
for a large tile that takes seconds, one after the other. The compile workers have nothing to do by
then, so they do it ahead, for those that lead as soon as all configs are compiled.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from playground.engine.bench_messages import Foresee, Foreseen
from playground.engine.bench_process import DiedError, LostError, OverdueError
from playground.engine.job import CancelledError, Job

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from playground.engine.bench_process import Bench
    from playground.engine.compile_messages import Order
    from playground.engine.compiling import Compiler
    from playground.model.config import Config

LEADERS = 3
"""Configs that are compiled ahead while others are still tried: the winner is mostly among them."""
LOOK_S = 10.0
"""So long the file may take on other inputs while configs wait; it is asked again at the end."""
_WAIT_S = 0.05


class Foresight:
    """The other inputs of one sweep, and what was compiled for them; used from several threads.

    `sizes` are none any more where the file does not survive them; `note` says so then.
    """

    def __init__(
        self, compiler: Compiler, seed: int, sizes: tuple[tuple[str, int], ...], limit_s: float
    ) -> None:
        self._compiler = compiler
        self._limit_s = limit_s
        self.seed = seed
        self.sizes = sizes
        self.note = ""
        self._begun = self._given_up = self._stopped = False
        self._changed = threading.Condition()
        self._orders: dict[Config, Order] = {}
        self._waiting: list[Order] = []
        self._told: set[Order] = set()
        self._compiled: set[Order] = set()
        self._job = Job()
        self._thread: threading.Thread | None = None

    # ------------------------------------------------------------------ where the bench is asked

    def turn(
        self, bench: Bench, go_on: Callable[[], None], leaders: Iterable[Config], *, idle: bool
    ) -> None:
        """Use a moment between two configs, in the thread that asks `bench`.

        While there is nothing to try (`idle`) the file runs on the other inputs; once the compile
        workers are free, the leaders are ordered from them.
        """
        if self._given_up:
            return
        if not self._begun:
            if idle:
                self.look(bench, (), go_on, min(LOOK_S, self._limit_s))
        elif self._thread is not None and (new := self._unknown(leaders)):
            self.look(bench, new, go_on, min(LOOK_S, self._limit_s))

    def look(
        self, bench: Bench, configs: Iterable[Config], go_on: Callable[[], None],
        limit_s: float | None = None,
    ) -> None:  # fmt: skip
        """Ask a worker what these configs are compiled to on the other inputs, and order that.

        Raises
        ------
        BenchError
            The worker is of no use.
        """
        new = self._unknown(configs)
        if self._given_up or (self._begun and not new):
            return
        at = " ".join([*(f"{name}={value}" for name, value in self.sizes), f"seed={self.seed}"])
        try:
            answer = bench.ask(Foresee(self.seed, self.sizes, new), limit_s or self._limit_s, go_on)
        except LostError:
            self._given_up = True
            return
        except (DiedError, OverdueError) as error:
            self._give_up_sizes(f"the file does not survive {at}: {error}")
            return
        if not isinstance(answer, Foreseen) or answer.problem:
            self._given_up = True  # what it is, the check itself finds and tells
            if getattr(answer, "fatal", False):
                bench.close()
                self._give_up_sizes(f"the file does not survive {at}: {answer.problem}")
            return
        self._begun = True
        with self._changed:
            for config, order in answer.orders:
                self._orders[config] = order
                if order not in self._told:
                    self._told.add(order)
                    self._waiting.append(order)

    # ------------------------------------------------------------------ compiling

    def start(self) -> None:
        """Let the compile workers begin: they have nothing else to do from now on."""
        if self._thread is None and self.sizes and not self._given_up:
            self._thread = threading.Thread(target=self._compile, daemon=True, name="foresight")
            self._thread.start()

    def wait_for(self, config: Config, go_on: Callable[[], None]) -> None:
        """Wait until a config is compiled for the other inputs, if it ever is."""
        while True:
            with self._changed:
                if self._is_ready(config):
                    return
                self._changed.wait(_WAIT_S)
            go_on()

    def is_ready(self, config: Config) -> bool:
        """Tell whether nothing has to be waited for before a config is checked."""
        with self._changed:
            return self._is_ready(config)

    def end(self) -> None:
        """Give up what is still being compiled."""
        self._job.cancel()
        with self._changed:
            self._stopped = True
        if self._thread is not None:
            self._thread.join()

    # ------------------------------------------------------------------ inside

    def _unknown(self, configs: Iterable[Config]) -> tuple[Config, ...]:
        with self._changed:
            return tuple(config for config in configs if config not in self._orders)

    def _is_ready(self, config: Config) -> bool:
        order = self._orders.get(config)
        running = self._thread is not None and self._thread.is_alive()
        return order is None or order in self._compiled or not running

    def _give_up_sizes(self, why: str) -> None:
        self._given_up = True
        self.sizes = ()
        self.note = f"the fastest were checked with another seed only: {why}"

    def _more(self) -> list[Order] | None:
        with self._changed:
            if self._stopped:
                return None
            found, self._waiting = self._waiting, []
            return found

    def _done(self, order: Order) -> None:
        with self._changed:
            self._compiled.add(order)
            self._changed.notify_all()

    def _compile(self) -> None:
        try:
            self._compiler.compile_ahead(self._more, self._done, self._job)
        except CancelledError:
            return
