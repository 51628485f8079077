"""What Triton's language offers, from its own functions: signature, documentation, place.

Run as a program it prints all of it as JSON. It imports triton and nothing of the user's, so that
an editor can ask it about `tl.sum`, whose documentation exists only once triton is imported.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from typing import Any

MODULES = ("triton", "triton.language", "triton.language.extra.libdevice")
HIDDEN = ("_semantic", "_generator", "_builder", "_ip", "_combine_region")
"""Parameters that the compiler fills in; nobody passes them."""


def language_entries() -> dict[str, dict[str, str]]:
    """Return `signature` and `doc` of each public function and class of `MODULES`, by full name.

    A full name is that of the definition: `triton.language.standard.sum` is `tl.sum`. A module that
    this version of triton does not have is left out.
    """
    entries: dict[str, dict[str, str]] = {}
    for module_name in MODULES:
        try:
            module = importlib.import_module(module_name)
        except ImportError:
            continue
        for name, value in sorted(vars(module).items()):
            if name.startswith("_") or inspect.ismodule(value) or not callable(value):
                continue
            entry = _entry(name, value)
            where = getattr(value, "__module__", None) or module_name
            entries[f"{where}.{getattr(value, '__name__', name)}"] = entry
            entries.setdefault(f"{module_name}.{name}", entry)
    return entries


def _entry(name: str, value: Any) -> dict[str, str]:
    """Return what there is to say of one function, a jitted one being what it was made of."""
    function = getattr(value, "fn", value)
    return {"signature": _signature(name, function), "doc": _documentation(function)}


def _signature(name: str, function: Any) -> str:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return f"{name}(…)"
    kept = [
        parameter.replace(annotation=_plain(parameter.annotation))
        for parameter in signature.parameters.values() if parameter.name not in HIDDEN
    ]  # fmt: skip
    try:
        shown = signature.replace(parameters=kept, return_annotation=inspect.Signature.empty)
    except ValueError:  # an order of defaults that Python itself would refuse
        return f"{name}({', '.join(parameter.name for parameter in kept)})"
    return f"{name}{_short(str(shown))}"


class _Words:
    """An annotation that prints as the words it was written in."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _plain(annotation: Any) -> Any:
    """Return an annotation in the words of the source, without the modules that it lives in."""
    if annotation is inspect.Parameter.empty:
        return annotation
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return _Words(text)


def _short(text: str) -> str:
    """Return `text` with the names of Triton's modules as kernels write them."""
    for long in ("triton.language.core.", "triton.language.", "core."):
        text = text.replace(long, "tl.")
    return text


def _documentation(function: Any) -> str:
    text = getattr(function, "__doc__", None)
    if not isinstance(text, str) or text == getattr(type(function), "__doc__", None):
        return ""
    return inspect.cleandoc(text)


def main() -> int:
    """Print every entry as one JSON object."""
    json.dump(language_entries(), sys.stdout)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
