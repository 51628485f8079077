"""What counted accesses tell, as findings: each with the line it is about and what to write there.

Errors are what no correct kernel does. What a correct kernel may do as well (an order that atomics
bring about, equal values stored twice, elements left alone on purpose) is a warning or a hint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.model.access_site import AccessKind, AccessSite
    from playground.model.coverage import Coverage, OutOfBounds, TensorCoverage
    from playground.model.finding import Severity
    from playground.model.hazard import Hazard, HazardPlace

_FEW_BYTES = 1 << 16
"""What asks for less is not worth a hint on how it asks."""
_POOR_EFFICIENCY = 0.5
_HEAVY_MASK = 0.5
_MOST_LEFT = 0.5
"""Above this share, elements that are not loaded are left out on purpose: a table, a slice."""
_WRAPPED = 1 << 32
"""What an int32 offset is off by when it wraps around; it lies no further before than half."""
_FAR_BEFORE = 1 << 24
"""Elements before a tensor's start from which on an offset looks wrapped around."""


def coverage_findings(
    kernel: str, coverage: Coverage, file: str | None = None, line: int | None = None
) -> tuple[Finding, ...]:
    """Return what a count tells: errors first, then what is doubtful, then what is slow.

    `file` and `line` say where the kernel stands.
    """
    found = [out_of_bounds(kernel, event, coverage) for event in coverage.out_of_bounds]
    found += _hazards(kernel, coverage)
    if 0 in coverage.grid:
        found.append(_no_programs(kernel, coverage, file, line))
    for tensor in coverage.tensors:
        found += _gaps(kernel, tensor, coverage)
        found += _between(kernel, tensor, coverage)
        if tensor.multi_written and tensor.disputed is None and not coverage.atomics:
            found.append(_not_compared(kernel, tensor, coverage))
    for site in coverage.sites:
        found += _manners(kernel, site)
    rank = {"error": 0, "warning": 1, "hint": 2, "info": 3}
    return tuple(sorted(found, key=lambda item: rank[item.severity]))


# ------------------------------------------------------------------- lanes outside


def out_of_bounds(kernel: str, event: OutOfBounds, coverage: Coverage | None = None) -> Finding:
    """Return the finding for lanes of an access that fell outside every tensor.

    `coverage` tells how large the tensor is: an offset that wrapped around is then told as that.
    """
    before = event.distance < 0
    side = "before the start of" if before else "past the end of"
    mask = "offsets >= 0" if before else "offsets < n"
    away = abs(event.distance)
    remedy = (
        f"give the access a mask ({mask}); on a GPU it reads or overwrites what lies there, or "
        "ends the process"
    )
    if before:
        remedy = (
            f"give the access a mask ({mask}), or compute the offset in tl.int64 where it may pass "
            "2**31 - 1; on a GPU it reads or overwrites what lies there, or ends the process"
        )
    if before and _wrapped(event, coverage):
        remedy = (
            "an int32 offset that grew past 2**31 - 1 comes out negative like this: compute it in "
            "64 bits, as in tl.program_id(0).to(tl.int64) * stride"
        )
    return Finding(
        "error",
        "coverage",
        f"{kernel}: {event.kind} outside {event.tensor}: {event.lanes} "
        f"lane{'s' * (event.lanes != 1)}, the first {away} element{'s' * (away != 1)} {side} it, "
        f"in program {event.program}",
        remedy,
        file=event.file,
        line=event.line,
    )


def _wrapped(event: OutOfBounds, coverage: Coverage | None) -> bool:
    if _FAR_BEFORE < -event.distance <= _WRAPPED // 2:
        return True
    sizes = [item.elements for item in coverage.tensors] if coverage is not None else []
    return any(event.distance + _WRAPPED < size for size in sizes)


# ------------------------------------------------------------------- programs in each other's way


def _hazards(kernel: str, coverage: Coverage) -> Iterator[Finding]:
    differing = {
        (item.tensor, item.elements) for item in coverage.hazards if item.kind == "writes differ"
    }
    for hazard in coverage.hazards:
        # Elements that programs update in turn are read as well: one finding says so.
        updated = (hazard.tensor, hazard.elements) in differing
        if hazard.kind == "read and write" and updated:
            continue
        yield _hazard(kernel, hazard, coverage)


