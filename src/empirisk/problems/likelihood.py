"""A likelihood, with an L2 penalty on some of its parameters, as a problem for the one loop.

``F(w) = -(1/S) sum_i s_i log f_i(w) + (alpha/2) ||w_penalised||^2``.  Where the negative log-likelihood is
convex and says how far its Hessian can fall near a point, a Newton decrement ``lambda^2 = g' H^-1 g`` bounds
the distance to the minimum: if the Hessian is at least ``c H`` on the ball ``||v||_H <= 2 lambda / c`` around
w, F rises on its border, so that the minimum lies inside, and ``F(w) - min F <= lambda^2 / (2 c)`` (Nesterov
2004, Introductory Lectures on Convex Optimization, section 4.1, has the self-concordant case).
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from empirisk.data.brief import Brief
from empirisk.problems.base import Layout, SummedProblem, Want
from empirisk.problems.likelihoods.base import Likelihood, Sums
from empirisk.results import Certificate, Kind
from empirisk.typing import Array, Capability

__all__ = ["LikelihoodProblem", "half_inverse"]

# Shares of the Hessian that are tried: the larger one gives the smaller bound.
SHARES = (0.9, 0.5)
# Moves of the terms, in units of their noise, within which a Newton step is one at a minimum.
NEAR = 0.1
# Eigenvalues of the Hessian, in units of its diagonal, that are taken for rounding.
TINY = 1e-13


@dataclass(frozen=True, eq=False, repr=False)
class LikelihoodProblem(SummedProblem, Brief):
    """``F(w) = -(1/S) log-likelihood + (alpha/2) ||w_penalised||^2``.

    Parameters
    ----------
    likelihood : Likelihood
        With its rows.
    alpha : float, default 0.0
        Strength of the penalty.

    Examples
    --------
    >>> import numpy as np
    >>> from empirisk.problems.likelihoods import Ordered
    >>> from empirisk.solvers import solve
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    >>> problem = LikelihoodProblem(Ordered(X, np.array([0, 1, 0, 1, 2, 1]), np.ones(6), 3))
    >>> solve(problem, tol=1e-10).status.ok
    True
    """

    likelihood: Likelihood
    alpha: float = 0.0

    def __repr__(self) -> str:
        n, p = self.likelihood.shape
        return f"LikelihoodProblem({self.likelihood.name!r}, alpha={self.alpha:g}, {n} rows x {p} columns)"

    @property
    def data(self) -> Likelihood:
        """The likelihood, which holds the rows."""
        return self.likelihood

    @property
    def title(self) -> str:
        """The names of the likelihood and the strength of the penalty."""
        return f"likelihood {self.likelihood.name!r}, alpha = {self.alpha:g}"

    @property
    def layout(self) -> Layout:
        """The blocks of parameters, which are those of the likelihood."""
        return self.likelihood.layout

    @property
    def capabilities(self) -> frozenset[Capability]:
        """A gradient and a Hessian, each a sum over the rows."""
        return frozenset({Capability.GRAD, Capability.SUMMED_HESSIAN, Capability.SMOOTH_PENALTY})

    @cached_property
    def strengths(self) -> Array:
        """The strength of the penalty on each parameter; 0 where it does not look."""
        return np.concatenate([np.full(b.rows, self.alpha * b.penalised) for b in self.layout.parts])

    def start(self) -> Array:
        """Return the parameters of the model without columns, or near them."""
        return self.likelihood.start()

    def evaluate(self, w: Array, want: Collection[str] = (), /) -> Sums:
        """Return the mean negative log-likelihood with its derivatives."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return self.likelihood.sums(w, Want.HESSIAN in want)

    def objective(self, w: Array, evaluation: Sums, /) -> float:
        """Return ``F(w)`` with the penalty, from the evaluation of w."""
        return evaluation.loss + 0.5 * float(self.strengths @ (w * w))

    def gradient(self, w: Array, evaluation: Sums, /) -> Array:
        """Return the gradient of F, the penalty included."""
        return evaluation.grad + self.strengths * w

    def hessian(self, evaluation: Sums, /) -> Array:
        """Return what steps divide the gradient by: the Hessian, its eigenvalues without their signs.

        Where F is not convex a step along an eigenvector of negative curvature would climb.
        """
        H = self.information(evaluation)
        return H if self.likelihood.convex else _without_signs(H)

    def information(self, evaluation: Sums, /) -> Array:
        """Return the Hessian of F, the penalty included."""
        assert evaluation.hess is not None
        return evaluation.hess + np.diag(self.strengths)

    @cached_property
    def _scale(self) -> float:
        return max(float(self.evaluate(self.start()).loss), math.sqrt(np.finfo(np.float64).tiny))

    def scale(self) -> float:
        """The mean negative log-likelihood where fits begin: the model without columns, or near it."""
        return self._scale

    def with_strength(self, alpha: float, /) -> Self:
        """Return the same likelihood with another strength."""
        return replace(self, alpha=alpha)

    def certify(
        self, w: Array, evaluation: Sums | None = None, target: float = 0.0, hint: Any = None, /
    ) -> Certificate:
        """A proved bound where the curvature is known around w, else the Newton decrement itself."""
        e = evaluation
        if e is None or e.hess is None:
            e = self.evaluate(w, (Want.HESSIAN,))
        if not math.isfinite(e.loss) or e.hess is None or not np.isfinite(e.hess).all():
            return self._open(math.inf, 0.0)
        half, free = half_inverse(self.information(e))
        if free.shape[1] and not self._idle(w, free):
            return self._open(math.inf, 0.0)
        g = self.gradient(w, e)
        rounding = float(np.linalg.norm(np.abs(half.T) @ self._rounding(w)))
        decrement = float(np.linalg.norm(half.T @ g)) + rounding
        lengths = [np.linalg.norm(m, axis=1) for m in self.likelihood.moves(w, half)]
        for share in SHARES:
            reach = [2.0 * decrement / share * length for length in lengths]
            if self.likelihood.shrinkage(w, reach) >= share:
                gap, floor = decrement**2 / (2.0 * share), rounding**2 / (2.0 * share)
                claim = (
                    f"F(w) - min F <= {gap:.1g}, by {Kind.CURVATURE.value}: the Hessian keeps {share:g} of "
                    "itself on a ball that holds the minimum"
                )
                return Certificate(Kind.CURVATURE, gap, self.scale(), claim, 0.0, floor)
        # Where a direction runs off to infinity the gradient falls as well, but each step moves the terms
        # by as much as the one before.
        proves = self.likelihood.shrinkage(w, [np.zeros(len(length)) for length in lengths]) > 0.0
        near = max(2.0 * decrement * length.max(initial=0.0) for length in lengths) <= NEAR
        return self._open(decrement if near and not proves else math.inf, rounding)

    def _open(self, decrement: float, rounding: float) -> Certificate:
        """Return what the gradient alone says: nothing about other minima where F is not convex."""
        value, floor = 0.5 * decrement**2, 0.5 * rounding**2
        about = (
            "the objective is convex, so that no other minimum exists"
            if self.likelihood.convex
            else "a local minimum, which other starts may surpass"
        )
        claim = (
            f"half the squared gradient in the metric of the Hessian is {value:.1g}, by "
            f"{Kind.KKT_RESIDUAL.value}: {about}"
        )
        return Certificate(Kind.KKT_RESIDUAL, value, self.scale(), claim, 0.0, floor)

    def _rounding(self, w: Array) -> Array:
        """Return the size of the rounding errors of the gradient: of its terms, in double precision."""
        size = self.likelihood.sizes(w) + np.abs(self.strengths * w)
        return np.asarray(16.0 * np.finfo(np.float64).eps * size)

    def _idle(self, w: Array, free: Array) -> bool:
        """Return whether directions without curvature move no term at all: collinear columns, no escape."""
        moved = [np.abs(m).max(initial=0.0) for m in self.likelihood.moves(w, free)]
        sized = [np.abs(m).max(initial=0.0) for m in self.likelihood.moves(w, np.diag(_unit(free)))]
        return bool(max(moved) <= 1e-6 * max(sized))


def _unit(free: Array) -> Array:
    """Return the size of each entry over the given directions."""
    return np.asarray(np.abs(free).max(axis=1))


def _without_signs(H: Array) -> Array:
    """Return the matrix with the absolute values of its eigenvalues, in units of its diagonal."""
    unit = np.sqrt(np.where(np.diag(H) != 0.0, np.abs(np.diag(H)), 1.0))
    values, V = np.linalg.eigh(H / np.outer(unit, unit))
    if values[0] > 0.0:
        return H
    size = np.maximum(np.abs(values), 1e-8 * np.abs(values).max())
    return np.asarray((V * size) @ V.T * np.outer(unit, unit))


def half_inverse(H: Array) -> tuple[Array, Array]:
    """Return ``half`` with ``half half' = H^+``, and the directions (as columns) that H does not see."""
    unit = np.sqrt(np.where(np.diag(H) > 0.0, np.diag(H), 1.0))
    values, V = np.linalg.eigh(H / np.outer(unit, unit))
    kept = values > TINY * max(float(values[-1]), 1e-300) * len(values)
    V = V / unit[:, None]
    return V[:, kept] / np.sqrt(values[kept]), V[:, ~kept]
