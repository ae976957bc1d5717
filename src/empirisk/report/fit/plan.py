"""What a report will do and what it will cost: folds, repeats, penalties, curve sizes, seconds, memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from empirisk.curves.sizes import default_sizes
from empirisk.evaluation.sample import FORWARD
from empirisk.report.fit.bayes import bayes_seconds
from empirisk.report.fit.candidates import KINDS, Candidate, candidates
from empirisk.report.fit.compared import MOST_ROWS, compared_seconds
from empirisk.report.fit.families import FAMILIES, Family, suggested_family
from empirisk.report.fit.looks import RACED_FOLDS, TESTED, look_sizes
from empirisk.report.fit.network import FEWEST_ROWS, MOST_COLUMNS, network_seconds
from empirisk.report.fit.sample import Sample
from empirisk.report.fit.steps import Suggestion, step_of
from empirisk.wording import number

__all__ = ["Plan", "make_plan"]

# Seconds for a linear fit of one row by one parameter squared, by kind of penalty, and for a cell that is
# encoded or boosted; measured on two cores, so that a forecast is right within a factor of about two, unless
# a search chooses settings that cost many times the given ones.
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
# Shares of the seconds of the search for settings, and fits of it at most, by the kind of the candidate.
_SEARCH = {"boosting": (0.75, 100), "forest": (0.25, 60)}
_TRIALS = 2  # settings that a search must be able to try beside the given ones
# Fits that a search has time for before it takes more rows for them, and rows of such a fit at least.
_WANTED, _FEWEST = 30, 2_000
# Seconds of a report without a time limit: at least, of a small table, and for each root of the cells of
# Adult's (rows by encoded columns by scores).  What the other stages leave is for the search for settings,
# and a share of them at least, less of many rows, whose fits on few of them say less.
_LEAST, _SMALL, _GROWS, _CELLS = 20.0, 12.0, 8.0, 2.8e6
_LEAST_SEARCH = {False: 0.5, True: 0.25}  # without and after a race
_LESS, _MANY = 0.6, 10_000
_PENALTIES = {False: 16, True: 8}  # of a path, where all candidates are fitted on all rows and after a race
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
            fits * self.cost(rows[name], dict(self.on).get(name, 0)) + each * self.cost(rows[name])
            for name, fits in self.searches
        ]
        return max(parts, default=0.0) if self.looks else sum(parts)

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


def make_plan(
    sample: Sample,
    p: int,
    time_limit: float | None = None,
    kinds: Sequence[str] = KINDS,
    steps: Sequence[Suggestion] = (),
    unsuited: Mapping[str, str] | None = None,
    unable: Callable[[Candidate], str] = lambda c: "",
    letters: float = 0.0,
) -> Plan:
    """Choose the sizes by the number of rows, then cut them until the forecast keeps the limit.

    Repeats: 5 up to 1,000 rows, 2 up to 10,000, else 1 (with them the intervals cover what they say). Cuts
    come in this order: fits in the search for settings, repeats, penalties, sizes of the learning curve,
    feature steps, the network, the elastic net, the reference, L1 with a log link, the kernel machine,
    neighbours and the forest, folds.  Models that compare rows are tried up to the numbers of rows of
    :data:`MOST_ROWS`.  What still takes too long is cut by the clock while it runs
    (:mod:`empirisk.report.fit.allowance`).

    Parameters
    ----------
    sample : Sample
        Training rows.
    p : int
        Encoded columns.
    time_limit : float, optional
        Seconds.
    kinds : sequence of str
        Kinds of models to try.
    steps : sequence of Suggestion
        Feature steps to try before linear models.
    unsuited : mapping of str to str, optional
        Names of candidates that the table does not suit, and why, "" where there is nothing to tell
        (:func:`empirisk.report.fit.bayes.unsuited`).
    unable : callable, optional
        Why a candidate cannot use what the rows carry beside their features, "" where it can.
    letters : float
        Letters of the texts of a row, on average.
    """
    n = sample.n
    repeats = 1 if sample.time is not None else 5 if n <= 1_000 else 2 if n <= 10_000 else 1
    outputs = sample.n_classes if sample.n_classes > 2 else 1
    fit_rows = int(n * 0.8)
    rates = sample.exposure is not None
    family = suggested_family(sample.y) if sample.task == "regression" else None
    if rates:
        family = replace(FAMILIES["poisson"], why="it is counted over an exposure")
    named = candidates(sample.task, rates=rates, family=family, kinds=kinds, steps=[s.step for s in steps])
    left = dict(unsuited or {}) | _no_network(n, p)
    left |= {c.name: why for c in named if c.name not in left and (why := unable(c))}
    told = tuple((c.label.partition(" (Gauss")[0], left[c.name]) for c in named if left.get(c.name))
    named = [c for c in named if c.name not in left]
    rows = [c for c in named if n <= MOST_ROWS.get(c.name, n)]
    large = tuple(
        f"{c.label}: tried up to {MOST_ROWS[c.name]:,} training rows" for c in named if c not in rows
    )
    units = n if sample.units is None else np.unique(sample.units).size
    folds = FORWARD if sample.time is not None else max(2, min(5, units))
    counts = None if sample.counts is None else np.array(sample.counts)
    shares = [0.5**j for j in range(len(default_sizes(fit_rows, counts)))][::-1]
    plan = Plan(
        folds,
        repeats,
        _PENALTIES[False],
        shares,
        rows,
        n,
        p,
        outputs,
        family=family,
        large=large,
        steps=tuple(steps),
        unsuited=told,
        letters=letters,
    )
    few = len(named) > 2  # beside the baseline: there is a choice
    budget = max(_LEAST, _SMALL + _GROWS * math.sqrt(n * p * outputs / _CELLS))
    plan = replace(plan, looks=tuple(look_sizes(int(n * (folds - 1) / folds))) if few else (), budget=budget)
    if plan.looks:
        outside = [c for c in plan.rows if c.role == "reference"]
        where = tuple(f"{c.label}, for reference: fitted where no race is needed" for c in outside)
        rows = [c for c in plan.rows if c not in outside]
        plan = replace(plan, n_alphas=_PENALTIES[True], rows=rows, large=(*plan.large, *where))
    share = _LEAST_SEARCH[bool(plan.looks)] * (_LESS if n > _MANY else 1.0)
    least = share * budget + _chosen_seconds(plan)
    whole = _searched(plan, max(budget - plan.rest_seconds, least))
    if time_limit is None or whole.seconds <= time_limit:
        return whole
    plan = _cut(plan, time_limit, sample.time is not None)
    less = _searched(plan, time_limit - plan.rest_seconds)
    if not whole.searches or less.searches == whole.searches:
        return less
    said = f"the settings of {less.searched} alone are searched"
    return replace(less, cuts=(said if less.searches else "no search for settings", *less.cuts))


def _searchable(plan: Plan) -> list[Candidate]:
    return [c for c in plan.rows if c.kind in _SEARCH]


def _chosen_seconds(plan: Plan) -> float:
    """Return the seconds of the fits of what a search chose, on all folds; of boosting where it is tried."""
    fits = plan.n_folds * plan.n_repeats
    return next((fits * plan.cost(c) for c in _searchable(plan)), 0.0)


def _searched(plan: Plan, seconds: float) -> Plan:
    """Return the plan with the search for settings that so many seconds suffice for.

    Where all rows of a fold would leave time for few fits, half of them are taken, and so on.  After a race
    the seconds are those of each search, since one of them is expected to be left.
    """
    out, on = [], []
    last = plan.n_folds * plan.n_repeats  # the fits of what it chose
    whole = plan.n * (plan.n_folds - 1) / plan.n_folds
    for c in _searchable(plan):
        share, most = _SEARCH[c.kind]
        left = seconds * (1.0 if plan.looks else share) - last * plan.cost(c)
        rows = whole
        while left < _WANTED * plan.cost(c, rows) and rows >= 2 * _FEWEST:
            rows /= 2.0
        fits = int(min(left / plan.cost(c, rows), most))
        if fits >= (1 + _TRIALS) * plan.n_folds:
            out.append((c.name, fits))
            on += [(c.name, int(rows))] if rows < whole else []
    return replace(plan, searches=tuple(out), on=tuple(on))


def _no_network(n: int, p: int) -> dict[str, str]:
    """Return why a network is not tried on so many rows and columns, by its name; nothing where it is."""
    if n < FEWEST_ROWS:
        return {"mlp": f"{n:,} training rows are fewer than the {FEWEST_ROWS:,} from which it is tried"}
    if p > MOST_COLUMNS:
        why = f"{p:,} encoded columns are more than the {MOST_COLUMNS:,} up to which it is tried"
        return {"mlp": why}
    return {}


def _cut(plan: Plan, limit: float, in_time: bool) -> Plan:
    bare = [c for c in plan.rows if not c.step]
    small = [c for c in bare if c.kind != "network"]
    rows = [[c for c in small if c.l1_ratio != 0.5]]
    rows.append([c for c in rows[-1] if c.role != "reference"])
    rows.append([c for c in rows[-1] if not (c.family and c.l1_ratio)])
    rows.append([c for c in rows[-1] if c.kind != "kernel"])
    rows.append([c for c in rows[-1] if c.kind not in ("forest", "neighbors")])
    steps = [
        (f"1 repeat instead of {plan.n_repeats}", {"n_repeats": 1}),
        ("8 penalties instead of 16", {"n_alphas": 8}),
        ("3 sizes of the learning curve", {"shares": plan.shares[-3:]}),
        ("no feature steps before linear models", {"rows": bare}),
        ("no network", {"rows": small}),
        ("no elastic net", {"rows": rows[0]}),
        ("no gradient boosting for reference", {"rows": rows[1]}),
        ("a log link with L2 only", {"rows": rows[2]}),
        ("no kernel machine", {"rows": rows[3]}),
        ("no forest and no neighbours", {"rows": rows[4]}),
        (
            f"3 folds instead of {plan.n_folds}",
            {"n_folds": plan.n_folds if in_time else min(3, plan.n_folds)},
        ),
        ("no learning curve", {"shares": [1.0]}),
        ("4 penalties instead of 8", {"n_alphas": 4}),
    ]
    for words, change in steps:
        if plan.seconds <= limit:
            return plan
        smaller = replace(plan, **change)  # type: ignore[arg-type]
        if smaller.seconds < plan.seconds:
            plan = replace(smaller, cuts=(*plan.cuts, words))
    return plan
