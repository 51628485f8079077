"""Fixtures for tests of the window's parts: a fake engine, and a document on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from playground.model.resources import kernels_dir
from playground.ui.document import Document
from tests.ui.fake_engine import FakeEngine
from tests.ui.matmul_engine import MatmulEngine
from tests.ui.recorded_sweep import SPACE
from tests.ui.sweep_engine import SweepEngine


@pytest.fixture
def engine(qapp: QApplication) -> Iterator[FakeEngine]:
    """A fake engine without a GPU, ready."""
    yield from _engine("interpreter", qapp)


@pytest.fixture
def gpu_engine(qapp: QApplication) -> Iterator[FakeEngine]:
    """A fake engine with a GPU, ready."""
    yield from _engine("gpu", qapp)


def _engine(mode: str, qapp: QApplication) -> Iterator[FakeEngine]:
    fake = FakeEngine(mode)
    fake.start()
    yield fake
    fake.shutdown()
    _delete(fake)


@pytest.fixture
def matmul_engine(qapp: QApplication) -> Iterator[MatmulEngine]:
    """A fake engine that counts a matrix product."""
    engine = MatmulEngine()
    engine.start()
    yield engine
    engine.shutdown()


@pytest.fixture
def matmul_document(matmul_engine: MatmulEngine, qtbot: QtBot) -> Iterator[Document]:
    """A document whose matrix product has run and is counted."""
    document = Document(matmul_engine)
    qtbot.waitUntil(lambda: matmul_engine.state == "ready")
    document.set_text("# matmul")
    document.run()
    qtbot.waitUntil(lambda: document.is_current(document.coverage))
    yield document
    document.close()


@pytest.fixture
def sweep_engine(qapp: QApplication) -> Iterator[SweepEngine]:
    engine = SweepEngine()
    engine.start()
    yield engine
    engine.shutdown()


@pytest.fixture
def swept(sweep_engine: SweepEngine, qtbot: QtBot) -> Iterator[Document]:
    """A document with the matmul of `recorded_sweep`, run, and 72 configs set up."""
    document = Document(sweep_engine)
    qtbot.waitUntil(lambda: sweep_engine.state == "ready")
    document.open_file(str(Path(kernels_dir()) / "matmul.py"))
    document.run()
    qtbot.waitUntil(lambda: document.launch is not None and document.work.queue.job is None)
    document.sweep.set_choice(source="values")
    for name, values in SPACE.items():
        document.sweep.set_values(name, ", ".join(map(str, values)))
    yield document
    document.close()
    _delete(document)


@pytest.fixture
def document(engine: FakeEngine, qtbot: QtBot) -> Iterator[Document]:
    """A document on the engine without a GPU, with nothing open."""
    yield from _document(engine, qtbot)


@pytest.fixture
def gpu_document(gpu_engine: FakeEngine, qtbot: QtBot) -> Iterator[Document]:
    """A document on the engine with a GPU, with nothing open."""
    yield from _document(gpu_engine, qtbot)


def _document(engine: FakeEngine, qtbot: QtBot) -> Iterator[Document]:
    made = Document(engine)
    qtbot.waitUntil(lambda: engine.state == "ready")
    yield made
    made.close()
    _delete(made)


@pytest.fixture
def ran(document: Document, qtbot: QtBot) -> Document:
    """The vector add, opened and run without a GPU, every result there."""
    return run_vector_add(document, qtbot)


@pytest.fixture
def gpu_ran(gpu_document: Document, qtbot: QtBot) -> Document:
    """The vector add, opened and run on a GPU, every result there."""
    return run_vector_add(gpu_document, qtbot)


def run_vector_add(document: Document, qtbot: QtBot) -> Document:
    document.open_file(str(Path(kernels_dir()) / "vector_add.py"))
    document.run()
    qtbot.waitUntil(lambda: document.is_current(document.coverage))
    qtbot.waitUntil(lambda: document.work.queue.job is None)
    return document


def _delete(item: QObject) -> None:
    item.deleteLater()
    QCoreApplication.sendPostedEvents(item, QEvent.Type.DeferredDelete)
