"""How far a compilation came before it failed, and the texts of the stages that were through."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_BINARY = frozenset({"cubin", "hsaco"})


@dataclass(frozen=True)
class Reached:
    """The stage that a compilation has begun, those before it, and the folder of their texts.

    The folder is Triton's own cache entry: it puts every stage there as soon as the stage is
    through, so the texts outlive the process that made them. Empty where a cache of another kind
    is in use.
    """

    stage: str
    done: tuple[str, ...]
    folder: str


def texts(reached: Reached | None) -> dict[str, str | bytes]:
    """Return the stages that were through, by name; of a failed first stage what it was given."""
    if reached is None or not reached.folder:
        return {}
    found: dict[str, str | bytes] = {}
    for stage in reached.done:
        path = next(Path(reached.folder).glob(f"*.{stage}"), None)
        if path is not None:
            found[stage] = path.read_bytes() if stage in _BINARY else _text(path)
    if not reached.done:
        made = next(Path(reached.folder).glob("*.source"), None)
        if made is not None:
            # What the front end made is the same language as the first stage, before its passes.
            found[reached.stage] = _text(made)
    return found


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
