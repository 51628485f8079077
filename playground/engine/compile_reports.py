"""From what a worker compiled to the report people read, with what it means for a launch."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from playground.engine import compile_remarks, shared_memory, source_lines
from playground.engine.compile_trials import blocks_of
from playground.model.compiling import CompileReport, Gain, Occupancy, StageTime, Waves
from playground.model.finding import Finding
from playground.model.occupancy import gains, occupancy

if TYPE_CHECKING:
    from playground.engine.triton_private.compiled import Compiled
    from playground.model.config import Config
    from playground.model.launch import Launch
    from playground.model.targets import Gpu

_STAGES = ("ttir", "ttgir", "llir", "ptx", "sass", "amdgcn")
_TENSOR_MEMORY_COLUMNS = 512
_TF32_DOT = re.compile(
    r"tt\.dot .*inputPrecision = tf32 : tensor<(?:\d+x)?(\d+)x(\d+)xf32> \* "
    r"tensor<(?:\d+x)?\d+x(\d+)xf32>"
)


def report(
    launch: Launch, config: Config, target: str, product: Compiled, gpu: Gpu | None
) -> tuple[CompileReport, tuple[Finding, ...]]:
    """Return the report of a compiled config, and what is worth telling about it."""
    taken = product.resources
    obstacles = _obstacles(product, gpu)
    notes = list(taken.notes)
    if product.cache_hit:
        notes.append(
            "from Triton's cache"
            + ("; stage times are those of the compilation" if product.stage_times_us else "")
        )
    if taken.spill_load_bytes:
        notes.append(
            f"spills: {taken.spill_store_bytes} bytes stored and {taken.spill_load_bytes} loaded "
            "per thread"
        )
    elif taken.stack_bytes and taken.spill_store_bytes == 0:
        notes.append(f"the {taken.stack_bytes} bytes of stack are arrays, not spilled registers")
    if gpu is None:
        notes.append(f"nothing is known of a GPU for {target}: no limits, no occupancy")
    stages = [name for name in _STAGES if name in product.asm or name == "sass"]
    if "cubin" not in product.asm:
        stages.remove("sass")
    made = CompileReport(
        launch=launch.index,
        config=config,
        target=target,
        kernel=product.name,
        registers=taken.registers,
        spill_bytes=taken.spill_store_bytes,
        stack_bytes=taken.stack_bytes,
        shared_bytes=product.shared_bytes,
        shared_limit_bytes=gpu.shared_per_block_bytes if gpu else None,
        threads=product.threads,
        fits=not obstacles,
        stage_times=tuple(StageTime(name, time / 1e3) for name, time in product.stage_times_us),
        total_ms=product.total_us / 1e3,
        cache_hit=product.cache_hit,
        stages=tuple(stages),
        occupancy=_occupancy(product, gpu),
        notes=tuple(notes),
        static_shared_bytes=taken.static_shared_bytes,
        gains=_gains(launch, config, product, gpu),
        register_kinds=taken.kinds,
        stated_warps=taken.stated_warps,
        shared_buffers=shared_memory.buffers(str(product.asm.get("ttgir", "")), config),
    )
    findings = [_unlaunchable(launch, made, product, text) for text in obstacles]
    findings += _spills(launch, made)
    findings += _tf32(launch, product)
    findings += compile_remarks.findings(launch, taken, product.asm)
    return made, tuple(findings)


def _unlaunchable(launch: Launch, made: CompileReport, product: Compiled, why: str) -> Finding:
    """Return the finding of what keeps a config from being launched.

    Of too much shared memory it says on further lines what holds it, and stands where most is.
    """
    file, line, held = launch.file, launch.line, ""
    if "shared memory" in why:
        ttgir = str(product.asm.get("ttgir", ""))
        lines = shared_memory.exchanging_lines(ttgir, launch.file)
        held = shared_memory.told(made.shared_buffers, _all_shared(product), lines)
        place = next(((each.file, each.line) for each in made.shared_buffers if each.line), None)
        file, line = place or (file, next(iter(lines), line))
    return Finding(
        "error", "resources",
        f"{launch.kernel} with {made.config.label()} compiles for {made.target} but cannot launch: "
        f"{why}" + (f"\n{held}" if held else ""),
        "", file, line,
    )  # fmt: skip


def _obstacles(product: Compiled, gpu: Gpu | None) -> list[str]:
    found = []
    shared_bytes = _all_shared(product)
    if gpu is not None and shared_bytes > gpu.shared_per_block_bytes:
        found.append(
            f"it needs {shared_bytes} bytes of shared memory, the limit is "
            f"{gpu.shared_per_block_bytes}"
        )
    if gpu is not None and product.threads > gpu.max_threads_per_block:
        found.append(
            f"it needs {product.threads} threads a program, the limit is "
            f"{gpu.max_threads_per_block}"
        )
    held = _occupancy(product, gpu)
    if gpu is not None and held is not None and held.limiter == "registers" and not found:
        registers = product.resources.registers or 0
        if held.programs_per_sm == 0:
            found.append(
                f"its {product.threads} threads take {registers * product.threads} registers "
                f"({registers} each), a program can have {gpu.registers_per_sm}"
            )
    if product.tensor_memory_columns > _TENSOR_MEMORY_COLUMNS:
        found.append(
            f"it needs {product.tensor_memory_columns} columns of tensor memory, the limit is "
            f"{_TENSOR_MEMORY_COLUMNS}"
        )
    return found


def _all_shared(product: Compiled) -> int:
    return product.shared_bytes + (product.resources.static_shared_bytes or 0)


def _occupancy(product: Compiled, gpu: Gpu | None) -> Occupancy | None:
    registers = product.resources.registers
    if gpu is None or registers is None:
        return None
    return occupancy(
        gpu, threads=product.threads, registers=registers, shared_bytes=_all_shared(product)
    )


def _gains(launch: Launch, config: Config, product: Compiled, gpu: Gpu | None) -> tuple[Gain, ...]:
    registers = product.resources.registers
    if gpu is None or registers is None:
        return ()
    return gains(
        gpu, threads=product.threads, registers=registers, shared_bytes=_all_shared(product),
        config=config, blocks=blocks_of(launch, config),
    )  # fmt: skip


def with_waves(
    made: CompileReport, grid: tuple[int, int, int] | None, gpu: Gpu | None, multiprocessors: int
) -> CompileReport:
    """Return the report with how often `grid` fills the GPU; without where that is not known.

    `multiprocessors` is the machine's own number of them, 0 where another GPU is meant.
    """
    if grid is None or gpu is None or made.occupancy is None or not made.occupancy.programs_per_sm:
        return replace(made, waves=None)
    clusters = made.config.as_dict().get("num_ctas")
    ctas = clusters if isinstance(clusters, int) and clusters > 1 else 1
    programs = grid[0] * grid[1] * grid[2] * ctas
    per_wave = made.occupancy.programs_per_sm * (multiprocessors or gpu.multiprocessors)
    return replace(made, waves=Waves(programs, per_wave) if programs else None)


def _spills(launch: Launch, made: CompileReport) -> list[Finding]:
    if not made.spill_bytes:
        return []
    return [
        Finding(
            "hint", "resources",
            f"{made.kernel} with {made.config.label()} spills {made.spill_bytes} bytes of "
            f"registers a thread to memory for {made.target}",
            "more num_warps spread a block over more threads; a smaller block needs fewer",
            launch.file, launch.line,
        )
    ]  # fmt: skip


def _tf32(launch: Launch, product: Compiled) -> list[Finding]:
    """Say where fp32 operands are multiplied as tf32, which the interpreter cannot show."""
    text = str(product.asm.get("ttir", ""))
    at = [
        (number, found)
        for number, line in enumerate(text.splitlines())
        if (found := _TF32_DOT.search(line)) is not None
    ]
    if not at:
        return []
    lines = source_lines.lines_for("ttir", text, launch.file)
    number, found = at[0]
    rows, inner, columns = int(found[1]), int(found[2]), int(found[3])
    return [
        Finding(
            "hint", "compile",
            "fp32 inputs of tl.dot are multiplied as tf32, with 10 bits of mantissa; the "
            "interpreter multiplies them exactly, so it does not show the difference",
            'write tl.dot(a, b, input_precision="ieee") for full fp32, or "tf32x3" in between: '
            f"ieee costs {rows * inner * columns} fma a tl.dot of {rows}x{inner} by "
            f"{inner}x{columns}, without tensor cores",
            launch.file, (lines[number] or (launch.line,))[0],
        )
    ]  # fmt: skip
