"""Checks of rows and of the target: repetition, missing values, classes, dates."""

from __future__ import annotations

import numpy as np
from scipy import stats

from empirisk.diagnosis.class_rows import recall_half_width, rows_for
from empirisk.report.audit.checks import Audited, NotRunError, Outcome
from empirisk.report.audit.twins import compared, twin_groups
from empirisk.report.read.table import option
from empirisk.results import Finding
from empirisk.wording import counted, p_value, percent

__all__ = [
    "duplicate_rows",
    "few_rows",
    "missing_values",
    "rare_classes",
    "rows_without_target",
    "straddling_twins",
    "undeclared_dates",
]

_WIDTH = 0.1  # half width of a recall that is worth stating
_ENOUGH = 50  # rows for which error rates of the tests were simulated


def few_rows(a: Audited) -> Outcome:
    """Find whether there are too few rows for most statements."""
    n = len(a.split.train)
    if n >= _ENOUGH:
        return Outcome(nothing=f"{n:,} rows to learn from")
    sentence = f"Only {n} rows to learn from: most comparisons below will be undecided."
    evidence = f"with fewer than {_ENOUGH} rows the error rates of the tests are not known to hold"
    return Outcome(
        [Finding("ER118", "warning", sentence, evidence, "Collect more rows before deciding anything.")]
    )


def missing_values(a: Audited) -> Outcome:
    """Find how much is missing, and say what is done about it."""
    columns = [c for c in a.table.columns if c.role == "feature" and c.n_missing]
    if not columns:
        return Outcome(nothing="no feature has missing values")
    columns.sort(key=lambda c: -c.n_missing)
    n = a.table.n_rows
    shown = ", ".join(f"{c.name!r} {percent(c.n_missing / n)}" for c in columns[:4])
    sentence = f"{len(columns)} of {len(a.table.features)} features have missing values (most: {shown})."
    rows = int(a.table.frame.select([c.name for c in columns]).null_count().sum_horizontal()[0])
    complete = n - int(a.table.frame.select(c.name for c in columns).drop_nulls().height)
    evidence = f"{counted(rows, 'empty cell')}; {complete:,} of {n:,} rows miss at least one value"
    marked = "" if a.table.task == "clusters" else " and marked by a 0/1 column"
    numbers = f"numbers are filled with the median{marked}"
    level = "a missing level is a level of its own"
    kinds = {c.kind for c in columns}
    done = f"{numbers}; {level}"
    if len(kinds) == 1 and kinds <= {"number", "categorical"}:
        done = numbers if kinds == {"number"} else level
    advice = f"To fit a model nothing needs to be done: {done}. Why they are missing is another question."
    return Outcome([Finding("ER105", "note", sentence, evidence, advice, tuple(c.name for c in columns))])


def duplicate_rows(a: Audited) -> Outcome:
    """Find the rows that repeat another row exactly."""
    twins = twin_groups(a.table)
    counts = np.bincount(twins)
    repeats = int((counts - 1).clip(min=0).sum())
    if repeats == 0:
        return Outcome(nothing=f"no row repeats another one {compared(a.table)}")
    rows = "1 row" if repeats == 1 else f"{repeats:,} rows"
    verb = "repeats" if repeats == 1 else "repeat"
    share = percent(repeats / a.table.n_rows)
    included = "" if a.table.target is None else ", target included"
    sentence = f"{rows} ({share}) {verb} an earlier row {compared(a.table)}{included}."
    several, most = int((counts > 1).sum()), f"{int(counts.max()):,} times"
    evidence = (
        f"1 row stands {most}"
        if several == 1
        else f"{several:,} different rows stand more than once, the most frequent {most}"
    )
    advice = "If a record was entered twice, remove the copies; if different cases look alike, keep them."
    return Outcome([Finding("ER107", "note", sentence, evidence, advice)])


def straddling_twins(a: Audited) -> Outcome:
    """Find twins of training rows in the test part."""
    s = a.split
    if s.n_straddling == 0:
        return Outcome(nothing=s.twins)
    kept = s.unit == "row" and s.groups is not None
    told = s.twins[0].upper() + s.twins[1:] + "."
    evidence = f"{s.n_straddling:,} of {len(s.test):,} test rows"
    advice = (
        "Nothing needs to be done for the score; ask why rows repeat."
        if kept
        else "Remove copies, or give --group: a model that remembers rows looks better on them than it is."
    )
    return Outcome([Finding("ER108", "note" if kept else "warning", told, evidence, advice)])


