"""A cluster of ipyparallel's: connected to, or started and stopped again; its engines called."""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from traitlets.config import Config

from playground.engine import cluster_engine
from playground.engine.benches import WorkersError
from playground.engine.child_process import module_environment

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.cluster_engine import EngineFacts
    from playground.engine.job import Job

LOCAL = "local"
"""The profile that needs no file: engines of this machine, for one sweep."""
START_S = 120.0
"""So long the first engine may take to come; one that is waited for in a queue takes its time, and
then `ipcluster start` ahead of the sweep is the way."""
LATE_S = 20.0
"""So long the other engines may come after the first."""
LOST_S = 20.0
"""An engine that answers nothing for so long is given up; it never works longer than a second."""
_HEARTBEAT = ("--HeartMonitor.period=1000", "--HeartMonitor.max_heartmonitor_misses=5")
_LAUNCHING = (OSError, RuntimeError, ValueError, subprocess.SubprocessError)
"""What a launcher fails with: its program is missing, cannot reach the host, or refuses."""
_INSTALL = "pip install 'triton-playground[cluster]'"


class EngineGoneError(RuntimeError):
    """An engine has died, its host is gone, or it answers no more."""


class Cluster:
    """Engines that can be called, from several threads.

    `listens` says where the controller can be reached, if that is from other machines.
    """

    def __init__(self, cluster: Any, client: Any, *, ours: bool, folder: str = "") -> None:
        self._cluster = cluster
        self._client = client
        self._ours = ours
        self._folder = folder
        self._lock = threading.Lock()
        self._given = set(client.ids)
        self._guard = _guard(cluster, folder) if ours else None
        where = str(getattr(client, "_config", {}).get("interface", ""))
        near = any(name in where for name in ("127.0.0.1", "localhost", "ipc://"))
        self.listens = "" if near or not where else f"its controller listens on {where}"

    @classmethod
    def opened(cls, profile: str, count: int | None, job: Job) -> Cluster:
        """Connect to a profile's running cluster, or start one of `count` engines.

        Raises
        ------
        WorkersError
            ipyparallel is not installed, there is no such profile, or no engine comes.
        """
        try:
            import ipyparallel
        except ImportError as error:
            raise WorkersError("ipyparallel is not installed", _INSTALL) from error
        folder = tempfile.mkdtemp(prefix="pg-cluster-") if profile == LOCAL else ""
        made, client = None, None
        ours = True
        try:
            if profile == LOCAL:
                made = _new(ipyparallel, folder, count or 1)
            else:
                made, ours = _of_profile(ipyparallel, profile, count)
            job.progress(f"starting the engines of {profile}" if ours else f"joining {profile}")
            if ours:
                made.start_cluster_sync(n=made.n)
            client = made.connect_client_sync()
            _await_engines(made, client, made.n if ours else count or 1, profile, job)
            return cls(made, client, ours=ours, folder=folder)
        except BaseException as error:
            if client is not None:
                client.close()
            if made is not None and ours:
                _stop(made)
            if folder:
                shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, _LAUNCHING) and not isinstance(error, WorkersError):
                raise WorkersError(
                    f"the cluster {profile} does not start: {error}",
                    f"try it alone: ipcluster start --profile={profile}",
                ) from error
            raise

    def engines(self) -> list[int]:
        """Return the engines there are, by number."""
        return sorted(self._client.ids)

    def facts(self, engine: int, go_on: Callable[[], None]) -> EngineFacts:
        """Return where an engine is and which GPUs it sees; raises `WorkersError`."""
        try:
            found = pickle.loads(self.call(engine, cluster_engine.facts, go_on=go_on))
        except (EngineGoneError, RuntimeError, OSError) as error:
            raise WorkersError(
                f"engine {engine} cannot work for a sweep: {error}",
                "its host needs the same triton-playground and Python as this one",
            ) from error
        return found  # type: ignore[no-any-return]

    def send(self, engine: int, function: Callable[..., Any], *args: Any) -> None:
        """Call a function on an engine and wait for nothing; an engine that is gone is no fault."""
        with contextlib.suppress(Exception), self._lock:  # the next call tells what is wrong
            self._client[engine].apply_async(function, *args)

    def call(
        self, engine: int, function: Callable[..., Any], *args: Any, go_on: Callable[[], None]
    ) -> Any:
        """Return what a function returns on an engine.

        Raises
        ------
        EngineGoneError
            The engine has died, or says nothing for too long.
        RuntimeError
            The function raised; the message is its own.
        """
        try:
            with self._lock:
                result = self._client[engine].apply_async(function, *args)
        except Exception as error:  # ipyparallel's own kinds: an engine that is not there
            raise EngineGoneError(f"engine {engine} is gone ({error})") from error
        end = time.monotonic() + LOST_S
        while not result.ready():
            result.wait(0.1)
            go_on()
            if time.monotonic() > end:
                raise EngineGoneError(f"engine {engine} has not answered for {LOST_S:g} s")
        try:
            return result.get()
        except Exception as error:  # what was raised there comes back as ipyparallel's own kind
            if getattr(error, "ename", type(error).__name__) == "EngineError":
                raise EngineGoneError(f"engine {engine} died") from error
            raise RuntimeError(str(error).splitlines()[0]) from error

    def another_engine(self, go_on: Callable[[], None]) -> tuple[int, EngineFacts]:
        """Return an engine that nobody has yet: started now, if none is left over.

        Raises
        ------
        EngineGoneError
            None can be had.
        """
        with self._lock:
            if not self._left_over():
                if not self._cluster.engines:
                    raise EngineGoneError("no engine can be started in its place from here")
                try:
                    self._cluster.start_engines_sync(1)
                except Exception as error:  # whatever a launcher's command fails with
                    raise EngineGoneError(f"no engine starts in its place: {error}") from error
        end = time.monotonic() + START_S
        while True:
            with self._lock:
                left_over = self._left_over()
                if left_over:
                    self._given.add(left_over[0])
                    break
            go_on()
            if time.monotonic() > end:
                raise EngineGoneError(f"no engine came in its place within {START_S:g} s")
            time.sleep(0.1)
        try:
            return left_over[0], self.facts(left_over[0], go_on)
        except WorkersError as error:
            raise EngineGoneError(str(error)) from error

    def close(self) -> None:
        """Leave the cluster; what was started for the sweep ends with it."""
        self._client.close()
        if self._ours:
            _stop(self._cluster)
        if self._guard is not None:
            self._guard.communicate(b"done")
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _left_over(self) -> list[int]:
        return sorted(set(self._client.ids) - self._given)


