"""What the compiler made of a launch, from the window's side through the real engine."""

from __future__ import annotations

import pytest

from playground.model.resources import kernels_dir
from playground.ui.document_compilations import Side
from tests.app.conftest import App, wait_for


@pytest.fixture
def ran(app: App) -> App:
    document = app.document
    document.open_file(str(kernels_dir() / "vector_add.py"))
    document.set_size("size", 8192)  # divisible by 16: accesses can be wide
    document.run()
    wait_for(lambda: document.is_current(document.coverage), 60, "coverage")
    app.settle()
    return app


def test_code_by_line_follows_the_config(ran: App) -> None:
    document, code = ran.document, ran.document.compiler.code
    text = document.text.split("\n")
    load = next(at for at, line in enumerate(text, 1) if "tl.load(x_ptr" in line)
    code.want("test", True)
    wait_for(code.is_current, 60, "code by line")
    assert code.is_of_this_file()
    held = code.at(load)
    assert held is not None
    # 1024 float32 over 4 warps of 32 threads: 8 a thread, two loads of 16 bytes.
    assert [(a.what, a.bits, a.count) for a in held.accesses] == [("load", 128, 2)]
    document.set_knob("num_warps", 8)
    wait_for(code.is_current, 60, "code of the other config")
    held = code.at(load)
    assert held is not None
    assert [(a.what, a.bits, a.count) for a in held.accesses] == [("load", 128, 1)]
    code.want("test", False)


def test_stages_lead_to_the_source(ran: App) -> None:
    document, stages = ran.document, ran.document.compiler.stages
    text = document.text.split("\n")
    store = next(at for at, line in enumerate(text, 1) if "tl.store(" in line)
    for stage, word in (("ttgir", "tt.store"), ("ptx", "st.global"), ("sass", "STG")):
        stages.look_at(stage)
        wait_for(lambda stage=stage: stages.is_current(stage), 60, stage)
        reply = stages.text(stage)
        assert reply is not None
        lines = reply.text.split("\n")
        found = [
            behind for line, behind in zip(lines, reply.lines, strict=False)
            if word in line and "//" not in line.split(word)[0]
        ]  # fmt: skip
        assert found
        assert all(store in behind for behind in found)
    stages.look_at("")


def test_passes_say_what_they_changed(ran: App) -> None:
    passes = ran.document.compiler.passes
    passes.want(True)
    wait_for(passes.is_current, 60, "passes")
    passes.want(False)
    recorded = passes.recorded
    assert recorded is not None
    changed = [made for made in recorded.passes if made.changed]
    assert 0 < len(changed) < len(recorded.passes)
    layouts = next(made for made in changed if "ConvertTritonToTritonGPU" in made.name)
    assert "#blocked" in layouts.diff


def test_two_targets_side_by_side(ran: App) -> None:
    state = ran.document.compiler.compilations
    state.choose("left", Side("current"))
    state.choose("right", Side("typed", typed="num_warps=2"))
    state.want(True)
    wait_for(lambda: state.compared is not None and not state.running, 60, "the comparison")
    compared = state.compared
    assert compared is not None
    assert compared.left_report is not None
    assert compared.right_report is not None
    assert compared.right_report.threads == 64
    registers = next(change for change in compared.changes if "registers" in change.name)
    assert (registers.left, registers.right) == (
        compared.left_report.registers, compared.right_report.registers,
    )  # fmt: skip
    state.request_stage("ttgir")
    wait_for(lambda: "ttgir" in state.diffs, 60, "the aligned texts")
    diff = state.diffs["ttgir"]
    assert "num-warps" in diff.left
    assert diff.blocks[0].left_start == 0
    assert diff.blocks[-1].right_end in (diff.right.count("\n"), diff.right.count("\n") + 1)
    state.want(False)


def test_one_config_on_several_targets(ran: App) -> None:
    document, fits = ran.document, ran.document.compiler.fits
    wanted = ("cuda:80", "cuda:90")
    fits.choose(fits.targets(), on=False)
    fits.choose(wanted, on=True)
    fits.compile()
    wait_for(lambda: not fits.running, 120, "the targets")
    assert fits.problem == ""
    assert set(fits.fits) == set(wanted)
    for name in wanted:
        report = fits.fits[name].report
        assert report is not None
        assert report.fits
        assert report.target == name
    assert fits.is_current()
    assert document.config == fits.config
