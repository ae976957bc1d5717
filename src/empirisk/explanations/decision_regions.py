"""Where a classifier of two columns changes its mind: its classes, chances and scores on a grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.brief import Brief
from empirisk.data.memory import refuse_memory
from empirisk.estimators.checks import check_count
from empirisk.typing import Array, IndexArray

__all__ = ["DecisionRegions", "decision_regions"]

# Rows of each class that a chart shows at most.
MOST_ROWS = 300


@dataclass(frozen=True, eq=False, repr=False)
class DecisionRegions(Brief):
    """What a classifier says at every place of a grid over two columns.

    Parameters
    ----------
    features : list of str
        The two columns.
    x, y : arrays, shape (G,)
        Places along the first and the second column.
    classes : list of str
        Names of the classes.
    code : int array, shape (G, G)
        Position of the predicted class; row i is at ``y[i]``.
    chance : array, shape (G, G), or None
        Probability of the predicted class, where the model gives probabilities.
    score : array, shape (G, G), or None
        Decision value of a model of two classes that has support vectors: its margin lies between -1 and 1.
    rows : array, shape (n, 2)
        Rows of the fit.
    row_code : int array, shape (n,)
        Position of the class of each row.
    predicted : int array, shape (n,)
        Position of the class that the model gives to each row.
    support : int array
        Numbers of the support vectors, where the model has some.

    Examples
    --------
    >>> import empirisk as er
    >>> X, y = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [3.0, 1.0]]), np.array([0, 0, 1, 1])
    >>> regions = er.decision_regions(er.LogisticRegression(alpha=0.1).fit(X, y), X, y)
    >>> regions.share.round(1).tolist()
    [0.5, 0.5]
    """

    features: list[str]
    x: Array
    y: Array
    classes: list[str]
    code: Array
    chance: Array | None
    score: Array | None
    rows: Array
    row_code: Array
    predicted: Array
    support: IndexArray

    @property
    def share(self) -> Array:
        """Share of the grid that each class has, shape (K,)."""
        return np.bincount(self.code.ravel(), minlength=len(self.classes)) / self.code.size

    def plot(self, ax: Any = None) -> Any:
        """Draw regions, rows, and margin lines with support vectors where there are some; returns the Plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from empirisk.plots.decision_boundary import DecisionBoundaryDisplay

        step = max(1, -(-len(self.rows) // (MOST_ROWS * len(self.classes))))
        shown = np.arange(0, len(self.rows), step)
        return DecisionBoundaryDisplay(
            {
                "features": self.features,
                "x": self.x.tolist(),
                "y": self.y.tolist(),
                "classes": self.classes,
                "code": self.code.tolist(),
                "chance": None if self.chance is None else self.chance.tolist(),
                "score": None if self.score is None else self.score.tolist(),
                "rows": [[*self.rows[i].tolist(), int(self.row_code[i])] for i in shown],
                "support": self.rows[self.support].tolist(),
                "wrong": int(np.sum(self.predicted != self.row_code)),
                "n": len(self.rows),
            }
        ).plot(ax)


def decision_regions(model: Any, X: Any, y: Any, *, resolution: int = 200) -> DecisionRegions:
    """``argmax_k P(k | x)`` on a grid over the two columns of the rows, with a margin of 8 % around these.

    Parameters
    ----------
    model : fitted classifier
        Of two columns. Probabilities, decision values and support vectors are asked of it.
    X : array or data frame, shape (n, 2)
        The rows of the fit, in their order: support vectors are numbers of rows.
    y : array, shape (n,)
        Their classes.
    resolution : int, default 200
        Places along each column.

    Returns
    -------
    DecisionRegions

    Raises
    ------
    ValueError
        For another number of columns than two, a model that is no classifier, NaN, or classes of y that the
        model does not know.

    Notes
    -----
    One prediction for each of ``resolution^2`` places.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X, y = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [3.0, 1.0]]), np.array([0, 0, 1, 1])
    >>> er.decision_regions(er.LogisticRegression(alpha=0.1).fit(X, y), X, y).code.shape
    (200, 200)
    """
    check_count("resolution", resolution, 2)
    if not hasattr(model, "classes_"):
        raise ValueError(f"{type(model).__name__} has no classes_: give a fitted classifier")
    features = [str(c) for c in getattr(X, "columns", ("x0", "x1"))]
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != 2:
        raise ValueError(f"X must have two columns to be drawn, got shape {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError("X holds NaN or infinity: drop these rows, which have no place on a map")
    classes = list(model.classes_)
    refuse_memory(
        f"a map of {resolution:,} times {resolution:,} places",
        8.0 * float(resolution) ** 2 * (6 + 2 * len(classes)),
        "lower resolution",
    )
    place = {c: k for k, c in enumerate(classes)}
    given = list(np.asarray(y))
    strange = [c for c in given if c not in place]
    if len(given) != len(rows) or strange:
        what = (
            f"the class {str(strange[0])!r}, which the model does not know"
            if strange
            else f"{len(given)} values"
        )
        raise ValueError(f"y holds {what}: give the class of each of the {len(rows)} rows of the fit")
    low, high = rows.min(axis=0), rows.max(axis=0)
    around = np.where(high > low, 0.08 * (high - low), 0.5)
    x, up = (np.linspace(low[j] - around[j], high[j] + around[j], resolution) for j in (0, 1))
    flat = np.stack([np.tile(x, resolution), np.repeat(up, resolution)], axis=1)
    at: Any = flat
    if hasattr(X, "columns"):
        at = type(X)(dict(zip(X.columns, flat.T, strict=True)))
    shape = (resolution, resolution)
    chance = getattr(model, "predict_proba", None)
    support = np.asarray(getattr(model, "support_", np.empty(0)), dtype=np.intp)
    score = model.decision_function(at) if support.size and len(classes) == 2 else None
    return DecisionRegions(
        features,
        x,
        up,
        [str(c) for c in classes],
        np.array([place[c] for c in model.predict(at)]).reshape(shape),
        None if chance is None else np.asarray(chance(at)).max(axis=1).reshape(shape),
        None if score is None else np.asarray(score).reshape(shape),
        rows,
        np.array([place[c] for c in given]),
        np.array([place[c] for c in model.predict(X)]),
        np.asarray(support),
    )
