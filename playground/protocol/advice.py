"""Messages about advice: what there is to say about a launch, and what came of trying it."""

from __future__ import annotations

from dataclasses import dataclass

from playground.model.advice import Advisory, Try, TryResult
from playground.model.config import Config
from playground.model.measurement import CacheMode


@dataclass(frozen=True)
class GetAdvice:
    """Ask what there is to say about a launch under a config; replied to with `Advised`.

    Main comm. `target` names another GPU than the one in the machine.
    """

    launch: int
    config: Config
    target: str | None = None


@dataclass(frozen=True)
class Advised:
    """The advice."""

    advisory: Advisory


@dataclass(frozen=True)
class TryAdvice:
    """Ask what a try gains over `config`; replied to with `TriedAdvice`.

    Main comm. The engine's text and config stay as they are.
    """

    launch: int
    config: Config
    attempt: Try
    cache: CacheMode
    budget_ms: float


@dataclass(frozen=True)
class TriedAdvice:
    """What came of a try."""

    launch: int
    config: Config
    result: TryResult
