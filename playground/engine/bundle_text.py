"""The text of a bundle: the user's own lines with names replaced, imports gathered in front."""

from __future__ import annotations

import ast
import copy
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from playground.engine import edits
from playground.engine.edits import Edit
from playground.engine.import_lines import merged, sorted_imports
from playground.engine.references import bound_name, own_nodes
from playground.engine.source_text import lines_of
from playground.engine.user_modules import Folder, Outside, Symbol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from playground.engine.bundle import Bundle, Imported, Use
    from playground.engine.references import Import, Reference
    from playground.engine.statements import Segment
    from playground.engine.user_modules import UserModule

_HEADED = re.compile(r"licen[cs]e|copyright|spdx", re.IGNORECASE)


class BundleText:
    """Writes what a bundle keeps.

    `docstring`, `future`, `imports` and `body` are parts of a file, each without a line end after
    it; `notice` is the licence above the kernel file's own text.
    """

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._modules = bundle.modules
        self._main = bundle.modules.module(bundle.modules.main)
        self._written: set[Imported] = set()
        self._front: list[str] = []
        self._settled = False
        self._futures: dict[str, None] = {}
        docstring = ast.get_docstring(self._main.tree, clean=False)
        self.docstring = f'"""{docstring}"""' if docstring else ""
        if docstring and ('"""' in docstring or "\\" in docstring):
            self.docstring = repr(docstring)
        self.notice = _notice(self._main)
        self.body = self._body()
        self.imports = sorted_imports(self._front)
        self.future = (
            f"from __future__ import {', '.join(sorted(self._futures))}" if self._futures else ""
        )

    # ------------------------------------------------------------------ the module level

    def _body(self) -> str:
        paths = self._bundle.paths()
        chunks: list[str] = []
        for path in paths:
            own = self._module_chunks(path)
            if own and len(paths) > 1:
                chunks.append(f"# From {_shown(path, self._modules.main)}.\n")
            chunks += own
        return "".join(chunks).strip("\n")

    def _module_chunks(self, path: str) -> list[str]:
        module = self._modules.module(path)
        kept = self._bundle.kept.get(path, set())
        chunks: list[str] = []
        previous: Segment | None = None
        for index, part in enumerate(module.segments):
            node = part.node
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                text = self._import(path, module, part, kept=index in kept)
            elif index in kept:
                text = self._segment(path, module, part)
                self._settled = self._settled or _acts(node)
            else:
                continue
            if not text:
                continue
            gap = _gap(previous, part, module, chunks[-1], text) if chunks else ""
            chunks += [gap + text] if chunks else [text]
            previous = part
        if path in self._bundle.whole:
            chunks.append("\n\n" + self._object(path))
        return [*chunks, "\n\n\n"] if chunks else []

    def _object(self, path: str) -> str:
        name = self._bundle.names[Folder(path)]
        names = {}
        for public in self._modules.public_names(path):
            member = self._modules.member(path, public)
            final = None if member is None or isinstance(member, Outside) else member
            if final is not None and final in self._bundle.names:
                names[public] = self._bundle.names[final]
        self._front.append("import types")
        inside = ", ".join(f"{public}={final}" for public, final in names.items())
        return f'{name} = types.ModuleType("{name}")\nvars({name}).update({inside})'

    def _import(self, path: str, module: UserModule, part: Segment, *, kept: bool) -> str:
        node = part.node
        assert_import = isinstance(node, (ast.Import, ast.ImportFrom))
        if not assert_import:
            return ""
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            self._futures.update(dict.fromkeys(alias.name for alias in node.names))
            return ""
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            if self._modules.is_user_import(path, node):
                return ""
            lines = [ast.unparse(node)] if kept else []
        else:
            lines = [
                line
                for alias in node.names  # type: ignore[attr-defined]  # an import, as just found
                for line in self._import_lines(path, node, alias)  # type: ignore[arg-type]
            ]
        if not lines:
            return ""
        above = module.lines[part.first_line - 1 : node.lineno - 1]
        if not self._settled:
            first = "\n".join([*above, lines[0]]) if above and part is not _first(module) else None
            self._front += [first or lines[0], *lines[1:]]
            return ""
        return "\n".join([*above, *merged(lines)])

    def _import_lines(self, path: str, node: Import, alias: ast.alias) -> list[str]:
        """Return the lines that import what is used of an alias, unless that is there already."""
        target = self._modules.target(path, node, alias)
        if not isinstance(target, Outside):
            return []
        for imported in self._bundle.outside:
            if imported.what == target and imported.local == bound_name(alias):
                break
        else:
            return []
        final = self._bundle.names.get(imported, imported.local)
        if isinstance(node, ast.Import) and not alias.asname and "." in alias.name:
            used = any(
                f"{one}.".startswith(f"{alias.name}.") for one in self._bundle.outside[imported]
            )
            return [f"import {alias.name}"] if used else []
        if imported in self._written:
            return []
        self._written.add(imported)
        if isinstance(node, ast.Import):
            return [f"import {alias.name}" + (f" as {final}" if final != alias.name else "")]
        renamed = f" as {final}" if final != alias.name else ""
        return [f"from {'.' * node.level}{node.module or ''} import {alias.name}{renamed}"]

    def _segment(self, path: str, module: UserModule, part: Segment) -> str:
        found = self._edits(path, part.node, part.uses)
        if not part.alone:
            node = part.node
            return edits.applied(
                module.lines, found, (node.lineno, node.col_offset),
                (node.end_lineno or node.lineno, node.end_col_offset or 0),
            )  # fmt: skip
        end = len(module.lines[part.last_line - 1].encode())
        return edits.applied(module.lines, found, (part.first_line, 0), (part.last_line, end))

    # ------------------------------------------------------------------ other places

    def statements(self, nodes: Sequence[ast.stmt]) -> str:
        """Return statements of the kernel file, dedented, with names replaced."""
        if not nodes:
            return ""
        chunks: list[str] = []
        before: int | None = None
        for node in nodes:
            found = self._edits(self._main.path, node, _within(self._bundle, node))
            lines = self._main.lines
            first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
            top = first
            while top - 1 > (before or 0) and lines[top - 2].lstrip().startswith("#"):
                top -= 1
            last = node.end_lineno or node.lineno
            end = len(lines[last - 1].encode())
            start = 0 if lines[first - 1][: node.col_offset].strip() == "" else node.col_offset
            text = edits.applied(lines, found, (top, start if top == first else 0), (last, end))
            if before is not None:
                blank = _blank_between(lines, before, top)
                chunks.append("\n" * (1 + min(blank, 1)))
            chunks.append(edits.shifted(text, -node.col_offset) if start == 0 else text)
            before = last
        return "".join(chunks)

    def code(self, code: str, uses: Iterable[Reference]) -> str:
        """Return code that was typed for the kernel file's module, with names replaced."""
        lines = lines_of(code)
        if not lines:
            return ""
        found = self._reference_edits(uses)
        main = self._modules.main
        found += _without_imports(
            ast.parse(code), lambda one: self._modules.is_user_import(main, one)
        )
        return edits.applied(lines, found, (1, 0), (len(lines), len(lines[-1].encode())))

    # ------------------------------------------------------------------ names

    def _edits(self, path: str, node: ast.stmt, uses: Iterable[Reference]) -> list[Edit]:
        found = self._reference_edits(uses)
        found += list(self._definitions(path, node))
        for one in ast.walk(node):
            if isinstance(one, ast.Global):
                names = [self._bundle.names.get(Symbol(path, name), name) for name in one.names]
                found.append(edits.replaced(one, f"global {', '.join(names)}"))
        found += _without_imports(node, lambda one: self._modules.is_user_import(path, one))
        return found

    def _definitions(self, path: str, node: ast.stmt) -> Iterable[Edit]:
        """Yield the edits at what binds a name other than by assignment: `def`, `class`, `import`.

        A plain import is written anew elsewhere; this is of those in blocks.
        """
        for one in own_nodes([node]):
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                final = self._bundle.names.get(Symbol(path, one.name), one.name)
                line = self._modules.module(path).lines[one.lineno - 1]
                match = re.search(rf"\b(?:def|class)\s+({re.escape(one.name)})\b", line)
                if final != one.name and match is not None:
                    start = len(line[: match.start(1)].encode())
                    end = len(line[: match.end(1)].encode())
                    yield Edit(one.lineno, start, one.lineno, end, final)
            elif isinstance(one, (ast.Import, ast.ImportFrom)):
                renamed = copy.deepcopy(one)
                for alias in renamed.names:
                    bound = bound_name(alias)
                    final = self._bundle.names.get(Symbol(path, bound), bound)
                    if final != bound:
                        alias.asname = final
                if ast.dump(renamed) != ast.dump(one):
                    yield edits.replaced(one, ast.unparse(renamed))

    def _reference_edits(self, uses: Iterable[Reference]) -> list[Edit]:
        found: list[Edit] = []
        texts: dict[int, tuple[ast.JoinedStr, list[Use]]] = {}
        for reference in uses:
            use = self._bundle.use_of(reference)
            if use is None:
                continue
            final = self._bundle.names[use.identity]
            if not use.attributes and final == reference.node.id:
                continue
            if reference.text is not None:
                texts.setdefault(id(reference.text), (reference.text, []))[1].append(use)
                continue
            last = reference.attributes[use.attributes - 1] if use.attributes else reference.node
            node = reference.node
            found.append(
                Edit(
                    node.lineno, node.col_offset, last.end_lineno or node.lineno,
                    last.end_col_offset or node.col_offset, final,
                )
            )  # fmt: skip
        for text, those in texts.values():
            found.append(edits.replaced(text, self._text(text, those)))
        return found

    def _text(self, text: ast.JoinedStr, uses: list[Use]) -> str:
        """Return an f-string with names replaced; places inside one are not to be relied on."""
        names = {ast.dump(_named(use)): self._bundle.names[use.identity] for use in uses}

        class Renaming(ast.NodeTransformer):
            def visit(self, node: ast.AST) -> ast.AST:
                final = names.get(ast.dump(node)) if isinstance(node, ast.expr) else None
                return ast.Name(final, ast.Load()) if final else self.generic_visit(node)

        return ast.unparse(Renaming().visit(copy.deepcopy(text)))


