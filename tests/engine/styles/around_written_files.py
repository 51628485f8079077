#: style = "reads and writes files of its working directory"
#: driver = ""
#: launches = ["ramp_kernel"]
#: replay = {BLOCK = 8}
#: route = "driver"
#: stores = {out_ptr = 60}
import json
import os
import tempfile

import torch
import triton
import triton.language as tl

assert os.path.exists("around_written_files.py"), "it works in its own folder"


@triton.jit
def ramp_kernel(out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, offsets, offsets < n)


def ramp(n):
    out = torch.empty(n, dtype=torch.int32, device="cuda")
    ramp_kernel[(triton.cdiv(n, 16),)](out, n, BLOCK=16)
    return out


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.environ["RAMP_FOLDER"] = folder
    with open("sizes.json", "w") as file:
        json.dump({"n": 60}, file)
    with open("sizes.json") as file:
        out = ramp(json.load(file)["n"])
    torch.save(out, "ramp.pt")
    assert torch.load("ramp.pt", map_location="cuda").sum() == 60 * 59 // 2
    os.chdir("/")
