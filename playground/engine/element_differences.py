"""Two results of one launch, element by element: where they differ, by how much, who wrote it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from playground.engine import alone, owners
from playground.engine.checking import left_by, name_of, tolerances
from playground.engine.counter_layout import named_tensors
from playground.engine.debug_messages import RunPrograms
from playground.engine.planes import block_maximum
from playground.engine.reached import reached_by_address
from playground.engine.replay_layout import layout_for
from playground.model.debugging import Differences, ElementDifference
from playground.model.finding import Finding
from playground.model.plane import index_text, plane_shape
from playground.protocol.debugging import Differed, ErrorMap

if TYPE_CHECKING:
    from playground.engine.capture import CapturedLaunch
    from playground.engine.job import Job
    from playground.engine.replay import PreparedReplay
    from playground.engine.session import Session
    from playground.model.config import Config

MAP_SIDE = 512
"""Pixels of an error map along each side at the most."""
_TRY_PROGRAMS = 8
_PATIENCE_S = 20.0
"""So long the interpreter may take: of a larger launch only some programs are compared."""
_LARGEST_MAP = 1 << 28


class _Pair:
    """One tensor's two results; `known` (bool) are the elements that both have."""

    def __init__(
        self, name: str, got: torch.Tensor, want: torch.Tensor, limits: tuple[float, float],
        known: torch.Tensor | None = None,
    ) -> None:  # fmt: skip
        self.name = name
        self.got = got
        self.want = want.detach().to(got.device)
        if self.want.shape != got.shape:
            self.want = self.want.reshape(got.shape)
        self.limits = limits
        self.known = known


def compare(
    session: Session, captured: CapturedLaunch, config: Config, against: str, job: Job
) -> Differed:
    """Compare a launch's result under a config with another one.

    Raises
    ------
    ValueError
        There is nothing to compare with: no `reference`, or no GPU beside the interpreter.
    """
    index = captured.info.index
    here = "GPU" if session.device.mode == "gpu" else "interpreter"
    notes: list[str] = []
    if against == "interpreter":
        if here != "GPU":
            raise ValueError(
                "no GPU here: there is only the interpreter's result, to be compared with "
                "`reference` or the captured one"
            )
        with session._prepared(index, config) as prepared:
            pairs, programs, notes = _with_interpreter(session, captured, config, prepared, job)
            return _compared(session, captured, config, (here, "interpreter"), pairs, programs,
                             notes, prepared, job)  # fmt: skip
    if against not in ("reference", "captured"):
        raise ValueError(
            f"a result is compared with reference, captured or interpreter, not {against}"
        )
    expected = session.expected() if against == "reference" else ([], ())
    with session._prepared(index, config) as prepared:
        prepared.restore()
        prepared.run()
        session.synchronize()
        if against == "reference":
            ours = [item for item in expected[0] if left_by(captured, item.got)]
            if not ours:
                raise ValueError(_no_reference(session, bool(expected[0])))
            pairs = [
                _Pair(name_of(item.got, captured) or item.label, prepared.view(item.got).clone(),
                      item.want, tolerances(captured, item.got.dtype))
                for item in ours
                if item.got.numel() == item.want.numel()
            ]  # fmt: skip
        else:
            pairs = _with_captured(captured, prepared)
            if not pairs:
                raise ValueError("the captured launch changed none of its tensors")
        x, y, z = prepared.grid
        return _compared(session, captured, config, (here, against), pairs, x * y * z, notes,
                         prepared, job)  # fmt: skip


def _with_captured(captured: CapturedLaunch, prepared: PreparedReplay) -> list[_Pair]:
    """Return what the launch left as captured, also in what it reached by address only."""
    pairs = []
    for name, tensor in named_tensors({**captured.arguments, **reached_by_address(captured)}):
        want = captured.snapshot.result(tensor)
        if want is not None:
            limits = tolerances(captured, tensor.dtype)
            pairs.append(_Pair(name, prepared.view(tensor).clone(), want, limits))
    return pairs


