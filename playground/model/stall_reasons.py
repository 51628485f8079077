"""Why warps wait: Nsight Compute's stall reasons in plain words, with what to do in Triton.

The reasons and what each counts are those of the Nsight Compute profiling guide, section "Warp
Stall Reasons"; a GPU has the ones of its architecture (`imc_miss` until Hopper, `gmma` on it).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ISSUED = "selected"
"""The one state among them that is no waiting: the warp issues its instruction."""


@dataclass(frozen=True)
class Stall:
    """How long a warp waits for one reason between two of its instructions, on average.

    `cycles` are of one warp; `share` is of all cycles between two instructions, the issuing one
    included. `meaning` and `remedy` are for the author of the kernel.
    """

    reason: str
    title: str
    cycles: float
    share: float
    meaning: str
    remedy: str

    def text(self) -> str:
        """Return the reason with its share and cycles, in one line."""
        return f"{self.share:.0%} {self.title} ({self.cycles:.2f} cycles)"


def stalls(cycles: Mapping[str, float]) -> tuple[Stall, ...]:
    """Return the reasons a warp waited for, longest first, from the cycles of every state.

    States that took no time are left out; `selected` counts for the whole but is no reason.
    """
    whole = sum(cycles.values())
    found = [
        Stall(reason, *_told(reason), taken, taken / whole, *_advice(reason))
        for reason, taken in cycles.items()
        if reason != ISSUED and taken > 0
    ]
    return tuple(sorted(found, key=lambda stall: (-stall.cycles, stall.reason)))


def _told(reason: str) -> tuple[str]:
    return (_REASONS[reason][0] if reason in _REASONS else reason.replace("_", " "),)


def _advice(reason: str) -> tuple[str, str]:
    if reason in _REASONS:
        return _REASONS[reason][1:]
    return ("A reason that this program knows no words for.", "See the Nsight Compute guide.")


_REASONS: dict[str, tuple[str, str, str]] = {
    "long_scoreboard": (
        "waiting for global memory",
        "An instruction needs a value that a load from global or local memory (a spill) has not "
        "brought yet.",
        "Keep more loads in flight: more num_stages where the loop can be pipelined, more warps or "
        "a larger block where occupancy allows; let neighbouring lanes read neighbouring elements; "
        "read values again from L2 by ordering programs in groups; take spills away.",
    ),
    "short_scoreboard": (
        "waiting for shared memory or special functions",
        "An instruction needs the result of shared memory, a shuffle between lanes, exp, log or "
        "division, or of a barrier of an asynchronous copy.",
        "Fewer reductions and layout conversions inside the loop, exp2 with a folded scale instead "
        "of exp, a block shape that spares the conversion; look at conversions by line.",
    ),
    "wait": (
        "waiting a fixed time for arithmetic",
        "An instruction waits the few cycles that the one before it always takes.",
        "More independent work in a thread: a larger block or fewer warps; otherwise a good sign, "
        "for nothing slower is in the way.",
    ),
    "barrier": (
        "waiting for other warps at a barrier",
        "The warps of a program wait for each other, round shared memory or a reduction.",
        "Fewer warps a program, more programs a multiprocessor; fewer reductions across warps; "
        "more num_stages, so that fewer barriers stand in the loop.",
    ),
    "math_pipe_throttle": (
        "waiting for a busy arithmetic unit",
        "The unit that the instruction needs (matrix, FMA, integer) is taken by other warps.",
        "The unit is at work, which is what a compute-bound kernel wants; to go faster use a "
        "cheaper type, tl.dot instead of sums of products, or less address arithmetic.",
    ),
    "not_selected": (
        "ready, but another warp was issued",
        "The warp could go on; the scheduler took another one.",
        "There are more ready warps than the scheduler needs: occupancy is no limit here, and a "
        "larger block with fewer warps costs nothing.",
    ),
    "mio_throttle": (
        "queue of shared memory and special functions full",
        "Too many shared memory accesses, shuffles or special functions follow one another.",
        "Wider accesses to shared memory (layouts that tl.dot takes directly), fewer conversions "
        "and fewer exp, log and divisions in the loop.",
    ),
    "lg_throttle": (
        "queue of global memory full",
        "Global or local memory instructions are issued faster than they can be taken.",
        "Fewer and wider accesses: let a thread read 16 bytes at once (contiguous, aligned "
        "pointers; tl.multiple_of, tl.max_contiguous), and take spills away.",
    ),
    "tex_throttle": (
        "queue of the texture unit full",
        "The unit that also serves some loads takes no more instructions.",
        "Spread loads among arithmetic, or make them wider.",
    ),
    "membar": (
        "waiting at a memory fence",
        "All earlier writes must be visible before the warp goes on, as after an atomic with "
        "release or acquire.",
        "Where the order is not needed write sem='relaxed', and scope='cta' where only one program "
        "looks.",
    ),
    "drain": (
        "waiting for stores at the end",
        "The program has ended but its stores have not been taken yet.",
        "Fewer, wider stores: contiguous along the fastest axis; or persistent programs, of which "
        "fewer end.",
    ),
    "branch_resolving": (
        "waiting for a branch",
        "The warp waits until a jump has found its aim.",
        "Fewer branches in the loop: masks instead of ifs, tl.static_range for short loops.",
    ),
    "no_instruction": (
        "waiting for code",
        "The next instruction is not in the instruction cache: the code is long or jumps far, or "
        "the program is so short that all of it is fetched for the first time.",
        "Less unrolling: a smaller block, fewer num_stages, range instead of tl.static_range.",
    ),
    "imc_miss": (
        "waiting for constants",
        "A constant or an argument of the kernel is not in its cache.",
        "Fewer arguments and constants; in a short kernel it passes after the first programs.",
    ),
    "dispatch_stall": (
        "held back by the dispatcher",
        "The instruction was ready but could not be handed on.",
        "Mostly a companion of another busy unit: look at the reasons above it.",
    ),
    "gmma": (
        "waiting for the matrix unit (wgmma)",
        "The warps of a group wait to start or for the end of an asynchronous matrix product.",
        "More products in flight: a larger BLOCK_K or more num_stages; two groups of warps (8 "
        "warps) on a tile of 128 rows; keep the accumulator out of other arithmetic in the loop.",
    ),
    "sleeping": (
        "asleep",
        "The threads sleep on purpose, as in a loop that waits for a lock.",
        "Let programs wait less for each other.",
    ),
    "misc": (
        "other hardware reasons",
        "What NVIDIA counts under no other name.",
        "Look at the other reasons.",
    ),
}
_REASONS["warpgroup_arrive"] = _REASONS["gmma"]
