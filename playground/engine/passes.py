"""The compiler's pipeline, pass by pass: from what it wrote down to what each pass changed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.model import text_diff
from playground.model.compilations import Pass

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = re.compile(r"^// -----// (?P<inner>\w+ internal )?IR Dump (?P<when>Before |After:? ?)(?P<name>.*)$", re.M)  # noqa: E501  # fmt: skip
_OPERATION = re.compile(r"\('([\w.]+)' operation(?::\s*@(\S+?))?\)")
_LLVM_HEAD = re.compile(r"^;? ?\*\*\* IR Dump After (?P<name>.*?) \*\*\*:?$", re.M)
_LLVM_PLACE = re.compile(r"^(?P<pass>.*?)(?: on (?P<what>.*))?$")
_LLVM_SHORT = re.compile(r"\(([\w-]+)\)$")
_FUNCTION = re.compile(r"^define [^\n]*\{\n.*?^\}$", re.M | re.S)

MOST_DIFF_LINES = 2000
"""Lines after which the diff of one pass is cut."""


@dataclass(frozen=True)
class _Dump:
    """The module before a pass; `stage` is the one whose pass it is."""

    name: str
    stage: str
    lines: list[str]


def read_passes(stages: list[tuple[str, str]], failed_stage: str = "") -> tuple[Pass, ...]:
    """Return the passes in order, from what each stage wrote down of them.

    Parameters
    ----------
    stages
        Name and text of each stage.
    failed_stage
        The stage in which the compilation ended, where it did not come through.
    """
    dumps = [dump for stage, text in stages for dump in _dumps(stage, text)]
    found = []
    for number, dump in enumerate(dumps):
        after = dumps[number + 1].lines if number + 1 < len(dumps) else None
        if after is None and dump.stage == failed_stage:
            found.append(Pass(dump.name, dump.stage, False, len(dump.lines), failed=True))
            continue
        # The last pass of all only puts places of the source into the module.
        found.append(_pass(dump.name, dump.stage, dump.lines, after or dump.lines, "ttgir"))
    for stage, text in stages:
        found += _llvm_passes(stage, text)
    return tuple(found)


def _dumps(stage: str, text: str) -> Iterator[_Dump]:
    heads = list(_HEAD.finditer(text))
    inlining = False
    for number, head in enumerate(heads):
        if head["inner"] or not head["when"].startswith("Before"):
            continue  # a pass's own look at itself in between
        name = _name(head["name"])
        where = _OPERATION.search(head["name"])
        alone = where is not None and where[1] == "tt.func"
        if inlining and alone and name == "Canonicalizer":
            continue  # the inliner tidies each function: that is a part of it
        inlining = name == "Inliner"
        if where is not None and where[2]:
            name += f" on {where[2]}"
        end = heads[number + 1].start() if number + 1 < len(heads) else len(text)
        llvm = _LLVM_HEAD.search(text, head.end(), end)
        end = llvm.start() if llvm else end
        yield _Dump(name, stage, text_diff.plain_lines(text[head.end() : end]))


def _name(head: str) -> str:
    # `CSE (cse) ('builtin.module' operation)` or `CSEPass: cse ('builtin.module' operation)`
    word = re.split(r"[\s:({]", head.strip(), maxsplit=1)[0]
    return word.removesuffix("Pass") or word


def _pass(name: str, stage: str, before: list[str], after: list[str], kind: str) -> Pass:
    blocks = text_diff.blocks(before, after, kind)
    if all(block.tag == "equal" for block in blocks):
        return Pass(name, stage, False, len(after))
    lines = text_diff.unified(before, after, blocks)
    if len(lines) > MOST_DIFF_LINES:
        left_out = len(lines) - MOST_DIFF_LINES
        lines = [*lines[:MOST_DIFF_LINES], f"\\ {left_out:,} more lines of this diff are left out"]
    return Pass(name, stage, True, len(after), "\n".join(lines))


def _llvm_passes(stage: str, text: str) -> Iterator[Pass]:
    """Yield LLVM's passes over the kernel's function, as far as they print it as LLVM's language.

    One that works on a loop prints the loop alone: what it did is seen in the pass after it.
    """
    heads = list(_LLVM_HEAD.finditer(text))
    before: list[str] | None = None
    unseen: list[str] = []
    for number, head in enumerate(heads):
        end = heads[number + 1].start() if number + 1 < len(heads) else len(text)
        function = _FUNCTION.search(text, head.end(), end)
        name = _llvm_name(head["name"])
        if function is None:
            if "on loop" in head["name"]:
                unseen.append(name)
            continue
        lines = text_diff.plain_lines(function[0])
        if before is not None:
            told = " + ".join([*dict.fromkeys(unseen), name])
            yield _pass(told, stage, before, lines, "llir")
        before, unseen = lines, []


def _llvm_name(head: str) -> str:
    # `InstCombinePass on kernel`, or of the older kind `Loop Strength Reduction (loop-reduce)`
    found = _LLVM_PLACE.match(head)
    name = found["pass"] if found else head
    short = _LLVM_SHORT.search(name)
    return f"LLVM {short[1] if short else name.removesuffix('Pass')}"
