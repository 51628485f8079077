"""The slider's way through the real engine: cached configs, no backlog, cancel, compile ahead."""

import pytest

from playground.model.resources import kernels_dir
from playground.protocol import messages
from tests.app.conftest import App, pause, wait_for


@pytest.fixture
def ran(app: App) -> App:
    document = app.document
    document.open_file(str(kernels_dir() / "vector_add.py"))
    document.set_size("size", 5000)
    document.run()
    wait_for(lambda: document.is_current(document.coverage), 60, "coverage")
    app.settle()
    app.replies.clear()
    return app


def replays(app: App) -> int:
    return len({job for reply, job in app.replies if isinstance(reply, messages.Compiled)})


def test_a_move_brings_every_result_of_the_new_config(ran: App) -> None:
    document = ran.document
    document.set_knob("BLOCK_SIZE", 512)
    wait_for(lambda: document.is_current(document.coverage), 60)
    assert document.coverage is not None
    assert document.coverage.grid == (10, 1, 1)
    assert document.coverage.tensor("out_ptr").stores.total == 5000
    assert document.is_current(document.compile_report)
    assert document.is_current(document.measurement)
    assert document.check is not None
    assert document.check.status == "correct"


def test_a_drag_through_twenty_values_leaves_no_backlog(ran: App) -> None:
    document = ran.document
    blocks = [64, 128, 256, 512, 1024, 2048, 1024, 512, 256, 128] * 2
    for block in blocks:
        document.set_knob("BLOCK_SIZE", block, dragging=True)
        pause(0.005)
    assert document.work.queue.waiting is None or document.work.queue.job is not None
    document.end_drag()
    wait_for(lambda: document.is_current(document.coverage), 60)
    ran.settle()
    assert document.config["BLOCK_SIZE"] == 128
    full = [r for r, _ in ran.replies if isinstance(r, messages.Covered) and r.coverage]
    assert len(full) == 1
    assert document.knob_history.count() >= 1


def test_a_second_visit_is_a_cache_hit(ran: App) -> None:
    document = ran.document
    for block in (256, 512, 256):
        document.set_knob("BLOCK_SIZE", block)
        wait_for(lambda: document.is_current(document.coverage), 60)
        ran.settle()
    assert document.compile_report is not None
    assert document.compile_report.cache_hit


def test_neighbours_are_compiled_ahead(ran: App) -> None:
    document = ran.document
    document.set_knob("BLOCK_SIZE", 4096)
    wait_for(lambda: document.is_current(document.coverage), 60)
    ran.settle()
    document.set_knob("BLOCK_SIZE", 8192)
    wait_for(lambda: document.is_current(document.compile_report), 60)
    assert document.compile_report is not None
    assert document.compile_report.cache_hit
    ran.settle()


def test_another_target_compiles_without_running(ran: App) -> None:
    document = ran.document
    document.set_target("hip:gfx942")
    wait_for(
        lambda: (
            document.compile_report is not None and document.compile_report.target == "hip:gfx942"
        ),
        60,
    )
    ran.settle()
    assert document.compile_report is not None
    assert "amdgcn" in document.compile_report.stages
    document.set_target(document.device.target if document.device else "")
    ran.settle()


def test_a_sweep_and_an_export_come_back(ran: App) -> None:
    document = ran.document
    one = {name: (value,) for name, value in document.config.values}
    document.sweep.start_values({**one, "BLOCK_SIZE": (256, 512), "num_warps": (4, 8)})
    wait_for(lambda: document.sweep.result is not None, 60, "the sweep")
    ran.settle()
    assert document.sweep.done == (4, 4)
    assert {row.status for row in document.sweep.rows} == {"correct"}
    exported: list[messages.Exported] = []
    document.exported.connect(exported.append)
    document.export()
    wait_for(lambda: bool(exported), 30, "the export")
    compile(exported[0].text, exported[0].suggested_name, "exec")
    document.exported.disconnect(exported.append)
    ran.settle()


def test_a_sweep_can_be_cancelled(ran: App) -> None:
    document = ran.document
    document.sweep.start_values({"BLOCK_SIZE": tuple(2**n for n in range(4, 13))})
    wait_for(lambda: bool(document.sweep.rows), 60, "a first row")
    document.cancel()
    ran.settle()
    assert document.sweep.result is None or document.sweep.result.cancelled
    document.set_knob("BLOCK_SIZE", 64)
    wait_for(lambda: document.is_current(document.measurement), 60)
    ran.settle()


def test_compiling_ahead_is_not_called_busy(ran: App) -> None:
    document = ran.document
    states: list[str] = []
    document.engineStateChanged.connect(states.append)
    ahead = tuple(document.config.with_value("num_warps", warps) for warps in (1, 16))
    ran.ask(messages.CompileAhead(0, ahead, None), 60)
    document.engineStateChanged.disconnect(states.append)
    assert states == []
    assert ran.engine.state == "ready"
