"""Errors of the members of a bagged vote on the rows that they did not see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.ladder.base import Problem, rows_of_fit
from empirisk.ladder.flat_forest import (
    CUTS,
    FEWER_ROWS,
    flat_forest,
    pure_forest,
    read_forest,
    sizes_to_choose,
)
from empirisk.results import Assumption
from empirisk.typing import Array

__all__ = ["OutOfBag", "out_of_bag"]


@dataclass(frozen=True)
class OutOfBag:
    """Means over members and over pairs of members, with the smallest numbers of rows behind them.

    `kind` says whether the model is the plain majority vote that the theorems are about: scikit-learn
    averages class shares of the leaves, which is the same only when every leaf holds one class. `sizes` is
    how many numbers of members the rows could have chosen: delta is shared among them.
    """

    gibbs: float
    tandem: float
    disagreement: float
    n: int
    n_pairs: int
    words: tuple[Assumption, ...]
    kind: str
    sizes: int = 1


def out_of_bag(problem: Problem) -> OutOfBag | str:
    """Return what is counted once for the three rungs, or why there are no out-of-bag rows."""
    if "out_of_bag" not in problem.cache:
        problem.cache["out_of_bag"] = _why_not(problem) or _count(problem)
    found: OutOfBag | str = problem.cache["out_of_bag"]
    return found


def _why_not(problem: Problem) -> str:
    model = problem.model
    if problem.classes is None or not (hasattr(model, "estimators_samples_") or flat_forest(model)):
        return "the model is not a bagged vote of classifiers"
    if not getattr(model, "bootstrap", False):
        return (
            "the trees saw all rows (bootstrap=False): a vote needs members measured on rows that they did "
            "not see"
        )
    if getattr(model, "class_weight", None) == "balanced":
        return "balanced class weights depend on all rows, also on the out-of-bag ones"
    return problem.tuning.reason or problem.features.fixed


def _count(problem: Problem) -> OutOfBag | str:
    model = problem.model
    members = read_forest(problem) if flat_forest(model) else _read_members(problem)
    if isinstance(members, str):
        return members
    said, unseen = members
    counts, pairs = unseen.sum(axis=1), unseen @ unseen.T
    if len(said) < 2 or pairs.min() < 1.0:
        return "some pair of members has no row that neither saw"
    wrong = (said != problem.y).astype(np.float32) * unseen
    tandem = (wrong @ wrong.T) / pairs
    votes = np.stack([(said == c).sum(axis=0) for c in range(_n_classes(problem))])
    plain = votes.argmax(axis=0)
    codes = np.searchsorted(problem.classes, problem.est.predict(problem.X))  # type: ignore[arg-type]
    agrees = int(np.count_nonzero(plain == codes))
    exact = agrees == problem.n and (pure_forest(model) if flat_forest(model) else _pure(model))
    cuts = (CUTS,) if flat_forest(model) else ()
    return OutOfBag(
        float((wrong.sum(axis=1) / counts).mean()),
        float(tandem.mean()),
        float(_disagreement(said, unseen, pairs, _n_classes(problem)).mean()),
        int(counts.min()),
        int(pairs.min()),
        (
            Assumption("the rows are drawn independently"),
            Assumption(
                f"each member is measured on its {int(counts.min()):,} or more out-of-bag rows", "computed"
            ),
            *cuts,
            *rows_of_fit(problem),
        ),
        "the fitted model" if exact else "the majority vote of the members",
        sizes_to_choose(model),
    )


def _pure(model: Any) -> bool:
    """Return whether every leaf of every tree holds one class only."""
    for member in model.estimators_:
        tree = getattr(member, "tree_", None)
        if tree is None or (tree.value[tree.feature < 0].max(axis=-1) < 1.0 - 1e-12).any():
            return False
    return True


def _n_classes(problem: Problem) -> int:
    return 0 if problem.classes is None else int(problem.classes.size)


def _read_members(problem: Problem) -> tuple[NDArray[np.intp], NDArray[np.float32]] | str:
    """Return the class codes that each member predicts, and 1 where it did not see the row, both (members,
    n).
    """
    model, Z = problem.model, problem.features.Z
    drawn = model.estimators_samples_
    if max(int(rows.max()) for rows in drawn) >= problem.n:
        return FEWER_ROWS
    unseen = np.ones((len(drawn), problem.n), dtype=np.float32)
    for member, rows in enumerate(drawn):
        unseen[member, rows] = 0.0
    columns: Any = getattr(model, "estimators_features_", None)
    out = []
    for i, member in enumerate(model.estimators_):
        part = Z if columns is None else Z[:, columns[i]]
        out.append(np.asarray(member.predict(part)).astype(np.intp))
    return np.stack(out), unseen


def _disagreement(said: NDArray[np.intp], unseen: Array, pairs: Array, n_classes: int) -> Array:
    """Return the share of rows that neither member of a pair saw on which they differ."""
    same = np.zeros_like(pairs)
    for c in range(n_classes):
        chosen = (said == c).astype(np.float32) * unseen
        same += chosen @ chosen.T
    return np.asarray(1.0 - same / pairs)
