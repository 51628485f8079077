"""Theoretical occupancy: how many programs of a kernel a multiprocessor can hold at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.model.compiling import Occupancy

if TYPE_CHECKING:
    from playground.model.targets import Gpu

_SCHEDULERS = 4
"""Parts of a multiprocessor with registers of their own, on every GPU of the table."""


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
        Shared memory of a program in bytes.
    """
    warps = _round_up(threads, gpu.warp_size) // gpu.warp_size
    limits = {
        "warps": gpu.max_warps_per_sm // warps,
        "blocks": gpu.max_blocks_per_sm,
        "registers": _by_registers(gpu, warps, registers),
        "shared memory": _by_shared(gpu, shared_bytes),
    }
    if threads > gpu.max_threads_per_block:
        limits = {"threads": 0, **limits}
    # The first of equals is named: warps first, because then the GPU is as full as it can be.
    limiter = min(limits, key=lambda name: limits[name])
    programs = limits[limiter]
    return Occupancy(programs, programs * warps, gpu.max_warps_per_sm, limiter)


def _by_registers(gpu: Gpu, warps: int, registers: int) -> int:
    if registers <= 0:
        return gpu.max_blocks_per_sm
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
    return gpu.shared_per_sm_bytes // taken if taken else gpu.max_blocks_per_sm


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
