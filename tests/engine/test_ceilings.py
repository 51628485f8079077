"""The kernels that measure a GPU's ceilings compile and do what they are said to do."""

from __future__ import annotations


def test_the_kernels_compute_what_they_claim(run_engine):
    found = run_engine("""
        import torch
        from playground.engine import ceiling_kernels as kernels
        # Every pass reads every element once: four passes give each sum four times.
        x = torch.arange(64, dtype=torch.int32)
        out = torch.zeros(2 * 8, dtype=torch.int32)
        kernels.read_all[(2,)](x, out, 64, PASSES=4, BLOCK=8)
        y = torch.linspace(-1, 1, 32)
        after = torch.empty_like(y)
        kernels.multiply_add[(2,)](y, after, TURNS=3, BLOCK=16)
        chains = torch.stack([y, y + 1, y + 2, y + 3]).double()
        factors = torch.tensor([0.999, 0.998, 0.997, 0.996]).double()[:, None]
        for _ in range(3):
            chains = chains * factors + 0.5
        kernels.nothing[(1,)]()
        answer({
            "sum": int(out.sum()), "wanted": 4 * int(x.sum()),
            "error": float((after.double() - chains.sum(0)).abs().max()),
        })
    """)
    assert found["sum"] == found["wanted"]
    assert found["error"] < 1e-5
