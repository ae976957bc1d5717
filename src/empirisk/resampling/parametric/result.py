"""What estimators_risk returns: risks over the parameters, the largest, and who is better where."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from empirisk.data.brief import Brief
from empirisk.data.tabular import Tabular, estimate_columns
from empirisk.evaluation.intervals.base import Floats, normal_quantile
from empirisk.resampling.parametric.simulate import Errors
from empirisk.results import Estimate

__all__ = ["EstimatorsRisk", "RiskComparison"]


@dataclass(frozen=True, repr=False)
class RiskComparison(Brief):
    """Risk of one estimator less that of another at every parameter, on the same samples.

    Parameters
    ----------
    first, second : str
        Names of the estimators.
    differences : tuple of Estimate
        ``R(first) - R(second)``; the intervals hold together for all parameters (Bonferroni).
    """

    first: str
    second: str
    differences: tuple[Estimate, ...]

    @property
    def better(self) -> int:
        """At how many parameters the first is shown to have the smaller risk."""
        return sum((d.high is not None and d.high < 0.0) or d.value == -math.inf for d in self.differences)

    @property
    def worse(self) -> int:
        """At how many parameters the second is."""
        return sum((d.low is not None and d.low > 0.0) or d.value == math.inf for d in self.differences)

    @property
    def verdict(self) -> str:
        """One sentence; "dominates" is about the parameters that were tried."""
        m = len(self.differences)
        if all(d.low == d.high == 0.0 for d in self.differences):
            return f"{self.first} and {self.second} make the same errors."
        if self.better and self.worse:
            return (
                f"The risks of {self.first} and {self.second} cross: {self.first} is better at "
                f"{self.better}, worse at {self.worse} of {m} parameters."
            )
        if not (self.better or self.worse):
            return f"No difference between {self.first} and {self.second} is shown."
        winner, loser = (self.first, self.second) if self.better else (self.second, self.first)
        count = max(self.better, self.worse)
        if count == m:
            every = "the one parameter" if m == 1 else f"all {m} parameters"
            return f"{winner} dominates {loser}: a smaller risk at {every}."
        return f"{winner} is better than {loser} at {count} of {m} parameters, nowhere shown to be worse."

    def __str__(self) -> str:
        return self.verdict


class EstimatorsRisk(Tabular):
    """Bias, variance and quadratic risk of estimators at each parameter, with Monte-Carlo intervals.

    Parameters
    ----------
    errors : dict of str to list of Errors
        What was seen, for each estimator at each parameter.
    parameters : list
        The parameters.
    n : int
        Rows of a sample.
    n_samples : int
        Samples at each parameter.
    level : float
        Of the intervals.
    """

    def __init__(
        self, errors: dict[str, list[Errors]], parameters: list[Any], n: int, n_samples: int, level: float
    ) -> None:
        self._errors = errors
        self.parameters = parameters
        self.n, self.n_samples, self.level = n, n_samples, level

    @property
    def names(self) -> list[str]:
        """The names of the estimators in the order in which they were given."""
        return list(self._errors)

    def risk(self, name: str) -> list[Estimate]:
        """``E |T - g|^2`` at each parameter; each interval for itself."""
        return [self._risk(e, self.level) for e in self._of(name)]

    def bias(self, name: str) -> Floats:
        """``E T - g``: (parameters,), or (parameters, k) for vectors."""
        out = np.array([e.bias for e in self._of(name)])
        return out[:, 0] if out.shape[1] == 1 else out

    def bias_error(self, name: str) -> Floats:
        """Return the monte-Carlo standard errors of the biases."""
        out = np.array([e.bias_error for e in self._of(name)])
        return out[:, 0] if out.shape[1] == 1 else out

    def variance(self, name: str) -> Floats:
        """``E |T - E T|^2`` at each parameter; with the squared bias it makes the risk exactly."""
        return np.array([e.variance for e in self._of(name)])

    def maximal_risk(self, name: str) -> Estimate:
        """Return the largest risk over the parameters; the interval allows for having taken the largest."""
        each = [self._risk(e, self._together) for e in self._of(name)]
        worst = max(each, key=lambda e: e.value)
        target = "the largest of these risks"
        open_ = worst if worst.high is None else next((e for e in each if e.high is None), None)
        if open_ is not None:
            return replace(open_, value=worst.value, target=target)
        low, high = max(e.low or 0.0 for e in each), max(e.high or 0.0 for e in each)
        return Estimate(worst.value, low, high, self.level, self.n_samples, each[0].method, target=target)

    def worst_parameter(self, name: str) -> Any:
        """Return where the largest risk was seen."""
        return self.parameters[int(np.argmax([e.risk for e in self._of(name)]))]

    def compare(self, first: str, second: str) -> RiskComparison:
        """Return the paired differences of two estimators at every parameter."""
        pairs = zip(self._of(first), self._of(second), strict=True)
        differences = [self._difference(a, b) for a, b in pairs]
        return RiskComparison(first, second, tuple(differences))

    def _risk(self, e: Errors, level: float) -> Estimate:
        """Return the risk with its interval, infinite where it is known to be."""
        if e.infinite:
            why = f"the risk is infinite: {e.infinite}"
            return Estimate(math.inf, None, None, self.level, self.n_samples, "moments of the law", why)
        found = _at_least_zero(self._interval(e.squares, level))
        return replace(found, low=None, high=None, reason=e.heavy) if e.heavy else found

    def _difference(self, a: Errors, b: Errors) -> Estimate:
        """Return the difference of two risks, infinite where one of them is and the other is seen well."""
        if not (a.infinite or b.infinite):
            found = self._interval(a.squares - b.squares, self._together)
            why = a.heavy or b.heavy
            return replace(found, low=None, high=None, reason=why) if why else found
        value, why = math.nan, "both risks are infinite"
        if not (a.infinite and b.infinite):
            value, why = (math.inf, a.infinite) if a.infinite else (-math.inf, b.infinite)
            other = b.heavy if a.infinite else a.heavy
            value, why = (math.nan, other) if other else (value, f"one risk is infinite: {why}")
        return Estimate(value, None, None, self.level, self.n_samples, "moments of the law", why)

    def _of(self, name: str) -> list[Errors]:
        if name not in self._errors:
            raise ValueError(f"no estimator {name!r}; there are {', '.join(self.names)}.")
        return self._errors[name]

    @property
    def _together(self) -> float:
        """The level that each of m intervals needs to hold together."""
        return 1.0 - (1.0 - self.level) / len(self.parameters)

    def _interval(self, values: Floats, level: float) -> Estimate:
        """Return the normal interval of a mean; the units (pairs of samples) are in the hundreds at least."""
        mean = float(values.mean())
        half = normal_quantile(level) * float(values.std(ddof=1)) / math.sqrt(values.size)
        return Estimate(mean, mean - half, mean + half, self.level, self.n_samples, "Monte Carlo")

    @property
    def title(self) -> str:
        """The first line above the table: over which parameters and samples the risks are."""
        return (
            f"Quadratic risk over {_count(len(self.parameters))}, samples of n = {self.n} "
            f"({self.n_samples:,} simulated, {100 * self.level:g} % intervals)"
        )

    def _shown(self) -> dict[str, list[Any]]:
        names = self.names
        return {
            "estimator": names,
            "maximal risk": [self.maximal_risk(name) for name in names],
            "at": [_short(self.worst_parameter(name)) for name in names],
            "mean risk": [float(np.mean([e.risk for e in self._of(name)])) for name in names],
            "share of squared bias": [self._bias_share(name) for name in names],
        }

    def _bias_share(self, name: str) -> float:
        """Return what the squared bias has of the risk; 0 without any risk."""
        risk = float(sum(e.risk for e in self._of(name)))
        if math.isinf(risk):
            return math.nan
        return float(sum(e.squared_bias for e in self._of(name))) / risk if risk > 0.0 else 0.0

    def _columns(self) -> dict[str, list[Any]]:
        cells = [
            (name, theta, e)
            for name in self.names
            for theta, e in zip(self.parameters, self._of(name), strict=True)
        ]
        risks = [self._risk(e, self.level) for _, _, e in cells]
        return {
            "estimator": [name for name, _, _ in cells],
            "parameter": [theta for _, theta, _ in cells],
            **estimate_columns(risks, "risk"),
            "squared_bias": [e.squared_bias for _, _, e in cells],
            "variance": [e.variance for _, _, e in cells],
        }

    def _without_risk(self) -> list[str]:
        """Return a sentence for each estimator whose risk is infinite, or looks as if it were."""
        out = []
        for name in self.names:
            known = [e.infinite for e in self._of(name) if e.infinite]
            seen = [e.heavy for e in self._of(name) if e.heavy and not e.infinite]
            of = f"of {_count(len(self.parameters))}"
            if known:
                out.append(f"The risk of {name} is infinite at {len(known)} {of}: {known[0]}.")
            if seen:
                out.append(f"The risk of {name} has no interval at {len(seen)} {of}: {seen[0]}.")
        return out

    def _notes(self) -> list[str]:
        if len(self.names) < 2:
            return self._without_risk()
        smallest = min(self.names, key=lambda name: self.maximal_risk(name).value)
        notes = [*self._without_risk(), f"Smallest maximal risk seen: {smallest}."]
        pairs = list(combinations(self.names, 2))
        notes += [self.compare(a, b).verdict for a, b in pairs[:10]]
        return notes if len(pairs) <= 10 else [*notes, f"{len(pairs) - 10} more pairs: use .compare(a, b)."]


def _count(m: int) -> str:
    return "1 parameter" if m == 1 else f"{m} parameters"


def _short(theta: Any) -> str:
    return f"{theta:.4g}" if np.ndim(theta) == 0 else "(" + ", ".join(f"{t:.3g}" for t in theta) + ")"


def _at_least_zero(risk: Estimate) -> Estimate:
    """Return the interval of a risk without the part below 0, where no risk lies."""
    if risk.low is None or risk.low >= 0.0:
        return risk
    return replace(risk, low=0.0, reason="the normal interval is cut at 0: no quadratic risk is smaller")
