"""Which path a statistic takes: exact, sums, or calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from empirisk.data.progress import Progress
from empirisk.evaluation.intervals.base import Floats, is_real
from empirisk.evaluation.intervals.tails import spread_note
from empirisk.resampling.bootstrap.calls import CallStatistic, resample_calls
from empirisk.resampling.bootstrap.correlation import Correlation
from empirisk.resampling.bootstrap.data import Units, columns_of, match, samples_of, units_of
from empirisk.resampling.bootstrap.exact import exact_quantiles
from empirisk.resampling.bootstrap.ratio import Ratio
from empirisk.resampling.bootstrap.regression import Regression
from empirisk.resampling.bootstrap.resampled import Resampled
from empirisk.resampling.bootstrap.spread import Spread
from empirisk.resampling.bootstrap.sums import SumSample, resample_sums

__all__ = ["STATISTICS", "Statistic", "choose"]

# Numbers that the table of a regression may hold, twice.
MAX_TABLE = 1 << 27


@dataclass(frozen=True)
class Request:
    """What was asked, with checked samples."""

    name: str
    samples: tuple[Floats, ...]
    units: list[Units]
    studentised: bool
    n_resamples: int
    q: float
    key: int
    columns: tuple[str, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether single rows are drawn without strata."""
        return all(u.starts is None and len(u.sizes) == 1 for u in self.units)


def choose(
    statistic: str | Callable[..., Any],
    data: Any,
    *,
    studentised: bool,
    n_resamples: int,
    groups: ArrayLike | None,
    strata: ArrayLike | None,
    paired: bool | None,
    vectorized: bool,
    q: float,
    key: int,
    progress: Progress | None = None,
) -> tuple[Resampled, str]:
    """Resample by the fastest path that fits; returns the name of the statistic too."""
    raw = samples_of(data)
    name = statistic if isinstance(statistic, str) else getattr(statistic, "__name__", "statistic")
    if not callable(statistic):
        _check_name(statistic, raw)
    samples = tuple(columns_of(s, "data" if len(raw) == 1 else f"data[{k}]") for k, s in enumerate(raw))
    together = _together(statistic, len(samples), paired)
    if together:
        n = match(samples)
        units = [units_of(n, groups, strata)]
    elif groups is not None or strata is not None:
        raise ValueError("groups and strata are for one sample or paired ones, not for independent samples.")
    else:
        units = [units_of(len(s), None, None) for s in samples]
    if min(min(u.sizes) for u in units) < 2:
        raise ValueError("every sample and every stratum needs at least two rows (or groups) to draw from.")
    if not is_real(q) or not 0.0 <= q <= 1.0:
        raise ValueError(f"q must lie in [0, 1], got {q!r}.")
    if q != 0.5 and statistic != "quantile":
        raise ValueError(f"q is for the statistic 'quantile' alone, got q={q!r} with {name!r}.")
    columns = tuple(str(c) for c in getattr(raw[0], "columns", ()))
    ask = Request(name, samples, units, studentised, n_resamples, q, key, columns)
    if callable(statistic):
        if studentised:
            raise ValueError("a callable has no standard error of its own; use method='bca' or 'percentile'.")
        call = CallStatistic(statistic, samples, vectorized)
        return resample_calls(call, units, key, n_resamples, name, progress), name
    _check_shapes(name, samples)
    if studentised and not ask.plain and not (name in ("mean", "weighted_mean") and len(units[0].sizes) == 1):
        raise ValueError(f"the studentised {name} is for independent rows; use method='bca' here.")
    return STATISTICS[name].make(ask), name


def _together(statistic: Any, count: int, paired: bool | None) -> bool:
    """Return whether the rows of all samples are drawn together."""
    if count == 1:
        return True
    if paired is None:
        if callable(statistic):
            raise ValueError(
                f"data has {count} arrays: say paired=True (their rows belong together) or paired=False "
                "(they are independent samples)."
            )
        return not STATISTICS[statistic].independent
    if not paired and not callable(statistic) and not STATISTICS[statistic].independent:
        raise ValueError(f"the rows of the two arrays of {statistic!r} belong together; leave paired out.")
    return paired


def _check_name(statistic: Any, raw: tuple[Any, ...]) -> None:
    if statistic not in STATISTICS:
        raise ValueError(f"statistic must be callable or one of {', '.join(STATISTICS)}; got {statistic!r}.")
    if len(raw) != STATISTICS[statistic].arrays:
        wanted = "one array" if STATISTICS[statistic].arrays == 1 else "a tuple of two arrays"
        raise ValueError(f"{statistic!r} needs {wanted} as data, got {len(raw)}.")


def _check_shapes(name: str, samples: tuple[Floats, ...]) -> None:
    for k, sample in enumerate(samples):
        if sample.ndim == 2 and not (name == "regression" and k == 0):
            raise ValueError(f"data[{k}] of {name!r} must be one-dimensional, got shape {sample.shape}.")


def _mean(ask: Request) -> Resampled:
    (units,) = ask.units
    x = ask.samples[0]
    sizes = None if units.starts is None else np.diff(units.starts).astype(np.float64)
    ratio = Ratio(units.totals(x), sizes, ask.name, ask.studentised)
    return _sums(ask, [SumSample(ratio, units, ask.key, per_unit=True)])


