"""The bundled kernels: what each is called and teaches, and on which machines it runs.

Words come from each file's first lines, the order from `kernels/index.toml`, and what a kernel
needs from `assets/gallery/facts.json`: there `python -m tests.benchmarks.gallery` writes what it
found by running each in the interpreter and compiling it for every known target.
"""

from __future__ import annotations

import functools
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playground.model.resources import assets_dir, kernels_dir

_LONGEST_TITLE = 32


@dataclass(frozen=True)
class KernelFacts:
    """What was found by running a kernel: its result interpreted, and the targets it fits.

    `interpreted` is `correct`, or why it is not judged or not right without a GPU.
    """

    interpreted: str = "correct"
    targets: tuple[str, ...] = ()


@dataclass(frozen=True)
class BundledKernel:
    """A kernel file that comes with the program."""

    path: Path
    title: str
    line: str
    about: str
    facts: KernelFacts

    @property
    def name(self) -> str:
        """The file's name without its ending; the command line takes it for the path."""
        return self.path.stem

    def matches(self, query: str) -> bool:
        """Tell whether all words of `query` are among what the kernel teaches."""
        text = f"{self.name} {self.title} {self.line} {self.about}".lower()
        return all(word in text for word in query.lower().split())


@dataclass(frozen=True)
class KernelGroup:
    """Kernels that are about one thing, the easiest first."""

    title: str
    kernels: tuple[BundledKernel, ...]


@dataclass(frozen=True)
class Mark:
    """Whether a kernel runs on a machine, in words, and why not."""

    kind: Literal["runs", "gpu"]
    text: str
    why: str = ""


@functools.lru_cache(maxsize=1)
def kernel_groups() -> tuple[KernelGroup, ...]:
    """Return the bundled kernels in the order in which they build on each other."""
    with (kernels_dir() / "index.toml").open("rb") as file:
        groups = tomllib.load(file)["group"]
    facts = _facts()
    return tuple(
        KernelGroup(group["title"], tuple(_kernel(name, facts) for name in group["kernels"]))
        for group in groups
    )


def bundled_kernels() -> tuple[BundledKernel, ...]:
    """Return the bundled kernels with the first sentence of their docstrings."""
    return tuple(kernel for group in kernel_groups() for kernel in group.kernels)


def picture_of(name: str) -> Path:
    """Return the file of a kernel's picture: which program touches what, as it was counted."""
    return assets_dir() / "gallery" / f"{name}.png"


def mark_of(kernel: BundledKernel, target: str | None) -> Mark:
    """Tell whether `kernel` runs on a machine with the GPU `target`; empty: none, None: unknown."""
    facts = kernel.facts
    if target:
        if target in facts.targets or not facts.targets:
            return Mark("runs", "runs here", f"compiles for {target}, and fits")
        fitting = ", ".join(facts.targets)
        return Mark("gpu", "needs another GPU", f"does not compile for or fit {target}; {fitting}")
    if facts.interpreted != "correct":
        return Mark("gpu", "needs a GPU", f"without one: {facts.interpreted}")
    where = "runs here" if target == "" else "runs without a GPU"
    return Mark("runs", where, "interpreted and checked; times need a GPU")


def _facts() -> dict[str, KernelFacts]:
    path = assets_dir() / "gallery" / "facts.json"
    with path.open(encoding="utf-8") as file:
        read = json.load(file)
    return {
        name: KernelFacts(str(each["interpreted"]), tuple(each["targets"]))
        for name, each in read.items()
    }


def _kernel(name: str, facts: dict[str, KernelFacts]) -> BundledKernel:
    path = kernels_dir() / f"{name}.py"
    with path.open(encoding="utf-8") as file:
        # Each begins with its docstring; names stand in backquotes there.
        line = file.readline().strip().strip('"').replace("`", "")
        about: list[str] = []
        for each in file:
            if each.strip().endswith('"""'):
                break
            about.append(each.strip())
    title, colon, rest = line.partition(":")
    if not colon or len(title) > _LONGEST_TITLE:
        title, rest = name.replace("_", " ").capitalize(), line
    rest = rest.strip()
    told = " ".join(about).strip().replace("`", "")
    return BundledKernel(
        path, title, rest[:1].upper() + rest[1:], told, facts.get(name, KernelFacts())
    )
