"""What a sweep is to try: values of each knob, conditions, problem sizes, and how to search."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from playground.model.constraints import ConstraintError
from playground.model.knobs import KnobError
from playground.model.problem_sizes import SizeError
from playground.model.sweep_plan import EXHAUSTIVE_UP_TO, SEARCHED, chosen_strategy, too_many
from playground.model.sweep_sizes import parse_sizes
from playground.model.sweep_space import Count, SweepSpace, make_space
from playground.model.sweep_values import parse_values, values_around, values_text
from playground.ui.sweep_reading import Choice, Reading, condition_problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from playground.model.config import Config
    from playground.model.knobs import Knob
    from playground.model.sweep_plan import Strategy
    from playground.ui.document import Document

MOST_CONFIGS = 500
"""Configs that are offered at most; whoever wants more types them."""
COUNTED_AT_ONCE = 5_000
"""Combinations up to which they are counted at every key; that takes milliseconds."""
COUNT_DELAY_MS = 250
COUNT_SLICE_S = 0.008
"""So long the window counts before it looks at what else is to be done."""


class SweepChoice(QObject):
    """The set-up of the next sweep; `setupChanged` follows every edit.

    `reading` is what it comes to. Values are offered anew where the launch changes, else they stay
    as they were typed.
    """

    setupChanged = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self.choice = Choice()
        self.reading = Reading()
        self._shape: tuple[object, ...] | None = None
        self._count_timer = QTimer(self)
        self._count_timer.setSingleShot(True)
        self._count_timer.setInterval(COUNT_DELAY_MS)
        self._count_timer.timeout.connect(self._count)
        self._counting: Iterator[Count | None] | None = None
        for changed in (
            document.launchesChanged, document.launchSelected, document.knobsChanged,
            document.driverChanged,
        ):  # fmt: skip
            changed.connect(self._on_launch)
        document.configChanged.connect(self._on_config)
        self._on_launch()

    # ------------------------------------------------------------------------------ offering

    def knobs(self) -> tuple[Knob, ...]:
        """Return the knobs that can be swept."""
        launch, config = self._document.launch, self._document.config
        if launch is None:
            return ()
        return tuple(knob for knob in launch.knobs if knob.kind != "fixed" and knob.name in config)

    def own_configs(self) -> tuple[Config, ...]:
        """Return the configs that the file's own tuner would time for the launch, each once."""
        launch = self._document.launch
        presets = launch.presets if launch is not None else ()
        return tuple(dict.fromkeys(preset.config for preset in presets if preset.tuned))

    def size_names(self) -> tuple[str, ...]:
        """Return the problem sizes of the driver."""
        driver = self._document.driver
        return tuple(size.name for size in driver.sizes) if driver else ()

    def size_now(self, name: str) -> int:
        """Return the value of a problem size as it stands."""
        driver = self._document.driver
        defaults = {size.name: size.default for size in driver.sizes} if driver else {}
        return self._document.sizes.get(name, defaults.get(name, 1))

    def offer_around(self) -> None:
        """Fill in a few steps either side of the config shown."""
        knobs = self.knobs()
        around = values_around(knobs, self._document.config, MOST_CONFIGS)
        texts = tuple((knob.name, values_text(around[knob.name])) for knob in knobs)
        self.set_choice(values=texts)

    def offer_present(self) -> None:
        """Fill in the config shown alone: a start from which knobs are freed one by one."""
        config = self._document.config
        texts = tuple((knob.name, values_text((config[knob.name],))) for knob in self.knobs())
        self.set_choice(values=texts)

    def _on_config(self) -> None:
        # Every knob has values of its own here: where the sliders are moved nothing is another.
        if self._shape is None:
            self._on_launch()

    def _on_launch(self, _what: object = None) -> None:
        launch, config = self._document.launch, self._document.config
        if launch is None or (launch.config.values and not config.values):
            # The config comes a moment after the launches themselves.
            self._shape = None
            self.read()
            return
        # The user's edits stay while the same launch comes back from another run.
        shape = (launch.index, launch.kernel, tuple((k.name, k.derived) for k in launch.knobs))
        if shape != self._shape:
            self._shape = shape
            self.choice = Choice(source="both" if self.own_configs() else "values")
            self.offer_around()
            self._recall(launch.kernel)
            return
        self.read()

    def _recall(self, kernel: str) -> None:
        """Take what was swept of this kernel in an earlier session."""
        from playground.ui.sweep_memory import remembered

        store, path = self._document.setup_store, self._document.path
        if store is not None and path:
            kept = remembered(store.sweep_setup(path), kernel, self.choice, self.size_names())
            if kept != self.choice:
                self.choice = kept
                self.read()

    def keep(self) -> None:
        """Keep what is set up for the next session."""
        from playground.ui.sweep_memory import with_choice

        document = self._document
        if document.setup_store is not None and document.path and document.launch is not None:
            kept = document.setup_store.sweep_setup(document.path)
            text = with_choice(kept, document.launch.kernel, self.choice)
            document.setup_store.set_sweep_setup(document.path, text)

    # ------------------------------------------------------------------------------ editing

    def set_values(self, name: str, text: str) -> None:
        """Take the values typed for a knob."""
        texts = {**dict(self.choice.values), name: text}
        self.set_choice(values=tuple(texts.items()))

    def set_size(self, name: str, text: str) -> None:
        """Take what is typed for a problem size; an empty text leaves it as it is."""
        texts = {**dict(self.choice.sizes), name: text}
        if not text.strip():
            del texts[name]
        self.set_choice(sizes=tuple(texts.items()))

    def set_choice(self, **changed: object) -> None:
        """Take changed parts of the set-up."""
        from dataclasses import replace

        choice = replace(self.choice, **changed)  # type: ignore[arg-type]
        if choice != self.choice or not self.reading.values:
            self.choice = choice
            self.read()

    def read(self) -> None:
        """Work out what the texts come to."""
        self.reading = self._read()
        self._counting = None
        if self.reading.counting:
            self._count_timer.start(COUNT_DELAY_MS)
        else:
            self._count_timer.stop()
            self._judge_number()
        self.setupChanged.emit()

    def close(self) -> None:
        """Stop the timer of counting."""
        self._count_timer.stop()

    def _count(self) -> None:
        """Count on for a moment; it is gone on with when nothing else is to be done."""
        reading = self.reading
        if not reading.counting or reading.space is None:
            return
        if self._counting is None:
            self._counting = reading.space.counting()
        end = time.monotonic() + COUNT_SLICE_S
        for count in self._counting:
            if count is not None:
                reading.count, reading.counting, self._counting = count, False, None
                self._judge_number()
                self.setupChanged.emit()
                return
            if time.monotonic() > end:
                self._count_timer.start(0)
                return

    def _judge_number(self) -> None:
        choice, valid = self.choice, self.reading.count.valid
        if why := too_many(choice.strategy, choice.most, valid):
            self.reading.too_many = f"{why}: choose another search, or how many at most"

    def where(self) -> tuple[str, ...]:
        """Return the conditions: the lines that are not blank and not behind a #."""
        lines = (line.strip() for line in self.choice.where.splitlines())
        return tuple(line for line in lines if line and not line.startswith("#"))

    def _read(self) -> Reading:
        reading = Reading()
        launch = self._document.launch
        if launch is None:
            return reading
        by_name = {knob.name: knob for knob in self.knobs()}
        for name, text in self.choice.values:
            # What is not looked at cannot be wrong.
            if name in by_name and self.choice.source != "own":
                try:
                    reading.values[name] = parse_values(by_name[name], text)
                except KnobError as error:
                    reading.problems[name] = str(error)
        texts = {name: text for name, text in self.choice.sizes if name in self.size_names()}
        try:
            reading.sizes = parse_sizes(texts, together=self.choice.together)
        except SizeError as error:
            reading.problems["sizes"] = str(error)
        sizes = {name: self.size_now(name) for name in self.size_names()}
        self._check_conditions(reading, sizes)
        if not reading.problems and not reading.conditions:
            try:
                reading.space = self._space(reading, sizes)
            except ConstraintError as error:
                reading.conditions.append(condition_problem(self.choice.where, error))
            else:
                reading.counting = (
                    bool(reading.space.constraints) and reading.space.product > COUNTED_AT_ONCE
                )
                if not reading.counting:
                    reading.count = reading.space.count()
        return reading

    def _check_conditions(self, reading: Reading, sizes: Mapping[str, int]) -> None:
        """Read each condition alone, so that every one that is wrong is told at its place."""
        launch, config = self._document.launch, self._document.config
        for condition in self.where():
            try:
                make_space((), config, {}, (condition,), {**sizes, **dict.fromkeys(config, 1)})
            except ConstraintError as error:
                reading.conditions.append(condition_problem(self.choice.where, error))
        if launch is None:
            reading.conditions.clear()

    def _space(self, reading: Reading, sizes: Mapping[str, int]) -> SweepSpace:
        values = {} if self.choice.source == "own" else reading.values
        return make_space(self.knobs(), self._document.config, values, self.where(), sizes,
                          self.listed())  # fmt: skip

    def listed(self) -> tuple[Config, ...]:
        """Return the file's own configs as far as they are chosen."""
        return self.own_configs() if self.choice.source != "values" else ()

    # ------------------------------------------------------------------------------ in words

    def plan_text(self) -> str:
        """Return what Start would do, or what stands against it."""
        reading = self.reading
        if reading.problem:
            return reading.problem
        if reading.counting and reading.space is not None:
            return f"counting how many of {reading.space.product:,} configs meet the conditions …"
        count, device = reading.count, self._document.device
        timed = device is None or device.mode == "gpu"
        text = count.text() if count.total != 1 else "1 config"
        if count.valid == count.total:
            text += " to try"
        strategy = _strategy(self.choice, count.valid, timed=timed)
        most = self.choice.most or (SEARCHED if strategy != "exhaustive" else None)
        if strategy != "exhaustive" and most is not None and most < count.valid:
            text += f", {most} of them by {STRATEGY_TEXT[strategy]}"
        elif most is not None and most < count.valid:
            text += f", {most} of them"
        if len(reading.sizes) > 1:
            text += f", at each of {len(reading.sizes)} sizes"
        workers = self.choice.workers
        if workers.several:
            who = f"{workers.count} workers" if workers.count else "the workers"
            text += f", by {who}" + (f" of {workers.cluster}" if workers.cluster else "")
        return text


STRATEGY_TEXT: dict[Strategy, str] = {
    "auto": "what fits the number", "exhaustive": "trying all", "random": "chance",
    "tpe": "TPE search", "climb": "hill climb from the sliders",
}  # fmt: skip
STRATEGY_TIPS: dict[Strategy, str] = {
    "auto": f"All up to {EXHAUSTIVE_UP_TO:,} configs, in shuffled order; a TPE search beyond",
    "exhaustive": "Every config, in shuffled order",
    "random": "Configs drawn by chance, each once",
    "tpe": "Optuna's TPE: what was measured decides where to look next",
    "climb": "From the sliders' config one step at a time, begun anew elsewhere at a summit",
}


def _strategy(choice: Choice, valid: int, *, timed: bool) -> Strategy:
    from playground.model.sweep_plan import SweepPlan

    return chosen_strategy(SweepPlan(SweepSpace(), choice.strategy), valid, timed=timed)
