"""One sweep's place in the store: what it is a sweep of, and what is known of it already."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playground.engine.session import Session
    from playground.engine.sweep_store import SweepStore
    from playground.model.sweep import SweepResult, SweepRow
    from playground.model.sweep_plan import SweepPlan

METHOD = 1
"""Raised whenever times come about in another way, so that they are never mixed."""
_DESCRIPTIVE = frozenset({
    "file", "title", "launch", "space", "start", "sizes", "where", "listed", "strategy", "most",
})  # fmt: skip


class SweepRecord:
    """Takes a sweep's rows as they come; `earlier` are those of a sweep that it goes on with."""

    def __init__(
        self, store: SweepStore, number: int,
        earlier: tuple[tuple[SweepRow, tuple[float, ...]], ...],
    ) -> None:  # fmt: skip
        self._store = store
        self.number = number
        self.earlier = earlier
        self.note = store.note
        self._broken = False

    def add(self, row: SweepRow, samples_ms: tuple[float, ...]) -> None:
        """Keep a row at once: the next moment this process may be gone."""
        self._write(lambda: self._store.add(self.number, row, samples_ms))

    def finish(self, result: SweepResult) -> None:
        """Note how the sweep ended."""
        self._write(lambda: self._store.finish(self.number, result))

    def _write(self, write: Callable[[], None]) -> None:
        if self._broken:
            return
        try:
            write()
        except sqlite3.Error as error:  # a full disk must not cost the sweep
            self._broken = True
            self.note = f"not kept from here on: {self._store.path}: {error}"


@contextlib.contextmanager
def record_for(
    session: Session, launch: int, plan: SweepPlan, target: str | None
) -> Iterator[tuple[SweepRecord | None, str]]:
    """Open the store for one sweep; yields no record where nothing is kept, and why."""
    if not plan.stored:
        yield None, ""
        return
    from playground.engine.sweep_store import StoreError, SweepStore

    facts = facts_of(session, launch, plan, target)
    context = context_of(facts)
    try:
        store = SweepStore()
    except StoreError as error:  # a read-only home must not cost the sweep
        yield None, f"nothing is kept: {error}"
        return
    with contextlib.closing(store):
        earlier: tuple[tuple[SweepRow, tuple[float, ...]], ...] = ()
        try:
            number = store.latest(context) if plan.resume else None
            if number is None:
                number = store.begin(context, facts["title"], facts)
            else:
                store.begin_again(number)
                earlier = store.rows(number)
        except sqlite3.Error as error:  # nor must a disk that is full already
            yield None, f"nothing is kept: {store.path}: {error}"
            return
        yield SweepRecord(store, number, earlier), ""


def facts_of(session: Session, launch: int, plan: SweepPlan, target: str | None) -> dict[str, Any]:
    """Return what the rows of a sweep depend on, beside the config: the key of section 8."""
    from playground.engine.kernel_hash import kernel_hash

    captured = session.launches[launch]
    info, device = captured.info, session.device
    helpers = [Path(file).read_bytes() for file in session.user_files[1:] if Path(file).exists()]
    sizes = ", ".join(f"{name}={value}" for name, value in sorted(session.sizes.items()))
    return {
        "file": session.path,
        "launch": launch,
        "title": f"{info.kernel} of {Path(session.path).name}" + (f" at {sizes}" if sizes else ""),
        "kernel": info.kernel,
        "code": kernel_hash(captured.kernel, helpers),
        "arguments": [
            [item.name, item.kind, list(item.tensor.shape), item.tensor.dtype,
             list(item.tensor.strides), item.tensor.alignment]
            if item.tensor is not None else [item.name, item.kind, item.text]
            for item in info.arguments
            if item.kind != "constexpr"  # knobs: the config has them
        ],
        "gpu": device.name,
        "driver": device.driver,
        "cuda": device.cuda,
        "torch": device.torch,
        "triton": device.triton,
        "target": target or device.target,
        "method": [METHOD, device.mode, plan.cache, plan.budget_ms],
        "sizes": dict(session.sizes),
        "start": plan.start.as_dict() if plan.start is not None else None,
        "space": {name: list(values) for name, values in plan.space.axes},
        "where": [condition.text for condition in plan.space.constraints],
        "listed": [config.as_dict() for config in plan.space.listed],
        "strategy": plan.strategy,
        "most": plan.most,
    }  # fmt: skip


def context_of(facts: dict[str, Any]) -> str:
    """Return the key under which rows of the same kernel, problem, device and method are found."""
    told = {name: value for name, value in facts.items() if name not in _DESCRIPTIVE}
    return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()
