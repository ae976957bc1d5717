"""Schwarz's criterion, where the estimator is a model with a likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.evaluation.intervals.base import accept, normal_quantile, refuse
from empirisk.partitions.criteria.base import Evidence, Judged, best
from empirisk.results import Estimate

__all__ = ["BicCriterion", "bic_of"]


@dataclass(frozen=True)
class BicCriterion:
    """The K whose ``-2 log L + (free parameters) log n`` is smallest, as the fitted estimator reports it.

    Notes
    -----
    The interval holds the share of the likelihood, a sum over rows; that of differences is narrower.
    Schwarz (1978), Annals of Statistics 6; for mixtures Fraley and Raftery (2002), Journal of the American
    Statistical Association 97.

    Examples
    --------
    >>> BicCriterion().label
    'BIC'
    """

    name = "bic"
    label = "BIC"

    def judge(self, evidence: Evidence) -> Judged:
        """Return the values of the fitted models and the K of the smallest.

        Parameters
        ----------
        evidence : Evidence
        """
        values = {}
        for k, found in evidence.partitions.items():
            value = bic_of(found.model, evidence.rows.X)
            if value is not None:
                values[k] = _interval(found.model, evidence, value)
        if not values:
            return Judged({}, None, "the estimator has no likelihood")
        return Judged(values, best(values, False), "the smallest value")


def bic_of(model: Any, X: Any) -> float | None:
    """Return what the model says: an attribute of the fit, or a method that takes the rows."""
    if model is None:
        return None
    told = getattr(model, "bic_", None)
    if told is not None:
        return float(told)
    ask = getattr(model, "bic", None)
    return float(ask(X)) if callable(ask) else None


def _interval(model: Any, evidence: Evidence, value: float) -> Estimate:
    rows, level = evidence.rows, evidence.level
    method, target = "normal, log-likelihoods of rows", "the BIC of rows drawn like these"
    if not hasattr(model, "score_samples"):
        return refuse(value, level, rows.n, method, "the model gives no density of rows", target)
    each = np.asarray(model.score_samples(rows.X), dtype=np.float64)
    share = rows.weight / rows.total
    variance = float(share @ (each - share @ each) ** 2)
    half = 2.0 * normal_quantile(level) * (rows.total * variance) ** 0.5
    return accept(value, (value - half, value + half), level, rows.n, method, target=target)
