"""Scores of the rows while blocks of coefficients move: slopes, curvatures, the loss after a trial step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from empirisk.data.sums import weighted_sum
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array, IndexArray

__all__ = ["ScoredRows", "SoftmaxRows", "scored_rows"]

# A sum that fell to less than this share of the largest that it was lost digits, and is made anew.
KEPT = 0.1


class ScoredRows:
    """Any loss: every question costs a pass over all scores.

    Parameters
    ----------
    problem : LinearProblem
        Loss, targets and weights.
    z : array, shape (n,) or (n, K)
        Scores; they are copied.
    """

    def __init__(self, problem: LinearProblem, z: Array) -> None:
        self.problem, self.z = problem, z.copy()
        self.loss = problem.mean_loss(self.z)

    def slope(self, pick: tuple[Any, ...]) -> Array:
        """Return the first derivatives of the row losses in the picked scores."""
        return np.asarray(self.problem.loss.grad(self.problem.data.y, self.z)[pick])

    def curvature(self, pick: tuple[Any, ...]) -> Array:
        """Return the second derivatives of the loss at the scores, for some of the rows."""
        return np.asarray(self.problem.loss.hess(self.problem.data.y, self.z)[pick])

    def trial(self, pick: tuple[Any, ...], change: Array) -> tuple[float, Callable[[], None]]:
        """Return the mean loss after a change of the picked scores, and what makes the change."""
        z = self.z.copy()
        z[pick] += change
        loss = self.problem.mean_loss(z)

        def take() -> None:
            self.z, self.loss = z, loss

        return loss, take

    def shift(self, by: Array) -> None:
        """Add a number to all scores of a row, which the loss does not see."""
        self.z = self.z + by[:, None]

    def refresh(self) -> None:
        """Forget what rounding has left in sums that were carried along."""


class SoftmaxRows(ScoredRows):
    """The softmax loss, ``log(1 + r)`` with ``r = sum_{k != y} exp(z_k - z_y)``: a class costs O(n).

    The sums r are carried along, and made anew where they fell to less than a tenth.
    """

    def __init__(self, problem: LinearProblem, z: Array) -> None:
        super().__init__(problem, z)
        self.codes: IndexArray = np.asarray(problem.data.y, dtype=np.intp)
        self.share = problem.data.weight / problem.data.total_weight
        self.refresh()

    @property
    def finite(self) -> bool:
        """Whether no sum of exponentials has overflowed."""
        return bool(np.isfinite(self.rest).all())

    def refresh(self) -> None:
        self.rest = self.peak = self._rest(self.z, self.codes)
        self.loss = self._mean(self.rest)

    def slope(self, pick: tuple[Any, ...]) -> Array:
        own = self.codes == pick[-1]
        return np.asarray(np.where(own, -self.rest, self._term(pick[-1])) / (1.0 + self.rest))

    def curvature(self, pick: tuple[Any, ...]) -> Array:
        size = np.abs(self.slope(pick))
        return np.asarray(size * np.maximum(1.0 - size, 0.0))

    def trial(self, pick: tuple[Any, ...], change: Array) -> tuple[float, Callable[[], None]]:
        c = pick[-1]
        with np.errstate(over="ignore", invalid="ignore"):
            own, shrink = self.codes == c, np.exp(-change)
            moved = self.rest - self._term(c) + self._term(c, change)
            rest = np.where(own, self.rest * shrink, moved)
            peak = np.where(own, self.peak * shrink, np.maximum(self.peak, moved))
            lost = np.flatnonzero(~(rest >= KEPT * peak))
            if len(lost):
                z = self.z[lost]
                z[:, c] += change[lost]
                rest[lost] = peak[lost] = self._rest(z, self.codes[lost])
            loss = self._mean(rest)

        def take() -> None:
            self.z[:, c] += change
            self.rest, self.peak, self.loss = rest, peak, loss

        return loss, take

    def _term(self, c: int, change: Array | float = 0.0) -> Array:
        """``exp(z_c - z_y)``, the part of class c in the sums of the other classes' rows."""
        own = np.take_along_axis(self.z, self.codes[:, None], axis=1)[:, 0]
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(self.z[:, c] + change - own))

    def _mean(self, rest: Array) -> float:
        return float(weighted_sum(self.share, np.log1p(rest)))

    @staticmethod
    def _rest(z: Array, codes: IndexArray) -> Array:
        own = codes[:, None]
        with np.errstate(over="ignore"):
            terms = np.exp(z - np.take_along_axis(z, own, axis=1))
        np.put_along_axis(terms, own, 0.0, axis=1)
        return np.asarray(terms.sum(axis=1))


def scored_rows(problem: LinearProblem, z: Array) -> ScoredRows:
    """Return the cheapest rows that there are for the loss."""
    if problem.loss.multinomial:
        rows = SoftmaxRows(problem, z)
        if rows.finite:
            return rows
    return ScoredRows(problem, z)
