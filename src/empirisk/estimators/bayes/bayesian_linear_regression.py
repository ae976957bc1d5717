"""Linear regression under a conjugate prior: the posterior in closed form, from sums over row blocks.

Bishop 2006, Pattern Recognition and Machine Learning, sections 3.3 to 3.5; MacKay, Neural Computation 4
(1992), 415-447.
"""

from __future__ import annotations

import math
import warnings
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from empirisk.data.as_before import as_before
from empirisk.data.block_list import BlockList
from empirisk.data.caller_line import caller_level
from empirisk.data.design import Design
from empirisk.data.memory import refuse_memory
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.row_blocks import RowBlocks, check_blocks
from empirisk.data.validated import validated
from empirisk.estimators.bayes.conjugate_posterior import ConjugatePosterior, NoisePrior, refuse_no_noise
from empirisk.estimators.bayes.linear_sums import LinearSums, refuse_scales
from empirisk.estimators.bayes.posterior_claims import exact, stationary
from empirisk.estimators.bayes.posterior_questions import READ, PosteriorQuestions
from empirisk.estimators.bayes.precision_evidence import GRID, PrecisionEvidence
from empirisk.estimators.bayes.verify_posterior import verify_posterior
from empirisk.estimators.checks import (
    check_finite,
    check_flag,
    check_number,
    check_numeric_targets,
    check_targets_finite,
    check_weights,
    naming_lone_weight,
)
from empirisk.estimators.linear.base import CertificateWarning
from empirisk.estimators.undecided import UndecidedError
from empirisk.results import Certificate, Kind, Solution, Status
from empirisk.typing import Array

__all__ = ["BayesianLinearRegression"]


