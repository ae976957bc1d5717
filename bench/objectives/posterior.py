"""Draws from a posterior: seconds for a thousand effective draws, where the chains agree and are right.

Effective sizes are the smallest of all parameters and for all samplers by one implementation, that of
``empirisk.samplers.diagnostics`` (rank-normalised: Vehtari et al., Bayesian Analysis 16, 2021).  Draws count
when R-hat of each parameter is at most 1.01 and each mean within five Monte-Carlo errors of the reference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from bench.datasets.posteriordb import told
from empirisk.samplers.diagnostics import ess_bulk, ess_mean, r_hat

CHAINS, DRAWS, THOUSAND = 4, 1000, 1000.0
AGREE, ERRORS = 0.01, 5.0


@dataclass(frozen=True)
class Moments:
    """Mean, standard deviation and standard error of the mean of each parameter, (d,) each."""

    mean: np.ndarray
    deviation: np.ndarray
    error: np.ndarray


class Law(Protocol):
    """A posterior whose density the peers differentiate by themselves."""

    def start(self, X: Any, y: Any) -> np.ndarray:
        """A point of some mass, where all chains begin, (d,)."""
        ...

    def log_density(self, xp: Any, w: Any, X: Any, y: Any) -> Any:
        """The logarithm of the density at w, up to a constant; xp is NumPy or what looks like it."""
        ...

    def told(self, draws: np.ndarray) -> np.ndarray:
        """Draws (chains, n, d) in the parameters of the reference."""
        ...

    def moments(self, X: Any, y: Any) -> Moments:
        """What is known of the posterior by another way."""
        ...


class LogisticLaw:
    """Coefficients of a logistic regression without intercept, with a standard normal prior."""

    def start(self, X: Any, y: Any) -> np.ndarray:
        """Return zeros, the middle of the prior."""
        return np.zeros(X.shape[1])

    def log_density(self, xp: Any, w: Any, X: Any, y: Any) -> Any:
        """Return ``-sum log(1 + exp(-t z)) - ||w||^2 / 2``, t the label as -1 or +1."""
        z = X @ w
        return -xp.logaddexp(0.0, xp.where(y > 0, -z, z)).sum() - 0.5 * (w @ w)

    def told(self, draws: np.ndarray) -> np.ndarray:
        """Return the draws as they are."""
        return draws

    def moments(self, X: Any, y: Any) -> Moments:
        """Return the mode by Newton's method, moved by what third derivatives do to the mean.

        To first order in 1/n the mean is ``m - C sum_i l'''(z_i) (x_i' C x_i) x_i / 2`` with the mode m and
        the inverse Hessian C there (Lindley 1980).
        """
        X = X.astype(np.float64)
        w = np.zeros(X.shape[1])
        for _ in range(30):
            s = 1.0 / (1.0 + np.exp(-(X @ w)))
            factor = cho_factor((X.T * (s * (1.0 - s))) @ X + np.eye(len(w)))
            w = w - cho_solve(factor, X.T @ (s - (y > 0)) + w)
        C = cho_solve(factor, np.eye(len(w)))
        third = s * (1.0 - s) * (1.0 - 2.0 * s)
        moved = w - 0.5 * C @ (X.T @ (third * np.einsum("ij,ij->i", X @ C, X)))
        return Moments(moved, np.sqrt(np.diag(C)), np.zeros(len(w)))


@dataclass(frozen=True)
class RegressionLaw:
    """Coefficients and log deviation of a linear regression of posteriordb.

    Parameters
    ----------
    model : str
        Its name there.
    names : tuple of str
        Of the parameters in the reference, the deviation last.
    scale : float
        Of the half-Cauchy prior of the deviation; 0 for a flat one.
    """

    model: str
    names: tuple[str, ...]
    scale: float = 0.0

    @property
    def prior(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and precision of the normal prior of the coefficients."""
        d = told(self.model)
        if "pmualpha" not in d:
            return np.zeros(len(self.names) - 1), np.zeros(len(self.names) - 1)
        return np.array([d["pmualpha"], d["pmubeta"]]), np.array([d["psalpha"], d["psbeta"]]) ** -2.0

    def start(self, X: Any, y: Any) -> np.ndarray:
        """Return the least squares, and the log deviation of their residuals."""
        b = np.linalg.lstsq(X, y, rcond=None)[0]
        return np.append(b, 0.5 * np.log(np.mean((y - X @ b) ** 2)))

    def log_density(self, xp: Any, w: Any, X: Any, y: Any) -> Any:
        """Return the log density, with the Jacobian of the logarithm."""
        mean, precision = self.prior
        b, s = w[:-1], w[-1]
        residual, off = y - X @ b, b - mean
        out = -len(y) * s - 0.5 * (residual @ residual) * xp.exp(-2.0 * s) + s
        out = out - 0.5 * (off @ (precision * off))
        return out - xp.log1p(xp.exp(2.0 * s) / self.scale**2) if self.scale else out

    def told(self, draws: np.ndarray) -> np.ndarray:
        """Return the draws with the deviation in the place of its logarithm."""
        return np.concatenate([draws[..., :-1], np.exp(draws[..., -1:])], axis=-1)

    def moments(self, X: Any, y: Any) -> Moments:
        """Return those of the reference draws."""
        known = told("references")[self.model]
        pick = [[known[name][key] for name in self.names] for key in ("mean", "sd", "mcse_mean")]
        return Moments(*map(np.array, pick))


class EffectiveDraws:
    """Four chains of a thousand draws after a warm-up; the time is that of a thousand effective ones.

    Parameters
    ----------
    name : str
        Of the row.
    law : Law
    """

    accuracy = AGREE
    unit = "seconds for 1000 effective draws, the warm-up included"

    def __init__(self, name: str, law: Any) -> None:
        self.name, self.law = name, law

    def strength(self, X: Any, y: Any) -> Any:
        """Return the law to draw from."""
        return self.law

    def factor(self, result: np.ndarray) -> float:
        """Return what seconds are multiplied by: one over the effective draws in thousands."""
        return THOUSAND / min(ess_bulk(result[:, :, j]) for j in range(result.shape[2]))

    def value(self, X: Any, y: Any, law: Any, result: np.ndarray | None) -> float:
        """Return how far R-hat is above 1, or the error of a mean in units that put five at 0.01."""
        if result is None:
            return 0.0
        x, known = law.told(np.asarray(result, dtype=np.float64)), law.moments(X, y)
        worst = 0.0
        for j in range(x.shape[2]):
            error = np.hypot(known.error[j], known.deviation[j] / np.sqrt(ess_mean(x[:, :, j])))
            off = abs(x[:, :, j].mean() - known.mean[j]) / error
            worst = max(worst, r_hat(x[:, :, j]) - 1.0, AGREE * off / ERRORS)
        return float(worst)

    def null(self, X: Any, y: Any) -> float:
        """Return 1, because R-hat has no unit."""
        return 1.0

    def reference(self, X: Any, y: Any, law: Any) -> None:
        """Return nothing: the law itself, which errs by nothing."""


LAWS = {
    "logistic": LogisticLaw(),
    "kidiq": RegressionLaw("kidiq", ("beta[1]", "beta[2]", "beta[3]", "sigma"), 2.5),
    "kilpisjarvi": RegressionLaw("kilpisjarvi", ("alpha", "beta", "sigma")),
}
OBJECTIVES = tuple(
    EffectiveDraws(f"{method}_{name}", law) for method in ("nuts", "hmc") for name, law in LAWS.items()
)
