"""Laws of one column of rows, fitted by maximum likelihood: the mean negative log-likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, gammaln


class GammaLikelihood:
    """The likelihood of Gamma laws; a result is (shape, rate)."""

    name = "mle_gamma"
    accuracy = 1e-9

    def strength(self, X: Any, x: Any) -> None:
        """Do nothing, because there is no penalty."""

    def value(self, X: Any, x: Any, strength: None, result: tuple[float, float]) -> float:
        """Return the mean over the rows of ``log Gamma(a) - a log r - (a - 1) log x + r x``."""
        a, r = result
        return float(gammaln(a) - a * np.log(r) - (a - 1.0) * np.log(x).mean() + r * x.mean())

    def null(self, X: Any, x: Any) -> float:
        """Return that of the exponential law with the mean of the rows."""
        return self.value(X, x, None, (1.0, 1.0 / float(x.mean())))

    def reference(self, X: Any, x: Any, strength: None) -> tuple[float, float]:
        """Return the root of ``log a - psi(a) = log mean x - mean log x``, by bisection."""
        s = np.log(x.mean()) - np.log(x).mean()
        a = brentq(lambda a: np.log(a) - digamma(a) - s, 1e-3, 1e6, xtol=1e-14)
        return float(a), float(a / x.mean())


class NegativeBinomialLikelihood:
    """The likelihood of negative binomial laws; a result is (m, a), the variance ``m + a m^2``."""

    name = "mle_negative_binomial"
    accuracy = 1e-9

    def strength(self, X: Any, x: Any) -> None:
        """Do nothing, because there is no penalty."""

    def value(self, X: Any, x: Any, strength: None, result: tuple[float, float]) -> float:
        """Return the mean negative log-likelihood, as a sum over the different counts."""
        m, a = result
        counts, times = np.unique(x, return_counts=True)
        n = 1.0 / a
        log_p = gammaln(counts + n) - gammaln(n) - gammaln(counts + 1.0)
        log_p = log_p - n * np.log1p(a * m) + counts * (np.log(a * m) - np.log1p(a * m))
        return -float(log_p @ times) / len(x)

    def null(self, X: Any, x: Any) -> float:
        """Return that of the geometric law with the mean of the rows."""
        return self.value(X, x, None, (float(x.mean()), 1.0))

    def reference(self, X: Any, x: Any, strength: None) -> tuple[float, float]:
        """Return the mean of the rows, and the dispersion where the slope is 0, by bisection."""
        m = float(x.mean())
        counts, times = np.unique(x, return_counts=True)

        def slope(n: float) -> float:
            return float((digamma(counts + n) - digamma(n)) @ times) / len(x) - np.log1p(m / n)

        return m, 1.0 / float(brentq(slope, 1e-3, 1e6, xtol=1e-14))


OBJECTIVES = (GammaLikelihood(), NegativeBinomialLikelihood())
