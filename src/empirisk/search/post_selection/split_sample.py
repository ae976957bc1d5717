"""er.split_sample_inference: choose the columns on half of the rows, test them on the other half.

Wasserman and Roeder, Annals of Statistics 37 (2009).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import stats
from sklearn.base import clone

from empirisk.data.design import Design
from empirisk.data.frames import like_input
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.seeds import Seed, generator_of
from empirisk.data.tabular import Tabular
from empirisk.evaluation.intervals.base import check_whole
from empirisk.inference import fit_for
from empirisk.penalties import Zero
from empirisk.results.estimate import check_level
from empirisk.solvers.solve import solve
from empirisk.typing import Array

__all__ = ["SplitSampleInference", "aggregate", "split_sample_inference"]

_LEAST = 0.05  # the smallest quantile that the aggregation looks at


@dataclass(frozen=True, eq=False, repr=False)
class SplitSampleInference(Tabular):
    """Corrected p-values and intervals of the columns that were ever chosen.

    Parameters
    ----------
    terms : tuple of str
        Columns that some split chose.
    p : array
        P-values, corrected for all columns that were chosen (family-wise) and for the choice.
    coef, low, high : arrays
        Median estimate over the splits that chose the column, and the interval of the single coefficient;
        infinite where half of the splits did not choose it.
    chosen : array
        Share of splits that chose the column.
    n, n_splits, level
        Rows, splits, coverage.
    failed : tuple of str
        Why splits gave no test, if some did not.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 20))
    >>> y = X[:, 3] + rng.standard_normal(200)
    >>> found = er.split_sample_inference(er.Lasso(alpha=0.2), X, y, random_state=0)
    >>> found.terms[int(found.p.argmin())], bool(found.p.min() < 1e-6)
    ('x3', True)
    """

    terms: tuple[str, ...]
    p: Array
    coef: Array
    low: Array
    high: Array
    chosen: Array
    n: int
    n_splits: int
    level: float
    failed: tuple[str, ...] = field(default=(), repr=False)

    @property
    def title(self) -> str:
        """The first line above the table: the number of rows, and how often they were split."""
        return f"Columns chosen on half of {self.n} rows and tested on the other half, {self.n_splits} splits"

    def _columns(self) -> dict[str, list[Any]]:
        names = ("coef", "low", "high", "p", "chosen")
        return {"term": list(self.terms), **{name: list(getattr(self, name)) for name in names}}

    def _shown(self) -> dict[str, list[Any]]:
        order = np.argsort(self.p, kind="stable")[:20]
        table = self._columns()
        return {name: [table[name][i] for i in order] for name in table}

    def _notes(self) -> list[str]:
        out = [
            f"p: corrected for all chosen columns together; low, high: {100 * self.level:g} % for one "
            "coefficient. Right when "
            "the half that chooses misses no column that matters."
        ]
        if self.failed:
            out.append(f"{len(self.failed)} of {self.n_splits} splits gave no test: {self.failed[0]}.")
        return out


@dataclass(frozen=True, eq=False)
class _Half:
    """What one split found: chosen columns, estimates, standard errors, degrees of freedom."""

    columns: np.ndarray
    coef: Array
    se: Array
    df: float


@like_input
def split_sample_inference(
    est: Any,
    X: Any,
    y: Any,
    *,
    n_splits: int = 25,
    fraction: float = 0.5,
    level: float = 0.95,
    random_state: Seed = None,
) -> SplitSampleInference:
    """Select columns with `est` on some rows, test on the others without penalty; repeat, aggregate.

    The rows that test have not seen the choice, so that their t-tests are valid.  P-values of one split are
    multiplied by the number of chosen columns; over B splits ``p_j = min(1, (1 - log g) min_{q >= g}
    quantile_q(p_j^b) / q)`` with g = 0.05 keeps the family-wise error whatever the dependence between splits.

    Parameters
    ----------
    est : estimator
        With an L1 part: Lasso, ElasticNet, LogisticRegression(l1_ratio=1), a GLM with l1_ratio > 0.  Columns
        with a non-zero coefficient are the chosen ones.
    X : array or data frame, shape (n, p)
        Rows; p may exceed n.
    y : array, shape (n,)
        Targets.
    n_splits : int, default 25
        Splits; one is valid, too, but depends on its luck.
    fraction : float, default 0.5
        Share of the rows that choose, in (0, 1).
    level : float, default 0.95
        Coverage of each interval.
    random_state : int, Generator, RandomState or None
        Seed of the splits.

    Returns
    -------
    SplitSampleInference

    Raises
    ------
    ValueError
        When no split gives a test (the reasons of the first are told), or an argument is out of range.

    Notes
    -----
    A column that a split did not choose has p-value 1 there.  The cost is that of n_splits fits.

    References
    ----------
    L. Wasserman, K. Roeder, "High-dimensional variable selection", Annals of Statistics 37 (2009).
    N. Meinshausen, L. Meier, P. Buehlmann, "p-values for high-dimensional regression", JASA 104 (2009).

    Examples
    --------
    >>> import empirisk as er
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> lasso = er.Lasso(alpha="cv", rule="one_se")
    >>> found = er.split_sample_inference(lasso, X, y, n_splits=5, random_state=0)
    >>> [t for t, p in zip(found.terms, found.p) if p < 0.05]
    ['bmi', 'bp', 's5']
    """
    if isinstance(est, type) or not hasattr(est, "problem"):
        raise TypeError(f"est must be a linear model of empirisk, such as er.Lasso(alpha=0.1); got {est!r}")
    check_level(level)
    n_splits = check_whole(n_splits, "n_splits")
    if n_splits < 1:
        raise ValueError(f"n_splits must be at least 1, got {n_splits}")
    if not 0.0 < fraction < 1.0:
        raise ValueError(f"fraction must lie strictly between 0 and 1, got {fraction!r}")
    n, rng = len(y), generator_of(random_state)
    first = round(fraction * n)
    if min(first, n - first) < 3:
        raise ValueError(
            f"{n} rows are too few to split into {first} and {n - first}: both halves need 3 or more"
        )
    halves, failed = [], []
    names: Sequence[str] = ()
    for _ in range(n_splits):
        order = rng.permutation(n)
        try:
            found, names = _split(est, X, y, np.sort(order[:first]), np.sort(order[first:]))
            halves.append(found)
        except ValueError as e:
            failed.append(str(e))
    if not halves:
        raise ValueError(f"no split gave a test; the first says: {failed[0]}")
    return _assemble(halves, failed, names, n, n_splits, level)


def _take(X: Any, rows: np.ndarray) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else (X[rows] if hasattr(X, "shape") else np.asarray(X)[rows])


def _split(est: Any, X: Any, y: Any, choose: np.ndarray, test: np.ndarray) -> tuple[_Half, Sequence[str]]:
    model = clone(est).fit(_take(X, choose), _take(y, choose))
    coef = np.atleast_2d(model.coef_)
    if len(coef) != 1:
        raise ValueError("split-sample inference is for one target or two classes")
    columns = np.flatnonzero(coef[0])
    names = model.terms_
    problem = model.problem(_take(X, test), _take(y, test))
    if len(columns) == coef.shape[1] and problem.penalty.l1 == 0.0:
        raise ValueError(
            f"{type(est).__name__} chooses no columns (it has no L1 penalty): all coefficients are "
            "non-zero; use Lasso, or "
            "LinearRegression().summary() when p < n"
        )
    design = Design(_columns_of(problem.design, columns))
    data = ArrayBlocks(design, problem.data.y, problem.data.weight)
    bare = replace(problem, penalty=Zero(), data=data)
    if len(columns) == 0:
        return _Half(columns, np.zeros(0), np.zeros(0), math.inf), names
    if len(columns) + 1 >= len(test):
        raise ValueError(
            f"{len(columns)} columns were chosen, but only {len(test)} rows are left to test them; use a "
            "larger alpha"
        )
    fit = fit_for("tests", bare, solve(bare, tol=1e-10), names=[names[j] for j in columns])
    se = np.sqrt(fit.dispersion) * fit.info.standard_errors()
    keep = slice(int(fit.intercept), None)
    known = fit.info.estimable()[keep]
    return _Half(columns[known], fit.coef[keep][known], se[keep][known], fit.t_df), names


def _columns_of(design: Design, columns: np.ndarray) -> Any:
    return design.csc[:, columns] if design.sparse else np.asfortranarray(design.X[:, columns])


def aggregate(p: Array) -> Array:
    """``min(1, (1 - log g) min over q in [g, 1] of quantile_q(p) / q)`` along axis 0; p itself for one split.

    Examples
    --------
    >>> aggregate(np.array([[0.01], [0.01], [0.01]])).round(4)  # a factor of 1 - log 0.05
    array([0.04])
    """
    if len(p) == 1:
        return np.asarray(np.minimum(p[0], 1.0))
    share = np.arange(1, len(p) + 1) / len(p)
    ordered = np.sort(p, axis=0) / share.reshape(-1, *([1] * (p.ndim - 1)))
    return np.asarray(np.minimum(1.0, (1.0 - math.log(_LEAST)) * ordered[share >= _LEAST].min(axis=0)))


def _assemble(
    halves: list[_Half], failed: list[str], names: Sequence[str], n: int, n_splits: int, level: float
) -> SplitSampleInference:
    ever = np.unique(np.concatenate([h.columns for h in halves])).astype(int)
    B = len(halves)
    at = {j: k for k, j in enumerate(ever)}
    coef, se = np.full((B, len(ever)), np.nan), np.full((B, len(ever)), np.nan)
    p, df = np.ones((B, len(ever))), np.array([h.df for h in halves])
    for b, h in enumerate(halves):
        where = [at[j] for j in h.columns]
        coef[b, where], se[b, where] = h.coef, h.se
        p[b, where] = np.minimum(1.0, len(where) * 2.0 * stats.t.sf(np.abs(h.coef / h.se), h.df))
    ends = [_interval(coef[:, k], se[:, k], df, 1.0 - level) for k in range(len(ever))]
    middle = np.nanmedian(coef, axis=0) if len(ever) else np.zeros(0)
    return SplitSampleInference(
        tuple(names[j] for j in ever), aggregate(p), middle,
        np.array([e[0] for e in ends]), np.array([e[1] for e in ends]),
        np.isfinite(coef).mean(axis=0), n, n_splits, level, tuple(failed),
    )  # fmt: skip


def _interval(coef: Array, se: Array, df: Array, miss: float) -> tuple[float, float]:
    """Return all values that the aggregated test of one coefficient does not reject."""
    known = np.isfinite(coef)

    def kept(value: float) -> bool:
        p = np.ones(len(coef))
        p[known] = 2.0 * stats.t.sf(np.abs(coef[known] - value) / se[known], df[known])
        return bool(aggregate(p[:, None])[0] > miss)

    middle, step = float(np.median(coef[known])), float(np.median(se[known]))
    return _end(kept, middle, -step), _end(kept, middle, step)


def _end(kept: Any, start: float, step: float) -> float:
    """Outward until the test rejects, then bisection; infinite when it never does."""
    far = start + step
    for _ in range(40):
        if not kept(far):
            break
        far = start + 2.0 * (far - start)
    else:
        return math.copysign(math.inf, step)
    inside = start
    for _ in range(50):
        half = 0.5 * (inside + far)
        inside, far = (half, far) if kept(half) else (inside, half)
    return far