def _weighted_mean(ask: Request) -> Resampled:
    x, w = ask.samples
    if w.min() < 0.0 or not w.sum() > 0.0:
        raise ValueError("data[1], the weights, must not be negative, and not all zero.")
    (units,) = ask.units
    ratio = Ratio(units.totals(x * w), units.totals(w), ask.name, ask.studentised)
    return _sums(ask, [SumSample(ratio, units, ask.key, per_unit=True)])


def _spread(ask: Request) -> Resampled:
    x = ask.samples[0]
    statistic = Spread(x, ask.name == "standard_deviation", ask.studentised)
    found = _sums(ask, [SumSample(statistic, ask.units[0], ask.key)])
    return replace(found, caution=spread_note((x - x.mean()) ** 2))


def _correlation(ask: Request) -> Resampled:
    x, y = ask.samples
    for k, column in enumerate((x, y)):
        if not column.std() > 1e-13 * float(np.abs(column).max()):
            raise ValueError(f"data[{k}] is constant; its correlation is undefined.")
    return _sums(ask, [SumSample(Correlation(x, y, ask.studentised), ask.units[0], ask.key)])


def _regression(ask: Request) -> Resampled:
    X, y = ask.samples
    X = X.reshape(len(X), -1)
    n, p = X.shape
    names = ask.columns or tuple(f"x{j}" for j in range(p))
    if n < p + 2:
        raise ValueError(f"{n} rows are too few for {p} columns and an intercept; {p + 2} are needed.")
    if n * (p + 1) * (p + 4) > MAX_TABLE:
        raise ValueError(
            f"the products of {p} columns on {n} rows would need {4e-6 * n * (p + 1) * (p + 4):.0f} MB; "
            "pass a callable that fits the coefficients you need."
        )
    flat = np.flatnonzero(~(X.std(axis=0) > 1e-13 * np.abs(X).max(axis=0)))
    if flat.size:
        raise ValueError(f"column {names[flat[0]]!r} of data[0] is constant; leave it out.")
    sample = SumSample(Regression(X, y, names), ask.units[0], ask.key)
    if not np.isfinite(sample.value(sample.table().sum(axis=0)[None, :], n)).all():
        raise ValueError("the columns of data[0] are collinear; leave out one that others make up.")
    return _sums(ask, [sample])


def _mean_difference(ask: Request) -> Resampled:
    a, b = ask.samples
    if len(ask.units) == 1:
        (units,) = ask.units
        sizes = None if units.starts is None else np.diff(units.starts).astype(np.float64)
        ratio = Ratio(units.totals(a - b), sizes, ask.name, ask.studentised)
        return _sums(ask, [SumSample(ratio, units, ask.key, per_unit=True)])
    parts = [
        SumSample(Ratio(x, None, ask.name, ask.studentised), u, ask.key + k, per_unit=True)
        for k, (x, u) in enumerate(zip((a, b), ask.units, strict=True))
    ]
    return _sums(ask, parts)


def _sums(ask: Request, parts: list[SumSample]) -> Resampled:
    return resample_sums(parts, parts[0].statistic.labels, ask.n_resamples, ask.studentised)


def _quantile(ask: Request) -> Resampled:
    if ask.studentised:
        raise ValueError("a quantile has no plain standard error; use method='bca' or 'percentile'.")
    q = ask.q if ask.name == "quantile" else 0.5
    independent = len(ask.units) == len(ask.samples)
    if ask.plain and independent:
        return exact_quantiles(list(ask.samples), q, ask.name)

    def value(*samples: Any, axis: int) -> Any:
        parts = [np.quantile(s, q, axis=axis) for s in samples]
        return parts[0] if len(parts) == 1 else parts[0] - parts[1]

    call = CallStatistic(value, ask.samples, vectorized=True)
    return resample_calls(call, ask.units, ask.key, ask.n_resamples, ask.name)


@dataclass(frozen=True)
class Statistic:
    """How a statistic is resampled, and what its intervals ask about it.

    Parameters
    ----------
    make : callable
        Resamples it.
    arrays : int
        How many arrays it takes.
    independent : bool
        Whether two arrays may be independent samples.
    quantile : bool
        Whether it is made of order statistics, whose draws are few: no standard error is known.
    grouped_error : bool
        Whether its standard error is known when groups are drawn, too.
    """

    make: Callable[[Request], Resampled]
    arrays: int = 1
    independent: bool = False
    quantile: bool = False
    grouped_error: bool = False


STATISTICS: dict[str, Statistic] = {
    "mean": Statistic(_mean, grouped_error=True),
    "weighted_mean": Statistic(_weighted_mean, 2, grouped_error=True),
    "variance": Statistic(_spread),
    "standard_deviation": Statistic(_spread),
    "median": Statistic(_quantile, quantile=True),
    "quantile": Statistic(_quantile, quantile=True),
    "correlation": Statistic(_correlation, 2),
    "regression": Statistic(_regression, 2),
    "mean_difference": Statistic(_mean_difference, 2, independent=True),
    "median_difference": Statistic(_quantile, 2, independent=True, quantile=True),
}
