"""Every bundled kernel: right against its reference, at sizes that no block divides, and captured.

The comparison is torch's own, with tolerances for what the kernel rounds to; the references compute
in double precision.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

KERNELS = Path(__file__).parents[2] / "kernels"

EXACT = (0.0, 0.0)
SINGLE = (1e-4, 1e-4)
HALF = (1e-2, 1e-2)
BRAIN = (3e-2, 3e-2)

CASES: dict[str, list[tuple[str, tuple[float, float]]]] = {
    "autotuned": [("", SINGLE), ("n_rows=3, n_cols=7", SINGLE)],
    "debugging": [("", SINGLE), ("n=1", SINGLE)],
    "dot_pipeline": [
        ("", HALF), ("n_rows=1, n_cols=1", HALF),
        ("n_rows=7, n_cols=515, dtype=torch.float32", SINGLE),
        ("n_rows=7, n_cols=515, dtype=torch.bfloat16", BRAIN),
    ],
    "dropout": [("", SINGLE), ("n=1001, seed=7", SINGLE), ("n=5, seed=2**31 - 1", SINGLE)],
    "flash_attention": [
        ("", HALF), ("length=65, head=16, causal=False", HALF),
        ("batch=2, heads=1, length=31, head=64, dtype=torch.float32", SINGLE),
        ("length=90, dtype=torch.bfloat16", BRAIN),
    ],
    "gather_scatter": [("", SINGLE), ("n_rows=1, n_cols=3, n_indices=9", SINGLE)],
    "grid_stride": [("", SINGLE), ("n=1", SINGLE), ("n=40_000", SINGLE)],
    "grouped_gemm": [("", HALF), ("m=33, n=65, k=18", HALF)],
    "heuristics": [("", SINGLE), ("n_rows=3, n_cols=512", SINGLE)],
    "layer_norm": [
        ("", SINGLE), ("n_rows=1, n_cols=1", SINGLE), ("n_rows=70, n_cols=65", SINGLE),
        ("n_rows=9, n_cols=200, dtype=torch.float16", HALF),
    ],
    "matmul": [
        ("", HALF), ("m=1, n=1, k=1", HALF), ("m=70, n=33, k=45, dtype=torch.float32", SINGLE),
        ("m=70, n=33, k=45, dtype=torch.bfloat16", BRAIN),
    ],
    "matmul_descriptors": [("", HALF), ("m=9, n=72, k=8", HALF)],
    "matmul_fp8": [("", SINGLE), ("m=1, n=65, k=17", SINGLE)],
    "matmul_int8": [("", EXACT), ("m=1, n=65, k=17", EXACT)],
    "matmul_persistent": [("", HALF), ("m=129, n=1, k=65", HALF)],
    "reduction": [("", SINGLE), ("n=1", SINGLE), ("n=8193", SINGLE)],
    "rms_norm": [
        ("", SINGLE), ("n_rows=2, n_cols=1", SINGLE),
        ("n_rows=3, n_cols=1025, dtype=torch.float16", HALF),
    ],
    "scan": [("", SINGLE), ("n_rows=1, n_cols=513", SINGLE)],
    "softmax": [("", SINGLE), ("n_rows=3, n_cols=1", SINGLE), ("n_rows=2, n_cols=1025", SINGLE)],
    "split_k": [("", (1e-3, 1e-3)), ("m=65, n=3, k=129", (1e-3, 1e-3))],
    "stencil_2d": [("", SINGLE), ("height=1, width=1", SINGLE), ("height=17, width=65", SINGLE)],
    "stencil_3d": [("", SINGLE), ("depth=1, height=1, width=1", SINGLE)],
    "strided_copy": [("", EXACT), ("n_rows=3, n_cols=17, stride=33", EXACT)],
    "transpose": [("", EXACT), ("m=4, n=68", EXACT)],
    "vector_add": [("", SINGLE), ("size=1", SINGLE), ("size=1025", SINGLE)],
}  # fmt: skip

CODE = """
from playground.engine.session import Session

found = {{}}
session = Session()
for name, cases in {cases!r}.items():
    session.load(str(KERNELS / (name + ".py")))
    said, verdicts, fits, seen = [], [], [], set()
    # The defaults last: their launches are looked at further.
    for arguments, (rtol, atol) in reversed(cases):
        run = session.run(
            "import torch\\n"
            f"torch.testing.assert_close(example({{arguments}}), reference({{arguments}}), "
            f"rtol={{rtol}}, atol={{atol}})"
        )
        said += [f.text() for f in run.findings if f.severity in ("error", "warning")]
    for number, launch in enumerate(session.launches):
        if launch.info.kernel not in seen:
            seen.add(launch.info.kernel)
            verdicts.append(session.check(number).result.status)
            report = session.compiler.compile(launch, None, "cuda:90").report
            fits.append(report is not None and report.fits)
    found[name] = {{"said": said, "verdicts": verdicts, "fits": fits}}
session.close()
answer(found)
"""

GROUPS = tomllib.loads((KERNELS / "index.toml").read_text())["group"]


def test_every_kernel_is_in_the_index_and_in_this_table():
    listed = [name for group in GROUPS for name in group["kernels"]]
    assert sorted(listed) == sorted(path.stem for path in KERNELS.glob("*.py")) == sorted(CASES)


@pytest.mark.parametrize("group", GROUPS, ids=[group["title"] for group in GROUPS])
def test_kernels_are_right_and_compile(run_engine, group: dict[str, list[str]]):
    found = run_engine(CODE.format(cases={name: CASES[name] for name in group["kernels"]}))
    assert {name: facts["said"] for name, facts in found.items()} == {name: [] for name in found}
    for name, facts in found.items():
        assert set(facts["verdicts"]) == {"correct"}, name
        assert all(facts["fits"]), name
