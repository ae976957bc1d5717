"""Random sines and cosines whose inner products approximate a kernel of differences."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from empirisk.data.memory import refuse_memory
from empirisk.data.seeds import check_seed
from empirisk.estimators.checks import check_count
from empirisk.estimators.features.base import FeatureMap
from empirisk.estimators.features.entry_error import ROWS, EntryError, entry_error
from empirisk.estimators.kernel_rows import check_kernel_rows
from empirisk.kernels import kernel_of
from empirisk.typing import Array

__all__ = ["RandomFourierFeatures"]


class RandomFourierFeatures(FeatureMap):
    r"""Random sines and cosines: ``E z(x) . z(x') = k(x, x')`` for a kernel of differences.

    ``z(x) = sqrt(2 k(0)/D) (cos(w_1 x) ... cos(w_{D/2} x), sin(w_1 x) ... sin(w_{D/2} x))`` with frequencies
    from the spectral measure of the kernel (Bochner's theorem).

    Parameters
    ----------
    kernel : str or kernel, default "gaussian"
        A name or an object of ``empirisk.kernels`` that knows its spectral measure; sums and products of such
        do, too.
    n_components : int, default 100
        D: half of the features are cosines, half sines; the last of an odd number is a cosine with a random
        phase.
    random_state : int, Generator, RandomState or None, default None
        None is the seed 0.

    Attributes
    ----------
    frequencies_ : array, shape (p, ceil(D/2))
    phase_ : float or None
        Of the last feature, where D is odd.
    kernel_ : kernel
        With numbers in place of words.
    error_ : EntryError
        Root of the mean squared deviation from the kernel over pairs of the rows, with its interval.
    largest_entry_ : float
        With a chance of 95 % over the draw of frequencies, no entry of the kernel matrix of the rows deviates
        by more: Hoeffding's inequality and a union over all pairs.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Raises
    ------
    ValueError
        A kernel without a spectral measure, n_components below 1, NaN or infinity (named by column and row).

    Notes
    -----
    O(n p D). float32 stays float32; CSR rows are multiplied as they are. The error falls like
    ``1/sqrt(D)``, whatever the number of columns; where the kernel matrix has a quickly falling spectrum,
    :class:`Nystroem` is closer with as many features.

    References
    ----------
    Rahimi and Recht 2007 (NeurIPS 20); Sutherland and Schneider 2015 (UAI 31), who compare the two forms.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.linspace(0.0, 3.0, 50)[:, None]
    >>> waves = er.RandomFourierFeatures("gaussian", 2000).fit(X)
    >>> Z = waves.transform(X)
    >>> bool(np.abs(waves.kernel_.block(X) - Z @ Z.T).max() <= waves.largest_entry_)
    True
    """

    _takes_sparse: ClassVar[bool] = True
    frequencies_: Array
    kernel_: Any
    error_: EntryError
    largest_entry_: float
    phase_: float | None

    def __init__(
        self, kernel: Any = "gaussian", n_components: int = 100, *, random_state: Any = None
    ) -> None:
        self._set(locals())

    def _learn(self, X: Any, weight: Array) -> None:
        count = check_count("n_components", self.n_components, 1)
        rng = np.random.default_rng(check_seed(self.random_state))
        given = kernel_of(self.kernel)
        check_kernel_rows(given, X, getattr(self, "feature_names_in_", None))
        kernel = given.resolved(X, weight)
        kernel.check(X)
        # Of the frequencies, and of the rows at a time whose features are compared with the kernel.
        refuse_memory(
            f"a draw of {count:,} features", 8.0 * count * (X.shape[1] + 4 * ROWS), "lower n_components"
        )
        drawn = kernel.spectrum(rng, X.shape[1], (count + 1) // 2)
        if drawn is None:
            raise ValueError(
                f"the kernel {kernel.title} gives no spectral measure to draw frequencies from: use "
                "Nystroem, or a kernel of differences such as the Gaussian"
            )
        self.kernel_, self.frequencies_ = kernel, drawn
        self.phase_ = float(rng.uniform(0.0, 2.0 * np.pi)) if count % 2 else None
        top = float(kernel.diagonal(X[:1])[0])
        self._size = float(np.sqrt(top / drawn.shape[1]))
        self.error_ = entry_error(self._expand, self._exact, X, weight, rng)
        self.largest_entry_ = top * self._deviation(X.shape[0], drawn.shape[1])

    def _deviation(self, n: int, count: int) -> float:
        """Hoeffding's bound for the mean of `count` terms, at all pairs of n rows and the diagonal together.

        A term is in [-1, 1]; the one with a phase, where there is one, in [-2, 2].
        """
        pairs = 0.5 * n * (n - 1) + 1.0
        ranges = 4.0 * count + (12.0 if self.phase_ is not None else 0.0)
        return float(np.sqrt(0.5 * np.log(2.0 * pairs / 0.05) * ranges) / count)

    def _expand(self, X: Any) -> Array:
        turns = np.asarray(X @ self.frequencies_)
        half = turns.shape[1] - (self.phase_ is not None)
        out = np.empty((X.shape[0], half + turns.shape[1]), dtype=X.dtype)
        out[:, :half], out[:, half : 2 * half] = np.cos(turns[:, :half]), np.sin(turns[:, :half])
        if self.phase_ is not None:
            out[:, -1] = np.sqrt(2.0) * np.cos(turns[:, -1] + self.phase_)
        out *= self._size
        return out

    def _exact(self, A: Any, B: Any) -> Array:
        return np.asarray(np.diagonal(self.kernel_.block(A, B)))

    def _made(self, names: list[str]) -> list[str]:
        half = self.frequencies_.shape[1] - (self.phase_ is not None)
        return [f"{f}{k}" for f in ("cos", "sin") for k in range(half)] + ["wave"] * (self.phase_ is not None)

    def _headline(self) -> str:
        """The deviation from the kernel with its interval."""
        if not hasattr(self, "error_"):
            return ""
        e = self.error_
        return (
            f"values of the kernel are off by {e.rms:.2g} (root mean square, {e.level:.0%} interval "
            f"{e.low:.2g} to {e.high:.2g} from {e.n} pairs of rows)"
        )
