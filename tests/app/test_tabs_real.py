"""Two files of one name with kernels of one name, in a real engine: each answer is of its own."""

from __future__ import annotations

import os
from functools import partial

import pytest

from playground.protocol import messages
from playground.protocol.messages import PlaneView
from playground.ui.app import build_window
from playground.ui.document import Document
from playground.ui.engine_process import EngineProcess
from playground.ui.settings import Settings
from playground.ui.theme import Theme
from tests.app.conftest import wait_for

TEXT = """
import torch, triton
import triton.language as tl

@triton.jit
def scale(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(out_ptr + at, x * {times}, mask=at < n)

def example(size: int = {size}):
    x = torch.ones(size)
    out = torch.empty_like(x)
    scale[(triton.cdiv(size, 64),)](x, out, size, BLOCK=64)
    return out

def reference(size: int = {size}):
    return torch.full((size,), {times}.0)
"""


@pytest.fixture
def window(qapp, tmp_path):
    engine = EngineProcess()
    made = build_window(
        Document(engine), Theme("light"), engine, settings=Settings(tmp_path / "window.ini")
    )
    made.settings.trust_folder(os.path.realpath(tmp_path))
    engine.start()
    yield made
    made.close_without_asking()
    made.deleteLater()
    made.theme._app = None
    qapp.setStyleSheet("")


def answers(ask):
    """Return what comes of a question, whose last argument is where its answer goes."""
    came = []
    ask(came.append)
    wait_for(lambda: came, 60)
    return came


def test_answers_belong_to_the_file_shown(window, tmp_path):
    paths = []
    for name, times, size in (("one", 2, 100), ("two", 3, 300)):
        (tmp_path / name).mkdir()
        path = tmp_path / name / "kernel.py"
        path.write_text(TEXT.format(times=times, size=size))
        paths.append(str(path))
    wait_for(lambda: window.engine.state == "ready", 90)
    for path in paths:
        assert window.files.open_path(path)
        window.document.run()
        wait_for(lambda: window.document.is_current(window.document.coverage), 60, path)
    runs = {document: document.work.ran_at for document in window.open_files.documents}
    for place, size, times in ((0, 100, 2), (1, 300, 3), (0, 100, 2)):
        document = window.open_files.documents[place]
        window.open_files.show(document)
        # Asked for in this order, answered one after the other, each about its own file.
        window.document.set_knob("BLOCK", 128 if document.config["BLOCK"] != 128 else 32)
        wait_for(lambda: window.document.is_current(window.document.coverage), 60)
        assert window.document.check.status == "correct"
        (out,) = [t for t in window.document.coverage.tensors if t.name == "out_ptr"]
        assert (out.shape, out.stores.total) == ((size,), size)
        ask = window.document
        (ttir,) = answers(partial(ask.request_ir, "ttir"))
        assert f"{times}.0" in ttir.text
        (plane,) = answers(partial(ask.request_plane, "out_ptr", "stores", PlaneView()))
        assert plane.values.sum() >= size
        request = messages.Share(0, ask.config, "reproducer")
        (script,) = answers(partial(ask.work.query, request))
        assert f"x * {times}" in script.text
    assert runs == {d: d.work.ran_at for d in window.open_files.documents}  # nothing ran anew
