"""Everything the advisor reads of one launch, gathered once: nothing here judges."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from playground.engine.advisor.kernel_text import KernelText, kernel_text
from playground.engine.findings import NotCountedError
from playground.model import roofline
from playground.model.targets import facts_for, parse_target

if TYPE_CHECKING:
    from collections.abc import Iterable

    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.access_site import AccessSite
    from playground.model.compiling import CompileReport
    from playground.model.config import Config
    from playground.model.coverage import Coverage
    from playground.model.finding import Finding
    from playground.model.launch import Launch
    from playground.model.machine_code import LineCode, MachineCode
    from playground.model.measurement import Measurement
    from playground.model.roofline import Ceilings, Standing
    from playground.model.schedule import Schedule
    from playground.model.targets import Gpu

_NEAR_THE_ROOF = 0.6


@dataclass(frozen=True)
class Facts:
    """One launch under one config, as far as it is known; what is missing is None.

    `grid` is that of this config. `text` is the kernel's source, None where it stands in another
    file. `missing` says what there is no evidence of, and why.
    """

    launch: Launch
    config: Config
    target: str
    grid: tuple[int, int, int]
    gpu: Gpu | None
    ceilings: Ceilings | None
    text: KernelText | None
    coverage: Coverage | None = None
    report: CompileReport | None = None
    code: MachineCode | None = None
    measurement: Measurement | None = None
    schedule: Schedule | None = None
    standing: Standing | None = None
    findings: tuple[Finding, ...] = ()
    missing: tuple[str, ...] = ()
    by_line: dict[int, LineCode] = field(default_factory=dict, repr=False)

    @property
    def programs(self) -> int:
        """Programs of the grid under this config."""
        x, y, z = self.grid
        return x * y * z

    @property
    def sites(self) -> tuple[AccessSite, ...]:
        """Where the launch touches memory; none where it was not counted."""
        return self.coverage.sites if self.coverage is not None else ()

    @property
    def warp_size(self) -> int:
        """Threads of a warp on the target."""
        return parse_target(self.target).warp_size

    @property
    def threads(self) -> int:
        """Threads of a program; as launched where it is not compiled."""
        if self.report is not None:
            return self.report.threads
        warps = self.config.as_dict().get("num_warps")
        return (warps if isinstance(warps, int) else 4) * self.warp_size

    @property
    def multiprocessors(self) -> int:
        """Multiprocessors of the GPU, 1 where nothing is known of it."""
        return self.gpu.multiprocessors if self.gpu is not None else 1

    @property
    def held(self) -> int:
        """Programs that a multiprocessor can hold at once, 1 where nothing is known of it."""
        if self.report is None or self.report.occupancy is None:
            return 1
        return max(self.report.occupancy.programs_per_sm, 1)

    @property
    def resident(self) -> int:
        """Programs that a multiprocessor does hold at once: no more than there are for it."""
        return max(1, min(self.held, -(-self.programs // self.multiprocessors)))

    @property
    def element_bytes(self) -> int:
        """Size of the launch's most common tensor elements in bytes, weighted by elements."""
        sizes: dict[int, int] = {}
        for argument in self.launch.tensors():
            if argument.tensor is not None:
                size = argument.tensor.element_size
                sizes[size] = sizes.get(size, 0) + argument.tensor.elements
        return max(sizes, key=lambda size: sizes[size]) if sizes else 4

    def executions(self, site: AccessSite) -> float:
        """Return how often one program comes by a place, on average."""
        if not site.lanes_looked_at or not site.executions:
            return site.executions / max(site.programs_looked_at, 1)
        block = site.lanes_looked_at / site.executions
        return site.lanes / block / max(self.programs, 1)

    def times(self, line: int) -> float:
        """Return how often one program comes by a line: what its loops' accesses were counted to.

        1 outside of loops, and where nothing in the loop touches memory.
        """
        return self._most(self.text.loops_around(line) if self.text is not None else ())

    def trips(self, line: int) -> float:
        """Return how often one program runs a line's machine code.

        As `times`, but a loop that is unrolled has its code as often as it has rounds.
        """
        if self.text is None:
            return 1.0
        around = self.text.loops_around(line, unrolled=False)
        rounds = self.text.unrolled_rounds(line, self.config.as_dict())
        return max(self._most(around) / rounds, 1.0)

    def _most(self, loops: Iterable[tuple[int, int]]) -> float:
        found = 1.0
        for first, last in loops:
            inside = [self.executions(site) for site in self.sites if first <= site.line <= last]
            found = max([found, *inside])
        return found


