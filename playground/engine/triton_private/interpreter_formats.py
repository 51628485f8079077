"""bfloat16 and the float8 formats as bit patterns: widen to float32, round back as the GPU does.

NumPy has none of these types, so Triton's interpreter keeps their bits in unsigned integers. The
functions here turn bits into exact float32 values and values into bits, rounding to nearest even
(or towards zero) in one step. Conversions to float8 saturate: Triton compiles them to
`cvt.rn.satfinite` on NVIDIA GPUs, which also takes an infinity to the largest finite value.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class SmallFloat:
    """One 8-bit format: its field widths, exponent bias, and what its highest codes mean.

    `specials` is `ieee` (infinities and NaNs under the highest exponent), `fn` (no infinity, only
    the all-ones codes are NaN), `fnuz` (no infinity, one unsigned zero, 0x80 is NaN) or `finite`.
    """

    exponent_bits: int
    mantissa_bits: int
    bias: int
    specials: str

    @property
    def largest_code(self) -> int:
        """Code of the largest finite value."""
        if self.specials == "ieee":
            return 0x7F - (1 << self.mantissa_bits)
        return 0x7E if self.specials == "fn" else 0x7F

    @property
    def nan_code(self) -> int:
        """Code that NaN becomes; the largest value where the format has no NaN."""
        return {"ieee": 0x7F, "fn": 0x7F, "fnuz": 0x80, "finite": 0x7F}[self.specials]


FORMATS = {
    "fp8e4nv": SmallFloat(4, 3, 7, "fn"),
    "fp8e5": SmallFloat(5, 2, 15, "ieee"),
    "fp8e4b8": SmallFloat(4, 3, 8, "fnuz"),
    "fp8e5b16": SmallFloat(5, 2, 16, "fnuz"),
    "fp8e4b15": SmallFloat(4, 3, 15, "finite"),
}
"""The 8-bit formats by Triton's names."""

SMALL = frozenset(FORMATS) | {"bf16"}
"""Triton's names of the types that are held as bits."""


@functools.cache
def values_of(name: str) -> Array:
    """Return the 256 values of an 8-bit format, by code, as float32."""
    form = FORMATS[name]
    code = np.arange(256)
    exponent = (code & 0x7F) >> form.mantissa_bits
    mantissa = code & ((1 << form.mantissa_bits) - 1)
    # Subnormals share the lowest normal exponent and lack the leading one.
    leading = np.where(exponent > 0, 1 << form.mantissa_bits, 0)
    power = np.maximum(exponent, 1) - form.bias - form.mantissa_bits
    values = np.ldexp((leading + mantissa).astype(np.float64), power)
    values[code >= 0x80] *= -1
    magnitude = code & 0x7F
    if form.specials == "ieee":
        values[magnitude > form.largest_code] = np.nan
        infinite = magnitude == form.largest_code + 1
        values[infinite] = np.where(code[infinite] >= 0x80, -np.inf, np.inf)
    elif form.specials == "fn":
        values[magnitude == 0x7F] = np.nan
    elif form.specials == "fnuz":
        values[0x80] = np.nan
    result: Array = values.astype(np.float32)
    return result


def widen(bits: Array, name: str) -> Array:
    """Return the exact float32 values of `bits` in the format `name`."""
    if name == "bf16":
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
    found: Array = values_of(name)[bits]
    return found


def narrow(values: Array, name: str, *, toward_zero: bool = False) -> Array:
    """Return the bits of `values` (float16, float32 or float64) rounded to the format `name`."""
    if name == "bf16":
        return _narrow_to_bf16(values, toward_zero)
    return _narrow_to_8_bits(values, FORMATS[name], toward_zero)


def _narrow_to_bf16(values: Array, toward_zero: bool) -> Array:
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32).reshape(np.shape(values))
    if toward_zero:
        rounded = bits >> np.uint32(16)
    else:
        to_even = (bits >> np.uint32(16)) & np.uint32(1)
        rounded = (bits + (np.uint32(0x7FFF) + to_even)) >> np.uint32(16)
    # Rounding would carry a NaN's payload into the sign, or lose it and leave an infinity.
    is_nan = (bits & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000)
    if is_nan.any():
        quiet = np.uint32(0x7FC0) | ((bits >> np.uint32(16)) & np.uint32(0x8000))
        rounded = np.where(is_nan, quiet, rounded)
    return rounded.astype(np.uint16)


def _narrow_to_8_bits(values: Array, form: SmallFloat, toward_zero: bool) -> Array:
    with np.errstate(invalid="ignore"):  # a signalling NaN
        wide = np.asarray(values, dtype=np.float64)
    magnitude = np.abs(wide)
    is_nan = np.isnan(magnitude)
    finite = np.where(is_nan, 0.0, np.minimum(magnitude, 1e6))
    lowest = 1 - form.bias  # exponent of the smallest normal value, and of the subnormals
    exponent = np.where(finite > 0, np.maximum(np.frexp(finite)[1] - 1, lowest), lowest)
    steps = np.ldexp(finite, form.mantissa_bits - exponent)
    steps = np.floor(steps) if toward_zero else np.rint(steps)  # rint: ties go to the even one
    # A step past the last mantissa carries into the exponent by itself.
    code = ((exponent - lowest) << form.mantissa_bits) + steps.astype(np.int64)
    code = np.minimum(code, form.largest_code)
    negative = np.signbit(wide)
    if form.specials == "fnuz":
        negative &= code != 0  # there is no negative zero: its code is NaN
    code = np.where(negative, code | 0x80, code)
    return np.where(is_nan, form.nan_code, code).astype(np.uint8)


def float16_toward_zero(values: Array) -> Array:
    """Return `values` as float16, rounded towards zero."""
    nearest = values.astype(np.float16)
    too_far = np.abs(nearest.astype(np.float64)) > np.abs(values.astype(np.float64))
    too_far &= np.isfinite(values)
    return np.where(too_far, np.nextafter(nearest, np.float16(0)), nearest)
