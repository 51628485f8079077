"""Theoretical occupancy: how many programs of a kernel a multiprocessor can hold at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.model.compiling import Gain, Occupancy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from playground.model.config import Config
    from playground.model.targets import Gpu

_SCHEDULERS = 4
"""Parts of a multiprocessor with registers of their own, on every GPU of the table."""

_WARP_COUNTS = (1, 2, 4, 8, 16, 32)


def occupancy(gpu: Gpu, *, threads: int, registers: int, shared_bytes: int) -> Occupancy:
    """Return how many programs fit on a multiprocessor of `gpu`, and what stops the next one.

    The rules are those of CUDA's occupancy calculator: registers are handed to warps in units and
    live in four parts of the multiprocessor; shared memory is handed to programs in units, with
    what the driver reserves on top. A GPU with all its shared memory given to programs is assumed,
    as Triton's driver asks for. AMD compute units follow the same scheme with other numbers.

    Parameters
    ----------
    gpu : Gpu
        The limits.
    threads : int
        Threads of a program.
    registers : int
        32-bit registers of a thread.
    shared_bytes : int
        Shared memory of a program in bytes, static and dynamic together.
    """
    warps = _round_up(threads, gpu.warp_size) // gpu.warp_size
    limits = {
        "warps": gpu.max_warps_per_sm // warps,
        "blocks": _by_blocks(gpu, warps),
        "registers": _by_registers(gpu, warps, registers),
        "shared memory": _by_shared(gpu, shared_bytes),
    }
    if threads > gpu.max_threads_per_block:
        limits = {"threads": 0, **limits}
    # The first of equals is named: warps first, because then the GPU is as full as it can be.
    limiter = min(limits, key=lambda name: limits[name])
    programs = limits[limiter]
    return Occupancy(programs, programs * warps, gpu.max_warps_per_sm, limiter)


def _by_blocks(gpu: Gpu, warps: int) -> int:
    # A workgroup of one wave takes none of the barriers that limit their number on AMD.
    alone = warps == 1 and gpu.target.startswith("hip")
    return gpu.max_warps_per_sm if alone else gpu.max_blocks_per_sm


def _by_registers(gpu: Gpu, warps: int, registers: int) -> int:
    if registers <= 0:
        return gpu.max_warps_per_sm
    if registers > gpu.max_registers_per_thread:
        return 0
    per_warp = _round_up(registers * gpu.warp_size, gpu.register_unit)
    # A launch is refused when the program's warps, rounded up to all parts, exceed the file.
    if per_warp * _round_up(warps, _SCHEDULERS) > gpu.registers_per_sm:
        return 0
    resident = gpu.registers_per_sm // _SCHEDULERS // per_warp * _SCHEDULERS
    return resident // warps


def _by_shared(gpu: Gpu, shared_bytes: int) -> int:
    if shared_bytes > gpu.shared_per_block_bytes:
        return 0
    taken = _round_up(shared_bytes + gpu.shared_reserved_bytes, gpu.shared_unit_bytes)
    return gpu.shared_per_sm_bytes // taken if taken else gpu.max_warps_per_sm


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def gains(
    gpu: Gpu,
    *,
    threads: int,
    registers: int,
    shared_bytes: int,
    config: Config,
    blocks: Iterable[str] = (),
) -> tuple[Gain, ...]:
    """Return the nearest changes of one resource that let a multiprocessor hold more at once.

    Each is the smallest step that gives one program more with all else as it is; what a knob does
    to the compiler's choices is not known before it is compiled, and the texts say "about".

    Parameters
    ----------
    gpu, threads, registers, shared_bytes
        As in `occupancy`.
    config : Config
        The values of the knobs, for the texts.
    blocks : iterable of str
        The knobs that shared memory may follow: blocks, in powers of two.
    """
    now = occupancy(gpu, threads=threads, registers=registers, shared_bytes=shared_bytes)
    if now.limiter in ("warps", "threads"):
        return _more_warps(gpu, threads, registers, shared_bytes, now, config)
    found: list[Gain] = []
    for fewer in range(registers - 1, 0, -1):
        held = occupancy(gpu, threads=threads, registers=fewer, shared_bytes=shared_bytes)
        if held.programs_per_sm > now.programs_per_sm:
            found.append(_with_registers(gpu, fewer, held, now, config))
            break
    less = _less_shared(gpu, threads, registers, shared_bytes, now)
    if less is not None:
        found.append(_with_shared(less[0], less[1], now, shared_bytes, config, blocks))
    if not found:
        found += _with_both(gpu, threads, registers, shared_bytes, now)
    return (*found, *_more_warps(gpu, threads, registers, shared_bytes, now, config))


def _with_registers(gpu: Gpu, most: int, held: Occupancy, now: Occupancy, config: Config) -> Gain:
    text = f"at most {most} registers a thread: {_programs(held, now)}"
    if gpu.target.startswith("cuda") and "num_warps" in config:
        text += f"; maxnreg={most} forces it, and may spill"
    return Gain("registers", most, held.programs_per_sm, text)


def _less_shared(
    gpu: Gpu, threads: int, registers: int, shared_bytes: int, now: Occupancy
) -> tuple[int, Occupancy] | None:
    """Return the most shared memory that lets another program in, and what is held then."""
    most = _most_shared(gpu, now.programs_per_sm + 1)
    if not 0 <= most < shared_bytes:
        return None
    held = occupancy(gpu, threads=threads, registers=registers, shared_bytes=most)
    return (most, held) if held.programs_per_sm > now.programs_per_sm else None


def _most_shared(gpu: Gpu, programs: int) -> int:
    """Return the shared memory that each of so many programs can have, at most."""
    share = gpu.shared_per_sm_bytes // programs // gpu.shared_unit_bytes * gpu.shared_unit_bytes
    return min(share - gpu.shared_reserved_bytes, gpu.shared_per_block_bytes)


def _with_both(
    gpu: Gpu, threads: int, registers: int, shared_bytes: int, now: Occupancy
) -> list[Gain]:
    """Return how little must be taken of both where either alone lets nobody in."""
    most = _most_shared(gpu, now.programs_per_sm + 1)
    if not 0 <= most < shared_bytes:
        return []
    for fewer in range(registers - 1, 0, -1):
        held = occupancy(gpu, threads=threads, registers=fewer, shared_bytes=most)
        if held.programs_per_sm > now.programs_per_sm:
            text = (
                f"at most {fewer} registers a thread together with at most {most:,} bytes of "
                f"shared memory: {_programs(held, now)}"
            )
            return [Gain("registers and shared memory", fewer, held.programs_per_sm, text)]
    return []


def _with_shared(
    most: int,
    held: Occupancy,
    now: Occupancy,
    shared_bytes: int,
    config: Config,
    blocks: Iterable[str],
) -> Gain:
    text = f"at most {most:,} bytes of shared memory: {_programs(held, now)}"
    ways = []
    stages = config.as_dict().get("num_stages")
    if isinstance(stages, int) and stages > 1:
        fewer = stages * most // shared_bytes
        if fewer >= 1:
            ways.append(f"num_stages={fewer} takes about {shared_bytes * fewer // stages:,}")
    sizes = {name: config[name] for name in blocks if name in config}
    whole = {name: size for name, size in sizes.items() if isinstance(size, int) and size > 16}
    if whole:
        name = max(whole, key=lambda item: whole[item])
        smaller = whole[name]
        while smaller > 16 and shared_bytes * smaller // whole[name] > most:
            smaller //= 2
        taken = shared_bytes * smaller // whole[name]
        if smaller < whole[name] and taken <= most:
            ways.append(f"{name}={smaller} takes {taken:,} at best")
    if ways:
        text += "; " + ", ".join(ways)
    return Gain("shared memory", most, held.programs_per_sm, text)


def _more_warps(
    gpu: Gpu, threads: int, registers: int, shared_bytes: int, now: Occupancy, config: Config
) -> tuple[Gain, ...]:
    """Return the nearest other `num_warps` that keeps more warps active, if one does."""
    warps = config.as_dict().get("num_warps")
    if not isinstance(warps, int) or warps < 1 or now.warps_per_sm >= now.max_warps_per_sm:
        return ()
    # A kernel may have more warps than the knob says: its specialized ones come on top.
    own = threads // gpu.warp_size
    for count in sorted(_WARP_COUNTS, key=lambda count: (abs(count - warps), count)):
        asked = (own + count - warps) * gpu.warp_size
        if count == warps or not 0 < asked <= gpu.max_threads_per_block:
            continue
        held = occupancy(gpu, threads=asked, registers=registers, shared_bytes=shared_bytes)
        if held.warps_per_sm > now.warps_per_sm:
            text = (
                f"num_warps={count}: {held.warps_per_sm} of {held.max_warps_per_sm} warps instead "
                f"of {now.warps_per_sm}, if a thread takes no more registers then"
            )
            return (Gain("num_warps", count, held.programs_per_sm, text),)
    return ()


def _programs(held: Occupancy, now: Occupancy) -> str:
    plural = "" if held.programs_per_sm == 1 else "s"
    return f"{held.programs_per_sm} program{plural} instead of {now.programs_per_sm}"
