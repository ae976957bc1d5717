"""Whether a value is missing more often for some targets than for others."""

from __future__ import annotations

import numpy as np
from scipy import stats

from empirisk.report.audit.checks import Audited, NotRunError, Outcome
from empirisk.results import Finding
from empirisk.wording import counted, number, p_value, percent

__all__ = ["holm", "informative_missingness"]

_MIN_EXPECTED = 5.0  # the usual rule: below it the chi squared law is no good and draws replace it
_DRAWS = 1999  # p-values in steps of 1/2000


def informative_missingness(a: Audited) -> Outcome:
    """Test, for every feature with gaps, that being missing has nothing to do with the target.

    Classes: chi-squared test, or Fisher's exact test (two classes) or 1,999 permutations where a count is
    expected to be below five. Numbers: Mann-Whitney test. Training rows only, Holm over the columns.
    """
    columns = [c for c in a.table.columns if c.role == "feature" and c.n_missing]
    if not columns:
        return Outcome(nothing="no feature has missing values")
    if len(a.split.train) < 50:
        raise NotRunError(f"{len(a.split.train)} training rows are too few (50 needed)")
    y, p_values, told = a.target, [], []
    for c in columns:
        gone = a.train[c.name].is_null().to_numpy()
        p, text = _test(gone, y, a)
        p_values.append(p)
        told.append(text)
    out = []
    tested = sorted(zip(columns, holm(p_values), told, p_values, strict=True), key=lambda t: t[3])
    for c, p, text, _ in tested:  # the strongest first
        if p <= 0.05:
            sentence = f"Whether {c.name!r} is missing goes with the target: {text}."
            evidence = f"{p_value(p)} (Holm over {len(columns)} columns), {len(y):,} training rows"
            advice = (
                "Ask why it is missing, and whether it will be missing in the same way when the model is "
                "used."
            )
            out.append(Finding("ER106", "warning", sentence, evidence, advice, (c.name,)))
    return Outcome(
        out,
        f"in {counted(len(columns), 'column')} with gaps, no sign that they go with the target (5 %, Holm)",
    )


def _test(gone: np.ndarray, y: np.ndarray, a: Audited) -> tuple[float, str]:
    if not gone.any() or gone.all():
        return 1.0, ""
    if a.table.task == "regression":
        p = float(stats.mannwhitneyu(y[gone], y[~gone]).pvalue)
        return (
            p,
            f"its median is {number(np.median(y[gone]), 4)} where it is missing and "
            f"{number(np.median(y[~gone]), 4)} elsewhere",
        )
    k = len(a.table.classes)
    counts = np.stack([np.bincount(y[gone], minlength=k), np.bincount(y[~gone], minlength=k)])
    shares = counts / counts.sum(axis=1, keepdims=True)
    at = (
        a.table.classes.index(a.table.positive)
        if a.table.positive
        else int(np.argmax(np.abs(shares[0] - shares[1])))
    )
    text = (
        f"the share of {a.table.classes[at]!r} is {percent(shares[0, at])} where it is missing "
        f"and {percent(shares[1, at])} elsewhere"
    )
    counts = counts[:, counts.sum(axis=0) > 0]
    if counts.shape[1] < 2:
        return 1.0, text
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    if expected.min() >= _MIN_EXPECTED:
        return float(stats.chi2_contingency(counts, correction=False).pvalue), text
    if counts.shape[1] == 2:
        return float(stats.fisher_exact(counts).pvalue), text
    return _permuted(gone, y, expected, a.seed), text


def _permuted(gone: np.ndarray, y: np.ndarray, expected: np.ndarray, seed: int) -> float:
    """Return the monte-Carlo p-value of the chi-squared statistic; the counts of missing rows are
    multivariate hypergeometric.
    """
    rng = np.random.default_rng(seed)
    totals = np.unique(y, return_counts=True)[1]
    observed = np.unique(np.concatenate([np.unique(y), y[gone]]), return_counts=True)[1] - 1
    draws = rng.multivariate_hypergeometric(totals, int(gone.sum()), size=_DRAWS)

    def statistic(top: np.ndarray) -> np.ndarray:
        return np.asarray(
            ((top - expected[0]) ** 2 / expected[0] + (top - expected[0]) ** 2 / expected[1]).sum(axis=-1)
        )

    return float((1 + (statistic(draws) >= statistic(observed) - 1e-9).sum()) / (_DRAWS + 1))


def holm(p_values: list[float]) -> list[float]:
    """Return Holm's adjusted p-values: the family-wise error is at most the level, whatever the dependence.

    Examples
    --------
    >>> [round(p, 6) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values)
    m, out, largest = len(p_values), [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, (m - rank) * p_values[i]))
        out[int(i)] = largest
    return out
