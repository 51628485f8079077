"""What to write instead, by the compiler's message; pure text in, text out."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def hint_for(
    message: str,
    *,
    source: str,
    values: Mapping[str, int | None],
    options: Mapping[str, Any],
    target: str,
) -> str:
    """Return the remedy for a compile error, or an empty string where none is known.

    Parameters
    ----------
    message
        The compiler's message.
    source
        The statement it points at, if any.
    values
        The kernel's integer parameters by name; None for the others.
    options
        The launch options.
    target
        What was compiled for.
    """
    text = message.lower()
    if "power of 2" in text or "power of two" in text:
        return _power_of_two(source, values, options)
    if "static_assert" in source or "assertion" in text:
        return "this config is excluded by the kernel's own assertion: choose values that pass it"
    if "cannot access global variable" in text:
        return _global_variable(message)
    if "was specified but unrecognised" in text or "unexpected keyword" in text:
        return _keyword(message, values)
    if "input shapes should have" in text or "shapes should" in text:
        return _small_dot(message)
    if "num_ctas" in text and "sm90" in text:
        return f"clusters of programs came with cuda:90; leave num_ctas at 1 for {target}"
    if "dot" in source and ("mismatch" in text or "same dtype" in text or "must match" in text):
        return "cast one operand so that both have one dtype: tl.dot(a, b.to(a.dtype))"
    if "is not defined" in text:
        return _undefined(message)
    if "ptxas" in text:
        return (
            "the assembler gave up: fewer warps, a smaller tile or no maxnreg usually get past it; "
            "its own words are in the details"
        )
    if "fp8" in text and "not supported" in text:
        return f"{target} has no such type; choose another dtype or another target"
    if ("initial value for" in text and "loop" in text) or "loop-carried" in text:
        return "a variable changed in a loop must keep its type and shape: cast it inside the loop"
    if ("shape" in text and "incompatible" in text) or "cannot make_shape_compatible" in text:
        return "bring both to one shape first: x[:, None] adds a column axis, x[None, :] a row axis"
    if "numel" in text and ("exceed" in text or "maximum" in text):
        return "a tile has at most 1048576 elements: make a block smaller"
    return ""


def plain_message(message: str, kind: str, source: str) -> str:
    """Return the message as a sentence for people, with the error's kind where it has none."""
    first = message.strip() or kind
    if kind == "CompileTimeAssertionFailure":
        said = f": {message.strip()}" if message.strip() else ""
        return f"static_assert failed{said}" + (f" in {source}" if source else "")
    if kind == "KeyError" and "unrecognised" in first:
        return first[0].upper() + first[1:]
    if len(first) > 400:
        first = first[:400] + " …"
    if kind in ("CompilationError", "ValueError", "UnsupportedLanguageConstruct", "TypeError"):
        return first
    return first if kind in first else f"{kind}: {first}"


def _power_of_two(source: str, values: Mapping[str, int | None], options: Mapping[str, Any]) -> str:
    warps = options.get("num_warps")
    if not source and isinstance(warps, int) and not _is_power(warps):
        return f"num_warps={warps}: try {' or '.join(map(str, _neighbours(warps)))}"
    names = [name for name in _names(source) if isinstance(values.get(name), int)]
    for name in names:
        value = values[name]
        if value is not None and value > 0 and not _is_power(value):
            low, high = _neighbours(value)
            return f"{name}={value}: try {low} or {high}, with a mask for the elements past the end"
    number = re.search(r"arange\(\s*0\s*,\s*(\d+)\s*\)", source)
    if number and int(number[1]) > 0:
        low, high = _neighbours(int(number[1]))
        return (
            f"write tl.arange(0, {high}) with a mask for the elements past {number[1]}, "
            f"or tl.arange(0, {low})"
        )
    return "every length of tl.arange and of a block is a power of two; mask what is past the end"


def _global_variable(message: str) -> str:
    found = re.search(r"global variable (\w+)", message)
    name = found[1] if found else "NAME"
    return (
        f"write `{name}: tl.constexpr = tl.constexpr(…)` where it is set, or hand it to the kernel "
        f"as a `{name}: tl.constexpr` parameter"
    )


def _keyword(message: str, values: Mapping[str, int | None]) -> str:
    found = re.search(r"argument '?(\w+)'?", message)
    if found is None:
        return ""
    name = found[1]
    if name == "grid":
        return "the grid goes in brackets before the call: kernel[grid](…)"
    close = _closest(name, [*values, "num_warps", "num_stages", "num_ctas", "maxnreg"])
    meant = f"did you mean {close}? " if close else ""
    return f"{meant}{name} is no parameter of the kernel and no launch option of this target"


def _small_dot(message: str) -> str:
    found = re.search(r"M >= (\d+), N >= (\d+) and K >= (\d+)", message)
    if found is None:
        return "tl.dot needs larger blocks on this target: raise the smallest of them to 16"
    return (
        f"make the blocks of tl.dot at least {found[1]} by {found[2]} by {found[3]} (M, N, K) and "
        "mask what is past the end, or write it as tl.sum(a[:, :, None] * b[None, :, :], axis=1)"
    )


def _undefined(message: str) -> str:
    found = re.search(r"(?:name )?'?(\w+)'? is not defined", message)
    name = found[1] if found else "the name"
    return (
        f"{name} is known neither in the kernel nor in the file; a variable set only inside an "
        "`if` must be set before it"
    )


def _names(source: str) -> list[str]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return re.findall(r"[A-Za-z_]\w*", source)
    return [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]


def _is_power(value: int) -> bool:
    return value > 0 and value & (value - 1) == 0


def _neighbours(value: int) -> tuple[int, int]:
    low = 1 << (value.bit_length() - 1)
    return low, 2 * low


def _closest(name: str, known: list[str]) -> str:
    import difflib

    found = difflib.get_close_matches(name.lower(), [item.lower() for item in known], 1, 0.6)
    return next((item for item in known if found and item.lower() == found[0]), "")
