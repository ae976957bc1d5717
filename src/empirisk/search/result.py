"""What a search found, readable as text, HTML and data frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from empirisk.data.frames import as_frame
from empirisk.evaluation.evaluation import describe, number
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.standing import Standing
from empirisk.kernels.base import is_kernel
from empirisk.results import Estimate
from empirisk.results.form import Form, Formed
from empirisk.search.grid_section import grid_section
from empirisk.search.points import Params, same

SHOWN = 10  # candidates in the printed table


@dataclass(frozen=True, repr=False)
class SearchResult(Formed):
    """Every candidate with its score and interval, and the chosen one.

    Parameters
    ----------
    metric : str
        What was scored.
    points : tuple of dict
        Settings of the candidates.
    states : tuple of str
        "finished", "failed", "dropped" (by racing) or "unfinished" (the time was up).
    errors : tuple of str
        Why a candidate failed; empty when it did not.
    scores : tuple of Estimate or None
        Cross-validated score with the interval of this candidate by itself.
    simultaneous : tuple of Estimate or None
        The same at level ``1 - (1 - level)/m``: all m intervals hold at once.
    probability_best : array of shape (m,)
        See :meth:`empirisk.evaluation.standing.Standing.probability_best`; 0 for those not finished.
    best, lowest : int
        The chosen candidate, and the one with the best mean score.
    score : Estimate
        Score of the chosen one, corrected for the choice.
    rule : str
        "min" or "one_se".
    edge : mapping of str to str
        Parameters whose chosen value is the "lowest" or the "highest" tried.
    standing : Standing
        Losses and covariance of the finished candidates.
    ranked : tuple of int
        Positions of the finished candidates, in the order of `standing`.
    fold_scores : tuple of arrays
        Scores on the splits that each candidate was fitted on.
    seconds : tuple of arrays
        Fitting times.
    note : str
        What cut the search short or happened on the way; empty when nothing did.
    n_first : int
        How many of the candidates were there at the start; a zoom added the others.
    greater_is_better : bool
        Whether larger values of the metric are better.
    """

    metric: str
    points: tuple[Params, ...]
    states: tuple[str, ...]
    errors: tuple[str, ...]
    scores: tuple[Estimate | None, ...]
    simultaneous: tuple[Estimate | None, ...]
    probability_best: Floats
    best: int
    lowest: int
    score: Estimate
    rule: str
    edge: Mapping[str, str]
    standing: Standing
    ranked: tuple[int, ...]
    fold_scores: tuple[Floats, ...] = field(repr=False)
    seconds: tuple[Floats, ...] = field(repr=False)
    note: str = ""
    n_first: int = 0
    greater_is_better: bool = True

    @property
    def naive(self) -> Estimate:
        """Score of the chosen candidate as if it had been the only one: too good when there were many."""
        found = self.scores[self.best]
        return self.score if found is None else found

    @property
    def rank(self) -> np.ndarray:
        """1 for the best mean score; candidates that did not finish share the last place."""
        loss = np.full(len(self.points), np.inf)
        loss[list(self.ranked)] = self.standing.loss
        return np.array([1 + int(np.count_nonzero(loss < v)) for v in loss])

    def beats(self, i: int, j: int, rope: float = 0.0) -> tuple[float, float, float]:
        """P(i better than j by more than `rope`), P(practically equal), P(j better by more than `rope`).

        Parameters
        ----------
        i, j : int
            Positions of two finished candidates.
        rope : float, default 0.0
            Region of practical equivalence: a smaller difference of the metric does not matter.

        Returns
        -------
        tuple of three float
            They sum to 1. Student t law of the paired difference of :func:`empirisk.evaluation.compare`.
        """
        if rope < 0.0:
            raise ValueError(f"rope must not be negative, got {rope!r}.")
        places = []
        for k in (i, j):
            if k not in self.ranked:
                raise ValueError(
                    f"candidate {k} was not finished ({self._state(k)}), so it cannot be compared."
                )
            places.append(self.ranked.index(k))
        return self.standing.beats(places[0], places[1], rope)

    def _state(self, k: int) -> str:
        return self.states[k] if 0 <= k < len(self.states) else f"there are {len(self.states)}"

    def to_frame(self) -> Any:
        """Return one row a candidate, best first; see :func:`empirisk.data.frames.as_frame`."""
        order = self._order()
        names = list(dict.fromkeys(k for p in self.points for k in p))
        table: dict[str, list[Any]] = {"rank": [int(self.rank[i]) for i in order]}
        for name in names:
            table[name] = [self.points[i].get(name) for i in order]
        nothing = float("nan")
        for label, source in (("", self.scores), ("simultaneous_", self.simultaneous)):
            kept = [source[i] for i in order]
            if not label:
                table[self.metric] = [nothing if e is None else e.value for e in kept]
            table[f"{label}low"] = [nothing if e is None or e.low is None else e.low for e in kept]
            table[f"{label}high"] = [nothing if e is None or e.high is None else e.high for e in kept]
        table["probability_best"] = [float(self.probability_best[i]) for i in order]
        table["fits"] = [int(self.seconds[i].size) for i in order]
        table["state"] = [self.states[i] for i in order]
        table["error"] = [self.errors[i] for i in order]
        return as_frame(table, self._like)

    def _order(self) -> list[int]:
        return [int(i) for i in np.argsort(self.rank, kind="stable")]

    def plot(self, ax: Any = None, *, kind: str = "winner", over: Sequence[str] | None = None) -> Any:
        """What having chosen does to the score, how sure it is which candidate is best, or a map of all.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        kind : {"winner", "best", "grid"}, default "winner"
            Naive against corrected score; the probabilities of being best; or the score over two numbers,
            with the best, all within one standard error of it, and the finer grid of a zoom.
        over : two names, optional
            With ``kind="grid"``: the parameters along x and y, one of them the kernel, for example, where the
            candidates' kernels differ in one number.  The first two numbers that vary by default.

        Returns
        -------
        empirisk.plots.Plot
        """
        from empirisk.plots import (
            BestProbabilityDisplay,
            ModelSelectionGridDisplay,
            WinnersCurseDisplay,
        )

        if kind == "grid":
            return ModelSelectionGridDisplay(grid_section(self, over)).plot(ax)
        if kind == "best":
            rows = [
                {"label": self._differing(i), "probability": float(self.probability_best[i])}
                for i in self.ranked
            ]
            return BestProbabilityDisplay(rows).plot(ax)
        if kind != "winner":
            raise ValueError(f"kind must be 'winner', 'best' or 'grid', got {kind!r}.")
        values = [e.value for e in self.scores if e is not None]
        curse = {
            "label": self.metric,
            "greater_is_better": self.greater_is_better,
            "n_candidates": len(values),
            "candidates": values,
            "naive": self.naive.to_dict(),
            "corrected": self.score.to_dict(),
            "held_out": None,
        }
        return WinnersCurseDisplay(curse).plot(ax)

    @property
    def headline(self) -> str:
        """The choice and its corrected score in a line; the printed form of the result has the table."""
        chosen = _settings(self.points[self.best])
        return (
            f"best of {len(self.points)}: {chosen}; {self.metric} {self.score}, corrected for having chosen"
        )

    def __repr__(self) -> str:
        count, fits = len(self.points), sum(s.size for s in self.seconds)
        lines = [f"Search over {count} candidates, {fits} fits, {self.metric}"]
        shown = self._shown()
        labels = [self._differing(i) for i in shown]
        width = max(map(len, labels))
        for i, label in zip(shown, labels, strict=True):
            lines.append(f"{'>' if i == self.best else ' '} {label:<{width}}  {self._line(i)}")
        if count > len(shown):
            lines.append(f"  ... and {count - len(shown)} more; .to_frame() holds them all")
        return "\n".join([*lines, *self._remarks()])

    @cached_property
    def _shared(self) -> Params:
        """The settings that all candidates have in common, where there is something else to tell them by."""
        first, *others = self.points
        shared = {k: v for k, v in first.items() if all(k in p and same(p[k], v) for p in others)}
        return shared if others and any(set(p) - set(shared) for p in self.points) else {}

    def _differing(self, i: int) -> str:
        """Return the settings of a candidate in a line, without those that all of them share."""
        return _settings({k: v for k, v in self.points[i].items() if k not in self._shared})

    def _shown(self) -> list[int]:
        shown = self._order()[:SHOWN]
        return shown if self.best in shown else [*shown[:-1], self.best]

    def _line(self, i: int) -> str:
        e = self.scores[i]
        if self.states[i] == "failed":
            return f"failed: {self.errors[i]}"
        text = "" if e is None else number(e)
        if self.states[i] != "finished":
            return f"{text}  {self.states[i]} after {self.seconds[i].size} fits"
        chance = self.probability_best[i]
        return f"{text}  P(best) {'cannot be told' if np.isnan(chance) else f'{chance:.2f}'}"

    def _remarks(self) -> list[str]:
        how = "the best mean" if self.rule == "min" else "the simplest within one standard error of the best"
        out = [
            f"Chosen: {_settings(self.points[self.best])} ({how})",
            f"  {self.metric} of the choice, corrected for having chosen: {describe(self.score)}",
            f"  naive: {number(self.naive)}",
        ]
        out += [f"  All candidates: {_settings(self._shared)}."] if self._shared else []
        out += [f"  About: {self.score.target}."] if self.score.low is not None else []
        out += [
            f"  {name} is the {side} value tried; others may do better." for name, side in self.edge.items()
        ]
        return [*out, f"  {self.note}"] if self.note else out

    def _form(self) -> Form:
        shown = self._shown()
        ends = {"finished": "", "dropped": "dropped", "unfinished": "not finished"}
        columns: dict[str, list[Any]] = {
            "candidate": [self._differing(i) for i in shown],
            self.metric: [self.scores[i] for i in shown],
            "P(best)": [float(self.probability_best[i]) if i in self.ranked else None for i in shown],
            "": [
                "chosen" if i == self.best else ends.get(self.states[i], f"failed: {self.errors[i]}")
                for i in shown
            ],
        }
        more = len(self.points) - len(shown)
        left = [f"... and {more} more; .to_frame() holds them all."] if more else []
        told = self.headline
        return Form(f"{told[:1].upper()}{told[1:]}", columns, [*left, *map(str.strip, self._remarks())])


def _settings(point: Params) -> str:
    """Return the settings in a line: numbers with four figures, kernels by their titles."""
    return ", ".join(f"{k}={_said(v)}" for k, v in point.items()) or "as given"


def _said(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return value.title if is_kernel(value) else str(value)


def masked_column(points: Sequence[Params], name: str) -> np.ma.MaskedArray:
    """Return the values of a parameter, masked where a candidate has none (as in scikit-learn's
    ``cv_results_``).
    """
    values = np.empty(len(points), dtype=object)
    values[:] = [p.get(name) for p in points]
    column: np.ma.MaskedArray = np.ma.MaskedArray(values, mask=[name not in p for p in points])
    return column
