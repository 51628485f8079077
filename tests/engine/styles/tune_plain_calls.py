#: style = "autotune, heuristics and jit applied by plain calls"
#: launches = ["_add", "_add"]
#: presets = 2
#: knobs = {BLOCK = 32, EVEN = false}
#: replay = {BLOCK = 64}
#: stores = {o_ptr = 100}
import torch
import triton
import triton.language as tl


def _add(x_ptr, o_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = (i < n) | EVEN
    tl.store(o_ptr + i, tl.load(x_ptr + i, mask) * 2, mask)


CONFIGS = [triton.Config({"BLOCK": block}) for block in (32, 64)]
EVEN = {"EVEN": lambda args: args["n"] % args["BLOCK"] == 0}
jitted = triton.jit(_add)
tuned = triton.autotune(configs=CONFIGS, key=["n"])(triton.heuristics(EVEN)(jitted))
plain = triton.heuristics(EVEN)(jitted)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(100.0, device=device)
    out = torch.empty_like(x)
    tuned[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, out, 100)
    torch.testing.assert_close(out, x * 2)
    out.zero_()
    plain[(2,)](x, out, 100, BLOCK=64)
    torch.testing.assert_close(out, x * 2)


if __name__ == "__main__":
    main()
