"""Arithmetic of the interpreter put right: bfloat16 and float8 in float32, rounded once per result.

Triton's interpreter hands the bits of these types to NumPy as if they were integers. Here each
operation widens its operands to float32, computes, and rounds the result back, which is what the
GPU's own instructions give for one operation. Sums, scans and dot products of 16-bit and 8-bit
types are accumulated in float32 and rounded at the end; the GPU's order of rounding differs from
kernel to kernel, so such results agree within the type's tolerance, not bit by bit.
"""

# ruff: noqa: D102 - an operation is what its name says
from __future__ import annotations

import dataclasses
import types
from typing import Any

import numpy as np

from playground.engine.triton_private.interpreter_formats import (
    SMALL,
    Array,
    float16_toward_zero,
    narrow,
    widen,
)

_COMPARISONS = frozenset(
    {np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal}
)

_JUDGEABLE = frozenset(
    {
        "bool",
        *(f"{sign}int{width}" for sign in ("", "u") for width in (8, 16, 32, 64)),
        *("float16", "float32", "float64", "bfloat16"),
        *("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"),
        *("i1", "int1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"),
        *("fp16", "fp32", "fp64", "bf16", "fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16"),
    }
)


def judgeable(dtype: str) -> bool:
    """Return whether interpreted results of this type (torch's or Triton's name) can be trusted."""
    return dtype.removeprefix("torch.") in _JUDGEABLE


def is_small(handle: Any) -> bool:
    """Return whether a handle holds bits of bfloat16 or float8."""
    return handle.dtype.scalar.name in SMALL


def values(handle: Any) -> Array:
    """Return a handle's values: floats for bfloat16 and float8, the data itself otherwise."""
    name = handle.dtype.scalar.name
    data: Array = handle.data
    return widen(data, name) if name in SMALL else data


def _to_integers(source: Array, dtype: np.dtype[Any]) -> Array:
    # The GPU's conversion clamps to the range and takes NaN to 0; NumPy leaves both undefined.
    limits = np.iinfo(dtype)
    wide = np.trunc(source.astype(np.float64))
    low, high = float(limits.min), float(limits.max)  # high of a 64-bit type rounds up to 2^63
    fits = (wide >= low) & ((wide < high) | ((wide == high) & (int(high) == int(limits.max))))
    result = np.where(fits, wide, 0.0).astype(dtype)
    if not fits.all():
        result = np.where(wide >= high, limits.max, result)
        result = np.where(wide < low, limits.min, result)
    return result.astype(dtype)


