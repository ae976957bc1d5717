"""Volumes and shapes of covariances: determinants of stacks, and steps that alternate between the two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from empirisk.typing import Array

__all__ = ["alternated", "root_of_determinant"]

# Rounds of two closed steps, and the relative change of the volumes at which they end.
MOST = 500
STILL = 1e-13


def root_of_determinant(stack: Array) -> Array:
    """Return ``|A|^(1/p)`` of each matrix (.., p, p), or of each row (.., p) that is a diagonal.

    Examples
    --------
    >>> root_of_determinant(np.array([[[4.0, 0.0], [0.0, 1.0]]])).round(12).tolist()
    [2.0]
    """
    if stack.ndim == 3:
        return np.asarray(np.exp(np.linalg.slogdet(stack)[1] / stack.shape[-1]))
    return np.asarray(np.exp(np.log(stack).mean(axis=-1)))


def alternated(volume: Array, shape_of: Callable[[Array], Any], volume_of: Callable[[Any], Array]) -> Any:
    """Return volumes and a shape that are best for each other, by turns.

    Each turn has a closed form and raises the expected likelihood, so that an early end does no harm.

    Parameters
    ----------
    volume : array, shape (K,)
        Where to begin.
    shape_of, volume_of : callable
        The best of the one for the other.
    """
    shape = shape_of(volume)
    for _ in range(MOST):
        before, volume = volume, volume_of(shape)
        shape = shape_of(volume)
        if not np.abs(volume - before).max(initial=0.0) > STILL * np.abs(volume).max(initial=0.0):
            break
    return volume, shape
