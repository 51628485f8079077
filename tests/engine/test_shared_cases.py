"""Faults that users stumble over: each case ends as a test with the right value or finding.

=====  ==================================================================================
case   tests
=====  ==================================================================================
01     test_compile_cases: `test_01_*` (bytes, limit of the target, what fits, why unusable)
03     test_compile_cases `test_03_*`; test_interpreter `test_an_arange_*`
04     test_interpreter `TestOutOfBounds`; test_coverage_interpreter (painted lanes)
06     here: `test_06_*`; test_interpreter `test_a_k_loop_*`
07     here: `test_07_*`; trials never run: test_replay `test_heuristics_follow_*`
09     here: `test_09_*`
10     here: `test_10_*`
12     test_compile_cases `test_12_*`; here: `test_12_*`
16     test_interpreter_arithmetic (values against torch in double precision)
18     test_interpreter `TestArguments`, `test_a_chained_*`; test_compile_refusals `chained`
20     test_compile_cases `test_20_*`; test_compile_refusals `test_more_registers_*`
22     here: `test_22_*`; test_interpreter `TestMaskedLanes`
24     here: `test_24_*`; test_simulated_cuda
26     test_compile_cases `test_26_*`; test_interpreter `TestSource`
28     here: `test_28_*`; test_interpreter `TestStopping`
30     test_replay `test_in_place_and_shared_storage`
33     test_compile_cases `test_33_*`; test_session `test_triton_imported_too_early_*`
34     test_replay `test_heuristics_follow_*`; test_compiling `test_heuristics_follow_*`
36     here: `test_36_*`; test_replay `test_addresses_inside_tensors_*`
38     here: `test_38_*`; test_hostile_files `test_a_config_that_the_kernel_excludes_*`
41     test_interpreter `TestResult`; test_compile_cases `test_41_*`; styles/launch_result_used
=====  ==================================================================================
"""

import pytest
import triton

NEWER = tuple(map(int, triton.__version__.split(".")[:2])) >= (3, 9)
HEAD = """
import torch
import triton
import triton.language as tl
"""

ASK = """
import playground
from dataclasses import asdict

def run(text, driver, *launches, **knobs):
    path = write("case.py", text)
    play = playground.open(path)
    ran = play.run(driver)
    told = [asdict(finding) for finding in ran.findings]
    checks = []
    for launch in launches:
        checked = play.check(launch, **knobs)
        checks.append({
            "status": checked.result.status, "text": checked.result.text(),
            "mismatches": checked.result.mismatches,
            "findings": [asdict(finding) for finding in checked.findings],
        })
    return play, {"told": told, "checks": checks, "launches": len(play.launches)}
"""


def line_of(text: str, part: str) -> int:
    lines = text.splitlines()
    return next(number for number, line in enumerate(lines, 1) if part in line)


SOFTMAX = (
    HEAD
    + """
@triton.jit
def softmax(x, o, n, B: tl.constexpr, MODE: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    m = i < n
    if MODE == 0:
        v = tl.load(x + r * n + i, m)
    elif MODE == 1:
        v = tl.load(x + r * n + i, m, other=0.0)
    else:
        v = tl.load(x + r * n + i, m, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(o + r * n + i, e / tl.sum(e, 0), m)

@triton.jit
def copy(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, i < n), i < n)

@triton.jit
def look_up(x, at, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    where = tl.load(at + i, i < n)
    tl.store(o + i, tl.load(x + where), i < n)

def example(mode=0):
    x, o = torch.randn(3, 20) - 5, torch.zeros(3, 20)
    softmax[(3,)](x, o, 20, 32, mode)
    copy[(1,)](x, o, 20, 32)
    look_up[(1,)](x, torch.arange(20), torch.zeros(60), 20, 32)
    return o
"""
)


