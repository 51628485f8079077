"""The title bar of a panel that stands alone: icon, title, buttons to float and to close it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QLabel, QToolButton, QWidget

from playground.ui import icons

if TYPE_CHECKING:
    from playground.ui.theme import Theme


class DockTitle(QWidget):
    """Looks like the tabs of panels that share a place; dragging it moves the panel.

    It is bare at first, and made when it is first to be seen: most panels start behind tabs.
    """

    def __init__(self, dock: QDockWidget, picture: str, theme: Theme) -> None:
        super().__init__(dock)
        self._dock = dock
        self._picture = picture
        self._theme = theme
        self.setObjectName(f"{dock.objectName()}.title")
        self.setAccessibleName(dock.windowTitle())
        self._side = 4 * (self.fontMetrics().height() // 4)
        self._parts: tuple[QWidget, ...] = ()
        self._bare = True
        self.setMaximumHeight(0)

    def _build(self) -> None:
        unit = self._side // 4
        self._icon = QLabel(self)
        label = QLabel(self.accessibleName(), self)
        self._float = self._button("float", "Float or dock this panel", self._toggle_floating)
        self._close = self._button(
            "cross", "Close this panel; the View menu brings it back", self._dock.close
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(3 * unit, unit, unit, unit)
        row.addWidget(self._icon)
        row.addWidget(label)
        row.addStretch()
        row.setSpacing(unit)
        row.addWidget(self._float)
        row.addWidget(self._close)
        self._parts = (self._icon, label, self._float, self._close)
        self._theme.changed.connect(self._redraw_icons)
        self._redraw_icons()

    def set_bare(self, bare: bool) -> None:
        """Take no room at all, or stand as a title bar."""
        if not bare and not self._parts:
            self._build()
        self._bare = bare
        for part in self._parts:
            part.setVisible(not bare)
        self.setMaximumHeight(0 if bare else 16777215)
        self.setMinimumHeight(0)

    def sizeHint(self) -> QSize:
        """Return no height while bare."""
        return QSize(0, 0) if self._bare else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        """Return no height while bare."""
        return QSize(0, 0) if self._bare else super().minimumSizeHint()

    def _toggle_floating(self) -> None:
        self._dock.setFloating(not self._dock.isFloating())

    def _button(self, picture: str, tip: str, slot: object) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName(f"{self._dock.objectName()}.{picture}")
        button.setAccessibleName(tip)
        button.setToolTip(tip)
        button.setProperty("picture", picture)
        button.setIconSize(QSize(self._side, self._side) * 0.85)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAutoRaise(True)
        button.clicked.connect(slot)
        return button

    def _redraw_icons(self) -> None:
        ratio = self.devicePixelRatioF()
        self._icon.setPixmap(icons.pixmap(self._picture, self._theme, "muted", self._side, ratio))
        for button in (self._float, self._close):
            button.setIcon(icons.icon(str(button.property("picture")), self._theme, "muted"))
