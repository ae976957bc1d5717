"""A linear model at a falling sequence of penalties, each solve started from the one before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.data.deadline import OutOfTime, stopped_here
from empirisk.data.design import as_design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.losses import Logistic, Softmax
from empirisk.penalties import L1, L2, ElasticNetPenalty
from empirisk.problems.linear import LinearProblem
from empirisk.report.fit.families import family_loss
from empirisk.report.fit.rows import fill_classes, prior_scores
from empirisk.results import Solution
from empirisk.solvers import solve

__all__ = ["LinearPath", "fit_path"]

Floats = NDArray[np.float64]
# A mean beyond exp(300) is as wrong as infinity, but its square is still a number.
LARGEST_LOG = 300.0


@dataclass(frozen=True)
class LinearPath:
    """Fits at several penalties.

    Parameters
    ----------
    alphas : array of shape (a,)
        Penalties, falling.
    coefs : array of shape (a, p) or (a, p, k)
    intercepts : array of shape (a,) or (a, k)
    solutions : tuple of Solution
        With the certificates.
    present : int array
        Classes that the rows held; the others get the scores of `prior`.
    prior : array of shape (k,)
        Log shares of the classes, half a row added to each; empty for a regression.
    family : str
        Name of a family with a log link, or "".
    """

    alphas: Floats
    coefs: Floats
    intercepts: Floats
    solutions: tuple[Solution, ...]
    present: NDArray[np.intp]
    prior: Floats
    family: str = ""

    def scores(self, X: Any, i: int) -> Floats:
        """Return the scores of new rows at the i-th penalty: (n,), or (n, k) with more than two classes.

        Of a regression the score is the predicted mean.
        """
        z = np.asarray(X @ self.coefs[i] + self.intercepts[i])
        if self.family:
            return np.asarray(family_loss(self.family).mean(np.minimum(z, LARGEST_LOG)), dtype=np.float64)
        return fill_classes(z, self.present, self.prior)

    def every(self, X: Any) -> Iterator[Floats]:
        """Return the scores of new rows at each penalty."""
        return (self.scores(X, i) for i in range(self.alphas.size))

    @property
    def sizes(self) -> list[int]:
        """The number of non-zero coefficients at each strength of the penalty."""
        return [int(np.count_nonzero(np.nan_to_num(c))) for c in self.class_coefs]

    @property
    def class_coefs(self) -> Floats:
        """The coefficients with a place for every class: NaN for those that the rows did not hold."""
        k = self.prior.size
        if k <= 2 or self.coefs.shape[2:] == (k,):
            return self.coefs
        fitted = self.coefs if self.coefs.ndim == 3 else np.stack([0.0 * self.coefs, self.coefs], axis=2)
        out = np.full((*fitted.shape[:2], k), np.nan)
        out[:, :, self.present] = fitted
        return out


def fit_path(
    X: Any,
    y: NDArray,
    n_classes: int,
    l1_ratio: float,
    alphas: Sequence[float] | Floats,
    tol: float = 1e-8,
    family: str = "",
) -> LinearPath:
    """Fit a linear model at each penalty.

    Parameters
    ----------
    X : array of shape (n, p)
        Encoded rows.
    y : array of shape (n,)
        Class codes, or numbers when `n_classes` is 0.
    n_classes : int
        0 for a regression.
    l1_ratio : float in [0, 1]
        Share of the L1 penalty.
    alphas : sequence of float
        Penalties on the mean-loss scale.
    tol : float, default 1e-8
        Relative optimality gap of each solve; the final model is solved more tightly.
    family : str, default ""
        Name of a family with a log link; half the squared error (or classes) otherwise.

    Returns
    -------
    LinearPath
        At the first penalties alone when the time of a :class:`empirisk.data.deadline.Deadline` is up.
    """
    prior = prior_scores(y, n_classes) if n_classes else np.empty(0)
    present = np.unique(y).astype(np.intp) if n_classes else np.empty(0, dtype=np.intp)
    if n_classes and present.size == 1:
        return _constant(X, prior, np.asarray(alphas, dtype=np.float64), n_classes)
    problem = _problem(X, y, n_classes, present, l1_ratio, family)
    w: Floats | None = None
    solutions: list[Solution] = []
    for alpha in alphas:
        try:
            found = solve(problem.with_strength(float(alpha)), w0=w, tol=tol)
        except OutOfTime:
            if not solutions or not stopped_here():
                raise
            break
        w = found.w
        solutions.append(replace(found, state=None))
    pairs = [problem.split(s.w) for s in solutions]
    return LinearPath(
        np.asarray(alphas, dtype=np.float64)[: len(solutions)],
        np.array([c for c, _ in pairs], dtype=np.float64),
        np.array([b for _, b in pairs], dtype=np.float64),
        tuple(solutions),
        present,
        prior,
        family,
    )


def _problem(
    X: Any, y: NDArray, n_classes: int, present: NDArray[np.intp], l1_ratio: float, family: str
) -> LinearProblem:
    n_outputs = 0
    if n_classes == 0:
        loss: Any = family_loss(family)
    elif present.size == 2:
        loss, y = Logistic(), np.where(y == present[1], 1.0, -1.0)
    else:
        loss, y, n_outputs = Softmax(), np.searchsorted(present, y), present.size
    penalty = L2(1.0) if l1_ratio == 0.0 else L1(1.0) if l1_ratio == 1.0 else ElasticNetPenalty(1.0, l1_ratio)
    rows = ArrayBlocks(as_design(X), y, np.ones(y.size))
    return LinearProblem(loss, penalty, rows, n_outputs=n_outputs)


def _constant(X: Any, prior: Floats, alphas: Floats, n_classes: int) -> LinearPath:
    """The rows hold one class: the prior is all that can be said."""
    p, a = X.shape[1], alphas.size
    if n_classes == 2:
        log_odds = float(prior[1] - prior[0])
        return LinearPath(alphas, np.zeros((a, p)), np.full(a, log_odds), (), np.arange(2), prior)
    return LinearPath(
        alphas, np.zeros((a, p, n_classes)), np.tile(prior, (a, 1)), (), np.arange(n_classes), prior
    )
