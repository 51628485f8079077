"""A name's description as rich text."""

from playground.ui.editor.describing import argument
from playground.ui.editor.doc_text import chosen_argument, parse, split_signature, to_html

DOC = """Return the sum of :code:`x` along ``axis``.

:param x: the values
:type x: Block
:param axis: along which,
    or all
.. highlight:: python
"""


def described(signature="sum(x, axis=None, *, keep=(1, 2))", doc=DOC):
    return {"name": "sum", "signature": signature, "doc": doc, "where": "triton.language"}


def test_signatures_are_split_at_their_own_commas():
    name, arguments, rest = split_signature("f(a, b=(1, 2), *c, d: dict[int, str]='x') -> int")
    assert (name, rest) == ("f", " -> int")
    assert arguments == ["a", "b=(1, 2)", "*c", "d: dict[int, str]='x'"]
    assert split_signature("x = 3") == ("x = 3", [], None)


def test_which_argument_is_written():
    assert argument("") == (0, "")
    assert argument("x, m[0, 1], oth") == (2, "")
    assert argument("x, other=") == (1, "other")
    assert argument("x == y") == (0, "")
    assert argument("'a, b', ") == (1, "")


def test_the_argument_is_found_by_place_and_keyword():
    arguments = ["a", "/", "b=1", "*", "c=2"]
    assert chosen_argument(arguments, 1, "") == 2
    assert chosen_argument(arguments, 0, "c") == 4
    assert chosen_argument(arguments, 2, "") == -1
    assert chosen_argument(["a", "*rest"], 5, "") == 1
    assert chosen_argument(["**options"], 0, "x") == 0


def test_the_fields_of_a_documentation_are_told_apart():
    paragraphs, fields = parse(DOC)
    assert paragraphs == [["Return the sum of :code:`x` along ``axis``."]]
    assert fields == {"x": "the values (Block)", "axis": "along which, or all"}


def test_markup_becomes_rich_text():
    text = to_html(described(), mono="Mono")
    assert "Return the sum of <code>x</code> along <code>axis</code>." in text
    assert "highlight" not in text
    assert "triton.language" in text
    linked = to_html(described(doc="See `the manual <https://x.y/z>`_ for more."), mono="Mono")
    assert "See the manual for more." in linked


def test_of_a_call_only_its_argument_is_explained():
    text = to_html(described(), 1, mono="Mono")
    assert "<b><u>axis=None</u></b>" in text
    assert "along which, or all" in text
    assert "the values" not in text
    assert "&lt;b&gt;" in to_html(described("f(x='<b>')"), mono="Mono")
