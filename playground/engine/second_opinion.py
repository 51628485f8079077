"""A second look at a right result: whatever lies where nothing is loaded must not change it.

A lane that a mask switches off without `other=`, or one outside of its tensor, holds anything on a
GPU. The interpreter puts 0 there, which is often just what hides the mistake. Here the launch runs
again with NaN and with 1e30 in those lanes; where a result changes, the access that lets them
through is found by filling one at a time.

What lies outside a tensor makes the result wrong. What a mask switches off, most GPUs load as 0 as
the interpreter does, and many kernels in wide use rely on it: that is a warning, unless only a
moved knob brings such lanes about.
"""

from __future__ import annotations

import contextlib
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from playground.engine.arguments import tensors_in
from playground.engine.job import CancelledError
from playground.engine.replay import put_back_after
from playground.model.check import CheckResult
from playground.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.capture import CapturedLaunch
    from playground.engine.job import Job
    from playground.engine.replay import PreparedReplay
    from playground.engine.session import Session
    from playground.engine.triton_private.interpreter import Site
    from playground.model.config import Config

_POISONS = (math.nan, 1e30)
_QUICK_S = 0.1
"""A run that takes longer is looked at once more under the captured config only."""
_MOST_SITES = 12


@dataclass(frozen=True)
class Opinion:
    """What the second look found; both are empty when it agrees, and a hazard is no result."""

    result: CheckResult | None = None
    findings: tuple[Finding, ...] = ()


class _TooLongError(Exception):
    """A run with other values takes much longer than the first: a loop counts them."""


def second_opinion(
    session: Session, launch: CapturedLaunch, config: Config, job: Job, result: CheckResult
) -> Opinion:
    """Return what comes of other values in lanes that load nothing, given the first verdict."""
    from playground.engine.triton_private import interpreter

    if session.device.mode != "interpreter" or result.status == "unjudged":
        return Opinion()
    if result.route != "launch":  # the launch alone says nothing then
        return Opinion()
    if not interpreter.last_open_lanes():
        return Opinion()
    prepared = session.prepare(launch.info.index, config)
    with session.guarded(job), put_back_after(prepared):
        look = _Look(prepared, job)
        if look.took_s > _QUICK_S and config != launch.info.config:
            return Opinion()
        poison = look.poison_that_shows()
        if poison is None or look.differs(None, None):  # not the same twice: nothing can be said
            return Opinion()
        sites = look.sites_of(poison)
    hazards = set(sites) - look.outside
    if hazards and config != launch.info.config:
        hazards &= _leaking_as_captured(session, launch, job)
    return _told(launch, config, result, look, poison, sites, hazards)


def _leaking_as_captured(session: Session, launch: CapturedLaunch, job: Job) -> set[Site]:
    """Return where lanes leak under the captured config already."""
    captured = session.verdict_on(launch, launch.info.config, job)
    return {
        (finding.line, finding.file)
        for finding in captured.findings
        if finding.stage == "check" and finding.severity == "warning"
    }


