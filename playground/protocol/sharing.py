"""Messages about what others are to see: a report of a launch, a script that does it again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from playground.model.config import Config

Form = Literal["report", "reproducer"]


@dataclass(frozen=True)
class Share:
    """Ask for a launch under a config as something to hand on; replied to with `Exported`.

    A `report` is one HTML file, and measures what is not known yet; a `reproducer` is a minimal
    script that launches the kernel once. Main comm.
    """

    launch: int
    config: Config
    form: Form
