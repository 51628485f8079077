"""The `--check` of an exported file: against `reference`, or samples of the captured result."""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from playground.engine import checking, proof_text
from playground.engine.edits import shifted
from playground.engine.poisoning import poison
from playground.engine.replay import put_back_after
from playground.model.knobs import OPTION_KNOBS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from playground.engine.capture import CapturedLaunch
    from playground.engine.session import Session
    from playground.model.config import Config
    from playground.model.knobs import KnobValue

Recipe = dict[str, dict[str, list[tuple[int, float]]]]
"""Samples by `inputs` and `outputs`, then by tensor: flat index and value."""
SAMPLES = 32
"""Elements of each tensor that an exported file carries where there is no `reference`."""
_OWN = (
    "seed", "pairs", "compare", "tensors_of", "Recorded", "untuned", "judge", "recorded", "parser",
    "playground_arguments", "remaining", "returned", "status", "RECIPE", "TUNED",
    "LARGEST", "Reached",
)  # fmt: skip
"""Names of the check itself, which the user's may not clash with."""
_HERE = "<what the file runs>"
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
    unjudgeable
        Types of the tensors it is judged by that Triton's own interpreter computes wrongly.
    waits
        Whether programs wait for each other, which Triton's own interpreter does forever.
    largest
        Most elements of each tensor in any launch, where the file times further ones: the check
        goes no further than the launch it judges, and passes over larger ones before it.
    """

    against: str
    tolerance: float
    kernel: str
    ordinal: int
    recipe: Recipe = field(default_factory=dict)
    unjudgeable: tuple[str, ...] = ()
    waits: bool = False
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
    checked = session.judge(launch.info.index, config).result
    tolerance = 1e-2 if checked.tolerance is None else float(checked.tolerance)
    others = list(session.launches) if referenced else [launch]
    dtypes = {
        argument.tensor.dtype
        for other in others
        for argument in other.info.tensors()
        if argument.tensor is not None
    }
    wrong = tuple(sorted(name for name in dtypes if name.startswith(("bfloat", "float8"))))
    kernel, ordinal = launch.info.kernel, launch.ordinal
    if referenced:
        return Proof("reference", tolerance, kernel, ordinal, {}, wrong)
    recipe = _recipe(session, launch, config)
    if recipe["outputs"]:
        largest = _largest(session, launch, config) if session.surroundings.plan.shortened else {}
        return Proof("samples", tolerance, kernel, ordinal, recipe, wrong, largest=largest)
    return Proof("driver" if _COMPARES.search(runs) else "nothing", tolerance, kernel, ordinal,
                 recipe, wrong)  # fmt: skip


def _largest(session: Session, launch: CapturedLaunch, config: Config) -> dict[str, int]:
    """Return the most elements that each tensor has in any launch of the kernel."""
    reshaped = session.prepare(launch.info.index, config).reshaped
    found: dict[str, int] = {}
    for other in session.launches:
        if other.info.kernel != launch.info.kernel:
            continue
        for name, value in other.arguments.items():
            for leaf, tensor in _leaves(name, value):
                if name not in reshaped:
                    found[leaf] = max(found.get(leaf, 0), tensor.numel())
    return found


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


@dataclass(frozen=True)
class Runs:
    """What the exported file runs: statements, and an expression or statements after them."""

    statements: str
    code: str


def block(
    session: Session, proof: Proof, runs: Runs, expected: Mapping[str, KnobValue], body: str, *,
    keeps_autotune: bool, seeds_itself: bool,
) -> str:  # fmt: skip
    """Return the exported file's last part: its driver, and the check behind `--check`.

    Parameters
    ----------
    expected
        The config that the launch must receive.
    body
        The rest of the file; what the check calls its own names must not clash with it.
    seeds_itself
        Whether the file seeds its generators in front, because its own body draws numbers.
    """
    text = _block(
        session, proof, runs, expected, body, keeps_autotune=keeps_autotune,
        seeds_itself=seeds_itself,
    )  # fmt: skip
    users = f"{body}\n{runs.statements}\n{runs.code}"
    for name in _OWN:
        if re.search(rf"(?<![.\w\"']){name}\b", users):
            text = re.sub(rf"(?<![.\w\"']){name}\b(?!=[^=])", f"_{name}", text)
    reached = "_Reached" if "class _Reached" in text else "Reached"
    ends = f"except {reached}:\n    pass\n" if proof.largest else ""
    return text.replace(f"    {_HERE}", _indented(_driver(runs, session, ends)))


def _block(
    session: Session, proof: Proof, runs: Runs, expected: Mapping[str, KnobValue], body: str, *,
    keeps_autotune: bool, seeds_itself: bool,
) -> str:  # fmt: skip
    tuned = {
        name: value
        for name, value in expected.items()
        if value is not None and not (isinstance(value, str) and value.startswith("tl."))
        and not (name in OPTION_KNOBS and ".warmup(" in body)
    }  # fmt: skip
    sampled = proof.against == "samples"
    recorder, samples = proof_text.RECORDER, proof_text.SAMPLES
    if re.search(r"float8|bfloat16", body):
        samples = samples.replace(*proof_text.DOUBTFUL)
    if not sampled:
        for line in proof_text.OF_TENSORS:
            recorder = recorder.replace(line, "")
        recorder = recorder.replace(proof_text.BEFORE_AND_AFTER, "")
    if keeps_autotune or re.search(r"autotune\(|Autotuner", body):
        recorder = _with_hook(recorder, proof_text.FIRST_CONFIG)
    if ".warmup(" in body:
        recorder = _with_hook(recorder, proof_text.COMPILED)
    if any(isinstance(launch.grid, list) for launch in session.launches):
        recorder = recorder.replace(*proof_text.LIST_GRID)
    if proof.largest:
        for change in proof_text.SWEPT:
            recorder = recorder.replace(*change)
    parts = [
        "" if seeds_itself else proof_text.SEED,
        proof_text.LEAVES if sampled else "",
        proof_text.REACHED if proof.largest else "",
        recorder,
        proof_text.PAIRS if proof.against == "reference" else "",
        samples if sampled else "",
    ]
    constants = [f"# The config that the launch must receive.\nTUNED = {_table(tuned)}"]
    if sampled:
        constants.append(
            "# Samples of the launch as it was captured: flat index and value of some elements of "
            f"each tensor.\nRECIPE = {_pretty(proof.recipe)}"
        )
    if proof.largest:
        constants.append(
            "# Most elements of each tensor: larger sizes that the file times are passed over.\n"
            f"LARGEST = {_table(proof.largest)}"
        )
    main = [
        "import argparse\nimport inspect\nimport os\nimport sys\n" + _ARGUMENTS,
        _refusal(proof),
        "" if seeds_itself else f"seed({session.seed})",
        "if playground_arguments.check:\n"
        f"    recorded = Recorded({_quoted(proof.kernel)}, {proof.ordinal})",
        _EAGER if "torch.compile" in body else "",
        _NO_STOPS if re.search(r"breakpoint\(|set_trace\(", f"{body}{runs.statements}") else "",
        _HERE,
        "if not playground_arguments.check:\n    sys.exit(0)",
        _NOT_LAUNCHED,
        _judged(session, proof),
    ]
    statements = "\n".join(part.strip("\n") for part in main if part)
    functions = "\n\n\n".join(part.strip("\n") for part in parts if part)
    return (
        f"{functions}\n\n\n"
        + "\n\n".join(constants)
        + '\n\n\nif __name__ == "__main__":\n'
        + _indented(statements)
    )


_ARGUMENTS = """
parser = argparse.ArgumentParser(description="Run the tuned kernel.", allow_abbrev=False)
parser.add_argument("--check", action="store_true", help="prove the result and exit 0 or 1")
playground_arguments, remaining = parser.parse_known_args()
sys.argv[1:] = remaining
"""

_EAGER = """
if playground_arguments.check:
    # Compiled functions launch past the recorder.
    torch.compiler.set_stance("force_eager")
