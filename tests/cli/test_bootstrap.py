"""The bootstrap without its installing: decisions and messages."""

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from playground import bootstrap
from playground.cli import qt_libraries

ROOT = Path(__file__).parents[2]


def test_no_command_shows_usage():
    result = subprocess.run(
        [sys.executable, "-m", "playground.bootstrap"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 2
    assert "run [FILE]" in result.stderr


@pytest.fixture
def venv(tmp_path, monkeypatch):
    folder = tmp_path / ".venv"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").touch()
    monkeypatch.setattr(bootstrap, "VENV", folder)
    monkeypatch.setattr(bootstrap, "STAMP", folder / "stamp.json")
    return folder


def test_a_stamp_of_the_same_pins_makes_it_quick(venv, monkeypatch):
    monkeypatch.setattr(bootstrap, "_install", lambda **_: pytest.fail("installed again"))
    monkeypatch.setattr(bootstrap, "_see_to_system_libraries", lambda **_: None)
    stamp = bootstrap._wanted_stamp(for_tests=True)
    bootstrap.STAMP.write_text(json.dumps(stamp))
    bootstrap.prepare(for_tests=True)
    bootstrap.prepare(for_tests=False)  # the tests' environment serves the program as well


@pytest.mark.parametrize("change", [{"contents": "other"}, {"gpu": "other"}, {"tests": False}])
def test_another_stamp_installs_again(venv, change):
    stamp = bootstrap._wanted_stamp(for_tests=True)
    bootstrap.STAMP.write_text(json.dumps({**stamp, **change}))
    assert not bootstrap._stamp_holds(bootstrap._wanted_stamp(for_tests=True))


def test_a_broken_stamp_is_no_stamp(venv):
    bootstrap.STAMP.write_text("{")
    assert not bootstrap._stamp_holds(bootstrap._wanted_stamp(for_tests=False))


def test_a_pip_that_fails_shows_its_last_lines(venv, monkeypatch, capsys):
    monkeypatch.setattr(bootstrap, "LOG", venv / "log")
    told = "Downloading x-1.0-py3-none-any.whl (9 kB)"
    program = [
        sys.executable, "-c",
        f"print('Collecting x'); print('{told}'); print('no such x'); raise SystemExit(1)",
    ]  # fmt: skip
    with pytest.raises(bootstrap.SetupError, match="no such x"):
        bootstrap._stream(program)
    assert capsys.readouterr().err == "  fetching x 1.0 (9 kB)\n"
    assert "no such x" in (venv / "log").read_text()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Collecting torch==2.13.0", ""),
        ("Downloading torch-2.13.0%2Bcpu-cp311-cp311-linux_x86_64.whl (123.4 MB)",
         "fetching torch 2.13.0+cpu (123.4 MB)"),
        ("Downloading https://host/a/b/filelock-4.3.1-py3-none-any.whl (24 kB)",
         "fetching filelock 4.3.1 (24 kB)"),
        ("Downloading x-1.0-py3-none-any.whl.metadata (3 kB)", ""),
        ("Installing build dependencies: started", ""),
        ("Successfully uninstalled setuptools-65.5.0", ""),
        ("Installing collected packages: a, b, c", "installing 3 packages"),
    ],
)  # fmt: skip
def test_who_waits_is_told_once_a_package(line, told):
    assert bootstrap.progress_of(line) == told


def test_missing_libraries_are_named_with_one_command(monkeypatch, capsys):
    monkeypatch.setattr(qt_libraries, "loads", lambda library: library != "libEGL.so.1")
    monkeypatch.setattr(qt_libraries, "may_install", lambda: False)
    monkeypatch.delenv("DISPLAY", raising=False)
    bootstrap._see_to_system_libraries(for_tests=False)
    assert "sudo apt-get install -y libegl1\n" in capsys.readouterr().err


def test_missing_libraries_are_installed_by_root(monkeypatch):
    asked = []
    monkeypatch.setattr(qt_libraries, "loads", lambda library: library != "libGL.so.1")
    monkeypatch.setattr(qt_libraries, "may_install", lambda: True)
    monkeypatch.setattr(bootstrap, "_apt_install", lambda names: asked.append(names) or True)
    monkeypatch.delenv("DISPLAY", raising=False)
    bootstrap._see_to_system_libraries(for_tests=False)
    assert asked == [["libgl1"]]


def test_a_cpu_torch_comes_from_its_index_where_that_answers(monkeypatch):
    monkeypatch.setattr(bootstrap, "_reachable", lambda _address: True)
    assert "torch==2.13.0+cpu" in bootstrap._cpu_torch()
    monkeypatch.setattr(bootstrap, "_reachable", lambda _address: False)
    assert bootstrap._cpu_torch() == list(bootstrap.TORCH_CPU)


def test_reachability_is_decided_within_its_limit():
    class Answers(BaseHTTPRequestHandler):
        def do_HEAD(self):
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_arguments):
            return

    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}/"
        assert bootstrap._reachable(address)
        server.shutdown()
        thread.join()
    assert not bootstrap._reachable(address, limit_s=0.5)


def test_checks_go_on_after_one_failed(monkeypatch, capsys):
    statuses = iter([0, 3, 0, 0, 1])
    monkeypatch.setattr(bootstrap.subprocess, "call", lambda *_args, **_kw: next(statuses))
    assert bootstrap.check([]) == 1
    said = capsys.readouterr().err
    assert said.count("passed") == 3
    assert "FAILED (exit status 3)" in said


def test_constraints_pin_neither_torch_nor_triton():
    # A CUDA torch brings its own triton; the bootstrap chooses the pair.
    names = [line.split("==")[0] for line in bootstrap.CONSTRAINTS.read_text().splitlines()]
    assert not {"torch", "triton"} & set(names)


def test_tests_are_spread_over_processors_but_not_those_of_a_gpu(monkeypatch):
    monkeypatch.setattr(bootstrap.os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    assert bootstrap._options([])[1:3] == ["-n", "4"]
    assert bootstrap._options(["-k", "vector_add"])[1:3] == ["-n", "4"]
    assert bootstrap._options(["-m", "gpu"]) == ["--timeout=600"]
    assert bootstrap._options(["-n0"]) == ["--timeout=600"]
