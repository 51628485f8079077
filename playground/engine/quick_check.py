"""A check that costs little beside the launch: the bounds are worked out once, and compared once.

It only ever says "right": what it does not find right, the whole check judges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from playground.engine import checking
from playground.engine.arguments import tensors_in
from playground.engine.replay import put_back_after

if TYPE_CHECKING:
    from playground.engine.capture import CapturedLaunch
    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.config import Config

MOST_ELEMENTS = 1 << 27
"""Elements beyond which the bounds would take more memory than they save time."""


@dataclass(frozen=True, eq=False)
class _Target:
    """A tensor of the launch, what it should hold, and how far each element may be off."""

    tensor: torch.Tensor
    want: torch.Tensor
    limit: torch.Tensor | None


def is_right(session: Session, launch: int, config: Config, job: Job) -> bool:
    """Run a launch under a config once; tell whether all it wrote is surely right."""
    captured, config = session.chosen(launch, config, {})
    targets = _targets(session, captured)
    if not targets:
        return False
    with session.guarded(job), put_back_after(session.prepare(launch, config)) as prepared:
        if prepared.reshaped:
            return False
        prepared.run()
        wrong = [_misses(prepared.view(item.tensor), item) for item in targets]
        return not bool(torch.stack(wrong).any()) and not prepared.overruns()


def _misses(got: torch.Tensor, target: _Target) -> torch.Tensor:
    if target.limit is None:
        return (got != target.want).any()
    off = (got.to(target.want.dtype) - target.want).abs_()
    # Written so that NaN, which compares as false, is a miss.
    return ~(off <= target.limit).all()


def _targets(session: Session, captured: CapturedLaunch) -> list[_Target]:
    kept = session.kept.targets
    if captured not in kept:
        kept[captured] = _made(session, captured)
    found: list[_Target] = kept[captured]
    return found


def _made(session: Session, captured: CapturedLaunch) -> list[_Target]:
    expected, _ = session.expected()
    pairs = [(item.got, item.want) for item in expected if checking.left_by(captured, item.got)]
    if not pairs:
        if captured.error is not None:
            return []
        named = [
            (tensor, captured.snapshot.result(tensor))
            for name in captured.snapshot.written
            for tensor in tensors_in(captured.arguments[name])
        ]
        pairs = [(tensor, want) for tensor, want in named if want is not None]
    return [_target(captured, got, want) for got, want in pairs] if all(
        _is_plain(got, want) for got, want in pairs
    ) else []  # fmt: skip


def _is_plain(got: torch.Tensor, want: torch.Tensor) -> bool:
    small = got.shape == want.shape and got.numel() <= MOST_ELEMENTS
    # A NaN that belongs there needs the whole check, which knows of both.
    if not small or got.is_complex() or want.is_complex():
        return False
    # Torch answers few questions about 8-bit floats themselves.
    wide = want.float() if want.is_floating_point() and want.element_size() == 1 else want
    return bool(wide.isfinite().all())


def _target(captured: CapturedLaunch, got: torch.Tensor, want: torch.Tensor) -> _Target:
    want = want.detach().to(got.device)
    if not got.is_floating_point() and not want.is_floating_point():
        return _Target(got, want.clone(), None)
    kind = torch.float64 if torch.float64 in (got.dtype, want.dtype) else torch.float32
    want = want.to(kind)
    relative, of_scale = checking.tolerances(captured, got.dtype)
    scale = want.double().square().mean().sqrt().to(kind)
    return _Target(got, want, want.abs() * relative + of_scale * scale)
