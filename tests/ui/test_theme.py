"""Both themes: complete, readable, and drawn with colours that everybody can tell apart."""

import re
from itertools import pairwise

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QPushButton

from playground.model.colormaps import contrast, lightness, owner_colormap, sequential_colormap
from playground.model.resources import assets_dir
from playground.ui.icons import drawing, icon, pixmap
from playground.ui.theme import Theme, mono_font

TEXT = (
    "text", "muted", "accent_link", "good", "warn", "bad", "code_keyword", "code_string",
    "code_comment", "code_number", "code_name", "code_builtin", "code_decorator",
)  # fmt: skip


def rgb(color):
    return color.red(), color.green(), color.blue()


@pytest.fixture(params=["light", "dark"])
def theme(request, qapp):
    return Theme(request.param)


@pytest.mark.parametrize("token", TEXT)
def test_text_stands_out_from_every_ground(theme, token):
    for ground in ("window", "surface", "raised"):
        assert contrast(rgb(theme.color(token)), rgb(theme.color(ground))) >= 4.5, ground


@pytest.mark.parametrize(
    ("token", "ground"),
    [
        ("accent_text", "accent"), ("accent_text", "accent_hover"), ("text", "selection"),
        ("text", "hover"), ("text", "pressed"), ("text", "search"), ("text", "bracket"),
        ("tooltip_text", "tooltip"), ("warn", "warn_fill"), ("good", "good_fill"),
        ("bad", "bad_fill"), ("text", "warn_fill"), ("text", "current_line"),
    ],
)  # fmt: skip
def test_text_on_its_own_ground(theme, token, ground):
    assert contrast(rgb(theme.color(token)), rgb(theme.color(ground))) >= 4.5


def test_plot_lines_stand_out_from_the_plot(theme):
    ground = rgb(theme.color("plot_background"))
    for number in range(1, 9):
        limit = 2.3 if number == 5 else 3.0  # the fifth is the ghost tone, for fills and baselines
        assert contrast(rgb(theme.color(f"plot_{number}")), ground) >= limit, number


def test_the_classes_of_instructions_stand_out_from_what_they_are_drawn_on(theme):
    tokens = [token for token in theme.tokens() if token.startswith("mix_")]
    assert len(tokens) == 11
    for token in tokens:
        for ground in ("tooltip", "surface", "raised"):
            assert contrast(rgb(theme.color(token)), rgb(theme.color(ground))) >= 1.5, ground


def test_both_themes_have_the_same_tokens(qapp):
    assert Theme("light").tokens() == Theme("dark").tokens()


def test_contrast_is_that_of_wcag():
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21.0)
    assert contrast((119, 119, 119), (255, 255, 255)) == pytest.approx(4.48, abs=0.01)


def test_neighbouring_owners_differ_in_lightness():
    colors = owner_colormap()
    for one, other in zip(colors, colors[1:] + colors[:1], strict=True):
        assert abs(lightness(one) - lightness(other)) >= 0.15


def test_amounts_rise_evenly():
    levels = [lightness(color) for color in sequential_colormap(64)]
    steps = [b - a for a, b in pairwise(levels)]
    mean = (levels[-1] - levels[0]) / 63
    assert mean > 0.009
    assert all(abs(step - mean) < 0.4 * mean for step in steps)


def test_stylesheet_leaves_no_token_unresolved(theme):
    text = theme.stylesheet(QFont())
    assert "@" not in text
    for path in re.findall(r'url\("([^"]+)"\)', text):
        with open(path, encoding="utf-8") as file:
            assert "currentColor" not in file.read()


def test_lengths_grow_with_the_font(theme):
    small, large = QFont(), QFont()
    small.setPointSize(8)
    large.setPointSize(24)
    width = re.compile(r"QScrollBar:vertical { width: (\d+)px")
    assert int(width.search(theme.stylesheet(large))[1]) > int(
        width.search(theme.stylesheet(small))[1]
    )


def test_toggle_changes_the_palette_and_tells(qtbot, qapp):
    theme = Theme("light")
    before = qapp.styleSheet(), qapp.palette()
    theme.apply(qapp)
    with qtbot.waitSignal(theme.changed):
        theme.toggle()
    assert theme.name == "dark"
    assert QApplication.palette().base().color() == theme.color("surface")
    qapp.setStyleSheet(before[0])
    qapp.setPalette(before[1])


def test_a_shown_window_takes_the_other_theme_itself(qtbot, qapp):
    """The application's stylesheet stays: a new one costs each widget several times."""
    theme = Theme("light")
    before = qapp.styleSheet(), qapp.palette()
    theme.apply(qapp)
    sheet = qapp.styleSheet()
    button = QPushButton("Run")
    qtbot.addWidget(button)
    button.show()
    theme.set_name("dark")
    assert qapp.styleSheet() == sheet
    assert theme.color("raised").name() in button.styleSheet()
    inked = button.grab().toImage().pixelColor(button.width() // 2, 4)
    assert inked == theme.color("raised")
    qapp.setStyleSheet(before[0])
    qapp.setPalette(before[1])


def test_every_icon_draws_in_the_theme_colour(theme):
    for path in sorted((assets_dir() / "icons").glob("*.svg")):
        image = pixmap(path.stem, theme, "bad", 24, 2.0).toImage()
        assert image.width() == 48
        inked = [
            image.pixelColor(x, y)
            for x in range(0, 48)
            for y in range(0, 48)
            if image.pixelColor(x, y).alpha() > 250
        ]
        assert inked, path.stem
        if path.stem != "app":
            assert abs(inked[len(inked) // 2].red() - theme.color("bad").red()) <= 2
    assert not icon("run", theme).isNull()


def test_unknown_icon_and_colour_are_errors(theme):
    with pytest.raises(KeyError):
        drawing("no-such-drawing")
    with pytest.raises(KeyError):
        theme.color("no-such-colour")


def test_mono_font_is_fixed_width(qapp):
    from PySide6.QtGui import QFontInfo

    assert QFontInfo(mono_font(11)).fixedPitch()


def test_an_icon_has_as_many_pixels_as_the_screen(qapp):
    picture = icon("copy", Theme("light")).pixmap(QSize(16, 16), 2.0)
    assert (picture.width(), picture.devicePixelRatio()) == (32, 2.0)
    assert picture.deviceIndependentSize() == QSize(16, 16)
