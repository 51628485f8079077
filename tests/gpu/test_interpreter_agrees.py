"""The interpreter against the GPU: the same kernels, the same inputs, the same bits."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.child_environment import child_environment
from tests.engine.interpreted import ROOT

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.gpu


def outputs(mode: str, folder: Path) -> dict[str, Any]:
    """Run every kernel in a process of its own and load what it wrote."""
    import torch

    file = folder / f"{mode}.pt"
    chosen = "1" if mode.startswith("interpreted") else "0"
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests/gpu/interpreter_outputs.py"), mode, str(file)],
        env=child_environment(PYTHONWARNINGS="ignore", TRITON_INTERPRET=chosen),
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = torch.load(file)
    return {**found, "addresses": json.loads(done.stdout.splitlines()[-1])}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Any]]:
    folder = tmp_path_factory.mktemp("agree")
    return outputs("gpu", folder), outputs("interpreted", folder)


def test_every_result_has_the_same_bits(both):
    import torch

    gpu, interpreted = both
    names = [name for name in gpu if name != "addresses"]
    assert len(names) >= 30
    different = {}
    for name in names:
        want, got = gpu[name].double(), interpreted[name].double()
        same = (want == got) | (want.isnan() & got.isnan())
        if name == "torch.float8_e5m2 to torch.bfloat16":
            # Triton 3.6 on sm_90 turns e5m2's infinity and NaN into finite bf16 numbers (65536 and
            # more); the interpreter keeps them, as torch does.
            same |= ~got.isfinite()
        if not same.all():
            first = int(torch.nonzero(~same.reshape(-1))[0])
            different[name] = (
                f"{int((~same).sum())} of {same.numel()}, first at {first}: "
                f"{want.reshape(-1)[first]} on the GPU, {got.reshape(-1)[first]} interpreted"
            )
    assert not different


def test_gpu_tensors_interpreted_are_observed_at_their_own_addresses(tmp_path):
    found = outputs("interpreted-on-gpu-tensors", tmp_path)
    assert found["addresses"] == {"inside": True, "outside": ["o", "store", 1, 4]}
    assert found["copied"].tolist() == [float(i) for i in range(12)]
