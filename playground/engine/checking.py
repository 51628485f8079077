"""Whether a replay computed what it should: against `reference`, or against the captured result."""

from __future__ import annotations

import math
from dataclasses import dataclass, is_dataclass
from typing import TYPE_CHECKING, Any

import torch

from playground.engine.arguments import storage_key, tensors_in
from playground.engine.triton_private import wrappers
from playground.model.check import CheckResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.capture import CapturedLaunch
    from playground.engine.replay import PreparedReplay

_CHUNK = 1 << 24

RELATIVE = {
    torch.float64: 1e-9,
    torch.float32: 1e-5,
    torch.float16: 2e-3,
    torch.bfloat16: 1.6e-2,
    torch.float8_e4m3fn: 0.13,
    torch.float8_e5m2: 0.26,
}
"""Relative error of an element by its dtype: one rounding step either way, with room for exp."""
_TF32 = 1e-3
"""What multiplying fp32 as tf32 leaves: ten bits of each factor (2^-11 each, and their sum)."""


@dataclass(frozen=True, eq=False)
class Expected:
    """A reference value for one tensor that the driver returned: `got` is that tensor."""

    got: torch.Tensor
    want: torch.Tensor
    label: str


@dataclass(frozen=True, eq=False)
class Difference:
    """How far one tensor is from what was wanted."""

    tensor: str
    elements: int
    mismatches: int
    max_abs_error: float
    tolerance: float
    first_index: tuple[int, ...] | None


def pair_up(got: Any, want: Any, label: str = "result") -> Iterator[Expected]:
    """Yield the tensors of a driver's value with the reference's, wherever both have one."""
    if isinstance(got, torch.Tensor) and isinstance(want, torch.Tensor):
        yield Expected(got, want, label)
    elif isinstance(got, (tuple, list)) and isinstance(want, (tuple, list)):
        for index, (one, other) in enumerate(zip(got, want, strict=False)):
            yield from pair_up(one, other, f"{label}[{index}]")
    elif isinstance(got, dict) and isinstance(want, dict):
        for key in got:
            if key in want:
                yield from pair_up(got[key], want[key], f"{label}[{key!r}]")
    elif is_dataclass(got) and is_dataclass(want):
        yield from pair_up(vars(got), vars(want), label)
    elif isinstance(got, (tuple, list)) and isinstance(want, torch.Tensor) and got:
        yield from pair_up(got[0], want, f"{label}[0]")


def check_against(prepared: PreparedReplay, expected: list[Expected]) -> CheckResult:
    """Compare what `prepared` just computed; it must have run and be finished.

    Parameters
    ----------
    expected
        Reference values for tensors that the driver returned. They judge this launch where it left
        what was returned; where later work changed the tensor, the captured result does.
    """
    launch = prepared.launch
    ours = [item for item in expected if left_by(launch, item.got)]
    if not ours:
        return against_captured(prepared)
    return verdict(
        [
            compare(
                name_of(item.got, launch) or item.label,
                prepared.view(item.got),
                item.want,
                *tolerances(launch, item.got.dtype),
            )
            for item in ours
        ],
        "reference",
    )


def against_captured(prepared: PreparedReplay) -> CheckResult:
    """Compare with what the captured launch left in the tensors it wrote."""
    launch = prepared.launch
    if launch.error is not None:
        return CheckResult("unjudged", "none", note="the captured launch itself failed")
    differences = []
    for name in launch.snapshot.written:
        for tensor in tensors_in(launch.arguments[name]):
            want = launch.snapshot.result(tensor)
            if want is not None:
                got = prepared.view(tensor)
                differences.append(compare(name, got, want, *tolerances(launch, tensor.dtype)))
    differences.extend(_pointed_to(prepared))
    if not differences:
        return CheckResult(
            "unjudged", "none", note="the captured launch changed none of its tensors"
        )
    return verdict(differences, "captured")


def _pointed_to(prepared: PreparedReplay) -> Iterator[Difference]:
    """Compare, as bytes, the storages that the launch reached through addresses only."""
    snapshot = prepared.launch.snapshot
    named = {
        storage_key(tensor)
        for value in prepared.launch.arguments.values()
        for tensor in tensors_in(value)
    }
    for key, want in snapshot.after.items():
        if key not in named:
            got = snapshot.images[key].live
            yield compare(f"memory at {key[1]:#x}", got, want, 0.0, 0.0)


