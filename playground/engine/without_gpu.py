"""Lines with which an exported file, written for a GPU, runs interpreted on a machine without one.

Only what the file's text makes use of is written: a file that names no GPU gets four lines.
"""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from playground.engine import without_gpu_text
from playground.model.targets import facts_for, parse_target

if TYPE_CHECKING:
    from collections.abc import Sequence

_NOTHING = (
    "synchronize", "set_device", "empty_cache", "init", "ipc_collect", "set_stream",
    "reset_peak_memory_stats", "manual_seed", "manual_seed_all",
)  # fmt: skip
_CONTEXTS = ("device", "device_of", "stream", "Stream")


def choose_interpreter(
    text: str,
    target: str,
    missing: Sequence[str] = (),
    *,
    float_arguments: bool = False,
    benchmarks_once: bool = False,
    mended: Sequence[str] = (),
) -> str:
    """Return what an exported file with `text` starts with, before the user's own imports.

    Parameters
    ----------
    missing
        Modules that `text` imports and that were not installed: a check does without them.
    float_arguments
        Whether a launch passes a float.
    benchmarks_once
        Whether the file launches through its benchmarks alone.
    mended
        Code that mends Triton's interpreter for what the file's kernels need.
    """
    code = _without_comments(text)
    parts: list[str] = []
    if re.search(
        r"""["']cuda|\.cuda\(|\.is_cuda\b|cuda\.is_available|get_active_torch_device|driver\.active""",
        code,
    ):
        parts.append(_mode(code))
    parts += _patches(code, target)
    if re.search(r"do_bench|perf_report|Autotuner", code):
        parts.append(without_gpu_text.NO_CLOCK)
    if re.search(r"torch\.load\(", code):
        parts.append(without_gpu_text.LOAD)
    if re.search(r"driver\.active|get_active_torch_device", code):
        parts.append(_active(target))
    if re.search(r"custom_op\(|register_kernel|\.impl\(", code):
        parts.append(without_gpu_text.DISPATCH)
    if float_arguments and ".to(" in code:
        parts.append(without_gpu_text.FLOATS)
    parts += mended
    names = ["importlib.util"] if missing else []
    names.append("os")
    names += ["sys"] if missing or benchmarks_once else []
    names += ["unittest.mock"] if missing else []
    lines = [f"import {name}\n" for name in names]
    lines.append("\nimport torch\n")
    if missing:
        lines.append(
            without_gpu_text.MISSING.format(names=", ".join(f'"{one}"' for one in missing))
        )
    if parts:
        body = _with_imports_first("\n\n".join(part.strip("\n") for part in parts))
        lines.append(f"\n{without_gpu_text.STAND_IN}{textwrap.indent(body, '    ', _has_text)}\n\n")
    lines.append(f"\n{without_gpu_text.CHOOSE}" + ("    run_without_gpu()\n" if parts else ""))
    if benchmarks_once:
        lines.append(without_gpu_text.BENCHMARKS_ONCE)
    return 'if __name__ == "__main__":\n' + textwrap.indent("".join(lines), "    ", _has_text)


def _with_imports_first(body: str) -> str:
    lines = body.split("\n")
    imports = sorted({line for line in lines if line.startswith(("import ", "from "))})
    rest = "\n".join(line for line in lines if not line.startswith(("import ", "from ")))
    rest = re.sub(r"\n{3,}", "\n\n", rest).strip("\n")
    return "\n".join(imports) + "\n\n" + rest if imports else rest


def _has_text(line: str) -> bool:
    return bool(line.strip())


def _without_comments(text: str) -> str:
    code = re.sub(r"(?m)^\s*#.*$", "", text)
    # A file that asks first makes no tensor on a GPU that is not there.
    return re.sub(r"""["']cuda["'] if torch\.cuda\.is_available\(\)""", "", code)


def _mode(code: str) -> str:
    wanted = [
        text
        for name, text in without_gpu_text.GETTERS.items()
        if re.search(rf"\.{name}\b(?!\()", code)
    ]
    backward = without_gpu_text.BACKWARD if re.search(r"backward|autograd", code) else ""
    mode = without_gpu_text.MODE.replace("GETTERS", "".join(wanted)) + backward
    return mode if "inspect." in mode else mode.replace("import inspect\n\n", "")


