"""Compiling one jitted function through Triton's own launch path, with no GPU and no tensor.

Arguments go through `JITFunction.warmup`, so a function is specialized exactly as a launch of it
would be, and Triton's disk cache holds one entry for both. Checked against triton 3.6 and 3.9.
"""

from __future__ import annotations

import dataclasses
import json
import re
from typing import TYPE_CHECKING, Any

import torch
import triton
from triton.runtime.cache import get_cache_manager

from playground.engine import resources as resource_reading
from playground.engine.resources import Resources
from playground.engine.triton_private import wrappers

if TYPE_CHECKING:
    from collections.abc import Callable

_SIDECAR = "playground-3.json"
"""Kept beside Triton's own files: what only the first compilation of a kernel could say.

The number goes up with every change of what is in it.
"""


class StandInTensor:
    """Answers what Triton asks a tensor while it specializes a kernel; holds no memory.

    Parameters
    ----------
    dtype
        A torch dtype, or Triton's.
    aligned
        Whether the address is a multiple of 16 bytes.
    small
        Whether the storage is below 2 GiB (AMD's compiler asks).
    """

    def __init__(self, dtype: Any, *, aligned: bool = True, small: bool = True) -> None:
        self.dtype = dtype
        self._aligned = aligned
        self._small = small
        self.device = torch.device("cpu")
        self.shape = (1,)

    def data_ptr(self) -> int:
        """Return an address with the right alignment; nothing is there."""
        return 0 if self._aligned else 1

    def ptr_range(self) -> int:
        """Return how far accesses may reach, in bytes."""
        return 0 if self._small else 2**31

    def stride(self, _dimension: int | None = None) -> tuple[int, ...] | int:
        """Return the stride of a vector."""
        return (1,) if _dimension is None else 1


@dataclasses.dataclass(frozen=True)
class Compiled:
    """A compiled kernel and what was observed while it was made."""

    name: str
    asm: dict[str, str | bytes]
    shared_bytes: int
    threads: int
    tensor_memory_columns: int
    resources: Resources
    stage_times_us: tuple[tuple[str, int], ...]
    total_us: int
    cache_hit: bool


def prepare_compiler() -> None:
    """Do what Triton does once a process before its first compilation (it hashes itself)."""
    from triton.runtime import cache

    cache.triton_key()
    triton.knobs.nvidia.dump_ptxas_log = True


def tool(name: str) -> str:
    """Return the path of `cuobjdump` or `nvdisasm` as Triton finds it."""
    return str(getattr(triton.knobs.nvidia, name).path)


def compile_function(
    function: Any,
    arguments: dict[str, Any],
    options: dict[str, Any],
    printed: Callable[[], str],
) -> Compiled:
    """Compile a `JITFunction` for the active driver's target.

    Parameters
    ----------
    function
        The function itself, without wrappers.
    arguments
        Every parameter by name; `StandInTensor` for tensors.
    options
        Launch options such as `num_warps`.
    printed
        Returns what was printed since compilation began (ptxas reports there).

    Raises
    ------
    Exception
        Whatever Triton raises.
    """
    seen: dict[str, Any] = {}

    def listen(**event: Any) -> None:
        seen.update(event)

    # Triton keeps compiled kernels per device number: of another target, of another module state.
    function.device_caches.clear()
    hooks, function.pre_run_hooks = function.pre_run_hooks, []
    before, triton.knobs.compilation.listener = triton.knobs.compilation.listener, listen
    try:
        names = list(arguments)
        first = names[: wrappers.by_position(names)]
        named = {**options, **{name: arguments[name] for name in names[len(first) :]}}
        kernel = function.warmup(*(arguments[name] for name in first), grid=(1, 1, 1), **named)
    finally:
        function.pre_run_hooks = hooks
        triton.knobs.compilation.listener = before
    metadata, times = kernel.metadata, seen["times"]
    asm = {
        stage: content for stage, content in kernel.asm.items() if stage not in ("source", _SIDECAR)
    }
    hit = bool(seen["cache_hit"])
    measured = (("front end", times.ir_initialization), *times.lowering_stages)
    known = _read_sidecar(kernel.hash) if hit else None
    if known is None:
        resources = _resources(kernel, asm, printed)
        known = (resources, () if hit else measured)
        _write_sidecar(kernel.hash, *known)
    return Compiled(
        name=str(metadata.name),
        asm=asm,
        shared_bytes=int(metadata.shared),
        threads=int(metadata.num_warps) * int(metadata.target.warp_size),
        tensor_memory_columns=int(getattr(metadata, "tmem_size", None) or 0),
        resources=known[0],
        stage_times_us=tuple((str(stage), int(time)) for stage, time in known[1]),
        total_us=int(times.total),
        cache_hit=hit,
    )


