"""What a report will do and what it will cost: folds, repeats, penalties, curve sizes, seconds, memory."""

from __future__ import annotations

import math
from dataclasses import dataclass

from empirisk.report.fit.bayes import bayes_seconds
from empirisk.report.fit.candidates import Candidate
from empirisk.report.fit.compared import compared_seconds
from empirisk.report.fit.families import FAMILIES, Family
from empirisk.report.fit.looks import RACED_FOLDS, TESTED
from empirisk.report.fit.network import network_seconds
from empirisk.report.fit.steps import Suggestion, step_of
from empirisk.search.tuning.ranges import ROUNDS
from empirisk.search.tuning.tuner import MOST_ROUNDS
from empirisk.wording import number

__all__ = ["SEARCHES", "Plan"]

# Seconds for a linear fit of one row by one parameter squared, by kind of penalty, and for a cell that is
# encoded or boosted; measured on two cores, so that a forecast is right within a factor of about two.
_L2, _L1, _CELL, _BOOST, _FIXED = 2.0e-10, 8.0e-10, 4.0e-8, 1.3e-6, 2.0e-3
# Seconds for a row, a column and a class of a linear fit of several classes along a path, by kind of penalty:
# measured, these fits grow with the classes, and not with their square.
_CLASSES = {False: 1.0e-8, True: 2.0e-8}
# Seconds of a model made of trees along its path, and for a row and a column of it, times the logarithm of
# the rows; what more rows up to 2,000 add to boosting, whose trees have few leaves on fewer; and boosting
# with one number of rounds.
_GROWN = {"tree": (0.05, 8.0e-9), "boosting": (0.03, 1.2e-8), "forest": (0.05, 1.2e-7)}
_LEAVES, _FULL = 0.05, 2_000
_BOOSTED = 0.02, 8.0e-9
SIDE = 1.7  # times the fits of a search in the same time where two run side by side
# Shares of the seconds of the search for settings, and fits of it at most, by the kind of the candidate.
SEARCHES = {"boosting": (0.75, 150), "forest": (0.25, 60)}
# Share of the budget for the fits of what a search chose, and how many times one fit of all rows these are,
# the learning curve's included: more rounds would not leave it to the rest.
_CHOSEN, _CHOSEN_FITS = 0.4, 4
_PATH = 9  # numbers of rounds that are tried with each settings, about
_RACED = 2  # folds after which a challenger that does not win is expected to have left
_LETTER = 2.0e-7  # seconds for a letter of a text that is hashed
_BASE_MEMORY = 0.35  # GB that the libraries take


