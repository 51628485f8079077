"""What is known of a launcher: its parameters, which sizes are equal, and its launches."""

from __future__ import annotations

from dataclasses import dataclass, field

from playground.model.symbolic import Sym


@dataclass(eq=False)
class HostTensor:
    """A tensor in a launcher; `origin` is the parameter whose bytes it looks at, if any.

    `axes` are the sizes by position, as far as they are known. `turned` tells of the parameter's
    own dimensions in another order.
    """

    origin: str = ""
    rank: int | None = None
    axes: dict[int, Sym] = field(default_factory=dict)
    like: HostTensor | None = None
    turned: bool = False


@dataclass(eq=False)
class Shape:
    """The value of `x.shape`."""

    tensor: HostTensor


@dataclass(eq=False)
class Parameter(HostTensor):
    """A parameter, which its use shows to be a tensor, a number, or a tensor's axis.

    `default` is what a driver leaves it at, as a constant where it is one; `given` is false where
    a driver leaves it at its default, `needed` true where that would not pass a check. `words` are
    the texts that it is compared with, `items` how many of its elements are looked at.
    """

    name: str = ""
    annotation: str = ""
    is_tensor: bool = False
    is_number: bool = False
    is_axis: bool = False
    least_rank: int = 0
    dtype: str = ""
    given: bool = True
    default: object = None
    needed: bool = False
    by_keyword: bool = False
    words: list[str] = field(default_factory=list)
    items: int = 0


HostValue = Sym | HostTensor | Shape | tuple["HostValue", ...]


@dataclass(frozen=True)
class HostLaunch:
    """One launch in a launcher: the kernel's name, its arguments, and the grid."""

    kernel: str
    positional: tuple[HostValue, ...]
    named: tuple[tuple[str, HostValue], ...]
    grid: tuple[Sym, ...]


@dataclass
class HostUse:
    """A launcher's parameters, which sizes are equal, what they are called, and its launches.

    `defined` are sizes that an expression of others gives. `at_most` holds pairs of which the first
    is no more than the second.
    """

    parameters: dict[str, Parameter] = field(default_factory=dict)
    launches: list[HostLaunch] = field(default_factory=list)
    equal: list[tuple[str, str]] = field(default_factory=list)
    called: dict[str, str] = field(default_factory=dict)
    same_dtype: list[tuple[str, str]] = field(default_factory=list)
    defined: list[tuple[str, Sym]] = field(default_factory=list)
    at_most: list[tuple[Sym, Sym]] = field(default_factory=list)
