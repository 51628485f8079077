"""Figures that take a while and are measured only when asked for: host cost and energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QToolButton, QWidget

from playground.protocol.timing import GetEnergy, GetHostCost
from playground.ui.icons import icon
from playground.ui.views.formatting import count_text, significant, time_text
from playground.ui.views.roles import set_role

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.model.measurement import Energy, HostCost
    from playground.ui.document import Document
    from playground.ui.theme import Theme

_HOST_TIP = (
    "First call: compiles. Cold start: a new process that finds the kernel in Triton's cache. "
    "Cached call: every later kernel[grid](…). Times of the CPU, beside the kernel's own."
)
_ENERGY_TIP = (
    "The GPU's own energy counter (NVML) over at least a second of this launch alone, L2 warm; "
    "what it draws while idle is part of it."
)


class MoreFigures(QWidget):
    """Two figures with a button each, and why one cannot be told; `toggle` opens and closes it."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("timings.more")
        self.setAccessibleName("More figures")
        self._document, self._theme = document, theme
        self.toggle = QToolButton(self)
        self.toggle.setObjectName("timings.more.toggle")
        self.toggle.setText("More figures")
        self.toggle.setToolTip("Host cost and energy, measured when asked for")
        self.toggle.setAccessibleName("Show or hide host cost and energy")
        self.toggle.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.toggle.setCheckable(True)
        self.toggle.toggled.connect(self._open)
        grid = QGridLayout(self)
        space = self.fontMetrics().height() // 4
        grid.setContentsMargins(2 * space, 0, 0, 0)
        grid.setVerticalSpacing(space)
        grid.setColumnStretch(1, 1)
        timing = document.timing
        self._host, self._ask_host = self._row(
            grid, 0, "Host cost", "timings.hostCost", _HOST_TIP, timing.ask_host_cost
        )
        self._energy, self._ask_energy = self._row(
            grid, 1, "Energy", "timings.energy", _ENERGY_TIP, timing.ask_energy
        )
        self.hide()
        for signal in (
            timing.figuresChanged, document.configChanged, document.launchSelected,
            document.launchesChanged,
        ):  # fmt: skip
            signal.connect(self.refresh)
        theme.changed.connect(self._recolour)
        self._recolour()
        self.refresh()

    def _row(
        self, grid: QGridLayout, row: int, title: str, name: str, tip: str, ask: Callable[[], None]
    ) -> tuple[QLabel, QPushButton]:
        heading = QLabel(title, self)
        heading.setToolTip(tip)
        set_role(heading, "heading")
        value = QLabel(self)
        value.setObjectName(name)
        value.setAccessibleName(title)
        value.setWordWrap(True)
        value.setToolTip(tip)
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        # Room for two lines from the start: the answer moves nothing.
        value.setMinimumHeight(2 * self.fontMetrics().height())
        button = QPushButton("Measure", self)
        button.setObjectName(f"{name}.measure")
        button.setAccessibleName(f"Measure {title.lower()}")
        button.setToolTip(tip)
        button.clicked.connect(ask)
        grid.addWidget(heading, row, 0)
        grid.addWidget(value, row, 1)
        grid.addWidget(button, row, 2)
        return value, button

    def open(self, shown: bool = True) -> None:
        """Show the figures, or only the line."""
        self.toggle.setChecked(shown)

    def offer(self, possible: bool) -> None:
        """Offer the figures, or leave them out where there is no GPU to measure on."""
        self.toggle.setVisible(possible)
        self.setVisible(possible and self.toggle.isChecked())

    def _open(self, shown: bool) -> None:
        self.setVisible(shown)
        self._recolour()

    def _recolour(self) -> None:
        size = self.fontMetrics().height()
        name = "chevron-down" if self.toggle.isChecked() else "chevron-right"
        self.toggle.setIcon(icon(name, self._theme, "muted"))
        self.toggle.setIconSize(QSize(size, size))

    def refresh(self) -> None:
        """Show what is known of the launch and config shown."""
        document = self._document
        launch, config = document.launch_index, document.config
        host = document.timing.host_cost(launch, config)
        energy = document.timing.energy(launch, config)
        self._show(self._host, self._ask_host, GetHostCost, _host_text(host) if host else "")
        self._show(
            self._energy, self._ask_energy, GetEnergy,
            _energy_text(energy) if energy else "",
        )  # fmt: skip

    def _show(self, label: QLabel, button: QPushButton, kind: type, text: str) -> None:
        document, timing = self._document, self._document.timing
        refusal = timing.refusal(kind, document.launch_index, document.config)
        waiting = timing.is_asked(kind)
        button.setEnabled(document.launch is not None and not waiting)
        button.setText("Again" if text else "Measure")
        set_role(label, "" if text else "warn" if refusal else "muted")
        label.setText(text or refusal or ("measuring …" if waiting else "not measured"))


def _host_text(cost: HostCost) -> str:
    return (
        f"first call {time_text(cost.first_call_ms)} · cold start {time_text(cost.cold_start_ms)} "
        f"· cached call {time_text(cost.cached_ms)} (CPU clock)"
    )


def _energy_text(energy: Energy) -> str:
    joules, unit = (energy.joules, "J") if energy.joules >= 0.1 else (energy.joules * 1e3, "mJ")
    return (
        f"{significant(joules)} {unit} a launch · {energy.power_w:.0f} W mean over "
        f"{count_text(energy.launches)} launches in {energy.elapsed_s:.2f} s (NVML, warm L2)"
    )
