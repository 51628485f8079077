"""The engine within a Jupyter kernel that somebody else started, such as a notebook's.

The window executes `attach()` there once. The kernel stays as it is; `play` and what a run leaves
are put into its namespace.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from playground.engine import machine

_NEEDED = 7
"""ipykernel's version with subshells, which answer while the kernel is busy."""

_attached: Any = None


def attach(*, fresh: bool = False) -> None:
    """Offer the engine on the running kernel's comms; a session that is there is kept.

    Parameters
    ----------
    fresh
        Close the session of before and begin a new one.

    Raises
    ------
    RuntimeError
        This is no IPython kernel, or one that cannot answer while it is busy.
    """
    global _attached
    from IPython.core.getipython import get_ipython

    shell: Any = get_ipython()
    kernel = getattr(shell, "kernel", None)
    if kernel is None:
        raise RuntimeError("this is no Jupyter kernel: attach() is called within one")
    if int(version("ipykernel").partition(".")[0]) < _NEEDED:
        raise RuntimeError(
            f"ipykernel {version('ipykernel')} cannot answer while it is busy: "
            f"install ipykernel {_NEEDED} or newer there"
        )
    if _attached is not None and not fresh:
        return
    if _attached is not None:
        _attached.close()
    from playground.engine.kernel import ConsoleNamespace, make_session
    from playground.engine.server import EngineServer

    machine.prepare_environment()
    server = EngineServer(kernel, ConsoleNamespace(shell))
    server.register()
    server.start_session(make_session)
    _attached = server
