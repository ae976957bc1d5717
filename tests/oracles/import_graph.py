"""Which module of the package imports which, wherever the import stands, and the cycles among them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.oracles.structure import scan_of

__all__ = ["cycles", "import_graph", "way_round"]

Graph = Mapping[str, frozenset[str]]


def import_graph(package: Path) -> dict[str, frozenset[str]]:
    """Return for every module those of the package that it names in an import.

    Imports inside functions and for type checkers count like those at the top.  What is imported from a
    package is its module of that name where there is one, else the package itself.
    """
    files = {dotted(f, package): f for f in package.rglob("*.py")}
    return {name: frozenset(_imports(f, files) - {name}) for name, f in files.items()}


def dotted(file: Path, package: Path) -> str:
    """Return the name under which a file of a package is imported."""
    parts = file.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(file: Path, files: Mapping[str, Path]) -> set[str]:
    found = set()
    for statement in scan_of(file).imports:
        inner = (f"{statement.module}.{name}" for name in statement.names)
        found |= {name if name in files else statement.module for name in inner} or {statement.module}
    return found & files.keys()


def cycles(graph: Graph) -> list[frozenset[str]]:
    """Return the strongly connected components of more than one module, by Tarjan's algorithm."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    out: list[frozenset[str]] = []

    def visit(v: str) -> None:
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in sorted(graph[v]):
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            component = set()
            while v not in component:
                component.add(stack.pop())
            if len(component) > 1:
                out.append(frozenset(component))

    for v in sorted(graph):
        if v not in index:
            visit(v)
    return out


def way_round(component: frozenset[str], graph: Graph) -> list[str]:
    """Return a shortest way from the first module of a cycle back to itself."""
    start = min(component)
    ways = [[start]]
    seen = set()
    while True:
        way = ways.pop(0)
        for w in sorted(graph[way[-1]] & component):
            if w == start:
                return [*way, start]
            if w not in seen:
                seen.add(w)
                ways.append([*way, w])
