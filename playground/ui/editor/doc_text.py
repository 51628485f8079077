"""A name's description as rich text: the signature with the argument being written, then the words.

Triton's documentation is reStructuredText; what of it is markup is turned into ours or left out.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_ROLE = re.compile(r":(?:[\w:]+):`([^`]*)`")
_DOUBLE = re.compile(r"``([^`]*)``")
_SINGLE = re.compile(r"`([^`]*)`")
_LINK = re.compile(r"`([^`<]*?)\s*<[^>`]*>`_")
_DIRECTIVE = re.compile(r"^\s*\.\. \S+::.*$")
_FIELD = re.compile(r"^:(param|type|return|returns|rtype|note)\s*([^:]*):\s*(.*)$")


def to_html(
    description: Mapping[str, str], number: int | None = None, keyword: str = "", *, mono: str
) -> str:
    """Return a description as Qt's rich text.

    With `number` or `keyword` the argument that is written now is bold in the signature, and of the
    documentation only what it says of that argument follows. `mono` is the family of code's font.
    """
    name, arguments, rest = split_signature(description["signature"])
    chosen = -1 if number is None and not keyword else chosen_argument(arguments, number, keyword)
    shown = [
        f"<b><u>{html.escape(text)}</u></b>" if at == chosen else html.escape(text)
        for at, text in enumerate(arguments)
    ]
    line = html.escape(name)
    if rest is not None:
        line += f"({', '.join(shown)}){html.escape(rest)}"
    parts = [f"<div style=\"font-family:'{mono}'\">{line}</div>"]
    body, fields = parse(description["doc"])
    if chosen >= 0:
        about = fields.get(_bare(arguments[chosen]), "")
        if about:
            parts.append(f"<div>{_inline(about)}</div>")
    elif number is None and not keyword:
        parts += [_block(lines, mono) for lines in body]
        if fields:
            rows = "".join(
                f"<tr><td style=\"font-family:'{mono}'\">{html.escape(key)}&nbsp;&nbsp;"
                f"</td><td>{_inline(text)}</td></tr>"
                for key, text in fields.items()
            )
            parts.append(
                f"<table style='margin-top:6px' cellspacing='0' cellpadding='1'>{rows}</table>"
            )
        if description["where"]:
            parts.append(f"<div><i>{html.escape(description['where'])}</i></div>")
    return "".join(parts)


def split_signature(signature: str) -> tuple[str, list[str], str | None]:
    """Return a signature's name, its arguments, and what follows them (None without brackets).

    >>> split_signature("load(pointer, shape=(1, 2), *, x='')")
    ('load', ['pointer', 'shape=(1, 2)', '*', "x=''"], '')
    """
    start = signature.find("(")
    if start < 0 or not signature[:start].isidentifier():
        return signature, [], None
    depth, arguments, begin = 0, [], start + 1
    for at in range(start, len(signature)):
        letter = signature[at]
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        if (letter == "," and depth == 1) or depth == 0:
            text = signature[begin:at].strip()
            arguments += [text] if text else []
            begin = at + 1
        if depth == 0:
            return signature[:start], arguments, signature[at + 1 :]
    return signature, [], None


def chosen_argument(arguments: list[str], number: int | None, keyword: str) -> int:
    """Return which of a signature's arguments is meant by place or by keyword; -1 for none."""
    names = [_bare(argument) for argument in arguments]
    if keyword:
        if keyword in names:
            return names.index(keyword)
        spread = [at for at, text in enumerate(arguments) if text.startswith("**")]
        return spread[0] if spread else -1
    place = number or 0
    for at, text in enumerate(arguments):
        if text == "/":
            continue
        if text.startswith("**"):
            return -1
        if text.startswith("*"):
            return at if len(text) > 1 else -1
        if place == 0:
            return at
        place -= 1
    return -1


def parse(doc: str) -> tuple[list[list[str]], dict[str, str]]:
    """Return a documentation's paragraphs as lists of lines, and what it says of each argument."""
    fields: dict[str, str] = {}
    types: dict[str, str] = {}
    paragraphs: list[list[str]] = [[]]
    current: str | None = None
    told = fields
    for line in doc.split("\n"):
        if _DIRECTIVE.match(line):
            paragraphs.append([])
            continue
        field = _FIELD.match(line)
        if field:
            kind, name, text = field[1], field[2].strip().split(" ")[-1], field[3]
            told = types if kind == "type" else fields
            named = kind in ("param", "type")
            current = name if named else kind.rstrip("s").replace("rtype", "return")
            told[current] = f"{told.get(current, '')} {text}".strip()
        elif current is not None and line.startswith(" ") and line.strip():
            told[current] += " " + line.strip()
        elif line.strip():
            current = None
            paragraphs[-1].append(line)
        else:
            current = None
            paragraphs.append([])
    for name, text in types.items():
        fields[name] = f"{fields.get(name, '')} ({text})".strip()
    return [lines for lines in paragraphs if lines], fields


def _block(lines: list[str], mono: str) -> str:
    if all(line.lstrip().startswith("- ") for line in lines):
        return "".join(f"<div>• {_inline(line.lstrip()[2:])}</div>" for line in lines)
    if all(line.startswith("    ") for line in lines) and not lines[0].lstrip().startswith("("):
        text = "<br>".join(html.escape(line).replace(" ", "&nbsp;") for line in lines)
        return f"<p style=\"font-family:'{mono}'\">{text}</p>"
    return f"<p>{_inline(' '.join(line.strip() for line in lines))}</p>"


def _inline(text: str) -> str:
    text = html.escape(_LINK.sub(r"\1", text), quote=False)
    for pattern in (_ROLE, _DOUBLE, _SINGLE):
        text = pattern.sub(r"<code>\1</code>", text)
    return text


def _bare(argument: str) -> str:
    return re.split(r"[:=]", argument, maxsplit=1)[0].strip().lstrip("*")
