"""The text of a written driver: numbers, tensors, launch and result, a commented line each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Role = Literal["float", "output", "zeros", "index", "offsets", "bool", "packed", "lock"]

_LONGEST_LINE = 88
_SAYS: dict[Role, str] = {
    "float": "loaded", "output": "stored", "zeros": "added to by atomics",
    "index": "indices", "offsets": "ascending offsets", "bool": "true or false",
    "packed": "packed bits", "lock": "a lock: zero is free",
}  # fmt: skip
_POSITIVE = re.compile(r"var|std|norm|sum|denom|scale|count|weight_?s$", re.IGNORECASE)


@dataclass
class Tensor:
    """A tensor that a driver makes: its variable, its shape as text and as numbers, its content.

    `top` is one more than the greatest number in a tensor of indices.
    """

    name: str
    texts: tuple[str, ...]
    sizes: tuple[int, ...]
    role: Role = "float"
    top: int = 0
    top_text: str = ""
    dtype: str = ""
    comment: str = ""
    descriptor: bool = False


def tensor_text(tensor: Tensor, texts: Sequence[str], device: str) -> str:
    """Return the expression that makes a tensor of the shape `texts` on `device`."""
    shape, where = ", ".join(texts), f"device={device}"
    kind = f"dtype={tensor.dtype}, " if tensor.dtype else ""
    tuple_text = f"({shape},)" if len(texts) == 1 else f"({shape})"
    role, top = tensor.role, tensor.top_text or str(max(tensor.top, 1))
    if role == "output":
        return f"torch.empty({shape}, {kind}{where})"
    if role == "zeros":
        return f"torch.zeros({shape}, {kind}{where})"
    if role == "lock":
        return f"torch.zeros({shape}, dtype=torch.int32, {where})"
    if role == "float" and re.fullmatch(r"torch\.u?int\d+", tensor.dtype):
        return f"torch.randint(0, 8, {tuple_text}, {kind}{where})"
    if "float8" in tensor.dtype:
        return f"torch.randn({shape}, {where}).to({tensor.dtype})"
    if role == "index":
        kind = kind or "dtype=torch.int32, "
        return f"torch.randint(0, {top}, {tuple_text}, {kind}{where})"
    if role == "offsets":
        count = " * ".join(texts)
        made = f"torch.linspace(0, {max(tensor.top - 1, 0)}, {count}, {where})"
        return made + ".to(torch.int32)" + (f".view({shape})" if len(texts) > 1 else "")
    if role == "bool" or tensor.dtype == "torch.bool":
        return f"torch.rand({shape}, {where}) > 0.5"
    if role == "packed":
        kind = kind or "dtype=torch.int32, "
        return f"torch.randint(0, 2**31 - 1, {tuple_text}, {kind}{where})"
    if _POSITIVE.search(tensor.name):
        return f"torch.rand({shape}, {kind}{where}) + 0.5"
    return f"torch.randn({shape}, {kind}{where})"


class DriverText:
    """Builds a driver's lines; variables get out of the way of the file's own names."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._lines: list[str] = []
        self._device = ""

    def text(self) -> str:
        """Return all lines."""
        return "\n".join(self._lines)

    def comment(self, *lines: str) -> None:
        """Add comment lines."""
        self._lines += [f"# {line}" for line in lines]

    def line(self, text: str = "") -> None:
        """Add a line of code."""
        self._lines.append(text)

    def variable(self, name: str) -> str:
        """Return `name`, or another one like it if the file uses it already."""
        plain = re.sub(r"\W", "_", name) or "value"
        while plain in self._taken:
            plain += "_"
        self._taken.add(plain)
        return plain

    def start(self, *, triton: bool = True) -> None:
        """Import what the driver needs, and choose the device."""
        self.line("import torch")
        if triton:
            self.line("import triton")
        self.line()
        self._device = self.variable("device")
        self.line(f'{self._device} = "cuda" if torch.cuda.is_available() else "cpu"')
        self.line("torch.manual_seed(0)")

    @property
    def device(self) -> str:
        """The variable that holds the device."""
        return self._device

    def numbers(self, sizes: Mapping[str, int]) -> dict[str, str]:
        """Set variables to numbers; return the variables by name."""
        names = {name: self.variable(name) for name in sizes}
        if names:
            self.line()
            for name, value in sizes.items():
                self.line(f"{names[name]} = {value}")
            self.line()
        return names

    def tensor(self, tensor: Tensor, names: Mapping[str, str]) -> str:
        """Make a tensor; return its variable."""
        variable = self.variable(tensor.name)
        texts = [names.get(text, text) for text in tensor.texts]
        said = tensor.comment or _SAYS[tensor.role]
        made = tensor_text(tensor, texts, self._device)
        line = f"{variable} = {made}  # {said}"
        if len(line) > _LONGEST_LINE:
            self.comment(said)
            line = f"{variable} = {made}"
        self.line(line)
        if tensor.descriptor:
            block = ", ".join(["16"] * (len(texts) - 1) + ["32"])
            self.line("from triton.tools.tensor_descriptor import TensorDescriptor")
            self.line(
                f"{variable} = TensorDescriptor.from_tensor({variable}, [{block}])"
                "  # block as the kernel's tile"
            )
        return variable

    def launch(
        self, call: str, arguments: list[tuple[str, bool]], grid: str, assigned: str
    ) -> None:
        """Launch a kernel on a grid."""
        variable = self.variable("grid")
        self.line()
        self.line(f"{variable} = {grid}")
        self.call(f"{call}[{variable}]", [text for text, _ in arguments], assigned)

    def call(self, function: str, arguments: list[str], assigned: str = "") -> None:
        """Call `function`; a long call is broken over lines."""
        start = f"{assigned} = {function}(" if assigned else f"{function}("
        line = f"{start}{', '.join(arguments)})"
        if len(line) <= _LONGEST_LINE:
            self.line(line)
            return
        self.line(start)
        current = "   "
        for argument in arguments:
            if len(current) + len(argument) + 2 > _LONGEST_LINE and current.strip():
                self.line(current)
                current = "   "
            current += f" {argument},"
        self.line(current)
        self.line(")")

    def result(self, variables: list[str]) -> None:
        """End with what the driver's value is: the tensors that were stored to."""
        if variables:
            self.line(", ".join(variables))
