"""The compiler's messages as sentences for people; its own words stay in a finding's details."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from playground.engine import compile_calls, compile_places

if TYPE_CHECKING:
    from collections.abc import Callable

_LONGEST = 400

_STATEMENTS = {
    "Try": "try", "Raise": "raise", "Break": "break", "Continue": "continue", "Lambda": "lambda",
    "With": "with", "Delete": "del", "Import": "import", "ImportFrom": "import", "Yield": "yield",
    "Global": "global", "ClassDef": "class", "AsyncFunctionDef": "async def", "Await": "await",
}  # fmt: skip
_EXPRESSIONS = {
    "Dict": "a dictionary", "DictComp": "a dictionary's comprehension", "Set": "a set",
    "SetComp": "a set's comprehension", "ListComp": "a list's comprehension",
    "GeneratorExp": "a generator expression", "Starred": "a starred value",
    "JoinedStr": "an f-string", "NamedExpr": "an assignment within an expression (:=)",
}  # fmt: skip


def _unsupported(found: re.Match[str]) -> str:
    node = found[1]
    words = f"`{_STATEMENTS[node]}`" if node in _STATEMENTS else _EXPRESSIONS.get(node, "this")
    return f"a kernel cannot hold {words}: Triton compiles no {node}"


def _shape(text: str) -> str:
    return " × ".join(re.findall(r"\d+", text))


_SENTENCES: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"unsupported AST node type: (\w+)", _unsupported),
    (r"module '(tl[.\w]*|triton\.language)' has no attribute '?(\w+)",
     lambda found: f"there is no {found[1].replace('triton.language', 'tl')}.{found[2]}"),
    (r"nested function definitions are not allowed|StopIteration",
     "a kernel cannot hold another function"),
    (r"Cannot make_shape_compatible: incompatible dimensions at index (\d+): (\d+) and (\d+)",
     lambda found: f"the shapes do not fit together: along axis {found[1]} there are {found[2]} "
     f"and {found[3]} elements"),
    (r"arange's arguments must be of type tl\.constexpr",
     "the bounds of tl.arange must be known when compiling, as tl.constexpr"),
    (r"arange's range must be a power of 2", "the length of tl.arange must be a power of 2"),
    (r"arange's end argument must be greater", "tl.arange must end after it starts"),
    (r"Shape element (\d+) must have type",
     lambda found: f"element {found[1]} of the shape is not known when compiling: it is no "
     "tl.constexpr"),
    (r"input and other must have equal reduction dimensions",
     "tl.dot multiplies (M, K) by (K, N), and the two K differ"),
    (r"input and other must have equal ranks",
     "tl.dot takes two blocks of 2 or 3 dimensions, as many in both"),
    (r"Both operands must be same dtype\. Got (\w+) and (\w+)",
     lambda found: f"tl.dot takes two blocks of one dtype; these are {found[1]} and {found[2]}"),
    (r"Insufficient registers \((\d+)\).*register target of (\d+) or higher",
     lambda found: f"{found[1]} registers a thread are too few: the assembler (ptxas) needs at "
     f"least {found[2]}"),
    (r"(?:line \d+; (?:error|fatal)\s*:\s*)(.*)",
     lambda found: f"the assembler (ptxas) refuses the kernel: {found[1].strip()}"),
    (r"AMD assembler: (.+)",
     lambda found: f"AMD's assembler refuses the kernel: {found[1]}"),
    (r"'(?:tt|ttg|arith|math|scf)\.(\w+)' op (.+)",
     lambda found: f"the compiler's own check of {found[1]} fails: {found[2]}"),
    (r"(?:\w+ used as )?tl\.static_range (\w+) value is not a constexpr",
     lambda found: f"the {found[1]} of tl.static_range must be known when compiling"),
    (r"target doesn't provide conversion for this type",
     "this target has no conversion to or from the type"),
    (r"Unresolved extern function '([^']+)'",
     lambda found: f"the assembler (ptxas) finds no function {found[1]}"),
    (r"Cannot evaluate f-string containing non-constexpr",
     "an f-string in a kernel can hold what is known when compiling only"),
    (r"Keyword argument (\w+) was specified but unrecognised",
     lambda found: f"the launch gives {found[1]}, which is neither a parameter of the kernel nor a "
     "launch option"),
    (r"__setitem__ is not supported", "one element of a block cannot be assigned"),
    (r"For loop bounds and step must all be ints, are \((.*)\)",
     lambda found: f"a loop counts in whole numbers; start, end and step are {found[1]}"),
    (r"expected value shape \[(.*)\], got \[(.*)\]",
     lambda found: f"the descriptor's block is {_shape(found[1])}, and what is stored is "
     f"{_shape(found[2])}"),
    (r"invalid (\w+) identifier: (.+)",
     lambda found: f"Triton takes names of kernels in letters from a to z, digits and _ only: "
     f"{found[2]}"),
    (r"simultaneous multiple comparison", "a comparison of three values is not supported"),
    (r"must be real number, not tensor",
     "one of Python's own functions is called with a value of the kernel (it must be real number, "
     "not tensor)"),
    (r"(.+) is already defined\. constexpr cannot be reassigned",
     lambda found: f"{found[1]} is a tl.constexpr and already has a value"),
    (r"cannot cast (pointer<.*?>\S*) to (.+)",
     lambda found: f"an address cannot be stored as a value ({found[1]} to {found[2]})"),
    (r"(.+) is not string$", lambda found: f"the first argument must be a text, not {found[1]}"),
    (r"Return type mismatch: (.+?)\. Note all",
     lambda found: f"the function returns different types: {found[1]}"),
    (r"Inconsistent return types: (.+)",
     lambda found: f"the function returns different types: {found[1]}"),
)  # fmt: skip


def plain_message(message: str, kind: str, source: str, file: str = "", line: int = 0) -> str:
    """Return a compile error's message as a sentence for people.

    Parameters
    ----------
    message
        The compiler's own; with no word in it the error's kind is told.
    kind
        The class of the error it raised.
    source
        The statement that it points at, if any.
    file, line
        Where that stands.
    """
    first = _unwrapped(message.strip()) or kind
    if kind == "CompileTimeAssertionFailure":
        said = f": {message.strip()}" if message.strip() else ""
        return f"static_assert failed{said}" + (f" in {source}" if source else "")
    if file and (around := compile_places.function_around(file, line)) is not None:
        again = compile_calls.doubled(source, file, around.name)
        if again is not None:
            return f"{again} calls itself, which no function of a kernel can"
    explained = compile_calls.explained(message, source, file)
    if explained is not None:
        return explained[0]
    if "Cannot access global variable" in first:
        # The rest is advice, which the hint gives for this very file.
        return first.partition(". Triton kernels can")[0]
    called = re.search(r"Unsupported function referenced: <(?:built-in )?\w+ ([\w.]+)", first)
    if called is not None:
        return f"{called[1]} is a plain Python function, and a kernel calls it"
    if source.lstrip().startswith("with "):
        return "a kernel cannot hold `with`"
    first = _readable(first)
    if kind == "KeyError" and re.fullmatch(r"\(?\[?'\w+'.*", first):
        name = source.partition("(")[0]
        return f"{name} has no version for {', '.join(re.findall(r'[a-z]+[0-9]+', first))}"
    for pattern, sentence in _SENTENCES:
        found = re.search(pattern, first)
        if found is not None:
            first = sentence if isinstance(sentence, str) else sentence(found)
            break
    if len(first) > _LONGEST:
        first = first[:_LONGEST] + " …"
    if " " not in first and kind not in first:
        first = f"{kind}: {first}"
    return first


def _readable(text: str) -> str:
    """Return a message with types and shapes written as people write them."""
    text = re.sub(r" at 0x[0-9a-f]+", "", text)
    text = re.sub(r"constexpr(?:_type)?\[<class '(?:\w+\.)*(\w+)'>\]", r"a \1", text)
    text = re.sub(r"'?constexpr(?:_type)?\[([^\[\]]+)\]'?", r"\1", text)
    text = text.replace("triton.language.core.", "").replace("triton.language.", "tl.")
    # A block's type is printed as <['32', '64'], fp32>.
    text = re.sub(
        r"<\[([^\]]*)\], ([^<>]+(?:<[^<>]*>)?)>",
        lambda found: f"{found[2]}[{found[1].replace(chr(39), '')}]", text,
    )  # fmt: skip
    return text.replace("tl.float32", "fp32").replace("tl.float16", "fp16").replace("[]", "")


def _unwrapped(message: str) -> str:
    """Return the text of `NameError('text')`, which Triton puts where it wraps an error."""
    found = re.fullmatch(r"[A-Za-z_.]+\((['\"])(.*)\1,?\)", message, re.DOTALL)
    if found is None:
        return message
    try:
        return str(ast.literal_eval(found[1] + found[2] + found[1]))
    except (SyntaxError, ValueError):
        return found[2]
