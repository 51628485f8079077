#: style = "a persistent grid from the number of processors"
#: launches = ["persistent"]
#: replay = {BLOCK = 16}
#: loads = {x_ptr = 300}
#: stores = {o_ptr = 300}
import torch
import triton
import triton.language as tl


@triton.jit
def persistent(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        i = block * BLOCK + tl.arange(0, BLOCK)
        tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) + 1, i < n)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(300.0, device=device)
    out = torch.empty_like(x)
    processors = torch.cuda.get_device_properties(device).multi_processor_count
    persistent[(min(processors, 3),)](x, out, 300, BLOCK=32)
    torch.testing.assert_close(out, x + 1)


if __name__ == "__main__":
    main()