@dataclass(frozen=True)
class Plan:
    """The size of each stage.

    Parameters
    ----------
    n_folds, n_repeats : int
    n_alphas : int
        Penalties of each path.
    shares : list of float
        Of the rows of a fit, at the sizes of the learning curve; the last is 1.
    rows : list of Candidate
    cells : float
        Encoded training cells, for the forecast.
    n, p : int
        Training rows and encoded columns, about.
    outputs : int
        Scores of one row (classes when there are more than two).
    cuts : tuple of str
        What a time limit took away, in words.
    family : Family or None
        What a numeric target suggests beside straight lines.
    large : tuple of str
        Candidates that are not tried on so many rows, in words.
    steps : tuple of Suggestion
        Feature steps that the table suggests before a linear model.
    unsuited : tuple of (str, str)
        Labels of candidates that are not tried because of what the table is, and why.
    searches : tuple of (str, int)
        Names of the candidates whose settings are searched, and fits on a fold for each at most.
    letters : float
        Letters of the texts of a row, on average.
    looks : tuple of int
        Training rows of the looks of the race before the cross-validation; empty for none.
    on : tuple of (str, int)
        Names of the candidates whose search takes part of the rows of a fold, and how many.
    budget : float
        Seconds that the report is to take without a time limit.
    side : bool
        Whether two fits run side by side: a table that is not large, and no time limit.
    """

    n_folds: int
    n_repeats: int
    n_alphas: int
    shares: list[float]
    rows: list[Candidate]
    n: int
    p: int
    outputs: int
    cuts: tuple[str, ...] = ()
    family: Family | None = None
    large: tuple[str, ...] = ()
    steps: tuple[Suggestion, ...] = ()
    unsuited: tuple[tuple[str, str], ...] = ()
    searches: tuple[tuple[str, int], ...] = ()
    letters: float = 0.0
    looks: tuple[int, ...] = ()
    on: tuple[tuple[str, int], ...] = ()
    budget: float = math.inf
    side: bool = False

    @property
    def fits(self) -> int:
        """Cross-validation fits, a path counting once."""
        return self.n_folds * self.n_repeats * len(self.rows)

    @property
    def tuning_seconds(self) -> float:
        """How many seconds the cross-validation is predicted to take, with the race before it.

        After a race these are expected to be there: the cheapest linear model, boosting, the cheapest of the
        others where neither is tried, and the reference.
        """
        fits = self.n_folds * self.n_repeats
        rows = self.rows if not self.looks else self._expected
        one = sum(self.cost(c) for c in rows if not c.raced)
        raced = sum(self.cost(c) for c in rows if c.raced)
        ways = len({c.encoding for c in rows})  # each hashes the texts for itself
        encoding = _CELL * self.n * self.p + ways * self._hashing(self.n) + 0.02
        return self.race_seconds + fits * (one + encoding) + min(fits, _RACED) * raced

    @property
    def race_seconds(self) -> float:
        """Predicted seconds of the race; half of the candidates leave before its last look."""
        shares = [*(1.0 for _ in self.looks[1:]), 0.5]
        fits = sum(
            share * self.cost(c, size)
            for share, size in zip(shares, self.looks, strict=False)
            for c in self.rows
            if c.role == "candidate"
        )
        return RACED_FOLDS * (
            fits + len(self.looks) * (_CELL * TESTED * self.p + 3.0 * self._hashing(TESTED) + 0.05)
        )

    @property
    def _expected(self) -> list[Candidate]:
        own = [c for c in self.rows if c.role == "candidate"]
        kept = [c for c in own if c.kind == "boosting"]
        linear = [c for c in own if c.linear]
        kept += [min(linear, key=self.cost)] if linear else []
        return [*(kept or sorted(own, key=self.cost)[:1]), *(c for c in self.rows if c.role == "reference")]

    def cost(self, c: Candidate, n: float = 0.0) -> float:
        """Return the predicted seconds of the fits of a candidate in one fold, or on n rows of it."""
        n = n or self.n * (self.n_folds - 1) / self.n_folds
        if c.linear:
            return self.n_alphas * self._linear(n, c) + self._between(n, c)
        if c.grown:
            return self._grown(n, c)
        if c.compares:
            return compared_seconds(c, n, self.p, self.outputs)
        if c.kind == "bayes":
            return bayes_seconds(c, n, self.p, self.outputs)
        if c.kind == "network":
            return network_seconds(n, self.p, self.outputs)
        if c.role == "reference":
            return 0.15 * self.outputs + _BOOST * n * min(self.p, 40) * self.outputs
        return 0.0

    @property
    def searched(self) -> str:
        """The candidates whose settings are searched, and the fits for each, in words."""
        label = {c.name: c.label for c in self.rows}
        return ", ".join(f"{label[name]} (up to {fits} fits on a fold)" for name, fits in self.searches)

    @property
    def cheapest(self) -> list[Candidate]:
        """The candidates in the order of their cost, challengers after the others."""
        return sorted(self.rows, key=lambda c: (c.raced, self.cost(c)))

    @property
    def curve_seconds(self) -> float:
        """Predicted seconds of the learning curve."""
        n = self.n * (self.n_folds - 1) / self.n_folds
        shares = [*self.shares, *self.shares[:-1]]  # up to half of the rows, two disjoint parts are fitted
        fits = sum(self._once(n * s) + _CELL * n * s * self.p + self._hashing(n * s) + 0.02 for s in shares)
        return self.n_folds * self.n_repeats * fits

    @property
    def diagnosis_seconds(self) -> float:
        """Predicted seconds of the diagnosis: about ten fits with their encoding, and its tests."""
        heavy = max((c for c in self.rows if c.linear), key=lambda c: c.l1_ratio or 0.0, default=None)
        if heavy is None:
            return 0.0
        encoding = _CELL * self.n * self.p + self._hashing(self.n)
        return 1.0 + 10.0 * (self._linear(self.n, heavy) + encoding)

    @property
    def search_seconds(self) -> float:
        """Predicted seconds of the search for settings, with the fits of what it chose on all folds.

        After a race one of them is expected to be left.
        """
        rows, each = {c.name: c for c in self.rows}, self.n_folds * self.n_repeats
        parts = [
            fits * self.searching(rows[name], dict(self.on).get(name, 0)) + each * self.cost(rows[name])
            for name, fits in self.searches
        ]
        return max(parts, default=0.0) if self.looks else sum(parts)

    @property
    def searchable(self) -> list[Candidate]:
        """The candidates whose settings can be searched for."""
        return [c for c in self.rows if c.kind in SEARCHES]

    @property
    def search_shares(self) -> dict[str, float]:
        """Shares of the fits of the searches, where a race leaves several of which one was expected."""
        return {c.name: SEARCHES[c.kind][0] for c in self.searchable} if self.looks else {}

    def searching(self, c: Candidate, n: float = 0.0) -> float:
        """Return the predicted seconds of a fit in the search for the settings of a candidate."""
        return self.cost(c, n) / (SIDE if self.side else 1.0)

    @property
    def longest(self) -> int:
        """How many rounds of boosting a search may choose, so that what follows keeps to the budget."""
        boosting = next((c for c in self.rows if c.kind == "boosting"), None)
        if boosting is None or math.isinf(self.budget):
            return ROUNDS[-1]
        whole = _CHOSEN_FITS * self.n_folds * self.n_repeats * self.searching(boosting)
        return int(min(MOST_ROUNDS, ROUNDS[-1] * max(1.0, _CHOSEN * self.budget / whole)))

    @property
    def seconds(self) -> float:
        """How many seconds the whole report is predicted to take."""
        first = 4.0 + self.tuning_seconds + self.search_seconds
        return first + self.curve_seconds + self.diagnosis_seconds

    @property
    def memory(self) -> float:
        """Predicted memory in GB at the peak."""
        losses = sum(self.n_alphas if c.parameter else 1 for c in self.rows) * self.n * self.n_repeats
        trials = max((fits for _, fits in self.searches), default=0) / self.n_folds
        losses += int(_PATH * trials) * self.n * (1 + self.outputs)
        return _BASE_MEMORY + 8e-9 * (5.0 * self.n * self.p + 2.0 * losses + 4.0 * self.n * self.outputs)

    def _hashing(self, n: float) -> float:
        """Return the predicted seconds in which the texts of n rows become numbers."""
        return _LETTER * n * self.letters + (0.1 if self.letters else 0.0)

    @property
    def _raced(self) -> str:
        """How many rows the race takes, in words."""
        return f", first on {', '.join(f'{m:,}' for m in self.looks)} rows" if self.looks else ""

    def _grown(self, n: float, c: Candidate) -> float:
        one = self._trees(n, *_GROWN[c.kind])
        if c.kind != "boosting":
            return one
        return self.outputs * (one + _LEAVES * min(1.0, n / _FULL))

    def _trees(self, n: float, fixed: float, cell: float) -> float:
        return fixed + cell * n * min(self.p, 40) * math.log2(n + 2.0)

    def _once(self, n: float) -> float:
        """Return the predicted seconds of one fit of the model that is expected to be chosen."""
        if any(c.kind == "boosting" for c in self.rows):
            return self._trees(n, *_BOOSTED) * self.outputs
        return max((4.0 * self._linear(n, c) for c in self.rows if c.linear), default=0.0)

    def _between(self, n: float, c: Candidate) -> float:
        """Return the predicted seconds of the feature step of a candidate, and of encoding for it anew."""
        made = [step_of(s.step).seconds(n, s.numbers) for s in self.steps if s.step == c.step]
        return sum(made) + _CELL * n * self.p if made else 0.0

    def _linear(self, n: float, c: Candidate) -> float:
        size = min(self.p * self.outputs, 400) * self.p * self.outputs
        factor = FAMILIES[c.family].cost if c.family else 1.0
        one = (_L1 if c.l1_ratio else _L2) * n * size
        if self.outputs > 1:
            one = min(one, _CLASSES[bool(c.l1_ratio)] * n * self.p * self.outputs)
        return factor * (_FIXED + one)

    @property
    def rest_seconds(self) -> float:
        """Predicted seconds of all but the search for settings."""
        return self.seconds - self.search_seconds

    def lines(self, split: str, limit: float | None = None, dealt: str = "") -> list[str]:
        """Return the plan in words: what is held out, how many fits there are, and how long they take.

        The splits are called `dealt` where that is given.
        """
        repeats = f" x {self.n_repeats}" if self.n_repeats > 1 else ""
        text = (
            f"Plan: hold out {split}; {dealt or f'{self.n_folds} folds{repeats}'}; "
            f"{len(self.rows)} candidates{self._raced}; "
            f"about {max(1, round(self.seconds))} s, {self.memory:.1f} GB"
        )
        if limit is not None and self.seconds > limit:
            text += f"; what does not fit into {number(limit)} s is left out while it runs"
        return [
            text,
            *(f"  {one}" for one in self.large),
            *([f"  settings are searched for: {self.searched}"] if self.searches else []),
            *(f"  to keep the time limit: {cut}" for cut in self.cuts),
        ]
