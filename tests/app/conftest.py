"""Fixtures for tests with a real kernel: one process per module, and proof that it went away."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from playground.protocol import messages
from playground.ui.document import Document
from playground.ui.engine_process import EngineProcess
from tests.leftovers import Leftovers

START_S = 60.0


def wait_for(condition: Callable[[], object], limit_s: float = 30.0, what: str = "") -> None:
    """Run Qt's events until `condition` holds; fails after `limit_s`."""
    loop = QEventLoop()
    poll = QTimer()
    poll.setInterval(2)
    poll.timeout.connect(lambda: loop.quit() if condition() else None)
    limit = QTimer()
    limit.setSingleShot(True)
    limit.timeout.connect(loop.quit)
    if condition():
        return
    poll.start()
    limit.start(round(limit_s * 1000))
    loop.exec()
    poll.stop()
    limit.stop()
    if not condition():
        pytest.fail(f"waited {limit_s} s in vain{': ' + what if what else ''}")


def pause(seconds: float) -> None:
    """Run Qt's events for a while."""
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


@dataclass
class App:
    """The running app without its window: document, engine, and what came back."""

    engine: EngineProcess
    document: Document
    replies: list[tuple[messages.Reply, int]] = field(default_factory=list)
    deaths: list[str] = field(default_factory=list)

    def ask(self, request: messages.Request, limit_s: float = 30.0) -> list[messages.Reply]:
        """Send a request past the document and return its replies, `Finished` last."""
        job = self.engine.send(request)
        return self.wait_job(job, limit_s)

    def wait_job(self, job: int, limit_s: float = 30.0) -> list[messages.Reply]:
        """Wait for the end of a job and return its replies."""
        wait_for(lambda: isinstance(self.of(job)[-1:] and self.of(job)[-1], messages.Finished),
                 limit_s, f"job {job}")  # fmt: skip
        return self.of(job)

    def of(self, job: int) -> list[messages.Reply]:
        """Return the replies of a job so far."""
        return [reply for reply, number in self.replies if number == job]

    def settle(self, limit_s: float = 60.0) -> None:
        """Wait until the engine is ready and nothing is asked of it any more."""
        work = self.document.work
        wait_for(
            lambda: (
                self.engine.state == "ready"
                and work.queue.job is None
                and not work._kinds
                and not work._ahead_timer.isActive()
            ),
            limit_s,
            "the app to settle",
        )

    def write(self, folder: Path, text: str, name: str = "user.py") -> str:
        """Write a kernel file, open it and return its path."""
        path = folder / name
        path.write_text(text)
        assert self.document.open_file(str(path))
        return str(path)


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves something; its module's kernel may be another one than before."""
    state = Leftovers.before(qt=bool({"qapp", "qtbot", "app"} & set(request.fixturenames)))
    yield
    if "app" in request.fixturenames:
        app: App = request.getfixturevalue("started")
        if app.engine.pid is not None:
            state.processes |= {app.engine.pid, *_children(app.engine.pid)}
        # One thread for the sockets of each kernel; those of kernels before it must be gone.
        loops = [t for t in threading.enumerate() if type(t).__name__ == "_LoopThread"]
        assert len(loops) <= 1
        state.threads |= {thread.ident for thread in loops}
    if "kernel" in request.fixturenames:
        _, process = request.getfixturevalue("kernel")
        state.processes |= set(_children(process.pid))
    left = state.found()
    if left:
        state.end_processes()
        pytest.fail("the test left behind:\n  " + "\n  ".join(left), pytrace=False)


def _children(pid: int) -> list[int]:
    try:
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


@pytest.fixture(scope="module")
def started(qapp: QApplication) -> Iterator[App]:
    """The app with its kernel, started once for the module and gone after it."""
    engine = EngineProcess()
    document = Document(engine)
    app = App(engine, document)
    engine.reply.connect(lambda reply, job: app.replies.append((reply, job)))
    engine.died.connect(app.deaths.append)
    folder = engine._folder
    engine.start()
    wait_for(lambda: engine.state in ("ready", "dead"), START_S, "the kernel")
    assert engine.state == "ready", app.deaths
    yield app
    document.close()
    engine.shutdown()
    document.deleteLater()
    engine.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not folder.exists()
    assert not kernels()


@pytest.fixture
def app(started: App) -> Iterator[App]:
    """The module's app, ready; after the test it is brought to rest."""
    if started.engine.state == "dead":
        started.engine.restart()
    wait_for(lambda: started.engine.state == "ready", START_S, "the kernel")
    started.replies.clear()
    started.deaths.clear()
    yield started
    if started.engine.state == "busy":
        started.document.interrupt()
    if started.engine.state != "dead":
        started.settle()


def kernels() -> list[psutil.Process]:
    """Return the engine processes that this process started and that still run."""
    found = []
    for child in psutil.Process().children(recursive=True):
        try:
            if "playground.engine" in child.cmdline() and child.status() != "zombie":
                found.append(child)
        except psutil.Error:
            continue  # it ended while we looked
    return found
