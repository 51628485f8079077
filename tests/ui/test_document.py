"""The document: one truth, findings by source, knobs with undo, files, and crashes outlived."""

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from playground.model.config import Config
from playground.model.finding import Finding
from playground.model.knobs import KnobError
from playground.model.outline import Driver
from playground.model.resources import kernels_dir
from playground.protocol import messages
from playground.ui.document import SAMPLE_PROGRAMS, Document
from playground.ui.engine_work import neighbours
from tests.full_disks import read_only_folder
from tests.ui.fake_engine import ELEMENTS, FakeEngine, vector_add_launch

VECTOR_ADD = str(kernels_dir() / "vector_add.py")


def settled(document: Document, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: document.work.queue.job is None and not document.work._kinds)


# ------------------------------------------------------------------------------ files


def test_opening_executes_nothing(document: Document, engine: FakeEngine) -> None:
    assert document.open_file(VECTOR_ADD)
    assert document.path == VECTOR_ADD
    assert "add_kernel" in document.text
    assert [kernel.name for kernel in document.outline.kernels] == ["add_kernel"]
    assert document.driver is not None
    assert document.driver.code == "example()"
    assert not engine.requests(messages.Run)


def test_a_missing_file_is_a_finding_and_keeps_what_was_open(document: Document) -> None:
    document.open_file(VECTOR_ADD)
    assert not document.open_file("/no/such/file.py")
    assert document.path == VECTOR_ADD
    assert "cannot read" in document.findings[0].message


