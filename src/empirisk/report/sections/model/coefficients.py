"""The coefficient table: original units, per standard deviation, zero or not, sign stability over fits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.intervals.base import normal_quantile
from empirisk.report.estimates import Json, estimate
from empirisk.report.fit.families import family_loss
from empirisk.report.fit.final import FinalModel, linear_parts
from empirisk.report.fit.shares import probabilities
from empirisk.report.fit.tuning import CrossValidated
from empirisk.results import Estimate
from empirisk.wording import counted

__all__ = ["SHOWN", "coefficient_rows", "sandwich", "sign_stability"]

Floats = NDArray[np.float64]
SHOWN = 400  # coefficients; the page lists no more
MAX_PARAMETERS = 1_200  # for which standard errors are computed
CHOSEN = "the L1 penalty chose the terms on these rows, so an ordinary interval would be too short"
DERIVED = "the coefficients follow from means and a shrunk covariance, for which there are no intervals here"
TARGET = "the penalised coefficient that the whole population would give at this penalty"


def sandwich(model: FinalModel) -> Floats | None:
    """Covariance of all parameters (coefficients, then intercepts, class by class) that allows for wrong
    variances.

    ``A^-1 B A^-1 / n``, ``A = weighted mean of h_i x_i x_i' + alpha I`` (intercept free), ``B`` the
    covariance of the row gradients ``w_i (p_i - y_i) x_i`` (sums over groups where rows are grouped); White
    (1980), Liang and Zeger (1986). None without a penalty, with an L1 penalty, with a feature step, for more
    than 1,200 parameters, or where A is singular.

    Parameters
    ----------
    model : FinalModel
    """
    train, ratio = model.train, model.candidate.l1_ratio
    n, p = model.X.shape
    k = train.n_classes if train.n_classes > 2 else 1
    penalised = model.candidate.linear and not ratio and not model.candidate.step
    if not penalised or k * (p + 1) > MAX_PARAMETERS or n <= p + 1:
        return None
    X = np.column_stack([model.X, np.ones(n)])
    residual, curvature = _row_terms(model, n)
    w = np.ones(n) if train.weights is None else train.weights / train.weights.mean()
    residual = residual * w[:, None]
    gradient = (residual[:, :, None] * X[:, None, :]).reshape(n, -1) if k > 1 else residual * X
    A = np.zeros((k * (p + 1), k * (p + 1)))
    for a in range(k):
        for b in range(a + 1):
            block = (X * (w * curvature(a, b))[:, None]).T @ X / n
            A[a * (p + 1) : (a + 1) * (p + 1), b * (p + 1) : (b + 1) * (p + 1)] = block
            A[b * (p + 1) : (b + 1) * (p + 1), a * (p + 1) : (a + 1) * (p + 1)] = block.T
    A += model.alpha * np.diag(np.tile(np.append(np.ones(p), 0.0), k))
    if train.groups is not None:
        codes = np.unique(train.groups, return_inverse=True)[1]
        sums = np.zeros((codes.max() + 1, gradient.shape[1]))
        np.add.at(sums, codes, gradient - gradient.mean(axis=0))
        B = sums.T @ sums / n
    else:
        centred = gradient - gradient.mean(axis=0)
        B = centred.T @ centred / (n - p - 1)
    if k > 1:
        # A constant added to all intercepts changes nothing: the pseudo-inverse keeps their sum at 0.
        inverse = np.linalg.pinv(A, hermitian=True)
    else:
        try:
            inverse = np.linalg.inv(A)
        except np.linalg.LinAlgError:
            return None
    return np.asarray(inverse @ B @ inverse / n)


def _row_terms(model: FinalModel, n: int) -> tuple[Floats, Any]:
    """Return the derivative of the loss in each score, shape (n, 1) or (n, k), and its second derivatives."""
    y, z = model.train.y, model.sums(model.X) + model.train.shift
    if model.candidate.family:
        loss = family_loss(model.candidate.family)
        return loss.grad(y, z)[:, None], lambda a, b: loss.hess(y, z)
    if model.train.task == "regression":
        return (z - y)[:, None], lambda a, b: np.ones(n)
    P = probabilities(z)
    if z.ndim == 1:
        return (P[:, 1] - y)[:, None], lambda a, b: P[:, 0] * P[:, 1]
    residual = P.copy()
    residual[np.arange(n), y] -= 1.0
    return residual, lambda a, b: P[:, a] * ((1.0 if a == b else 0.0) - P[:, b])


def sign_stability(
    name: str, c: int, sign: float, cv: CrossValidated, at: int, spots: list[dict[str, int]]
) -> float | None:
    """Return the share of the cross-validation fits in which a term has the same sign (or is zero as
    well).

    Parameters
    ----------
    name : str
        The term.
    c : int
        Class code, used where a term has one coefficient a class.
    sign : {-1, 0, 1}
        Sign in the final model.
    cv : CrossValidated
    at : int
        Position of the penalty.
    spots : list of dict
        Position of each term in each fit; a term or class that a fit does not know counts as
        different.
    """
    if not cv.coefs:
        return None
    same = 0
    for spot, (_, coefs) in zip(spots, cv.coefs, strict=True):
        if name in spot:
            value = coefs[at][spot[name]]
            same += int(np.sign(value[c] if np.ndim(value) else value) == sign)
    return same / len(cv.coefs)


def coefficient_rows(model: FinalModel, cv: CrossValidated, at: int, level: float) -> tuple[list[Json], str]:
    """Return the rows of the table and the note below it.

    Parameters
    ----------
    model : FinalModel
    cv : CrossValidated
        Fits of the same candidate, for the stability of signs.
    at : int
        Position of the chosen penalty in them.
    level : float
        Nominal coverage.
    """
    coef, intercept = linear_parts(model)
    covariance = sandwich(model)
    k = coef.shape[1] if coef.ndim == 2 else 1
    labels: list[str | None] = list(model.train.classes) if k > 1 else [None]
    order = _largest(model, coef)
    spots = [{name: i for i, name in enumerate(names)} for names, _ in cv.coefs]
    rows = []
    for c in range(k):
        w = coef[:, c] if k > 1 else coef
        b = float(intercept[c] if k > 1 else intercept)
        block = None if covariance is None else _class_block(covariance, c, model.X.shape[1])
        rows.append(_intercept(model, w, b, block, labels[c], level))
        for j in order:
            origin = model.origins[j]
            # Groups of one fit are not those of another.
            stability = (
                None
                if origin.kind == "group"
                else sign_stability(origin.name, c, float(np.sign(w[j])), cv, at, spots)
            )
            rows.append(_term(model, j, float(w[j]), block, labels[c], stability, level))
    return rows, _note(model, covariance is not None, len(order))


def _largest(model: FinalModel, coef: Floats) -> list[int]:
    """Positions of the terms to show, in encoded order: those with the largest effects per deviation.

    The columns of a text have no words to be called by, and are counted in the note alone.
    """
    sd = np.array([o.sd for o in model.origins])
    size = np.abs(coef * sd[:, None] if coef.ndim == 2 else coef * sd)
    size = size.max(axis=1) if size.ndim == 2 else size
    limit = SHOWN if coef.ndim == 1 else max(20, SHOWN // coef.shape[1])
    shown = [j for j in np.argsort(-size, kind="stable").tolist() if model.origins[j].kind != "text"]
    return sorted(shown[:limit])


def _class_block(covariance: Floats, c: int, p: int) -> Floats:
    part = slice(c * (p + 1), (c + 1) * (p + 1))
    return covariance[part, part]


def _wald(value: float, variance: float | None, model: FinalModel, level: float) -> Json:
    n = model.train.n
    if variance is None or not np.isfinite(variance) or variance < 0.0:
        why = _why_none(model)
        return estimate(Estimate(value, None, None, level, n, "none", why))
    half = normal_quantile(level) * float(np.sqrt(variance))
    return estimate(
        Estimate(value, value - half, value + half, level, n, "Wald, sandwich variance", target=TARGET)
    )


def _term(
    model: FinalModel,
    j: int,
    w: float,
    block: Floats | None,
    label: str | None,
    stability: float | None,
    level: float,
) -> Json:
    origin = model.origins[j]
    variance = None if block is None else float(block[j, j])
    scaled = [
        _wald(w * f, None if variance is None else variance * f * f, model, level)
        for f in (1.0 / origin.scale, origin.sd)
    ]
    return {
        "term": origin.name,
        "column": origin.source or None,
        "class": label,
        "value": scaled[0],
        "per_sd": scaled[1],
        "zero": w == 0.0,
        "sign_stability": stability,
    }


def _intercept(
    model: FinalModel, w: Floats, b: float, block: Floats | None, label: str | None, level: float
) -> Json:
    """Return the score where every column is 0 in its own unit."""
    shift = np.append(-np.array([o.center / o.scale for o in model.origins]), 1.0)
    value = float(shift @ np.append(w, b))
    variance = None if block is None else float(shift @ block @ shift)
    return {
        "term": "(intercept)",
        "column": None,
        "class": label,
        "value": _wald(value, variance, model, level),
        "per_sd": None,
        "zero": False,
        "sign_stability": None,
    }


def _why_none(model: FinalModel) -> str:
    """Return why coefficients have no intervals, where they have none."""
    if model.candidate.l1_ratio:
        return CHOSEN
    if not model.candidate.linear:
        return DERIVED
    return model.step[0].why_none if model.step else "there are too many terms for these rows"


def _note(model: FinalModel, valid: bool, shown: int) -> str:
    parts = []
    if model.candidate.l1_ratio:
        parts.append(
            f"No intervals: {CHOSEN}; the share of fits with the same sign says how stable a term is."
        )
    elif not model.candidate.linear:
        parts.append(f"No intervals: {DERIVED}.")
    elif valid:
        parts.append(
            "The penalty pulls coefficients towards zero, and the intervals describe the penalised values."
        )
    else:
        parts.append(
            f"No intervals: {model.step[0].why_none}."
            if model.step
            else "No intervals: there are too many terms for the number of rows."
        )
    if model.step:
        parts.append(model.step[0].reading)
    if model.candidate.family:
        parts.append(
            "A coefficient c multiplies the predicted mean by exp(c): about 100 c % when c is small."
        )
    parts.append("A level of a categorical column has a term of its own, and none is left out as the base.")
    texts = [o.source for o in model.origins if o.kind == "text"]
    if texts:
        parts.append(
            f"Texts ({', '.join(dict.fromkeys(texts))}) enter through {counted(len(texts), 'number')} made of"
            " hashed words, which are not listed."
        )
    left = len(model.origins) - shown - len(texts)
    if left > 0:
        terms = "1 term with a smaller effect is" if left == 1 else f"{left:,} terms with smaller effects are"
        parts.append(f"{terms} not shown; the model file holds {'it' if left == 1 else 'them'}.")
    return " ".join(parts)