def _no_reference(session: Session, some: bool) -> str:
    if some:
        return "the reference is of another launch's result: choose that launch"
    if "reference" in session.namespace:
        return "what reference() gives does not match what the driver returned"
    return "the file has no reference(): write one, or compare with the captured result"


def _with_interpreter(
    session: Session, captured: CapturedLaunch, config: Config, prepared: PreparedReplay, job: Job
) -> tuple[list[_Pair], int, list[str]]:
    """Return the GPU's results beside the interpreter's: of all programs, or of some."""
    layout = layout_for(prepared)
    prepared.restore()
    prepared.run()
    session.synchronize()
    results = {
        view.name: alone.tensor_called(prepared, view.name).clone() for view in layout.tensors
    }
    prepared.restore()
    x, y, z = prepared.grid
    count, notes = x * y * z, []
    process = session._worker_at(captured, config, job)
    chosen = tuple(owners.spread(count, _TRY_PROGRAMS))
    ran = process.run(RunPrograms(chosen), job)
    if len(chosen) < count:
        each_s = ran.duration_ms / 1e3 / len(chosen)
        affordable = int(_PATIENCE_S / max(each_s, 1e-6))
        chosen = tuple(owners.spread(count, max(min(affordable, count), len(chosen))))
        ran = process.run(RunPrograms(chosen if len(chosen) < count else None), job)
    sampled = len(chosen) < count
    if sampled:
        notes.append(
            f"{len(chosen)} of {count} programs were interpreted, spread over the grid; elements "
            "that several programs write are left out"
        )
    counts = owners.counts_of(session, captured.info.index, config, job) if sampled else None
    pairs = []
    for number, elements, values in alone.stored_elements(ran, layout, prepared):
        view = layout.tensors[number]
        got = results[view.name]
        want = got.detach().double().clone().reshape(-1)
        known = torch.zeros(want.shape, dtype=torch.bool, device=want.device)
        where = torch.from_numpy(elements).to(want.device)
        want[where] = torch.from_numpy(values.astype(np.float64)).to(want.device)
        known[where] = True
        if counts is not None:
            many = owners.written_by_many(counts, view.name)
            if many is not None:
                known &= ~many.to(known.device).reshape(-1)
        pairs.append(
            _Pair(view.name, got, want.reshape(got.shape), tolerances(captured, got.dtype),
                  known.reshape(got.shape))
        )  # fmt: skip
    if not pairs:
        notes.append("the interpreted programs write nothing")
    if ran.findings and ran.findings[0].severity == "error":
        notes.append(f"in the interpreter: {ran.findings[0].message}")
    return pairs, len(chosen), notes


def _compared(
    session: Session, captured: CapturedLaunch, config: Config, sides: tuple[str, str],
    pairs: list[_Pair], programs: int, notes: list[str], prepared: PreparedReplay, job: Job,
) -> Differed:  # fmt: skip
    x, y, z = prepared.grid
    told, maps, findings = [], [], []
    for pair in pairs:
        one, picture = _difference(pair)
        if one.mismatches and one.first is not None:
            one = _located(session, captured, config, one, job)
            findings.append(_finding(captured.info.kernel, one, sides))
        told.append(one)
        if picture is not None:
            maps.append(picture)
    told.sort(key=lambda one: not one.mismatches)
    left, right = sides
    result = Differences(left, right, tuple(told), programs, x * y * z, tuple(notes))
    return Differed(result, tuple(maps), tuple(findings))


