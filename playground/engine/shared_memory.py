"""What holds a kernel's shared memory: the buffers in its TTGIR, by the user's line and knobs.

The pipeliner keeps several buffers for a load of a loop (`num_stages` of them, or one fewer); other
operands of products have one. What conversions and reductions exchange between threads has no
buffer of its own there: it is the rest.
"""

from __future__ import annotations

import ast
import linecache
import math
import re
from typing import TYPE_CHECKING

from playground.engine import source_lines
from playground.engine.compile_places import function_around, in_library
from playground.model.compiling import SharedBuffer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.model.config import Config

_ALLOC = re.compile(
    r"^\s*(?:%(?P<name>[\w$.-]+) = )?ttg\.local_alloc .*"
    r"!ttg\.memdesc<(?P<shape>(?:\d+x)+)(?P<type>\w+), (?P<layout>#\w+),"
)
_EXCHANGE = re.compile(
    r'(?:^|= )\s*"?(?:ttg\.convert_layout|tt\.(?:reduce|scan|histogram|gather))\b'
)
_INDEXED = re.compile(r"ttg\.memdesc_(?:index|subview) %([\w$.-]+)\[")
_NAMED = re.compile(r'^(#loc\d*) = loc\("([^"/]+)"\(#loc', re.MULTILINE)
_PADDED = re.compile(r"^(#\w+) = #ttg\.padded_shared<\[([^\]]*)\]", re.MULTILINE)
_TYPES = {"f16": "fp16", "f32": "fp32", "f64": "fp64", "i1": "int1", "i8": "int8", "i16": "int16",
          "i32": "int32", "i64": "int64"}  # fmt: skip


def buffers(ttgir: str, config: Config) -> tuple[SharedBuffer, ...]:
    """Return the buffers in shared memory, the largest first.

    Parameters
    ----------
    config
        What was compiled: the knobs whose values make a buffer's shape are told with it.
    """
    if "ttg.local_alloc" not in ttgir:
        return ()
    names = dict(_NAMED.findall(ttgir))
    indexed = set(_INDEXED.findall(ttgir))
    padded = dict(_PADDED.findall(ttgir))
    chains = source_lines.chains_for("ttgir", ttgir)
    found = []
    for text, chain in zip(ttgir.splitlines(), chains, strict=False):
        alloc = _ALLOC.match(text)
        if alloc is None:
            continue
        shape = tuple(int(side) for side in alloc["shape"].rstrip("x").split("x"))
        count = 1
        if alloc["name"] in indexed and len(shape) > 1:
            # One of them at a time is used: the first axis counts the buffers.
            count, shape = shape[0], shape[1:]
        file, line = _own(chain)
        at = re.search(r"loc\((#loc\d*)\)\s*$", text)
        name = names.get(at[1] if at else "", "") or _plain(alloc["name"] or "")
        elements = count * math.prod(shape)
        elements += _padding(elements, padded.get(alloc["layout"], ""))
        found.append(
            SharedBuffer(
                name, file, line, count, shape, _TYPES.get(alloc["type"], alloc["type"]),
                elements * _bits(alloc["type"]) // 8, _knobs(shape, count, file, line, config),
            )
        )  # fmt: skip
    return tuple(sorted(found, key=lambda each: -each.bytes))


def exchanging_lines(ttgir: str, file: str) -> tuple[int, ...]:
    """Return the lines of `file` that exchange values between threads through shared memory."""
    chains = source_lines.chains_for("ttgir", ttgir)
    places = {
        _own(chain)
        for text, chain in zip(ttgir.splitlines(), chains, strict=False)
        if _EXCHANGE.search(text)
    }
    return tuple(sorted(line for name, line in places if line and name == file))


def told(held: tuple[SharedBuffer, ...], shared_bytes: int, exchanging: tuple[int, ...]) -> str:
    """Return in one line what takes `shared_bytes`, empty where nothing is known of it."""
    large = [each for each in held if each.bytes * 50 >= shared_bytes]
    parts = [each.text() for each in large]
    rest = shared_bytes - sum(each.bytes for each in held)
    if rest > 0 and rest * 50 >= shared_bytes:
        lines = ", ".join(map(str, exchanging[:8]))
        where = f" (line{'s' if len(exchanging) > 1 else ''} {lines})" if lines else ""
        parts.append(f"{rest} bytes to exchange values between threads{where}")
    text = "; ".join(parts)
    return f"{text}; not all of it at one time" if text and rest < 0 else text


def _own(chain: source_lines.Chain) -> tuple[str, int]:
    return next(((file, line) for file, line in chain if line and not in_library(file)), ("", 0))


def _plain(name: str) -> str:
    """Return `x` of `x_15`, as MLIR numbers a name's later values; empty for a mere number."""
    return "" if name[:1].isdigit() else re.sub(r"_\d+$", "", name)


def _bits(name: str) -> int:
    found = re.match(r"[a-z]+(\d+)", name)
    return int(found[1]) if found else 8


def _padding(elements: int, layout: str) -> int:
    """Return the elements that a padded layout adds: `+pad` after every `interval` but the last."""
    return sum(
        (math.ceil(elements / int(interval)) - 1) * int(pad)
        for interval, pad in re.findall(r"(\d+):\+(\d+)", layout)
    )


# ------------------------------------------------------------------------------ knobs


def _knobs(
    shape: tuple[int, ...], count: int, file: str, line: int, config: Config
) -> tuple[str, ...]:
    """Return the knobs that make a buffer as large as it is.

    A side is told by the knobs of its value; where several have it, by those that the line's
    expressions come from.
    """
    values = config.as_dict()
    reaching = _reaching(file, line)
    found = ["num_stages"] if count > 1 and "num_stages" in values else []
    for side in shape:
        same = [
            name for name, value in values.items()
            if value == side and not isinstance(value, bool) and not name.startswith("num_")
        ]  # fmt: skip
        found += [name for name in same if name in reaching] or same
    return tuple(dict.fromkeys(found))


def _reaching(file: str, line: int) -> frozenset[str]:
    """Return the names from which the values on a line are computed within their function."""
    function = function_around(file, line) if file and linecache.getlines(file) else None
    if function is None:
        return frozenset()
    made: dict[str, set[str]] = {}
    wanted: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            targets: list[ast.expr] = (
                node.targets if isinstance(node, ast.Assign) else [node.target]
            )
            for name, value in _pairs(targets, node.value):
                made.setdefault(name, set()).update(_names(value))
        if (
            isinstance(node, ast.stmt) and not hasattr(node, "body")
            and node.lineno <= line <= (node.end_lineno or node.lineno)
        ):  # fmt: skip
            wanted |= _names(node)
    reached: set[str] = set()
    while wanted:
        name = wanted.pop()
        if name not in reached:
            reached.add(name)
            wanted |= made.get(name, set())
    return frozenset(reached)


def _pairs(targets: list[ast.expr], value: ast.expr | None) -> Iterator[tuple[str, ast.expr]]:
    """Yield each name that is assigned with its own value: `i, j = a, b` are two."""
    if value is None:
        return
    for target in targets:
        if isinstance(target, ast.Name):
            yield target.id, value
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for item, own in zip(target.elts, value.elts, strict=False):
                yield from _pairs([item], own)
        elif isinstance(target, ast.Tuple):
            yield from ((item.id, value) for item in target.elts if isinstance(item, ast.Name))


def _names(node: ast.AST) -> set[str]:
    return {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}
