"""Past sweeps as the window and the command line tell of them, and what is made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from playground.model.config import Config, validated
from playground.model.knobs import KnobError
from playground.model.past_sweep import PastSweep, SweepState
from playground.model.sweep import best_rows
from playground.model.sweep_export import TableError, t4, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from playground.engine.freezing_dispatch import Dispatch
    from playground.engine.sweep_store import StoredSweep, SweepStore
    from playground.model.knobs import Knob
    from playground.model.launch import Launch
    from playground.model.measurement import CacheMode


class PastSweepError(ValueError):
    """Sweeps of which nothing can be made; the message says which and why."""


def past(sweep: StoredSweep) -> PastSweep:
    """Return what the store knows of a sweep, with the facts it wrote down as it began."""
    facts = sweep.facts
    method = list(facts.get("method") or ())
    return PastSweep(
        sweep.number, sweep.title, cast("SweepState", sweep.state), sweep.started, sweep.ended,
        sweep.rows, sweep.best_ms,
        kernel=str(facts.get("kernel", "")),
        file=str(facts.get("file", "")),
        launch=int(facts.get("launch", 0)),
        code=str(facts.get("code", "")),
        arguments=tuple(_argument(item) for item in facts.get("arguments", ())),
        sizes=tuple((str(name), int(value)) for name, value in facts.get("sizes", {}).items()),
        gpu=str(facts.get("gpu") or ""),
        target=str(facts.get("target") or ""),
        driver=str(facts.get("driver") or ""),
        cuda=str(facts.get("cuda") or ""),
        torch=str(facts.get("torch") or ""),
        triton=str(facts.get("triton") or ""),
        mode=str(method[1]) if len(method) > 1 else "",
        cache=cast("CacheMode", method[2]) if len(method) > 2 else None,
        space=tuple((str(name), tuple(values)) for name, values in facts.get("space", {}).items()),
        where=tuple(map(str, facts.get("where", ()))),
        listed=tuple(Config.of(values) for values in facts.get("listed", ())),
        strategy=facts.get("strategy") or "auto",
        most=facts.get("most"),
    )  # fmt: skip


def _argument(item: list[Any]) -> tuple[str, str]:
    """Return an argument's name and what it was: a shape with its type, or the value's text."""
    name, kind, *rest = item
    if kind == "tensor" and len(rest) >= 2:
        shape, dtype = rest[0], rest[1]
        return str(name), f"{dtype}[{', '.join(map(str, shape))}]"
    return str(name), str(rest[0]) if rest else str(kind)


def best_of(
    store: SweepStore, numbers: Sequence[int], most: int, knobs: Iterable[Knob]
) -> dict[int, list[Config]]:
    """Return the best few configs of each sweep, as the launch with these knobs takes them.

    Raises
    ------
    PastSweepError
        There is no such sweep, it was of other knobs, or none of them timed a right config.
    """
    knobs = tuple(knobs)
    found: dict[int, list[Config]] = {}
    for number in numbers:
        try:
            rows = best_rows(store.open(number), most)
            found[number] = [validated(row.config, knobs) for row in rows]
        except (LookupError, KnobError) as error:
            raise PastSweepError(f"sweep {number}: {error}") from error
    if not any(found.values()):
        raise PastSweepError("those sweeps timed no right config")
    return found


def dispatch(
    store: SweepStore, best: Mapping[int, Sequence[Config]], launch: Launch
) -> tuple[Dispatch, Config]:
    """Return the table of configs by size, and its config at the size of `launch`.

    Raises
    ------
    PastSweepError
        No whole number among the kernel's arguments tells the sweeps' sizes apart.
    """
    from playground.engine.freezing_autotune import NoTunerError
    from playground.engine.freezing_dispatch import Measured, dispatch_of

    facts = {sweep.number: sweep.facts for sweep in store.sweeps()}
    own = {item.name: int(item.text) for item in launch.arguments if item.kind == "int"}
    measured = [
        Measured(
            tuple((item[0], int(item[2])) for item in facts[number]["arguments"]
                  if item[1] == "int"), configs[0],
        )
        for number, configs in best.items()
        if configs
    ]  # fmt: skip
    try:
        found = dispatch_of(measured)
        return found, found.config_at(found.size_of(own))
    except (NoTunerError, KeyError) as error:
        raise PastSweepError(f"no table by size: {error}") from error


def as_t4(store: SweepStore, number: int) -> dict[str, object]:
    """Return one sweep's rows with their raw samples as T4 results; raises `LookupError`."""
    return t4(store.rows(number), _known(store, number).started)


def as_table(store: SweepStore, numbers: Sequence[int], size: str) -> dict[str, dict[str, object]]:
    """Return the best config of each sweep by the problem size called `size`.

    Raises
    ------
    LookupError
        There is no such sweep.
    TableError
        One was of no such size, or timed no right config.
    """
    return table((_size(_known(store, number), size), store.open(number)) for number in numbers)


def _known(store: SweepStore, number: int) -> StoredSweep:
    for sweep in store.sweeps():
        if sweep.number == number:
            return sweep
    raise LookupError(f"there is no sweep {number} in {store.path}")


def _size(sweep: StoredSweep, name: str) -> int:
    sizes = sweep.facts.get("sizes", {})
    if name not in sizes:
        has = ", ".join(sizes) or "none"
        raise TableError(f"sweep {sweep.number} was of no problem size {name}; it has {has}")
    return int(sizes[name])
