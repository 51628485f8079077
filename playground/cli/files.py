"""Files the command line reads, and those it writes: never over one that is not its own."""

from __future__ import annotations

import os
import struct
import zlib
from typing import TYPE_CHECKING

from playground.model.resources import kernels_dir

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_MARKS = (
    "tuned with Triton Playground", "report by Triton Playground", "Triton Playground's reproducer",
)  # fmt: skip
_PNG_MARK = b"tEXtSoftware\0Triton Playground"


def bundled_or_given(file: str) -> str:
    """Return the path of the bundled kernel of that name (`vector_add`), else `file` as it is.

    What lies here under that name goes before.
    """
    if os.path.exists(file) or os.path.basename(file) != file:
        return file
    bundled = kernels_dir() / f"{file.removesuffix('.py')}.py"
    return str(bundled) if bundled.is_file() else file


def is_own_export(path: Path) -> bool:
    """Tell whether `path` is a tuned file, a report or a reproducer that was written before."""
    try:
        with path.open(encoding="utf-8") as file:
            lines = [file.readline() for _ in range(5)]
            return any(mark in line for line in lines for mark in _MARKS)
    except (OSError, UnicodeDecodeError):
        return False


def is_own_picture(path: Path) -> bool:
    """Tell whether `path` is a picture that `mark_picture` marked."""
    try:
        with path.open("rb") as file:
            return _PNG_MARK in file.read(200)
    except OSError:
        return False


def mark_picture(path: Path) -> None:
    """Write into a PNG which program drew it, so that a later run may replace it."""
    data = path.read_bytes()
    header_end = 33  # 8 bytes of signature and the IHDR chunk
    chunk = _PNG_MARK
    length = struct.pack(">I", len(chunk) - 4)
    mark = length + chunk + struct.pack(">I", zlib.crc32(chunk))
    path.write_bytes(data[:header_end] + mark + data[header_end:])


def free_path(wanted: Path, source: Path, is_own: Callable[[Path], bool]) -> Path:
    """Return `wanted`, or the next `name_2`, `name_3` … that is free or written by us before."""
    candidate, number = wanted, 1
    while candidate.exists() and (candidate.resolve() == source.resolve() or not is_own(candidate)):
        number += 1
        candidate = wanted.with_name(f"{wanted.stem}_{number}{wanted.suffix}")
    return candidate
