"""The candidates made of trees: a pruned tree, boosted trees, a forest, on native levels and gaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.report.fit.candidates import Candidate
from empirisk.report.fit.rows import constant_scores, fill_classes, prior_scores

__all__ = ["GrownPath", "fit_grown", "grown_estimator", "grown_grid", "n_leaves", "trees_of"]

Floats = NDArray[np.float64]
ROUNDS = (3, 5, 10, 20, 35, 60, 100, 150, 200, 300)
TREES = 200
# Shares of classes in smaller leaves are too rough to be probabilities (Malley et al. 2012 take 10 %).
LEAF = 5


def grown_estimator(candidate: Candidate, task: str, value: float, levels: Sequence[int], seed: int) -> Any:
    """The unfitted estimator.

    Parameters
    ----------
    candidate : Candidate
    task : {"binary", "multiclass", "regression"}
    value : float
        Of the candidate's parameter; NaN where it has none.
    levels : sequence of int
        Columns that hold codes of levels.
    seed : int
    """
    from empirisk import estimators

    kind = "Regressor" if task == "regression" else "Classifier"
    more: dict[str, Any] = {"categorical_features": list(levels) or None, "random_state": seed}
    if candidate.grown == "tree":
        if task != "regression":  # probabilities are judged by the log-loss, and so are branches
            more |= {"criterion": "entropy", "risk": "criterion"}
        return estimators.REGISTRY[f"DecisionTree{kind}"](alpha=value, min_samples_leaf=LEAF, **more)
    if candidate.grown == "boosting":
        boosting = estimators.REGISTRY[f"GradientBoosting{kind}"]
        return boosting(n_estimators=int(value), early_stopping=False, **more)
    return estimators.REGISTRY[f"RandomForest{kind}"](TREES, min_samples_leaf=LEAF, **more)


def grown_grid(candidate: Candidate, X: Any, y: NDArray[Any], levels: Sequence[int], size: int) -> Floats:
    """Values of the parameter from the simplest model to the richest; one NaN where there is none.

    A tree: geometric midpoints of the strengths at which the whole training part loses a branch, thinned to
    `size`.  Boosting: rounds, the most not above one for each 5 rows.
    """
    if candidate.grown == "forest":
        return np.array([np.nan])
    if candidate.grown == "boosting":
        rounds = [r for r in ROUNDS if r <= max(10, y.size // 5)]
        return np.array(rounds[-size:], dtype=np.float64)
    task = "regression" if y.dtype.kind == "f" else "binary"
    found = grown_estimator(candidate, task, 0.0, levels, 0).cost_complexity_path(X, y).alpha
    steps = np.unique(found[found > 0.0])
    if steps.size == 0:
        return np.array([0.0])
    middles = np.append(np.sqrt(steps[1:] * steps[:-1]), steps[-1] * 1.5)
    picked = np.unique(np.linspace(0, middles.size - 1, min(size, middles.size)).round().astype(int))
    return np.asarray(middles[picked][::-1])


@dataclass(frozen=True)
class GrownPath:
    """Fits at several values of the parameter.

    Parameters
    ----------
    models : tuple of estimator
        One a value; of boosting one alone, which holds all rounds.
    rounds : tuple of int
        The values for boosting; empty for the others.
    present : int array
        Classes that the rows held.
    prior : array of shape (k,)
        See :func:`empirisk.report.fit.rows.prior_scores`; empty for a regression.
    n : int
        Rows that were fitted on.
    """

    models: tuple[Any, ...]
    rounds: tuple[int, ...]
    present: NDArray[np.intp]
    prior: Floats
    n: int

    def every(self, X: Any) -> Iterator[Floats]:
        """Return the scores of rows at each value."""
        if not self.rounds:
            for model in self.models:
                yield self._scores(model, X)
            return
        (model,) = self.models
        staged = model.staged_decision_function if self.prior.size else model.staged_predict
        for number, z in enumerate(staged(X), 1):
            if number in self.rounds:
                yield self._filled(np.asarray(z, dtype=np.float64))

    def scores(self, X: Any, i: int) -> Floats:
        """Return the scores of rows at the i-th value."""
        if not self.rounds or self.rounds[i] == self.rounds[-1]:
            return self._scores(self.models[-1 if self.rounds else i], X)
        return next(z for j, z in enumerate(self.every(X)) if j == i)

    @property
    def sizes(self) -> list[int]:
        """The number of leaves at each value of the tuned parameter."""
        if not self.rounds:
            return [n_leaves(model) for model in self.models]
        (model,) = self.models
        # The trees of the first score come first, then those of the second ...
        leaves = model.trees_.n_leaves.reshape(-1, max(model.n_estimators_, 1)).sum(axis=0).cumsum()
        return [int(leaves[min(r, leaves.size) - 1]) for r in self.rounds]

    def _scores(self, model: Any, X: Any) -> Floats:
        if model is None:  # rows of one class
            return constant_scores(self.present, self.prior.size, X.shape[0])
        if self.prior.size == 0:
            return np.asarray(model.predict(X), dtype=np.float64)
        if hasattr(model, "decision_function"):
            return self._filled(np.asarray(model.decision_function(X), dtype=np.float64))
        return self._filled(log_shares(model.predict_proba(X), self.n))

    def _filled(self, z: Floats) -> Floats:
        return fill_classes(z, self.present, self.prior) if self.prior.size else z


def log_shares(p: Floats, n: float) -> Floats:
    """Class shares as scores: log-odds for two classes, else logarithms; half a row keeps them finite.

    Parameters
    ----------
    p : array of shape (m, k)
        Class shares.
    n : float
        Rows that were fitted on; infinite for shares that are never 0.

    Examples
    --------
    >>> log_shares(np.array([[0.0, 1.0], [0.5, 0.5]]), 100).round(3)
    array([5.303, 0.   ])
    """
    z = np.log((p + 0.5 / n) / (1.0 + 0.5 * p.shape[1] / n))
    return np.asarray(z[:, 1] - z[:, 0] if p.shape[1] == 2 else z)


def trees_of(model: Any) -> Any:
    """Return the trees of a fitted model, None for a model that is not made of trees."""
    found = getattr(model, "trees_", None)
    return getattr(model, "tree_", None) if found is None else found


def n_leaves(model: Any) -> int:
    """Return the leaves of all trees of a fitted model."""
    return 1 if model is None else int(trees_of(model).n_leaves.sum())


def fit_grown(
    candidate: Candidate,
    X: Any,
    y: NDArray[Any],
    n_classes: int,
    values: Sequence[float] | Floats,
    levels: Sequence[int],
    seed: int,
) -> GrownPath:
    """Fit a candidate at each value of its parameter: one growth, then pruned or stopped at each of them.

    Parameters
    ----------
    candidate : Candidate
    X : array of shape (n, p)
        Encoded rows (:func:`empirisk.report.fit.native.native_encoder`).
    y : array of shape (n,)
        Class codes, or numbers when `n_classes` is 0.
    n_classes : int
    values : sequence of float
        From :func:`grown_grid`.
    levels : sequence of int
        Columns that hold codes of levels.
    seed : int
    """
    task = "regression" if n_classes == 0 else "binary"
    prior = prior_scores(y, n_classes) if n_classes else np.empty(0)
    present = np.unique(y).astype(np.intp) if n_classes else np.empty(0, dtype=np.intp)
    if present.size == 1:
        return GrownPath((None,) * len(values), (), y, prior, y.size)
    if candidate.grown == "boosting":
        rounds = tuple(int(v) for v in values)
        model = grown_estimator(candidate, task, max(rounds), levels, seed).fit(X, y)
        return GrownPath((model,), rounds, present, prior, y.size)
    whole = grown_estimator(candidate, task, 0.0, levels, seed).fit(X, y)
    models = (whole,) if candidate.grown == "forest" else tuple(whole.prune(alpha=float(v)) for v in values)
    return GrownPath(models, (), present, prior, y.size)
