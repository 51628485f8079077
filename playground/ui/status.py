"""The status bar: engine, progress with cancel, cursor, cold or warm, target, and the badge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QStatusBar,
    QToolButton,
    QWidget,
)

from playground.ui import icons

if TYPE_CHECKING:
    from playground.model.measurement import CacheMode
    from playground.ui.document import Document
    from playground.ui.editor.code_editor import CodeEditor
    from playground.ui.theme import Theme
    from playground.ui.views.telemetry_strip import TelemetryStrip

PROGRESS_DELAY_MS = 700
"""What ends sooner shows no bar: it would only flicker."""
LINES_FOR_WORDS = 72
"""Width of the window, in heights of a line, under which a job has no words but its text."""
MOST_PROGRESS_LETTERS = 36

_STATES = {
    "starting": ("Engine starting…", "clock", "muted"),
    "ready": ("Engine ready", "check", "good"),
    "busy": ("Engine busy", "clock", "accent_link"),
    "restarting": ("Engine restarting…", "restart", "warn"),
    "dead": ("Engine stopped: restart it with Ctrl+Shift+F5", "error", "bad"),
}
_TARGET_NAMES = {
    "cuda:80": "A100", "cuda:86": "RTX 30", "cuda:89": "RTX 40, L4", "cuda:90": "H100, H200",
    "cuda:100": "B200", "cuda:103": "B300", "cuda:120": "RTX 50", "hip:gfx90a": "MI200",
    "hip:gfx942": "MI300X", "hip:gfx950": "MI350X",
}  # fmt: skip
_CACHE_TIPS = {
    "cold": "Cold L2: the cache is emptied before every sample",
    "warm": "Warm L2: samples follow each other, what fits stays in the cache",
}


class StatusBar(QStatusBar):
    """Shows the document's state and offers the choices that hold for all views."""

    telemetryWanted = Signal()

    def __init__(
        self, document: Document, theme: Theme, editor: CodeEditor, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._theme = theme
        self._editor = editor
        self.telemetry: TelemetryStrip | None = None
        self._progress_text = ""
        self._fraction: float | None = None
        self._latency_ms: float | None = None
        self._busy_name = ""
        self.setSizeGripEnabled(False)
        self.setContentsMargins(0, 1, self.fontMetrics().height() // 2, 1)
        self.setObjectName("statusBar")
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(PROGRESS_DELAY_MS)
        self._delay.timeout.connect(self._show_progress)
        self._build()
        document.engineStateChanged.connect(self._show_state)
        document.engine.latencyMeasured.connect(self._show_latency)
        document.deviceChanged.connect(self._show_device)
        document.launchesChanged.connect(self._show_badge)
        document.progressChanged.connect(self._on_progress)
        document.targetChanged.connect(self._show_target)
        document.cacheChanged.connect(self._show_cache)
        editor.cursorPositionChanged.connect(self._show_cursor)
        theme.changed.connect(self._recolour)
        self._show_device()
        self._recolour()
        self._show_cursor()

    # ------------------------------------------------------------------------- building

    def _build(self) -> None:
        space = self.fontMetrics().height() // 4
        left = QWidget(self)
        row = QHBoxLayout(left)
        row.setContentsMargins(2 * space, 0, 0, 0)
        row.setSpacing(space)
        self._state_icon = QLabel(left)
        self.state = QLabel(left)
        self.state.setObjectName("engineStatus")
        self.state.setAccessibleName("Engine state")
        self.progress_label = QLabel(left)
        self.progress_label.setObjectName("progress.text")
        # Large letters on a small screen: the text is cut before the window grows.
        self.progress_label.setMinimumWidth(1)
        self.progress = QProgressBar(left)
        self.progress.setObjectName("progress")
        self.progress.setAccessibleName("Progress")
        self.progress.setTextVisible(False)
        self.progress.setFixedWidth(14 * self.fontMetrics().averageCharWidth())
        self.cancel = QToolButton(left)
        self.cancel.setObjectName("progress.cancel")
        self.cancel.setAccessibleName("Cancel")
        self.cancel.setToolTip("Cancel (Esc)")
        self.cancel.setText("Cancel")
        self.cancel.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.cancel.setIconSize(QSize(14, 14))
        self.cancel.clicked.connect(self._document.cancel)
        for widget in (
            self._state_icon, self.state, self.progress_label, self.progress, self.cancel,
        ):  # fmt: skip
            row.addWidget(widget)
        # Room to spare goes behind all of them, not between the mark and its word.
        row.addStretch(1)
        self.addWidget(left)
        self.position = QLabel(self)
        self.position.setObjectName("cursorPosition")
        self.position.setAccessibleName("Cursor position")
        self.cache = QComboBox(self)
        self.cache.setObjectName("cache")
        self.cache.setAccessibleName("Cache before each sample")
        for mode, text in (("cold", "Cold L2"), ("warm", "Warm L2")):
            self.cache.addItem(text, mode)
            self.cache.setItemData(
                self.cache.count() - 1, _CACHE_TIPS[mode], Qt.ItemDataRole.ToolTipRole
            )
        self.cache.activated.connect(self._choose_cache)
        self.target = QComboBox(self)
        self.target.setObjectName("target")
        self.target.setAccessibleName("Target to compile for")
        self.target.setToolTip("GPU architecture to compile for")
        self.target.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.target.activated.connect(self._choose_target)
        self.badge = QLabel(self)
        self.badge.setObjectName("deviceBadge")
        self.badge.setAccessibleName("What the kernel runs on")
        self.badge.setProperty("role", "badge")
        for permanent in (self.position, self.cache, self.target, self.badge):
            self.addPermanentWidget(permanent)
        self._hide_progress()

    # -------------------------------------------------------------------------- showing

    def _show_state(self, _state: str = "") -> None:
        state = self._document.engine_state
        text, picture, token = _STATES[state]
        place = self._document.engine.place
        if place:
            way = "" if self._latency_ms is None else f", {self._latency_ms:.3g} ms away"
            text = f"{text} {place}{way if state in ('ready', 'busy') else ''}"
        if state == "busy" and self._busy_name:
            text = f"{text}: {self._busy_name}"
        self.state.setText(text)
        self._state_icon.setPixmap(
            icons.pixmap(picture, self._theme, token, 14, self.devicePixelRatioF())
        )

    def name_busy(self, name: str) -> None:
        """Say which file the engine is at work for; empty where there is only one to be at."""
        if name != self._busy_name:
            self._busy_name = name
            self._show_state()

    def _show_latency(self, latency_ms: float) -> None:
        self._latency_ms = latency_ms
        self._show_state()

    def _show_badge(self) -> None:
        device = self._document.device
        self.badge.setVisible(device is not None)
        if device is not None:
            simulated = self._document.simulated
            self.badge.setText(device.badge() + (" (GPU simulated)" if simulated else ""))
            self.badge.setProperty("gpu", "true" if device.mode == "gpu" else "false")
            self.badge.style().unpolish(self.badge)
            self.badge.style().polish(self.badge)
            self.badge.setToolTip(
                "\n".join(
                    filter(
                        None,
                        [
                            device.name,
                            f"torch {device.torch}, triton {device.triton}, Python {device.python}",
                            f"driver {device.driver}, CUDA {device.cuda}" if device.driver else "",
                            *device.notes,
                            simulated,
                        ],
                    )
                )
            )

    def _add_telemetry(self) -> None:
        # Not before a GPU is known of: most of what starts up has none yet, and none needs it.
        from playground.ui.views.telemetry_strip import TelemetryStrip

        self.telemetry = TelemetryStrip(self._document, self._theme, self)
        self.telemetry.clicked.connect(self.telemetryWanted)
        self.insertPermanentWidget(1, self.telemetry)  # after the state at the left
        self.telemetry.show()
        self.telemetry.watch(self.window())

    def _show_device(self) -> None:
        device = self._document.device
        if self.telemetry is None and self._document.telemetry.available:
            self._add_telemetry()
        self._show_badge()
        self.cache.setVisible(device is not None and device.mode == "gpu")
        names = self._document.targets
        self.target.clear()
        for name in names:
            friendly = _TARGET_NAMES.get(name)
            own = device is not None and device.mode == "gpu" and name == device.target
            text = f"{name} · {friendly}" if friendly else name
            self.target.addItem(f"{text} (this machine)" if own else text, name)
        self.target.setVisible(bool(names))
        self._show_target()
        self._show_state()

    def _show_target(self, _target: str = "") -> None:
        name = self._document.target
        index = self.target.findData(name)
        if index < 0 and name:
            self.target.addItem(name, name)
            index = self.target.count() - 1
        self.target.setCurrentIndex(index)

    def _show_cache(self, _mode: str = "") -> None:
        self.cache.setCurrentIndex(max(self.cache.findData(self._document.cache), 0))
        self.cache.setToolTip(_CACHE_TIPS.get(self._document.cache, ""))

    def _show_cursor(self) -> None:
        cursor = self._editor.textCursor()
        self.position.setText(f"Ln {cursor.blockNumber() + 1}, Col {cursor.positionInBlock() + 1}")

    def _on_progress(self, text: str, fraction: float | None) -> None:
        self._progress_text, self._fraction = text, fraction
        if not text:
            self._delay.stop()
            self._hide_progress()
        elif self.progress.isVisibleTo(self):
            self._show_progress()
        elif not self._delay.isActive():
            self._delay.start()

    def _show_progress(self) -> None:
        # A long text (a line of a curve names its whole config) must not widen the window.
        metrics = self.progress_label.fontMetrics()
        room = MOST_PROGRESS_LETTERS * metrics.averageCharWidth()
        elide = Qt.TextElideMode.ElideMiddle
        self.progress_label.setText(metrics.elidedText(self._progress_text, elide, room))
        self.progress_label.setToolTip(self._progress_text)
        if self._fraction is None:
            self.progress.setRange(0, 0)
        else:
            self.progress.setRange(0, 1000)
            self.progress.setValue(round(1000 * self._fraction))
        # Large letters on a small screen leave the bar and its cross, without a word.
        tight = self.width() < LINES_FOR_WORDS * metrics.height()
        styles = Qt.ToolButtonStyle
        self.cancel.setToolButtonStyle(
            styles.ToolButtonIconOnly if tight else styles.ToolButtonTextBesideIcon
        )
        self.progress.setFixedWidth((5 if tight else 14) * metrics.averageCharWidth())
        for widget in (self.progress_label, self.progress, self.cancel):
            widget.show()

    def _hide_progress(self) -> None:
        # An indeterminate bar animates by a timer even when nobody sees it.
        self.progress.setRange(0, 1000)
        for widget in (self.progress_label, self.progress, self.cancel):
            widget.hide()

    def _recolour(self) -> None:
        self.cancel.setIcon(icons.icon("cross", self._theme))
        self._show_state()
        self._show_cache()

    # ------------------------------------------------------------------------- choosing

    def _choose_target(self, index: int) -> None:
        self._document.set_target(str(self.target.itemData(index)))

    def _choose_cache(self, index: int) -> None:
        mode: CacheMode = "warm" if self.cache.itemData(index) == "warm" else "cold"
        self._document.set_cache(mode)
