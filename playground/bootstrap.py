"""Set everything up and start: `python3 -m playground.bootstrap run [FILE]` or `… test`.

Standard library only, because it runs before anything is installed. It makes `.venv` beside the
project, installs the project into it with the versions in `constraints.txt`, sees to the system
libraries that Qt loads, and hands over to the program or to the checks. When all is there it only
looks at a stamp, which takes some ten milliseconds.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
STAMP = VENV / "playground-stamp.json"
LOG = VENV / "playground-install.log"
CONSTRAINTS = ROOT / "playground" / "constraints.txt"
_MOST_PROCESSES = 4
"""Processes of the tests: each has torch and, now and then, compile workers beside it."""
_LIMIT = "--timeout=600"
"""Seconds for one test: one that hangs fails alone and does not stop the others."""
_NO_RESTART = "--max-worker-restart=0"
"""A process of the tests that dies ends the run: replaced, the others would wait for its files."""
OLDEST_PYTHON = (3, 11)

# Known to work together. A CUDA torch brings the triton it was built with and must keep it.
TORCH_GPU = ("torch==2.11.0",)
TORCH_CPU = ("torch==2.13.0", "triton==3.9.0; platform_system == 'Linux'")
TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu"

USAGE = """usage: python3 -m playground.bootstrap run [FILE] [OPTION ...]
       python3 -m playground.bootstrap test [-- PYTEST_OPTION ...]

