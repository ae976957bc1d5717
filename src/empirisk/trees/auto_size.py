"""How many trees: until the luck of the trees no longer shows beside the luck of the rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from numpy.typing import NDArray
from scipy import special

from empirisk.data.brief import Brief
from empirisk.trees.out_of_bag_tally import Floats, ForestRisk, OutOfBagTally, RowLosses

__all__ = ["ForestSize", "auto_size", "possible_sizes"]

BATCH = 5  # trees in a group; the Monte-Carlo error is measured between groups
FIRST = 100  # twenty groups behind the first look
DOUBT = 0.9  # with which the error is below what it is held to


@dataclass(frozen=True, repr=False)
class ForestSize(Brief):
    """How a forest got its number of trees.

    Parameters
    ----------
    trees : int
        Trees grown.
    mc_error : float
        Standard deviation of the out-of-bag risk over seeds.
    standard_error : float
        Standard error of the out-of-bag risk over rows.
    risk : float
        The out-of-bag risk.
    excess : float
        Estimated rise of the forest's risk over that of infinitely many trees.
    reason : str
        Why growth stopped, in words.

    Examples
    --------
    >>> size = ForestSize(200, 0.001, 0.012, 0.3, 0.002, "")
    >>> size.mc_error < 0.1 * size.standard_error
    True
    """

    trees: int
    mc_error: float
    standard_error: float
    risk: float
    excess: float
    reason: str


def auto_size(
    grow: Callable[[int], tuple[Floats, NDArray]],
    loss: RowLosses,
    *,
    weight: Floats | None = None,
    fraction: float = 0.25,
    most: int = 1000,
) -> tuple[ForestSize, OutOfBagTally]:
    """Grow trees until ``mc_error <= fraction * standard_error`` of the out-of-bag risk.

    Parameters
    ----------
    grow : callable
        ``grow(m)`` adds m trees to the forest and returns the out-of-bag sums (n, k) and counts (n,) of these
        m trees alone.
    loss : callable
        ``loss(prediction (m, k), rows (m,))`` gives the losses of these rows, (m,). It must be smooth in the
        prediction: classifiers are judged by the Brier score.
    weight : array of shape (n,), optional
        Row weights.
    fraction : float in (0, 1], default 0.25
        At 0.25 the seed adds 3 per cent to the length of an interval of the risk, at 0.1 half a per cent for
        six times as many trees.
    most : int >= 100, default 1000
        Growth stops there in any case.

    Returns
    -------
    size : ForestSize
    tally : OutOfBagTally
        With the out-of-bag predictions.

    Raises
    ------
    ValueError
        When `fraction` or `most` is out of range.

    Notes
    -----
    The error falls like ``1/sqrt(T)``, so each look foretells how many trees are missing; at most as many are
    grown as there are, then it looks again. It is measured on batches of 5 trees (merged in pairs beyond 40),
    so a forest has a multiple of 5 trees. Held against the fraction is its upper 90 % limit (by the
    chi-squared law), or luck at an early look would stop growth. For squared error it is about
    ``sqrt(2 v/(q T r))`` standard errors, v the variance of a tree's prediction over seeds, r the risk and
    q = 0.37 the share of out-of-bag trees: the number of trees hardly depends on the number of rows. The 0-1
    loss is no criterion: its error falls like ``T^(-1/4)`` (rows near the border of the classes change
    sides), and no affordable forest would do.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.normal(size=1000)
    >>> def grow(m):
    ...     return 0.5 * np.sqrt(m) * rng.normal(size=(1000, 1)), np.full(1000, m)
    >>> size, tally = auto_size(grow, lambda z, rows: (y[rows] - z[:, 0]) ** 2)
    >>> size.trees == tally.trees, size.trees < 200
    (True, True)
    """
    if not 0.0 < fraction <= 1.0:
        raise ValueError(f"fraction must lie in (0, 1], got {fraction!r}; 0.1 is usual.")
    if most < FIRST:
        raise ValueError(f"most must be at least {FIRST}, got {most!r}.")
    tally = OutOfBagTally(loss, weight)
    goal = FIRST
    while True:
        while tally.trees < goal:
            batch = min(BATCH, goal - tally.trees)
            tally.add(*grow(batch), trees=batch)
        found = tally.risk()
        allowed = fraction * found.standard_error
        free = tally.groups - 1.0
        # The error comes from few groups of trees: its upper limit by the chi squared law guards against
        # luck.
        error = found.mc_error * math.sqrt(free / special.chdtri(free, DOUBT))
        if error <= allowed:
            return _size(found, tally.trees, fraction, ""), tally
        if tally.trees >= most:
            return _size(found, tally.trees, fraction, "the most that were allowed; "), tally
        missing = tally.trees * ((error / allowed) ** 2 if allowed > 0 else math.inf)
        goal = int(min(most, 2 * tally.trees, BATCH * math.ceil(1.05 * missing / BATCH)))


def possible_sizes(most: int = 1000) -> int:
    """Return how many numbers of trees :func:`auto_size` can come to.

    Examples
    --------
    >>> possible_sizes()
    181
    """
    return len(range(FIRST, most, BATCH)) + 1


def _size(found: ForestRisk, trees: int, fraction: float, cap: str) -> ForestSize:
    share = found.mc_error / found.standard_error if found.standard_error > 0 else math.inf
    reason = (
        f"{trees} trees ({cap}out-of-bag risk {found.risk:.4g}: seeds move it by {found.mc_error:.2g}, "
        f"{share:.2f} of its standard error over rows, {found.standard_error:.2g}; asked for {fraction:g})"
    )
    return ForestSize(trees, found.mc_error, found.standard_error, found.risk, found.excess, reason)