def test_22_a_lane_that_leaks_is_told_with_its_line(run_engine):
    answer = run_engine(
        ASK + f"TEXT = {SOFTMAX!r}\n" + "found = {}\n"
        "for mode in (0, 1, 2):\n"
        "    play, found[mode] = run(TEXT, f'example({mode})', 0, 1, 2)\n"
        "    play.close()\n"
        "answer(found)\n"
    )
    open_, zero, infinite = (answer[str(mode)]["checks"] for mode in (0, 1, 2))
    # Most GPUs load 0 there as the interpreter does, and many kernels rely on it: a warning.
    assert open_[0]["status"] == "correct"
    (leak,) = open_[0]["findings"]
    assert (leak["line"], leak["severity"]) == (line_of(SOFTMAX, "i, m)"), "warning")
    assert "reach the result" in leak["message"]
    assert "other=-float('inf')" in leak["hint"]
    assert "60 of 60 elements of o change" in leak["detail"]
    assert [checks[0]["status"] for checks in (zero, infinite)] == ["correct", "correct"]
    assert [checks[0]["findings"] for checks in (zero, infinite)] == [[], []]
    # Without `other`, too, but what is masked off is not stored.
    assert open_[1] == {**open_[1], "status": "correct", "findings": []}
    # An index out of nowhere is an address out of nowhere, though its lane is not stored.
    assert open_[2]["status"] == "correct"
    (address,) = open_[2]["findings"]
    assert "become addresses" in address["message"]
    assert (address["line"], address["severity"]) == (line_of(SOFTMAX, "where = "), "warning")


LEAKING = (
    HEAD
    + """
@triton.jit
def total(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    e = tl.exp(tl.load(x + i, i < n))
    tl.store(o, tl.sum(e, 0))

def example(n=32):
    o = torch.zeros(1)
    total[(1,)](torch.randn(n), o, n, 32)
    return o
"""
)


def test_22_lanes_that_only_a_moved_knob_switches_off_are_wrong(run_engine):
    answer = run_engine(
        ASK + f"TEXT = {LEAKING!r}\n" + "found = {}\n"
        "for n in (32, 20):\n"
        "    play, captured = run(TEXT, f'example({n})', 0)\n"
        "    play.close()\n"
        "    play, moved = run(TEXT, f'example({n})', 0, B=64)\n"
        "    play.close()\n"
        "    found[n] = [captured['checks'][0], moved['checks'][0]]\n"
        "answer(found)\n"
    )
    line = line_of(LEAKING, "i < n))")
    whole, more = answer["32"]
    assert (whole["status"], whole["findings"]) == ("correct", [])
    assert more["status"] == "wrong"
    assert line in [item["line"] for item in more["findings"] if item["severity"] == "error"]
    # exp(0) = 1 in each of 12 lanes as captured, and nobody knows better; 44 are another sum.
    ragged, more = answer["20"]
    assert ragged["status"] == "correct"
    assert [(item["line"], item["severity"]) for item in ragged["findings"]] == [(line, "warning")]
    assert more["status"] == "wrong"


MATMUL = (
    HEAD
    + """
@triton.jit
def mm(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k0 in range(0, tl.cdiv(K, BK)):
        kk = k0 * BK + k
        left = tl.load(a + (m % M)[:, None] * K + kk[None, :])
        right = tl.load(b + kk[:, None] * N + (n % N)[None, :])
        acc += tl.dot(left, right)
    tl.store(c + m[:, None] * N + n[None, :], acc, (m[:, None] < M) & (n[None, :] < N))

def example(k: int = 64, block=16):
    a, b, c = torch.randn(32, k), torch.randn(k, 32), torch.zeros(32, 32)
    mm[(2, 2)](a, b, c, 32, 32, k, 16, 16, block)
    return c
"""
)


def test_06_the_tail_of_a_k_loop_does_not_pass_by_luck(run_engine):
    answer = run_engine(
        ASK + f"TEXT = {MATMUL!r}\n" + "found = {}\n"
        "for driver in ('example()', 'example(72)', 'example(72, 8)'):\n"
        "    play, found[driver] = run(TEXT, driver, 0)\n"
        "    play.close()\n"
        "answer(found)\n"
    )
    assert answer["example()"]["checks"][0]["status"] == "correct"
    assert answer["example(72, 8)"]["checks"][0]["status"] == "correct"
    ragged = answer["example(72)"]["checks"][0]
    assert ragged["status"] == "wrong"
    lines = [line_of(MATMUL, "left = tl.load"), line_of(MATMUL, "right = tl.load")]
    assert [finding["line"] for finding in ragged["findings"]] == lines
    assert all("the tail of a loop" in finding["message"] for finding in ragged["findings"])
    outside = [item for item in answer["example(72)"]["told"] if "outside" in item["message"]]
    assert sorted(item["line"] for item in outside) == lines


