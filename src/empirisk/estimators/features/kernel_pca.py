"""Principal components in the space of a kernel, and rows that have given components."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import linalg
from sklearn.utils.validation import check_is_fitted

from empirisk.data.memory import refuse_memory
from empirisk.data.threads import for_rows
from empirisk.estimators.checks import check_choice, check_count, check_number, check_weights
from empirisk.estimators.features.base import FeatureMap, warn_fewer
from empirisk.estimators.features.preimage import Ridge, fixed_point
from empirisk.estimators.kernel_rows import check_kernel_rows
from empirisk.estimators.stated import disputed
from empirisk.kernels import kernel_of
from empirisk.kernels.definite import refuse_indefinite
from empirisk.results.certificate import Certificate, Kind, unconfirmed
from empirisk.typing import Array, IndexArray

__all__ = ["KernelPCA"]


class KernelPCA(FeatureMap):
    r"""Principal components of the features of a kernel: the directions of largest variance.

    Eigenvectors of the centred kernel matrix ``H K H / n``; the component j of a row is
    ``sum_i a_ij k_c(x_i, x)``, with variance ``lambda_j`` over the rows.

    Parameters
    ----------
    kernel : str or kernel, default "gaussian"
        A name or an object of ``empirisk.kernels``; with ``"linear"`` these are the ordinary components.
    n_components : int, default 2
        Components; fewer where the centred matrix has fewer eigenvalues above rounding, with the warning
        ER004.
    preimage : {"none", "ridge", "fixed_point"}, default "none"
        What :meth:`inverse_transform` does: kernel ridge regression of the rows on their components, or from
        there the fixed point of Mika et al., for kernels that are smooth functions of the distance.
    alpha : float > 0, default 1e-3
        Strength of that ridge regression, on the scale of the mean loss.

    Attributes
    ----------
    explained_variance_ : array, shape (k,)
        ``lambda_j``, falling.
    explained_variance_ratio_ : array, shape (k,)
        Over the trace of ``H K H / n``: the variance of all features.
    n_components_ : int
    rows_ : int array
        Numbers of the rows of positive weight, which carry the components.
    kernel_ : kernel
        With numbers in place of words.
    certificate_ : Certificate
        Residual of the eigenproblem, and how far the space of components can be off.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Raises
    ------
    ValueError
        A parameter out of range, a kernel that is 0 around its mean on these rows or has a negative
        eigenvalue there, NaN or infinity (named by column and row).
    MemoryError
        The kernel matrix needs more than is free.

    Notes
    -----
    O(n^2 p + n^3). Each component has a sign such that its largest value on the rows is positive. For many
    rows, the ordinary components of the features of :class:`Nystroem` come close.

    References
    ----------
    Schoelkopf, Smola and Mueller 1998 (Neural Computation 10); Mika et al. 1999 (NeurIPS 11), section 3;
    Bakir, Weston and Schoelkopf 2004 (NeurIPS 16); Davis and Kahan 1970 (SIAM J. Numerical Analysis 7).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [4.0, 0.0]])
    >>> pca = er.KernelPCA("linear", 1).fit(X)
    >>> pca.explained_variance_ratio_.round(6)
    array([1.])
    >>> (pca.transform(X)[:, 0]).round(3)
    array([-1.667, -0.667,  2.333])
    """

    _takes_sparse: ClassVar[bool] = True
    _capped: ClassVar[bool] = True
    explained_variance_: Array
    explained_variance_ratio_: Array
    n_components_: int
    rows_: IndexArray
    kernel_: Any
    certificate_: Certificate

    def __init__(
        self,
        kernel: Any = "gaussian",
        n_components: int = 2,
        *,
        preimage: str = "none",
        alpha: float = 1e-3,
    ) -> None:
        self._set(locals())

    def _learn(self, X: Any, weight: Array) -> None:
        wanted = check_count("n_components", self.n_components, 1)
        way = check_choice("preimage", self.preimage, {w: w for w in ("none", "ridge", "fixed_point")})
        alpha = check_number("alpha", self.alpha, 0.0, closed=False)
        given = kernel_of(self.kernel)
        check_kernel_rows(given, X, getattr(self, "feature_names_in_", None))
        kernel = given.resolved(X, weight)
        kernel.check(X)
        live = np.flatnonzero(weight > 0.0)
        refuse_memory(
            f"the kernel matrix of {live.size:,} rows",
            32.0 * live.size**2,
            "use Nystroem and the components of its features",
        )
        self.kernel_, self.rows_ = kernel, live
        self._centres, self._share = kernel.centres(X, live), weight[live] / weight[live].sum()
        K = kernel.block(X[live], self._centres)
        eps = float(np.finfo(K.dtype).eps)
        if not kernel.proved:
            refuse_indefinite(kernel, K.astype(np.float64), live, eps)
        self._solve(K.astype(np.float64), wanted, eps)
        warn_fewer(wanted, self.n_components_, f"the centred kernel matrix of {live.size} rows")
        self._back: Ridge | None = None
        if way != "none":
            rows = X[live] if isinstance(X, np.ndarray) else X[live].toarray()
            Z = self._components(K)
            if way == "fixed_point" and kernel.attraction(X[live[:1]], X[live[:1]]) is None:
                raise ValueError(
                    f"the kernel {kernel.title} is no smooth function of the distance, so there is no fixed "
                    'point: use preimage="ridge"'
                )
            self._back = Ridge.fit(Z, rows.astype(np.float64), self._share, alpha)

    def _solve(self, K: Array, wanted: int, eps: float) -> None:
        """Set the leading eigenpairs, and one more, whose distance says how firm the space of them is."""
        self._means = self._share @ K
        self._mean = float(self._share @ self._means)
        root = np.sqrt(self._share)
        A = root[:, None] * (K - self._means[:, None] - self._means[None, :] + self._mean) * root
        A = 0.5 * (A + A.T)
        n, whole = A.shape[0], float(np.trace(A))
        size = float(np.abs(np.diagonal(K)).max())
        count = min(wanted + 1, n)
        with for_rows(n):
            values, vectors = linalg.eigh(A, subset_by_index=(n - count, n - 1))
        values, vectors = values[::-1], vectors[:, ::-1]
        k = min(wanted, int((values > n * eps * size).sum()))
        if k == 0:
            raise ValueError(
                f"the kernel {self.kernel_.title} is the same for all pairs of rows (n_samples = {n}), up to "
                "rounding: there is no component; check the scale of X and the width of the kernel"
            )
        rest = float(values[k]) if k < values.size else 0.0
        values, vectors = values[:k], vectors[:, :k]
        residual = float(np.linalg.norm(A @ vectors - vectors * values))
        scores = np.sqrt(values) * vectors / root[:, None]
        largest = np.abs(scores).argmax(axis=0)
        sign = np.sign(scores[largest, np.arange(k)])
        self._dual = sign * root[:, None] * vectors / np.sqrt(values)
        self.n_components_, self.explained_variance_ = k, values
        self.explained_variance_ratio_ = values / whole
        self.certificate_ = _certificate(residual, values, rest, eps * size * n)

    def _components(self, K: Array) -> Array:
        """Return the components from values of the kernel with the rows of the fit."""
        centred = K.astype(np.float64) - self._means
        centred -= (K @ self._share)[:, None] - self._mean
        return np.asarray(centred @ self._dual)

    def _expand(self, X: Any) -> Array:
        return self._components(self.kernel_.block(X, self._centres)).astype(X.dtype, copy=False)

    def _made(self, names: list[str]) -> list[str]:
        return [f"kernelpca{j}" for j in range(self.n_components_)]

    def inverse_transform(self, Z: Any) -> Array:
        """Return rows whose components are near those given.

        Parameters
        ----------
        Z : array, shape (m, k)

        Raises
        ------
        ValueError
            With ``preimage="none"``, or for another number of components.
        """
        check_is_fitted(self)
        if self._back is None:
            raise ValueError('KernelPCA learned no way back: fit it with preimage="ridge" or "fixed_point"')
        Z = np.asarray(Z, dtype=np.float64)
        if Z.ndim != 2 or Z.shape[1] != self.n_components_:
            raise ValueError(f"Z must have shape (m, {self.n_components_}), got {Z.shape}")
        start = self._back.predict(Z)
        if self.preimage == "ridge":
            return start
        # The point with these components is a sum over the rows: of its mean and of the centred features.
        inner = Z @ self._dual.T
        coef = inner + (1.0 - inner.sum(axis=1, keepdims=True)) * self._share
        return fixed_point(self.kernel_, self._centres, coef, start)

    def _verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        """Return the certificate, recomputed from the rows and what the model keeps of them alone."""
        X = self._read(X, reset=False)
        weight = check_weights(sample_weight, X.shape[0]).astype(np.float64)
        live = np.flatnonzero(weight > 0.0)
        if not np.array_equal(self.rows_, live):
            return unconfirmed("rows_ are not the numbers of these rows of weight > 0")
        if live.size != self._share.size:
            return unconfirmed(f"there are {live.size} rows of weight > 0, the fit had {self._share.size}")
        share = weight[live] / weight[live].sum()
        if not np.allclose(share, self._share, rtol=1e-9, atol=0.0):
            return unconfirmed("the weights that the model keeps are not these weights")
        K = self.kernel_.block(X[live], self.kernel_.centres(X, live))
        size, eps = float(np.abs(K).max()), float(np.finfo(K.dtype).eps)
        near = 100.0 * eps * size
        if np.abs(K - self.kernel_.block(X[live], self._centres)).max() > near:
            return unconfirmed("the rows that the model keeps are not these rows")
        return self._recomputed(K.astype(np.float64), share, eps * size * live.size, near)

    def _recomputed(self, K: Array, share: Array, floor: float, near: float) -> Certificate:
        """Return the residual of the kept components on a kernel matrix, whose eigenvalues are all made."""
        n, k = len(share), self._dual.shape[1]
        if (differs := disputed(self, {"n_components_": k})) is not None:
            return differs
        given = np.asarray(self.explained_variance_)
        if given.shape != (k,) or not (given > 0.0).all():
            return unconfirmed(f"explained_variance_ must hold {k} numbers above 0, one a component")
        if np.abs(share @ K - self._means).max() > near or abs(share @ K @ share - self._mean) > near:
            return unconfirmed("the means of the kernel that the model keeps are not those of these rows")
        root, to_centre = np.sqrt(share), np.eye(n) - np.outer(np.ones(n), share)
        A = root[:, None] * (to_centre @ K @ to_centre.T) * root
        values = self.explained_variance_
        vectors = self._dual * np.sqrt(values) / root[:, None]
        skew = float(np.abs(vectors.T @ vectors - np.eye(k)).max())
        if skew > 1e-6:
            return unconfirmed(f"the components are not orthonormal: they are off by {skew:.2g}")
        all_values = np.linalg.eigvalsh(A)[::-1]
        residual = float(np.linalg.norm(A @ vectors - vectors * values))
        if np.abs(values - all_values[:k]).max() > residual + floor:
            return unconfirmed("the explained variances are not the largest eigenvalues")
        found = {"explained_variance_ratio_": values / float(np.trace(A))}
        if (differs := disputed(self, found, tol=1e-6)) is not None:
            return differs
        return _certificate(residual, values, float(all_values[k]) if k < n else 0.0, floor)

    def _headline(self) -> str:
        """The claim of the certificate; nothing before the fit."""
        return self.certificate_.claim if hasattr(self, "certificate_") else ""


def _certificate(residual: float, values: Array, rest: float, floor: float) -> Certificate:
    """Return the residual with the bound that it gives: an eigenvalue is as near, and with a gap to the next
    one the angle of the spaces is at most residual over gap.
    """
    bound = max(residual, floor)
    gap = float(values[-1]) - rest
    claim = f"every explained variance is within {bound:.2g} of an eigenvalue"
    if gap > bound:
        angle = min(1.0, bound / (gap - bound))
        claim += (
            f", and the sine of the angle to the leading eigenspace is at most {angle:.2g} (gap {gap:.2g})"
        )
    else:
        claim += f"; the gap to the next one, {gap:.2g}, is too small to tell the spaces apart"
    return Certificate(
        Kind.EIGEN_RESIDUAL, residual, float(values[0]), f"{claim}, by the eigen-residual", 0.0, floor
    )
