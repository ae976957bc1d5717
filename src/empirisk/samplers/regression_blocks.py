"""Linear regression with unknown noise and prior precision, as blocks that are drawn in turn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk.data.sparse_cells import is_sparse
from empirisk.samplers.block_target import BlockTarget, State
from empirisk.samplers.words import check_positive, real_array
from empirisk.typing import Array

__all__ = ["regression_blocks"]


def regression_blocks(
    X: Any,
    y: Any,
    *,
    noise: tuple[float, float] = (0.0, 0.0),
    precision: Any = (1.0, 1.0),
    intercept: bool = True,
) -> BlockTarget:
    """Return the blocks of ``y_i ~ N(x_i.w + b, s2)``, ``w ~ N(0, s2 / lambda)``, lambda and 1/s2 Gamma.

    Given the noise and lambda, w has a Gaussian law, ``N((X'X + lambda I)^-1 X'y, s2 (X'X + lambda I)^-1)``
    with X and y about their means, and b one around the mean of what is left; given w, the noise s2 has an
    inverse-Gamma law and lambda a Gamma one.  It is the model of :class:`~empirisk.BayesianLinearRegression`,
    where lambda is fixed or learned, and here has a prior.

    Parameters
    ----------
    X : array, shape (n, p)
        Finite numbers, n at least 2.
    y : array, shape (n,)
        Finite numbers that are not all equal.
    noise : (float, float), default (0.0, 0.0)
        Shape and rate of the Gamma prior of 1/s2, both 0 (the density s2 of 1/s2) or both positive.
    precision : float > 0 or (float, float), default (1.0, 1.0)
        lambda, or shape and rate of its Gamma prior, both positive.
    intercept : bool, default True
        Whether b is free, with a flat prior (else 0).

    Returns
    -------
    BlockTarget
        With the blocks ``w``, ``b``, ``noise`` (s2) and, where it has a prior, ``precision`` (lambda).

    Notes
    -----
    A sweep costs O(p^2): one eigenvalue decomposition of X'X, O(n p^2 + p^3), serves all of them.

    References
    ----------
    Lindley and Smith, Journal of the Royal Statistical Society B 34, 1972; Gelfand and Smith, Journal of the
    American Statistical Association 85, 1990.

    Raises
    ------
    ValueError
        For rows that are no table of finite numbers; for a y that is the same in all rows; and, where the
        prior of the noise is flat, for rows that the columns explain but for rounding, whose posterior has no
        finite mass: about lambda = 0 its density grows like ``lambda^(c - 1 - (m - r) / 2)``, c the shape of
        the prior of lambda, r the rank of X and m = n - 1 (n without b).

    Examples
    --------
    >>> import numpy as np
    >>> from empirisk.samplers import sample
    >>> X = np.array([[-1.0], [0.0], [1.0], [2.0]])
    >>> found = sample(regression_blocks(X, [-1.0, 0.5, 1.0, 2.2]), method="gibbs", draws=100)
    >>> found.names
    ['x0', 'intercept', 'noise', 'precision']
    """
    rows = _Rows(*_checked(X, y), intercept)
    a, b = _shape_and_rate("noise", noise, least=0.0)
    fixed = np.ndim(precision) == 0
    if fixed:
        check_positive("precision", precision)
    c, d = (0.0, 0.0) if fixed else _shape_and_rate("precision", precision)
    if a == 0.0:
        _refuse_no_noise(rows, intercept, float(precision) if fixed else None, c)

    def lam(state: State) -> float:
        return float(precision) if fixed else float(state["precision"])

    def coefficients(state: State, rng: np.random.Generator) -> Array:
        return rows.coefficients(float(state["noise"]), lam(state), rng)

    def constant(state: State, rng: np.random.Generator) -> float:
        centre = rows.y_mean - float(rows.x_mean @ state["w"])
        return float(rng.normal(centre, math.sqrt(float(state["noise"]) / rows.n)))

    def spread(state: State, rng: np.random.Generator) -> float:
        w = state["w"]
        square = rows.residual_square(w, float(state["b"]) if intercept else 0.0) + lam(state) * float(w @ w)
        return float((b + 0.5 * square) / rng.gamma(a + 0.5 * (rows.n + len(w))))

    def strength(state: State, rng: np.random.Generator) -> float:
        w = state["w"]
        return float(rng.gamma(c + 0.5 * len(w)) / (d + 0.5 * float(w @ w) / float(state["noise"])))

    blocks = {"w": coefficients, "b": constant, "noise": spread, "precision": strength}
    left_out = {name for name, absent in (("b", not intercept), ("precision", fixed)) if absent}

    def start(rng: np.random.Generator) -> dict[str, Any]:
        given = {
            "w": np.zeros(rows.p),
            "b": rows.y_mean,
            "noise": rows.variance * math.exp(rng.normal()),
            "precision": math.exp(rng.normal()),
        }
        return {name: value for name, value in given.items() if name not in left_out}

    return BlockTarget(
        {name: draw for name, draw in blocks.items() if name not in left_out},
        start,
        {"w": columns_of(X, rows.p), "b": ["intercept"]},
        "the posterior of a linear regression with unknown noise",
    )


class _Rows:
    """What the laws of the blocks need of the rows: means, eigenvalues, the least-squares fit."""

    def __init__(self, X: Array, y: Array, intercept: bool) -> None:
        self.n, self.p = X.shape
        self.x_mean = X.mean(axis=0) if intercept else np.zeros(self.p)
        self.y_mean = float(y.mean()) if intercept else 0.0
        constant = bool(np.ptp(y) == 0.0)  # a mean may round to another number
        largest = float(np.abs(y).max())
        X, y = X - self.x_mean, y - self.y_mean
        self.values, self.vectors = np.linalg.eigh(X.T @ X)
        self.values = np.maximum(self.values, 0.0)
        self.turned = self.vectors.T @ (X.T @ y)
        self.variance = float(y @ y) / self.n
        if self.variance == 0.0 or (intercept and constant):
            raise ValueError("y must hold numbers that are not all equal: no noise can be learned from them")
        # Squares of residuals are those of this fit plus a quadratic form, which cancels nothing.
        self.gram = X.T @ X
        self.fit, _, self.rank, _ = np.linalg.lstsq(X, y, rcond=None)
        rest = y - X @ self.fit
        self.least, self.slope = float(rest @ rest), X.T @ rest
        # Of n residuals of nothing but rounding, each of numbers as large as targets and products are.
        size = largest + float((np.abs(X).max(axis=0) + np.abs(self.x_mean)) @ np.abs(self.fit))
        self.rounding = self.n * (8.0 * float(np.finfo(np.float64).eps) * size) ** 2

    def coefficients(self, noise: float, lam: float, rng: np.random.Generator) -> Array:
        """Draw w given the noise and the precision of its prior, about the means of the rows."""
        inverse = 1.0 / (self.values + lam)
        z = rng.standard_normal(self.p)
        return np.asarray(self.vectors @ (inverse * self.turned + np.sqrt(noise * inverse) * z))

    def residual_square(self, w: Array, b: float) -> float:
        """Return ``|y - X w - b|^2``, the sum of squares of what a line leaves."""
        off = w - self.fit
        about = self.least - 2.0 * float(self.slope @ off) + float(off @ self.gram @ off)
        # Of rows about their means, what a constant adds is that of n equal residuals.
        return max(about, 0.0) + float(self.n) * (b - (self.y_mean - float(self.x_mean @ w))) ** 2


def _refuse_no_noise(rows: _Rows, intercept: bool, lam: float | None, c: float) -> None:
    """Refuse rows whose posterior has no finite mass under a flat prior of the noise.

    Given lambda, the noise has an inverse-Gamma law whose scale is ``Q = min_w |y - X w|^2 + lambda |w|^2``,
    and the density of lambda has the factor ``Q^(-m/2)``: where the columns explain y, Q vanishes at 0.
    """
    least = rows.least if lam is None else rows.least + lam * float(rows.fit @ rows.fit)
    proper = lam is None and c > 0.5 * (rows.n - int(intercept) - rows.rank)
    if proper or least > rows.rounding:
        return
    raise ValueError(
        "the columns explain y but for rounding, so that the variance of the noise is 0 and the posterior "
        "has no finite mass: give noise=(shape, rate), both positive (what is known of the noise before)"
    )


def _checked(X: Any, y: Any) -> tuple[Array, Array]:
    """The rows and targets as arrays; what is no table of finite numbers is refused."""
    if is_sparse(X):
        raise TypeError("X must be dense: sparse rows are not read here; give X.toarray()")
    table, targets = real_array("X", X), real_array("y", y)
    if table.ndim != 2 or targets.shape != (len(table),) or len(table) < 2 or not table.shape[1]:
        raise ValueError(
            f"X must have shape (n, p) with n at least 2, and y shape (n,), got {table.shape} and "
            f"{targets.shape}"
        )
    for name, values in (("X", table), ("y", targets)):
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values).reshape(len(table), -1).all(axis=1))[0])
            raise ValueError(f"{name} holds NaN or infinity in row {row}: impute it, or drop the row")
    return table, targets


def columns_of(X: Any, p: int) -> list[str]:
    """The names of the columns of a frame, or ``x0, x1, ...``."""
    names = getattr(X, "columns", None)
    return [f"x{j}" for j in range(p)] if names is None else [str(name) for name in names]


def _shape_and_rate(name: str, given: Any, least: float | None = None) -> tuple[float, float]:
    """Two numbers of a Gamma prior: both positive, or both 0 where that is allowed."""
    pair = np.asarray(given, dtype=np.float64)
    proper = pair.shape == (2,) and np.isfinite(pair).all() and (pair > 0.0).all()
    if not proper and not (least == 0.0 and pair.shape == (2,) and (pair == 0.0).all()):
        either = " (or both 0)" if least == 0.0 else ", or one number"
        raise ValueError(f"{name} must be a pair of positive numbers, shape and rate{either}, got {given!r}")
    return float(pair[0]), float(pair[1])