def test_06_ragged_sizes_are_offered_where_no_mask_was_tried(run_engine):
    answer = run_engine(
        ASK + f"TEXT = {MATMUL!r}\n" + "play, found = run(TEXT, 'example()')\n"
        "play.close()\n"
        "play, other = run(TEXT, 'example(k=72)')\n"
        "play.close()\n"
        "answer([found['told'], other['told']])\n"
    )
    even, ragged = answer
    (offer,) = even
    assert offer["severity"] == "info"
    assert "k=65" in offer["hint"]
    assert not any(item["severity"] == "info" for item in ragged)


TUNED = (
    HEAD
    + """
@triton.autotune(
    configs=[triton.Config({"B": 64}), triton.Config({"B": 128})],
    key=["n"],
)
@triton.jit
def inc(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, i < n) + 1, i < n)

@triton.autotune([triton.Config({"B": 64}), triton.Config({"B": 128})], key=["n"])
@triton.jit
def twice(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, i < n) * 2, i < n)

@triton.autotune([triton.Config({"B": 64}), triton.Config({"B": 128})], [], restore_value=["x"])
@triton.jit
def restored(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, i < n) + 1, i < n)

@triton.autotune([triton.Config({"B": 16})], key=["n"], reset_to_zero=["s"])
@triton.jit
def total(x, s, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(s, tl.sum(tl.load(x + i, i < n, other=0.0)))

def example():
    x, s = torch.ones(100), torch.zeros(1)
    grid = lambda meta: (triton.cdiv(100, meta["B"]),)
    inc[grid](x, 100)
    twice[grid](x, 100)
    restored[grid](x, 100)
    total[grid](x, s, 100)
    return x, s
"""
)


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    """Return what was answered of the tuned kernels; they are run once for all tests."""
    import json
    import subprocess
    import sys
    import textwrap

    from tests.child_environment import child_environment
    from tests.engine.conftest import PRELUDE, ROOT

    folder = tmp_path_factory.mktemp("tuned")
    code = ASK + f"play, found = run({TUNED!r}, 'example()', 0, 1, 2, 3)\n"
    code += "found['result'] = [value.tolist() for value in play.result]\nplay.close()\n"
    (folder / "_run.py").write_text(PRELUDE + textwrap.dedent(code) + "answer(found)\n")
    done = subprocess.run(
        [sys.executable, str(folder / "_run.py"), str(folder), str(ROOT)],
        env=child_environment(interpret=True),
        capture_output=True, text=True, timeout=200, check=True,
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1].removeprefix("ANSWER"))


def test_07_a_tuner_that_does_not_restore_is_told_with_the_line_to_write(tuned):
    assert tuned["result"][0] == [5.0] * 100  # (1 + 1) * 2 + 1: no trial ran
    inc, twice, restored, _ = (check["findings"] for check in tuned["checks"])
    (missing,) = inc
    end = line_of(TUNED, "@triton.autotune(") + 3
    assert missing["line"] == end
    assert "inc reads x and writes it" in missing["message"]
    assert 'restore_value=["x"]' in missing["hint"]
    (same,) = twice
    assert same["hint"] == (
        f"make line {line_of(TUNED, 'def twice') - 2}: @triton.autotune([triton.Config("
        '{"B": 64}), triton.Config({"B": 128})], key=["n"], restore_value=["x"])'
    )
    assert restored == []


def test_09_a_buffer_that_only_the_trials_clear_is_named(tuned):
    (accumulates,) = tuned["checks"][3]["findings"]
    assert "total adds to s" in accumulates["message"]
    assert "s.zero_()" in accumulates["hint"]
    assert accumulates["line"] == line_of(TUNED, "total[grid]")
    assert tuned["result"][1] == [500.0]


WRONG_KEY = (
    HEAD
    + """
@triton.autotune([triton.Config({"B": 16}), triton.Config({"B": 32})], key=["num_elements"])
@triton.jit
def fill(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, 1.0, i < n)

def example():
    x = torch.zeros(100)
    fill[lambda meta: (triton.cdiv(100, meta["B"]),)](x, 100)
    return x
"""
)


