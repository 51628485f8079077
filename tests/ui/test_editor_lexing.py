"""Highlighting: right for strings of several lines, and after any edit the same as from scratch."""

import random

import pytest

from playground.model.resources import kernels_dir
from playground.ui.editor.code_editor import CodeEditor
from playground.ui.editor.lexing import LexedText
from playground.ui.theme import Theme

TEXT = '''@triton.jit
def kernel(x_ptr, BLOCK: tl.constexpr):
    """Doc over
    two lines: def class 12
    """
    y = 1.5  # comment
    return f"{y!r} text"


class A:
    pass
'''


def kinds(lexed, line):
    return [
        (lexed.lines[line][start : start + length], kind)
        for start, length, kind in lexed.spans[line]
    ]


def test_kinds_of_a_small_file():
    lexed = LexedText()
    lexed.update(TEXT)
    assert ("def", "keyword") in kinds(lexed, 1)
    assert ("kernel", "name") in kinds(lexed, 1)
    assert kinds(lexed, 3) == [("    two lines: def class 12", "string")]
    assert ("1.5", "number") in kinds(lexed, 5)
    assert ("# comment", "comment") in kinds(lexed, 5)
    assert lexed.inside[3]
    assert not lexed.inside[5]


def test_opening_a_string_recolours_what_follows():
    lexed = LexedText()
    lexed.update(TEXT)
    lexed.update(TEXT.replace("y = 1.5", 'y = """'))
    assert kinds(lexed, 9) == [("class A:", "string")]
    lexed.update(TEXT)
    assert ("class", "keyword") in kinds(lexed, 9)


@pytest.mark.parametrize("seed", range(6))
def test_incremental_equals_from_scratch(seed):
    chance = random.Random(seed)
    text = (kernels_dir() / "matmul.py").read_text()
    lexed = LexedText()
    lexed.update(text)
    pieces = ['"""', "'", "#", "\n", "def f():\n", "x", "(", "\\\n", "@a\n", " ", "🙂"]
    for _ in range(60):
        place = chance.randrange(len(text) + 1)
        if chance.random() < 0.4:
            text = text[:place] + text[place + chance.randrange(1, 40) :]
        else:
            text = text[:place] + chance.choice(pieces) + text[place:]
        lexed.update(text)
        fresh = LexedText()
        fresh.update(text)
        assert lexed.spans == fresh.spans
        assert lexed.inside == fresh.inside


def test_a_key_reads_little_of_a_long_file():
    text = (kernels_dir() / "matmul.py").read_text() * 5
    lexed = LexedText()
    lexed.update(text)
    lines = text.split("\n")
    middle = next(i for i in range(len(lines) // 2, len(lines)) if "tl.load" in lines[i])
    lines[middle] += "  # x"
    first, stop = lexed.update("\n".join(lines))
    assert first <= middle < stop
    assert stop - first < 0.25 * len(lines)


def test_colours_follow_the_text_and_the_theme(qtbot):
    theme = Theme("light")
    editor = CodeEditor(theme)
    qtbot.addWidget(editor)
    editor.load(TEXT)
    editor.highlighter.start()

    def color_at(line, column):
        block = editor.document().findBlockByNumber(line)
        for span in block.layout().formats():
            if span.start <= column < span.start + span.length:
                return span.format.foreground().color()
        return None

    assert color_at(1, 0) == theme.color("code_keyword")
    assert color_at(3, 20) == theme.color("code_string")
    theme.set_name("dark")
    assert color_at(3, 20) == theme.color("code_string")
    editor.insertPlainText("\n")  # at the top: colours travel with their lines
    assert color_at(2, 0) == theme.color("code_keyword")
    qtbot.waitUntil(lambda: not editor.highlighter._timer.isActive())
    assert color_at(2, 0) == theme.color("code_keyword")


def test_the_same_text_put_in_anew_is_coloured_again(qtbot):
    theme = Theme("light")
    editor = CodeEditor(theme)
    qtbot.addWidget(editor)
    text = (
        '"""Doc."""\n\nimport os\n\n\ndef first():\n    return 1\n\n\ndef second():\n    return 2\n'
    )
    editor.load(text)
    editor.highlighter.start()
    for changed in (text, text.replace("return 1", "return 11"), text):
        cursor = editor.textCursor()
        cursor.select(cursor.SelectionType.Document)
        cursor.insertText(changed)
        qtbot.waitUntil(lambda: not editor.highlighter._timer.isActive())
        for number, line in enumerate(changed.splitlines()):
            block = editor.document().findBlockByNumber(number)
            coloured = bool(block.layout().formats())
            assert coloured == bool(line.strip()), f"line {number + 1}: {line}"
