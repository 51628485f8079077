"""The copy of a kernel that notes where and when its programs run, compiled without a GPU."""

import re

import pytest

from tests.engine.coverage_parts import in_child

KERNELS = """
import torch, triton, triton.language as tl

@triton.jit
def straight(x, y, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + offsets, tl.load(x + offsets, mask=offsets < n), mask=offsets < n)

@triton.jit
def early(x, n, BLOCK: tl.constexpr):
    program = tl.program_id(0) + tl.program_id(1) * 7 + tl.program_id(2)
    if program * BLOCK >= n:
        return
    offsets = program * BLOCK + tl.arange(0, BLOCK)
    if n > 1000:
        tl.store(x + offsets, 1.0, mask=offsets < n)
        return
    else:
        tl.store(x + offsets, 2.0, mask=offsets < n)
    tl.store(x + offsets, 3.0)

@triton.jit(noinline=True)
def apart(x, n):
    if n > 5:
        return tl.load(x)
    return tl.load(x + 1)

@triton.jit
def inlined(value, n):
    if n > 7:
        return value + 1
    return value

@triton.jit
def calls(x, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(x + offsets, inlined(apart(x, n), n))

@triton.jit
def returns_a_call(x, n):
    return touch(x, n)

@triton.jit
def touch(x, n):
    tl.store(x, n)

@triton.jit
def persistent(a, b, c, M, N, K, B: tl.constexpr, PROGRAMS: tl.constexpr):
    columns = tl.cdiv(N, B)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, B) * columns, PROGRAMS):
        i = (tile // columns) * B + tl.arange(0, B)
        j = (tile % columns) * B + tl.arange(0, B)
        total = tl.zeros((B, B), tl.float32)
        for k in range(0, K, B):
            kk = k + tl.arange(0, B)
            left = tl.load(a + i[:, None] * K + kk[None, :])
            total = tl.dot(left, tl.load(b + kk[:, None] * N + j[None, :]), total)
        tl.store(c + i[:, None] * N + j[None, :], total.to(tl.float16))

@triton.jit
def tiles(a, c, M, N, BLOCK: tl.constexpr):
    source = tl.make_tensor_descriptor(a, [M, N], [N, 1], [BLOCK, BLOCK])
    target = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BLOCK, BLOCK])
    for k in range(0, N, BLOCK):
        target.store([0, k], source.load([0, k]))
"""

GLUON = """
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

@gluon.jit
def copy(x, y, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    if n == 77:
        return
    gl.store(y + offsets, gl.load(x + offsets, mask=offsets < n), mask=offsets < n)
"""

COMMON = """
import os, torch
from playground.engine.triton_private.stub_driver import activate_stub
activate_stub(os.environ.get("STAMP_TARGET", "cuda:90"))
from playground.engine.triton_private import stamping
kernels = load(PATH)
f32 = torch.zeros(1024)
square = torch.zeros(256, 256, dtype=torch.float16)
ADDRESS = 0x7f0012340000

def stamped(name, arguments, options=None, bounded=False, key=None):
    plan = stamping.StampPlan(ADDRESS, 5000, bounded)
    kernel = stamping.build_stamped(getattr(kernels, name), arguments, options or {}, plan)
    answer[key or name] = {
        "ttir": kernel.asm.get("ttir", ""), "ptx": kernel.asm["ptx"],
        "cubin": len(kernel.asm["cubin"]),
        "warps": kernel.metadata.num_warps, "stages": kernel.metadata.num_stages,
    }
"""


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    """The copies' texts."""
    folder = tmp_path_factory.mktemp("stamping")
    (folder / "stamped_kernels.py").write_text(KERNELS)
    return in_child(
        f"PATH = {str(folder / 'stamped_kernels.py')!r}\n{COMMON}"
        + """
stamped("straight", dict(x=f32, y=f32, n=1000, BLOCK=256), dict(num_warps=2, num_stages=5))
stamped("straight", dict(x=f32, y=f32, n=1000, BLOCK=256), bounded=True, key="bounded")
stamped("early", dict(x=f32, n=1000, BLOCK=256))
stamped("calls", dict(x=f32, n=1000, BLOCK=256))
stamped("returns_a_call", dict(x=f32, n=1000))
matrices = dict(a=square, b=square, c=square, M=256, N=256, K=256, B=64, PROGRAMS=132)
stamped("persistent", matrices, dict(num_warps=8, num_stages=3))
stamped("tiles", dict(a=square, c=square, M=256, N=256, BLOCK=64))
plain = kernels.straight.warmup(f32, f32, 1000, BLOCK=256, grid=(1,), num_warps=2, num_stages=5)
answer["plain"] = {"ttir": plain.asm["ttir"], "ptx": plain.asm["ptx"]}
""",
        interpret=False,
        tmp_path=folder,
    )


def timers(copy):
    return copy["ptx"].count("%globaltimer")


def test_a_program_is_stamped_on_the_way_in_and_out(copies):
    ptx = copies["straight"]["ptx"]
    assert timers(copies["straight"]) == 2
    assert ptx.count("%smid") == 1
    # In this order: both readings and their stores, the work, a barrier, the reading, its store.
    order = [
        ptx.index("%globaltimer"), ptx.index("st.global.b64"), ptx.index("ld.global"),
        ptx.index("st.global.b32"), ptx.index("bar.sync"), ptx.rindex("%globaltimer"),
        ptx.rindex("st.global.b64"), ptx.index("ret;"),
    ]  # fmt: skip
    assert order == sorted(order)
    assert copies["straight"]["cubin"] > 0


