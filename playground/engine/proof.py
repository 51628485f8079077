"""The `--check` of an exported file: against `reference`, or samples of the captured result."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from playground.engine import export_interpreter, proof_text
from playground.engine.proof_samples import Recipe, largest_sizes, recipe

if TYPE_CHECKING:
    from playground.engine.capture import CapturedLaunch
    from playground.engine.session import Session
    from playground.model.config import Config

_COMPARES = re.compile(r"\bassert\b|assert_close|allclose|assert_allclose|assertEqual|\.equal\(")


@dataclass(frozen=True)
class Proof:
    """How an exported file judges itself.

    Parameters
    ----------
    against
        `reference`: what the driver returns; `samples`: what a launch leaves, or what the driver
        returns; `driver`: the driver's own comparisons.
    tolerance
        How far an element may be off.
    recipe
        Samples of the watched launch's inputs and outputs, and of the driver's value.
    watched
        Name and ordinal of the kernel's launch that the samples are of.
    narrow
        Whether it is about types that Triton's own interpreter computes wrongly: those go in fp32.
    limits
        Why Triton's own interpreter cannot judge it: then the check says so without a GPU.
    doubts
        What may keep it from being judged without a GPU.
    largest
        Most elements of each tensor in any launch, where the file times further ones, or fails
        later on: the check goes no further than the launch that it judges, and passes over larger
        ones before it.
    """

    against: str
    tolerance: float
    kernel: str
    ordinal: int
    recipe: Recipe = field(default_factory=dict)
    narrow: bool = False
    limits: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    largest: dict[str, int] = field(default_factory=dict)


def proof_of(session: Session, launch: CapturedLaunch, config: Config, runs: str) -> Proof:
    """Return what the file of a launch under a config can be judged by.

    Parameters
    ----------
    runs
        What the exported file runs: where no tensor can be sampled, its own comparisons judge.
    """
    driver = session.driver
    referenced = (
        driver is not None
        and driver.kind == "example"
        and session.outline.has_reference
        and bool(session.expected()[0])
    )
    tolerance: float | None = None
    if launch.error is None:
        tolerance = session.judge(launch.info.index, config).result.tolerance
    others = list(session.launches) if referenced else [launch]
    dtypes = {
        argument.tensor.dtype
        for other in others
        for argument in other.info.tensors()
        if argument.tensor is not None
    }
    narrow = any(name.startswith(("bfloat", "float8")) for name in dtypes)
    kernels = export_interpreter.taking_part(runs, launch.info.kernel)
    narrow = narrow or export_interpreter.names_narrow(kernels)
    limits, doubts = _without_gpu(session, launch, runs, kernels, narrow=narrow)
    proof = Proof(
        "reference",
        1e-2 if tolerance is None else float(tolerance),
        launch.info.kernel,
        launch.ordinal,
        {},
        narrow,
        limits,
        doubts,
    )
    if referenced:
        return proof
    made: Recipe = {}
    if launch.error is None:
        made = recipe(session, launch, config)
    if made.get("outputs"):
        stops = session.surroundings.plan.shortened or any(
            told.stage == "driver" and told.severity == "error" for told in session.findings
        )
        largest = largest_sizes(session, launch, config) if stops else {}
        return replace(proof, against="samples", recipe=made, largest=largest)
    if _COMPARES.search(runs):
        return replace(proof, against="driver", recipe=made)
    return replace(
        proof, against="nothing", recipe=made,
        doubts=("the launch leaves nothing that could be sampled", *doubts),
    )  # fmt: skip


def _without_gpu(
    session: Session, launch: CapturedLaunch, text: str, kernels: str, *, narrow: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return why a check without a GPU cannot judge, and what may keep it from judging."""
    limits = export_interpreter.limits(text, kernels, narrow=narrow)
    if launch.error is not None and not limits:
        said = str(launch.error).splitlines() or [type(launch.error).__name__]
        limits.append(f"the launch failed in it: {said[0]}")
    if narrow and launch.snapshot.in_place:
        limits.append("its tensors hold addresses of bfloat16 or float8 memory")
    if any("programs wait for each other" in told.message for told in session.findings):
        limits.append("it runs one program after the other, and these wait for each other")
    doubts = export_interpreter.doubts(text)
    if not narrow and "reinterpret(" in text and re.search(r"float8|bfloat16", text):
        doubts.append("it casts to bfloat16 and float8 wrongly")
    return tuple(limits), tuple(doubts)


def problem_text(session: Session) -> str:
    """Return the driver as the exported file runs it."""
    driver = session.driver
    if driver is None:
        return "the file's own statements"
    if driver.kind == "main":
        return "the file's own __main__ block"
    code = call_text(session).strip()
    return code if "\n" not in code else "the statements at its end"


def call_text(session: Session) -> str:
    """Return the driver's call with the problem sizes of this session written out."""
    driver = session.driver
    code = driver.code if driver else ""
    if driver is None or driver.kind != "example":
        return code
    sizes = {size.name: size.default for size in driver.sizes} | dict(session.sizes)
    return f"example({', '.join(f'{name}={value}' for name, value in sizes.items())})"


def seeding(number: int) -> str:
    """Return lines that seed every generator before the file's own body draws from one."""
    return proof_text.SEED.strip("\n") + f'\n\n\nif __name__ == "__main__":\n    seed({number})'
