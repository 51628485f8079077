"""The bundled kernel files as modules, for experiments that launch their kernels themselves."""

from __future__ import annotations

import importlib.util
from typing import Any

from playground.model.resources import kernels_dir


def fresh(name: str) -> Any:
    """Return a bundled file executed anew: its kernels have compiled and tuned nothing yet."""
    path = kernels_dir() / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"playground_bundled_{name}", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
