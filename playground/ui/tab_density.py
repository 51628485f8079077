"""How close together the tabs of a bar stand: a property that the stylesheet looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QCoreApplication, QEvent

if TYPE_CHECKING:
    from PySide6.QtWidgets import QTabBar

Density = Literal["false", "true", "tight"]


def set_density(tabs: QTabBar, density: Density) -> None:
    """Give tabs the usual room, less (`true`), or the least."""
    if (tabs.property("compact") or "false") == density:
        return
    tabs.setProperty("compact", density)
    tabs.style().unpolish(tabs)
    tabs.style().polish(tabs)
    # Only this has the bar measure its tabs anew.
    QCoreApplication.sendEvent(tabs, QEvent(QEvent.Type.StyleChange))
