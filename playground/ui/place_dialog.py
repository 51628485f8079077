"""Asks where the engine is to run: here, on a host over SSH, or in a Jupyter kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from playground.ui.kernel_remote import PlaceError, RemotePlace

if TYPE_CHECKING:
    from playground.ui.settings import Settings

_ABOUT = (
    "The text of the file and messages travel; tensors stay where the engine is. SSH must get in "
    "without a password (a key or an agent). Files that yours imports must lie there as well."
)


class PlaceDialog(QDialog):
    """Remembers the last host and file; `chosen` carries a `RemotePlace`, or None for here."""

    chosen = Signal(object)

    def __init__(self, settings: Settings, now: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings = settings
        self.setObjectName("placeDialog")
        self.setWindowTitle("Where the engine runs")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        host, existing, python = settings.remote_place
        about = QLabel(_ABOUT, self)
        about.setWordWrap(True)
        about.setProperty("role", "muted")
        self.here = self._choice("place.here", "On &this machine")
        self.ssh = self._choice("place.ssh", "On another &machine, over SSH")
        self.kernel = self._choice("place.kernel", "In a running &Jupyter kernel")
        self._group = QButtonGroup(self)
        for button in (self.here, self.ssh, self.kernel):
            self._group.addButton(button)
        self.host = self._field("place.host", "Host that ssh knows", host)
        self.python = self._field("place.python", "Its Python with triton-playground", python)
        self.file = self._field("place.file", "Connection file", existing)
        self.browse = QPushButton("Choose…", self)
        self.browse.setObjectName("place.browse")
        self.browse.setAccessibleName("Choose a connection file")
        self.browse.clicked.connect(self._browse)
        row = QHBoxLayout()
        row.addWidget(self.file, 1)
        row.addWidget(self.browse)
        form = QFormLayout()
        form.addRow("&Host", self.host)
        form.addRow("&Python there", self.python)
        label = QLabel("Connection &file", self)
        label.setBuddy(self.file)
        form.addRow(label, row)
        self.problem = QLabel(self)
        self.problem.setObjectName("place.problem")
        self.problem.setProperty("role", "bad")
        self.problem.setWordWrap(True)
        self.problem.hide()
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self
        )
        buttons.setObjectName("place.buttons")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        for button in (self.here, self.ssh, self.kernel):
            layout.addWidget(button)
        layout.addLayout(form)
        layout.addWidget(about)
        layout.addWidget(self.problem)
        layout.addWidget(buttons)
        self._group.buttonToggled.connect(self._show_fields)
        last = self.kernel if existing else self.ssh
        (last if now else self.here).setChecked(True)
        self._show_fields()
        self.resize(30 * self.fontMetrics().height(), self.sizeHint().height())

    def place(self) -> RemotePlace | None:
        """Return the place as it was given, None for this machine."""
        if self.here.isChecked():
            return None
        host = self.host.text().strip()
        if self.kernel.isChecked():
            return RemotePlace(host, self.file.text().strip())
        return RemotePlace(host, "", self.python.text().strip() or "python3")

    def accept(self) -> None:
        """Hand the place on, unless it cannot be one."""
        place = self.place()
        try:
            if place is not None:
                if not place.host and not place.existing:
                    raise PlaceError(
                        "give a host" if self.ssh.isChecked() else "give a connection file"
                    )
                place.launcher()
        except PlaceError as problem:
            self.problem.setText(str(problem))
            self.problem.show()
            return
        if place is not None:
            self._settings.remote_place = (place.host, place.existing, place.python)
        self.chosen.emit(place)
        super().accept()

    def _choice(self, name: str, text: str) -> QRadioButton:
        button = QRadioButton(text, self)
        button.setObjectName(name)
        button.setAccessibleName(text.replace("&", ""))
        return button

    def _field(self, name: str, about: str, text: str) -> QLineEdit:
        field = QLineEdit(text, self)
        field.setObjectName(name)
        field.setAccessibleName(about)
        field.setPlaceholderText(about)
        return field

    def _show_fields(self, *_what: object) -> None:
        self.host.setEnabled(not self.here.isChecked())
        self.python.setEnabled(self.ssh.isChecked())
        for widget in (self.file, self.browse):
            widget.setEnabled(self.kernel.isChecked())

    def _browse(self) -> None:
        from PySide6.QtWidgets import QFileDialog

        path, _ = QFileDialog.getOpenFileName(
            self, "Connection file of a Jupyter kernel", "", "Connection files (*.json)"
        )
        if path:
            self.file.setText(path)
