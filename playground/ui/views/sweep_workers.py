"""How many processes a sweep times in, and where: GPUs of this machine, or a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QLineEdit, QSpinBox, QWidget

from playground.model.sweep_workers import Workers
from playground.ui.theme import mono_font
from playground.ui.views.chips import FlowLayout

if TYPE_CHECKING:
    from playground.ui.sweep_choice import SweepChoice


class SweepWorkers(QWidget):
    """A number of GPUs, whether workers share one, and the profile of a cluster."""

    def __init__(self, choice: SweepChoice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sweep.workers")
        self._choice = choice
        self.count = QSpinBox(self)
        self.count.setObjectName("sweep.workers.count")
        self.count.setAccessibleName("Workers, one a GPU")
        self.count.setRange(1, 256)
        self.count.setToolTip(
            "Processes that check and time at once, each with a GPU of its own; the fastest are "
            "timed in turns on one of them"
        )
        self.share = QCheckBox("share a GPU", self)
        self.share.setObjectName("sweep.workers.share")
        self.share.setToolTip("Let several workers use one GPU: their times disturb each other")
        self.cluster = QLineEdit(self)
        self.cluster.setObjectName("sweep.workers.cluster")
        self.cluster.setAccessibleName("Profile of an ipyparallel cluster")
        self.cluster.setPlaceholderText("cluster profile")
        self.cluster.setFont(mono_font())
        self.cluster.setToolTip(
            "An IPython profile whose engines do the work (SSH, Slurm, MPI and others), or local; "
            "empty for this machine"
        )
        self.cluster.setFixedWidth(
            self.cluster.fontMetrics().horizontalAdvance("cluster profile")
            + 3 * self.fontMetrics().height()
        )
        self.count.valueChanged.connect(lambda _value: self._on_edit())
        self.share.toggled.connect(lambda _on: self._on_edit())
        self.cluster.textChanged.connect(lambda _text: self._on_edit())
        flow = FlowLayout(self)
        for widget in (self.count, self.share, self.cluster):
            flow.addWidget(widget)

    def show_workers(self, workers: Workers) -> None:
        """Show what is chosen."""
        blockers = [QSignalBlocker(item) for item in (self.count, self.share, self.cluster)]
        count = workers.count or 1
        self.count.setSpecialValueText(
            "as many as it has" if workers.cluster else "one worker here"
        )
        self.count.setSuffix(" workers")
        self.count.setValue(count)
        self.share.setChecked(workers.share)
        self.share.setVisible(count > 1)
        if self.cluster.text().strip() != workers.cluster:
            self.cluster.setText(workers.cluster)
        del blockers

    def _on_edit(self) -> None:
        count = self.count.value()
        workers = Workers(
            count if count > 1 else None, self.share.isChecked() and count > 1,
            self.cluster.text().strip(),
        )  # fmt: skip
        self._choice.set_choice(workers=workers)
