"""What to write instead, by the compiler's message; pure text in, text out."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

from playground.engine import compile_calls, compile_places
from playground.engine.compile_places import where_set
from playground.engine.compile_remedies import remedy_for

if TYPE_CHECKING:
    from collections.abc import Mapping


def hint_for(
    message: str,
    *,
    kind: str = "",
    file: str = "",
    line: int = 0,
    source: str,
    values: Mapping[str, int | None],
    options: Mapping[str, Any],
    target: str,
    library: str = "",
) -> str:
    """Return the remedy for a compile error, or an empty string where none is known.

    Parameters
    ----------
    message
        The compiler's message.
    kind
        The class of the error it raised.
    file, line
        The place it is about.
    source
        The statement it points at, if any.
    values
        The kernel's integer parameters by name; None for the others.
    options
        The launch options.
    target
        What was compiled for.
    library
        The function of Triton's own that it was raised in, if it was.
    """
    text = message.lower()
    around = compile_places.function_around(file, line) if file else None
    if around is not None and compile_calls.doubled(source, file, around.name):
        return "write it as a loop: `while condition:` or `for i in range(n):`, with variables"
    explained = compile_calls.explained(message, source, file)
    if explained is not None:
        return explained[1]
    if "constexpr" in text and (parameter := _run_time_parameter(text, source, values)):
        return (
            f"write `{parameter}: tl.constexpr` in the kernel's signature: a block's length must "
            "be known when compiling"
        )
    if "power of 2" in text or "power of two" in text:
        return _power_of_two(source, values, options)
    if kind == "CompileTimeAssertionFailure" and library:
        return f"Triton's own {library} asks for it: {message.strip() or 'see the details'}"
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
    if "dot" in source and "reduction dimensions" in text:
        return (
            "load the right operand as (K, N): its first axis must be the left one's second, or "
            "turn it with tl.trans(b)"
        )
    if "dot" in source and "equal ranks" in text:
        return "for vectors write tl.sum(a * b), for a matrix and one tl.sum(a * v[None, :], 1)"
    if "dot" in source and ("mismatch" in text or "same dtype" in text or "must match" in text):
        return "cast one operand so that both have one dtype: tl.dot(a, b.to(a.dtype))"
    if "is not defined" in text:
        return _undefined(message)
    if "unsupported function referenced" in text:
        return _plain_function(message)
    if "'arith.extf' op operand #0 must be floating-point-like" in text:
        return (
            f"Triton multiplies no whole numbers on {target}: cast both operands to tl.float16, "
            "which holds int8 exactly, or choose cuda:80 or newer"
        )
    if "ptxas" in text:
        return _assembler(message, options)
    if kind == "KeyError" and "(" in source:
        called = source.partition("(")[0]
        return f"cast what it is called with: {called}(x.to(tl.float32))"
    if "amd assembler" in text:
        return "correct the inline assembly on this line: AMD's mnemonics, and v or s registers"
    if "doesn't provide conversion" in text:
        return f"cast by way of tl.float16 or tl.float32, or choose another target than {target}"
    if "not supported in this architecture" in text or ("fp8" in text and "not supported" in text):
        return _missing_type(message, target)
    if "mlir pass pipeline" in text:
        return (
            f"a pass of the compiler for {target} gave up, usually on a tl.dot with too small a "
            "block: raise its smallest dimension to 16, or choose another number of warps"
        )
    if source.lstrip().startswith("with "):
        return remedy_for("unsupported AST node type: With")
    return remedy_for(message)


def _run_time_parameter(message: str, source: str, values: Mapping[str, int | None]) -> str:
    """Return the parameter named like a constant that stands where one must be."""
    if "arange" not in message and "shape element" not in message:
        return ""
    # A length called `n` is rather a run-time value that wants a mask.
    return next((name for name in _names(source) if name in values and name.isupper()), "")


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


def _assembler(message: str, options: Mapping[str, object]) -> str:
    newer = re.search(r"requires \.target sm_(\d+)", message)
    if newer is not None:
        return f"this came with cuda:{newer[1]}: choose that target, or load and store by pointers"
    missing = re.search(r"Unresolved extern function '([^']+)'", message)
    if missing is not None:
        return (
            f"no library linked to the kernel has {missing[1]}: take one that "
            "triton.language.extra.libdevice offers, or give the library to the launch as "
            "extern_libs={name: path}"
        )
    enough = re.search(r"register target of (\d+) or higher", message)
    if enough is not None and options.get("maxnreg"):
        return (
            f"set maxnreg to {enough[1]} or more, or leave it out; a smaller tile needs fewer "
            "registers a thread"
        )
    if enough is not None:
        return "fewer warps have more registers each, and a smaller tile needs fewer of them"
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
