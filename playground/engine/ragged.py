"""Sizes that no block divides, offered where a run tried none: a missing mask shows only there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from playground.model.finding import Finding

if TYPE_CHECKING:
    from playground.engine.session import Session

_SMALLEST = 8
"""Smaller numbers are counts of something, not lengths that blocks divide."""


def begin(session: Session) -> None:
    """Forget what masks did in runs before this one."""
    if session.device.mode == "interpreter":
        from playground.engine.triton_private import interpreter

        interpreter.any_switched_off(forget=True)


def ragged_sizes(session: Session) -> dict[str, int]:
    """Return the driver's problem sizes with each that is a multiple of 8 made one larger."""
    return {
        name: value + 1
        for name, value in _sizes(session).items()
        if value >= _SMALLEST and value % _SMALLEST == 0
    }


def offer(session: Session) -> tuple[Finding, ...]:
    """Return the offer to run with ragged sizes, if no lane of any launch was ever masked off."""
    if session.device.mode != "interpreter" or not session.launches:
        return ()
    from playground.engine.triton_private import interpreter

    sizes = ragged_sizes(session)
    if not sizes or interpreter.any_switched_off():
        return ()
    shown = ", ".join(f"{name}={value}" for name, value in sizes.items())
    return (
        Finding(
            "info", "driver",
            "no mask switched anything off: every size is a multiple of its block, so the tails "
            "were not tried",
            f"run example({shown}) as well", session.path,
            session.driver.line if session.driver is not None else None,
        ),
    )  # fmt: skip


def _sizes(session: Session) -> dict[str, int]:
    """Return the problem sizes that the driver ran with."""
    if session.driver is None:
        return {}
    known = next((item.sizes for item in session.outline.drivers if item.kind == "example"), ())
    sizes = {size.name: size.default for size in known}
    if not sizes or "example(" not in session.driver.code:
        return {}
    try:
        tree = ast.parse(session.driver.code)
    except SyntaxError:
        return {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "example":
            given = {
                item.arg: item.value.value
                for item in node.keywords
                if item.arg and isinstance(item.value, ast.Constant)
                and isinstance(item.value.value, int)
            }  # fmt: skip
            sizes.update({name: value for name, value in given.items() if name in sizes})
            if node.args:  # which is which is the call's own business
                return {}
    sizes.update({name: value for name, value in session.sizes.items() if name in sizes})
    return sizes
