"""Labels in the theme's tones, by the role that the application's stylesheet colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

Role = Literal["", "muted", "heading", "title", "good", "warn", "bad"]


def set_role(widget: QWidget, role: Role) -> None:
    """Give `widget` a role; the stylesheet is asked again only where it changes."""
    if widget.property("role") == role:
        return
    widget.setProperty("role", role)
    widget.style().unpolish(widget)
    widget.style().polish(widget)
