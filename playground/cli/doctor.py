"""`doctor`: what works on this machine, what does not, and what to do about it.

Nothing heavy is imported here; torch, triton and Qt are tried in processes that may die of it.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from playground.cli import display, process, qt_libraries, schema
from playground.cli.probe import complaint
from playground.cli.task import Task
from playground.engine.machine import has_nvidia_gpu, interpret_wanted
from playground.engine.start_failure import triton_remedy
from playground.model.finding import Finding
from playground.model.resources import kernels_dir

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.cli.schema import Json

PROBE_S = 120.0
_REINSTALL = "set the project up again: python3 -m playground.bootstrap run"


@dataclass(frozen=True)
class Check:
    """One line of the report; `remedy` is what to do where `status` is not ok."""

    name: str
    status: Literal["ok", "warn", "fail"]
    text: str
    remedy: str = ""


def examine() -> Json:
    """Return the document of `doctor`: every check, and a finding for each that failed."""
    checks = [
        *(check for examine_one in _CHECKS for check in examine_one()),
        *_engine(),
    ]
    document = schema.document("doctor", "")
    document["doctor"] = [schema.plain(check) for check in checks]
    document["findings"] = [
        schema.finding(Finding("error", "engine", f"{check.name}: {check.text}", check.remedy))
        for check in checks
        if check.status == "fail"
    ]
    return document


def _python() -> list[Check]:
    text = f"{platform.python_version()} on {platform.platform()}"
    return [Check("Python", "ok", text)]


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _imports(name: str) -> list[Check]:
    version = _version(name)
    no_release = name == "triton" and not sys.platform.startswith("linux")
    remedy = triton_remedy() if no_release else _REINSTALL
    failure = _fails_in_process(f"import {name}")
    if failure and version is None:
        return [Check(name, "fail", "not installed", remedy)]
    if failure:
        return [Check(name, "fail", f"{version}, and importing it fails: {failure}", remedy)]
    if version is None:  # from another distribution: a port, a build from source
        return [Check(name, "ok", "imports")]
    return [Check(name, "ok", version)]


def _fails_in_process(code: str, **environment: str) -> str:
    return complaint(code, PROBE_S, environment=environment)


def _triton_tools() -> list[Check]:
    spec = importlib.util.find_spec("triton")
    if spec is None or spec.origin is None:
        return []
    folder = Path(spec.origin).parent / "backends" / "nvidia" / "bin"
    tools = {
        "ptxas": "nothing compiles for NVIDIA GPUs without it",
        "cuobjdump": "registers and spills are not reported without it",
        "nvdisasm": "SASS is not shown without it",
    }
    found = [name for name in tools if (folder / name).exists()]
    lost = [name for name in tools if name not in found]
    if lost:
        text = "; ".join(f"no {name}: {tools[name]}" for name in lost)
        remedy = "install triton's own wheel, which carries them"
        return [Check("CUDA tools", "fail" if "ptxas" in lost else "warn", text, remedy)]
    return [Check("CUDA tools", "ok", f"{', '.join(found)} in {folder}")]


_VENDORS = {
    "0x1002": ("AMD", "hip:gfx942", "torch's ROCm build"),
    "0x8086": ("Intel", "", "torch's XPU build"),
}
"""By PCI vendor: its name, a target that is compiled for, and what its owner would run with."""


def other_gpus(root: Path = Path("/sys/class/drm")) -> list[Check]:
    """Return what can be done with each GPU here that is not NVIDIA's, told by the kernel."""
    found: dict[str, None] = {}
    for card in sorted(root.glob("card*/device/vendor")):
        try:
            found[card.read_text(encoding="ascii").strip()] = None
        except OSError:
            continue
    checks = []
    for vendor in found:
        if vendor not in _VENDORS:
            continue
        name, target, build = _VENDORS[vendor]
        compiles = (
            f"kernels are compiled for it (`--target {target}`: registers, occupancy, assembly)"
            if target else "Triton's own compiler has no target for it here"
        )  # fmt: skip
        checks.append(
            Check(
                f"{name} GPU", "warn",
                f"a GPU of {name}'s is here: {compiles}; this program runs kernels on NVIDIA GPUs "
                "only, so they run in the interpreter, without timings",
                f"run the file itself on it with {build}; look at its code here",
            )
        )  # fmt: skip
    return checks


