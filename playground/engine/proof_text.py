"""The code with which an exported file watches its launch and judges it."""

SEED = '''
def seed(number):
    """Seed every generator that the driver may draw from."""
    import random

    import numpy

    random.seed(number)
    numpy.random.seed(number % (1 << 32))
    torch.manual_seed(number)
'''

PAIRS = '''
def pairs(got, want):
    """Yield the tensors of two values, wherever both have one."""
    if isinstance(got, torch.Tensor) and isinstance(want, torch.Tensor):
        yield got, want
    elif isinstance(got, (tuple, list)) and isinstance(want, (tuple, list)):
        for one, other in zip(got, want):
            yield from pairs(one, other)
    elif isinstance(got, dict) and isinstance(want, dict):
        for key in got:
            yield from pairs(got[key], want.get(key))
    elif isinstance(got, (tuple, list)) and got:
        yield from pairs(got[0], want)
    elif hasattr(got, "__dataclass_fields__"):
        yield from pairs(vars(got), getattr(want, "__dict__", None))


def compare(got, want, tolerance):
    """Return 0 when two tensors agree, else 1."""
    if got.numel() != want.numel():
        print(f"wrong: shape {tuple(got.shape)} and not {tuple(want.shape)}")
        return 1
    wide = torch.complex128 if got.is_complex() or want.is_complex() else torch.float64
    got, want = got.to(wide).cpu(), want.to(wide).cpu().reshape(got.shape)
    same = torch.isclose(got, want, rtol=0, atol=tolerance, equal_nan=True)
    if not bool(same.all()):
        print(f"wrong: {int((~same).sum())} of {same.numel()} elements differ")
        return 1
    return 0
'''

LEAVES = '''
def tensors_of(name, value):
    """Yield every tensor of an argument with a name: of tuples and descriptors, too."""
    if isinstance(value, torch.Tensor):
        yield name, value
    elif isinstance(value, (tuple, list)):
        for place, one in enumerate(value):
            yield from tensors_of(f"{name}[{place}]", one)
    elif isinstance(getattr(value, "base", None), torch.Tensor):
        yield name, value.base
'''

RECORDER = '''
class Recorded:
    """Keeps how one launch of a kernel was configured, and its tensors before and after it."""

    def __init__(self, kernel, ordinal):
        self.kernel, self.ordinal = kernel, ordinal
        self.count, self.given = 0, {}
        self.before, self.after = {}, {}
        if os.environ.get("TRITON_INTERPRET") == "1":
            from triton.runtime.interpreter import InterpretedFunction as Function
        else:
            from triton.runtime.jit import JITFunction as Function
        perform = Function.run

        def watched(function, given, launch):
            self.count += 1
            if self.count != self.ordinal + 1:
                return launch()
            signature = inspect.signature(function.fn).parameters.items()
            self.given = {**{name: one.default for name, one in signature}, **given}
            given = self.given.items()
            tensors = dict(one for name, value in given for one in tensors_of(name, value))
            self.before = {name: one.detach().clone() for name, one in tensors.items()}
            result = launch()
            self.after = {name: one.detach().clone() for name, one in tensors.items()}
            return result

        def run(function, *args, **kwargs):
            if function.fn.__name__ != self.kernel or kwargs.get("warmup"):
                return perform(function, *args, **kwargs)
            given = {**kwargs, **dict(zip(function.arg_names, args))}
            return watched(function, given, lambda: perform(function, *args, **kwargs))

        Function.run = run


def untuned(recorded):
    """Return what keeps the launch from being the tuned one, or an empty string."""
    for name, value in TUNED.items():
        got = recorded.given.get(name)
        got = getattr(got, "value", got)
        if got != value:
            return f"{recorded.kernel} was launched with {name}={got}, not the tuned {value}"
    return ""
'''

OF_TENSORS = (
    "        self.before, self.after = {}, {}\n",
    "            given = self.given.items()\n"
    "            tensors = dict(one for name, value in given for one in tensors_of(name, value))\n"
    "            self.before = {name: one.detach().clone() for name, one in tensors.items()}\n",
    "            self.after = {name: one.detach().clone() for name, one in tensors.items()}\n",
)
"""Parts of the recorder that are for samples alone."""
BEFORE_AND_AFTER = ", and its tensors before and after it"

