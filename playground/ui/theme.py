"""The theme: named colours, the application's palette and its one stylesheet."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QFontMetrics, QPalette

from playground.model import colormaps
from playground.model.resources import assets_dir
from playground.ui import icon_files
from playground.ui.restyle import Restyling

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

ThemeName = Literal["light", "dark"]
PAPER_POINTS = 9.0


class Theme(QObject):
    """The colours the window is drawn with; `changed` tells every view to redraw.

    Qt's own colour scheme switch does nothing offscreen and on bare X, so palette and stylesheet
    are the project's own, on the Fusion style.
    """

    changed = Signal()

    def __init__(self, name: ThemeName = "light", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._take_colours(name)
        self._paper_points = PAPER_POINTS
        self._app: QApplication | None = None
        self._applied: ThemeName = name
        self._restyling = Restyling(self)

    @property
    def paper_points(self) -> float:
        """Size of the letters of pictures that are saved for papers."""
        return self._paper_points

    @paper_points.setter
    def paper_points(self, points: float) -> None:
        self._paper_points = points

    @property
    def name(self) -> ThemeName:
        """`light` or `dark`."""
        return self._name

    @property
    def is_dark(self) -> bool:
        """Whether light text stands on a dark ground."""
        return self._name == "dark"

    def tokens(self) -> tuple[str, ...]:
        """Return the names of all colours."""
        return tuple(self._colors)

    def color(self, token: str) -> QColor:
        """Return the colour called `token`; raises `KeyError` if the theme has none."""
        return QColor(self._colors[token])

    def set_name(self, name: ThemeName) -> None:
        """Change to the other theme and redraw everything."""
        if name == self._name:
            return
        self._take_colours(name)
        if self._app is not None:
            self._restyle(self._app)
        self.changed.emit()

    def toggle(self) -> None:
        """Change from light to dark or back."""
        self.set_name("light" if self.is_dark else "dark")

    def apply(self, app: QApplication) -> None:
        """Give `app` the Fusion style with this theme's palette and stylesheet."""
        self._app = app
        self._restyling.wear("")
        self._applied = self._name
        if app.style().name() != "fusion":
            app.setStyle("Fusion")
        app.setPalette(self.palette())
        app.setStyleSheet(self.stylesheet(app.font()))

    def _take_colours(self, name: ThemeName) -> None:
        self._name: ThemeName = name
        self._colors = _colors(name)

    def _restyle(self, app: QApplication) -> None:
        """Give the windows that are there this theme's look; the application keeps its first."""
        if not any(each.parent() is None for each in app.topLevelWidgets()):
            self.apply(app)
            return
        app.setPalette(self.palette())
        first = self._name == self._applied
        self._restyling.wear("" if first else self.stylesheet(app.font()))

    def palette(self) -> QPalette:
        """Return the palette for Fusion, and for widgets that a stylesheet does not reach."""
        roles = QPalette.ColorRole
        palette = QPalette()
        for role, token in (
            (roles.Window, "window"), (roles.WindowText, "text"), (roles.Base, "surface"),
            (roles.AlternateBase, "raised"), (roles.Text, "text"), (roles.Button, "raised"),
            (roles.ButtonText, "text"), (roles.BrightText, "bad"), (roles.Highlight, "selection"),
            (roles.HighlightedText, "text"), (roles.ToolTipBase, "tooltip"),
            (roles.ToolTipText, "tooltip_text"), (roles.PlaceholderText, "muted"),
            (roles.Link, "accent_link"), (roles.LinkVisited, "accent_link"),
            (roles.Light, "raised"), (roles.Midlight, "hover"), (roles.Mid, "border_strong"),
            (roles.Dark, "border_strong"), (roles.Shadow, "border_strong"),
            (roles.Accent, "accent"),
        ):  # fmt: skip
            palette.setColor(role, self.color(token))
        for role in (roles.WindowText, roles.Text, roles.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, role, self.color("disabled"))
        return palette

    def stylesheet(self, font: QFont) -> str:
        """Return the application's stylesheet with lengths in terms of `font`'s height."""
        unit = QFontMetrics(font).height() / 4
        text = _template()
        text = re.sub(r"@icon\(([\w-]+), *(\w+)\)", self._icon_url, text)
        text = re.sub(r"@(\d+)px", lambda found: f"{max(round(int(found[1]) * unit), 1)}px", text)
        return re.sub(r"@(\w+)", lambda found: self._colors[found[1]], text)

    def owner_colormap(self) -> tuple[colormaps.Rgb, ...]:
        """Return the cyclic colours of owner programs: program `p` takes entry `p % len`."""
        return colormaps.owner_colormap()

    def sequential_colormap(self, entries: int = 256) -> tuple[colormaps.Rgb, ...]:
        """Return `entries` colours from little to much, even in perceived lightness."""
        return colormaps.sequential_colormap(entries)

    def _icon_url(self, found: re.Match[str]) -> str:
        return icon_files.url(found[1], self._colors[found[2]])


_FIXED_FONTS = ["DejaVu Sans Mono", "Noto Sans Mono", "Liberation Mono", "Menlo", "Consolas"]


def mono_font(point_size: float = 0.0) -> QFont:
    """Return the fixed-width font of editor, console and IR; `point_size` 0 means the app's own."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    if not QFontInfo(font).fixedPitch():
        # Without a desktop nobody answers for "the system's fixed font"; these are the usual ones.
        font = QFont(_FIXED_FONTS)
    font.setStyleHint(QFont.StyleHint.Monospace)
    size = point_size or QFont().pointSizeF()
    if size > 0:
        font.setPointSizeF(size)
    return font


@cache
def _tables() -> dict[str, dict[str, str]]:
    return tomllib.loads((assets_dir() / "theme.toml").read_text(encoding="utf-8"))


def _colors(name: ThemeName) -> dict[str, str]:
    return _tables()[name]


@cache
def _template() -> str:
    text = (assets_dir() / "window.qss").read_text(encoding="utf-8")
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
