"""Recoloured icons as files: a stylesheet can name its pictures in no other way."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from functools import cache
from pathlib import Path

import platformdirs

from playground.ui import icons


def url(name: str, color: str) -> str:
    """Return `url("…")` of a drawing with its strokes in `color` (`#rrggbb`), for a stylesheet.

    The files stay in the user's cache folder: what one window has written the next one finds.
    Where nothing can be written there, they lie in a folder that goes with this process.
    """
    text = icons.recoloured(name, color).encode()
    file = f"{name}-{hashlib.sha256(text).hexdigest()[:16]}.svg"
    try:
        path = _written(_cache_folder() / file, text)
    except OSError:
        path = _written(Path(_own_folder().name) / file, text)
    escaped = path.as_posix().replace("\\", "\\\\").replace('"', '\\"')
    return f'url("{escaped}")'


def _written(path: Path, data: bytes) -> Path:
    """Return `path`, written whole or not at all unless its content is there already."""
    with contextlib.suppress(FileNotFoundError):
        if path.stat().st_size == len(data):
            return path
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise
    return path


def _cache_folder() -> Path:
    return Path(platformdirs.user_cache_dir("triton-playground")) / "icons"


@cache
def _own_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="triton-playground-")
