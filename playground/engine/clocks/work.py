"""What a clock times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class NoRecordsError(RuntimeError):
    """CUPTI gave no usable records here; another clock has to be used."""


@dataclass(frozen=True, eq=False)
class Work:
    """`launch` is timed; `before` (evicting the L2, restoring inputs) runs ahead of it, untimed.

    Both put their kernels on the current stream and do not wait for them.
    """

    launch: Callable[[], Any]
    before: Callable[[], None] | None = None

    def perform(self) -> None:
        """Do both, timing nothing."""
        if self.before is not None:
            self.before()
        self.launch()
