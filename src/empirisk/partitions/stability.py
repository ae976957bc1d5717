"""How stable each cluster is: how much of it comes back when the rows are drawn and grouped again.

Hennig (2007), Computational Statistics & Data Analysis 52, "Cluster-wise assessment of cluster stability".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse as sp
from scipy.special import betaincinv

from empirisk.data.frames import like_input
from empirisk.data.progress import Progress, teller
from empirisk.data.seeds import Seed, check_seed
from empirisk.data.tabular import Tabular, estimate_columns
from empirisk.data.threads import check_jobs, one_thread
from empirisk.estimators.checks import check_choice, check_count
from empirisk.evaluation.intervals.base import accept, refuse, student_quantile
from empirisk.partitions.grouping import Grouping, Partition
from empirisk.partitions.resamples import adjusted_rand, subsample_size
from empirisk.partitions.rows import Rows, read_rows
from empirisk.results import Estimate
from empirisk.results.estimate import check_level
from empirisk.typing import Array, IndexArray

__all__ = ["PartitionStability", "partition_stability"]

DISSOLVED = 0.5  # Hennig's limit: less of the cluster than of other rows has come back
LEAST_ROWS = 10


@dataclass(frozen=True, repr=False)
class PartitionStability(Tabular):
    """How stable a partition and each of its clusters are when rows are drawn again.

    Parameters
    ----------
    overall : Estimate
        Mean adjusted Rand index of the partition and those of resamples, on the rows that were drawn.
    clusters : tuple of Estimate
        For each cluster, the mean Jaccard similarity to the cluster of a resample that is most like it.
    dissolved : tuple of Estimate
        For each cluster, the share of resamples in which that similarity is 1/2 or less.
    sizes : tuple of int
        Rows of each cluster.
    labels : array of int, shape (n,)
        The partition; -1 for rows of weight 0.
    draws : array, shape (B, k)
        The similarities; NaN where no row of the cluster was drawn.
    scheme : str
    n, n_resamples : int
    level : float
    name : str
        The estimator.
    """

    overall: Estimate
    clusters: tuple[Estimate, ...]
    dissolved: tuple[Estimate, ...]
    sizes: tuple[int, ...]
    labels: IndexArray
    draws: Array
    scheme: str
    n: int
    n_resamples: int
    level: float
    name: str

    @property
    def title(self) -> str:
        """The first line above the table: whose clusters, of how many rows, drawn how often."""
        count = f"{len(self.sizes)} cluster{'s' * (len(self.sizes) != 1)}"
        return f"Stability of {count} of {self.name}, {self.n:,} rows, {self.scheme}s"

    @property
    def verdict(self) -> str:
        """One sentence: which clusters come back and which do not, by the usual limits 0.75 and 0.5."""
        stable = [k for k, e in enumerate(self.clusters) if e.value >= 0.75]
        lost = [k for k, e in enumerate(self.clusters) if e.value <= DISSOLVED]
        if len(self.clusters) == 1:
            return "One cluster holds all rows, in every resample, too: that says nothing about the rows."
        if len(stable) == len(self.clusters):
            return "Every cluster comes back in resamples (mean Jaccard similarity 0.75 or more)."
        said = [f"{len(stable)} of {len(self.clusters)} clusters come back in resamples"]
        if lost:
            said.append(f"clusters {', '.join(map(str, lost))} dissolve (0.5 or less)")
        return "; ".join(said) + "."

    def _shown(self) -> dict[str, list[Any]]:
        return {
            "cluster": list(range(len(self.sizes))),
            "rows": list(self.sizes),
            "Jaccard": list(self.clusters),
            "dissolved": list(self.dissolved),
        }

    def _columns(self) -> dict[str, list[Any]]:
        return {
            "cluster": list(range(len(self.sizes))),
            "rows": list(self.sizes),
            **estimate_columns(self.clusters, "jaccard"),
            **estimate_columns(self.dissolved, "dissolved"),
            "level": [self.level] * len(self.sizes),
            "n": [self.n] * len(self.sizes),
            "method": [e.method for e in self.clusters],
            "reason": [e.reason for e in self.clusters],
        }

    def _notes(self) -> list[str]:
        return [
            self.verdict,
            f"The whole partition against those of resamples: adjusted Rand index {self.overall}.",
            f"{100 * self.level:g} % intervals: the error that {self.n_resamples} draws leave.",
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers: one entry a cluster, and the whole partition."""
        return {
            "overall": self.overall.to_dict(),
            "clusters": [
                {"cluster": k, "rows": size, "jaccard": e.to_dict(), "dissolved": d.to_dict()}
                for k, (size, e, d) in enumerate(zip(self.sizes, self.clusters, self.dissolved, strict=True))
            ],
            "scheme": self.scheme,
            "n": self.n,
            "n_resamples": self.n_resamples,
            "verdict": self.verdict,
        }

    def plot(self, ax: Any = None) -> Any:
        """Draw the similarities of the clusters with intervals; returns the Plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        """
        from empirisk.plots import ClusterStabilityDisplay

        return ClusterStabilityDisplay(self.to_dict()).plot(ax)


