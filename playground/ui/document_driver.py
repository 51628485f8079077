"""What the document runs: the file's outline, the driver chosen, its sizes and options."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from playground.model.outline import Driver, Outline, outline
from playground.protocol import messages
from playground.ui.document_results import DocumentResults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.ui.engine_port import EnginePort

OUTLINE_DELAY_MS = 250


class DocumentDriver(DocumentResults):
    """Keeps the outline up to date with the text, and runs the driver chosen from it.

    `found_drivers` are drivers that ran in place of ones that the app wrote and that did not fit,
    by the code as written; `driverFound` tells that there is another one.
    """

    driverFound = Signal()

    def __init__(self, engine: EnginePort, parent: QObject | None = None) -> None:
        super().__init__(engine, parent)
        self.found_drivers: dict[str, str] = {}
        self.typed_driver = ""
        """What the user typed for this file, whether or not it is chosen now."""
        self.driver_seen: bool | None = None
        """Whether the driver's code is shown; None until somebody decided for this file."""
        self._outline_timer = QTimer(self)
        self._outline_timer.setSingleShot(True)
        self._outline_timer.setInterval(OUTLINE_DELAY_MS)
        self._outline_timer.timeout.connect(self._refresh_outline)

    def _refresh_outline(self) -> None:
        self._outline_timer.stop()
        before = self.outline
        self.outline = self._with_found(outline(self.text, self.path or "untitled.py"))
        self.set_findings("outline", self.outline.findings)
        if any(found.severity == "error" for found in self.outline.findings) and self.driver:
            # Half-typed text has no drivers; those of a moment ago will be back with the next key.
            self.outline = replace(self.outline, drivers=before.drivers)
        drivers = self.outline.drivers
        if self.driver is None or self.driver.kind != "typed":
            self._take_driver(_again(self.driver, drivers) or (drivers[0] if drivers else None))
        self.outlineChanged.emit()

    def set_driver(self, driver: Driver) -> None:
        """Choose what the next run executes after the module."""
        self._take_driver(driver)

    def take_found_driver(self, code: str) -> None:
        """Take the driver that ran in place of the chosen one, which the app had written."""
        chosen = self.driver
        if not code or chosen is None or chosen.kind != "generated" or chosen.code == code:
            return
        # Another function's driver may have run instead: its first line says which one it is for.
        drivers = self.outline.drivers
        base = next((each for each in drivers if _is_for_the_same(each, code)), chosen)
        known = {found: written for written, found in self.found_drivers.items()}
        self.found_drivers[known.get(base.code, base.code)] = code
        found = replace(base, code=code)
        drivers = tuple(found if each == base else each for each in drivers)
        self.outline = replace(self.outline, drivers=_found_first(drivers, {code}))
        self._take_driver(found)
        self.driverFound.emit()

    def is_found(self, driver: Driver | None) -> bool:
        """Tell whether a driver is a written one that was changed until it ran."""
        return driver is not None and driver.code in self.found_drivers.values()

    def _with_found(self, read: Outline) -> Outline:
        """Return the outline with the drivers that ran in place of those that did not."""
        found = self.found_drivers
        if not found:
            return read
        drivers = tuple(
            replace(each, code=found[each.code])
            if each.kind == "generated" and each.code in found
            else each
            for each in read.drivers
        )
        return replace(read, drivers=_found_first(drivers, set(found.values())))

    def set_size(self, name: str, value: int) -> None:
        """Choose a problem size for the next run."""
        self.sizes = {**self.sizes, name: value}
        self.driverChanged.emit()

    def _take_driver(self, driver: Driver | None) -> None:
        known = {size.name: size.default for size in driver.sizes} if driver else {}
        old = {size.name: size.default for size in self.driver.sizes} if self.driver else {}
        # A size the user moved stays moved; one that followed the default keeps following it.
        moved = {n: v for n, v in self.sizes.items() if n in known and v != old.get(n)}
        self.driver = driver
        self.sizes = {**known, **moved}
        self.driverChanged.emit()

    def run(self) -> None:
        """Execute the buffer, saved or not, then the driver, and capture its launches."""
        if self._outline_timer.isActive():
            self._refresh_outline()
        syntax = [f for f in self.outline.findings if f.severity == "error"]
        if syntax:
            # The engine would only say the same again, and the launches on screen stay usable.
            self.findingsChanged.emit()
            return
        if not self.may_execute(self.path, self.run):
            return
        driver = self.driver
        known = {size.name: size.default for size in driver.sizes} if driver else {}
        sizes = {n: v for n, v in self.sizes.items() if n in known and v != known[n]}
        self.work.run(
            messages.Run(
                self.path or "untitled.py", self.text, driver.code if driver else "", sizes,
                self.run_benchmarks, self.run_tuning,
            )
        )  # fmt: skip

    def set_run_benchmarks(self, on: bool) -> None:
        """Let the file's own benchmarks run with the next run, or leave them out."""
        if on != self.run_benchmarks:
            self.run_benchmarks = on
            self.runOptionsChanged.emit()

    def set_run_tuning(self, on: bool) -> None:
        """Let the file's own autotuners time their configs in the next run, or don't."""
        if on != self.run_tuning:
            self.run_tuning = on
            self.runOptionsChanged.emit()


def _is_for_the_same(driver: Driver, code: str) -> bool:
    return driver.kind == "generated" and driver.code.splitlines()[:1] == code.splitlines()[:1]


def _found_first(drivers: tuple[Driver, ...], found: set[str]) -> tuple[Driver, ...]:
    """Return the drivers with those that are known to run first among the written ones."""
    written = [each for each in drivers if each.kind == "generated"]
    written.sort(key=lambda each: each.code not in found)
    order = iter(written)
    return tuple(next(order) if each.kind == "generated" else each for each in drivers)


def _again(driver: Driver | None, offered: Sequence[Driver]) -> Driver | None:
    """Return the one of `offered` that `driver` was before the text changed.

    A driver that the app wrote is the same one while it is for the same function.
    """
    if driver is None:
        return None
    if driver.kind == "generated":
        return next((d for d in offered if (d.kind, d.label) == ("generated", driver.label)), None)
    return next((each for each in offered if each.code == driver.code), None)
