"""What to tell where the engine can't start, because what it is built on can't be imported."""

from __future__ import annotations

import importlib.util
import sys
import traceback

from playground.model.finding import Finding


def require_triton() -> None:
    """Raise `ModuleNotFoundError` where there is no Triton, without importing it."""
    if importlib.util.find_spec("triton") is None:
        raise ModuleNotFoundError("No module named 'triton'", name="triton")


def start_failure(error: Exception) -> Finding:
    """Return the finding about an engine that could not start for `error`."""
    if isinstance(error, ModuleNotFoundError) and (error.name or "").split(".")[0] == "triton":
        message = "Triton is not installed here: files can be edited, not run"
        return Finding("error", "engine", message, triton_remedy())
    return Finding(
        "error", "engine", f"the engine could not start: {type(error).__name__}: {error}",
        "`triton-playground doctor` says what is missing",
        detail="".join(traceback.format_exception(error)),
    )  # fmt: skip


def triton_remedy() -> str:
    """Return what to do where Triton can't be imported: it has releases for Linux only."""
    elsewhere = "run it on a Linux machine that has it: `triton-playground FILE --remote HOST`"
    if sys.platform == "win32":
        return f"install its port, `pip install triton-windows` (another project's); or {elsewhere}"
    if sys.platform == "darwin":
        return f"Triton has no release for macOS: {elsewhere}"
    return "install it into this environment: `pip install triton`"
