"""A layer of random rectified linear units, whose infinite width is the arc-cosine kernel."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from empirisk.data.seeds import check_seed
from empirisk.estimators.checks import check_choice, check_count
from empirisk.estimators.features.base import FeatureMap
from empirisk.estimators.features.entry_error import EntryError, entry_error
from empirisk.typing import Array

__all__ = ["RandomReluFeatures", "arc_cosine"]


class RandomReluFeatures(FeatureMap):
    r"""Random units ``sqrt(2/D) max(w_j . x, 0)^order`` with ``w_j ~ N(0, I)``.

    ``E z(x) . z(x') = |x|^q |x'|^q J_q(t) / pi``, t the angle between the rows and q the order: the
    arc-cosine kernel, the limit of an infinitely wide first layer whose weights stay as they were drawn.
    Order 0 are steps ``1[w_j . x > 0]``.

    Parameters
    ----------
    order : {0, 1, 2}, default 1
        Power of the unit; 1 is ReLU.
    n_components : int, default 100
        D, the width of the layer.
    random_state : int, Generator, RandomState or None, default None
        None is the seed 0.

    Attributes
    ----------
    weights_ : array, shape (p, D)
    error_ : EntryError
        Root of the mean squared deviation from the arc-cosine kernel over pairs of the rows, with its
        interval.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Raises
    ------
    ValueError
        A parameter out of range, NaN or infinity (named by column and row).

    Notes
    -----
    Deviations from the kernel fall as ``1/sqrt(D)``. O(n p D). float32 stays float32; CSR rows are
    multiplied as they are. There is no offset: add a column of ones for units that do not bend at 0.

    References
    ----------
    Cho and Saul 2009 (NeurIPS 22).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> Z = er.RandomReluFeatures(n_components=20000).fit_transform(X)
    >>> (Z @ Z.T).round(1)  # exactly 1, 1/pi
    array([[1. , 0.3],
           [0.3, 1. ]])
    """

    _takes_sparse: ClassVar[bool] = True
    weights_: Array
    error_: EntryError

    def __init__(self, order: int = 1, n_components: int = 100, *, random_state: Any = None) -> None:
        self._set(locals())

    def _learn(self, X: Any, weight: Array) -> None:
        count = check_count("n_components", self.n_components, 1)
        check_choice("order", str(self.order), {"0": 0, "1": 1, "2": 2})
        rng = np.random.default_rng(check_seed(self.random_state))
        self.weights_ = rng.standard_normal((X.shape[1], count))
        with np.errstate(over="ignore", invalid="ignore"):
            self.error_ = entry_error(self._expand, self._exact, X, weight, rng)

    def _expand(self, X: Any) -> Array:
        units = np.asarray(X @ self.weights_)
        if self.order == 0:
            out = (units > 0.0).astype(X.dtype)
        else:
            out = (np.maximum(units, 0.0) ** int(self.order)).astype(X.dtype)
        return np.asarray(out * X.dtype.type(np.sqrt(2.0 / self.weights_.shape[1])))

    def _exact(self, A: Any, B: Any) -> Array:
        return arc_cosine(A, B, int(self.order))

    def _made(self, names: list[str]) -> list[str]:
        return [f"relu{j}" for j in range(self.weights_.shape[1])]

    def _headline(self) -> str:
        """The deviation from the arc-cosine kernel with its interval."""
        if not hasattr(self, "error_"):
            return ""
        e = self.error_
        return (
            f"values of the arc-cosine kernel are off by {e.rms:.2g} (root mean square, {e.level:.0%} "
            f"interval {e.low:.2g} to {e.high:.2g} from {e.n} pairs of rows)"
        )


def arc_cosine(A: Any, B: Any, order: int) -> Array:
    """``|a|^q |b|^q J_q(t) / pi`` for rows at the same place, shape (n,).

    ``J_0 = pi - t``, ``J_1 = sin t + (pi - t) cos t``, ``J_2 = 3 sin t cos t + (pi - t) (1 + 2 cos^2 t)``.
    At a row of zeros, which has no angle, the value is 0: that of the units themselves.
    """
    if not isinstance(A, np.ndarray):
        A, B = A.toarray(), B.toarray()
    A, B = A.astype(np.float64), B.astype(np.float64)
    one, two = np.linalg.norm(A, axis=1), np.linalg.norm(B, axis=1)
    size = one * two
    # By the half angle, which keeps its digits where the rows are nearly parallel.
    u, v = A / np.where(one > 0.0, one, 1.0)[:, None], B / np.where(two > 0.0, two, 1.0)[:, None]
    t = 2.0 * np.arctan2(np.linalg.norm(u - v, axis=1), np.linalg.norm(u + v, axis=1))
    sin, cos, left = np.sin(t), np.cos(t), np.pi - t
    J = (left, sin + left * cos, 3.0 * sin * cos + left * (1.0 + 2.0 * cos**2))[order]
    return np.asarray(np.where(size > 0.0, size**order * J / np.pi, 0.0))
