"""The transport: private sockets, jobs in order, questions at once, interrupt and cancel."""

import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import psutil
import zmq
from jupyter_client.session import Session

from playground.model.resources import kernels_dir
from playground.protocol import messages
from playground.ui.socket_folder import SocketFolder
from tests.app.conftest import App, pause, wait_for

SLEEPER = "import time\nfor _ in range(1000):\n    time.sleep(0.01)\n"


def run_request(text: str, driver: str = "") -> messages.Run:
    return messages.Run("/tmp/transport_test.py", text, driver)


def runs(app: App) -> bool:
    return any(isinstance(r, messages.RunResult) for r in app.ask(run_request("x = 1\n")))


def test_nothing_listens_on_tcp(app: App) -> None:
    processes = [psutil.Process(app.engine.pid), psutil.Process()]
    listening = [
        connection
        for process in processes
        for connection in process.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert listening == []
    # And as the system sees it, with all that the engine started.
    pids = {p.pid for each in processes for p in (each, *each.children(recursive=True))}
    if shutil.which("ss") is None:
        return
    shown = subprocess.run(["ss", "-Hltunp"], capture_output=True, text=True, check=True).stdout
    assert not [line for line in shown.splitlines() if any(f"pid={p}," in line for p in pids)]


def test_the_socket_folder_is_private_and_its_paths_short(app: App) -> None:
    folder = app.engine._folder
    assert stat.S_IMODE(folder.stat().st_mode) & 0o777 == 0o700
    sockets = [path for path in folder.iterdir() if stat.S_ISSOCK(path.stat().st_mode)]
    assert len(sockets) == 5
    assert max(len(str(path)) for path in sockets) <= 107


def test_the_window_has_neither_torch_nor_triton(app: App) -> None:
    # In a process of its own: other tests of this one import them.
    code = (
        "import sys; import playground.ui.engine_process, playground.ui.document,"
        "playground.ui.engine_client, playground.ui.console_widget;"
        "print([m for m in ('torch', 'triton') if m in sys.modules])"
    )
    process = psutil.Popen([sys.executable, "-c", code], stdout=-1, text=True)
    out, _ = process.communicate(timeout=60)
    assert out.strip() == "[]"


def test_the_greeting_says_what_the_engine_runs_on(app: App) -> None:
    device = app.document.device
    assert device is not None
    assert device.mode in ("gpu", "interpreter")
    assert device.target in app.document.targets
    assert {"cuda:80", "cuda:90", "hip:gfx942"} <= set(app.document.targets)


def test_jobs_are_done_in_order_and_questions_meanwhile(app: App) -> None:
    first = app.engine.send(run_request("import time\ntime.sleep(0.4)\n"))
    second = app.engine.send(run_request("x = 1\n"))
    wait_for(lambda: app.engine.state == "busy")
    started = time.perf_counter()
    (clocks, _) = app.ask(messages.GetClocks())
    assert time.perf_counter() - started < 0.35  # while the first one sleeps
    assert isinstance(clocks, messages.Clocks)
    assert not any(isinstance(reply, messages.Finished) for reply in app.of(first))
    app.wait_job(second)
    ends = [job for reply, job in app.replies if isinstance(reply, messages.Finished)]
    assert ends.index(first) < ends.index(second)


def test_interrupt_stops_the_driver_and_keeps_the_engine(app: App) -> None:
    pid = app.engine.pid
    job = app.engine.send(run_request(SLEEPER))
    wait_for(lambda: bool(app.of(job)) or app.engine.state == "busy")
    time.sleep(0.2)
    app.engine.interrupt()
    replies = app.wait_job(job, 5)
    said = [f for r in replies for f in getattr(r, "findings", ())]
    assert any("interrupted" in finding.message for finding in said)
    assert app.engine.pid == pid
    assert isinstance(app.ask(run_request("x = 1\n"))[-1], messages.Finished)


def test_interrupt_at_rest_does_nothing(app: App) -> None:
    pid = app.engine.pid
    for _ in range(5):
        app.engine.interrupt()
    assert isinstance(app.ask(run_request("x = 1\n"))[-1], messages.Finished)
    assert app.engine.pid == pid


def test_an_interrupt_of_an_engine_that_is_starting_does_not_end_it(app: App) -> None:
    app.engine.restart()
    wait_for(lambda: app.engine.pid is not None, 30, "the process")
    while app.engine.state == "restarting":
        app.engine.interrupt()
        pause(0.05)
    assert app.engine.state == "ready"
    assert app.deaths == []


def test_an_interrupt_that_meets_a_message_on_its_way_leaves_it_an_answer(app: App) -> None:
    code = """
import os, signal, threading
import playground.engine.server as server
real = server.decode_request

def interrupted(data, buffers):
    if threading.current_thread() is threading.main_thread():
        server.decode_request = real
        os.kill(os.getpid(), signal.SIGINT)
    return real(data, buffers)

server.decode_request = interrupted
"""
    assert app.engine.client is not None
    app.engine.client.execute(code, silent=True)
    (finished,) = app.ask(run_request("x = 1\n"))
    assert isinstance(finished, messages.Finished)
    assert [found.message for found in finished.findings] == ["interrupted"]
    assert runs(app)
    assert app.deaths == []


def test_a_job_cancelled_in_the_queue_never_starts(app: App, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    first = app.engine.send(run_request("import time\ntime.sleep(0.3)\n"))
    second = app.engine.send(run_request(f"open({str(marker)!r}, 'w').close()\n"))
    app.engine.send(messages.Cancel(second))
    replies = app.wait_job(second)
    assert replies == [messages.Finished(cancelled=True)]
    app.wait_job(first)
    assert not marker.exists()


def test_a_question_about_nothing_is_a_finding(app: App) -> None:
    from playground.model.config import Config

    view = messages.PlaneView()
    (end,) = app.ask(messages.GetPlane(99, Config(), "x", "owner", view))
    assert isinstance(end, messages.Finished)
    assert "GetPlane failed" in end.findings[0].message


def test_restart_gives_a_fresh_process_and_the_same_folder(app: App) -> None:
    old = app.engine.pid
    app.engine.restart()
    assert app.engine.state == "restarting"
    wait_for(lambda: app.engine.state == "ready", 60)
    assert app.engine.pid != old
    assert not psutil.pid_exists(old or 0)
    assert app.deaths == []
    (clocks, _) = app.ask(messages.GetClocks())
    assert isinstance(clocks, messages.Clocks)


def test_requests_without_an_engine_end_at_once(app: App) -> None:
    app.engine.restart()
    assert app.ask(run_request("x = 1\n"), 5) == [messages.Finished(cancelled=True)]
    wait_for(lambda: app.engine.state == "ready", 60)


def test_the_vector_add_runs_end_to_end(app: App) -> None:
    document = app.document
    document.open_file(str(kernels_dir() / "vector_add.py"))
    document.run()
    wait_for(lambda: document.is_current(document.coverage), 60, "coverage")
    app.settle()
    assert document.launch is not None
    assert document.launch.kernel == "add_kernel"
    assert document.check is not None
    assert document.check.status == "correct"
    coverage = document.coverage
    assert coverage is not None
    assert coverage.tensor("out_ptr").stores.total == 98432
    assert coverage.tensor("out_ptr").unwritten == 0
    got: list[object] = []
    document.request_plane("out_ptr", "owner", messages.PlaneView(), got.append)
    document.request_element("out_ptr", 0, 5, (), got.append)
    document.request_program("x_ptr", 1, messages.PlaneView(), got.append)
    document.request_ir("ttir", got.append)
    wait_for(lambda: len(got) == 4, 30, "four answers")
    by_type = {type(item): item for item in got}
    plane = by_type[messages.Plane]
    assert isinstance(plane, messages.Plane)
    assert plane.values[0, 0] == 0
    assert plane.programs == 97
    element = by_type[messages.Element]
    assert isinstance(element, messages.Element)
    assert (element.index, element.stores, element.owner) == ((5,), 1, 0)
    footprint = by_type[messages.ProgramFootprint]
    assert isinstance(footprint, messages.ProgramFootprint)
    assert footprint.loads == 1024
    text = by_type[messages.Ir]
    assert isinstance(text, messages.Ir)
    assert "tt.store" in text.text


def test_comms_taken_away_are_made_anew(app: App) -> None:
    pid = app.engine.pid
    client = app.engine.client
    assert client is not None
    client.execute("get_ipython().kernel.comm_manager.comms.clear()", silent=True)
    (end,) = app.ask(run_request("x = 1\n"), 10)
    assert isinstance(end, messages.Finished)
    assert end.cancelled
    assert "made anew" in end.findings[0].message
    assert runs(app)
    assert isinstance(app.ask(messages.GetClocks())[0], messages.Clocks)
    assert app.engine.pid == pid
    assert app.deaths == []


def test_sockets_that_a_cleaner_removed_are_not_needed_any_more(app: App) -> None:
    shutil.rmtree(app.engine._folder)
    assert runs(app)
    app.engine.restart()
    wait_for(lambda: app.engine.state == "ready", 60)
    assert runs(app)


def test_a_message_without_the_sessions_key_is_not_executed(app: App, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    code = f"open({str(marker)!r}, 'w').close()"
    client = app.engine.client
    assert client is not None
    for key in (b"not the key", b""):
        stranger = Session(key=key)
        socket = client.context.socket(zmq.DEALER)
        socket.connect(client._make_url("shell"))
        content = {"code": code, "silent": False}
        stranger.send(socket, "execute_request", content)
        socket.close(linger=1000)
    assert runs(app)
    assert not marker.exists()
    # The same, signed with the key that only this user can read, is.
    client.execute(code, silent=True)
    wait_for(marker.exists, 10)
    key_file = app.engine._folder / f"k{app.engine._generation}.json"
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600


def test_shutdown_leaves_nothing(app: App) -> None:
    import threading

    from playground.ui.engine_process import EngineProcess

    before = set(threading.enumerate())
    engine = EngineProcess()
    folder = engine._folder
    engine.start()
    wait_for(lambda: engine.pid is not None, 30)
    pid = engine.pid or 0
    started = time.perf_counter()
    engine.shutdown()
    assert time.perf_counter() - started < 8
    assert not psutil.pid_exists(pid)
    assert not folder.exists()
    assert set(threading.enumerate()) <= before
    engine.deleteLater()


def test_sockets_of_a_window_that_crashed_are_removed_by_the_next() -> None:
    code = (
        "import os; from playground.ui.socket_folder import SocketFolder;"
        "print(SocketFolder().path, flush=True); os._exit(1)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    left = Path(done.stdout.strip())
    assert left.is_dir()
    alive = SocketFolder()
    other = SocketFolder()
    assert not left.exists()
    assert alive.path.is_dir()
    assert stat.S_IMODE(alive.path.stat().st_mode) == 0o700
    for folder in (alive, other):
        folder.remove()
        assert not folder.path.exists()
