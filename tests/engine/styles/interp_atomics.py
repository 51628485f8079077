#: style = "atomics of every kind, masked, with memory orders and scopes"
#: launches = ["all_atomics"]
#: route = "driver"
#: replay = {BLOCK = 16}
#: loads = {x = 50}
import torch
import triton
import triton.language as tl


@triton.jit
def all_atomics(x, total, highest, lowest, bits, count, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    value = tl.load(x + at, mask=inside, other=0)
    tl.atomic_add(total + at % 5, value, mask=inside, sem="relaxed", scope="gpu")
    tl.atomic_max(highest + at % 5, value, mask=inside, sem="release")
    tl.atomic_min(lowest + at % 5, value, mask=inside, scope="sys")
    tl.atomic_or(bits + at % 5, value, mask=inside, sem="acquire")
    tl.atomic_xor(bits + 5 + at % 5, value, mask=inside)
    tl.atomic_and(bits + 10 + at % 5, value, mask=inside)
    seen = tl.atomic_add(count, 1)
    while tl.atomic_cas(count + 1, seen, seen + 1) != seen:
        pass
    tl.atomic_xchg(count + 2, 7)


def example():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randint(1, 100, (50,), dtype=torch.int32, device=device)
    total, highest = torch.zeros_like(x[:5]), torch.zeros_like(x[:5])
    lowest, count = torch.full_like(x[:5], 1000), torch.zeros_like(x[:3])
    bits = torch.zeros_like(x[:15])
    bits[10:] = -1
    all_atomics[lambda meta: (triton.cdiv(50, meta["BLOCK"]),)](
        x, total, highest, lowest, bits, count, 50, BLOCK=32
    )
    groups = x.view(10, 5)
    assert torch.equal(total, groups.sum(0).int())
    assert torch.equal(highest, groups.max(0).values)
    assert torch.equal(lowest, groups.min(0).values)
    combined = groups.clone()
    for row in range(1, 10):
        combined[0] |= combined[row]
    assert torch.equal(bits[:5], combined[0])
    assert count[2] == 7
    assert count[0] == count[1]
    return total
