"""How well each column predicts the target alone, and whether one does so suspiciously well."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl
from scipy import stats

from empirisk.report.checks import Audited, NotRunError, Outcome
from empirisk.report.dominance import dominance_p_values
from empirisk.report.table import option
from empirisk.results import Estimate, Finding

__all__ = ["ColumnScore", "column_scores", "leak_suspects"]

_N_FOLDS = 5
_N_BINS = 32
_SUSPECT = 0.9  # share of the baseline loss that one honest column rarely takes away
_STRONG = 0.5  # share from which it is asked whether the other columns add anything
_SAFETY = 1.25  # standard errors of out-of-fold losses are too small by about this factor


@dataclass(frozen=True)
class ColumnScore:
    """The share of the baseline's loss that one column alone takes away, with a simultaneous interval."""

    name: str
    explained: Estimate
    p_value: float
    losses: np.ndarray = field(repr=False)


def column_scores(a: Audited, level: float = 0.95) -> list[ColumnScore]:
    """Score every feature alone, out of fold, on the training rows.

    A column is cut into at most 32 bins of equal counts (a level, or a value of a number with few distinct
    values, is a bin; missing is one), the prediction is the bin's class shares or mean, shrunk towards the
    overall ones. With losses l (log-loss; squared error) and l0 of the baseline, the score is ``1 -
    mean(l)/mean(l0)``; its standard error is ``1.25 sd(l - (1 - score) l0) / (sqrt(n) mean(l0))``. Intervals
    hold simultaneously (Bonferroni over the columns). The p-value, not corrected, is against a score of at
    most 0.9. Costs one pass over each column.
    """
    y, folds = a.target, _folds(a.units, a.seed)
    names = a.table.features
    baseline = _losses(np.zeros(len(y), dtype=np.int64), y, folds, a)
    quantile = stats.t.ppf(1.0 - (1.0 - level) / (2 * max(1, len(names))), len(y) - 1)
    method = "out-of-fold bin means, 1.25 x row standard error, Bonferroni over the columns"
    out = []
    for name in names:
        losses = _losses(_bins(a.train[name]), y, folds, a)
        mean0 = float(baseline.mean())
        if mean0 <= 0.0:
            continue
        score = 1.0 - float(losses.mean()) / mean0
        error = _SAFETY * _row_error(losses - (1.0 - score) * baseline, a.units) / mean0
        gap = losses - (1.0 - _SUSPECT) * baseline
        se = _SAFETY * _row_error(gap, a.units)
        mean_gap = float(gap.mean())
        p = float(stats.t.cdf(mean_gap / se, len(y) - 1)) if se > 0 else float(mean_gap >= 0)
        estimate = Estimate(
            score, score - quantile * error, min(1.0, score + quantile * error), level, len(y), method
        )
        out.append(ColumnScore(name, estimate, p, losses))
    return sorted(out, key=lambda s: -s.explained.value)


def leak_suspects(a: Audited) -> Outcome:
    """Columns that alone tell nearly everything: two tests at 5 %, each Bonferroni over the columns.

    Serious: the column takes away more than 90 % of the baseline's loss. Warning: it takes away more than
    half (the simultaneous interval says so) and keeps more than 95 % of what gradient-boosted trees on all
    columns explain.
    """
    _enough_rows(a)
    scores = column_scores(a)
    out = [_finding(a, s, f"p = {p:.2g} against 90 % or less", "serious") for s, p in _beyond(scores)]
    named = {f.where[0] for f in out}
    strong = {s.name: s.losses for s in scores if (s.explained.low or 0.0) > _STRONG and s.name not in named}
    if strong and len(a.table.features) > 1:
        folds = _folds(a.units, a.seed)
        baseline = _losses(np.zeros(len(folds), dtype=np.int64), a.target, folds, a)
        p_values = dominance_p_values(a, baseline, strong, folds)
        for s in scores:
            if p_values.get(s.name, 1.0) <= 0.05:
                text = (
                    f"p = {p_values[s.name]:.2g} against keeping 95 % or less of what boosted trees on "
                    "all columns explain"
                )
                out.append(_finding(a, s, text, "warning"))
    best = scores[0] if scores else None
    told = (
        f"the best single column, {best.name!r}, explains {best.explained} of the baseline's loss"
        if best
        else ""
    )
    return Outcome(out, told)


def _enough_rows(a: Audited) -> None:
    if len(a.target) < 50:
        raise NotRunError(f"{len(a.target)} training rows are too few (50 needed)")
    if a.table.task != "regression" and (np.bincount(a.target) >= 10).sum() < 2:
        raise NotRunError("fewer than two classes have 10 training rows")


