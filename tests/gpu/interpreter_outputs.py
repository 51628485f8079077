"""Run kernels compiled or interpreted and save their outputs: `MODE FILE`."""

import json
import sys

import torch
import triton
import triton.language as tl

from tests.engine.cases import small_floats as kernels

MODE = sys.argv[1]
DEVICE = "cpu" if MODE == "interpreted" else "cuda"
N = 512
BINARY = ("add", "sub", "mul", "div", "max", "min", "where", "fma", "neg", "abs", "number")


@triton.jit
def copy(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.load(x + i))


def spread(count: int, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    powers = torch.exp2(torch.randint(-18, 16, (count,), generator=generator).float())
    values = torch.randn(count, generator=generator) * powers
    special = [0.0, -0.0, float("inf"), -float("inf"), float("nan"), 448.0, 57344.0, 1e9]
    values[: len(special)] = torch.tensor(special)
    return values


def arithmetic(found: dict[str, torch.Tensor]) -> None:
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        a = spread(N, 1).to(dtype).to(DEVICE)
        b = spread(N, 2).roll(N // 2).to(dtype).to(DEVICE)
        for op in BINARY:
            if op == "div" and dtype != torch.bfloat16:
                continue  # the GPU's fast division may be an ulp off, which bfloat16 cannot show
            o = torch.zeros_like(a)
            # A product and a sum may be fused to one rounding: not here.
            kernels.binary[(1,)](a, b, o, op, N, enable_fp_fusion=False)
            found[f"{op} {dtype}"] = o.cpu()
        for op in ("<", "<=", ">", ">=", "==", "!="):
            flags = torch.zeros(N, dtype=torch.int32, device=DEVICE)
            kernels.compare[(1,)](a, b, flags, op, N)
            found[f"{op} {dtype}"] = flags.cpu()


def casts(found: dict[str, torch.Tensor]) -> None:
    smalls = (torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2)
    for source in (torch.float32, torch.float16, torch.bfloat16):
        for target in smalls:
            a = spread(4096, 3).to(source).to(DEVICE)
            o = torch.zeros(4096).to(target).to(DEVICE)
            kernels.cast[(1,)](a, o, 4096)
            found[f"{source} to {target}"] = o.cpu()
    for source in smalls[1:]:
        for target in (torch.float32, torch.float16, torch.bfloat16):
            codes = torch.arange(256).to(torch.uint8).view(source).to(DEVICE)
            o = torch.zeros(256).to(target).to(DEVICE)
            kernels.cast[(1,)](codes, o, 256)
            found[f"{source} to {target}"] = o.cpu()
    whole = torch.zeros(512, dtype=torch.int32, device=DEVICE)
    kernels.cast[(1,)](spread(512, 4).to(DEVICE), whole, 512)
    found["float32 to int32"] = whole.cpu()


def reductions(found: dict[str, torch.Tensor]) -> None:
    generator = torch.Generator().manual_seed(5)
    whole = torch.randint(-8, 9, (8, 32), generator=generator).float()  # exact in every order
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        out = torch.zeros(25, device=DEVICE)
        where = torch.zeros(16, dtype=torch.int32, device=DEVICE)
        kernels.reduce[(1,)](whole.to(dtype).to(DEVICE), out, where, 8, 32)
        found[f"reduced {dtype}"] = out.cpu()
        found[f"positions {dtype}"] = where.cpu()
        x, y = (
            m.to(dtype).to(DEVICE) for m in (whole[:, :16].repeat(2, 1), whole[:, 16:].repeat(2, 1))
        )
        c = torch.zeros(16, 16, device=DEVICE)
        kernels.dot[(1,)](x.contiguous(), y.contiguous(), c, 16)
        found[f"dot {dtype}"] = c.cpu()


def main() -> dict[str, torch.Tensor]:
    found: dict[str, torch.Tensor] = {}
    if MODE == "interpreted-on-gpu-tensors":
        return on_gpu_tensors()
    arithmetic(found)
    casts(found)
    reductions(found)
    print("{}")
    return found


def on_gpu_tensors() -> dict[str, torch.Tensor]:
    from playground.engine.triton_private import interpreter

    class Recorder:
        inside = True

        def on_access(self, access):
            tensor = x if access.kind == "load" else o
            offsets = access.addresses.astype("int64") - tensor.data_ptr()
            self.inside &= offsets.tolist() == [4 * i for i in range(16)] or access.kind == "store"

        def on_operations(self, name, count):
            del name, count

        def on_dot(self, m, n, k, kind):
            raise AssertionError

    x = torch.arange(16.0, device=DEVICE)
    o = torch.zeros(12, device=DEVICE)
    recorder = Recorder()
    with interpreter.observing(recorder):
        copy[(1,)](x, o, 16)
    (event,) = interpreter.last_out_of_bounds()
    outside = [event.tensor, event.kind, event.distance, event.lanes]
    print(json.dumps({"inside": recorder.inside, "outside": outside}))
    return {"copied": o.cpu()}


if __name__ == "__main__":
    if MODE.startswith("interpreted"):
        from playground.engine.triton_private import interpreter as _interpreter

        _interpreter.install()
    torch.save(main(), sys.argv[2])
