"""Problem sizes as people write them and read them: `2**14`, `16k`, 98432."""

from __future__ import annotations

import re

_POWER = re.compile(r"(\d+)\s*(\*\*|\^|<<)\s*(\d+)")
_PRODUCT = re.compile(r"(\d+)\s*\*\s*(\d+)")
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_SUFFIXED = re.compile(r"(\d+(?:\.\d+)?)\s*([kmg]?)(?:i)?")
LARGEST = 1 << 40


class SizeError(ValueError):
    """A text that is no problem size; the message says what is."""


def parse_size(text: str) -> int:
    """Return the whole number in `text`; `16k` is 16 · 1024, as sizes are.

    Raises
    ------
    SizeError
        It is none, or lies outside 1 to 2^40.
    """
    value = _value(text.replace("_", "").replace(" ", "").replace("\u2009", "").lower())
    if value is None:
        raise SizeError(f"{text.strip() or 'nothing'} is no size: write 4096, 2**12 or 4k")
    if not 1 <= value <= LARGEST:
        raise SizeError(f"{text.strip()} is out of range: sizes are from 1 to 2^40")
    return value


def _value(text: str) -> int | None:
    if found := _POWER.fullmatch(text):
        base, exponent = int(found[1]), int(found[3])
        if exponent > 60:
            return LARGEST + 1
        return base << exponent if found[2] == "<<" else int(base**exponent)
    if found := _PRODUCT.fullmatch(text):
        return int(found[1]) * int(found[2])
    if found := _SUFFIXED.fullmatch(text):
        scaled = float(found[1]) * _UNITS[found[2]]
        return int(scaled) if scaled == int(scaled) else None
    return None


def size_text(value: int, largest: int = 0) -> str:
    """Return a size as short as it is said: powers of two from 2^17 as such, others in digits.

    Beside sizes up to `largest` above 2^16 smaller powers are written alike.
    """
    if value >= 1 << (10 if largest > 1 << 16 else 17) and value & (value - 1) == 0:
        return f"2^{value.bit_length() - 1}"
    return str(value)


def around(value: int) -> tuple[int, int]:
    """Return powers of two that a curve through `value` can start and end at."""
    middle = max(value.bit_length() - 1, 0)
    return 1 << max(middle - 6, 0), 1 << min(middle + 4, 40)
