"""What to write instead, by the compiler's message; pure text in, text out."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

from playground.engine.compile_places import where_set
from playground.engine.compile_remedies import remedy_for

if TYPE_CHECKING:
    from collections.abc import Mapping


def hint_for(
    message: str,
    *,
    kind: str = "",
    file: str = "",
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
    kind
        The class of the error it raised.
    file
        The file it is about.
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
    if kind == "CompileTimeAssertionFailure":
        return "this config is excluded by the kernel's own assertion: choose values that pass it"
    if "cannot access global variable" in text:
        return _global_variable(message, file)
    if "was specified but unrecognised" in text:
        return _keyword(message, values)
    if "input shapes should have" in text or "shapes should" in text:
        return _small_dot(message)
    if "num_ctas" in text and "sm90" in text:
        return f"clusters of programs came with cuda:90; leave num_ctas at 1 for {target}"
    if "dot" in source and ("mismatch" in text or "same dtype" in text or "must match" in text):
        return "cast one operand so that both have one dtype: tl.dot(a, b.to(a.dtype))"
    if "is not defined" in text:
        return _undefined(message)
    if "unsupported function referenced" in text:
        return _plain_function(message)
    if "ptxas" in text:
        return _assembler(message)
    if "not supported in this architecture" in text or ("fp8" in text and "not supported" in text):
        return _missing_type(message, target)
    if "mlir pass pipeline" in text:
        return (
            f"a pass of the compiler for {target} gave up, usually on a tl.dot with too small a "
            "block: raise its smallest dimension to 16, or choose another number of warps"
        )
    return remedy_for(message)


def plain_message(message: str, kind: str, source: str) -> str:
    """Return the message as a sentence for people, with the error's kind where it has none."""
    first = _unwrapped(message.strip()) or kind
    if kind == "CompileTimeAssertionFailure":
        said = f": {message.strip()}" if message.strip() else ""
        return f"static_assert failed{said}" + (f" in {source}" if source else "")
    if "Cannot access global variable" in first:
        # The rest is advice, which the hint gives for this very file.
        first = first.partition(". Triton kernels can")[0]
    called = re.search(r"Unsupported function referenced: <(?:built-in )?\w+ ([\w.]+)", first)
    if called is not None:
        return f"{called[1]} is a plain Python function, and a kernel calls it"
    refused = re.search(r"line \d+; error\s*:\s*(.*)", first) if "ptxas" in first else None
    if refused is not None:
        return f"the assembler (ptxas) refuses the kernel: {refused[1].strip()}"
    if len(first) > 400:
        first = first[:400] + " …"
    first = re.sub(r" at 0x[0-9a-f]+", "", first)
    if " " not in first and kind not in first:
        first = f"{kind}: {first}"
    return first[0].upper() + first[1:] if kind == "KeyError" else first


def _unwrapped(message: str) -> str:
    """Return the text of `NameError('text')`, which Triton puts where it wraps an error."""
    found = re.fullmatch(r"[A-Za-z_.]+\((['\"])(.*)\1,?\)", message, re.DOTALL)
    if found is None:
        return message
    try:
        return str(ast.literal_eval(found[1] + found[2] + found[1]))
    except (SyntaxError, ValueError):
        return found[2]


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


def _global_variable(message: str, file: str) -> str:
    found = re.search(r"global variable (\w+)", message)
    name = found[1] if found else "NAME"
    place = where_set(name, file) if file else None
    if place is None:
        written = f"`{name} = tl.constexpr(…)` where it is set"
    else:
        written = f"`{name} = tl.constexpr({place[1]})` on line {place[0]}"
    return f"write {written}, or hand it to the kernel as a `{name}: tl.constexpr` parameter"


def _plain_function(message: str) -> str:
    found = re.search(r"referenced: <(built-in )?\w+ ([\w.]+)", message)
    name = found[2] if found else "it"
    if found is not None and (found[1] or "." in name):
        return "call Triton's own function instead: tl.exp, tl.sum, tl.maximum, libdevice.tanh, …"
    return f"put @triton.jit above def {name} (it may hold what a kernel may hold)"


def _assembler(message: str) -> str:
    if "known instruction" in message or "syntax error" in message or "Arguments" in message:
        return "correct the inline assembly on this line; ptxas's own words are in the details"
    return (
        "the assembler gave up: fewer warps, a smaller tile or no maxnreg usually get past it; "
        "its own words are in the details"
    )


def _missing_type(message: str, target: str) -> str:
    found = re.search(r"supported fp8 dtypes are \((.*?)\)", message)
    known = found[1].replace("'", "").rstrip(",") if found else ""
    has = f", which has {known}" if known else ""
    return f"choose another dtype for {target}{has}, or another target"


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
    least = [
        f"{name} at least {number}"
        for name, number in zip("MNK", found.groups(), strict=True)
        if int(number) > 1
    ]
    return (
        f"tl.dot of (M, K) by (K, N) needs {' and '.join(least)} here: make the block larger and "
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