def _beyond(scores: list[ColumnScore]) -> list[tuple[ColumnScore, float]]:
    corrected = [(s, min(1.0, len(scores) * s.p_value)) for s in scores]
    return [(s, p) for s, p in corrected if p <= 0.05]


def _finding(a: Audited, s: ColumnScore, test: str, level: str) -> Finding:
    kind = "squared error" if a.table.task == "regression" else "log-loss"
    share = f"{100 * s.explained.value:.1f} % of the baseline's {kind}"
    tells = (
        f"alone predicts the target almost completely: it takes away {share}"
        if level == "serious"
        else f"alone takes away {share}, and the other columns add next to nothing"
    )
    return Finding(
        "ER113",
        level,
        f"Column {s.name!r} {tells}. A leak, or a column that is the answer?",
        f"share explained {s.explained}, n = {s.explained.n:,}, {s.explained.method}; {test}",
        f"Ask when its value becomes known; if only after the target, give {option('--drop', s.name)}.",
        (s.name,),
    )


def _row_error(values: np.ndarray, units: np.ndarray) -> float:
    """Standard error of a mean over rows that come in units: from the sums by unit."""
    n = len(values)
    sums = np.bincount(np.unique(units, return_inverse=True)[1], weights=values - values.mean())
    m = len(sums)
    return float(np.sqrt(m / max(1, m - 1) * (sums**2).sum()) / n)


def _folds(units: np.ndarray, seed: int) -> np.ndarray:
    """Number the rows 0..4, rows of a unit alike."""
    rng = np.random.default_rng(seed)
    _, codes = np.unique(units, return_inverse=True)
    n_units = int(codes.max()) + 1
    return np.asarray(rng.permutation(np.arange(n_units) % _N_FOLDS)[codes])


def _bins(values: pl.Series) -> np.ndarray:
    """Cut a column into bins by its own values (the target plays no part)."""
    if values.dtype in (pl.String, pl.Boolean):
        codes = values.cast(pl.String).rank("dense").fill_null(0).to_numpy().astype(np.int64)
        return _merge_rare(codes)
    numbers = (values.dt.epoch("us") if values.dtype.is_temporal() else values).cast(pl.Float64).to_numpy()
    known = ~np.isnan(numbers)
    distinct = np.unique(numbers[known])
    if len(distinct) > 2 * _N_BINS:
        distinct = np.unique(np.quantile(numbers[known], np.linspace(0, 1, _N_BINS + 1)[1:-1]))
    return np.where(known, 1 + np.searchsorted(distinct, np.nan_to_num(numbers), side="right"), 0)


def _merge_rare(codes: np.ndarray, most: int = 200) -> np.ndarray:
    counts = np.bincount(codes)
    if len(counts) <= most:
        return codes
    keep = np.zeros(len(counts), dtype=bool)
    keep[np.argsort(-counts)[:most]] = True
    return np.where(keep[codes], codes, 0)


def _losses(bins: np.ndarray, y: np.ndarray, folds: np.ndarray, a: Audited) -> np.ndarray:
    """Out-of-fold losses of the bin predictor: sums over all folds less those of the row's own fold."""
    n_bins = int(bins.max()) + 1
    cell = bins * _N_FOLDS + folds
    if a.table.task == "regression":
        count, total = _left_out(cell, n_bins, None), _left_out(cell, n_bins, y.astype(np.float64))
        overall = total.sum(axis=0) / count.sum(axis=0)
        mean = (total + overall) / (count + 1.0)
        return np.asarray((y - mean[bins, folds]) ** 2)
    k = len(a.table.classes)
    counts = np.stack([_left_out(cell, n_bins, (y == c).astype(np.float64)) for c in range(k)], axis=-1)
    overall = (counts.sum(axis=0) + 1.0 / k) / (counts.sum(axis=(0, 2))[:, None] + 1.0)
    shares = (counts + overall) / (counts.sum(axis=-1, keepdims=True) + 1.0)
    return np.asarray(-np.log(shares[bins, folds, y]))


def _left_out(cell: np.ndarray, n_bins: int, weights: np.ndarray | None) -> np.ndarray:
    """Sums by bin (rows) over all folds but one (columns)."""
    sums = np.bincount(cell, weights, minlength=n_bins * _N_FOLDS).reshape(n_bins, _N_FOLDS)
    return np.asarray(sums.sum(axis=1, keepdims=True) - sums, dtype=np.float64)
