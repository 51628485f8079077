"""Faults of the GPU, each caused for real: told, the engine replaced, its memory free again."""

from pathlib import Path

import pynvml
import pytest

from playground.protocol import messages
from playground.ui.engine_process import EngineProcess
from tests.app.conftest import App, app, nothing_left_behind, started, wait_for  # noqa: F401

pytestmark = pytest.mark.gpu

HEAD = """
import torch
import triton
import triton.language as tl

"""
ILLEGAL = (
    HEAD
    + """
@triton.jit
def fill(out_ptr, far, BLOCK: tl.constexpr):
    tl.store(out_ptr + far + tl.arange(0, BLOCK), 1.0)

def example(far: int = 0):
    out = torch.empty(1024, device="cuda")
    fill[(1,)](out, far, BLOCK=1024)
    torch.cuda.synchronize()
    return out
"""
)
STICKY = ILLEGAL.replace("    torch.cuda.synchronize()\n", """
    try:
        torch.cuda.synchronize()
    except Exception:
        pass
    out = torch.empty(1024, device="cuda").add_(1).cpu()
""")  # fmt: skip
ASSERTING = (
    HEAD
    + """
@triton.jit
def checked(out_ptr, limit, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.device_assert(offsets < limit, "beyond the limit")
    tl.store(out_ptr + offsets, 1.0)

def example(limit: int = 1024):
    out = torch.empty(1024, device="cuda")
    checked[(1,)](out, limit, BLOCK=1024, debug=True)
    torch.cuda.synchronize()
    return out
"""
)
HUNGRY = (
    HEAD
    + """
@triton.jit
def touch(out_ptr, BLOCK: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, BLOCK), 1.0)

def example(gigabytes: int = 1):
    held = [torch.empty(1 << 28, device="cuda") for _ in range(gigabytes)]
    touch[(1,)](held[0], BLOCK=1024)
    return held[0][:4].cpu()
"""
)
ENDLESS = (
    HEAD
    + """
@triton.jit
def count(out_ptr, n, STEP: tl.constexpr):
    i = 0
    while i < n:
        i += STEP
        tl.store(out_ptr + 1, i)
    tl.store(out_ptr, i)

def example(n: int = 64, gigabytes: int = 2):
    held = torch.empty(gigabytes << 28, device="cuda")
    out = torch.zeros(2, dtype=torch.int32, device="cuda")
    count[(1,)](out, n, STEP=1)
    torch.cuda.synchronize()
    return out
"""
)


@pytest.fixture(scope="module", autouse=True)
def short_limit():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLAYGROUND_RUN_LIMIT_S", "5")
        yield


def used_bytes() -> int:
    pynvml.nvmlInit()
    try:
        handle = pynvml.nvmlDeviceGetHandleByIndex(0)
        return int(pynvml.nvmlDeviceGetMemoryInfo(handle).used)
    finally:
        pynvml.nvmlShutdown()


def said(app: App) -> str:  # noqa: F811
    return "\n".join(finding.text() for finding in app.document.findings)


def restarted(app: App, pid: int | None) -> None:  # noqa: F811
    wait_for(lambda: app.engine.pid not in (pid, None), 60, "the restart")
    wait_for(lambda: app.engine.state == "ready", 90, "the new engine")


def good_again(app: App, **sizes: int) -> None:  # noqa: F811
    for name, value in sizes.items():
        app.document.set_size(name, value)
    app.document.run()
    wait_for(lambda: app.document.is_current(app.document.coverage), 120, "coverage")
    app.settle()


@pytest.mark.parametrize("text", [ILLEGAL, STICKY], ids=["illegal access", "sticky error"])
def test_a_poisoned_context_costs_the_engine_and_nothing_else(
    app: App,  # noqa: F811
    tmp_path: Path,
    text: str,
) -> None:
    pid = app.engine.pid
    app.write(tmp_path, text)
    app.document.set_size("far", 1 << 40)
    app.document.run()
    restarted(app, pid)
    assert "illegal memory access" in said(app)
    assert "not run again" in said(app)
    assert app.document.text == text
    good_again(app, far=0)
    assert app.document.check is not None