def _difference(pair: _Pair) -> tuple[ElementDifference, ErrorMap | None]:
    """Compare one tensor; see `checking.compare` for what is allowed."""
    got, want = pair.got.detach().double(), pair.want.double()
    shape = tuple(pair.got.shape)
    exact = not pair.got.is_floating_point() and not pair.want.is_floating_point()
    finite = want[want.isfinite()]
    scale = math.sqrt(float((finite * finite).mean())) if finite.numel() else 0.0
    relative, of_scale = (0.0, 0.0) if exact else pair.limits
    limit = (relative * want.abs() + of_scale * scale).nan_to_num(0.0, 0.0, 0.0)
    error = (got - want).abs()
    same = (got == want) | (got.isnan() & want.isnan())
    error = torch.where(same, torch.zeros_like(error), error.nan_to_num(math.inf, math.inf))
    if pair.known is not None:
        error = torch.where(pair.known, error, torch.zeros_like(error))
    wrong = error > limit
    count = int(wrong.sum())
    compared = int(pair.known.sum()) if pair.known is not None else got.numel()
    flat = error.reshape(-1)
    first = worst = None
    if count:
        first = _index(int(wrong.reshape(-1).to(torch.uint8).argmax()), shape)
    if flat.numel() and float(flat.max()) > 0:
        worst = _index(int(flat.argmax()), shape)
    told = ElementDifference(
        pair.name, shape, compared, count, float(limit.max()) if limit.numel() else 0.0,
        float(flat.max()) if flat.numel() else 0.0,
        first, _at(got, first), _at(want, first), worst, _at(got, worst), _at(want, worst),
    )  # fmt: skip
    if error.numel() > _LARGEST_MAP:
        return told, None
    ratio = torch.where(limit > 0, error / limit, torch.where(error > 0, math.inf, 0.0))
    if pair.known is not None:
        nothing = torch.full_like(error, math.nan)
        error, ratio = (torch.where(pair.known, one, nothing) for one in (error, ratio))
    plane = plane_shape(shape)
    return told, ErrorMap(pair.name, _picture(error, plane), _picture(ratio, plane), plane)


def _at(values: torch.Tensor, index: tuple[int, ...] | None) -> float:
    return 0.0 if index is None else float(values[index])


def _picture(values: torch.Tensor, plane: tuple[int, int]) -> np.ndarray[Any, Any]:
    """Return the largest value of each pixel; of more than two dimensions, the first slice."""
    rows, columns = plane
    flat = values.reshape(-1)[: rows * columns]
    # -1 stands for what was not compared: NaN would win over every error beside it.
    missing = rows * columns - flat.numel()
    flat = torch.nn.functional.pad(flat.nan_to_num(-1.0, math.inf), (0, missing), value=-1.0)
    step_rows, step_columns = -(-rows // MAP_SIDE), -(-columns // MAP_SIDE)
    reduced = block_maximum(flat.reshape(rows, columns), step_rows, step_columns)
    picture = reduced.cpu().numpy().astype(np.float64)
    picture[picture < 0] = np.nan
    return picture


def _located(
    session: Session, captured: CapturedLaunch, config: Config, one: ElementDifference, job: Job
) -> ElementDifference:
    """Add to a difference the program and the line that wrote its first element."""
    index = captured.info.index
    counts = owners.counts_of(session, index, config, job)
    if counts is None or one.first is None:
        return one
    try:
        element = int(np.ravel_multi_index(one.first, one.shape)) if one.first else 0
        program = int(owners.owners_of(counts, one.tensor, np.array([element]))[0])
    except KeyError:  # a part of the driver's value that is no argument of this launch
        return one
    if program < 0:
        return one
    file, line = owners.store_place(session, index, config, program, one.tensor, element, job)
    return replace(one, program=program, file=file, line=line)


def _index(element: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(item) for item in np.unravel_index(element, shape)) if shape else ()


def _finding(kernel: str, one: ElementDifference, sides: tuple[str, str]) -> Finding:
    left, right = sides
    place = index_text(one.first or ())
    who = f" (program {one.program})" if one.program >= 0 else " (no program writes it)"
    return Finding(
        "error", "check",
        f"{kernel}: {one.mismatches} of {one.compared} elements of {one.tensor} differ from "
        f"{right}: the first at {place}{who}, {one.got:g} and not {one.want:g}",
        f"step through program {max(one.program, 0)} and look at what it stores there",
        one.file or None, one.line or None,
        detail=f"{left} beside {right}: largest error {one.max_abs_error:g}, allowed "
        f"{one.tolerance:g}",
    )  # fmt: skip
