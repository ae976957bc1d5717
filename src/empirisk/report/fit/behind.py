"""Which challengers leave a cross-validation: those that are seen to be behind on the rows scored so far.

Discriminants, naive Bayes and networks win on some tables and cost time on all.  After every fold of the
first repeat one that is more than a standard error worse than the best leaves: the rule that chooses would
not take it if the folds ended here.  A challenger that is as good as the best leaves so in about one of six
looks, which costs nothing; one that is better by three standard errors in hardly any.  Where losses are rare
and large, few rows show too small an error, so that the lag must be felt as well: it is compared with what
the best gains over the baseline.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from empirisk.report.fit.candidates import Candidate
from empirisk.wording import number

__all__ = ["apart", "behind"]

Floats = NDArray[np.float64]
FEWEST = 50  # rows that are scored, or groups, before anyone leaves
FELT = 0.02  # share of the gain over the baseline


def behind(
    losses: Sequence[tuple[Candidate, Floats]],
    n_train: float,
    groups: NDArray[np.intp] | None = None,
    weights: Floats | None = None,
) -> dict[str, str]:
    """Return the names of the challengers that leave, each with the reason in half a sentence.

    With the mean d of the differences of m rows to the best candidate, and their standard deviation s, a
    challenger leaves where ``d > s sqrt(1/m + 1/n_train)`` and d is more than a fiftieth of what the best
    gains over the baseline; the term 1/n_train stands for the training rows that the folds share (Nadeau and
    Bengio 2003).

    Parameters
    ----------
    losses : sequence of (Candidate, array of shape (m, a))
        Losses of the rows scored so far at each value of the parameter; the best value counts.
    n_train : float
        Rows of a fit.
    groups : array of shape (m,), optional
        Rows with the same number depend on each other.
    weights : array of shape (m,), optional
        What each row counts.

    Examples
    --------
    >>> import numpy as np
    >>> best = Candidate("tree", "Tree", "candidate", kind="tree")
    >>> other = Candidate("mlp", "Network", "candidate", kind="network")
    >>> noise = np.random.default_rng(0).normal(size=(60, 1))
    >>> list(behind([(best, noise), (other, noise + np.abs(noise))], 160.0))
    ['mlp']
    """
    if weights is not None:  # the mean of these is the weighted mean of the losses
        losses = [(c, x * (weights / weights.mean())[:, None]) for c, x in losses]
    own = [(c, x[:, int(np.argmin(_means(x)))]) for c, x in losses if c.role != "reference"]
    if not own:  # a candidate that was cross-validated by itself, and whose fit the time has cut
        return {}
    first, best = min(own, key=lambda row: _means(row[1]))
    out: dict[str, str] = {}
    felt = FELT * max((_means(x) - _means(best) for c, x in own if c.role == "baseline"), default=0.0)
    for candidate, found in own:
        if not candidate.raced or candidate is first:
            continue
        more, error, m = apart(found - best, n_train, groups)
        if m >= FEWEST and not more <= max(error, felt):
            by = f"{number(more, 2)}, standard error {number(error, 2)}"
            by = by if math.isfinite(more) else "an infinite loss"
            out[candidate.name] = f"behind {first.label} by {by} ({best.size:,} rows)"
    return out


def _means(x: Floats) -> Floats:
    """Return means over rows; a loss that is no number counts as infinite."""
    found = np.asarray(x.mean(axis=0))
    return np.where(np.isfinite(found), found, np.inf)


def apart(difference: Floats, n_train: float, groups: NDArray[np.intp] | None) -> tuple[float, float, int]:
    """Return the mean difference, its standard error, and how many independent parts it is a mean of.

    Parameters
    ----------
    difference : array of shape (m,)
        Of the losses of two candidates on each row.
    n_train : float
        Rows of a fit.
    groups : array of shape (m,), or None
        Rows with the same number depend on each other.
    """
    if not np.isfinite(difference).all():
        return math.inf, math.nan, difference.size
    mean, m = float(difference.mean()), difference.size
    if groups is None:
        spread = float(difference.var(ddof=1)) if m > 1 else math.inf
        return mean, math.sqrt(spread * (1.0 / m + 1.0 / n_train)), m
    codes = np.unique(groups, return_inverse=True)[1]
    count = int(codes.max()) + 1
    sums = np.bincount(codes, weights=difference - mean)
    spread = float((sums**2).sum()) / max(1, count - 1) * (count / m) ** 2
    share = count / m
    return mean, math.sqrt(spread * (1.0 / count + 1.0 / max(1.0, n_train * share))), count
