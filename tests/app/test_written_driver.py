"""A file with no driver, through the real engine: from opening it to a slider that moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from playground.model.outline import Driver
from tests.app.conftest import App, wait_for

LAUNCHER = """import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK <= 256, "one program takes 256 elements at most")
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, factor * tl.load(x_ptr + offsets, mask=mask), mask=mask)


def scale(x, factor: float):
    assert x.is_cuda
    out = torch.empty_like(x)
    n = x.numel()
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)
    scale_kernel[grid](x, out, factor, n, BLOCK=128)
    return out
"""


@pytest.fixture
def ran(app: App, tmp_path: Path) -> App:
    path = tmp_path / "scale.py"
    path.write_text(LAUNCHER)
    document = app.document
    document.open_file(str(path))
    assert document.driver is not None
    assert document.driver.kind == "generated"
    document.run()
    wait_for(lambda: document.is_current(document.coverage), 60, "coverage")
    app.settle()
    return app


def test_a_written_driver_runs_and_its_slider_moves(ran: App) -> None:
    document = ran.document
    assert [finding for finding in document.findings if finding.severity == "error"] == []
    assert document.launch is not None
    assert (document.launch.kernel, document.launch.grid) == ("scale_kernel", (8, 1, 1))
    document.set_knob("BLOCK", 256)
    wait_for(lambda: document.is_current(document.coverage), 60)
    assert document.coverage is not None
    assert document.coverage.grid == (4, 1, 1)
    assert document.coverage.tensor("out_ptr").stores.total == 1000
    assert document.check is not None
    assert document.check.status == "correct"


def test_a_value_that_cannot_run_is_known_before_the_slider_gets_there(ran: App) -> None:
    document = ran.document
    document.set_knob("BLOCK", 256)
    assert document.launch is not None
    knob = document.launch.knob("BLOCK")
    wait_for(lambda: 512 in document.unusable_values(knob), 60, "the neighbour compiled ahead")
    assert "256 elements at most" in document.unusable_values(knob)[512]
    assert 128 not in document.unusable_values(knob)
    ran.settle()


def test_an_edited_driver_runs_in_its_place(ran: App) -> None:
    document = ran.document
    edited = "import torch\ny = torch.arange(300, dtype=torch.float32)\nscale(y.cuda(), 0.5)"
    document.set_driver(Driver("typed", "your driver", edited))
    document.run()
    wait_for(lambda: document.launch and document.launch.grid == (3, 1, 1), 60, "the new launch")
    wait_for(lambda: document.is_current(document.coverage), 60)
    assert document.coverage is not None
    assert document.coverage.tensor("out_ptr").stores.total == 300
    ran.settle()
