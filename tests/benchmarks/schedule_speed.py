"""What looking at programs costs: schedule, steps, reuse; prints figures, asserts nothing.

    python -m tests.benchmarks.schedule_speed [--json FILE]

`first` compiles, `again` does not (another config of the same kernel would compile anew). On a GPU
the duration that the schedule tells is set beside the kernel's own time; without one only steps and
reuse are there.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def timed(step) -> tuple[float, object]:
    """Return the milliseconds that `step` took, and what it returned."""
    start = time.perf_counter()
    value = step()
    return (time.perf_counter() - start) * 1e3, value


def measure(play, name: str, file: str, driver: str, **knobs) -> dict[str, object]:
    """Time each question about one launch twice."""
    play.load(ROOT / "kernels" / file)
    play.run(driver)
    row: dict[str, object] = {"name": name}
    for question in ("schedule", "steps", "reuse"):
        if question == "schedule" and play.device.mode != "gpu":
            continue
        ask = getattr(play, question)
        play.coverage(**knobs)  # the steps name its sites
        first_ms, _ = timed(lambda ask=ask: ask(**knobs))
        for kept in (play.kept.schedules, play.kept.steps, play.kept.reuse, play.kept.outlines):
            kept.clear()
        again_ms, found = timed(lambda ask=ask: ask(**knobs))
        row[question] = {"first_ms": first_ms, "again_ms": again_ms}
        if question == "schedule":
            measured = play.bench(**knobs, cache="warm")
            row["duration_us"] = found.figures.duration_ns / 1e3
            row["kernel_us"] = measured.median_ms * 1e3
            row["source"] = measured.source
        elif question == "reuse":
            row["bytes"] = [found.requested_bytes, found.least_bytes, found.fetched_bytes]
    return row


def rows() -> list[dict[str, object]]:
    """Measure what this machine can."""
    from playground.engine.session import Session

    play = Session()
    try:
        blocks = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "num_warps": 8}
        if play.device.mode != "gpu":
            return [
                measure(play, "vector add 2^20", "vector_add.py", "example(1 << 20)"),
                measure(play, "matmul 512", "matmul.py", "example(512, 512, 512)"),
            ]
        return [
            measure(play, "vector add 2^20", "vector_add.py", "example(1 << 20)", BLOCK_SIZE=1024),
            measure(play, "vector add 2^26", "vector_add.py", "example(1 << 26)", BLOCK_SIZE=1024),
            *(
                measure(
                    play, f"matmul {size}, groups of {group}", "matmul.py",
                    f"example({size}, {size}, {size})", **blocks, GROUP_M=group,
                )
                for size in (4096, 8192)
                for group in (1, 8)
            ),
            measure(
                play, "persistent matmul 4096", "matmul_persistent.py", "example(4096, 4096, 4096)"
            ),
        ]  # fmt: skip
    finally:
        play.close()


def main() -> None:
    """Print a table, and JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    result = rows()
    for row in result:
        parts = [
            f"{question} {row[question]['again_ms']:8.1f} ms, "
            f"first {row[question]['first_ms']:7.0f}"
            for question in ("schedule", "steps", "reuse")
            if question in row
        ]
        if "kernel_us" in row:
            parts.append(
                f"copy {row['duration_us']:.2f} µs, kernel {row['kernel_us']:.2f} µs "
                f"({row['source']})"
            )
        asked, least, fetched = row["bytes"]
        parts.append(
            f"{asked / 1e6:.1f} MB asked, {fetched / 1e6:.1f} fetched, {least / 1e6:.1f} least"
        )
        print(f"{row['name']:<28} " + "  ".join(parts))
    if options.json:
        options.json.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
