"""What a report of a kernel tells: plain data, gathered by the engine and written as HTML."""

from __future__ import annotations

from dataclasses import dataclass

from playground.model.check import CheckResult
from playground.model.compiling import CompileReport
from playground.model.config import Config
from playground.model.coverage import Coverage
from playground.model.device import DeviceInfo
from playground.model.finding import Finding
from playground.model.launch import Launch
from playground.model.machine_code import MachineCode
from playground.model.measurement import Measurement


@dataclass(frozen=True)
class ReportPicture:
    """A picture of a tensor: `png` are the file's bytes, `width` and `height` in pixels."""

    title: str
    caption: str
    png: bytes
    width: int
    height: int


@dataclass(frozen=True)
class KernelReport:
    """One launch under one config, with all that was found out; None is what could not be.

    `source` is the text of the file that holds the kernel; `missing` says by part why it is not
    there. `private` are folders that must not be named in what is written.
    """

    file: str
    source: str
    launch: Launch
    config: Config
    device: DeviceInfo
    made: str
    playground: str
    check: CheckResult | None = None
    measurement: Measurement | None = None
    compiled: CompileReport | None = None
    code: MachineCode | None = None
    coverage: Coverage | None = None
    pictures: tuple[ReportPicture, ...] = ()
    findings: tuple[Finding, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()
    private: tuple[str, ...] = ()
    driver: str = ""
