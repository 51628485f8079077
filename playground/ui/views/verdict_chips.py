"""What the current config came to, in a line of chips."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from playground.ui.views.baseline_delta import comparable
from playground.ui.views.chips import Chip
from playground.ui.views.formatting import (
    bytes_text,
    change_text,
    measurement_text,
    time_text,
)

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from playground.ui.document import Document
    from playground.ui.theme import Theme


class VerdictChips(QObject):
    """Keeps the chips up to date: verdict, how it was replayed, fit, time, registers, memory."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._document = document
        self._correct = Chip("verdict.correct", theme, parent)
        self._route = Chip("verdict.route", theme, parent)
        self._fits = Chip("verdict.fits", theme, parent)
        self._registers = Chip("verdict.registers", theme, parent)
        self._shared = Chip("verdict.shared", theme, parent)
        self._time = Chip("verdict.time", theme, parent)
        for signal in (
            document.launchesChanged, document.configChanged, document.compiledChanged,
            document.checkedChanged, document.measuredChanged, document.baselineChanged,
            document.unusableChanged, document.targetChanged,
        ):  # fmt: skip
            signal.connect(self.refresh)
        self.refresh()

    @property
    def chips(self) -> tuple[Chip, ...]:
        """The chips in reading order."""
        return (self._correct, self._route, self._fits, self._time, self._registers, self._shared)

    def refresh(self) -> None:
        """Show the document's results; one that belongs to an older config shows as pending."""
        self._show_check()
        self._show_compile()
        self._show_time()

    def _show_check(self) -> None:
        check = self._document.check
        refusal = self._document.refusal
        device = self._document.device
        interpreted = device is not None and device.mode == "interpreter"
        if check is None or self._document.checked_config != self._document.config:
            self._correct.show_fact("checking …" if self._document.launch else "", "muted")
        elif check.status == "correct" and refusal and interpreted:
            tip = f"{check.text()}; but it cannot run on {self._document.target}: {refusal}"
            self._correct.show_fact("right in the interpreter only", "warn", "warning", tip=tip)
        elif check.status == "correct":
            self._correct.show_fact("correct", "good", "check", tip=check.text())
        elif check.status == "wrong":
            self._correct.show_fact("wrong", "bad", "cross", tip=check.text())
        else:
            self._correct.show_fact("not judged", "warn", "question", tip=check.text())

        by_driver = check is not None and check.route == "driver"
        shown = by_driver and self._document.checked_config == self._document.config
        self._route.show_fact(
            "driver run again" if shown else "", "accent", "info",
            tip="This config changes what the host code around the launch does: the whole driver "
            "was run again with it, so sizes, grid and outputs are those of this config",
        )  # fmt: skip

    def _show_compile(self) -> None:
        report = self._document.compile_report
        if report is None or not self._document.is_current(report):
            self._show_no_report()
            return
        if report.fits:
            tip = f"This config compiles and can launch on {report.target}"
            self._fits.show_fact("fits", "good", "check", tip=tip)
        else:
            tip = " ".join(report.notes) or f"It compiles but cannot launch on {report.target}"
            self._fits.show_fact("does not fit", "bad", "cross", tip=tip)
        self._show_registers()
        limit = report.shared_limit_bytes
        share = report.shared_bytes / limit if limit else None
        over = share is not None and share > 1
        text = f"shared {bytes_text(report.shared_bytes)}"
        tip = f"{text} a program" + (f", limit {bytes_text(limit)}" if limit else "")
        if share is not None and report.shared_bytes:
            text += f" ({share * 100:.0f} %)"
        self._shared.show_fact(
            text, "bad" if over else "accent", "cross" if over else "none", share=share, tip=tip
        )

    def _show_no_report(self) -> None:
        for chip in (self._fits, self._registers, self._shared):
            chip.show_fact("")
        document = self._document
        if not document.failed_to_compile:
            return
        if document.refusal:
            tip = f"It cannot run on {document.target}: {document.refusal}"
            self._fits.show_fact("does not compile", "bad", "cross", tip=tip)
        else:
            tip = "The compiler did not reach the kernel: the findings say why"
            self._fits.show_fact("not compiled", "warn", "question", tip=tip)

    def _show_registers(self) -> None:
        report = self._document.compile_report
        if report is None or report.registers is None:
            self._registers.show_fact("")
            return
        spills = report.spill_bytes or 0
        text = f"{report.registers} registers"
        tip = f"{text} a thread on {report.target}"
        if spills:
            text += f", {bytes_text(spills)} spilled"
            tip += f"; {bytes_text(spills)} a thread spill to local memory"
        self._registers.show_fact(
            text, "warn" if spills else "muted", "warning" if spills else "none", tip=tip
        )

    def _show_time(self) -> None:
        measurement = self._document.measurement
        if measurement is None or not self._document.is_current(measurement):
            self._time.show_fact("")
            return
        text = time_text(measurement.median_ms)
        tone = "accent"
        baseline = self._document.baseline
        if measurement.source == "interpreter":
            text += " on the CPU"
            tone = "warn"
        elif baseline is not None and comparable(measurement, baseline):
            text += f" ({change_text(measurement.median_ms, baseline.median_ms)})"
        tip = measurement_text(measurement)
        doubt = self._document.doubt_about(measurement)
        if doubt:
            short = "wrong result" if "wrong" in doubt else "cannot run"
            self._time.show_fact(
                f"{text}, {short}", "bad", "cross", tip=f"{tip}; {doubt}: it counts for nothing"
            )
            return
        self._time.show_fact(
            text, "warn" if tone == "warn" else "accent", "info" if tone == "warn" else "none",
            tip=tip,
        )  # fmt: skip
