"""Labels to which a model gave almost no chance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.typing import Array

__all__ = ["surprises"]


def surprises(proba: Array, label: NDArray[Any]) -> Array:
    """``min(1, n (C - 1) p_i)``, p_i the probability given to the label that row i has.

    If the probabilities are right, ``P(p_i <= a) <= (C - 1) a`` for any a, because at most C - 1 labels have
    a probability of at most ``a < 1/C``: a p-value of each row that no assumption on x enters, Bonferroni
    over n.

    Parameters
    ----------
    proba : array, shape (n, C)
        Out-of-fold probabilities.
    label : int array, shape (n,)
        Class codes.

    Examples
    --------
    >>> surprises(np.array([[0.999, 0.001], [0.6, 0.4]]), np.array([1, 0])).tolist()
    [0.002, 1.0]
    """
    n, count = proba.shape
    return np.asarray(np.minimum(1.0, n * (count - 1) * proba[np.arange(n), label]))