def _new(ipyparallel: Any, folder: str, count: int) -> Any:
    """Return a cluster to start: in a private folder, reached from this machine only."""
    os.chmod(folder, 0o700)
    found = {"PYTHONPATH": module_environment(os.environ)["PYTHONPATH"]}
    return ipyparallel.Cluster(
        profile_dir=folder, cluster_id="", n=count, delay=0.1, load_profile=False,
        controller_ip="127.0.0.1", controller_args=list(_HEARTBEAT), log_level=logging.ERROR,
        parent=None, config=Config({"LocalEngineLauncher": {"environment": found}}),
    )  # fmt: skip


def _of_profile(ipyparallel: Any, profile: str, count: int | None) -> tuple[Any, bool]:
    """Return a profile's cluster, and whether it is to be started by us."""
    from IPython.paths import get_ipython_dir

    folder = Path(get_ipython_dir()) / f"profile_{profile}"
    if not folder.is_dir():
        known = sorted(
            path.name.removeprefix("profile_")
            for path in Path(get_ipython_dir()).glob("profile_*/ipcluster_config.py")
        )
        there = f"there are {', '.join([LOCAL, *known])}"
        raise WorkersError(
            f"there is no cluster profile {profile} ({there})",
            f"ipython profile create --parallel {profile} makes one in {folder}; its "
            "ipcluster_config.py says how engines start (local, SSH, Slurm, PBS, MPI)",
        )
    with contextlib.suppress(OSError, ValueError):
        running = ipyparallel.Cluster.from_file(
            profile=profile, parent=None, log_level=logging.ERROR
        )
        if running.controller is not None:
            return running, False
    made = ipyparallel.Cluster(
        profile=profile, cluster_id=f"sweep-{os.getpid()}", parent=None, log_level=logging.ERROR
    )
    if count is not None:
        made.n = count
    if made.n is None:
        made.n = sum(_ssh_hosts(made).values()) or None
    if made.n is None:
        raise WorkersError(
            f"the profile {profile} does not say how many engines to start",
            f"say --gpus N, or set c.Cluster.n in {folder / 'ipcluster_config.py'}",
        )
    return made, True


