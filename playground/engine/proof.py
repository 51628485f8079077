"""The `--check` of an exported file: against `reference`, or samples of the captured result."""

from __future__ import annotations

import ast
import textwrap
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


def block(session: Session, launch: Launch, config: Config, driver_code: str) -> str:
    """Return the exported file's last part: its driver, and the check behind `--check`."""
    driver = session.driver
    if driver is not None and driver.kind == "example" and session.outline.has_reference:
        return _against_reference(session, launch, config)
    code = call_text(session) if driver is not None and driver.kind == "example" else driver_code
    return _against_samples(session, launch, config, code)


_ARGUMENTS = """
    import argparse
    import sys

    parser = argparse.ArgumentParser(description="Run the tuned kernel.", allow_abbrev=False)
    parser.add_argument("--check", action="store_true", help="prove the result and exit 0 or 1")
    playground_arguments, left = parser.parse_known_args()
    sys.argv[1:] = left
"""


def _tolerance(session: Session, launch: Launch, config: Config) -> float:
    result = session.check(launch.index, config).result
    if result.tolerance is not None:
        return float(result.tolerance)
    return 1e-2


def _against_reference(session: Session, launch: Launch, config: Config) -> str:
    call = call_text(session)
    reference = "reference" + call.removeprefix("example")
    tolerance = _tolerance(session, launch, config)
    return (
        'if __name__ == "__main__":'
        + _ARGUMENTS
        + textwrap.indent(
            f"""
result = {call}
if not playground_arguments.check:
    sys.exit(0)
expected = {reference}
results = result if isinstance(result, (tuple, list)) else [result]
expecteds = expected if isinstance(expected, (tuple, list)) else [expected]
interpreted = os.environ.get("TRITON_INTERPRET") == "1"
for number, (got, want) in enumerate(zip(results, expecteds)):
    if interpreted and got.dtype not in (torch.float16, torch.float32, torch.float64) and (
        got.is_floating_point()
    ):
        print(f"not judged: Triton's interpreter is wrong about {{got.dtype}}; use a GPU")
        sys.exit(2)
    got, want = got.double().cpu(), want.double().cpu()
    same = torch.isclose(got, want, rtol=0, atol={tolerance:.3g}, equal_nan=True)
    if got.shape != want.shape or not bool(same.all()):
        print(f"wrong: {{int((~same).sum())}} of {{same.numel()}} elements differ")
        sys.exit(1)
print("correct against the reference")
""",
            "    ",
            lambda line: bool(line.strip()),
        )
    )


def _against_samples(session: Session, launch: Launch, config: Config, code: str) -> str:
    ordinal = sum(
        1 for other in session.launches[: launch.index] if other.info.kernel == launch.kernel
    )
    recipe = _recipe(session, launch)
    tolerance = _tolerance(session, launch, config)
    runs = code if _is_statement(code) else f"result = {code}"
    return (
        _RECORDER
        + f"""

# Samples of the launch as it was captured: flat index and value of some elements of each tensor.
RECIPE = {_pretty(recipe)}


if __name__ == "__main__":"""
        + _ARGUMENTS
        + textwrap.indent(
            f"""
recorded = {launch.kernel} = Recorded({launch.kernel}, {[a.name for a in launch.arguments]!r})
torch.manual_seed({session.seed})
{runs}
if not playground_arguments.check:
    sys.exit(0)
sys.exit(compare(recorded, {ordinal}, {tolerance:.3g}))
""",
            "    ",
            lambda line: bool(line.strip()),
        )
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
    """Launches a kernel as before and remembers the tensors it was given."""

    def __init__(self, kernel, names):
        self.kernel, self.names, self.launches = kernel, names, []

    def __getattr__(self, name):
        return getattr(self.kernel, name)

    def __getitem__(self, grid):
        def launch(*args, **kwargs):
            before = {}
            for name, value in [*zip(self.names, args), *kwargs.items()]:
                if isinstance(value, torch.Tensor):
                    before[name] = (value, value.detach().clone())
            result = self.kernel[grid](*args, **kwargs)
            self.launches.append(before)
            return result

        return launch


def compare(recorded, ordinal, tolerance):
    """Return 0 when the launch gives what was captured, 1 when not, 2 when it cannot be told."""
    if ordinal >= len(recorded.launches):
        print("not judged: the driver did not launch the kernel often enough")
        return 2
    tensors = recorded.launches[ordinal]

    def differing(name, values, which):
        flat = tensors[name][which].reshape(-1)
        got = torch.tensor([float(flat[place]) for place, _ in values], dtype=torch.float64)
        want = torch.tensor([value for _, value in values], dtype=torch.float64)
        same = torch.isclose(got, want, rtol=0, atol=tolerance, equal_nan=True)
        return int((~same).sum())

    for name, values in RECIPE["inputs"].items():
        if name not in tensors or differing(name, values, 1):
            print(f"not judged: input {name} is not what it was at export (seeds differ by device)")
            return 2
    wrong = [name for name, values in RECIPE["outputs"].items() if differing(name, values, 0)]
    if wrong:
        print(f"wrong: {', '.join(wrong)} differ from the captured result")
        return 1
    print("correct against samples of the captured result")
    return 0
'''
