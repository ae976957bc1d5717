"""Friedman and Popescu's H: how much of what columns do together is not a sum of functions of one column.

Friedman and Popescu, Annals of Applied Statistics 2 (2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from empirisk.data.frames import like_input
from empirisk.data.seeds import Seed, generator_of
from empirisk.data.tabular import Tabular, estimate_columns
from empirisk.data.threads import at_most
from empirisk.estimators.checks import check_count
from empirisk.evaluation.beside import sizes
from empirisk.explanations.reading import read_model
from empirisk.explanations.replaced import chosen_rows, replaced_scores
from empirisk.results import Estimate
from empirisk.typing import Array

__all__ = ["InteractionStrength", "interaction_strength"]

# Below this share of the score's variation, H divides by next to nothing.
SMALL = 0.05


@dataclass(frozen=True, eq=False, repr=False)
class InteractionStrength(Tabular):
    """H of columns and of pairs, the largest interactions (`size`) first.

    Parameters
    ----------
    names : list of str
        A column ("with all others") or a pair.
    strength : list of Estimate
        H in [0, 1]: the root of the share of the variation of the joint dependence that is interaction.
    size : list of float
        The same without division, in units of the score.
    joint : list of float
        Standard deviation of the joint dependence over that of the whole score: what H divides by.
    scale : str
        What the score is.
    n_columns : int
        How many of the entries are columns; they come first.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> stump = er.trees.Trees.stump(feature=0, threshold=0.5, values=[[1.0], [5.0]], n_features=2)
    >>> h = er.interaction_strength(stump, np.eye(2)[[0, 1, 0, 1]])
    >>> [e.value for e in h.strength]
    [0.0, 0.0, 0.0]
    """

    names: list[str]
    strength: list[Estimate]
    size: list[float]
    joint: list[float]
    scale: str
    n_columns: int

    @property
    def title(self) -> str:
        """The first line above the table: on which scale the interactions are measured."""
        return f"Interaction strength H in the {self.scale}"

    def _columns(self) -> dict[str, list[Any]]:
        return {
            "columns": self.names,
            **estimate_columns(self.strength, "H"),
            "size": self.size,
            "joint": self.joint,
        }

    def _shown(self) -> dict[str, list[Any]]:
        keep = self._strongest(20)
        return {
            "columns": [self.names[i] for i in keep],
            "H": [str(self.strength[i]) for i in keep],
            "size": [f"{self.size[i]:.3g}" for i in keep],
            "joint": [f"{self.joint[i]:.0%}" for i in keep],
        }

    def _strongest(self, most: int) -> list[int]:
        """Return at most `most` entries, the first of the columns and at least as many of the pairs."""
        alone = min(self.n_columns, max(most // 2, most - (len(self.names) - self.n_columns)))
        pairs = range(self.n_columns, min(self.n_columns + most - alone, len(self.names)))
        return [*range(alone), *pairs]

    def _notes(self) -> list[str]:
        notes = [
            "H is a share of the variation that the columns cause together; size is the interaction in units "
            "of the score. Intervals resample the rows; the model is held fixed.",
        ]
        if any(e.reason for e in self.strength):
            notes.append(
                f"Where joint is below {SMALL:.0%} of the score's variation, H divides by next to nothing: "
                "look at size."
            )
        if len(self.names) > 20:
            notes.append(f"{len(self.names) - 20} more are in to_frame().")
        return notes

    def plot(self, *, most: int = 12, ax: Any = None) -> Any:
        """Bars of the strongest with their intervals; returns the Plot.

        Parameters
        ----------
        most : int, default 12
            How many.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from empirisk.plots.interactions import InteractionsDisplay

        rows = [
            {
                "name": self.names[i],
                "strength": self.strength[i].to_dict(),
                "size": self.size[i],
                "small": bool(self.strength[i].reason),
            }
            for i in self._strongest(most)
        ]
        return InteractionsDisplay({"rows": rows, "scale": self.scale}).plot(ax)


