"""Questions to the engine where only the newest matters (a hover, a zoomed picture)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from collections.abc import Callable

LOST_MS = 4000


class Newest(QObject):
    """At most one question in flight and one waiting; a newer one replaces the waiting one.

    A question whose answer never comes (it failed, or the engine is gone) is given up after a
    few seconds, so that later ones go out again.
    """

    def __init__(self, interval_ms: int, parent: QObject) -> None:
        super().__init__(parent)
        self._pending: tuple[Callable[[Callable[[Any], None]], None], Callable[[Any], None]] | None
        self._pending = None
        self._generation = 0
        self._in_flight = False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(interval_ms)
        self._pause.timeout.connect(self._go)
        self._lost = QTimer(self)
        self._lost.setSingleShot(True)
        self._lost.setInterval(LOST_MS)
        self._lost.timeout.connect(self._give_up)

    @property
    def idle(self) -> bool:
        """Whether nothing is in flight or waiting."""
        return not self._in_flight and self._pending is None

    def ask(
        self, send: Callable[[Callable[[Any], None]], None], take: Callable[[Any], None]
    ) -> None:
        """Call `send` with a callback as soon as it may go out; its answer goes to `take`."""
        self._pending = (send, take)
        if not self._in_flight and not self._pause.isActive():
            self._pause.start()

    def forget(self) -> None:
        """Drop what waits, and ignore the answer that is still to come."""
        self._generation += 1
        self._in_flight = False
        self._pending = None
        self._pause.stop()
        self._lost.stop()

    def _go(self) -> None:
        if self._pending is None:
            return
        (send, take), self._pending = self._pending, None
        self._generation += 1
        generation = self._generation
        self._in_flight = True
        self._lost.start()
        send(lambda reply: self._answer(reply, generation, take))

    def _answer(self, reply: Any, generation: int, take: Callable[[Any], None]) -> None:
        if generation != self._generation:
            return
        self._in_flight = False
        self._lost.stop()
        take(reply)
        if self._pending is not None and not self._in_flight:
            self._pause.start()

    def _give_up(self) -> None:
        # An answer that is only late (behind a long compilation) is still taken, unless a newer
        # question went out meanwhile.
        self._in_flight = False
        self._go()