"""

_NO_STOPS = """
if playground_arguments.check:
    # Nobody is there to answer a debugger.
    sys.breakpointhook = lambda *_, **__: None
    for debugger in ("pdb", "ipdb"):
        if debugger in sys.modules:
            sys.modules[debugger].set_trace = sys.breakpointhook
"""

_NOT_LAUNCHED = """
if recorded.count <= recorded.ordinal:
    print(f"not judged: {recorded.kernel} was launched {recorded.count} times")
    sys.exit(2)
if untuned(recorded):
    print(f"wrong: {untuned(recorded)}")
    sys.exit(1)
"""


def _judged(session: Session, proof: Proof) -> str:
    if proof.against == "samples":
        return f"sys.exit(judge(recorded, {proof.tolerance:.3g}))"
    if proof.against == "driver":
        return 'print("correct by the driver\'s own comparisons")'
    if proof.against == "nothing":
        return 'print("not judged: the launch leaves nothing that could be sampled")\nsys.exit(2)'
    reference = "reference" + call_text(session).removeprefix("example")
    return f"""seed({session.seed})
for got, want in pairs(returned, {reference}):
    status = compare(got, want, {proof.tolerance:.3g})
    if status:
        sys.exit(status)
print("correct against the reference")"""


def _refusal(proof: Proof) -> str:
    """Return the statement that ends a check which Triton's own interpreter would fail."""
    if proof.waits:
        why = "programs wait for each other, and Triton's interpreter runs one after the other"
    elif proof.unjudgeable:
        why = f"Triton's interpreter is wrong about {', '.join(proof.unjudgeable)}"
    else:
        return ""
    return f"""if playground_arguments.check and os.environ.get("TRITON_INTERPRET") == "1":
    print("not judged: {why}; use a GPU")
    sys.exit(2)"""


