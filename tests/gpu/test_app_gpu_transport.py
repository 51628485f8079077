"""The app on a GPU: true timings over the transport, and life after a poisoned context."""

from pathlib import Path

import pytest

from playground.model.resources import kernels_dir
from tests.app.conftest import App, app, nothing_left_behind, started, wait_for  # noqa: F401

pytestmark = pytest.mark.gpu

OVERRUN = """
import torch
import triton
import triton.language as tl


@triton.jit
def fill(out_ptr, far, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets + far, 1.0)


def example(far: int = 0):
    out = torch.empty(1024, device="cuda")
    fill[(1,)](out, far, BLOCK=1024)
    torch.cuda.synchronize()
    return out
"""


def test_a_move_brings_gpu_timings(app: App) -> None:  # noqa: F811
    document = app.document
    document.open_file(str(kernels_dir() / "vector_add.py"))
    document.run()
    wait_for(lambda: document.is_current(document.coverage), 120, "coverage")
    document.set_knob("BLOCK_SIZE", 2048)
    wait_for(lambda: document.is_current(document.coverage), 120, "coverage")
    app.settle()
    measured = document.measurement
    assert measured is not None
    assert measured.source in ("cupti", "graph", "events")
    assert measured.bytes_unique == 12 * 98432
    assert measured.bandwidth_gbps is not None
    assert document.check is not None
    assert document.check.status == "correct"


def test_dragging_leaves_no_backlog(app: App) -> None:  # noqa: F811
    document = app.document
    document.open_file(str(kernels_dir() / "vector_add.py"))
    document.run()
    wait_for(lambda: document.is_current(document.coverage), 120, "coverage")
    for number in range(20):
        document.set_knob("BLOCK_SIZE", (256, 512, 1024, 2048)[number % 4], dragging=True)
    document.end_drag()
    wait_for(lambda: document.is_current(document.coverage), 120, "coverage")
    app.settle()
    assert document.work.queue.waiting is None
    assert document.is_current(document.measurement)


def test_an_illegal_access_restarts_the_engine_and_leaves_the_text(
    app: App,  # noqa: F811
    tmp_path: Path,
) -> None:
    document = app.document
    pid = app.engine.pid
    path = app.write(tmp_path, OVERRUN)
    document.set_size("far", 1 << 40)
    document.run()
    wait_for(lambda: app.engine.pid not in (pid, None), 60, "the restart")
    wait_for(lambda: app.engine.state == "ready", 60, "the new kernel")
    said = "\n".join(finding.text() for finding in document.findings)
    assert "illegal memory access" in said
    assert "not run again" in said
    assert (document.path, document.text) == (path, OVERRUN)
    document.set_size("far", 0)
    document.run()
    wait_for(lambda: document.is_current(document.coverage), 120, "coverage after the restart")
    app.settle()
    assert document.check is not None
    assert document.check.status == "correct"
