"""Exact Shapley values of models made of trees.

Lundberg and others, Nature Machine Intelligence 2 (2020).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from empirisk.data.frames import like_input
from empirisk.data.tabular import Tabular, estimate_columns
from empirisk.data.threads import at_most
from empirisk.explanations.reading import in_words, read_model
from empirisk.results import Estimate
from empirisk.trees.shapley import background_shapley, expected_value, path_shapley
from empirisk.typing import Array

__all__ = ["TreeShap", "tree_shap"]


@dataclass(frozen=True, eq=False, repr=False)
class TreeShap(Tabular):
    """Shapley values of rows; prints as the mean size for each column, with intervals over the rows.

    Parameters
    ----------
    values : array, shape (n, p), or (n, p, k) for k > 1 outputs
        Part of each column in each row's score.
    base : float, or array of shape (k,)
        Score of a row about which nothing is known; ``base + values.sum(axis=1)`` are the scores.
    X : array, shape (n, p)
        The rows: numbers, and codes of categories.
    features, outputs : list of str
        Names of the columns and of the outputs.
    scale : str
        "raw score" (boosting), "probability" or "mean" (forests and trees), "sum of the trees".
    game : str
        What an unknown column means.
    level : float
        Coverage of the intervals.
    categories : list
        For each column None, or the names of its categories.

    Examples
    --------
    >>> import empirisk as er
    >>> stump = er.trees.Trees.stump(feature=0, threshold=1.5, values=[[1.0], [5.0]], n_features=2)
    >>> er.tree_shap(stump, np.array([[1.0, 0.0], [2.0, 0.0]])).values
    array([[-2.,  0.],
           [ 2.,  0.]])
    """

    values: Array
    base: Any
    X: Array = field(repr=False)
    features: list[str]
    outputs: list[str]
    scale: str
    game: str
    level: float
    categories: list[Any] = field(repr=False)

    @property
    def title(self) -> str:
        """The first line above the table: of how many rows, and on which scale, the values are."""
        return f"Mean size of the Shapley values of {len(self.X)} rows, on the scale: {self.scale}"

    def importances(self) -> list[list[Estimate]]:
        """``E|value|`` of each column (outer) and output (inner), with t intervals over the rows."""
        sizes = np.abs(self.values).reshape(len(self.X), len(self.features), -1)
        n = len(sizes)
        mean = sizes.mean(axis=0)
        half = np.full(mean.shape, np.nan)
        if n > 1:
            half = sizes.std(axis=0, ddof=1) / np.sqrt(n) * stats.t.ppf(0.5 + 0.5 * self.level, n - 1)
        target = "mean size on rows like these, the model being held fixed"

        def one(j: int, c: int) -> Estimate:
            m, h = float(mean[j, c]), float(half[j, c])
            if n == 1:
                return Estimate(m, None, None, self.level, n, "t", "one row has no spread", target)
            return Estimate(m, max(m - h, 0.0), m + h, self.level, n, "t", target=target)

        return [[one(j, c) for c in range(mean.shape[1])] for j in range(mean.shape[0])]

    def _rows(self) -> list[tuple[str, str, Estimate]]:
        rows = [
            (name, output, found[c])
            for name, found in zip(self.features, self.importances(), strict=True)
            for c, output in enumerate(self.outputs)
        ]
        return sorted(rows, key=lambda r: -r[2].value)

    def _columns(self) -> dict[str, list[Any]]:
        rows = self._rows()
        out: dict[str, list[Any]] = {"feature": [r[0] for r in rows]}
        if len(self.outputs) > 1:
            out["output"] = [r[1] for r in rows]
        return {**out, **estimate_columns([r[2] for r in rows])}

    def _shown(self) -> dict[str, list[Any]]:
        rows = self._rows()[:20]
        out: dict[str, list[Any]] = {"feature": [r[0] for r in rows]}
        if len(self.outputs) > 1:
            out["output"] = [r[1] for r in rows]
        out["mean size"] = [str(r[2]) for r in rows]
        return out

    def _notes(self) -> list[str]:
        notes = [
            f"Unknown columns: {self.game}.",
            "The values and the base add up to the model's score exactly.",
        ]
        hidden = len(self.features) * len(self.outputs) - 20
        return [*notes, f"{hidden} more rows are in to_frame()."] if hidden > 0 else notes

    def plot(self, row: int | None = None, *, output: int = 0, most: int = 12, ax: Any = None) -> Any:
        """All rows as points for each column, or one row's way from the base to its score; returns the Plot.

        Parameters
        ----------
        row : int, optional
            Number of the one row.
        output : int, default 0
            Which of the outputs.
        most : int, default 12
            Columns to show, the largest ones; the others are summed up.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from empirisk.plots.shapley_row import ShapleyRowDisplay
        from empirisk.plots.shapley_summary import ShapleySummaryDisplay

        values = self.values.reshape(len(self.X), len(self.features), -1)[:, :, output]
        scale = f"{self.scale} of {self.outputs[output]}" if self.outputs[output] else self.scale
        if row is not None:
            if not -len(self.X) <= row < len(self.X):
                raise ValueError(f"row must be a number below {len(self.X)}, got {row}")
            base = float(np.ravel(self.base)[output])
            parts = self._largest(values[row], self.X[row], most)
            return ShapleyRowDisplay(
                {"base": base, "score": base + float(values[row].sum()), "parts": parts, "scale": scale}
            ).plot(ax)
        order = np.argsort(-np.abs(values).mean(axis=0), kind="stable")[:most]
        columns = [
            {
                "name": self.features[j],
                "mean": float(np.abs(values[:, j]).mean()),
                "values": values[:, j].tolist(),
                "x": self.X[:, j].tolist(),
            }
            for j in order
        ]
        return ShapleySummaryDisplay({"columns": columns, "scale": scale, "n": len(self.X)}).plot(ax)

    def _largest(self, values: Array, x: Array, most: int) -> list[dict[str, Any]]:
        order = np.argsort(-np.abs(values), kind="stable")
        parts: list[dict[str, Any]] = [
            {"name": self.features[j], "x": in_words(self.categories[j], x[j]), "value": float(values[j])}
            for j in order[:most]
        ]
        if len(order) > most:
            rest = float(values[order[most:]].sum())
            parts.append({"name": f"{len(order) - most} others", "x": None, "value": rest})
        return parts


