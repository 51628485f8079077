"""The compiler's refusals that one sentence answers: a pattern of its message, and what to write.

Messages of triton 3.6 and 3.9. Those that need more than the message are in `compile_hints`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_SYNTAX = {
    "Try": "an exception cannot be caught on a GPU: test for the case with `if` or tl.where",
    "Raise": "nothing can be raised on a GPU: use tl.static_assert or tl.device_assert",
    "Break": "a loop runs to its end: make it `while condition:`, or mask what must not happen",
    "Continue": "wrap the rest of the loop's body in an `if` instead",
    "Lambda": "write a function with @triton.jit of its own and call it",
    "Dict": "use constexpr parameters, or a tuple",
    "DictComp": "use constexpr parameters, or a tuple",
    "ListComp": "write the loop out: `for i in tl.static_range(n)`",
    "GeneratorExp": "write the loop out: `for i in tl.static_range(n)`",
    "Set": "use a tuple",
    "SetComp": "use a tuple",
    "Yield": "a kernel stores its results: tl.store",
    "With": "take the statement out of the kernel",
    "Delete": "leave it out: names end with the kernel",
    "Import": "import at the top of the file",
    "ImportFrom": "import at the top of the file",
    "Global": "a kernel returns nothing to Python: tl.store it into a tensor",
    "ClassDef": "define classes and functions at the top of the file",
    "FunctionDef": "define the function at the top of the file, with @triton.jit",
    "JoinedStr": "text is known at compile time only: tl.static_print takes several arguments",
    "Starred": "write the items out",
}
_LANGUAGE = {
    "advance": "add the offset where the descriptor is used: desc.load([row + step, 0])",
    "make_block_ptr": (
        "write desc = tl.make_tensor_descriptor(base, shape=…, strides=…, block_shape=…), then "
        "desc.load([row, column]) and desc.store([row, column], value); it checks bounds itself"
    ),
    "libdevice": "write `from triton.language.extra import libdevice` at the top of the file",
    "relu": "write tl.maximum(x, 0)",
    "silu": "write x * tl.sigmoid(x)",
    "pow": "write tl.exp2(y * tl.log2(x)), or libdevice.pow",
    "len": "take the length as a tl.constexpr parameter",
    "float8e4": "the type is called tl.float8e4nv",
    "int1": "comparisons give it",
    "sync": "write tl.debug_barrier()",
    "atomic_load": "before triton 3.9, write tl.atomic_add(ptr, 0)",
    "atomic_store": "before triton 3.9, write tl.atomic_xchg(ptr, value)",
    "squeeze": "before triton 3.9, write tl.reshape",
    "unsqueeze": "before triton 3.9, write tl.expand_dims",
}
_LIBDEVICE = frozenset(
    {
        *("tanh", "tan", "sinh", "cosh", "asin", "acos", "atan", "atan2", "asinh", "acosh"),
        *("atanh", "pow", "log10", "log1p", "expm1", "exp10", "round", "rint", "trunc", "fmod"),
        *("isnan", "isinf", "finitef", "erfc", "erfinv", "cbrt", "rcbrt", "hypot", "copysign"),
        *("lgamma", "tgamma", "nearbyint", "ffs", "popc", "clz", "brev"),
    }
)
_DESCRIPTORS = _LANGUAGE["make_block_ptr"]
_METHODS = {
    "mean": "write tl.sum(x, axis=0) / number_of_elements",
    "item": "tl.store it into a tensor and read that on the host",
    "view": "write tl.reshape(x, shape)",
    "transpose": "write tl.trans(x)",
    "float": "write x.to(tl.float32)",
    "half": "write x.to(tl.float16)",
    "long": "write x.to(tl.int64)",
    "size": "lengths are constants of the kernel: x.shape[0], or the tl.constexpr itself",
    "astype": "write x.to(dtype)",
    "type": "write x.to(dtype)",
    "pow": "write tl.exp2(y * tl.log2(x)), or libdevice.pow",
    "clamp": "write tl.clamp(x, low, high)",
    "relu": "write tl.maximum(x, 0)",
    "stride": "hand the stride to the kernel as an argument",
}


def _unsupported_syntax(found: re.Match[str]) -> str:
    known = _SYNTAX.get(found[1])
    if known:
        return known
    return "a kernel knows assignments, calls, if, for, while and return; move it to host code"


def _missing_name(found: re.Match[str]) -> str:
    name = found[2]
    if name in _LIBDEVICE:
        return (
            f"write `from triton.language.extra import libdevice` at the top of the file and "
            f"libdevice.{name}(…) here"
        )
    if name in _LANGUAGE:
        return _LANGUAGE[name]
    import difflib

    import triton
    import triton.language as tl

    close = difflib.get_close_matches(name, dir(tl), 1, 0.75)
    meant = f"did you mean tl.{close[0]}? " if close else ""
    return f"{meant}triton {triton.__version__} has no tl.{name}"


def _missing_method(found: re.Match[str]) -> str:
    name = found[1]
    if name in _METHODS:
        return _METHODS[name]
    import difflib

    import triton.language as tl

    close = difflib.get_close_matches(name, [item for item in dir(tl.tensor) if item[0] != "_"], 1)
    if close:
        return f"did you mean x.{close[0]}?"
    return f"a block has no {name}: look for tl.{name} among Triton's own functions"


def _kind_of_loop(found: re.Match[str]) -> str:
    name, before, after = found[1], found[2], found[3]
    if "[" in after and "[" not in before:
        return f"start {name} with its shape: {name} = tl.zeros((BLOCK,), tl.float32)"
    if "fp" in after and "int" in before:
        return f"start {name} with the type it takes: {name} = 0.0, or cast it inside the loop"
    return f"cast {name} inside the loop to {before}, or start it as {after}"


def _one_type(found: re.Match[str]) -> str:
    return f"cast one of them: {found[1]} must have one type whichever way the `if` goes"


_ANY_OF = "combine masks element by element: (a > 2) & (a < 9), each comparison in parentheses"
_REMEDIES: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"unsupported AST node type: (\w+)", _unsupported_syntax),
    (r"module 'triton\.language(\.\w+)?' has no attribute '?(\w+)", _missing_name),
    (r"[Bb]lock pointers have been removed", _DESCRIPTORS),
    (r"expected value shape \[.*\], got \[",
     "one of the two blocks does not follow a knob: where the host makes the TensorDescriptor, "
     "give it the block shape from the variables that the launch passes, or set it in the config's "
     "pre_hook"),
    (r"invalid (\w+) identifier: ",
     "rename the kernel; its parameters and variables may keep their names"),
    (r"variable (\w+) has initial type (.+) but is re-assigned to (.+) in loop", _kind_of_loop),
    (r"Mismatched type for (\w+) between then block", _one_type),
    (r"initial value for .*loop", "a variable changed in a loop must keep its type and shape: cast "
     "it inside the loop"),
    (r"[Rr]eturn type mismatch|Inconsistent return types",
     "cast the returned values to one type, or assign to one variable and return it at the end"),
    (r"Cannot have `return` statements inside",
     "put what follows under an `if`, and return at the end of the function"),
    (r"arange's arguments must be of type tl\.constexpr",
     "a block's length is fixed when compiling: make the bound a `tl.constexpr` parameter (a power "
     "of two), and mask the elements past the run-time length"),
    (r"must be real number, not tensor|only (integer|length-1) .*arrays|_numpy\(\)",
     "Python's own functions do not take a kernel's values: write tl.sqrt, tl.exp, tl.abs, …"),
    (r"'(int|float|bool)' object has no attribute '?(to|cast|dtype|shape)",
     "an argument equal to 1 and every constexpr is a plain number when compiled: write "
     "tl.cast(value, tl.int64), or keep it a run-time value with do_not_specialize=[…]"),
    (r"Boolean value of Tensor with more than one value",
     "an `if` needs one value: choose element by element with tl.where(condition, a, b), or mask "
     "the load and the store"),
    (r"unsupported tensor index|'int' object is not iterable",
     "a block in registers has no single elements: load the element by its pointer, or reduce with "
     "tl.sum(tl.where(index == i, x, 0)), tl.gather or tl.split"),
    (r"Value argument cannot be block type if pointer argument is not a block",
     "the pointer is one address: add offsets, tl.store(pointer + tl.arange(0, BLOCK), value)"),
    (r"Expected pointer argument to have shape",
     "mask and pointer must have one shape: add an axis to the offsets, or take it from the mask"),
    (r"Mask argument cannot be block type if pointer argument is not a block",
     "the pointer is one address: drop the mask or add offsets to the pointer"),
    (r"Unsupported ptr type",
     "this argument is a number, not an address: pass the tensor itself, or load from the tensor"),
    (r"invalid operands of type pointer<",
     "load the value first: this computes with the address"),
    (r"at least 16 bytes in the last dimension",
     "make the descriptor's last block dimension at least 16 bytes long, or load with pointers"),
    (r"strides must be .*16|must be 16.byte aligned|base address must be 16",
     "a descriptor's base and outer strides are multiples of 16 bytes: pad the rows, or load with "
     "pointers and a mask"),
    (r"invalid axis (-?\d+)|axis \d+ out of bounds",
     "count axes from 0: a block made with one tl.arange has axis 0 only"),
    (r"cannot change total number of elements|reshape\(\) .*elements",
     "a reshape keeps the number of elements; tl.broadcast_to repeats them"),
    (r"`cat` always may reorder",
     "write tl.cat(a, b, can_reorder=True), or tl.join(a, b) with a tl.reshape to keep the order"),
    (r"[Ss]imultaneous multiple assignment", "write one assignment per line"),
    (r"'tensor' object has no attribute '?(\w+)", _missing_method),
    (r"end argument must be greater", "write tl.arange(0, length): the start comes first"),
    (r"Shape element \d+ must have type|shape must be .*constexpr",
     "a shape is fixed when compiling: make it a `tl.constexpr` parameter, and mask what is past "
     "the run-time length"),
    (r"`other` cannot be provided without `mask`",
     "add mask=…: other= is what the masked elements become; without a mask leave it out"),
    (r"cannot cast pointer<", "load what is at the address first: tl.store(pointer, "
     "tl.load(address))"),
    (r"nested function definitions|StopIteration",
     "define the function at the top of the file, with @triton.jit"),
    (r"Cannot evaluate f-string",
     'print run-time values with tl.device_print("n is", n); an f-string may hold tl.constexpr'),
    (r"expected (\d+) offsets?, but got",
     lambda found: f"give one offset for each of the descriptor's {found[1]} axes: "
     f"desc.load([{', '.join(('row', 'column', 'third', 'fourth', 'fifth')[: int(found[1])])}])"),
    (r" is not string", 'begin with a text: tl.device_print("value", value)'),
    (r"(atomic_\w+) does not support (\w+)",
     lambda found: f"keep the tensor as float32 or int32 for {found[1]}, or cast a copy of it: "
     f"{found[2]} has no such instruction"),
    (r"constexpr cannot be reassigned",
     "give the second value another name, or drop `: tl.constexpr` for a run-time variable"),
    (r"__setitem__ is not supported",
     "make a new block: tl.where(index == i, value, x), or tl.store the element by its pointer"),
    (r"tl\.trans invoked with a", "one axis has nothing to turn: x[:, None] makes a column of it"),
    (r"program_id axis must be", "a grid has three axes: 0, 1 or 2; take more apart by // and %"),
    (r"num_programs axis must be", "a grid has three axes: 0, 1 or 2"),
    (r"For loop bounds and step must all be ints",
     "make them integers: x.to(tl.int32), or tl.cdiv(n, step) for a count"),
    (r"simultaneous multiple comparison", _ANY_OF),
    (r"static_range \w+ value is not a constexpr",
     "write range(n) for a number known at run time only, or make it a `tl.constexpr` parameter"),
    (r"atomic_cas.* ptr type matches", "cast both values to the tensor's type: tl.atomic_cas(ptr, "
     "old.to(dtype), new.to(dtype))"),
    (r"invalid operands of type (?:triton\.language\.)?(?:float|fp|bf)\w+ and",
     "this operator takes integers: cast with x.to(tl.int32), or write x * 4.0 for x << 2"),
    (r"number of input constraints|constraint",
     'give one "=r" or "=f" for each result, then one for each of args, separated by commas'),
    (r"got an unexpected keyword argument '?(\w+)",
     lambda found: f"the function called here has no parameter {found[1]}"),
    (r"missing (?:\d+ )?(?:a )?required (?:positional )?argument",
     "give every parameter that has no default"),
    (r"has no attribute '?append|'append' is not in list",
     "a list cannot grow in a kernel: keep values in blocks, or in a tuple built in one place"),
    (r"'tuple' object does not support item assignment|'list' object does not support",
     "a tuple cannot change: name its items"),
    (r"[Cc]annot broadcast|incompatible dimensions|cannot make_shape_compatible|shapes? .*incompat",
     "bring both to one shape first: x[:, None] adds a column axis, x[None, :] a row axis"),
    (r"numel .*exceeds|maximum tensor numel",
     "a tile has at most 1048576 elements: make a block smaller"),
)  # fmt: skip


def remedy_for(message: str) -> str:
    """Return what to write instead of what the compiler refused, empty where nothing is known."""
    for pattern, answer in _REMEDIES:
        found = re.search(pattern, message)
        if found is not None:
            return answer if isinstance(answer, str) else answer(found)
    return ""
