"""Where the files that come with the program lie: bundled kernels, icons, themes, GPU data."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def _folder(name: str) -> Path:
    # An installed wheel carries the folders inside the package; a checkout has them beside it.
    packed = _PACKAGE / "_data" / name
    return packed if packed.is_dir() else _PACKAGE.parent / name


def assets_dir() -> Path:
    """Return the folder with icons, theme tokens and GPU data."""
    return _folder("assets")


def kernels_dir() -> Path:
    """Return the folder with the bundled kernel files."""
    return _folder("kernels")
