#: style = "reads device properties and capability at import"
#: driver = ""
#: launches = ["persistent_kernel"]
#: replay = {BLOCK = 128}
#: findings = ["the GPU is simulated"]
#: gpu_findings = []
#: stores = {out_ptr = 700}
import torch
import triton
import triton.language as tl

torch.cuda.set_device(0)
PROPERTIES = torch.cuda.get_device_properties(torch.cuda.current_device())
NUM_SMS = torch.cuda.get_device_properties("cuda").multi_processor_count
SHARED = triton.runtime.driver.active.utils.get_device_properties(0)["max_shared_mem"]
WIDE = torch.cuda.get_device_capability()[0] >= 8 and SHARED > 64 * 1024
TARGET = triton.runtime.driver.active.get_current_target()
if TARGET.backend != "cuda" or torch.version.cuda is None or PROPERTIES.total_memory < 1 << 30:
    raise RuntimeError("this kernel is for NVIDIA GPUs")


@triton.jit
def persistent_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    for start in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, offsets < n) + 1.0, offsets < n)


def plus_one(x):
    out = torch.empty_like(x)
    programs = min(NUM_SMS, triton.cdiv(x.numel(), 256))
    with torch.cuda.device(x.device), torch.cuda.stream(torch.cuda.Stream()):
        persistent_kernel[(programs,)](x, out, x.numel(), BLOCK=256 if WIDE else 64)
    torch.cuda.synchronize(x.device.index)
    return out


x = torch.linspace(0, 1, 700, device=torch.device("cuda", torch.cuda.current_device()))
assert torch.allclose(plus_one(x), x + 1)
