"""The preferences: theme, text size, wrapping, and every shortcut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playground.ui.actions import ACTIONS
from playground.ui.icons import icon
from playground.ui.theme import PAPER_POINTS, mono_font

if TYPE_CHECKING:
    from playground.ui.action_spec import ActionSpec
    from playground.ui.settings import ThemeChoice
    from playground.ui.window import MainWindow

_THEMES: tuple[tuple[ThemeChoice, str], ...] = (
    ("system", "As the desktop"), ("light", "Light"), ("dark", "Dark"),
)  # fmt: skip


class Preferences(QDialog):
    """Changes apply with OK; a shortcut that two actions would share is refused."""

    def __init__(self, window: MainWindow, page: int = 0) -> None:
        super().__init__(window)
        self._window = window
        self.setObjectName("preferences")
        self.setWindowTitle("Preferences")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._search = QLineEdit(self)
        self._search.setObjectName("preferences.search")
        self._search.setAccessibleName("Find a preference, an action or keys")
        self._search.setPlaceholderText("Find a preference, an action or keys")
        self._search.setClearButtonEnabled(True)
        self._search.textChanged.connect(self._narrow)
        self.pages = QTabWidget(self)
        self.pages.setObjectName("preferences.pages")
        self.pages.addTab(self._general(), "General")
        self.pages.addTab(self._shortcuts(), "Shortcuts")
        self.pages.setCurrentIndex(page)
        self._problem = QLabel(self)
        self._problem.setObjectName("preferences.problem")
        self._problem.setProperty("role", "bad")
        self._problem.setWordWrap(True)
        self._problem.hide()
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok
            | QDialogButtonBox.StandardButton.Cancel
            | QDialogButtonBox.StandardButton.RestoreDefaults
        )
        buttons.setObjectName("preferences.buttons")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        restore = buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults)
        restore.clicked.connect(self._restore_defaults)
        layout = QVBoxLayout(self)
        layout.addWidget(self._search)
        layout.addWidget(self.pages, 1)
        layout.addWidget(self._problem)
        layout.addWidget(buttons)
        line = self.fontMetrics().height()
        self.resize(38 * line, 32 * line)

    def shortcuts(self) -> dict[str, str]:
        """Return the shortcuts as edited, by action id."""
        return {
            spec.id: field.keySequence().toString(QKeySequence.SequenceFormat.PortableText)
            for spec, field in self._fields
        }

    def accept(self) -> None:
        """Apply everything, unless two actions share a shortcut."""
        keys = self.shortcuts()
        clash = _clash(keys)
        if clash:
            self._tell_clash()
            self.pages.setCurrentIndex(1)
            return
        window, settings = self._window, self._window.settings
        changed = {spec.id: keys[spec.id] for spec in ACTIONS if keys[spec.id] != spec.keys}
        settings.set_shortcuts(changed)
        window.actions_table.set_shortcuts(changed)
        choice: ThemeChoice = _THEMES[self._theme.currentIndex()][0]
        if choice != settings.theme:
            from playground.ui.app import theme_name

            settings.theme = choice
            window.theme.set_name(theme_name(choice))
        font = window.editor.font()
        font.setPointSizeF(self._points.value())
        window.editor.set_font(font)
        settings.editor_points = self._points.value()
        settings.paper_points = window.theme.paper_points = self._paper.value()
        window.actions_table["view.wrap"].setChecked(self._wrap.isChecked())
        super().accept()

    def _general(self) -> QWidget:
        settings = self._window.settings
        page = QWidget()
        self._form = form = QFormLayout(page)
        form.setContentsMargins(*[self.fontMetrics().height()] * 4)
        self._theme = QComboBox()
        self._theme.setObjectName("preferences.theme")
        self._theme.setAccessibleName("Theme")
        for _, text in _THEMES:
            self._theme.addItem(text)
        self._theme.setCurrentIndex([name for name, _ in _THEMES].index(settings.theme))
        form.addRow("&Theme", self._theme)
        self._points = QDoubleSpinBox()
        self._points.setObjectName("preferences.points")
        self._points.setAccessibleName("Text size of the editor in points")
        self._points.setRange(6, 40)
        self._points.setDecimals(1)
        self._points.setSuffix(" pt")
        self._points.setValue(self._window.editor.font().pointSizeF())
        form.addRow("Editor text &size", self._points)
        self._paper = QDoubleSpinBox()
        self._paper.setObjectName("preferences.paper")
        self._paper.setAccessibleName("Text size in pictures for papers in points")
        self._paper.setRange(5, 24)
        self._paper.setDecimals(1)
        self._paper.setSuffix(" pt")
        self._paper.setValue(self._window.theme.paper_points)
        form.addRow("Text size in pictures for &papers", self._paper)
        self._wrap = QCheckBox("&Wrap long lines in the editor")
        self._wrap.setObjectName("preferences.wrap")
        self._wrap.setChecked(settings.wrap)
        form.addRow("", self._wrap)
        return page

    def _shortcuts(self) -> QWidget:
        page = QWidget()
        self._table = table = QTableWidget(len(ACTIONS), 3)
        table.setObjectName("preferences.shortcuts")
        table.setAccessibleName("Shortcuts")
        table.setHorizontalHeaderLabels(["Action", "Keys", ""])
        table.verticalHeader().hide()
        table.setShowGrid(False)
        table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)
        table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        table.setColumnWidth(1, 30 * self.fontMetrics().averageCharWidth())
        side = round(self.fontMetrics().height() * 2.1)
        table.horizontalHeader().setSectionResizeMode(2, QHeaderView.ResizeMode.Fixed)
        table.setColumnWidth(2, side)
        self._fields: list[tuple[ActionSpec, QKeySequenceEdit]] = []
        for row, spec in enumerate(ACTIONS):
            name = QTableWidgetItem(spec.text.replace("&", ""))
            name.setFlags(Qt.ItemFlag.ItemIsEnabled)
            name.setToolTip(spec.tip)
            table.setItem(row, 0, name)
            field = QKeySequenceEdit(self._window.actions_table[spec.id].shortcut())
            field.setObjectName(f"shortcut:{spec.id}")
            field.setAccessibleName(f"Keys for {name.text()}")
            field.setMaximumSequenceLength(1)
            field.setClearButtonEnabled(True)
            table.setCellWidget(row, 1, field)
            table.setRowHeight(row, side)
            table.setCellWidget(row, 2, self._reset_button(spec, field))
            field.keySequenceChanged.connect(self._tell_clash)
            self._fields.append((spec, field))
        layout = QVBoxLayout(page)
        layout.addWidget(table, 1)
        return page

    def _reset_button(self, spec: ActionSpec, field: QKeySequenceEdit) -> QToolButton:
        """Return what puts one action's keys back; there is nothing to do while they are those."""
        button = QToolButton()
        button.setObjectName(f"shortcut-reset:{spec.id}")
        button.setAutoRaise(True)
        button.setIcon(icon("reset", self._window.theme))
        keys = QKeySequence(spec.keys)
        shown = keys.toString(QKeySequence.SequenceFormat.NativeText) or "no keys"
        button.setToolTip(f"Back to {shown}")
        button.setAccessibleName(f"Back to {shown} for {spec.text.replace('&', '')}")
        button.setEnabled(field.keySequence() != keys)
        field.keySequenceChanged.connect(lambda now: button.setEnabled(now != keys))
        button.clicked.connect(lambda: field.setKeySequence(keys))
        return button

    def _narrow(self, query: str) -> None:
        """Show the preferences and actions that have all the words; go to the page with some."""
        words = query.lower().split()
        found = [0, 0]
        for row in range(self._form.rowCount()):
            fits = all(word in self._general_text(row).lower() for word in words)
            self._form.setRowVisible(row, fits)
            found[0] += fits
        for row, (spec, field) in enumerate(self._fields):
            keys = field.keySequence().toString(QKeySequence.SequenceFormat.NativeText)
            text = f"{spec.text.replace('&', '')} {spec.tip} {keys}".lower()
            fits = all(word in text for word in words)
            self._table.setRowHidden(row, not fits)
            found[1] += fits
        page = self.pages.currentIndex()
        if words and not found[page] and found[1 - page]:
            self.pages.setCurrentIndex(1 - page)

    def _general_text(self, row: int) -> str:
        """Return what a row of the general page says, its control's choices included."""
        parts = []
        for role in (QFormLayout.ItemRole.LabelRole, QFormLayout.ItemRole.FieldRole):
            item = self._form.itemAt(row, role)
            widget = item.widget() if item is not None else None
            if isinstance(widget, QLabel | QCheckBox):
                parts.append(widget.text().replace("&", ""))
            if isinstance(widget, QComboBox):
                parts += [widget.itemText(i) for i in range(widget.count())]
            if widget is not None:
                parts.append(widget.accessibleName())
        return " ".join(parts)

    def _tell_clash(self) -> None:
        """Say at once when keys are used twice."""
        clash = _clash(self.shortcuts())
        self._problem.setVisible(clash is not None)
        if clash:
            self._problem.setText(f"{clash[2]} is used by {clash[0]} and by {clash[1]}.")

    def _restore_defaults(self) -> None:
        for spec, field in self._fields:
            field.setKeySequence(QKeySequence(spec.keys))
        self._theme.setCurrentIndex(0)
        self._wrap.setChecked(False)
        self._points.setValue(mono_font().pointSizeF())
        self._paper.setValue(PAPER_POINTS)


def _clash(keys: dict[str, str]) -> tuple[str, str, str] | None:
    taken: dict[str, str] = {}
    names = {spec.id: spec.text.replace("&", "") for spec in ACTIONS}
    for action, sequence in keys.items():
        if sequence and sequence in taken:
            return names[taken[sequence]], names[action], sequence
        taken[sequence] = action
    return None
