"""The test of no clusters: does the inertia fall faster than it does for rows that have none?

The statistic is the fall of the inertia from one cluster to K, ``log(W_1/W_K)``, standardised by its mean and
standard deviation over the observed rows and all draws of a null, and the largest of these over K.  Under the
null the observed statistic is one of B + 1 exchangeable ones, so that its rank is a p-value.  No clusters are
refuted only where every null is (an intersection-union test, Berger 1982, Technometrics 24), which needs no
correction for their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from empirisk.data.brief import Brief
from empirisk.partitions.grouping import Grouping, Partition
from empirisk.partitions.indices.base import moments
from empirisk.partitions.nulls import REGISTRY as NULLS
from empirisk.partitions.nulls import Axes, Null, Prepared, principal_axes
from empirisk.partitions.rows import Rows
from empirisk.typing import Array

__all__ = ["Draws", "NullFalls", "NullTest", "UngroupedError", "log_inertias", "tested_nulls"]

FIRST = 19  # draws after which a null that plainly holds is drawn from no further
PLAIN = 0.2  # p-value above which it plainly holds
TRIES = 5  # draws until one can be grouped
SMALLEST = 1e-12  # share of W_1 that stands for an inertia of 0


class UngroupedError(ValueError):
    """Rows without clusters cannot be grouped into a number of clusters, again and again.

    Parameters
    ----------
    ks : tuple of int
        The numbers that were refused most often.
    why : str
        What was said of the first of them.
    """

    def __init__(self, ks: tuple[int, ...], why: str) -> None:
        super().__init__(why)
        self.ks, self.why = ks, why

    def __reduce__(self) -> Any:
        return type(self), (self.ks, self.why)


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


@dataclass(frozen=True, repr=False)
class NullTest(Brief):
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


@dataclass
class Draws:
    """Rows drawn from nulls and grouped like the rows themselves.

    Parameters
    ----------
    grouping : Grouping
    rows : Rows
    found : dict of int to Partition
        Of these rows, 1 first.
    seed : int
    n_jobs : int or None
    tell : callable
        Called after each draw.

    Attributes
    ----------
    falls : dict of str to NullFalls
        What was drawn so far, by null.
    tests : list of NullTest
        What was tested so far.
    observed : array
        ``log W_K`` of the rows.
    """

    grouping: Grouping
    rows: Rows
    found: dict[int, Partition]
    seed: int
    n_jobs: int | None
    tell: Callable[[], Any]

    def __post_init__(self) -> None:
        self.axes = principal_axes(self.rows)
        self.observed = log_inertias(self.rows, self.found)
        self.falls: dict[str, NullFalls] = {}
        self.tests: list[NullTest] = []
        self._ready: dict[str, Null] = {}

    def _null(self, name: str) -> Null:
        if name not in self._ready:
            null = NULLS[name]()
            self._ready[name] = null.prepared(self.axes) if isinstance(null, Prepared) else null
        return self._ready[name]

    def draw(self, name: str, upto: int) -> NullFalls:
        """Draw from a null until there are `upto` draws of it."""
        ks = tuple(self.found)
        fall = self.falls.setdefault(name, NullFalls(name, ks))
        stream = list(NULLS).index(name)
        null = self._null(name)
        calls = (
            delayed(_draw_logs)(self.grouping, self.rows, self.axes, null, ks, [self.seed, 7, stream, b])
            for b in range(len(fall.logs), upto)
        )
        for logs in Parallel(n_jobs=self.n_jobs or 1, return_as="generator")(calls):
            fall.logs.append(logs)
            self.tell()
        return fall

    def test(self, n_draws: int, alpha: float) -> None:
        """Test one null after the other, until one is not refuted at level alpha.

        A null that plainly holds is drawn from no further than the first draws.
        """
        for name in tested_nulls():
            for upto in (FIRST, n_draws):
                fall = self.draw(name, upto)
                p, statistic, k = fall.test(self.observed)
                if p > PLAIN:
                    break
            self.tests.append(NullTest(name, NULLS[name]().label, p, statistic, k, len(fall.logs)))
            if p > alpha + 1e-12:
                return


def tested_nulls() -> list[str]:
    """Return the names of the nulls that must be refuted before clusters are claimed."""
    return [name for name, kind in NULLS.items() if kind().tested]


def _draw_logs(
    grouping: Grouping, rows: Rows, axes: Axes, null: Null, ks: Sequence[int], seed: Sequence[int]
) -> Array:
    """Return ``log W_K`` of one draw from a null; a draw that cannot be grouped is drawn again."""
    rng = np.random.default_rng(seed)
    times, said = Counter[int](), dict[int, str]()
    for _ in range(TRIES):
        drawn, refused = rows.like(null.draw(axes, rng)), dict[int, str]()
        found = grouping.partitions(drawn, ks, int(rng.integers(1 << 31)), keep=False, refused=refused)
        if not refused:
            return log_inertias(drawn, found)
        times.update(refused.keys())
        said.update(refused)
    most = max(times.values())
    blamed = tuple(k for k in ks if times[k] == most)
    raise UngroupedError(
        blamed,
        f"in {TRIES} draws rows without clusters could not be grouped into so many, and there is nothing to "
        f"compare with ({said[blamed[0]]})",
    )
