"""Lines that call a function which was not inlined: its code counts for them as well.

A helper with `noinline=True` is a function of its own in every stage, and so are the subroutines
that ptxas adds (an exact division). Locations tell only the line inside; which lines call it the
calls in the same text tell.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

Lines = tuple[int, ...]

_SYMBOL = r'("[^"]+"|[\w.$-]+)'
_MLIR = (re.compile(rf"^\s*tt\.func .*?@{_SYMBOL}\("), re.compile(rf"\btt\.call @{_SYMBOL}\("))
# A function begins, a function is called: by the name in each.
_FORMS: dict[str, tuple[re.Pattern[str], re.Pattern[str]]] = {
    "ttir": _MLIR,
    "ttgir": _MLIR,
    "llir": (
        re.compile(rf"^define .*?@{_SYMBOL}\("), re.compile(rf"\bcall .*?@{_SYMBOL}\("),
    ),
    "ptx": (
        re.compile(r"^\s*(?:\.(?:visible|weak|extern)\s+)*\.(?:func|entry)\b.*?([\w$%]+)\($"),
        re.compile(r"^\s*call(?:\.uni)?\s+(?:\([^)]*\),\s*)?([\w$%]+)\s*[,;]"),
    ),
    "sass": (
        re.compile(r"^\s*\.type\s+(\S+),@function"), re.compile(r"\bCALL\S*.*`\((\S+)\)"),
    ),
    "amdgcn": (
        re.compile(rf"^\s*\.type\s+{_SYMBOL},@function"), re.compile(rf"[ ,]{_SYMBOL}@rel32@lo"),
    ),
}  # fmt: skip
_WORDS = {"sass": "CALL", "amdgcn": "@rel32@lo"}
"""What every call has in it; most texts have none."""


class _Call(NamedTuple):
    """A call: the lines it stands for, and the function that it is made in."""

    lines: Lines
    inside: str


def with_callers(stage: str, text: Sequence[str], behind: Sequence[Lines]) -> tuple[Lines, ...]:
    """Return `behind`, with the lines that call the function which each line of text is in.

    Parameters
    ----------
    stage
        `ttir`, `ttgir`, `llir`, `ptx`, `sass` or `amdgcn`.
    text
        The stage's text, line by line.
    behind
        The source lines of each, innermost first; those of callers come after them.
    """
    if stage not in _FORMS:
        return tuple(behind)
    word = _WORDS.get(stage, "call")
    if not any(word in line for line in text):
        return tuple(behind)
    begins, calls = _FORMS[stage]
    inside, functions = "", []
    called: defaultdict[str, list[_Call]] = defaultdict(list)
    for line, own in zip(text, behind, strict=True):
        begin = begins.search(line)
        if begin is not None:
            inside = begin[1].strip('"')
        # What introduces a function still has the place of the instruction before it.
        functions.append(inside if stage != "sass" or "/*" in line else "")
        call = calls.search(line) if begin is None and word in line else None
        if call is not None and own:
            called[call[1].strip('"')].append(_Call(own, inside))
    known = set(functions)
    callers = {name: _callers(name, called, ()) for name in called if name in known}
    if not callers:
        return tuple(behind)
    return tuple(
        tuple(dict.fromkeys((*own, *callers[function]))) if function in callers else own
        for own, function in zip(behind, functions, strict=True)
    )


def _callers(name: str, called: dict[str, list[_Call]], above: tuple[str, ...]) -> Lines:
    """Return the lines that call a function, and those that call what they are in."""
    if name in above:
        return ()
    found: list[int] = []
    for call in called.get(name, ()):
        found += call.lines
        found += _callers(call.inside, called, (*above, name))
    return tuple(dict.fromkeys(found))
