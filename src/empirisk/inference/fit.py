"""A fit as weighted least squares at its solution: the one object that every inference reads."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from empirisk.data.brief import Brief
from empirisk.inference.information import Information, term_names
from empirisk.inference.law import Law
from empirisk.inference.weights import observations, weights_words
from empirisk.losses.offset import without_offset
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array

__all__ = ["Fit", "fits_of", "order_terms"]


@dataclass(frozen=True, eq=False, repr=False)
class Fit(Brief):
    """One target, linearised: Fisher weights f, Pearson residuals e, ``K = sum_i s_i f_i x_i x_i'``.

    Least squares is the case f = 1.  For other families the rows ``sqrt(f) x`` with residuals e are the
    last step of iteratively reweighted least squares: its leverages, sandwiches and one-step deletions are
    those of a linear model in these rows.

    Parameters
    ----------
    law : Law
        The likelihood.
    info : Information
        Of the rows with weights ``s f``, the intercept first.
    terms : tuple of str
        Names of the coefficients.
    coef : array, shape (q,)
        The intercept first.
    y, score, weight, fisher, pearson : arrays, shape (n,)
        Targets, scores z (offsets included), row weights s, f and e.
    trials : array, shape (n,)
        1, but where each row is one observation, whatever its weight: there s is 0 or 1, and the weight
        stands here and in f and e.
    perfect : bool
        Least squares only: whether the residuals are rounding.
    weights : str
        What the weights are, one of WEIGHTS; for shares, ``"trials"``.
    """

    law: Law
    info: Information
    terms: tuple[str, ...]
    coef: Array
    y: Array
    score: Array
    weight: Array
    fisher: Array
    pearson: Array
    trials: Array
    perfect: bool = False
    weights: str = "frequency"

    @property
    def intercept(self) -> bool:
        """Whether the model has a constant term."""
        return self.info.intercept

    @property
    def linear(self) -> bool:
        """Whether this is least squares, with its exact theory."""
        return self.law.loss.quadratic

    @cached_property
    def total(self) -> float:
        """The sample size: ``S`` when weights count repetitions, else the number of rows with weight."""
        return float(self.weight.sum())

    @property
    def rank(self) -> int:
        """The number of coefficients that the columns determine, the intercept included."""
        return self.info.rank

    @property
    def df(self) -> float:
        """The residual degrees of freedom, ``S - rank``: that many residuals are free once the fit is
        made.
        """
        return self.total - self.rank

    @cached_property
    def chi2(self) -> float:
        """Pearson's statistic ``sum_i s_i e_i^2``; for least squares the residual sum of squares."""
        return 0.0 if self.perfect else float(self.weight @ self.pearson**2)

    @cached_property
    def dispersion(self) -> float:
        """``phi``: 1 by definition, or Pearson's estimate (for least squares ``sigma^2``)."""
        if self.law.unit_dispersion:
            return 1.0
        return self.chi2 / self.df if self.df > 0.0 else math.nan

    @property
    def t_df(self) -> float:
        """Degrees of freedom of the t distribution; infinite (normal) where no dispersion is estimated."""
        return math.inf if self.law.unit_dispersion else self.df

    @cached_property
    def leverage(self) -> Array:
        """``h_i = f_i x_i' K^-1 x_i``, of one repetition of each row."""
        out = np.empty(len(self.y))
        for part, E in self.rows():
            out[part] = (E * E).sum(axis=1)
        return out

    def rows(self) -> Iterator[tuple[slice, Array]]:
        """Return blocks of ``sqrt(f_i) x_i' half``, where ``half half' = K^-1``; their squared lengths are
        leverages.
        """
        for part, E in self.info.coordinates():
            plain = self.linear and self.weights == "frequency"
            yield part, E if plain else E * np.sqrt(self.fisher[part])[:, None]

    @property
    def prior(self) -> Array:
        """The weight of each row in the log-likelihood."""
        return self.weight * self.trials

    @property
    def about_weights(self) -> str:
        """What the weights were taken for; empty where every row counts once."""
        return weights_words(self.prior, self.weights)


