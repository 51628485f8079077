"""The verb `experiment`: measure a rule of thumb here, or show what was measured before."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from playground.cli import experiment_text
from playground.cli.outputs import writing
from playground.model.experiments import EXPERIMENTS, verdict
from playground.protocol import experiment_files

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from playground.cli.help_page import HelpParser
    from playground.model.experiment import ExperimentResult


def add_options(parser: HelpParser) -> None:
    """Add the verb's own options."""
    add = parser.group("options of experiment").add_argument
    add(
        "names", nargs="*", metavar="NAME",
        help="which to measure: " + ", ".join(item.name for item in EXPERIMENTS),
    )  # fmt: skip
    add("--list", action="store_true", help="list them all, with the latest verdict on each")
    add("--all", action="store_true", help="measure every one of them (some minutes)")
    add(
        "--shown", action="store_true",
        help="measure nothing: show what was measured here before, or came with the program",
    )  # fmt: skip


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Measure or show what is asked for; return the exit status."""
    names = [item.name for item in EXPERIMENTS] if options.all else list(options.names)
    if options.list:
        return _list(options.json)
    if not names:
        parser.error("give the NAME of an experiment, --all or --list")
    for name in names:
        if name not in {item.name for item in EXPERIMENTS}:
            parser.error(f"there is no experiment {name}; --list shows them all")
    if options.shown:
        return _shown(names, options, lambda _name: None)
    measuring = _Measuring()
    try:
        return _shown(names, options, measuring.measured)
    finally:
        measuring.close()


def _shown(
    names: Sequence[str],
    options: argparse.Namespace,
    measured: Callable[[str], ExperimentResult | None],
) -> int:
    """Print what is measured of each, or else what is kept; return the exit status."""
    found: list[ExperimentResult] = []
    status = 0
    for name in names:
        result = measured(name)
        if result is None:
            status = int(status or not options.shown)
            result = latest(name)
        if result is None:
            print(f"{name}: no figures are kept", file=sys.stderr)
            status = 1
            continue
        found.append(result)
        if options.json:
            said = verdict(result)
            print(f"{name}: {said.kind} ({result.elapsed_s:.0f} s)", file=sys.stderr, flush=True)
        else:
            with writing():
                print(experiment_text.report(result) + "\n", flush=True)
    with writing():
        if options.json:
            print(_json([experiment_text.data(result) for result in found]))
        elif len(found) > 1:
            print(experiment_text.summary(found))
    return status


def latest(name: str) -> ExperimentResult | None:
    """Return the result to show: this user's latest, else the one that came with the program."""
    for folder in (experiment_files.own_dir(), experiment_files.shipped_dir()):
        for result in experiment_files.results(folder, name):
            return result
    return None


class _Measuring:
    """Measures one experiment after the other in one process; failures are told and passed over."""

    def __init__(self) -> None:
        from playground.engine import experiments, machine

        self._device = machine.device_info()
        self._process = experiments.Measuring()

    def close(self) -> None:
        self._process.close()

    def measured(self, name: str) -> ExperimentResult | None:
        from playground.engine import experiments
        from playground.engine.job import Job

        try:
            return experiments.measure(name, self._device, Job(), self._process)
        except experiments.ExperimentError as error:
            hint = f"; {error.hint}" if error.hint else ""
            print(f"{name}: {error}{hint}", file=sys.stderr)
            return None


def _list(as_json: bool) -> int:
    found = [result for item in EXPERIMENTS if (result := latest(item.name)) is not None]
    with writing():
        if as_json:
            print(_json([experiment_text.data(result) for result in found]))
        else:
            print(experiment_text.listed())
            if found:
                print("\n" + experiment_text.summary(found))
    return 0


def _json(value: Sequence[object]) -> str:
    return json.dumps(value, indent=1, allow_nan=False)
