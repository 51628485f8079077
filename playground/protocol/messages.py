"""Every message that crosses between the two processes.

The window sends a request on the main comm (it waits its turn behind the console) or the side comm
(answered at once, from the engine's subshell). Every reply and event carries the request's `job`,
every request the number of the open file that it is about (0 unless there are several).
A request's class names what it is; `codec` finds the class by that name. They are defined in
`requests`, `replies`, `timing`, `compiler`, `programs`, `sweeps`, `debugging`, `experiments` and
`advice`; all of them are reached from here.
"""

from __future__ import annotations

from playground.protocol.advice import Advised, GetAdvice, TriedAdvice, TryAdvice
from playground.protocol.compiler import (
    Code,
    CompareCompilations,
    ComparedCompilations,
    CompileAll,
    CompileEdited,
    Edited,
    Fitted,
    FittedAll,
    GetCode,
    GetPasses,
    GetStageDiff,
    Passes,
    StageDiff,
)
from playground.protocol.debugging import (
    Against,
    BlockValue,
    CompareElements,
    Debug,
    DebugCommand,
    DebugEnded,
    DebugMode,
    DebugRunning,
    DebugStopped,
    Differed,
    ErrorMap,
    GetPrints,
    Hunted,
    HuntNonFinite,
    PrepareDebugger,
    PrintsOf,
    RanAlone,
    RunAlone,
    WrittenValues,
)
from playground.protocol.experiments import ExperimentMeasured, MeasureExperiment
from playground.protocol.programs import (
    CountsSaved,
    GetReuse,
    GetSchedule,
    GetSteps,
    ProgramSteps,
    Reused,
    SaveCounts,
    Scheduled,
)
from playground.protocol.replies import (
    Checked,
    Clocks,
    Compiled,
    Covered,
    Element,
    Exported,
    Finished,
    Ir,
    Measured,
    Plane,
    ProgramFootprint,
    Progress,
    Ready,
    RunResult,
    SweepProgress,
    Swept,
    Unusable,
)
from playground.protocol.requests import (
    Cancel,
    CloseFile,
    CompileAhead,
    Export,
    GetClocks,
    GetElement,
    GetIr,
    GetPlane,
    GetProgram,
    Hello,
    Paint,
    Pause,
    PlaneView,
    Replay,
    Run,
    ShowFile,
    Step,
    Sweep,
)
from playground.protocol.sharing import Share
from playground.protocol.sweeps import (
    ExportSweep,
    GetSweeps,
    OpenedSweep,
    OpenSweep,
    PrepareSweep,
    SweepAt,
    Sweeps,
)
from playground.protocol.timing import (
    Compare,
    Compared,
    CurveProgress,
    Energies,
    Floor,
    GetEnergy,
    GetFloor,
    GetHostCost,
    GetOwnBenchmarks,
    GetRoofline,
    HostCosts,
    OwnBenchmarks,
    Profile,
    Profiled,
    Roofline,
    Trace,
    Traced,
)

Request = (
    Run | Replay | CompileAhead | GetIr | GetProgram | Sweep | Export
    | Compare | Trace | GetRoofline | GetHostCost | GetEnergy | GetFloor | Profile
    | GetOwnBenchmarks
    | GetCode | GetPasses | CompareCompilations | GetStageDiff | CompileAll | CompileEdited
    | GetSchedule | GetSteps | GetReuse | SaveCounts
    | PrepareSweep | ExportSweep | GetSweeps | OpenSweep
    | PrepareDebugger | Debug | DebugCommand | RunAlone | GetPrints | HuntNonFinite
    | CompareElements | Share
    | MeasureExperiment
    | GetAdvice | TryAdvice
    | ShowFile | CloseFile
    | Hello | Cancel | Pause | GetPlane | GetElement | GetClocks
)  # fmt: skip
Reply = (
    Ready | Progress | RunResult | Compiled | Unusable | Checked | Measured | Covered | Finished
    | Ir | Plane | ProgramFootprint | Element | SweepProgress | Swept | Exported | Clocks
    | Compared | CurveProgress | Traced | Roofline | HostCosts | Energies | Floor | Profiled
    | OwnBenchmarks
    | Code | Passes | ComparedCompilations | StageDiff | Fitted | FittedAll | Edited
    | Scheduled | ProgramSteps | Reused | CountsSaved
    | SweepAt | Sweeps | OpenedSweep
    | DebugStopped | DebugRunning | DebugEnded | RanAlone | PrintsOf | Hunted | Differed
    | ExperimentMeasured
    | Advised | TriedAdvice
)  # fmt: skip

__all__ = [
    "Advised",
    "Against",
    "BlockValue",
    "Cancel",
    "Checked",
    "Clocks",
    "CloseFile",
    "Code",
    "Compare",
    "CompareCompilations",
    "CompareElements",
    "Compared",
    "ComparedCompilations",
    "CompileAhead",
    "CompileAll",
    "CompileEdited",
    "Compiled",
    "CountsSaved",
    "Covered",
    "CurveProgress",
    "Debug",
    "DebugCommand",
    "DebugEnded",
    "DebugMode",
    "DebugRunning",
    "DebugStopped",
    "Differed",
    "Edited",
    "Element",
    "Energies",
    "ErrorMap",
    "ExperimentMeasured",
    "Export",
    "ExportSweep",
    "Exported",
    "Finished",
    "Fitted",
    "FittedAll",
    "Floor",
    "GetAdvice",
    "GetClocks",
    "GetCode",
    "GetElement",
    "GetEnergy",
    "GetFloor",
    "GetHostCost",
    "GetIr",
    "GetOwnBenchmarks",
    "GetPasses",
    "GetPlane",
    "GetPrints",
    "GetProgram",
    "GetReuse",
    "GetRoofline",
    "GetSchedule",
    "GetStageDiff",
    "GetSteps",
    "GetSweeps",
    "Hello",
    "HostCosts",
    "HuntNonFinite",
    "Hunted",
    "Ir",
    "MeasureExperiment",
    "Measured",
    "OpenSweep",
    "OpenedSweep",
    "OwnBenchmarks",
    "Paint",
    "Passes",
    "Pause",
    "Plane",
    "PlaneView",
    "PrepareDebugger",
    "PrepareSweep",
    "PrintsOf",
    "Profile",
    "Profiled",
    "ProgramFootprint",
    "ProgramSteps",
    "Progress",
    "RanAlone",
    "Ready",
    "Replay",
    "Reply",
    "Request",
    "Reused",
    "Roofline",
    "Run",
    "RunAlone",
    "RunResult",
    "SaveCounts",
    "Scheduled",
    "Share",
    "ShowFile",
    "StageDiff",
    "Step",
    "Sweep",
    "SweepAt",
    "SweepProgress",
    "Sweeps",
    "Swept",
    "Trace",
    "Traced",
    "TriedAdvice",
    "TryAdvice",
    "Unusable",
    "WrittenValues",
]

SIDE_REQUESTS = (
    Hello, Cancel, Pause, GetPlane, GetElement, GetClocks, GetSweeps, OpenSweep, DebugCommand,
)  # fmt: skip
"""Requests that the engine answers at once, also while it is busy; all others wait their turn."""

UNSEEN_REQUESTS = (
    CloseFile, CompileAhead, CompileEdited, Debug, GetFloor, GetProgram, GetSteps,
    PrepareDebugger, PrepareSweep, ShowFile,
)  # fmt: skip
"""Requests for the engine's idle time, which make way for any other, and requests of milliseconds
that follow the cursor: the engine is not called busy for them, nor while a program is debugged."""
