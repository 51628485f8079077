"""Triton Playground: what a Triton kernel does, how fast and why, while its knobs move."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from playground.engine.session import Session

__version__ = "0.1.0"


def open(path: str | Path) -> Session:
    """Return the session object that the window drives, with `path` loaded but not executed.

    Parameters
    ----------
    path
        A Python file that launches Triton kernels.

    Raises
    ------
    OSError
        The file cannot be read.
    """
    from playground.engine.session import Session

    session = Session()
    session.load(path)
    return session
