"""Listening to the comparisons that a driver makes itself: they judge it where it returns nothing.

A driver that ends with `torch.testing.assert_close(out, expected)` says by itself whether its
result is right; that is the best yardstick there is when only the whole driver can be judged.
"""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from playground.engine import user_frames

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LISTENED: tuple[tuple[Any, str], ...] = (
    (torch.testing, "assert_close"),
    (torch, "allclose"),
    (torch.Tensor, "allclose"),
    (torch, "equal"),
    (torch.Tensor, "equal"),
    (np.testing, "assert_allclose"),
    (np.testing, "assert_array_equal"),
    (np.testing, "assert_equal"),
    (np, "allclose"),
)
_BORING = (int, bool, str, type(None))


_listening: list[OwnChecks] = []


def held() -> None:
    """Note that a plain `assert` about a launch's result held; `asserted_results` calls this."""
    if _listening:
        _listening[-1].note()


class OwnChecks:
    """The comparisons made after `start`: how many, and how many said no.

    `failed_at` is the file and line at which the first one said no; `started` tells whether the
    launch was reached at all.
    """

    def __init__(self) -> None:
        self.made = 0
        self.failed = 0
        self.failed_at: tuple[str, int] | None = None
        self.started = False
        self._depth = 0

    def start(self) -> None:
        """Count from now on: what was compared before the launch says nothing about it."""
        self.started = True

    def note(self) -> None:
        """Count a comparison that held."""
        if self.started and not self._depth:
            self.made += 1

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Listen to everything that compares tensors meanwhile."""
        originals = [(owner, name, getattr(owner, name)) for owner, name in _LISTENED]
        for owner, name, original in originals:
            setattr(owner, name, self._listened(original))
        _listening.append(self)
        try:
            yield
        finally:
            _listening.pop()
            for owner, name, original in originals:
                setattr(owner, name, original)

    def _listened(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def compare(*args: Any, **kwargs: Any) -> Any:
            self._depth += 1
            try:
                result = original(*args, **kwargs)
            finally:
                self._depth -= 1
            # `assert_close` uses others inside: one comparison counts once.
            if self.started and not self._depth and not isinstance(args[:1], _BORING):
                self.made += 1
                if result is not None and not bool(result):
                    self.failed += 1
                    self.failed_at = self.failed_at or user_frames.innermost()
            return result

        return compare
