"""Principal components: the directions in which rows vary most."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from empirisk.data.as_before import as_before
from empirisk.data.row_blocks import Block
from empirisk.data.seeds import check_seed
from empirisk.estimators.checks import (
    check_choice,
    check_count,
    check_finite,
    check_flag,
    check_number,
    is_count,
)
from empirisk.estimators.features.base import FeatureMap, warn_fewer
from empirisk.estimators.features.pca_charts import ComponentCharts
from empirisk.estimators.features.pca_density import ComponentDensity
from empirisk.estimators.features.pca_stream import ComponentStream
from empirisk.estimators.features.pca_verify import certificate, recomputed
from empirisk.reduction.centred import CentredRows, blocks_of
from empirisk.reduction.how_many import RULES, how_many
from empirisk.reduction.leading import METHODS, Settings, leading
from empirisk.reduction.spectrum import Spectrum
from empirisk.results.certificate import Certificate
from empirisk.typing import Array

__all__ = ["PCA"]


class PCA(ComponentCharts, ComponentDensity, ComponentStream, FeatureMap):
    r"""Principal components: orthonormal directions v_1, v_2, ... of largest variance.

    Eigenvectors of ``C = sum_i s_i (x_i - m)(x_i - m)' / S``; component j of a row is ``v_j . (x - m)``.

    Parameters
    ----------
    n_components : int, float in (0, 1), "parallel", "broken_stick", "bcv" or None, default None
        How many directions; the fewest that explain this share of the variance; as many as exceed those of
        independent columns (Horn 1965) or of a stick that breaks at random; as many as predict held-out
        blocks best (Owen and Perry 2009); or all. Fewer where fewer have variance above rounding, with the
        warning ER004 where a number was given.
    whiten : bool, default False
        Whether components are divided by their standard deviations.
    method : {"auto", "covariance", "gram", "svd", "lanczos", "randomized", "power"}, default "auto"
        By the shape, see Notes; the matrix of columns or of rows, singular values, products with C alone, a
        random space, or power iteration with deflation (which is for teaching).
    tol : float > 0, default 1e-8
        Residual over the largest eigenvalue at which ``"lanczos"`` and ``"power"`` end.
    max_iter : int, default 10000
        Passes over the rows, at most, for ``"lanczos"`` and for each direction of ``"power"``.
    power_iterations : int >= 0, default 4
        Power iterations of ``"randomized"``.
    random_state : int, Generator, RandomState or None, default None
        Of iterative methods and of ``"parallel"`` and ``"bcv"``; None is 0.

    Attributes
    ----------
    components_ : array, shape (k, p)
        Directions; of each, the entry of largest size is positive.
    explained_variance_ : array, shape (k,)
        Variances of the components, with divisor S - 1 (n - 1 without weights).
    explained_variance_ratio_ : array, shape (k,)
        Their shares of the variance of all columns.
    singular_values_ : array, shape (k,)
        Of the centred rows: ``sqrt((S - 1) explained_variance_)``.
    mean_ : array, shape (p,)
        Weighted means of the columns.
    noise_variance_ : float
        Mean of the ``p - k`` variances that are left out: that of probabilistic components.
    n_components_ : int
        k.
    total_weight_ : float
        S, which counts rows.
    n_iter_ : int
        Passes with products; 1 for exact routes.
    choice_ : dict or None
        How n_components was chosen: the rule, the variances, and what they were compared with.
    certificate_ : Certificate
        Residual of the eigenproblem, and how far variances and directions can be off.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Raises
    ------
    ValueError
        A parameter out of range, one row, no column that varies, weights that sum to at most 1 (weights are
        repetitions: a variance needs more than one row), NaN or infinity (named by column and row).
    MemoryError
        The route needs more than is free; said before it begins, with another route.

    Notes
    -----
    ``"auto"`` takes the covariance, O(n p^2), or where n < p the inner products of rows, O(n^2 p), while the
    shorter side is at most 3,000 (sparse 1,000); else Lanczos' method, O(n p) a pass. Rows are centred while
    they are read: columns far from the origin keep their digits. A covariance squares: variances below 1e-9
    of the first have lost half of their digits, and dense rows are then decomposed by QR and singular values.
    ``fit`` also takes row blocks (an object with ``map_sum``), and an array in a memory map is never copied:
    blocks of 65,536 rows give the same bits wherever they lie.

    References
    ----------
    Pearson 1901; Hotelling 1933; Jolliffe 2002 (Principal Component Analysis, 2nd edition); Davis and Kahan
    1970 (SIAM J. Numerical Analysis 7); Halko, Martinsson and Tropp 2011 (SIAM Review 53).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0], [3.0, 4.0]])
    >>> pca = er.PCA(1).fit(X)
    >>> pca.components_, pca.explained_variance_ratio_
    (array([[0.6, 0.8]]), array([1.]))
    >>> pca.transform(X)[:, 0]
    array([-5.,  0.,  5.,  0.])
    """

    _takes_sparse: ClassVar[bool] = True
    _capped: ClassVar[bool] = True
    components_: Array
    explained_variance_: Array
    explained_variance_ratio_: Array
    singular_values_: Array
    mean_: Array
    noise_variance_: float
    n_components_: int
    total_weight_: float
    n_iter_: int
    choice_: dict[str, Any] | None
    certificate_: Certificate

    def __init__(
        self,
        n_components: Any = None,
        *,
        whiten: bool = False,
        method: str = "auto",
        tol: float = 1e-8,
        max_iter: int = 10_000,
        power_iterations: int = 4,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the components of the rows.

        Parameters
        ----------
        X : array or data frame, shape (n, p), or row blocks
            float32 stays float32, other numbers become float64; a sparse matrix is not made dense. Row blocks
            bring their weights.
        y : ignored
        sample_weight : array, shape (n,), optional
            Weights >= 0, which are repetitions: 0 is absence, 2 is the row twice.

        Returns
        -------
        self
        """
        if not hasattr(X, "map_sum"):
            return super().fit(X, y, sample_weight)
        with as_before(self):
            self.__dict__.pop("feature_names_in_", None)
            self.n_features_in_ = X.n_cols
            X.map_sum(_look)
            self._find(CentredRows.read(X))
        return self

    def _learn(self, X: Any, weight: Array) -> None:
        self._find(CentredRows.read(blocks_of(X, weight)))

    def _find(self, data: CentredRows) -> None:
        """Set the components of the rows behind an operator."""
        settings = self._settings()
        n, p = data.shape
        if n == 1:
            raise ValueError("a variance needs more than one row, and X has n_samples = 1")
        if data.weight <= 1.0:
            raise ValueError(
                f"sample_weight sums to {data.weight:.3g}: weights are repetitions of rows, and a variance "
                "needs more than one row; multiply them so that they sum to the number of rows"
            )
        if not data.total > 0.0:
            raise ValueError(
                f"no column of X varies (n_samples = {n}), or so little that its squares vanish: there is no "
                "component; check what X holds"
            )
        wanted = self._wanted()
        most = min(n - 1, p)
        fixed = isinstance(wanted, int)
        found = leading(
            data, min(wanted, most) if fixed else most, settings, every=not fixed or wanted >= most
        )
        self.choice_ = None
        if wanted is not None and not fixed:
            self.choice_ = how_many(wanted, found, data, settings.seed)
            found = _first(found, self.choice_["k"])
        self._keep(found, data, self.n_components if fixed else None)
        if fixed:
            warn_fewer(wanted, self.n_components_, f"the {n} centred rows of {p} columns")

    def _keep(self, found: Spectrum, data: CentredRows, asked: int | None) -> None:
        """Set what users read, in the units of the rows and with the divisor S - 1."""
        scale = data.unit**2 * (data.weight / (data.weight - 1.0))
        k, p, dtype = len(found.values), data.shape[1], data.dtype
        if k == 0:
            raise ValueError("the variance of X is rounding alone: there is no component; check its scale")
        self.mean_, self.total_weight_, self.n_components_ = data.mean, data.weight, k
        self.n_iter_ = found.passes
        self.components_ = found.axes.astype(dtype, copy=False)
        self.explained_variance_ = found.values * scale
        self.explained_variance_ratio_ = np.minimum(found.values / data.total, 1.0)
        self.singular_values_ = np.sqrt(self.explained_variance_ * (data.weight - 1.0))
        left = max(0.0, data.total - float(found.values.sum()))
        self._shares = data.variances / data.total
        self.noise_variance_ = left * scale / (p - k) if k < p else 0.0
        self.certificate_ = certificate(found, scale, p, asked)

    def _settings(self) -> Settings:
        check_flag("whiten", self.whiten)
        return Settings(
            check_choice("method", self.method, {m: m for m in METHODS}),
            check_number("tol", self.tol, 0.0, closed=False),
            check_count("max_iter", self.max_iter, 1),
            check_count("power_iterations", self.power_iterations, 0),
            check_seed(self.random_state),
        )

    def _wanted(self) -> Any:
        """Return a number of components, a share of the variance, the name of a rule, or None for all."""
        given = self.n_components
        if given is None:
            return None
        if isinstance(given, str):
            return check_choice("n_components", given, {rule: rule for rule in RULES})
        if isinstance(given, float | np.floating) and 0.0 < given < 1.0:
            return float(given)
        if not is_count(given, 1):
            listed = ", ".join(map(repr, RULES))
            raise ValueError(
                "n_components must be an integer >= 1, a share of the variance between 0 and 1, None for "
                f"all, or one of {listed}; got {given!r}"
            )
        return int(given)

    def _expand(self, X: Any) -> Array:
        return self._scores(X).astype(X.dtype, copy=False)

    def _scores(self, X: Any) -> Array:
        """Return the components of rows, in float64."""
        axes = np.asarray(self.components_, dtype=np.float64).T
        if self.whiten:
            axes = axes / np.sqrt(self.explained_variance_)
        if not isinstance(X, np.ndarray):
            return np.asarray(X @ axes - self.mean_ @ axes)
        out = np.empty((X.shape[0], self.n_components_))
        # Centred some rows at a time, because products of rows far from the origin cancel.
        step = max(1, (1 << 19) // X.shape[1])
        for a in range(0, X.shape[0], step):
            out[a : a + step] = (X[a : a + step] - self.mean_) @ axes
        return out

    def inverse_transform(self, Z: Any) -> Array:
        """Return the rows of the plane of the components: ``m + sum_j z_j v_j``.

        Parameters
        ----------
        Z : array, shape (m, k)

        Raises
        ------
        ValueError
            For another number of components.
        """
        check_is_fitted(self)
        Z = np.asarray(Z)
        if Z.ndim != 2 or Z.shape[1] != self.n_components_:
            raise ValueError(f"Z must have shape (m, {self.n_components_}), got {Z.shape}")
        if self.whiten:
            Z = Z * np.sqrt(self.explained_variance_).astype(self.components_.dtype)
        return np.asarray((Z @ self.components_ + self.mean_).astype(self.components_.dtype, copy=False))

    def _made(self, names: list[str]) -> list[str]:
        return [f"pca{j}" for j in range(self.n_components_)]

    def _verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        """Return the certificate, recomputed with plain NumPy from the rows."""
        from empirisk.estimators.checks import check_weights

        X = self._read(X, reset=False)
        return recomputed(self, X, check_weights(sample_weight, X.shape[0]).astype(np.float64))

    def _headline(self) -> str:
        """The claim of the certificate; nothing before the fit."""
        return self.certificate_.claim if hasattr(self, "certificate_") else ""


def _look(block: Block) -> int:
    """Refuse NaN and infinity in a block of rows."""
    check_finite(block.design)
    return 0


def _first(found: Spectrum, k: int) -> Spectrum:
    """Return the leading k eigenpairs of those found; the one behind them is the next."""
    rest = float(found.values[k]) if k < len(found.values) else found.rest
    return Spectrum(
        found.values[:k],
        found.axes[:k],
        rest,
        found.residual,
        found.floor,
        found.route,
        found.every,
        found.missed,
        found.passes,
    )