def _ssh_hosts(cluster: Any) -> dict[str, int]:
    """Return how many engines a profile starts on each host over SSH; none for other launchers."""
    launcher = cluster.engine_launcher_class
    if not any(kind.__name__ == "SSHEngineSetLauncher" for kind in launcher.__mro__):
        return {}
    engines = launcher(parent=cluster, log=cluster.log).engines
    return {
        host: count.get("n", 1) if isinstance(count, dict) else count
        for host, count in engines.items()
    }


def _await_engines(
    cluster: Any, client: Any, count: int | None, profile: str, job: Job
) -> None:  # fmt: skip
    """Wait for the engines: long for the first, less for the others."""
    began = time.monotonic()
    first: float | None = None
    while count is None or len(client.ids) < count:
        job.progress(f"{len(client.ids)} engines of {profile} are there")
        now = time.monotonic()
        if client.ids and first is None:
            first = now
        if first is not None and now - first > LATE_S:
            return
        if first is None and (said := _last_words(cluster)) is not None:
            missing = "mpi4py" in said
            raise WorkersError(
                f"the engines of {profile} ended before they were there: {said}",
                "engines that mpiexec starts need mpi4py (pip install mpi4py) where they run"
                if missing else f"see what it says: ipcluster start --profile={profile}",
            )  # fmt: skip
        if first is None and now - began > START_S:
            raise WorkersError(
                f"no engine of {profile} came within {START_S:g} s",
                f"start the cluster ahead, and see what it says: ipcluster start "
                f"--profile={profile}",
            )
        time.sleep(0.1)


def _last_words(cluster: Any) -> str | None:
    """Return what engines that this machine started said last, if all of them have ended."""
    import psutil

    parts = [
        part
        for engines in cluster.engines.values()
        for part in getattr(engines, "launchers", {"": engines}).values()
    ]
    for part in parts:
        kinds = {kind.__name__ for kind in type(part).__mro__}
        if "LocalProcessLauncher" not in kinds or "SSHLauncher" in kinds:
            return None  # a batch system's, or another host's
        with contextlib.suppress(psutil.NoSuchProcess):
            if psutil.Process(part.pid).status() != psutil.STATUS_ZOMBIE:
                return None
    said = [part.get_output().strip().splitlines() for part in parts]
    return next((lines[-1] for lines in said if lines), "they said nothing") if parts else None


def _stop(cluster: Any) -> None:
    try:
        cluster.stop_cluster_sync()
    except Exception as error:  # whatever a launcher's command fails with
        logging.getLogger(__name__).warning("the cluster does not stop: %s", error)


def _guard(cluster: Any, folder: str) -> subprocess.Popen[bytes]:
    """Start what stops the cluster when this process is killed."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "playground.engine.cluster_guard", cluster.cluster_file,
         folder],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=module_environment(os.environ), start_new_session=True,
    )  # fmt: skip
