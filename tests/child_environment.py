"""The environment of a process that a test or a benchmark starts."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]


def child_environment(
    *, interpret: bool | None = None, checkout: bool = True, **values: str
) -> dict[str, str]:
    """Return our own environment with `values`, for a process of another folder.

    What `PYTHONPATH` holds stays in it: on some machines torch and triton come through it.

    Parameters
    ----------
    interpret
        Whether kernels run in Triton's interpreter there; None leaves it as it is here.
    checkout
        Whether this checkout is found there, ahead of anything else; without it an exported file
        has to stand alone.
    """
    found = {**os.environ, **values}
    rest = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    paths = [path for path in rest if Path(path).resolve() != ROOT]
    if checkout:
        paths = [str(ROOT), *paths]
    found["PYTHONPATH"] = os.pathsep.join(paths)
    if not paths:
        del found["PYTHONPATH"]
    if interpret is not None:
        found.pop("TRITON_INTERPRET", None)
    if interpret:
        found["TRITON_INTERPRET"] = "1"
    return found
