"""Reading and writing the user's text files without changing what the user did not change."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import stat
import tempfile
import tokenize
from dataclasses import dataclass
from pathlib import Path


class FileProblem(Exception):
    """A file that could not be read or written; the message is fit for the user."""


@dataclass(frozen=True)
class TextFile:
    r"""The text of a file with `\n` line ends, and how its bytes wrote it."""

    text: str
    encoding: str = "utf-8"
    newline: str = "\n"
    bom: bool = False


def read_text_file(path: str) -> TextFile:
    """Return the text at `path`, decoded as Python itself would (BOM, coding line, else UTF-8).

    Raises
    ------
    FileProblem
        The file cannot be read, or its bytes are no text in its declared encoding.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise FileProblem(f"cannot read {path}: {error.strerror or error}") from error
    bom = data.startswith(codecs.BOM_UTF8)
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (SyntaxError, LookupError, UnicodeDecodeError) as error:
        raise FileProblem(f"cannot read {path} as text: {error}") from error
    if text.encode(encoding) != data:
        raise FileProblem(f"cannot read {path} as text: {encoding} would write it differently")
    encoding = "utf-8" if bom else encoding
    # A file with mixed line ends takes the commoner style when it is saved.
    crlf = text.count("\r\n")
    newline = "\r\n" if crlf > text.count("\n") - crlf else "\n"
    return TextFile(text.replace("\r\n", "\n").replace("\r", "\n"), encoding, newline, bom)


def write_text_file(path: str, file: TextFile) -> None:
    """Write `file` to `path` so that a crash leaves the old or the new text, never half of it.

    The mode of an existing file is kept, and a symbolic link keeps pointing where it did.

    Raises
    ------
    FileProblem
        The text does not fit its encoding, or the file cannot be written.
    """
    try:
        data = file.text.replace("\n", file.newline).encode(file.encoding)
    except (UnicodeEncodeError, LookupError) as error:
        raise FileProblem(
            f"cannot save {path}: {error}; change the file's coding line to utf-8"
        ) from error
    if file.bom:
        data = codecs.BOM_UTF8 + data
    real = os.path.realpath(path)
    try:
        _replace(real, data)
    except OSError as error:
        raise FileProblem(f"cannot save {path}: {error.strerror or error}") from error


def _replace(path: str, data: bytes) -> None:
    folder = os.path.dirname(path)
    try:
        mode: int | None = stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        mode = None
    if mode is not None and not mode & 0o222:
        raise PermissionError(0, "the file is read-only")
    handle, temporary = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=folder)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        if mode is None:
            mask = os.umask(0)
            os.umask(mask)
            mode = 0o666 & ~mask
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    # The rename itself must reach the disk as well, or a power cut brings the old name back.
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
