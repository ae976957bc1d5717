"""The likeliest parameters after the rows, for conjugate priors, and the whole posterior.

A prior is conjugate when the posterior is of its family: rows add their number and their sums of phi to its
parameters.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.distributions.base import Distribution
from empirisk.distributions.fit import DistributionFit, columns_of, family_of, fitted
from empirisk.distributions.parameters import within_floats
from empirisk.distributions.rows import read_rows
from empirisk.results import Certificate, Estimate, Kind
from empirisk.results.estimate import check_level
from empirisk.typing import Array

__all__ = ["fit_map"]


def fit_map(
    family: Any,
    x: Any,
    prior: Any,
    *,
    sample_weight: Any = None,
    level: float = 0.95,
    **structure: Any,
) -> DistributionFit:
    """Fit a law by its posterior: ``max sum_i s_i log p(x_i; theta) + log p(theta)``.

    Parameters
    ----------
    family : class, member or name of a distribution
        Bernoulli, binomial and geometric laws take a Beta prior of p, categorical and multinomial ones a
        Dirichlet prior of p, Poisson and exponential ones a Gamma prior of the rate, a Gaussian law a
        normal-inverse-gamma prior of mean and variance, and one of several numbers a normal-inverse-Wishart
        prior of mean and covariance.
    x : array, memory map, series, list or frame of shape (n,) or (n, d), or RowBlocks
        Independent rows, read in blocks.
    prior : Distribution
        The law of the parameters before the rows.
    sample_weight : array, shape (n,), optional
        How often each row counts, >= 0; all once when left out.
    level : float in (0, 1), default 0.95
        Of the credible intervals: the middle of the posterior of each parameter.
    **structure
        Parameters that are known beforehand, such as the number of trials n of a binomial law.

    Returns
    -------
    DistributionFit
        Its law has the likeliest parameters, its covariance is that of the posterior, which it holds, too.

    Raises
    ------
    ValueError
        A prior of another family than the conjugate one; a posterior that is largest at a border.

    Examples
    --------
    Class 2 never came.  With chance 0 for it a row of it would have infinite loss; the prior leaves it some.

    >>> from empirisk.distributions import Dirichlet
    >>> fit = fit_map("categorical", [0, 0, 1, 0, 1, 0], Dirichlet([2.0, 2.0, 2.0]), k=3)
    >>> fit.distribution.p.round(4).tolist()
    [0.5556, 0.3333, 0.1111]
    """
    check_level(level)
    law = family_of(family, structure, columns_of(x))
    check_prior(law, prior)
    rows = read_rows(law, x, sample_weight)
    with within_floats(law.title):
        posterior = law.posterior(prior, rows)
    theta = posterior.mode()
    matrix: Array = np.atleast_2d(posterior.moments()[1])
    names = list(law.coordinates)
    bands = {
        name: Estimate(float(v), float(low), float(high), level, int(rows.total), "posterior, equal tails")
        for name, v, (low, high) in zip(names, theta, posterior.credible(level), strict=True)
    }
    claim = "log-posterior - its maximum = 0 but for rounding: the maximum has a closed form"
    certificate = Certificate(Kind.EXACT, 0.0, 1.0, claim)
    return fitted(law.at(theta), rows, bands, matrix, certificate, "maximum of the posterior", posterior)


def check_prior(law: Distribution, prior: Any) -> None:
    """Refuse a prior that is not of the conjugate family, by the name of that."""
    from empirisk.distributions.registry import PRIORS, REGISTRY

    if not law.conjugate:
        able = sorted(name for name, row in REGISTRY.items() if row.conjugate)
        raise ValueError(
            f"the {law.title} has no conjugate prior here; those of {able} have one. Fit it with fit_mle"
        )
    wanted = PRIORS[law.conjugate]
    if not isinstance(prior, wanted):
        raise ValueError(
            f"prior of the {law.title} must be er.distributions.{wanted.__name__}, got {prior!r}"
        )