run   set up, then open the window on FILE (in the terminal where there is no display)
test  set up, then run every check: ruff, mypy, the import borders, pytest"""


class SetupError(Exception):
    """Something the user has to do before setting up can go on; the message says what."""


def say(text: str) -> None:
    """Print one line of progress; on stderr, so that a verb's own output stays clean."""
    print(f"playground: {text}", file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Run the command in `arguments` and return its exit status."""
    given = sys.argv[1:] if arguments is None else arguments
    if not given or given[0] not in ("run", "test"):
        wants_help = bool(given) and given[0] in ("-h", "--help")
        print(USAGE, file=sys.stdout if wants_help else sys.stderr)
        return 0 if wants_help else 2
    command, rest = given[0], given[1:]
    try:
        _use_new_enough_python(given)
        prepare(for_tests=command == "test")
    except SetupError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("interrupted; the next run goes on from here")
        return 130
    if command == "test":
        return check(rest[1:] if rest[:1] == ["--"] else rest)
    sys.stderr.flush()
    interpreter = str(_venv_program("python"))
    program = [interpreter, "-m", "playground", *rest]
    if os.name != "nt":
        os.execv(interpreter, program)  # this process becomes the program: signals reach it as is
    return subprocess.call(program)


def prepare(*, for_tests: bool) -> None:
    """Make the environment complete; raises `SetupError` when only the user can go on."""
    _see_to_system_libraries(for_tests=for_tests)
    wanted = _wanted_stamp(for_tests=for_tests)
    if _stamp_holds(wanted):
        return
    started = time.monotonic()
    say(f"setting up {VENV} with Python {sys.version.split()[0]} (once)")
    _make_venv()
    _install(for_tests=for_tests, gpu=bool(wanted["gpu"]))
    STAMP.write_text(json.dumps(wanted, indent=1) + "\n", encoding="utf-8")
    say(f"set up in {time.monotonic() - started:.0f} s")


def check(pytest_arguments: list[str]) -> int:
    """Run every check, also after one failed, and return 0 only if all of them passed."""
    python = str(_venv_program("python"))
    steps: list[tuple[str, list[str]]] = [
        ("ruff check", [python, "-m", "ruff", "check", "."]),
        ("ruff format", [python, "-m", "ruff", "format", "--check", "."]),
        ("mypy", [python, "-m", "mypy"]),
        ("lint-imports", [str(_venv_program("lint-imports"))]),
        ("pytest", [python, "-m", "pytest", *_options(pytest_arguments), *pytest_arguments]),
    ]
    outcomes: list[tuple[str, int, float]] = []
    for name, program in steps:
        say(f"{name} …")
        started = time.monotonic()
        try:
            status = subprocess.call(program, cwd=ROOT)
        except KeyboardInterrupt:
            say("interrupted")
            return 130
        outcomes.append((name, status, time.monotonic() - started))
    say("summary")
    for name, status, elapsed_s in outcomes:
        verdict = "passed" if status == 0 else f"FAILED (exit status {status})"
        say(f"  {name:<14} {elapsed_s:7.1f} s  {verdict}")
    return 0 if all(status == 0 for _, status, _ in outcomes) else 1


def _options(arguments: list[str]) -> list[str]:
    """Return pytest's options: a limit for each test, and a process for each processor, up to four.

    Each file stays in one process: what its tests share is made once. Tests of a GPU share it, and
    some take its time: they run one after the other.
    """
    if any(item.startswith("-n") or "gpu" in item for item in arguments):
        return [_LIMIT]
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    spread = ["-n", str(min(processors, _MOST_PROCESSES)), "--dist", "loadfile"]
    return [_LIMIT, *spread, _NO_RESTART]


def _use_new_enough_python(arguments: list[str]) -> None:
    if sys.version_info >= OLDEST_PYTHON:
        return
    for minor in range(14, OLDEST_PYTHON[1] - 1, -1):
        newer = shutil.which(f"python3.{minor}")
        if newer:
            os.execv(newer, [newer, "-m", "playground.bootstrap", *arguments])
    raise SetupError(
        f"Python {sys.version.split()[0]} is too old: install Python 3.11 or newer and call it, "
        "for example `python3.11 -m playground.bootstrap run`"
    )


def _venv_program(name: str) -> Path:
    if os.name == "nt":
        return VENV / "Scripts" / f"{name}.exe"
    return VENV / "bin" / name


# ------------------------------------------------------------------ is all there already?


def _wanted_stamp(*, for_tests: bool) -> dict[str, object]:
    from playground.engine.machine import has_nvidia_gpu

    contents = (ROOT / "pyproject.toml").read_bytes() + CONSTRAINTS.read_bytes()
    contents += repr((TORCH_CPU, TORCH_GPU)).encode()
    return {
        "contents": hashlib.sha256(contents).hexdigest(),
        "gpu": has_nvidia_gpu(),
        "tests": for_tests,
        "root": str(ROOT),
    }


def _stamp_holds(wanted: dict[str, object]) -> bool:
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    if not isinstance(stamp, dict) or not _venv_program("python").exists():
        return False
    # The environment for the tests serves `run` as well, not the other way round.
    return all(
        stamp.get(key) == value or (key == "tests" and stamp.get(key) is True)
        for key, value in wanted.items()
    )


# ------------------------------------------------------------------ system packages


def _see_to_system_libraries(*, for_tests: bool) -> None:
    from playground.cli import qt_libraries

    display = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    packages = qt_libraries.missing(display=display, xvfb=for_tests)
    if not packages:
        return
    if qt_libraries.may_install():
        say("installing Qt's system libraries: " + " ".join(packages))
        if _apt_install(packages):
            return
        say("apt could not install them; going on without")
    command = qt_libraries.install_command(packages)
    say(f"Qt needs system libraries that are missing; install them with: {command}")


def _apt_install(packages: list[str]) -> bool:
    options = ["-qq", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20",
               "-o", "Acquire::https::Timeout=20"]  # fmt: skip
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "--no-install-recommends", *options, *packages]
    # The package lists of a fresh machine are empty or old, so they are fetched first.
    for program in (["apt-get", "update", *options], install):
        result = subprocess.run(
            program, env=environment, capture_output=True, text=True, check=False
        )
        if result.returncode != 0 and program is install:
            say("\n".join((result.stdout + result.stderr).strip().splitlines()[-5:]))
            return False
    return True


# ------------------------------------------------------------------ the environment


def _make_venv() -> None:
    python = _venv_program("python")
    if python.exists():
        probe = [str(python), "-c", "import sys, pip; print(sys.version_info >= (3, 11))"]
        found = subprocess.run(probe, capture_output=True, text=True, check=False)
        if found.returncode == 0 and found.stdout.strip() == "True":
            return
        if found.returncode == 0:
            raise SetupError(f"{VENV} holds a Python older than 3.11: move it away and run again")
    _see_to_ensurepip()
    # `--clear` only reaches an environment that cannot start or has no pip.
    made = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", str(VENV)],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode != 0:
        raise SetupError(f"could not make {VENV}:\n{(made.stdout + made.stderr).strip()}")


def _see_to_ensurepip() -> None:
    if importlib.util.find_spec("ensurepip") and importlib.util.find_spec("venv"):
        return
    from playground.cli import qt_libraries

    packages = ["python3-venv", f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"]
    for package in packages if qt_libraries.may_install() else []:
        say(f"installing {package}: this Python cannot make environments yet")
        if _apt_install([package]):
            importlib.invalidate_caches()
            if importlib.util.find_spec("ensurepip"):
                return
    raise SetupError(
        "this Python cannot make environments (no ensurepip); install it with: "
        + qt_libraries.install_command(packages[:1])
    )


def _install(*, for_tests: bool, gpu: bool) -> None:
    torch = _gpu_torch() if gpu else _cpu_torch()
    project = f"{ROOT}[test]" if for_tests else str(ROOT)
    pip = [str(_venv_program("python")), "-m", "pip", "install"]
    pip += ["--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
    _stream([*pip, "--constraint", str(CONSTRAINTS), *torch, "--editable", project])


def _gpu_torch() -> list[str]:
    say("NVIDIA GPU found: torch comes with CUDA, which is a download of gigabytes")
    return list(TORCH_GPU)


def _cpu_torch() -> list[str]:
    if sys.platform.startswith("linux") and os.uname().machine == "x86_64":
        say("no NVIDIA GPU: a CPU build of torch will do")
        if _reachable(TORCH_CPU_INDEX + "/torch/"):
            version = TORCH_CPU[0] + "+cpu"
            return ["--extra-index-url", TORCH_CPU_INDEX, version, *TORCH_CPU[1:]]
    return list(TORCH_CPU)


def _reachable(address: str, limit_s: float = 3.0) -> bool:
    answers: list[bool] = []

    def ask() -> None:
        try:
            request = urllib.request.Request(address, method="HEAD")
            with urllib.request.urlopen(request, timeout=limit_s) as answer:
                answers.append(answer.status == 200)
        except (OSError, urllib.error.URLError, ValueError):
            answers.append(False)

    # In a thread of its own, because looking a name up knows no time limit.
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(limit_s + 0.5)
    return answers == [True]


def _stream(program: list[str]) -> None:
    """Run pip: its whole output goes to a log, what tells how far it is to the terminal."""
    live = sys.stderr.isatty()
    last: list[str] = []
    told = ["looking for packages"]
    ended = threading.Event()
    started = time.monotonic()

    def remind() -> None:
        # One large download prints nothing until it is through.
        while not ended.wait(15):
            _show(f"{told[-1]} … {time.monotonic() - started:.0f} s", live=live)

    reminder = threading.Thread(target=remind, daemon=True)
    reminder.start()
    with (
        LOG.open("w", encoding="utf-8") as log,
        subprocess.Popen(
            program, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT
        ) as pip,
    ):
        log.write(" ".join(program) + "\n")
        for line in pip.stdout or ():
            log.write(line)
            text = line.strip()
            last = [*last[-25:], text]
            if progress := progress_of(text):
                told.append(progress)
                _show(progress, live=live)
    ended.set()
    reminder.join()
    if live:
        print("\r\033[K", end="", file=sys.stderr)
    if pip.returncode != 0:
        raise SetupError("pip failed:\n" + "\n".join(last) + f"\nIts whole output is in {LOG}")


def progress_of(line: str) -> str:
    """Return what a line of pip's output tells who waits: one line a package, else nothing."""
    if line.startswith("Installing collected packages:"):
        return f"installing {line.count(',') + 1} packages"
    # `Downloading NAME-VERSION-TAGS.whl (SIZE)`, maybe with an address before the name.
    found = re.match(r"Downloading (?:\S*/)?([^-\s]+)-([^-\s]+)-\S+\.whl( \(.*\))?$", line)
    if found is None:
        return ""
    name, version, size = found.groups("")
    return f"fetching {name} {urllib.parse.unquote(version)}{size}"


def _show(text: str, *, live: bool) -> None:
    if live:
        width = shutil.get_terminal_size().columns - 1
        print(f"\r\033[K{'  ' + text:.{width}}", end="", file=sys.stderr, flush=True)
    else:
        print(f"  {text:.110}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
