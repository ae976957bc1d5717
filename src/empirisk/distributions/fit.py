"""Estimates of the parameters of a distribution from rows, with their errors.

The covariance of maximum-likelihood estimates is ``I^-1 / S``, I the Fisher information of one row and S the
sum of the weights (van der Vaart, Asymptotic Statistics, 1998, chapter 5).  Where the rows do not follow the
law, they scatter as ``J^-1 K J^-1 / S`` instead, K the covariance of the scores of the rows (White,
Econometrica 50, 1982).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from scipy.special import expit, logit, ndtri

from empirisk.data.sums import weighted_sum
from empirisk.data.tabular import Tabular, estimate_columns
from empirisk.distributions.base import Distribution, Observations
from empirisk.distributions.parameters import within_floats
from empirisk.distributions.rows import read_rows
from empirisk.results import Certificate, Estimate
from empirisk.results.estimate import check_level
from empirisk.typing import Array, Interval

__all__ = ["LIKELIEST", "DistributionFit", "covariance_of", "family_of", "fit_mle", "fitted", "intervals"]

LIKELIEST = "maximum likelihood"  # how a fit of fit_mle says that it was made
# What laws are called elsewhere, and where the covariance behind an interval comes from.
_OTHER_NAMES = {
    "normal": "gaussian",
    "norm": "gaussian",
    "student": "student_t",
    "t": "student_t",
    "cauchy": "student_t",
    "nbinom": "negative_binomial",
    "multivariate_normal": "multivariate_gaussian",
    "expon": "exponential",
}
_KINDS = {"model": "law taken for true", "robust": "sandwich", "moments": "moments of the rows"}


@dataclass(frozen=True, repr=False)
class DistributionFit(Tabular):
    """A law that was fitted to rows, with the errors of its parameters.

    Parameters
    ----------
    distribution : Distribution
        The law, with the estimates as its parameters.
    estimates : dict of Estimate
        Each parameter that was estimated, with its interval.
    covariance : array, shape (k, k)
        Of the errors of these, in their order.
    log_likelihood : float
        Sum of the weights times ``log_prob``.
    n : float
        Sum of the weights.
    certificate : Certificate
        How far the likelihood can be from the largest one.
    method : str
        How the law was found.
    posterior : Distribution or None
        The law of the parameters after the rows, where there was a prior.
    """

    distribution: Any
    estimates: dict[str, Estimate]
    covariance: Array
    log_likelihood: float
    n: float
    certificate: Certificate
    method: str
    posterior: Any = None

    @property
    def standard_errors(self) -> Array:
        """Square roots of the diagonal of the covariance, in the order of the estimates."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def title(self) -> str:
        """The law, the method, and how many rows there were."""
        return f"{self.distribution.title}, {self.method}, {self.n:,.6g} rows"

    def _shown(self) -> dict[str, list[Any]]:
        return {
            "parameter": list(self.estimates),
            "estimate": list(self.estimates.values()),
            "standard error": [float(e) for e in self.standard_errors],
        }

    def _columns(self) -> dict[str, list[Any]]:
        values = list(self.estimates.values())
        return {
            "parameter": list(self.estimates),
            **estimate_columns(values),
            "standard_error": [float(e) for e in self.standard_errors],
        }

    def _notes(self) -> list[str]:
        return [f"Log-likelihood {self.log_likelihood:.6g}.", f"Certificate: {self.certificate.claim}."]


def fit_mle(
    family: Any,
    x: Any,
    *,
    sample_weight: Any = None,
    level: float = 0.95,
    covariance: str = "model",
    **structure: Any,
) -> DistributionFit:
    """Fit a law by maximum likelihood: ``max sum_i s_i log p(x_i; theta)``.

    Parameters
    ----------
    family : class or name of a distribution
        For example ``er.distributions.Gamma`` or ``"gamma"``.
    x : array, memory map, series, list or frame of shape (n,) or (n, d), or RowBlocks
        Independent rows.  They are read in blocks: a memory map gives the same bits as an array.
    sample_weight : array, shape (n,), optional
        How often each row counts, >= 0; all once when left out.
    level : float in (0, 1), default 0.95
        Of the intervals: exact ones where there are some (chances of Bernoulli and binomial laws, rates, a
        Gaussian mean and variance, the ends of a uniform law), else normal ones on a scale on which the
        domain of a parameter is the whole line.
    covariance : {"model", "robust"}, default "model"
        "model" takes the law for true; "robust" is White's sandwich, which one more pass over the rows sums
        up.
    **structure
        Parameters that are known beforehand, such as the number of trials n of a binomial law.

    Returns
    -------
    DistributionFit

    Raises
    ------
    ValueError
        Rows outside of the support, by row; rows whose likelihood has no maximum.

    Examples
    --------
    >>> from empirisk.distributions import Gamma
    >>> fit_mle("gamma", Gamma(2.0, 3.0).sample(1000, 1)).estimates["shape"].value.__round__(2)
    2.03
    """
    law = family_of(family, structure, columns_of(x))
    rows = read_rows(law, x, sample_weight)
    with within_floats(law.title):
        found = law.maximise(rows)
    member = found.distribution
    matrix = covariance_of(member, rows, covariance)
    bands = intervals(member, matrix, rows.total, level, covariance)
    return fitted(member, rows, bands, matrix, found.certificate, LIKELIEST, likelihood=found.log_likelihood)


