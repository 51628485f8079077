"""What a debugger tells of one interpreted program: where it stands, and the values there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Program = tuple[int, int, int]
"""A program's place in the grid: x, y, z."""

StopReason = Literal[
    "entry", "step", "breakpoint", "cursor", "round", "paused", "error", "returned"
]  # fmt: skip
ValueKind = Literal["block", "scalar", "pointer", "constexpr", "global", "other"]

STEP_VERBS = ("go", "into", "over", "out", "round", "until", "pause")
"""What a stopped (or, for `pause`, running) program can be told to do."""

StepVerb = Literal["go", "into", "over", "out", "round", "until", "pause"]


@dataclass(frozen=True)
class Breakpoint:
    """Stop before a line, where `condition` (an expression over the values there) holds.

    A line without a statement stands for the next one that has one.
    """

    file: str
    line: int
    condition: str = ""


@dataclass(frozen=True)
class Frame:
    """One function that runs: the line that it is about to run, or called from."""

    function: str
    file: str
    line: int


@dataclass(frozen=True)
class Value:
    """One local of a program, or a watched expression, in a table's words.

    `text` is short; `minimum` to `infinities` are of the finite elements of a block of numbers.
    A pointer is told as elements of the tensor that it points into. `changed` says that it holds
    something else than at the stop before. `problem` is why an expression has no value.
    """

    name: str
    kind: ValueKind
    type: str
    text: str
    shape: tuple[int, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    nans: int = 0
    infinities: int = 0
    changed: bool = False
    problem: str = ""


@dataclass(frozen=True)
class Round:
    """A loop that the program is in: its line, the round (from 0), and of how many if known."""

    line: int
    round: int
    rounds: int | None = None


@dataclass(frozen=True)
class Stop:
    """Where a program stands: its calls (the innermost first), values and loops there.

    `notes` are what happened since the last stop: what was printed, lanes outside a tensor, an
    assertion. With reason `returned` the program has ended, and the values are its last ones.
    """

    reason: StopReason
    program: int
    frames: tuple[Frame, ...]
    values: tuple[Value, ...]
    watches: tuple[Value, ...] = ()
    rounds: tuple[Round, ...] = ()
    notes: tuple[str, ...] = ()
    steps: int = 0

    @property
    def line(self) -> int:
        """The line that runs next, 0 where there is none."""
        return self.frames[0].line if self.frames else 0

    @property
    def file(self) -> str:
        """The file of that line."""
        return self.frames[0].file if self.frames else ""


@dataclass(frozen=True)
class Printed:
    """What one program printed at one place: `tl.device_print` with one value, or a text.

    `program` is the linear id, -1 where it cannot be told (`tl.static_print` runs while the kernel
    compiles). `values` are the elements as printed, in order; `count` of them there were, of which
    the first are kept. `line` is 0 where it is not known: a GPU does not tell.
    """

    program: int
    prefix: str
    values: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()
    count: int = 0
    line: int = 0
    operand: int = 0


@dataclass(frozen=True)
class Prints:
    """All that a launch printed: by program in order, bounded.

    `lines` is how many there were, `kept` how many of them are here, `lost` that a GPU's buffer
    was too small for all. `other` are lines that are no program's.
    """

    mode: Literal["gpu", "interpreter"]
    printed: tuple[Printed, ...]
    static: tuple[str, ...] = ()
    lines: int = 0
    lost: bool = False
    other: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Operand:
    """What went into an operation at one element."""

    text: str
    value: float


@dataclass(frozen=True)
class Origin:
    """The place where a NaN or an infinity came about, in one program.

    `made` is `computed` (finite values went in), `loaded` (it lay in the memory that the program
    read) or `constant` (the text says so). `index` is the first such element of the block, `lanes`
    how many of them there were, `what` the operation, `operands` what went into it there.
    """

    program: int
    file: str
    line: int
    source: str
    value: float
    made: Literal["computed", "loaded", "constant"]
    what: str
    shape: tuple[int, ...]
    index: tuple[int, ...]
    lanes: int
    operands: tuple[Operand, ...] = ()
    tensor: str = ""
    element: int = -1


@dataclass(frozen=True)
class Stored:
    """Elements that are not finite in a tensor that the launch wrote: the first, and how many."""

    tensor: str
    element: tuple[int, ...]
    value: float
    program: int
    line: int
    nans: int
    infinities: int


@dataclass(frozen=True)
class NonFinite:
    """What hunting for NaN and infinities found.

    `stored` tells the tensors that hold any, `origins` where they came about (the first program's
    first), `harmless` how many came about in lanes that no store let out. `programs` were looked
    at, of `grid` there are.
    """

    stored: tuple[Stored, ...]
    origins: tuple[Origin, ...]
    harmless: int
    programs: int
    of: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ElementDifference:
    """One tensor compared element by element; `first` and `worst` are places in it.

    `got` and `want` stand at the first place, `worst_got` and `worst_want` at the worst.
    """

    tensor: str
    shape: tuple[int, ...]
    compared: int
    mismatches: int
    tolerance: float
    max_abs_error: float
    first: tuple[int, ...] | None = None
    got: float = 0.0
    want: float = 0.0
    worst: tuple[int, ...] | None = None
    worst_got: float = 0.0
    worst_want: float = 0.0
    program: int = -1
    file: str = ""
    line: int = 0


@dataclass(frozen=True)
class Differences:
    """A launch's result beside another: of which of the two, and how far they are apart."""

    left: str
    right: str
    tensors: tuple[ElementDifference, ...]
    programs: int
    of: int
    notes: tuple[str, ...] = ()

    @property
    def first(self) -> ElementDifference | None:
        """The tensor that differs, None where none does."""
        return next((one for one in self.tensors if one.mismatches), None)


@dataclass(frozen=True)
class WrittenTensor:
    """What one program left in a tensor: how many elements, and the first of them.

    `first` to `last` are the lowest and the highest element (counted row by row).
    """

    tensor: str
    shape: tuple[int, ...]
    dtype: str
    elements: int
    first: int
    last: int
    nans: int = 0
    infinities: int = 0


@dataclass(frozen=True)
class AloneRun:
    """What one program did, run alone: the tensors it wrote, what it printed, what went wrong."""

    mode: Literal["gpu", "interpreter"]
    program: int
    grid: Program
    written: tuple[WrittenTensor, ...]
    prints: Prints
    duration_ms: float
    notes: tuple[str, ...] = ()
