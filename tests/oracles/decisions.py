"""Where the source decides by the name or the class of an object that stands in a registry.

What an object can do is asked of it: ``loss.kinks(y)``, ``penalty.grouped``.  A file that asks *which* object
it has been given (``loss.name == "hinge"``, ``isinstance(penalty, L1)``, a table keyed by names) has to be
found and changed by everybody who adds one.  In the folder of the noun such questions are at home.

A word that a user chooses (``loss="huber"``) is no such question where it is looked up in a *menu*: a
dictionary whose values are the noun's objects, classes or makers of them.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.oracles.structure import PACKAGE

__all__ = ["NOUNS", "Decision", "Noun", "decisions_in", "nouns"]

# Folder of a noun, the name of its registry, and what variables that hold one of its words are called.
NOUNS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("losses", "REGISTRY", ("loss", "link", "family")),
    ("penalties", "REGISTRY", ("penalty",)),
    ("solvers", "REGISTRY", ("solver",)),
    ("optimizers", "REGISTRY", ("optimizer", "rule")),
    ("optimizers", "SCHEDULES", ("schedule",)),
    ("hypotheses", "REGISTRY", ("hypothesis",)),
    ("trees.criteria", "REGISTRY", ("criterion",)),
    ("evaluation.metrics", "METRICS", ("metric", "loss")),
)


@dataclass(frozen=True)
class Noun:
    """The objects of one registry: their names, their classes, and where questions about them are at home."""

    folder: str
    words: tuple[str, ...]
    names: frozenset[str]
    classes: frozenset[str]

    def at_home(self, file: Path) -> bool:
        """Whether a file stands in the noun's own folder."""
        return PACKAGE.joinpath(*self.folder.split(".")) in file.parents


@dataclass(frozen=True)
class Decision:
    """One place that decides by a name or a class."""

    file: str
    line: int
    code: str
    noun: str

    def __str__(self) -> str:
        return f"src/empirisk/{self.file}:{self.line}: {self.code}   ({self.noun})"


@cache
def nouns() -> tuple[Noun, ...]:
    """The nouns as the registries list them; classes beside a registered one (wrappers) count too."""
    out = []
    for folder, registry, words in NOUNS:
        module = importlib.import_module(f"empirisk.{folder}")
        rows = getattr(module, registry)
        classes = {c.__name__ for c in rows.values() if inspect.isclass(c)}
        classes |= _beside(module, [c for c in rows.values() if inspect.isclass(c)])
        out.append(Noun(folder, words, frozenset(rows), frozenset(classes)))
    return tuple(out)


def _beside(folder: ModuleType, registered: list[type]) -> set[str]:
    """Public classes of the folder, but for its contracts, that share a base with an object."""
    bases = {b for c in registered for b in c.__mro__[1:] if b.__module__.endswith(".base")}
    found = set()
    for name, thing in vars(folder).items():
        own = inspect.isclass(thing) and thing.__module__.startswith(folder.__name__)
        if own and not thing.__module__.endswith(".base") and bases & set(thing.__mro__):
            found.add(name)
    return found


# -- the scan -----------------------------------------------------------------------------------------


def decisions_in(file: Path, text: str | None = None) -> list[Decision]:
    """Every decision of a file, outside the folder of its noun."""
    text = file.read_text(encoding="utf-8") if text is None else text
    if not _mentions().search(text):
        return []
    scan = _Scan(ast.parse(text))
    out = []
    for noun in nouns():
        if not noun.at_home(file):
            for node in scan.found(noun):
                code = " ".join(ast.unparse(node).split())
                shown = code if len(code) <= 110 else code[:107] + "..."
                out.append(Decision(str(file.relative_to(PACKAGE)), node.lineno, shown, noun.folder))
    return sorted(out, key=lambda d: d.line)


@cache
def _mentions() -> re.Pattern[str]:
    """The names and classes of all nouns, to leave out files that hold none of them."""
    names = "|".join(sorted({name for noun in nouns() for name in noun.names}))
    classes = "|".join(sorted({name for noun in nouns() for name in noun.classes}))
    return re.compile(rf"[\"'](?:{names})[\"']|\b(?:{classes})\b")