def test_10_a_key_that_names_no_argument_of_the_users_own_kernel(run_engine):
    answer = run_engine(
        ASK + f"play, found = run({WRONG_KEY!r}, 'example()')\nplay.close()\nanswer(found)\n"
    )
    assert answer["launches"] == 1
    assert not [item for item in answer["told"] if item["severity"] == "error"]
    if NEWER:  # earlier releases drop the name silently
        (told,) = [item for item in answer["told"] if "num_elements" in item["message"]]
        assert told["severity"] == "warning"
        assert "triton refuses this autotuner from 3.9 on" in told["message"]
        assert "leave it out; it was dropped here" in told["hint"]
        assert told["line"] == line_of(WRONG_KEY, "@triton.autotune")


def test_10_a_key_of_an_installed_library_does_not_stop_the_file(run_engine, tmp_path):
    # Outside of the user's folder: a library as pip puts it somewhere on the path.
    site = tmp_path / "site-packages" / "tuned_library"
    site.mkdir(parents=True)
    (site / "__init__.py").write_text(WRONG_KEY)
    user = HEAD + "import tuned_library\n\ndef example():\n    return tuned_library.example()\n"
    answer = run_engine(
        ASK
        + f"import sys; sys.path.append({str(site.parent)!r})\n"
        + f"play, found = run({user!r}, 'example()')\n"
        + "found['sum'] = float(play.result.sum())\nplay.close()\nanswer(found)\n"
    )
    assert answer["sum"] == 100.0
    assert answer["launches"] == 1
    if NEWER:
        (told,) = [item for item in answer["told"] if "num_elements" in item["message"]]
        assert told["message"].startswith("your file is fine")
        assert told["severity"] == "warning"


TF32 = (
    HEAD
    + """
@triton.jit
def d(a, b, c, N: tl.constexpr, P: tl.constexpr):
    i = tl.arange(0, N)[:, None]
    j = tl.arange(0, N)[None, :]
    x = tl.load(a + i * N + j)
    y = tl.load(b + i * N + j)
    tl.store(c + i * N + j, tl.dot(x, y, input_precision=P))

def example(kind: str = "tf32"):
    a, b, c = torch.randn(64, 64), torch.randn(64, 64), torch.zeros(64, 64)
    d[(1,)](a, b, c, 64, kind)
    return c
"""
)


def test_12_what_full_precision_costs_is_told(run_engine):
    answer = run_engine(
        ASK + f"play, found = run({TF32!r}, 'example()')\n" + "for kind in ('tf32', 'ieee'):\n"
        "    outcome = play.compile(0, P=kind, target='cuda:90')\n"
        "    found[kind] = [asdict(finding) for finding in outcome.findings]\n"
        "play.close()\nanswer(found)\n"
    )
    (hint,) = answer["tf32"]
    assert "the interpreter multiplies them exactly" in hint["message"]
    assert f"ieee costs {64**3} fma a tl.dot of 64x64 by 64x64" in hint["hint"]
    assert hint["line"] == line_of(TF32, "tl.dot(")
    assert not any("tf32" in item["message"] for item in answer["ieee"])


DEVICE = (
    HEAD
    + """
@triton.jit
def k(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.load(x + i) + 1)

def example():
    x = torch.ones(16)
    o = torch.empty(16, device="cuda")
    torch.cuda.set_device(0)
    with torch.cuda.device(x.device.index), torch.cuda.device(o.device):
        k[(1,)](x.cuda(), o, 16)
    torch.cuda.synchronize()
    return o
"""
)


def test_24_device_contexts_are_harmless_without_a_gpu(run_engine):
    answer = run_engine(
        ASK
        + f"play, found = run({DEVICE!r}, 'example()', 0)\n"
        + "found['sum'] = float(play.result.sum())\nplay.close()\nanswer(found)\n"
    )
    assert answer["sum"] == 32.0
    assert answer["checks"][0]["status"] == "correct"
    assert not [item for item in answer["told"] if item["severity"] == "error"]


WAITING = (
    HEAD
    + """
@triton.jit
def barrier(c, o, N: tl.constexpr, WANTED: tl.constexpr):
    p = tl.program_id(0)
    tl.store(o + p, p + 1)
    tl.atomic_add(c, 1)
    while tl.atomic_add(c, 0) < WANTED:
        pass
    tl.store(o + N + p, tl.load(o + (p + 1) % N))

def example(wanted=3):
    c, o = torch.zeros(1, dtype=torch.int32), torch.zeros(6)
    barrier[(3,)](c, o, 3, wanted)
    return o
"""
)


