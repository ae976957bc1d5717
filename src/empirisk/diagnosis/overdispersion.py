"""ER218: do the counts vary more around a Poisson regression than Poisson counts do?

Dean and Lawless, Journal of the American Statistical Association 84 (1989).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from empirisk.diagnosis.answer import Answer, NotRun, Outcome
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.model_parts import family_of, last_step
from empirisk.results import Estimate
from empirisk.typing import Array
from empirisk.wording import number, p_value

__all__ = ["CODE", "Dispersion", "dispersion_test", "overdispersion"]

CODE = "ER218"
_FEWEST = 30  # rows; with fewer the test is not run
MATTERS = 1.2  # a variance of 1.2 times the mean makes standard errors 10 % too short
_SIMULATED, _DRAWS, _CELLS = 5_000, 1_999, 200_000  # rows up to which, times, numbers at once


@dataclass(frozen=True)
class Dispersion:
    """How counts vary around fitted means.

    Parameters
    ----------
    p : float
        One-sided, null: the variance is the mean.
    ratio : Estimate
        ``sum (y-m)^2/m / (n - q)``: variance over mean (quasi-Poisson).
    negative_binomial : float
        ``sum ((y-m)^2 - y) / sum m^2``: a of the variance ``m + a m^2``.
    """

    p: float
    ratio: Estimate
    negative_binomial: float


def dispersion_test(y: Array, mean: Array, parameters: int, rng: np.random.Generator) -> Dispersion:
    """Return the score test of Poisson against larger variances, ``sum ((y-m)^2 - y)``.

    Up to 5000 rows its law is simulated with the fitted means, beyond it is normal with variance
    ``2 sum m^2``. Means that were fitted to the same rows lie too close to them, so that the test errs
    towards silence.

    Parameters
    ----------
    y : array of shape (n,)
        Counts.
    mean : array of shape (n,)
        Fitted means, positive.
    parameters : int
        Numbers that were fitted.
    rng : numpy.random.Generator

    References
    ----------
    Dean & Lawless 1989 (JASA 84); Cameron & Trivedi 1990 (J. Econometrics 46).
    """
    n = y.size
    excess = float(_excess(y, mean))
    if n <= _SIMULATED:
        block = max(1, _CELLS // n)
        sizes = [min(block, _DRAWS - at) for at in range(0, _DRAWS, block)]
        draws = np.concatenate([_excess(rng.poisson(mean, (k, n)).astype(np.float64), mean) for k in sizes])
        p = (1.0 + float(np.count_nonzero(draws >= excess))) / (1.0 + _DRAWS)
    else:
        p = float(stats.norm.sf(excess / math.sqrt(2.0 * float(mean @ mean))))
    pearson = (y - mean) ** 2 / mean * (n / max(1, n - parameters))
    half = 1.96 * float(pearson.std(ddof=1)) / math.sqrt(n)
    value = float(pearson.mean())
    ratio = Estimate(value, value - half, value + half, 0.95, n, "Pearson statistic, normal interval")
    return Dispersion(p, ratio, max(0.0, excess / float(mean @ mean)))


def _excess(y: Array, mean: Array) -> Array:
    return np.asarray(np.sum((y - mean) ** 2 - y, axis=-1))


def overdispersion(ctx: Context) -> Answer:
    """Null: around the model's means the counts are Poisson.

    :func:`dispersion_test` on the model fitted to all rows.  CLEAR when the variance is below 1.2 times the
    mean with 95 % confidence.
    """
    y, mean, q = _counts(ctx)
    found = dispersion_test(y, mean, q, np.random.default_rng(ctx.seed))
    ratio, longer = found.ratio, math.sqrt(max(1.0, found.ratio.value))
    low, high = (ratio.value if end is None else end for end in (ratio.low, ratio.high))
    evidence = (
        f"variance {number(ratio.value)} [{number(low)}, {number(high)}] times the mean on "
        f"{y.size:,} rows, {p_value(found.p)} (score test); as a negative binomial, variance m + "
        f"{number(found.negative_binomial, 2)} m^2"
    )
    if found.p <= ctx.level and ratio.value > 1.0:
        sentence = (
            f"The counts vary {number(ratio.value, 2)} times as much around the model's means as Poisson "
            "counts do (over-dispersion): the predicted means stand, but Poisson standard errors are "
            f"{number(longer, 2)} times too short, and so are the ranges of single counts."
        )
        advice = (
            f"Multiply Poisson standard errors by {number(longer, 2)} (quasi-Poisson) or use robust ones; "
            "for probabilities of counts fit a negative binomial of variance m + "
            f"{number(found.negative_binomial, 2)} m^2; look for a missing column or rows that belong "
            "together: they look the same."
        )
        return Answer(CODE, Outcome.FIRES, sentence, found.p, evidence=evidence, advice=advice)
    if ratio.high is not None and ratio.high < MATTERS:
        sentence = (
            f"The counts vary around the model's means as Poisson counts do (less than {MATTERS:g} times)."
        )
        return Answer(CODE, Outcome.CLEAR, sentence, found.p, evidence=evidence)
    sentence = (
        f"Whether the counts vary {MATTERS:g} times as much as Poisson counts cannot be told from {y.size:,} "
        f"rows (variance {number(ratio.value, 2)} [{number(low, 2)}, {number(high, 2)}] times "
        "the mean)."
    )
    return Answer(CODE, Outcome.CANNOT_TELL, sentence, found.p, evidence=evidence)


def _counts(ctx: Context) -> tuple[Array, Array, int]:
    """Return the counts, fitted means and the number of parameters; NotRun for everything but a Poisson
    regression.
    """
    if family_of(ctx.est) != "poisson":
        raise NotRun("the model is not a Poisson regression")
    if ctx.n < _FEWEST:
        raise NotRun(f"{ctx.n} rows are fewer than {_FEWEST}")
    ctx.count_rows_once("the test of the variance around the means")
    if ctx.groups is not None:
        raise NotRun("rows of one group depend on each other, which looks like over-dispersion")
    y = np.asarray(ctx.oof.y, dtype=np.float64)
    if np.mod(y, 1.0).any():
        raise NotRun("the target holds numbers that are not whole: rates or amounts, not counts")
    model = ctx.refit()
    mean = ctx.asked(model)
    if not (mean > 0.0).all():
        raise NotRun("the model predicts a mean of 0 for some row")
    return y, mean, 1 + int(np.count_nonzero(last_step(model).coef_))