def _named(use: Use) -> ast.expr:
    if use.attributes:
        return use.reference.attributes[use.attributes - 1]
    return use.reference.node


def _within(bundle: Bundle, node: ast.stmt) -> list[Reference]:
    inside = {id(one) for one in ast.walk(node) if isinstance(one, ast.Name)}
    return [one for one in bundle.extra if id(one.node) in inside]


def _without_imports(node: ast.AST, is_user: Iterable[object] | object) -> list[Edit]:
    """Return the edits that take imports of the user's modules out of functions and blocks."""
    found: list[Edit] = []
    for owner in ast.walk(node):
        for part in ("body", "orelse", "finalbody"):
            body = getattr(owner, part, None)
            if not isinstance(body, list) or not body:
                continue
            gone = [
                one
                for one in body
                if isinstance(one, (ast.Import, ast.ImportFrom)) and is_user(one)  # type: ignore[operator]
            ]
            for place, one in enumerate(gone):
                left = len(gone) < len(body) or place > 0
                found.append(edits.removed(one) if left else edits.replaced(one, "pass"))
    return found


def _first(module: UserModule) -> Segment | None:
    return module.segments[0] if module.segments else None


def _notice(module: UserModule) -> str:
    lines: list[str] = []
    for line in module.lines:
        if not line.startswith("#"):
            break
        if not line.startswith(("#!", "#:")) and "coding" not in line[:20]:
            lines.append(line)
    text = "\n".join(lines)
    return text if _HEADED.search(text) else ""


def _shown(path: str, main: str) -> str:
    """Return a module's place as the kernel file's folder sees it: never a machine's path."""
    try:
        relative = os.path.relpath(path, os.path.dirname(main))
    except ValueError:  # another drive
        return os.path.basename(path)
    return os.path.basename(path) if relative.startswith("..") else Path(relative).as_posix()


def _acts(node: ast.stmt) -> bool:
    """Tell whether a statement may matter to imports after it: it does something."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return False
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(not isinstance(target, (ast.Name, ast.Tuple)) for target in targets)
    return not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _gap(
    previous: Segment | None, part: Segment, module: UserModule, before: str, after: str
) -> str:
    if previous is not None:
        between = module.lines[previous.last_line : part.first_line - 1]
        if not part.alone and part.first_line <= previous.last_line:
            return "\n"
        if not any(line.strip() for line in between):
            return "\n" * (1 + min(len(between), 2))  # as the user set them
    blocks = before.count("\n") + after.count("\n")
    return "\n\n\n" if blocks else "\n"


def _blank_between(lines: Sequence[str], before: int, top: int) -> int:
    return sum(1 for line in lines[before : top - 1] if not line.strip())
