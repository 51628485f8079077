"""What is held of every open file: a session each, of which one at a time is at work.

A window has several files open and one engine. Each file's launches stay in a session of their own,
so that no answer is ever about another file than the one asked about; the processes that compile
and time go from session to session, as a machine has room for one set of them.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from playground.engine.memory_limit import machine_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_HELD = 12
"""Files whose launches are kept at most."""

SHARE_HELD = 0.25
"""Share of the memory (the GPU's, where tensors lie there) that files not at work may keep."""


class ReleasedError(LookupError):
    """The launches of the file asked about were let go, for others to have their memory."""


class HeldFiles:
    """The sessions by the window's number of their file; those used longest ago are let go first.

    Parameters
    ----------
    first
        The session that the process began with; it is file 0, and lasts as long as the process.
    make
        Makes the session of another file.
    """

    def __init__(self, first: Any, make: Callable[[], Any]) -> None:
        self._make = make
        self._first = first
        self._sessions: OrderedDict[int, Any] = OrderedDict({0: first})
        self._released: set[int] = set()
        self._at_work = 0

    @property
    def current(self) -> Any:
        """The session that is at work."""
        return self._sessions[self._at_work]

    def of(self, file: int) -> Any:
        """Return a file's session as it is, for a question that is answered beside other work.

        Raises
        ------
        ReleasedError
            Nothing is held of it any more.
        LookupError
            Nothing of it was ever run.
        """
        found = self._sessions.get(file)
        if found is not None:
            return found
        if file in self._released:
            raise ReleasedError("the engine no longer holds this file's launches: run it again")
        raise LookupError("nothing of this file has run yet")

    def take(self, file: int, *, runs: bool = False) -> Any:
        """Put a file's session to work, with all that this process shares, and return it.

        Parameters
        ----------
        runs
            The file is about to be run anew: it need not be held yet, nor any more.

        Raises
        ------
        ReleasedError
            Nothing is held of it any more.
        """
        if file in self._released and not runs:
            self.of(file)
        if file == self._at_work:
            return self.current
        session = self._sessions.get(file)
        if session is None:
            session = self._make()
            self._sessions[file] = session
        self._released.discard(file)
        before = self.current
        before.step_back()
        session.step_forward(before)
        self._at_work = file
        self._sessions.move_to_end(file)
        self._let_go(file)
        return session

    def close_file(self, file: int) -> None:
        """Let go of a file that is no longer open."""
        if file == self._at_work:
            self.take(0, runs=True)
        if file == 0:
            self._first.unload()
        elif file in self._sessions:
            self._end(file)
        self._released.discard(file)

    def close(self) -> None:
        """End all sessions, the one that the process began with as the last."""
        for file in [file for file in self._sessions if file != 0]:
            self._end(file)
        self._first.close()

    def _end(self, file: int) -> None:
        session = self._sessions.pop(file)
        if self._at_work == file:
            self._at_work = 0
        session.close()

    def _let_go(self, file: int) -> None:
        """Let go of files that others need the room of, never of the one at work."""
        others = [number for number in self._sessions if number != file]
        room = SHARE_HELD * (self._first.device.memory_bytes or machine_bytes())
        held = sum(self._sessions[number].held_bytes() for number in others)
        for number in others:
            if len(others) < MOST_HELD and held <= room:
                break
            others = others[1:]
            held -= self._sessions[number].held_bytes()
            if not self._sessions[number].launches:
                continue  # nothing is gained by it, and nothing lost
            self._released.add(number)
            if number == 0:
                self._first.unload()
            else:
                self._end(number)
