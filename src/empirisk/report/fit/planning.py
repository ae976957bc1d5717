"""The plan of a report that fits the table and the time: the sizes of its stages, and what is left out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from empirisk.curves.sizes import default_sizes
from empirisk.evaluation.sample import FORWARD
from empirisk.report.fit.candidates import KINDS, Candidate, candidates
from empirisk.report.fit.compared import MOST_ROWS
from empirisk.report.fit.families import FAMILIES, suggested_family
from empirisk.report.fit.looks import look_sizes
from empirisk.report.fit.network import FEWEST_ROWS, MOST_COLUMNS
from empirisk.report.fit.plan import SEARCHES, Plan
from empirisk.report.fit.sample import Sample
from empirisk.report.fit.steps import Suggestion

__all__ = ["make_plan"]

# Settings that a search must be able to try beside the given ones, and settings of boosting that are tried in
# any case, where their fits take no longer than the whole report.
_TRIALS, _ANYWAY = 2, 8
_SIDE_CELLS = 2_000_000  # cells of a table whose fits run side by side
_REFERENCE = 0.25  # share of the budget up to which the fits of the reference are worth their row
# Fits that a search has time for before it takes more rows for them, and rows of such a fit at least, which
# are a quarter of those of a fold besides: fewer say little about all of them.
_WANTED, _FEWEST = 30, 2_000
# Seconds of a report without a time limit: at least, of a small table, and for each root of the cells of
# Adult's (rows by encoded columns by scores).  What the other stages leave is for the search for settings,
# and a share of them at least, less of many rows, whose fits on few of them say less.
_LEAST, _SMALL, _GROWS, _CELLS = 20.0, 12.0, 8.0, 2.8e6
_LEAST_SEARCH = {False: 0.5, True: 0.25}  # without and after a race
_LESS, _MANY = 0.3, 10_000
_PENALTIES = {False: 16, True: 8}  # of a path, where all candidates are fitted on all rows and after a race


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
    plan = replace(plan, side=time_limit is None and n * sample.frame.width <= _SIDE_CELLS)
    outside = [c for c in plan.rows if c.role == "reference"]
    if plan.looks:
        where = tuple(f"{c.label}, for reference: fitted where no race is needed" for c in outside)
        plan = replace(plan, n_alphas=_PENALTIES[True])
    else:
        outside = [c for c in outside if folds * repeats * plan.cost(c) > _REFERENCE * budget and few]
        where = tuple(f"{c.label}, for reference: its fits would take too much of the time" for c in outside)
    if outside:
        rows = [c for c in plan.rows if c not in outside]
        plan = replace(plan, rows=rows, large=(*plan.large, *where))
    share = _LEAST_SEARCH[bool(plan.looks)] * (_LESS if n > _MANY else 1.0)
    least = max(share * budget + _chosen_seconds(plan), _anyway(plan))
    whole = _searched(plan, max(budget - plan.rest_seconds, least))
    if time_limit is None or whole.seconds <= time_limit:
        return whole
    plan = _cut(plan, time_limit, sample.time is not None)
    less = _searched(plan, time_limit - plan.rest_seconds)
    if not whole.searches or less.searches == whole.searches:
        return less
    said = f"the settings of {less.searched} alone are searched"
    return replace(less, cuts=(said if less.searches else "no search for settings", *less.cuts))


def _chosen_seconds(plan: Plan) -> float:
    """Return the seconds of the fits of what a search chose, on all folds; of boosting where it is tried."""
    fits = plan.n_folds * plan.n_repeats
    return next((fits * plan.cost(c) for c in plan.searchable), 0.0)


def _anyway(plan: Plan) -> float:
    """Return the seconds of the search in which a few settings of boosting are tried; 0 where they take more
    than the whole report.
    """
    boosting = next((c for c in plan.searchable if c.kind == "boosting"), None)
    if boosting is None or plan.looks:
        return 0.0
    seconds = (_ANYWAY + 1) * plan.n_folds * plan.searching(boosting)
    return (seconds + _chosen_seconds(plan)) / SEARCHES["boosting"][0] if seconds <= plan.budget else 0.0


def _searched(plan: Plan, seconds: float) -> Plan:
    """Return the plan with the search for settings that so many seconds suffice for.

    Where all rows of a fold would leave time for few fits, half or a quarter of them are taken.  After a race
    the seconds are those of each search, since one of them is expected to be left.
    """
    out, on = [], []
    last = plan.n_folds * plan.n_repeats  # the fits of what it chose
    whole = plan.n * (plan.n_folds - 1) / plan.n_folds
    for c in plan.searchable:
        share, most = SEARCHES[c.kind]
        left = seconds * (1.0 if plan.looks else share) - last * plan.cost(c)
        rows = whole
        while left < _WANTED * plan.searching(c, rows) and rows >= max(2 * _FEWEST, 0.4 * whole):
            rows /= 2.0
        fits = int(min(left / plan.searching(c, rows), most))
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
    steps: list[tuple[str, dict[str, Any]]] = [
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
        smaller = replace(plan, **change)
        if smaller.seconds < plan.seconds:
            plan = replace(smaller, cuts=(*plan.cuts, words))
    return plan
