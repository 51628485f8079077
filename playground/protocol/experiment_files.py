"""Results of experiments in files: those that come with the program, and this user's own.

One file an experiment and GPU, so that a run on another machine replaces nothing.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import platformdirs

from playground.model.experiment import ExperimentResult
from playground.model.resources import assets_dir

if TYPE_CHECKING:
    from collections.abc import Iterator


def shipped_dir() -> Path:
    """Return the folder of the results that come with the program."""
    return assets_dir() / "experiments"


def own_dir() -> Path:
    """Return the folder in which this user's results are kept."""
    return Path(platformdirs.user_data_path("triton-playground", appauthor=False)) / "experiments"


def results(folder: Path, name: str | None = None) -> tuple[ExperimentResult, ...]:
    """Return the results kept in a folder, the latest first; of one experiment if it is named.

    A file that cannot be read as a result is passed over: it can be measured again.
    """
    found = [result for result in _read(folder) if name is None or result.name == name]
    return tuple(sorted(found, key=lambda result: result.measured, reverse=True))


def _read(folder: Path) -> Iterator[ExperimentResult]:
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        try:
            yield msgspec.json.decode(path.read_bytes(), type=ExperimentResult)
        except (OSError, msgspec.MsgspecError):
            continue


def keep(result: ExperimentResult, folder: Path | None = None) -> Path:
    """Write a result in place of the one before it on the same GPU, and return its file.

    Raises
    ------
    OSError
        The folder cannot be written.
    """
    folder = folder or own_dir()
    folder.mkdir(parents=True, exist_ok=True)
    gpu = re.sub(r"[^a-z0-9]+", "-", result.machine.gpu.lower()).strip("-")
    path = folder / f"{result.name}.{gpu}.json"
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".experiment")
    with os.fdopen(handle, "wb") as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n")
    os.replace(temporary, path)
    return path
