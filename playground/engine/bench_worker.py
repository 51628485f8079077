"""The bench worker: a process that runs one launch under one config after another.

`python -m playground.engine.bench_worker FD` talks over the inherited socket FD. It makes a session
of its own from a recipe, so that whatever a config does to its process (an endless loop, a crash, a
poisoned CUDA context) is done to this one. When the engine goes, the worker goes.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import sys
import threading
import time
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playground.engine.bench_messages import Foresee as ForeseeOrder
    from playground.engine.bench_messages import Foreseen, Recipe
    from playground.engine.other_inputs import OtherInputs
    from playground.engine.session import Session
    from playground.model.device import DeviceInfo


def main() -> None:
    """Answer orders until the engine closes its end of the socket."""
    connection = Connection(int(sys.argv[1]))
    # The terminal's Ctrl-C is for the engine, which then ends the worker.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(connection, inbox), daemon=True).start()
    # While the recipe is still on its way: this takes most of the start.
    import torch

    if torch.cuda.is_available():
        torch.cuda.init()
    from playground.engine import machine

    machine.prepare_environment()
    from playground.engine import session as _session  # noqa: F401 - and triton with it
    from playground.engine import trying as _trying  # noqa: F401

    if inbox.empty():
        _use_first()

    bench = _Bench()
    while True:
        message = pickle.loads(inbox.get())
        sys.stdout.flush()
        os.ftruncate(1, 0)
        os.lseek(1, 0, os.SEEK_SET)
        connection.send_bytes(pickle.dumps(bench.answer(message)))


def _use_first() -> None:
    """Import what every sweep needs and use the GPU once: the first config would wait for it."""
    import torch
    import triton

    from playground.engine import confirming, proving, quick_check, screening  # noqa: F401

    if torch.cuda.is_available() and not triton.knobs.runtime.interpret:
        from playground.engine.triton_private import first_gpu_use

        # Where it fails the file's own run fails too, and says why, with a place.
        with contextlib.suppress(Exception):
            first_gpu_use.use_first()


def _read(connection: Connection, inbox: queue.SimpleQueue[bytes]) -> None:
    while True:
        try:
            inbox.put(connection.recv_bytes())
        except (EOFError, OSError):
            # The engine is gone, and with it whoever could stop a kernel that never ends.
            os._exit(0)


class _Bench:
    def __init__(self) -> None:
        self._session: Session | None = None
        self._launch = 0
        self._other: OtherInputs | None = None

    def answer(self, message: Any) -> Any:
        from playground.engine import trying
        from playground.engine.bench_messages import (
            Confirm,
            Foresee,
            Prove,
            Recipe,
            Started,
            Try,
        )  # fmt: skip
        from playground.engine.job import Job

        if isinstance(message, Recipe):
            from playground.engine.machine import device_label

            started = time.perf_counter()
            problem = self._start(message)
            label = device_label(named_host=message.named_host)
            return Started(problem, time.perf_counter() - started, label)
        if self._session is None:
            return Started("an order came before the recipe")
        if isinstance(message, Try):
            return trying.tried(self._session, self._launch, message, Job(), self._make_room)
        if isinstance(message, Confirm):
            from playground.engine import confirming

            return confirming.confirmed(self._session, self._launch, message, Job())
        if isinstance(message, Prove):
            from playground.engine import proving

            return proving.proved(self._session, self._launch, message, Job(), self._other)
        if isinstance(message, Foresee):
            return self._foreseen(self._session, message)
        return Started(f"no order: {type(message).__name__}")

    def _foreseen(self, session: Session, order: ForeseeOrder) -> Foreseen:
        """Run the file on other inputs, unless that was done; say what is to be compiled there."""
        from playground.engine.bench_messages import Foreseen
        from playground.engine.job import Job
        from playground.engine.other_inputs import (
            NoOtherInputsError,
            OtherInputs,
            is_room_beside,
        )  # fmt: skip

        wanted = (self._launch, order.seed, order.sizes)
        try:
            if self._other is None or self._other.made_for != wanted:
                self._make_room()
                if not is_room_beside(session):
                    return Foreseen(problem="the GPU has no memory for both inputs at a time")
                other = OtherInputs(session, self._launch, order.seed, order.sizes, Job())
                self._other = other
                other.session.synchronize()
                other.session.expected()  # a reference takes its time as well
            return Foreseen(self._other.orders(order.configs, session.device.target))
        except NoOtherInputsError as error:
            problem: Exception = error
        except Exception as error:  # the file's own doing, on inputs that nobody asked it to take
            problem = error
        fatal = session.is_fatal(problem) or not _still_works(session)
        self._make_room()
        return Foreseen(problem=str(problem), fatal=fatal)

    def _make_room(self) -> bool:
        """Give back the memory of the other inputs; tells whether there were any."""
        if self._other is None:
            return False
        self._other.close()
        self._other = None
        return True

    def _start(self, recipe: Recipe) -> str:
        """Run the file as the recipe says; return why the launch is not there, if it is not."""
        from dataclasses import replace

        from playground.engine.bench_messages import likeness
        from playground.engine.session import Session

        for folder in recipe.search_path:
            if folder not in sys.path:
                sys.path.append(folder)
        self._make_room()
        if self._session is not None:
            self._session.close()
        session = Session(_own_device(recipe.device))
        self._session, self._launch = session, recipe.launch
        session.load(recipe.path, recipe.text)
        session.wanted_seed = recipe.seed
        if recipe.clock is not None:
            from playground.engine.clocks import choice

            choice.ask_for(recipe.clock)
        driver = recipe.driver
        if driver is not None and driver.kind == "generated":
            driver = replace(driver, kind="typed")  # it has been searched for already
        result = session.run(
            driver, dict(recipe.sizes), benchmarks=recipe.benchmarks, tuning=recipe.tuning
        )
        if recipe.launch >= len(session.launches):
            errors = [item.text() for item in result.findings if item.severity == "error"]
            return errors[0] if errors else "the file launches less when it is run again"
        if likeness(session.launches[recipe.launch].info) != recipe.likeness:
            return "the file launches something else when it is run again"
        _rebind(session, recipe)
        return ""


def _still_works(session: Session) -> bool:
    """Tell whether the GPU takes orders of this process: after an illegal address it takes none."""
    try:
        session.synchronize()
    except Exception:  # whatever it raises now it raises from now on
        return False
    return True


def _own_device(of_engine: DeviceInfo) -> DeviceInfo | None:
    """Return the engine's device if this process has its like, None to find out about another."""
    import torch
    import triton

    gpu = torch.cuda.is_available() and not triton.knobs.runtime.interpret
    if (of_engine.mode == "gpu") != gpu:
        return None
    return of_engine if not gpu or torch.cuda.get_device_name() == of_engine.name else None


def _rebind(session: Session, recipe: Recipe) -> None:
    """Bind anew what the console has bound anew in the engine's modules."""
    from playground.engine.compile_messages import decode

    def no_function(reference: Any) -> Any:
        raise LookupError(reference.qualname)  # functions are never told of

    for module, name, spec in recipe.rebound:
        value = decode(spec, no_function, sys.modules.__getitem__)
        if not module:
            session.namespace[name] = value
        elif module in sys.modules:
            setattr(sys.modules[module], name, value)


if __name__ == "__main__":
    main()
