"""What a fitted law states, recomputed from the rows: its numbers, and that no law nearby is better.

Nothing of the fit is used but the law that it found: the likelihood is a sum of logarithms of densities, a
maximum shows by the mean of the scores, in standard deviations, or, where that does not decide (at a border,
at a kink, where the support moves), by no larger likelihood at steps of a thousandth to one standard error
in every direction.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from empirisk.data.sums import weighted_sum
from empirisk.distributions.base import Distribution
from empirisk.distributions.fit import LIKELIEST, DistributionFit, covariance_of, intervals
from empirisk.distributions.moments_fit import moment_covariance, sample_moments, theta_of
from empirisk.distributions.rows import Rows, read_rows
from empirisk.results import Certificate
from empirisk.results.certificate import unconfirmed
from empirisk.typing import Array

__all__ = ["verify_fit"]

# How far numbers may differ that were summed in another order, and the mean of the scores from 0.
_SUMS, _NUMBERS, _STATIONARY = 1e-9, 1e-7, 1e-6
# Steps to neighbours, in standard errors.
_STEPS = (1e-3, 0.1, 1.0)


def verify_fit(fit: DistributionFit, x: Any, sample_weight: Any = None, prior: Any = None) -> Certificate:
    """Return the certificate of a fitted law on its rows, or one of kind NONE with what is not as stated.

    Parameters
    ----------
    fit : DistributionFit
        What ``fit_mle``, ``fit_moments`` or ``fit_map`` returned.
    x : array, memory map, series, list or frame of shape (n,) or (n, d), or RowBlocks
        The rows of the fit.
    sample_weight : array, shape (n,), optional
        Their weights.
    prior : Distribution, optional
        The law of the parameters before the rows, which ``fit_map`` was given.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from empirisk.distributions import Gamma, fit_mle
    >>> x = Gamma(2.0, 3.0).sample(100, 1)
    >>> fit = fit_mle("gamma", x)
    >>> verify_fit(fit, x).within(1e-6)
    True
    >>> verify_fit(replace(fit, log_likelihood=0.0), x).within(1e-6)
    False
    """
    law = fit.distribution
    rows = read_rows(law, x, sample_weight)
    if fit.posterior is not None and prior is None:
        raise TypeError(
            "verify of a posterior needs the prior of the fit: give prior= beside the rows, because the fit "
            "holds what is known after them alone"
        )
    wrong = _numbers(fit, rows)
    if wrong:
        return unconfirmed(wrong)
    if fit.posterior is not None:
        wrong, found = _posterior(fit, rows, prior), 0.0
    elif fit.method == LIKELIEST:
        wrong, found = _maximum(fit, rows)
    else:
        wrong, found = _moments(fit, rows), 0.0
    if wrong:
        return unconfirmed(wrong)
    stated = fit.certificate
    return Certificate(stated.kind, max(found, stated.value), stated.scale, stated.claim)


def _numbers(fit: DistributionFit, rows: Rows) -> str:
    """Return what differs of the number of rows, the likelihood, and the estimates from the law."""
    law = fit.distribution
    if not abs(rows.total - fit.n) <= _SUMS * rows.total:
        return f"the rows count {rows.total:.12g} in all, and the fit states {fit.n:.12g}"
    with np.errstate(invalid="ignore"):
        total, size = rows.map_sum(partial(_likelihood, law))
    near = math.isfinite(size) and abs(total - fit.log_likelihood) <= _SUMS * (1.0 + size)
    if not (near or total == fit.log_likelihood):
        return f"the log-likelihood of the rows is {total:.12g}, and the fit states {fit.log_likelihood:.12g}"
    if list(fit.estimates) != list(law.coordinates):
        return (
            f"the law has the parameters {list(law.coordinates)}, and estimates are of {list(fit.estimates)}"
        )
    for name, (value, _) in law.coordinates.items():
        if fit.estimates[name].value != value:
            return f"{name} of the law is {value:.12g}, and its estimate {fit.estimates[name].value:.12g}"
    return ""


def _likelihood(law: Distribution, rows: Array, weight: Array) -> tuple[Any, Any]:
    """Return the log-likelihood of a block, and the sum of the absolute values of its terms."""
    log = law.log_prob(rows)
    return weighted_sum(weight, log), weighted_sum(weight, np.abs(log))


def _intervals(fit: DistributionFit, rows: Rows, matrices: dict[str, Array]) -> str:
    """Return what differs of covariance and intervals from all that this law and these rows can have."""
    near = [kind for kind, matrix in matrices.items() if _close(fit.covariance, matrix)]
    if not near:
        return "the covariance of the estimates is not that of the law, nor that of its scores over the rows"
    level = next(iter(fit.estimates.values())).level
    wrong = ""
    for kind in near:
        wrong = ""
        for name, band in intervals(fit.distribution, matrices[kind], rows.total, level, kind).items():
            given = fit.estimates[name]
            if given.reason and given.low is None:
                continue
            for end, theirs in (("low", given.low), ("high", given.high)):
                ours = getattr(band, end)
                if ours is None or theirs is None or not _close(ours, theirs):
                    wrong = f"the {end} end of the interval of {name} is {ours}, and the fit states {theirs}"
        if not wrong:
            return ""
    return wrong


def _close(a: Any, b: Any) -> bool:
    """Return whether numbers are the same but for rounding, those of a matrix in units of its diagonal."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if a.shape != b.shape:
        return False
    unit = np.abs(b)
    if a.ndim == 2:
        root = np.sqrt(np.abs(np.diag(b)))
        unit = np.fmax(unit, np.outer(root, root))
    with np.errstate(invalid="ignore"):
        return bool(((np.abs(a - b) <= _NUMBERS * unit) | (a == b) | (np.isnan(a) & np.isnan(b))).all())