@like_input
def tree_shap(
    model: Any, X: Any, background: Any = None, *, level: float = 0.95, n_jobs: int | None = None
) -> TreeShap:
    """Shapley values of the columns in each row's score, exact, in compiled code.

    ``value_j(x) = sum over S without j of |S|! (p-|S|-1)!/p! (v(S + j) - v(S))``, where ``v(S)`` is the mean
    score when only the columns S of x are known.  Without `background`, unknown columns follow both branches
    of each node in proportion to the training weights (path-dependent: respects the dependence that the trees
    saw).  With `background`, unknown columns take the values of the background rows (interventional: true
    to the model, blind to dependence).

    Parameters
    ----------
    model : fitted tree, forest or boosting, or Trees
        Boosting is explained on the raw score, forests and trees on the mean or probability (of two classes:
        the second).  Fitted with exposures, the raw score is the logarithm of the rate: the exposure of a row
        adds its logarithm to that, whatever the columns are, and belongs to none of them.
    X : array, data frame or sparse matrix, shape (n, p)
        Rows to explain.
    background : the same, shape (B, p), optional
        A sample of rows that says what an unknown column may be; some hundreds are enough.
    level : float, default 0.95
        Coverage of the intervals of the mean sizes.
    n_jobs : int, optional
        Threads; default all that OpenMP has.  The result does not depend on it.

    Returns
    -------
    TreeShap

    Raises
    ------
    TypeError
        For a model that is not made of trees.
    ValueError
        For rows that the model would refuse.

    Notes
    -----
    Cost: n x nodes x (columns on a path)/2; with a background n x leaves x (columns on a path), as long as
    the background rows satisfy few different sets of the conditions of a path.

    References
    ----------
    Lundberg et al. 2020, Nature Machine Intelligence 2; Janzing, Minorics & Bloebaum 2020, AISTATS.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> model = er.GradientBoostingRegressor(n_estimators=20).fit(X, X[:, 0] + X[:, 1] ** 2)
    >>> shap = er.tree_shap(model, X)
    >>> bool(np.allclose(shap.base + shap.values.sum(axis=1), model.predict(X)))
    True
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie in (0, 1), got {level!r}")
    reading = read_model(model, X)
    trees = reading.trees
    if trees is None:
        raise TypeError(
            f"{type(model).__name__} is not made of trees; partial_dependence and interaction_strength take "
            "any model"
        )
    if background is None:
        with at_most(n_jobs):
            values, mean = path_shapley(trees, reading.X), expected_value(trees)
        game = "both branches, by the training weights"
    else:
        rows = reading.encode(background)
        if len(rows) == 0:
            raise ValueError("background has no rows; leave it out for the path-dependent values")
        with at_most(n_jobs):
            values, mean = background_shapley(trees, reading.X, rows), trees.predict(rows).mean(axis=0)
        game = f"the values of {len(rows)} background rows"
    values, base = reading.factor * values, reading.base + reading.factor * mean
    if values.shape[2] == 1:
        values, base = values[:, :, 0], float(base[0])
    return TreeShap(
        values,
        base,
        reading.X,
        reading.features,
        reading.outputs,
        reading.scale,
        game,
        level,
        reading.categories,
    )
