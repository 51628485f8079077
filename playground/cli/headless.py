"""The main job where there is no display: the same work, told in the terminal and kept in files."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from playground.cli import files, picture, schema, text
from playground.cli.process import run_worker
from playground.cli.task import Task
from playground.model.python_command import python_command

if TYPE_CHECKING:
    from playground.cli.schema import Json

_SECTIONS = ("launches", "compile", "measurement", "coverage", "sweep")


def run(file: str, output_dir: Path, reason: str) -> int:
    """Do the work of the window on `file`, write the tuned file and a picture of the window.

    Returns
    -------
    int
        The exit status: 0, or 1 if an error was found or a file could not be written.
    """
    print(f"no display ({reason}): working in the terminal instead", flush=True)
    telling = _Telling()
    task = Task("all", file, budget_ms=200.0, progress=sys.stderr.isatty())
    outcome = run_worker(task, None, telling.tell)
    telling.tell(outcome.document)
    found = text.findings(outcome.document)
    if found:
        print("\nfindings\n" + found)
    status = outcome.status
    if status > 1 or not outcome.document.get("launches"):
        return status
    written = _write_tuned(file, output_dir, outcome.document)
    pictured = _draw(file, output_dir, outcome.document)
    return status if written and pictured else 1


class _Telling:
    """Prints every section of the document as soon as it is there, once."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def tell(self, document: Json) -> None:
        device = text.device_line(document)
        if device and "device" not in self._told:
            self._told.add("device")
            print(device)
        for key in _SECTIONS:
            if document.get(key) and key not in self._told:
                self._told.add(key)
                print("\n" + text.render(document, key), flush=True)


def _write_tuned(file: str, output_dir: Path, document: Json) -> bool:
    exported = schema.export_of(document)
    if not exported:
        print("\nno tuned file: the findings say why", flush=True)
        return False
    path = files.free_path(output_dir / exported["name"], Path(file), files.is_own_export)
    try:
        path.write_text(exported["text"], encoding="utf-8")
    except OSError as error:
        print(f"\ncould not write {path}: {error.strerror}", file=sys.stderr)
        return False
    command = f"{python_command()} {shlex.quote(str(path))} --check"
    print(f"\ntuned file: {path} ({command} proves it)", flush=True)
    return True


def _draw(file: str, output_dir: Path, document: Json) -> bool:
    wanted = output_dir / f"{Path(file).stem}_window.png"
    path = files.free_path(wanted, Path(file), files.is_own_picture)
    taken = picture.take(file, path, schema.config_of(document))
    if taken.failure:
        print(f"no picture of the window: {taken.failure}", file=sys.stderr)
        return False
    files.mark_picture(path)
    without = f" (without {', '.join(taken.missing)})" if taken.missing else ""
    print(f"picture of the window: {path}{without}", flush=True)
    return not taken.missing
