"""Which knobs of a launch do what, and the values around them that are worth a look."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from playground.engine.advisor.kernel_text import last_name, named_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.advisor.facts import Facts
    from playground.engine.advisor.trials import Trials
    from playground.model.advice import Try
    from playground.model.knobs import KnobValue

_LARGEST = 1 << 16
_DOT_LEAST = 16


def constexprs(facts: Facts) -> dict[str, int]:
    """Return the whole numbers among the constexprs that may be moved, by name."""
    found = {}
    for knob in facts.launch.knobs:
        if knob.origin != "constexpr" or knob.derived or knob.name not in facts.config:
            continue
        value = facts.config[knob.name]
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            found[knob.name] = value
    return found


def blocks(facts: Facts) -> dict[str, int]:
    """Return the knobs that are lengths of blocks: what `tl.arange` runs to in the kernel.

    Where the text is not at hand, powers of two above 1.
    """
    known = constexprs(facts)
    if facts.text is None:
        return {name: value for name, value in known.items() if _is_power(value) and value > 1}
    used: set[str] = set()
    for call in facts.text.calls("arange", "zeros", "full", "block_ptr", "make_block_ptr"):
        used |= named_values(call)
    return {name: value for name, value in known.items() if name in used and _is_power(value)}


def others(facts: Facts) -> dict[str, int]:
    """Return the constexprs that are no block's length: chunks, counts of programs, groups."""
    inner = blocks(facts)
    return {name: value for name, value in constexprs(facts).items() if name not in inner}


def warps(facts: Facts) -> int:
    """Return the warps of a program."""
    value = facts.config.as_dict().get("num_warps")
    return value if isinstance(value, int) else 4


def stages(facts: Facts) -> int | None:
    """Return `num_stages`, None where it is no knob."""
    value = facts.config.as_dict().get("num_stages")
    return value if isinstance(value, int) else None


def smallest(facts: Facts) -> int:
    """Return the least length of a block: `tl.dot` needs 16."""
    has_dot = facts.text is not None and any(facts.text.calls("dot"))
    return _DOT_LEAST if has_dot else 1


def scaled(facts: Facts, factor: float, names: dict[str, int]) -> Iterator[dict[str, KnobValue]]:
    """Yield settings in which one of the knobs `names` is `factor` times as large."""
    for name, value in names.items():
        wanted = int(value * factor)
        if smallest(facts) <= wanted <= _LARGEST * 16 and wanted != value:
            yield {name: wanted}


def reshaped(facts: Facts, wide: int) -> Iterator[dict[str, KnobValue]]:
    """Yield settings that make one block `wide` and the others small, about as many elements."""
    sizes = blocks(facts)
    area = 1
    for value in sizes.values():
        area *= value
    for name, value in sizes.items():
        if value >= wide:
            continue
        rest = max(area // wide, 1)
        setting: dict[str, KnobValue] = {name: wide}
        for other in sizes:
            if other != name:
                size = min(sizes[other], _power_up_to(rest))
                setting[other] = max(size, smallest(facts))
        yield setting


def tries(trials: Trials, settings: Iterator[dict[str, KnobValue]]) -> Iterator[Try | None]:
    """Yield settings as tries."""
    for setting in settings:
        yield trials.of_values(setting)


def loop_blocks(facts: Facts) -> dict[str, int]:
    """Return the blocks by which a loop of the kernel steps (BLOCK_K of a product)."""
    if facts.text is None:
        return {}
    sizes = blocks(facts)
    named: set[str] = set()
    for node in ast.walk(facts.text.node):
        if not (isinstance(node, ast.For) and isinstance(node.iter, ast.Call)):
            continue
        if last_name(node.iter.func) in ("range", "static_range"):
            named |= named_values(node.iter)
    return {name: value for name, value in sizes.items() if name in named}


def _power_up_to(value: int) -> int:
    return 1 << max(value.bit_length() - 1, 0)


def _is_power(value: int) -> bool:
    return value > 0 and value & (value - 1) == 0
