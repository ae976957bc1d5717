"""Posterior predictive checks: does the model make data like those that were seen?

Rubin, Annals of Statistics 12, 1984; Gelman, Meng and Stern, Statistica Sinica 6, 1996.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.seeds import Seed, check_seed
from empirisk.data.tabular import Tabular
from empirisk.samplers.diagnostics import ess_mean
from empirisk.samplers.words import check_steps
from empirisk.typing import Array
from empirisk.wording import counted, quoted

__all__ = ["PredictiveCheck", "predictive_check"]

Statistic = Callable[[Array], float]
# The share of replicated data beyond which a statistic is said to be off, on either side.
_TAIL = 0.025
# Of a standard normal law: the interval of 95 %.
_Z = 1.959963984540054
# Bins of a histogram, about.
_BINS = 40
# Numbers of replicated targets that are held at once.
_ROOM = 2_000_000

STATISTICS: dict[str, Statistic] = {
    "mean": lambda y: float(y.mean()),
    "sd": lambda y: float(y.std(ddof=1)),
    "min": lambda y: float(y.min()),
    "max": lambda y: float(y.max()),
    "zeros": lambda y: float((y == 0.0).mean()),
}


@dataclass(frozen=True, eq=False, repr=False)
class PredictiveCheck(Tabular):
    """One line for each statistic: its value of the data, its law under the model, chances of both tails.

    Parameters
    ----------
    names : list of str
        Of the statistics.
    observed : array, shape (s,)
        Values of the data.
    replicated : array, shape (chains, m, s)
        Values of data that the model makes.
    model : str
        What was sampled.
    rows : int
        Of the data.
    """

    names: list[str]
    observed: Array
    replicated: Array
    model: str
    rows: int

    @property
    def above(self) -> Array:
        """Shares of replicated values at or above that of the data, (s,)."""
        return np.asarray((self.replicated >= self.observed).mean(axis=(0, 1)))

    @property
    def below(self) -> Array:
        """Shares of replicated values at or below that of the data, (s,)."""
        return np.asarray((self.replicated <= self.observed).mean(axis=(0, 1)))

    @property
    def interval(self) -> Array:
        """Wilson's 95 % intervals of :attr:`above`, (2, s), by the effective number of replications."""
        return _wilson(self.replicated >= self.observed)

    @property
    def off(self) -> list[str]:
        """Statistics of which a tail holds at most 2.5 % of the replications, Monte-Carlo error included."""
        ends = [_wilson(self.replicated >= self.observed)[1], _wilson(self.replicated <= self.observed)[1]]
        return [name for name, high in zip(self.names, np.min(ends, axis=0), strict=True) if high <= _TAIL]

    @property
    def title(self) -> str:
        """What was compared with how many replications."""
        chains, m, _ = self.replicated.shape
        return f"{self.model}: {counted(chains * m, 'replication')} of {counted(self.rows, 'row')}"

    def _columns(self) -> dict[str, list[Any]]:
        low, high = np.quantile(self.replicated, [0.05, 0.95], axis=(0, 1))
        numbers = {
            "observed": self.observed,
            "mean": self.replicated.mean(axis=(0, 1)),
            "q5": low,
            "q95": high,
            "above": self.above,
            "above_low": self.interval[0],
            "above_high": self.interval[1],
            "below": self.below,
        }
        return {"statistic": self.names, **{k: [float(x) for x in v] for k, v in numbers.items()}}

    def _shown(self) -> dict[str, list[Any]]:
        return self._columns()

    def _notes(self) -> list[str]:
        said = (
            "above and below are chances of replicated values at or beyond that of the data, whose targets "
            "the model has seen: for a true model they lie nearer to 1/2 than uniform numbers do."
        )
        if not self.off:
            return [f"The model reproduces {quoted(self.names)}: no tail holds 2.5 % or less.", said]
        off = f"The model does not reproduce {quoted(self.off)}: "
        return [off + "a tail holds at most 2.5 % of the replications.", said]

    def plot(self, statistic: Any = None, ax: Any = None) -> Any:
        """Draw the law of one statistic with the value of the data; returns the Plot (the extra ``report``).

        Parameters
        ----------
        statistic : str, optional
            By default the one whose smaller tail is the smallest.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from empirisk.plots import ReplicatedDisplay

        if statistic is None:
            j = int(np.argmin(np.minimum(self.above, self.below)))
        elif statistic in self.names:
            j = self.names.index(statistic)
        else:
            raise ValueError(f"statistic must be one of {quoted(self.names)}, got {statistic!r}")
        values = self.replicated[:, :, j].ravel()
        edges = _edges(np.append(values, self.observed[j]))
        counts = np.histogram(values, edges)[0]
        return ReplicatedDisplay(
            {
                "name": self.names[j],
                "edges": edges.tolist(),
                "counts": counts.tolist(),
                "observed": float(self.observed[j]),
                "above": float(self.above[j]),
                "below": float(self.below[j]),
            }
        ).plot(ax)


def predictive_check(
    draws: Any, X: Any, y: Any, statistics: Any, offset: Any, replications: int, seed: Seed
) -> PredictiveCheck:
    """Compare statistics of data with those of data that the model makes at the same rows.

    The parameters are those of :meth:`~empirisk.samplers.Draws.predictive_check`.
    """
    law = draws.law
    check_steps("replications", replications, 10**7, 4)
    observed = law.targets(y)
    chains, n, _ = draws.draws.shape
    # Every so-manieth draw of each chain, the last one included.
    each = min(n, max(1, -(-replications // chains)))
    places = np.linspace(0, n - 1, each).round().astype(int)
    functions = _named(law.statistics if statistics is None else statistics)
    rows = len(observed)
    values = np.array([_number(name, f, observed) for name, f in functions.items()])
    rng = np.random.default_rng(check_seed(seed))
    out = np.empty((chains, each, len(functions)))
    piece = max(1, _ROOM // max(1, rows * chains))
    for first in range(0, each, piece):
        means = law.means(draws.draws[:, places[first : first + piece]], X, offset)
        if means.shape[2] != rows:
            raise ValueError(f"y has {rows} entries and X {means.shape[2]} rows; give one target a row")
        made = law.draw(means, rng)
        for c in range(chains):
            for i, replica in enumerate(made[c]):
                out[c, first + i] = [_number(name, f, replica) for name, f in functions.items()]
    return PredictiveCheck(list(functions), values, out, draws.target, rows)


def _named(statistics: Any) -> dict[str, Statistic]:
    """Statistics by name, from names, functions, or a mapping."""
    if isinstance(statistics, Mapping):
        found: dict[str, Any] = dict(statistics)
    else:
        one = isinstance(statistics, str) or not isinstance(statistics, Iterable)
        several = [statistics] if one else list(statistics)
        found = {s if isinstance(s, str) else getattr(s, "__name__", repr(s)): s for s in several}
    out: dict[str, Statistic] = {}
    for name, s in found.items():
        if isinstance(s, str) and s in STATISTICS:
            out[name] = STATISTICS[s]
        elif callable(s):
            out[name] = s
        else:
            raise ValueError(
                f"statistics must be names of {quoted(list(STATISTICS))} or functions of an array of "
                f"targets, got {s!r}"
            )
    if not out:
        raise ValueError("statistics must hold at least one name or function")
    return out


def _number(name: str, f: Statistic, y: Array) -> float:
    """The value of a statistic; what is no finite number is refused.

    The function is given an array of its own: one that sorts or scales it in place changes nothing else.
    """
    value = f(y.copy())
    if np.ndim(value) != 0 or np.asarray(value).dtype.kind not in "iufb" or not math.isfinite(float(value)):
        raise ValueError(
            f"statistic {name!r} must return one finite number for an array of targets, got {value!r:.60}"
        )
    return float(value)


def _edges(values: Array) -> Array:
    """Edges of about 40 bins, each as wide as a whole number of the smallest gaps between values.

    Counts and shares lie on a grid, of which bins of any other width hold now more and now fewer places.
    """
    distinct = np.unique(values)
    low, high = float(distinct[0]), float(distinct[-1])
    if low == high:
        return np.array([low - 0.5, low + 0.5])
    gap = float(np.diff(distinct).min())
    width = gap * max(1.0, math.ceil((high - low) / gap / _BINS))
    return low - 0.5 * gap + width * np.arange(math.floor((high - low) / width) + 2.0)


def _wilson(hits: Any) -> Array:
    """Wilson's 95 % intervals of shares, (2, s), each with its effective number of draws."""
    out = []
    for j in range(hits.shape[2]):
        x = hits[:, :, j].astype(np.float64)
        p, n = float(x.mean()), ess_mean(x)
        n = min(n, float(x.size)) if math.isfinite(n) else float(x.size)
        centre = (p + _Z**2 / (2.0 * n)) / (1.0 + _Z**2 / n)
        half = _Z * math.sqrt(p * (1.0 - p) / n + _Z**2 / (4.0 * n * n)) / (1.0 + _Z**2 / n)
        # Where no or every draw hits, the end is exact, and rounding would leave some digits beside it.
        out.append((centre - half if p > 0.0 else 0.0, centre + half if p < 1.0 else 1.0))
    return np.array(out).T
