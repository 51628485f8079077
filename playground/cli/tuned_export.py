"""What `export` takes from past sweeps: the best config, the best few, or a table by size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.cli.work import RefusedError, Work, refusal
from playground.engine import past_sweeps
from playground.engine.sweep_store import opened

if TYPE_CHECKING:
    from playground.engine.freezing_dispatch import Dispatch
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
    try:
        with opened() as store:
            found = past_sweeps.best_of(store, task.past, task.best or 1, work.launch.knobs)
            if task.dispatch:
                table, work.config = past_sweeps.dispatch(store, found, work.launch)
                return (), table
    except past_sweeps.PastSweepError as error:
        raise RefusedError(
            refusal("export", str(error), task, hint="`triton-playground sweeps` lists them")
        ) from error
    work.config, *others = dict.fromkeys(one for configs in found.values() for one in configs)
    return (tuple(others) if task.best is not None else ()), None
