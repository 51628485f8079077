"""bfloat16 and float8: every operation against torch, bit by bit where torch has it."""

import torch
import triton
import triton.language as tl

N = 512


@triton.jit
def binary(a, b, o, OP: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(a + i)
    y = tl.load(b + i)
    if OP == "add":
        r = x + y
    elif OP == "sub":
        r = x - y
    elif OP == "mul":
        r = x * y
    elif OP == "div":
        r = x / y
    elif OP == "max":
        r = tl.maximum(x, y)
    elif OP == "min":
        r = tl.minimum(x, y)
    elif OP == "where":
        r = tl.where(x > y, x, y + 1)
    elif OP == "fma":
        r = tl.fma(x, y, x)
    elif OP == "neg":
        r = -x
    elif OP == "abs":
        r = tl.abs(x)
    elif OP == "number":
        r = x * 3.14159 + 2
    elif OP == "clamp":
        r = tl.clamp(x, -1.0, 1.0)
    tl.store(o + i, r)


@triton.jit
def compare(a, b, o, OP: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(a + i)
    y = tl.load(b + i)
    if OP == "<":
        r = x < y
    elif OP == "<=":
        r = x <= y
    elif OP == ">":
        r = x > y
    elif OP == ">=":
        r = x >= y
    elif OP == "==":
        r = x == y
    else:
        r = x != y
    tl.store(o + i, r.to(tl.int32))


@triton.jit
def cast(a, o, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.load(a + i).to(o.dtype.element_ty))


@triton.jit
def toward_zero(a, o, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(a + i)
    tl.store(o + i, x.to(o.dtype.element_ty, fp_downcast_rounding="rtz"))


@triton.jit
def unary(a, o, OP: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(a + i).to(tl.float32)
    r = tl.exp(x) if OP == "exp" else tl.sqrt(tl.abs(x))
    tl.store(o + i, r)


@triton.jit
def reduce(a, o, where, R: tl.constexpr, C: tl.constexpr):
    r = tl.arange(0, R)
    c = tl.arange(0, C)
    x = tl.load(a + r[:, None] * C + c[None, :])
    tl.store(o + r, tl.sum(x, 1))
    tl.store(o + R + r, tl.max(x, 1))
    tl.store(o + 2 * R + r, tl.min(x, 1))
    tl.store(where + r, tl.argmax(x, 1))
    tl.store(where + R + r, tl.argmin(x, 1))
    tl.store(o + 3 * R, tl.max(tl.reshape(x, (R * C,)), 0))


@triton.jit
def scan(a, o, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.cumsum(tl.load(a + i), 0))


@triton.jit
def product(x, y):
    return x * y


@triton.jit
def generic(a, o, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o, tl.reduce(tl.load(a + i), 0, product))


@triton.jit
def dot(a, b, c, N: tl.constexpr):
    i = tl.arange(0, N)[:, None]
    j = tl.arange(0, N)[None, :]
    tl.store(c + i * N + j, tl.dot(tl.load(a + i * N + j), tl.load(b + i * N + j)))


@triton.jit
def constants(o, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.full((B,), 2.7, o.dtype.element_ty))


@triton.jit
def atomic(a, o, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.atomic_add(o + i % 4, tl.load(a + i))


@triton.jit
def sort(a, o, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.sort(tl.load(a + i)))


def equal(got, want):
    """Whether two tensors agree bit by bit, all NaNs being one."""
    if got.dtype != want.dtype:
        return f"{got.dtype} is not {want.dtype}"
    same = (got.double() == want.double()) | (got.double().isnan() & want.double().isnan())
    return True if same.all() else f"{int((~same).sum())} of {got.numel()} differ"


def bfloat16():
    torch.manual_seed(0)
    special = torch.tensor(
        [0.0, -0.0, float("inf"), -float("inf"), float("nan"), 3e38, -3e38, 1e-40]
    )
    a = torch.cat([torch.randn(N - 8) * torch.exp2(torch.randint(-12, 12, (N - 8,))), special])
    b = torch.cat(
        [torch.randn(N - 8) * torch.exp2(torch.randint(-12, 12, (N - 8,))), special.flip(0)]
    )
    a, b = a.bfloat16(), b.bfloat16()
    o = torch.empty_like(a)
    wanted = {
        "add": a + b,
        "sub": a - b,
        "mul": a * b,
        "div": a / b,
        # The GPU's maxnum and minnum pass over a NaN.
        "max": torch.fmax(a, b),
        "min": torch.fmin(a, b),
        "where": torch.where(a > b, a, b + 1),
        "fma": (a.double() * b.double() + a.double()).bfloat16(),
        "neg": -a,
        "abs": a.abs(),
        "number": a * torch.tensor(3.14159).bfloat16() + 2,
        "clamp": torch.fmin(torch.fmax(a, torch.tensor(-1.0)), torch.tensor(1.0)).bfloat16(),
    }
    result = {}
    for op, want in wanted.items():
        binary[(1,)](a, b, o, op, N)
        result[op] = equal(o, want)
    for op in ("<", "<=", ">", ">=", "==", "!="):
        flags = torch.zeros(N, dtype=torch.int32)
        compare[(1,)](a, b, flags, op, N)
        want = {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}[op]
        result[op] = equal(flags, want.int())
    for op in ("exp", "sqrt"):
        unary[(1,)](a, o, op, N)
        want = a.float().exp() if op == "exp" else a.float().abs().sqrt()
        close = (o.float() - want).abs() <= want.abs() / 256 + 1e-38
        result[op] = bool((close | (want == o.float()) | want.isnan()).all())
    return result


def reductions(dtype):
    torch.manual_seed(1)
    rows, columns = 8, 32
    a = torch.randint(-8, 9, (rows, columns)).float().to(dtype)  # whole numbers: sums are exact
    out = torch.zeros(3 * rows + 1)
    where = torch.zeros(2 * rows, dtype=torch.int32)
    reduce[(1,)](a, out, where, rows, columns)
    wide = a.float()
    return {
        "sum": equal(out[:rows], wide.sum(1).to(dtype).float()),
        "max": equal(out[rows : 2 * rows], wide.amax(1)),
        "min": equal(out[2 * rows : 3 * rows], wide.amin(1)),
        "argmax": equal(where[:rows].long(), wide.argmax(1)),
        "argmin": equal(where[rows:].long(), wide.argmin(1)),
        "max of all": out[-1].item() == wide.max().item(),
    }


def more(dtype):
    torch.manual_seed(2)
    result = {}
    a = torch.randint(-2, 3, (64,)).float().to(dtype)
    o = torch.zeros(64).to(dtype)
    scan[(1,)](a, o, 64)
    result["cumsum"] = equal(o, a.float().cumsum(0).to(dtype))
    ones = torch.tensor([1.0, -2.0, 1.0, 2.0, 0.5, 1.0, 1.0, 2.0]).to(dtype)
    generic[(1,)](ones, o, 8)
    result["generic"] = o[0].item() == -4.0
    x, y = (torch.randint(-2, 3, (16, 16)).float().to(dtype) for _ in range(2))
    c = torch.zeros(16, 16)
    dot[(1,)](x, y, c, 16)
    result["dot"] = equal(c, x.float() @ y.float())
    if o.itemsize == 2:  # Triton 3.6 has no float8 constants
        constants[(1,)](o, 64)
        result["full"] = equal(o, torch.full((64,), 2.7).to(dtype))
    return result


def casts():
    torch.manual_seed(3)
    result = {}
    smalls = ["bfloat16", "float8_e4m3fn", "float8_e5m2"]
    count = 65536
    for name in smalls:
        dtype = getattr(torch, name)
        largest = torch.finfo(dtype).max
        for source in ("float32", "float16", "float64"):
            wide = torch.randn(count, dtype=torch.float64) * torch.exp2(
                torch.randint(-18, 15, (count,)).double()
            )
            wide = wide.clamp(-largest, largest).to(getattr(torch, source))
            wide = wide[wide.double().abs() <= largest]
            wide = torch.cat([wide, wide.new_zeros(count - wide.numel())])
            got = torch.zeros(count).to(dtype)
            cast[(1,)](wide, got, count)
            result[f"{source} to {name}"] = equal(got, wide.float().to(dtype))
        codes = (
            torch.arange(65536).to(torch.int16).view(dtype)
            if name == "bfloat16"
            else torch.arange(256).to(torch.uint8).view(dtype)
        )
        for target in ("float32", "float64", "float16", "bfloat16"):
            got = torch.zeros(codes.numel()).to(getattr(torch, target))
            cast[(1,)](codes, got, codes.numel())
            result[f"{name} to {target}"] = equal(got, codes.float().to(got.dtype))
        if name != "bfloat16":
            continue  # Triton itself refuses integers to and from float8
        numbers = torch.arange(-128, 128, dtype=torch.int32)
        got = torch.zeros(256).to(dtype)
        cast[(1,)](numbers, got, 256)
        result[f"int32 to {name}"] = equal(got, numbers.float().to(dtype))
        back = torch.zeros(256, dtype=torch.int32)
        cast[(1,)](got, back, 256)
        result[f"{name} to int32"] = equal(back, got.float().int())
    return result


def extremes():
    """Overflow, infinities and NaN as `cvt.rn.satfinite` treats them; ties; towards zero."""
    x = torch.tensor([1e6, -1e6, float("inf"), -float("inf"), float("nan"), 0.0, -0.0, 2**-20])
    result = {}
    for name in ("float8_e4m3fn", "float8_e5m2", "bfloat16", "float16"):
        o = torch.zeros(8).to(getattr(torch, name))
        cast[(1,)](x, o, 8)
        result[name] = [str(v) for v in o.float().tolist()]
    ties = torch.tensor([1.0625, 1.1875, 17.0, 19.0, -1.0625, -1.1875, 1 + 2**-8, 1 + 3 * 2**-8])
    for name in ("float8_e4m3fn", "bfloat16"):
        o = torch.zeros(8).to(getattr(torch, name))
        cast[(1,)](ties, o, 8)
        result[f"{name} ties"] = o.float().tolist()
        toward_zero[(1,)](ties, o, 8)
        result[f"{name} toward zero"] = o.float().tolist()
    half = torch.zeros(8, dtype=torch.float16)
    toward_zero[(1,)](torch.full((8,), 1 + 2**-10 * 0.99), half, 8)
    result["float16 toward zero"] = half[0].item()
    whole = torch.zeros(8, dtype=torch.int32)
    cast[(1,)](torch.tensor([3e9, -3e9, float("nan"), 1.9, -1.9, float("inf"), 0.0, 7.0]), whole, 8)
    result["float to int"] = whole.tolist()
    return result


def memory():
    a = torch.tensor([0.5, 1.0, 2.0, 4.0] * 4).bfloat16()
    sums = torch.zeros(4).bfloat16()
    atomic[(1,)](a, sums, 16)
    ordered = torch.zeros(16).bfloat16()
    sort[(1,)](torch.randn(16).bfloat16().neg_(), ordered, 16)
    up = bool((ordered.float().diff() >= 0).all())
    return {"atomic_add": sums.tolist(), "sorted": up}


def case():
    return {
        "bfloat16": bfloat16(),
        "reductions": {
            name: reductions(getattr(torch, name)) for name in ("bfloat16", "float16", "float32")
        },
        "more": {
            name: more(getattr(torch, name))
            for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float16")
        },
        "casts": casts(),
        "extremes": extremes(),
        "memory": memory(),
    }
