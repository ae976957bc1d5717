"""Student's t distribution with location and scale: a Gaussian whose variance varies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import polygamma, stdtr

from empirisk.data.seeds import Seed, generator_of
from empirisk.data.sums import weighted_sum
from empirisk.distributions.adaptive import resolve
from empirisk.distributions.base import (
    LINE,
    POSITIVE,
    Distribution,
    Fitted,
    Observations,
    check_between,
    check_held,
    numbers,
)
from empirisk.distributions.quadrature import REACH, Support
from empirisk.distributions.stirling import deviance, digamma_gap, digamma_rest_gap, log_gamma_gap
from empirisk.results import Certificate, Kind
from empirisk.typing import Array, Interval

__all__ = ["StudentT"]

# More steps than rows of any shape have needed; beyond so many degrees of freedom the law is a Gaussian one.
_STEPS, _GAUSSIAN = 2000, 1e6
# The gradient at the end, in standard deviations of the score, and the least mean square of rows.
_STATIONARY, _LEAST = 1e-6, 1e-300
# The information of f cancels to the order 1 / f^4; from 100 on it is this series in 1 / f.
_SERIES = 100.0
_OF_DF = (3.5, -13.0, 39.5, -119.0, 363.5, -1101.0, 3279.5, -9763.0, 29523.5, -89609.0)


@dataclass(frozen=True, eq=False)
class StudentT(Distribution):
    """``p(x) = Gamma((f + 1) / 2) / (Gamma(f / 2) sqrt(pi f) s) (1 + z^2 / f)^(-(f + 1) / 2)``.

    Here ``z = (x - m) / s``.

    Parameters
    ----------
    df : float, default 1.0
        The degrees of freedom f, above 0; 1 is Cauchy's law.
    location : float, default 0.0
        The centre m; the mean where f > 1.
    scale : float, default 1.0
        The scale s, above 0; the variance is ``s^2 f / (f - 2)`` where f > 2.

    Examples
    --------
    >>> StudentT(3.0).log_prob([0.0]).round(4)
    array([-1.0009])
    """

    df: float = 1.0
    location: float = 0.0
    scale: float = 1.0

    name = "student_t"
    located = True
    orders = (2, 4)
    unsure_by_moments: ClassVar[dict[str, str]] = dict.fromkeys(
        ("df", "scale"),
        "the fourth moment of the rows has a finite variance above 8 degrees of freedom only, which the rows "
        "cannot show; fit_mle gives an interval",
    )
    domains: ClassVar[dict[str, Interval]] = {"df": POSITIVE, "location": LINE, "scale": POSITIVE}

    def __post_init__(self) -> None:
        check_between(self.name, "df", self.df, POSITIVE)
        check_between(self.name, "location", self.location, LINE)
        check_between(self.name, "scale", self.scale, POSITIVE)

    def _log_norm(self) -> float:
        """The logarithm of the density at the centre."""
        f = self.df
        return float(log_gamma_gap(0.5 * f, 0.5)) - 0.5 * math.log(math.pi * f) - math.log(self.scale)

    def log_prob(self, x: Any) -> Array:
        """Return the logarithm of the density of each row."""
        z = (numbers(x) - self.location) / self.scale
        return np.asarray(self._log_norm() - 0.5 * (self.df + 1.0) * np.log1p(z * z / self.df))

    def score(self, x: Any) -> Array:
        """Return the derivatives in f, m and s."""
        f, s = self.df, self.scale
        z = (numbers(x) - self.location) / s
        weight = (f + 1.0) / (f + z * z)
        pull = weight * z * z - 1.0
        # psi((f + 1) / 2) - psi(f / 2) - log(1 + t) + pull / f with t = z^2 / f, of which 1 / f and t cancel.
        t = z * z / f
        shape = digamma_rest_gap(0.5 * f, 0.5) - deviance(1.0, 1.0 + 1.0 / f, -1.0 / f)
        shape = shape - deviance(1.0, 1.0 / (1.0 + t), t / (1.0 + t)) + t / (1.0 + t) / f
        return np.column_stack([0.5 * shape, weight * z / s, pull / s])

    def fisher_information(self) -> Array:
        """Return the information of f, m and s; m is uncorrelated with the two others."""
        f, s = self.df, self.scale
        if f < _SERIES:
            of_f = 0.25 * float(polygamma(1, 0.5 * f) - polygamma(1, 0.5 * (f + 1.0)))
            of_f -= 0.5 * (f + 5.0) / (f * (f + 1.0) * (f + 3.0))
        else:
            of_f = float(np.polynomial.polynomial.polyval(1.0 / f, _OF_DF)) / f / f / f / f
        cross = -2.0 / (f + 1.0) / (f + 3.0) / s
        of_m, of_s = (f + 1.0) / (f + 3.0) / s / s, 2.0 * f / (f + 3.0) / s / s
        return np.array([[of_f, 0.0, cross], [0.0, of_m, 0.0], [cross, 0.0, of_s]])

    def inverse_information(self) -> Array:
        """Return the inverse of the Fisher information, in units of the scale."""
        f, s = float(self.df), float(self.scale)
        F = self.with_parameters(location=0.0, scale=1.0).fisher_information()
        of_f, cross, of_s = float(F[0, 0]), float(F[0, 2]), float(F[2, 2])
        rest = of_f * of_s - cross * cross
        corner, of_m = -cross / rest * s, (f + 3.0) / (f + 1.0) * s * s
        return np.array([[of_s / rest, 0.0, corner], [0.0, of_m, 0.0], [corner, 0.0, of_f / rest * s * s]])

    def maximise(self, data: Observations) -> Fitted:
        """Return a member where the likelihood is stationary, by Fisher's scoring on log f, m and log s.

        Each step is one sum over the rows, halved until the likelihood grows.  Near ``f = s = 0`` the
        likelihood of any rows grows without bounds; the start is far from there.
        """
        rows, origin = data.centred()
        squares = float(rows.map_sum(lambda x, s: weighted_sum(s, x * x))) / rows.total
        check_held(squares)
        if not squares > _LEAST:
            raise ValueError(
                "all rows of x are the same number, or differ by less than 1e-150, whose square floats do "
                "not hold: the scale would be 0 and the likelihood has no maximum; look at where x comes "
                "from, or change its unit"
            )
        law = self.with_parameters(df=5.0, location=0.0, scale=math.sqrt(squares))
        value, slope = _value_and_slope(law, rows)
        left = math.inf
        for _ in range(_STEPS):
            left, step = _step(law, slope)
            if left <= 1e-13:
                break
            law, value, slope, moved = _climb(law, rows, value, slope, step)
            if not moved:
                break
            if law.df > _GAUSSIAN:
                raise ValueError(
                    "the rows of x have no heavier tails than a Gaussian: the likelihood grows with the "
                    "degrees of freedom and has no maximum; fit er.distributions.Gaussian"
                )
        _check_ties(law, rows, left, math.sqrt(squares))
        claim = (
            f"the gradient of the mean log-likelihood is {left:.1g} standard deviations long, a stationary "
            "point; the likelihood has no bound where degrees of freedom and scale both fall to 0"
        )
        return Fitted(law.shifted(origin), Certificate(Kind.STATIONARITY, left, 1.0, claim))

    def matched(self, mean: Any, variance: Any, fourth: Any = None) -> Self:
        """Return the law with this mean, variance and fourth central moment.

        ``f = 4 + 6 / k``, k the excess kurtosis, which must be above 0.
        """
        excess = math.inf if fourth is None else float(fourth) / float(variance) ** 2 - 3.0
        if not 0.0 < excess < math.inf:
            raise ValueError(
                f"Student's law has an excess kurtosis above 0, and here it is {excess:.4g}; give the fourth "
                "moment of rows with heavier tails, or fit er.distributions.Gaussian"
            )
        f = 4.0 + 6.0 / excess
        scale = math.sqrt(float(variance) * (f - 2.0) / f)
        return self.with_parameters(df=f, location=float(mean), scale=scale)

    def sample(self, size: int, random_state: Seed = None) -> Array:
        """Return independent draws of this law, from a seed."""
        return self.location + self.scale * generator_of(random_state).standard_t(self.df, size)

    def moments(self) -> tuple[float, float]:
        """Return m (NaN for f <= 1) and ``s^2 f / (f - 2)`` (infinite for f <= 2)."""
        f = self.df
        variance = self.scale * self.scale * (f / (f - 2.0)) if f > 2.0 else math.inf
        return float(self.location) if f > 1.0 else math.nan, variance

    @property
    def moment_order(self) -> float:
        """The degrees of freedom: moments of lower orders are finite."""
        return float(self.df)

    def cdf(self, x: Any) -> Array:
        """Return the chance of a draw of at most x."""
        return np.asarray(stdtr(self.df, (numbers(x) - self.location) / self.scale))

    def frozen(self) -> Any:
        """Return ``scipy.stats.t`` with these parameters, which is the same law in SciPy."""
        from scipy import stats

        return stats.t(self.df, self.location, self.scale)

    def entropy(self) -> float:
        """Return ``(f + 1) / 2 (psi((f + 1) / 2) - psi(f / 2)) - log p(m)``, the entropy of the law
        in nats.
        """
        f = self.df
        return float(0.5 * (f + 1.0) * digamma_gap(0.5 * f, 0.5)) - self._log_norm()

    def kl(self, other: StudentT) -> float:
        """Return the divergence by quadrature: there is no closed form."""
        place = Support(Interval(), self.location, self.scale)

        def terms(x: Array) -> tuple[Array, Array]:
            log = self.log_prob(x)
            return log, (log - other.log_prob(x))[:, None]

        grid = resolve(terms, place)
        within = float(grid.mass @ terms(grid.x)[1][:, 0])
        # Beyond the nodes log p - log q is a line in log |x|, which has an exponential law there.
        last = place.place(np.array([-REACH, REACH]))
        beyond = 2.0 * float(stdtr(self.df, -math.sinh(REACH)))
        outside = float(terms(last)[1].mean()) + (other.df - self.df) / self.df
        whole = (1.0 - beyond) * within + beyond * outside
        return 0.0 if -1e-12 < whole < 0.0 else whole  # rounding

    def shifted(self, by: Any) -> Self:
        """Return the law with the centre m + by."""
        return self.with_parameters(location=float(self.location + by))


def _check_ties(law: StudentT, rows: Observations, left: float, spread: float) -> None:
    """Refuse a law that shrinks to rows which are the same number, about which the likelihood has no bound.

    With a weight t of S there, it grows like ``(S - t) f - t`` times the logarithm of the falling scale.
    """
    at = float(law.location)
    tied = float(rows.map_sum(lambda x, w: w[np.abs(x - at) <= 1e-9 * spread].sum()))
    if left <= _STATIONARY and not (tied > 1.0 and law.df * (rows.total - tied) <= tied):
        return
    cause = (
        f"{tied:g} of {rows.total:g} rows of x are the same number, and about it"
        if tied > 1.0
        else f"the search ended {left:.1g} standard deviations from a stationary point, and about any row"
    )
    raise ValueError(
        f"{cause} the likelihood grows without bound as scale and degrees of freedom fall to 0: Student's "
        "law has no likeliest member here; take rounded or repeated rows apart, or fit another law"
    )


def _value_and_slope(law: StudentT, rows: Observations) -> tuple[float, Array]:
    """The mean log-likelihood and its derivatives in log f, m and log s."""
    value, slope = rows.map_sum(
        lambda x, w: (weighted_sum(w, law.log_prob(x)), weighted_sum(w, law.score(x)))
    )
    return float(value) / rows.total, slope / rows.total * np.array([law.df, 1.0, law.scale])


def _step(law: StudentT, slope: Array) -> tuple[float, Array]:
    """The length of the gradient in standard deviations of the score, and the step of Fisher's scoring."""
    turn = np.array([law.df, 1.0, law.scale])
    information = law.fisher_information() * np.outer(turn, turn)
    step = np.linalg.solve(information, slope)
    return math.sqrt(max(0.0, float(slope @ step))), step


def _climb(
    law: StudentT, rows: Observations, value: float, slope: Array, step: Array
) -> tuple[StudentT, float, Array, bool]:
    """Go along a step that is halved until the likelihood grows, and say whether it did."""
    step = step / max(1.0, abs(step[0]), abs(step[2]))
    scale = 1.0
    while scale > 1e-12:
        new = law.with_parameters(
            df=law.df * math.exp(scale * step[0]),
            location=law.location + scale * float(step[1]),
            scale=law.scale * math.exp(scale * step[2]),
        )
        reached, turned = _value_and_slope(new, rows)
        # Near the top values differ by rounding alone; there the gradient decides.
        if reached > value or (
            reached >= value - 1e-14 * abs(value) and _step(new, turned)[0] < _step(law, slope)[0]
        ):
            return new, reached, turned, True
        scale *= 0.5
    return law, value, slope, False
