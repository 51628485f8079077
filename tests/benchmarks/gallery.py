"""Makes the example gallery's pictures and facts anew, from the bundled kernels themselves.

    python -m tests.benchmarks.gallery [--only NAME ...] [--no-targets]

Each kernel is run in Triton's interpreter: whether its result is right there, its launches compiled
for every known target, and the tile map that shows most of what its programs do, drawn from the
counted launch. Written are `assets/gallery/NAME.png` and `facts.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from PySide6.QtGui import QImage

    from playground.engine.session import Session
    from playground.protocol.messages import Plane

SIZE = (176, 112)
"""Pixels of a picture: twice its size in the gallery, for screens of both densities."""
LAUNCHES = 3
"""Launches of a kernel looked at for the picture."""
FEW, MANY = 4, 400
"""Programs between which a map tells most at a glance."""
SHOWN = 40
"""Programs in a picture at most: of a larger map it is the corner where the first ones are."""


def told_by(plane: Plane) -> float:
    """Return how much a map tells: of several programs, not too many, over two dimensions."""
    kinds = len(np.unique(plane.values[plane.values >= 0]))
    if kinds < 2:
        return 0.0
    rows, columns = plane.values.shape
    square = min(rows, columns) / max(rows, columns)
    large = min(plane.values.size / 1024, 2)
    return 2 * (plane.paint == "owner") + min(kinds, FEW) / FEW + (kinds <= MANY) + square + large


def corner(values: np.ndarray) -> tuple[int, int]:
    """Return how many rows and columns from the first on a picture shows."""
    rows, columns = values.shape
    while len(np.unique(values[:rows, :columns])) > SHOWN and max(rows, columns) > 8:
        part = values[:rows, :columns]
        down = np.count_nonzero(np.diff(part, axis=0)) / max(columns, 1)
        across = np.count_nonzero(np.diff(part, axis=1)) / max(rows, 1)
        if down >= across:
            rows = max(rows // 2, 1)
        else:
            columns = max(columns // 2, 1)
    return rows, columns


def thumbnail(plane: Plane) -> QImage:
    """Return a map as a small picture; what nobody wrote shows the ground of the light theme."""
    from PySide6.QtCore import QRect, Qt
    from PySide6.QtGui import QImage, QPainter

    from playground.ui.theme import Theme
    from playground.ui.views.plane_image import colour

    theme = Theme("light")
    folded = plane.plane_rows * plane.plane_columns if plane.plane_rows > 1 else None
    image = colour(plane, theme, folded).image
    rows, columns = corner(plane.values)
    picture = QImage(*SIZE, QImage.Format.Format_RGB32)
    picture.fill(theme.color("plot_background"))
    painter = QPainter(picture)
    painter.drawImage(0, 0, image.copy(QRect(0, 0, columns, rows)).scaled(
        *SIZE, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.FastTransformation,
    ))  # fmt: skip
    painter.end()
    return picture


def examine(
    session: Session, path: Path, *, targets: bool
) -> tuple[Plane | None, dict[str, object]]:
    """Run a kernel; return the map to show, and what was found."""
    from playground.engine.pictures import coverage_replies
    from playground.model.targets import known_targets
    from playground.protocol.messages import Plane

    session.load(path)
    launches = session.run().launches
    planes: list[Plane] = []
    wrong = "" if launches else "it launched nothing"
    fitting = set(known_targets()) if targets else set()
    seen = set()
    for launch in launches:
        if launch.kernel in seen or len(seen) == LAUNCHES:
            continue
        seen.add(launch.kernel)
        result = session.judge(launch.index, launch.config).result
        if result.status != "correct":
            wrong = wrong or result.text()
        session.coverage(launch.index, launch.config)
        counts = session.kept.counts_to_show((launch.index, launch.config))
        if counts is not None:
            planes += [item for item in coverage_replies(counts) if isinstance(item, Plane)]
        if targets:
            fits = session.compile_all(launch.index, launch.config)
            fitting &= {fit.target for fit in fits if fit.report is not None and fit.report.fits}
    best = max(planes, key=told_by, default=None)
    ordered = [name for name in known_targets() if name in fitting]
    return best, {"interpreted": wrong or "correct", "targets": ordered}


def main(arguments: list[str] | None = None) -> int:
    """Make what is asked for; return 0 when every kernel has its picture."""
    os.environ["TRITON_INTERPRET"] = "1"
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--no-targets", action="store_true", help="leave the targets as they are")
    options = parser.parse_args(arguments)
    from playground.engine.session import Session
    from playground.model.bundled import bundled_kernels, picture_of
    from playground.model.resources import assets_dir
    from playground.ui.app import application

    application(["gallery"])
    folder = assets_dir() / "gallery"
    folder.mkdir(exist_ok=True)
    kept = folder / "facts.json"
    missing = 0
    with_targets = not options.no_targets
    session = Session()
    try:
        for kernel in bundled_kernels():
            if options.only and kernel.name not in options.only:
                continue
            started = time.monotonic()
            plane, found = examine(session, kernel.path, targets=with_targets)
            facts = json.loads(kept.read_text()) if kept.exists() else {}
            if not with_targets:
                found["targets"] = facts.get(kernel.name, {}).get("targets", [])
            facts[kernel.name] = found
            order = [each.name for each in bundled_kernels() if each.name in facts]
            kept.write_text(json.dumps({name: facts[name] for name in order}, indent=1) + "\n")
            if plane is None:
                missing += 1
            else:
                thumbnail(plane).save(str(picture_of(kernel.name)), "PNG")
            told = "no map" if plane is None else f"{plane.tensor} of {plane.values.shape}"
            print(f"{kernel.name:<20} {found['interpreted']}, {told}, "
                  f"{time.monotonic() - started:.1f} s", flush=True)  # fmt: skip
    finally:
        session.close()
    return int(bool(missing))


if __name__ == "__main__":
    raise SystemExit(main())
