"""What a test may not leave behind: threads, processes, running timers, top-level widgets."""

from __future__ import annotations

import gc
import threading
import time
from dataclasses import dataclass, field

import psutil

# Helpers of the standard library and of pyzmq that live as long as the process does.
_LASTING_THREADS = ("GarbageCollectorThread", "_DummyThread")
_LASTING_PROCESSES = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")


@dataclass
class Leftovers:
    """What was there before a test; `found` tells what came on top."""

    qt: bool
    threads: set[int | None] = field(default_factory=set)
    processes: set[int] = field(default_factory=set)
    timers: set[int] = field(default_factory=set)
    widgets: set[int] = field(default_factory=set)

    @classmethod
    def before(cls, *, qt: bool) -> Leftovers:
        """Take note of what is there now."""
        state = cls(qt)
        state.threads = {thread.ident for thread in threading.enumerate()}
        state.processes = {process.pid for process in _children()}
        # What earlier tests left to the collector is not looked at: windows, which a thread of this
        # test must not delete, and something of other libraries' that ends the process.
        gc.freeze()
        if qt:
            # A collection in another thread would delete Qt objects there; a watcher so deleted
            # leaves a closed socket watched, and Qt's loop never ends.
            gc.disable()
            state.timers = {id(timer) for timer in _running_timers()}
            state.widgets = {id(widget) for widget in _top_level_widgets()}
        else:
            gc.enable()
        return state

    def found(self, limit_s: float = 5.0) -> list[str]:
        """Return one line for each thing left; those about to end get `limit_s` to do so."""
        deadline = time.monotonic() + limit_s
        while True:
            names = [*self._threads(), *self._processes()]
            if not names or time.monotonic() > deadline:
                break
            threading.Event().wait(0.02)
        if self.qt:
            names += self._qt_objects()
        return names

    def end_processes(self) -> None:
        """Kill the processes that the test left, so that the next test starts clean."""
        for process in _children():
            if process.pid not in self.processes:
                try:
                    process.kill()
                except psutil.NoSuchProcess:
                    continue

    def _threads(self) -> list[str]:
        return [
            f"thread {thread.name}"
            for thread in threading.enumerate()
            if thread.ident not in self.threads and type(thread).__name__ not in _LASTING_THREADS
        ]

    def _processes(self) -> list[str]:
        names = []
        for process in _children():
            if process.pid in self.processes:
                continue
            try:
                names.append(f"process {process.pid}: {' '.join(process.cmdline())[:160]}")
            except psutil.Error:
                continue  # it ended while we looked
        return names

    def _qt_objects(self) -> list[str]:
        from PySide6.QtCore import QCoreApplication, QEvent

        for _ in range(2):  # what was asked to be deleted later is deleted now
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            QCoreApplication.processEvents()
        names: list[str] = []
        if any(id(widget) not in self.widgets for widget in _top_level_widgets()) or any(
            id(timer) not in self.timers for timer in _running_timers()
        ):
            gc.collect()  # a widget in a reference cycle is no leak
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        names += [
            f"top-level widget {type(widget).__name__} {widget.objectName()!r}"
            for widget in _top_level_widgets()
            if id(widget) not in self.widgets
        ]
        names += [
            f"running QTimer {timer.objectName()!r} of {timer.interval()} ms, "
            f"parent {type(timer.parent()).__name__}"
            for timer in _running_timers()
            if id(timer) not in self.timers
        ]
        return names


def _children() -> list[psutil.Process]:
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                continue
            command = " ".join(process.cmdline())
        except psutil.Error:
            continue
        if not any(name in command for name in _LASTING_PROCESSES):
            found.append(process)
    return found


def _running_timers() -> list:
    import shiboken6
    from PySide6.QtCore import QTimer

    # type() instead of isinstance(): a proxy's __class__ may run code.
    timers = [item for item in gc.get_objects() if issubclass(type(item), QTimer)]
    return [timer for timer in timers if shiboken6.isValid(timer) and timer.isActive()]


def _top_level_widgets() -> list:
    from PySide6.QtWidgets import QApplication

    if not isinstance(QApplication.instance(), QApplication):
        return []
    return [
        widget
        for widget in QApplication.topLevelWidgets()
        # Qt keeps its tool tip and its desktop widget for itself.
        if widget.metaObject().className() not in ("QTipLabel", "QDesktopWidget")
    ]
