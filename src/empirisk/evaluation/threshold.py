"""The cut of a score that a cost asks for, with its interval, its price, and a table of other cuts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.seeds import check_seed
from empirisk.data.tabular import Tabular, band, estimate_columns
from empirisk.evaluation.cuts import FOLDS, CutCosts
from empirisk.evaluation.intervals.base import accept
from empirisk.evaluation.metrics.base import model_target
from empirisk.evaluation.metrics.predictions import CLASSIFICATION, Predictions
from empirisk.evaluation.pictures.estimates import share_of
from empirisk.results import Estimate
from empirisk.wording import count

__all__ = ["Threshold", "threshold"]

ROWS = 20  # of the table
FEWEST = 10  # rows (or groups) of each class
FORM = 'a mapping such as {"false_positive": 1, "false_negative": 5}'


@dataclass(frozen=True, repr=False)
class Threshold(Tabular):
    """A chosen cut: a row is called positive when its probability (or score) is at least ``cut.value``.

    Parameters
    ----------
    cut : Estimate
        The cut of least cost on these rows; its interval holds the cuts that cannot be told from the best.
    cost : Estimate
        Cost a row on new rows of a cut that is chosen in this way.
    apparent : float
        Cost a row of the cut on the rows that chose it, which is too small.
    cuts : tuple of float
        Cuts of the table, from one that calls all rows positive to one that calls none.
    costs, precision, recall : tuple of Estimate
        What each cut does, as if it had been fixed beforehand.
    positive : str
        The positive class.
    price : (float, float)
        Costs of a false positive and of a false negative.
    scale : {"probability", "score"}
        What is cut.
    """

    cut: Estimate
    cost: Estimate
    apparent: float
    cuts: tuple[float, ...]
    costs: tuple[Estimate, ...]
    precision: tuple[Estimate, ...]
    recall: tuple[Estimate, ...]
    positive: str
    price: tuple[float, float]
    scale: str = "probability"

    @property
    def title(self) -> str:
        """The decision in a sentence: what is called positive, from which cut on, at which cost."""
        return (
            f"Call a row {self.positive} when its {self.scale} is at least {self.cut}: expected cost "
            f"{self.cost} a row."
        )

    def _shown(self) -> dict[str, list[Any]]:
        return {
            "cut": list(self.cuts),
            "cost": list(self.costs),
            "precision": list(self.precision),
            "recall": list(self.recall),
        }

    def _columns(self) -> dict[str, list[Any]]:
        return {
            "cut": list(self.cuts),
            **estimate_columns(self.costs, "cost"),
            **estimate_columns(self.precision, "precision"),
            **estimate_columns(self.recall, "recall"),
        }

    def _notes(self) -> list[str]:
        a, b = self.price
        return [
            f"Costs: {a:g} for a false {self.positive}, {b:g} for a missed {self.positive}; "
            f"{100 * self.cost.level:g} %, n = {count(self.cost.n)}.",
            f"The interval of the cut holds what cannot be told from the best one ({self.cut.method}).",
            f"The cost is about new rows ({self.cost.method}); on the rows that chose the cut it is "
            f"{self.apparent:.4g}.",
            "Intervals in the table are for cuts that are fixed beforehand.",
            f"About: {self.cost.target}.",
        ]

    def plot(self, ax: Any = None) -> Any:
        """Draw the cost of each cut with its interval, and the chosen one.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        empirisk.plots.Plot
        """
        from empirisk.plots import ThresholdsDisplay

        curve = {"x": list(self.cuts), **band(self.costs)}
        cut, cost = self.cut.to_dict(), self.cost.to_dict()
        return ThresholdsDisplay(curve, cut, cost, self.positive, self.scale).plot(ax)


def threshold(p: Predictions, cost: Mapping[str, float], level: float, random_state: Any = None) -> Threshold:
    """Return the chosen cut of two classes; see :meth:`empirisk.selection.Evaluation.threshold`."""
    price = _price(cost)
    p = _two_classes(p.counted())
    found, rng = CutCosts(p, price), np.random.default_rng(check_seed(random_state))
    best, scale = found.cheapest(), "score" if p.proba is None else "probability"
    about = model_target(p)
    ends = found.alike(level, rng)
    cut = accept(best, ends, level, p.n, "tests of all other cuts", target=f"the cheapest cut; {about}")
    value, low, high = found.priced(found.crossed(rng), level, FOLDS / (FOLDS - 1.0))
    how = "cut chosen on other folds, Wilson intervals with variances recovered"
    price_new = accept(value, (low, high), level, p.n, how, target=about)
    shown = np.unique(np.append(_grid(found), best))
    return Threshold(
        cut,
        price_new,
        _cost_at(found, best, level, about).value,
        tuple(shown.tolist()),
        tuple(_cost_at(found, t, level, about) for t in shown),
        tuple(share_of(p, p.positive, found.score >= t, level) for t in shown),
        tuple(share_of(p, found.score >= t, p.positive, level) for t in shown),
        str(np.asarray(p.classes).tolist()[1]),
        price,
        scale,
    )


def _grid(found: CutCosts) -> Any:
    """Return the cuts of the table: like numbers of rows apart, with both ends."""
    at = np.linspace(0, found.cuts.size - 1, min(found.cuts.size, ROWS)).round().astype(int)
    return found.cuts[np.unique(at)]


def _cost_at(found: CutCosts, cut: float, level: float, about: str) -> Estimate:
    """Return the cost a row of a cut that is fixed beforehand."""
    false, missed = found.errors(cut)
    value, low, high = found.priced((false.astype(float), missed.astype(float)), level)
    method = "Wilson intervals, variances recovered"
    return accept(value, (low, high), level, found.p.n, method, target=about)


def _price(cost: Any) -> tuple[float, float]:
    """Return the costs of a false positive and of a false negative, checked."""
    if not isinstance(cost, Mapping):
        raise TypeError(f"cost must be {FORM}, got {cost!r}.")
    if set(cost) != {"false_positive", "false_negative"}:
        raise ValueError(
            f"cost must be {FORM}, got the names {', '.join(map(str, cost)) or 'none'}; what right answers "
            "cost is taken off: a hit that costs 5 and a miss that costs 50 differ by 45."
        )
    for name, value in cost.items():
        if isinstance(value, bool) or not isinstance(value, int | float | np.number):
            raise TypeError(f"cost[{name!r}] must be a number, got {value!r}.")
        if not (math.isfinite(value) and value > 0):
            raise ValueError(f"cost[{name!r}] must be positive and finite, got {value!r}.")
    return float(cost["false_positive"]), float(cost["false_negative"])


def _two_classes(p: Predictions) -> Predictions:
    """Return the predictions where a cut can be chosen from them, else say why not."""
    if p.task != CLASSIFICATION:
        raise ValueError("a threshold cuts the probability of a class, and the target here is a number.")
    if p.n_classes != 2:
        raise ValueError(
            f"a threshold separates two classes, and there are {p.n_classes}; name the one that it is about "
            "with positive=."
        )
    if p.proba is None and p.score is None:
        raise ValueError(f"a threshold needs probabilities or scores: {p.why_missing('score')}.")
    for k, name in enumerate(np.asarray(p.classes).tolist()):
        rows = p.y == k
        units = int(rows.sum()) if p.groups is None else np.unique(p.groups[rows]).size
        if units < FEWEST:
            what = "rows" if p.groups is None else "groups"
            raise ValueError(
                f"class {name!r} has {units} {what} here; a threshold is chosen from {FEWEST} at least."
            )
    return p
