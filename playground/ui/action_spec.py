"""What an action is: its words, where it stands, what it needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Menu = Literal["file", "edit", "view", "run", "debug", "help"]
Needs = Literal[
    "", "text", "launch", "busy", "measurement", "baseline", "file", "undo", "redo", "debugged",
    "stopped", "exported", "open", "several", "ran",
]  # fmt: skip

MENU_TITLES: dict[Menu, str] = {
    "file": "&File", "edit": "&Edit", "run": "&Run", "debug": "&Debug", "view": "&View",
    "help": "&Help",
}  # fmt: skip


@dataclass(frozen=True)
class ActionSpec:
    """One action; `handler` is a path from the main window, `needs` what must be there for it.

    `group` numbers the section of its menu; `bar` puts it on the toolbar, in that
    section, with `bar_text` beside its icon if there is one.
    """

    id: str
    text: str
    menu: Menu
    group: int
    handler: str
    icon: str = ""
    keys: str = ""
    tip: str = ""
    needs: Needs = ""
    checkable: bool = False
    bar: int = 0
    bar_text: str = ""
