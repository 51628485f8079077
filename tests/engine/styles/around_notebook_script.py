#: style = "a notebook saved as a script: magics are passed by, what they time runs, display prints"
#: launches = ["tripled"]
#: findings = ["%matplotlib inline was passed by", "!nvidia-smi was passed by"]
#: export = false
#: loads = {x = 300}
#: stores = {out = 300}
# %% [markdown]
# # Three times as much
# %%
get_ipython().run_line_magic("matplotlib", "inline")
get_ipython().system("nvidia-smi")
import torch
import triton
import triton.language as tl


# %%
@triton.jit
def tripled(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, i < n) * 3, i < n)


# %%
x = torch.arange(300.0, device="cuda" if torch.cuda.is_available() else "cpu")
out = torch.empty_like(x)
tripled[(triton.cdiv(300, 64),)](x, out, 300, B=64)
# %%
get_ipython().run_cell_magic("time", "", "wanted = x + x + x\n")
get_ipython().run_line_magic("timeit", "-n 3 -r 1 wanted += 0")
# %%
display(out[:3])
assert torch.equal(out, wanted)
