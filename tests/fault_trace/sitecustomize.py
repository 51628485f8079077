"""Has every Python process that finds this folder on its path tell which fault handlers it ran.

`FAULT_HANDLERS` names a file of `module TAB line` a handler, `FAULT_HITS` the one to append to. A
call is put before each such statement as its module is loaded, so that nothing else is slowed down;
it is written at once, since many a handler ends its process.
"""

import ast
import importlib.abc
import importlib.machinery
import os
import sys

_HANDLERS = os.environ.get("FAULT_HANDLERS", "")
_HITS = os.environ.get("FAULT_HITS", "")
_HIT = "_fault_handler_ran"


def _lines_by_module():
    found = {}
    with open(_HANDLERS, encoding="utf-8") as file:
        for line in file:
            module, number = line.rstrip("\n").split("\t")
            found.setdefault(module, set()).add(int(number))
    return found


def _hit(module, line):
    handle = os.open(_HITS, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, f"hit\t{module}\t{line}\n".encode())
    finally:
        os.close(handle)


class _Marked(ast.NodeTransformer):
    """Puts a call before each statement that begins at one of the lines."""

    def __init__(self, module, lines):
        self._module, self._lines = module, lines

    def generic_visit(self, node):
        super().generic_visit(node)
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(node, field, None)
            if isinstance(statements, list):
                setattr(node, field, [new for old in statements for new in self._with_call(old)])
        return node

    def _with_call(self, statement):
        if getattr(statement, "lineno", 0) not in self._lines:
            return [statement]
        call = ast.parse(f"{_HIT}({self._module!r}, {statement.lineno})").body[0]
        for node in ast.walk(call):
            ast.copy_location(node, statement)
        return [call, statement]


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name, path, lines):
        super().__init__(name, path)
        self._lines = lines

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        tree = ast.parse(self.get_data(path), path)
        return compile(_Marked(self.name, self._lines).visit(tree), path, "exec")


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, lines):
        self._lines = lines

    def find_spec(self, fullname, path=None, target=None):
        if fullname not in self._lines:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin:
            spec.loader = _Loader(fullname, spec.origin, self._lines[fullname])
        return spec


if _HANDLERS and _HITS:
    import builtins

    setattr(builtins, _HIT, _hit)
    sys.meta_path.insert(0, _Finder(_lines_by_module()))
