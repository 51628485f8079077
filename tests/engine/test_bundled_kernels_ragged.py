"""Every bundled kernel against its reference at random sizes, dtypes and seeds; and gradients."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.ragged_cases import KERNELS, MOST_ELEMENTS, SEEDED, count_of, draws

FILES = Path(__file__).parents[2] / "kernels"

CODE = """
import gc
import torch
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
        del run
        if session.device.mode == "gpu":  # what is free is not held: others may need it
            gc.collect()
            torch.cuda.empty_cache()
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


def code(names: list[str], *, on_gpu: bool = False, count: int = 0) -> str:
    cases = {name: draws(name, count or count_of(name), on_gpu=on_gpu) for name in names}
    return CODE.format(cases=cases, seeded=SEEDED)


def test_every_kernel_has_its_bounds():
    assert sorted(KERNELS) == sorted(path.stem for path in FILES.glob("*.py"))


def test_six_draws_hold_every_dtype_and_pair_of_options_and_stay_small():
    for name, ragged in KERNELS.items():
        drawn = [dict(item.split("=") for item in text.split(", ")) for text, _ in
                 draws(name, 6, on_gpu=True)]  # fmt: skip
        for option, values in ragged.choices.items():
            assert {item[option] for item in drawn} == set(values), name
            for other, others in ragged.choices.items():
                if other > option:
                    pairs = {(item[option], item[other]) for item in drawn}
                    assert len(pairs) == len(values) * len(others), (name, option, other)
        for item in drawn:
            sizes = sorted(int(item[size]) for size in ragged.sizes if size != "seed")
            assert sizes[-1] * (sizes[-2] if len(sizes) > 1 else 1) <= MOST_ELEMENTS, name
        dtypes = {dict(item.split("=") for item in text.split(", ")).get("dtype")
                  for text, _ in draws(name, count_of(name))}  # fmt: skip
        assert dtypes == set(ragged.choices.get("dtype", (None,))), name


@pytest.mark.parametrize("part", range(3))
def test_kernels_are_right_at_random_sizes_dtypes_and_seeds(run_engine, part: int):
    names = sorted(KERNELS)[part::3]
    found = run_engine(code(names))
    assert found == {name: [] for name in names}


def test_layer_norm_passes_gradcheck(run_engine):
    assert run_engine(GRADIENTS) == {"right": True}
