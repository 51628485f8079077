"""A launch captured and prepared with the engine's own parts, without a session around them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.child_environment import child_environment

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "kernels"


class Host:
    """The little of a session that `prepare` asks for."""

    def __init__(self):
        from playground.engine.kept import Kept

        self.kept = Kept()

    def hosted(self, launch, config):
        from playground.engine.hosting import alone

        return alone(launch, config)


def captured(call, files=()):
    """Return the launches that `call` makes."""
    from playground.engine.capture import Capture, capturing

    with capturing(Capture("cuda:90", [str(file) for file in files])) as capture:
        call()
    return capture.launches


def prepared(launch, **knobs):
    """Return a launch prepared under its own config with some knobs changed."""
    from playground.engine.replay import prepare

    return prepare(launch, launch.info.config.updated(knobs), Host())


def counted(call, **knobs):
    """Return the counts of the last launch that `call` makes, and the prepared replay."""
    from playground.engine.coverage import count

    ready = prepared(captured(call)[-1], **knobs)
    counts = count(ready)
    counts.know_loaders(ready)
    return counts, ready


def load(name_or_path):
    """Import a bundled kernel by name, or any file by its path."""
    from playground.engine.loading import load_module

    path = Path(name_or_path)
    path = path if path.suffix else KERNELS / f"{name_or_path}.py"
    return load_module(str(path), path.read_text(), name=path.stem)


def table(coverage):
    """Return a coverage summary as plain data for JSON."""
    return {
        "tensors": {
            item.name: {
                "shape": list(item.shape),
                "loads": [item.loads.total, item.loads.minimum, item.loads.maximum],
                "stores": [item.stores.total, item.stores.minimum, item.stores.maximum],
                "unwritten": item.unwritten,
                "multi_written": item.multi_written,
                "out_of_bounds": item.out_of_bounds,
            }
            for item in coverage.tensors
        },
        "bytes_requested": coverage.bytes_requested,
        "bytes_unique": coverage.bytes_unique,
        "flops": coverage.flops,
        "flops_by_kind": [list(item) for item in coverage.flops_by_kind],
        "out_of_bounds": [
            [item.tensor, item.kind, item.program, item.distance, item.lanes, item.line]
            for item in coverage.out_of_bounds
        ],
    }


def in_child(code, *, interpret, tmp_path=None):
    """Run `code` in a fresh process and return what it put into `answer`.

    Triton chooses the interpreter when it is imported, so each choice needs a process of its own.
    """
    start = "from tests.engine.coverage_parts import *\nanswer = {}\n"
    if interpret:
        start += "from playground.engine.triton_private import interpreter\ninterpreter.install()\n"
    text = f"{start}{code}\nprint('ANSWER' + json.dumps(answer))\n"
    # Triton reads the source of kernels from files.
    file = Path(tmp_path) / "snippet.py"
    file.write_text(text)
    result = subprocess.run(
        [sys.executable, str(file)],
        env=child_environment(interpret=interpret),
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert result.returncode == 0, result.stderr[-4000:]
    line = next(line for line in result.stdout.splitlines() if line.startswith("ANSWER"))
    return json.loads(line.removeprefix("ANSWER"))