def test_28_programs_that_wait_for_each_other(run_engine):
    answer = run_engine(
        ASK + f"TEXT = {WAITING!r}\n" + "play, turns = run(TEXT, 'example()', 0)\n"
        "turns['result'] = play.result.tolist()\n"
        "turns['stores'] = [t.stores.total for t in play.coverage(0).tensors if t.name == 'o']\n"
        "play.close()\n"
        "play, stuck = run(TEXT, 'example(4)', 0)\n"
        "stuck['unusable'] = play.compile(0, target='cuda:90').unusable\n"
        "play.close()\nanswer([turns, stuck])\n"
    )
    turns, stuck = answer
    assert turns["result"] == [1.0, 2.0, 3.0, 2.0, 3.0, 1.0]
    assert turns["stores"] == [6]
    assert turns["checks"][0]["status"] == "correct"
    line = line_of(WAITING, "while")
    (hint,) = [item for item in turns["told"] if item["line"] == line]
    assert "3 of them at once" in hint["message"]
    (told,) = [item for item in stuck["told"] if item["line"] == line]
    assert told["severity"] == "warning"
    assert "waits forever" in told["message"]
    assert stuck["checks"][0]["status"] == "unjudged"
    assert "waits forever" in stuck["checks"][0]["text"]
    assert stuck["unusable"] == ""


POINTERS = (
    HEAD
    + """
@triton.jit
def scale_all(ptrs, sizes, B: tl.constexpr):
    g = tl.program_id(0)
    p = tl.load(ptrs + g).to(tl.pointer_type(tl.float32))
    n = tl.load(sizes + g)
    i = tl.arange(0, B)
    tl.store(p + i, tl.load(p + i, i < n) * 2, i < n)

def example():
    a, b = torch.ones(8), torch.ones(5)
    ptrs, sizes = torch.tensor([a.data_ptr(), b.data_ptr()]), torch.tensor([8, 5])
    scale_all[(2,)](ptrs, sizes, 8)
    return a, b
"""
)


def test_36_tensors_reached_by_address_have_a_coverage_of_their_own(run_engine):
    answer = run_engine(
        ASK
        + f"play, found = run({POINTERS!r}, 'example()', 0)\n"
        + "found['result'] = [value.tolist() for value in play.result]\n"
        "coverage = play.coverage(0)\n"
        "found['counts'] = {\n"
        "    t.name: [t.elements, t.loads.total, t.stores.total, t.unwritten]\n"
        "    for t in coverage.tensors\n"
        "}\n"
        "found['bytes'] = coverage.bytes_unique\n"
        "found['after'] = [value.tolist() for value in play.result]\n"
        "play.close()\nanswer(found)\n"
    )
    assert answer["counts"] == {
        "ptrs": [2, 2, 0, None],
        "sizes": [2, 2, 0, None],
        "*ptrs[0]": [8, 8, 8, 0],
        "*ptrs[1]": [5, 5, 5, 0],
    }
    assert answer["bytes"] == 4 * 8 + 2 * 13 * 4
    assert answer["checks"][0]["status"] == "correct"
    # Replays and counts run on the user's own memory and put back what it held.
    assert answer["result"] == answer["after"] == [[2.0] * 8, [2.0] * 5]


ASSERTED = (
    HEAD
    + """
@triton.autotune([triton.Config({"B": 64}), triton.Config({"B": 16})], key=[])
@triton.jit
def k(o, LIMIT: tl.constexpr, B: tl.constexpr):
    tl.static_assert(B <= LIMIT, "tile too wide")
    tl.store(o + tl.arange(0, B), 1.0)

def example():
    o = torch.zeros(64)
    k[(1,)](o, 32)
    return o
"""
)


def test_38_a_config_that_the_kernel_excludes(run_engine):
    answer = run_engine(
        ASK
        + f"play, found = run({ASSERTED!r}, 'example()', 0)\n"
        + "found['config'] = play.launches[0].config.as_dict()\n"
        "found['sum'] = float(play.result.sum())\n"
        "found['unusable'] = play.compile(0, target='cuda:90', B=64).unusable\n"
        "play.close()\nanswer(found)\n"
    )
    assert answer["config"]["B"] == 16
    assert answer["sum"] == 16.0
    assert "tile too wide" in answer["unusable"]
    line = line_of(ASSERTED, "static_assert")
    (told,) = [item for item in answer["told"] if item["line"] == line]
    assert "B: 64" in told["message"]
    assert told["severity"] != "error"
