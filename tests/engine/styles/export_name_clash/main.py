#: style = "two modules beside the file with the same names for different things"
#: launches = ["kernel", "kernel"]
#: launch = 1
#: replay = {BLOCK = 32}
#: route = "driver"
#: stores = {o_ptr = 100}
import rows
import torch
from columns import BLOCK, kernel

import columns as c


def apply(x):
    first, second = torch.empty_like(x), torch.empty_like(x)
    kernel[(c.count(x.numel(), BLOCK),)](x, first, x.numel(), BLOCK=BLOCK)
    rows.kernel[(rows.count(x.numel()),)](first, second, x.numel(), BLOCK=rows.BLOCK)
    return second


def compare(got, want):
    torch.testing.assert_close(got, want)


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    result = torch.arange(100.0, device=device)
    compare(apply(result), (result + 1) * 2)
