"""Changes to a written driver: another size, rank, type or value for one of its arguments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch

from playground.engine.driver_blame import UNSEEN, Blame, Source
from playground.model import driver_values
from playground.model.driver_draft import Draft, reshaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from playground.model.driver_tensors import Tensor

_MOST_ELEMENTS = 1 << 18
"""No tensor of a driver gets larger: the interpreter is to be done in a moment."""
_LARGEST_SIZE = 8192
_SAID = "changed to fit"


@dataclass(frozen=True)
class Reading:
    """Another driver, and why it was tried."""

    draft: Draft
    why: str


class Changes:
    """Makes drivers with other arguments out of the one that failed."""

    def __init__(self, blame: Blame) -> None:
        self.blame = blame
        self.draft = blame.draft

    # --------------------------------------------------------------------------- places

    def position(self, parameter: str) -> int | None:
        """Return where the call takes a parameter, None for one that goes by keyword."""
        names = self.blame.parameters
        if parameter in self.blame.by_keyword:
            return None
        if parameter not in names or any(s.keyword == parameter for s in self.draft.slots):
            return None
        return names.index(parameter)

    def variable(self, parameter: str) -> str:
        """Return the variable that the call passes for a parameter, or an empty text."""
        for at, slot in enumerate(self.draft.slots):
            name = slot.keyword or (
                self.blame.parameters[at] if at < len(self.blame.parameters) else ""
            )
            if name == parameter and slot.text in self.draft.made:
                return slot.text
        return ""

    def current(self, source: Source) -> Any:
        """Return the value of a source when the driver failed."""
        value = self.blame.values.get(source.parameter, UNSEEN)
        if source.axis is None or not isinstance(value, torch.Tensor):
            return value
        return value.shape[source.axis] if -value.ndim <= source.axis < value.ndim else UNSEEN

    # --------------------------------------------------------------------------- changes

    def sized(self, source: Source, value: int) -> Draft | None:
        """Return the driver with a size, or a number, of `value`."""
        if not 1 <= value <= _LARGEST_SIZE:
            return None
        variable = self.variable(source.parameter)
        if source.axis is None:
            return self.valued(source, str(value))
        tensor = self.draft.tensor(variable) if variable else None
        if tensor is None or not -len(tensor.texts) <= source.axis < len(tensor.texts):
            return None
        texts = [*tensor.texts]
        texts[source.axis] = self._named(value)
        return self.shaped(variable, texts)

    def shaped(self, variable: str, texts: Sequence[str]) -> Draft | None:
        """Return the driver with a tensor of another shape."""
        tensor = self.draft.tensor(variable)
        if tensor is None or tuple(texts) == tensor.texts or self._elements(texts) > _MOST_ELEMENTS:
            return None
        return self.draft.with_tensor(variable, replace(tensor, texts=tuple(texts)), _SAID)

    def ranked(self, source: Source, rank: int) -> list[Draft]:
        """Return drivers with a tensor of another rank: with those that look like it, and alone."""
        variable = self.variable(source.parameter)
        tensor = self.draft.tensor(variable) if variable else None
        if tensor is None or not 1 <= rank <= 6 or len(tensor.texts) == rank:
            return []
        alike = [
            name for name, other in self.draft.tensors().items()
            if other.texts == tensor.texts and other.role in ("float", "output")
            and self.draft.is_untold(name) == self.draft.is_untold(variable)
        ]  # fmt: skip
        sets = [alike, [variable]] if len(alike) > 1 and variable in alike else [[variable]]
        found = []
        for names in sets:
            draft = self.draft
            for name in names:
                inner = draft.tensor(name)
                if inner is not None:
                    draft = draft.with_tensor(name, reshaped(inner, rank), _SAID)
            found.append(draft)
        return found

    def typed(self, sources: Iterable[Source], dtype: Any) -> Draft | None:
        """Return the driver with tensors of another type."""
        draft = self.draft
        for source in sources:
            variable = self.variable(source.parameter)
            tensor = draft.tensor(variable) if variable else None
            if tensor is not None:
                draft = draft.with_tensor(variable, _of_type(tensor, str(dtype)), _SAID)
            elif source.axis is None and isinstance(self.current(source), torch.dtype):
                draft = draft.with_argument(
                    self.position(source.parameter), source.parameter, str(dtype)
                )
        return draft if draft.code != self.draft.code else None

    def all_typed(self, dtype: str) -> Draft | None:
        """Return the driver with all floating-point tensors of one type."""
        draft = self.draft
        for name, tensor in draft.tensors().items():
            if tensor.role in ("float", "output", "zeros") and not tensor.dtype.startswith(
                ("torch.int", "torch.uint", "torch.bool")
            ):
                draft = draft.with_tensor(name, replace(tensor, dtype=dtype), _SAID)
        return draft if draft.code != self.draft.code else None

    def valued(self, source: Source, text: str) -> Draft | None:
        """Return the driver with another value for a parameter."""
        if source.axis is not None or source.parameter not in self.blame.parameters:
            return None
        variable = self.variable(source.parameter)
        if variable and self.draft.tensor(variable) is None:
            draft = self.draft.with_made(variable, text, _SAID)
        else:
            draft = self.draft.with_argument(
                self.position(source.parameter), source.parameter, text
            )
        return draft if draft.code != self.draft.code else None

    def given(self, parameter: str) -> Draft | None:
        """Return the driver with something for a parameter that was left out, or that was None."""
        if driver_values.is_truth(parameter):
            return self.valued(Source(parameter), "True")
        if driver_values.is_count(parameter):
            return self.valued(Source(parameter), str(self._number(parameter)))
        rows = next((each for each in self.draft.tensors().values() if len(each.texts) > 1), None)
        text = rows.texts[-1] if rows is not None else "64"
        return self.with_new_tensor(parameter, (text,))

    def with_new_tensor(self, parameter: str, texts: tuple[str, ...]) -> Draft | None:
        """Return the driver with a tensor for a parameter that had none."""
        if parameter not in self.blame.parameters:
            return None
        variable = driver_values.plain_name(parameter)
        while variable in self.draft.made or variable in self.blame.namespace:
            variable += "_"
        device = self.draft.device
        line = f"{variable} = torch.randn({', '.join(texts)}, device={device})  # {_SAID}"
        old = self.variable(parameter)
        if old:
            return self.draft.with_made(
                old, f"torch.randn({', '.join(texts)}, device={device})", _SAID
            )
        draft = self.draft.with_line(line)
        return draft.with_argument(self.position(parameter), parameter, variable)

    def whole_number(self, parameter: str) -> Draft | None:
        """Return the driver with a whole number for a parameter."""
        return self.valued(Source(parameter), str(self._number(parameter)))

    def all_equal(self) -> Draft | None:
        """Return the driver with all sizes behind the first of each tensor 64, and all numbers."""
        draft = self.draft
        for name, tensor in draft.tensors().items():
            if len(tensor.texts) > 1:
                texts = (*tensor.texts[:-2], "64", "64")[-len(tensor.texts) :]
                draft = draft.with_tensor(name, replace(tensor, texts=texts), _SAID)
        return draft if draft.code != self.draft.code else None

    # ------------------------------------------------------------------- out of bounds

    def holder(self, value: Any) -> str:
        """Return the variable of the driver that holds the bytes of a kernel's argument."""
        if not isinstance(value, torch.Tensor):
            return ""
        storage = value.untyped_storage().data_ptr()
        for name in self.draft.tensors():
            own = self.blame.namespace.get(name)
            if isinstance(own, torch.Tensor) and own.untyped_storage().data_ptr() == storage:
                return name
        return ""

    def is_index(self, value: Any) -> bool:
        """Tell whether a kernel's argument holds indices that the driver has made up."""
        tensor = self.draft.tensor(self.holder(value))
        return tensor is not None and tensor.role in ("index", "offsets")

    def is_guessed(self, variable: str) -> bool:
        """Tell whether the file does not say how large a tensor is."""
        return self.draft.is_untold(variable) or driver_values.is_weight(variable)

    def small_indices(self) -> Draft | None:
        """Return the driver with indices of 0 and 1, lengths of one, and offsets a step apart."""
        draft = self.draft
        for name, tensor in draft.tensors().items():
            if tensor.role == "offsets":
                top = self._elements(tensor.texts)
                draft = draft.with_tensor(name, replace(tensor, top=top), _SAID)
            elif tensor.role == "index" and driver_values.is_length(name):
                shape, dtype = ", ".join(tensor.texts), tensor.dtype or "torch.int32"
                text = f"torch.ones({shape}, dtype={dtype}, device={draft.device})"
                draft = draft.with_made(name, text, _SAID)
            elif tensor.role == "index":
                draft = draft.with_tensor(name, replace(tensor, top=2), _SAID)
        return draft if draft.code != self.draft.code else None

    def harmless_indices(self) -> Draft | None:
        """Return the driver with zeros for all indices: they lie inside of anything."""
        draft = self.draft
        for name, tensor in draft.tensors().items():
            if tensor.role in ("index", "offsets"):
                dtype = tensor.dtype or "torch.int32"
                changed = replace(tensor, role="zeros", dtype=dtype)
                draft = draft.with_tensor(name, changed, _SAID)
        return draft if draft.code != self.draft.code else None

    def enlarged(self, variable: str) -> list[Draft | None]:
        """Return drivers with a larger tensor: as long as the rows of others, or several times."""
        tensor = self.draft.tensor(variable)
        if tensor is None:
            return []
        found: list[Draft | None] = []
        own = self._elements(tensor.texts)
        if len(tensor.texts) == 1:
            rows = {t.texts[-1] for t in self.draft.tensors().values() if len(t.texts) > 1}
            found += [
                self.shaped(variable, [text]) for text in sorted(rows)
                if self._elements([text]) > own
            ]  # fmt: skip
        first = self._elements(tensor.texts[:1])
        for times in (4, 32):
            found.append(self.shaped(variable, [str(first * times), *tensor.texts[1:]]))
        return found

    # ---------------------------------------------------------------------------- inside

    def _named(self, value: int) -> str:
        """Return a size as the driver's own number of that value, if there is just one."""
        names = [
            name for name in self.draft.made
            if type(self.blame.namespace.get(name)) is int
            and self.blame.namespace[name] == value and value > 4
        ]  # fmt: skip
        return names[0] if len(names) == 1 else str(value)

    def _number(self, parameter: str) -> int:
        return min(driver_values.size_of(parameter, matrices=False), 64)

    def _elements(self, texts: Sequence[str]) -> int:
        whole = 1
        for text in texts:
            value = self.blame.namespace.get(text)
            known = int(text) if text.isdigit() else value
            whole *= known if isinstance(known, int) else 64
        return whole


def _of_type(tensor: Tensor, dtype: str) -> Tensor:
    whole = dtype.startswith(("torch.int", "torch.uint", "torch.long"))
    if whole and tensor.role in ("float", "bool"):
        # Small numbers fit every type, and index what is small, too.
        return replace(tensor, role="index", top=max(tensor.top, 8), dtype=dtype)
    if not whole and tensor.role in ("index", "packed", "offsets"):
        return replace(tensor, role="float", dtype=dtype)
    return replace(tensor, dtype=dtype)
