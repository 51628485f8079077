"""No information by colour alone: what a colour says, a sign, a word or a line's style says too."""

from typing import get_args

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from playground.model.colormaps import contrast
from playground.model.finding import Severity
from playground.model.resources import assets_dir
from playground.model.sweep import SweepStatus
from playground.model.sweep_compare import Change
from playground.ui.instruction_mix import MIX
from playground.ui.mix_paint import paint_piece, textures
from playground.ui.status import _STATES
from playground.ui.theme import Theme
from playground.ui.views.curves_plot import looks
from playground.ui.views.sweep_columns import STATUS
from playground.ui.views.sweep_compare_plot import _LOOKS


def test_every_status_of_a_sweep_has_its_words_and_good_and_bad_other_marks():
    assert set(STATUS) == set(get_args(SweepStatus))
    assert len({words for words, _, _ in STATUS.values()}) == len(STATUS)
    by_tone = {}
    for _, mark, tone in STATUS.values():
        by_tone.setdefault(tone, set()).add(mark)
    assert not by_tone["good"] & by_tone["bad"]
    assert not by_tone["bad"] & by_tone["warn"]


def test_every_state_of_the_engine_has_its_words():
    assert len({words for words, _, _ in _STATES.values()}) == len(_STATES)
    assert len({picture for _, picture, tone in _STATES.values() if tone in ("good", "bad")}) == 2


def test_every_severity_has_a_drawing_of_its_own():
    drawings = {
        (assets_dir() / "icons" / f"{severity}.svg").read_text(encoding="utf-8")
        for severity in get_args(Severity)
    }
    assert len(drawings) == len(get_args(Severity))


def test_every_change_between_two_sweeps_has_a_symbol():
    assert set(_LOOKS) <= set(get_args(Change))  # the others have no two times to draw
    assert len({symbol for _, symbol in _LOOKS.values()}) == len(_LOOKS)


@pytest.mark.parametrize("ordered", [False, True])
def test_the_lines_of_a_curve_differ_by_symbol_or_dashes(qapp, ordered):
    found = looks(Theme("light"), 8, ordered=ordered, rivals=[False] * 6 + [True] * 2)
    styles = [(look.symbol, look.dash) for look in found]
    assert len(set(styles)) == len(styles)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_marks_stand_out_from_every_ground(qapp, name):
    """Text is held in test_theme; these are signs, rings, edges of marks: 3 to 1 at least."""
    theme = Theme(name)

    def rgb(token):
        colour = theme.color(token)
        return colour.red(), colour.green(), colour.blue()

    for token in ("accent", "good", "warn", "bad", "muted", "stopped_arrow"):
        for ground in ("window", "surface", "raised", "plot_background"):
            limit = 2.4 if token == "stopped_arrow" else 3.0  # a drawn arrow on its own line
            assert contrast(rgb(token), rgb(ground)) >= limit, (token, ground)


def test_every_class_of_instructions_has_a_texture_of_its_own(qapp):
    assert set(textures()) == {each.token for each in MIX}
    assert len(set(textures().values())) == len(MIX)


def test_textures_show_on_their_colours(qapp):
    for name in ("light", "dark"):
        theme = Theme(name)
        for each in MIX[1:]:
            image = QImage(8, 8, QImage.Format.Format_RGB32)
            painter = QPainter(image)
            paint_piece(painter, QRectF(0, 0, 8, 8), theme, each.token)
            painter.end()
            found = {image.pixel(x, y) for x in range(8) for y in range(8)}
            light = [QColor(one).lightness() for one in found]
            assert len(found) == 2, each
            assert max(light) - min(light) > 25, (name, each.token)
