"""Puts measured experiments among the files that come with the program.

Run as `python -m tests.benchmarks.ship_experiments FILE` from the checkout's root, where FILE holds
what `triton-playground experiment --all --json` printed on the machine whose figures are to be
shipped. Verdicts in it are left behind: they are worked out when they are shown.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from playground.model.experiment import ExperimentResult
from playground.model.experiments import verdict
from playground.protocol import experiment_files


def main() -> None:
    results = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=list[ExperimentResult])
    for result in results:
        path = experiment_files.keep(result, experiment_files.shipped_dir())
        said = verdict(result)
        print(f"{path.name}: {said.kind}: {said.text}")


if __name__ == "__main__":
    main()
