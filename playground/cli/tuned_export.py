"""What `export` takes from past sweeps: the best config, the best few, or a table by size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playground.cli.work import RefusedError, Work, refusal
from playground.engine.sweep_store import opened
from playground.model.config import validated
from playground.model.knobs import KnobError
from playground.model.sweep import best_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playground.engine.freezing_dispatch import Dispatch
    from playground.engine.sweep_store import SweepStore
    from playground.model.config import Config


def from_sweeps(work: Work) -> tuple[tuple[Config, ...], Dispatch | None]:
    """Take the config from the past sweeps that `--sweep` names.

    Returns
    -------
    others
        The rest of `--best`, for a tuner to choose between.
    dispatch
        The table of `--dispatch`.
    """
    task = work.task
    if not task.past:
        if task.best is not None or task.dispatch:
            raise RefusedError(refusal("export", "--best and --dispatch need --sweep N", task))
        return (), None
    if task.best is not None and task.dispatch:
        raise RefusedError(refusal("export", "--best and --dispatch are two ways: choose", task))
    found: dict[int, list[Config]] = {}
    facts: dict[int, Mapping[str, Any]] = {}
    with opened() as store:
        known = {sweep.number: sweep.facts for sweep in store.sweeps()}
        for number in task.past:
            found[number] = _best(work, store, number)
            facts[number] = known[number]
    if not any(found.values()):
        raise RefusedError(refusal("export", "those sweeps timed no right config", task))
    if task.dispatch:
        return (), _dispatch(work, found, facts)
    work.config, *others = dict.fromkeys(one for configs in found.values() for one in configs)
    return (tuple(others) if task.best is not None else ()), None


def _best(work: Work, store: SweepStore, number: int) -> list[Config]:
    try:
        rows = best_rows(store.open(number), work.task.best or 1)
        return [validated(row.config, work.launch.knobs) for row in rows]
    except (LookupError, KnobError) as error:
        raise RefusedError(
            refusal("export", f"sweep {number}: {error}", work.task,
                    hint="`triton-playground sweeps` lists them")
        ) from error  # fmt: skip


def _dispatch(
    work: Work, found: Mapping[int, list[Config]], facts: Mapping[int, Mapping[str, Any]]
) -> Dispatch:
    from playground.engine.freezing_autotune import NoTunerError
    from playground.engine.freezing_dispatch import Measured, dispatch_of

    own = {item.name: int(item.text) for item in work.launch.arguments if item.kind == "int"}
    measured = [
        Measured(
            tuple((item[0], int(item[2])) for item in facts[number]["arguments"]
                  if item[1] == "int"), configs[0],
        )
        for number, configs in found.items()
        if configs
    ]  # fmt: skip
    try:
        table = dispatch_of(measured)
        work.config = table.config_at(table.size_of(own))
    except (NoTunerError, KeyError) as error:
        raise RefusedError(refusal("export", f"no table by size: {error}", work.task)) from error
    return table