def test_the_stamps_are_stored_by_one_thread_to_the_buffer_given(copies):
    ptx = copies["straight"]["ptx"]
    stores = re.findall(r"(.*)st\.global\.b64", ptx)
    assert len(stores) == 3
    assert all(store.strip().startswith("@%p") for store in stores)
    for word in range(3):
        assert str(0x7F0012340000 + 8 * word) in ptx


def test_the_options_are_the_launch_s_own(copies):
    assert (copies["straight"]["warps"], copies["straight"]["stages"]) == (2, 5)
    assert (copies["persistent"]["warps"], copies["persistent"]["stages"]) == (8, 3)


def test_only_stamps_are_added(copies):
    def work(text):
        names = re.findall(r"= (tt\.load|tt\.dot|arith\.cmpi)|(tt\.store)", text)
        return [name or store for name, store in names]

    assert work(copies["straight"]["ttir"]).count("tt.store") == 1 + 3
    rest = [name for name in work(copies["straight"]["ttir"]) if name != "tt.store"]
    assert rest == [name for name in work(copies["plain"]["ttir"]) if name != "tt.store"]
    assert "globaltimer" not in copies["plain"]["ttir"]


def test_every_way_out_is_stamped(copies):
    # One reading on the way in, and one before each of three returns.
    assert copies["early"]["ttir"].count("globaltimer") == 1 + 3
    assert copies["early"]["ttir"].count("tt.return") == 3
    for before in copies["early"]["ttir"].split("tt.return")[:-1]:
        assert before[before.rindex("barrier") :].count("globaltimer") == 1


def test_functions_that_a_kernel_calls_are_not_stamped(copies):
    assert timers(copies["calls"]) == 2
    assert copies["calls"]["ttir"].count("tt.return") > 1
    assert timers(copies["returns_a_call"]) == 2
    ptx = copies["returns_a_call"]["ptx"]
    # What the returned call does is done before the end's stamp.
    assert ptx.index("st.global.b32") < ptx.rindex("%globaltimer")


def test_persistent_and_descriptor_kernels_are_stamped_outside_their_loops(copies):
    for name in ("persistent", "tiles"):
        assert timers(copies[name]) == 2
        assert copies[name]["ptx"].count("%smid") == 1


def test_gluon_kernels_are_stamped_as_well(tmp_path):
    (tmp_path / "gluon_kernels.py").write_text(GLUON)
    facts = in_child(
        f"PATH = {str(tmp_path / 'gluon_kernels.py')!r}\n{COMMON}"
        + 'stamped("copy", dict(x=f32, y=f32, n=1000, BLOCK=128), dict(num_warps=4))',
        interpret=False,
        tmp_path=tmp_path,
    )["copy"]
    assert timers(facts) == 1 + 2  # on the way in, and on two ways out
    assert facts["ptx"].count("%smid") == 1
    assert facts["cubin"] > 0


def test_a_grid_beyond_the_room_stores_its_first_programs_only(copies):
    assert "5000" in copies["bounded"]["ttir"]
    assert "5000" not in copies["straight"]["ttir"]


def test_the_kernel_itself_and_its_cache_are_left_alone(tmp_path):
    (tmp_path / "stamped_kernels.py").write_text(KERNELS)
    facts = in_child(
        f"PATH = {str(tmp_path / 'stamped_kernels.py')!r}\n{COMMON}"
        + """
import tempfile
from triton import knobs
from triton.compiler import code_generator, compiler
knobs.cache.dir = folder = tempfile.mkdtemp()
own = (code_generator.CodeGenerator, compiler.get_cache_manager)
warm = lambda: kernels.calls.warmup(f32, 1000, BLOCK=256, grid=(1,))
plain, files = warm(), sorted(os.listdir(folder))
hashes = (kernels.calls.hash, kernels.apart.hash)
stamped("calls", dict(x=f32, n=1000, BLOCK=256))
answer["files"] = files == sorted(os.listdir(folder))
answer["hashes"] = hashes == (kernels.calls.hash, kernels.apart.hash)
answer["own"] = own == (code_generator.CodeGenerator, compiler.get_cache_manager)
kernels.calls.device_caches.clear()
knobs.compilation.always_compile = True
answer["code"] = warm().asm["ttir"] == plain.asm["ttir"]
""",
        interpret=False,
        tmp_path=tmp_path,
    )
    assert facts["files"]
    assert facts["hashes"]
    assert facts["own"]
    assert facts["code"]


def test_without_a_gpu_the_finding_says_what_is_needed(run_engine):
    found = run_engine(
        """
        import playground
        from playground.engine.server_jobs import JOBS, STAGES
        from playground.protocol.programs import GetSchedule
        from playground.engine.job import Job
        play = playground.open(KERNELS / "vector_add.py")
        play.run()
        try:
            JOBS[GetSchedule](play, GetSchedule(0, play.launches[0].info.config), Job())
        except Exception as error:
            finding = play.finding(error, STAGES[GetSchedule])
            answer([finding.severity, finding.stage, finding.message, finding.hint])
        """
    )
    severity, stage, message, hint = found
    assert (severity, stage) == ("warning", "coverage")
    assert message == "the schedule of programs needs an NVIDIA GPU"
    assert "NVIDIA GPU" in hint
