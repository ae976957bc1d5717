"""Split conformal prediction: how far held-out rows fell from the prediction bounds how far new ones will.

For exchangeable rows the rank of a new score among n + 1 is uniform (when there are no ties), whatever the
model is. So the k-th smallest of n held-out scores, ``k = ceil((n + 1) level)``, is exceeded with probability
at most ``1 - level``, and without ties with exactly ``1 - k/(n + 1) >= 1 - level - 1/(n + 1)``. Vovk,
Gammerman and Shafer, Algorithmic Learning in a Random World (2005).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from empirisk.data.conformal_order import conformal_rank, rows_needed
from empirisk.data.tabular import Tabular, estimate_columns
from empirisk.results import Estimate
from empirisk.typing import Array

LEVELS = (0.8, 0.9, 0.95, 0.99)  # of the printed table
__all__ = ["Conformal", "LeftOutConformal", "cumulative_scores", "quantile_band_scores", "widened"]


@dataclass(frozen=True, repr=False)
class Conformal(Tabular):
    """Scores of rows that the fit has not seen.

    Parameters
    ----------
    scores : array, shape (n,)
        Larger: farther from what was predicted.
    what : str
        What a score is, for readers.

    References
    ----------
    Vovk, Gammerman, Shafer 2005, Algorithmic learning in a random world; Lei et al. 2018, Journal of the
    American Statistical Association 113.

    Examples
    --------
    >>> c = Conformal(np.arange(1.0, 21.0), "absolute residual")
    >>> c.threshold(0.9)
    19.0
    >>> print(c.claim(0.9))
    P(covered) >= 0.9 (without ties 0.9048): split conformal on 20 rows that the fit has not seen
    >>> print(c.coverage(0.9))
    0.90 [0.75, 0.99]
    """

    scores: Array
    what: str
    _of: ClassVar[str] = "held-out rows"
    _advice: ClassVar[str] = "raise calibration_fraction, or lower level"
    _method: ClassVar[str] = "split conformal, beta law"

    def __post_init__(self) -> None:
        ordered = np.sort(np.asarray(self.scores, dtype=np.float64))
        ordered.flags.writeable = False
        object.__setattr__(self, "scores", ordered)

    def rank(self, level: float) -> int:
        """``k = ceil((n + 1) level)``.

        Raises
        ------
        ValueError
            A level outside (0, 1), or too few rows: ``k > n``.
        """
        n = len(self.scores)
        k = conformal_rank(n, level)
        if k > n:
            raise ValueError(
                f"level = {level:g} needs at least {rows_needed(level)} {self._of}, there are {n}: "
                f"{self._advice}"
            )
        return k

    def threshold(self, level: float) -> float:
        """Return the k-th smallest held-out score, which a new row exceeds with probability at most ``1 -
        level``.
        """
        return float(self.scores[self.rank(level) - 1])

    def coverage(self, level: float, confidence: float = 0.95) -> Estimate:
        """How often new rows will be covered by the sets made from *these* held-out rows.

        Given the held-out rows that probability is a number; over them it follows the beta law with
        parameters k and n + 1 - k (with ties it is larger), whose central interval this is.

        References
        ----------
        Vovk 2012, ACML, proposition 2.
        """
        k, n = self.rank(level), len(self.scores)
        low, high = special.betaincinv(k, n + 1 - k, [0.5 * (1.0 - confidence), 0.5 * (1.0 + confidence)])
        target = f"coverage of the {100 * level:g} % sets of this fit on new rows"
        return Estimate(k / (n + 1), float(low), float(high), confidence, n, self._method, "", target)

    @property
    def title(self) -> str:
        """How many rows there are, and what a score is."""
        return f"Conformal scores of {len(self.scores):,} {self._of}: {self.what}"

    def _levels(self) -> list[float]:
        n = len(self.scores)
        return [level for level in LEVELS if conformal_rank(n, level) <= n]

    def _columns(self) -> dict[str, list[Any]]:
        levels = self._levels()
        covered = estimate_columns([self.coverage(level) for level in levels], "coverage")
        return {"level": levels, "threshold": [self.threshold(level) for level in levels], **covered}

    def _shown(self) -> dict[str, list[Any]]:
        levels = self._levels()
        return {
            "level": [f"{100.0 * level:g} %" for level in levels],
            "threshold": [self.threshold(level) for level in levels],
            "coverage of these sets": [self.coverage(level) for level in levels],
        }

    def _notes(self) -> list[str]:
        levels = self._levels()
        said = [f"{claim[:1].upper()}{claim[1:]}." for claim in map(self.claim, levels[:1])]
        return said or [f"They are too few for any of the usual levels: {self._advice}."]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.scores)} {self._of}, {self.what})"

    def claim(self, level: float) -> str:
        """Return the guarantee in one sentence, with its level and the number of held-out rows."""
        k, n = self.rank(level), len(self.scores)
        return (
            f"P(covered) >= {level:g} (without ties {k / (n + 1):.4g}): split conformal on {n} rows that the "
            "fit has not seen"
        )


class LeftOutConformal(Conformal):
    """Scores of rows that were left out one at a time, at parameters that all rows have chosen.

    Neither half is the split of the theorem: the scores depend on each other through the rows that they
    share, and a little on their own row through the parameters.  What they cover is measured, not proved.

    Examples
    --------
    >>> c = LeftOutConformal(np.arange(1.0, 21.0), "leave-one-out residual")
    >>> print(c.claim(0.9))
    about 0.9 of new rows, not proved: number 19 of 20 sorted leave-one-out scores
    """

    _of: ClassVar[str] = "rows"
    _advice: ClassVar[str] = "fit on more rows, or lower level"
    _method: ClassVar[str] = "leave-one-out scores, beta law as if they were independent"

    def claim(self, level: float) -> str:
        """Return in one sentence what the sets rest on; no theorem stands behind it."""
        k, n = self.rank(level), len(self.scores)
        return f"about {level:g} of new rows, not proved: number {k} of {n} sorted leave-one-out scores"


def quantile_band_scores(y: Array, low: Array, high: Array, unit: Array | float = 1.0) -> Array:
    """``max(low - y, y - high) / unit``: how far a target lies outside a band, negative inside.

    With ``low = high`` the absolute residual, with two fitted quantiles the score of conformalised quantile
    regression (Romano, Patterson, Candes 2019).

    Examples
    --------
    >>> quantile_band_scores(np.array([0.0, 2.0, 5.0]), np.full(3, 1.0), np.full(3, 3.0)).tolist()
    [1.0, -1.0, 2.0]
    """
    return np.asarray(np.maximum(low - y, y - high) / unit)


def widened(low: Array, high: Array, by: float, unit: Array | float = 1.0) -> Array:
    """``[low - by unit, high + by unit]``, shape (n, 2): the targets whose score is at most `by`.

    Where a negative `by` empties the band its middle is returned, which only adds to the coverage.

    Examples
    --------
    >>> widened(np.array([0.0, 0.0]), np.array([4.0, 1.0]), -1.0).tolist()
    [[1.0, 3.0], [0.5, 0.5]]
    """
    a, b = low - by * unit, high + by * unit
    crossed = a > b
    middle = 0.5 * (a[crossed] + b[crossed])
    a[crossed] = b[crossed] = middle
    return np.column_stack([a, b])


def cumulative_scores(proba: Array, share: Array | float = 1.0) -> Array:
    """Adaptive scores: of each class the total probability of the more probable ones, and a share of its own.

    The set of the classes whose score is at most a threshold takes the most probable ones first and stops
    before it would pass it.  With a share of 1 two noisy classes are both in every set; uniform shares
    (Romano et al., section 2) give sets that cover no more than asked for.

    Parameters
    ----------
    proba : array, shape (n, K)
    share : array, shape (n,), or float, default 1.0
        In [0, 1].

    Returns
    -------
    array, shape (n, K)

    References
    ----------
    Romano, Sesia, Candes 2020, NeurIPS.

    Examples
    --------
    >>> cumulative_scores(np.array([[0.2, 0.5, 0.3]])).tolist()
    [[1.0, 0.5, 0.8]]
    """
    order: NDArray[np.intp] = np.argsort(-proba, axis=1, kind="stable")
    out = np.empty_like(proba)
    own = np.take_along_axis(proba, order, axis=1)
    left_out = own * (1.0 - np.broadcast_to(np.asarray(share), (len(proba),)))[:, None]
    np.put_along_axis(out, order, np.cumsum(own, axis=1) - left_out, axis=1)
    return out
