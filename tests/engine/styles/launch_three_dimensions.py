#: style = "a grid of three dimensions"
#: launches = ["place"]
#: replay = {num_warps = 2}
#: stores = {o_ptr = 24}
import torch
import triton
import triton.language as tl


@triton.jit
def place(o_ptr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    at = x + tl.num_programs(0) * (y + tl.num_programs(1) * z)
    tl.store(o_ptr + at, at)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    out = torch.full((24,), -1, dtype=torch.int32, device=device)
    place[(2, 3, 4)](out)
    assert out.tolist() == list(range(24))


if __name__ == "__main__":
    main()
