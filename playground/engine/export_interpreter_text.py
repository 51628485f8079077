"""The code with which an exported file mends Triton's interpreter, a part for each fault."""

from __future__ import annotations

LIBDEVICE = """
import importlib

import numpy
import triton.language.extra
from triton.runtime import interpreter

functions = {{
{functions}
}}

def elementwise(builder, library, path, symbol, operands, result_type, pure):
    name = symbol.removeprefix("__nv_").removeprefix("__ocml_")
    name = name.removesuffix("_f32").removesuffix("_f64")
    if name not in functions:
        name = name[:-1]  # the precision: tanhf is of float32
    data = numpy.asarray(functions[name](*(one.data for one in operands)))
    kind = interpreter._get_np_dtype(result_type.scalar)
    return interpreter.TensorHandle(data.astype(kind), result_type.scalar)

# Triton's interpreter has no libdevice: NumPy and torch compute what is used of it.
interpreter.InterpreterBuilder.create_extern_elementwise = elementwise
for name in functions:
    for vendor in ("cuda", "hip"):
        path = f"triton.language.extra.{{vendor}}.libdevice"
        for library in (
            importlib.import_module(path),
            getattr(triton.language.extra, vendor).libdevice,
        ):
            if hasattr(library, name):
                call = functools.partial(
                    getattr(library, name), _semantic=interpreter.interpreter_semantic
                )
                setattr(library, name, call)
                if vendor == "cuda":
                    setattr(importlib.import_module("triton.language.extra.libdevice"), name, call)
"""

COPIES = """
import importlib.machinery
import sys

execute_module = importlib.machinery.SourceFileLoader.exec_module

def execute(loader, module):
    execute_module(loader, module)
    if module.__name__.endswith(".libdevice"):
        # A copy that the file makes is to compute as the one above does.
        for name in functions:
            vars(module)[name] = vars(sys.modules["triton.language.extra.libdevice"])[name]

importlib.machinery.SourceFileLoader.exec_module = execute
"""

SAME_IN_NUMPY = (
    "cos", "sin", "tan", "cosh", "sinh", "tanh", "exp", "exp2", "expm1", "log", "log2", "log10",
    "log1p", "sqrt", "cbrt", "abs", "floor", "ceil", "trunc", "rint", "fmod", "hypot",
    "copysign", "signbit", "isnan", "isinf",
)  # fmt: skip
FUNCTIONS = {name: f"numpy.{name}" for name in SAME_IN_NUMPY} | {
    "acos": "numpy.arccos",
    "asin": "numpy.arcsin",
    "atan": "numpy.arctan",
    "atan2": "numpy.arctan2",
    "acosh": "numpy.arccosh",
    "asinh": "numpy.arcsinh",
    "atanh": "numpy.arctanh",
    "pow": "numpy.power",
    "finitef": "numpy.isfinite",
    "isfinited": "numpy.isfinite",
    "rsqrt": "lambda x: 1 / numpy.sqrt(x)",
    "rcbrt": "lambda x: 1 / numpy.cbrt(x)",
    "exp10": "lambda x: numpy.power(10, x)",
    "fma": "lambda x, y, z: x * y + z",
    "fdim": "lambda x, y: numpy.fmax(x - y, 0)",
    "nearbyint": "numpy.rint",
    "llrint": "numpy.rint",
    "round": "lambda x: numpy.trunc(x + numpy.copysign(0.5, x))",
    "llround": "lambda x: numpy.trunc(x + numpy.copysign(0.5, x))",
    "saturatef": "lambda x: numpy.clip(numpy.nan_to_num(x), 0, 1)",
    "fast_sinf": "numpy.sin",
    "fast_cosf": "numpy.cos",
    "fast_tanf": "numpy.tan",
    "fast_expf": "numpy.exp",
    "fast_logf": "numpy.log",
    "fast_log2f": "numpy.log2",
    "fast_log10f": "numpy.log10",
    "fast_dividef": "numpy.divide",
    "fast_powf": "numpy.power",
    "div_rn": "numpy.divide",
    "mul_rn": "numpy.multiply",
    "add_rn": "numpy.add",
    "sub_rn": "numpy.subtract",
    "popc": "numpy.bitwise_count",
    **{
        name: f"lambda *x: torch.special.{twin}(*map(torch.from_numpy, x)).numpy()"
        for name, twin in {
            "erf": "erf", "erfc": "erfc", "erfinv": "erfinv", "lgamma": "gammaln",
            "normcdf": "ndtr", "normcdfinv": "ndtri", "j0": "bessel_j0", "j1": "bessel_j1",
            "y0": "bessel_y0", "y1": "bessel_y1",
        }.items()
    },
}  # fmt: skip
"""Text that computes a libdevice function from its operands as arrays."""
SYMBOLS = {
    "fast_dividef": "fast_fdivide", "div_rn": "fdiv_rn", "mul_rn": "fmul_rn", "add_rn": "fadd_rn",
    "sub_rn": "fsub_rn", "fast_sinf": "fast_sin", "fast_cosf": "fast_cos", "fast_tanf": "fast_tan",
    "fast_expf": "fast_exp", "fast_logf": "fast_log", "fast_log2f": "fast_log2",
    "fast_log10f": "fast_log10", "fast_powf": "fast_pow", "abs": "fabs", "pow": "powi",
    "popc": "popcll",
}  # fmt: skip
"""What the symbol of a function is called, without its precision, where that is another name."""

