"""How close each bundled kernel comes to its ceiling, tuned by the app's own sweep.

Run as `python -m tests.benchmarks.kernel_ceilings [--part 1|2] [--only WORD ...] [--budget S]
[--likely] [--json FILE]` from the checkout's root. The rows stand in `ceiling_rows.py`. Each is run
at full size, swept over a narrow space, and its best config timed in random turns against its
ceiling, both with a cold L2. Where no GPU is, every config of the spaces is compiled for cuda:90
instead, and what its registers and shared memory come to is printed: what spills is not worth a
GPU's time.

With `--likely` nothing is swept: the few configs of the space that were best before (`likely` of
each part) are compiled by threads of this process and timed shortly, which takes 3 to 5 s a row
instead of 8 to 10. The best one's result is checked in either case.

A kernel is done when it reaches 90 % of its ceiling (matmul 95, vector add 97, softmax 100).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
import traceback
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.benchmarks.ceiling_rows import ROWS, Part, Row

KERNELS = Path(__file__).parents[2] / "kernels"
COMPARE_MS = 250.0
GOALS = {
    "vector add": 0.97,
    "softmax": 1.0,
    "matmul 2": 0.95,
    "matmul 4": 0.95,
    "matmul 8192^3 bf": 0.95,
}


@dataclass
class Line:
    """One finished row: times in ms, `share` of the ceiling reached, configs as text."""

    title: str
    ours_ms: float = 0.0
    ceiling_ms: float = 0.0
    ceiling: str = ""
    share: float = 0.0
    low: float = 0.0
    high: float = 0.0
    default_ms: float = 0.0
    gbps: float = 0.0
    tflops: float = 0.0
    configs: list[str] = field(default_factory=list)
    swept: list[list[Any]] = field(default_factory=list)
    rivals: dict[str, Any] = field(default_factory=dict)
    elapsed_s: float = 0.0
    problem: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", type=int, choices=(1, 2), help="the first or second half only")
    parser.add_argument("--only", nargs="*", default=[], help="rows whose title holds a word")
    parser.add_argument("--budget", type=float, default=9.0, help="seconds a launch is swept")
    parser.add_argument("--likely", action="store_true", help="time the likely configs, no sweep")
    parser.add_argument("--json", default="", help="write every figure to this file")
    options = parser.parse_args()
    rows = [row for row in ROWS if not options.only or any(w in row.title for w in options.only)]
    if options.part:
        half = (len(rows) + 1) // 2
        rows = rows[:half] if options.part == 1 else rows[half:]
    import torch

    work = _on_gpu if torch.cuda.is_available() else _compiled
    lines = []
    for row in rows:
        started = time.perf_counter()
        try:
            line = work(row, options)
        except Exception as error:  # one kernel's failure is one row's
            traceback.print_exc()
            line = Line(row.title, problem=f"{type(error).__name__}: {error}"[:300])
        line.elapsed_s = time.perf_counter() - started
        lines.append(line)
        print(_text(line), flush=True)
        if options.json:
            Path(options.json).write_text(json.dumps([asdict(item) for item in lines], indent=1))
    missed = [line.title for line in lines if line.problem or line.share < goal(line.title)]
    print(f"{len(lines) - len(missed)} of {len(lines)} reach their goal; missed: {missed}")
    sys.exit(0)


def goal(title: str) -> float:
    """Return the share of its ceiling at which a row is done."""
    return next((goal for start, goal in GOALS.items() if title.startswith(start)), 0.9)


def _text(line: Line) -> str:
    if line.problem:
        return f"{line.title:<42} FAILED {line.problem} ({line.elapsed_s:.1f} s)"
    mark = "" if line.share >= goal(line.title) else "  MISSED"
    rate = f"{line.tflops:7.1f} TFLOP/s" if line.tflops else f"{line.gbps:7.0f} GB/s"
    return (
        f"{line.title:<42} {line.ours_ms * 1e3:9.1f} us  {line.ceiling:<18} "
        f"{line.ceiling_ms * 1e3:9.1f} us  {line.share:6.1%} [{line.low:.3f} {line.high:.3f}]{mark}"
        f"  {rate}  default {line.default_ms * 1e3:.1f}  {' + '.join(line.configs)}"
        f"  {line.rivals or ''} ({line.elapsed_s:.1f} s)"
    )


# ---------------------------------------------------------------------------- on the GPU


def _on_gpu(row: Row, options: argparse.Namespace) -> Line:
    import playground

    session = playground.open(KERNELS / row.file)
    try:
        if not options.likely:
            session.prestart_bench()
        result = session.run(row.driver)
        errors = [item.text() for item in result.findings if item.severity == "error"]
        if errors:
            return Line(row.title, problem=errors[0])
        line = Line(row.title)
        find = _likely if options.likely else _swept
        best = [find(session, part, options.budget, line) for part in row.parts]
        if all(best):
            _compared(session, row, best, line)
        return line
    finally:
        session.close()
        import torch

        torch.cuda.empty_cache()


def _swept(session: Any, part: Part, budget_s: float, line: Line) -> Any:
    """Return the best config of one launch, None where none is right."""
    from playground.model.sweep_plan import SweepPlan
    from playground.model.sweep_space import make_space

    launch = session.launches[part.launch].info
    space = make_space(launch.knobs, launch.config, part.space, part.where)
    plan = SweepPlan(space, "exhaustive", total_s=budget_s, start=launch.config)
    result = session.sweep(part.launch, plan=plan)
    line.swept += [
        [launch.kernel, row.config.label(), row.status, row.median_ms, row.registers,
         row.spill_bytes, row.shared_bytes, row.reason]
        for row in result.rows
    ]  # fmt: skip
    if result.best is None:
        line.problem = f"{launch.kernel}: no config is right: {result.rows[0].reason}"
        return None
    line.configs.append(result.best.config.label())
    if result.note:
        line.rivals["note"] = result.note
    return result.best.config


def _likely(session: Any, part: Part, _budget_s: float, line: Line) -> Any:
    """Return the fastest of the likely configs, timed in turns here; None where none is right."""
    from playground.engine import sampling, screening
    from playground.engine.clocks import choice
    from playground.engine.job import Job
    from playground.engine.replay import put_back_after
    from playground.experiments.bench import launched
    from playground.model.statistics import median
    from playground.model.sweep_space import make_space

    launch = session.launches[part.launch].info
    configs = [launch.config.updated(values) for values in part.likely]
    if not configs:  # none are noted: the space is small
        configs = list(make_space(launch.knobs, launch.config, part.space, part.where).valid())
    job = Job()
    with session.guarded(job), contextlib.ExitStack() as stack:
        prepared = {
            config.label(): stack.enter_context(
                put_back_after(session.prepare(part.launch, config))
            )
            for config in configs
        }
        fit = launched({name: one.run for name, one in prepared.items()})
        works = []
        for name in fit:
            prepared[name].restore()
            prepared[name].run()
            restores = screening.must_restore(prepared[name])
            works.append(sampling.work_of(prepared[name], "cold", restores))
        turns = [index for _ in range(12) for index in range(len(works))]
        times = choice.turns(works, turns).times_ms
    medians = {
        name: median(times[place :: len(works)][2:]) for place, name in enumerate(fit)
    }  # fmt: skip
    line.swept += [[launch.kernel, name, "likely", time] for name, time in medians.items()]
    for name in sorted(medians, key=lambda name: medians[name]):
        config = next(config for config in configs if config.label() == name)
        verdict = session.judge(part.launch, config, job).result
        if verdict.status != "wrong":
            line.configs.append(name)
            return config
        line.rivals[name] = f"wrong: {verdict.text()}"[:200]
    line.problem = f"{launch.kernel}: no likely config is right"
    return None


def _compared(session: Any, row: Row, best: list[Any], line: Line) -> None:
    from playground.engine import comparing
    from playground.engine.job import Job

    job = Job()
    with session.guarded(job), contextlib.ExitStack() as stack:
        names = dict(session.namespace)
        exec(row.setup, names)
        ours = comparing.Contestant("ours", _work(session, row, best, names, stack))
        rivals = _rivals(row, names, line)
        found = []
        for name, work in rivals.items():
            rival = comparing.Contestant(name, work)
            said = comparing.compare(ours, rival, cache="cold", budget_ms=COMPARE_MS, job=job)
            found.append((_median(said.b_ms), name, said))
            line.rivals[name] = round(_median(said.b_ms) * 1e3, 2)
        ceiling_ms, name, said = min(found, key=lambda item: item[0])
        line.ceiling, line.ceiling_ms, line.ours_ms = name, ceiling_ms, _median(said.a_ms)
        # compare() gives ours over theirs; a share of the ceiling is theirs over ours.
        line.share, line.low, line.high = 1 / said.ratio, 1 / said.high, 1 / said.low
        line.gbps = row.copy_bytes / line.ours_ms / 1e6
        line.tflops = row.flops / line.ours_ms / 1e9
        captured = [session.launches[part.launch].info.config for part in row.parts]
        plain = comparing.Contestant("default", _work(session, row, captured, names, stack))
        said = comparing.compare(plain, ours, cache="cold", budget_ms=60.0, job=job)
        line.default_ms = _median(said.a_ms)


def _work(
    session: Any, row: Row, configs: list[Any], names: dict[str, Any], stack: contextlib.ExitStack
) -> Any:
    from playground.engine import sampling, screening
    from playground.engine.clocks.work import Work
    from playground.engine.replay import put_back_after

    works = []
    for part, config in zip(row.parts, configs, strict=True):
        prepared = stack.enter_context(put_back_after(session.prepare(part.launch, config)))
        prepared.restore()
        prepared.run()
        restores = len(row.parts) == 1 and screening.must_restore(prepared)
        work = sampling.work_of(prepared, "cold", restores)
        works += [work] * session.launches[part.launch].info.count
    if len(works) == 1 and not row.also:
        return works[0]
    also = compile(row.also or "None", "also", "eval")

    def launch() -> None:
        eval(also, names)
        for work in works:
            work.launch()

    return Work(launch, sampling.evict)


def _rivals(row: Row, names: dict[str, Any], line: Line) -> dict[str, Any]:
    import torch

    from playground.engine.comparing import expression_work

    found = {}
    if row.copy_bytes:
        source = torch.empty(row.copy_bytes // 2, dtype=torch.uint8, device="cuda").random_()
        target = torch.empty_like(source)
        found["copy"] = expression_work(lambda: target.copy_(source), "cold")
    for name, code in row.rivals.items():
        compiled = compile(code, name, "eval")
        try:
            found[name] = expression_work(lambda c=compiled: eval(c, names), "cold")
        except RuntimeError as error:  # a backend that this torch or GPU lacks
            line.rivals[name] = f"not here: {str(error).splitlines()[0][:80]}"
    return found


def _median(times: tuple[float, ...]) -> float:
    from playground.model.statistics import median

    return median(list(times))


# ---------------------------------------------------------------------------- without one


def _compiled(row: Row, options: argparse.Namespace) -> Line:
    import playground
    from playground.model.sweep_space import make_space

    session = playground.open(KERNELS / row.file)
    line = Line(row.title, share=1.0, ceiling="compiled only")
    try:
        session.run(row.small)
        for part in row.parts:
            captured = session.launches[part.launch]
            info = captured.info
            space = make_space(info.knobs, info.config, part.space, part.where)
            configs = list(space.valid())
            if options.likely:
                configs = [info.config.updated(values) for values in part.likely]

            def told(config: Any, outcome: Any) -> None:
                report = outcome.report
                if report is None:
                    said = f"REFUSED {[item.message for item in outcome.findings][:1]}"
                else:
                    said = (
                        f"registers {report.registers} spills {report.spill_bytes} "
                        f"shared {report.shared_bytes} {'' if report.fits else 'DOES NOT FIT'}"
                    )
                print(f"    {config.label()}: {said}", flush=True)

            session.compiler.compile_many(captured, configs, "cuda:90", None, told)
            line.configs.append(f"{len(configs)} configs")
    finally:
        session.close()
    return line


if __name__ == "__main__":
    main()
