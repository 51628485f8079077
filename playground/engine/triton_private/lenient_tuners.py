"""Autotuners that name what is no parameter of their kernel: let through, and said.

From 3.9 on triton refuses such a name while the module is imported: nothing of it can be used, and
where an installed library has it, a user's file fails which has nothing to do with it. Earlier
releases dropped the name silently, and that is what happens here.
"""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

from playground.engine import user_frames

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LISTS = {"key": 3, "reset_to_zero": 4, "restore_value": 5}
"""The parameters of `Autotuner` that hold names, and their places behind `self`."""


@contextlib.contextmanager
def lenient(tell: Callable[..., None]) -> Iterator[None]:
    """Drop unknown names of autotuners meanwhile, and `tell` of it."""
    # Here: whether Triton interprets is decided after this module's import.
    from triton.runtime.autotuner import Autotuner

    real = Autotuner.__init__

    def init(tuner: Any, fn: Any, arg_names: Any, *args: Any, **named: Any) -> None:
        try:
            real(tuner, fn, arg_names, *args, **named)
        except ValueError as error:
            file = _decorated_in()
            if "not kernel arguments" not in str(error):
                raise
            given = [fn, arg_names, *args]
            for name, place in _LISTS.items():
                if name in named and named[name] is not None:
                    named[name] = [item for item in named[name] if item in arg_names]
                elif len(given) > place and given[place] is not None:
                    given[place] = [item for item in given[place] if item in arg_names]
            real(tuner, *given, **named)
            if user_frames.is_user(file):
                tell(
                    f"triton refuses this autotuner from 3.9 on: {error}",
                    "write a parameter's name, or leave it out; it was dropped here",
                    "warning",
                )
                return
            tell(
                f"your file is fine; {file} tunes a kernel by names that it does not have: {error}",
                "the names were dropped, as releases of triton before 3.9 do; an update of that "
                "library may mend it",
                "warning",
            )

    Autotuner.__init__ = init
    try:
        yield
    finally:
        Autotuner.__init__ = real


def _decorated_in() -> str:
    """Return the file whose decorator is running."""
    walk: Any = sys._getframe(2)
    while walk is not None:
        file = str(walk.f_code.co_filename)
        if "triton" not in file.replace("\\", "/").split("/")[-3:-1]:
            return file
        walk = walk.f_back
    return ""
