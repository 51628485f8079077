"""Undo of knob moves, one step per gesture, and knobs that stay moved over a new run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QUndoCommand

from playground.model.knobs import KnobError, validate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from playground.model.config import Config
    from playground.model.launch import Launch
    from playground.ui.document import Document


class KnobCommand(QUndoCommand):
    """From one config of a launch to another."""

    def __init__(
        self, document: Document, launch_index: int, before: Config, after: Config, text: str
    ) -> None:
        super().__init__(text)
        self._document = document
        self._launch_index = launch_index
        self._before = before
        self._after = after
        self._applied = True

    def undo(self) -> None:
        """Show the config from before the gesture."""
        self._document.restore_config(self._launch_index, self._before)

    def redo(self) -> None:
        """Show the config after the gesture; nothing to do when the command is first pushed."""
        if self._applied:
            self._applied = False
            return
        self._document.restore_config(self._launch_index, self._after)


def carried_over(
    old: Sequence[Launch], configs: Mapping[int, Config], new: Sequence[Launch]
) -> dict[int, Config]:
    """Return the configs of `new` launches with the values that the user had moved in `old` ones.

    A launch is the same if it has the same index and kernel; a value is kept if its knob still
    exists and still takes it.
    """
    kept: dict[int, Config] = {}
    for index, config in configs.items():
        if index >= len(old) or index >= len(new) or old[index].kernel != new[index].kernel:
            continue
        captured = old[index].config.as_dict()
        result = new[index].config
        for name, value in config.values:
            if name not in result or (name in captured and captured[name] == value):
                continue
            try:
                result = result.with_value(name, validate(new[index].knob(name), value))
            except KnobError:
                continue  # the edited file no longer takes this value: its own one holds
        kept[index] = result
    return kept
