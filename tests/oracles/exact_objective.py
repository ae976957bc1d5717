"""The objective of a linear problem in sixty digits, from its definition, at any parameters.

Independent of the library's sums: losses are written out here, floats are the numbers that they are.  A
point with a smaller objective refutes a certificate, wherever that point comes from.
"""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np

DIGITS = 60


def _tube(r: Any, eps: Any) -> Any:
    return max(abs(r) - mp.mpf(eps), mp.mpf(0))


def _huber(r: Any, d: Any) -> Any:
    d = mp.mpf(d)
    return r * r / 2 if abs(r) <= d else d * (abs(r) - d / 2)


# Of a row with target y and score z, by the name of the loss.
LOSSES: dict[str, Any] = {
    "half_squared": lambda loss, y, z: (z - y) ** 2 / 2,
    "absolute": lambda loss, y, z: abs(z - y),
    "quantile": lambda loss, y, z: max(-mp.mpf(loss.q) * (z - y), (1 - mp.mpf(loss.q)) * (z - y)),
    "huber": lambda loss, y, z: _huber(z - y, loss.d),
    "epsilon_insensitive": lambda loss, y, z: _tube(z - y, loss.epsilon),
    "squared_epsilon_insensitive": lambda loss, y, z: _tube(z - y, loss.epsilon) ** 2 / 2,
    "logistic": lambda loss, y, z: mp.log1p(mp.exp(-y * z)) if y * z > 0 else mp.log1p(mp.exp(y * z)) - y * z,
    "hinge": lambda loss, y, z: max(1 - y * z, mp.mpf(0)),
    "squared_hinge": lambda loss, y, z: max(1 - y * z, mp.mpf(0)) ** 2 / 2,
    "modified_huber": lambda loss, y, z: -2 * y * z if y * z < -1 else max(1 - y * z, mp.mpf(0)) ** 2 / 2,
    "poisson": lambda loss, y, z: mp.exp(z) - y * z,
    "gamma": lambda loss, y, z: y * mp.exp(-z) + z,
    "negative_binomial": lambda loss, y, z: (
        (y + 1 / mp.mpf(loss.dispersion)) * mp.log1p(mp.mpf(loss.dispersion) * mp.exp(z)) - y * z
    ),
}


def row(loss: Any, y: Any, z: list[Any]) -> Any:
    """The loss of one row at its scores."""
    if loss.name == "softmax":
        top = max(z)
        return top + mp.log(mp.fsum(mp.exp(v - top) for v in z)) - z[int(y)]
    if loss.name == "one_versus_rest":
        signs = [mp.mpf(1) if k == int(y) else mp.mpf(-1) for k in range(len(z))]
        return mp.fsum(LOSSES[loss.base.name](loss.base, s, v) for s, v in zip(signs, z, strict=True))
    return LOSSES[loss.name](loss, mp.mpf(float(y)), z[0])


class ExactObjective:
    """``F`` of a problem with L1 and L2 parts, and its null model's part of it.

    Parameters
    ----------
    problem : LinearProblem
        Loss, penalty and rows are read from it, nothing else.
    """

    def __init__(self, problem: Any) -> None:
        self.loss, self.penalty = problem.loss, problem.penalty
        self.X = [[mp.mpf(float(v)) for v in x] for x in np.asarray(problem.design.X, dtype=float)]
        self.y, self.s = problem.data.y, [mp.mpf(float(v)) for v in problem.data.weight]

    def __call__(self, coef: Any, intercept: Any) -> Any:
        """coef of shape (p,) or (p, k), numbers of any kind; intercepts () or (k,)."""
        with mp.workdps(DIGITS):
            columns = [list(c) for c in np.asarray(coef, dtype=object).reshape(len(self.X[0]), -1).T]
            W = [[mp.mpf(v) for v in c] for c in columns]
            b = [mp.mpf(v) for v in np.asarray(intercept, dtype=object).reshape(-1)]
            total = mp.mpf(0)
            for x, y, s in zip(self.X, self.y, self.s, strict=True):
                z = [mp.fdot(x, w) + v for w, v in zip(W, b, strict=True)]
                if np.ndim(y):
                    total += s * mp.fsum(row(self.loss, t, [v]) for t, v in zip(y, z, strict=True))
                else:
                    total += s * row(self.loss, y, z)
            l1, l2 = mp.mpf(self.penalty.l1), mp.mpf(self.penalty.l2)
            flat = [v for w in W for v in w]
            return total / mp.fsum(self.s) + mp.fsum(l1 * abs(v) + l2 * v * v / 2 for v in flat)


def shifted(coef: Any, intercept: Any, columns: Any, target: Any) -> Any:
    """The intercept, unrounded, on rows ``(x + columns, y + target)`` of a fit on rows (x, y)."""
    with mp.workdps(DIGITS):
        W = np.asarray(coef, dtype=object).reshape(len(columns), -1).T
        b = np.asarray(intercept, dtype=object).reshape(-1)
        c = [mp.mpf(float(v)) for v in columns]
        out = [
            mp.mpf(v) - mp.fdot(c, [mp.mpf(u) for u in w]) + mp.mpf(float(target))
            for w, v in zip(W, b, strict=True)
        ]
        return np.array(out, dtype=object)
