#: style = "raises unless tensors are CUDA's, counts processors only then, and its grid is a list"
#: driver = "normalised(torch.rand(6, 40, device='cuda'))"
#: launches = ["rows"]
#: replay = {num_warps = 2}
#: stores = {out = 240}
import torch
import triton
import triton.language as tl


@triton.jit
def rows(x, out, columns, BLOCK: tl.constexpr):
    at = tl.program_id(0) * columns + tl.arange(0, BLOCK)
    inside = tl.arange(0, BLOCK) < columns
    value = tl.load(x + at, inside, other=0.0)
    tl.store(out + at, value / tl.sum(value), inside)


def processors():
    if torch.cuda.is_available():
        count = torch.cuda.get_device_properties(0).multi_processor_count
    elif torch.xpu.is_available():
        count = torch.xpu.get_device_properties(0).gpu_subslice_count
    return count


def normalised(x):
    if not x.is_cuda:
        raise RuntimeError("CUDA tensors only")
    out = torch.empty_like(x)
    assert processors() > 1
    rows[lambda meta: [x.shape[0]]](x, out, x.shape[1], BLOCK=64)
    return out
