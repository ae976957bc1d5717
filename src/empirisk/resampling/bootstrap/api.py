"""er.bootstrap: the interval of a statistic by resampling, compiled or exact where that can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from empirisk.data.frames import like_input
from empirisk.data.progress import Progress
from empirisk.data.seeds import Seed, generator_of
from empirisk.data.threads import at_most
from empirisk.evaluation.intervals.base import check_whole
from empirisk.resampling.bootstrap.choose import choose
from empirisk.resampling.bootstrap.finish import METHODS, estimates
from empirisk.resampling.bootstrap.result import Bootstrap
from empirisk.results.estimate import check_level

__all__ = ["bootstrap"]


@like_input
def bootstrap(
    statistic: str | Callable[..., Any],
    data: Any,
    *,
    level: float = 0.95,
    method: str = "bca",
    n_resamples: int = 9999,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    paired: bool | None = None,
    vectorized: bool = False,
    q: float = 0.5,
    keep: bool = False,
    n_jobs: int | None = None,
    random_state: Seed = None,
    target: str = "",
    progress: Progress | None = None,
) -> Bootstrap:
    """Interval of ``T(P)`` from ``T(P_n)`` and resamples ``T* = T(n draws with replacement)``.

    Parameters
    ----------
    statistic : str or callable
        ``"mean"``, ``"variance"``, ``"standard_deviation"``, ``"median"`` and ``"quantile"`` of one array;
        ``"weighted_mean"`` of (values, weights); ``"correlation"`` of (x, y); ``"regression"`` of (X, y),
        the least-squares coefficients; ``"mean_difference"`` and ``"median_difference"`` of (a, b). Or a
        callable that takes the samples and returns one number, or several.
    data : array, or tuple of arrays
        Rows first. Quantiles use numpy's linear definition.
    level : float, default 0.95
        Nominal coverage.
    method : {"bca", "percentile", "basic", "normal", "studentised"}
        How the ends are made; ``"bca"`` corrects bias and skewness (Efron, 1987).
    n_resamples : int, default 9999
        Resamples; at least ``10/(1 - level)``. Not used where the distribution is exact.
    groups : array of shape (n,), optional
        Whole groups are drawn instead of rows.
    strata : array of shape (n,), optional
        Rows (or groups) are drawn within each stratum, as many as it has.
    paired : bool, optional
        For a callable, and for differences: whether row i of every array belongs together. Differences are
        of independent samples by default; a callable of several arrays must say it.
    vectorized : bool, default False
        The callable takes arrays (b, n) or (b, n, columns) and ``axis=1``, and returns (b,) or (b, k).
    q : float in [0, 1], default 0.5
        Which quantile.
    keep : bool, default False
        Keep the resampled numbers in ``.distribution``.
    n_jobs : int, optional
        Threads; default all that OpenMP has.  The result does not depend on it.
    random_state : int, Generator, RandomState or None
        Seed. The same seed gives the same bits for any number of threads.
    target : str
        What the interval is about, for the printed form.
    progress : callable or bool, optional
        Called with (resamples done, resamples in all) of a callable statistic; by default a bar where
        somebody watches, once the work has taken two seconds.

    Returns
    -------
    Bootstrap
        ``.value``, ``.low``, ``.high``, ``.standard_error``, ``.estimate``; a mapping for several numbers.
        With fewer than 10 rows or 6 groups, equal resamples, or undefined ones, ``.low`` is None and
        ``.reason`` says why.

    Raises
    ------
    ValueError
        NaN (named by row), arrays of different lengths, an unknown name, a statistic of the wrong shape.
    TypeError
        When the two arguments are swapped.

    Notes
    -----
    Named statistics but quantiles are functions of sums: about half a nanosecond a draw, O(n) memory, and the
    jackknife of BCa costs O(n). Quantiles and differences of them of independent rows are exact: no
    resampling. A callable is called n_resamples times (in blocks when vectorized), and at most 2000 times
    more for BCa. No bootstrap is better than its analytic counterpart on small samples: see the how-to page.

    Sources: Efron (1979, 1987); Davison and Hinkley (1997).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> x = np.random.default_rng(0).exponential(size=200)
    >>> b = er.bootstrap("mean", x, random_state=0)
    >>> b.low < 1.0 < b.high
    True
    >>> print(er.bootstrap("median", x).method)
    BCa bootstrap, exact
    """
    if not _is_statistic(statistic) and _is_statistic(data):
        shown = repr(data) if isinstance(data, str) else getattr(data, "__name__", "statistic")
        raise TypeError(f"the statistic comes first and the data second: write er.bootstrap({shown}, data).")
    check_level(level)
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}.")
    n_resamples = check_whole(n_resamples, "n_resamples")
    # At least ten resamples must lie beyond the two limits; 1e-9 forgives the rounding of 1 - level.
    need = int(np.ceil(10.0 / (1.0 - level) - 1e-9))
    if n_resamples < need:
        raise ValueError(f"n_resamples must be at least {need} at level {level:g}, got {n_resamples}.")
    key = int(generator_of(random_state).integers(1 << 63))
    with at_most(n_jobs):
        found, name = choose(
            statistic,
            data,
            studentised=method == "studentised",
            n_resamples=n_resamples,
            groups=groups,
            strata=strata,
            paired=paired,
            vectorized=vectorized,
            q=q,
            key=key,
            progress=progress,
        )
    words = f"{q:g}-quantile" if statistic == "quantile" else name.replace("_", " ")
    about = target or f"the {words} of the population that these rows were drawn from"
    made = estimates(found, name, level, method, n_resamples, about)
    named = dict(zip(found.labels, found.distributions, strict=True))
    errors = {label: d.moments()[1] for label, d in named.items()}
    return Bootstrap(made, errors, None if found.exact else n_resamples, named if keep else None)


def _is_statistic(given: Any) -> bool:
    return isinstance(given, str) or callable(given)
