"""The syntax tree of a text, and the columns that it counts in bytes."""

import ast

from playground.model.source_tree import column_of, tree_of


def test_a_text_has_one_tree():
    assert tree_of("x = 1") is tree_of("x = 1")


def test_columns_count_characters():
    for line in ("x = y", "é = y", "変数 = y", "𝛼 = y"):
        name = tree_of(line).body[0]
        assert isinstance(name, ast.Assign)
        assert line[column_of(line, name.value.col_offset)] == "y"
    assert column_of("", 3) == 0
