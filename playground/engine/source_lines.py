"""Which line of the user's file each line of a compiler stage comes from.

Every stage carries locations in its own way: MLIR's `loc(…)` aliases, LLVM's `!dbg` metadata, the
`.loc` directives of PTX and of AMD's assembly, nvdisasm's comments. Code inlined from a library
function counts for the line of the user's file that called it.
"""

from __future__ import annotations

import os
import re

_LOC_ALIAS = re.compile(r"^(#loc\w*) = loc\((.*)\)\s*$")
_LOC_USE = re.compile(r"loc\((#loc\w*|\"[^\"]*\":\d+:\d+)\)")
_FILE_LINE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+)(?::\d+)?')
_SASS = re.compile(r'File "([^"]*)", line (\d+)(?: inlined at "([^"]*)", line (\d+))?')
_DIRECTIVE = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)\s+\d+(.*)$")
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?')


def lines_for(stage: str, text: str, file: str) -> tuple[int, ...]:
    """Return the line of `file` behind each line of `text`, 0 where there is none.

    Parameters
    ----------
    stage
        `ttir`, `ttgir`, `llir`, `ptx`, `sass` or `amdgcn`.
    text
        The stage's text.
    file
        The kernel's file. A kernel that Triton's cache holds from another file of the same text
        names that one: then the last component of the name decides.
    """
    lines = text.splitlines()
    if stage in ("ttir", "ttgir"):
        return _mlir(lines, file)
    if stage == "llir":
        return _llvm(lines, file)
    if stage in ("ptx", "amdgcn"):
        return _directives(lines, file)
    if stage == "sass":
        return _sass(lines, file)
    return (0,) * len(lines)


def _same(found: str, file: str) -> bool:
    return found == file or os.path.basename(found) == os.path.basename(file)


def _mlir(lines: list[str], file: str) -> tuple[int, ...]:
    aliases: dict[str, str] = {}
    for line in lines:
        alias = _LOC_ALIAS.match(line)
        if alias:
            aliases[alias[1]] = alias[2]
    known: dict[str, int] = {}

    def resolve(body: str, depth: int = 0) -> int:
        """Return the innermost line in the user's file that a location's text leads to."""
        if depth > 64:
            return 0
        # The callee stands first in `callsite(callee at caller)`: the innermost place wins.
        for token in re.finditer(rf"#loc\w*|{_FILE_LINE.pattern}", body):
            if token[0].startswith("#loc"):
                if token[0] not in known:
                    known[token[0]] = 0
                    known[token[0]] = resolve(aliases.get(token[0], ""), depth + 1)
                if known[token[0]]:
                    return known[token[0]]
            elif _same(token[1], file):
                return int(token[2])
        return 0

    found = []
    for line in lines:
        if _LOC_ALIAS.match(line):
            found.append(0)
            continue
        uses = _LOC_USE.findall(line)
        found.append(resolve(uses[-1]) if uses else 0)
    return tuple(found)


def _llvm(lines: list[str], file: str) -> tuple[int, ...]:
    nodes: dict[str, str] = {}
    for line in lines:
        node = re.match(r"^(!\d+) = (.*)$", line)
        if node:
            nodes[node[1]] = node[2]
    files: dict[str, bool] = {}

    def in_file(scope: str, depth: int = 0) -> bool:
        body = nodes.get(scope, "")
        if scope not in files:
            files[scope] = False
            if body.startswith("!DIFile"):
                name = re.search(r'filename: "([^"]*)"', body)
                folder = re.search(r'directory: "([^"]*)"', body)
                path = os.path.join(folder[1] if folder else "", name[1] if name else "")
                files[scope] = _same(path, file)
            else:
                inner = re.search(r"file: (!\d+)", body) or re.search(r"scope: (!\d+)", body)
                files[scope] = inner is not None and depth < 64 and in_file(inner[1], depth + 1)
        return files[scope]

    known: dict[str, int] = {}

    def resolve(place: str, depth: int = 0) -> int:
        if place not in known:
            body = nodes.get(place, "")
            line = re.search(r"line: (\d+)", body)
            scope = re.search(r"scope: (!\d+)", body)
            outer = re.search(r"inlinedAt: (!\d+)", body)
            known[place] = 0
            if line and scope and in_file(scope[1]):
                known[place] = int(line[1])
            elif outer and depth < 64:
                known[place] = resolve(outer[1], depth + 1)
        return known[place]

    found = []
    for line in lines:
        use = re.search(r"!dbg (!\d+)", line)
        found.append(resolve(use[1]) if use else 0)
    return tuple(found)


def _directives(lines: list[str], file: str) -> tuple[int, ...]:
    files: dict[str, str] = {}
    for line in lines:
        named = _FILE.match(line)
        if named:
            files[named[1]] = os.path.join(named[2], named[3]) if named[3] else named[2]
    ours = {number for number, path in files.items() if _same(path, file)}
    name = os.path.basename(file)
    found, current = [], 0
    for line in lines:
        place = _DIRECTIVE.match(line)
        if place:
            current = _directive_line(place, ours, name)
        elif re.match(r"^\s*(\.section|\.size|\}|\.Lfunc_end)", line):
            current = 0  # the function ended; tables follow
        found.append(current)
    return tuple(found)


def _directive_line(place: re.Match[str], ours: set[str], name: str) -> int:
    if place[1] in ours:
        return int(place[2])
    inlined = re.search(r"inlined_at (\d+) (\d+)", place[3])
    if inlined and inlined[1] in ours:
        return int(inlined[2])
    # AMD's assembler names the chain of callers in a comment: `@[ kernel.py:20:25 @[ … ] ]`.
    caller = re.search(rf"@\[ {re.escape(name)}:(\d+):", place[3])
    return int(caller[1]) if caller else 0


def _sass(lines: list[str], file: str) -> tuple[int, ...]:
    found, current, chain = [], 0, False
    for line in lines:
        if "//## File" in line:
            place = _SASS.search(line)
            if place is not None:
                here = 0
                if _same(place[1], file):
                    here = int(place[2])
                elif place[3] and _same(place[3], file):
                    here = int(place[4])
                # Several comments in a row are one chain of callers, innermost first.
                current = current if chain and current else here
                chain = True
        else:
            chain = False
            if line.startswith((".L_", "\t.section")) and ":" not in line:
                current = 0
        found.append(current)
    return tuple(found)
