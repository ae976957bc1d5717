"""Ours: chains of the compiled potential of a linear problem, and of a potential written in Python."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

import empirisk as er
from bench.objectives.langevin import Chain
from bench.objectives.posterior import CHAINS, DRAWS, RegressionLaw
from bench.solvers.base import Solver
from empirisk.samplers import SGLD, FunctionTarget

LIBRARY = "empirisk"


def _posed(X: Any, y: Any) -> Any:
    """Return the logistic problem whose penalty is a standard normal prior."""
    return er.LogisticRegression(alpha=1.0 / len(y), fit_intercept=False).problem(X, y)


def _langevin(X: Any, y: Any, chain: Chain) -> np.ndarray:
    method = SGLD(chain.step, chain.batch, control_variates=chain.control_variates)
    found = er.sample(_posed(X, y), method=method, chains=1, draws=chain.steps, warm_up=0, thin=1)
    return np.asarray(found.draws[0])


def _logistic(X: Any, y: Any, law: Any, method: str) -> np.ndarray:
    return np.asarray(er.sample(_posed(X, y), method=method, chains=CHAINS, draws=DRAWS).draws)


def _regression(X: Any, y: Any, law: RegressionLaw, method: str) -> np.ndarray:
    target = FunctionTarget(potential(law, X, y), law.start(X, y))
    return np.asarray(er.sample(target, method=method, chains=CHAINS, draws=DRAWS).draws)


def potential(law: RegressionLaw, X: Any, y: Any) -> Any:
    """Return U and its gradient, as a user writes them in NumPy."""
    mean, precision = law.prior
    n, p = X.shape

    def value_grad(w: Any) -> tuple[float, Any]:
        b, s = w[:p], float(w[p])
        if abs(s) > 100.0:  # squares of its exponential are infinite far from here
            return math.inf, w
        inverse = math.exp(-2.0 * s)
        residual = y - X @ b
        square = float(residual @ residual) * inverse
        off = b - mean
        pull = precision * off
        u, slope = (n - 1) * s + 0.5 * square + 0.5 * float(off @ pull), n - 1 - square
        if law.scale:
            ratio = math.exp(2.0 * s) / law.scale**2
            u, slope = u + math.log1p(ratio), slope + 2.0 * ratio / (1.0 + ratio)
        grad = np.empty(p + 1)
        grad[:p] = pull - inverse * (residual @ X)
        grad[p] = slope
        return u, grad

    return value_grad


LANGEVIN = [Solver(LIBRARY, "sgld", _langevin)]
SOLVERS = {
    "sgld": LANGEVIN,
    "sgld_plain": LANGEVIN,
    **{
        f"{method}_{law}": [Solver(LIBRARY, method, partial(draws, method=method))]
        for method in ("nuts", "hmc")
        for law, draws in (("logistic", _logistic), ("kidiq", _regression), ("kilpisjarvi", _regression))
    },
}
