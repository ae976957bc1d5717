"""Random projections: fewer columns that keep the distances between rows."""

from __future__ import annotations

import numbers
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from empirisk.bounds.johnson_lindenstrauss import johnson_lindenstrauss, johnson_lindenstrauss_dim
from empirisk.data.memory import refuse_memory
from empirisk.data.seeds import check_seed
from empirisk.estimators.checks import check_choice, check_count, check_number, check_weights
from empirisk.estimators.features.base import FeatureMap
from empirisk.estimators.stated import disputed
from empirisk.reduction.distortion import DistortionReport, measure_distortion, pairs_of
from empirisk.reduction.projection import KINDS, Projection, projection_of
from empirisk.results.certificate import Certificate, Kind, unconfirmed
from empirisk.results.estimate import check_level
from empirisk.typing import Array

__all__ = ["RandomProjection"]

THIRD = 1.0 / 3.0


class RandomProjection(FeatureMap):
    r"""Projection ``z = A x`` onto d random directions, scaled so that ``E ||A x||^2 = ||x||^2``.

    Parameters
    ----------
    n_components : int or "jl", default "jl"
        d; ``"jl"`` is what the theorem of Johnson and Lindenstrauss asks for the rows of ``fit``.
    kind : {"gaussian", "sparse", "srht"}, default "gaussian"
        Entries N(0, 1/d); signs and zeros (Achlioptas); or chosen rows of the Walsh-Hadamard matrix after
        random signs, a fast transform.
    epsilon : float in (0, 1), default 0.1
        Relative error of squared distances that counts as kept.
    delta : float in (0, 1), default 0.05
        Probability that some pair is not kept.
    density : float in (0, 1], default 1/3
        Share of the entries of ``"sparse"`` that are not 0.
    random_state : int, Generator, RandomState or None, default None
        None is 0.

    Attributes
    ----------
    n_components_ : int
        d.
    guarantee_ : str
        What is promised for all pairs of the rows of ``fit``, or that nothing is.
    certificate_ : Certificate
        EXACT for ``"jl"`` where a theorem holds: that d is the smallest number that its formula allows, with
        the promise; NONE where d was given, or no theorem covers the matrix.  It is no optimum of any
        distortion.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Raises
    ------
    ValueError
        A parameter out of range, ``"jl"`` for one row, or a projection that would have more columns than X.
    MemoryError
        The features do not fit; said before the work.

    Notes
    -----
    ``"jl"``: ``d >= (4 log n + 2 log(1/delta))/(epsilon - log(1 + epsilon))`` for Gaussian entries; with
    ``epsilon^2/2 - epsilon^3/3`` below for sparse ones of density 1/3 at least (Achlioptas 2003, theorem
    1.1). No theorem with such constants covers ``"srht"`` or lower densities, which take the number of the
    Gaussian: :meth:`distortion_report` measures them.

    Entries are drawn by a generator that counts (Philox), a group of 1,024 columns at a time: the matrix is
    never stored, and blocks of rows and threads have no say in it. Cost: O(n p d) Gaussian; that times the
    density where it is at most 1/20; O(n p log p + n p d/512) additions ``"srht"``.

    References
    ----------
    Johnson and Lindenstrauss 1984; Dasgupta and Gupta 2003 (Random Structures and Algorithms 22); Achlioptas
    2003 (J. Computer and System Sciences 66); Ailon and Chazelle 2009 (SIAM J. Computing 39).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.random.default_rng(0).normal(size=(20, 5000))
    >>> Z = er.RandomProjection(500, kind="srht").fit_transform(X)
    >>> Z.shape, bool(abs((Z**2).sum() / (X**2).sum() - 1.0) < 0.1)
    ((20, 500), True)
    """

    _takes_sparse: ClassVar[bool] = True
    n_components_: int
    guarantee_: str
    certificate_: Certificate

    def __init__(
        self,
        n_components: Any = "jl",
        *,
        kind: str = "gaussian",
        epsilon: float = 0.1,
        delta: float = 0.05,
        density: float = THIRD,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    def _learn(self, X: Any, weight: Array) -> None:
        self._projection, self.guarantee_, self.certificate_ = self._drawn(
            X, weight, check_seed(self.random_state)
        )
        self.n_components_ = self._projection.width

    def _drawn(self, X: Any, weight: Array, seed: int) -> tuple[Projection, str, Certificate]:
        """Return the projection of a seed for such rows, what it promises, and its certificate."""
        kind = check_choice("kind", self.kind, {k: k for k in KINDS})
        epsilon = check_number("epsilon", self.epsilon, 0.0, 1.0, closed=False)
        delta = check_number("delta", self.delta, 0.0, 1.0, closed=False)
        density = check_number("density", self.density, 0.0)
        if not 0.0 < density <= 1.0:
            raise ValueError(f"density must lie in (0, 1], got {self.density!r}")
        n, p = int((weight > 0.0).sum()), X.shape[1]
        if isinstance(self.n_components, str):
            check_choice("n_components", self.n_components, {"jl": "jl"})
            width = self._jl_width(n, p, kind, epsilon, delta, density)
        else:
            width = check_count("n_components", self.n_components, 1)
        promise = self._promise(n, width, kind, delta, density)
        projection = projection_of(kind, p, width, seed, density)
        return projection, promise, self._certificate(width, promise, kind, density)

    def _certificate(self, width: int, promise: str, kind: str, density: float) -> Certificate:
        """Return that d is the smallest that the formula allows; of kind NONE where it was not asked for."""
        if not isinstance(self.n_components, str):
            claim = f"none: the {width:,} directions were given, and no optimum is sought; {promise}"
            return Certificate(Kind.NONE, float("inf"), 1.0, claim)
        if _uncovered(kind, density):
            return Certificate(Kind.NONE, float("inf"), 1.0, f"none: {promise}")
        claim = f"{width:,} directions are the fewest that the formula of the theorem allows: {promise}"
        return Certificate(Kind.EXACT, 0.0, float(width), claim)

    def _jl_width(self, n: int, p: int, kind: str, epsilon: float, delta: float, density: float) -> int:
        if n < 2:
            raise ValueError('n_components="jl" needs two rows at least (n_samples = 1): give a number')
        width = johnson_lindenstrauss_dim(n, epsilon, delta)
        if kind == "sparse" and density >= THIRD:
            top = 4.0 * np.log(n) + 2.0 * np.log(1.0 / delta)
            width = int(np.ceil(top / (epsilon**2 / 2.0 - epsilon**3 / 3.0)))
        if width > p:
            raise ValueError(
                f"to keep all distances of {n:,} rows within {epsilon:g} the theorem asks for {width:,} "
                f"directions, and X has {p:,} columns: keep the columns, raise epsilon, or give a number"
            )
        return width

    def _promise(self, n: int, width: int, kind: str, delta: float, density: float) -> str:
        """Return what the theorem says of this many directions, at the probability that was asked for."""
        if _uncovered(kind, density) or n < 2:
            return "no theorem promises a bound for all pairs here: distortion_report measures it"
        if kind == "gaussian":
            epsilon = johnson_lindenstrauss(points=n, n=width, delta=delta).epsilon
        else:
            epsilon = _sparse_epsilon(n, width, delta)
        if not epsilon < 1.0:
            return f"{width:,} directions are too few for a bound on all pairs of {n:,} rows"
        return (
            f"with probability {1.0 - delta:.4g} the squared distances of all pairs of {n:,} rows are kept "
            f"within a factor 1 -+ {epsilon:.3g}"
        )

    def _expand(self, X: Any) -> Array:
        return self._projection.project(X)

    def _made(self, names: list[str]) -> list[str]:
        return [f"projection{j}" for j in range(self.n_components_)]

    @property
    def components_(self) -> Any:
        """The matrix A, shape (d, p), made when it is asked for; sparse where its density is at most 1/20."""
        check_is_fitted(self, "n_components_")
        size = 8.0 * self.n_components_ * self.n_features_in_
        refuse_memory("the matrix of the projection", 2.0 * size, "use transform, which never makes it")
        return self._projection.matrix()

    def distortion_report(
        self, X: Any, n_pairs: int = 2000, level: float = 0.95, random_state: Any = None
    ) -> DistortionReport:
        """Measure how much the projection changes squared distances, on pairs of rows.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
        n_pairs : int, default 2000
            Pairs drawn with equal chances; all pairs where there are no more.
        level : float, default 0.95
            Of the exact interval for the share of all pairs that are off by more than ``epsilon``.
        random_state : int, Generator, RandomState or None, default None
            Of the pairs.

        Returns
        -------
        DistortionReport
            The share with its interval, the ratios, the theorem beside them; ``plot()`` draws it.
        """
        check_is_fitted(self)
        count = check_count("n_pairs", n_pairs, 1)
        level = check_level(level)
        epsilon = check_number("epsilon", self.epsilon, 0.0, 1.0, closed=False)
        X = self._read(X, reset=False)
        if X.shape[0] < 2:
            raise ValueError("a distance needs two rows, and X has one")
        pairs = pairs_of(X.shape[0], count, np.random.default_rng(check_seed(random_state)))
        report = measure_distortion(X, self._projection.project, epsilon, pairs, level, self.guarantee_)
        return replace(report, width=self.n_components_)

    def _verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        """Return the certificate by the formula for these rows, where the draws are those of the seed."""
        X = self._read(X, reset=False)
        weight = check_weights(sample_weight, X.shape[0]).astype(np.float64)
        kept = self._projection
        # A generator has moved on since the fit, and gave it the seed that is kept.
        named = self.random_state is None or isinstance(self.random_state, numbers.Integral)
        seed = check_seed(self.random_state) if named else kept.seed
        again, promise, certificate = self._drawn(X, weight, seed)
        odd = disputed(self, {"n_components_": again.width})
        if odd is not None:
            return odd
        if self.guarantee_ != promise:
            return unconfirmed(f"the promise for these rows is that {promise}")
        if kept != again or not np.array_equal(kept.project(X[:1]), again.project(X[:1])):
            return unconfirmed("the matrix is not that of the seed")
        return certificate

    def _headline(self) -> str:
        """What the theorem promises; nothing before the fit."""
        return getattr(self, "guarantee_", "")


def _uncovered(kind: str, density: float) -> bool:
    """Return whether no theorem with constants covers such a matrix."""
    return kind == "srht" or (kind == "sparse" and density < THIRD)


def _sparse_epsilon(n: int, width: int, delta: float) -> float:
    """Return the least epsilon with ``d (e^2/2 - e^3/3) >= 4 log n + 2 log(1/delta)``; 1 if there is none."""
    needed = (4.0 * np.log(n) + 2.0 * np.log(1.0 / delta)) / width
    low, high = 0.0, 1.0
    if needed > 1.0 / 6.0:
        return 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if middle**2 / 2.0 - middle**3 / 3.0 >= needed else (middle, high)
    return high
