"""What the window remembers between sessions: theme, layout, recent files, typed drivers."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QByteArray, QSettings

from playground.model.places import settings_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from playground.ui.theme import ThemeName

VERSION = 1
"""Of the settings file; one of a newer program is left to it."""
RECENT_LIMIT = 12
LAYOUT_VERSION = 6
"""Raised when docks come or go: an older saved layout is then left alone."""

ThemeChoice = Literal["light", "dark", "system"]


class Settings:
    """Typed access to the settings file; a damaged entry counts as absent.

    A file that is no settings file, or a newer program's, is renamed; `note` tells of it.
    """

    def __init__(self, path: Path | None = None) -> None:
        place = path or settings_file()
        self.note = _made_usable(place)
        self._store = QSettings(str(place), QSettings.Format.IniFormat)
        self._store.setValue("version", VERSION)

    def flush(self) -> None:
        """Write to disk now."""
        self._store.sync()

    # --------------------------------------------------------------------------- looks

    @property
    def theme(self) -> ThemeChoice:
        """`light`, `dark`, or `system` to follow the desktop."""
        value = self._text("look/theme")
        if value == "light":
            return "light"
        return "dark" if value == "dark" else "system"

    @theme.setter
    def theme(self, value: ThemeChoice | ThemeName) -> None:
        self._store.setValue("look/theme", value)

    @property
    def editor_points(self) -> float:
        """Size of the editor's text in points; 0 means the default."""
        try:
            return min(max(float(self._text("editor/points") or 0), 0.0), 40.0)
        except ValueError:
            return 0.0

    @editor_points.setter
    def editor_points(self, value: float) -> None:
        self._store.setValue("editor/points", value)

    @property
    def code_margin(self) -> bool:
        """Whether the editor's margin shows what lines became in machine code."""
        return self._text("editor/codeMargin") != "false"

    @code_margin.setter
    def code_margin(self, value: bool) -> None:
        self._store.setValue("editor/codeMargin", "true" if value else "false")

    @property
    def access_margin(self) -> bool:
        """Whether the editor's margin shows how well lines access memory."""
        return self._text("editor/accessMargin") != "false"

    @access_margin.setter
    def access_margin(self, value: bool) -> None:
        self._store.setValue("editor/accessMargin", "true" if value else "false")

    @property
    def coverage_arrangement(self) -> str:
        """How the tile maps stand: `one`, `large` or `all`."""
        value = self._text("coverage/arrangement")
        return value if value in ("one", "large", "all") else "large"

    @coverage_arrangement.setter
    def coverage_arrangement(self, value: str) -> None:
        self._store.setValue("coverage/arrangement", value)

    @property
    def wrap(self) -> bool:
        """Whether the editor wraps long lines."""
        return self._text("editor/wrap") == "true"

    @wrap.setter
    def wrap(self, value: bool) -> None:
        self._store.setValue("editor/wrap", "true" if value else "false")

    @property
    def tour(self) -> str:
        """The step of the tour that is next, `finished`, `dismissed`, or empty before it began."""
        return self._text("tour/step")

    @tour.setter
    def tour(self, value: str) -> None:
        self._store.setValue("tour/step", value)

    @property
    def is_fresh(self) -> bool:
        """Whether no window has been open with these settings yet."""
        return not self.tour and not self.recent and self.geometry.isEmpty()

    # -------------------------------------------------------------------------- layout

    @property
    def geometry(self) -> QByteArray:
        """The window's place and size, as `saveGeometry` gave it."""
        return self._bytes("window/geometry")

    @property
    def layout(self) -> QByteArray:
        """The docks' layout, as `saveState` gave it."""
        return self._bytes("window/layout")

    def save_layout(self, geometry: QByteArray, layout: QByteArray) -> None:
        """Remember the window's place and its docks."""
        self._store.setValue("window/geometry", geometry)
        self._store.setValue("window/layout", layout)

    def forget_layout(self) -> None:
        """Forget the docks' layout."""
        self._store.remove("window/layout")

    # --------------------------------------------------------------------------- files

    @property
    def recent(self) -> list[str]:
        """Files opened last, newest first."""
        value = self._store.value("files/recent")
        if isinstance(value, str):
            return [value] if value else []
        return [str(item) for item in value] if isinstance(value, list) else []

    @property
    def last_open(self) -> str:
        """The file that the last window had open, empty for none."""
        return self._text("files/last")

    @last_open.setter
    def last_open(self, value: str) -> None:
        self._store.setValue("files/last", value)

    @property
    def open_files(self) -> list[str]:
        """The files that the last window had open, in the order of their tabs.

        Of a program with one file at a time it is that one.
        """
        if not self._store.contains("files/open"):
            return [self.last_open] if self.last_open else []
        value = self._store.value("files/open")
        if isinstance(value, str):
            return [value] if value else []
        return [str(item) for item in value] if isinstance(value, list) else []

    @open_files.setter
    def open_files(self, value: list[str]) -> None:
        self._store.setValue("files/open", value)

    def add_recent(self, path: str) -> None:
        """Put `path` first among the recent files."""
        files = [path, *(other for other in self.recent if other != path)]
        self._store.setValue("files/recent", files[:RECENT_LIMIT])

    def clear_recent(self) -> None:
        """Forget the recent files."""
        self._store.remove("files/recent")

    def typed_driver(self, path: str) -> str:
        """Return the driver the user typed for `path` last time, or an empty text."""
        return self._text(f"drivers/{_key(path)}")

    def set_typed_driver(self, path: str, code: str) -> None:
        """Remember the driver typed for `path`; an empty one is forgotten."""
        if code:
            self._store.setValue(f"drivers/{_key(path)}", code)
        else:
            self._store.remove(f"drivers/{_key(path)}")

    def found_drivers(self, path: str) -> dict[str, str]:
        """Return the drivers that ran in place of written ones of `path`, by the written code."""
        try:
            known = json.loads(self._text(f"found_drivers/{_key(path)}") or "{}")
        except ValueError:  # not what was stored: as if there were none
            return {}
        pairs = known.items() if isinstance(known, dict) else ()
        return {str(written): str(found) for written, found in pairs}

    def set_found_drivers(self, path: str, found: Mapping[str, str]) -> None:
        """Remember the drivers that ran in place of written ones of `path`."""
        self._store.setValue(f"found_drivers/{_key(path)}", json.dumps(dict(found)))

    def curve_setup(self, path: str) -> str:
        """Return what curves of `path` were drawn over last, as JSON, or an empty text."""
        return self._text(f"curves/{_key(path)}")

    def set_curve_setup(self, path: str, text: str) -> None:
        """Remember what curves of `path` are drawn over."""
        self._store.setValue(f"curves/{_key(path)}", text)

    def sweep_setup(self, path: str) -> str:
        """Return what was swept of `path` last, as JSON, or an empty text."""
        return self._text(f"sweeps/{_key(path)}")

    def set_sweep_setup(self, path: str, text: str) -> None:
        """Remember what is swept of `path`."""
        self._store.setValue(f"sweeps/{_key(path)}", text)

    @property
    def compare_budget_ms(self) -> float:
        """Measuring time of a comparison in ms; 0 means the default."""
        try:
            return max(float(self._text("compare/budget") or 0), 0.0)
        except ValueError:
            return 0.0

    @compare_budget_ms.setter
    def compare_budget_ms(self, value: float) -> None:
        self._store.setValue("compare/budget", value)

    @property
    def expressions(self) -> list[str]:
        """Expressions that kernels were compared with, newest first."""
        value = self._store.value("compare/expressions")
        if isinstance(value, str):
            return [value] if value else []
        return [str(item) for item in value] if isinstance(value, list) else []

    @expressions.setter
    def expressions(self, value: list[str]) -> None:
        self._store.setValue("compare/expressions", value)

    @property
    def paper_points(self) -> float:
        """Size of the letters of pictures saved for papers, in points; 0 means the default."""
        try:
            return min(max(float(self._text("look/paperPoints") or 0), 0.0), 40.0)
        except ValueError:
            return 0.0

    @paper_points.setter
    def paper_points(self, value: float) -> None:
        self._store.setValue("look/paperPoints", value)

    @property
    def remote_place(self) -> tuple[str, str, str]:
        """Host, connection file and Python of the engine that ran elsewhere last."""
        return (
            self._text("remote/host"), self._text("remote/file"),
            self._text("remote/python") or "python3",
        )  # fmt: skip

    @remote_place.setter
    def remote_place(self, value: tuple[str, str, str]) -> None:
        for name, text in zip(("host", "file", "python"), value, strict=True):
            self._store.setValue(f"remote/{name}", text)

    # --------------------------------------------------------------------------- trust

    def trusts(self, path: str) -> bool:
        """Tell whether the user lets the file at `path` (links followed) run unasked."""
        if self._text(f"trusted_files/{_key(path)}") == path:
            return True
        return any(path.startswith(folder.rstrip("/") + "/") for folder in self.trusted_folders)

    def trust_file(self, path: str) -> None:
        """Let one file run unasked."""
        self._store.setValue(f"trusted_files/{_key(path)}", path)

    @property
    def trusted_folders(self) -> list[str]:
        """Folders all of whose files run unasked."""
        value = self._store.value("trust/folders")
        if isinstance(value, str):
            return [value] if value else []
        return [str(item) for item in value] if isinstance(value, list) else []

    def trust_folder(self, folder: str) -> None:
        """Let all files in `folder` and below run unasked."""
        self._store.setValue("trust/folders", [*self.trusted_folders, folder])

    def forget_trust(self) -> None:
        """Ask again about every file."""
        self._store.remove("trust")
        self._store.remove("trusted_files")

    # ----------------------------------------------------------------------- shortcuts

    def shortcuts(self) -> dict[str, str]:
        """Return the shortcuts the user changed, by action id; an empty text means none."""
        self._store.beginGroup("shortcuts")
        result = {key: str(self._store.value(key)) for key in self._store.childKeys()}
        self._store.endGroup()
        return result

    def set_shortcuts(self, changed: Mapping[str, str]) -> None:
        """Replace the changed shortcuts."""
        self._store.remove("shortcuts")
        for action, keys in changed.items():
            self._store.setValue(f"shortcuts/{action}", keys)

    def _text(self, key: str) -> str:
        value = self._store.value(key, "")
        return value if isinstance(value, str) else str(value or "")

    def _bytes(self, key: str) -> QByteArray:
        value = self._store.value(key)
        return value if isinstance(value, QByteArray) else QByteArray()


def _key(path: str) -> str:
    return hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _made_usable(path: Path) -> str:
    """Set aside a settings file that can't be used; return a sentence about it, or nothing.

    Of a damaged one a copy is set aside: what can still be read of it stays in use.
    """
    try:
        data = path.read_bytes()
    except OSError:
        return ""
    damaged = b"\0" in data
    for line in data.splitlines():
        name, equals, value = line.strip().partition(b"=")
        if equals and name == b"version":
            if not value.isdigit():
                damaged = True
            elif int(value) > VERSION:
                return _set_aside(path, f"version {int(value)}, this program knows {VERSION}")
        is_section = name.startswith(b"[") and name.endswith(b"]")
        damaged |= bool(name) and not equals and not is_section and name[:1] not in b";#"
    return _set_aside(path, "it is damaged", copy=True) if damaged else ""


def _set_aside(path: Path, why: str, *, copy: bool = False) -> str:
    from playground.ui.state_files import set_aside

    return f"settings: {set_aside(path, why, copy=copy)}"
