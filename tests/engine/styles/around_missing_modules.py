#: style = "needs third-party modules that are not there, for plots, tables and a comparison"
#: driver = ""
#: launches = ["softplus_kernel"]
#: route = "driver"
#: replay = {BLOCK = 128}
#: findings = ["seaborn is not installed: what it would show is left out", "some_fast_attention is not installed: the file goes on"]
#: gpu_findings = ["some_fast_attention is not installed: the file goes on"]
#: stores = {y_ptr = 400}
import seaborn as sns
import torch
import triton
import triton.language as tl
from prettytable import PrettyTable
from some_fast_attention.ops import fast_softplus

try:
    import a_faster_library

    HAS_FASTER = True
except ImportError:
    HAS_FASTER = False


@triton.jit
def softplus_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, offsets < n, other=0.0)
    tl.store(y_ptr + offsets, tl.log(1.0 + tl.exp(x)), offsets < n)


def softplus(x):
    y = torch.empty_like(x)
    softplus_kernel[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
    return y


def compare(x):
    return fast_softplus(x) - softplus(x)


if __name__ == "__main__":
    x = torch.linspace(-2, 2, 400, device="cuda")
    y = softplus(x)
    torch.testing.assert_close(y, torch.nn.functional.softplus(x))
    assert not HAS_FASTER
    table = PrettyTable(["what", "sum"])
    table.add_row(["softplus", y.sum().item()])
    print(table)
    axes = sns.lineplot(x=x.cpu().numpy(), y=y.cpu().numpy(), label="softplus")
    axes.set_xlabel("x")
