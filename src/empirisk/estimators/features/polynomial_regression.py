"""Polynomial regression, ready to fit: an orthogonal basis and a linear model in one pipeline."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

from empirisk.estimators.checks import check_alpha
from empirisk.estimators.features.orthogonal_polynomials import OrthogonalPolynomials
from empirisk.estimators.linear.linear import LinearRegression, Ridge

__all__ = ["polynomial_regression"]


def polynomial_regression(degree: Any = 3, *, alpha: float | str = 0.0) -> Pipeline:
    r"""Return a pipeline that fits a polynomial of each column by least squares.

    ``min_f (1/S) sum_i s_i (f(x_i) - y_i)^2 / 2 + alpha/2 sum_j R(f_j)`` over ``f = b + sum_j f_j(x_j)``,
    one polynomial for each column, without products of columns; ``R(g)`` is the mean of
    ``(1 - t^2) g'(t)^2`` over the range of the column, scaled to [-1, 1].

    Parameters
    ----------
    degree : int or sequence of int, default 3
        Degree, one for all columns or one for each; degree 20 is computed as accurately as degree 2. Without
        a penalty keep it below about ``2 sqrt n``: above, polynomials swing between the points.
    alpha : float, "1/n" or "cv", default 0.0
        Strength of the penalty on the slope; 0 is least squares. ``"cv"`` chooses it by exact leave-one-out,
        so that the degree needs no choice: take it large (20).

    Returns
    -------
    sklearn.pipeline.Pipeline
        Steps ``basis`` (:class:`OrthogonalPolynomials`) and ``model`` (:class:`LinearRegression`, or
        :class:`Ridge` unless alpha is 0). ``fit(X, y, model__sample_weight=s)`` takes weights;
        ``pipeline["basis"].expand(pipeline["model"].coef_)`` gives the coefficients of the powers.

    Raises
    ------
    ValueError
        Alpha is no strength; in ``fit``, what :class:`OrthogonalPolynomials` raises.

    Notes
    -----
    O(n d^2) for the basis and O(n p^2 d^2) for the fit.

    References
    ----------
    Forsythe 1957 (J. SIAM 5); Brubeck, Nakatsukasa & Trefethen 2021 (SIAM Review 63).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> x = np.linspace(0.0, 1.0, 50)[:, None]
    >>> y = np.cos(3.0 * x[:, 0])
    >>> model = er.polynomial_regression(degree=20).fit(x, y)
    >>> bool(np.abs(model.predict(x) - y).max() < 1e-13)
    True
    """
    strength = check_alpha(alpha)
    plain = strength == 0.0
    model = LinearRegression() if plain else Ridge(alpha=alpha)
    return Pipeline([("basis", OrthogonalPolynomials(degree, smooth=not plain)), ("model", model)])
