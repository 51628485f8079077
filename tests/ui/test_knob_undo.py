"""Undo of knob moves: steps back and forth, and no more of them than are of use."""

from __future__ import annotations

import itertools

from PySide6.QtCore import QObject

from playground.model.config import Config
from playground.ui.knob_undo import MOST_STEPS, KnobHistory, KnobStep


def test_of_very_many_moves_the_last_ones_can_be_undone(qapp):
    parent, shown = QObject(), []
    history = KnobHistory(lambda launch, config: shown.append((launch, config["BLOCK"])), parent)
    configs = [Config.of({"BLOCK": size}) for size in range(MOST_STEPS + 51)]
    for before, after in itertools.pairwise(configs):
        history.push(KnobStep(0, before, after, "BLOCK"))
    assert (history.count(), history.index, history.can_redo) == (MOST_STEPS, MOST_STEPS, False)
    for _ in range(MOST_STEPS + 5):
        history.undo()
    assert not history.can_undo
    assert shown[0] == (0, MOST_STEPS + 49)
    assert shown[-1] == (0, 50)  # the fifty before it are forgotten
    assert len(shown) == MOST_STEPS
    history.redo()
    assert shown[-1] == (0, 51)
