"""Requests about time, done with a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playground.protocol import timing as messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.job import Job
    from playground.protocol.messages import Reply


def _compare(session: Any, request: messages.Compare, job: Job) -> Reply:
    against = request.expression if request.against is None else request.against
    comparison = session.compare(
        request.launch, request.config, against, request.cache, request.budget_ms, request.more, job
    )
    return messages.Compared(comparison)


def _own(session: Any, _request: messages.GetOwnBenchmarks, _job: Job) -> Reply:
    return messages.OwnBenchmarks(session.own_benchmarks())


def _trace(session: Any, request: messages.Trace, job: Job) -> Reply:
    if request.own:
        return messages.Traced(
            session.own_curve(request.own, request.cache, request.budget_ms, request.before, job)
        )
    return messages.Traced(
        session.curve(
            request.launch, request.axes, request.lines, cache=request.cache,
            budget_ms=request.budget_ms, before=request.before, job=job,
        )
    )  # fmt: skip


def _roofline(session: Any, request: messages.GetRoofline, job: Job) -> Reply:
    ceilings, standing = session.roofline(
        request.launch, request.config, request.target, again=request.again, job=job
    )
    return messages.Roofline(request.launch, request.config, ceilings, standing)


def _host(session: Any, request: messages.GetHostCost, job: Job) -> Reply:
    cost = session.host_cost(request.launch, request.config, job)
    return messages.HostCosts(request.launch, request.config, cost)


def _energy(session: Any, request: messages.GetEnergy, job: Job) -> Reply:
    energy = session.energy(request.launch, request.config, job)
    return messages.Energies(request.launch, request.config, energy)


def _floor(session: Any, request: messages.GetFloor, job: Job) -> Reply:
    floor = session.noise_floor(request.launch, request.config, request.cache, job)
    return messages.Floor(request.launch, request.cache, floor)


def _profile(session: Any, request: messages.Profile, job: Job) -> Reply:
    from playground.engine.nsight import NsightError

    command = session.nsight_command(request.launch, request.config)
    try:
        report = session.nsight(request.launch, request.config, job)
    except NsightError as error:
        return messages.Profiled(request.launch, request.config, None, command, str(error))
    return messages.Profiled(request.launch, request.config, report, command)


JOBS: dict[type, Callable[[Any, Any, Job], Reply | None]] = {
    messages.Compare: _compare,
    messages.Trace: _trace,
    messages.GetRoofline: _roofline,
    messages.GetHostCost: _host,
    messages.GetEnergy: _energy,
    messages.GetFloor: _floor,
    messages.Profile: _profile,
    messages.GetOwnBenchmarks: _own,
}
