"""Whether the target is an exact formula of other columns, so that there is nothing to forecast."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from empirisk.diagnosis.cuts import LEAST, exact_cuts
from empirisk.diagnosis.formula_words import cut_words, relation_words
from empirisk.diagnosis.relation import CHANCE, exact_relation
from empirisk.report.audit.checks import Audited, NotRunError, Outcome
from empirisk.report.read.table import option
from empirisk.results import Finding

__all__ = ["CODE", "formula_of_the_target"]

CODE = "ER119"
NOTHING = "the target is no sum, difference, product, ratio, copy or cut of other columns"


def formula_of_the_target(a: Audited) -> Outcome:
    """Return a number that is an exact sparse formula of numbers and dates, or classes cut out of one
    column.
    """
    names = [
        c.name for c in a.table.columns if c.role == "feature" and c.kind in ("number", "boolean", "date")
    ]
    if not names:
        raise NotRunError("no feature holds numbers or dates")
    values = np.column_stack([_numbers(a.train[name]) for name in names])
    target = str(a.table.target)
    if a.table.task == "regression":
        found = exact_relation(values, a.target, a.seed)
        if found is None:
            return Outcome(nothing=NOTHING)
        told = relation_words(found, target, names)
        return Outcome([_finding(told, [names[j] for j in found.columns])])
    counts = np.bincount(a.target)
    if counts[counts > 0].min() < LEAST:
        raise NotRunError(f"a class has fewer than {LEAST} training rows")
    for name, column in zip(names, values.T, strict=True):
        cut = exact_cuts(column, a.target)
        if cut is not None and cut.log10_chance + math.log10(len(names)) <= math.log10(CHANCE):
            rows = int(np.isfinite(column).sum())
            return Outcome([_finding(cut_words(cut, target, name, a.table.classes, rows), [name])])
    return Outcome(nothing=NOTHING)


def _numbers(values: pl.Series) -> np.ndarray:
    """Return the values as floats; dates become days since 1970."""
    if values.dtype.is_temporal():
        return values.dt.epoch("us").cast(pl.Float64).to_numpy() / 86_400e6
    return values.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def _finding(told: tuple[str, str], names: list[str]) -> Finding:
    sentence, evidence = told
    one = names[0] if len(names) == 1 else names[-1]
    advice = (
        f"If these columns become known with the target, leave them out ({option('--drop', one)}"
        f"{'' if len(names) == 1 else ' and the others'}); if before it, compute the formula: there is "
        "nothing to forecast."
    )
    return Finding(CODE, "serious", sentence, evidence, advice, tuple(names))
