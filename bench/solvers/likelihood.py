"""Laws fitted by maximum likelihood: ours, SciPy's own, its Newton method on the equation, statsmodels."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats
from scipy.optimize import newton
from scipy.special import digamma, polygamma

import empirisk as er
from bench.solvers.base import Solver

Pair = tuple[float, float]


def _our_gamma(X: Any, x: Any, strength: None) -> Pair:
    law = er.fit_mle("gamma", x).distribution
    return law.shape, law.rate


def _scipy_gamma(X: Any, x: Any, strength: None) -> Pair:
    a, _, scale = stats.gamma.fit(x, floc=0)
    return float(a), 1.0 / float(scale)


def _newton_gamma(X: Any, x: Any, strength: None) -> Pair:
    s = np.log(x.mean()) - np.log(x).mean()
    first = (3.0 - s + np.sqrt((s - 3.0) ** 2 + 24.0 * s)) / (12.0 * s)
    a = newton(lambda a: np.log(a) - digamma(a) - s, first, lambda a: 1.0 / a - polygamma(1, a), tol=1e-12)
    return float(a), float(a / x.mean())


def _our_counts(X: Any, x: Any, strength: None) -> Pair:
    law = er.fit_mle("negative_binomial", x).distribution
    return law.mean, law.dispersion


def _newton_counts(X: Any, x: Any, strength: None) -> Pair:
    """Newton's method on the slope in ``n = 1/a``, over the different counts."""
    m, v = float(x.mean()), float(x.var())
    times = np.bincount(x.astype(np.int64))
    counts = np.arange(len(times))

    def slope(n: float) -> float:
        return float((digamma(counts + n) - digamma(n)) @ times) / len(x) - np.log1p(m / n)

    def second(n: float) -> float:
        return float((polygamma(1, counts + n) - polygamma(1, n)) @ times) / len(x) + m / (n * (n + m))

    return m, 1.0 / float(newton(slope, m * m / (v - m), second, tol=1e-12))


def _statsmodels(X: Any, x: Any, strength: None) -> Pair:
    import statsmodels.api as sm

    found = sm.NegativeBinomial(x, np.ones((len(x), 1))).fit(disp=0)
    return float(np.exp(found.params[0])), float(found.params[1])


SOLVERS = {
    "mle_gamma": [
        Solver("empirisk", "fit_mle", _our_gamma),
        Solver("scipy", "gamma.fit", _scipy_gamma),
        Solver("scipy", "Newton", _newton_gamma),
    ],
    "mle_negative_binomial": [
        Solver("empirisk", "fit_mle", _our_counts),
        Solver("scipy", "Newton on tallies", _newton_counts),
        Solver("statsmodels", "NegativeBinomial", _statsmodels),
    ],
}