DOUBTFUL = (
    """    if wrong:
""",
    """    far = [name for name, values in outputs if differing(recorded.after[name], values, 16)]
    if wrong and not far and os.environ.get("TRITON_INTERPRET") == "1":
        print(f"not judged: {', '.join(wrong)} differ a little; without a GPU it goes in fp32")
        return 2
    if wrong:
""",
)
"""What to put where, when a launch goes in another precision without a GPU than with one."""

CASTS = (
    """    if wrong:
""",
    """    if wrong and os.environ.get("TRITON_INTERPRET") == "1":
        print(f"not judged: {', '.join(wrong)} differ; Triton's interpreter is wrong about casts")
        return 2
    if wrong:
""",
)
"""What to put where, when a kernel is handed bytes as a type that the interpreter gets wrong."""

REACHED = '''
class Reached(BaseException):
    """The launch that is judged was made; what is timed after it says nothing more."""
'''
SWEPT = (
    (
        """            self.count += 1
            if self.count""",
        """            for name, value in given.items():
                for leaf, one in tensors_of(name, value):
                    if one.numel() > LARGEST.get(leaf, one.numel()):
                        return None  # a larger size than the one that is judged
            self.count += 1
            if self.count""",
    ),
    (
        """ for name, one in tensors.items()}
            return result
""",
        """ for name, one in tensors.items()}
            raise Reached
""",
    ),
)
"""What to put where, when a file times launches again and again, or one size after another."""

LIST_GRID = (
    """            if function.fn.__name__ != self.kernel or kwargs.get("warmup"):
""",
    """            grid = kwargs.get("grid")  # the interpreter asks for a tuple
            if isinstance(grid, list):
                kwargs["grid"] = tuple(grid)
            elif callable(grid):
                kwargs["grid"] = lambda meta: tuple(grid(meta))
            if function.fn.__name__ != self.kernel or kwargs.get("warmup"):
""",
)
"""What to put where, when a launch gives its grid as a list."""

COMPILED = """
        from triton.compiler import CompiledKernel

        item = CompiledKernel.__getitem__

        def launcher(compiled, grid):
            function, perform = compiled.src.fn, item(compiled, grid)

            def launch(*args, **options):
                if function.fn.__name__ != self.kernel:
                    return perform(*args, **options)
                given = dict(zip(function.arg_names, args))
                return watched(function, given, lambda: perform(*args, **options))

            return launch

        CompiledKernel.__getitem__ = launcher
"""

FIRST_CONFIG = """
        from triton.runtime.autotuner import Autotuner

        tune = Autotuner.run

        def first_config(tuner, *args, **kwargs):
            if tuner.base_fn.__name__ == self.kernel or os.environ.get("TRITON_INTERPRET"):
                # The check is of the frozen config, which comes first; nothing is timed.
                tuner.nargs = dict(zip(tuner.arg_names, args))
                tuner.configs = tuner.prune_configs(kwargs)[:1]
            return tune(tuner, *args, **kwargs)

        Autotuner.run = first_config
"""

SAMPLES = '''
def judge(recorded, tolerance):
    """Return 0 when the launch gives what was captured, 1 when not, 2 when it cannot be told."""

    def differing(tensor, values, times=1):
        flat = tensor.reshape(-1)
        if values and values[-1][0] >= flat.numel():
            return len(values)
        got = torch.tensor([float(flat[place]) for place, _ in values], dtype=torch.float64)
        want = torch.tensor([value for _, value in values], dtype=torch.float64)
        same = torch.isclose(got, want, rtol=0, atol=times * tolerance, equal_nan=True)
        return int((~same).sum())

    for name, values in RECIPE["inputs"].items():
        if name not in recorded.before or differing(recorded.before[name], values):
            print(f"not judged: input {name} is not what it was at export (seeds differ by device)")
            return 2
    outputs = RECIPE["outputs"].items()
    wrong = [name for name, values in outputs if differing(recorded.after[name], values)]
    if wrong:
        print(f"wrong: {', '.join(wrong)} differ from the captured result")
        return 1
    print("correct against samples of the captured result")
    return 0
'''
