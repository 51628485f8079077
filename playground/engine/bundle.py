"""What a driver needs of the user's modules, brought together under names that do not clash."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from playground.engine.mode_lines import chooses_mode
from playground.engine.references import Reference, references
from playground.engine.statements import Segment, is_main, root_name
from playground.engine.user_modules import Folder, Outside, Symbol, Target, UserModule

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from playground.engine.user_modules import UserModules

_BUILTINS = frozenset(dir(builtins))
_NEVER_KEPT = ("sys.path", "print", "pdb", "ipdb", "breakpoint", "matplotlib", "plt")
"""What is called at module level to no effect on kernels; `sys.path` only served to find modules
that are part of the file now."""
_GROWS = frozenset({"append", "add", "update", "setdefault", "register", "insert", "extend"})


@dataclass(frozen=True)
class Imported:
    """Something of a library, under the local name it was imported as."""

    what: Outside
    local: str


Identity = Symbol | Imported | Folder


@dataclass(frozen=True)
class Use:
    """A reference, and what it means: `attributes` of it are part of the name."""

    reference: Reference
    identity: Identity
    attributes: int = 0


@dataclass(eq=False)
class Bundle:
    """The statements of the user's modules that some names and statements need.

    Parameters
    ----------
    modules
        The user's modules.
    elsewhere
        Statements of the kernel file that get a place of their own: the body of its main block.
    """

    modules: UserModules
    elsewhere: frozenset[int] = frozenset()
    kept: dict[str, set[int]] = field(default_factory=dict)
    whole: dict[str, None] = field(default_factory=dict)
    outside: dict[Imported, list[str]] = field(default_factory=dict)
    names: dict[Identity, str] = field(default_factory=dict)
    _uses: dict[int, Use] = field(default_factory=dict)
    _order: dict[Identity, None] = field(default_factory=dict)
    _free: set[str] = field(default_factory=set)
    extra: list[Reference] = field(default_factory=list)

    # ------------------------------------------------------------------ what is needed

    def need_names(self, names: Iterable[str]) -> None:
        """Keep what the kernel file binds under `names`."""
        for name in names:
            target = self.modules.member(self.modules.main, name)
            if target is not None:
                self._need(target, name)

    def need(self, nodes: Sequence[ast.AST]) -> None:
        """Keep what statements need that run in the kernel file's module."""
        main = self.modules.main
        self.need_code(references(nodes, lambda one: self.modules.is_user_import(main, one)))

    def need_code(self, uses: Sequence[Reference]) -> None:
        """Keep what code needs that was typed for the kernel file's module."""
        self.extra += uses
        for reference in uses:
            self._use(self.modules.main, reference)

    def complete(self) -> None:
        """Add the statements that change what is kept, and give every name its final form."""
        while self._grew():
            pass
        self._name()

    def use_of(self, reference: Reference) -> Use | None:
        """Return what a kept reference means; None for builtins and names nobody binds."""
        return self._uses.get(id(reference.node))

    def segments(self, path: str) -> list[Segment]:
        """Return the statements kept of a module, in its order, plain imports left out."""
        parts = self.modules.module(path).segments
        return [
            parts[index]
            for index in sorted(self.kept.get(path, ()))
            if not isinstance(parts[index].node, (ast.Import, ast.ImportFrom))
        ]

    def paths(self) -> list[str]:
        """Return the modules that something is kept of, what is needed first first."""
        found: dict[str, None] = {}
        seen: set[str] = set()

        def visit(path: str) -> None:
            if path in seen:
                return
            seen.add(path)
            for part in self.segments(path):
                for reference in part.uses:
                    use = self.use_of(reference)
                    if use is not None and isinstance(use.identity, (Symbol, Folder)):
                        visit(use.identity.path)
            if path in self.kept:
                found[path] = None

        for path in [path for path in self.kept if path != self.modules.main]:
            visit(path)
        found.pop(self.modules.main, None)
        return [*found, self.modules.main]

    def _grew(self) -> bool:
        before = sum(map(len, self.kept.values()))
        for path in list(self.kept):
            module = self.modules.module(path)
            for index, part in enumerate(module.segments):
                if index not in self.kept[path] and self._changes_kept(path, module, part):
                    self._keep(path, index)
        return sum(map(len, self.kept.values())) > before

    def _changes_kept(self, path: str, module: UserModule, part: Segment) -> bool:
        node = part.node
        if id(node) in self.elsewhere or is_main(node) or chooses_mode(node):
            return False
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            return isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
        if any(self._is_kept(path, name) for name in part.changes):
            return True
        if self._calls_operators() and _makes_operator(node):
            return True
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            return any(self._registers(path, module, one) for one in node.decorator_list)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return self._is_setting(path, module, ast.unparse(node.value.func))
        return any(
            self._is_setting(path, module, ast.unparse(target))
            for target in getattr(node, "targets", [getattr(node, "target", None)])
            if isinstance(target, (ast.Attribute, ast.Subscript))
        )

    def _calls_operators(self) -> bool:
        """Tell whether something kept reaches operators by `torch.ops.namespace.name`."""
        return any(
            one.startswith("torch.ops.")
            for imported, dotted in self.outside.items()
            if imported.what.module == "torch"
            for one in dotted
        )

    def _is_kept(self, path: str, name: str) -> bool:
        module = self.modules.module(path)
        if name in module.imports:
            target = self.modules.target(path, *module.imports[name])
            return isinstance(target, (Symbol, Folder)) and target in self._order
        return Symbol(path, name) in self._order

    def _is_setting(self, path: str, module: UserModule, text: str) -> bool:
        """Tell whether code sets up a library at module level: `os.environ[…]`."""
        root = text.split(".")[0].split("(")[0].split("[")[0]
        if text.startswith(_NEVER_KEPT) or root not in module.imports:
            return False
        return isinstance(self.modules.target(path, *module.imports[root]), Outside)

    def _registers(self, path: str, module: UserModule, decorator: ast.expr) -> bool:
        """Tell whether a decorator makes its function known to something that is kept."""
        name = root_name(decorator)
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if not name:
            return False
        if isinstance(called, ast.Attribute):
            return self._is_kept(path, name)
        return any(
            self._is_kept(path, root_name(one))
            for index in module.bindings.get(name, ())
            for one in ast.walk(module.segments[index].node)
            if (isinstance(one, ast.Attribute) and one.attr in _GROWS)
            or (isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store))
        )

    def _keep(self, path: str, index: int) -> None:
        kept = self.kept.setdefault(path, set())
        if index in kept:
            return
        kept.add(index)
        part = self.modules.module(path).segments[index]
        for name in part.binds:
            self._order.setdefault(Symbol(path, name))
        for reference in part.uses:
            self._use(path, reference)

    def _use(self, path: str, reference: Reference) -> None:
        name = reference.node.id
        module = self.modules.module(path)
        if reference.imported is not None:
            target: Target | None = self.modules.target(path, *reference.imported)
        else:
            target = self._named(path, module, name)
        if target is None:
            self._free.add(name)
            return
        count = 0
        while isinstance(target, Folder) and count < len(reference.attributes):
            inner = self.modules.member(target.path, reference.attributes[count].attr)
            if inner is None:
                break
            target, name, count = inner, reference.attributes[count].attr, count + 1
        if isinstance(target, Outside) and reference.attributes[count:]:
            self._dotted(target, name, reference, count)
        identity = self._need(target, name)
        self._uses[id(reference.node)] = Use(reference, identity, count)

    def _named(self, path: str, module: UserModule, name: str) -> Target | None:
        if name in module.imports:
            target = self.modules.target(path, *module.imports[name])
            plain = all(
                isinstance(module.segments[index].node, (ast.Import, ast.ImportFrom))
                for index in module.bindings.get(name, ())
            )
            return target if plain or not isinstance(target, Outside) else Symbol(path, name)
        if name in module.bindings:
            return Symbol(path, name)
        return self.modules.member(path, name) if module.stars else None

    def _dotted(self, target: Outside, name: str, reference: Reference, count: int) -> None:
        parts = [name, *(one.attr for one in reference.attributes[count:])]
        self.outside.setdefault(Imported(target, name), []).append(".".join(parts))

    def _need(self, target: Target, name: str) -> Identity:
        if isinstance(target, Outside):
            imported = Imported(target, name)
            self.outside.setdefault(imported, [])
            self._order.setdefault(imported)
            return imported
        self._order.setdefault(target)
        if isinstance(target, Folder):
            if target.path not in self.whole:
                # Used as an object, so that any name of it may be asked for.
                self.whole[target.path] = None
                for public in self.modules.public_names(target.path):
                    member = self.modules.member(target.path, public)
                    if member is not None and not isinstance(member, Outside):
                        self._need(member, public)
            return target
        self.kept.setdefault(target.path, set())
        for index in self.modules.module(target.path).bindings.get(target.name, ()):
            part = self.modules.module(target.path).segments[index]
            if id(part.node) not in self.elsewhere and not is_main(part.node):
                self._keep(target.path, index)
        return target

    # ------------------------------------------------------------------ names

    def _name(self) -> None:
        main = self.modules.main
        local = self._local_to_main()
        order = sorted(
            self._order,
            key=lambda one: (
                not ((isinstance(one, Symbol) and one.path == main) or self._is_of_main(one))
            ),
        )
        taken: set[str] = (self._free & _BUILTINS) | local
        for identity in order:
            wanted = _preferred(identity)
            own = isinstance(identity, Symbol) and identity.path == main
            if wanted not in taken or (own and wanted in local):
                self.names[identity] = wanted
            else:
                self.names[identity] = _another(wanted, identity, taken | set(self.names.values()))
            taken.add(self.names[identity])
        hidden: dict[Identity, set[str]] = {}
        for use in self._uses.values():
            if use.attributes or use.reference.node.id != self.names[use.identity]:
                hidden.setdefault(use.identity, set()).update(use.reference.hidden)
        for identity, those in hidden.items():
            if self.names[identity] in those:
                taken |= those
                self.names[identity] = _another(_preferred(identity), identity, taken)
                taken.add(self.names[identity])

    def _local_to_main(self) -> set[str]:
        """Return what the statements with a place of their own bind: they keep their names."""
        return {one.node.id for one in self.extra if isinstance(one.node.ctx, ast.Store)}

    def _is_of_main(self, identity: Identity) -> bool:
        if not isinstance(identity, Imported):
            return False
        module = self.modules.module(self.modules.main)
        found = module.imports.get(identity.local)
        return found is not None and self.modules.target(self.modules.main, *found) == identity.what


def _makes_operator(node: ast.stmt) -> bool:
    """Tell whether a top-level statement makes an operator of torch's: nothing names it after."""
    made = [*getattr(node, "decorator_list", [])]
    if isinstance(node, ast.Assign):
        made.append(node.value)
    called = [one.func if isinstance(one, ast.Call) else one for one in made]
    return any(
        getattr(one, "attr", getattr(one, "id", "")) in ("Library", "custom_op", "triton_op")
        for one in called
    )


def _preferred(identity: Identity) -> str:
    if isinstance(identity, Imported):
        return identity.local
    return identity.name if isinstance(identity, Symbol) else _stem(identity.path)


def _stem(path: str) -> str:
    stem = Path(path).parent.name if path.endswith("__init__.py") else Path(path).stem
    return "".join(one if one.isalnum() else "_" for one in stem)


def _another(wanted: str, identity: Identity, taken: set[str]) -> str:
    if isinstance(identity, Symbol):
        wanted = f"{_stem(identity.path)}_{wanted.lstrip('_')}"
    elif isinstance(identity, Imported):
        wanted = f"{identity.what.module.split('.')[0]}_{wanted}"
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name
