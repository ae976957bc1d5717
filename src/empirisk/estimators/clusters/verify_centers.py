"""The certificate of centres, computed once more with plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.clustering.affordable_bound import bound_along
from empirisk.clustering.lower_bound import InertiaBound
from empirisk.clustering.units import in_unit, unit_exponent
from empirisk.estimators.stated import disputed, misnumbered
from empirisk.problems.kmeans import fixed_point_certificate
from empirisk.results import Certificate
from empirisk.results.certificate import unconfirmed
from empirisk.typing import Array, IndexArray
from empirisk.wording import counted

__all__ = ["bound_in_words", "refuse_other_rows", "verify_centers"]

ROWS = 2048  # of a block: all distances of a block are in memory
LOOSE = 2.0  # times the optimum, beyond which a bound that costs little says nothing of the clusters


def verify_centers(model: Any, labels: IndexArray, X: Any, weight: Array) -> Certificate:
    """Return what these rows, labels and centres prove.

    Parameters
    ----------
    model : estimator
        With ``cluster_centers_``, ``inertia_``, and perhaps ``labels_`` and ``counts_``.
    labels : array of int, shape (n,)
        What the fit says about the rows.
    X : array or CSR matrix, shape (n, p)
    weight : array, shape (n,)
    """
    if len(labels) != X.shape[0]:
        return unconfirmed(f"the fit has labels of {len(labels)} rows, and here are {X.shape[0]}")
    centers = np.asarray(model.cluster_centers_)
    wrong_number = misnumbered(model, "labels_", len(centers)) if hasattr(model, "labels_") else None
    if wrong_number is not None:
        return wrong_number
    eps = float(np.finfo(X.dtype).eps)
    # The unit of the fit, in which its certificate is.
    unit = unit_exponent(X, centers)
    power = float(np.ldexp(1.0, unit))
    c = centers.astype(np.float64) / power
    k, p = c.shape
    mass = np.zeros(k)
    total, loss, wrong, rounding = np.zeros((k, p)), 0.0, 0, 0.0
    mean = np.zeros(p)
    s = weight / weight.sum()
    for start in range(0, X.shape[0], ROWS):
        block: Any = X[start : start + ROWS]
        rows = (block if isinstance(block, np.ndarray) else block.toarray()).astype(np.float64) / power
        own, w = labels[start : start + ROWS], s[start : start + ROWS]
        square = np.stack([((rows - one) ** 2).sum(axis=1) for one in c], axis=1)
        least, mine = square.min(axis=1), square[np.arange(len(own)), own]
        # Products of rows with centres were rounded in the format of the rows.
        size = (rows**2).sum(axis=1) + (c**2).sum(axis=1).max()
        wrong += int((mine - least > 8.0 * eps * (p + 8) * size).sum())
        rounding += float(w @ size) * 8.0 * eps * (p + 8)
        np.add.at(total, own, w[:, None] * (rows - c[own]))
        np.add.at(mass, own, w)
        mean += w @ rows
        loss += float(w @ mine)
    if wrong:
        return unconfirmed(f"{wrong} of {X.shape[0]} rows are nearer to another centre than to their own")
    whole = float(weight.sum())
    inertia, slack = (float(np.ldexp(v, 2 * unit)) * whole for v in (loss, rounding))
    found: dict[str, Any] = {"inertia_": inertia}
    if hasattr(model, "counts_") and hasattr(model, "labels_"):
        found["counts_"] = mass * whole
    axes = getattr(model, "_axes", None)
    low = None if axes is None else bound_along(in_unit(X, unit), s, k, axes)
    if hasattr(model, "inertia_bound_"):
        found["inertia_bound_"] = None if low is None else float(np.ldexp(low, 2 * unit)) * whole
    differs = disputed(model, found, tol=max(1e-8, 64.0 * eps), slack={"inertia_": slack})
    if differs is not None:
        return differs
    live = mass > 0.0
    step = float(((total[live] ** 2).sum(axis=1) / mass[live]).sum())
    scale = loss + float((mass * ((c - mean) ** 2).sum(axis=1)).sum())
    scale += 2.0 * float((total * (c - mean)).sum())
    further = bound_in_words(loss, low, axes) if hasattr(model, "inertia_bound_") else ""
    return fixed_point_certificate(step, loss, max(scale, 0.0), c, eps, further)


def bound_in_words(inertia: float, proved: float | None, axes: int | None) -> str:
    """Return what a lower bound says of an inertia, for the end of a certificate's sentence.

    Parameters
    ----------
    inertia : float
    proved : float or None
        The bound; None where none was computed.
    axes : int or None
        Along how many axes numbers were split; 0 is the bound by the eigenvalues of the scatter alone.

    Examples
    --------
    >>> bound_in_words(3.0, 2.0, 1)
    '; J <= 1.5 min J, by a bound along 1 principal axis (lower_bound(X) may prove more)'
    >>> bound_in_words(3.0, 2.0, 0)
    '; J <= 1.5 min J, by the eigenvalues of the scatter (lower_bound(X) may prove more)'
    >>> bound_in_words(3.0, 0.5, 0)
    '; the eigenvalues of the scatter prove less than J <= 2 min J: lower_bound(X) may prove more'
    """
    if proved is None or axes is None:
        return "; no lower bound was computed: lower_bound(X) gives one"
    ratio = 1.0 + InertiaBound(proved, "axes").ratio(inertia)
    along = f"a bound along {axes} principal {'axis' if axes == 1 else 'axes'}"
    if ratio > LOOSE:
        by = f"{along} proves" if axes else "the eigenvalues of the scatter prove"
        return f"; {by} less than J <= {LOOSE:g} min J: lower_bound(X) may prove more"
    by = along if axes else "the eigenvalues of the scatter"
    return f"; J <= {ratio:.6g} min J, by {by} (lower_bound(X) may prove more)"


def refuse_other_rows(model: Any, weight: Array, squares: Array) -> None:
    """Refuse rows that are not those of a fit: by their number, and by their inertia about its centres."""
    labels = getattr(model, "labels_", None)
    if labels is not None and len(labels) != len(weight):
        rows = counted(len(weight), "row")
        raise ValueError(f"X has {rows}, and the fit had {len(labels)}: give the rows of the fit")
    inertia = float((weight * squares).sum())
    # Centres have the number format of the rows, and sums of small squares far from 0 lose digits.
    slack = 1e-6 if model.cluster_centers_.dtype == np.float64 else 1e-3
    if not abs(inertia - model.inertia_) <= slack * max(inertia, model.inertia_):
        raise ValueError(
            f"the inertia of these rows is {inertia:.6g}, and that of the fit {model.inertia_:.6g}: give the "
            "rows and weights of the fit"
        )
