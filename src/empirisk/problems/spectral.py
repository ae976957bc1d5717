"""The smallest eigenvalues of a symmetric operator and their vectors, as a problem with a certificate.

The operator is known by its products with vectors.  What a residual proves about eigenvalues is Kahan's
theorem (Parlett 1998, The Symmetric Eigenvalue Problem, chapter 11); what it proves about eigenspaces is the
sine theorem of Davis and Kahan 1970, SIAM Journal on Numerical Analysis 7.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import eigh, qr

from empirisk.data.brief import Brief
from empirisk.data.memory import available_memory
from empirisk.problems.base import Layout, Part, Problem
from empirisk.problems.inertia import Below, below, forecast
from empirisk.problems.operators import Operator
from empirisk.results import Certificate, Kind
from empirisk.typing import Array, Capability
from empirisk.wording import number

__all__ = ["SpectralProblem", "Spectrum"]

# Columns whose smallest pivot is this small beside the largest span fewer dimensions than there are columns.
DEPENDENT = 1e-10
SEED = 20240607
# Where between the last value and the next one eigenvalues are counted; nearer where the first count fails.
LEVELS = (0.5, 0.05)


@dataclass(frozen=True, eq=False)
class Spectrum:
    """What products with the operator tell about the span of some columns.

    Parameters
    ----------
    values : array, shape (k,)
        Rayleigh-Ritz values of the span, rising.
    vectors : array, shape (n, k)
        Orthonormal vectors of the span that belong to them.
    residual : array, shape (n, k)
        ``A V - V diag(values)``, which is the gradient of the loss, halved.
    """

    values: Array
    vectors: Array
    residual: Array

    @property
    def loss(self) -> float:
        """The sum of the values, which is ``tr(V'AV)``."""
        return float(self.values.sum())

    @property
    def grad(self) -> Array:
        """The gradient of the sum along orthonormal vectors."""
        return 2.0 * self.residual


@dataclass(frozen=True, eq=False, repr=False)
class SpectralProblem(Problem, Brief):
    """``min tr(V'AV)`` over V with ``V'V = I_k``: the k smallest eigenvalues of A, and their vectors.

    Parameters
    ----------
    operator : Operator
        A, as products.
    k : int
        How many eigenvalues are wanted, from 1 to n.

    Notes
    -----
    Parameters of the problem are n x k numbers; only the span of the columns counts, and nothing asks them to
    be orthonormal.

    Examples
    --------
    >>> from empirisk.problems import MatrixOperator
    >>> A = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])
    >>> problem = SpectralProblem(MatrixOperator(A), 1)
    >>> vector = np.array([[1.0], [2.0**0.5], [1.0]])
    >>> problem.evaluate(vector).values.round(4)
    array([0.5858])
    >>> problem.certify(vector).within(1e-12)
    True
    """

    operator: Operator
    k: int

    def __post_init__(self) -> None:
        if not 1 <= self.k <= self.operator.n:
            raise ValueError(f"k must be an integer from 1 to the {self.operator.n} rows, got {self.k!r}")

    @property
    def title(self) -> str:
        """What errors call the problem: how many eigenvalues, of how many rows."""
        return f"the {self.k} smallest eigenvalues of an operator of {self.operator.n:,} rows"

    @property
    def layout(self) -> Layout:
        """One part: k vectors, as columns."""
        n = self.operator.n
        return Layout((n, self.k), (Part("vectors", n, penalised=False),))

    @property
    def capabilities(self) -> frozenset[Capability]:
        """Products with a symmetric operator, and nothing else."""
        return frozenset({Capability.OPERATOR})

    def start(self) -> Array:
        """Return normal random columns from a fixed seed."""
        return np.random.default_rng(SEED).standard_normal((self.operator.n, self.k))

    def evaluate(self, w: Array, want: Collection[str] = (), /) -> Spectrum:
        """Return the Rayleigh-Ritz values of the span of w, from one product with k vectors.

        Raises
        ------
        ValueError
            Where the columns span fewer than k dimensions.
        """
        V, R = qr(np.asarray(w, dtype=np.float64), mode="economic", check_finite=False)
        pivots = np.abs(np.diag(R))
        if not pivots.min(initial=np.inf) > DEPENDENT * pivots.max(initial=0.0):
            raise ValueError("the vectors depend on each other: they span fewer dimensions than there are")
        return _ritz(V, self.operator.product(V))

    def objective(self, w: Array, evaluation: Any, /) -> float:
        """Return the sum of the values."""
        return float(evaluation.loss)

    def scale(self) -> float:
        """Return the bound on the eigenvalues, which residuals are compared with."""
        return self.operator.bound

    def certify(
        self, w: Array, evaluation: Any = None, target: float = 0.0, hint: Any = None, /
    ) -> Certificate:
        """Return the norm of the residual, and what it proves about eigenvalues and their vectors.

        With orthonormal V, ``H = V'AV`` and ``R = A V - V H``, there are k eigenvalues of A, each counted as
        often as it occurs, one within ``||R||`` of each eigenvalue of H.  When all others are at least ``g``
        above those of H, the sine of the largest angle between the two spaces is at most ``||R|| / g``.

        Parameters
        ----------
        w : array, shape (n, k)
            Vectors; their span is judged.
        evaluation : Spectrum, optional
            Of w.
        target : float
            Not used: the residual is as cheap as it gets.
        hint : array, shape (n, m), optional
            Further vectors, whose smallest Rayleigh-Ritz value across the span of w tells where the next
            eigenvalue is at most.  It is named as an estimate: no residual proves that none was missed.
        """
        spectrum = evaluation if isinstance(evaluation, Spectrum) else self.evaluate(w)
        R = spectrum.residual
        bound = self.operator.bound
        # In units of the largest entry where that is large: the squares of weights of 1e300 are no numbers.
        unit = max(1.0, float(np.abs(R).max()))
        residual = unit * float(np.sqrt(max(0.0, float(np.linalg.eigvalsh((R / unit).T @ (R / unit))[-1]))))
        floor = float(np.finfo(np.float64).eps) * bound * (10.0 + math.sqrt(self.operator.n))
        value = max(residual, floor)
        every = "the value is" if self.k == 1 else f"each of the {self.k} values is"
        claim = f"{every} within {value:.2g} of an eigenvalue of its own, by the eigen-residual"
        following = self.next_value(spectrum, hint)
        if following is not None:
            claim += _about_space(value, following - float(spectrum.values[-1]), following)
        return Certificate(Kind.EIGEN_RESIDUAL, residual, bound, claim, 0.0, floor)

    def proved(
        self,
        certificate: Certificate,
        spectrum: Spectrum,
        following: float | None,
        budget: float = math.inf,
        remedy: str = "",
    ) -> Certificate:
        """Return a certificate that says, too, whether the values are the smallest ones.

        At most k eigenvalues below a level between the last value and the next one, counted by inertia, and k
        of them within the residual of the values: these are the k smallest, and all others are above the
        level.

        Parameters
        ----------
        certificate : Certificate
            Of the spectrum.
        spectrum : Spectrum
        following : float or None
            Where the next eigenvalue may be, which is not taken for granted.
        budget : float, default infinity
            Work that the counts may take, in multiplications of a sparse factor; it is forecast, and a proof
            that would take more is left out.
        remedy : str, default ""
            What a reader can do about a budget that was too small, in words that go on from there.
        """
        head = certificate.claim.split("; ")[0]
        if self.k <= self.operator.null.shape[1]:
            return replace(certificate, claim=f"{head}; none is smaller, since no eigenvalue is below 0")
        if self.k == self.operator.n:
            return replace(certificate, claim=f"{head}; there are no others")
        found = self._count(spectrum, certificate.value, following, budget, remedy)
        if isinstance(found, str):
            claim = f"{certificate.claim}; that they are the smallest ones is not proved: {found}"
            return replace(certificate, claim=claim)
        angle = min(1.0, certificate.value / (found.level - float(spectrum.values[-1])))
        claim = (
            f"{head}; they are the smallest ones, since the signs of a factor prove that no more than "
            f"{self.k} lie below {found.level:.4g}, and the sine of the angle to the eigenspace is at most "
            f"{angle:.2g}"
        )
        return replace(certificate, claim=claim)

    def _count(
        self, spectrum: Spectrum, value: float, following: float | None, budget: float, remedy: str
    ) -> Below | str:
        """Return the level below which there are no more than k eigenvalues, or why none is proved."""
        last = float(spectrum.values[-1])
        if following is None or following - last <= 4.0 * value:
            return "no gap is known after them"
        A, found = self.operator.entries(), ""
        cost, free = forecast(A, budget), available_memory()
        if cost.work > budget:
            return (
                f"a factor would take the work of about {cost.work:.1g} multiplications, more than "
                f"{budget:.1g}{remedy}"
            )
        if free is not None and cost.memory > 0.5 * free:
            return f"a factor would take about {number(cost.memory, 1)} GB, and {number(free, 1)} GB are free"
        for count, share in enumerate(LEVELS, 1):
            if count * cost.work > budget:
                break
            level = last + max(share * (following - last), 2.0 * value)
            counted = below(A, level, spectrum.vectors, self.operator.bound)
            if isinstance(counted, str):
                found = counted
            elif counted.level <= last + value:
                found = f"rounding hides the gap at {level:.4g}"
            elif counted.count > self.k:
                found = f"{counted.count} may lie below {level:.4g}"
            else:
                return counted
        return found

    def next_value(self, spectrum: Spectrum, further: Any) -> float | None:
        """Return the smallest Rayleigh-Ritz value of further vectors across those of a spectrum, or None.

        Where the spectrum holds the k smallest eigenvalues, the next one is at most this.
        """
        if further is None or np.ndim(further) != 2 or np.shape(further)[1] == 0:
            return None
        V = spectrum.vectors
        U: Array = np.asarray(further, dtype=np.float64)
        for _ in range(2):  # once more, because the first projection leaves rounding of the size of U
            U = U - V @ (V.T @ U)
        U, T = qr(U, mode="economic", check_finite=False)
        pivots = np.abs(np.diag(T))
        U = U[:, pivots > DEPENDENT * pivots.max(initial=0.0)]
        if U.shape[1] == 0 or not np.isfinite(U).all():
            return None
        H = U.T @ self.operator.product(U)
        return float(np.linalg.eigvalsh(0.5 * (H + H.T))[0])


def _ritz(V: Array, AV: Array) -> Spectrum:
    """Return the Rayleigh-Ritz values of orthonormal columns, their vectors and residuals."""
    H = V.T @ AV
    values, turn = eigh(0.5 * (H + H.T), check_finite=False)
    vectors = V @ turn
    return Spectrum(values, vectors, AV @ turn - vectors * values)


def _about_space(value: float, gap: float, following: float) -> str:
    """Return what the residual says about the space of the vectors, given an estimate of what comes next."""
    if gap <= 2.0 * value:
        return f"; the next value found is {following:.4g}, too near to tell the spaces apart"
    return (
        f"; if the next eigenvalue is {following:.4g}, which further vectors estimate and do not prove, the "
        f"sine of the angle to the eigenspace is at most {min(1.0, value / gap):.2g}"
    )
