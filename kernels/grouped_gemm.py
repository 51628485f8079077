"""Many matrix products of different sizes in one launch.

A mixture of experts multiplies many small matrices of unlike sizes. One launch each would leave the
GPU idle between them; here a fixed number of programs walks through all tiles of all products. The
addresses travel inside a tensor of 64-bit integers: the kernel turns them back into pointers. Of
what it loads itself (addresses, sizes) the compiler knows nothing: ALIGNED promises 16 bytes where
the host has looked, and without it every access is two bytes wide. See the widths in the SASS.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def grouped_gemm_kernel(
    a_addresses, b_addresses, c_addresses, sizes_ptr, group_size,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, ALIGNED: tl.constexpr,
):  # fmt: skip
    tile = tl.program_id(0)
    before = 0  # tiles of the products that are behind
    for product in range(group_size):
        M = tl.load(sizes_ptr + product * 3)
        N = tl.load(sizes_ptr + product * 3 + 1)
        K = tl.load(sizes_ptr + product * 3 + 2)
        if ALIGNED:
            N = tl.multiple_of(N, 8)  # 16 bytes of float16
            K = tl.multiple_of(K, 8)
        tiles_n = tl.cdiv(N, BLOCK_N)
        tiles = tl.cdiv(M, BLOCK_M) * tiles_n
        while tile >= before and tile < before + tiles:
            a_ptr = tl.load(a_addresses + product).to(tl.pointer_type(tl.float16))
            b_ptr = tl.load(b_addresses + product).to(tl.pointer_type(tl.float16))
            c_ptr = tl.load(c_addresses + product).to(tl.pointer_type(tl.float16))
            if ALIGNED:
                a_ptr = tl.multiple_of(a_ptr, 16)
                b_ptr = tl.multiple_of(b_ptr, 16)
                c_ptr = tl.multiple_of(c_ptr, 16)
            rows = (tile - before) // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)
            columns = (tile - before) % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)
            k = tl.arange(0, BLOCK_K)
            a_ptrs = a_ptr + rows[:, None] * K + k[None, :]
            b_ptrs = b_ptr + k[:, None] * N + columns[None, :]
            total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
            for first in range(0, K, BLOCK_K):
                left = K - first
                a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (k[None, :] < left), other=0.0)
                b = tl.load(b_ptrs, mask=(k[:, None] < left) & (columns[None, :] < N), other=0.0)
                total = tl.dot(a, b, total)
                a_ptrs += BLOCK_K
                b_ptrs += BLOCK_K * N
            inside = (rows[:, None] < M) & (columns[None, :] < N)
            tl.store(
                c_ptr + rows[:, None] * N + columns[None, :], total.to(tl.float16), mask=inside
            )
            tile += tl.num_programs(0)
        before += tiles


def multiprocessors() -> int:
    """Return how many multiprocessors the GPU has; a few where there is none."""
    if DEVICE == "cpu":
        return 16
    return torch.cuda.get_device_properties(DEVICE).multi_processor_count


def grouped_gemm(
    pairs: list[tuple[torch.Tensor, torch.Tensor]], programs: int | None = None
) -> list[torch.Tensor]:
    """Return the products of pairs of contiguous fp16 matrices, all by one launch.

    `programs` is how many walk through the tiles; one a multiprocessor when left out.
    """
    results, sizes = [], []
    for a, b in pairs:
        if a.dtype != torch.float16 or b.dtype != torch.float16:
            raise TypeError(f"{a.dtype} by {b.dtype}: this kernel multiplies float16")
        results.append(torch.empty((a.shape[0], b.shape[1]), device=a.device, dtype=a.dtype))
        sizes.append([a.shape[0], b.shape[1], a.shape[1]])
    starts = [x.data_ptr() for pair in pairs for x in pair] + [x.data_ptr() for x in results]
    aligned = all(start % 16 == 0 for start in starts) and all(
        n % 8 == 0 and k % 8 == 0 for _, n, k in sizes
    )

    def addresses(tensors):
        return torch.tensor([x.data_ptr() for x in tensors], dtype=torch.int64, device=DEVICE)

    grouped_gemm_kernel[(programs or multiprocessors(),)](
        addresses([a for a, _ in pairs]), addresses([b for _, b in pairs]), addresses(results),
        torch.tensor(sizes, dtype=torch.int32, device=DEVICE), len(pairs),
        BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, ALIGNED=aligned, num_warps=4, num_stages=3,
    )  # fmt: skip
    return results


def inputs(m: int, n: int, k: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Return three pairs of random matrices of unlike sizes, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)

    def matrix(rows, columns):
        return torch.randn(rows, columns, device=DEVICE, generator=generator).half()

    sizes = [(m, n, k), (m // 2, n + 40, k), (m + 30, n // 2, k // 2)]
    return [(matrix(rows, inner), matrix(inner, columns)) for rows, columns, inner in sizes]


def example(m: int = 130, n: int = 100, k: int = 96) -> list[torch.Tensor]:
    """Multiply three pairs of matrices around the sizes (m, k) and (k, n)."""
    return grouped_gemm(inputs(m, n, k))


def reference(m: int = 130, n: int = 100, k: int = 96) -> list[torch.Tensor]:
    """Return what `example` should compute, by torch in double precision."""
    return [(a.double() @ b.double()).half() for a, b in inputs(m, n, k)]


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference(), rtol=1e-2, atol=1e-2)
    print("grouped_gemm agrees with torch")