class Arithmetic:
    """The replaced operations; each is installed on Triton's builder under the same name.

    Parameters
    ----------
    interpreter
        The module `triton.runtime.interpreter`.
    """

    def __init__(self, interpreter: Any) -> None:
        self._interpreter = interpreter
        self._handle: Any = interpreter.TensorHandle
        self._language: Any = interpreter.tl

    def install(self) -> None:
        """Replace the operations on the builder, the reductions and the scans."""
        builder = self._interpreter.InterpreterBuilder
        self._print = builder.create_print
        for name in (
            *("binary_op", "unary_op", "ternary_op", "cast_impl", "get_bf16"),
            *("get_all_ones_value", "create_ashr", "create_clampf", "create_dot"),
            *("create_dot_scaled", "create_erf", "create_fma", "create_fp_to_fp"),
            *("create_int_to_ptr", "create_print", "create_rsqrt"),
        ):
            setattr(builder, name, _as_method(getattr(self, name)))
        if "create_fneg" not in vars(builder):
            builder.create_fneg = lambda me, arg: me.unary_op(arg, np.negative)
        # Triton 3.6 lets a NaN win; the GPU's maxnum and minnum pass over it.
        builder.create_maxnumf = lambda me, lhs, rhs: me.binary_op(lhs, rhs, np.fmax)
        builder.create_minnumf = lambda me, lhs, rhs: me.binary_op(lhs, rhs, np.fmin)
        # No range checks of every integer operation; `tl.device_assert` asserts, which on a GPU it
        # does in debug mode only.
        quick = dataclasses.replace(
            self._interpreter.interpreter_builder.options, sanitize_overflow=False, debug=True
        )
        self._interpreter.interpreter_builder.options = quick

    def make(self, data: Array, dtype: Any) -> Any:
        """Return a handle of the scalar type `dtype` for computed values."""
        scalar = dtype.scalar
        if scalar.name in SMALL:
            return self._handle(narrow(data, scalar.name), scalar)
        wanted = self._interpreter._get_np_dtype(scalar)
        return self._handle(data if data.dtype == wanted else data.astype(wanted), scalar)

    def binary_op(self, lhs: Any, rhs: Any, op: Any) -> Any:
        if op in _COMPARISONS:
            # Triton tags the result with the operands' type, and a later cast would go by the tag.
            return self._handle(op(values(lhs), values(rhs)), self._language.int1)
        if lhs.data.dtype == np.bool_ and rhs.data.dtype == np.bool_:
            # int1 wraps around like every integer; NumPy's bool saturates.
            wide = op(lhs.data.astype(np.int8), rhs.data.astype(np.int8))
            return self._handle((wide & 1).astype(np.bool_), lhs.dtype.scalar)
        return self.make(op(values(lhs), values(rhs)), lhs.dtype)

    def unary_op(self, arg: Any, op: Any) -> Any:
        return self.make(op(values(arg)), arg.dtype)

    def ternary_op(self, lhs: Any, rhs: Any, other: Any, op: Any) -> Any:
        if op is np.where:  # a choice needs no arithmetic: the bits pass through
            chosen = op(lhs.data, rhs.data, other.data).astype(other.data.dtype, copy=False)
            return self._handle(chosen, other.dtype.scalar)
        return self.make(op(values(lhs), values(rhs), values(other)), other.dtype)

    def create_clampf(self, arg: Any, low: Any, high: Any, propagate_nans: Any) -> Any:
        data = values(arg)
        if propagate_nans == self._interpreter._ir.PROPAGATE_NAN.NONE:
            return self.make(np.fmin(np.fmax(data, values(low)), values(high)), arg.dtype)
        return self.make(np.clip(data, values(low), values(high)), arg.dtype)

    def create_fma(self, x: Any, y: Any, z: Any) -> Any:
        fused = getattr(self._interpreter._interpreter, f"fma_{z.dtype.scalar.name}", None)
        if fused is not None:
            return self._handle(fused(*np.broadcast_arrays(x.data, y.data, z.data)), z.dtype.scalar)
        # Exact product, one rounding of the sum at 53 bits: no second one that float32 would see
        # but for a few halfway cases. Triton before 3.9 has no fused one to offer.
        wide = values(x).astype(np.float64) * values(y).astype(np.float64)
        return self.make(wide + values(z).astype(np.float64), z.dtype)

    def create_int_to_ptr(self, src: Any, dst_type: Any) -> Any:
        # Triton's own takes 64 bits for granted; a low address arrives as a number of 32.
        data = src.data
        if data.itemsize < 8:
            data = data.view(f"u{data.itemsize}").astype(np.uint64)
        return self._handle(data.view(np.uint64), dst_type.scalar)

    def create_erf(self, arg: Any) -> Any:
        data = values(arg)
        exact = "np_erf_fp64" if data.dtype == np.float64 else "np_erf_fp32"
        return self.make(getattr(self._interpreter, exact)(data), arg.dtype)

    def create_rsqrt(self, arg: Any) -> Any:
        return self.make(1 / np.sqrt(values(arg)), arg.dtype)

    def create_ashr(self, lhs: Any, rhs: Any) -> Any:
        signed = self._interpreter._get_signed_np_dtype
        data = lhs.data.astype(signed(lhs.data.dtype)) >> rhs.data.astype(signed(rhs.data.dtype))
        return self._handle(data, lhs.dtype.scalar)

    def create_dot(self, a: Any, b: Any, d: Any, _precision: Any, _imprecise: Any) -> Any:
        total = values(d)
        # float16 accumulators too are summed in float32: NumPy's own float16 product is no
        # closer to the GPU's order of rounding, and a hundred times slower.
        dtype = np.dtype(np.float32) if total.dtype == np.float16 else total.dtype
        product = np.matmul(values(a).astype(dtype), values(b).astype(dtype))
        return self.make(product + total.astype(dtype), d.dtype)

    def create_dot_scaled(
        self, lhs: Any, lhs_scale: Any, lhs_format: Any, rhs: Any, rhs_scale: Any, rhs_format: Any,
        _fast_math: Any, lhs_k_pack: Any, rhs_k_pack: Any, acc: Any,
    ) -> Any:  # fmt: skip
        e2m1 = self._interpreter._ir.ScaleDotElemTypeTY.E2M1
        left = _scaled_operand(lhs, lhs_scale, -1 if lhs_k_pack else -2, lhs_format == e2m1)
        if rhs_scale is None:
            right = _scaled_operand(rhs, None, -2 if rhs_k_pack else -1, rhs_format == e2m1)
        else:
            # The scales of the right operand lie along K in their last dimension: transpose.
            right = _scaled_operand(
                rhs, rhs_scale, -2 if rhs_k_pack else -1, rhs_format == e2m1, transposed=True
            )
        return self.make(np.matmul(left, right) + values(acc), acc.dtype)

    def cast_impl(self, src: Any, dst_type: Any) -> Any:
        data, scalar = values(src), dst_type.scalar
        if scalar.name in SMALL:
            # Integers pass through float32 on the GPU as well.
            wide = data if data.dtype.kind == "f" else data.astype(np.float32)
            return self.make(wide, scalar)
        wanted = self._interpreter._get_np_dtype(dst_type)
        if data.dtype.kind == "f" and wanted.kind in "iu":
            return self._handle(_to_integers(data, wanted), scalar)
        return self._handle(data.astype(wanted), scalar)

    def create_fp_to_fp(self, src: Any, dst_type: Any, rounding_mode: Any) -> Any:
        if rounding_mode == self._interpreter._ir.ROUNDING_MODE.RTZ:
            data, name = values(src), dst_type.scalar.name
            if name in SMALL:
                return self._handle(narrow(data, name, toward_zero=True), dst_type.scalar)
            if name == "fp16":
                return self._handle(float16_toward_zero(data), dst_type.scalar)
        return self.cast_impl(src, dst_type)

    def get_bf16(self, value: Any) -> Any:
        return self.make(np.array([value], dtype=np.float32), self._language.bfloat16)

    def get_all_ones_value(self, type_: Any) -> Any:
        dtype = self._interpreter._get_np_dtype(type_)
        if dtype.kind not in "iub":
            raise TypeError(f"unsupported type {type_}")
        ones = np.ones(1, dtype) if dtype.kind == "b" else ~np.zeros(1, dtype)
        return self._handle(ones, type_.scalar)

    def create_print(self, prefix: Any, hexadecimal: Any, printed: Any, is_signed: Any) -> Any:
        builder = self._interpreter.interpreter_builder
        shown = printed
        if not hexadecimal:
            shown = [types.SimpleNamespace(data=values(value)) for value in printed]
        return self._print(builder, prefix, hexadecimal, shown, is_signed)