def order_terms(w: Array, intercept: bool) -> Array:
    """Return coefficients in the order of the table (intercept first) from that of the problem (intercept
    last).
    """
    return np.concatenate([w[-1:], w[:-1]]) if intercept else np.asarray(w)


def fits_of(
    problem: LinearProblem, w: Array, names: Sequence[str] | None = None, weights: str = "frequency"
) -> list[Fit]:
    """Return the fit of each target (one, but for least squares with several); `weights` as in WEIGHTS."""
    terms = term_names(names, problem.data.n_cols, problem.intercept)
    law = Law(problem.loss)
    if not problem.loss.quadratic:
        return [_general(problem, w, weights, terms)]
    weight = observations(problem.data.weight, weights)
    info = Information(problem.design, weight, problem.intercept)
    columns = w[:, None] if w.ndim == 1 else w
    Y = np.asarray(problem.data.y, dtype=np.float64).reshape(len(weight), -1)
    fits = [_squares(problem, law, info, c, y, weight, terms) for c, y in zip(columns.T, Y.T, strict=True)]
    return fits if weights == "frequency" else [_one_row_one_observation(fit, weights) for fit in fits]


def _one_row_one_observation(fit: Fit, weights: str) -> Fit:
    """The weights move from s to f and e: sums over rows are the same, but each row counts once."""
    s = fit.weight
    live = (s > 0.0).astype(np.float64)
    trials = np.where(s > 0.0, s, 1.0)
    f, e = fit.fisher * trials, fit.pearson * np.sqrt(trials)
    return replace(fit, weight=live, fisher=f, pearson=e, trials=trials, weights=weights)


def _general(problem: LinearProblem, w: Array, weights: str, terms: tuple[str, ...]) -> Fit:
    targets = np.asarray(problem.data.y, dtype=np.float64)
    base, y, z = without_offset(problem.loss, targets, problem.scores(w))
    law = Law(base)
    kind = "trials" if base.shares else weights
    weight = observations(problem.data.weight, "frequency" if kind == "trials" else kind)
    fisher = law.fisher(z)
    pearson = law.pearson(y, z, fisher)
    info = Information(problem.design, weight * fisher, problem.intercept)
    coef = order_terms(w, problem.intercept)
    fit = Fit(law, info, terms, coef, y, z, weight, fisher, pearson, np.ones(len(z)))
    return fit if kind == "frequency" else _one_row_one_observation(fit, kind)


def _squares(
    problem: LinearProblem,
    law: Law,
    info: Information,
    w: Array,
    y: Array,
    weight: Array,
    terms: tuple[str, ...],
) -> Fit:
    coef, b = (w[:-1], float(w[-1])) if problem.intercept else (w, 0.0)
    X = problem.design.X
    residual = _residual(X, y, coef, b)
    size = np.abs(y) + np.asarray(abs(X) @ np.abs(coef)) + abs(b)
    eps = float(np.finfo(problem.design.dtype).eps)
    # Residuals within four roundings of the terms of ``y - X w - b`` say nothing about the noise.
    perfect = float(weight @ residual**2) <= (4.0 * eps) ** 2 * float(weight @ size**2)
    ordered, ones = order_terms(w, problem.intercept), np.ones(len(y))
    return Fit(law, info, terms, ordered, y, y - residual, weight, ones, residual, ones, perfect)


def _residual(X: Any, y: Array, coef: Array, b: float) -> Array:
    """``y - X w - b`` in float64 or better: cancellation must not reach the residual variance."""
    if not hasattr(X, "tocsr") and X.size <= 200_000 and np.finfo(np.longdouble).eps < 1e-18:
        wide = np.longdouble
        z = (X.astype(wide) * coef.astype(wide)).sum(axis=1) + wide(b)
        return np.asarray(y.astype(wide) - z, dtype=np.float64)
    return np.asarray(y - (np.asarray(X @ coef, dtype=np.float64) + b))