def _maximum(fit: DistributionFit, rows: Rows) -> tuple[str, float]:
    """Return what differs of a fit of maximum likelihood, and what is left of its scores."""
    law = fit.distribution
    matrices = {"model": covariance_of(law, rows, "model")}
    left = math.inf
    if law.regular:
        try:
            inverse = law.inverse_information()
            with np.errstate(all="ignore"):
                score = rows.map_sum(lambda r, s: weighted_sum(s, law.score(r))) / rows.total
                left = math.sqrt(max(0.0, float(score @ inverse @ score)))
            matrices["robust"] = covariance_of(law, rows, "robust")
        except ValueError:
            pass
    wrong = _intervals(fit, rows, matrices)
    if wrong or left <= max(_STATIONARY, 10.0 * fit.certificate.value):
        return wrong, left
    return _neighbours(fit, rows, matrices["model"]), 0.0


def _neighbours(fit: DistributionFit, rows: Rows, matrix: Array) -> str:
    """Return which law nearby has a larger likelihood, or nothing where none has."""
    law = fit.distribution
    theta, error = theta_of(law), np.sqrt(np.abs(np.diag(matrix)))
    error = np.where(np.isfinite(error) & (error > 0.0), error, 1e-3 * np.maximum(1.0, np.abs(theta)))
    room = _SUMS * (1.0 + abs(fit.log_likelihood))
    for j, name in enumerate(law.coordinates):
        for step in _STEPS:
            for sign in (-1.0, 1.0):
                moved = theta + sign * step * error[j] * law.tangent[j]
                try:
                    other = law.at(moved)
                except ValueError:  # outside of what the parameters can be
                    continue
                reached = float(rows.map_sum(partial(_likelihood, other))[0])
                if reached > fit.log_likelihood + room:
                    more = reached - fit.log_likelihood
                    return f"the log-likelihood is {more:.3g} larger {step:g} standard errors away in {name}"
    return ""


def _moments(fit: DistributionFit, rows: Rows) -> str:
    """Return what differs of a fit by moments from the law that has those of the rows."""
    law = fit.distribution
    mean, central = sample_moments(law, rows)
    wanted = theta_of(law.matched(mean, *central))
    if not np.allclose(theta_of(law), wanted, rtol=_NUMBERS, atol=0.0):
        has = theta_of(law).tolist()
        return f"the law with the moments of the rows has {wanted.tolist()}, and the fit {has}"
    matrix = moment_covariance(law, rows, mean, central)
    for name in law.unsure_by_moments:
        at = list(fit.estimates).index(name)
        matrix[at, :] = matrix[:, at] = np.nan
    return _intervals(fit, rows, {"moments": matrix})


def _posterior(fit: DistributionFit, rows: Rows, prior: Any) -> str:
    """Return what differs of a posterior from the prior and the rows."""
    law = fit.distribution
    posterior = law.posterior(prior, rows)
    stated = fit.posterior
    for name, value in vars(posterior).items():
        if name.startswith("_") or name == "root":
            continue
        if not np.allclose(value, getattr(stated, name), rtol=_NUMBERS, atol=1e-12):
            return f"{name} of the posterior is {value}, and the fit states {getattr(stated, name)}"
    if not np.allclose(theta_of(law), posterior.mode(), rtol=_NUMBERS, atol=1e-12):
        at, has = posterior.mode().tolist(), theta_of(law).tolist()
        return f"the posterior is largest at {at}, and the fit has {has}"
    if not _close(fit.covariance, np.atleast_2d(posterior.moments()[1])):
        return "the covariance of the estimates is not that of the posterior"
    level = next(iter(fit.estimates.values())).level
    for (name, band), ends in zip(fit.estimates.items(), posterior.credible(level), strict=True):
        if not _close([band.low, band.high], ends):
            return f"the interval of {name} is {ends.tolist()}, and the fit states {[band.low, band.high]}"
    return ""
