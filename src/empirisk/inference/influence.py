"""Influence of single rows: leverages, residuals, Cook's distance, DFFITS, leave-one-out residuals.

Cook and Weisberg, Residuals and Influence in Regression (1982).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from empirisk.data.tabular import Tabular
from empirisk.inference.fit import Fit
from empirisk.inference.heteroscedastic import DETERMINES
from empirisk.typing import Array

__all__ = ["Influence", "influence_of"]

_SHOWN = 10  # rows of the printed table


@dataclass(frozen=True, eq=False, repr=False)
class Influence(Tabular):
    """What each row does to the fit; exact for least squares, one Newton step for the other families.

    Parameters
    ----------
    leverage : array, shape (n,)
        ``h_i = f_i x_i' K^-1 x_i``, between 0 and 1; their sum (with the weights) is the rank.
    residual : array, shape (n,)
        ``e_i``: y minus the fit, for the other families the Pearson residual.
    standardised : array, shape (n,)
        ``e_i / sqrt(phi (1 - h_i))`` (internally studentised).
    studentised : array, shape (n,)
        The same with phi estimated without the row; for normal noise it has a t distribution.
    left_out : array, shape (n,)
        ``e_i / (1 - h_i)``: the residual of the row under the fit without it.
    cook : array, shape (n,)
        ``standardised^2 h / ((1 - h) q)``: how far all fitted values move without the row.
    dffits : array, shape (n,)
        ``studentised sqrt(h / (1 - h))``: how far its own fitted value moves, in standard errors.
    dfbetas : array, shape (n, q)
        How far each coefficient moves without the row, in standard errors (intercept first).
    vif : array, shape (p,)
        Variance inflation factor of each column.
    terms : tuple of str
        Names of the coefficients.
    press : float
        Sum of the squared leave-one-out residuals.
    outlier_p : float
        Bonferroni p-value of the largest studentised residual; NaN but for least squares.
    linear : bool
        Whether the numbers are exact.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> x = np.array([[0.0], [1.0], [2.0], [10.0]])
    >>> found = er.LinearRegression().fit(x, [0.0, 1.1, 1.9, 5.0]).influence(x, [0.0, 1.1, 1.9, 5.0])
    >>> found.leverage.round(2), int(found.cook.argmax())
    (array([0.42, 0.33, 0.27, 0.98]), 3)
    """

    leverage: Array
    residual: Array
    standardised: Array
    studentised: Array
    left_out: Array
    cook: Array
    dffits: Array
    dfbetas: Array
    vif: Array
    terms: tuple[str, ...]
    press: float
    outlier_p: float
    linear: bool
    weight: Array = field(repr=False)

    @property
    def title(self) -> str:
        """The first line of the table: how many rows there are, and which of them are shown."""
        n = len(self.cook)
        return f"Influence of {n} rows" + (
            f", the {_SHOWN} with the largest Cook's distance" if n > _SHOWN else ""
        )

    def _columns(self) -> dict[str, list[Any]]:
        names = ("leverage", "residual", "standardised", "studentised", "left_out", "cook", "dffits")
        table = {"row": list(range(len(self.cook))), **{name: list(getattr(self, name)) for name in names}}
        return table | {f"dfbetas {t}": list(c) for t, c in zip(self.terms, self.dfbetas.T, strict=True)}

    def _shown(self) -> dict[str, list[Any]]:
        order = np.argsort(-np.nan_to_num(self.cook, nan=np.inf), kind="stable")[:_SHOWN]
        names = ("leverage", "residual", "studentised", "cook", "dffits")
        shown: dict[str, list[Any]] = {"row": [int(i) for i in order]}
        return shown | {name: [float(v) for v in getattr(self, name)[order]] for name in names}

    def _notes(self) -> list[str]:
        out = []
        if not self.linear:
            out.append(
                "Residuals are Pearson's; what happens without a row is that of one Newton step (an "
                "approximation)."
            )
        alone = np.flatnonzero((self.leverage > DETERMINES) & (self.weight > 0.0))
        if len(alone):
            listed = ", ".join(map(str, alone[:5]))
            out.append(f"Leverage 1: row {listed} alone determines a coefficient, so nothing tests it.")
        rank = float(self.leverage @ self.weight)
        high = int(np.sum((self.leverage > 3.0 * rank / self.weight.sum()) & (self.weight > 0.0)))
        out.append(f"Leverage above three times its mean ({rank / self.weight.sum():.3g}): {high} rows.")
        if math.isfinite(self.press):
            out.append(f"PRESS (sum of squared leave-one-out residuals): {self.press:.6g}.")
        if not math.isnan(self.outlier_p):
            out.append(
                f"Largest |studentised residual|: p = {self.outlier_p:.2g} after Bonferroni's correction "
                "for all rows."
            )
        worst = int(np.argmax(self.vif)) if len(self.vif) else 0
        if len(self.vif) > 1:
            name = self.terms[worst + len(self.terms) - len(self.vif)]
            out.append(f"Largest variance inflation factor: {self.vif[worst]:.3g} ({name}).")
        return out


def influence_of(fit: Fit) -> Influence:
    """Influence of every row of a fit.

    Parameters
    ----------
    fit : Fit
        n rows.  With frequency weights a row of weight 2 is two rows, and the numbers are about leaving out
        one of them; else about leaving out the row with its weight.

    Returns
    -------
    Influence

    Raises
    ------
    ValueError
        Without residual degrees of freedom, and for a perfect fit.

    Notes
    -----
    O(n p^2).  Rows of weight 0 get the numbers of a row that has just been left out of the fit: their
    residual is already a leave-one-out residual, and their influence is 0.

    References
    ----------
    R. D. Cook, S. Weisberg, Residuals and Influence in Regression (1982).  D. Pregibon, "Logistic regression
    diagnostics", Annals of Statistics 9 (1981), for the one-step versions.
    """
    if not fit.df > 0.0:
        raise ValueError(
            f"no influence measures: {fit.total:g} rows and {fit.rank} free coefficients leave no degrees of "
            "freedom"
        )
    if fit.perfect:
        raise ValueError("no influence measures: the fit is perfect up to rounding, all residuals are 0")
    h, e = np.minimum(fit.leverage, 1.0), fit.pearson
    live = fit.weight > 0.0
    root = np.ones_like(e) if fit.weights in ("frequency", "trials") else np.sqrt(fit.trials)
    h = np.where(live, h, 0.0)
    free = np.where(h > DETERMINES, np.nan, 1.0 - h)
    phi = fit.dispersion
    standardised = e / np.sqrt(phi * free)
    studentised = standardised
    if not fit.law.unit_dispersion:
        # phi without row i: (df phi - e^2 / (1 - h)) / (df - 1).
        rest = np.maximum(fit.df - standardised**2, 0.0) if fit.df > 1.0 else np.full_like(e, np.nan)
        with np.errstate(divide="ignore"):
            studentised = standardised * np.sqrt((fit.df - 1.0) / rest)
    cook = standardised**2 * h / (free * fit.rank)
    left_out = e / free
    return Influence(
        h, e / root, standardised, studentised, left_out / root, cook, studentised * np.sqrt(h / free),
        _dfbetas(fit, left_out, e, standardised, studentised), fit.info.inflation(), fit.terms,
        float(np.nansum(fit.weight * left_out**2)) if fit.linear and not np.isnan(free).any() else math.nan,
        _outlier(fit, studentised[live]), fit.linear, fit.weight,
    )  # fmt: skip


def _dfbetas(fit: Fit, left_out: Array, e: Array, standardised: Array, studentised: Array) -> Array:
    """``(b - b_(i)) / se_(i)``, with the standard errors of the fit without the row."""
    H = fit.info.half
    moved = np.empty((len(e), len(H)))
    for part, E in fit.rows():
        moved[part] = (E @ H.T) * np.where(fit.weight[part] > 0.0, left_out[part], 0.0)[:, None]
    ratio = np.divide(studentised, standardised, out=np.ones_like(e), where=standardised != 0.0)
    return np.asarray(moved * (ratio / math.sqrt(fit.dispersion))[:, None] / np.linalg.norm(H, axis=1))


def _outlier(fit: Fit, studentised: Array) -> float:
    if not fit.linear or fit.df <= 1.0 or np.isnan(studentised).all():
        return math.nan
    largest = float(np.nanmax(np.abs(studentised)))
    return min(1.0, 2.0 * fit.total * float(stats.t.sf(largest, fit.df - 1.0)))
