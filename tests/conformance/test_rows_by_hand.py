"""Rows that a user puts together are data, or are refused by what is wrong and where, for every problem."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import empirisk as er
from empirisk.data import ArrayBlocks, BlockList, Design
from empirisk.data.row_blocks import Block
from empirisk.losses import HalfSquared
from empirisk.penalties import L2
from empirisk.problems import LinearProblem, StreamedProblem

ROW, COLUMN = 23, 1  # the third row of the third block


def in_memory(X: Any, y: Any, w: Any) -> LinearProblem:
    return LinearProblem(HalfSquared(), L2(0.1), ArrayBlocks(Design(X), y, w))


def streamed(X: Any, y: Any, w: Any) -> StreamedProblem:
    return StreamedProblem(HalfSquared(), L2(0.1), BlockList.cut(X, y, w, rows=10))


PROBLEMS: dict[str, tuple[Callable[..., Any], str]] = {
    "memory": (in_memory, f"row {ROW}"),
    "blocks": (streamed, "in block 2, which starts at row 20: .*row 3"),
}
SOLVERS = {"memory": ("auto", "lbfgs", "newton"), "blocks": ("auto", "lbfgs", "fista")}


@pytest.fixture
def table(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X = rng.normal(size=(40, 3))
    return X, X[:, 0] + rng.normal(size=40), np.ones(40)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("what", ["weight", "y", "X"])
@pytest.mark.parametrize("kind", PROBLEMS)
def test_a_number_that_is_none_is_named(kind: str, what: str, sparse: bool, table: Any) -> None:
    make, where = PROBLEMS[kind]
    for value in (-1.0, np.nan, np.inf, -np.inf)[what != "weight" :]:
        X, y, w = (a.copy() for a in table)
        {"weight": w, "y": y, "X": X[:, COLUMN]}[what][ROW] = value
        said = where if kind == "blocks" else f"{what} holds {value:g} in {where}"
        said += ", column 1;" if what == "X" else ";"
        stored = sp.csr_array(X) if sparse else X
        for solver in SOLVERS[kind]:
            with pytest.raises(ValueError, match=said):
                er.solve(make(stored, y, w), solver)


@pytest.mark.parametrize("kind", PROBLEMS)
def test_weights_one_for_each_row_and_some_above_zero(kind: str, table: Any) -> None:
    make, _ = PROBLEMS[kind]
    X, y, w = table
    with pytest.raises(ValueError, match="weight"):
        er.solve(make(X, y, 0.0 * w))
    with pytest.raises(ValueError, match="weight"):
        er.solve(make(X, y, w[1:]))
    with pytest.raises(ValueError, match="y holds values of type <U1, and a problem needs numbers"):
        er.solve(make(X, np.where(y > 0.0, "a", "b"), w))


@pytest.mark.parametrize("what", [1, 2])
def test_a_list_is_named(what: int, table: Any) -> None:
    given = [list(a) if k == what else a for k, a in enumerate(table)]
    with pytest.raises(ValueError, match=f"{('X', 'y', 'weight')[what]} is a list; give a NumPy array"):
        er.solve(in_memory(*given))


@pytest.mark.parametrize("form", [list, lambda X: X[:, 0]])
def test_blocks_are_cut_from_rows_and_columns(form: Callable[..., Any], table: Any) -> None:
    with pytest.raises(ValueError, match="X must be an array of rows and columns"):
        BlockList.cut(form(table[0]), table[1])


def test_checks_cost_no_pass_over_the_features(table: Any) -> None:
    """A whole solve reads the features as often as before: what the checks read is kept."""
    problem = streamed(*table)
    problem.preflight()
    moments = problem.facts.moments
    problem.with_strength(0.5).preflight()
    assert problem.with_strength(0.5).facts.moments is moments
    assert not any("finite" in vars(block.design) for block in problem.data)


def test_blocks_of_other_lengths_are_named(table: Any) -> None:
    X, y, w = table

    def blocks(y1: Any, w1: Any) -> BlockList:
        first = Block(Design(X[:10]), y[:10], w[:10], 0)
        return BlockList((first, Block(Design(X[10:20]), y1, w1, 10)))

    place = "in block 1, which starts at row 10: "
    with pytest.raises(ValueError, match=place + r"y has shape \(9,\) and X 10 rows"):
        blocks(y[10:19], w[10:20])
    with pytest.raises(ValueError, match=place + r"weight has shape \(11,\) and X 10 rows"):
        blocks(y[10:20], w[10:21])
    with pytest.raises(ValueError, match=place + "y holds values of type <U1"):
        blocks(np.repeat("a", 10), w[10:20])
    with pytest.raises(ValueError, match=r"in block 0.*y has shape \(10, 2\); a streamed row has one target"):
        er.solve(StreamedProblem(HalfSquared(), L2(0.1), BlockList.cut(X, np.c_[y, y], rows=10)))


@pytest.mark.parametrize("at", [0, 1, 2])
def test_blocks_without_rows_are_left_out(at: int, table: Any) -> None:
    X, y, w = table
    cut = list(BlockList.cut(X, y, w, rows=20).blocks)
    cut.insert(at, Block(Design(X[:0]), y[:0], w[:0], 20 * at))
    solutions = [
        er.solve(StreamedProblem(HalfSquared(), L2(0.1), data))
        for data in (BlockList(tuple(cut)), BlockList.cut(X, y, w, rows=20))
    ]
    np.testing.assert_array_equal(*(solution.w for solution in solutions))


def test_no_rows_at_all_are_refused(table: Any) -> None:
    X, y, w = table
    with pytest.raises(ValueError, match="one row with weight"):
        er.solve(StreamedProblem(HalfSquared(), L2(0.1), BlockList((Block(Design(X[:0]), y[:0], w[:0], 0),))))
    with pytest.raises(ValueError, match="at least one row"):
        BlockList.cut(X[:0], y[:0])
