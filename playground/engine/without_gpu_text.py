"""The texts of which an exported file's stand-in for a GPU is put together."""

from __future__ import annotations

CHOOSE = """\
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

DISPATCH = """
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

STAND_IN = """
def run_without_gpu():
    \"""Let a file that was written for a GPU run on the CPU, in Triton's interpreter.\"""
"""

FLOATS = """
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

BENCHMARKS_ONCE = """
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

LOAD = """
load = torch.load
torch.load = lambda *given, **named: load(*given, **{**named, "map_location": "cpu"})
"""

MISSING = """
# A check does without what prints or plots, where that is not installed.
if "--check" in sys.argv:
    for absent in ({names},):
        if importlib.util.find_spec(absent) is None:
            sys.modules[absent] = unittest.mock.MagicMock(__spec__=None)
"""

MODE = '''
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

GETTERS = {
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

BACKWARD = """
step_back = torch.autograd.function.BackwardCFunction.apply

def stepped_back(node, *gradients):
    with OnTheCpu():  # which is left out while torch itself goes backwards
        return step_back(node, *gradients)

torch.autograd.function.BackwardCFunction.apply = stepped_back
"""

ACTIVE = """
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

AVAILABLE = """\
torch.cuda.is_available = lambda: not (
    sys._getframe(1).f_globals["__name__"].startswith("torch.")  # torch knows better
)
"""

GENERATOR = '''
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

NO_CLOCK = """
import triton.testing
from triton.runtime.autotuner import Autotuner

# There is no GPU to time: every time is 1, and benchmarks are left out.
triton.testing.do_bench = lambda call, quantiles=(), **_: [1.0] * len(quantiles or ()) or 1.0
triton.testing.Mark.run = lambda *_, **__: None
Autotuner.do_bench = staticmethod(lambda call, quantiles: [1.0] * len(quantiles))
"""
