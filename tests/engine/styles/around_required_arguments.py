#: style = "main() wants an argument that nobody gives"
#: driver = ""
#: findings = ["the following arguments are required: --size", "type a driver that calls its functions"]
import argparse

import torch
import triton
import triton.language as tl


@triton.jit
def zero_kernel(out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, 0.0, offsets < n)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, required=True)
    size = parser.parse_args().size
    out = torch.empty(size, device="cuda")
    zero_kernel[(triton.cdiv(size, 64),)](out, size, BLOCK=64)


if __name__ == "__main__":
    main()
