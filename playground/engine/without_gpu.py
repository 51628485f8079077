"""Lines with which an exported file, written for a GPU, runs interpreted on a machine without one.

Only what the file's text makes use of is written: a file that names no GPU gets four lines.
"""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from playground.model.targets import facts_for, parse_target

if TYPE_CHECKING:
    from collections.abc import Sequence

_CHOOSE = """\
if not torch.cuda.is_available():
    # Without a GPU the kernel runs in Triton's interpreter, chosen before triton is imported.
    chosen = os.environ.setdefault("TRITON_INTERPRET", "1")
    if chosen.lower() not in ("1", "true", "yes", "on", "y"):
        print(
            "not judged: no GPU here: unset TRITON_INTERPRET or set it to 1 "
            "to check in the interpreter"
        )
        raise SystemExit(2)
"""

_DISPATCH = """
import warnings

# Tensors are the CPU's here: what an operator does for CUDA serves them.
operator_type = torch._library.custom_ops.CustomOpDef
register, claimed = operator_type.register_kernel, []

def register_kernel(operator, devices, function=None, /):
    if "cuda" in (devices or ()):
        claimed.append(operator)
        return register(operator, "cpu", function)
    if devices == "cpu" and operator in claimed:
        return function or (lambda function: function)
    return register(operator, devices, function)

operator_type.register_kernel = register_kernel
implement, taken = torch.library.Library.impl, []

def impl(library, name, function, key="", **options):
    key = key or library.dispatch_key
    if key == "CPU" and name in taken:
        return None
    if key == "CUDA":
        taken.append(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a second implementation
        return implement(library, name, function, "CPU" if key == "CUDA" else key, **options)

torch.library.Library.impl = impl
"""

_STAND_IN = """
def run_without_gpu():
    \"""Let a file that was written for a GPU run on the CPU, in Triton's interpreter.\"""
"""

_FLOATS = """
import numpy
import triton.language
from triton.runtime import interpreter

convert = interpreter._implicit_cvt

def converted(value):
    if not isinstance(value, float):
        return convert(value)
    # A float argument is an fp32 tensor to the compiler.
    handle = interpreter.TensorHandle(
        numpy.array([value], dtype=numpy.float32), triton.language.float32
    )
    return triton.language.tensor(handle, triton.language.float32)

interpreter._implicit_cvt = converted
"""

_BENCHMARKS_ONCE = """
if "--check" in sys.argv:
    # The file launches through its benchmarks: each goes once, at its smallest size.
    import triton.testing

    def sweep_once(mark, **_):
        several = isinstance(mark.benchmarks, (list, tuple))
        for bench in mark.benchmarks if several else [mark.benchmarks]:
            value = min(bench.x_vals)
            sizes = value if isinstance(value, (list, tuple)) else [value] * len(bench.x_names)
            given = {**dict(zip(bench.x_names, sizes)), **bench.args}
            for line in sorted(bench.line_vals, key=lambda one: "triton" not in str(one).lower()):
                mark.fn(**given, **{bench.line_arg: line})

    def call_once(call, *_, quantiles=None, **__):
        call()
        return [1.0] * len(quantiles) if quantiles else 1.0

    triton.testing.Mark.run = sweep_once
    triton.testing.do_bench = call_once
"""

_LOAD = """
load = torch.load
torch.load = lambda *given, **named: load(*given, **{**named, "map_location": "cpu"})
"""

_MISSING = """
# A check does without what prints or plots, where that is not installed.
if "--check" in sys.argv:
    for absent in ({names},):
        if importlib.util.find_spec(absent) is None:
            sys.modules[absent] = unittest.mock.MagicMock(__spec__=None)
"""

_MODE = '''
import inspect

from torch.overrides import TorchFunctionMode

class OnTheCpu(TorchFunctionMode):
    """Makes on the CPU what is asked for on a GPU."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        def moved(value):
            named_so = isinstance(value, (str, torch.device)) and str(value).startswith("cuda")
            return torch.device("cpu") if named_so else value

        named = {name: moved(value) for name, value in (kwargs or {}).items()}
        named.pop("pin_memory", None)
        if function in (torch.Tensor.cuda, torch.Tensor.cpu):
            return args[0].clone()
        if function is torch.Tensor.to:
            places = [moved(value) for value in args]
            if any(a is not b for a, b in zip(places, args)) or named != (kwargs or {}):
                return function(*places, **{**named, "copy": True})
            return function(*args, **named)
GETTERS        return function(*args, **named)

OnTheCpu().__enter__()
'''

