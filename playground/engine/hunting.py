"""Hunting for NaN and infinities: from elements that hold one to the line that made it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from playground.engine import owners
from playground.engine.alone import tensor_called
from playground.engine.debug_messages import RunPrograms
from playground.engine.elements import NOWHERE, byte_views
from playground.engine.reached import reached_by_address
from playground.engine.replay_layout import layout_for
from playground.model.debugging import NonFinite, Origin, Stored
from playground.model.finding import Finding
from playground.protocol.debugging import Hunted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.capture import CapturedLaunch
    from playground.engine.counter_layout import Layout
    from playground.engine.debug_messages import Ran
    from playground.engine.job import Job
    from playground.engine.replay import PreparedReplay
    from playground.engine.session import Session
    from playground.model.config import Config

    Array = np.ndarray[Any, np.dtype[Any]]

MOST_PROGRAMS = 8
"""Programs that are interpreted to find where what they store was made."""
_MOST_ORIGINS = 32
_LOOKED_AT = 1 << 20


def hunt(
    session: Session, captured: CapturedLaunch, config: Config,
    program: int | Sequence[int] | None, job: Job,
) -> Hunted:  # fmt: skip
    """Return where what is not finite in a launch's results was made.

    Without `program` the launch runs once where this session runs kernels, and of the programs
    that own such elements the first few are interpreted. With one, it alone is, whatever it stores.
    """
    index = captured.info.index
    notes: list[str] = []
    tensors: list[Stored] = []
    x, y, z = captured.info.grid
    if program is None:
        with session._prepared(index, config) as prepared:
            x, y, z = prepared.grid
            bad = _bad_elements(prepared, session)
        programs, tensors = _owners(session, index, config, bad, job)
        if not bad:
            return Hunted(NonFinite((), (), 0, x * y * z, x * y * z, ()))
        if programs is None:
            notes.append("its accesses cannot be counted: all programs are interpreted")
        chosen = None if programs is None else tuple(programs)
    else:
        with session._prepared(index, config) as prepared:
            x, y, z = prepared.grid
            chosen = (session._program_of(prepared, program),)
    process = session._worker_at(captured, config, job)
    ran = process.run(RunPrograms(chosen, hunt=True, stores=False), job)
    with session._prepared(index, config) as prepared:
        layout = layout_for(prepared)
    seen, origins = _told(ran, layout)
    if program is not None:
        tensors = seen
    elif not seen:
        where = "the GPU's" if session.device.mode == "gpu" else "the launch's"
        notes.append(
            f"interpreted alone these programs store nothing of the kind: {where} values come from "
            "what differs there (another program's writes, memory that nobody has written, "
            "rounding of tf32 or fast mathematics)"
        )
    else:
        lines = {(one.tensor, one.program): one.line for one in seen}
        tensors = [
            Stored(one.tensor, one.element, one.value, one.program,
                   lines.get((one.tensor, one.program), one.line), one.nans, one.infinities)
            for one in tensors
        ]  # fmt: skip
    found = NonFinite(
        tuple(tensors), tuple(origins), max(ran.made - len(origins), 0), ran.programs, x * y * z,
        tuple(notes),
    )  # fmt: skip
    return Hunted(found, (*_findings(captured.info.kernel, found), *ran.findings))


def _bad_elements(
    prepared: PreparedReplay, session: Session
) -> dict[str, tuple[Array, Array, int, int]]:
    """Run the launch; return elements that are not finite, values, NaNs and infinities by tensor.

    What was not finite before and has not changed is the input's, or nobody has written it.
    """
    layout = layout_for(prepared)
    prepared.restore()
    before = {}
    reached = reached_by_address(prepared.launch)
    for view in layout.tensors:
        tensor = tensor_called(prepared, view.name)
        written = view.name.partition("[")[0] in prepared.written or view.name in reached
        if tensor.is_floating_point() and written:
            before[view.name] = tensor.detach().clone()
    prepared.run()
    session.synchronize()
    found = {}
    for name, old in before.items():
        tensor = tensor_called(prepared, name)
        wide = _wide(tensor)
        bad = ~torch.isfinite(wide) & _changed(tensor, old)
        if not bool(bad.any()):
            continue
        flat = bad.reshape(-1).nonzero().reshape(-1)
        values = wide.reshape(-1)[flat]
        nans = int(values.isnan().sum())
        found[name] = (
            flat[:_LOOKED_AT].cpu().numpy(), values[:_LOOKED_AT].double().cpu().numpy(), nans,
            int(flat.numel()) - nans,
        )  # fmt: skip
    prepared.restore()
    return found


def _changed(tensor: torch.Tensor, old: torch.Tensor) -> torch.Tensor:
    """Return where the bits are others: a NaN is not even equal to itself."""
    kind = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[tensor.element_size()]
    return tensor.detach().contiguous().view(kind) != old.contiguous().view(kind)


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor in a type that `isfinite` takes: it takes no float8."""
    return tensor.float() if tensor.element_size() == 1 else tensor


