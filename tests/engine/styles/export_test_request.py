#: style = "a test that asks for its name, and draws seed and offset from the GPU's generator"
#: driver = "test_noise(n=100)"
#: launches = ["noise"]
#: replay = {BLOCK = 64}
#: stores = {out = 100}
import pytest
import torch
import triton
import triton.language as tl

RESULTS = {}


@triton.jit
def noise(out, seed, offset, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.rand(seed, i + offset), i < n)


@pytest.mark.parametrize("n", [100, 1000])
def test_noise(n, request, tmp_path):
    out = torch.empty(n, device="cuda")
    generator = torch.cuda.default_generators[0]
    state = generator.get_state().view(torch.int64)
    seed, offset = state[0].item(), state[1].item()
    noise[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](out, seed, offset, n, BLOCK=32)
    RESULTS[request.node.name] = out
    torch.save(out, tmp_path / "out.pt")
    assert ((out >= 0) & (out < 1)).all()
