"""The `--check` of an exported file: against `reference`, or samples of the captured result."""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from playground.engine.session import Session
    from playground.model.config import Config
    from playground.model.launch import Launch

CHOOSE_INTERPRETER = """\
if __name__ == "__main__":
    import os

    import torch

    if not torch.cuda.is_available():
        # Without a GPU the kernel runs in Triton's interpreter, chosen before triton is imported.
        os.environ.setdefault("TRITON_INTERPRET", "1")
"""

SAMPLES = 32
"""Elements of each tensor that an exported file carries where there is no `reference`."""


def problem_text(session: Session) -> str:
    """Return the driver as the exported file runs it."""
    driver = session.driver
    if driver is None:
        return ""
    if driver.kind == "main":
        return "the file's own __main__ block"
    return call_text(session)


def call_text(session: Session) -> str:
    """Return the driver's call with the problem sizes of this session written out."""
    driver = session.driver
    code = driver.code if driver else ""
    if driver is None or driver.kind != "example":
        return code
    sizes = {size.name: size.default for size in driver.sizes} | dict(session.sizes)
    return f"example({', '.join(f'{name}={value}' for name, value in sizes.items())})"


def block(session: Session, launch: Launch, driver_code: str, parts: Proof) -> str:
    """Return the exported file's last part: its driver, and the check behind `--check`."""
    if parts.against_reference:
        return _against_reference(session, parts)
    driver = session.driver
    code = call_text(session) if driver is not None and driver.kind == "example" else driver_code
    return _against_samples(session, launch, parts, code)


@dataclass(frozen=True)
class Proof:
    """How an exported file judges itself.

    Parameters
    ----------
    against_reference
        Whether `reference` gives something to compare the driver's value with.
    tolerance
        How far an element may be off.
    unjudgeable
        Types of the tensors it is judged by that Triton's own interpreter computes wrongly.
    """

    against_reference: bool
    tolerance: float
    unjudgeable: tuple[str, ...] = ()

    def refusal(self) -> str:
        """Return the statement that ends a check which Triton's own interpreter would fail."""
        if not self.unjudgeable:
            return ""
        names = ", ".join(self.unjudgeable)
        return f"""
if playground_arguments.check and os.environ.get("TRITON_INTERPRET") == "1":
    print("not judged: Triton's interpreter is wrong about {names}; use a GPU")
    sys.exit(2)
"""


def proof_of(session: Session, launch: Launch, config: Config) -> Proof:
    """Return what the file of a launch under a config can be judged by."""
    driver = session.driver
    referenced = (
        driver is not None
        and driver.kind == "example"
        and session.outline.has_reference
        and bool(session.expected()[0])
    )
    tolerance = session.check(launch.index, config).result.tolerance
    dtypes = {
        argument.tensor.dtype
        for other in (session.launches if referenced else [session.launches[launch.index]])
        for argument in other.info.tensors()
        if argument.tensor is not None
    }
    wrong = tuple(sorted(name for name in dtypes if name.startswith(("bfloat", "float8"))))
    return Proof(referenced, 1e-2 if tolerance is None else float(tolerance), wrong)


_ARGUMENTS = """
    import argparse
    import sys

    parser = argparse.ArgumentParser(description="Run the tuned kernel.", allow_abbrev=False)
    parser.add_argument("--check", action="store_true", help="prove the result and exit 0 or 1")
    playground_arguments, left = parser.parse_known_args()
    sys.argv[1:] = left
"""


_SEEDED = '''
def seed(number):
    """Seed every generator that the driver may draw from."""
    import random

    import numpy

    random.seed(number)
    numpy.random.seed(number % (1 << 32))
    torch.manual_seed(number)
'''