class _Look:
    """The replay run again and again, with its first outcome."""

    def __init__(self, prepared: PreparedReplay, job: Job) -> None:
        self._prepared = prepared
        self._job = job
        self._deadline = math.inf
        self._lost: set[Site] = set()
        self.sites: set[Site] = set()
        self.outside: set[Site] = set()
        self.strayed = False
        self.mismatches, self.elements = 0, 0
        self.tensor = ""
        self.first_index: tuple[int, ...] | None = None
        started = time.monotonic()
        self._want = self._outcome(None, None)
        self.took_s = time.monotonic() - started

    def poison_that_shows(self) -> float | None:
        """Return the first value that changes what the launch leaves."""
        return next((value for value in _POISONS if self.differs(value, None)), None)

    def sites_of(self, poison: float) -> list[Site]:
        """Return the accesses whose lanes reach a result, each found alone."""
        found = sorted(self.sites, key=str)[:_MOST_SITES]
        alone = [site for site in found if self.differs(poison, site)]
        return alone or found

    def differs(self, poison: float | None, only: Site | None) -> bool:
        """Tell whether the launch leaves something else with `poison` in such lanes."""
        self._deadline = time.monotonic() + 10 * self.took_s + 2.0
        try:
            got = self._outcome(poison, only)
        except CancelledError:
            raise
        except Exception:
            return poison is not None  # the lanes even decide how the kernel runs
        found = bool(self._lost - self.outside)
        self.strayed = self.strayed or found
        for name, want in self._want.items():
            if torch.equal(_bits(got[name]), _bits(want)):
                continue
            found = True
            if poison is not None and not self.tensor:
                self._note(name, got[name], want)
        return found

    def _note(self, name: str, got: torch.Tensor, want: torch.Tensor) -> None:
        differ = (_bits(got) != _bits(want)).reshape(*got.shape, -1).any(-1)
        self.tensor, self.elements = name, got.numel()
        self.mismatches = int(differ.sum())
        self.first_index = tuple(int(item) for item in differ.nonzero()[0])

    def _outcome(self, poison: float | None, only: Site | None) -> dict[str, torch.Tensor]:
        from playground.engine.triton_private import interpreter

        self._prepared.restore()
        with self._within_time():
            if poison is None:
                self._prepared.run()
            else:
                with interpreter.masked_fill(poison, only) as filled:
                    self._prepared.run()
                if only is None:
                    self.sites |= filled.sites
        self._lost = {(item.line, item.file) for item in interpreter.last_out_of_bounds()}
        if poison is None:
            self.outside = self._lost
        return {
            name: self._prepared.view(tensor).clone()
            for name in self._prepared.written
            for tensor in tensors_in(self._prepared.launch.arguments[name])
        }

    @contextlib.contextmanager
    def _within_time(self) -> Iterator[None]:
        from playground.engine.triton_private import interpreter

        def look(_program: int, _programs: int) -> None:
            self._job.check()
            if time.monotonic() > self._deadline:
                raise _TooLongError

        with interpreter.checking(look):
            yield


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous().reshape(-1).view(torch.uint8).reshape(-1, tensor.element_size())


def _told(
    launch: CapturedLaunch, config: Config, result: CheckResult, look: _Look, poison: float,
    sites: list[Site], hazards: set[Site],
) -> Opinion:  # fmt: skip
    shown = "NaN" if math.isnan(poison) else f"{poison:g}"
    detail = ""
    if look.tensor:
        detail = (
            f"with {shown} there, {look.mismatches} of {look.elements} elements of "
            f"{look.tensor} change under {config.label()}"
        )
    findings = []
    for site in sites:
        message, hint = _words(site, look)
        line, file = site
        findings.append(
            Finding(
                "warning" if site in hazards else "error", "check",
                f"{launch.info.kernel}: {message}", hint, file, line, None, detail,
            )
        )  # fmt: skip
    blamed = [site for site in sites if site not in hazards]
    if result.status == "wrong" or not blamed:
        return Opinion(None, tuple(findings))
    where = ", ".join(f"line {line}" for line, _ in blamed)
    what = "outside a tensor" if look.outside & set(blamed) else "that a mask switches off"
    note = f"the result depends on lanes {what} ({where})"
    if not look.tensor and look.strayed:
        note = f"lanes {what} become addresses ({where})"
    judged = CheckResult(
        "wrong", result.against, tensor=look.tensor, mismatches=look.mismatches,
        elements=look.elements, first_index=look.first_index, note=note, route=result.route,
    )  # fmt: skip
    return Opinion(judged, tuple(findings))


def _words(site: Site, look: _Look) -> tuple[str, str]:
    """Return what is wrong with an access, and what to do about it."""
    if site in look.outside:
        return (
            "lanes outside the tensor reach the result: right only while zeros lie there "
            "(the tail of a loop whose length the block does not divide)",
            "mask the access in every dimension, with other= the value that changes nothing",
        )
    if not look.tensor and look.strayed:
        return (
            "lanes that the mask switches off, without a value, become addresses",
            "give the load other=0, and mask what is loaded or stored through it",
        )
    return (
        "lanes that the mask switches off reach the result: they have no value of their own",
        "give the load the value that changes nothing: other=0.0 for sums and products, "
        "other=-float('inf') for a maximum and softmax",
    )