def fitted(
    member: Distribution,
    rows: Observations,
    estimates: dict[str, Estimate],
    matrix: Array,
    certificate: Certificate,
    method: str,
    posterior: Any = None,
    likelihood: float | None = None,
) -> DistributionFit:
    """Return the result of a fit; a likelihood that is not known costs one more pass over the rows."""
    if likelihood is None:
        likelihood = float(rows.map_sum(lambda r, s: weighted_sum(s, member.log_prob(r))))
    return DistributionFit(member, estimates, matrix, likelihood, rows.total, certificate, method, posterior)


def columns_of(x: Any) -> int:
    """Return of how many columns the rows are, 1 for plain numbers."""
    if hasattr(x, "map_sum"):
        return int(x.n_cols)
    shape = np.shape(x)
    return int(shape[1]) if len(shape) > 1 else 1


def family_of(family: Any, structure: dict[str, Any], columns: int = 1) -> Distribution:
    """Return some member of a family, with the structure that was given; a name is looked up."""
    from empirisk.distributions.registry import REGISTRY

    if isinstance(family, Distribution) and not structure:
        return family

    row = REGISTRY.get(family) if isinstance(family, str) else family
    if row is None or not (isinstance(row, type) and issubclass(row, Distribution)):
        raise ValueError(
            f"family must be a class of distributions or one of {sorted(REGISTRY)}, got {family!r}"
            + _nearest(family, list(REGISTRY))
        )
    if not row.by_name and not structure:
        raise TypeError(
            f"the {row.name} law is a family of your own: give a member, such as er.ExponentialFamily(h, "
            "phi, eta=...), in place of its name"
        )
    extra = sorted(set(structure) - set(row.structure))
    lacking = sorted(set(row.structure) - set(structure))
    if extra:
        told = f"is told {list(row.structure)} and nothing else" if row.structure else "is told no parameter"
        raise TypeError(f"{extra[0]!r} is estimated or unknown: a fit of the {row.name} law {told}")
    if lacking:
        raise TypeError(
            f"the {row.name} law needs {lacking[0]}=, which rows do not tell: give it beside them"
        )
    found: Distribution = row.member(columns, **structure)
    return found


def _nearest(name: Any, known: list[str]) -> str:
    """Return a question for the name that was meant, or nothing where none is near."""
    if not isinstance(name, str):
        return ""
    plain = name.strip().lower().replace(" ", "_").replace("-", "_")
    near = get_close_matches(_OTHER_NAMES.get(plain, plain), known, 1, 0.7)
    return f"; did you mean {near[0]!r}?" if near else ""


def covariance_of(member: Distribution, rows: Observations, kind: str) -> Array:
    """Return the covariance of the estimates, by the law alone or by the scores of the rows."""
    if kind not in ("model", "robust"):
        raise ValueError(f"covariance must be 'model' or 'robust', got {kind!r}")
    if kind == "model":
        return member.estimate_covariance(rows.total)
    if not member.regular:
        raise ValueError(
            f"covariance='robust' needs derivatives in the parameters, and the support of the {member.title} "
            "moves with them; use 'model'"
        )
    bread = member.inverse_information()

    def outer(r: Array, s: Array) -> Array:
        score = member.score(r)
        return np.asarray(np.einsum("i,ij,ik->jk", s, score, score))

    middle: Array = rows.map_sum(outer)
    return np.asarray(bread @ middle @ bread / rows.total**2)


def intervals(member: Distribution, matrix: Array, n: float, level: float, kind: str) -> dict[str, Estimate]:
    """Return the parameters with intervals: normal on a scale on which their domain is the whole line."""
    check_level(level)
    z = float(-ndtri(0.5 * (1.0 - level)))
    exact = member.exact_intervals(n, level) if kind == "model" else {}
    out = {}
    for (name, (value, domain)), variance in zip(member.coordinates.items(), np.diag(matrix), strict=True):
        if name in exact:
            low, high, how = exact[name]
            out[name] = Estimate(value, low, high, level, int(n), f"exact ({how})")
            continue
        if not domain.low < value < domain.high:
            why = (
                f"the estimate lies at the border of {domain}, where a normal interval has no width; fit_mle "
                "with covariance='model' gives an exact one"
            )
            out[name] = Estimate(value, None, None, level, int(n), "normal", why)
            continue
        if not 0.0 < variance < math.inf:
            why = f"the variance of its error, {variance:g}, is beyond what floats hold; change the unit of x"
            out[name] = Estimate(value, None, None, level, int(n), "normal", why)
            continue
        low, high, scale = ends(value, math.sqrt(variance), domain, z)
        method = f"normal on the {scale}, {_KINDS[kind]}"
        out[name] = Estimate(value, low, high, level, int(n), method)
    return out


def ends(value: float, error: float, domain: Interval, z: float) -> tuple[float, float, str]:
    """Return both ends of an interval, and on which scale of the parameter it is symmetric."""
    if math.isfinite(domain.low) and math.isfinite(domain.high):
        width = domain.high - domain.low
        share = (value - domain.low) / width
        half = z * error / (width * share * (1.0 - share))
        at = float(logit(share))
        low, high = (domain.low + width * float(expit(at + s * half)) for s in (-1.0, 1.0))
        return low, high, "log odds"
    if math.isfinite(domain.low):
        gap = value - domain.low
        half = z * error / gap
        with np.errstate(over="ignore"):
            return domain.low + gap * math.exp(-half), float(domain.low + gap * np.exp(half)), "logarithm"
    return value - z * error, value + z * error, "line"
