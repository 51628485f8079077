"""An engine without a process: answers every request with plausible scripted replies.

It plays the vector add of `kernels/vector_add.py`, on a GPU or in the interpreter. Arithmetic is
right (coverage, bytes, planes, footprints); timings are made up but behave (a best block size).
`hold = True` keeps replies back until `release()`, so that tests can order things.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QObject, QTimer

from playground.model.check import CheckResult
from playground.model.compiling import CompileReport, Occupancy, StageTime
from playground.model.config import Config
from playground.model.coverage import AccessCount, Coverage, OutOfBounds, TensorCoverage
from playground.model.device import DeviceInfo
from playground.model.finding import Finding
from playground.model.hazard import Hazard
from playground.model.knobs import constexpr_knob, option_knob
from playground.model.launch import Argument, Launch, Preset, TensorInfo
from playground.model.measurement import Measurement
from playground.model.sweep import SweepRow
from playground.protocol import messages
from playground.ui.engine_port import EnginePort
from tests.ui.fake_advice import FakeAdvice
from tests.ui.fake_compiler import FakeCompiler
from tests.ui.fake_curves import FakeCurves
from tests.ui.fake_debugging import FakeDebugging
from tests.ui.fake_experiments import FakeExperiments
from tests.ui.fake_programs import FakePrograms
from tests.ui.fake_sweeps import FakeSweeps
from tests.ui.fake_timing import FakeTiming

ELEMENTS = 98432
FOLD = 512
TARGETS = ("cuda:80", "cuda:90", "cuda:100", "hip:gfx942", "hip:gfx950")
COLUMNS = {"x_ptr": "load", "y_ptr": "load", "out_ptr": "store"}

INTERPRETER = DeviceInfo(
    "interpreter", "Triton interpreter on the CPU", "cuda:90", "2.13.0+cpu", "3.9.0", "3.11.2"
)
GPU = DeviceInfo(
    "gpu",
    "NVIDIA H200",
    "cuda:90",
    "2.11.0",
    "3.6.0",
    "3.12.3",
    driver="580.82",
    cuda="13.0",
    multiprocessors=132,
    l2_bytes=60 << 20,
    memory_bytes=139 << 30,
    copy_ceiling_gbps=4249.0,
)


def tensor_argument(name: str, storage: int, device: str, elements: int) -> Argument:
    info = TensorInfo((elements,), "float32", (1,), 4, storage, 0, elements * 4, 16, device)
    return Argument(name, "tensor", f"float32[{elements}]", info)


def vector_add_launch(
    device: str = "cpu", elements: int = ELEMENTS, index: int = 0, path: str = "vector_add.py"
) -> Launch:
    block = 1024
    knobs = (
        constexpr_knob("BLOCK_SIZE", block),
        option_knob("num_warps", 4),
        option_knob("num_stages", 3),
    )
    config = Config.of({"BLOCK_SIZE": block, "num_warps": 4, "num_stages": 3})
    return Launch(
        index,
        "add_kernel",
        path,
        18,
        36,
        (-(-elements // block), 1, 1),
        "callable",
        (
            tensor_argument("x_ptr", 0, device, elements),
            tensor_argument("y_ptr", 1, device, elements),
            tensor_argument("out_ptr", 2, device, elements),
            Argument("n_elements", "int", str(elements)),
            Argument("BLOCK_SIZE", "constexpr", str(block)),
        ),
        knobs,
        config,
        (
            Preset(
                "BLOCK_SIZE=4096 num_warps=8", config.updated({"BLOCK_SIZE": 4096, "num_warps": 8})
            ),
        ),
    )


class FakeEngine(
    FakeTiming, EnginePort, FakeCurves, FakeCompiler, FakePrograms, FakeSweeps, FakeExperiments,
    FakeDebugging,
    FakeAdvice,
):  # fmt: skip
    def __init__(
        self,
        mode: str = "interpreter",
        *,
        delay_ms: int = 0,
        elements: int = ELEMENTS,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.device = GPU if mode == "gpu" else INTERPRETER
        self.delay_ms = delay_ms
        self.elements = elements
        self.sent: list[tuple[int, messages.Request]] = []
        self.hold = False
        self.file_of: dict[int, int] = {}
        self._file = 0
        self._held: dict[int, tuple[Launch, ...]] = {}
        self.interrupts = 0
        self.restarts = 0
        self.run_findings: tuple[Finding, ...] = ()
        self.run_driver = ""
        self.launch_count = 1
        self.hazards: tuple[Hazard, ...] = ()
        self.past = {}
        self.fatal_configs: set[Config] = set()
        self.wrong_configs: set[Config] = set()
        self.unusable_blocks: dict[int, str] = {}
        self.refused_blocks: dict[int, str] = {}
        self.edited_findings: Callable[[str], tuple[Finding, ...]] = lambda _text: ()
        self._job = 0
        self._quiet: set[int] = set()
        self._cancelled: set[int] = set()
        self._queue: deque[tuple[messages.Reply, int]] = deque()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._deliver)

    @property
    def _launches(self) -> tuple[Launch, ...]:
        """The launches of the file that the request at hand is about."""
        return self._held.get(self._file, ())

    @_launches.setter
    def _launches(self, launches: tuple[Launch, ...]) -> None:
        self._held[self._file] = launches

    # -------------------------------------------------------------------------- EnginePort

    def start(self) -> None:
        self._queue.append((messages.Ready(1, self.device, TARGETS), 0))
        self._schedule()

    def send(self, request: messages.Request, file: int = 0) -> int:
        self._job += 1
        job = self._job
        self.sent.append((job, request))
        self.file_of[job] = self._file = file
        if isinstance(request, (*messages.SIDE_REQUESTS, *messages.UNSEEN_REQUESTS)):
            self._quiet.add(job)
        if isinstance(request, messages.Cancel):
            self._cancel(request.job)
            self._end_debugged(request.job)
            self._queue.appendleft((messages.Finished(), job))
        else:
            answer: Callable[[messages.Request], list[messages.Reply]] = getattr(
                self, f"_answer_{type(request).__name__.lower()}"
            )
            replies = answer(request)
            if isinstance(request, messages.Debug):
                self.debug_job = job  # goes on until it is told to end
            elif not replies or not isinstance(replies[-1], messages.Finished):
                replies.append(messages.Finished())
            self._queue.extend((reply, job) for reply in replies)
        self._schedule()
        return job

    def interrupt(self) -> None:
        self.interrupts += 1
        for job in {job for _, job in self._queue}:
            self._cancel(job)
        self._schedule()

    def restart(self) -> None:
        self.restarts += 1
        self._queue.clear()
        self._set_state("restarting")
        self.start()

    def shutdown(self) -> None:
        self._timer.stop()
        self._queue.clear()

    # -------------------------------------------------------------------------- for tests

    def requests(self, kind: type) -> list[messages.Request]:
        return [request for _, request in self.sent if isinstance(request, kind)]

    def release(self, count: int | None = None) -> None:
        """Deliver held replies: `count` of them, or all there are now and come of them."""
        while self._queue and (count is None or count > 0):
            self._deliver_one()
            count = None if count is None else count - 1

    def crash(self, why: str = "the engine process ended (killed by signal 9)") -> None:
        """Die and come back, as the real one does."""
        self._queue.clear()
        self.died.emit(why)
        self._set_state("dead")
        self.restart()

    # -------------------------------------------------------------------------- delivery

    def _cancel(self, job: int) -> None:
        kept = [(reply, number) for reply, number in self._queue if number != job]
        if len(kept) != len(self._queue):
            self._queue = deque([*kept, (messages.Finished(cancelled=True), job)])

    def _schedule(self) -> None:
        if not self.hold and not self._timer.isActive():
            self._timer.start(self.delay_ms)

    def _deliver(self) -> None:
        if self._queue and not self.hold:
            self._deliver_one()
        if self._queue:
            self._schedule()

    def _deliver_one(self) -> None:
        reply, job = self._queue.popleft()
        if isinstance(reply, messages.Ready):
            self.reply.emit(reply, job)
            self._set_state("ready")
            return
        if job not in self._quiet and not isinstance(reply, messages.Finished):
            self._set_state("busy")
        elif all(number in {0, *self._quiet} for _, number in self._queue):
            self._set_state("ready")
        self.reply.emit(reply, job)

    # -------------------------------------------------------------------------- answers

    def _answer_hello(self, _request: messages.Hello) -> list[messages.Reply]:
        return [messages.Ready(1, self.device, TARGETS)]

    def _answer_showfile(self, _request: messages.ShowFile) -> list[messages.Reply]:
        return []

    def _answer_closefile(self, _request: messages.CloseFile) -> list[messages.Reply]:
        return []

    def _answer_run(self, request: messages.Run) -> list[messages.Reply]:
        elements = request.sizes.get("size", self.elements)
        device = "cuda:0" if self.device.mode == "gpu" else "cpu"
        failed = any(finding.severity == "error" for finding in self.run_findings)
        count = 0 if failed else self.launch_count
        self._launches = tuple(
            vector_add_launch(device, elements, index, request.path) for index in range(count)
        )
        result = f"tensor of {elements} float32"
        return [
            messages.Progress("running", None),
            messages.RunResult(
                self._launches, self.run_findings, result, 12.5, driver=self.run_driver
            ),
        ]

    def _answer_replay(self, request: messages.Replay) -> list[messages.Reply]:
        replies: list[messages.Reply] = [messages.Progress("compiling", None)]
        if request.config in self.fatal_configs:
            finding = Finding(
                "error",
                "runtime",
                "an illegal memory access was encountered",
                "mask the access; the engine is restarted",
                line=24,
            )
            return [*replies, messages.Finished(fatal=True, findings=(finding,))]
        for step in request.steps:
            reason = self.refused_blocks.get(int(request.config.as_dict().get("BLOCK_SIZE", 0)))
            if step == "compile" and reason is not None:
                target = request.target or self.device.target
                finding = Finding("error", "compile", reason, "another block", line=24)
                replies += [
                    messages.Unusable(request.launch, target, (request.config,), (reason,)),
                    messages.Compiled(request.revision, None, (finding,)),
                ]
                continue
            replies.append(self._step(step, request))
        return replies

    def _step(self, step: str, request: messages.Replay) -> messages.Reply:
        if step == "compile":
            report = self.report(request.launch, request.config, request.target)
            return messages.Compiled(request.revision, report)
        if step == "check":
            return messages.Checked(request.revision, request.config, self.verdict(request.config))
        if step == "measure":
            measurement = self.measurement(request.launch, request.config, request.cache)
            return messages.Measured(request.revision, measurement, engine_ms=request.budget_ms)
        return messages.Covered(request.revision, self.coverage(request.launch, request.config))

    def _answer_compileedited(self, request: messages.CompileEdited) -> list[messages.Reply]:
        found = self.edited_findings(request.text)
        report = None if found else self.report(request.launch, request.config, request.target)
        return [messages.Edited(request.text, report, found)]

    def _answer_compileahead(self, request: messages.CompileAhead) -> list[messages.Reply]:
        target = request.target or self.device.target
        return [
            messages.Unusable(
                request.launch,
                target,
                (config,),
                (self.unusable_blocks[int(config["BLOCK_SIZE"])],),
            )
            for config in request.configs
            if config.as_dict().get("BLOCK_SIZE") in self.unusable_blocks
        ] + [messages.Finished()]

    def _answer_getir(self, request: messages.GetIr) -> list[messages.Reply]:
        text = IR_TEXTS.get(request.stage, f"; no {request.stage}\n")
        block = request.config["BLOCK_SIZE"]
        text = text.replace("1024", str(block))
        lines = tuple((line,) if line else () for line in IR_LINES.get(request.stage, ()))
        return [messages.Ir(request.stage, text, lines)]

    def _answer_getprogram(self, request: messages.GetProgram) -> list[messages.Reply]:
        touched, _ = self._window(request.view, self._footprint(request))
        count = int(np.count_nonzero(touched))
        stores = COLUMNS[request.tensor] == "store"
        return [
            messages.ProgramFootprint(
                request.tensor,
                request.program,
                request.view,
                touched.astype(np.uint8),
                0 if stores else count,
                count if stores else 0,
            )
        ]

    def _answer_export(self, request: messages.Export) -> list[messages.Reply]:
        text = f"# tuned: {request.config.label()}\n"
        return [messages.Exported(text, "vector_add_tuned.py")]

    def _answer_share(self, request: messages.Share) -> list[messages.Reply]:
        text = f"<p>{request.form}: {request.config.label()}</p>\n"
        return [messages.Exported(text, f"vector_add_{request.form}.html")]

    def _answer_getplane(self, request: messages.GetPlane) -> list[messages.Reply]:
        values = self.counters(request.config, request.tensor)[request.paint]
        window, _ = self._window(request.view, values)
        flags = np.zeros(window.shape, np.uint8)
        if COLUMNS[request.tensor] == "store":
            owner, _ = self._window(
                request.view, self.counters(request.config, request.tensor)["owner"]
            )
            flags[owner < 0] |= 1
        launch = self._launches[request.launch]
        block = int(request.config["BLOCK_SIZE"] or 1)
        elements = self._elements(launch)
        rows = -(-elements // FOLD)
        return [
            messages.Plane(
                request.tensor,
                request.paint,
                request.view,
                rows,
                FOLD,
                window.astype(np.int32),
                flags,
                -(-elements // block),
                int(values.max()),
            )
        ]

    def _answer_getelement(self, request: messages.GetElement) -> list[messages.Reply]:
        index = request.row * FOLD + request.column
        planes = self.counters(request.config, request.tensor)
        owner = int(planes["owner"].flat[index])
        loads = int(planes["loads"].flat[index])
        stores = int(planes["stores"].flat[index])
        program = index // int(request.config["BLOCK_SIZE"] or 1) if loads else -1
        return [
            messages.Element(
                request.tensor, (index,), loads, stores, owner, program, program, False
            )
        ]

    # -------------------------------------------------------------------------- arithmetic

    @staticmethod
    def _elements(launch: Launch) -> int:
        info = launch.arguments[0].tensor
        return info.elements if info else 0

    def counters(self, config: Config, tensor: str) -> dict[str, np.ndarray]:
        """Whole planes (rows, FOLD); cells past the last element are 0 (owner -1)."""
        elements = self._elements(self._launches[0]) if self._launches else self.elements
        rows = -(-elements // FOLD)
        index = np.arange(rows * FOLD).reshape(rows, FOLD)
        inside = index < elements
        stored = COLUMNS[tensor] == "store"
        owner = np.where(inside & stored, index // int(config["BLOCK_SIZE"] or 1), -1)
        return {
            "owner": owner.astype(np.int32),
            "first": owner.astype(np.int32),
            "loads": (inside & (not stored)).astype(np.int32),
            "stores": (inside & stored).astype(np.int32),
        }

    def _footprint(self, request: messages.GetProgram) -> np.ndarray:
        planes = self.counters(request.config, request.tensor)
        index = np.arange(planes["loads"].size).reshape(planes["loads"].shape)
        mine = index // int(request.config["BLOCK_SIZE"] or 1) == request.program
        return ((planes["loads"] > 0) & mine) * 1 + ((planes["stores"] > 0) & mine) * 2

    @staticmethod
    def _window(view: messages.PlaneView, plane: np.ndarray) -> tuple[np.ndarray, tuple[int, int]]:
        rows = view.rows or plane.shape[0] - view.row
        columns = view.columns or plane.shape[1] - view.column
        cut = plane[view.row : view.row + rows, view.column : view.column + columns]
        down = max(1, -(-cut.shape[0] // view.max_rows))
        across = max(1, -(-cut.shape[1] // view.max_columns))
        return cut[::down, ::across], (down, across)

    def report(self, launch: int, config: Config, target: str | None) -> CompileReport:
        block, warps = int(config["BLOCK_SIZE"] or 1), int(config["num_warps"] or 4)
        registers = min(255, 16 + max(1, block // (32 * warps)) * 2)
        amd = (target or "").startswith("hip")
        stages = (
            ("ttir", "ttgir", "llir", "amdgcn") if amd else ("ttir", "ttgir", "llir", "ptx", "sass")
        )
        times_ms = (3.1, 5.2, 12.0, 9.4, 80.0)
        programs = max(1, min(32, 64 // warps, 65536 // (registers * 32 * warps)))
        return CompileReport(
            launch,
            config,
            target or self.device.target,
            "add_kernel",
            registers,
            0,
            0,
            0,
            65536 if amd else 232448,
            (64 if amd else 32) * warps,
            True,
            tuple(map(StageTime, stages, times_ms)),
            110.0,
            False,
            stages,
            Occupancy(
                programs, programs * warps, 64, "warps" if programs * warps >= 64 else "registers"
            ),
        )

    def verdict(self, config: Config) -> CheckResult:
        if config in self.wrong_configs:
            return CheckResult(
                "wrong", "reference", "out_ptr", 1.25, 1e-6, 512, self.elements, (97920,)
            )
        return CheckResult("correct", "reference", "out_ptr", 0.0, 1e-6, 0, self.elements)

    def measurement(self, launch: int, config: Config, cache: str) -> Measurement:
        block, warps = int(config["BLOCK_SIZE"] or 1), int(config["num_warps"] or 4)
        chance = random.Random(repr(config))
        base = 0.0021 + 0.0004 * abs(math.log2(block) - 10) + 0.0001 * abs(math.log2(warps) - 2)
        if self.device.mode == "interpreter":
            base = 0.35 * -(-self.elements // block)
        samples = tuple(base * (1 + abs(chance.gauss(0, 0.03))) for _ in range(60))
        gpu = self.device.mode == "gpu"
        return Measurement(
            launch,
            config,
            samples,
            "cupti" if gpu else "interpreter",
            cache if gpu else "none",  # type: ignore[arg-type]
            host_ms=0.015 if gpu else None,
            before=self.clocks(),
            after=self.clocks(),
            budget_ms=200.0 if gpu else None,
            stopped="settled" if gpu else "budget",
        )

    def coverage(self, launch: int, config: Config) -> Coverage:
        elements = self._elements(self._launches[launch])
        block = int(config["BLOCK_SIZE"] or 1)
        once, never = AccessCount(elements, 1, 1), AccessCount(0, 0, 0)
        tensors = tuple(
            TensorCoverage(
                name,
                (elements,),
                "float32",
                elements,
                never if kind == "store" else once,
                once if kind == "store" else never,
                0 if kind == "store" else None,
                0,
                0,
            )
            for name, kind in COLUMNS.items()
        )
        beyond: tuple[OutOfBounds, ...] = ()
        mode = "gpu" if self.device.mode == "gpu" else "interpreter"
        return Coverage(
            launch,
            config,
            (-(-elements // block), 1, 1),
            tensors,
            12 * elements,
            12 * elements,
            0,
            beyond,
            mode,
            21.0,  # type: ignore[arg-type]
            sites=self.sites(config),
            hazards=self.hazards,
        )

    def _row(self, launch: int, config: Config) -> SweepRow:
        report = self.report(launch, config, None)
        if config in self.wrong_configs:
            return SweepRow(config, "wrong", "512 of 98432 elements of out_ptr differ")
        if int(config["num_stages"] or 1) >= 4:
            reason = "shared memory 262144 bytes, the target allows 232448"
            return SweepRow(config, "resources", reason, shared_bytes=262144)
        timed = self.measurement(launch, config, "cold") if self.device.mode == "gpu" else None
        low, high = timed.interval_ms if timed else (None, None)
        occupancy = report.occupancy.programs_per_sm if report.occupancy else None
        return SweepRow(
            config,
            "correct",
            "",
            timed.median_ms if timed else None,
            low,
            high,
            report.registers,
            report.spill_bytes,
            report.shared_bytes,
            occupancy,
            0,
        )


_TTIR = """#loc = loc("vector_add.py":18:0)
module {
  tt.func public @add_kernel(%x_ptr: !tt.ptr<f32>, %y_ptr: !tt.ptr<f32>, %out_ptr: !tt.ptr<f32>) {
    %pid = tt.get_program_id x : i32
    %offsets = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %x = tt.load %x_ptrs, %mask : tensor<1024x!tt.ptr<f32>>
    %y = tt.load %y_ptrs, %mask : tensor<1024x!tt.ptr<f32>>
    %sum = arith.addf %x, %y : tensor<1024xf32>
    tt.store %out_ptrs, %sum, %mask : tensor<1024x!tt.ptr<f32>>
    tt.return
  }
}
"""
_PTX = """.version 8.7
.target sm_90a
.visible .entry add_kernel(.param .u64 x_ptr, .param .u64 y_ptr, .param .u64 out_ptr)
{
  mov.u32 %r1, %ctaid.x;
  ld.global.v4.b32 { %r2, %r3, %r4, %r5 }, [ %rd1 + 0 ];
  ld.global.v4.b32 { %r6, %r7, %r8, %r9 }, [ %rd2 + 0 ];
  add.f32 %f1, %f2, %f3;
  st.global.v4.b32 [ %rd3 + 0 ], { %r10, %r11, %r12, %r13 };
  ret;
}
"""
IR_TEXTS = {
    "ttir": _TTIR,
    "ttgir": _TTIR.replace("xf32>", "xf32, #blocked>"),
    "llir": "define void @add_kernel(ptr %x, ptr %y, ptr %out) {\n  ret void\n}\n",
    "ptx": _PTX,
    "sass": "  /*0000*/ S2R R0, SR_CTAID.X ;\n  /*0010*/ LDG.E.128 R4, [R2] ;\n",
    "amdgcn": "global_load_dwordx4 v[0:3], v4, s[0:1]\ns_endpgm\n",
}
IR_LINES = {
    "ttir": (0, 0, 18, 19, 20, 22, 23, 24, 24, 18, 0, 0),
    "ttgir": (0, 0, 18, 19, 20, 22, 23, 24, 24, 18, 0, 0),
    "llir": (18, 24, 0),
    "ptx": (0, 0, 18, 0, 19, 22, 23, 24, 24, 18, 0),
    "sass": (19, 22),
    "amdgcn": (22, 18),
}
