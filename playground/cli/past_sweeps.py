"""The verb `sweeps`: what the store of this user holds, as text or as data for other programs."""

from __future__ import annotations

import datetime
import json
import sys
from typing import TYPE_CHECKING

from playground.cli import schema, sweep_compare_text, sweep_text
from playground.cli.outputs import writing
from playground.cli.text_table import duration, table
from playground.engine.past_sweeps import as_t4, as_table, past
from playground.engine.sweep_store import StoredSweep, StoreError, SweepStore, opened
from playground.model.sweep_compare import compare_sweeps
from playground.model.sweep_export import TableError

if TYPE_CHECKING:
    import argparse


def show(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """List the past sweeps, or print those asked for; return the exit status."""
    numbers: list[int] = options.numbers
    if options.t4 and len(numbers) != 1:
        parser.error("--t4 takes the number of one sweep")
    if options.table is not None and not numbers:
        parser.error("--table takes the numbers of sweeps, one a size")
    if options.compare and len(numbers) != 2:
        parser.error("--compare takes the numbers of two sweeps, the earlier one first")
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
        return _json(as_t4(store, options.numbers[0]))
    if options.compare:
        before, after = (past(known[number]) for number in options.numbers)
        found = compare_sweeps(store.open(before.number), store.open(after.number))
        if options.json:
            return _json(sweep_compare_text.data(before, after, found))
        return sweep_compare_text.text(before, after, found)
    if options.table is not None:
        return _json(as_table(store, options.numbers, options.table))
    documents = [
        schema.sweep(store.open(number), str(known[number].facts.get("kernel", "")))
        for number in options.numbers
    ]
    if options.json:
        return _json(documents if documents else [schema.record(one) for one in known.values()])
    if documents:
        return "\n\n".join(map(sweep_text.report, documents))
    return _list(list(known.values()))


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