_PAIRS = '''
def pairs(got, want):
    """Yield the tensors of two values, wherever both have one."""
    if isinstance(got, torch.Tensor) and isinstance(want, torch.Tensor):
        yield got, want
    elif isinstance(got, (tuple, list)) and isinstance(want, (tuple, list)):
        for one, other in zip(got, want):
            yield from pairs(one, other)
    elif isinstance(got, dict) and isinstance(want, dict):
        for key in got:
            yield from pairs(got[key], want.get(key))
    elif isinstance(got, (tuple, list)) and got:
        yield from pairs(got[0], want)
    elif hasattr(got, "__dataclass_fields__"):
        yield from pairs(vars(got), getattr(want, "__dict__", None))


def compare(got, want, tolerance):
    """Return 0 when two tensors agree, else 1."""
    if got.numel() != want.numel():
        print(f"wrong: shape {tuple(got.shape)} and not {tuple(want.shape)}")
        return 1
    wide = torch.complex128 if got.is_complex() or want.is_complex() else torch.float64
    got, want = got.to(wide).cpu(), want.to(wide).cpu().reshape(got.shape)
    same = torch.isclose(got, want, rtol=0, atol=tolerance, equal_nan=True)
    if not bool(same.all()):
        print(f"wrong: {int((~same).sum())} of {same.numel()} elements differ")
        return 1
    return 0
'''


def _against_reference(session: Session, parts: Proof) -> str:
    call = call_text(session)
    reference = "reference" + call.removeprefix("example")
    return (
        _SEEDED
        + "\n"
        + _PAIRS
        + '\n\nif __name__ == "__main__":'
        + _ARGUMENTS
        + textwrap.indent(
            f"""{parts.refusal()}
seed({session.seed})
{_guarded(f"result = {call}", "")}
if not playground_arguments.check:
    sys.exit(0)
seed({session.seed})
for got, want in pairs(result, {reference}):
    status = compare(got, want, {parts.tolerance:.3g})
    if status:
        sys.exit(status)
print("correct against the reference")
""",
            "    ",
            lambda line: bool(line.strip()),
        )
    )


def _guarded(runs: str, text: str) -> str:
    """Return statements that run the driver; a check stops in words where it cannot judge."""
    if not runs.strip() or _has_long_strings(runs):
        return runs  # which indentation would change
    body = textwrap.indent(runs, "    ", lambda line: bool(line.strip()))
    ended = ""
    if re.search(r"exit\(|SystemExit", text):
        # A script that ends itself is checked all the same.
        ended = "except SystemExit:\n    if not playground_arguments.check:\n        raise\n"
    return f"""try:
{body}
{ended}except Exception as error:
    if not playground_arguments.check or torch.cuda.is_available():
        raise
    print(f"not judged: without a GPU it ends with {{type(error).__name__}}: {{error}}")
    sys.exit(2)"""


def _has_long_strings(code: str) -> bool:
    return any(
        isinstance(node, (ast.Constant, ast.JoinedStr)) and node.lineno != node.end_lineno
        for node in ast.walk(ast.parse(code))
    )


def launches_on_import(session: Session, driver_code: str) -> bool:
    """Tell whether the file launches in its own body, with neither `example` nor a main block."""
    return not driver_code.strip()


def preamble(session: Session, launch: Launch, driver_code: str) -> str:
    """Return what the exported file starts with, before the user's own text."""
    if not launches_on_import(session, driver_code):
        return CHOOSE_INTERPRETER
    watch = textwrap.indent(_watch(session, launch), "    ", lambda line: bool(line.strip()))
    return (
        "import os\n\nimport torch\n\n"
        + CHOOSE_INTERPRETER
        + "\n"
        + _SEEDED
        + "\n"
        + _RECORDER
        + '\n\nif __name__ == "__main__":'
        + watch
    )


def _against_samples(session: Session, launch: Launch, parts: Proof, code: str) -> str:
    early = launches_on_import(session, code)
    recipe = _recipe(session, launch)
    runs = code if _is_statement(code) else f"result = {code}"
    runs = _guarded(runs, session.text)
    return (
        ("" if early else _SEEDED + "\n" + _RECORDER)
        + f"""

# Samples of the launch as it was captured: flat index and value of some elements of each tensor.
RECIPE = {_pretty(recipe)}


if __name__ == "__main__":"""
        + _ARGUMENTS
        + textwrap.indent(
            parts.refusal()
            + ("" if early else _watch(session, launch))
            + f"""
{runs}
if not playground_arguments.check:
    sys.exit(0)
sys.exit(compare(recorded, {parts.tolerance:.3g}))
""",
            "    ",
            lambda line: bool(line.strip()),
        )
    )


