"""Python's collector of reference cycles, kept to the window's thread.

It runs in whichever thread happens to allocate next. There it may delete Qt objects of another
thread: a file watcher deleted so leaves a closed socket being watched, and Qt's event loop never
ends. So it is switched off, and a timer of the window's thread does its work.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

_EVERY_MS = 500


class Collector(QObject):
    """Collects what Python's own collector would have, in the thread it was made in."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setObjectName("collector")
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self.collect)

    def start(self) -> None:
        """Switch Python's own off and take over; what is there now stays and is never looked at."""
        gc.disable()
        gc.freeze()
        self._timer.start()

    def stop(self) -> None:
        """Give the work back."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    def collect(self) -> None:
        """Collect the oldest generation whose turn it is, by the counts Python goes by itself."""
        turns = zip(gc.get_count(), gc.get_threshold(), strict=True)
        due = [number for number, (count, most) in enumerate(turns) if 0 < most < count]
        if due:
            gc.collect(due[-1])
