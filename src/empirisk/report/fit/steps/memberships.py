"""Chances of the groups of a Gaussian mixture as further columns before a linear model.

Where rows come in groups that numeric columns tell apart, and the target has a level for each group, a
weighted sum of columns and chances is a sum whose intercept depends on the group.  The number of groups is
that of BIC, which looks at no target.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import floor, log10
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import VarianceThreshold
from sklearn.pipeline import Pipeline

from empirisk.estimators.clusters.gaussian_mixture import GaussianMixture
from empirisk.report.fit.encode import Origin
from empirisk.wording import counted, number, p_value, percent

__all__ = ["Memberships"]

Floats = NDArray[np.float64]
GROUPS = [1, 2, 3, 4, 5]
MOST_COLUMNS = 10  # numeric ones; the covariances of more hold too many numbers

MOST_ROWS = 20_000
EACH = 10  # rows for each number of two groups
LOOKED_AT = 2_000  # rows that the groups are sought in when the step is suggested
LEVEL = 0.01  # of the F test that suggests the step
MOST_TERMS = 300  # encoded columns of that test
LISTED = 4  # columns whose means are told of each group
# Seconds for a row, a group and a squared column of all steps of one number of groups.
_STEP = 5.0e-8


class Memberships:
    """The encoded columns, and beside them the chances of each group given the numeric columns."""

    name: ClassVar[str] = "memberships"
    label: ClassVar[str] = "with groups"
    title: ClassVar[str] = "memberships of groups (a Gaussian mixture)"
    unit: ClassVar[str] = "coefficients and numbers of the groups"
    weighted: ClassVar[bool] = False
    reading: ClassVar[str] = (
        "A column acts through its coefficient and through the chances of the groups; its importance and its"
        " curve of partial dependence hold both."
    )
    why_none: ClassVar[str] = (
        "the groups were found on the same rows, and an ordinary interval would hold them fixed"
    )

    def suggested(self, X: Floats, y: NDArray[Any], numbers: int, n: int, n_classes: int) -> str:
        """Return why memberships may win: BIC finds groups, and the target differs between them.

        The difference is that of an F test, at level 0.01, of the chances beside all encoded columns in least
        squares.  It decides on trying alone: what is not tried cannot be taken, so that looking at the
        targets makes no false choice more likely.

        Parameters
        ----------
        X, y, numbers, n, n_classes
            As :class:`empirisk.report.fit.steps.base.FeatureStep` says.
        """
        X, y = X[:LOOKED_AT], y[:LOOKED_AT]
        each = 1 + numbers + numbers * (numbers + 1) // 2
        if not 1 <= numbers <= MOST_COLUMNS or not 2 * EACH * each <= n <= MOST_ROWS:
            return ""
        if X.shape[1] > MOST_TERMS or X.shape[0] < X.shape[1] + 2 * EACH * 2:
            return ""
        try:
            with warnings.catch_warnings():
                # How far the likelihood of a look is from its maximum is no news.
                warnings.simplefilter("ignore")
                groups = _groups().fit(X[:, :numbers])
        except ValueError:  # no column varies, or too few rows differ
            return ""
        chances = groups.transform(X[:, :numbers])
        k = chances.shape[1]
        p = _p_value(chances[:, 1:], X, y, n_classes) if k > 1 else 1.0
        if p > LEVEL:
            return ""
        return (
            f"BIC finds {k} groups of rows in {counted(numbers, 'numeric column')}, and the target differs"
            f" between them beyond a weighted sum of the columns (F test, {p_value(p)})"
        )

    def transformer(self, numbers: int) -> ColumnTransformer:
        """Return the unfitted transformer; BIC chooses the number of groups in every fit."""
        steps = [("columns", "passthrough", slice(0, None)), ("groups", _groups(), list(range(numbers)))]
        return ColumnTransformer(steps)

    def seconds(self, n: float, numbers: int) -> float:
        """Return the predicted seconds of one fit on n rows."""
        return 0.03 + _STEP * n * sum(GROUPS) * (numbers + 2.0) ** 2

    def n_numbers(self, fitted: Any) -> int:
        """Return how many shares, means and covariances a fitted transformer holds."""
        mixture = _mixture(fitted)
        p, k = mixture.n_features_in_, mixture.n_components_
        return int(k * (1 + p + p * (p + 1) // 2) - 1)

    def inputs(self, fitted: Any, origins: Sequence[Origin]) -> list[str]:
        """Return the names of the encoded columns and of the groups."""
        return [o.name for o in self.terms(fitted, origins)]

    def terms(self, fitted: Any, origins: Sequence[Origin]) -> list[Origin]:
        """Return the encoded columns, and a term for each group."""
        shares = _mixture(fitted).weights_
        names = [f"chance of group {g + 1} ({percent(float(s))} of the rows)" for g, s in enumerate(shares)]
        return [*origins, *(Origin(name, "", "group") for name in names)]

    def of_terms(self, fitted: Any, X: Floats) -> Floats:
        """Return the encoded rows with the chances beside them."""
        return np.asarray(fitted.transform(X), dtype=np.float64)

    def told(self, fitted: Any, coef: Floats) -> tuple[Floats, Floats]:
        """Return the coefficients as they are.

        Parameters
        ----------
        fitted : ColumnTransformer
        coef : array of shape (q,) or (q, k)
        """
        return coef, np.zeros(coef.shape[1:])

    def sentence(self, fitted: Any, origins: Sequence[Origin]) -> str:
        """Return how many groups there are, how large they are, and where their centres lie."""
        mixture = _mixture(fitted)
        k = mixture.n_components_
        if k == 1:
            return "BIC finds one group of rows, whose chance is 1 everywhere."
        used = np.flatnonzero(fitted.named_transformers_["groups"].named_steps["vary"].get_support())
        centres = mixture.means_
        # The columns whose means lie farthest apart, in the order of the table.
        shown = np.sort(np.argsort(-np.ptp(centres, axis=0), kind="stable")[:LISTED])
        told = []
        for g in range(k):
            at = [f"{o.name} {_place(o, centres[g, j])}" for j, o in ((j, origins[used[j]]) for j in shown)]
            share = percent(float(mixture.weights_[g]))
            told.append(f"group {g + 1} ({share} of the rows) around {', '.join(at)}")
        return (
            f"Beside the columns stand the chances of {k} groups of rows, a Gaussian mixture of"
            f" {counted(len(used), 'numeric column')} whose number BIC chose: {'; '.join(told)}."
        )


def _groups() -> Pipeline:
    """Return the unfitted mixture, which a column that does not vary would make singular.

    Chances need no likelihood to the last digits, so that a loose tolerance and two starts are enough.
    """
    mixture = GaussianMixture(GROUPS, n_init=2, ridge=1e-3, tol=1e-2, max_iter=200, random_state=0)
    return Pipeline([("vary", VarianceThreshold()), ("mixture", mixture)])


def _place(origin: Origin, standardised: float) -> str:
    """Return a centre in the unit of its column, to a tenth of the power of ten below a deviation."""
    decimals = 1 - floor(log10(origin.scale))
    return number(round(origin.center + origin.scale * float(standardised), decimals), 3)


def _mixture(fitted: Any) -> Any:
    """Return the fitted mixture inside a transformer."""
    return fitted.named_transformers_["groups"].named_steps["mixture"]


def _p_value(more: Floats, X: Floats, y: NDArray[Any], n_classes: int) -> float:
    """Return the p-value of the F test of further columns in least squares, times the number of targets."""
    targets = np.eye(n_classes)[y][:, 1:] if n_classes else np.asarray(y, dtype=np.float64)[:, None]
    before = np.column_stack([np.ones(len(X)), X])
    targets = targets - before @ np.linalg.lstsq(before, targets, rcond=None)[0]
    more = more - before @ np.linalg.lstsq(before, more, rcond=None)[0]
    rest = targets - more @ np.linalg.lstsq(more, targets, rcond=1e-8)[0]
    added = more.shape[1]
    freedom = len(X) - before.shape[1] - added
    whole, left = (targets**2).sum(axis=0), (rest**2).sum(axis=0)
    live = left > 1e-20 * len(X)
    if freedom < 1 or not live.any():
        return 1.0
    F = ((whole - left)[live] / added) / (left[live] / freedom)
    return float(min(1.0, stats.f.sf(F, added, freedom).min() * targets.shape[1]))
