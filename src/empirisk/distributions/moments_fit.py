"""The method of moments: the law whose mean and variance (and fourth moment) are those of the rows.

The estimates are functions of sample moments, so that by the delta method their errors are those of the means
of ``D f``, D the derivatives of the parameters in the moments and f the influence of a row on them (van der
Vaart, Asymptotic Statistics, 1998, chapter 4).  The rows need not follow the law for that.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from empirisk.data.sums import weighted_sum
from empirisk.distributions.base import Distribution, Observations, check_held
from empirisk.distributions.fit import DistributionFit, columns_of, family_of, fitted, intervals
from empirisk.distributions.parameters import within_floats
from empirisk.distributions.rows import read_rows
from empirisk.results import Certificate, Kind
from empirisk.typing import Array

__all__ = ["fit_moments"]

# Central differences of smooth functions keep two thirds of the digits with this relative step.
_STEP = 6e-6


def fit_moments(
    family: Any, x: Any, *, sample_weight: Any = None, level: float = 0.95, **structure: Any
) -> DistributionFit:
    """Fit a law by the method of moments: ``E_theta x^k`` is the mean of ``x_i^k``, k = 1, 2 (and 4).

    Parameters
    ----------
    family : class, member or name of a distribution
        For example ``er.distributions.Beta`` or ``"beta"``.
    x : array, memory map, series, list or frame of shape (n,) or (n, d), or RowBlocks
        Independent rows, read in blocks.
    sample_weight : array, shape (n,), optional
        How often each row counts, >= 0; all once when left out.
    level : float in (0, 1), default 0.95
        Of the intervals, which are normal, on a scale on which the domain of a parameter is the whole line.
        Their errors come from the scatter of the rows, not from the law.  Degrees of freedom and scale of
        Student's law have none: the fourth moment has a finite variance above 8 degrees of freedom only.
    **structure
        Parameters that are known beforehand, such as the number of trials n of a binomial law.

    Returns
    -------
    DistributionFit

    Raises
    ------
    ValueError
        Rows outside of the support, by row; moments that no member of the family has.

    Examples
    --------
    >>> from empirisk.distributions import Gamma
    >>> x = Gamma(2.0, 3.0).sample(1000, 1)
    >>> round(fit_moments("gamma", x).estimates["shape"].value, 2)
    2.06
    """
    law = family_of(family, structure, columns_of(x))
    if not law.orders:
        raise ValueError(f"no moments of x tell the {law.title}, but those of phi, which fit_mle matches")
    rows = read_rows(law, x, sample_weight)
    mean, central = sample_moments(law, rows)
    if not law.discrete and len(law.coordinates) > 1 and not np.all(np.diag(np.atleast_2d(central[0])) > 0.0):
        raise ValueError(
            "a column of x holds one number only, or numbers that differ by less than rounding or "
            f"than 1e-150, whose square floats do not hold, and the law of variance 0 is no {law.title}; "
            "look at where x comes from, or change its unit"
        )
    with within_floats(law.title):
        member = law.matched(mean, *central)
        matrix = moment_covariance(law, rows, mean, central)
    claim = "the moments of the law are those of the rows but for rounding; the likelihood is not the largest"
    bands = intervals(member, matrix, rows.total, level, "moments")
    for name, why in law.unsure_by_moments.items():
        bands[name] = replace(bands[name], low=None, high=None, reason=why)
        at = list(bands).index(name)
        matrix[at, :] = matrix[:, at] = np.nan
    fit = fitted(member, rows, bands, matrix, Certificate(Kind.EXACT, 0.0, 1.0, claim), "moments")
    if not np.isneginf(fit.log_likelihood):
        return fit
    outside = float(rows.map_sum(lambda x, s: s[np.isneginf(member.log_prob(x))].sum()))
    claim += f", but -inf: {outside:g} of {rows.total:g} rows lie outside of the support of the law"
    return replace(fit, certificate=replace(fit.certificate, claim=claim))


def sample_moments(law: Distribution, rows: Observations) -> tuple[Any, list[Any]]:
    """Return the mean and the central moments of the orders of the law: two passes over the rows."""
    total = rows.total
    mean = rows.map_sum(lambda x, s: weighted_sum(s, law.moment_rows(x))) / total
    check_held(mean)

    def powers(x: Array, s: Array) -> list[Any]:
        gap = law.moment_rows(x) - mean
        if gap.ndim == 1:
            return [np.array([weighted_sum(s, gap**k) for k in law.orders])]
        return [(s[:, None] * gap).T @ gap]

    parts: list[Any] = rows.map_sum(powers)
    sums = sum(parts[1:], start=parts[0]) / total
    check_held(sums)
    return mean, [sums] if np.ndim(mean) else [float(v) for v in sums]


def moment_covariance(law: Distribution, rows: Observations, mean: Any, central: list[Any]) -> Array:
    """Return ``D V D' / S``, V the covariance of the influences of the rows on the moments."""
    flat, unpack = _flatten(mean, central)
    base = theta_of(law.matched(*unpack(flat)))
    D = np.zeros((len(base), len(flat)))
    spread = np.abs(flat) + np.sqrt(np.abs(np.max(np.diag(np.atleast_2d(central[0])))))
    for j in np.flatnonzero(spread):
        step = np.eye(len(flat))[j] * _STEP * spread[j]
        ends = [moved(law, unpack(flat + sign * step)) for sign in (1.0, -1.0)]
        # At the border of what moments can be, the difference has one side only.
        sides = sum(end is not None for end in ends)
        up, down = (base if end is None else end for end in ends)
        D[:, j] = (up - down) / (max(sides, 1) * _STEP * spread[j])
    third = _third(law, rows, mean) if len(law.orders) > 1 else 0.0

    def outer(x: Array, s: Array) -> Array:
        f = influences(law, law.moment_rows(x) - mean, central, third)
        return np.asarray(np.einsum("i,ij,ik->jk", s, f, f))

    V = rows.map_sum(outer) / rows.total
    return np.asarray(D @ V @ D.T / rows.total)


