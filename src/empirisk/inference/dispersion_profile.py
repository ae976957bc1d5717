"""The extra dispersion of counts by maximum likelihood: its profile, two intervals, and its end at Poisson.

With the variance ``m + a m^2`` the profile is ``L(a) = max_w l(w, a)``; its slope is that of the likelihood
in a at the best coefficients.  At a = 0 stands the Poisson law, an end of the range: under it twice the rise
of the likelihood to its maximum is exactly 0 in half of the cases (Self and Liang, Journal of the American
Statistical Association 82, 1987, case 5).  In expectation coefficients and a are orthogonal: Lawless,
Canadian Journal of Statistics 15 (1987).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from empirisk.distributions.stirling import deviance, digamma_rest_gap
from empirisk.inference.law import Law
from empirisk.inference.wald import TestResult
from empirisk.losses import with_extra_dispersion, without_offset
from empirisk.problems.linear import LinearProblem
from empirisk.results import Estimate, Status
from empirisk.results.estimate import check_level
from empirisk.solvers.solve import solve
from empirisk.typing import Array

__all__ = ["DispersionProfile"]

LEAST, MOST = 1e-10, 1e10  # between which an extra dispersion is looked for
TOLERANCE = 1e-11


@dataclass
class DispersionProfile:
    """The profile of the log-likelihood in a, for the rows of one problem.

    Parameters
    ----------
    problem : LinearProblem
        Counts under the negative binomial or the Poisson loss, without a penalty.
    """

    problem: LinearProblem
    _last: Array | None = field(default=None, repr=False)

    def _means(self, a: float) -> tuple[LinearProblem, Array, Array]:
        """Return the problem at a, and targets and scores at its best coefficients."""
        at = replace(self.problem, loss=with_extra_dispersion(self.problem.loss, a))
        found = solve(at, "auto", w0=self._last, tol=TOLERANCE)
        if found.status is Status.UNBOUNDED:
            raise ValueError(found.note)
        self._last = found.w
        _, y, z = without_offset(at.loss, at.data.y, at.scores(found.w))
        return at, y, z

    def log_likelihood(self, a: float) -> float:
        """Return the largest log-likelihood of this extra dispersion; a = 0 is the Poisson law."""
        at, y, z = self._means(a)
        return Law(at.loss.plain(at.data.y)[0]).log_likelihood(y, z, at.data.weight, 1.0)

    def slope(self, a: float) -> float:
        """Return the derivative of the profile in a."""
        at, y, z = self._means(a)
        m, s = np.asarray(at.loss.plain(at.data.y)[0].mean(z), dtype=np.float64), at.data.weight
        if a == 0.0:
            return 0.5 * float(s @ ((y - m) ** 2 - y))
        size = 1.0 / a
        u = (y - m) / (m + size)
        return -(size**2) * float(s @ (digamma_rest_gap(size, y) - deviance(1.0, 1.0 + u, -u)))

    @cached_property
    def best(self) -> float:
        """The a of the largest likelihood; 0 where counts scatter no more than Poisson counts."""
        if self.slope(0.0) <= 0.0:
            return 0.0
        low = high = 1.0
        while self.slope(low) <= 0.0:
            low *= 0.1
            if low < LEAST:
                return 0.0
        while self.slope(high) > 0.0:
            high *= 10.0
            if high > MOST:
                raise ValueError(
                    "extra_dispersion grows without end: counts of rows with one mean are 0 or very large; "
                    "give a number, or look for the columns that tell them apart"
                )
        if low == high:
            return low
        root = brentq(
            lambda t: math.exp(t) * self.slope(math.exp(t)), math.log(low), math.log(high), xtol=1e-12
        )
        return math.exp(root)

    @cached_property
    def top(self) -> float:
        """The log-likelihood at its maximum, coefficients and dispersion both free."""
        return self.log_likelihood(self.best)

    def standard_error(self) -> float:
        """Return the standard error by the observed information, coefficients profiled out; NaN at a = 0."""
        a = self.best
        if a == 0.0:
            return math.nan
        h = 1e-4 * a
        bend = (self.slope(a + h) - self.slope(a - h)) / (2.0 * h)
        return 1.0 / math.sqrt(-bend) if bend < 0.0 else math.nan

    def interval(self, level: float, method: str) -> Estimate:
        """Return the estimate with its interval, by the profile or by the observed information of log(a)."""
        check_level(level)
        if method not in ("profile", "observed"):
            raise ValueError(f"method must be 'profile' or 'observed', got {method!r}")
        n = round(float(self.problem.data.weight.sum()))
        target = "extra dispersion a of the variance m + a m^2"
        if method == "observed":
            return self._observed(level, n, target)
        least = self.top - 0.5 * float(stats.chi2.ppf(level, 1))
        words, reason = "profile likelihood", ""
        if self.best == 0.0:
            reason = (
                "the Poisson law fits best, at the end of the range: the interval covers more than its level"
            )
        return Estimate(self.best, self._low(least), self._high(least), level, n, words, reason, target)

    def _low(self, least: float) -> float:
        if self.best == 0.0 or self.log_likelihood(0.0) >= least:
            return 0.0
        low = self.best
        while self.log_likelihood(low) > least:
            low *= 0.5
        return self._cross(low, 2.0 * low, least)

    def _high(self, least: float) -> float:
        high = max(self.best, 1e-6)
        while self.log_likelihood(high) > least:
            high *= 2.0
            if high > MOST:
                return math.inf
        return self._cross(max(0.5 * high, 1e-12), high, least)

    def _cross(self, low: float, high: float, least: float) -> float:
        def gap(t: float) -> float:
            return self.log_likelihood(math.exp(t)) - least

        ends = math.log(low), math.log(high)
        return math.exp(brentq(gap, *ends, xtol=1e-9)) if gap(ends[0]) * gap(ends[1]) < 0.0 else low

    def _observed(self, level: float, n: int, target: str) -> Estimate:
        se = self.standard_error()
        words = "observed information of log(a)"
        if math.isnan(se):
            reason = "the Poisson law fits best: the likelihood has no maximum inside, ask for the profile"
            return Estimate(self.best, None, None, level, n, words, reason, target)
        factor = math.exp(float(stats.norm.ppf(0.5 + 0.5 * level)) * se / self.best)
        return Estimate(self.best, self.best / factor, self.best * factor, level, n, words, "", target)

    def poisson_test(self) -> TestResult:
        """Return the likelihood-ratio test of a = 0 with the law of the end of a range."""
        ratio = max(2.0 * (self.top - self.log_likelihood(0.0)), 0.0) if self.best > 0.0 else 0.0
        p = 0.5 * float(stats.chi2.sf(ratio, 1)) if ratio > 0.0 else 1.0
        note = "half of a chi squared on 1 degree of freedom and half of 0, because a = 0 ends the range of a"
        return TestResult("Likelihood-ratio", "a = 0 (Poisson counts)", ratio, 1, math.inf, p, note)