def rows_without_target(a: Audited) -> Outcome:
    """Find the rows left out because there is nothing to learn from them."""
    k, n = a.table.n_left_out, a.table.n_rows
    if k == 0:
        return Outcome(nothing="every row has a target value")
    sentence = (
        f"{k:,} of {counted(n + k, 'row')} "
        f"{'has no target value and is' if k == 1 else 'have no target value and are'} left out."
    )
    advice = (
        "Ask why: if the value is missing for a reason that matters, the scores hold for the other rows only."
    )
    return Outcome([Finding("ER116", "warning", sentence, f"{percent(k / (n + k))} of the rows", advice)])


def rare_classes(a: Audited) -> Outcome:
    """Find the classes whose recall the test cannot measure: exact binomial half width above 0.1."""
    if a.table.task == "regression":
        raise NotRunError("the target is a number, so there are no classes")
    test, train = a.split.balance["test"], a.split.balance["train"]
    wide = {label: recall_half_width(k) for label, k in test.items() if recall_half_width(k) > _WIDTH}
    need = rows_for(0.5, _WIDTH)
    evidence = "exact binomial (Clopper-Pearson) 95 % interval at a recall of one half"
    advice = (
        f"Collect more rows, or merge classes that may be merged: about {need} test rows of a class give "
        f"±{_WIDTH}."
    )
    tiny = [label for label in wide if train[label] + test[label] < 10]
    out = []
    for label in tiny:
        k, total = test[label], train[label] + test[label]
        known = (
            f"its recall can be known within ±{wide[label]:.2f} only" if k else "its recall cannot be tested"
        )
        sentence = f"Class {label!r} has {counted(total, 'row')}, {k:,} of them in the test: {known}."
        out.append(Finding("ER110", "serious", sentence, evidence, advice, (label,)))
    rest = [label for label in wide if label not in tiny]
    if rest:
        told = ", ".join(
            f"{label!r} ±{wide[label]:.2f} ({counted(test[label], 'row')})" for label in rest[:5]
        )
        more = f" and {len(rest) - 5} more" if len(rest) > 5 else ""
        sentence = (
            f"The test holds too few rows of some classes to know their recall within ±{_WIDTH}: "
            f"{told}{more}."
        )
        out.append(Finding("ER110", "note", sentence, evidence, advice, tuple(rest)))
    smallest = min(test.values())
    width = recall_half_width(smallest)
    return Outcome(
        out,
        f"the smallest class has {counted(smallest, 'test row')}: "
        f"its recall is known within ±{width:.3f} or better",
    )


def undeclared_dates(a: Audited) -> Outcome:
    """Find dates that order the rows while the split ignores them; tested for a target that moves with the
    date.
    """
    if a.table.time is not None or a.split.unit == "file":
        return Outcome(nothing="the test rows are later rows or a file of their own, as asked")
    dates = [c for c in a.table.columns if c.kind == "date" and c.role != "target" and c.n_distinct > 1]
    if not dates:
        return Outcome(nothing="no column holds dates")
    out = []
    for c in dates:
        p = min(1.0, len(dates) * _moves_with(a, c.name))
        moves = (
            f"the target moves with it ({p_value(p)})"
            if p <= 0.05
            else f"no drift of the target seen ({p_value(p)})"
        )
        sentence = f"Column {c.name!r} holds dates, but the test rows were not chosen by date; {moves}."
        evidence = (
            f"rank test of target against date on {len(a.split.train):,} training rows, Bonferroni over "
            f"{len(dates)}"
        )
        advice = (
            f"If the model will predict later rows, give {option('--time', c.name)}: the score is for "
            "rows of the same period."
        )
        out.append(
            Finding("ER111", "warning" if p <= 0.05 else "note", sentence, evidence, advice, (c.name,))
        )
    return Outcome(out)


def _moves_with(a: Audited, name: str) -> float:
    """Return the p-value of target and date being unrelated: Spearman for numbers, Kruskal-Wallis over
    classes.
    """
    days = a.train[name].dt.epoch("us").cast(float).fill_null(float("nan")).to_numpy()
    y, known = a.target, ~np.isnan(days)
    y, days = y[known], days[known]
    if len(np.unique(days)) < 2 or len(np.unique(y)) < 2:
        return 1.0
    if a.table.task == "regression":
        return float(stats.spearmanr(days, y).pvalue)
    return float(stats.kruskal(*(days[y == k] for k in np.unique(y))).pvalue)