def _hazard(kernel: str, hazard: Hazard, coverage: Coverage) -> Finding:
    total = coverage.tensor(hazard.tensor).elements
    elements = (
        f"{hazard.elements} of {total} elements of {hazard.tensor}, the first at "
        f"{list(hazard.first)}"
    )
    involved = ", ".join(part for part in (hazard.who, _lines(hazard.places)) if part)
    severity: Severity = "warning" if hazard.ordered else "error"
    if hazard.kind == "writes differ":
        message = f"a race: several programs store different values to {elements} ({involved})"
        remedy = (
            "programs run in no order on a GPU, so the last one to store wins by chance: give each "
            "element to one program, or combine them with tl.atomic_add and the like"
        )
        place = _first_place(hazard.places, "store")
    elif hazard.kind == "writes agree":
        severity = "info"
        message = f"several programs write {elements}, and store the same values here ({involved})"
        remedy = "it does no harm as long as they are the same, but each of these stores costs"
        place = _first_place(hazard.places, "store")
    elif hazard.kind == "read and write":
        message = f"a race: one program loads what another stores, {elements} ({involved})"
        remedy = (
            "programs run in no order on a GPU, so it loads the old value or the new one by "
            "chance: store to another tensor than the one that is read, or do the two in two "
            "launches"
        )
        place = _first_place(hazard.places, "load")
    elif hazard.kind == "plain and atomic":
        message = (
            f"one program updates by an atomic what another loads or stores plainly, {elements} "
            f"({involved})"
        )
        remedy = (
            "make every access to it an atomic, or let the host prepare and read it before and "
            "after the launch"
        )
        place = _first_place(hazard.places, "store", "load")
    else:
        severity = "error"
        message = (
            f"{hazard.who} loads what nothing has written: {elements}, which the host "
            "allocated uninitialised"
        )
        remedy = (
            f"allocate {hazard.tensor} with torch.zeros (or what its first value should be), mask "
            "the load, or store before loading"
        )
        place = _first_place(hazard.places, "load", "atomic")
    if severity == "warning":
        remedy = f"right only if the kernel's atomics order these programs; else: {remedy}"
    return Finding(
        severity, "coverage", f"{kernel}: {message}", remedy,
        file=place.file if place else None, line=place.line if place else None,
    )  # fmt: skip


def _lines(places: tuple[HazardPlace, ...]) -> str:
    """Return `lines 12 and 15` for the places of a hazard, nothing where they are not known."""
    lines = sorted({place.line for place in places})
    if not lines:
        return ""
    if len(lines) == 1:
        return f"line {lines[0]}"
    return f"lines {', '.join(map(str, lines[:-1]))} and {lines[-1]}"


def _first_place(places: tuple[HazardPlace, ...], *kinds: AccessKind) -> HazardPlace | None:
    """Return the first place of the first kind that there is one of, else any."""
    for kind in kinds:
        for place in places:
            if place.kind == kind:
                return place
    return places[0] if places else None


def _not_compared(kernel: str, tensor: TensorCoverage, coverage: Coverage) -> Finding:
    site = _site_of(coverage, tensor.name, "store")
    return Finding(
        "warning",
        "coverage",
        f"{kernel}: {tensor.multi_written} of {tensor.elements} elements of {tensor.name} are "
        "written by several programs",
        "harmless only where all store the same value: programs run in no order on a GPU, so the "
        "last one to store wins by chance",
        file=site.file if site else None,
        line=site.line if site else None,
    )


# ------------------------------------------------------------------- elements left out


def _no_programs(kernel: str, coverage: Coverage, file: str | None, line: int | None) -> Finding:
    grid = " × ".join(map(str, coverage.grid))
    return Finding(
        "warning",
        "coverage",
        f"{kernel} ran no program: its grid is {grid}, so it loads and stores nothing",
        "right for an empty input; else round the number of blocks up, as in triton.cdiv(n, BLOCK)",
        file=file,
        line=line,
    )


