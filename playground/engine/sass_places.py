"""The places that SASS comes from, put right by the PTX that it was assembled from.

ptxas knows a caller by file, line and column alone. Where two calls meet in one place, as those of
`tl.max` on two lines do inside Triton's library, it takes one for the other: nvdisasm then prints
calls that were never made. Triton 3.6 names callers in comments only, and ptxas drops them all. The
cubin also holds a table from instructions to lines of the PTX, where the order tells calls apart,
and where an inline assembly is seen to be one: what is inside has the place where it begins.
Hopper's matrix instructions (`wgmma`) often have no row in either table and seem to belong to what
stands before them; but they keep their order.
"""

from __future__ import annotations

import re

from playground.engine.source_lines import Chain, Place, chains_for, places_written

_COMMENT = re.compile(r'\t//## File "([^"]*)", line (\d+)')
_MATRIX = re.compile(r"\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?\w+\s+)?[HIQB]GMMA\b")
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
    products = _Products(sass, ptx, chains)
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
            products.row = row
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
            if _MATRIX.match(line):
                whole = products.next(whole)
            if whole != told:
                out += _comments(whole)
                told = whole
        out.append(line)
    return "\n".join(out) + "\n"


class _Products:
    """The `wgmma` instructions of a PTX text, first to last, beside those of the SASS."""

    def __init__(self, sass: str, ptx: str, chains: list[Chain]) -> None:
        rows = [row for row, line in enumerate(ptx.splitlines()) if "wgmma.mma_async" in line]
        self._rows = set(rows)
        self._chains = [chains[row] for row in rows]
        self._one_to_one = len(rows) == sum(map(bool, map(_MATRIX.match, sass.splitlines())))
        self._passed = 0
        self.row = -1

    def next(self, told: Chain) -> Chain:
        """Return the chain of the SASS's next product; `told` is that of the place it seems at."""
        self._passed += 1
        if self.row in self._rows:
            return told
        if self._one_to_one:
            return self._chains[self._passed - 1]
        return self._chains[0] if len(set(self._chains)) == 1 else told


def _comments(chain: Chain) -> list[str]:
    """Return a chain in nvdisasm's own words."""
    places = [f'File "{name}", line {line}' for name, line in chain]
    callers = [f" inlined at {place.removeprefix('File ')}" for place in places[1:]]
    return [f"\t//## {place}{caller}" for place, caller in zip(places, [*callers, ""], strict=True)]
