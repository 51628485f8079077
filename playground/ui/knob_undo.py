"""Undo of knob moves, one step per gesture, and knobs that stay moved over a new run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from playground.model.knobs import KnobError, validate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from playground.model.config import Config
    from playground.model.launch import Launch


MOST_STEPS = 1000
"""Gestures that can be undone; of more the oldest are forgotten, or a long session grows on."""


@dataclass(frozen=True)
class KnobStep:
    """From one config of a launch to another, in one gesture."""

    launch: int
    before: Config
    after: Config
    text: str


class KnobHistory(QObject):
    """The steps of a document, and which of them are undone.

    Not Qt's own: when Python's collector meets a `QUndoStack` that holds commands written in
    Python, both are deleted twice and the process ends (PySide6 6.11).

    Parameters
    ----------
    restore
        Shows a config of a launch.
    """

    indexChanged = Signal(int)

    def __init__(self, restore: Callable[[int, Config], None], parent: QObject) -> None:
        super().__init__(parent)
        self._restore = restore
        self._steps: list[KnobStep] = []
        self._index = 0

    def push(self, step: KnobStep) -> None:
        """Add a step that was just made; those that were undone are forgotten."""
        self._steps[self._index :] = [step]
        del self._steps[:-MOST_STEPS]
        self._move(len(self._steps))

    def undo(self) -> None:
        """Show the config from before the last step that is not undone."""
        if self._index:
            step = self._steps[self._index - 1]
            self._move(self._index - 1)
            self._restore(step.launch, step.before)

    def redo(self) -> None:
        """Show the config after the first step that is undone."""
        if self._index < len(self._steps):
            step = self._steps[self._index]
            self._move(self._index + 1)
            self._restore(step.launch, step.after)

    def clear(self) -> None:
        """Forget every step."""
        self._steps.clear()
        self._move(0)

    def count(self) -> int:
        """Return how many steps there are, undone ones included."""
        return len(self._steps)

    @property
    def index(self) -> int:
        """How many steps are made and not undone."""
        return self._index

    @property
    def can_undo(self) -> bool:
        """Whether a step is left to undo."""
        return self._index > 0

    @property
    def can_redo(self) -> bool:
        """Whether a step is undone."""
        return self._index < len(self._steps)

    def _move(self, index: int) -> None:
        self._index = index
        self.indexChanged.emit(index)


@dataclass(frozen=True)
class Moved:
    """Knobs that were moved: of which kernel, from which config as captured, to which."""

    kernel: str
    captured: Config
    config: Config


def moved(launches: Sequence[Launch], configs: Mapping[int, Config]) -> dict[int, Moved]:
    """Return what was moved of each launch, by its index."""
    return {
        index: Moved(launches[index].kernel, launches[index].config, config)
        for index, config in configs.items()
        if index < len(launches) and config != launches[index].config
    }


def carried_over(before: Mapping[int, Moved], new: Sequence[Launch]) -> dict[int, Config]:
    """Return the configs of `new` launches with the values that the user had moved before.

    A launch is the same if it has the same index and kernel; a value is kept if its knob still
    exists and still takes it.
    """
    kept: dict[int, Config] = {}
    for index, old in before.items():
        if index >= len(new) or old.kernel != new[index].kernel:
            continue
        captured = old.captured.as_dict()
        result = new[index].config
        for name, value in old.config.values:
            if name not in result or (name in captured and captured[name] == value):
                continue
            try:
                result = result.with_value(name, validate(new[index].knob(name), value))
            except KnobError:
                continue  # the edited file no longer takes this value: its own one holds
        kept[index] = result
    return kept
