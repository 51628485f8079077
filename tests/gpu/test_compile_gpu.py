"""Compiling beside a GPU: what a worker compiles is what the engine's own launch then finds."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.child_environment import child_environment

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).parents[2]

SCRIPT = """
import json, sys
import triton
from triton.runtime import driver
from playground.engine.session import Session

session = Session()
found = {"device": session.device.mode, "target": session.device.target}
seen = []
triton.knobs.compilation.listener = lambda **event: seen.append(event["cache_hit"])
for name, sizes in (("vector_add", {"size": 98432}), ("matmul", {"m": 512, "n": 512, "k": 512})):
    session.load(f"{sys.argv[1]}/{name}.py")
    session.run("example()", sizes)
    launch = session.launches[0]
    knob = next(k.name for k in launch.info.knobs if k.kind == "pow2")
    config = launch.info.config.with_value(knob, launch.info.config[knob] // 2)
    report = session.compile(0, config).report
    del seen[:]
    kernel = session.prepare(0, config).run()
    kernel._init_handles()
    found[name] = {
        "hits": list(seen), "report": report.registers, "spills": report.spill_bytes,
        "loaded": kernel.n_regs, "loaded_spills": kernel.n_spills,
        "shared": report.shared_bytes, "loaded_shared": kernel.metadata.shared,
        "limit": report.shared_limit_bytes, "occupancy": report.occupancy.programs_per_sm,
        "threads": report.threads, "name": report.kernel,
        "device_limit": driver.active.utils.get_device_properties(0)["max_shared_mem"],
    }
session.close()
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found():
    environment = child_environment(interpret=False, PYTHONWARNINGS="ignore")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(ROOT / "kernels")], capture_output=True, text=True,
        env=environment, cwd=ROOT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("kernel", ["vector_add", "matmul"])
def test_the_launch_finds_what_the_worker_compiled(found, kernel):
    assert found["device"] == "gpu"
    assert found[kernel]["hits"] == [True]


@pytest.mark.parametrize("kernel", ["vector_add", "matmul"])
def test_resources_are_those_of_the_loaded_kernel(found, kernel):
    figures = found[kernel]
    assert figures["report"] == figures["loaded"]
    assert (figures["spills"] > 0) == (figures["loaded_spills"] > 0)
    assert figures["shared"] == figures["loaded_shared"]


def test_the_tables_limit_is_the_devices(found):
    assert found["matmul"]["limit"] == found["matmul"]["device_limit"]


OCCUPANCY = """
import ctypes, json, sys
import torch
from playground.model.occupancy import occupancy
from playground.model.targets import facts_for
from playground.engine.session import Session

session = Session()
session.load(f"{sys.argv[1]}/matmul.py")
session.run("example()")
cuda = ctypes.CDLL("libcuda.so.1")
gpu = facts_for(session.device.target, session.device.name)
pairs = []
for block, warps, stages in ((32, 2, 2), (64, 4, 3), (64, 8, 2), (128, 4, 3), (128, 8, 4)):
    base = session.launches[0].info.config
    config = base.updated({"BLOCK_M": block, "BLOCK_N": block, "num_warps": warps,
                           "num_stages": stages})
    report = session.compile(0, config).report
    kernel = session.prepare(0, config).run()
    kernel._init_handles()
    function = ctypes.c_void_p(kernel.function)
    # 8: CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES; 9: carve-out, all of it to shared memory
    cuda.cuFuncSetAttribute(function, 8, kernel.metadata.shared)
    cuda.cuFuncSetAttribute(function, 9, 100)
    count = ctypes.c_int()
    code = cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(
        ctypes.byref(count), function, report.threads, ctypes.c_size_t(kernel.metadata.shared)
    )
    pairs.append([code, report.occupancy.programs_per_sm, count.value, config.label()])
properties = torch.cuda.get_device_properties(0)
facts = {"multiprocessors": [gpu.multiprocessors, properties.multi_processor_count],
         "l2": [gpu.l2_bytes, properties.L2_cache_size],
         "threads": [gpu.max_warps_per_sm * gpu.warp_size,
                     properties.max_threads_per_multi_processor]}
session.close()
print(json.dumps({"pairs": pairs, "facts": facts, "known": gpu.name}))
"""


def test_occupancy_and_facts_are_the_drivers_own():
    environment = child_environment(interpret=False, PYTHONWARNINGS="ignore")
    done = subprocess.run(
        [sys.executable, "-c", OCCUPANCY, str(ROOT / "kernels")], capture_output=True, text=True,
        env=environment, cwd=ROOT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    found = json.loads(done.stdout.splitlines()[-1])
    for code, ours, theirs, config in found["pairs"]:
        assert code == 0
        assert ours == theirs, config
    for ours, theirs in found["facts"].values():
        assert ours == theirs, found["known"]
