"""A text for a bug report: versions, device, the last findings and the end of the log."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from typing import TYPE_CHECKING

from PySide6.QtCore import qVersion

import playground
from playground.ui.log_file import log_path
from playground.ui.state_files import StateProblem

if TYPE_CHECKING:
    from playground.ui.document import Document

_PACKAGES = ("PySide6-Essentials", "ipykernel", "jupyter-client", "qtconsole", "numpy")
_FINDINGS, _LOG_LINES = 20, 30


def diagnostics(document: Document) -> str:
    """Return what a report needs; of the user's code only what findings quote in one line."""
    lines = [
        f"triton-playground {playground.__version__}",
        f"Python {platform.python_version()}, Qt {qVersion()}, {platform.platform()}",
        ", ".join(f"{name} {_version(name)}" for name in _PACKAGES),
    ]
    device = document.device
    if device is None:
        lines.append(f"engine: {document.engine_state}, not heard of yet")
    else:
        lines.append(f"engine: {document.engine_state}; {device.name}, target {device.target}")
        lines.append(f"torch {device.torch}, triton {device.triton}, Python {device.python}")
        if device.driver or device.cuda:
            lines.append(f"driver {device.driver}, CUDA {device.cuda}")
        lines.extend(device.notes)
    found = document.findings[:_FINDINGS]
    lines.append(f"\nfindings ({len(document.findings)}):")
    for finding in found:
        place = f"{os.path.basename(finding.file)}:{finding.line}: " if finding.file else ""
        lines.append(f"- {place}{finding.severity} ({finding.stage}): {finding.message}")
    lines.append("\nlog:")
    lines.extend(_log_end())
    home = os.path.expanduser("~")
    return "\n".join(lines).replace(home + os.sep, "~" + os.sep)


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _log_end() -> list[str]:
    try:
        text = log_path().read_text(encoding="utf-8", errors="replace")
    except (StateProblem, OSError) as error:
        return [f"(none: {error})"]
    return text.splitlines()[-_LOG_LINES:]
