"""A captured launch made ready to run again under another config."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from playground.engine.arguments import (
    StorageKey,
    replace_tensors,
    storage_key,
    tensors_in,
    view_on,
)
from playground.engine.guards import GuardedCopy, overrun_finding
from playground.engine.snapshot import SnapshotPool, copied, copy_bytes
from playground.engine.triton_private import (
    interpreter,
    interpreter_prints,
    launcher,
    wrappers,
)
from playground.model.knobs import OPTION_KNOBS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import torch

    from playground.engine.capture import CapturedLaunch
    from playground.engine.guards import Overrun
    from playground.engine.hosting import Hosted
    from playground.engine.session import Session
    from playground.engine.snapshot import Snapshot
    from playground.model.config import Config
    from playground.model.finding import Finding


class WorkingSet:
    """Copies of a launch's storages, and views on them shaped as the launch's tensors.

    With addresses held inside tensors there are no copies: the views are the user's own tensors,
    and `put_back` returns them to what they held before the replays.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.in_place = snapshot.in_place
        self._bases: dict[StorageKey, torch.Tensor] = {}
        self._present: dict[StorageKey, torch.Tensor] = {}
        self._guarded: dict[StorageKey, GuardedCopy] = {}
        for key, image in snapshot.images.items():
            if self.in_place:
                self._bases[key] = image.live
            else:
                self._guarded[key] = GuardedCopy(image.live)
                self._bases[key] = self._guarded[key].base

    def __contains__(self, tensor: torch.Tensor) -> bool:
        return storage_key(tensor) in self._bases

    def view(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the working view that stands for the user's `tensor`, whose storage is here."""
        key = storage_key(tensor)
        if self.in_place or key is None:
            return tensor
        return view_on(self._bases[key], tensor)

    def restore(self) -> None:
        """Put the snapshot's bytes into the working copies."""
        if self.in_place and not self._present:
            self._present = {key: copied(base) for key, base in self._bases.items()}
        for key, image in self.snapshot.images.items():
            copy_bytes(self._bases[key], image.saved)

    def overruns(self) -> list[tuple[StorageKey, Overrun]]:
        """Return what launches wrote beside the copies, by the storage beside which it lies."""
        found = ((key, copy.overrun()) for key, copy in self._guarded.items())
        return [(key, overrun) for key, overrun in found if overrun is not None]

    def put_back(self) -> None:
        """Return the user's own tensors to what they held, if the replays ran on them."""
        for key, saved in self._present.items():
            copy_bytes(self._bases[key], saved)
        self._present = {}

    def ranges(self) -> list[tuple[int, int]]:
        """Return the addresses `[start, end)` of the copies, without the memory around them."""
        return [(one.data_ptr(), one.data_ptr() + one.numel()) for one in self._bases.values()]

    def bases(self) -> list[torch.Tensor]:
        """Return the copies, each a uint8 vector."""
        return list(self._bases.values())

    def uninitialised(self) -> list[tuple[int, torch.Tensor]]:
        """Return address and first bytes of the copies that stand for uninitialised memory."""
        return [
            (self._bases[key].data_ptr(), image.saved)
            for key, image in self.snapshot.images.items()
            if image.uninitialised
        ]

    @property
    def nbytes(self) -> int:
        """Bytes held by the copies."""
        return 0 if self.in_place else sum(base.numel() for base in self._bases.values())


class PreparedReplay:
    """One launch under one config, ready to run as often as wanted.

    Replays of one launch share their working copies (see `clone`), so run and look before the next
    is prepared.
    """

    def __init__(
        self, hosted: Hosted, options: dict[str, Any], working: tuple[WorkingSet, ...]
    ) -> None:
        self._working = working
        self.hosted = hosted
        self.launch = hosted.launch
        self.config = hosted.config
        self.effective = hosted.effective
        self.grid = hosted.size
        self.options = options
        self.findings = hosted.findings
        self.arguments = {
            name: replace_tensors(value, self.view) for name, value in hosted.arguments.items()
        }
        _tuning_hook(self.launch, self.arguments, self.options)
        self.restore()
        self.run: Callable[[], Any] = self._first_run

    def __repr__(self) -> str:
        return f"<replay of {self.launch.info.kernel}{list(self.grid)} {self.config.label()}>"

    @property
    def written(self) -> tuple[str, ...]:
        """Names of the tensors whose bytes the captured launch changed."""
        return self.launch.snapshot.written

    @property
    def in_place(self) -> bool:
        """Whether it runs on the user's own tensors, because others hold their addresses."""
        return self.launch.snapshot.in_place

    @property
    def reshaped(self) -> tuple[str, ...]:
        """Names of the tensors that have another shape or type under this config."""
        return self.hosted.reshaped

    def restore(self) -> None:
        """Put the snapshot's bytes back into the working copies."""
        for working in self._working:
            working.restore()

    def put_back(self) -> None:
        """Return the user's own tensors to what they held before an in-place replay."""
        for working in self._working:
            working.put_back()

    def overruns(self) -> list[Finding]:
        """Return what runs so far wrote outside of the launch's tensors; look after the GPU's end.

        The interpreter lets no store go there; the coverage tells of those.
        """
        found = []
        for working in self._working:
            for key, overrun in working.overruns():
                name, size = _named(self.hosted.arguments, key)
                found.append(
                    overrun_finding(
                        self.launch.info.kernel, name, size, overrun,
                        self.launch.info.file, self.launch.info.line,
                    )
                )  # fmt: skip
        return found

    def view(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the working view for a tensor that shares a storage with the launch's tensors."""
        for working in self._working:
            if tensor in working:
                return working.view(tensor)
        return tensor

    def clone(self) -> PreparedReplay:
        """Return the same replay on an independent set of working copies, restored."""
        return PreparedReplay(
            self.hosted,
            self.options,
            tuple(WorkingSet(working.snapshot) for working in self._working),
        )

    def _first_run(self) -> Any:
        """Launch once on the current stream; later calls take the shortest way there is."""
        if 0 in self.grid:
            return None
        if wrappers.is_interpreted(self.launch.function) and interpreter.installed():
            again = launcher.plain_call(
                self.launch.function, self.grid, self.arguments, self.options,
                self.launch.positional,
            )  # fmt: skip

            def within_the_copies() -> Any:
                # Not in the memory around them: as at the captured launch, that is out of bounds.
                with interpreter.storages(self.ranges()), interpreter_prints.silenced():
                    return again()

            self.run = within_the_copies
            return self.run()
        result, self.run = launcher.launch(
            self.launch.function, self.grid, self.arguments, self.options, self.launch.positional
        )
        return result

    def uninitialised(self) -> list[tuple[int, torch.Tensor]]:
        """Return where memory lies that the host allocated uninitialised, and what it held.

        Address and bytes (uint8) of each such storage. What of it nobody has written since still
        holds the pattern of `engine.poisoning`.
        """
        return [item for working in self._working for item in working.uninitialised()]

    def ranges(self) -> list[tuple[int, int]]:
        """Return the addresses `[start, end)` that belong to the launch's tensors."""
        return [item for working in self._working for item in working.ranges()]

    def bases(self) -> list[torch.Tensor]:
        """Return what lies at these addresses, each range as a uint8 vector."""
        return [item for working in self._working for item in working.bases()]


def prepare(launch: CapturedLaunch, config: Config, session: Session) -> PreparedReplay:
    """Return `launch` ready to run under `config`, its inputs restored.

    Raises
    ------
    KnobError
        The config names no knob of this launch, or a value that the knob cannot take.
    """
    hosted = session.hosted(launch, config)
    effective = hosted.effective.as_dict()
    options = {name: effective.get(name, value) for name, value in launch.options.items()}
    working = [session.kept.working_set(launch)]
    if hosted.reshaped:
        fresh = SnapshotPool().before({name: hosted.arguments[name] for name in hosted.reshaped})
        working.append(WorkingSet(fresh))
    return PreparedReplay(hosted, options, tuple(working))


def _tuning_hook(
    launch: CapturedLaunch, arguments: dict[str, Any], options: dict[str, Any]
) -> None:
    # A config's own hook adapts host-side arguments to the config: block shapes of descriptors.
    hook = getattr(launch.chosen, "pre_hook", None)
    if hook is not None:
        hook({**arguments, **{name: options[name] for name in OPTION_KNOBS if name in options}})


def _named(arguments: dict[str, Any], key: StorageKey) -> tuple[str, int]:
    """Return the argument in a storage, and the bytes of its elements."""
    for name, value in arguments.items():
        for tensor in tensors_in(value):
            if storage_key(tensor) == key:
                return name, tensor.element_size()
    return f"memory at {key[1]:#x}", 1


@contextlib.contextmanager
def put_back_after(prepared: PreparedReplay) -> Iterator[PreparedReplay]:
    """Return the user's tensors to what they held, however the work with `prepared` ends."""
    try:
        yield prepared
    finally:
        prepared.put_back()
