"""Requests about sweeps, done with a session and the store."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playground.protocol import messages
from playground.protocol import sweeps as protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.job import Job
    from playground.model.finding import Stage
    from playground.model.launch import Launch
    from playground.model.sweep_plan import SweepPlan
    from playground.model.sweep_sizes import SizedSweep, Sizes
    from playground.protocol.messages import Reply


def _sweep(session: Any, request: messages.Sweep, job: Job) -> Reply | None:
    launch = session.launches[request.launch].info
    if not request.sizes:
        plan = _plan(request, launch, dict(session.sizes))
        result = session.sweep(request.launch, target=request.target, job=job, plan=plan)
        return messages.Swept(result)
    from playground.engine.sweep_sizes import sweep_sizes

    begun = 0

    def plan_for(at: Launch, sizes: Sizes) -> SweepPlan:
        nonlocal begun
        begun += 1
        job.send(protocol.SweepAt(sizes, begun, len(request.sizes)))
        return _plan(request, at, {**session.sizes, **dict(sizes)})

    def done(sized: SizedSweep) -> None:
        job.send(messages.Swept(sized.result, sized.sizes))

    sweep_sizes(session, request.launch, request.sizes, plan_for, request.target, job, on_done=done)
    return None


def _plan(request: messages.Sweep, launch: Launch, sizes: dict[str, int]) -> SweepPlan:
    from playground.model.knobs import sweep_values
    from playground.model.sweep_plan import SweepPlan
    from playground.model.sweep_space import make_space

    config = request.config
    values = request.values
    if not values and not request.listed:
        values = {
            knob.name: sweep_values(knob, config[knob.name])
            for knob in launch.knobs
            if knob.name in config
        }
    space = make_space(launch.knobs, config, values, request.where, sizes, request.listed)
    return SweepPlan(
        space, request.strategy, most=request.most, budget_ms=request.budget_ms,
        total_s=request.total_s, start=config, baseline=request.baseline, resume=request.resume,
        stored=True, workers=request.workers, cache=request.cache,
    )  # fmt: skip


def _prepare(session: Any, request: protocol.PrepareSweep, _job: Job) -> None:
    from playground.engine.benches import WorkersError

    # More workers than GPUs: the sweep itself says so, where somebody asks for it.
    with contextlib.suppress(WorkersError):
        session.prestart_bench(request.workers)


def _export(session: Any, request: protocol.ExportSweep, _job: Job) -> Reply:
    from playground.engine import past_sweeps
    from playground.engine.sweep_store import opened

    stem = Path(session.path).stem or "kernel"
    with opened() as store:
        if request.form == "t4":
            text = _as_json(past_sweeps.as_t4(store, request.sweeps[0]))
            return messages.Exported(text, f"{stem}_sweep_{request.sweeps[0]}.t4.json")
        if request.form == "table":
            text = _as_json(past_sweeps.as_table(store, request.sweeps, request.size))
            return messages.Exported(text, f"{stem}_configs.json")
        knobs = session.launches[request.launch].info.knobs
        best = past_sweeps.best_of(
            store, request.sweeps, request.best if request.form == "autotune" else 1, knobs
        )
        if request.form == "autotune":
            config, *others = dict.fromkeys(one for configs in best.values() for one in configs)
            return session.export(  # type: ignore[no-any-return]
                request.launch, config, others=tuple(others)
            )
        table, config = past_sweeps.dispatch(store, best, session.launches[request.launch].info)
    return session.export(request.launch, config, dispatch=table)  # type: ignore[no-any-return]


JOBS: dict[type, Callable[[Any, Any, Job], Reply | None]] = {
    messages.Sweep: _sweep,
    protocol.PrepareSweep: _prepare,
    protocol.ExportSweep: _export,
}

STAGES: dict[type, Stage] = {
    messages.Sweep: "sweep", protocol.PrepareSweep: "sweep", protocol.ExportSweep: "export",
}  # fmt: skip


def answer(request: protocol.GetSweeps | protocol.OpenSweep) -> Reply:
    """Answer what needs the store alone, also while a sweep is under way."""
    from playground.engine.past_sweeps import past
    from playground.engine.sweep_store import opened

    with opened() as store:
        known = {sweep.number: sweep for sweep in store.sweeps()}
        if isinstance(request, protocol.GetSweeps):
            return protocol.Sweeps(tuple(map(past, known.values())), store.note)
        if request.number not in known:
            problem = f"there is no sweep {request.number} in {store.path}"
            return protocol.OpenedSweep(problem=problem)
        return protocol.OpenedSweep(past(known[request.number]), store.open(request.number))


def _as_json(value: object) -> str:
    return json.dumps(value, indent=1, allow_nan=False) + "\n"
