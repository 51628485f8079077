"""`libdevice` functions in the interpreter: `tanh`, `erf`, `pow`, `rint` and their like.

Triton's interpreter has none of them: `triton.language.extra.libdevice` holds stubs that return
nothing, and the modules of CUDA and AMD refuse to be called. Here all compute with NumPy or torch
in the argument's precision; results are within the last digits of the GPU's, not equal to them.
"""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from playground.engine.triton_private.interpreter_arithmetic import Arithmetic, values
from playground.engine.triton_private.interpreter_limits import (
    NotInterpretableError,
    cuda_modules,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.triton_private.interpreter_formats import Array


_MODULES = ("triton.language.extra.libdevice", "triton.language.extra.cuda.libdevice")


def _by_torch(function: Callable[..., Any]) -> Callable[..., Array]:
    def call(*args: Array) -> Array:
        result: Array = function(*(torch.from_numpy(np.ascontiguousarray(a)) for a in args)).numpy()
        return result

    return call


def _round_half_away(x: Array) -> Array:
    result: Array = np.trunc(x + np.copysign(np.asarray(0.5, x.dtype), x))
    return result


def _gamma(x: Array) -> Array:
    wide = torch.from_numpy(np.ascontiguousarray(x)).double()
    size = torch.exp(torch.special.gammaln(wide))
    # Gamma changes its sign from one negative unit to the next.
    negative = (wide < 0) & (torch.floor(wide) % 2 != 0)
    result: Array = torch.where(negative, -size, size).numpy().astype(x.dtype)
    return result


def _unsigned(x: Array) -> Array:
    return np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}")


def _first_set(x: Array) -> Array:
    bits = _unsigned(x)
    lowest = bits & (~bits + bits.dtype.type(1))
    found: Array = np.where(bits == 0, 0, np.bitwise_count(lowest - bits.dtype.type(1)) + 1)
    return found.astype(np.int32)


def _leading_zeros(x: Array) -> Array:
    bits = _unsigned(x)
    for shift in (1, 2, 4, 8, 16, 32):
        if shift < 8 * x.dtype.itemsize:
            bits = bits | (bits >> bits.dtype.type(shift))
    result: Array = 8 * x.dtype.itemsize - np.bitwise_count(bits).astype(np.int32)
    return result.astype(np.int32)


def _reversed_bits(x: Array) -> Array:
    bits, result = _unsigned(x), np.zeros_like(_unsigned(x))
    one = bits.dtype.type(1)
    for _ in range(8 * x.dtype.itemsize):
        result = (result << one) | (bits & one)
        bits = bits >> one
    return result.view(x.dtype)


def _exponent(x: Array) -> Array:
    result: Array = np.frexp(x)[1] - 1
    return result.astype(np.int32)


