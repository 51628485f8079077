"""What was swept of a file, kept between sessions as JSON: by kernel, as it was typed."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, get_args

from playground.model.sweep_plan import STRATEGIES
from playground.ui.sweep_reading import Choice, Source

if TYPE_CHECKING:
    from collections.abc import Collection

_NOT_KEPT = ("workers",)
"""What belongs to a machine rather than to a file."""


def remembered(text: str, kernel: str, fresh: Choice, sizes: Collection[str]) -> Choice:
    """Return the choice kept for a kernel, on top of a fresh one; what is no choice is left out.

    Values of knobs that the launch no longer has, and sizes that the driver no longer has, are
    forgotten.
    """
    try:
        kept = json.loads(text or "{}")
    except ValueError:  # not what was stored: as if there were none
        return fresh
    found = kept.get(kernel) if isinstance(kept, dict) else None
    if not isinstance(found, dict):
        return fresh
    values = {**dict(fresh.values), **_texts(found.get("values"), dict(fresh.values))}
    choice = replace(fresh, values=tuple(values.items()),
                     sizes=tuple(_texts(found.get("sizes"), sizes).items()))  # fmt: skip
    if isinstance(found.get("where"), str):
        choice = replace(choice, where=found["where"])
    if found.get("source") in get_args(Source):
        choice = replace(choice, source=found["source"])
    if found.get("strategy") in STRATEGIES:
        choice = replace(choice, strategy=found["strategy"])
    if isinstance(found.get("together"), bool):
        choice = replace(choice, together=found["together"])
    most, total_s = found.get("most"), found.get("total_s")
    if type(most) is int and most > 0:
        choice = replace(choice, most=most)
    if isinstance(total_s, (int, float)) and total_s > 0:
        choice = replace(choice, total_s=float(total_s))
    return choice


def with_choice(text: str, kernel: str, choice: Choice) -> str:
    """Return what is kept of a file with a kernel's choice in it."""
    try:
        kept = json.loads(text or "{}")
    except ValueError:
        kept = {}
    told = {name: value for name, value in asdict(choice).items() if name not in _NOT_KEPT}
    return json.dumps({**(kept if isinstance(kept, dict) else {}), kernel: told})


def _texts(pairs: object, known: Collection[str]) -> dict[str, str]:
    if not isinstance(pairs, list):
        return {}
    return {
        str(pair[0]): str(pair[1])
        for pair in pairs
        if isinstance(pair, list) and len(pair) == 2 and pair[0] in known
    }