def test_a_failing_device_assertion_is_told_on_its_line(app: App, tmp_path: Path) -> None:  # noqa: F811
    pid = app.engine.pid
    app.write(tmp_path, ASSERTING)
    app.document.set_size("limit", 1000)
    app.document.run()
    restarted(app, pid)
    # The note of the restart repeats the message, without a line.
    told = [f for f in app.document.findings if "tl.device_assert failed" in f.message]
    (finding,) = [f for f in told if f.line]
    assert finding.line == 1 + ASSERTING.splitlines().index(
        '    tl.device_assert(offsets < limit, "beyond the limit")'
    )
    good_again(app, limit=1024)


def test_memory_that_the_gpu_does_not_have_is_refused_and_the_engine_lives(
    app: App,  # noqa: F811
    tmp_path: Path,
) -> None:
    pid = app.engine.pid
    app.write(tmp_path, HUNGRY)
    app.document.set_size("gigabytes", 4096)
    app.document.run()
    wait_for(lambda: "do not fit the GPU's memory" in said(app), 60, "the finding")
    assert app.engine.pid == pid
    good_again(app, gigabytes=1)
    assert app.engine.pid == pid


def test_a_driver_whose_kernel_never_ends_is_given_up_and_its_memory_is_free(
    app: App,  # noqa: F811
    tmp_path: Path,
) -> None:
    before, pid = used_bytes(), app.engine.pid
    app.write(tmp_path, ENDLESS.replace("STEP=1)", "STEP=0)"))
    app.document.run()
    restarted(app, pid)
    assert "a kernel has not ended after" in said(app)
    assert "not run again" in said(app)
    assert used_bytes() < before + (1 << 30)  # two gigabytes were held


def test_a_config_whose_kernel_never_ends_is_given_up_and_taken_back(
    app: App,  # noqa: F811
    tmp_path: Path,
) -> None:
    app.write(tmp_path, ENDLESS)
    good_again(app)
    pid = app.engine.pid
    app.document.set_knob("STEP", 0)
    restarted(app, pid)
    wait_for(lambda: app.document.is_current(app.document.coverage), 120, "coverage")
    app.settle()
    assert app.document.config["STEP"] == 1
    assert "the knobs of count are back" in said(app)


def test_cancel_gives_up_an_endless_kernel_sooner(
    app: App,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PLAYGROUND_RUN_LIMIT_S", "600")
    app.engine.restart()
    wait_for(lambda: app.engine.state == "ready", 90, "the engine with another limit")
    pid = app.engine.pid
    app.write(tmp_path, ENDLESS.replace("STEP=1)", "STEP=0)"))
    job = app.engine.send(messages.Run(app.document.path, app.document.text, "example()"))
    wait_for(lambda: app.engine.state == "busy", 10, "the run")
    wait_for(lambda: used_bytes() > 0, 5)
    app.engine.send(messages.Cancel(job))
    ended = messages.Finished
    wait_for(lambda: any(isinstance(r, ended) and r.fatal for r in app.of(job)), 60, "the end")
    app.engine.restart()
    restarted(app, pid)


def test_host_memory_beyond_the_limit_is_refused_beside_cuda(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qapp
) -> None:
    """The limit counts what CUDA reserves as little as it should: a context fits below it."""
    monkeypatch.setenv("PLAYGROUND_MEMORY_LIMIT_MB", "16000")
    engine = EngineProcess()
    replies: list[messages.Reply] = []
    engine.reply.connect(lambda reply, _job: replies.append(reply))
    engine.start()
    wait_for(lambda: engine.state in ("ready", "dead"), 90, "the engine")
    assert engine.state == "ready"
    text = HEAD + "x = torch.ones(16, device='cuda').sum().item()\nheld = bytearray(32 << 30)\n"
    engine.send(messages.Run(str(tmp_path / "k.py"), text, ""))
    wait_for(lambda: any(isinstance(r, messages.Finished) and r for r in replies[1:]), 60)
    found = [f.message for r in replies for f in getattr(r, "findings", ())]
    engine.shutdown()
    engine.deleteLater()
    assert "this wants more memory than the 16.8 GB that the engine may have" in found
