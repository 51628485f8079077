"""How long tuning takes: 72 matmul configs at 4096³ bf16, by a sweep here and by triton.autotune.

Run as `python -m tests.benchmarks.sweep_speed [--size N] [--verify]` from the checkout's root, on a
machine with a GPU. Each side runs in a fresh process with an empty TRITON_CACHE_DIR; its time is
that of the tuning itself, once the file has run (for autotune: once the inputs are there). What is
known of a side is printed as it ends; the sweep's table says where its time goes. With `--verify`
every correct config that comes near is measured at length afterwards, and the winner timed in turns
with the best of those (`sweep_verify`).
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks import sweep_verify
from tests.child_environment import ROOT, child_environment

VALUES = {
    "BLOCK_M": (64, 128), "BLOCK_N": (64, 128, 256), "BLOCK_K": (32, 64),
    "num_warps": (4, 8), "num_stages": (2, 3, 4),
}  # fmt: skip
GROUP_M = 8
LIMIT_S, FACTOR = 7.0, 5.0
_PRESTART = "SWEEP_SPEED_PRESTART"
_BEGAN = time.perf_counter()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--verify", action="store_true", help="measure every config at length")
    parser.add_argument(
        "--prestart", action="store_true",
        help="start the workers before the engine, as the command line does",
    )  # fmt: skip
    parser.add_argument("--side", choices=("sweep", "autotune"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side == "sweep":
        _sweep(options.size, options.verify)
    elif options.side == "autotune":
        _autotune(options.size)
    else:
        _both(options)


def _both(options: argparse.Namespace) -> None:
    print(f"{options.size}^3 bf16, {os.cpu_count()} cores; the sweep first, about 20 s", flush=True)
    sweep = _side("sweep", options)
    _show_sweep(sweep, options.verify)
    print("\nnow triton.autotune: about 45 s on an H200", flush=True)
    tuned = _side("autotune", options)
    factor = tuned["elapsed_s"] / sweep["elapsed_s"]
    print(f"{'triton.autotune':<28}{tuned['elapsed_s']:8.2f}   {tuned['best']}")
    print(f"{'times faster':<28}{factor:8.2f}")
    print(json.dumps({"sweep": sweep, "autotune": tuned, "factor": factor}))
    met = sweep["elapsed_s"] <= LIMIT_S and factor >= FACTOR
    if options.verify:
        met = met and sweep["verified"]["met"]
    print(f"limit {LIMIT_S:g} s and {FACTOR:g} times: {'met' if met else 'MISSED'}", flush=True)


def _show_sweep(sweep: dict, verify: bool) -> None:
    print(f"\n{'':28}{'s':>8}")
    for name, seconds in sweep["phases"].items():
        print(f"  {name:<26}{seconds:8.2f}")
    print(f"{'sweep, all of it':<28}{sweep['elapsed_s']:8.2f}   of {sweep['configs']} configs")
    print(f"statuses: {sweep['statuses']}; screened early: {sweep['screened']}")
    print(f"winner {sweep['winner']}: {sweep['winner_ms']:.4f} ms; tied with it: {sweep['tied']}")
    print(f"margin: {sweep['margin']}; {sweep['note'] or 'no notes'}")
    print(f"{sweep['proved']} of the best are right on other inputs: {sweep['proved_at']}")
    if verify:
        print(sweep_verify.text(sweep["verified"]))
    sys.stdout.flush()


def _side(side: str, options: argparse.Namespace) -> dict:
    with tempfile.TemporaryDirectory(prefix="pg-sweep-") as folder:
        environment = child_environment(TRITON_CACHE_DIR=folder, XDG_DATA_HOME=folder)
        if options.prestart:
            environment[_PRESTART] = "1"
        verify = ["--verify"] if options.verify else []
        command = [sys.executable, "-m", "tests.benchmarks.sweep_speed", "--side", side,
                   "--size", str(options.size), *verify]  # fmt: skip
        # Its standard error is ours: how far it is shows at once.
        done = subprocess.run(
            command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
        )
    if done.returncode:
        raise SystemExit(f"{side} ended with {done.returncode}")
    return json.loads(done.stdout.splitlines()[-1])


def _say(text: str) -> None:
    print(f"{time.perf_counter() - _BEGAN:7.1f} s  {text}", file=sys.stderr, flush=True)


def _sweep(size: int, verify: bool) -> None:
    from collections import Counter

    import playground
    from playground.engine.ahead import start_ahead
    from playground.model.sweep_workers import Workers

    # As the command line does: before torch is imported here.
    ahead = start_ahead(Workers()) if os.environ.get(_PRESTART) else None

    from playground.model.sweep_plan import SweepPlan
    from playground.model.sweep_space import make_space

    session = playground.open(ROOT / "kernels" / "matmul.py")
    _say("sweep: the engine is there")
    if ahead is not None:
        ahead.hand_over(session)
    session.run(f"example(m={size}, n={size}, k={size}, dtype=torch.bfloat16)")
    _say("sweep: the file has run")
    launch = session.launches[0].info
    space = make_space(launch.knobs, launch.config, {**VALUES, "GROUP_M": (GROUP_M,)})
    plan = SweepPlan(space, start=launch.config, stored=True)
    started = time.perf_counter()
    result = session.sweep(0, plan=plan)
    elapsed_s = time.perf_counter() - started
    _say(f"sweep: {result.total} configs in {elapsed_s:.2f} s")
    phases = result.phases
    best = result.best
    told = {
        "configs": result.total,
        "elapsed_s": elapsed_s,
        "phases": {
            "until the worker is ready": phases.start_s,
            "until all are compiled": phases.compile_s,
            "checks (sum)": phases.check_s,
            "screening (sum)": phases.screen_s,
            "confirming": phases.confirm_s,
            "asking for other inputs": phases.foresee_s,
            "on other inputs": phases.prove_s,
        },
        "statuses": dict(Counter(row.status for row in result.rows)),
        "screened": sum(row.screened for row in result.rows),
        "winner": best.config.label() if best else None,
        "winner_ms": best.median_ms if best else None,
        "tied": len(result.ranking.groups[0]) if result.ranking.groups else 0,
        "margin": result.ranking.margin.text() if result.ranking.margin else None,
        "note": result.note,
        "proved": sum(row.proved for row in result.rows),
        "proved_at": result.proved_at,
        "rows": [[row.config.label(), row.status, row.median_ms, row.samples, row.screened,
                  row.place] for row in result.rows],
    }  # fmt: skip
    if verify:
        told["verified"] = sweep_verify.verified(session, result)
    session.close()
    print(json.dumps(told))


def _autotune(size: int) -> None:
    import torch
    import triton

    sys.path.insert(0, str(Path(ROOT) / "kernels"))
    import matmul

    configs = [
        triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP_M": GROUP_M},
                      num_warps=warps, num_stages=stages)
        for m, n, k, warps, stages in itertools.product(*VALUES.values())
    ]  # fmt: skip
    tuned = triton.autotune(configs=configs, key=["M", "N", "K"])(matmul.matmul_kernel)
    a, b = matmul.inputs(size, size, size, torch.bfloat16)
    c = torch.empty((size, size), device=a.device, dtype=a.dtype)

    def grid(meta):
        return (triton.cdiv(size, meta["BLOCK_M"]) * triton.cdiv(size, meta["BLOCK_N"]),)

    torch.cuda.synchronize()
    _say("autotune: begins")
    started = time.perf_counter()
    tuned[grid](
        a, b, c, size, size, size, a.stride(0), a.stride(1), b.stride(0), b.stride(1),
        c.stride(0), c.stride(1),
    )  # fmt: skip
    torch.cuda.synchronize()
    elapsed_s = time.perf_counter() - started
    _say(f"autotune: {len(configs)} configs in {elapsed_s:.2f} s")
    print(json.dumps({"elapsed_s": elapsed_s, "best": str(tuned.best_config)}))


if __name__ == "__main__":
    main()
