"""What the compiler was given when it broke, kept in a file so that the fault can be shown again.

A failing pass prints its input and its pipeline as one MLIR text (a "reproducer"), which
`triton-opt --run-reproducer` takes. Where nothing of the kind was printed, the text of the last
stage that was through is kept: it is what the failing stage was given.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

if TYPE_CHECKING:
    from playground.engine.compile_messages import Order

_KEPT_FILES = 40
_PRINTED = re.compile(r"^(?:#\w+ = .*\n)*(?:builtin\.)?module\b.*?^#-\}$", re.MULTILINE | re.DOTALL)
_COMMENT = {"llir": ";", "ptx": "//", "amdgcn": ";"}
_ENDING = {"ttir": "ttir.mlir", "ttgir": "ttgir.mlir", "llir": "ll", "ptx": "ptx", "amdgcn": "s"}


def folder() -> Path:
    """Return where such files are kept."""
    return Path(platformdirs.user_cache_dir("triton-playground"), "reproducers")


def printed_reproducer(printed: str) -> str:
    """Return the first reproducer in what the compiler printed, or an empty string."""
    found = _PRINTED.search(printed)
    return found[0] if found else ""


def without_reproducer(printed: str) -> str:
    """Return what the compiler printed without reproducers, which run to thousands of lines."""
    return _PRINTED.sub("", printed).strip("\n")


def keep(
    order: Order, printed: str, stages: dict[str, str | bytes], failed: str, why: str
) -> Path | None:
    """Write down what the compiler broke on; return the file, None where nothing is known.

    Parameters
    ----------
    order
        What was compiled.
    printed
        All that the compiler printed.
    stages
        The stages that were through.
    failed
        The stage that broke.
    why
        What it said.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    text, stage = printed_reproducer(printed), "ttir"
    how = "triton-opt --run-reproducer runs the failing passes on it"
    if not text:
        known = [name for name, held in stages.items() if isinstance(held, str) and held]
        if not known:
            return None
        stage = known[-1]
        text = str(stages[stage])
        how = f"what the stage {failed or 'after it'} was given"
    import triton

    mark = _COMMENT.get(stage, "//")
    options = " ".join(f"{name}={value}" for name, value in order.options)
    head = "".join(
        f"{mark} {line}\n"
        for line in (
            f"{order.kernel.qualname} for {order.target} by triton {triton.__version__}: {options}",
            f"it ended with: {why}",
            how,
        )
    )
    made = head + text.rstrip("\n") + "\n"
    known_by = hashlib.sha256(made.encode()).hexdigest()[:10]
    ending = "mlir" if printed_reproducer(printed) else _ENDING.get(stage, stage)
    name = re.sub(r"\W+", "_", order.kernel.qualname.rpartition(".")[2])
    place = folder()
    place.mkdir(parents=True, exist_ok=True)
    path = place / f"{name}-{known_by}.{ending}"
    half = path.with_suffix(f".{os.getpid()}.part")
    half.write_text(made, encoding="utf-8")
    half.replace(path)
    _forget_oldest(place)
    return path


def _forget_oldest(place: Path) -> None:
    files = sorted(place.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in files[_KEPT_FILES:]:
        path.unlink(missing_ok=True)
