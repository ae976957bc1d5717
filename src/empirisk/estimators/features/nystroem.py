"""Features of a kernel from a few of the rows, with a proved error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from empirisk.data.brief import Brief
from empirisk.data.memory import refuse_memory
from empirisk.data.seeds import check_seed
from empirisk.estimators.checks import check_choice, check_count
from empirisk.estimators.features.base import FeatureMap
from empirisk.estimators.features.landmarks import SAMPLINGS, distinct_rows
from empirisk.estimators.features.projection import Projection
from empirisk.estimators.kernel_rows import check_kernel_rows
from empirisk.kernels import kernel_of
from empirisk.typing import Array, IndexArray

__all__ = ["Nystroem", "NystroemError"]

# Rows whose features are made at a time on the way to the error.
ROWS = 4096


@dataclass(frozen=True, repr=False)
class NystroemError(Brief):
    """How far ``z(x) . z(x')`` is from the kernel; every number is proved, up to rounding.

    Parameters
    ----------
    trace : float
        ``(1/S) sum_i s_i (k(x_i, x_i) - |z_i|^2)``, the mean of what the features miss, computed exactly.
        The spectral norm of ``(K - Z Z') / n`` is at most this.
    share : float
        `trace` over the mean of ``k(x_i, x_i)``.
    largest_entry : float
        No entry of ``K - Z Z'`` is larger in size: the largest of its diagonal.
    """

    trace: float
    share: float
    largest_entry: float


class Nystroem(FeatureMap):
    r"""Features whose inner products approximate a kernel, by projection on the features of some rows.

    ``z(x) = L^{-1/2} U' (k(c_1, x) ... k(c_m, x))`` with the landmarks' matrix ``K_mm = U L U'``. A linear
    model on z is the kernel model over the span of the landmarks.

    Parameters
    ----------
    kernel : str or kernel, default "gaussian"
        A name or an object of ``empirisk.kernels``; ``"precomputed"`` takes matrices of its values.
    n_components : int, default 100
        Landmarks m; all distinct rows where there are fewer.
    sampling : {"uniform", "kmeans++", "leverage"}, default "uniform"
        How landmarks are drawn: with the weights as chances; each next one in proportion to its squared
        distance from those before in the space of the kernel; or by ridge leverage scores, with the mean of
        ``k(x, x)`` over m as ridge (from a projection on 4m rows drawn first, exact where that is all rows).
    random_state : int, Generator, RandomState or None, default None
        None is the seed 0. The draw depends on the contents of the rows and not on their order.

    Attributes
    ----------
    landmarks_ : int array, shape (m,)
        Numbers of the rows that were drawn.
    kernel_ : kernel
        With numbers in place of words.
    projection_ : Projection
    error_ : NystroemError
        What the features miss on the rows of the fit.
    n_components_ : int
        Features: at most m, fewer where the landmarks' matrix has eigenvalues that are 0 up to rounding.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Raises
    ------
    ValueError
        A parameter out of range, a kernel that is not positive semi-definite (with its eigenvalue), NaN or
        infinity (named by column and row).
    MemoryError
        The values of the kernel need more than is free.

    Notes
    -----
    ``K - Z Z'`` is the Gram matrix of what a projection leaves out, hence positive semi-definite: its
    diagonal bounds all of its entries, and its trace its largest eigenvalue. The error is therefore exact
    arithmetic and no estimate. O(n m p + n m^2 + m^3). float32 stays float32; CSR rows stay sparse.

    References
    ----------
    Williams and Seeger 2001 (NeurIPS 13); Alaoui and Mahoney 2015 (NeurIPS 28).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.linspace(0.0, 3.0, 50)[:, None]
    >>> few = er.Nystroem("gaussian", 10).fit(X)
    >>> Z = few.transform(X)
    >>> bool(np.abs(few.kernel_.block(X) - Z @ Z.T).max() <= few.error_.largest_entry + 1e-12)
    True
    """

    _takes_sparse: ClassVar[bool] = True
    _capped: ClassVar[bool] = True
    landmarks_: IndexArray
    kernel_: Any
    projection_: Projection
    error_: NystroemError
    n_components_: int

    def __init__(
        self,
        kernel: Any = "gaussian",
        n_components: int = 100,
        *,
        sampling: str = "uniform",
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    def _learn(self, X: Any, weight: Array) -> None:
        wanted = check_count("n_components", self.n_components, 1)
        draw = check_choice("sampling", self.sampling, SAMPLINGS)
        seed = check_seed(self.random_state)
        given = kernel_of(self.kernel)
        check_kernel_rows(given, X, getattr(self, "feature_names_in_", None))
        kernel = given.resolved(X, weight)
        kernel.check(X)
        of = distinct_rows(X, weight, seed)
        count = min(wanted, of.rows.size)
        refuse_memory(
            f"Nystroem with {count} landmarks", 24.0 * count * (ROWS + 2 * count), "lower n_components"
        )
        self.landmarks_ = of.rows[draw(kernel, X, of, count, np.random.default_rng(seed))]
        self.kernel_, self.projection_ = kernel, Projection.of(kernel, X, self.landmarks_)
        self.n_components_ = int(self.projection_.whitening.shape[1])
        self.error_ = self._missed(X, weight)

    def _expand(self, X: Any) -> Array:
        out = np.empty((X.shape[0], self.n_components_), dtype=X.dtype)
        for start in range(0, X.shape[0], ROWS):
            out[start : start + ROWS] = self.projection_.features(X[start : start + ROWS])
        return out

    def _made(self, names: list[str]) -> list[str]:
        return [f"nystroem{j}" for j in range(self.n_components_)]

    def _missed(self, X: Any, weight: Array) -> NystroemError:
        """Return the error from the diagonals alone: no matrix of all pairs is made."""
        diagonal = self.kernel_.diagonal(X).astype(np.float64)
        missed = diagonal.copy()
        for start in range(0, X.shape[0], ROWS):
            Z = self.projection_.features(X[start : start + ROWS])
            missed[start : start + ROWS] -= np.einsum("ij,ij->i", Z, Z)
        missed = np.maximum(missed, 0.0)
        share, live = weight / weight.sum(), weight > 0.0
        trace, whole = float(share @ missed), float(share @ diagonal)
        return NystroemError(trace, trace / whole if whole > 0.0 else 0.0, float(missed[live].max()))

    def _headline(self) -> str:
        """What the features miss, and how many landmarks gave none of their own."""
        if not hasattr(self, "error_"):
            return ""
        e, lost = self.error_, self.landmarks_.size - self.n_components_
        cut = f"; {lost} eigenvalues of the landmarks are 0 up to rounding" if lost else ""
        return (
            f"{self.n_components_} features of {self.landmarks_.size} rows miss {e.share:.2g} of the trace "
            f"of K, and at most {e.largest_entry:.2g} of any entry{cut}"
        )
