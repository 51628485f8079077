"""How many bench workers a sweep has, and where they are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Workers:
    """The bench workers asked for: of this machine, or of a cluster.

    `count` is None for one here, or for as many as the cluster's profile starts. Each has a GPU of
    its own unless `share` lets several use one (or, where there is none, lets several interpreters
    work side by side). `cluster` is the name of an IPython profile for ipyparallel, `local` for
    engines of this machine that are started for the sweep.
    """

    count: int | None = None
    share: bool = False
    cluster: str = ""

    @property
    def several(self) -> bool:
        """Whether more than the one worker of every sweep is asked for."""
        return bool(self.cluster) or (self.count or 1) > 1
