"""What the command palette offers: every enabled action, panel, recent file and bundled kernel."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QKeySequence

from playground.ui.actions import ACTIONS, plain_text
from playground.ui.docks import DOCKS
from playground.ui.gallery import bundled_kernels
from playground.ui.icons import icon
from playground.ui.palette import Command

if TYPE_CHECKING:
    from playground.ui.window import MainWindow


def all_commands(window: MainWindow) -> list[Command]:
    """Return the commands of `window` that can be run now."""
    native = QKeySequence.SequenceFormat.NativeText
    commands = []
    for spec in ACTIONS:
        action = window.actions_table[spec.id]
        if action.isEnabled():
            keys = action.shortcut().toString(native)
            commands.append(
                Command(
                    plain_text(action),
                    action.trigger,
                    keys,
                    action.icon() if spec.icon else None,
                    spec.tip,
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
