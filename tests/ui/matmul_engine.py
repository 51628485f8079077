"""A scripted engine that plays a matmul whose output has a hole and an access out of bounds.

Its planes come from arithmetic on the tile grid, so that tests know every owner and count. Tiles
are BLOCK by BLOCK; the last row of tiles is never written when `hole` is set.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject

from playground.model.access_site import AccessSite
from playground.model.compiling import CompileReport, SharedBuffer
from playground.model.config import Config
from playground.model.coverage import AccessCount, Coverage, OutOfBounds, TensorCoverage
from playground.model.knobs import Knob, constexpr_knob, option_knob
from playground.model.launch import Argument, Launch, Preset, TensorInfo
from playground.model.schedule import CacheReuse
from playground.protocol import messages
from tests.ui.fake_engine import FakeEngine

STEP_K = 64
"""Columns of A, and rows of B, that a program loads in one step of its loop."""


class MatmulEngine(FakeEngine):
    """C = A @ B of `size` squared, K = size // 2; A and B are loaded, C and a 3D copy stored."""

    def __init__(
        self, mode: str = "gpu", *, size: int = 1024, hole: bool = True,
        parent: QObject | None = None,
    ) -> None:  # fmt: skip
        super().__init__(mode, parent=parent)
        self.size = size
        self.hole = hole

    def shapes(self) -> dict[str, tuple[int, ...]]:
        size = self.size
        return {
            "a_ptr": (size, size // 2), "b_ptr": (size // 2, size), "c_ptr": (size, size),
            "batch_ptr": (3, 64, 96),
        }  # fmt: skip

    def launch(self, path: str) -> Launch:
        arguments = []
        for storage, (name, shape) in enumerate(self.shapes().items()):
            strides = tuple(int(np.prod(shape[axis + 1 :])) for axis in range(len(shape)))
            count = int(np.prod(shape))
            info = TensorInfo(shape, "float16", strides, 2, storage, 0, 2 * count, 16, "cuda:0")
            arguments.append(Argument(name, "tensor", f"float16{list(shape)}", info))
        arguments.append(Argument("M", "int", str(self.size)))
        knobs = (
            constexpr_knob("BLOCK", 128),
            constexpr_knob("GROUP_M", 8),
            constexpr_knob("EVEN_K", True),
            constexpr_knob("OUT_DTYPE", "tl.float16"),
            constexpr_knob("PADDED", 1024).marked_derived(
                "the data dictates it: another value breaks the result"
            ),
            Knob("ACTIVATION", "fixed", "constexpr", None, note="a function cannot be moved"),
            option_knob("num_warps", 8), option_knob("num_stages", 3),
            option_knob("maxnreg", None),
        )  # fmt: skip
        config = Config.of({knob.name: knob.default for knob in knobs if knob.kind != "fixed"})
        tiles = -(-self.size // 128)
        presets = tuple(
            Preset(f"BLOCK={b} num_warps={w}", config.updated({"BLOCK": b, "num_warps": w}))
            for b, w in ((64, 4), (128, 8))
        )
        return Launch(
            0, "matmul_kernel", path, 31, 88, (tiles, tiles, 1), "callable", tuple(arguments),
            knobs, config, presets, ("Autotuner",),
        )  # fmt: skip

    def _answer_run(self, request: messages.Run) -> list[messages.Reply]:
        self._launches = (self.launch(request.path),)
        return [messages.RunResult(self._launches, (), "tensor", 20.0)]

    def block(self, config: Config) -> int:
        return int(config["BLOCK"] or 1)

    def pixels(self, config: Config, request: messages.GetPlane) -> np.ndarray:
        """The counters of the rectangle asked for, reduced by taking every n-th element."""
        rows, columns = self.shapes()[request.tensor][-2:]
        view, block = request.view, self.block(config)
        height = view.rows or rows - view.row
        width = view.columns or columns - view.column
        down = max(1, -(-height // view.max_rows))
        across = max(1, -(-width // view.max_columns))
        r = np.arange(view.row, view.row + height, down)[:, None]
        c = np.arange(view.column, view.column + width, across)[None, :]
        tiles = -(-self.size // block)
        stored = request.tensor in ("c_ptr", "batch_ptr")
        owner = (r // block) * tiles + c // block
        if request.tensor == "batch_ptr":
            owner = np.broadcast_to(r // 16 + 10 * request.view.slices[0], (r + c).shape).copy()
        if self.hole and request.tensor == "c_ptr":
            owner = np.where(r // block == tiles - 1, -1, owner)
        if request.paint in ("owner", "first"):
            return (owner if stored else np.full_like(owner, -1)).astype(np.int32)
        if request.paint == "stores":
            return ((owner >= 0) & stored).astype(np.int32)
        loads = tiles if not stored else 0
        return np.full((r + c).shape, loads, np.int32) + ((r + c) % 3 if not stored else 0)

    def _answer_getplane(self, request: messages.GetPlane) -> list[messages.Reply]:
        values = self.pixels(request.config, request).astype(np.int32)
        flags = np.zeros(values.shape, np.uint8)
        if request.tensor in ("c_ptr", "batch_ptr") and request.paint != "loads":
            flags[(values < 0) if request.paint in ("owner", "first") else (values == 0)] |= 1
        rows, columns = self.shapes()[request.tensor][-2:]
        tiles = -(-self.size // self.block(request.config))
        return [
            messages.Plane(
                request.tensor, request.paint, request.view, rows, columns, values, flags,
                tiles * tiles, int(values.max()),
            )
        ]  # fmt: skip

    def _answer_getelement(self, request: messages.GetElement) -> list[messages.Reply]:
        block = self.block(request.config)
        tiles = -(-self.size // block)
        row, column = request.row, request.column
        owner = row // block * tiles + column // block
        index = (*request.slices, row, column)
        if request.tensor in ("a_ptr", "b_ptr"):
            return [messages.Element(request.tensor, index, tiles, 0, -1, 0, tiles - 1, False)]
        if self.hole and row // block == tiles - 1:
            return [messages.Element(request.tensor, index, 0, 0, -1, -1, -1, False)]
        return [messages.Element(request.tensor, index, 0, 1, owner, -1, -1, False)]

    def _answer_getprogram(self, request: messages.GetProgram) -> list[messages.Reply]:
        rows, columns = self.shapes()[request.tensor][-2:]
        view, block = request.view, self.block(request.config)
        tiles = -(-self.size // block)
        y, x = divmod(request.program, tiles)
        height = view.rows or rows - view.row
        width = view.columns or columns - view.column
        r = np.arange(view.row, view.row + height, max(1, -(-height // view.max_rows)))[:, None]
        c = np.arange(view.column, view.column + width, max(1, -(-width // view.max_columns)))
        inside_row, inside_column = r // block == y, (c // block == x)[None, :]
        everywhere = np.zeros((len(r), len(c)), bool)
        masks = {
            "a_ptr": (inside_row | everywhere, 1), "b_ptr": (inside_column | everywhere, 1),
            "c_ptr": (inside_row & inside_column, 2),
            "batch_ptr": (self._of_batch(request, r) | everywhere, 2),
        }  # fmt: skip
        mask, bit = masks[request.tensor]
        touched = (mask * bit).astype(np.uint8)
        count = block * (self.size // 2 if bit == 1 else block)
        if request.tensor == "batch_ptr":
            count = 16 * 96 * (request.program // 10 < 3 and request.program % 10 < 4)
        loads, stores = (count, 0) if bit == 1 else (0, count)
        return [
            messages.ProgramFootprint(request.tensor, request.program, view, touched, loads, stores)
        ]

    @staticmethod
    def _of_batch(request: messages.GetProgram, rows: np.ndarray) -> np.ndarray:
        """Program 10 s + i stores 16 rows of slice s, from row 16 i on."""
        plane, part = divmod(request.program, 10)
        shown = bool(request.view.slices) and plane == request.view.slices[0]
        return (rows // 16 == part) & shown

    def report(self, launch: int, config: Config, target: str | None) -> CompileReport:
        small = Config.of({"BLOCK_SIZE": self.block(config) * 8, "num_warps": config["num_warps"]})
        base = super().report(launch, small, target)
        shared = self.block(config) * 64 * 2 * 2 * int(config["num_stages"] or 1)
        side, stages = self.block(config), int(config["num_stages"] or 1)
        held = tuple(
            SharedBuffer(name, "matmul.py", line, stages, shape, "fp16", shared // 2,
                         ("num_stages", "BLOCK"))
            for name, line, shape in (("a", 39, (side, 64)), ("b", 42, (64, side)))
        )  # fmt: skip
        return CompileReport(
            launch, config, base.target, "matmul_kernel", base.registers,
            0 if self.block(config) <= 128 else 96, 0, shared, 232448, base.threads,
            shared <= 232448, base.stage_times, base.total_ms, True, base.stages, base.occupancy,
            () if shared <= 232448 else ("Too much shared memory: fewer num_stages fit.",),
            shared_buffers=held,
        )  # fmt: skip

    def measurement(self, launch: int, config: Config, cache: str):
        small = Config.of({"BLOCK_SIZE": self.block(config) * 8, "num_warps": config["num_warps"]})
        base = super().measurement(launch, small, cache)
        samples = tuple(60 * sample for sample in base.samples_ms)
        return type(base)(
            launch, config, samples, base.source, base.cache, host_ms=base.host_ms,
            before=base.before, after=base.after,
        )  # fmt: skip

    def coverage(self, launch: int, config: Config) -> Coverage:
        block, size = self.block(config), self.size
        tiles = -(-size // block)
        never = AccessCount(0, 0, 0)
        missing = size * (size - (tiles - 1) * block) if self.hole else 0
        tensors = []
        for name, shape in self.shapes().items():
            count = int(np.prod(shape))
            stored = name in ("c_ptr", "batch_ptr")
            loads = never if stored else AccessCount(count * tiles, tiles, tiles + 2)
            stores = AccessCount(count, 1, 1) if stored else never
            unwritten = None if not stored else 0
            if name == "c_ptr" and self.hole:
                stores, unwritten = AccessCount(count - missing, 0, 1), missing
            tensors.append(
                TensorCoverage(name, shape, "float16", count, loads, stores, unwritten, 0,
                               96 if name == "a_ptr" and self.hole else 0)
            )  # fmt: skip
        beyond = (
            (OutOfBounds("a_ptr", "load", tiles * tiles - 1, 96, 96, 52, "matmul.py"),)
            if self.hole else ()
        )  # fmt: skip
        return Coverage(
            launch, config, (tiles, tiles, 1), tuple(tensors), 2 * size * size * tiles,
            5 * size * size, size**3, beyond, "gpu", 3.2,
            flops_by_kind=(("fp16", size**3),), sites=self.sites(config), hazards=self.hazards,
        )  # fmt: skip

    def grid_of(self, config: Config) -> tuple[int, int, int]:
        tiles = -(-self.size // self.block(config))
        return (tiles, tiles, 1)

    def elements_of(self) -> int:
        return self.size * self.size

    def sites(self, config: Config) -> tuple[AccessSite, ...]:
        """A is loaded along its rows, B across them: one sector of 32 bytes for each 2 it wants."""
        block, programs = self.block(config), self.grid_of(config)[0] ** 2
        steps = self.size // 2 // STEP_K
        found = []
        for kind, line, name, times, spread in (
            ("load", 52, "a_ptr", steps, 1), ("load", 53, "b_ptr", steps, 16),
            ("store", 60, "c_ptr", 1, 1),
        ):  # fmt: skip
            lanes = programs * times * block * (block if kind == "store" else STEP_K)
            requests, rows = lanes // 32, self.shapes()[name]
            found.append(
                AccessSite(
                    kind, line, "", (name,), lanes, lanes, 2 * lanes, 2 * lanes,
                    2 * rows[0] * rows[1], requests, 2 * requests * spread, 2 * requests,
                    programs * times, programs,
                )
            )  # fmt: skip
        return tuple(found)

    def _answer_getsteps(self, request: messages.GetSteps) -> list[messages.Reply]:
        block, size, inner = self.block(request.config), self.size, self.size // 2
        y, x = divmod(request.program, -(-size // block))
        rows, columns = np.arange(y * block, (y + 1) * block), np.arange(x * block, (x + 1) * block)
        parts, sites = [], []
        for k in range(0, inner, STEP_K):
            ks = np.arange(k, k + STEP_K)
            parts += [rows[:, None] * inner + ks, ks[:, None] * size + columns]
            sites += [0, 1]
        parts.append(rows[:, None] * size + columns)
        sites.append(2)
        plane, part = divmod(request.program, 10)
        if plane < 3 and part < 4:
            parts.append(np.arange(16 * 96).reshape(16, 96) + (plane * 64 + part * 16) * 96)
            sites.append(3)
        lengths = np.array([part.size for part in parts])
        return [
            messages.ProgramSteps(
                request.launch, request.config, request.program,
                np.minimum(np.array(sites, np.int32), 2), np.array(sites, np.int32),
                np.concatenate([[0], lengths.cumsum()]),
                np.concatenate([part.ravel() for part in parts]).astype(np.int64),
            )
        ]  # fmt: skip

    def _answer_getreuse(self, request: messages.GetReuse) -> list[messages.Reply]:
        """Row by row each program row loads all of B again; grouped by GROUP_M, once a group."""
        tiles = self.grid_of(request.config)[0]
        bytes_a = bytes_b = self.size * self.size
        group = int(request.config["GROUP_M"] or 1)
        fetched = (
            ("a_ptr", tiles * bytes_a, bytes_a * (1 if group == 1 else 2)),
            ("b_ptr", tiles * bytes_b, bytes_b * -(-tiles // group)),
        )
        reuse = CacheReuse(
            request.launch, request.config, "launch order, 264 at a time", 60 << 20, "H200",
            2 * tiles * bytes_a, bytes_a + bytes_b, sum(each for _, _, each in fetched), fetched,
        )  # fmt: skip
        return [messages.Reused(reuse)]

    def _answer_getir(self, request: messages.GetIr) -> list[messages.Reply]:
        plain = Config.of({"BLOCK_SIZE": request.config["BLOCK"]})
        return super()._answer_getir(
            messages.GetIr(request.launch, plain, request.stage, request.target)
        )

    def _row(self, launch: int, config: Config):
        row = super()._row(
            launch,
            config.updated({"BLOCK_SIZE": config["BLOCK"], "num_stages": config["num_stages"]}),
        )
        return type(row)(
            config, row.status, row.reason, row.median_ms, row.low_ms, row.high_ms, row.registers,
            row.spill_bytes, row.shared_bytes, row.programs_per_sm, row.unwritten,
        )  # fmt: skip