def _watch(session: Session, launch: Launch) -> str:
    return f"""
recorded = Recorded({launch.kernel!r}, {_ordinal(session, launch)})
seed({session.seed})
"""


def _ordinal(session: Session, launch: Launch) -> int:
    return sum(
        1 for other in session.launches[: launch.index] if other.info.kernel == launch.kernel
    )


def _is_statement(code: str) -> bool:
    try:
        ast.parse(code, mode="eval")
    except SyntaxError:
        return True
    return False


def _recipe(session: Session, launch: Launch) -> dict[str, dict[str, list[tuple[int, float]]]]:
    prepared = session.prepare(launch.index, launch.config)
    prepared.restore()
    before = _samples(prepared.arguments)
    prepared.run()
    written = {name: prepared.arguments[name] for name in prepared.written}
    after = _samples(written)
    prepared.restore()
    read = {name: values for name, values in before.items() if name not in written}
    return {"inputs": read, "outputs": after}


def _samples(arguments: dict[str, object]) -> dict[str, list[tuple[int, float]]]:
    found: dict[str, list[tuple[int, float]]] = {}
    for name, value in arguments.items():
        if isinstance(value, torch.Tensor) and value.numel():
            flat = value.detach().reshape(-1)
            count = min(SAMPLES, flat.numel())
            places = [index * (flat.numel() - 1) // max(count - 1, 1) for index in range(count)]
            found[name] = [(place, float(flat[place])) for place in dict.fromkeys(places)]
    return found


def _pretty(recipe: dict[str, dict[str, list[tuple[int, float]]]]) -> str:
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


_RECORDER = '''
class Recorded:
    """Keeps the tensors of one launch of a kernel, as they were before it and after it."""

    def __init__(self, kernel, ordinal):
        self.kernel, self.ordinal = kernel, ordinal
        self.count, self.before, self.after = 0, {}, {}
        if os.environ.get("TRITON_INTERPRET") == "1":
            from triton.runtime.interpreter import InterpretedFunction as Function
        else:
            from triton.runtime.jit import JITFunction as Function
        perform = Function.run

        def run(function, *args, **kwargs):
            if function.fn.__name__ != self.kernel or kwargs.get("warmup"):
                return perform(function, *args, **kwargs)
            self.count += 1
            if self.count != self.ordinal + 1:
                return perform(function, *args, **kwargs)
            given = {**dict(zip(function.arg_names, args)), **kwargs}
            tensors = {name: one for name, one in given.items() if isinstance(one, torch.Tensor)}
            self.before = {name: one.detach().clone() for name, one in tensors.items()}
            result = perform(function, *args, **kwargs)
            self.after = {name: one.detach().clone() for name, one in tensors.items()}
            return result

        Function.run = run


def compare(recorded, tolerance):
    """Return 0 when the launch gives what was captured, 1 when not, 2 when it cannot be told."""
    if recorded.count <= recorded.ordinal:
        print(f"not judged: {recorded.kernel} was launched {recorded.count} times")
        return 2

    def differing(tensor, values):
        flat = tensor.reshape(-1)
        got = torch.tensor([float(flat[place]) for place, _ in values], dtype=torch.float64)
        want = torch.tensor([value for _, value in values], dtype=torch.float64)
        same = torch.isclose(got, want, rtol=0, atol=tolerance, equal_nan=True)
        return int((~same).sum())

    for name, values in RECIPE["inputs"].items():
        if name not in recorded.before or differing(recorded.before[name], values):
            print(f"not judged: input {name} is not what it was at export (seeds differ by device)")
            return 2
    outputs = RECIPE["outputs"].items()
    wrong = [name for name, values in outputs if differing(recorded.after[name], values)]
    if wrong:
        print(f"wrong: {', '.join(wrong)} differ from the captured result")
        return 1
    print("correct against samples of the captured result")
    return 0
'''
