"""What the command palette offers: every action, panel, recent file and bundled kernel."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QKeySequence

from playground.model.bundled import bundled_kernels
from playground.ui.actions import ACTIONS, plain_text
from playground.ui.docks import DOCKS
from playground.ui.icons import icon
from playground.ui.palette import Command

if TYPE_CHECKING:
    from playground.ui.action_spec import Needs
    from playground.ui.window import MainWindow


_MISSING: dict[Needs, str] = {
    "text": "needs a text", "launch": "needs a run (F5)", "busy": "nothing is running",
    "measurement": "needs a measurement", "baseline": "nothing is pinned",
    "file": "no file is open", "undo": "no knob was moved", "redo": "nothing was undone",
    "debugged": "nothing is being debugged", "stopped": "the program is not stopped",
    "exported": "nothing was exported",
}  # fmt: skip


def why_not(window: MainWindow, needs: Needs) -> str:
    """Return what an action lacks, in a few words."""
    if needs == "text" and window.document.engine_state == "dead":
        return "the engine has ended"
    return _MISSING.get(needs, "not now")


def all_commands(window: MainWindow) -> list[Command]:
    """Return the commands of `window`; those that cannot be run now say what is missing."""
    native = QKeySequence.SequenceFormat.NativeText
    commands = []
    for spec in ACTIONS:
        action = window.actions_table[spec.id]
        commands.append(
            Command(
                plain_text(action),
                action.trigger,
                action.shortcut().toString(native),
                action.icon() if spec.icon else None,
                spec.tip,
                "" if action.isEnabled() else why_not(window, spec.needs),
            )
        )
    for dock in DOCKS:
        commands.append(
            Command(
                f"Show {dock.title.lower()}", partial(window.docks.show, dock.id),
                dock.keys, icon(dock.icon, window.theme),
            )
        )  # fmt: skip
    for path in window.settings.recent:
        commands.append(
            Command(
                f"Open {os.path.basename(path)}",
                partial(window.files.open_path, path),
                "recent", icon("file", window.theme), path,
            )
        )  # fmt: skip
    for kernel in bundled_kernels():
        commands.append(
            Command(
                f"Open kernel: {kernel.title}",
                partial(window.files.open_path, str(kernel.path)),
                "bundled", icon("coverage", window.theme), kernel.line,
            )
        )  # fmt: skip
    return commands
