"""Scripted advice on the vector add, and scripted outcomes of tries."""

from __future__ import annotations

from playground.model.advice import (
    TOPICS,
    Advice,
    Advisory,
    Answer,
    Evidence,
    ExpectedGain,
    LineEdit,
    Try,
    TryResult,
)
from playground.model.comparison import Comparison
from playground.protocol import advice, messages

ROUNDS = 60
KNOBS = Try(
    "BLOCK_SIZE=1024",
    (("BLOCK_SIZE", 1024),),
    gain=ExpectedGain(2.96, "3.26 µs (waiting for loads) over 1.1 µs (waiting for loads)", 2.2e-3),
)
EDIT = Try(
    "hints in line 3",
    edits=(LineEdit(3, ("third",), ("third, hinted",)),),
    gain=ExpectedGain(1.4, "narrow memory instructions before over after: 16 / 4"),
)


def compared(ratio: float) -> Comparison:
    after, before = (ratio,) * ROUNDS, (1.0,) * ROUNDS
    verdict = "faster" if ratio < 1 else "slower"
    return Comparison("after", "before", after, before, ratio, ratio * 0.99, ratio * 1.01, verdict,
                      "cupti", "cold")  # fmt: skip


class FakeAdvice:
    """Answers `GetAdvice` and `TryAdvice`; `advised` and `outcomes` are what tests may change."""

    advised: tuple[Advice, ...] | None = None
    outcomes: dict[str, TryResult]

    def _answer_getadvice(self, request: advice.GetAdvice) -> list[messages.Reply]:
        return [advice.Advised(self.advisory(request, self._has_gpu()))]

    def _answer_tryadvice(self, request: advice.TryAdvice) -> list[messages.Reply]:
        gpu = self._has_gpu()
        result = getattr(self, "outcomes", {}).get(request.attempt.label) or TryResult(
            request.attempt, compared(0.4) if gpu else None,
            "measured" if gpu else "not measured", "" if gpu else "there is no GPU here",
        )  # fmt: skip
        return [advice.TriedAdvice(request.launch, request.config, result)]

    def _has_gpu(self) -> bool:
        return bool(self.device.mode == "gpu")  # type: ignore[attr-defined]

    def advisory(self, request: advice.GetAdvice, gpu: bool) -> Advisory:
        """Return the advice on a launch."""
        items = self.advised if self.advised is not None else advice_on_threads()
        missing = (
            ()
            if gpu
            else (
                "no time: there is no such GPU here; gains are worked out from "
                "compiling, counting and data sheets (expected, not measured)",
            )
        )
        answers = tuple(Answer(topic, f"figures of {topic}") for topic in TOPICS)
        return Advisory(
            request.launch, request.config, "add_kernel", request.target or "cuda:90", items,
            answers, 3.26e-3, 0.716e-3, gpu, missing,
        )  # fmt: skip


def advice_on_threads() -> tuple[Advice, ...]:
    """Return advice with knobs to set and advice with lines to change."""
    return (
        Advice(
            "memory access", "missing-hint",
            "the compiler cannot prove that this load is aligned, and moves 32 bits a thread at a "
            "time", "where it always holds, say so: tl.multiple_of and tl.max_contiguous",
            (Evidence("bits of one access of a thread", 32.0, "bit", "compiled"),
             Evidence("x = tl.load(x_ptr + start + columns)", None, "", "source")),
            EDIT.gain, (EDIT,), "vector_add.py", 3,
            ("that the addresses are aligned was seen in this launch",),
        ),
        Advice(
            "parallelism", "idle-threads",
            "a program has 128 threads for blocks of 32 elements: the others repeat what these do",
            "fewer warps, or a larger block: at least one element for each thread, better 16 bytes",
            (Evidence("elements of the largest block", 32.0, "elements", "counted"),
             Evidence("threads of a program", 128.0, "threads", "compiled")),
            KNOBS.gain, (KNOBS,), "vector_add.py", 21,
        ),
    )  # fmt: skip