@like_input
def partition_stability(
    estimator: Any,
    X: Any,
    *,
    sample_weight: Any = None,
    n_resamples: int = 50,
    scheme: str = "bootstrap",
    level: float = 0.95,
    random_state: Seed = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> PartitionStability:
    """Return ``mean_b max_l |C_k n D_l| / |C_k u D_l|`` for each cluster C_k, D_l being those of resample b.

    Both are counted on the rows that were drawn, once each.

    Parameters
    ----------
    estimator : estimator
        Unfitted, with ``fit_predict``.
    X : array, frame or CSR matrix, shape (n, p)
        At least 10 rows.
    sample_weight : array, shape (n,), optional
        Weights >= 0, for estimators that take them; rows are drawn alike, and keep their weights.
    n_resamples : int >= 20, default 50
    scheme : {"bootstrap", "subsample"}, default "bootstrap"
        Rows with replacement, or 80 % of them without.
    level : float in (0, 1), default 0.95
    random_state : int, Generator, RandomState or None, default None
        None is seed 0.
    n_jobs : int, optional
        Processes, as in joblib; results do not depend on it.
    progress : callable or bool, optional
        Called with (resamples done, resamples in all).

    Returns
    -------
    PartitionStability

    Notes
    -----
    A stable cluster need not be a cluster of the population: an estimator that cuts a long cloud at its
    middle does so in every resample.  Whether there are clusters is the question of :func:`choose_k`.
    Cost: one fit a resample.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> from sklearn.cluster import KMeans
    >>> rng = np.random.default_rng(0)
    >>> X = 9.0 * np.eye(3, 2)[np.arange(60) % 3] + rng.normal(size=(60, 2))
    >>> found = er.selection.stability(KMeans(3, n_init=3), X)
    >>> [round(e.value, 2) for e in found.clusters]
    [1.0, 1.0, 1.0]
    """
    check_level(level)
    check_count("n_resamples", n_resamples, 20)
    check_choice("scheme", scheme, {"bootstrap": True, "subsample": True})
    check_jobs(n_jobs)
    tell = teller(progress)
    grouping = Grouping(estimator, numbered=False)
    given = read_rows(X, sample_weight)
    rows = given.alone()
    grouping.check_weights(rows)
    if rows.n < LEAST_ROWS:
        raise ValueError(f"X has {rows.n} rows; the stability of clusters needs at least {LEAST_ROWS}")
    seed = check_seed(random_state)
    with one_thread():
        whole = grouping.partition(rows, None, seed)
        calls = (
            delayed(_again)(grouping, rows, whole, scheme == "bootstrap", [seed, 13, b])
            for b in range(int(n_resamples))
        )
        found = []
        for done, one in enumerate(Parallel(n_jobs=n_jobs or 1, return_as="generator")(calls), 1):
            found.append(one)
            tell(done, int(n_resamples))
    draws = np.vstack([jaccard for jaccard, _ in found])
    rand = np.array([agreement for _, agreement in found])
    labels = np.full(len(given.kept), -1, dtype=np.intp)
    labels[given.kept] = whole.codes
    sizes = np.bincount(whole.codes, minlength=whole.found)
    columns = [column[np.isfinite(column)] for column in draws.T]
    return PartitionStability(
        _mean(rand, level, rows.n, "adjusted Rand index of two groupings"),
        tuple(
            _mean(c, level, rows.n, "Jaccard similarity of the cluster when rows are drawn again")
            for c in columns
        ),
        tuple(_share(c <= DISSOLVED, level, rows.n) for c in columns),
        tuple(int(s) for s in sizes),
        labels,
        draws,
        scheme,
        rows.n,
        int(n_resamples),
        level,
        grouping.name,
    )


def _again(
    grouping: Grouping, rows: Rows, whole: Partition, replace: bool, seed: list[int]
) -> tuple[Array, float]:
    """Return the similarities of the clusters to their likest ones in a resample, and the agreement."""
    rng = np.random.default_rng(seed)
    if replace:
        at = np.sort(rng.integers(rows.n, size=rows.n))
    else:
        at = np.sort(rng.permutation(rows.n)[: subsample_size(rows.n)])
    again = grouping.partition(rows.take(at), None, int(rng.integers(1 << 31)), keep=False)
    drawn, first = np.unique(at, return_index=True)
    one, other = whole.codes[drawn], again.codes[first]
    table = sp.coo_array((np.ones(len(one)), (one, other)), shape=(whole.found, again.found)).toarray()
    size = table.sum(axis=1)
    union = size[:, None] + table.sum(axis=0)[None, :] - table
    jaccard = np.divide(table, union, out=np.zeros_like(table), where=union > 0.0).max(axis=1)
    return np.where(size > 0.0, jaccard, math.nan), adjusted_rand(one, other)


def _mean(seen: Array, level: float, n: int, target: str) -> Estimate:
    """Return the mean over draws with the error that their number leaves."""
    method = f"t over {len(seen)} resamples: the error of the draws alone"
    value = float(seen.mean()) if len(seen) else math.nan
    if len(seen) < 10:
        return refuse(value, level, n, method, "the cluster was drawn in fewer than 10 resamples", target)
    if not float(seen.std()) > 1e-12:
        low = value * (0.5 * (1.0 - level)) ** (1.0 / len(seen))
        method = f"all {len(seen)} resamples alike, Clopper-Pearson"
        return accept(value, (low, value), level, n, method, target=target)
    half = student_quantile(level, len(seen) - 1.0) * float(seen.std(ddof=1)) / len(seen) ** 0.5
    limits = (max(0.0, value - half), min(1.0, value + half))
    return accept(value, limits, level, n, method, target=f"the mean {target}")


def _share(gone: Any, level: float, n: int) -> Estimate:
    """Return the share of resamples with the interval of Clopper and Pearson."""
    count, hits = len(gone), int(np.sum(gone))
    method, target = f"Clopper-Pearson over {count} resamples", "the share of resamples without the cluster"
    if count < 10:
        reason = "the cluster was drawn in fewer than 10 resamples"
        return refuse(hits / count if count else math.nan, level, n, method, reason, target)
    tail = 0.5 * (1.0 - level)
    low = float(betaincinv(hits, count - hits + 1, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1, count - hits, 1.0 - tail)) if hits < count else 1.0
    return accept(hits / count, (low, high), level, n, method, target=target)
