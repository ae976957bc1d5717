"""The posterior of a linear regression under a normal-inverse-gamma prior, in closed form.

Bishop 2006, Pattern Recognition and Machine Learning, section 3.3 and exercises 3.12 and 3.13.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from empirisk.estimators.bayes.gaussian_coefficients import GaussianCoefficients, inverted
from empirisk.estimators.bayes.linear_sums import LinearSums
from empirisk.estimators.undecided import UndecidedError

__all__ = ["ConjugatePosterior", "NoisePrior", "refuse_no_noise"]

EXACT = 1e-13  # share of the squares of y below which what is left of them is rounding


@dataclass(frozen=True)
class NoisePrior:
    """An inverse gamma law of the noise variance; shape 0 and scale 0 are the density ``1/s2``.

    Parameters
    ----------
    shape, scale : float
        Its density is proportional to ``s2^(-shape - 1) exp(-scale / s2)``.
    """

    shape: float
    scale: float

    @property
    def log_constant(self) -> float:
        """The logarithm of what makes the density integrate to 1; 0 for the improper one."""
        if self.shape == 0.0:
            return 0.0
        return self.shape * math.log(self.scale) - float(gammaln(self.shape))


@dataclass(frozen=True, eq=False)
class ConjugatePosterior(GaussianCoefficients):
    """``w | s2 ~ N(mean, s2 H H')`` and ``s2 ~ InvGamma(shape, scale)``: the base is the law for s2 = 1.

    Parameters
    ----------
    mean, root, center, offset, level, intercept_weight
        As in :class:`GaussianCoefficients`, with ``H H' = (X'X + precision I)^-1``.
    shape, scale : float
        Of the noise variance.
    precision : float
        Of the prior, in units of the noise.
    condition : float
        Condition number of ``X'X + precision I``, with a diagonal scaled to 1.
    residual : float
        What the mean leaves of its linear system, over the largest number on its right side.
    effective : float
        ``tr((X'X + precision I)^-1 X'X)``, the effective number of coefficients.
    log_evidence : float or None
        Log-density of the targets; None under a flat prior.
    """

    shape: float
    scale: float
    precision: float
    condition: float
    residual: float
    effective: float
    log_evidence: float | None

    @classmethod
    def of(
        cls, sums: LinearSums, intercept: bool, precision: float, prior: NoisePrior, labels: list[str]
    ) -> ConjugatePosterior:
        """Return the posterior of the rows behind some sums.

        Parameters
        ----------
        sums : LinearSums
        intercept : bool
            Whether a constant with a flat prior is fitted.
        precision : float
            Of the prior, >= 0; 0 is flat.
        prior : NoisePrior
        labels : list of str
            Names of the columns, for refusals.

        Raises
        ------
        ValueError
            Where there is no posterior: too few rows, collinear columns, or no noise.
        """
        G, p, S = sums.moments(intercept), len(labels), sums.weight
        A, right, square = G[:p, :p] + precision * np.eye(p), G[:p, p], float(G[p, p])
        shape = prior.shape + 0.5 * (S - float(intercept) - (0.0 if precision > 0.0 else float(p)))
        _refuse_few(shape, S, precision, p, intercept)
        root, condition, log_det = inverted(A, precision, labels)
        mean = root @ (root.T @ right)
        mean += root @ (root.T @ (right - A @ mean))
        largest = float(np.abs(right).max(initial=0.0)) or 1.0
        residual = float(np.abs(right - A @ mean).max(initial=0.0)) / largest
        lost = max(float(square - 2.0 * mean @ right + mean @ A @ mean), 0.0)
        scale = prior.scale + 0.5 * lost
        refuse_no_noise(scale, square)
        return cls(
            mean,
            root,
            sums.shift[:p] if intercept else np.zeros(p),
            sums.offset[:p] if intercept else np.zeros(p),
            float(sums.shift[p] + (sums.offset[p] - sums.offset[:p] @ mean)) if intercept else 0.0,
            S if intercept else math.inf,
            shape,
            scale,
            precision,
            condition,
            residual,
            float(np.sum(root * (G[:p, :p] @ root))),
            _evidence(S, intercept, precision, p, log_det, shape, scale, prior),
        )

    @property
    def noise(self) -> float:
        """``scale / shape``: one over the posterior mean of ``1/s2``."""
        return self.scale / self.shape

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the t distributions of coefficients and predictions."""
        return 2.0 * self.shape

    @property
    def slope(self) -> float:
        """Derivative of the log evidence by the logarithm of the precision.

        It vanishes where ``effective = precision ||w||^2 / noise``, MacKay's fixed point.
        """
        return 0.5 * (self.effective - self.precision * float(self.mean @ self.mean) / self.noise)


def _refuse_few(shape: float, weight: float, precision: float, p: int, intercept: bool) -> None:
    if shape > 0.0:
        return
    least = int(intercept) + (p if precision == 0.0 else 0)
    what = f"{p} coefficients under a flat prior (prior_precision=0)" if precision == 0.0 else "the noise"
    raise UndecidedError(
        f"the posterior of {what} needs a total weight above {least}, got n_samples = {weight:g}: give more "
        "rows, or noise_shape and noise_scale > 0" + (" with prior_precision > 0" if precision == 0.0 else "")
    )


def refuse_no_noise(scale: float, square: float) -> None:
    """Refuse a posterior scale of the noise that is rounding beside the squares of y."""
    if 2.0 * scale > EXACT * square:
        return
    why = "y is the same in all rows" if square == 0.0 else "the columns explain y but for rounding"
    raise UndecidedError(
        f"{why}, so that the variance of the noise is 0 and has no posterior: give noise_shape and "
        "noise_scale > 0 (what is known of the noise before)"
    )


def _evidence(
    S: float,
    intercept: bool,
    precision: float,
    p: int,
    log_det: float,
    shape: float,
    scale: float,
    prior: NoisePrior,
) -> float | None:
    if precision == 0.0:
        return None
    value = 0.5 * p * math.log(precision) - 0.5 * log_det + prior.log_constant
    value += float(gammaln(shape)) - shape * math.log(scale)
    value -= 0.5 * (S - float(intercept)) * math.log(2.0 * math.pi)
    return value - (0.5 * math.log(S) if intercept else 0.0)
