"""The file of a sweep run on other inputs: another seed, and sizes that no block divides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.engine.compile_messages import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from playground.engine.compile_messages import Order
    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.config import Config

Sizes = tuple[tuple[str, int], ...]
_ROOM_BYTES = 2 << 30
"""GPU memory that stays free for what a sweep needs besides, or nothing is kept beside it."""


class NoOtherInputsError(Exception):
    """The file does not run on those inputs, or is wrong there whatever the config."""


class OtherInputs:
    """A run of the file beside a sweep's own, before the same launch; it holds memory until closed.

    Parameters
    ----------
    session
        The sweep's own run.
    launch
        The number of the launch.
    seed, sizes
        Those of the other inputs.

    Raises
    ------
    NoOtherInputsError
        The file does not come to the launch on them.
    """

    def __init__(self, session: Session, launch: int, seed: int, sizes: Sizes, job: Job) -> None:
        from playground.engine.session import Session as Sibling

        self.at = " ".join([*(f"{name}={value}" for name, value in sizes), f"seed={seed}"])
        self.made_for = (launch, seed, sizes)
        self._launch = launch
        self._here = session.launches[launch].info.config
        self.session = Sibling(session.device)
        try:
            self.session.load(session.path, session.text)
            self.session.wanted_seed = seed
            around = session.surroundings
            told = self.session.run(
                session.driver, {**session.sizes, **dict(sizes)}, job,
                benchmarks=around.benchmarks, tuning=around.tuning,
            )  # fmt: skip
            kernel = session.launches[launch].info.kernel
            if launch >= len(told.launches) or told.launches[launch].kernel != kernel:
                errors = [item.message for item in told.findings if item.severity == "error"]
                why = (errors or ["it launches something else"])[0]
                raise NoOtherInputsError(f"not at {self.at}: {why}")
        except BaseException:
            self.close()
            raise

    @property
    def own_config(self) -> Config:
        """The config of the launch on these inputs, as the file makes it."""
        config: Config = self.session.launches[self._launch].info.config
        return config

    def there(self, config: Config) -> Config:
        """Return a config as it is on these inputs: what they dictate (a row length) stays."""
        own, here = self.own_config, self._here
        same = {
            name: value
            for name, value in config.values
            if name in own and name in here and own[name] == here[name]
        }
        return own.updated(same)

    def orders(self, configs: Iterable[Config], target: str) -> tuple[tuple[Config, Order], ...]:
        """Return what a compile worker is to be told of each config; those it cannot are left out.

        Raises whatever the host code raises under a config.
        """
        from playground.engine.compile_orders import order_of

        launch = self.session.launches[self._launch]
        found = []
        for config in configs:
            made = self.session.hosted(launch, self.there(config))
            try:
                found.append((config, order_of(launch, made, target)))
            except ArgumentError:
                continue  # it is compiled where it runs, then
        return tuple(found)

    def close(self) -> None:
        """Give back the memory."""
        self.session.close()


def is_room_beside(session: Session) -> bool:
    """Tell whether the GPU has memory for a second set of a session's tensors, and to spare."""
    if session.device.mode != "gpu":
        return True
    import torch

    free, _ = torch.cuda.mem_get_info()
    return bool(free > 2 * torch.cuda.memory_allocated() + _ROOM_BYTES)
