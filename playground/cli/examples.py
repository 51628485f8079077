"""The examples of every `--help`: each works as written, from any folder.

A kernel that comes with the program goes by its name alone (`vector_add`).
"""

from __future__ import annotations

from playground.cli.help_page import Example

GPU = "NVIDIA GPU"

EXAMPLES: dict[str, tuple[Example, ...]] = {
    "": (
        Example("open a bundled kernel; your own file goes by its path",
                "triton-playground vector_add"),
        Example("check one config and time it",
                "triton-playground bench vector_add --set size=2**20 --set BLOCK_SIZE=512"),
        Example("what the compiler makes of it for a GPU that need not be here",
                "triton-playground compile matmul --target cuda:90 --lines"),
        Example("who touches which element, as a picture",
                "triton-playground coverage matmul --set m=512 --png tiles.png"),
        Example("try configs, then write the tuned kernel as a file that runs alone",
                "triton-playground sweep softmax --space num_warps=2,4,8"),
        Example("",
                "triton-playground export vector_add --set BLOCK_SIZE=512 -o tuned.py"),
        Example("what works on this machine", "triton-playground doctor"),
    ),
    "launches": (
        Example("what example() launches", "triton-playground launches softmax"),
        Example("the same at another problem size, for a program to read",
                "triton-playground launches matmul --set m=1024 --json"),
        Example("a file without example() or __main__: say what to run",
                "triton-playground launches vector_add --driver 'add(*inputs(4096))'"),
    ),
    "bench": (
        Example("check and time one config",
                "triton-playground bench vector_add --set size=2**20 --set BLOCK_SIZE=512"),
        Example("against the file's own reference, and against the GPU's ceilings",
                "triton-playground bench matmul --set m=4096 --vs reference --roofline", GPU),
        Example("over problem sizes",
                "triton-playground bench vector_add --curve 'size=2**12:2**26:pow2'", GPU),
    ),
    "replay": (
        Example("let Nsight Compute look at exactly one launch",
                "ncu --nvtx --nvtx-include playground/ triton-playground replay matmul", GPU),
    ),
    "compile": (
        Example("registers, shared memory and occupancy on a GPU that need not be here",
                "triton-playground compile matmul --target cuda:90"),
        Example("the assembly alone", "triton-playground compile vector_add --target cuda:80 "
                "--emit ptx"),
        Example("what a change does, line by line",
                "triton-playground compile matmul --lines --diff 'BLOCK_M=128 num_warps=8'"),
        Example("on which GPUs this config fits",
                "triton-playground compile matmul --set num_stages=5 --all-targets"),
    ),
    "coverage": (
        Example("what a grouped order saves: bytes that the L2 would fetch, with and without it",
                "triton-playground coverage matmul --set GROUP_M=8 --reuse"),
        Example("", "triton-playground coverage matmul --set GROUP_M=1 --reuse"),
        Example("which element belongs to which program, as a picture and as numbers",
                "triton-playground coverage matmul --png tiles.png --npz counts.npz"),
        Example("where time goes: waves, tail, idle multiprocessors",
                "triton-playground coverage matmul --set m=4096 --schedule", GPU),
    ),
    "advise": (
        Example("what an expert would change, from compiling and counting",
                "triton-playground advise matmul --target cuda:90"),
        Example("the same, each proposal tried and timed",
                "triton-playground advise matmul --try", GPU),
    ),
    "debug": (
        Example("what program (1, 2) writes and prints, alone",
                "triton-playground debug matmul --program 1,2"),
        Example("the accumulator in every round of the loop",
                "triton-playground debug matmul --break 61 --watch 'total.max()'"),
        Example("the line that made the first NaN, and where the result differs from the reference",
                "triton-playground debug softmax --hunt --compare reference"),
    ),
    "sweep": (
        Example("all combinations of two knobs, under a condition",
                "triton-playground sweep matmul --space BLOCK_M=32..128 --space num_warps=4,8 "
                '--where "BLOCK_M * num_warps <= 512"'),
        Example("a few steps around the present config, no longer than a minute",
                "triton-playground sweep vector_add --budget 60"),
        Example("one config for several problem sizes",
                "triton-playground sweep softmax --space num_warps=2,4,8 --sizes n_rows=512 "
                "--sizes n_rows=4096"),
        Example("go on with what was interrupted", "triton-playground sweep matmul --resume"),
    ),
    "sweeps": (
        Example("list what was swept", "triton-playground sweeps", cheap=True),
        Example("show sweep 3 again; 3 and 7 side by side", "triton-playground sweeps 3"),
        Example("", "triton-playground sweeps 3 7 --compare"),
    ),
    "export": (
        Example("freeze a config into a file that runs alone, then have it prove itself",
                "triton-playground export vector_add --set BLOCK_SIZE=512 -o tuned.py", cheap=True),
        Example("", "python tuned.py --check"),
        Example("the best config of a past sweep", "triton-playground export matmul --sweep 3"),
        Example("let @triton.autotune choose among the best three of two sweeps",
                "triton-playground export matmul --sweep 3 --sweep 4 --best 3 -o tuned.py"),
    ),
    "experiment": (
        Example("which there are, with the latest verdict on each",
                "triton-playground experiment --list", cheap=True),
        Example("measure two of them", "triton-playground experiment tma num-stages", GPU),
        Example("the figures that came with the program",
                "triton-playground experiment tma --shown"),
    ),
    "report": (
        Example("all that is known of one launch, in one HTML file",
                "triton-playground report matmul --set BLOCK_M=128 -o matmul.html"),
    ),
    "reproducer": (
        Example("a minimal script for a bug report",
                "triton-playground reproducer matmul -o reproducer.py"),
    ),
    "kernels": (
        Example("all of them, with what each teaches", "triton-playground kernels"),
        Example("those about matrix products", "triton-playground kernels matrix product"),
    ),
    "doctor": (
        Example("everything, with what to do about what does not work",
                "triton-playground doctor"),
    ),
}  # fmt: skip