_GETTERS = {
    "is_cuda": """\
        if function == torch.Tensor.is_cuda.__get__:
            return True
""",
    "device": """\
        if function == torch.Tensor.device.__get__:
            asking = inspect.currentframe().f_back.f_globals["__name__"]
            if asking.startswith(("torch.", "triton.")):
                return function(*args, **named)
            return torch.device("cuda", 0)
""",
}

_BACKWARD = """
step_back = torch.autograd.function.BackwardCFunction.apply

def stepped_back(node, *gradients):
    with OnTheCpu():  # which is left out while torch itself goes backwards
        return step_back(node, *gradients)

torch.autograd.function.BackwardCFunction.apply = stepped_back
"""

_ACTIVE = """
import types

import triton

triton.runtime.driver.set_active(
    types.SimpleNamespace(
        get_active_torch_device=lambda: torch.device("cuda", 0),
        get_current_device=lambda: 0,
        get_current_target=lambda: {target},
        get_current_stream=lambda device=0: 0,
        get_device_interface=lambda: torch.cuda,
        utils=types.SimpleNamespace(
            get_device_properties=lambda device=0: {properties}
        ),
    )
)
"""

_AVAILABLE = """\
torch.cuda.is_available = lambda: not (
    sys._getframe(1).f_globals["__name__"].startswith("torch.")  # torch knows better
)
"""

_GENERATOR = '''
class Generator:
    """Seed and offset as 16 bytes, as a GPU's generator holds them."""

    def get_state(self):
        state = hashlib.blake2b(torch.get_rng_state().numpy().tobytes(), digest_size=8)
        words = [int.from_bytes(state.digest(), "little") >> 1, 0]
        return torch.tensor(words, dtype=torch.int64, device="cpu").view(torch.uint8)

    def set_state(self, state):
        torch.rand(1, device="cpu")

torch.cuda.default_generators = (Generator(),)
'''

_NO_CLOCK = """
import triton.testing
from triton.runtime.autotuner import Autotuner

# There is no GPU to time: every time is 1, and benchmarks are left out.
triton.testing.do_bench = lambda call, quantiles=(), **_: [1.0] * len(quantiles or ()) or 1.0
triton.testing.Mark.run = lambda *_, **__: None
Autotuner.do_bench = staticmethod(lambda call, quantiles: [1.0] * len(quantiles))
"""

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
        parts.append(_NO_CLOCK)
    if re.search(r"torch\.load\(", code):
        parts.append(_LOAD)
    if re.search(r"driver\.active|get_active_torch_device", code):
        parts.append(_active(target))
    if re.search(r"custom_op\(|register_kernel|\.impl\(", code):
        parts.append(_DISPATCH)
    if float_arguments and ".to(" in code:
        parts.append(_FLOATS)
    parts += mended
    names = ["importlib.util"] if missing else []
    names.append("os")
    names += ["sys"] if missing or benchmarks_once else []
    names += ["unittest.mock"] if missing else []
    lines = [f"import {name}\n" for name in names]
    lines.append("\nimport torch\n")
    if missing:
        lines.append(_MISSING.format(names=", ".join(f'"{one}"' for one in missing)))
    if parts:
        body = _with_imports_first("\n\n".join(part.strip("\n") for part in parts))
        lines.append(f"\n{_STAND_IN}{textwrap.indent(body, '    ', _has_text)}\n\n")
    lines.append(f"\n{_CHOOSE}" + ("    run_without_gpu()\n" if parts else ""))
    if benchmarks_once:
        lines.append(_BENCHMARKS_ONCE)
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
    wanted = [text for name, text in _GETTERS.items() if re.search(rf"\.{name}\b(?!\()", code)]
    backward = _BACKWARD if re.search(r"backward|autograd", code) else ""
    mode = _MODE.replace("GETTERS", "".join(wanted)) + backward
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
            lines.append(_AVAILABLE)
        elif name == "device_count":
            lines.append("torch.cuda.device_count = lambda: 1\n")
        elif name == "default_generators":
            lines.append(_GENERATOR)
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
    return _ACTIVE.format(target=made, properties=properties)
