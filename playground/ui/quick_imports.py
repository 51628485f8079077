"""Imports without what PySide does beside each of them.

After every import PySide reads the module's whole source to learn whether it could use the names of
PySide's optional features (`snake_case`, `true_property`). Ours uses none of them, so that the
answer is known. What other modules are looked at for stays as it is.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

_OWN = "playground."


def spare_looks() -> bool:
    """Answer for our own modules; tell whether this version of PySide asks at all."""
    feature = sys.modules.get("shibokensupport.feature")
    looks: Callable[[ModuleType], bool] | None = getattr(feature, "_mod_uses_pyside", None)
    if feature is None or not callable(looks):
        return False
    if getattr(looks, "spares_ours", False):
        return True

    def uses_pyside(module: ModuleType) -> bool:
        # "Yes, with no feature chosen": what the look at a module that imports PySide comes to.
        return module.__name__.startswith(_OWN) or looks(module)

    uses_pyside.spares_ours = True  # type: ignore[attr-defined]
    feature.__dict__["_mod_uses_pyside"] = uses_pyside
    return True
