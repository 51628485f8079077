"""A written driver taken apart: what it makes, what it calls, and the same with other values."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace

from playground.model.driver_tensors import DriverText, Tensor, tensor_text

_NOT_TOLD = "could not be read"


@dataclass(frozen=True)
class Slot:
    """An argument of the driver's call: its text, the keyword it goes by, where it stands."""

    text: str
    keyword: str
    node: ast.expr


class Draft:
    """A driver's code, its tensors and numbers by variable, and the arguments of its call.

    Parameters
    ----------
    code
        A driver as the app writes it: one assignment a line, then the call.
    """

    def __init__(self, code: str) -> None:
        self.code = code
        self.lines = code.splitlines()
        tree = ast.parse(code)
        self.made: dict[str, ast.Assign] = {}
        self.call: ast.Call | None = None
        self.device = "device"
        for node in tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self.made[node.targets[0].id] = node
                if "is_available" in ast.unparse(node.value):
                    self.device = node.targets[0].id
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                seeds = ast.unparse(node.value.func).startswith("torch.")
                self.call = self.call if seeds else node.value

    @property
    def called(self) -> str:
        """The name that the driver calls: `add`, `Function.apply`, `model`."""
        return "" if self.call is None else ast.unparse(self.call.func)

    @property
    def slots(self) -> list[Slot]:
        """The arguments of the call."""
        if self.call is None:
            return []
        plain = [Slot(ast.unparse(each), "", each) for each in self.call.args]
        named = [
            Slot(ast.unparse(each.value), each.arg or "", each.value) for each in self.call.keywords
        ]
        return [*plain, *named]

    # ------------------------------------------------------------------------- tensors

    def tensor(self, variable: str) -> Tensor | None:
        """Return how a variable's tensor is made; None for anything else."""
        node = self.made.get(variable)
        return None if node is None else _tensor(variable, node.value)

    def tensors(self) -> dict[str, Tensor]:
        """Return all tensors that the driver makes, by variable."""
        found = {name: self.tensor(name) for name in self.made}
        return {name: tensor for name, tensor in found.items() if tensor is not None}

    def is_untold(self, variable: str) -> bool:
        """Tell whether nothing in the file gives the shape of a variable's tensor."""
        node = self.made.get(variable)
        if node is None:
            return False
        before = self.lines[node.lineno - 2] if node.lineno > 1 else ""
        return _NOT_TOLD in before or _NOT_TOLD in self.lines[node.lineno - 1]

    # --------------------------------------------------------------------------- changes

    def with_tensor(self, variable: str, tensor: Tensor, said: str) -> Draft:
        """Return the driver with another tensor in a variable, and what its comment says."""
        return self.with_made(variable, tensor_text(tensor, tensor.texts, self.device), said)

    def with_made(self, variable: str, text: str, said: str) -> Draft:
        """Return the driver with a variable made by `text`."""
        node = self.made[variable]
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        if first > 0 and self.lines[first - 1].startswith("# ") and _NOT_TOLD in self.lines[
            first - 1
        ]:  # fmt: skip
            first -= 1
        line = f"{variable} = {text}"
        lines = [f"{line}  # {said}"] if len(line) + len(said) < 76 else [f"# {said}", line]
        return Draft("\n".join([*self.lines[:first], *lines, *self.lines[last + 1 :]]))

    def with_argument(self, position: int | None, keyword: str, text: str) -> Draft:
        """Return the driver with another argument: at a position, or by keyword, new or old.

        Parameters
        ----------
        position
            Where the call takes it; None where it is passed by keyword only. One that comes right
            after those passed by position is passed so, too: `Function.apply` takes no keywords.
        """
        call = self.call
        if call is None:
            return self
        plain = [ast.unparse(each) for each in call.args]
        named = {each.arg or "": ast.unparse(each.value) for each in call.keywords}
        if position is not None and position < len(plain):
            plain[position] = text
        elif position == len(plain) and not named:
            plain.append(text)
        else:
            named[keyword] = text
        builder = DriverText(())
        builder.call(self.called, [*plain, *(f"{key}={each}" for key, each in named.items())])
        first, last = call.lineno - 1, call.end_lineno or call.lineno
        return Draft("\n".join([*self.lines[:first], builder.text(), *self.lines[last:]]))

    def with_line(self, text: str) -> Draft:
        """Return the driver with a line of code put before its call."""
        at = self.call.lineno - 1 if self.call is not None else len(self.lines)
        return Draft("\n".join([*self.lines[:at], text, *self.lines[at:]]))


def reshaped(tensor: Tensor, rank: int) -> Tensor:
    """Return a tensor of another rank: leading dimensions are small, the last two are kept."""
    usual = {1: ("64",), 2: ("64", "64"), 3: ("2", "64", "64"), 4: ("2", "4", "64", "64")}
    texts = tensor.texts
    if len(texts) < 2 or rank > len(texts) + 2:
        texts = usual.get(rank, ("2",) * (rank - 4) + usual[4])
    elif rank > len(texts):
        texts = ("2",) * (rank - len(texts)) + texts
    else:
        texts = texts[len(texts) - rank :]
    return replace(tensor, texts=texts, sizes=())


# --------------------------------------------------------------------------------- reading


def _tensor(variable: str, node: ast.expr) -> Tensor | None:
    if isinstance(node, ast.BinOp):
        return _tensor(variable, node.left)
    if isinstance(node, ast.Compare):
        found = _tensor(variable, node.left)
        return None if found is None else replace(found, role="bool")
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    name = node.func.attr
    if name in ("to", "view") and isinstance(node.func.value, ast.Call):
        found = _tensor(variable, node.func.value)
        if found is None:
            return None
        if name == "view":
            return replace(found, texts=tuple(ast.unparse(each) for each in node.args))
        kind = ast.unparse(node.args[0]) if node.args else ""
        return found if found.role == "offsets" else replace(found, dtype=kind)
    if ast.unparse(node.func.value) != "torch":
        return None
    kind = next((ast.unparse(k.value) for k in node.keywords if k.arg == "dtype"), "")
    if name in ("randn", "rand", "empty", "zeros", "ones"):
        texts = tuple(ast.unparse(each) for each in node.args)
        role = {"empty": "output", "zeros": "zeros"}.get(name, "float")
        return Tensor(variable, texts, (), role, dtype=kind)  # type: ignore[arg-type]
    if name == "randint" and len(node.args) == 3 and isinstance(node.args[2], ast.Tuple):
        texts = tuple(ast.unparse(each) for each in node.args[2].elts)
        top = ast.unparse(node.args[1])
        number = int(top) if re.fullmatch(r"\d+", top) else 8
        return Tensor(variable, texts, (), "index", number, dtype=kind)
    if name == "linspace" and len(node.args) == 3:
        top = ast.unparse(node.args[1])
        number = int(top) + 1 if re.fullmatch(r"\d+", top) else 64
        return Tensor(variable, (ast.unparse(node.args[2]),), (), "offsets", number)
    return None
