"""What a loss can be asked about itself, and what it answers when it has nothing to say.

Solvers, certificates, trees and standard errors have routines for some losses only.  They ask the loss
whether it fits and never which loss it is, so that a new loss is served wherever its answers allow.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from empirisk.typing import Array, IndexArray

__all__ = ["Abilities", "Kink", "PassSums"]

# Place, slope below and slope above of one kink a row.
Kink = tuple[Array, Array, Array]


class PassSums(Protocol):
    """What one pass over the rows tells a loss about a point w whose intercept b is not yet optimal.

    Attributes
    ----------
    loss : float
        Mean loss.
    linear : float
        ``w.grad + b.slope``, which is the mean of ``z l'(z)``.
    grad, slope : arrays
        Gradient of the mean loss in the coefficients and in the intercept.
    y, offset : arrays
        The targets and the known part of the scores (0 without one).
    row_slopes : array
        ``l'`` of each row.
    column_means, column_rms : arrays, shape (p,)
        Weighted mean and root mean square of the columns.
    products : array, shape (p,)
        Weighted means of ``y_i x_i``.
    """

    @property
    def loss(self) -> float: ...
    @property
    def linear(self) -> float: ...
    @property
    def grad(self) -> Array: ...
    @property
    def slope(self) -> Array: ...
    @property
    def y(self) -> Array: ...
    @property
    def offset(self) -> Array: ...
    @property
    def row_slopes(self) -> Array: ...
    @property
    def column_means(self) -> Array: ...
    @property
    def column_rms(self) -> Array: ...
    @property
    def products(self) -> Array: ...

    def mean(self, v: Array) -> Any:
        """Return the weighted mean over the rows."""
        ...

    def shares(self, k: int) -> Array:
        """Return the shares of the weight that k classes have, where targets are class codes."""
        ...


class Abilities:
    """The answers of a loss that has nothing special; a loss overrides those that it knows better.

    Attributes
    ----------
    quadratic : bool
        Whether it is half the squared difference: one linear system solves the problem.
    of_difference : bool
        Whether it depends on ``z - y`` alone: targets may be measured from anywhere.
    absorbs_offset : bool
        Whether :func:`~empirisk.losses.with_offset` moves an offset into the target.
    multinomial : bool
        Whether it is ``log sum_k exp(z_k) - z_y``, which solvers and summaries have routines for.
    log_link : bool
        Whether the mean is the exponential of the score.
    log_odds : bool
        Whether the score is the log odds of the label +1.
    tells_probability : bool
        Whether classifiers answer with the probability that `mean` reads off a score: log-odds do, and scores
        whose loss is made for it.
    ratio : str
        What the exponential of a coefficient is a ratio of, such as "odds ratio"; "" where it is none.
    shares : bool
        Whether a target is the share of successes among trials, whose number is the row's weight.
    counts : bool
        Whether targets are whole numbers of events.
    title : str
        The regression in words where it is the likelihood of an exponential family; else "".
    unit_dispersion : bool
        Whether the mean alone decides the variance, so that there is no dispersion to estimate.
    likelihood : bool
        Whether ``exp(-value / dispersion)`` is a density of the target up to a factor; such a loss writes
        `log_normalizer`.
    concordance : float
        M of ``|l'''| <= M l''`` in the score; +inf where none is known.
    exact_leaves : bool
        Whether the curvature is no guide to the minimum of a few rows, so that trees solve each leaf exactly.
    quantile_level : float or None
        The level of the quantile that is its best constant, where that is a quantile.
    shifts : bool
        Whether an intercept off its optimum is repaired by a shift of all scores; else by `balance`.
    fused, row_slope : bool
        Whether compiled passes over the rows, and compiled steps on one row, know it.  A subclass says so
        itself and does not inherit it: it may have another formula.
    parameter : float
        The number that those loops take beside its name.
    nuisances : int
        How many parameters of the loss itself were estimated from the rows.
    by_class : Loss or None
        For a sum over the classes of a loss of two labels, that loss.
    """

    if TYPE_CHECKING:  # a class attribute of every loss, which this class has no answer for

        @property
        def name(self) -> str: ...

    @property
    def quadratic(self) -> bool:
        return False

    @property
    def of_difference(self) -> bool:
        return False

    @property
    def absorbs_offset(self) -> bool:
        return False

    @property
    def multinomial(self) -> bool:
        return False

    @property
    def log_link(self) -> bool:
        return False

    @property
    def log_odds(self) -> bool:
        return False

    @property
    def tells_probability(self) -> bool:
        return self.log_odds

    @property
    def ratio(self) -> str:
        return ""

    @property
    def shares(self) -> bool:
        return False

    @property
    def counts(self) -> bool:
        return False

    @property
    def title(self) -> str:
        return ""

    @property
    def unit_dispersion(self) -> bool:
        return False

    @property
    def likelihood(self) -> bool:
        return False

    @property
    def concordance(self) -> float:
        return math.inf

    @property
    def exact_leaves(self) -> bool:
        return False

    @property
    def quantile_level(self) -> float | None:
        return None

    @property
    def shifts(self) -> bool:
        return True

    @property
    def fused(self) -> bool:
        return False

    @property
    def row_slope(self) -> bool:
        return False

    @property
    def parameter(self) -> float:
        return 0.0

    @property
    def nuisances(self) -> int:
        return 0

    @property
    def by_class(self) -> Any:
        return None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for loop in ("fused", "row_slope"):
            if loop not in vars(cls):
                setattr(cls, loop, False)

    def plain(self, y: Array) -> tuple[Any, Array]:
        """Return the loss and its targets; wrappers whose y has further columns say what they wrap."""
        return self, y

    def offset(self, y: Array) -> Array | None:
        """Return the known part of the scores, which only wrappers have."""
        return None

    def kinks(self, y: Array) -> list[Kink]:
        """Return the kinks: ``sum_k max(low_k (z - at_k), high_k (z - at_k))`` is the loss up to a constant.

        Those that offer PIECEWISE_LINEAR have them; the others refuse.
        """
        raise ValueError(f"the loss {self.name!r} is not piecewise linear: it has no kinks to add up")

    def null_rows(self, y: Array, s: Array, k: int) -> tuple[Array, Array]:
        """Return targets and weights, on as few rows as can be, with the same losses at constant scores."""
        return y, s

    def repair(self, sums: PassSums) -> tuple[float, Array] | None:
        """Return what moving the dual values ``-l'`` into the hyperplane of a free intercept costs.

        A bound on the rise of the mean conjugate, and on the gradient that is left.  None where only the
        rows themselves can tell.
        """
        return None

    def labelled(self, y: Array) -> tuple[Any, IndexArray | None, Array] | None:
        """Return a loss of labels that escapes in the same directions, the rows that it needs, their labels.

        Rows of None are all rows, each once.  The answer is None where the loss is its own.
        """
        return None

    def outside(self, z: Array) -> Array:
        """Return -1 for scores below those that have a mean, 1 above and 0 among them; every score has one
        here.
        """
        return np.zeros(np.shape(z))

    def inward(self, y: Array, share: float) -> Array | None:
        """Return targets moved off the ends at which means may lie, by a share of the mean target; None
        without such ends.
        """
        return None

    def signs(self, y: Array) -> Array:
        """Return the labels of every class's own problem, shape (n, k), for losses with `by_class`."""
        raise TypeError(f"the loss {self.name!r} is no sum over the classes")

    @property
    def predictive(self) -> bool:
        """Whether the law of a new target has a distribution function here; such a loss writes `cdf`."""
        return type(self).cdf is not Abilities.cdf

    def cdf(self, y: Array, mean: Array, dispersion: float) -> Array:
        """Return the probability that a new target of that mean is at most y."""
        raise TypeError(f"the loss {self.name!r} has no distribution function")
