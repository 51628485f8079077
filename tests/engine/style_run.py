"""The process in which styles run, one after the other, through one real session.

`python -m tests.engine.style_run FD` reads names of rows from its standard input, a line each, and
writes the facts of each to the inherited FD as a line of JSON. What the files print goes nowhere
else than this process's own output.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import traceback
from typing import TYPE_CHECKING, Any

from tests.engine.style_table import STYLES, Facts, Style, read_style

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playground.engine.session import Session
    from playground.model.finding import Finding

_BENCH_BUDGET_MS = 10.0


def facts_of(play: Session, style: Style, *, bench: bool) -> Facts:
    """Run one style through every step and return what came of it as plain data.

    A step that raises is in `raised`; those after it are done all the same.
    """
    facts: Facts = {
        "raised": {}, "seconds": {}, "findings": [], "left": [], "bound": [], "run": None,
        "compile": None, "check": None, "coverage": None, "export": None, "bench_ms": None,
    }  # fmt: skip
    before = surroundings()
    with _step(facts, "run"):
        _run(play, style, facts)
    if style.launches and len(play.launches) > style.launch:
        with _step(facts, "compile"):
            outcome = play.compile(style.launch, target="cuda:90")
            fits = outcome.report is not None and outcome.report.fits
            facts["compile"] = {
                "fits": fits,
                "findings": _findings(facts, "compile", outcome.findings),
            }
        if not style.interpreter or play.device.mode == "gpu":
            _judged(play, style, facts)
            if bench:
                with _step(facts, "bench"):
                    measured = play.bench(style.launch, budget_ms=_BENCH_BUDGET_MS)
                    facts["bench_ms"] = measured.median_ms
        knobs = play.launches[style.launch].info.knobs
        facts["bound"] += [knob.name for knob in knobs if knob.derived]
    facts["left"] = _differences(before, surroundings(), style)
    return facts


def _run(play: Session, style: Style, facts: Facts) -> None:
    outline = play.load(style.path)
    facts["drivers"] = [driver.label for driver in outline.drivers]
    asked = {name: True for name in ("benchmarks", "tuning") if getattr(style, name)}
    ran = play.run(style.driver, **asked)
    facts["run"] = {
        "launches": [
            {
                "kernel": info.kernel,
                "count": info.count,
                "grid": info.grid,
                "config": info.config.as_dict(),
                "presets": len(info.presets),
            }
            for info in ran.launches
        ],
        "findings": _findings(facts, "run", ran.findings),
    }


def _judged(play: Session, style: Style, facts: Facts) -> None:
    """Check, count and export; the export is of the replayed config where that one is right."""
    from playground.engine.coverage_findings import coverage_findings

    with _step(facts, "check"):
        checked = play.check(style.launch, **style.replay)
        facts["check"] = {
            "status": checked.result.status,
            "text": checked.result.text(),
            "route": checked.result.route,
            "findings": _findings(facts, "check", checked.findings),
        }
        facts["bound"] += checked.derived
    with _step(facts, "coverage"):
        counted = play.coverage(style.launch)
        facts["coverage"] = {
            "tensors": {
                item.name: {"loads": item.loads.total, "stores": item.stores.total}
                for item in counted.tensors
            },
        }
        kernel = play.launches[style.launch].info.kernel
        _findings(facts, "coverage", coverage_findings(kernel, counted))
    if style.export is False:
        return
    with _step(facts, "export"):
        right = (facts["check"] or {}).get("status") == "correct"
        exported = play.export(style.launch, **(style.replay if right else {}))
        facts["export"] = {
            "name": exported.suggested_name,
            "text": exported.text,
            "findings": _findings(facts, "export", exported.findings),
        }


@contextlib.contextmanager
def _step(facts: Facts, name: str) -> Iterator[None]:
    started = time.perf_counter()
    try:
        yield
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-3:]
        where = " < ".join(f"{os.path.basename(f.filename)}:{f.lineno}" for f in reversed(last))
        facts["raised"][name] = f"{type(error).__name__}: {error} ({where})"
        traceback.print_exc()
    facts["seconds"][name] = round(time.perf_counter() - started, 3)


def _findings(facts: Facts, step: str, findings: Sequence[Finding]) -> list[dict[str, Any]]:
    told = [
        {
            "step": step,
            "severity": item.severity,
            "message": item.message,
            "hint": item.hint,
            "line": item.line,
        }
        for item in findings
    ]
    facts["findings"] += told
    return told


def surroundings() -> dict[str, Any]:
    """Return everything of this process that running a file must leave as it was."""
    import torch

    return {
        "the working directory": os.getcwd(),
        "the environment": dict(os.environ),
        "sys.path": tuple(sys.path),
        "sys.argv": tuple(sys.argv),
        "sys.modules['__main__']": id(sys.modules["__main__"]),
        "sys.stdout": id(sys.stdout),
        "sys.stderr": id(sys.stderr),
        "sys.breakpointhook": id(sys.breakpointhook),
        "sys.excepthook": id(sys.excepthook),
        "the default device": str(torch.get_default_device()),
        "the default dtype": str(torch.get_default_dtype()),
        "gradients": torch.is_grad_enabled(),
        "files in the working directory": tuple(sorted(os.listdir())),
    }


def _differences(before: dict[str, Any], after: dict[str, Any], style: Style) -> list[str]:
    left = []
    for name, was in before.items():
        now = after[name]
        if name == "sys.path":
            # The file's own folder (or package root) stays, for what its functions import later.
            was, now = (
                [item for item in paths if not style.path.is_relative_to(item or os.getcwd())]
                for paths in (was, now)
            )
        if name == "the environment" and was != now:
            changed = sorted(key for key in {*was, *now} if was.get(key) != now.get(key))
            left.append(f"{name}: {', '.join(changed)}")
        elif was != now:
            left.append(f"{name}: {now}, before {was}")
    return left


def main() -> None:
    """Run the rows named on standard input until that ends."""
    answers = os.fdopen(int(sys.argv[1]), "w", encoding="utf-8")
    from playground.engine.session import Session

    play = Session()
    bench = play.device.mode == "gpu"
    with contextlib.closing(play):
        for line in iter(_real_input().readline, ""):
            style = read_style(STYLES / line.strip())
            if style is None:
                raise LookupError(line)
            answers.write(json.dumps(facts_of(play, style, bench=bench)) + "\n")
            answers.flush()
    sys.stdout.flush()


def _real_input() -> Any:
    """Return standard input as it is now, and give the files that run an empty one."""
    own = os.fdopen(os.dup(0), encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return own


if __name__ == "__main__":
    main()