def _driver(runs: Runs, session: Session, ends: str) -> str:
    """Return statements that run the driver; a check stops in words where it cannot judge."""
    code = runs.code
    driver = session.driver
    if driver is not None and driver.kind == "example":
        code = call_text(session)
    if code.strip() and not _is_statement(code):
        code = f"returned = {code}"
    text = "\n".join(part for part in (runs.statements, code) if part.strip()) or "pass"
    ended = ""
    if re.search(r"exit\(|SystemExit|pytest\.main", session.text):
        # A script that ends itself is checked all the same.
        ended = "except SystemExit:\n    if not playground_arguments.check:\n        raise\n"
    return f"""try:
{_indented(text)}
{ends}{ended}except Exception as error:
    if not playground_arguments.check or torch.cuda.is_available():
        raise
    print(f"not judged: without a GPU it ends with {{type(error).__name__}}: {{error}}")
    sys.exit(2)"""


def _with_hook(recorder: str, hook: str) -> str:
    return recorder.replace(
        "\n        Function.run = run\n", f"\n        Function.run = run\n{hook}"
    )


def _indented(text: str) -> str:
    return shifted(text, 4)


def _quoted(text: str) -> str:
    return f'"{text}"'


def _is_statement(code: str) -> bool:
    try:
        ast.parse(code, mode="eval")
    except SyntaxError:
        return True
    return False


def _recipe(session: Session, launch: CapturedLaunch, config: Config) -> Recipe:
    """Return samples of a launch's tensors before it, and of what it leaves.

    What depends on the config (partial results of each block) is sampled under that config, which
    was judged right on the way.
    """
    inputs, captured = _outcome(session, launch, launch.info.config)
    outputs = captured
    if config != launch.info.config:
        right = session.judge(launch.info.index, config).result.status == "correct"
        _, tuned = _outcome(session, launch, config)
        outputs = {
            name: captured[name] if name in captured and _agrees(launch, tensor, captured[name])
            else tensor
            for name, tensor in tuned.items()
            if right or (name in captured and _agrees(launch, tensor, captured[name]))
        }  # fmt: skip
    left = {name: _samples(tensor) for name, tensor in outputs.items()}
    return {
        "inputs": {name: values for name, values in inputs.items() if values},
        "outputs": {name: values for name, values in left.items() if values},
    }


