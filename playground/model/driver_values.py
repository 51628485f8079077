"""Values that the app puts into a driver it writes, by what the names say."""

from __future__ import annotations

import re

MOST_PROGRAMS = 96
"""A driver is for looking at: one that launches more programs gets smaller sizes."""
INDEX_VALUES = 8
"""Loaded values that are indices lie under this."""
OFFSET_VALUES = 64
"""Loaded values that are offsets into another tensor go up to this."""

_SIZES: tuple[tuple[str, int], ...] = (
    (r"n_?elem\w*|num_?el\w*|n|size|length|total\w*|numel|xnumel|n_?items|count", 1000),
    (r"m", 128), (r"n", 192), (r"k", 64),
    (r"b|bs|bsz|batch\w*|n_?batch\w*|z|num_?seqs?", 2),
    (r"(n_?|num_?|q_?|kv_?)*(h|heads?|hq|hkv|hk|hv)", 4),
    (r"(max_?)?(t|s|l|seq\w*|n_?ctx\w*|q_?len\w*|kv_?len\w*|ctx\w*|context\w*|lq|lk|sq|sk)", 128),
    (r"(n_?|num_?)?(d|dim|head_?dim|hidden\w*|d_?model|d_?head|dk|dv|embed\w*|feat\w*)", 64),
    (r"(n_?|num_?|in_?|out_?)*(c|ch|channels?|cin|cout|ic|oc)", 32),
    (r"w|width|h|height|iw|ih|ow|oh", 32),
    (r"v|n_?vocab|vocab\w*|n_?classes|num_?classes", 256),
    (r"e|(n_?|num_?)?experts?|g|(n_?|num_?)?groups?", 4),
    (r"top_?k", 2), (r"num_?sms?|num_?programs", 3),
    (r"(n_?|num_?)?(rows?|tokens?|queries|points)|r", 64),
    (r"(n_?|num_?)?(cols?|columns?)", 192),
    (r"group_?size\w*", 64),
)  # fmt: skip

_FLOATS: tuple[tuple[str, float], ...] = (
    (r"\w*eps\w*", 1e-5), (r"\w*(dropout|prob)\w*|p", 0.1), (r"\w*scale\w*", 0.125),
    (r"\w*(alpha|factor|gamma)\w*", 2.0), (r"\w*(lr|learning_rate|step_size)\w*", 0.01),
    (r"\w*(beta|momentum|decay)\w*", 0.9), (r"\w*(temp\w*)", 1.0), (r"\w*slope\w*", 0.1),
)  # fmt: skip

_TRUTHS = re.compile(
    r"(is|has|use|even|with|causal|store|return|apply|add|do|enable|allow|needs?|needed|save|load)"
    r"(_\w*)?|\w*(causal|flag|enabled|_on|mask(ed)?)", re.IGNORECASE,
)  # fmt: skip


def size_of(name: str, *, matrices: bool) -> int:
    """Return a small number for a size called `name`; `matrices` tells that M, N and K are around.

    Sizes that meet in one kernel differ, and are multiples of the usual blocks: an overrun of one
    dimension then shows, and masks are exercised by the counts of elements.
    """
    plain = name.lower().strip("_")
    if matrices and plain in ("m", "n", "k"):
        return {"m": 128, "n": 192, "k": 64}[plain]
    for pattern, value in _SIZES:
        if re.fullmatch(pattern, plain):
            return value
    return 64


def is_count(name: str) -> bool:
    """Tell whether a parameter called `name` is a whole number: a size, a length, a count."""
    return re.search(
        r"(^|_)(size|dim|len|length|seqlen|heads?|rank|width|height)s?$|^(n|num|max)_", name.lower()
    ) is not None  # fmt: skip


