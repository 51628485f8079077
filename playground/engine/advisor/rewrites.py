"""Changes of the kernel's text that can be tried: each is an edit of the lines it is about."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from playground.engine.advisor.kernel_text import keyword, last_name, named_values
from playground.engine.edits import Edit, removed, replaced
from playground.model.advice import Try

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playground.engine.advisor.facts import Facts
    from playground.engine.advisor.kernel_text import KernelText


def made(text: KernelText, label: str, edits: Sequence[Edit]) -> Try | None:
    """Return edits as a try, None where nothing changes."""
    lines = text.changed(edits) if edits else ()
    return Try(label, edits=lines) if lines else None


def without_keyword(facts: Facts, call: ast.Call, name: str, value: str) -> Try | None:
    """Return the try that takes `name=value` out of a call, None where it is not there."""
    found = keyword(call, name)
    if facts.text is None or found is None or ast.unparse(found.value) != value:
        return None
    left = ast.unparse(_without(call, found))
    return made(facts.text, f"leave {name}={value} out", [replaced(call, left)])


def _without(call: ast.Call, keyword_: ast.keyword) -> ast.Call:
    return ast.Call(call.func, call.args, [item for item in call.keywords if item is not keyword_])


def with_keyword(facts: Facts, call: ast.Call, name: str, value: str) -> Try | None:
    """Return the try that sets a call's keyword argument to `value`, given as code."""
    if facts.text is None:
        return None
    found = keyword(call, name)
    if found is not None:
        edits = [replaced(found.value, value)]
    else:
        line, column = call.end_lineno or call.lineno, (call.end_col_offset or 1) - 1
        lead = ", " if call.args or call.keywords else ""
        source_line = facts.text.source.split("\n")[line - 1].encode()[:column].decode()
        if source_line.rstrip().endswith(","):
            lead = " "
        edits = [Edit(line, column, line, column, f"{lead}{name}={value}")]
    return made(facts.text, f"{name}={value}", edits)


# ------------------------------------------------------------------- memory


def cyclic_to_contiguous(facts: Facts) -> Try | None:
    """Return the try that gives each program neighbouring elements instead of every n-th.

    `tl.arange(0, B) * tl.num_programs(0) + pid` becomes `pid * B + tl.arange(0, B)`; both reach
    every element once.
    """
    if facts.text is None:
        return None
    for node in ast.walk(facts.text.node):
        if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)):
            continue
        for product, start in ((node.left, node.right), (node.right, node.left)):
            found = _strided_range(facts.text, product)
            if found is None or not _is_program(facts.text, start):
                continue
            length, lanes = found
            text = f"{ast.unparse(start)} * {ast.unparse(length)} + {ast.unparse(lanes)}"
            return made(facts.text, "neighbouring elements to one program", [replaced(node, text)])
    return None