def _patches(code: str, target: str) -> list[str]:
    used = dict.fromkeys(re.findall(r"torch\.cuda\.(\w+)", code))
    if "getattr(torch" in code:  # `getattr(torch, x.device.type).device(…)`
        used.update(dict.fromkeys(("device", "synchronize", "current_device")))
    lines: list[str] = []
    for name in used:
        if name in _NOTHING:
            lines.append(f"torch.cuda.{name} = lambda *_: None\n")
        elif name in _CONTEXTS:
            lines.append(f"torch.cuda.{name} = lambda *_: contextlib.nullcontext()\n")
        elif name == "Event":
            lines.append(
                'torch.cuda.Event = type("Event", (), {"__init__": lambda *_, **__: None, '
                '"record": lambda *_: None, "synchronize": lambda *_: None, '
                '"elapsed_time": lambda *_: 1.0})\n'
            )
        elif name == "is_available":
            lines.append(without_gpu_text.AVAILABLE)
        elif name == "device_count":
            lines.append("torch.cuda.device_count = lambda: 1\n")
        elif name == "default_generators":
            lines.append(without_gpu_text.GENERATOR)
        elif name == "current_device":
            lines.append("torch.cuda.current_device = lambda: 0\n")
        elif name in ("current_stream", "default_stream"):
            lines.append(
                f"torch.cuda.{name} = lambda *_: "
                "type('Stream', (), {'cuda_stream': 0, 'synchronize': lambda self: None})()\n"
            )
        elif name == "get_device_capability":
            lines.append(f"torch.cuda.get_device_capability = lambda *_: {_capability(target)}\n")
        elif name == "get_device_name":
            lines.append(f'torch.cuda.get_device_name = lambda *_: "simulated {target}"\n')
        elif name == "get_device_properties":
            lines.append(
                "torch.cuda.get_device_properties = lambda *_: "
                f"types.SimpleNamespace({_as_keywords(_used(_properties(target), code))})\n"
            )
    modules = [
        name
        for name in ("contextlib", "hashlib", "sys", "types")
        if any(f"{name}." in line for line in lines)
    ]
    front = "".join(f"import {name}\n" for name in modules)
    return [f"{front}\n" * bool(front) + "".join(lines)] if lines else []


def _capability(target: str) -> tuple[int, int]:
    arch = parse_target(target).arch
    return divmod(arch, 10) if isinstance(arch, int) else (0, 0)


def _properties(target: str) -> dict[str, object]:
    facts = facts_for(target)
    major, minor = _capability(target)
    if facts is None:
        return {"major": major, "minor": minor}
    return {
        "major": major,
        "minor": minor,
        "multi_processor_count": facts.multiprocessors,
        "warp_size": facts.warp_size,
        "total_memory": facts.memory_bytes,
        "L2_cache_size": facts.l2_bytes,
        "regs_per_multiprocessor": facts.registers_per_sm,
        "max_threads_per_multi_processor": facts.max_warps_per_sm * facts.warp_size,
        "shared_memory_per_multiprocessor": facts.shared_per_sm_bytes,
        "shared_memory_per_block_optin": facts.shared_per_block_bytes,
    }


def _used(values: dict[str, object], code: str) -> dict[str, object]:
    return {name: value for name, value in values.items() if re.search(rf"\.{name}\b", code)}


def _as_keywords(values: dict[str, object]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items())


def _active(target: str) -> str:
    parsed = parse_target(target)
    facts = facts_for(target)
    properties = {}
    if facts is not None:
        properties = {
            "max_shared_mem": facts.shared_per_block_bytes,
            "max_num_regs": facts.registers_per_sm,
            "multiprocessor_count": facts.multiprocessors,
            "warpSize": facts.warp_size,
        }
    backend = target.partition(":")[0]
    warp_size = 32 if facts is None else facts.warp_size
    made = f"triton.backends.compiler.GPUTarget({backend!r}, {parsed.arch!r}, {warp_size})"
    return without_gpu_text.ACTIVE.format(target=made, properties=properties)
