"""The files that `coverage` writes: pictures of the tile maps, and the counts for NumPy."""

from __future__ import annotations

import contextlib
import os
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from playground.cli import files, schema
from playground.cli.drawing import draw
from playground.cli.process import run_worker
from playground.model.finding import Finding

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from playground.cli.process import Outcome
    from playground.cli.task import Task

_LIMIT_S = 120.0
_SVG_MARK = "drawn by Triton Playground"


def wanted_of(options: argparse.Namespace) -> dict[str, Path]:
    """Return the files asked for by kind: `png`, `svg`, `npz`."""
    given = {kind: getattr(options, kind, None) for kind in schema.COVERAGE_FILES}
    return {kind: path for kind, path in given.items() if path is not None}


def why_not(wanted: Mapping[str, Path], options: argparse.Namespace) -> str:
    """Return why a file may not be written, or an empty string; asked before the work."""
    own: dict[str, Callable[[Path], bool]] = {
        "png": files.is_own_picture, "svg": _is_own_svg, "npz": _is_own_counts,
    }  # fmt: skip
    for kind, path in wanted.items():
        if path.suffix.lower() != f".{kind}":
            return f"--{kind} {path}: give a name that ends in .{kind}"
        if path.is_dir():
            return f"{path} is a folder; give the name of a file in it"
        if not path.parent.is_dir():
            return f"there is no folder {path.parent} to write {path.name} into"
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            return f"{path} may not be written: give another folder, or change its permissions"
        if path.exists() and not options.force and not own[kind](path):
            return f"{path} exists and was not written by this program; --force replaces it"
    return ""


def run(task: Task, timeout_s: float | None, wanted: Mapping[str, Path], theme: str) -> Outcome:
    """Do the work, draw the pictures asked for, and say in the document what was written."""
    pictures = {kind: path for kind, path in wanted.items() if kind != "npz"}
    with tempfile.TemporaryDirectory(prefix="playground-picture-") as folder:
        data = Path(folder) / "maps.npz"
        outcome = run_worker(
            replace(
                task,
                npz=str(wanted["npz"].absolute()) if "npz" in wanted else "",
                picture_data=str(data) if pictures else "",
            ),
            timeout_s,
        )
        if not pictures or not data.exists():
            return outcome
        failure = _draw(data, list(pictures.values()), _title(outcome), theme)
    return _told(outcome, pictures, failure)


def _title(outcome: Outcome) -> str:
    from playground.model.config import label

    coverage = outcome.document["coverage"]
    if not isinstance(coverage, dict):
        return "coverage"
    return f"{coverage['kernel']} under {label(coverage['config'])}"


def _told(outcome: Outcome, pictures: Mapping[str, Path], failure: str) -> Outcome:
    document, status = outcome.document, outcome.status
    if failure:
        remedy = "`triton-playground doctor` says whether Qt works here"
        if failure.startswith("cannot write"):
            remedy = "give a folder that you may write to and that has room left"
        error = Finding("error", "coverage", f"no picture was drawn: {failure}", remedy)
        findings = [*schema.findings_of(document), schema.finding(error)]
        return replace(outcome, document={**document, "findings": findings}, status=status or 1)
    for kind, path in pictures.items():
        if kind == "png":
            files.mark_picture(path)
        schema.set_coverage_file(document, kind, str(path.absolute()))
    return outcome


def _draw(data: Path, paths: list[Path], title: str, theme: str) -> str:
    """Draw in a process of its own; return why that failed, or an empty string."""
    options = ["--title", title, "--theme", theme, "--", str(data), *map(str, paths)]
    drawn = draw("playground.ui.coverage_picture", options, _LIMIT_S)
    if drawn is None:
        return f"it was not drawn within {_LIMIT_S:.0f} s"
    if drawn.status == 0:
        return ""
    if drawn.killer:
        return f"Qt's process died of {drawn.killer}"
    return drawn.last_words or f"exit status {drawn.status}"


def _is_own_svg(path: Path) -> bool:
    with contextlib.suppress(OSError, UnicodeDecodeError), path.open(encoding="utf-8") as file:
        return _SVG_MARK in file.read(2000)
    return False


def _is_own_counts(path: Path) -> bool:
    # Text in NumPy's files has four bytes a character.
    mark = "Triton Playground".encode("utf-32-le")
    try:
        with zipfile.ZipFile(path) as archive, archive.open("about.npy") as entry:
            return mark in entry.read(4000)
    except (OSError, zipfile.BadZipFile, KeyError):
        return False
