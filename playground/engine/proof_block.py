"""The text of an exported file's last part: its driver, and the check behind `--check`."""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.engine import proof_text
from playground.engine.edits import shifted
from playground.engine.proof import call_text
from playground.model.knobs import OPTION_KNOBS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playground.engine.capture import CapturedLaunch
    from playground.engine.proof import Proof
    from playground.engine.proof_samples import Recipe
    from playground.engine.session import Session
    from playground.model.knobs import KnobValue

_OWN = (
    "seed", "pairs", "compare", "tensors_of", "Recorded", "untuned", "judge", "recorded", "parser",
    "playground_arguments", "remaining", "returned", "status", "RECIPE", "TUNED",
    "LARGEST", "Reached",
)  # fmt: skip
"""Names of the check itself, which the user's may not clash with."""
_HERE = "<what the file runs>"


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
    if proof.narrow:
        samples = samples.replace(*proof_text.DOUBTFUL)
    elif "reinterpret(" in body and re.search(r"float8|bfloat16", body):
        samples = samples.replace(*proof_text.CASTS)
    if not sampled:
        for line in proof_text.OF_TENSORS:
            recorder = recorder.replace(line, "")
        recorder = recorder.replace(proof_text.BEFORE_AND_AFTER, "")
    if keeps_autotune or re.search(r"autotune\(|Autotuner", body):
        recorder = _with_hook(recorder, proof_text.FIRST_CONFIG)
    if ".warmup(" in body:
        recorder = _with_hook(recorder, proof_text.COMPILED)
    if any(_gives_list(launch) for launch in session.launches):
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
    if not proof.limits:
        return ""
    return f"""if playground_arguments.check and os.environ.get("TRITON_INTERPRET") == "1":
    print({f"not judged: Triton's interpreter is no judge: {proof.limits[0]}; use a GPU"!r})
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
    if not playground_arguments.check or os.environ.get("TRITON_INTERPRET") != "1":
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


def _gives_list(launch: CapturedLaunch) -> bool:
    """Tell whether a launch's grid is a list, or a function that returns one."""
    if not callable(launch.grid):
        return isinstance(launch.grid, list)
    try:
        return isinstance(launch.grid(dict(launch.arguments)), list)
    except Exception:  # what the user's function saw is no more: then as written
        return False


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
