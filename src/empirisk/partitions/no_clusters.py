"""The test of no clusters: does the inertia fall faster than it does for rows that have none?

The statistic is the fall of the inertia from one cluster to K, ``log(W_1/W_K)``, standardised by its mean and
standard deviation over the observed rows and all draws of a null, and the largest of these over K.  Under the
null the observed statistic is one of B + 1 exchangeable ones, so that its rank is a p-value.  No clusters are
refuted only where every null is (an intersection-union test, Berger 1982, Technometrics 24), which needs no
correction for their number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from empirisk.partitions.grouping import Grouping, Partition
from empirisk.partitions.indices.base import moments
from empirisk.partitions.nulls import REGISTRY as NULLS
from empirisk.partitions.nulls import Axes, principal_axes
from empirisk.partitions.rows import Rows
from empirisk.typing import Array

__all__ = ["NullFalls", "NullTest", "log_inertias", "run_test"]

FIRST = 19  # draws after which a null that plainly holds is drawn from no further
PLAIN = 0.2  # p-value above which it plainly holds
SMALLEST = 1e-12  # share of W_1 that stands for an inertia of 0


@dataclass
class NullFalls:
    """Log inertias of rows drawn from a null, one row of numbers a draw, one column a K.

    Parameters
    ----------
    name : str
        Registry name of the null.
    ks : tuple of int
        1 first.
    logs : list of arrays
        ``log W_K`` of each draw.
    """

    name: str
    ks: tuple[int, ...]
    logs: list[Array] = field(default_factory=list)

    def test(self, observed: Array) -> tuple[float, float, int]:
        """Return the p-value, the largest standardised fall, and the K that has it."""
        logs = np.vstack([observed, *self.logs])
        fall = logs[:, :1] - logs[:, 1:]
        spread = fall.std(axis=0, ddof=1)
        z = np.divide(fall - fall.mean(axis=0), spread, out=np.zeros_like(fall), where=spread > 1e-12)
        most = z.max(axis=1)
        p = float((most >= most[0] - 1e-12).sum()) / len(most)
        return p, float(most[0]), int(self.ks[1 + int(z[0].argmax())])


@dataclass(frozen=True)
class NullTest:
    """What one null says about the rows.

    Parameters
    ----------
    name, label : str
        The null.
    p_value : float
        Share of draws whose inertia falls at least as fast, the rows counted in.
    statistic : float
        The largest standardised fall.
    k : int
        The K where it is.
    draws : int
    """

    name: str
    label: str
    p_value: float
    statistic: float
    k: int
    draws: int


def log_inertias(rows: Rows, found: dict[int, Partition]) -> Array:
    """Return ``log W_K`` for each K, an inertia of 0 being a tiny share of W_1."""
    inertia = [float(moments(rows, f.codes, f.found).squares.sum()) for f in found.values()]
    return np.log(np.maximum(inertia, max(SMALLEST * inertia[0], 1e-300)))


def draw_logs(
    grouping: Grouping, rows: Rows, axes: Axes, name: str, ks: Sequence[int], seed: Sequence[int]
) -> Array:
    """Return ``log W_K`` of one draw from a null."""
    rng = np.random.default_rng(seed)
    drawn = rows.like(NULLS[name]().draw(axes, rng))
    return log_inertias(drawn, grouping.partitions(drawn, ks, int(rng.integers(1 << 31)), keep=False))


def run_test(
    grouping: Grouping,
    rows: Rows,
    found: dict[int, Partition],
    *,
    n_draws: int,
    least: dict[str, int],
    alpha: float,
    seed: int,
    n_jobs: int | None,
    tell: Callable[[], Any],
) -> tuple[dict[str, NullFalls], list[NullTest], Array]:
    """Draw from one null after the other, until one is not refuted.

    A null that plainly holds is drawn from no further than the first draws.

    Parameters
    ----------
    grouping : Grouping
    rows : Rows
    found : dict of int to Partition
        Of these rows, 1 first.
    n_draws : int
    least : dict of str to int
        Draws of a null that are made in any case.
    alpha : float
        The test is decided at this level.
    seed : int
    n_jobs : int or None
    tell : callable
        Called after each draw.

    Returns
    -------
    falls : dict of str to NullFalls
    tests : list of NullTest
    observed : array
        ``log W_K`` of the rows.
    """
    axes = principal_axes(rows)
    ks = tuple(found)
    observed = log_inertias(rows, found)
    falls: dict[str, NullFalls] = {}
    tests: list[NullTest] = []
    for stream, (name, kind) in enumerate(NULLS.items()):
        fall = falls[name] = NullFalls(name, ks)
        for upto in (min(n_draws, max(FIRST, least.get(name, FIRST))), n_draws):
            if fall.logs and fall.test(observed)[0] > PLAIN:
                break
            todo = range(len(fall.logs), upto)
            calls = (delayed(draw_logs)(grouping, rows, axes, name, ks, [seed, 7, stream, b]) for b in todo)
            for logs in Parallel(n_jobs=n_jobs or 1, return_as="generator")(calls):
                fall.logs.append(logs)
                tell()
        p, statistic, k = fall.test(observed)
        tests.append(NullTest(name, kind().label, p, statistic, k, len(fall.logs)))
        if p > alpha + 1e-12:
            break
    return falls, tests, observed
