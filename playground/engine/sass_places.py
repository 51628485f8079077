"""The places that SASS comes from, put right by the PTX that it was assembled from.

ptxas knows a caller by file, line and column alone. Where two calls meet in one place, as those of
`tl.max` on two lines do inside Triton's library, it takes one for the other: nvdisasm then prints
calls that were never made. Triton 3.6 names callers in comments only, and ptxas drops them all. The
cubin also holds a table from instructions to lines of the PTX, where the order tells calls apart,
and where an inline assembly is seen to be one: what is inside has the place where it begins.
"""

from __future__ import annotations

import re

from playground.engine.source_lines import Chain, Place, chains_for, places_written

_COMMENT = re.compile(r'\t//## File "([^"]*)", line (\d+)')
_PTX = ".nv_debug_ptx_txt"


def put_right(sass: str, ptx: str) -> str:
    """Return nvdisasm's text with the place of each instruction and the calls that led there.

    They are those of the instruction's line of PTX as long as that is what nvdisasm's place, which
    the optimizer may have moved, was taken from; else nvdisasm's own.

    Parameters
    ----------
    sass
        What `nvdisasm -gi -gp` printed: places in the source and in the PTX.
    ptx
        The text it was assembled from.
    """
    chains, written = chains_for("ptx", ptx), places_written(ptx)
    out: list[str] = []
    run: list[Place] = []
    printed: Chain = ()
    row_chain: Chain = ()
    row_place: Chain = ()
    told: Chain = ()
    for line in sass.splitlines():
        found = _COMMENT.match(line)
        if found is not None and found[1] == _PTX:
            row = int(found[2]) - 1
            known = 0 <= row < len(chains)
            row_chain, row_place = (chains[row], written[row][:1]) if known else ((), ())
            continue
        if found is not None:
            run.append((found[1], int(found[2])))
            continue
        if run:
            printed, run = tuple(run), []
        if line.startswith("\t.section"):
            printed, row_chain, row_place, told = (), (), (), ()
        elif "/*" in line:
            whole = row_chain if row_place == printed[:1] else printed
            if whole != told:
                out += _comments(whole)
                told = whole
        out.append(line)
    return "\n".join(out) + "\n"


def _comments(chain: Chain) -> list[str]:
    """Return a chain in nvdisasm's own words."""
    places = [f'File "{name}", line {line}' for name, line in chain]
    callers = [f" inlined at {place.removeprefix('File ')}" for place in places[1:]]
    return [f"\t//## {place}{caller}" for place, caller in zip(places, [*callers, ""], strict=True)]
