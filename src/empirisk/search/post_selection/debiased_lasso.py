"""er.debiased_lasso: confidence intervals in linear models with many columns.

Zhang and Zhang, Journal of the Royal Statistical Society B 76 (2014).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import norm
from sklearn.utils.validation import check_X_y

from empirisk.data.frames import like_input
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.tabular import Tabular
from empirisk.results.estimate import check_level
from empirisk.search.post_selection.scaled_lasso import lasso_problem, scaled_lasso, universal_level
from empirisk.solvers.solve import solve
from empirisk.typing import Array

__all__ = ["DebiasedLasso", "debiased_lasso", "holm"]

_GROWTH = 1.25  # by how much the variance may grow for a smaller bias (Zhang & Zhang; Dezeure et al. 2015)
_STEP = 0.8  # factor between the levels that the nodewise regressions try
_COVARIANCES = ("classical", "robust")


@dataclass(frozen=True, eq=False, repr=False)
class DebiasedLasso(Tabular):
    """Debiased coefficients with standard errors, tests and intervals.

    Parameters
    ----------
    terms : tuple of str
        Columns, in the order of the arrays.
    coef, se, z, p, p_holm, low, high : arrays
        Debiased estimates; p-values of single columns and corrected for all that were asked for (Holm);
        intervals of single coefficients.
    lasso : array
        The (scaled) lasso's coefficients, shrunk and mostly 0.
    sigma : float
        Standard deviation of the noise.
    n, level
        Rows; coverage of each interval.
    note : str
        What the numbers rest on.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((80, 120))
    >>> y = 2.0 * X[:, 0] + rng.standard_normal(80)
    >>> found = er.debiased_lasso(X, y, columns=[0, 1])
    >>> bool(found.low[0] <= 2.0 <= found.high[0]), bool(found.p[0] < 1e-6)
    (True, True)
    """

    terms: tuple[str, ...]
    coef: Array
    se: Array
    z: Array
    p: Array
    p_holm: Array
    low: Array
    high: Array
    lasso: Array
    sigma: float
    n: int
    level: float
    note: str = field(repr=False, default="")

    @property
    def title(self) -> str:
        """The first line above the table: the number of rows, and the noise that was estimated."""
        return f"Debiased lasso, {self.n} rows, noise of standard deviation {self.sigma:.4g}"

    def _columns(self) -> dict[str, list[Any]]:
        names = ("coef", "se", "z", "p", "p_holm", "low", "high", "lasso")
        return {"term": list(self.terms), **{name: list(getattr(self, name)) for name in names}}

    def _shown(self) -> dict[str, list[Any]]:
        order = np.argsort(self.p, kind="stable")[:20]
        table = self._columns()
        return {name: [table[name][i] for i in order] for name in table}

    def _notes(self) -> list[str]:
        hidden = len(self.terms) - 20
        more = [f"... and {hidden} more columns with larger p-values"] if hidden > 0 else []
        return [
            *more,
            f"low, high: {100 * self.level:g} % for each coefficient; p_holm: for all columns together.",
            self.note,
        ]


@like_input
def debiased_lasso(
    X: Any,
    y: Any,
    *,
    columns: Sequence[int | str] | None = None,
    level: float = 0.95,
    covariance: str = "classical",
    strength: float | None = None,
) -> DebiasedLasso:
    """``b_j = lasso_j + z_j'(y - X lasso) / z_j' x_j``: the lasso, with its bias taken out column by column.

    z_j is what a lasso of column j on the other columns leaves; it is nearly orthogonal to them, so that the
    errors of their coefficients hardly reach b_j.  Then b_j is approximately normal around the true
    coefficient, with standard error ``sigma ||z_j|| / |z_j' x_j|``, whichever columns the lasso chose.

    Parameters
    ----------
    X : array or data frame, shape (n, p)
        Dense columns; p may exceed n.
    y : array, shape (n,)
        Targets.
    columns : sequence of int or str, optional
        Which coefficients to infer about; all by default.  Name them before looking at y.
    level : float, default 0.95
        Coverage of each interval.
    covariance : {"classical", "robust"}, default "classical"
        Noise of equal variance, or of a variance that differs between rows.
    strength : float, optional
        Level of the scaled lasso, about ``sqrt(2 log(p) / n)``, in (0, 1); by default the universal one.

    Returns
    -------
    DebiasedLasso

    Raises
    ------
    ValueError
        Fewer than 8 rows, NaN, constant targets, targets that the lasso fits perfectly, unknown columns.

    Notes
    -----
    The theory needs few true coefficients, ``s log p`` small against ``sqrt n``, and rows drawn
    independently; measured coverage: docs/maths/inference-coverage.md.  Constant columns get NaN.  One lasso
    path of n rows and p columns for each column that is asked for.

    References
    ----------
    C.-H. Zhang, S. Zhang, "Confidence intervals for low dimensional parameters in high dimensional linear
    models", J. Royal Statistical Society B 76 (2014).  S. van de Geer et al., "On asymptotically optimal
    confidence regions and tests for high-dimensional models", Annals of Statistics 42 (2014).  A. Javanmard,
    A. Montanari, "Confidence intervals and hypothesis testing for high-dimensional regression", JMLR 15
    (2014). R. Dezeure et al., "High-dimensional inference", Statistical Science 30 (2015).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> er.debiased_lasso(X, y, columns=["bmi", "s5", "age"]).p.round(4)
    array([0.   , 0.   , 0.887])
    """
    check_level(level)
    if covariance not in _COVARIANCES:
        raise ValueError(f"covariance must be one of {_COVARIANCES}, got {covariance!r}")
    names = [str(v) for v in X.columns] if hasattr(X, "columns") else None
    with numbers_only(X, y):
        X, y = check_X_y(X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=8)
        y = np.asarray(y, dtype=np.float64)
    names = [f"x{j}" for j in range(X.shape[1])] if names is None else names
    wanted = _wanted(columns, names)
    n, p = X.shape
    Z, scale = _standardised(X)
    centred = y - y.mean()
    if float(np.abs(centred).max()) <= 1e-14 * max(float(np.abs(y).max()), 1e-300):
        raise ValueError("y is constant: there is nothing to explain")
    live = np.flatnonzero(scale > 0.0)
    lam = universal_level(n, max(len(live), 2)) if strength is None else strength
    if not 0.0 < lam < 1.0:
        raise ValueError(
            f"the strength must lie in (0, 1), got {lam:.3g}: with {n} rows and {p} columns more rows are "
            "needed"
            if strength is None
            else f"strength must lie in (0, 1), got {strength!r}"
        )
    fit = scaled_lasso(Z[:, live], centred, lam)
    beta = np.zeros(p)
    beta[live] = fit.coef
    free = n - 1 - int(np.count_nonzero(fit.coef))
    rss = float(fit.residual @ fit.residual)
    if free < 1 or rss <= 1e-14 * float(centred @ centred):
        raise ValueError("the lasso fits y perfectly: there is no noise to estimate; use a larger strength")
    sigma = math.sqrt(rss / free)
    rows = [_one(Z, j, live, beta[j], fit.residual, sigma, lam, covariance) for j in wanted]
    coef, se = (np.array(v) / scale[wanted] for v in zip(*rows, strict=True))
    z = coef / se
    pvalue = np.asarray(2.0 * norm.sf(np.abs(z)))
    half = float(norm.ppf(0.5 + 0.5 * level)) * se
    with np.errstate(invalid="ignore", divide="ignore"):
        lasso = np.where(scale > 0.0, beta / np.where(scale > 0.0, scale, 1.0), 0.0)[wanted]
    note = "Right when few coefficients are not 0 and rows are independent" + (
        ", with noise of equal variance."
        if covariance == "classical"
        else "; the noise may differ between rows."
    )
    return DebiasedLasso(
        tuple(names[j] for j in wanted), coef, se, z, pvalue, holm(pvalue), coef - half, coef + half,
        lasso, sigma, n, level, note,
    )  # fmt: skip


def _wanted(columns: Sequence[int | str] | None, names: list[str]) -> list[int]:
    if columns is None:
        return list(range(len(names)))
    out = []
    for c in [columns] if isinstance(columns, str | int) else columns:
        if isinstance(c, str):
            if c not in names:
                raise ValueError(f"columns names {c!r}, but the columns are {', '.join(names[:8])}")
            out.append(names.index(c))
        elif -len(names) <= int(c) < len(names):
            out.append(int(c) % len(names))
        else:
            raise ValueError(f"columns holds {c}, but there are {len(names)} columns")
    if not out:
        raise ValueError("columns is empty: name at least one")
    return out


def _standardised(X: Array) -> tuple[Array, Array]:
    """Centred columns of mean square 1, and their scales (0 for constant columns)."""
    centred = X - X.mean(axis=0)
    scale = np.sqrt((centred**2).mean(axis=0))
    scale[scale <= 1e-12 * np.maximum(np.abs(X).max(axis=0), 1e-300)] = 0.0
    return centred / np.where(scale > 0.0, scale, 1.0), scale


def _one(
    Z: Array,
    j: int,
    live: np.ndarray,
    beta: float,
    residual: Array,
    sigma: float,
    lam: float,
    covariance: str,
) -> tuple[float, float]:
    """Debiased coefficient of standardised column j, and its standard error; NaN for a constant column."""
    if j not in live:
        return math.nan, math.nan
    z = _nodewise(Z[:, live[live != j]], Z[:, j], lam)
    inner = float(z @ Z[:, j])
    if inner <= 1e-10 * len(z):
        return math.nan, math.nan
    spread = sigma * float(np.linalg.norm(z))
    if covariance == "robust":
        noise = z * residual
        spread = float(np.linalg.norm(noise - noise.mean())) * sigma / float(np.sqrt((residual**2).mean()))
    return beta + float(z @ residual) / inner, spread / inner


def _nodewise(others: Array, x: Array, lam: float) -> Array:
    """Return the residual of column x on the others: the least penalty at 25 % more variance than the
    first.
    """
    if others.shape[1] == 0:
        return x
    problem, coef = lasso_problem(others, x), np.zeros(others.shape[1])
    start, best = math.inf, x
    for _ in range(16):
        coef = solve(problem.with_strength(lam), w0=coef, tol=1e-4).w
        z = x - others @ coef
        if start == math.inf:
            start = _variance(z, x)
        if not _variance(z, x) <= _GROWTH * start:
            break
        best, lam = z, lam * _STEP
    return best


def _variance(z: Array, x: Array) -> float:
    """``||z||^2 / (z'x)^2``, infinite when nothing is left of x."""
    inner = float(z @ x)
    return float(z @ z) / inner**2 if inner > 1e-10 * len(z) else math.inf


def holm(p: Array) -> Array:
    """Holm's step-down correction; NaN stay NaN and do not count.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    out = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    steps = (len(order) - np.arange(len(order))) * p[order]
    out[order] = np.minimum(np.maximum.accumulate(steps), 1.0) if len(order) else steps
    return out