def test_dirty_follows_the_text(document: Document, tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text("x = 1\n")
    document.open_file(str(path))
    seen: list[bool] = []
    document.dirtyChanged.connect(seen.append)
    document.set_text("x = 2\n")
    document.set_text("x = 1\n")
    document.set_text("x = 3\n")
    assert document.save()
    assert seen == [True, False, True, False]
    assert path.read_text() == "x = 3\n"


def test_save_as_takes_the_new_path(document: Document, tmp_path: Path) -> None:
    document.open_file(VECTOR_ADD)
    target = tmp_path / "copy.py"
    assert document.save(str(target))
    assert document.path == str(target)
    assert target.read_text() == Path(VECTOR_ADD).read_text()


def test_a_change_on_disk_is_noticed_when_the_buffer_differs(
    document: Document, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "k.py"
    path.write_text("x = 1\n")
    document.open_file(str(path))
    with qtbot.waitSignal(document.changedOnDisk):
        path.write_text("x = 5\n")
    assert document.text == "x = 1\n"
    assert document.dirty
    assert "changed on disk" in document.findings[0].message
    assert document.reload()
    assert document.text == "x = 5\n"
    assert not document.findings


def test_an_atomic_replacement_is_noticed_twice(
    document: Document, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "k.py"
    path.write_text("x = 1\n")
    document.open_file(str(path))
    for text in ("x = 2\n", "x = 3\n"):
        other = tmp_path / "other"
        other.write_text(text)
        with qtbot.waitSignal(document.changedOnDisk):
            other.replace(path)
        document.reload()
        assert document.text == text


def test_own_saves_are_no_outside_changes(document: Document, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "k.py"
    path.write_text("x = 1\n")
    document.open_file(str(path))
    seen: list[str] = []
    document.changedOnDisk.connect(seen.append)
    document.set_text("x = 2\n")
    document.save()
    qtbot.wait(300)
    assert not seen
    assert not document.findings


def test_a_deletion_is_noticed_and_saving_writes_it_again(
    document: Document, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "k.py"
    path.write_text("x = 1\n")
    document.open_file(str(path))
    with qtbot.waitSignal(document.deletedOnDisk):
        path.unlink()
    assert document.dirty
    assert document.text == "x = 1\n"
    assert "no longer on disk" in document.findings[0].message
    document.set_text("x = 2\n")
    document.set_text("x = 1\n")
    assert document.dirty
    assert document.save()
    assert path.read_text() == "x = 1\n"
    assert not document.dirty
    assert not document.findings


def test_a_deleted_file_that_comes_back_is_as_before(
    document: Document, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "k.py"
    path.write_text("x = 1\n")
    document.open_file(str(path))
    with qtbot.waitSignal(document.deletedOnDisk):
        path.rename(tmp_path / "away.py")
    (tmp_path / "away.py").rename(path)
    qtbot.waitUntil(lambda: not document.dirty)
    assert not document.findings


def test_a_save_does_not_overwrite_what_nobody_was_told_of(
    document: Document, tmp_path: Path
) -> None:
    path = tmp_path / "k.py"
    path.write_text("x = 1\n")
    document.open_file(str(path))
    document.set_text("x = 2\n")
    path.write_text("x = 5\n")  # no event was handled since
    assert not document.save()
    assert path.read_text() == "x = 5\n"
    assert "changed on disk" in document.findings[0].message
    assert document.save()
    assert path.read_text() == "x = 2\n"


def test_a_failed_save_keeps_text_and_file_and_says_what_to_do(
    document: Document, tmp_path: Path
) -> None:
    with read_only_folder(tmp_path, {"k.py": "x = 1\n"}) as folder:
        document.open_file(str(folder / "k.py"))
        document.set_text("x = 2\n")
        assert not document.save()
        assert document.dirty
        assert (folder / "k.py").read_text() == "x = 1\n"
        assert "the text is still here" in document.findings[0].hint
        assert document.save(str(tmp_path / "elsewhere.py"))
        document.file.close()


# ------------------------------------------------------------------------------ running


def test_a_run_brings_launches_and_every_result(ran: Document) -> None:
    assert [launch.kernel for launch in ran.launches] == ["add_kernel"]
    assert ran.config["BLOCK_SIZE"] == 1024
    assert ran.check is not None
    assert ran.check.status == "correct"
    assert ran.is_current(ran.measurement)
    assert ran.is_current(ran.compile_report)
    assert ran.coverage is not None
    assert ran.coverage.grid == (-(-ELEMENTS // 1024), 1, 1)
    assert ran.findings == ()
    assert len(ran.history) == 1


def test_the_buffer_is_what_runs(document: Document, engine: FakeEngine) -> None:
    document.open_file(VECTOR_ADD)
    document.set_text(document.text + "\n# edited\n")
    document.run()
    (request,) = engine.requests(messages.Run)
    assert isinstance(request, messages.Run)
    assert request.text.endswith("# edited\n")
    assert request.path == VECTOR_ADD
    assert request.driver == "example()"


def test_a_syntax_error_is_said_without_the_engine(document: Document, engine: FakeEngine) -> None:
    document.open_file(VECTOR_ADD)
    document.set_text("def broken(:\n")
    document.run()
    assert not engine.requests(messages.Run)
    assert document.findings[0].stage == "syntax"
    assert document.findings[0].line == 1


def test_only_sizes_that_were_moved_are_sent(document: Document, engine: FakeEngine) -> None:
    document.open_file(VECTOR_ADD)
    document.run()
    document.set_size("size", 5000)
    document.run()
    first, second = engine.requests(messages.Run)
    assert first.sizes == {}  # type: ignore[union-attr]
    assert second.sizes == {"size": 5000}  # type: ignore[union-attr]


def test_a_typed_driver_stays_while_the_text_is_edited(document: Document, qtbot: QtBot) -> None:
    document.open_file(VECTOR_ADD)
    document.set_driver(Driver("typed", "add(x, y)", "add(x, y)"))
    with qtbot.waitSignal(document.outlineChanged):
        document.set_text(document.text + "\n")
    assert document.driver is not None
    assert document.driver.code == "add(x, y)"


def test_bandwidth_comes_from_counted_bytes(gpu_ran: Document) -> None:
    measured = gpu_ran.measurement
    assert measured is not None
    assert measured.bytes_unique == 12 * ELEMENTS
    expected = 12 * ELEMENTS / (measured.median_ms * 1e6)
    assert measured.bandwidth_gbps == pytest.approx(expected)
    assert gpu_ran.history == [measured]


def test_the_interpreter_has_no_bandwidth(ran: Document) -> None:
    assert ran.measurement is not None
    assert ran.measurement.bandwidth_gbps is None


def test_moved_knobs_survive_a_run(ran: Document, qtbot: QtBot) -> None:
    ran.set_knob("BLOCK_SIZE", 2048)
    settled(ran, qtbot)
    ran.run()
    settled(ran, qtbot)
    assert ran.config["BLOCK_SIZE"] == 2048
    assert ran.config["num_warps"] == 4


def test_a_failed_run_leaves_the_last_launches(
    ran: Document, engine: FakeEngine, qtbot: QtBot
) -> None:
    engine.run_findings = (Finding("error", "driver", "ZeroDivisionError: division by zero"),)
    ran.run()
    settled(ran, qtbot)
    assert len(ran.launches) == 1
    assert ran.findings[0].message.startswith("ZeroDivisionError")
    engine.run_findings = ()
    ran.run()
    settled(ran, qtbot)
    assert ran.findings == ()


def test_a_run_before_the_engine_is_ready_waits_for_it(qtbot: QtBot) -> None:
    engine = FakeEngine()
    document = Document(engine)
    document.open_file(VECTOR_ADD)
    document.run()
    assert not engine.requests(messages.Run)
    engine.start()
    qtbot.waitUntil(lambda: bool(document.launches))
    settled(document, qtbot)
    document.close()


# ------------------------------------------------------------------------------ knobs


def test_a_new_move_forgets_what_was_undone(ran: Document, qtbot: QtBot) -> None:
    for block in (512, 256):
        ran.set_knob("BLOCK_SIZE", block)
        settled(ran, qtbot)
    history = ran.knob_history
    history.undo()
    assert ran.config["BLOCK_SIZE"] == 512
    assert history.can_redo
    ran.set_knob("BLOCK_SIZE", 2048)
    assert (history.count(), history.can_redo) == (2, False)
    history.undo()
    history.undo()
    assert ran.config["BLOCK_SIZE"] == 1024
    assert not history.can_undo
    history.undo()
    assert ran.config["BLOCK_SIZE"] == 1024


def test_a_drag_is_one_undo_step_and_one_full_measurement(
    ran: Document, engine: FakeEngine, qtbot: QtBot
) -> None:
    before = len(engine.requests(messages.Replay))
    for block in (512, 256, 128, 64):
        ran.set_knob("BLOCK_SIZE", block, dragging=True)
    ran.end_drag()
    settled(ran, qtbot)
    assert ran.knob_history.count() == 1
    replays = engine.requests(messages.Replay)[before:]
    full = [r for r in replays if "coverage" in r.steps]  # type: ignore[union-attr]
    assert len(full) == 1
    assert ran.is_current(ran.coverage)
    ran.knob_history.undo()
    assert ran.config["BLOCK_SIZE"] == 1024
    ran.knob_history.redo()
    assert ran.config["BLOCK_SIZE"] == 64
    settled(ran, qtbot)


def test_dragging_measures_quickly_on_a_gpu_and_not_in_the_interpreter(
    ran: Document, engine: FakeEngine, gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    for document, fake, steps in (
        (ran, engine, ("compile", "check")),
        (gpu_ran, gpu_engine, ("compile", "check", "measure")),
    ):
        document.set_knob("BLOCK_SIZE", 2048, dragging=True)
        request = fake.requests(messages.Replay)[-1]
        assert isinstance(request, messages.Replay)
        assert request.steps == steps
        assert request.budget_ms == 30
        document.end_drag()
        settled(document, qtbot)


def test_a_drag_through_twenty_values_leaves_no_backlog(
    ran: Document, engine: FakeEngine, qtbot: QtBot
) -> None:
    engine.hold = True
    before = len(engine.requests(messages.Replay))
    for stages in range(20):
        ran.set_knob("num_stages", 1 + stages % 8, dragging=True)
    ran.end_drag()
    assert len(engine.requests(messages.Replay)) - before == 1
    engine.hold = False
    engine._schedule()
    settled(ran, qtbot)
    assert len(engine.requests(messages.Replay)) - before == 2
    assert ran.is_current(ran.coverage)


def test_a_sample_is_a_count_of_some_programs_and_nothing_else(
    ran: Document, engine: FakeEngine, qtbot: QtBot
) -> None:
    ran.count_sample()
    settled(ran, qtbot)
    request = engine.requests(messages.Replay)[-1]
    assert isinstance(request, messages.Replay)
    assert (request.steps, request.sample) == (("coverage",), SAMPLE_PROGRAMS)
    ran.set_knob("num_stages", 2)
    settled(ran, qtbot)
    request = engine.requests(messages.Replay)[-1]
    assert isinstance(request, messages.Replay)
    assert request.sample is None


def test_outdated_replies_are_dropped_but_remembered(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    gpu_engine.hold = True
    gpu_ran.set_knob("BLOCK_SIZE", 2048)
    shown = gpu_ran.measurement
    old = gpu_engine.requests(messages.Replay)[-1]
    assert isinstance(old, messages.Replay)
    job = gpu_ran.work.queue.job or 0
    gpu_ran.revision += 1
    measured = gpu_engine.measurement(0, old.config, "cold")
    gpu_engine.reply.emit(messages.Measured(old.revision, measured), job)
    assert gpu_ran.measurement is shown
    assert gpu_ran.history[-1].config == old.config
    gpu_engine.hold = False
    gpu_engine._schedule()
    settled(gpu_ran, qtbot)


def test_values_a_knob_cannot_take_are_refused(ran: Document) -> None:
    with pytest.raises(KnobError):
        ran.set_knob("num_warps", 3)
    with pytest.raises(KnobError):
        ran.set_knob("NO_SUCH", 3)
    assert ran.config["num_warps"] == 4


def test_presets_and_reset(ran: Document, qtbot: QtBot) -> None:
    assert ran.launch is not None
    ran.apply_config(ran.launch.presets[0].config)
    assert (ran.config["BLOCK_SIZE"], ran.config["num_warps"]) == (4096, 8)
    ran.reset_knobs()
    assert ran.config == ran.launch.config
    assert ran.knob_history.count() == 2
    settled(ran, qtbot)


def test_each_launch_keeps_its_own_knobs(
    document: Document, engine: FakeEngine, qtbot: QtBot
) -> None:
    engine.launch_count = 2
    document.open_file(VECTOR_ADD)
    document.run()
    settled(document, qtbot)
    document.set_knob("BLOCK_SIZE", 256)
    document.select_launch(1)
    assert document.config["BLOCK_SIZE"] == 1024
    document.select_launch(0)
    assert document.config["BLOCK_SIZE"] == 256
    document.select_launch(1)
    document.knob_history.undo()
    assert (document.launch_index, document.config["BLOCK_SIZE"]) == (0, 1024)
    settled(document, qtbot)


def test_a_derived_knob_is_marked(ran: Document, engine: FakeEngine) -> None:
    seen: list[bool] = []
    ran.knobsChanged.connect(lambda: seen.append(True))
    checked = messages.Checked(
        ran.revision, ran.config, engine.verdict(ran.config), derived=("BLOCK_SIZE",)
    )
    ran.take_checked(checked)
    assert ran.launch is not None
    assert ran.launch.knob("BLOCK_SIZE").derived
    assert seen == [True]
    assert all("BLOCK_SIZE" in c for c in neighbours(ran.launch, ran.config, None))
    assert {c["BLOCK_SIZE"] for c in neighbours(ran.launch, ran.config, None)} == {1024}


def test_idle_time_compiles_the_neighbours_once(
    ran: Document, engine: FakeEngine, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: bool(engine.requests(messages.CompileAhead)))
    (request,) = engine.requests(messages.CompileAhead)
    assert isinstance(request, messages.CompileAhead)
    values = {(c["BLOCK_SIZE"], c["num_warps"], c["num_stages"]) for c in request.configs}
    assert values == {
        (2048, 4, 3), (512, 4, 3), (1024, 8, 3), (1024, 2, 3), (1024, 4, 4), (1024, 4, 2),
    }  # fmt: skip
    qtbot.wait(400)
    assert len(engine.requests(messages.CompileAhead)) == 1


def test_idle_work_gives_way(ran: Document, engine: FakeEngine, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: ran.work._ahead_timer.isActive())
    engine.hold = True
    qtbot.waitUntil(lambda: bool(engine.requests(messages.CompileAhead)))
    job = next(j for j, r in engine.sent if isinstance(r, messages.CompileAhead))
    ran.set_knob("BLOCK_SIZE", 2048)
    assert job in [c.job for c in engine.requests(messages.Cancel)]  # type: ignore[union-attr]
    engine.hold = False
    engine._schedule()
    settled(ran, qtbot)


# ------------------------------------------------------------------------------ the rest


def test_the_target_recompiles_only(ran: Document, engine: FakeEngine, qtbot: QtBot) -> None:
    ran.set_target("hip:gfx942")
    request = engine.requests(messages.Replay)[-1]
    assert isinstance(request, messages.Replay)
    assert (request.steps, request.target) == (("compile",), "hip:gfx942")
    settled(ran, qtbot)
    assert ran.compile_report is not None
    assert "amdgcn" in ran.compile_report.stages
    assert ran.check is not None


def test_the_cache_mode_remeasures(gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot) -> None:
    gpu_ran.set_cache("warm")
    settled(gpu_ran, qtbot)
    assert gpu_ran.measurement is not None
    assert gpu_ran.measurement.cache == "warm"
    assert [m.cache for m in gpu_ran.history] == ["cold", "warm"]


def test_the_baseline_stays_while_knobs_move(gpu_ran: Document, qtbot: QtBot) -> None:
    gpu_ran.pin_baseline()
    pinned = gpu_ran.measurement
    gpu_ran.set_knob("BLOCK_SIZE", 4096)
    settled(gpu_ran, qtbot)
    assert gpu_ran.baseline is pinned
    assert gpu_ran.measurement is not pinned
    gpu_ran.clear_baseline()
    assert gpu_ran.baseline is None


def test_a_sweep_fills_rows_and_ends(gpu_ran: Document, qtbot: QtBot) -> None:
    gpu_ran.sweep.start_values({"BLOCK_SIZE": (256, 512), "num_warps": (4,), "num_stages": (3, 4)})
    qtbot.waitUntil(lambda: gpu_ran.sweep.result is not None)
    settled(gpu_ran, qtbot)
    assert gpu_ran.sweep.done == (4, 4)
    assert [row.status for row in gpu_ran.sweep.rows] == ["correct", "resources"] * 2
    assert gpu_ran.sweep.result is not None
    assert gpu_ran.sweep.result.best is not None


def test_replays_wait_for_a_sweep(gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot) -> None:
    gpu_engine.hold = True
    gpu_ran.sweep.start()
    before = len(gpu_engine.requests(messages.Replay))
    gpu_ran.set_knob("BLOCK_SIZE", 4096)
    assert len(gpu_engine.requests(messages.Replay)) == before
    gpu_ran.cancel()
    gpu_engine.hold = False
    gpu_engine._schedule()
    settled(gpu_ran, qtbot)
    assert gpu_ran.sweep.result is None


def test_planes_elements_programs_and_text_answer(ran: Document, qtbot: QtBot) -> None:
    got: list[object] = []
    view = messages.PlaneView()
    ran.request_plane("out_ptr", "owner", view, got.append)
    ran.request_element("x_ptr", 3, 7, (), got.append)
    ran.request_program("out_ptr", 5, view, got.append)
    ran.request_ir("ptx", got.append)
    qtbot.waitUntil(lambda: len(got) == 4)
    plane, element, program, text = got
    assert isinstance(plane, messages.Plane)
    assert plane.values[2, 0] == 1  # element 1024 is the second program's
    assert isinstance(element, messages.Element)
    assert (element.index, element.loads, element.stores) == ((3 * 512 + 7,), 1, 0)
    assert isinstance(program, messages.ProgramFootprint)
    assert program.stores == 1024
    assert isinstance(text, messages.Ir)


def test_export_is_handed_on(ran: Document, qtbot: QtBot) -> None:
    with qtbot.waitSignal(ran.exported) as caught:
        ran.export()
    assert caught.args is not None
    assert isinstance(caught.args[0], messages.Exported)


def test_findings_are_replaced_per_source(ran: Document) -> None:
    first = Finding("warning", "compile", "spills")
    second = Finding("error", "check", "wrong")
    ran.set_findings("compile", (first,))
    ran.set_findings("check", (second,))
    assert ran.findings == (second, first)
    ran.set_findings("compile", ())
    assert ran.findings == (second,)


# ------------------------------------------------------------------------------ crashes


def test_a_fatal_error_restarts_and_runs_again(
    gpu_ran: Document, gpu_engine: FakeEngine, qtbot: QtBot
) -> None:
    text = gpu_ran.text
    bad = gpu_ran.config.with_value("BLOCK_SIZE", 64)
    gpu_engine.fatal_configs.add(bad)
    gpu_ran.set_knob("BLOCK_SIZE", 64)
    qtbot.waitUntil(lambda: gpu_engine.restarts == 1)
    qtbot.waitUntil(lambda: gpu_ran.is_current(gpu_ran.coverage))
    settled(gpu_ran, qtbot)
    assert gpu_ran.text == text
    assert gpu_ran.config["BLOCK_SIZE"] == 1024
    said = [f.text() for f in gpu_ran.findings]
    assert any("illegal memory access" in line for line in said)
    assert any("variables made in the console are lost" in line for line in said)


def test_a_crash_while_running_does_not_run_again(
    ran: Document, engine: FakeEngine, qtbot: QtBot
) -> None:
    engine.hold = True
    ran.run()
    runs = len(engine.requests(messages.Run))
    engine.hold = False
    engine.crash()
    qtbot.waitUntil(lambda: engine.state == "ready")
    assert len(engine.requests(messages.Run)) == runs
    assert ran.launches == ()
    assert "not run again" in ran.findings[0].hint


def test_a_crash_at_rest_runs_again_once(ran: Document, engine: FakeEngine, qtbot: QtBot) -> None:
    engine.crash()
    qtbot.waitUntil(lambda: ran.is_current(ran.coverage))
    settled(ran, qtbot)
    assert len(engine.requests(messages.Run)) == 2


def test_a_crash_of_the_second_run_ends_it(ran: Document, engine: FakeEngine, qtbot: QtBot) -> None:
    engine.stateChanged.connect(lambda state: setattr(engine, "hold", state == "ready"))
    engine.crash()
    qtbot.waitUntil(lambda: len(engine.requests(messages.Run)) == 2)
    engine.hold = False
    engine.crash()
    qtbot.waitUntil(lambda: engine.state == "ready")
    qtbot.wait(50)
    assert len(engine.requests(messages.Run)) == 2


def test_a_restart_by_hand_runs_again_with_the_knobs_as_they_stand(
    ran: Document, engine: FakeEngine, qtbot: QtBot
) -> None:
    ran.set_knob("BLOCK_SIZE", 256)
    settled(ran, qtbot)
    ran.pin_baseline()
    ran.restart()
    assert ran.launches == ()
    qtbot.waitUntil(lambda: ran.is_current(ran.coverage))
    settled(ran, qtbot)
    assert len(engine.requests(messages.Run)) == 2
    assert ran.config["BLOCK_SIZE"] == 256
    assert ran.baseline is not None
    (finding,) = ran.findings
    assert finding.severity == "info"
    assert "variables made in the console are lost" in finding.hint
    assert "the file was run again with the knobs as they stood" in finding.hint


def test_a_restart_by_hand_during_a_run_does_not_begin_it_again(
    ran: Document, engine: FakeEngine, qtbot: QtBot
) -> None:
    engine.hold = True
    ran.run()
    ran.restart()
    engine.hold = False
    engine._schedule()
    qtbot.waitUntil(lambda: engine.state == "ready")
    qtbot.wait(30)
    assert len(engine.requests(messages.Run)) == 2
    assert ran.launches == ()
    assert "are lost" in ran.findings[0].hint


def test_the_config_that_ends_the_engine_is_not_replayed(
    ran: Document, engine: FakeEngine, qtbot: QtBot
) -> None:
    engine.fatal_configs = {ran.config.with_value("BLOCK_SIZE", 64)}
    ran.set_knob("num_warps", 8)
    settled(ran, qtbot)
    ran.set_knob("num_warps", 4)
    settled(ran, qtbot)
    ran.set_knob("BLOCK_SIZE", 64)
    qtbot.waitUntil(lambda: len(engine.requests(messages.Run)) == 2)
    qtbot.waitUntil(lambda: ran.is_current(ran.coverage))
    settled(ran, qtbot)
    assert engine.restarts == 1
    assert ran.config["BLOCK_SIZE"] == 1024
    assert any(
        "add_kernel are back to what it launched with" in found.hint for found in ran.findings
    )


def test_interrupt_reaches_the_engine(ran: Document, engine: FakeEngine, qtbot: QtBot) -> None:
    engine.hold = True
    ran.run()
    ran.interrupt()
    assert engine.interrupts == 1
    engine.hold = False
    engine._schedule()
    settled(ran, qtbot)


def test_an_interrupt_without_effect_says_what_else_there_is(
    ran: Document, engine: FakeEngine, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playground.ui.engine_work.INTERRUPT_MS", 50)
    engine.hold = True
    monkeypatch.setattr(engine, "interrupt", lambda: None)
    ran.run()
    engine._set_state("busy")
    ran.interrupt()
    qtbot.waitUntil(lambda: any("no interrupt reaches" in f.message for f in ran.findings))
    engine.hold = False
    engine._schedule()
    settled(ran, qtbot)


def test_carried_configs_drop_what_no_longer_exists() -> None:
    from playground.ui.knob_undo import Moved, carried_over

    old = vector_add_launch()
    config = old.config.updated({"BLOCK_SIZE": 2048, "num_warps": 8})
    before = {0: Moved(old.kernel, old.config, config)}
    knobs = tuple(knob for knob in old.knobs if knob.name != "BLOCK_SIZE")
    config = Config.of({"num_warps": 4, "num_stages": 2})
    new = replace(old, knobs=knobs, config=config)
    kept = carried_over(before, (new,))
    assert kept[0].as_dict() == {"num_warps": 8, "num_stages": 2}


def test_half_typed_text_keeps_the_driver_and_its_sizes(document: Document, qtbot: QtBot) -> None:
    document.open_file(VECTOR_ADD)
    document.set_size("size", 4096)
    driver = document.driver
    document.set_text(document.text + "\ndef half(")
    qtbot.waitUntil(lambda: any(f.severity == "error" for f in document.findings))
    assert document.driver == driver
    assert driver in document.outline.drivers
    assert document.sizes["size"] == 4096


def test_cancel_interrupts_a_run_that_has_no_steps(
    document: Document, engine: FakeEngine, qtbot: QtBot
) -> None:
    document.open_file(VECTOR_ADD)
    engine.hold = True
    document.run()
    engine._set_state("busy")  # the user's code loops for ever
    document.cancel()
    assert engine.interrupts == 1
    engine.hold = False
    engine.release()
    settled(document, qtbot)


def test_one_error_met_twice_is_told_once(document: Document) -> None:
    document.set_findings(
        "run", (Finding("error", "compile", "ValueError: no power of 2", "mask", "a.py", 19),)
    )
    document.set_findings(
        "compile", (Finding("error", "compile", "no power of 2", "write 256", "a.py", 19),)
    )
    assert [found.hint for found in document.findings] == ["write 256"]
