"""The candidates that model the rows of each class: discriminants, and naive Bayes for the kinds of columns.

Their assumptions are strong: where they hold, few rows are enough; where they fail, more rows do not help.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.report.fit.candidates import Candidate
from empirisk.report.fit.encode import blocks_of
from empirisk.report.fit.native import LEVELS, NUMBERS
from empirisk.report.fit.sample import Sample
from empirisk.report.read.table import Table
from empirisk.wording import counted

__all__ = ["bayes_estimator", "bayes_seconds", "laws_of", "n_law_numbers", "unsuited"]

NAIVE = ("gaussian_nb", "categorical_nb", "multinomial_nb", "mixed_nb")
# Encoded columns up to which covariances are estimated, of all rows and of each class.
MOST_COLUMNS = {"lda": 500, "qda": 100}
# Training rows of the smallest class: four fifths of them are fitted on, and give it a law of its own.
FEWEST = {"lda": 2, "qda": 10} | dict.fromkeys(NAIVE, 5)
COUNTED = 10  # columns of counts from which they are taken for counts of words or events
# Seconds for a row and a squared column of a scatter matrix, and for the inverse of one.
_SCATTER, _INVERSE = 4.0e-10, 3.0e-9


def bayes_estimator(candidate: Candidate, table: Table | None = None) -> Any:
    """Return the unfitted estimator of a candidate; covariances are shrunk as Ledoit and Wolf say.

    Naive Bayes over columns of several kinds is told which of the encoded ones are levels and truth values.
    """
    from empirisk import estimators

    kinds: Any = "from_dtype" if table is None else encoded_kinds(table)
    name, given = {
        "lda": ("LinearDiscriminantAnalysis", {"shrinkage": "ledoit_wolf"}),
        "qda": ("QuadraticDiscriminantAnalysis", {"shrinkage": "ledoit_wolf"}),
        "gaussian_nb": ("GaussianNB", {}),
        "categorical_nb": ("CategoricalNB", {}),
        "multinomial_nb": ("MultinomialNB", {}),
        "mixed_nb": ("MixedNB", {"kinds": kinds}),
    }[candidate.name]
    return estimators.REGISTRY[name](**given)


def laws_of(table: Table, *samples: Sample) -> str:
    """Return which naive Bayes suits the columns of a table.

    Of at least ten columns of whole numbers from 0 up (truth values among them) of which a quarter of the
    cells are 0: counts. Other numbers alone: Gaussian. Levels and truth values alone: categories. Columns of
    several kinds, and dates: the one whose laws differ by column.

    Parameters
    ----------
    table : Table
        Decides the columns.
    *samples : Sample
        Training rows, and those of the test: a number below 0 in either is no count.
    """
    blocks = {key for key, names in blocks_of(table).items() if names and not key.startswith("missing")}
    if "texts" in blocks:
        return ""
    if blocks <= {"levels", "truths"}:
        return "categorical_nb"
    if not blocks <= {"numbers", "truths"}:
        return "mixed_nb"
    if samples[0].frame.width >= COUNTED:
        values = np.concatenate([sample.frame.to_numpy() for sample in samples])
        values = values[np.isfinite(values)]
        counts = values.size and values.min() >= 0.0 and not np.mod(values, 1.0).any()
        if counts and np.mean(values == 0.0) >= 0.25:
            return "multinomial_nb"
    return "mixed_nb" if "truths" in blocks else "gaussian_nb"


def encoded_kinds(table: Table) -> list[str]:
    """Return the kinds of the columns of :func:`native_encoder`, as :class:`MixedNB` calls them."""
    blocks = blocks_of(table)
    kinds = dict.fromkeys(LEVELS, "categorical") | {"truths": "bernoulli"}
    return [kinds.get(key, "gaussian") for key in (*NUMBERS, *LEVELS) for _ in blocks[key]]


def unsuited(table: Table, sample: Sample, p: int, *others: Sample) -> dict[str, str]:
    """Return the names of the candidates of this kind that are not tried on a table, each with the reason.

    Of the naive Bayes one suits a table, and the others have no reason to be told of.

    Parameters
    ----------
    table : Table
    sample : Sample
        Training rows.
    p : int
        Encoded columns.
    *others : Sample
        Further rows that will be predicted, which decide on nothing but whether counts are counts.
    """
    fewest = min(sample.counts or [0])
    suits = laws_of(table, sample, *others)
    out = {name: "" for name in NAIVE if name != suits}
    if not suits:
        out["mixed_nb"] = "the words of a text are not independent in a class"
    for name, most in MOST_COLUMNS.items():
        if p > most:
            out[name] = f"{p:,} encoded columns are more than the {most:,} up to which it is tried"
    for name, least in FEWEST.items():
        if fewest < least and name not in out:
            out[name] = f"a class has {counted(fewest, 'training row')}, and {least} are needed for its law"
    return out


def bayes_seconds(candidate: Candidate, n: float, p: int, outputs: int) -> float:
    """Return the predicted seconds of a fit and of its predictions.

    Parameters
    ----------
    candidate : Candidate
    n : float
        Rows of a fit.
    p : int
        Encoded columns.
    outputs : int
        Scores of a row.
    """
    if candidate.name in NAIVE:
        return 2e-3 + 1e-8 * n * p * max(2, outputs)
    matrices = 1 if candidate.name == "lda" else max(2, outputs)
    return 4e-3 + 3.0 * _SCATTER * n * p * p + matrices * _INVERSE * p**3


def n_law_numbers(model: Any) -> int:
    """Return how many numbers a fitted model keeps of the laws of the classes.

    Of a linear discriminant these are the coefficients of its scores.
    """
    if hasattr(model, "coef_"):
        return int(np.count_nonzero(model.coef_))
    if hasattr(model, "parts_"):
        return sum(n_law_numbers(part.law) for part in model.parts_)
    if hasattr(model, "theta_"):
        return 2 * int(model.theta_.size)
    if hasattr(model, "feature_log_prob_"):
        return sum(int(np.size(one)) for one in model.feature_log_prob_)
    classes, p = model.means_.shape
    return int(classes * (p + p * (p + 1) // 2))
