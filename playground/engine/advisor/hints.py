"""Alignment that was seen and that the compiler cannot prove: a hint to be tried."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import numpy as np

from playground.engine.advisor import rewrites
from playground.engine.advisor.kernel_text import last_name
from playground.engine.edits import replaced

if TYPE_CHECKING:
    from playground.engine.advisor.facts import Facts
    from playground.engine.advisor.kernel_text import KernelText
    from playground.engine.advisor.trials import Trials
    from playground.model.access_site import AccessSite
    from playground.model.advice import Try

_WIDEST_BYTES = 16
_PROGRAMS_LOOKED_AT = 3


def hint(facts: Facts, trials: Trials) -> tuple[AccessSite, Try, int, int] | None:
    """Return a place that the compiler serves by narrow accesses though its addresses are aligned.

    With it the try that says so, the alignment seen in bytes, and the bits of one access now.
    """
    if facts.text is None or facts.code is None:
        return None
    rank_of = _ranks(facts, trials)
    for site in facts.sites:
        line = facts.by_line.get(site.line)
        if line is None or site.kind == "atomic":
            continue
        widths = [
            item.bits for item in line.accesses
            if item.space == "global" and item.bits and item.what in ("load", "store")
        ]  # fmt: skip
        call = _access_call(facts.text, site)
        each = site.lanes / max(facts.programs * facts.executions(site), 1)
        bytes_each = _element_bytes(facts, site) * each / facts.threads
        if not widths or call is None or bytes_each < 2 * max(widths) / 8:
            continue
        aligned = rank_of.get((site.line, site.kind), 0)
        bits = max(widths)
        if aligned < 2 * bits // 8 or bits >= 8 * _WIDEST_BYTES:
            continue
        if any(last_name(node.func) in ("multiple_of", "max_contiguous")
               for node in ast.walk(call.args[0]) if isinstance(node, ast.Call)):  # fmt: skip
            continue
        pointer = ast.unparse(call.args[0])
        aligned = min(aligned, _WIDEST_BYTES)
        count = aligned // _element_bytes(facts, site)
        owner = ast.unparse(call.func).rpartition(".")[0]
        dot = f"{owner}." if owner else ""
        text = f"{dot}max_contiguous({dot}multiple_of({pointer}, {aligned}), {count})"
        attempt = rewrites.made(
            facts.text, f"hints in line {call.lineno}", [replaced(call.args[0], text)]
        )
        if attempt is not None:
            return site, attempt, aligned, bits
    return None


def _access_call(text: KernelText, site: AccessSite) -> ast.Call | None:
    """Return the load or store of a place, where its block has one dimension and a pointer."""
    name = "load" if site.kind == "load" else "store"
    for call in text.calls(name):
        if call.lineno <= site.line <= (call.end_lineno or call.lineno) and call.args:
            # Blocks of two dimensions need a value for each: their shape is not in the text.
            shape = ast.unparse(call.args[0])
            return None if "None" in shape else call
    return None


def _element_bytes(facts: Facts, site: AccessSite) -> int:
    for argument in facts.launch.tensors():
        if argument.name in site.tensors and argument.tensor is not None:
            return argument.tensor.element_size
    return facts.element_bytes


def _ranks(facts: Facts, trials: Trials) -> dict[tuple[int, str], int]:
    """Return by line and kind of access the bytes by which all runs seen begin and go on."""
    found: dict[tuple[int, str], int] = {}
    coverage = facts.coverage
    if coverage is None or not facts.programs:
        return found
    places = {item.name: item.tensor for item in facts.launch.tensors()}
    programs = sorted({0, facts.programs // 2, facts.programs - 1})[:_PROGRAMS_LOOKED_AT]
    for program in programs:
        steps = trials.session.steps(facts.launch.index, facts.config, program, trials.job)
        for number, (site, tensor) in enumerate(
            zip(steps.sites.tolist(), steps.tensors.tolist(), strict=True)
        ):
            elements = steps.elements[steps.offsets[number] : steps.offsets[number + 1]]
            if not 0 <= site < len(coverage.sites) or tensor < 0 or len(elements) < 2:
                continue
            info = places.get(coverage.tensors[tensor].name)
            place = coverage.sites[site]
            if info is None or info.alignment < _WIDEST_BYTES or not _is_dense(info.strides):
                continue
            step = _common(elements) * info.element_size
            key = (place.line, place.kind)
            found[key] = min(found.get(key, _WIDEST_BYTES), step)
    return found


def _is_dense(strides: tuple[int, ...]) -> bool:
    return bool(strides) and strides[-1] == 1


def _common(elements: np.ndarray) -> int:
    """Return the largest power of two that divides where each run of neighbours begins and ends.

    The last run may be cut short by a mask, and is left out where it is not the only one.
    """
    breaks = np.flatnonzero(np.diff(elements) != 1) + 1
    starts = elements[np.concatenate([[0], breaks])]
    lengths = np.diff(np.concatenate([[0], breaks, [len(elements)]]))
    whole = lengths[:-1] if len(lengths) > 1 else lengths
    common = int(np.gcd.reduce(np.concatenate([starts, whole]).astype(np.int64)))
    return common & -common if common else _WIDEST_BYTES