def _owners(
    session: Session, launch: int, config: Config,
    bad: dict[str, tuple[Array, Array, int, int]], job: Job,
) -> tuple[list[int] | None, list[Stored]]:  # fmt: skip
    """Return the programs that own such elements, the first few, and each tensor's first element.

    None where no counts can be had.
    """
    counts = owners.counts_of(session, launch, config, job) if bad else None
    programs: set[int] = set()
    told = []
    for name, (elements, values, nans, infinities) in bad.items():
        owner = -1
        place, first = 0, int(elements[0])
        if counts is not None:
            who = owners.owners_of(counts, name, elements)
            known = who >= 0
            programs.update(int(one) for one in np.unique(who[known])[:MOST_PROGRAMS])
            if known.any():
                owner = int(who[known].min())
                place = int(np.flatnonzero(who == owner)[0])
                first = int(elements[place])
        shape = session.launches[launch].arguments.get(name)
        index = _index(first, getattr(shape, "shape", None))
        told.append(Stored(name, index, float(values[place]), owner, 0, nans, infinities))
    if counts is None or not programs:
        return None, told
    return sorted(programs)[:MOST_PROGRAMS], told


def _index(element: int, shape: Any) -> tuple[int, ...]:
    if not shape:
        return (element,)
    return tuple(int(item) for item in np.unravel_index(element, tuple(shape)))


def _told(ran: Ran, layout: Layout) -> tuple[list[Stored], list[Origin]]:
    """Return what programs stored that is not finite, and where it was made, in order."""
    views = byte_views(layout)
    stored: dict[tuple[str, int, int], Stored] = {}
    origins: dict[Origin, None] = {}
    for one in ran.odd:
        for number, view in enumerate(views):
            elements = view.places(one.addresses)
            mine = elements != NOWHERE
            if not mine.any():
                continue
            tensor = layout.tensors[number]
            values = one.values[mine]
            key = tensor.name, one.program, one.line
            nans = int(np.isnan(values).sum())
            old = stored.get(key)
            if old is None:
                first = int(np.argmin(elements[mine]))
                stored[key] = Stored(
                    tensor.name, _index(int(elements[mine][first]), tensor.shape),
                    float(values[first]), one.program, one.line, nans, len(values) - nans,
                )  # fmt: skip
            else:
                stored[key] = Stored(
                    old.tensor, old.element, old.value, old.program, old.line, old.nans + nans,
                    old.infinities + len(values) - nans,
                )  # fmt: skip
            break
        for origin in one.origins:
            if len(origins) < _MOST_ORIGINS:
                origins.setdefault(origin)
    ordered = sorted(origins, key=lambda origin: origin.program)
    return list(stored.values()), ordered


def _findings(kernel: str, found: NonFinite) -> list[Finding]:
    """Return the place of the first one as a finding, and what to do about it."""
    if not found.origins:
        return []
    first = found.origins[0]
    return [
        Finding(
            "error", "check", f"{kernel}: {origin_text(first)}", _remedy(first), first.file,
            first.line,
        )
    ]  # fmt: skip


def origin_text(origin: Origin) -> str:
    """Return in words where something came about, and what went in."""
    what = "NaN" if origin.value != origin.value else f"{origin.value:g}"
    lanes = f", in {origin.lanes} lanes" if origin.lanes > 1 else ""
    at = f" at {list(origin.index)}" if origin.index else ""
    if origin.made == "loaded":
        place = f"{origin.tensor}[{origin.element}]" if origin.tensor else "memory"
        return f"program {origin.program} loads {what} from {place}{at}{lanes}"
    return f"program {origin.program} makes {what}: {_operation(origin)}{at}{lanes}"


def _operation(origin: Origin) -> str:
    """Return an operation as it would be written: `1.5 / 0`, `exp(800)`."""
    went_in = [f"{one.text} {one.value:g}".strip() for one in origin.operands]
    if len(went_in) == 2 and not origin.what.isalnum():
        return f"{went_in[0]} {origin.what} {went_in[1]}"
    return f"{origin.what}({', '.join(went_in)})"


def _remedy(origin: Origin) -> str:
    if origin.made == "loaded":
        return "it lay there before the launch: look at what wrote the tensor, or at its mask"
    if origin.what == "/" and any(one.value == 0 for one in origin.operands[1:]):
        return "the divisor is 0 there: mask it, or add a small number to it"
    if origin.what in ("exp", "exp2"):
        return "its argument is too large: subtract the row's maximum first"
    if origin.what in ("log", "log2", "sqrt", "rsqrt"):
        return "its argument is not positive there: clamp it"
    if origin.what == "-" and all(one.value in (float("inf"), float("-inf"))
                                  for one in origin.operands):  # fmt: skip
        return "both are infinite: a row that is masked off altogether needs a case of its own"
    if "fp_trunc" in origin.what or "fp_to_fp" in origin.what:
        return "the value does not fit the narrower type: scale it, or keep it in float32"
    return "step through this program and look at the values that go in"
