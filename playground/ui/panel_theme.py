"""The window's theme as one panel has it: told of a change when the panel is on screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.ui.sight import FirstSight, on_screen
from playground.ui.theme import Theme

if TYPE_CHECKING:
    from PySide6.QtGui import QFont
    from PySide6.QtWidgets import QWidget

    from playground.ui.theme import ThemeName


class PanelTheme(Theme):
    """Has the colours of `theme` at all times; `changed` waits until `panel` is seen.

    Most panels are behind others, and drawing their plots and tables anew takes longer than all
    that is seen of a new theme.
    """

    def __init__(self, theme: Theme, panel: QWidget) -> None:
        super().__init__(theme.name, panel)
        self._theme, self._panel = theme, panel
        self._sight: FirstSight | None = None
        theme.changed.connect(self._follow)

    @property
    def paper_points(self) -> float:
        """Size of the letters of pictures that are saved for papers."""
        return self._theme.paper_points

    @paper_points.setter
    def paper_points(self, points: float) -> None:
        self._theme.paper_points = points

    def set_name(self, name: ThemeName) -> None:
        """Change the window to another theme."""
        self._theme.set_name(name)

    def stylesheet(self, font: QFont) -> str:
        """Return the application's stylesheet with lengths in terms of `font`'s height."""
        return self._theme.stylesheet(font)

    def _follow(self) -> None:
        self._take_colours(self._theme.name)
        if on_screen(self._panel):
            self._tell()
        elif self._sight is None:
            self._sight = FirstSight(self._panel)
            self._sight.came.connect(self._tell)

    def _tell(self, _panel: QWidget | None = None) -> None:
        if self._sight is not None:
            self._sight.forget()
            self._sight = None
        self.changed.emit()