class _Scan:
    """One file: its tree, its constants, and which names it imports from where."""

    def __init__(self, tree: ast.Module) -> None:
        self.constants: dict[str, ast.expr] = {}
        self.imported: dict[str, str] = {}
        self.names_of_objects: set[str] = set()  # variables that were given an object's name
        self.asking: list[ast.AST] = []  # what may decide
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare | ast.Call | ast.Dict | ast.Set | ast.Match):
                self.asking.append(node)
            if isinstance(node, ast.ImportFrom) and node.module:
                self.imported.update({a.asname or a.name: node.module for a in node.names})
            for target, value in _assigned(node):
                if _is_name_of(value):
                    self.names_of_objects.add(target)
        for node in tree.body:
            self.constants.update(_assigned(node))

    def found(self, noun: Noun) -> Iterator[ast.expr]:
        """The expressions that decide by this noun's names or classes."""
        for node in self.asking:
            if isinstance(node, ast.Compare):
                if self._compares(node, noun):
                    yield node
            elif isinstance(node, ast.Call):
                if self._tests_class(node, noun):
                    yield node
            elif isinstance(node, ast.Dict):
                if self._is_table(node, noun):
                    yield node
            elif isinstance(node, ast.Set):
                if len(self._words(node, noun)) > 1:
                    yield node
            elif isinstance(node, ast.Match) and any(self._case(c.pattern, noun) for c in node.cases):
                yield node.subject

    def _compares(self, node: ast.Compare, noun: Noun) -> bool:
        sides = [node.left, *node.comparators]
        if any(self._class(s, noun) for s in sides) and any(_calls(s, "type") for s in sides):
            return True
        held = [s for s in sides if self._may_hold(s, noun)]
        return bool(held) and any(self._words(s, noun) for s in sides if s not in held)

    def _may_hold(self, side: ast.expr, noun: Noun) -> bool:
        """Whether an expression is an object's name, or a variable that is called after the noun."""
        if _is_name_of(side) or (isinstance(side, ast.Name) and side.id in self.names_of_objects):
            return True
        called = side.attr if isinstance(side, ast.Attribute) else getattr(side, "id", "")
        return called.strip("_") in noun.words

    def _words(self, side: ast.expr, noun: Noun) -> list[str]:
        """Registry names in a string or a collection of strings, followed through a constant of the file."""
        if isinstance(side, ast.Name):
            side = self.constants.get(side.id, side)
        if isinstance(side, ast.Call) and side.args and isinstance(side.func, ast.Name):
            side = side.args[0] if side.func.id in {"frozenset", "set", "tuple", "list"} else side
        if isinstance(side, ast.Dict) and self._is_object(side, noun):
            return []  # to look a word up in a menu is no decision
        parts = side.keys if isinstance(side, ast.Dict) else getattr(side, "elts", [side])
        held = [p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)]
        return [word for word in held if word in noun.names]

    def _class(self, side: Any, noun: Noun) -> bool:
        """Whether an expression names a class of the noun, alone, in a tuple or a union."""
        if isinstance(side, ast.Name):
            where = self.imported.get(side.id)
            if where is None:
                value = self.constants.get(side.id)
                return isinstance(value, ast.Tuple | ast.BinOp) and self._class(value, noun)
            return side.id in noun.classes and where.startswith(f"empirisk.{noun.folder}")
        if isinstance(side, ast.Attribute):
            return side.attr in noun.classes and ast.unparse(side.value).split(".")[-1] in noun.folder
        if isinstance(side, ast.Tuple):
            return any(self._class(e, noun) for e in side.elts)
        return isinstance(side, ast.BinOp) and (self._class(side.left, noun) or self._class(side.right, noun))

    def _tests_class(self, node: ast.Call, noun: Noun) -> bool:
        asks = isinstance(node.func, ast.Name) and node.func.id in {"isinstance", "issubclass"}
        return asks and len(node.args) == 2 and self._class(node.args[1], noun)

    def _is_table(self, node: ast.Dict, noun: Noun) -> bool:
        """Whether two keys are names or classes of the noun, and the values are none of its objects."""
        keys = [k for k in node.keys if k is not None]
        held = len(self._words(node, noun)) + sum(self._class(k, noun) for k in keys)
        return held > 1 and not all(self._is_object(v, noun) for v in node.values)

    def _is_object(self, value: ast.expr | None, noun: Noun) -> bool:
        """Whether a menu offers it: a class of the noun, a call of one, a function of one, or a menu."""
        if isinstance(value, ast.Dict):
            return all(self._is_object(v, noun) for v in value.values)
        value = value.body if isinstance(value, ast.Lambda) else value
        if isinstance(value, ast.Tuple | ast.List):  # several objects
            return all(self._is_object(v, noun) for v in value.elts)
        if isinstance(value, ast.ListComp):
            return self._is_object(value.elt, noun)
        value = value.func if isinstance(value, ast.Call) else value
        return self._class(value, noun)

    def _case(self, pattern: ast.pattern, noun: Noun) -> bool:
        inner = list(ast.walk(pattern))
        named = [p.value for p in inner if isinstance(p, ast.MatchValue)]
        return any(self._words(v, noun) for v in named) or any(
            self._class(p.cls, noun) for p in inner if isinstance(p, ast.MatchClass)
        )


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The variables that a statement assigns, with the value."""
    if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from ((target.id, node.value) for target in targets if isinstance(target, ast.Name))


def _is_name_of(side: ast.expr) -> bool:
    return isinstance(side, ast.Attribute) and side.attr == "name"


def _calls(side: ast.expr, function: str) -> bool:
    return isinstance(side, ast.Call) and isinstance(side.func, ast.Name) and side.func.id == function
