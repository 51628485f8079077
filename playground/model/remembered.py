"""What is remembered of a kernel file from one session to the next: plain data, no code to run."""

from __future__ import annotations

from dataclasses import dataclass

from playground.model.config import Config
from playground.model.measurement import Measurement


@dataclass(frozen=True)
class MovedKnobs:
    """Knobs of one launch that were moved, from the config as captured."""

    launch: int
    kernel: str
    captured: Config
    config: Config


@dataclass(frozen=True)
class RememberedBaseline:
    """A pinned measurement, of which kernel and on which device."""

    kernel: str
    device: str
    measurement: Measurement


@dataclass(frozen=True)
class RememberedFile:
    """How a file was last looked at.

    Parameters
    ----------
    driver
        The code of the driver chosen; it is only looked for among those that the text offers.
    unlocked
        Knobs that the data dictates and the user freed: kernel and name.
    line
        Where the cursor was, from 1.
    """

    path: str
    driver: str | None = None
    sizes: dict[str, int] | None = None
    launch: int = 0
    moved: tuple[MovedKnobs, ...] = ()
    unlocked: tuple[tuple[str, str], ...] = ()
    baseline: RememberedBaseline | None = None
    target: str = ""
    cache: str = "cold"
    line: int = 1