def influences(law: Distribution, gap: Array, central: list[Any], third: float) -> Array:
    """Return what each row does to the moments: ``g^k - m_k - k m_(k-1) g``, g the row less the mean."""
    if gap.ndim == 2:
        i, j = np.triu_indices(gap.shape[1])
        return np.column_stack([gap, gap[:, i] * gap[:, j] - central[0][i, j]])
    before = {2: 0.0, 4: third}
    columns = [gap**k - m - k * before[k] * gap for k, m in zip(law.orders, central, strict=True)]
    return np.column_stack([gap, *columns])


def moved(law: Distribution, moments: Any) -> Array | None:
    """Return the coordinates of the law with other moments, or None where there is none."""
    try:
        return theta_of(law.matched(*moments))
    except ValueError:
        return None


def theta_of(law: Distribution) -> Array:
    """Return the coordinates of a law as an array."""
    return np.array([value for value, _ in law.coordinates.values()])


def _third(law: Distribution, rows: Observations, mean: Any) -> float:
    """The third central moment of the rows."""
    return float(rows.map_sum(lambda x, s: weighted_sum(s, (x - mean) ** 3))) / rows.total


def _flatten(mean: Any, central: list[Any]) -> tuple[Array, Any]:
    """Return all moments as one array, and the way back."""
    if np.ndim(mean) == 0:
        return np.array([float(mean), *central]), lambda v: tuple(float(m) for m in v)
    d = len(mean)
    i, j = np.triu_indices(d)

    def unpack(v: Array) -> tuple[Array, Array]:
        matrix = np.zeros((d, d))
        matrix[i, j] = matrix[j, i] = v[d:]
        return v[:d], matrix

    return np.concatenate([mean, central[0][i, j]]), unpack