@like_input
def interaction_strength(
    model: Any,
    X: Any,
    features: Sequence[Any] | None = None,
    *,
    level: float = 0.95,
    output: int = 0,
    max_rows: int = 200,
    n_resamples: int = 500,
    n_jobs: int | None = None,
    random_state: Seed = 0,
    sample_weight: Any = None,
) -> InteractionStrength:
    """``H_jk^2 = sum_i (F_jk - F_j - F_k)^2 / sum_i F_jk^2`` at the rows, with centred partial dependences F.

    For one column with all others: ``H_j^2 = sum_i (f - F_j - F_not-j)^2 / sum_i f^2``.

    Parameters
    ----------
    model : fitted estimator, or Trees
        As in :func:`partial_dependence`; one that was fitted with exposures is looked at for one unit of it.
    X : array, data frame or sparse matrix, shape (n, p)
        Rows.
    features : sequence of str or int, optional
        Columns whose pairs are looked at; default all.
    level : float, default 0.95
        Coverage of the percentile intervals.
    output : int, default 0
        Which of several outputs of the model.
    max_rows : int, default 200
        Rows drawn, since the cost is quadratic in them.
    n_resamples : int, default 500
        Bootstrap resamples of the rows.
    n_jobs : int, optional
        As in :func:`partial_dependence`.
    random_state : int, Generator, RandomState or None, default 0
        Of both draws.
    sample_weight : array, shape (n,), optional
        How many rows of the population each row stands for: all sums and means over rows are weighted.

    Returns
    -------
    InteractionStrength

    Raises
    ------
    ValueError
        For unknown columns, fewer than two of them, fewer than two rows.

    Notes
    -----
    A model that is a sum of functions of single columns has H = 0 exactly, in every resample.  Dependent
    columns make partial dependences look at rows that do not exist, and H with them.

    Cost: ``max_rows^2`` predictions for each column and each pair.

    References
    ----------
    Friedman & Popescu 2008, Predictive learning via rule ensembles, Annals of Applied Statistics 2.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.random.default_rng(0).normal(size=(300, 3))
    >>> model = er.GradientBoostingRegressor().fit(X, X[:, 0] * X[:, 1] + X[:, 2])
    >>> er.interaction_strength(model, X, max_rows=50).names[3]
    'x0 and x1'
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie in (0, 1), got {level!r}")
    check_count("max_rows", max_rows, 2)
    check_count("n_resamples", n_resamples, 1)
    reading = read_model(model, X)
    columns = [reading.column(f) for f in (range(len(reading.features)) if features is None else features)]
    if len(set(columns)) < 2 or len(set(columns)) < len(columns):
        raise ValueError(f"features must name at least two different columns, got {features!r}")
    if not 0 <= output < len(reading.outputs):
        raise ValueError(f"output must be a number below {len(reading.outputs)}, got {output!r}")
    w = (
        np.ones(len(reading.X))
        if sample_weight is None
        else sizes("sample_weight", sample_weight, len(reading.X))
    )
    counted = np.flatnonzero(w)
    counted = counted[chosen_rows(len(counted), max_rows, random_state)]
    rows, w = reading.X[counted], w[counted]
    n = len(rows)
    if n < 2:
        raise ValueError(f"X has {n} rows; variation needs at least two")
    draws = generator_of(random_state).multinomial(n, np.full(n, 1.0 / n), size=n_resamples)
    # One column of weights for the rows as they are, then one for each resample.
    weight = (np.vstack([np.ones(n), draws]) * w).T
    weight = weight / weight.sum(axis=0)

    def table(chosen: list[int]) -> Array:
        with at_most(n_jobs):
            return replaced_scores(reading.score, rows, chosen, rows[:, chosen])[:, :, output]

    single = {j: table([j]) for j in columns}
    whole = np.diag(single[columns[0]])
    mean = np.average(whole, weights=w)
    spread, size = float(np.sqrt(np.average((whole - mean) ** 2, weights=w))), float(np.abs(whole).max())
    found = []
    alone = {j: _centred(single[j] @ weight, weight) for j in columns}
    for j in columns:
        score = _centred(np.repeat(whole[:, None], weight.shape[1], axis=1), weight)
        # Row i with its own columns but j is row i in column i of the transposed table.
        rest = _centred(single[j].T @ weight, weight)
        found.append((f"{reading.features[j]} with all others", score, score - alone[j] - rest))
    for j, k in combinations(columns, 2):
        joint = _centred(table([j, k]) @ weight, weight)
        found.append((f"{reading.features[j]} and {reading.features[k]}", joint, joint - alone[j] - alone[k]))
    out = [(name, *_measure(joint, left, weight, spread, size, level)) for name, joint, left in found]
    alone_first = sorted(out[: len(columns)], key=lambda r: -r[2])
    pairs = sorted(out[len(columns) :], key=lambda r: -r[2])
    names, strength, apart, share = (list(c) for c in zip(*alone_first, *pairs, strict=True))
    return InteractionStrength(names, strength, apart, share, reading.scale, len(columns))


def _centred(values: Array, weight: Array) -> Array:
    return np.asarray(values - (weight * values).sum(axis=0))


def _measure(
    joint: Array, left: Array, weight: Array, spread: float, size: float, level: float
) -> tuple[Estimate, float, float]:
    """H with its interval, the size of the interaction, and the share of the variation that is joint.

    `size` is the largest score without centring, whose rounding is in all differences.
    """
    above, below = (weight * left**2).sum(axis=0), (weight * joint**2).sum(axis=0)
    # What rounding leaves of an interaction or a variation that is none.
    rounding = (1e-12 * size) ** 2
    above = np.where(above <= rounding, 0.0, above)
    h = np.sqrt(
        np.where(below > rounding, np.minimum(above / np.where(below > rounding, below, 1.0), 1.0), 0.0)
    )
    low, high = np.quantile(h[1:], [0.5 - 0.5 * level, 0.5 + 0.5 * level])
    share = float(np.sqrt(below[0]) / spread) if spread > 1e-12 * size and below[0] > rounding else 0.0
    reason = (
        ""
        if share >= SMALL or h[0] == 0.0
        else "the columns hardly move the score: H divides by next to nothing"
    )
    estimate = Estimate(
        float(h[0]),
        float(min(low, h[0])),
        float(max(high, h[0])),
        level,
        len(joint),
        "bootstrap of the rows, percentiles",
        reason,
        "H over all rows that these were drawn from, the model being held fixed",
    )
    return estimate, float(np.sqrt(above[0])), share