def _gpu() -> list[Check]:
    if not has_nvidia_gpu():
        return [
            *other_gpus(),
            Check(
                "GPU", "warn", "no NVIDIA GPU answers: kernels run in Triton's interpreter, "
                "no timings", "with a GPU in the machine, install NVIDIA's driver",
            )
        ]  # fmt: skip
    names = _gpu_names()
    if interpret_wanted():
        return [
            Check("GPU", "warn", f"{names}; unused because TRITON_INTERPRET is set",
                  "unset TRITON_INTERPRET")
        ]  # fmt: skip
    failure = _fails_in_process(
        "import sys, torch; torch.cuda.is_available() or sys.exit('this torch has no CUDA')"
    )
    if failure:
        return [Check("GPU", "fail", f"{names}; {failure}", "install a torch built with CUDA")]
    return [Check("GPU", "ok", names)]


def _gpu_names() -> str:
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        return f"a GPU whose name NVML does not tell ({error})"
    try:
        handles = [pynvml.nvmlDeviceGetHandleByIndex(i) for i in range(pynvml.nvmlDeviceGetCount())]
        names = ", ".join(str(pynvml.nvmlDeviceGetName(handle)) for handle in handles)
        return f"{names}, driver {pynvml.nvmlSystemGetDriverVersion()}"
    finally:
        pynvml.nvmlShutdown()


def _qt() -> list[Check]:
    version = _version("PySide6-Essentials")
    if version is None:
        return [Check("Qt", "fail", "PySide6-Essentials is not installed", _REINSTALL)]
    absent = qt_libraries.missing()
    if absent:
        remedy = qt_libraries.install_command(absent)
        return [Check("Qt", "fail", f"PySide6 {version} lacks system libraries", remedy)]
    failure = _fails_in_process(
        "from PySide6.QtWidgets import QApplication; QApplication([])", QT_QPA_PLATFORM="offscreen"
    )
    if failure:
        return [Check("Qt", "fail", f"PySide6 {version} does not start: {failure}", _REINSTALL)]
    if version.startswith("6.12.0") and sys.version_info < (3, 12):
        remedy = "pip install 'PySide6-Essentials!=6.12.0'"
        return [Check("Qt", "fail", f"PySide6 {version} aborts on this Python", remedy)]
    return [Check("Qt", "ok", f"PySide6 {version}")]


def _display() -> list[Check]:
    reason = display.why_none()
    if not reason:
        return [Check("display", "ok", "a window can be opened")]
    remedy = "`triton-playground FILE` works in the terminal and saves a picture of the window"
    return [Check("display", "warn", reason, remedy)]


def _folders() -> list[Check]:
    import platformdirs

    cache = os.environ.get("TRITON_CACHE_DIR") or str(
        Path(os.environ.get("TRITON_HOME") or Path.home()) / ".triton" / "cache"
    )
    folders = {
        "compile cache": (cache, "set TRITON_CACHE_DIR to a folder you can write to"),
        "settings": (
            os.environ.get("PLAYGROUND_CONFIG_DIR")
            or platformdirs.user_config_dir("triton-playground"),
            "set XDG_CONFIG_HOME to a folder you can write to",
        ),
    }
    checks = []
    for name, (folder, remedy) in folders.items():
        problem = _why_not_writable(Path(folder))
        text = f"{folder}: {problem}" if problem else folder
        checks.append(Check(name, "fail" if problem else "ok", text, remedy if problem else ""))
    return checks


def _why_not_writable(folder: Path) -> str:
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            return ""
    except OSError as error:
        return error.strerror or type(error).__name__


def _engine() -> list[Check]:
    """Run and compile a bundled kernel the way the window and the verbs do."""
    file = str(kernels_dir() / "vector_add.py")
    if not Path(file).is_file():
        return [Check("bundled kernels", "fail", f"{file} is missing", _REINSTALL)]
    size = 1000
    where = "interpreter" if interpret_wanted() else "kernel on the GPU"
    counted = process.run_worker(
        Task("coverage", file, settings={"size": str(size)}), PROBE_S
    ).document
    compiled = process.run_worker(
        Task("compile", file, settings={"size": str(size)}), PROBE_S
    ).document
    return [
        _outcome(where, counted, "coverage", f"vector add of {size} elements ran and was counted"),
        _outcome("compiler", compiled, "compile", "vector add compiled"),
    ]


def _outcome(name: str, document: Json, key: str, good: str) -> Check:
    errors = [item for item in schema.findings_of(document) if item["severity"] == "error"]
    if errors:
        first = errors[0]
        return Check(name, "fail", str(first["message"]), str(first["hint"]) or _REINSTALL)
    report = document[key]
    target = f" for {report['target']}" if isinstance(report, dict) and "target" in report else ""
    return Check(name, "ok", good + target)


_CHECKS: tuple[Callable[[], list[Check]], ...] = (
    _python,
    lambda: _imports("torch"),
    lambda: _imports("triton"),
    _triton_tools,
    _gpu,
    _qt,
    _display,
    _folders,
)
