"""The programs of an interpreted launch: in order, and in turns where they wait for each other.

A GPU runs programs at the same time, so one may wait for what another writes. Here only one runs at
any moment. A program that reads the same values again and again hands over to the next one, and
goes on when its turn comes again: any such order is one that a GPU may choose as well, as long as
all programs that wait fit on it at once. When a whole round changes nothing, all wait forever.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from playground.engine.triton_private.interpreter_limits import (
    NotInterpretableError,
    WaitsForeverError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_WAITING = 1024
"""Programs that may wait at once; each keeps a thread."""
_IDLE_TURNS = 5000
"""Turns in a row that change nothing before nobody is thought to be able to go on."""
_STACK_BYTES = 16 << 20


class _AbandonedError(BaseException):
    """Ends a waiting program of a launch that has failed elsewhere."""


class _Turn:
    """One thread's place in the order; it runs programs until one of them has to wait."""

    def __init__(self) -> None:
        self.program = 0
        self.come = threading.Semaphore(0)
        self.thread: threading.Thread | None = None


class Programs:
    """Runs all programs of one launch.

    Parameters
    ----------
    count
        How many there are.
    select
        Makes a program the current one: its ids, and whom accesses are told of.
    run
        Runs the current program to its end.
    """

    def __init__(self, count: int, select: Callable[[int], None], run: Callable[[], None]) -> None:
        self._count = count
        self._select = select
        self._run = run
        self._next = 0
        self._main = _Turn()
        self._current = self._main
        self._waiting: deque[_Turn] = deque()
        self._others: list[_Turn] = []
        self._idle = 0
        self._error: BaseException | None = None
        self.together = 1

    def run_all(self) -> None:
        """Run every program; what one raises ends them all."""
        try:
            self._run_new()
            while self._waiting:  # this thread has nothing left to do but to wait for the others
                self._hand_to(self._waiting.popleft(), self._main)
        except _AbandonedError:
            pass  # another thread's error, raised below
        except BaseException as error:
            self._error = self._error or error
        self._end_others()
        # Kept here, it would hold every frame it went through, and those this launch's tensors.
        failure, self._error = self._error, None
        try:
            if failure is not None:
                raise failure
        finally:
            del failure

    def wait(self, progressed: bool, place: str) -> None:
        """Let another program go on; called by one that waits, returns when it is its turn again.

        Parameters
        ----------
        progressed
            Whether the program did anything but wait since its last turn.
        place
            Where it waits, for the error when nobody can go on.

        Raises
        ------
        WaitsForeverError
            No program can go on.
        """
        if self._error is not None:
            raise _AbandonedError
        me = self._current
        self._idle = 0 if progressed else self._idle + 1
        if self._idle > max(_IDLE_TURNS, 4 * len(self._waiting)):
            raise WaitsForeverError(
                f"program {me.program} of {self._count} {place} has read the same value again and "
                "again while nothing changed, and no other program can go on: it waits forever"
            )
        if self._next < self._count:
            other = self._new_turn()
        elif self._waiting:
            other = self._waiting.popleft()
        else:
            return
        self._waiting.append(me)
        self.together = max(self.together, len(self._waiting) + 1)
        self._hand_to(other, me)
        self._select(me.program)

    def _new_turn(self) -> _Turn:
        if len(self._others) >= MOST_WAITING:
            raise NotInterpretableError(
                f"more than {MOST_WAITING} programs wait for each other: this kernel cannot be "
                "interpreted"
            )
        made = _Turn()
        self._others.append(made)
        return made

    def _hand_to(self, other: _Turn, me: _Turn) -> None:
        self._current = other
        self._wake(other)
        interrupted: BaseException | None = None
        while True:
            try:
                me.come.acquire()
                break
            except KeyboardInterrupt as error:  # the other must stop first
                interrupted = error
                self._error = self._error or error
        if self._error is not None or interrupted is not None:
            raise _AbandonedError
        self._current = me

    def _wake(self, turn: _Turn) -> None:
        if turn.thread is None and turn is not self._main:
            turn.thread = threading.Thread(target=self._body, args=(turn,), daemon=True)
            with _deep_stack():
                turn.thread.start()
        else:
            turn.come.release()

    def _body(self, turn: _Turn) -> None:
        # NumPy's settings belong to a thread.
        with np.errstate(all="ignore"):
            try:
                self._run_new()
            except _AbandonedError:
                pass
            except BaseException as error:
                self._error = self._error or error
        # After an error the first thread takes over, wherever it waits.
        on = self._error is None and self._waiting
        following = self._waiting.popleft() if on else self._main
        self._current = following
        self._others.remove(turn)
        self._wake(following)

    def _run_new(self) -> None:
        turn = self._current
        while self._next < self._count:
            if self._error is not None:
                raise _AbandonedError
            turn.program = self._next
            self._next += 1
            self._select(turn.program)
            self._run()
            self._idle = 0

    def _end_others(self) -> None:
        """Let every thread that still waits end; only after an error there are any."""
        while self._others:
            turn = self._others[0]
            if turn.thread is None:
                self._others.remove(turn)
                continue
            self._error = self._error or _AbandonedError()
            self._waiting.clear()
            turn.come.release()
            self._main.come.acquire()


@contextlib.contextmanager
def _deep_stack() -> Iterator[None]:
    # Kernels with deep helpers need what the main thread has.
    before = threading.stack_size(_STACK_BYTES)
    try:
        yield
    finally:
        threading.stack_size(before)
