"""What the weights of rows are, and what that makes of the sample size."""

from __future__ import annotations

import numpy as np

from empirisk.typing import Array

__all__ = ["WEIGHTS", "observations", "weights_words"]

# Repetitions of a row; the inverse of its chance to be drawn; the inverse of the variance of its noise.
WEIGHTS = ("frequency", "sampling", "precision")


def observations(weight: Array, kind: str) -> Array:
    """Return the weights whose sum is the sample size: as they are for "frequency", else of mean 1 over rows
    with any.

    Examples
    --------
    >>> observations(np.array([0.0, 10.0, 30.0]), "sampling").tolist()
    [0.0, 0.5, 1.5]
    """
    weight = np.asarray(weight, dtype=np.float64)
    total = float(weight.sum())
    if kind == "frequency" or total == 0.0:
        return weight
    return weight * (np.count_nonzero(weight) / total)


def weights_words(weight: Array, kind: str) -> str:
    """Return what the weights were taken for; empty where every row counts once.

    Parameters
    ----------
    weight : array, shape (n,)
        Of :func:`observations`.
    kind : str
        One of WEIGHTS, or ``"trials"``.

    Examples
    --------
    >>> weights_words(np.array([0.5, 1.5]), "precision")[:44]
    'weights are precisions (inverse variances of'
    """
    live = weight[weight > 0.0]
    if np.all(np.abs(live - 1.0) <= 1e-12):
        return ""
    if kind == "frequency" and not np.all(live == np.round(live)):
        return f"{_WORDS[kind]}; {_NO_COUNTS}"
    return _WORDS[kind]


_ONCE = "each row is one observation, and their scale changes nothing"
_WORDS = {
    "frequency": "weights count repetitions (frequencies): a row of weight 2 is two rows, and the sample "
    "size is their sum",
    "sampling": f"weights are sampling weights (inverse chances of being drawn): {_ONCE}; "
    'weights="frequency" takes them for repetitions',
    "precision": f"weights are precisions (inverse variances of the noise, up to a factor): {_ONCE}",
    "trials": "weights count the trials behind each share; the log-likelihood lacks the binomial "
    "coefficients",
}
_NO_COUNTS = (
    'they are not whole numbers: weights="precision" takes them for inverse variances, a robust covariance '
    '("HC3") for sampling weights'
)
