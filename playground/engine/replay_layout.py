"""The counters' layout of a prepared replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.engine.counter_layout import layout_of
from playground.engine.reached import reached_by_address

if TYPE_CHECKING:
    from playground.engine.counter_layout import Layout
    from playground.engine.replay import PreparedReplay


def layout_for(prepared: PreparedReplay) -> Layout:
    """Return where the storages and tensors of a replay lie on the counters.

    The allowed ranges are those of its working copies: these lie within larger blocks of memory,
    so a tensor's own storage would be too wide.
    """
    named = {**prepared.arguments, **reached_by_address(prepared.launch)}
    return layout_of(named, prepared.ranges())
