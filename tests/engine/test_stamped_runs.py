"""Which run of the scheduled copy is kept and what is said of it, with the GPU left out."""

from tests.engine.coverage_parts import in_child

# The copy is compiled for a GPU as ever; what would run it fills in stamps by a table instead.
WITHOUT_GPU = """
import contextlib
import torch
from playground.engine.triton_private.stub_driver import activate_stub
activate_stub("cuda:90")
import triton, triton.language as tl
from types import SimpleNamespace
from playground.engine.job import Job
from playground.engine.schedule import schedule
from playground.engine.triton_private import stamped_runs
from playground.model.compiling import CompileReport, Occupancy
from playground.model.config import Config
from playground.model.device import DeviceInfo

@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + offsets, tl.load(x + offsets, mask=offsets < n), mask=offsets < n)

torch.cuda.synchronize = lambda *_: None
torch.cuda.device = lambda _: contextlib.nullcontext()
cpu = torch.device("cpu")
stamped_runs.device_of = lambda _: cpu
compiled, restored = [], []
compile_truly = stamped_runs.build_stamped

class Kernel:
    n_regs, metadata = 40, SimpleNamespace(shared=0)

    def __init__(self, plan):
        self.plan = plan

    def _init_handles(self):
        compiled.append(self.plan.capacity)

    def __getitem__(self, grid):
        def run(*arguments):
            assert len(arguments) == 4
            x, y, z = grid
            # The third run is the fastest: 70 ns a program, the others 100 and more.
            takes = [900, 500, 100, 70, 130, 110, 100][len(restored) - 1 - FIRST]
            words = stamped_runs._copies[next(reversed(stamped_runs._copies))].words
            for program in range(min(x * y * z, len(words))):
                start = 10**18 + 1000 * len(restored) + takes * (program // 4)
                words[program] = torch.tensor([start, start + takes, program % 4])
        return run

def build(function, arguments, options, plan):
    compile_truly(function, arguments, options, plan)
    return Kernel(plan)

stamped_runs.build_stamped = build
x = torch.zeros(1024)

def prepared(grid, **options):
    return SimpleNamespace(
        launch=SimpleNamespace(function=copy, info=SimpleNamespace(kernel="copy", index=2)),
        arguments=dict(x=x, y=x, n=1024, BLOCK=64), options=dict(num_warps=4, **options),
        grid=grid, config=Config.of({"BLOCK": 64}), restore=lambda: restored.append(1),
    )

GPU = DeviceInfo("gpu", "NVIDIA H200", "cuda:90", "2", "3", "3.11", multiprocessors=4)

def report(programs, threads=128):
    return SimpleNamespace(occupancy=Occupancy(programs, 4 * programs, 64, "warps"),
                           threads=threads, static_shared_bytes=0)

def told(found):
    f = found.figures
    return [f.launch, list(f.grid), f.duration_ns, f.resident, f.resident_theoretical, f.waves,
            list(f.notes), found.multiprocessor[:5].tolist(), found.start_ns[:5].tolist(),
            found.end_ns[:5].tolist(), len(found.start_ns)]
"""


ROUGH = (
    "the timer steps by 70 ns and half of the programs take at most 70 ns: their single times are "
    "rough"
)


def test_the_fastest_run_is_kept(tmp_path):
    got = in_child(
        WITHOUT_GPU
        + """
FIRST = 0
answer["told"] = told(schedule(prepared((2, 3, 2)), GPU, report(12)))
answer["runs"], answer["compiled"] = len(restored), list(compiled)
FIRST = len(restored)
schedule(prepared((5, 1, 1)), GPU, report(12))
answer["same copy"] = list(compiled)
FIRST = len(restored)
schedule(prepared((5, 1, 1), num_stages=2), GPU, report(12))
answer["other options"] = list(compiled)
""",
        interpret=False,
        tmp_path=tmp_path,
    )
    launch, grid, duration, resident, theoretical, waves, notes, where, start, end, count = got[
        "told"
    ]
    assert (launch, grid, count) == (2, [2, 3, 2], 12)
    # Three rows of four programs of 70 ns each, counted from the first start.
    assert duration == 210
    assert (resident, theoretical, waves) == (1, 12, 3.0)
    assert where == [0, 1, 2, 3, 0]
    assert start == [0, 0, 0, 0, 70]
    assert end == [70, 70, 70, 70, 140]
    # The stamps lie 70 ns apart, as if the timer stepped by that.
    assert notes == [ROUGH]
    assert got["runs"] == 7
    # Another grid within the room, and not other options, is the same copy.
    assert got["compiled"] == got["same copy"] == [4096]
    assert got["other options"] == [4096, 4096]


def test_what_the_figures_do_not_tell_is_noted(tmp_path):
    got = in_child(
        WITHOUT_GPU
        + """
stamped_runs.LARGEST = stamped_runs._SMALLEST = 8
FIRST = 0
answer["many"] = told(schedule(prepared((20, 1, 1)), GPU, report(12)))
FIRST = len(restored)
answer["clusters"] = told(schedule(prepared((4, 1, 1), num_ctas=2), GPU, None))
FIRST = len(restored)
Kernel.n_regs = 255
answer["registers"] = told(schedule(prepared((4, 1, 1)), GPU, report(16)))
refused = []
for device, ready in (
    (DeviceInfo("gpu", "AMD MI300X", "hip:gfx942", "2", "3", "3.11"), prepared((4, 1, 1))),
    (GPU, prepared((4, 0, 1))),
):
    try:
        schedule(ready, device, None)
    except Exception as error:
        refused.append([type(error).__name__, str(error)])
answer["refused"] = refused
""",
        interpret=False,
        tmp_path=tmp_path,
    )
    assert got["many"][-1] == 8
    assert got["many"][6] == ["the first 8 of 20 programs: figures are of these", ROUGH]
    assert got["many"][5] == 20 / 4
    assert "a cluster of 2 blocks" in got["clusters"][6][0]
    assert got["clusters"][4] is None
    # 256 registers for each of 128 threads: two programs a multiprocessor of 65536.
    assert "255 registers a thread, so only 2 of its programs fit" in got["registers"][6][0]
    (amd, amd_text), (empty, empty_text) = got["refused"]
    assert amd == empty == "NotScheduledError"
    assert "needs an NVIDIA GPU: AMD MI300X" in amd_text
    assert "empty" in empty_text