FP32 = """
import triton.language
from triton.runtime import interpreter

# Triton's interpreter computes these types on their bit patterns: launches go in fp32 here, and
# what they leave is rounded as a GPU would.
narrow = [
    getattr(torch, name)
    for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2")
    if hasattr(torch, name)
]
numpy_type = interpreter._get_np_dtype

def wide_numpy_type(kind):
    element = kind.scalar if hasattr(kind, "scalar") else kind
    return numpy.dtype(numpy.float32) if element is wide else numpy_type(kind)

wide = triton.language.float32
interpreter._get_np_dtype = wide_numpy_type
for place in (triton.language, triton.language.core):
    for name in ("bfloat16", "float8e4nv", "float8e5"):
        setattr(place, name, wide)
perform = interpreter.InterpretedFunction.run

def in_fp32(function, *given, **named):
    storages = {}

    def widened(value):
        if isinstance(value, tuple):
            made = [widened(one) for one in value]
            return type(value)(*made) if hasattr(value, "_fields") else tuple(made)
        if hasattr(value, "block_shape") and hasattr(value, "base"):
            value = copy.copy(value)
            value.base = widened(value.base)
        if not isinstance(value, torch.Tensor) or not value.numel():
            return value
        memory = value.untyped_storage()
        whole, now = storages.get(memory.data_ptr(), (None, None))
        if whole is None:
            whole = torch.empty(0, dtype=value.dtype).set_(memory)
            now = whole.float() if value.dtype in narrow else whole
            storages[memory.data_ptr()] = (whole, now)
        if whole.dtype != value.dtype:
            if whole.dtype in narrow or value.dtype in narrow:
                raise TypeError("one storage is seen as two types")
            return value
        if now is whole:
            return value
        return now.as_strided(value.size(), value.stride(), value.storage_offset())

    given, named = [widened(one) for one in given], {at: widened(one) for at, one in named.items()}
    result = perform(function, *given, **named)
    for whole, now in storages.values():
        if now is not whole:
            whole.copy_(now)
    return result

interpreter.InterpretedFunction.run = in_fp32
"""

CLOSURES = """
import inspect
import types

from triton.runtime.interpreter import FunctionRewriter

compile_rewritten = FunctionRewriter._compile_and_exec

def with_closure(rewriter, tree):
    # The interpreter looks for what a kernel uses in its module, not in what made the kernel.
    made = rewriter.fn
    seen = {**made.__globals__, **inspect.getclosurevars(made).nonlocals}
    rewriter.fn = types.FunctionType(
        made.__code__, seen, made.__name__, made.__defaults__, made.__closure__
    )
    rewriter.fn.__annotations__ = made.__annotations__
    try:
        return compile_rewritten(rewriter, tree)
    finally:
        rewriter.fn = made

FunctionRewriter._compile_and_exec = with_closure
"""

LOGIC = """
import ast

import triton.language
from triton.runtime import interpreter

def logical(name, value, *others):
    # `and` and `or` between blocks are of their elements; Python keeps one operand alone.
    for other in others:
        if isinstance(value, triton.language.tensor):
            value = getattr(value, f"logical_{name}")(other())
        elif bool(value) is (name == "and"):
            value = other()
    return value

def negated(value):
    return value == 0 if isinstance(value, triton.language.tensor) else not value

def called(name, *operands):
    return ast.Call(ast.Name(name, ast.Load()), list(operands), [])

def visit_logic(transformer, node):
    first, *rest = [transformer.visit(one) for one in node.values]
    nothing = ast.arguments([], [], None, [], [], None, [])
    name = ast.Constant("and" if isinstance(node.op, ast.And) else "or")
    return called("logical", name, first, *(ast.Lambda(nothing, one) for one in rest))

def visit_unary(transformer, node):
    transformer.generic_visit(node)
    return called("negated", node.operand) if isinstance(node.op, ast.Not) else node

interpreter.logical, interpreter.negated = logical, negated
interpreter.ASTTransformer.visit_BoolOp = visit_logic
interpreter.ASTTransformer.visit_UnaryOp = visit_unary
"""

LOOPS = """
import ast

from triton.runtime import interpreter

def each_as_tensor(values):
    for value in values:
        is_number = isinstance(value, int)
        yield interpreter.interpreter_semantic.to_tensor(value, False) if is_number else value

def visit_loop(transformer, node):
    transformer.generic_visit(node)
    if isinstance(node.target, ast.Name) and node.target.id in {VARIABLES}:
        # To the compiler a loop's variable is a tensor, to Python a plain number.
        node.iter = ast.Call(ast.Name("each_as_tensor", ast.Load()), [node.iter], [])
    return node

interpreter.each_as_tensor = each_as_tensor
interpreter.ASTTransformer.visit_For = visit_loop
"""

EARLIER_GRID = """
import importlib

import triton.language.extra

# Launches run one after another here: there is no earlier grid to wait for.
for part in ("cuda", "cuda.gdc"):
    for library in (
        importlib.import_module(f"triton.language.extra.{part}"),
        operator.attrgetter(part)(triton.language.extra),
    ):
        for name in ("gdc_wait", "gdc_launch_dependents"):
            if hasattr(library, name):
                setattr(library, name, lambda *_, **__: None)
"""

RETURNED = '''
import types

from triton.runtime.interpreter import InterpretedFunction

class Compiled:
    """Stands for the compiled kernel that a launch returns: its figures are those of TARGET."""

    n_regs, n_spills, n_max_threads = REGISTERS, SPILLS, 1024

    def __init__(self, function, options):
        self.function = function
        self.metadata = types.SimpleNamespace(
            name=function.__name__, shared=SHARED, num_warps=options.get("num_warps", 4),
            num_stages=options.get("num_stages", 3),
        )

    def _init_handles(self):
        pass

    def __getitem__(self, grid):
        return self.function[grid]

launch = InterpretedFunction.run

def returning(function, *given, **named):
    launch(function, *given, **named)
    return Compiled(function, named)

InterpretedFunction.run = returning
'''
