"""The stand-in driver under module-level code, and a compiled kernel looked at without a GPU."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.child_environment import child_environment

ROOT = Path(__file__).parents[2]

SCRIPT = """
import json, sys
import torch, triton, triton.language as tl
from playground.engine.triton_private.stub_driver import NoGpuError, activate_stub

activate_stub(sys.argv[1])
driver = triton.runtime.driver.active
sys.path.insert(0, sys.argv[2])
import softmax
target = driver.get_current_target()
found = {
    "target": [target.backend, target.arch, target.warp_size],
    "device": str(driver.get_active_torch_device()),
    "properties": driver.utils.get_device_properties(0),
    "types": [driver.map_python_to_cpp_type(name) for name in ("i32", "fp32")],
}
def refusal(call):
    try:
        call()
    except NoGpuError as error:
        return str(error)
found["benchmark"] = refusal(lambda: driver.get_benchmarker()(lambda: None))
kernel = softmax.softmax_kernel
x = torch.zeros(8, 64)
values = dict(zip(kernel.arg_names, (x, x, 64, 64, 64)))
if target.backend == "cuda":
    made = kernel.warmup(*list(values.values())[:kernel.arg_names.index("BLOCK_SIZE")],
                         BLOCK_SIZE=64, grid=(1,))
    made._init_handles()
    found["n_regs"], found["n_spills"] = made.n_regs, made.n_spills
    found["launch"] = refusal(lambda: made[(1, 1, 1)](*values.values()))
print(json.dumps(found))
"""


@pytest.mark.parametrize("target", ["cuda:90", "hip:gfx942"])
def test_the_stand_in_answers_as_the_chosen_gpu(target):
    environment = child_environment(interpret=False, TRITON_DEFAULT_FP_FUSION="1")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, target, str(ROOT / "kernels")], capture_output=True,
        text=True, env=environment, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["device"] == "cpu"
    assert found["types"] == ["int32_t", "double"]
    assert "no GPU here" in found["benchmark"]
    properties = found["properties"]
    if target == "cuda:90":
        assert found["target"] == ["cuda", 90, 32]
        assert properties["max_shared_mem"] == 232448
        assert properties["multiprocessor_count"] == 132
        assert 0 < found["n_regs"] <= 255
        assert found["n_spills"] == 0
        assert "needs a GPU" in found["launch"]
    else:
        assert found["target"] == ["hip", "gfx942", 64]
        assert properties["arch"] == "gfx942"
        assert properties["warpSize"] == 64


SPECIALIZE = """
import json, sys
import torch, triton
from playground.engine.compile_messages import decode, encode
from playground.engine.triton_private.compiled import compile_function, prepare_compiler
from playground.engine.triton_private.stub_driver import activate_stub

activate_stub(sys.argv[1])
sys.path.insert(0, sys.argv[2])
import vector_add
kernel, found = vector_add.add_kernel, {}
base = torch.zeros(256)
for name, x, n in (("aligned", base[:64], 64), ("shifted", base[1:65], 64), ("odd", base[:63], 63)):
    given = dict(zip(kernel.arg_names, (x, base, base, n, 64)))
    sent = {key: decode(encode(value), None, None) for key, value in given.items()}
    made = compile_function(kernel, sent, {"num_warps": 4}, lambda: "")
    kernel.device_caches.clear()
    hits = []
    triton.knobs.compilation.listener = lambda **event: hits.append(event["cache_hit"])
    real = kernel.warmup(*given.values(), num_warps=4, grid=(1,))
    triton.knobs.compilation.listener = None
    found[name] = {"first": made.cache_hit, "hits": hits, "hash": real.hash}
print(json.dumps(found))
"""


@pytest.mark.parametrize("target", ["cuda:90", "hip:gfx942"])
def test_what_crosses_to_a_worker_specializes_as_the_real_tensor(target, tmp_path):
    environment = child_environment(
        interpret=False, TRITON_DEFAULT_FP_FUSION="1", TRITON_CACHE_DIR=str(tmp_path)
    )
    done = subprocess.run(
        [sys.executable, "-c", SPECIALIZE, target, str(ROOT / "kernels")], capture_output=True,
        text=True, env=environment, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert [item["hits"] for item in found.values()] == [[True]] * 3
    assert not any(item["first"] for item in found.values())
    assert len({item["hash"] for item in found.values()}) == 3
