"""Whether rows look like draws of a fitted law: a distance of distributions and its parametric bootstrap.

For densities the statistic is that of Anderson and Darling, for counts Pearson's over pooled cells.  Fitted
parameters make both smaller than tables for known laws say, so that their law is simulated: rows are drawn
from the fitted law and fitted again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.brief import Brief
from empirisk.data.seeds import Seed, generator_of
from empirisk.distributions.base import Distribution
from empirisk.distributions.exact import check_whole, clopper_pearson
from empirisk.distributions.fit import LIKELIEST, DistributionFit, columns_of, family_of
from empirisk.distributions.parameters import within_floats
from empirisk.distributions.rows import read_rows
from empirisk.distributions.uniformity import anderson_darling
from empirisk.results import Estimate
from empirisk.results.estimate import check_level
from empirisk.typing import Array

__all__ = ["GoodnessOfFit", "goodness_of_fit"]

# Fewest expected rows of a cell, so that squares are nearly chi-square.
_CELL = 5.0
# The level of the verdict, and the fewest simulated samples: with 19 the least p-value is 5 %.
_LEVEL, _FEWEST = 0.05, 19
# Samples that are drawn for one that has a likeliest law, at most.
_TRIES = 20


@dataclass(frozen=True, repr=False)
class GoodnessOfFit(Brief):
    """What the comparison of rows with a fitted law found.

    Parameters
    ----------
    law : Distribution
        The law that was fitted to the rows.
    statistic : float
        The distance between rows and law.
    name : str
        Which one.
    p_value : Estimate
        The chance of such a distance when the law is true, with its Monte-Carlo interval.
    n : int
        Number of rows.
    lost : int, default 0
        Simulated samples whose likelihood had no maximum: others were drawn in their place.
    why : str, default ""
        What was wrong with most of these.
    """

    law: Any
    statistic: float
    name: str
    p_value: Estimate
    n: int
    lost: int = 0
    why: str = ""

    @property
    def verdict(self) -> str:
        """What follows at the level 5 %: the law is rejected where ``p_value.value <= 0.05``.

        The simulated samples are draws like the rows where the law is true, so that ``(1 + b)/(n + 1)``, b
        of n at least as far, is at most 0.05 with a chance of 5 % or less for any n: the p-value needs no
        interval for that.
        """
        if self.p_value.value <= _LEVEL:
            law = self.law.title
            return f"The rows do not follow the {law}: do not trust intervals that take it for true."
        return f"No departure from the {self.law.title} is shown by {self.n} rows."

    def __str__(self) -> str:
        told = f"{self.name} {self.statistic:.4g}, p = {self.p_value}. {self.verdict}"
        return f"{told} {_of_lost(self.lost, self.why)}" if self.lost else told


def goodness_of_fit(
    family: Any,
    x: Any,
    *,
    n_resamples: int = 199,
    level: float = 0.95,
    random_state: Seed = 0,
    **structure: Any,
) -> GoodnessOfFit:
    """Fit a law by maximum likelihood and compare the rows with it.

    Parameters
    ----------
    family : class, member or name of a distribution, or what :func:`fit_mle` returned
        A law of one number, or of several with a ``discrepancy`` (multinomial, Dirichlet, Gaussian).  The fit
        is made anew on x, and on every simulated sample, which corrects for the estimated parameters.
    x : array, series or list, shape (n,), or (n, d) for laws of d numbers
        Independent rows, each counting once; at least 10.
    n_resamples : int, default 199
        Simulated samples of n rows, each of which is fitted again; at least 19, with which the least p-value
        is 5 %.  Those without a likeliest law are replaced, since the rows have one, as long as one in 20 is
        fitted.
    level : float in (0, 1), default 0.95
        Of the Monte-Carlo interval of the p-value (Clopper and Pearson).
    random_state : int, Generator or RandomState, default 0
        Seed.
    **structure
        Parameters that are known beforehand.

    Returns
    -------
    GoodnessOfFit
        ``.statistic``, ``.p_value``, ``.verdict``.

    Raises
    ------
    ValueError
        Laws of several numbers without a discrepancy; fits by another method than maximum likelihood; row
        weights, because a bootstrap draws rows that count once; fewer than 10 rows; counts whose cells are
        all fitted; a law of which fewer than one sample in 20 has a likelihood with a maximum.

    Notes
    -----
    The cost is n_resamples fits.  A test that does not reject says little for few rows.

    Examples
    --------
    >>> from empirisk.distributions import Laplace
    >>> found = goodness_of_fit("gaussian", Laplace().sample(300, 1), n_resamples=99)
    >>> found.verdict
    'The rows do not follow the gaussian distribution: do not trust intervals that take it for true.'
    """
    law = family_of(law_of(family), structure, columns_of(x))
    check_level(level)
    check_whole("n_resamples", n_resamples, _FEWEST)
    rows = read_rows(law, x)
    values, weight = rows.gathered()
    if (weight != 1.0).any():
        raise ValueError("the row blocks have weights, and a comparison with a law takes each row once")
    if len(values) < 10:
        raise ValueError(f"x has {len(values)} rows, and a comparison with a law needs 10 at least")
    with within_floats(law.title):
        member = law.maximise(rows).distribution
    free = round(float(np.trace(member.tangent)))
    if member.discrete and not member.dimension and len(cells_of(member, len(values))) <= free:
        raise ValueError(
            f"the rows of x fill {len(cells_of(member, len(values))) + 1} cells with 5 expected rows each, "
            f"which the {law.title} with {free} free parameters always fits: nothing can be compared"
        )
    seen, name = distance(member, values)
    rng = generator_of(random_state)
    above = done = 0
    lost: Counter[str] = Counter()
    while done < n_resamples:
        again = member.sample(len(values), rng)
        try:
            refitted = law.maximise(read_rows(law, again)).distribution
        except ValueError as error:  # a sample without a maximum, such as one number only
            lost[str(error)] += 1
            if lost.total() >= _TRIES * n_resamples:
                raise ValueError(
                    f"{_of_lost(lost.total(), most_of(lost))} Only {done} of {n_resamples} samples are left, "
                    "too few for a p-value; give more rows, or another law"
                ) from None
            continue
        done += 1
        above += distance(refitted, again)[0] >= seen
    low, high = clopper_pearson(above, done, level)
    p = Estimate((above + 1.0) / (done + 1.0), low, high, level, done, "parametric bootstrap")
    return GoodnessOfFit(member, seen, name, p, len(values), lost.total(), most_of(lost))


def most_of(errors: Counter[str]) -> str:
    """Return what the most frequent of the errors says is wrong, or nothing where there are none."""
    return errors.most_common(1)[0][0].partition(";")[0] if errors else ""


def _of_lost(lost: int, why: str) -> str:
    """Return the sentence about simulated samples that were replaced."""
    many = "1 more simulated sample" if lost == 1 else f"{lost} more simulated samples"
    return f"{many} had no likeliest law and did not count: {why}."


def law_of(family: Any) -> Any:
    """Return the law of a fit by maximum likelihood; what is no fit is returned as it is."""
    if not isinstance(family, DistributionFit):
        return family
    if family.method != LIKELIEST:
        raise ValueError(
            f"family was fitted by the {family.method}, and goodness_of_fit fits by {LIKELIEST}: give its "
            "law, fit.distribution, or the result of fit_mle"
        )
    return family.distribution


def distance(law: Distribution, values: Array) -> tuple[float, str]:
    """Return how far rows are from a law, and what the distance is called."""
    if law.dimension:
        return law.discrepancy(values)
    if law.discrete:
        return pearson(law, values), "Pearson's chi-square over pooled cells"
    return anderson_darling(law.cdf(values)), "Anderson-Darling"


def pearson(law: Distribution, values: Array) -> float:
    """Return ``sum (seen - expected)^2 / expected`` over cells of neighbouring counts."""
    edges = cells_of(law, len(values))
    reached = np.concatenate([[0.0], law.cdf(edges), [1.0]]) if len(edges) else np.array([0.0, 1.0])
    expected = len(values) * np.diff(reached)
    seen = np.bincount(np.searchsorted(edges, values, side="left"), minlength=len(expected))
    return float(((seen - expected) ** 2 / expected).sum())


def cells_of(law: Distribution, n: int) -> Array:
    """Return the last counts of all cells but the last: each has 5 expected rows at least.

    For many rows cells are larger, about ``2 n^(2/5)`` of them, so that the statistic does not drown.
    """
    share = max(_CELL, 0.5 * n**0.6) / n
    candidates = np.unique(law.quantile(share * np.arange(1.0, np.floor(1.0 / share))))
    edges: list[float] = []
    last = 0.0
    for edge, reached in zip(candidates, law.cdf(candidates), strict=True):
        if reached - last >= share and 1.0 - reached >= share:
            edges.append(float(edge))
            last = float(reached)
    return np.array(edges)
