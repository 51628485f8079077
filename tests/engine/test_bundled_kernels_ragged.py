"""Every bundled kernel against its reference at random sizes, dtypes and seeds; and gradients."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.ragged_cases import KERNELS, SEEDED, draws

FILES = Path(__file__).parents[2] / "kernels"
DRAWS = 2

CODE = """
from playground.engine.session import Session

found = {{}}
session = Session()
for name, cases in {cases!r}.items():
    session.load(str(KERNELS / (name + ".py")))
    said = []
    for seed, (arguments, limit) in enumerate(cases):
        run = session.run(
            {seeded!r}.format(seed=seed + 1)
            + f"torch.testing.assert_close(example({{arguments}}), reference({{arguments}}), "
            f"rtol={{limit}}, atol={{limit}})"
        )
        said += [f"{{arguments}}: {{f.message}}" for f in run.findings if f.severity == "error"]
    found[name] = said
session.close()
answer(found)
"""

GRADIENTS = """
import sys
sys.path.insert(0, str(KERNELS))
from playground.engine.machine import prepare_environment
prepare_environment()
import torch, layer_norm

generator = torch.Generator().manual_seed(3)
leaves = [
    torch.randn(*shape, generator=generator, dtype=torch.float64, requires_grad=True)
    for shape in ((2, 3), (3,), (3,))
]
answer({"right": torch.autograd.gradcheck(lambda *given: layer_norm.layer_norm(*given), leaves)})
"""


def code(names: list[str], *, on_gpu: bool = False, count: int = DRAWS) -> str:
    cases = {name: draws(name, count, on_gpu=on_gpu) for name in names}
    return CODE.format(cases=cases, seeded=SEEDED)


def test_every_kernel_has_its_bounds():
    assert sorted(KERNELS) == sorted(path.stem for path in FILES.glob("*.py"))


@pytest.mark.parametrize("part", range(3))
def test_kernels_are_right_at_random_sizes_dtypes_and_seeds(run_engine, part: int):
    names = sorted(KERNELS)[part::3]
    found = run_engine(code(names))
    assert found == {name: [] for name in names}


def test_layer_norm_passes_gradcheck(run_engine):
    assert run_engine(GRADIENTS) == {"right": True}
