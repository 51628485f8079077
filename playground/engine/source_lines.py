"""Which lines of the user's file each line of a compiler stage comes from.

Every stage carries locations in its own way: MLIR's `loc(…)` aliases, LLVM's `!dbg` metadata, the
`.loc` directives of PTX and of AMD's assembly, nvdisasm's comments. All of them keep the calls that
a place was inlined through, so code of a helper counts for the helper's line and for the lines that
called it, and code of a library function for the user's lines that called it.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from playground.engine.called_functions import with_callers

if TYPE_CHECKING:
    from collections.abc import Iterable

Place = tuple[str, int]
"""A file and a line of it."""
Chain = tuple[Place, ...]
"""A place and the calls it was inlined through, innermost first."""

_DEEPEST = 64
_LOC_ALIAS = re.compile(r"^(#loc\w*) = loc\((.*)\)\s*$")
_LOC_TOKEN = re.compile(
    r'"(?P<file>(?:[^"\\]|\\.)*)":(?P<line>\d+)(?::\d+)?|"(?:[^"\\]|\\.)*"|(?P<alias>#loc\w*)'
)
_LLVM_NODE = re.compile(r"^(!\d+) = (?:distinct )?(.*)$")
_LLVM_USE = re.compile(r"!dbg (!\d+)")
_LLVM_FIELD = re.compile(r'(\w+): (?:"([^"]*)"|(!?\w+))')
_DIRECTIVE = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)(.*)$")
_INLINED_AT = re.compile(r"inlined_at (\d+) (\d+) (\d+)")
_CALLER = re.compile(r"@\[ (\S+):(\d+):\d+")
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?')
_INLINE_ASM = re.compile(r"// (begin|end) inline asm|;#ASM(START|END)")
_TABLES = re.compile(r"\}|\s*(\.section|\.size|\.Lfunc_end)")
_NOP = re.compile(r"\s+/\*[0-9a-f]{4,}\*/\s+NOP ?;")
_BRANCH = re.compile(r"\s+/\*[0-9a-f]{4,}\*/\s+BRA `\((\.L\w+)\) ?;")
_SASS = re.compile(r'//## File "([^"]*)", line (\d+)(?: inlined at "([^"]*)", line (\d+))?')


def lines_for(stage: str, text: str, file: str) -> tuple[tuple[int, ...], ...]:
    """Return the lines of `file` behind each line of `text`, innermost first.

    Code of a function that was not inlined counts for the lines that call it, too.

    Parameters
    ----------
    stage
        `ttir`, `ttgir`, `llir`, `ptx`, `sass` or `amdgcn`.
    text
        The stage's text.
    file
        The kernel's file. A kernel that Triton's cache holds from another file of the same text
        names that one: where no place names `file` itself, the last component of the name decides.
    """
    chains = chains_for(stage, text)
    ours = own_names((place for chain in dict.fromkeys(chains) for place in chain), file)
    known: dict[Chain, tuple[int, ...]] = {}
    for chain in dict.fromkeys(chains):
        known[chain] = tuple(dict.fromkeys(line for name, line in chain if name in ours and line))
    return with_callers(stage, text.splitlines(), [known[chain] for chain in chains])


def chains_for(stage: str, text: str) -> list[Chain]:
    """Return the place behind each line of `text` with the calls that lead to it."""
    lines = text.splitlines()
    if stage in ("ttir", "ttgir"):
        return _mlir(lines)
    if stage == "llir":
        return _llvm(lines)
    if stage in ("ptx", "amdgcn"):
        return _directives(lines)
    if stage == "sass":
        return _sass(lines)
    return [()] * len(lines)


def own_names(places: Iterable[Place], file: str) -> frozenset[str]:
    """Return the names among the places' that mean the user's file."""
    names = {name for name, _ in places}
    same = {name for name in names if os.path.basename(name) == os.path.basename(file)}
    if file not in same:
        return frozenset(same)
    # A bare name, which AMD's assembly gives, is the user's unless a library's file has it too.
    others = {name for name in same - {file} if os.path.dirname(name)}
    return frozenset({file} if others else same)


# ------------------------------------------------------------------------------ MLIR


def _mlir(lines: list[str]) -> list[Chain]:
    aliases = {found[1]: found[2] for line in lines if (found := _LOC_ALIAS.match(line))}
    known: dict[str, Chain] = {}

    def resolve(body: str, depth: int = 0) -> Chain:
        """Return the places a location's text names, in its order: callee, then caller."""
        if body not in known:
            known[body] = ()  # a location that names itself leads nowhere
            chain: list[Place] = []
            for token in _LOC_TOKEN.finditer(body):
                if token["file"] is not None:
                    chain.append((token["file"], int(token["line"])))
                elif token["alias"] and depth < _DEEPEST:
                    chain += resolve(aliases.get(token["alias"], ""), depth + 1)
            known[body] = tuple(dict.fromkeys(chain))
        return known[body]

    chains: list[Chain] = []
    opened: dict[int, list[int]] = {}
    for number, line in enumerate(lines):
        if line.startswith("#") and _LOC_ALIAS.match(line):
            chains.append(())
            continue
        body = _location(line)
        chains.append(resolve(body) if body else ())
        # An operation with a region names its place where the region closes.
        content = line.strip()
        indent = len(line) - len(line.lstrip())
        if content.startswith("}"):
            if content.endswith("{"):
                opened.setdefault(indent, []).append(number)
            else:
                for start in opened.pop(indent, ()):
                    chains[start] = chains[number]
        elif content.endswith("{"):
            opened[indent] = [number]
    return chains


