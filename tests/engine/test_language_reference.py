"""What Triton's language offers, read from the installed triton."""

import triton.language as tl

from playground.engine.language_reference import HIDDEN, language_entries

NAMES = ("load", "store", "dot", "arange", "sum", "exp", "where", "program_id", "atomic_add")


def test_every_function_of_the_language_is_there():
    entries = language_entries()
    for name in NAMES:
        function = getattr(tl, name)
        found = entries[f"{function.__module__}.{function.__name__}"]
        assert found["signature"].startswith(f"{name}(")
        assert found["doc"]


def test_parameters_of_the_compiler_are_left_out():
    for entry in language_entries().values():
        assert not any(name in entry["signature"] for name in HIDDEN)


def test_documentation_made_at_import_is_read():
    assert "exponential" in language_entries()["triton.language.math.exp"]["doc"]
