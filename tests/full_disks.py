"""Disks that are full and folders that can't be written, for real: small mounts of their own."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def full_disk(folder: Path, size_bytes: int) -> Iterator[Path]:
    """Yield a folder on a disk of `size_bytes`; skips the test where mounting is not allowed."""
    with _mounted(folder / "disk", f"size={size_bytes}") as place:
        yield place


@contextmanager
def read_only_folder(folder: Path, content: dict[str, str] | None = None) -> Iterator[Path]:
    """Yield a folder that nobody can write to, root neither, with files in it."""
    with _mounted(folder / "fixed", "size=1m") as place:
        for name, text in (content or {}).items():
            (place / name).write_text(text)
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        yield place


@contextmanager
def _mounted(place: Path, options: str) -> Iterator[Path]:
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if made.returncode != 0:
        pytest.skip(f"a small disk cannot be mounted here: {made.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)