def _resources(kernel: Any, asm: dict[str, str | bytes], log: Callable[[], str]) -> Resources:
    if "amdgcn" in asm:
        return resource_reading.from_amdgcn(str(asm["amdgcn"]))
    reported = resource_reading.from_ptxas_log(log())
    if reported is not None:
        return reported
    # Another process compiled it, and its log is gone.
    cubin = asm["cubin"]
    read = resource_reading.from_cubin(
        cubin if isinstance(cubin, bytes) else cubin.encode(), tool("cuobjdump")
    )
    ptx = str(asm.get("ptx", ""))
    if not (read.stack_bytes or "wgmma" in ptx) or not ptx:
        # Only with a stack is there something to spill, only of wgmma it has remarks to make.
        return read
    assemble_again(kernel, ptx)
    return resource_reading.from_ptxas_log(log()) or read


def assemble_again(kernel: Any, ptx: str) -> None:
    """Have Triton assemble a kernel's PTX as it did before, for what ptxas prints meanwhile."""
    from triton.compiler.compiler import make_backend

    backend = make_backend(kernel.metadata.target)
    wanted = ("num_warps", "num_ctas", "enable_fp_fusion", "ptx_options", "arch")
    options = backend.parse_options(
        {name: getattr(kernel.metadata, name) for name in wanted if hasattr(kernel.metadata, name)}
    )
    backend.make_cubin(ptx, {}, options, int(kernel.metadata.target.arch))


def _write_sidecar(key: str, resources: Resources, times: tuple[tuple[str, int], ...]) -> None:
    content = json.dumps({"resources": dataclasses.asdict(resources), "times_us": times})
    get_cache_manager(key).put(content, _SIDECAR, binary=False)


def _read_sidecar(key: str) -> tuple[Resources, tuple[tuple[str, int], ...]] | None:
    manager = get_cache_manager(key)
    if not manager.has_file(_SIDECAR):
        return None
    with open(manager.get_file(_SIDECAR), encoding="utf-8") as file:
        content = json.load(file)
    fields = content["resources"]
    fields["remarks"], fields["notes"] = tuple(fields["remarks"]), tuple(fields["notes"])
    fields["kinds"] = tuple((kind, count) for kind, count in fields["kinds"])
    return Resources(**fields), tuple((stage, time) for stage, time in content["times_us"])


def find_functions(file: str, line: int, candidates: list[Any]) -> list[Any]:
    """Return the kernels among `candidates`, compiled or interpreted, with their `def` there."""
    from playground.engine.triton_private.wrappers import definition, is_function

    return [
        value for value in candidates if is_function(value) and definition(value) == (file, line)
    ]


def source_places(source: str, candidates: list[Any]) -> list[tuple[str, int]]:
    """Return (file, line of `def`) of the functions among `candidates` with this source text.

    A compile error carries the text of the function it is in, and a line counted from its `def`.
    """
    return [
        (function.fn.__code__.co_filename, _def_line(function))
        for function in candidates
        if isinstance(function, triton.JITFunction) and function.src == source
    ]


def _def_line(function: Any) -> int:
    offset = next(
        (at for at, text in enumerate(function.raw_src) if re.match(r"\s*def\s", text)), 0
    )
    return int(function.starting_line_number) + offset