class BayesianLinearRegression(PosteriorQuestions):
    """Linear regression with a normal-inverse-gamma prior: the posterior of coefficients and noise.

    ``y_i = x_i.w + b + e_i``, ``e_i ~ N(0, s2)``, ``w | s2 ~ N(0, s2/precision I)``, b flat and
    ``s2 ~ InvGamma(noise_shape, noise_scale)``; then ``w | s2, y ~ N((X'X + precision I)^-1 X'y, s2 (X'X +
    precision I)^-1)`` with X and y about their means, and ``s2 | y`` is inverse gamma again.

    Parameters
    ----------
    prior_precision : "evidence" or float >= 0, default "evidence"
        Precision of the prior of the coefficients in units of that of the noise: the mean is that of ridge
        regression with ``alpha = precision/S``.  0 is a flat prior.  ``"evidence"`` takes the one of the
        largest evidence, the density of the targets with coefficients and noise integrated.
    noise_shape, noise_scale : float >= 0, default 0.0
        Prior of the noise variance, both 0 (the density ``1/s2``) or both > 0.
    fit_intercept : bool, default True
        Whether b is free, with a flat prior (else 0).
    tol : float, default 1e-6
        Largest accepted slope, an observation, of the log evidence by the logarithm of the precision.

    Attributes
    ----------
    coef_ : array, shape (p,)
        Posterior mean of the coefficients.
    intercept_ : float
        Posterior mean of the intercept.
    covariance_ : array, shape (p + 1, p + 1), or None
        Posterior covariance of the coefficients and, last, the intercept; None with at most two degrees of
        freedom, where there is none.
    noise_ : float
        ``b_n / a_n`` of the posterior ``InvGamma(a_n, b_n)`` of the noise variance.
    noise_shape_, noise_scale_ : float
        ``a_n`` and ``b_n``.
    prior_precision_ : float
        The precision used.
    effective_parameters_ : float
        ``tr((X'X + precision I)^-1 X'X)``: how many coefficients the rows determine.
    log_evidence_ : float or None
        Log-density of the targets, for comparisons of models of the same targets and the same priors of b and
        s2; None with a flat prior of the coefficients, under which there is no such density.
    certificate_ : Certificate
        Exact for a given precision; the slope of the log evidence for a learned one.
    solution_ : Solution

    Raises
    ------
    ValueError
        Where there is no posterior: a flat prior with collinear columns (which are named) or too few rows, or
        no noise; and where the evidence has no maximum.
    TypeError
        For sparse rows.

    Notes
    -----
    O(n p^2) for the sums, which are made in one pass about a row near the data, and O(p^3).  A weight of 2 is
    the row twice; the scale of the weights counts, because they are numbers of rows.  ``s2`` integrated under
    ``1/s2`` and MacKay's maximum in both hyperparameters have the same precision; his noise is ``noise_``.
    The learned precision is taken as known in intervals, which are therefore a little short with few columns.

    References
    ----------
    MacKay 1992, Neural Computation 4; Bishop 2006, Pattern Recognition and Machine Learning, sections 3.3 to
    3.5.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[-1.0], [0.0], [1.0]])
    >>> model = er.BayesianLinearRegression(2.0).fit(X, [-1.0, 0.5, 1.0])
    >>> model.coef_, float(round(model.noise_, 4)), float(round(model.effective_parameters_, 3))
    (array([0.5]), 0.5833, 0.5)
    >>> mean, low, high = model.predict([[1.0]], return_interval=True, level=0.5)
    >>> float(mean[0].round(3)), float(low[0].round(3)), float(high[0].round(3))
    (0.667, -0.118, 1.451)
    """

    solution_: Solution
    noise_: float
    log_evidence_: float | None
    _sums: LinearSums

    def __init__(
        self,
        prior_precision: float | str = "evidence",
        *,
        noise_shape: float = 0.0,
        noise_scale: float = 0.0,
        fit_intercept: bool = True,
        tol: float = 1e-6,
    ) -> None:
        self._set(locals())

    # -- the fit ------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the posterior, and the precision of the prior where it is to be learned.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
            float32 stays float32 in the answers; sums are in float64.
        y : array, shape (n,)
            Targets.
        sample_weight : array, shape (n,), optional
            Weights >= 0; a weight of 2 equals the row twice, 0 equals its absence.

        Returns
        -------
        self
        """
        with as_before(self), naming_lone_weight(sample_weight):
            X, y = self._read(X, y, reset=True)
            weight = check_weights(sample_weight, len(y))
            self._learn(LinearSums.read(BlockList.cut(X, y, weight)), X.dtype)
        self._warn()
        return self

    def fit_blocks(self, rows: RowBlocks) -> Self:
        """Find the posterior of rows that are read block by block, such as views of a memory map.

        Blocks of :meth:`empirisk.data.BlockList.cut` give the bits of a fit in memory.

        Parameters
        ----------
        rows : RowBlocks
            Dense rows with targets and weights.

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np, empirisk as er
        >>> X, y = np.arange(6.0)[:, None] ** 2, np.array([1.0, 0.0, 3.0, 4.0, 9.0, 8.0])
        >>> rows = er.data.BlockList.cut(X, y)
        >>> model = er.BayesianLinearRegression(0.1)
        >>> bool(model.fit_blocks(rows).coef_ == model.fit(X, y).coef_)
        True
        """
        check_blocks(rows)
        first = next(iter(rows))
        if first.y.ndim != 1:
            raise ValueError(f"the blocks must have one target a row, got targets of shape {first.y.shape}")
        if first.design.sparse:
            raise TypeError(
                "BayesianLinearRegression takes dense rows, and these blocks are sparse; give X.toarray()"
            )
        with as_before(self):
            self.__dict__.pop("feature_names_in_", None)
            self.n_features_in_ = rows.n_cols
            self._learn(LinearSums.read(rows), first.design.dtype)
        self._warn()
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take further rows into account: the posterior so far is the prior of the next rows.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
            Further rows.
        y : array, shape (n,)
            Their targets.
        sample_weight : array, shape (n,), optional
            Weights >= 0.

        Returns
        -------
        self

        Notes
        -----
        Sums are added, so that the answer after the last piece is that of all rows, up to rounding; ``fit``
        starts anew.  Rows that have no posterior yet are kept, and questions refused until further ones do.
        """
        with as_before(self), naming_lone_weight(sample_weight):
            first = not hasattr(self, "_sums")
            X, y = self._read(X, y, reset=first)
            rows = BlockList.cut(X, y, check_weights(sample_weight, len(y)))
            sums = LinearSums.read(rows) if first else self._sums + LinearSums.read(rows, self._sums.shift)
            try:
                self._learn(sums, X.dtype)
            except UndecidedError as why:
                self._wait(sums, str(why))
        self._warn()
        return self

    def _wait(self, sums: LinearSums, why: str) -> None:
        """Keep sums of a stream that have no posterior yet; questions are refused until they have one."""
        self.__dict__.pop("_posterior", None)
        self._sums, self._waiting = sums, why
        certificate = Certificate(Kind.NONE, math.inf, 1.0, f"none: further rows are needed: {why}")
        self.solution_ = Solution(np.zeros(0), Status.COMPLETED, certificate, 0)

    def _read(self, X: Any, y: Any, reset: bool) -> tuple[Array, Array]:
        """Return rows and targets as numbers; what is not finite is refused by its place."""
        check_numeric_targets(y)
        with numbers_only(X, y):
            X, y = validated(self, X, y, reset=reset, y_numeric=True, **READ)
            check_finite(Design(X), getattr(self, "feature_names_in_", None))
            y = np.asarray(y, dtype=np.float64)
        check_targets_finite(y)
        return np.asarray(X), y

    def _learn(self, sums: LinearSums, dtype: Any) -> None:
        """Set everything that a fit says, from the sums of its rows."""
        prior, intercept = self._noise_prior(), check_flag("fit_intercept", self.fit_intercept)
        tol = check_number("tol", self.tol, 0.0, closed=False)
        p = len(sums.shift) - 1
        refuse_memory(f"the products of {p:,} columns", 48.0 * p * p, "use Ridge, or fewer columns")
        refuse_scales(sums, self._labels(p))
        precision, note, evaluations = self._precision(sums, prior, intercept)
        posterior = ConjugatePosterior.of(sums, intercept, precision, prior, self._labels(p))
        self._sums, self._posterior, self._waiting = sums, posterior, ""
        self.prior_precision_, self.noise_ = precision, posterior.noise
        self.noise_shape_, self.noise_scale_ = posterior.shape, posterior.scale
        self.effective_parameters_, self.log_evidence_ = posterior.effective, posterior.log_evidence
        factor = posterior.scale / (posterior.shape - 1.0) if posterior.shape > 1.0 else None
        self.covariance_ = None if factor is None else factor * posterior.covariance()
        self.coef_ = posterior.mean.astype(dtype)
        self.intercept_ = np.dtype(dtype).type(posterior.intercept)
        if note is None:
            certificate = exact(posterior)
        else:
            certificate = stationary(posterior, posterior.slope, sums.weight, note)
        status = Status.CERTIFIED if certificate.within(tol) else Status.FLOOR
        if note is not None and not certificate.within(tol):
            status = Status.STALLED
        self.solution_ = Solution(posterior.mean, status, certificate, evaluations, solver="closed form")

    def _noise_prior(self) -> NoisePrior:
        shape = check_number("noise_shape", self.noise_shape, 0.0)
        scale = check_number("noise_scale", self.noise_scale, 0.0)
        if (shape > 0.0) != (scale > 0.0):
            raise ValueError(
                f"noise_shape and noise_scale must both be 0 or both be > 0, got {shape:g} and {scale:g}"
            )
        return NoisePrior(shape, scale)

    def _precision(
        self, sums: LinearSums, prior: NoisePrior, intercept: bool
    ) -> tuple[float, str | None, int]:
        """Return the precision, what is to be said of the search (None without one), and its evaluations."""
        given = self.prior_precision
        if not isinstance(given, str):
            return check_number("prior_precision", given, 0.0, 1e150), None, 0
        if given != "evidence":
            raise ValueError(f'prior_precision must be a number >= 0 or "evidence", got {given!r}')
        shape = prior.shape + 0.5 * (sums.weight - float(intercept))
        if not shape > 0.0:
            raise UndecidedError(
                f'prior_precision="evidence" needs a total weight above {int(intercept)}, got n_samples = '
                f"{sums.weight:g}: give more rows, or noise_shape and noise_scale > 0"
            )
        G = sums.moments(intercept)
        if not np.diagonal(G)[:-1].any():
            raise UndecidedError(
                f"no column of X varies (n_samples = {sums.weight:g}), so that there is no evidence of a "
                "precision: give prior_precision a number"
            )
        if not G[-1, -1] > 0.0:
            refuse_no_noise(prior.scale, 0.0)
        curve = PrecisionEvidence.of(G, shape, prior.scale)
        log_precision, maxima, null = curve.search()
        note = f"the largest of {maxima} maxima seen" if maxima > 1 else "the one maximum seen"
        if null:
            note = "it still rises where all coefficients are 0 but for rounding, as without an effect"
        return float(np.exp(log_precision)), note, GRID

    def _labels(self, p: int) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [str(j) for j in range(p)] if names is None else [repr(str(name)) for name in names]

    def _warn(self) -> None:
        """Warn of a fit that ended without a certificate within the tolerance."""
        if not (self.solution_.status.ok or self._waiting):
            warnings.warn(f"ER001: {self.solution_.sentence}", CertificateWarning, stacklevel=caller_level())

    # -- questions about the fit ----------------------------------------------------------------------

    @property
    def certificate_(self) -> Certificate:
        """Whether the posterior is exact, or how flat the evidence is at the learned precision."""
        check_is_fitted(self, "solution_")
        return self.solution_.certificate

    def _verify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Recompute the posterior from the rows, by least squares on rows that stand for the prior."""
        X, y = self._read(X, y, reset=False)
        return verify_posterior(self, X.astype(np.float64), y, check_weights(sample_weight, len(y)))
