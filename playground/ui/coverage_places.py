"""From a finding about coverage to the place it is about: tensor, element and programs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.model.plane import index_text

if TYPE_CHECKING:
    from playground.model.coverage import Coverage, OutOfBounds
    from playground.model.finding import Finding
    from playground.model.hazard import Hazard


@dataclass(frozen=True)
class MapPlace:
    """A place in the tile maps; `index` is empty where a tensor as a whole is meant."""

    tensor: str
    index: tuple[int, ...] = ()
    programs: tuple[int, ...] = ()


def place_of(finding: Finding, coverage: Coverage | None) -> MapPlace | None:
    """Return what a finding of the coverage is about in the maps, None where there is nothing."""
    if coverage is None or finding.stage != "coverage":
        return None
    words = set(re.findall(r"[^\W\d]\w*", finding.message))
    for access in coverage.out_of_bounds:
        if access.tensor in words and finding.line == access.line:
            return _beside(access, coverage)
    hazards = [
        hazard
        for hazard in coverage.hazards
        if hazard.tensor in words
        and (finding.line is None or finding.line in {each.line for each in hazard.places})
    ]
    # Of several hazards on a line the one whose first element the finding names.
    named = [each for each in hazards if index_text(each.first) in finding.message]
    if hazards:
        return place_of_hazard((named or hazards)[0])
    tensor = next((each for each in coverage.tensors if each.name in words), None)
    return MapPlace(tensor.name) if tensor is not None else None


def place_of_hazard(hazard: Hazard) -> MapPlace:
    """Return the first element of a hazard, with the programs involved."""
    return MapPlace(hazard.tensor, hazard.first, hazard.programs)


def _beside(access: OutOfBounds, coverage: Coverage) -> MapPlace:
    """Return the element next to what lies outside: the tensor's first or its last."""
    for tensor in coverage.tensors:
        if tensor.name == access.tensor and tensor.elements:
            end = tuple(0 if access.distance < 0 else size - 1 for size in tensor.shape)
            return MapPlace(tensor.name, end, (access.program,))
    return MapPlace(access.tensor, (), (access.program,))