def _as_method(function: Any) -> Any:
    # The replaced functions are methods of the builder; its state is not needed here.
    def method(_builder: Any, *args: Any, **named: Any) -> Any:
        return function(*args, **named)

    method.__name__ = function.__name__
    return method


_E2M1 = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0], dtype=np.float32)


def _unpack_e2m1(packed: Array) -> Array:
    # Two values per byte, low half first, next to each other in the last dimension.
    codes = np.stack([packed & 0x0F, packed >> 4], axis=-1)
    codes = codes.reshape(*packed.shape[:-1], 2 * packed.shape[-1])
    found: Array = np.where(codes & 8, -_E2M1[codes & 7], _E2M1[codes & 7])
    return found


def _scaled_operand(
    handle: Any, scale: Any, packed_axis: int, is_e2m1: bool, *, transposed: bool = False
) -> Array:
    if is_e2m1:
        data = np.moveaxis(handle.data.view(np.uint8), packed_axis, -1)
        operand = np.moveaxis(_unpack_e2m1(data), -1, packed_axis)
    else:
        operand = values(handle).astype(np.float32)
    if scale is None:
        return operand
    if scale.dtype.scalar.is_floating():
        factor = values(scale).astype(np.float32)
    else:  # E8M0: an exponent of two, 255 is NaN
        exponent = scale.data.view(np.uint8).astype(np.int32)
        factor = np.ldexp(np.float32(1), exponent - 127).astype(np.float32)
        factor[exponent == 255] = np.nan
    along_k = operand.swapaxes(-1, -2) if transposed else operand
    group = along_k.shape[-1] // factor.shape[-1]
    scaled: Array = along_k * np.repeat(factor, group, axis=-1)
    return scaled.swapaxes(-1, -2) if transposed else scaled
