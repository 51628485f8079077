#: style = "a kernel written in Gluon"
#: launches = ["copy"]
#: interpreter = "interpreter cannot run"
#: coverage = "written in Gluon"
#: export = false
import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def copy(x_ptr, o_ptr, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(o_ptr + i, gl.load(x_ptr + i, mask=i < n), mask=i < n)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(300.0, device=device)
    out = torch.zeros_like(x)
    copy[(3,)](x, out, 300, BLOCK=128, num_warps=4)
    return out


if __name__ == "__main__":
    main()