def gather(
    session: Session, launch: int, config: Config, target: str | None, job: Job, *,
    schedule: bool = True, measure: bool = True,
) -> Facts:  # fmt: skip
    """Return what is known of a launch: counted, compiled, and with a GPU timed as well."""
    captured, config = session.chosen(launch, config, {})
    index, info = captured.info.index, captured.info
    name = target or session.device.target
    own = session.device.mode == "gpu" and name == session.device.target
    missing: list[str] = []
    findings: list[Finding] = []

    job.progress("compiling", 0.1)
    report, code = _compiled(session, index, config, name, job, findings, missing)
    job.progress("counting", 0.3)
    coverage = _counted(session, index, config, job, missing)
    gpu = facts_for(name, session.device.name if own else "")
    if gpu is None:
        missing.append(f"nothing is known of the GPUs of {name}: no time can be expected")
    ceilings = roofline.expected(gpu) if gpu is not None else None
    measurement, scheduled = None, None
    if own:
        job.progress("measuring", 0.5)
        from playground.engine.ceilings import ceilings as measured_ceilings

        with session.guarded(job):
            ceilings = measured_ceilings(job)
        measurement = session.measured(index, config)
        if measurement is None and measure:
            measurement = session.measure(index, config, 50.0, "cold", job)
        if schedule and _may_be_uneven(coverage, ceilings, measurement):
            scheduled = _scheduled(session, index, config, job, missing)
    else:
        missing.append(
            "no time: there is no such GPU here; gains are worked out from compiling, counting and "
            "data sheets (expected, not measured)"
        )
    standing = None
    if coverage is not None and ceilings is not None and coverage.bytes_unique:
        standing = roofline.standing(coverage, ceilings, measurement)
    grid = coverage.grid if coverage is not None else session.prepare(index, config).grid
    return Facts(
        launch=info, config=config, target=name, grid=grid, gpu=gpu, ceilings=ceilings,
        text=kernel_text(session.text, info.kernel, info.line) if info.file == session.path
        else None,
        coverage=coverage, report=report, code=code, measurement=measurement, schedule=scheduled,
        standing=standing, findings=tuple(findings), missing=tuple(missing),
        by_line={item.line: item for item in code.lines} if code is not None else {},
    )  # fmt: skip


def _may_be_uneven(
    coverage: Coverage | None, ceilings: Ceilings, measurement: Measurement | None
) -> bool:
    """Tell whether a look at when programs ran is worth its time: not near the roof."""
    if coverage is None or not coverage.bytes_unique:
        return True
    share = roofline.standing(coverage, ceilings, measurement).share
    return share is None or share < _NEAR_THE_ROOF


def _compiled(
    session: Session, index: int, config: Config, target: str, job: Job,
    findings: list[Finding], missing: list[str],
) -> tuple[CompileReport | None, MachineCode | None]:  # fmt: skip
    from playground.engine.compile_outcome import StageError
    from playground.engine.resources import ToolError

    outcome = session.compile(index, config, target, job)
    findings += outcome.findings
    if outcome.report is None:
        why = outcome.findings[0].message if outcome.findings else "it does not compile"
        missing.append(f"no compile report for {target}: {why}")
        return None, None
    try:
        return outcome.report, session.code(index, config, target, job)
    except (StageError, ToolError) as error:
        missing.append(f"no machine code for {target}: {error}")
        return outcome.report, None


def _counted(
    session: Session, index: int, config: Config, job: Job, missing: list[str]
) -> Coverage | None:
    try:
        return session.coverage(index, config, job)
    except NotCountedError as error:
        missing.append(f"accesses are not counted: {error}")
        return None


def _scheduled(
    session: Session, index: int, config: Config, job: Job, missing: list[str]
) -> Schedule | None:
    from playground.engine.schedule import NotScheduledError

    try:
        return session.schedule(index, config, job).figures
    except (NotScheduledError, NotCountedError) as error:
        missing.append(f"no schedule: {error}")
        return None
