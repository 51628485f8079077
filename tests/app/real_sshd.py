"""A real sshd for a test: this user's own, on a free port of this machine, with keys of its own."""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

HOST = "gpuhost"
_DEADLINE_S = 20.0


class NoSshdError(RuntimeError):
    """There is no sshd here, or none that lets this user in."""


@dataclass
class Sshd:
    """A server, and the folder with an `ssh` that knows it as `gpuhost` and nothing else."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes]

    @property
    def path(self) -> str:
        """What PATH has to begin with."""
        return str(self.folder / "bin")

    def sessions(self) -> list[psutil.Process]:
        """Return the server's processes for connections that are open."""
        return psutil.Process(self.process.pid).children(recursive=False)

    def close(self) -> None:
        """End the server, and what it was still serving."""
        with contextlib.suppress(psutil.Error):
            for child in psutil.Process(self.process.pid).children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    child.kill()
        self.process.kill()
        self.process.wait()


def start(folder: Path) -> Sshd:
    """Start a server; everything it needs lies in `folder`.

    Raises
    ------
    NoSshdError
        With the reason.
    """
    server = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    client, keygen = shutil.which("ssh"), shutil.which("ssh-keygen")
    if server is None or client is None or keygen is None:
        raise NoSshdError("openssh-server and openssh-client are not installed")
    if os.geteuid() == 0 and not Path("/run/sshd").is_dir():
        try:
            Path("/run/sshd").mkdir(mode=0o755)
        except OSError as error:
            raise NoSshdError(f"sshd needs /run/sshd: {error}") from error
    for name in ("host", "user"):
        subprocess.run(
            [keygen, "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    shutil.copy(folder / "user.pub", folder / "authorized")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\n"
        f"AuthorizedKeysFile {folder}/authorized\nPidFile none\nStrictModes no\nUsePAM no\n"
        "PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin yes\n"
        "AllowStreamLocalForwarding yes\nSubsystem sftp internal-sftp\n"
    )
    (folder / "ssh_config").write_text(
        f"Host {HOST}\n HostName 127.0.0.1\n Port {port}\n User {getpass.getuser()}\n"
        f" IdentityFile {folder}/user\n IdentitiesOnly yes\n UserKnownHostsFile {folder}/known\n"
        " GlobalKnownHostsFile none\n StrictHostKeyChecking accept-new\n LogLevel ERROR\n"
    )
    (folder / "bin").mkdir()
    # OpenSSH takes the home from the user's entry, not from $HOME: the config is named.
    wrapper = folder / "bin" / "ssh"
    wrapper.write_text(f'#!/bin/sh\nexec {client} -F "{folder}/ssh_config" "$@"\n')
    wrapper.chmod(0o755)
    log = (folder / "sshd.log").open("wb")
    process = subprocess.Popen(
        [server, "-D", "-e", "-f", folder / "sshd_config"], stdin=subprocess.DEVNULL, stdout=log,
        stderr=log,
    )  # fmt: skip
    log.close()
    made = Sshd(folder, port, process)
    try:
        _until_let_in(made, wrapper)
    except BaseException:
        made.close()
        raise
    return made


def _until_let_in(made: Sshd, wrapper: Path) -> None:
    end = time.monotonic() + _DEADLINE_S
    while True:
        tried = subprocess.run(
            [wrapper, "-o", "BatchMode=yes", "-o", "ConnectTimeout=5", HOST, "true"],
            capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=_DEADLINE_S,
        )  # fmt: skip
        if tried.returncode == 0:
            return
        refused = b"Connection refused" in tried.stderr and made.process.poll() is None
        if not refused or time.monotonic() > end:
            told = (made.folder / "sshd.log").read_text(errors="replace")[-300:]
            raise NoSshdError(f"no sshd lets {getpass.getuser()} in: {tried.stderr!r} {told}")
        time.sleep(0.05)
