#: style = "the addresses of tensors kept inside an int64 tensor (grouped work)"
#: launches = ["grouped_scale"]
#: replay = {BLOCK = 16}
#: loads = {pointers = 9, sizes = 9}
import torch
import triton
import triton.language as tl


@triton.jit
def grouped_scale(pointers, sizes, factor, BLOCK: tl.constexpr):
    group = tl.program_id(0)
    data = tl.load(pointers + group).to(tl.pointer_type(tl.float32))
    n = tl.load(sizes + group)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    tl.store(data + i, tl.load(data + i, i < n) * factor, i < n)


def scale_all(tensors, factor):
    device = tensors[0].device
    pointers = torch.tensor([t.data_ptr() for t in tensors], dtype=torch.int64, device=device)
    sizes = torch.tensor([t.numel() for t in tensors], dtype=torch.int32, device=device)
    longest = max(t.numel() for t in tensors)
    grid = lambda meta: (len(tensors), triton.cdiv(longest, meta["BLOCK"]))
    grouped_scale[grid](pointers, sizes, factor, BLOCK=32)


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    group = [torch.full((n,), float(n), device=device) for n in (5, 70, 33)]
    scale_all(group, 3.0)
    for t in group:
        assert torch.equal(t, torch.full_like(t, 3.0 * t.numel()))