def _low_24_bits(x: Array) -> Array:
    return (x.astype(np.int32) << 8) >> 8


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(np, name)
        for name in (
            *("cos", "sin", "tan", "cosh", "sinh", "tanh", "exp", "exp2", "expm1", "log", "log2"),
            *("log10", "log1p", "sqrt", "cbrt", "fabs", "abs", "floor", "ceil", "trunc", "rint"),
            *("fmod", "hypot", "copysign", "nextafter", "signbit", "isnan", "isinf", "isfinite"),
            "ldexp",
        )
    },
    **{
        f"{name}": _by_torch(getattr(torch.special, twin))
        for name, twin in {
            "erf": "erf", "erfc": "erfc", "erfinv": "erfinv", "erfcx": "erfcx",
            "normcdf": "ndtr", "normcdfinv": "ndtri", "lgamma": "gammaln",
            "j0": "bessel_j0", "j1": "bessel_j1", "y0": "bessel_y0", "y1": "bessel_y1",
            "cyl_bessel_i0": "i0", "cyl_bessel_i1": "i1",
        }.items()
    },
    "acos": np.arccos, "asin": np.arcsin, "atan": np.arctan, "atan2": np.arctan2,
    "acosh": np.arccosh, "asinh": np.arcsinh, "atanh": np.arctanh,
    "pow": np.power, "powi": np.power, "pown": np.power, "fast_pow": np.power,
    "exp10": lambda x: np.power(np.asarray(10, x.dtype), x),
    "rsqrt": lambda x: 1 / np.sqrt(x), "rcbrt": lambda x: 1 / np.cbrt(x),
    "sinpi": lambda x: np.sin(np.pi * x), "cospi": lambda x: np.cos(np.pi * x),
    "erfcinv": lambda x: _by_torch(torch.special.erfinv)(1 - x),
    "fdim": lambda x, y: np.fmax(x - y, 0),
    "fma": lambda x, y, z: x * y + z,
    "nearbyint": np.rint, "llrint": np.rint,
    "round": _round_half_away, "llround": _round_half_away,
    "saturate": lambda x: np.clip(np.where(np.isnan(x), 0, x), 0, 1),
    "finite": np.isfinite, "llabs": np.abs, "remainder": lambda x, y: x - y * np.rint(x / y),
    "fast_sin": np.sin, "fast_cos": np.cos, "fast_tan": np.tan, "fast_exp": np.exp,
    "fast_exp10": lambda x: np.power(np.asarray(10, x.dtype), x), "fast_log": np.log,
    "fast_log2": np.log2, "fast_log10": np.log10, "fast_fdivide": np.divide,
    "fadd_rn": np.add, "fsub_rn": np.subtract, "fmul_rn": np.multiply, "fdiv_rn": np.divide,
    "dadd_rn": np.add, "dsub_rn": np.subtract, "dmul_rn": np.multiply, "ddiv_rn": np.divide,
    "frcp_rn": lambda x: 1 / x, "drcp_rn": lambda x: 1 / x, "frsqrt_rn": lambda x: 1 / np.sqrt(x),
    "fsqrt_rn": np.sqrt, "dsqrt_rn": np.sqrt,
    "popc": lambda x: np.bitwise_count(x), "popcll": lambda x: np.bitwise_count(x),
    "tgamma": _gamma, "ffs": _first_set, "ffsll": _first_set, "clz": _leading_zeros,
    "clzll": _leading_zeros, "brev": _reversed_bits, "brevll": _reversed_bits,
    "logb": lambda x: _exponent(x).astype(x.dtype), "ilogb": lambda x: _exponent(x),
    "scalbn": np.ldexp, "finitef": np.isfinite, "isfinited": np.isfinite,
    "sad": lambda x, y, z: np.abs(x.astype(np.int64) - y) + z,
    "uhadd": lambda x, y: (x.astype(np.uint64) + y) >> np.uint64(1),
    "hadd": lambda x, y: (x.astype(np.int64) + y) >> 1,
    "rhadd": lambda x, y: (x.astype(np.int64) + y + 1) >> 1,
    "mul24": lambda x, y: _low_24_bits(x) * _low_24_bits(y),
    "norm3d": lambda x, y, z: np.sqrt(x * x + y * y + z * z),
    "rhypot": lambda x, y: 1 / np.hypot(x, y),
    "float_as_int": lambda x: x.view(np.int32), "int_as_float": lambda x: x.view(np.float32),
    "float_as_uint": lambda x: x.view(np.uint32), "uint_as_float": lambda x: x.view(np.float32),
}  # fmt: skip


def _function(symbol: str) -> Callable[..., Any]:
    name = symbol.removeprefix("__nv_").removeprefix("__ocml_")
    name = name.removesuffix("_f32").removesuffix("_f64")  # as AMD's are called
    # The precision is a suffix: tanhf for float32; isnand for float64.
    for candidate in (name, name.removesuffix("f"), name.removesuffix("d")):
        if candidate in _FUNCTIONS:
            return _FUNCTIONS[candidate]
    raise NotInterpretableError(
        f"the interpreter has no {symbol}: this kernel cannot be interpreted"
    )


def install(interpreter: Any, arithmetic: Arithmetic) -> None:
    """Make the libdevice modules callable in interpreted kernels.

    Kernel files bind these functions by name when they are imported, so the modules are changed
    for good, before any kernel file is loaded.
    """
    from triton.language.extra import libdevice as stubs

    def extern(
        _me: Any, _library: Any, _path: Any, symbol: str, args: Any, result_type: Any, _pure: Any
    ) -> Any:
        data = _function(symbol)(*(values(arg) for arg in args))
        return arithmetic.make(np.asarray(data), result_type)

    interpreter.InterpreterBuilder.create_extern_elementwise = extern
    semantic = interpreter.interpreter_semantic
    for libdevice in (*cuda_modules("libdevice", "hip"), *cuda_modules("libdevice")):
        for name, function in list(vars(libdevice).items()):
            if interpreter.tl.core.is_builtin(function):
                bound = _bound(function, name, semantic)
                setattr(libdevice, name, bound)
                if hasattr(stubs, name):
                    setattr(stubs, name, bound)  # CUDA's where both have it


def replaced(function: Any) -> dict[str, Any]:
    """Return what stands for the libdevice functions that a kernel's module has of its own.

    A file that executes the module a second time binds functions that nobody has made callable.
    """
    from triton.language.extra import libdevice as stubs

    found = {}
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        if isinstance(value, types.FunctionType) and value.__module__ in _MODULES:
            found[name] = getattr(stubs, value.__name__, value)
    return found


def _bound(function: Callable[..., Any], name: str, semantic: Any) -> Callable[..., Any]:
    def call(*args: Any, **named: Any) -> Any:
        return function(*args, **{**named, "_semantic": semantic})

    call.__name__ = name
    return call
