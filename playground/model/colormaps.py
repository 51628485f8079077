"""Colours for pictures of data: one map for owners, one for amounts; readable when colour-blind."""

from __future__ import annotations

from functools import cache

Rgb = tuple[int, int, int]

# Lightness jumps up and down from one entry to the next (also from the last to the first), so that
# programs next to each other differ in grey, too, and hues stay on the blue-to-yellow side of what
# every kind of colour vision can tell apart.
_OWNERS: tuple[str, ...] = (
    "#1d4e89", "#8fd0f5", "#7a3b8f", "#f2b84b", "#16705f", "#f3a6c8",
    "#5b4bb0", "#c9dd6c", "#8c4a1a", "#a7e3d1", "#2f7fd0", "#f6e39a",
)  # fmt: skip

# From little to much: lightness rises evenly, hue turns from blue over teal to yellow.
_AMOUNTS = ("#101d42", "#1c3d7a", "#1f6295", "#2b8799", "#4fab8f", "#93cb78", "#e9e36b")


def owner_colormap() -> tuple[Rgb, ...]:
    """Return the cyclic colours of owner programs: program `p` takes entry `p % len`."""
    return tuple(_parse(text) for text in _OWNERS)


def owner_slot(program: int, entries: int) -> int:
    """Return the colour of a program: neighbours differ, also one row of tiles further.

    Half a turn more in every round keeps tiles above one another apart for rows of a power of two
    of tiles, and light and dark still alternate. (Other counts can meet: borders are drawn, too.)
    """
    return (program + entries // 2 * (program // entries)) % entries


@cache
def sequential_colormap(entries: int = 256) -> tuple[Rgb, ...]:
    """Return `entries` colours from little to much, even in perceived lightness."""
    anchors = [_to_oklab(_parse(text)) for text in _AMOUNTS]
    low, high = anchors[0][0], anchors[-1][0]
    result = []
    for entry in range(entries):
        share = entry / max(entries - 1, 1)
        position = share * (len(anchors) - 1)
        left = min(int(position), len(anchors) - 2)
        part = position - left
        a, b = anchors[left], anchors[left + 1]
        # Lightness runs straight from end to end; only the hue follows the anchors.
        lightness = low + (high - low) * share
        result.append(
            _from_oklab((lightness, a[1] + (b[1] - a[1]) * part, a[2] + (b[2] - a[2]) * part))
        )
    return tuple(result)


def lightness(color: Rgb) -> float:
    """Return the perceived lightness (OKLab L, 0 to 1) of an sRGB colour."""
    return _to_oklab(color)[0]


def contrast(one: Rgb, other: Rgb) -> float:
    """Return the WCAG contrast ratio of two sRGB colours, from 1 to 21."""
    a, b = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (a + 0.05) / (b + 0.05)


def _luminance(color: Rgb) -> float:
    red, green, blue = (_linear(channel / 255) for channel in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _parse(text: str) -> Rgb:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def _gamma(value: float) -> int:
    value = min(max(value, 0.0), 1.0)
    shown = 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055
    return round(255 * shown)


# The matrices are those of Björn Ottosson's definition of OKLab (2020).
def _to_oklab(color: Rgb) -> tuple[float, float, float]:
    r, g, b = (_linear(channel / 255) for channel in color)
    long = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    medium = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    short = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def _from_oklab(color: tuple[float, float, float]) -> Rgb:
    level, a, b = color
    long = (level + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (level - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (level - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        _gamma(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
        _gamma(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
        _gamma(-0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short),
    )
