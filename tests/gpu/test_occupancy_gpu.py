"""Occupancy of more than 200 real cubins: ours beside that of CUDA's driver, on this GPU."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.child_environment import child_environment

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).parents[2]

SCRIPT = """
import ctypes, itertools, json, sys
import torch
from playground.engine.session import Session

CARVE_OUT, MOST_DYNAMIC = 9, 8  # CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, ..._MAX_DYN...
SPACES = {
    "vector_add": {"BLOCK_SIZE": (64, 256, 1024, 4096, 16384), "num_warps": (1, 2, 4, 8, 16, 32),
                   "maxnreg": (None, 24)},
    "matmul": {"BLOCK_M": (32, 64, 128), "BLOCK_N": (32, 64, 128), "BLOCK_K": (32, 64),
               "num_warps": (2, 4, 8), "num_stages": (2, 3, 4, 5)},
}
torch.zeros(1, device="cuda")  # the driver's context
cuda = ctypes.CDLL("libcuda.so.1")
cuda.cuModuleLoadData.argtypes = (ctypes.c_void_p, ctypes.c_char_p)
session = Session()
rows = []


def asked(cubin, name, threads, shared):
    module, function, count = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int(-1)
    code = cuda.cuModuleLoadData(ctypes.byref(module), cubin)
    code = code or cuda.cuModuleGetFunction(ctypes.byref(function), module, name.encode())
    if code:
        return code, -1
    cuda.cuFuncSetAttribute(function, MOST_DYNAMIC, shared)  # refused where it is too much
    cuda.cuFuncSetAttribute(function, CARVE_OUT, 100)
    code = cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(
        ctypes.byref(count), function, threads, ctypes.c_size_t(shared)
    )
    cuda.cuModuleUnload(module)
    return code, count.value


for name, space in SPACES.items():
    session.load(f"{sys.argv[1]}/{name}.py")
    session.run("example()")
    launch = session.launches[0]
    configs = [launch.info.config.updated(dict(zip(space, values)))
               for values in itertools.product(*space.values())]
    outcomes = session.compiler.compile_many(launch, configs)
    for config, outcome in outcomes.items():
        made = outcome.report
        if made is None:
            continue
        code, count = asked(outcome.asm["cubin"], made.kernel, made.threads, made.shared_bytes)
        rows.append([config.label(), made.fits, made.occupancy.programs_per_sm, code, count,
                     made.registers, made.shared_bytes, made.threads])
session.close()
print(json.dumps(rows))
"""


def test_occupancy_is_the_drivers_own_for_two_hundred_configs():
    environment = child_environment(interpret=False, PYTHONWARNINGS="ignore")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(ROOT / "kernels")], capture_output=True, text=True,
        env=environment, cwd=ROOT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    rows = json.loads(done.stdout.splitlines()[-1])
    fitting = [row for row in rows if row[1]]
    assert len(fitting) >= 200
    for label, _, ours, code, theirs, *taken in fitting:
        assert code == 0, (label, taken)
        assert ours == theirs, (label, taken)
    for label, _, ours, code, theirs, *taken in [row for row in rows if not row[1]]:
        # Too much for one program: the driver says so, or that none is held.
        assert ours == 0 or taken[2] > 1024, (label, taken)
        assert code != 0 or theirs == 0, (label, taken)