def compare(
    name: str, got: torch.Tensor, want: torch.Tensor, relative: float, of_scale: float
) -> Difference:
    """Compare two tensors element by element in double precision.

    An element may be off by `relative` of its own size plus `of_scale` of the typical size
    (root mean square) of `want`, or of its row where that is larger: the first rows of causal
    attention are sums of few terms, and large beside the rest. A NaN or an infinity is right only
    where `want` has the same.
    """
    if got.shape != want.shape:
        if got.numel() != want.numel():
            return Difference(
                f"{name} of shape {tuple(got.shape)} (the reference's is {tuple(want.shape)})",
                max(got.numel(), 1), max(got.numel(), 1), math.inf, 0.0, None,
            )  # fmt: skip
        want = want.reshape(got.shape)
    want = want.detach().to(got.device)
    if got.is_complex() or want.is_complex():
        got, want = torch.view_as_real(got + 0j), torch.view_as_real(want + 0j)
    if not got.is_floating_point() and not want.is_floating_point():
        return _exact(name, got, want)
    flat_got, flat_want = _flat(got), _flat(want)
    scale = _root_mean_square(flat_want)
    mismatches, largest, first, allowed = 0, 0.0, None, 0.0
    row = want.shape[-1] if want.dim() > 1 and want.numel() else 1
    step = max(_CHUNK // row, 1) * row
    for start in range(0, flat_got.numel(), step):
        one = _double(flat_got[start : start + step])
        other = _double(flat_want[start : start + step])
        limit = relative * other.abs() + of_scale * _row_scales(other, row, scale)
        error = (one - other).abs()
        same = (one == other) | (one.isnan() & other.isnan())
        wrong = ~same & ~(error <= limit.nan_to_num(0.0, 0.0, 0.0))
        count = int(wrong.sum())
        if count and first is None:
            first = start + int(wrong.to(torch.uint8).argmax())
        mismatches += count
        finite = error[~same & error.isfinite()]
        if finite.numel():
            largest = max(largest, float(finite.max()))
        elif count:
            largest = math.inf
        if limit.numel():
            allowed = max(allowed, float(limit[limit.isfinite()].max()) if limit.isfinite().any()
                          else 0.0)  # fmt: skip
    return Difference(
        name, got.numel(), mismatches, largest, allowed,
        None if first is None else _unravel(first, tuple(got.shape)),
    )  # fmt: skip


def _exact(name: str, got: torch.Tensor, want: torch.Tensor) -> Difference:
    wrong = _flat(got) != _flat(want)
    count = int(wrong.sum())
    first = int(wrong.to(torch.uint8).argmax()) if count else None
    largest = 0.0
    if count:
        largest = float((_flat(got)[wrong].double() - _flat(want)[wrong].double()).abs().max())
    return Difference(
        name, got.numel(), count, largest, 0.0,
        None if first is None else _unravel(first, tuple(got.shape)),
    )  # fmt: skip


def verdict(differences: list[Difference], against: Any) -> CheckResult:
    """Return the check's result: that of the tensor which is furthest off."""
    worst = max(differences, key=lambda item: (item.mismatches, item.max_abs_error))
    return CheckResult(
        status="wrong" if worst.mismatches else "correct",
        against=against,
        tensor=worst.tensor,
        max_abs_error=worst.max_abs_error,
        tolerance=worst.tolerance,
        mismatches=worst.mismatches,
        elements=worst.elements,
        first_index=worst.first_index,
    )


def tolerances(launch: CapturedLaunch, dtype: torch.dtype) -> tuple[float, float]:
    """Return the relative tolerance of an element, and the part of the typical size beside it."""
    inputs = [
        tensor
        for name, value in launch.arguments.items()
        if name not in launch.snapshot.written
        for tensor in tensors_in(value)
    ]
    relative = RELATIVE.get(dtype, 1e-5)
    floating = [tensor.dtype for tensor in inputs if tensor.dtype.is_floating_point]
    # A kernel may round what it computes on the way (attention's weights) to its inputs' precision.
    coarsest = max((RELATIVE.get(kind, 1e-5) for kind in floating), default=relative)
    length = max((size for tensor in inputs for size in tensor.shape), default=1)
    accumulated = 16 * 2.0 ** (-53 if dtype == torch.float64 else -24) * math.sqrt(max(length, 1))
    of_scale = max(relative, coarsest) / 2 + accumulated
    if dtype != torch.float64 and _multiplies_as_tf32(launch, floating):
        # Products of rounded factors: their errors add up as the terms do, in proportion to the
        # typical result, with several standard deviations for the largest of many.
        of_scale += 8 * _TF32
    return relative, of_scale


def _multiplies_as_tf32(launch: CapturedLaunch, floating: list[torch.dtype]) -> bool:
    if torch.float32 not in floating:
        return False
    text = wrappers.source_text(launch.function)
    return "dot(" in text and not any(
        word in text for word in ('"ieee"', "'ieee'", "allow_tf32=False")
    )


def left_by(launch: CapturedLaunch, tensor: torch.Tensor) -> bool:
    """Tell whether `tensor` still holds what `launch` left there."""
    left = launch.snapshot.result(tensor)
    if left is None:
        return False
    return bool(((left == tensor) | ((left != left) & (tensor != tensor))).all())


def name_of(tensor: torch.Tensor, launch: CapturedLaunch) -> str | None:
    """Return the argument that a tensor shares its storage with, one that was written first."""
    key = storage_key(tensor)
    names = [
        name
        for name, value in launch.arguments.items()
        for item in tensors_in(value)
        if storage_key(item) == key
    ]
    return next(
        (name for name in names if name in launch.snapshot.written), next(iter(names), None)
    )


def _flat(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().reshape(-1)


def _double(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.double()


def _row_scales(values: torch.Tensor, row: int, least: float) -> torch.Tensor | float:
    """Return the root mean square of each value's row of `row` values, or `least` if larger."""
    if row == 1:
        return least
    squares = values.square().nan_to_num(0.0, 0.0, 0.0).view(-1, row)
    return squares.mean(dim=1).sqrt().clamp(min=least).repeat_interleave(row)


def _root_mean_square(flat: torch.Tensor) -> float:
    total, count = 0.0, 0
    for start in range(0, flat.numel(), _CHUNK):
        piece = _double(flat[start : start + _CHUNK])
        piece = piece[piece.isfinite()]
        total += float((piece * piece).sum())
        count += piece.numel()
    return math.sqrt(total / count) if count else 0.0


def _unravel(index: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    position: list[int] = []
    for size in reversed(shape):
        position.append(index % size)
        index //= size
    return tuple(reversed(position))
