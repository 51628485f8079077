#: style = "sixty positional arguments splatted from lists"
#: launches = ["weighted"]
#: replay = {BLOCK = 64}
#: stores = {o_ptr = 8}
import torch
import triton
import triton.language as tl


@triton.jit
def weighted(
    a_ptr, b_ptr, c_ptr, d_ptr, o_ptr, n,
    p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12,
    p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25,
    p26, p27, p28, p29, p30, p31, p32, p33, p34, p35, p36, p37, p38,
    p39, p40, p41, p42, p43, p44, p45, p46, p47, p48, p49, p50, p51,
    FACTOR: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    i = tl.arange(0, BLOCK)
    total = (
        p0 + p1 + p2 + p3 + p4 + p5 + p6 + p7 + p8 + p9 + p10 + p11 + p12
        + p13 + p14 + p15 + p16 + p17 + p18 + p19 + p20 + p21 + p22 + p23 + p24 + p25
        + p26 + p27 + p28 + p29 + p30 + p31 + p32 + p33 + p34 + p35 + p36 + p37 + p38
        + p39 + p40 + p41 + p42 + p43 + p44 + p45 + p46 + p47 + p48 + p49 + p50 + p51
    )
    values = tl.load(a_ptr + i, i < n) + tl.load(b_ptr + i, i < n)
    values += tl.load(c_ptr + i, i < n) + tl.load(d_ptr + i, i < n)
    tl.store(o_ptr + i, values * total * FACTOR, i < n)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tensors = [torch.arange(8.0, device=device) + k for k in range(4)]
    out = torch.empty(8, device=device)
    numbers = list(range(52))
    weighted[(1,)](*tensors, out, 8, *numbers, *[2, 16])
    torch.testing.assert_close(out, sum(tensors) * 2.0 * sum(numbers))


if __name__ == "__main__":
    main()
