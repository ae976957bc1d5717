"""The one loop knows no concrete problem, and imports among solvers and problems run one way."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import empirisk as er
from empirisk.losses import Huber
from empirisk.problems import Layout, Part
from tests.oracles.structure import PACKAGE

# Modules of the contract: what they may import of the problems is the contract itself.
LOOP = ("solvers/solve.py", "solvers/base.py")


def module_of(file: Path) -> str:
    """The dotted name of a file of the package."""
    parts = ("empirisk", *file.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(file: Path, known: set[str]) -> Iterator[str]:
    """All modules that a file imports, wherever in it: inside functions and for the type checker too."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            below = {f"{node.module}.{alias.name}" for alias in node.names} & known
            # What is taken from a package may be defined in its `__init__`, unless it is a module.
            yield from below
            if len(below) < len(node.names):
                yield node.module


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """One cycle of a directed graph, or nothing."""
    done: set[str] = set()

    def walk(node: str, path: list[str]) -> list[str]:
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return []
        for other in sorted(graph.get(node, ())):
            found = walk(other, [*path, node])
            if found:
                return found
        done.add(node)
        return []

    return next((found for node in sorted(graph) if (found := walk(node, []))), [])


@pytest.mark.parametrize("folder", ["problems", "solvers"])
def test_imports_run_one_way(folder: str) -> None:
    files = {module_of(f): f for f in (PACKAGE / folder).rglob("*.py")}
    graph = {name: set(imported(f, set(files))) & files.keys() for name, f in files.items()}
    found = cycle(graph)
    assert not found, "these modules import each other in a circle: " + " -> ".join(found)


def test_a_circle_is_found() -> None:
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]


@pytest.mark.parametrize("name", LOOP)
def test_the_loop_knows_the_contract_alone(name: str) -> None:
    known = {module_of(f) for f in PACKAGE.rglob("*.py")}
    rooms = ("empirisk.problems", "empirisk.losses", "empirisk.penalties", "empirisk.data.row_blocks")
    used = {m for m in imported(PACKAGE / name, known) if m.startswith(rooms)}
    assert used <= {"empirisk.problems.base"}


def test_parts_of_the_parameters_are_named() -> None:
    problem = er.Ridge().problem(np.eye(3), [1.0, 2.0, 3.0])
    layout = problem.layout
    assert layout.shape == problem.shape == (4,)
    w = np.arange(4.0)
    np.testing.assert_array_equal(layout.part(w, "coefficients"), problem.split(w)[0])
    assert layout.part(w, "intercept")[0] == problem.split(w)[1]
    assert [part.penalised for part in layout.parts] == [True, False]
    with pytest.raises(KeyError, match="no part of the parameters is called 'slope'"):
        layout.part(w, "slope")


@pytest.mark.parametrize(
    ("w0", "words"),
    [
        (np.zeros(3), r"w0 must have shape \(4,\), got \(3,\)"),
        (np.full(4, np.nan), "w0 holds NaN or infinity"),
    ],
)
def test_starts_that_are_none_are_refused(w0: np.ndarray, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Layout((4,), (Part("all", 4),)).check_start(w0)


def test_strengths_share_facts_that_are_known() -> None:
    X = np.random.default_rng(0).normal(size=(20, 3)) + 1e6
    problem = er.Ridge(1.0).problem(X, X[:, 0])
    known = problem.moments, problem.null
    other = problem.with_strength(0.1)
    assert other.moments is known[0]
    assert other.null is known[1]
    assert problem.moved is not None
    here, there = problem.moved, problem.with_strength(0.2).moved
    assert there is not None
    assert here[1].data is there[1].data  # the rows are moved once
    # Another loss has another null model: nothing is handed on by accident.
    assert replace(problem, loss=Huber(1.0)).facts.known_moments is None
