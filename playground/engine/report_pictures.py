"""Tile maps as PNG files, drawn without Qt: colours as in the window, on white."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np

from playground.model.colormaps import owner_colormap, owner_slot, sequential_colormap
from playground.model.report import ReportPicture
from playground.protocol.messages import Covered, Plane

if TYPE_CHECKING:
    from collections.abc import Iterable

    from playground.engine.counters import Counts
    from playground.protocol.messages import Reply

UNWRITTEN = (255, 255, 255)
NEVER_LOADED = (211, 216, 223)
LEAST_SIDE = 96
"""Smaller planes are enlarged to this many pixels, so that a browser need not blur them."""


def pictures_of(counts: Counts) -> tuple[ReportPicture, ...]:
    """Return a picture of every tensor that a counted launch touches."""
    from playground.engine.pictures import coverage_replies

    return tuple(_pictures(coverage_replies(counts)))


def _pictures(replies: Iterable[Reply]) -> Iterable[ReportPicture]:
    for reply in replies:
        if isinstance(reply, Covered) or not isinstance(reply, Plane):
            continue
        pixels = _pixels(reply)
        by = "the program that stored it last"
        if reply.paint != "owner":
            by = f"how often it is loaded, {reply.maximum} times at most"
        caption = f"each element by {by}; {reply.plane_rows} × {reply.plane_columns}"
        height, width = pixels.shape[:2]
        yield ReportPicture(reply.tensor, caption, png(pixels), width, height)


def _pixels(plane: Plane) -> np.ndarray:
    """Return a plane's colours as uint8 (rows, columns, 3)."""
    values = plane.values
    if plane.paint == "owner":
        palette = np.array(owner_colormap(), np.uint8)
        programs, places = np.unique(values, return_inverse=True)
        slots = [owner_slot(max(int(program), 0), len(palette)) for program in programs]
        pixels = palette[np.array(slots)[places].reshape(values.shape)]
        pixels[values < 0] = UNWRITTEN
    else:
        scale = np.array(sequential_colormap(256), np.uint8)
        top = max(int(plane.maximum), 1)
        pixels = scale[np.clip(values.astype(np.int64), 0, top) * 255 // top]
        pixels[values <= 0] = NEVER_LOADED
    times = max(LEAST_SIDE // max(pixels.shape[0], pixels.shape[1], 1), 1)
    return np.repeat(np.repeat(pixels, times, axis=0), times, axis=1)


def png(pixels: np.ndarray) -> bytes:
    """Return the bytes of a PNG file of uint8 (rows, columns, 3), red, green and blue."""
    height, width = pixels.shape[:2]
    rows = np.zeros((height, 1 + 3 * width), np.uint8)
    rows[:, 1:] = pixels.reshape(height, 3 * width)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )
