"""The verb `sweeps`: what the store of this user holds, as text or as data for other programs."""

from __future__ import annotations

import datetime
import json
import sys
from typing import TYPE_CHECKING

from playground.cli import schema, sweep_text
from playground.cli.outputs import writing
from playground.cli.text_table import duration, table
from playground.engine.sweep_store import StoredSweep, StoreError, SweepStore, opened
from playground.model.sweep_export import TableError, t4
from playground.model.sweep_export import table as size_table

if TYPE_CHECKING:
    import argparse


def show(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """List the past sweeps, or print those asked for; return the exit status."""
    numbers: list[int] = options.numbers
    if options.t4 and len(numbers) != 1:
        parser.error("--t4 takes the number of one sweep")
    if options.table is not None and not numbers:
        parser.error("--table takes the numbers of sweeps, one a size")
    try:
        with opened() as store:
            if store.note:
                print(store.note, file=sys.stderr)
            text = _text(store, options)
    except (LookupError, StoreError, TableError) as error:
        print(f"triton-playground sweeps: {error}", file=sys.stderr)
        return 2 if isinstance(error, LookupError) else 1
    with writing():
        print(text)
    return 0


def _text(store: SweepStore, options: argparse.Namespace) -> str:
    known = {sweep.number: sweep for sweep in store.sweeps()}
    for number in options.numbers:
        if number not in known:
            raise LookupError(f"there is no sweep {number} in {store.path}")
    if options.t4:
        (number,) = options.numbers
        return _json(t4(store.rows(number), known[number].started))
    if options.table is not None:
        return _json(size_table(
            (_size(known[number], options.table), store.open(number)) for number in options.numbers
        ))  # fmt: skip
    documents = [
        schema.sweep(store.open(number), str(known[number].facts.get("kernel", "")))
        for number in options.numbers
    ]
    if options.json:
        return _json(documents if documents else [schema.record(one) for one in known.values()])
    if documents:
        return "\n\n".join(map(sweep_text.report, documents))
    return _list(list(known.values()))


def _size(sweep: StoredSweep, name: str) -> int:
    sizes = sweep.facts.get("sizes", {})
    if name not in sizes:
        has = ", ".join(sizes) or "none"
        raise TableError(f"sweep {sweep.number} was of no problem size {name}; it has {has}")
    return int(sizes[name])


def _list(sweeps: list[StoredSweep]) -> str:
    if not sweeps:
        return "no sweep is kept yet"
    rows = [
        (
            sweep.number,
            datetime.datetime.fromtimestamp(sweep.started).astimezone().strftime("%Y-%m-%d %H:%M"),
            sweep.title,
            sweep.facts.get("gpu", ""),
            "cut short" if sweep.state == "running" else sweep.state,
            sweep.rows,
            duration(sweep.best_ms),
        )
        for sweep in sweeps
    ]
    return table(("", "begun", "sweep", "device", "state", "configs", "best"), rows)


def _json(value: object) -> str:
    return json.dumps(value, indent=1, allow_nan=False)