def _outcome(
    session: Session, launch: CapturedLaunch, config: Config
) -> tuple[dict[str, list[tuple[int, float]]], dict[str, torch.Tensor]]:
    """Run a launch under a config; return samples of what it reads, and copies of what it left."""
    with put_back_after(session.prepare(launch.info.index, config)) as prepared:
        prepared.restore()
        # A table of addresses is another one in every process.
        addresses = torch.int64 if prepared.in_place else None
        inputs = {
            leaf: _samples(tensor)
            for name, value in prepared.arguments.items()
            if name not in prepared.written and name not in prepared.reshaped
            for leaf, tensor in _leaves(name, value)
            if tensor.dtype != addresses
        }
        prepared.run()
        session.synchronize()
        left = {
            leaf: tensor.detach().clone()
            for name in prepared.written
            for leaf, tensor in _leaves(name, prepared.arguments[name])
        }
        prepared.restore()
    return inputs, left


def _agrees(launch: CapturedLaunch, one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.shape != other.shape:
        return False
    limits = checking.tolerances(launch, other.dtype)
    return not checking.compare("", one, other, *limits).mismatches


def _leaves(name: str, value: Any) -> Iterator[tuple[str, torch.Tensor]]:
    if isinstance(value, torch.Tensor):
        yield name, value
    elif isinstance(value, (tuple, list)):
        for place, one in enumerate(value):
            yield from _leaves(f"{name}[{place}]", one)
    elif isinstance(getattr(value, "base", None), torch.Tensor):
        yield name, value.base


def _samples(tensor: torch.Tensor) -> list[tuple[int, float]]:
    """Return some elements by flat index; memory that was never filled is passed over."""
    if not tensor.numel() or tensor.is_complex():
        return []
    flat = tensor.detach().reshape(-1)
    filled = torch.ones(flat.numel(), dtype=torch.bool, device=flat.device)
    if tensor.dtype != torch.bool:
        fresh = torch.empty(1, dtype=flat.dtype, device=flat.device)
        poison(fresh)
        size = flat.element_size()
        same = flat.view(torch.uint8).view(-1, size) == fresh.view(torch.uint8)
        filled = ~same.all(1)
    known = torch.nonzero(filled).reshape(-1)
    count = min(SAMPLES, known.numel())
    chosen = [index * (known.numel() - 1) // max(count - 1, 1) for index in range(count)]
    places = [int(known[index]) for index in dict.fromkeys(chosen)]
    return [(place, float(flat[place])) for place in places]


def _table(values: Mapping[str, KnobValue]) -> str:
    text = "{" + ", ".join(f'"{name}": {value!r}' for name, value in values.items()) + "}"
    if len(text) < 90:
        return text
    lines = "".join(f'    "{name}": {value!r},\n' for name, value in values.items())
    return "{\n" + lines + "}"


def _pretty(recipe: Recipe) -> str:
    lines = ["{"]
    for part, tensors in recipe.items():
        lines.append(f'    "{part}": {{')
        for name, values in tensors.items():
            text = ", ".join(f"({place}, {_number(value)})" for place, value in values)
            lines += [f'        "{name}": [', *textwrap.wrap(text, 86, initial_indent=" " * 12,
                      subsequent_indent=" " * 12), "        ],"]  # fmt: skip
        lines.append("    },")
    return "\n".join([*lines, "}"])


def _number(value: float) -> str:
    return repr(value) if value == value and abs(value) != float("inf") else f'float("{value}")'
