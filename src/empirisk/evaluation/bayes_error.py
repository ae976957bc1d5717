"""What no rule can do better than: the bracket of Cover and Hart for the Bayes error, from one nearest
neighbour.

Cover and Hart, IEEE Transactions on Information Theory 13 (1967), theorem 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.bounds import cover_hart
from empirisk.data.brief import Brief
from empirisk.estimators import KNeighborsClassifier
from empirisk.evaluation.intervals.base import accept, normal_quantile, refuse, too_few
from empirisk.inference.limits import wilson_limits
from empirisk.results import Estimate
from empirisk.typing import Array, IndexArray
from empirisk.wording import number

__all__ = ["BayesErrorBracket", "bayes_error_bracket"]

FEWEST = 30  # rows, below which the share of errors is too rough
METHOD = "Wilson with the variance of rows that share neighbours"


@dataclass(frozen=True, repr=False)
class BayesErrorBracket(Brief):
    """Between what numbers the error of the best possible rule lies, and what this rests on.

    Parameters
    ----------
    low, high : float
        Ends of the bracket, for the measured error; NaN where the rows are too few.
    interval : tuple of two floats
        The bracket of the whole interval of the error: the lowest low and the highest high.
    error : Estimate
        Leave-one-out error of one nearest neighbour.
    n_classes : int
    """

    low: float
    high: float
    interval: tuple[float, float]
    error: Estimate
    n_classes: int

    @property
    def sentence(self) -> str:
        """The bracket with its interval, and why it may be wrong for few rows."""
        if self.error.low is None:
            return f"The Bayes error cannot be bracketed: {self.error.reason}."
        ends = " and ".join(number(end, 2) for end in (self.low, self.high))
        widest = " to ".join(number(end, 2) for end in self.interval)
        return (
            f"The best rule errs at most as often as one nearest neighbour, {self.error}. If that is the "
            f"error in the limit of many rows, too, the best rule's lies between {ends} ({widest} with the "
            f"interval); with {self.error.n:,} rows in more than a few columns it is above its limit, and "
            "the lower end says nothing."
        )

    def __repr__(self) -> str:
        return f"BayesErrorBracket({self.sentence})"


def bayes_error_bracket(
    X: Any, y: Any, *, metric: Any = "euclidean", level: float = 0.95
) -> BayesErrorBracket:
    """Bracket the error of the best possible rule by that of one nearest neighbour.

    ``(K-1)/K (1 - sqrt(1 - K/(K-1) L)) <= L* <= L`` with L the error of one nearest neighbour in the limit of
    many rows, K classes and L* the Bayes error.  L is measured by leaving out each row with all its copies.

    Parameters
    ----------
    X : array, data frame or sparse matrix, shape (n, p)
        Features, brought to one scale.
    y : array, shape (n,)
        Classes.
    metric : str, Metric or callable, default "euclidean"
        As in :class:`empirisk.KNeighborsClassifier`.
    level : float, default 0.95
        Nominal coverage of the interval of L.

    Returns
    -------
    BayesErrorBracket

    Raises
    ------
    ValueError
        For one class, fewer than 2 rows, and rows that the metric is not defined for.

    Notes
    -----
    One nearest neighbour is a rule, so that the best one errs no more often: the upper end.  The lower end is
    about the limit of many rows, which is far away in many columns: in 200 samples of 200 normal rows with a
    Bayes error of 0.1 the whole bracket lay above it in 1 % with one column, 9 % with two, 68 % with five and
    97 % with ten, and below it in none.

    O(n^2 p).  Rows that share a neighbour err together: the variance of their share counts these pairs, and
    Wilson's interval is made with the number of independent rows that has this variance.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 1))
    >>> y = (X[:, 0] > 0.0) ^ (rng.random(400) < 0.1)  # the best rule errs in 10 %
    >>> found = bayes_error_bracket(X, y)
    >>> found.low < 0.1 < found.high
    True
    """
    model = KNeighborsClassifier(1, metric=metric).fit(X, y)
    n, k, kind = model.n_samples_fit_, len(model.classes_), model._kinds()
    different = int(kind.max()) + 1
    target = "the error of one nearest neighbour"
    if different < FEWEST:
        error = refuse(math.nan, level, n, METHOD, too_few(different, FEWEST), target)
        return BayesErrorBracket(math.nan, math.nan, (math.nan, math.nan), error, k)
    _, nearest = model._others(1, kind)
    codes = model._votes.argmax(axis=1)
    wrong = (codes != codes[nearest[:, 0]]).astype(np.float64)
    rate, rows = float(wrong.mean()), independent_rows(wrong, nearest[:, 0], kind)
    limits = wilson_limits(rate, rows, normal_quantile(level))
    error = accept(rate, limits, level, n, METHOD, target=target)
    low, high = cover_hart(rate, k)
    widest = (cover_hart(max(limits[0], 0.0), k)[0], cover_hart(min(limits[1], 1.0), k)[1])
    return BayesErrorBracket(low, high, widest, error, k)


def independent_rows(wrong: Array, nearest: IndexArray, kind: IndexArray | None = None) -> float:
    """Return how many independent rows have the variance that the share of errors has.

    Two rows can err together where one is the neighbour of the other, or both have the same one; copies,
    which are rows of one `kind`, err as one row.  The number is between a tenth of the different rows and all
    of them.
    """
    d = wrong - wrong.mean()
    alone = len(d) * float(d @ d)
    if kind is not None:
        first = np.unique(kind, return_index=True)[1]
        d, nearest = np.bincount(kind, d), kind[nearest[first]]
    n, plain = len(d), float(d @ d)
    if plain == 0.0:
        return float(n)
    own = np.arange(n)
    shared = np.bincount(nearest, d, n)  # by neighbour: sums over the rows that have it
    together = float(shared @ shared) - plain
    mutual = nearest[nearest] == own
    along = 2.0 * float(d @ d[nearest]) - float(d[mutual] @ d[nearest[mutual]])
    return float(np.clip(alone / max(plain + together + along, plain), 0.1 * n, n))