def _gaps(kernel: str, tensor: TensorCoverage, coverage: Coverage) -> Iterator[Finding]:
    """Return hints on elements that are not written, not read, or read more than the others."""
    if tensor.unwritten:
        site = _site_of(coverage, tensor.name, "store", "atomic")
        yield Finding(
            "hint",
            "coverage",
            f"{kernel} leaves {tensor.unwritten} of {tensor.elements} elements of {tensor.name} "
            "unwritten",
            "they keep what was there before: is the grid large enough for the block, and the mask "
            "wide enough?",
            file=site.file if site else None,
            line=site.line if site else None,
        )
    site = _site_of(coverage, tensor.name, "load")
    if tensor.unread and site is not None and _evenly_read(tensor):
        yield Finding(
            "hint",
            "coverage",
            f"{kernel} never loads {tensor.unread} of {tensor.elements} elements of {tensor.name}",
            "if all of them should take part, a loop ends too early or a mask is too narrow",
            file=site.file,
            line=site.line,
        )
    if tensor.read_again is not None:
        first, last = tensor.read_again
        yield Finding(
            "hint",
            "coverage",
            f"{kernel} loads elements {first} to {last} of {tensor.name} more often than all the "
            "others",
            "a sum over them counts these twice: mask the last block instead of moving it back",
            file=site.file if site else None,
            line=site.line if site else None,
        )


def _between(kernel: str, tensor: TensorCoverage, coverage: Coverage) -> Iterator[Finding]:
    """Return hints on memory touched beside the elements of a strided view."""
    kinds: tuple[AccessKind, ...] = ("load", "store")
    for kind, count in zip(kinds, tensor.beside, strict=True):
        if not count:
            continue
        site = _site_of(coverage, tensor.name, kind) or _site_of(coverage, tensor.name, "atomic")
        name = tensor.name
        elements = f"{count} element{'s' * (count != 1)}"
        yield Finding(
            "hint",
            "coverage",
            f"{kernel} {kind}s {elements} in the memory of {name} that are not {name}'s",
            f"{name} is a view of a larger tensor: these lie between its elements or beside them. "
            "Pass its strides and multiply each index by its own, or call .contiguous() first",
            file=site.file if site else None,
            line=site.line if site else None,
        )


def _evenly_read(tensor: TensorCoverage) -> bool:
    """Tell whether all elements but a few are loaded equally often: no gather reads so."""
    left = tensor.unread or 0
    even = tensor.loads.total == tensor.loads.maximum * (tensor.elements - left)
    return even and left < _MOST_LEFT * tensor.elements


def _site_of(coverage: Coverage, tensor: str, *kinds: AccessKind) -> AccessSite | None:
    """Return the place that touches a tensor most, of the first kind that does."""
    for kind in kinds:
        found = [site for site in coverage.sites if site.kind == kind and tensor in site.tensors]
        if found:
            return max(found, key=lambda site: site.active)
    return None


# ------------------------------------------------------------------- how memory is asked for


def _manners(kernel: str, site: AccessSite) -> Iterator[Finding]:
    """Return hints on a place that wastes much of what it moves."""
    if site.bytes_requested < _FEW_BYTES:
        return
    what = f"{site.kind} of {', '.join(site.tensors) or 'memory'}"
    efficiency = site.efficiency
    if efficiency is not None and efficiency < _POOR_EFFICIENCY:
        yield Finding(
            "hint",
            "coverage",
            f"{kernel}: this {what} uses {efficiency:.0%} of the sectors it moves",
            "a warp's neighbouring threads should touch neighbouring elements: let the axis with "
            "stride 1 be the one that tl.arange runs along, or transpose the tensor once before",
            file=site.file,
            line=site.line,
            column=site.column,
        )
    if site.masked_off_share > _HEAVY_MASK:
        yield Finding(
            "hint",
            "coverage",
            f"{kernel}: the mask switches {site.masked_off_share:.0%} of the lanes of this {what} "
            "off",
            "lanes that are off take registers and time all the same: a smaller block fits better",
            file=site.file,
            line=site.line,
            column=site.column,
        )
