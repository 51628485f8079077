"""The rules by which figures become verdicts, each from the figures alone.

A rule of thumb says that something holds everywhere. So the rule tells three outcomes: it holds in
every case that was measured, in some of them (which are named), or in none.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from playground.model.experiment import Figures, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

AS_GOOD = 1.02
"""Times within 2 % of the best are as good as the best: less than that, clocks and luck decide."""


def over_cases(cases: Sequence[tuple[str, bool, str]], claim: str) -> Verdict:
    """Return the verdict on cases: what each is called, whether the claim holds, and its figures.

    `claim` is what is said of the cases: `the best block is 128 or 256`.
    """
    if not cases:
        return Verdict("not measured", "no case could be measured")
    good = [(name, figure) for name, holds, figure in cases if holds]
    bad = [(name, figure) for name, holds, figure in cases if not holds]
    listed = "; ".join(f"{name}: {figure}" for name, figure in (bad or good))
    if not bad:
        count = f"all {len(cases)} cases" if len(cases) > 1 else "the case measured"
        return Verdict("holds", f"{claim} in {count} ({listed})")
    if not good:
        return Verdict("does not hold here", f"nowhere is it so that {claim} ({listed})")
    names = "; ".join(name for name, _ in good)
    return Verdict("holds only when", f"{names} - there {claim}; elsewhere not ({listed})")


def best_within(
    figures: Figures, case: str, along: str, value: str, good: Callable[[float], bool], claim: str
) -> Verdict:
    """Judge that the best value along an axis is one for which `good` is true, case by case.

    A case holds when the smallest `value` among the good ones is within 2 % of the smallest of all.
    """
    cases = []
    for name in figures.words(case):
        measured = [
            (float(x), float(y))
            for x, y in zip(
                figures.where(case, name).column(along), figures.where(case, name).column(value),
                strict=True,
            )
            if isinstance(x, (int, float)) and isinstance(y, (int, float))
        ]  # fmt: skip
        inside = [y for x, y in measured if good(x)]
        if not inside or len(inside) == len(measured):
            continue
        best_at, best = min(measured, key=lambda item: item[1])
        figure = f"best at {best_at:g}, {min(inside) / best - 1:+.0%} with the rule's"
        cases.append((name, min(inside) <= AS_GOOD * best, figure))
    return over_cases(cases, claim)


def ratios(
    figures: Figures, case: str, ratio: str, good: Callable[[float], bool], claim: str
) -> Verdict:
    """Judge a ratio case by case: it holds where `good` is true of the ratio."""
    cases = [
        (str(name), good(float(cell)), f"{_plain(float(cell))}×")
        for name, cell in zip(figures.column(case), figures.column(ratio), strict=True)
        if isinstance(cell, (int, float)) and math.isfinite(cell)
    ]
    return over_cases(cases, claim)


def block_size(figures: Figures) -> Verdict:
    """Judge that a block of 128 or 256 elements is the best."""
    return best_within(
        figures, "case", "BLOCK_SIZE", "time (us)", lambda size: size in (128, 256),
        "a block of 128 or 256 is as fast as the fastest",
    )  # fmt: skip


def grid_size(figures: Figures) -> Verdict:
    """Judge that a grid of 4 to 8 programs a multiprocessor is the best."""
    return best_within(
        figures, "case", "programs a multiprocessor", "time (us)", lambda count: 4 <= count <= 8,
        "a grid of 4 to 8 programs a multiprocessor is as fast as the fastest",
    )  # fmt: skip


def hints(figures: Figures) -> Verdict:
    """Judge that hints lift a copy from about 60 % of the copy ceiling to about 90 %."""
    cases = []
    for row in figures.rows:
        named = dict(zip(figures.columns, row, strict=True))
        without, having = named["without (% of copy)"], named["with hints (% of copy)"]
        if isinstance(without, (int, float)) and isinstance(having, (int, float)):
            cases.append(
                (
                    str(named["case"]), without <= 75 and having >= 85,
                    f"{without:.0f} % without, {having:.0f} % with",
                )
            )  # fmt: skip
    return over_cases(cases, "the hints lift it from 75 % or less to 85 % or more")


def persistent(figures: Figures) -> Verdict:
    """Judge that a persistent kernel is at least twice as fast."""
    return ratios(
        figures, "case", "times faster", lambda ratio: ratio >= 2,
        "the persistent kernel is at least 2 times as fast",
    )  # fmt: skip


def tma(figures: Figures) -> Verdict:
    """Judge that descriptors make a transpose at least 1.4 times as fast."""
    return ratios(
        figures, "case", "times faster", lambda ratio: ratio >= 1.4,
        "descriptors are at least 1.4 times as fast",
    )  # fmt: skip


def num_stages(figures: Figures) -> Verdict:
    """Judge that 3 or 4 stages are the best, and that more, where there is room, are slower."""
    cases = []
    for name in figures.words("case"):
        part = figures.where("case", name)
        measured = {
            float(x): float(y)
            for x, y in zip(part.column("num_stages"), part.column("time (us)"), strict=True)
            if isinstance(x, (int, float)) and isinstance(y, (int, float))
        }
        inside = [time for stages, time in measured.items() if stages in (3, 4)]
        after = [time for stages, time in measured.items() if stages > 4]
        if not inside:
            continue
        best_at = min(measured, key=lambda stages: measured[stages])
        best = measured[best_at]
        falls = not after or min(after) > AS_GOOD * min(inside)
        told = f"{min(after) / best:.2f} times its time after 4" if after else "no room for more"
        cases.append(
            (name, min(inside) <= AS_GOOD * best and falls, f"best at {best_at:g}, {told}")
        )
    return over_cases(cases, "3 or 4 stages are the fastest, and more are slower or do not fit")


def libraries(figures: Figures) -> Verdict:
    """Judge that a Triton kernel reaches 90 % of the library's speed."""
    return ratios(
        figures, "case", "share of the library", lambda share: share >= 0.9,
        "it reaches at least 0.9 of the library's speed",
    )  # fmt: skip


def compile_time(figures: Figures) -> Verdict:
    """Judge that a cached call costs less than a hundredth of the first one."""
    return ratios(
        figures, "case", "first over cached", lambda ratio: ratio >= 100,
        "the first call takes at least 100 times as long as a cached one",
    )  # fmt: skip


def zero_copy(figures: Figures) -> Verdict:
    """Judge that a launch gets the tensor's own address, copies nothing and allocates nothing."""
    cases = []
    for row in figures.rows:
        named = dict(zip(figures.columns, row, strict=True))
        same = named["same address"] == 1.0
        copies, allocated = named["copies"], named["allocated (bytes)"]
        text = f"{'the same' if same else 'another'} address, {copies:g} copies"
        cases.append((str(named["case"]), same and copies == 0 and allocated == 0, text))
    return over_cases(cases, "the kernel reads the tensor where it lies")


def fixed_config(figures: Figures) -> Verdict:
    """Judge that a frozen config saves time in a process's first call and in every later one."""
    return ratios(
        figures, "case", "tuned over frozen", lambda ratio: ratio >= 1.1,
        "the tuner costs at least 1.1 times the time of a frozen config",
    )  # fmt: skip


def _plain(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"