def _location(line: str) -> str:
    """Return the text in the last `loc(…)` of a line, empty where it ends in none."""
    start = line.rfind(" loc(")
    if start < 0:
        return ""
    end = line.rfind(")")
    body = line[start + 5 : end]
    if body.count("(") < body.count(")"):  # block arguments: `^bb0(%x: i32 loc(#loc1)):`
        body = body[: body.rfind(")")]
    return "" if line.rstrip().endswith("{") else body


# ------------------------------------------------------------------------------ LLVM


def _llvm(lines: list[str]) -> list[Chain]:
    nodes = {found[1]: found[2] for line in lines if (found := _LLVM_NODE.match(line))}
    fields: dict[str, dict[str, str]] = {}

    def read(node: str) -> dict[str, str]:
        if node not in fields:
            body = nodes.get(node, "")
            found = {key: text or plain for key, text, plain in _LLVM_FIELD.findall(body)}
            fields[node] = {"kind": body.partition("(")[0], **found}
        return fields[node]

    def file_of(scope: str, depth: int = 0) -> str:
        node = read(scope)
        if node["kind"] == "!DIFile":
            return os.path.join(node.get("directory", ""), node.get("filename", ""))
        outer = node.get("file") or node.get("scope")
        return file_of(outer, depth + 1) if outer and depth < _DEEPEST else ""

    known: dict[str, Chain] = {}

    def resolve(place: str, depth: int = 0) -> Chain:
        if place not in known:
            node = read(place)
            chain: Chain = ()
            if "line" in node and "scope" in node:
                chain = ((file_of(node["scope"]), int(node["line"])),)
            if "inlinedAt" in node and depth < _DEEPEST:
                chain += resolve(node["inlinedAt"], depth + 1)
            known[place] = chain
        return known[place]

    uses = [_LLVM_USE.search(line) for line in lines]
    return [resolve(use[1]) if use else () for use in uses]


# ------------------------------------------------------------------------------ assembly


def places_written(ptx: str) -> list[Chain]:
    """Return the place that the last `.loc` before each line of a PTX text names, as it stands."""
    return _directives(ptx.splitlines(), as_written=True)


def _directives(lines: list[str], *, as_written: bool = False) -> list[Chain]:
    files: dict[str, str] = {}
    for line in lines:
        if ".file" in line and (named := _FILE.match(line)):
            files[named[1]] = os.path.join(named[2], named[3]) if named[3] else named[2]
    paths: dict[str, set[str]] = {}
    for path in files.values():
        paths.setdefault(os.path.basename(path), set()).add(path)
    # PTX names a caller by file, line and column alone, after a directive for that very place.
    placed: dict[tuple[str, str, str], Chain] = {}
    found: list[Chain] = []
    current: Chain = ()
    inside = False
    for line in lines:
        if (" asm" in line or "#ASM" in line) and (edge := _INLINE_ASM.search(line)):
            inside = (edge[1] or edge[2]).lower() != "end"
        # LLVM counts the lines of an inline assembly as lines of the source: a load that Triton
        # writes so would seem to stand lines below. It stands where the assembly begins.
        skipped = inside and not as_written
        if not skipped and ".loc" in line and (place := _DIRECTIVE.match(line)):
            number, at, column, rest = place.groups()
            current = ((files.get(number, ""), int(at)),)
            if inlined := _INLINED_AT.search(rest):
                caller = (inlined[1], inlined[2], inlined[3])
                current += placed.get(caller, ((files.get(caller[0], ""), int(caller[1])),))
            else:
                # AMD's assembler tells the callers in a comment: `@[ kernel.py:20:25 @[ … ] ]`.
                for name, at_call in _CALLER.findall(rest):
                    full = paths.get(name, set())
                    current += ((next(iter(full)) if len(full) == 1 else name, int(at_call)),)
            placed[number, at, column] = current
        elif not inside and _TABLES.match(line):
            current = ()  # the function ended; tables follow
        found.append(current)
    return found


def _sass(lines: list[str]) -> list[Chain]:
    found: list[Chain] = []
    current: Chain = ()
    in_comments = False
    for line in lines:
        if line.startswith("\t//##") and (place := _SASS.search(line)):
            # Several comments in a row are one chain of callers, innermost first.
            here = (place[1], int(place[2]))
            current = (*current, here) if in_comments else (here,)
            in_comments = True
        else:
            in_comments = False
            if line.startswith("\t.section"):
                current = ()
        found.append(current)
    _leave_out_padding(lines, found)
    return _whole_runs(lines, found)


def _leave_out_padding(lines: list[str], chains: list[Chain]) -> None:
    """Take its place from what ptxas fills up the end of each function with.

    That is a branch to itself, so that prefetched code leads nowhere, and `NOP`s up to a whole
    line of the instruction cache. nvdisasm prints no new place before them, and they would seem to
    belong to the line of the last instruction.
    """
    ended = True
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        if "/*" not in line:
            ended = ended or line.startswith("\t.section")
        elif ended:
            ended = _NOP.match(line) is not None
            alone = _BRANCH.match(line)
            if ended or (alone and lines[number - 1].startswith(f"{alone[1]}:")):
                chains[number] = ()


def _whole_runs(lines: list[str], chains: list[Chain]) -> list[Chain]:
    """Give each comment of a run the whole chain that the run tells."""
    for number in range(len(chains) - 2, -1, -1):
        if lines[number + 1].startswith("\t//##") and lines[number].startswith("\t//##"):
            chains[number] = chains[number + 1]
    return chains
