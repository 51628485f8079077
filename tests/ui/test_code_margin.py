"""What lines became, beside them in the editor: live, dim while it is old, placed after edits."""

from __future__ import annotations

import itertools
import math

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from playground.model.machine_code import Access, LineCode
from playground.model.matching import line_map
from playground.model.resources import kernels_dir
from playground.protocol import messages
from playground.ui.instruction_mix import MIX, access_text, address_excess, facts, tooltip
from playground.ui.theme import Theme
from tests.ui.windows import open_window

DIM = {  # Machado, Oliveira and Fernandes 2009, severity 1: what eyes without a cone see
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no green": (
        (0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "no red": (
        (0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
}  # fmt: skip


def lab(color, eyes):
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (color.redF(), color.greenF(), color.blueF())
    ]
    r, g, b = (min(max(sum(map(math.prod, zip(row, linear, strict=True))), 0), 1) for row in eyes)
    xyz = (
        (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b,
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
    )  # fmt: skip
    x, y, z = (c ** (1 / 3) if c > 0.008856 else 7.787 * c + 16 / 116 for c in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("eyes", list(DIM))
def test_any_two_classes_are_told_apart_by_every_eye(qapp, name, eyes):
    theme = Theme(name)
    seen = {each.kind: lab(theme.color(each.token), DIM[eyes]) for each in MIX}
    for one, other in itertools.combinations(seen, 2):
        assert math.dist(seen[one], seen[other]) >= 18, (one, other)


def test_what_a_line_became_in_words(qapp):
    code = LineCode(
        7, (("integer", 20), ("floating point", 4), ("wide memory", 4)),
        (Access("load", "global", 128, 4), Access("TMA load", "shared", 0, 2)),
        (("HGMMA", 8),), conversions=1, barriers=2, spill_bytes=96,
    )  # fmt: skip
    assert code.instructions == 28
    assert address_excess(code, 12) == 8
    assert address_excess(code, 30) == 0
    assert facts(code) == (
        "16-byte loads ×4", "TMA loads of shared memory ×2", "HGMMA ×8", "1 layout conversion",
        "2 barriers", "96 B of spills a thread",
    )  # fmt: skip
    assert access_text(Access("async copy", "global", 128, 3)) == "16-byte async copies ×3"
    text = tooltip(code, Theme(), 12, "of an older config")
    assert "line 7: 28 instructions" in text
    assert "71 %" in text  # 20 of 28
    assert "of an older config" in text
    assert "20 instructions for addresses and masks, 12 for all arithmetic" in text


def test_lines_are_found_again_after_an_edit():
    assert line_map("a\nb\nc", "a\nb\nc") == {1: 1, 2: 2, 3: 3}
    assert line_map("a\nb\nc", "a\nnew\nb\nc") == {1: 1, 2: 3, 3: 4}
    assert line_map("a\nb\nc\nd", "a\nB\nd") == {1: 1, 4: 3}
    assert line_map("a\na\na", "a\na") == {1: 1, 2: 2}


def test_the_margin_follows_the_config_and_can_be_hidden(tmp_path, qapp, qtbot):
    path = kernels_dir() / "vector_add.py"
    with open_window(tmp_path, qapp, path=path, views=True) as window:
        document, gutter = window.document, window.editor.gutter
        qtbot.waitUntil(lambda: document.engine_state == "ready")
        narrow = gutter.width_px()
        document.run()
        qtbot.waitUntil(lambda: document.compiler.code.is_current())
        assert gutter.mix.shown
        assert gutter.width_px() > narrow
        assert "line 22: 18 instructions" in gutter.mix.tip(22)
        assert "16-byte loads ×2" in gutter.mix.sentence(22)
        assert gutter.mix.tip(1) == ""

        window.engine.hold = True
        document.set_knob("num_warps", 8)
        assert "not of what is shown now" in gutter.mix.tip(22)
        window.engine.hold = False
        window.engine.release()
        qtbot.waitUntil(lambda: document.compiler.code.is_current())
        # Twice the warps, half the accesses a thread.
        assert "line 22: 9 instructions" in gutter.mix.tip(22)
        assert "shown now" not in gutter.mix.tip(22)

        window.editor.go_to(18)
        QTest.keyClick(window.editor, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: "line 23: 9 instructions" in gutter.mix.tip(23))
        assert "as it was run last" in gutter.mix.tip(23)

        window.actions_table["view.codeMargin"].trigger()
        assert not gutter.mix.shown
        window.actions_table["view.accessMargin"].trigger()
        assert gutter.width_px() == narrow
        assert window.settings.code_margin is False
        before = len(window.engine.requests(messages.GetCode))
        document.set_knob("num_warps", 4)
        qtbot.waitUntil(lambda: document.is_current(document.coverage))
        assert len(window.engine.requests(messages.GetCode)) == before


def test_editor_and_texts_mark_each_other(tmp_path, qapp, qtbot):
    path = kernels_dir() / "vector_add.py"
    with open_window(tmp_path, qapp, path=path, views=True) as window:
        document = window.document
        qtbot.waitUntil(lambda: document.engine_state == "ready")
        document.run()
        qtbot.waitUntil(lambda: document.is_current(document.coverage))
        window.actions_table["compiler.stages"].trigger()
        view = window.docks.views["compiler"]
        text = view.stages.text("ttir")
        qtbot.waitUntil(lambda: text.blockCount() > 5)
        window.editor.go_to(24)
        qtbot.waitUntil(lambda: text.marks == (7, 8))
        text.setFocus()
        view.sourceLinesMarked.emit((22, 24))
        assert window.editor.textCursor().blockNumber() == 21
        ruler = window.area.findChild(type(text.ruler), "editor.ruler")
        assert ruler.lines == (21, 23)
        # A move by hand ends the marks and begins the other way again.
        window.editor.go_to(18)
        qtbot.waitUntil(lambda: ruler.lines == ())
        qtbot.waitUntil(lambda: text.marks == (2, 9))
