"""The JSON record of `compile`: the report, and what options asked for beside it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from playground.cli.schema import Json, plain, record
from playground.model.compiling import CompileReport

if TYPE_CHECKING:
    from playground.model.compilations import Fit
    from playground.model.machine_code import MachineCode
    from playground.protocol.messages import ComparedCompilations

EXTRAS = ("passes", "code", "targets", "comparison")
"""Keys of the record that are null unless they were asked for."""

_LISTS = ("stage_times", "stages", "notes", "gains", "shared_buffers")


def compiled(value: CompileReport | None, found: Json, named: Json) -> Json:
    """Return a compile report with the text of each stage and the extras asked for.

    Parameters
    ----------
    value
        The report; None where the config does not compile, and then its figures are null.
    found
        `ir`, `stages` and the extras.
    named
        The launch, kernel, config and target that were to be compiled.
    """
    return {**_report(value, named), **dict.fromkeys(EXTRAS), "ir": {}, **found}


def _report(value: CompileReport | None, named: Json) -> Json:
    if value is None:
        empty: Json = {item.name: None for item in dataclasses.fields(CompileReport)}
        empty.update({name: [] for name in _LISTS})
        return {**empty, "fits": False, "cache_hit": False, "register_kinds": {}, **named}
    waves: Json | None = None
    if value.waves is not None:
        waves = {
            **record(value.waves), "count": value.waves.count, "last_wave": value.waves.last_wave,
        }  # fmt: skip
    return {**record(value), "register_kinds": dict(value.register_kinds), "waves": waves}


def fit(value: Fit) -> Json:
    """Return one target of `--all-targets`."""
    report = None if value.report is None else _report(value.report, {})
    return {**record(value), "report": report}


def code(value: MachineCode, source: dict[int, str]) -> Json:
    """Return the machine's code by line, each with its `source`."""
    return {
        "lines": [
            {
                **record(item), "source": source.get(item.line, "").strip(),
                "instructions": item.instructions, "counts": dict(item.counts),
                "matrix": dict(item.matrix),
            }
            for item in value.lines
        ],
        "total": dict(value.total),
        "elsewhere": value.elsewhere,
        "notes": list(value.notes),
    }  # fmt: skip


def comparison(value: ComparedCompilations, diffs: dict[str, str]) -> Json:
    """Return two compilations, what moved, and the unified diff of each stage asked for."""
    return {
        "left": record(value.left),
        "right": record(value.right),
        "left_report": None if value.left_report is None else _report(value.left_report, {}),
        "right_report": None if value.right_report is None else _report(value.right_report, {}),
        "changes": plain(value.changes),
        "diffs": dict(diffs),
    }
