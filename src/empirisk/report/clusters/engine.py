"""From a table to its groups: what every section of the report on clusters is made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from empirisk.data.deadline import Deadline
from empirisk.estimators.clusters.k_means import KMeans
from empirisk.partitions.choose_k import choose_k
from empirisk.partitions.k_choice import KChoice
from empirisk.partitions.no_clusters import tested_nulls
from empirisk.report.audit.audit import WITHOUT_TARGET, Audit, audit, by_level, grouped
from empirisk.report.clusters.matrix import Matrix, encode_rows
from empirisk.report.errors import DataError
from empirisk.report.fit.split import Split
from empirisk.report.guarded import LATE, Guard
from empirisk.report.progress import Stages
from empirisk.report.read.table import Table
from empirisk.results import Finding
from empirisk.wording import counted

__all__ = ["Clustered", "Prepared", "group_rows", "kmeans", "prepare"]

Codes = NDArray[np.intp]
LEAST_ROWS = 20
DRAWN, LEAST_DRAWN = 2_000, 500  # rows that take part in what grows faster than their number
CELLS = 100_000  # encoded cells of these rows, which many columns make fewer
RESTARTS = 10  # of the groups of the report
FEWER = 2  # restarts of each of the hundreds of fits that are compared
CHOOSING = 0.65  # share of the time that is left for choose_k
DRAWS = 99  # of each null, as choose_k makes them
CLOSING = 3.0  # seconds for the pictures and the files


@dataclass(frozen=True)
class Prepared:
    """A table whose columns are decided on and turned into numbers, before any row is grouped.

    Parameters
    ----------
    table : Table
    matrix : Matrix
    audit : Audit
    ks : tuple of int
        Numbers of clusters to try, without 1.
    drawn : int array
        Rows that take part in what grows faster than their number: all, or a sample.
    seed : int
    level : float
    """

    table: Table
    matrix: Matrix
    audit: Audit
    ks: tuple[int, ...]
    drawn: NDArray[np.intp]
    seed: int
    level: float

    @property
    def n(self) -> int:
        """The number of rows of the table, all of which are grouped."""
        return len(self.matrix.X)


@dataclass(frozen=True)
class Clustered:
    """Everything that the sections are collected from.

    Parameters
    ----------
    prepared : Prepared
    choice : KChoice
        The evidence for every number of clusters.
    k : int
        The number of clusters; 1 for none.
    split : int
        The number that the sections on stability and other methods look at: `k`, or the best one that was
        refuted.
    pipeline : sklearn.pipeline.Pipeline
        Encoder and k-means with `k` clusters.
    labels : int array
        Cluster 0..k-1 of each row.
    parts : int array
        The same for `split` clusters.
    findings : list of Finding
    """

    prepared: Prepared
    choice: KChoice
    k: int
    split: int
    pipeline: Pipeline
    labels: Codes
    parts: Codes
    findings: list[Finding]
    guard: Guard = field(default_factory=Guard)
    diagnosed: Any = None

    @property
    def found(self) -> bool:
        """Whether the verdict is that there are clusters."""
        return self.k > 1

    @property
    def left_out(self) -> list[str]:
        """What was left out to keep the time limit."""
        late = [said.removesuffix(f" {LATE}") for said in self.guard.late.values()]
        cut = ["some of the evidence on the number of clusters"] if _cut_short(self.choice) else []
        return [*cut, *(said[:1].lower() + said[1:] for said in late)]

    @property
    def spared(self) -> str | None:
        """What the limit cut, in one line; None where it cut nothing."""
        return "; ".join(self.left_out) or None


def _cut_short(choice: KChoice) -> bool:
    return any(note.startswith("Incomplete") for note in choice.notes)


def kmeans(k: int, seed: int, n_init: int = RESTARTS) -> KMeans:
    """Return an unfitted k-means with as many restarts as the report uses."""
    return KMeans(n_clusters=k, n_init=n_init, random_state=seed)


def prepare(table: Table, *, ks: Sequence[int], seed: int, level: float) -> Prepared:
    """Encode the rows, look at the data, and keep the numbers of clusters that the rows allow.

    Parameters
    ----------
    table : Table
        From :func:`empirisk.report.clusters.columns.take_part`.
    ks : sequence of int
        Numbers of clusters above 1.
    seed : int
    level : float

    Raises
    ------
    DataError
        Too few rows or too few different ones.
    """
    name = table.source.name
    if table.n_rows < LEAST_ROWS:
        raise DataError(
            f"{name} has {counted(table.n_rows, 'row')}: at least {LEAST_ROWS} are needed to tell groups"
            " from chance"
        )
    matrix = encode_rows(table)
    different = len(np.unique(matrix.X, axis=0))
    if different < 3:
        raise DataError(
            f"the columns of {name} that take part ({', '.join(table.features[:4])}) make"
            f" {counted(different, 'different row')}: there is nothing to group"
        )
    # Beyond a fifth of the rows clusters hold five rows on average, and none of them can be told from chance.
    most = min(different - 1, max(2, table.n_rows // 5))
    kept = tuple(k for k in ks if k <= most)
    if not kept:
        raise DataError(
            f"--ks asks for {min(ks)} clusters or more and {name} has {counted(table.n_rows, 'row')},"
            f" {different:,} of them different: give numbers up to {most}"
        )
    everything = np.arange(table.n_rows)
    looked = audit(table, _unsplit(everything), seed=seed, checks=WITHOUT_TARGET)
    rng = np.random.default_rng([seed, 11])
    most = max(LEAST_DRAWN, min(DRAWN, CELLS // matrix.X.shape[1]))
    drawn = everything if table.n_rows <= most else np.sort(rng.choice(table.n_rows, most, replace=False))
    return Prepared(table, matrix, looked, kept, drawn, seed, level)


def forecast(p: Prepared) -> float:
    """Return about how many seconds of computing the number of clusters takes (measured on one core)."""
    fits, q = len(p.ks) * len(tested_nulls()) * DRAWS, p.matrix.X.shape[1]
    return float(fits * (2e-3 + 2e-7 * len(p.drawn) * q) + 1e-6 * len(p.ks) * p.n * q)


def _unsplit(rows: NDArray[np.intp]) -> Split:
    return Split("row", "no row is held out: nothing is predicted", rows, rows[:0], {}, 0, "")


def group_rows(p: Prepared, progress: Stages, deadline: Deadline | None = None) -> Clustered:
    """Choose the number of clusters and group all rows."""
    deadline = deadline or Deadline(None)
    reserve = 0.0 if deadline.limit is None else min(CLOSING * deadline.slowness, 0.3 * deadline.limit)
    guard = Guard(deadline, reserve)
    progress.stage("Number of clusters", 100, forecast(p))
    choice = _choose(p, progress, deadline, reserve)
    k = choice.k or 1
    split = k if k > 1 else _refuted(choice)
    progress.stage("Groups", 1, 1.0)
    model = kmeans(k, p.seed).fit(p.matrix.X)
    pipeline = Pipeline([("encode", p.matrix.encoder), ("group", model)])
    labels = np.asarray(model.predict(p.matrix.X), dtype=np.intp)
    parts = labels if split == k else np.asarray(choice.partitions[split], dtype=np.intp)
    progress.advance("groups")
    findings = by_level(grouped(p.audit.findings))
    return Clustered(p, choice, k, split, pipeline, labels, parts, findings, guard)


def _choose(p: Prepared, progress: Stages, deadline: Deadline, reserve: float) -> KChoice:
    seconds = None if deadline.limit is None else max(1.0, CHOOSING * deadline.left(reserve))

    def tell(done: int, total: int) -> None:
        if 100 * done // total > 100 * (done - 1) // total:
            progress.advance(f"{done:,} of {total:,} steps")

    try:
        found = choose_k(
            kmeans(2, p.seed, FEWER),
            p.matrix.X,
            (1, *p.ks),
            level=p.level,
            random_state=p.seed,
            max_rows=max(50, len(p.drawn)),
            time_limit=seconds,
            progress=tell,
        )
    except TimeoutError:
        raise DataError(
            f"--time-limit {deadline.limit:g} does not suffice to group {p.n:,} rows once: give more time, or"
            " fewer numbers of clusters with --ks"
        ) from None
    return found if seconds is None else _quoting(found, seconds, deadline.limit or seconds)


def _quoting(choice: KChoice, seconds: float, limit: float) -> KChoice:
    """Return the evidence with the limit that was asked for in the place of the share that it had."""

    def said(words: str) -> str:
        whole = f"the share of the time limit of {limit:g} s that this step has is over"
        return words.replace(f"the time limit of {seconds:g} s ran out", whole)

    criteria = {name: replace(found, why=said(found.why)) for name, found in choice.criteria.items()}
    return replace(choice, notes=tuple(map(said, choice.notes)), criteria=criteria)


def _refuted(choice: KChoice) -> int:
    """Return the number above 1 that most criteria would have, the smaller of equals."""
    votes = {k: v for k, v in choice.votes.items() if k > 1}
    if not votes:
        return min(choice.ks)
    return min(votes, key=lambda k: (-votes[k], k))