def _strided_range(text: KernelText, node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """Return length and expression of a range that is multiplied by the number of programs."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)):
        return None
    for lanes, step in ((node.left, node.right), (node.right, node.left)):
        whole = text.resolved(lanes)
        counted = text.resolved(step)
        if (
            isinstance(whole, ast.Call) and last_name(whole.func) == "arange"
            and len(whole.args) == 2
            and isinstance(counted, ast.Call) and last_name(counted.func) == "num_programs"
        ):  # fmt: skip
            return whole.args[1], lanes
    return None


def _is_program(text: KernelText, node: ast.expr) -> bool:
    found = text.resolved(node)
    return isinstance(found, ast.Call) and last_name(found.func) == "program_id"


def atomic_to_store(facts: Facts, line: int) -> Try | None:
    """Return the try that stores where an atomic adds, where nothing reads what it returns."""
    if facts.text is None:
        return None
    for node in ast.walk(facts.text.node):
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            continue
        call = node.value
        if node.lineno <= line <= (node.end_lineno or line) and last_name(call.func) == (
            "atomic_add"
        ):
            owner = ast.unparse(call.func).removesuffix("atomic_add")
            kept = [item for item in call.keywords if item.arg not in ("sem", "scope")]
            stored = ast.Call(ast.parse(f"{owner}store", mode="eval").body, call.args, kept)
            edit = replaced(call, ast.unparse(stored))
            return made(facts.text, "store instead of adding", [edit])
    return None


def relaxed(facts: Facts, line: int) -> Try | None:
    """Return the try that takes the memory order off an atomic."""
    if facts.text is None:
        return None
    for call in facts.text.calls("atomic_add", "atomic_max", "atomic_min", "atomic_or",
                                 "atomic_and", "atomic_xor"):  # fmt: skip
        if not call.lineno <= line <= (call.end_lineno or line):
            continue
        given = keyword(call, "sem")
        if given is not None and ast.unparse(given.value) in ("'relaxed'", '"relaxed"'):
            return None
        return with_keyword(facts, call, "sem", "'relaxed'")
    return None


# ------------------------------------------------------------------- products


def without_upcast(facts: Facts) -> Try | None:
    """Return the try that hands `tl.dot` its operands in the type that they were loaded in."""
    if facts.text is None:
        return None
    edits: list[Edit] = []
    for call in facts.text.calls("dot"):
        for operand in call.args[:2]:
            edits += _casts(facts.text, operand)
    return made(facts.text, "operands as they were loaded", edits)


def _casts(text: KernelText, operand: ast.expr) -> Iterator[Edit]:
    node = operand
    if isinstance(node, ast.Name):
        for statement in ast.walk(text.node):
            if isinstance(statement, ast.Assign) and any(
                isinstance(item, ast.Name) and item.id == node.id for item in statement.targets
            ):
                inner = _cast_of(statement.value)
                if inner is not None:
                    yield replaced(statement.value, ast.unparse(inner))
        return
    inner = _cast_of(node)
    if inner is not None:
        yield replaced(node, ast.unparse(inner))


def _cast_of(node: ast.expr) -> ast.expr | None:
    """Return what is cast to float32, where that is what the expression does."""
    if (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        and node.func.attr == "to" and len(node.args) == 1
        and last_name(node.args[0]) == "float32"
    ):  # fmt: skip
        return node.func.value
    return None


def precision(facts: Facts, wanted: str) -> Try | None:
    """Return the try that multiplies float32 by tensor cores: `tf32`, or `tf32x3`."""
    if facts.text is None:
        return None
    edits = []
    for call in facts.text.calls("dot"):
        given, old = keyword(call, "input_precision"), keyword(call, "allow_tf32")
        if given is not None and ast.unparse(given.value).strip("'\"") == "ieee":
            edits.append(replaced(given.value, f'"{wanted}"'))
        elif old is not None and ast.unparse(old.value) == "False":
            new = ast.Call(
                call.func, call.args,
                [item for item in call.keywords if item is not old]
                + [ast.keyword("input_precision", ast.Constant(wanted))],
            )  # fmt: skip
            edits.append(replaced(call, ast.unparse(new)))
    return made(facts.text, f'input_precision="{wanted}"', edits)


def sum_to_dot(facts: Facts) -> tuple[Try, int] | None:
    """Return the try that writes a sum of products as `tl.dot`, and the line it stands on.

    `tl.sum(a[:, :, None] * b[None, :, :], axis=1)` is the product of a (M, K) and b (K, N).
    """
    if facts.text is None:
        return None
    for call in facts.text.calls("sum"):
        if not call.args or not isinstance(call.args[0], ast.BinOp):
            continue
        product = call.args[0]
        axis = keyword(call, "axis")
        given = axis.value if axis is not None else (call.args[1] if len(call.args) > 1 else None)
        if not isinstance(product.op, ast.Mult) or given is None or ast.unparse(given) != "1":
            continue
        left = _indexed(product.left, "(:, :, None)")
        right = _indexed(product.right, "(None, :, :)")
        if left is None or right is None:
            continue
        dot = ast.unparse(call.func).removesuffix("sum") + "dot"
        text = f"{dot}({ast.unparse(left)}, {ast.unparse(right)})"
        attempt = made(facts.text, "tl.dot instead of a sum", [replaced(call, text)])
        return None if attempt is None else (attempt, call.lineno)
    return None


def _indexed(node: ast.expr, index: str) -> ast.expr | None:
    if isinstance(node, ast.Subscript) and f"({ast.unparse(node.slice).strip('()')})" == index:
        return node.value
    return None


# ------------------------------------------------------------------- instructions


def as_constexpr(facts: Facts, names: set[str]) -> Try | None:
    """Return the try that makes parameters of the kernel compile-time constants."""
    if facts.text is None:
        return None
    node = facts.text.node.args
    edits = [
        replaced_parameter(each)
        for each in [*node.posonlyargs, *node.args, *node.kwonlyargs]
        if each.arg in names and each.annotation is None
    ]
    listed = ", ".join(sorted(names))
    return made(facts.text, f"{listed} as tl.constexpr", edits)


def replaced_parameter(each: ast.arg) -> Edit:
    """Return the edit that annotates a parameter."""
    end = each.end_col_offset or each.col_offset
    line = each.end_lineno or each.lineno
    return Edit(line, end, line, end, ": tl.constexpr")


def narrower(facts: Facts, wide: str, narrow: str) -> tuple[Try, int] | None:
    """Return the try that replaces casts to `wide`, and the first line with one.

    An empty `narrow` takes the cast out.
    """
    if facts.text is None:
        return None
    edits, first = [], 0
    for call in facts.text.calls("to", "cast"):
        if not call.args or last_name(call.args[-1]) != wide:
            continue
        value = call.func.value if isinstance(call.func, ast.Attribute) else call.args[0]
        if narrow:
            edits.append(Edit(*_end_name(call.args[-1]), narrow))
        else:
            edits.append(replaced(call, ast.unparse(value)))
        first = first or call.lineno
    label = f"tl.{narrow} instead of tl.{wide}" if narrow else f"no cast to tl.{wide}"
    attempt = made(facts.text, label, edits)
    return None if attempt is None else (attempt, first)


def _end_name(node: ast.expr) -> tuple[int, int, int, int]:
    line, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return line, end - len(last_name(node)), line, end


def removed_statement(facts: Facts, call: ast.Call) -> Try | None:
    """Return the try that takes out the statement that a call is.

    With the `if` around it where nothing else is in that; a block that it leaves empty is passed.
    """
    if facts.text is None:
        return None
    label = f"without {ast.unparse(call.func)}"
    for node in ast.walk(facts.text.node):
        for block in _statements(node):
            for statement in block:
                if not (isinstance(statement, ast.Expr) and statement.value is call):
                    continue
                if len(block) > 1:
                    return made(facts.text, label, [removed(statement)])
                if isinstance(node, ast.If) and not node.orelse and not _is_branch(facts, node):
                    return made(facts.text, label, [removed(node)])
                return made(facts.text, label, [replaced(statement, "pass")])
    return None


def _is_branch(facts: Facts, node: ast.If) -> bool:
    """Tell whether an `if` is what another one's `elif` or `else` holds, or alone in its block."""
    if facts.text is None:
        return True
    return any(
        block == [node] for outer in ast.walk(facts.text.node) for block in _statements(outer)
    )


def _statements(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of statements that a node holds."""
    for name in ("body", "orelse"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def run_time_divisors(facts: Facts) -> tuple[set[str], int] | None:
    """Return the parameters by which the kernel divides blocks at run time, and the first line.

    A division of one number, as of the program's, costs nothing beside what a program does.
    """
    if facts.text is None:
        return None
    parameters = {name for name, fixed in facts.text.parameters().items() if not fixed}
    names: set[str] = set()
    first = 0
    for node in ast.walk(facts.text.node):
        if not (isinstance(node, ast.BinOp) and isinstance(node.op, (ast.FloorDiv, ast.Mod))):
            continue
        read = named_values(facts.text.resolved(node.right)) & parameters
        if read and facts.text.is_block(node.left):
            names |= read
            first = min(first or node.lineno, node.lineno)
    return (names, first) if names else None