def list_of(name: str, annotation: str, items: int) -> str:
    """Return a list for a parameter that is annotated as one, or an empty text.

    Parameters
    ----------
    items
        How many of its elements are looked at; 0 where that is not known.
    """
    found = re.fullmatch(
        r"(?:typing\.)?(list|sequence|iterable|tuple)\[(.+)\]", annotation, re.IGNORECASE
    )
    if found is None:
        return ""
    parts = [part.strip() for part in _parts(found[2])]
    one_kind = found[1].lower() != "tuple" or (len(parts) == 2 and parts[1] == "...")
    kinds = parts[:1] * max(items, 1) if one_kind else parts
    made = [_element(name, kind) for kind in kinds]
    if not all(made):
        return ""
    if found[1].lower() == "tuple":
        return f"({', '.join(made)}{',' * (len(made) == 1)})"
    return f"[{', '.join(made)}]"


def _element(name: str, kind: str) -> str:
    if kind.endswith("Tensor"):
        return "torch.randn(64, 64, device={device})"
    if kind == "int":
        size = size_of(re.sub(r"(_cpu|_list)$|s$", "", name), matrices=False)
        return str(min(size, 64))
    if kind == "float":
        return repr(float_of(name))
    return {"bool": "False", "str": "''"}.get(kind) or list_of(name, kind, 0)


def _parts(text: str) -> list[str]:
    """Split at the commas outside of brackets."""
    found, depth = [""], 0
    for each in text:
        depth += (each == "[") - (each == "]")
        if each == "," and not depth:
            found.append("")
        else:
            found[-1] += each
    return found


def float_of(name: str) -> float:
    """Return a harmless number for a floating-point parameter called `name`."""
    for pattern, value in _FLOATS:
        if re.fullmatch(pattern, name.lower()):
            return value
    return 0.5


def is_block(name: str) -> bool:
    """Tell whether a constexpr called `name` is the size of a tile."""
    return re.search(r"block|tile|chunk|^b[lmnkd]?\d?$|^bs|^xb|^yb", name.lower()) is not None


def is_index(name: str) -> bool:
    """Tell whether a tensor called `name` holds indices or classes, one for each row."""
    return re.search(r"(^|_)(idx|ids?|ind(ex|ices)|labels?|targets?)$", name.lower()) is not None


def is_weight(name: str) -> bool:
    """Tell whether a tensor called `name` holds a number for each element of a row."""
    return re.search(r"(^|_)(gamma|beta|weights?|w|bias|scale)$", name.lower()) is not None


def is_length(name: str) -> bool:
    """Tell whether a tensor called `name` holds lengths or counts."""
    return re.search(r"len|count|num_|sizes|splits", name.lower()) is not None


def asks_for_kernels(name: str) -> bool:
    """Tell whether a parameter called `name` chooses the way that launches kernels."""
    return re.fullmatch(r"(use_|enable_|with_)?(triton|kernels?)", name.lower()) is not None


def is_truth(name: str) -> bool:
    """Tell whether a parameter called `name` is true or false."""
    return _TRUTHS.fullmatch(name) is not None


def constexpr_of(name: str, *, flat: bool) -> int | bool:
    """Return a value for a constexpr called `name`; `flat` tells that the kernel has one axis."""
    plain = name.lower()
    if is_truth(name):
        return False
    if re.search(r"group.*m|group_size$|groups_m", plain):
        return 8
    if re.search(r"split", plain):
        return 1
    if re.search(r"stages", plain):
        return 2
    if re.search(r"warps|num_sms|programs", plain):
        return 4
    if re.search(r"seed", plain):
        return 0
    if is_block(name):
        return 128 if flat else 64
    if re.search(r"dim|^d[kv]?$|head", plain):
        return 64
    return size_of(name, matrices=False) if size_of(name, matrices=False) != 1000 else 128


def holds_offsets(name: str) -> bool:
    """Tell whether an integer tensor called `name` holds starts of rows, so that it ascends."""
    return (
        re.search(r"cu_|cumsum|offset|indptr|seqlens|starts?|ptrs$|crow", name.lower()) is not None
    )


def plain_name(name: str) -> str:
    """Return a variable's name for a pointer parameter: `x_ptr` holds the address of `x`."""
    plain = re.sub(r"(_ptrs?|_pointer|_desc)$|^(ptr|p)_(?=\w)", "", name)
    plain = re.sub(r"(?<=[a-zA-Z])Ptr$", "", plain)
    return plain or name
