#: style = "relative imports in folders without an __init__"
#: driver = ""
#: launches = ["put_kernel"]
#: replay = {BLOCK = 4}
#: stores = {out_ptr = 33}
#: route = "driver"
import torch
import triton

from ..kernels.put import put_kernel

if __name__ == "__main__":
    out = torch.empty(33, device="cuda")
    put_kernel[(triton.cdiv(33, 16),)](out, 33, BLOCK=16)
    assert (out == 7).all()
