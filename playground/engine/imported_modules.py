"""The imported modules that somebody asks after, without a look at thousands each time.

A process with torch and triton has some 2,000 modules, and several questions are asked of them at
every run and replay: which of them are the user's, which come from a folder. A module that was no
answer once is none the next time either.
"""

from __future__ import annotations

import sys
import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

_MOST_QUESTIONS = 16
_dismissed: dict[Hashable, dict[str, weakref.ref[Any]]] = {}


def imported_modules(
    question: Hashable, wanted: Callable[[str, Any], bool]
) -> list[tuple[str, Any]]:
    """Return names and modules for which `wanted(name, module)` holds.

    Parameters
    ----------
    question
        Names the question with all that the answer for one module depends on: a module that was not
        wanted once is not asked about again for the same one.
    """
    dismissed = _dismissed.pop(question, None)
    if dismissed is None:
        dismissed = {}
        for oldest in list(_dismissed)[: len(_dismissed) - _MOST_QUESTIONS + 1]:
            del _dismissed[oldest]
    _dismissed[question] = dismissed  # the newest is last
    found = []
    for name, module in list(sys.modules.items()):
        known = dismissed.get(name)
        if known is not None and known() is module:
            continue
        if wanted(name, module):
            found.append((name, module))
        else:
            try:
                dismissed[name] = weakref.ref(module)
            except TypeError:
                continue  # something else than a module stands there: it is asked about again
    return found
