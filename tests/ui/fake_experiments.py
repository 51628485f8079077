"""Results of experiments made up by hand, with verdicts that are known from their figures."""

from __future__ import annotations

from playground.model.experiment import ExperimentResult, Figures, Machine
from playground.model.finding import Finding
from playground.protocol import messages

GPU = Machine("NVIDIA Test 9000", 100, 4000.0, "600.1", "2.11.0", "3.6.0")
OTHER = Machine("NVIDIA H200", 132, 4249.0, "580.1", "2.11.0", "3.6.0")

TMA = Figures(
    ("case", "pointers (us)", "descriptors (us)", "times faster"),
    (("2048 x 2048, fp32", 20.0, 10.0, 2.0), ("8192 x 8192, fp32", 300.0, 250.0, 1.2)),
)
"""Holds for the first case only."""

BLOCKS = Figures(
    ("case", "BLOCK_SIZE", "time (us)", "over the fastest"),
    tuple(
        (case, float(block), best * factor, factor)
        for case, best, factors in (
            ("2^16", 2.0, (1.3, 1.05, 1.0, 1.01, 1.2, 1.5)),
            ("2^24", 50.0, (1.9, 1.3, 1.1, 1.0, 1.0, 1.02)),
        )
        for block, factor in zip((64, 128, 256, 512, 1024, 2048), factors, strict=True)
    ),
)
"""256 is the best for the first length, and 10 % behind for the second."""


def result(name: str, figures: Figures, machine: Machine = GPU) -> ExperimentResult:
    return ExperimentResult(name, 1, figures, machine, "2026-11-30", 12.5)


class FakeExperiments:
    """Measures two experiments; every other one fails."""

    def _answer_measureexperiment(
        self, request: messages.MeasureExperiment
    ) -> list[messages.Reply]:
        figures = {"tma": TMA, "block-size": BLOCKS}
        if request.name not in figures:
            finding = Finding("error", "timing", f"{request.name} failed: out of memory")
            return [messages.Finished(findings=(finding,))]
        return [messages.ExperimentMeasured(result(request.name, figures[request.name]))]
