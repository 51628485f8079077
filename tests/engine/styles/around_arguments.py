#: style = "main() parses sys.argv and has defaults"
#: driver = ""
#: launches = ["fill_kernel"]
#: knobs = {BLOCK = 64}
#: replay = {BLOCK = 16}
#: stores = {out_ptr = 150}
#: route = "driver"
import argparse

import torch
import triton
import triton.language as tl


@triton.jit
def fill_kernel(out_ptr, n, value, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, value, offsets < n)


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=150)
    parser.add_argument("--block", type=int, default=64)
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    options = parser.parse_args(argv)
    out = torch.empty(options.size, device=options.device)
    fill_kernel[(triton.cdiv(options.size, options.block),)](
        out, options.size, 2.5, BLOCK=options.block
    )
    assert (out == 2.5).all()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
