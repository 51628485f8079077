"""The values of a knob as people type them: `32, 64`, `16..256:pow2`, `1..5`, `0..64:16`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from playground.model.config import Config
from playground.model.knobs import (
    Knob,
    KnobError,
    KnobValue,
    sweep_values,
    takes_numbers,
    validate,
)

MOST_VALUES = 1024
"""Values of one knob; more come from a range that was meant to have a step."""

_RANGE = re.compile(r"(?P<low>[^.:]+)\.\.(?P<high>[^.:]+)(?::(?P<step>.+))?")
_POWER = re.compile(r"(\d+)\s*(\*\*|<<)\s*(\d+)")


def parse_values(knob: Knob, text: str) -> tuple[KnobValue, ...]:
    """Return the values in comma-separated `text`, each once, in the order typed.

    A part is a value, or a range with both ends: `16..256:pow2` doubles, `1..5` counts,
    `0..64:16` steps by 16. Without a step a range doubles where the knob takes powers of two.

    Raises
    ------
    KnobError
        A value is none the knob can take, a range cannot be read, or there is none at all.
    """
    values: list[KnobValue] = []
    text = text.strip()
    if text[:1] + text[-1:] in ("[]", "()", "{}"):  # a list as Python has it
        text = text[1:-1]
    for part in (piece.strip() for piece in text.split(",")):
        for value in _parts(knob, part) if part else ():
            checked = validate(knob, value)
            # True and 1 are equal, and not the same value.
            if not any(checked == one and type(checked) is type(one) for one in values):
                values.append(checked)
            if len(values) > MOST_VALUES:
                raise KnobError(f"{knob.name}: more than {MOST_VALUES} values; give a wider step")
    if not values:
        raise KnobError(f"{knob.name} needs at least one value")
    return tuple(values)


def value_text(value: KnobValue) -> str:
    """Return a value as it is typed."""
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def values_text(values: tuple[KnobValue, ...]) -> str:
    """Return values as they are typed, so that `parse_values` gives them again."""
    return ", ".join(map(value_text, values))


def values_around(knobs: tuple[Knob, ...], config: Config, most: int) -> dict[
    str, tuple[KnobValue, ...]
]:  # fmt: skip
    """Return a few values of each knob around `config`, together no more than `most` configs."""
    found = {knob.name: list(sweep_values(knob, config[knob.name])) for knob in knobs}
    while math.prod(map(len, found.values())) > most:
        # The longest list gives up the end that lies further from the config's own value.
        name = max(found, key=lambda name: len(found[name]))
        values = found[name]
        place = values.index(config[name]) if config[name] in values else 0
        values.pop(0 if place > len(values) - 1 - place else -1)
    return {name: tuple(values) for name, values in found.items()}


def _parts(knob: Knob, text: str) -> Iterator[KnobValue]:
    match = _RANGE.fullmatch(text) if takes_numbers(knob) else None
    if match is None:
        if knob.kind in ("pow2", "int") and (why := _no_number(text)):
            raise KnobError(f"{knob.name}: {why}")
        yield _value(knob, text)
        return
    low, high = (_number(knob, match[end].strip()) for end in ("low", "high"))
    step = (match["step"] or ("pow2" if knob.kind == "pow2" else "1")).strip()
    if low > high:
        raise KnobError(f"{knob.name}: {text} runs from {low} down to {high}; write {high}..{low}")
    if step == "pow2":
        if low < 1:
            raise KnobError(f"{knob.name}: a range of powers of two starts at 1 or above: {text}")
        value = 1 << (low - 1).bit_length()
        if value > high:
            raise KnobError(f"{knob.name}: no power of two lies in {text}")
        while value <= high:
            yield value
            value *= 2
        return
    if not step.isdecimal() or int(step) < 1:
        raise KnobError(
            f"{knob.name}: the step of {text} is a whole number above 0 or pow2, not {step}"
        )
    yield from range(low, high + 1, int(step))


def _no_number(text: str) -> str:
    """Return how to write what is no number yet; empty for what may be one."""
    if ".." in text:
        return f"{text} is no range; write LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH:pow2"
    parts = re.split(r"[\s;]+", text)
    if len(parts) > 1 and all(part[:1].isdigit() for part in parts):
        return f"separate values by commas: {', '.join(parts)}"
    return ""


def _value(knob: Knob, text: str) -> KnobValue:
    if knob.kind == "bool":
        known: dict[str, KnobValue] = {"true": True, "1": True, "false": False, "0": False}
        if text.lower() in known:
            return known[text.lower()]
        raise KnobError(f"{knob.name} is true or false, not {text}")
    if knob.kind == "choice":
        for choice in knob.choices:
            if text == value_text(choice) or text == str(choice):
                return choice
        if isinstance(knob.default, float):
            try:
                return float(text)
            except ValueError:
                raise KnobError(f"{knob.name} is a number, not {text}") from None
        return int(text) if takes_numbers(knob) and text.isdecimal() else text
    return _number(knob, text)


def _number(knob: Knob, text: str) -> int:
    power = _POWER.fullmatch(text)
    if power and int(power[3]) < 64:
        base, exponent = int(power[1]), int(power[3])
        return base << exponent if power[2] == "<<" else int(base**exponent)
    try:
        return int(text, 0)
    except ValueError:
        raise KnobError(f"{knob.name} is a whole number, not {text}") from None
