"""er.compare_partitions: how alike two groupings of the same rows are, against chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from empirisk.data.frames import like_input
from empirisk.data.memory import refuse_memory
from empirisk.data.seeds import Seed, generator_of
from empirisk.data.tabular import Tabular
from empirisk.estimators.checks import check_count, check_weights
from empirisk.evaluation.intervals.wilson import wilson
from empirisk.partitions.agreements import REGISTRY
from empirisk.partitions.drawn_tables import MANY, permuted, subsampled
from empirisk.partitions.rows import named_codes
from empirisk.results import Estimate
from empirisk.results.estimate import check_level
from empirisk.typing import IndexArray
from empirisk.wording import p_value

__all__ = ["PartitionComparison", "compare_partitions"]

FEW_RESAMPLES = 99


@dataclass(frozen=True, repr=False)
class PartitionComparison(Tabular):
    """How alike two partitions are, the range of chance, and which cluster is which.

    Parameters
    ----------
    estimates : dict of str to Estimate
        By registry name of the agreement: its value, with an interval over rows.
    expected : dict of str to float
        Exact mean when labels are dealt at random (permutations of one partition).
    chance : dict of str to (float, float)
        Between which values the central share `level` of the permutations lies.
    p_values : dict of str to float
        Share of permutations at least as alike, the observed one counted in.
    table : array of int, shape (k, l)
        Rows with label ``a_labels[i]`` in one partition and ``b_labels[j]`` in the other.
    a_labels, b_labels : tuple
        The different labels, sorted.
    matching : dict
        Label of b to the label of a that it stands for: the pairs with the most rows in common in all.
    matched : Estimate
        Share of the rows in matched pairs.
    n : int
        Rows, repetitions counted.
    n_permutations : int
    level : float
    """

    estimates: dict[str, Estimate]
    expected: dict[str, float]
    chance: dict[str, tuple[float, float]]
    p_values: dict[str, float]
    table: IndexArray
    a_labels: tuple[Any, ...]
    b_labels: tuple[Any, ...]
    matching: dict[Any, Any]
    matched: Estimate
    n: int
    n_permutations: int
    level: float

    @property
    def title(self) -> str:
        """The first line above the table: how many clusters and rows were compared."""
        return f"{len(self.a_labels)} and {len(self.b_labels)} clusters of the same {self.n:,} rows"

    @property
    def verdict(self) -> str:
        """One sentence: whether the two agree more than chance, and by how much."""
        found = self.estimates["adjusted_rand"]
        p = self.p_values["adjusted_rand"]
        if len(self.a_labels) == 1 or len(self.b_labels) == 1:
            return "One of the partitions is a single cluster: it says nothing about the other."
        if found.value >= 1.0 - 1e-12:
            return f"The two partitions are equal, but for the names of their clusters ({p_value(p)})."
        if p > 1.0 - self.level:
            return (
                f"The two partitions agree no more than labels dealt at random (adjusted Rand index "
                f"{found.value:.2f}, {p_value(p)})."
            )
        return (
            f"The two partitions agree more than chance: adjusted Rand index {found} "
            f"(0 is chance, 1 equal; {p_value(p)})."
        )

    def relabel(self, b: Any) -> Any:
        """Return labels of b under the names of a; clusters of b without a partner keep their own.

        Parameters
        ----------
        b : array of labels
            Of any rows, among ``b_labels``.

        Raises
        ------
        ValueError
            For a label that b did not have in the comparison, by its row.
        """
        given, known = np.asarray(b).tolist(), set(self.b_labels)
        other = next((row for row, label in enumerate(given) if label not in known), None)
        if other is not None:
            listed = ", ".join(map(repr, self.b_labels[:8])) + (", ..." if len(self.b_labels) > 8 else "")
            raise ValueError(
                f"b holds the label {given[other]!r} in row {other}, which no row of b had in the comparison;"
                f" give labels among {listed}"
            )
        return np.array([self.matching.get(label, label) for label in given])

    def _shown(self) -> dict[str, list[Any]]:
        names = list(self.estimates)
        return {
            "agreement": [REGISTRY[name]().label for name in names],
            "value": [self.estimates[name] for name in names],
            "chance": ["{:.3g} to {:.3g}".format(*self.chance[name]) for name in names],
            "p": [self.p_values[name] for name in names],
        }

    def _columns(self) -> dict[str, list[Any]]:
        names = list(self.estimates)
        every = [self.estimates[name] for name in names]
        return {
            "agreement": names,
            "value": [e.value for e in every],
            "low": [e.low for e in every],
            "high": [e.high for e in every],
            "expected": [self.expected[name] for name in names],
            "chance_low": [self.chance[name][0] for name in names],
            "chance_high": [self.chance[name][1] for name in names],
            "p_value": [self.p_values[name] for name in names],
            "level": [self.level] * len(names),
            "n": [self.n] * len(names),
            "method": [e.method for e in every],
            "reason": [e.reason for e in every],
        }

    def _notes(self) -> list[str]:
        pairs = ", ".join(f"{b} = {a}" for b, a in self.matching.items())
        return [
            self.verdict,
            f"Matched labels (b = a): {pairs}; they hold {self.matched} of the rows.",
            f"{100 * self.level:g} % intervals over rows; chance: {self.n_permutations} permutations of the "
            "labels.",
        ]

    def contingency(self) -> Any:
        """Return the table of counts as a frame: one row a label of a, one column a label of b."""
        from empirisk.data.frames import as_frame

        columns = {str(b): self.table[:, j].tolist() for j, b in enumerate(self.b_labels)}
        return as_frame({"label": list(self.a_labels), **columns}, self._like)

    def plot(self, ax: Any = None) -> Any:
        """Draw the table of counts, the clusters of b in the order of their partners; returns the Plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        """
        from empirisk.plots import PartitionsDisplay

        return PartitionsDisplay(self.to_dict()).plot(ax)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers: estimates, chance, the table and the matching."""
        return {
            "estimates": {name: e.to_dict() for name, e in self.estimates.items()},
            "expected": dict(self.expected),
            "chance": {name: list(ends) for name, ends in self.chance.items()},
            "p_values": dict(self.p_values),
            "table": self.table.tolist(),
            "a_labels": [str(v) for v in self.a_labels],
            "b_labels": [str(v) for v in self.b_labels],
            "matching": {str(b): str(a) for b, a in self.matching.items()},
            "matched": self.matched.to_dict(),
            "n": self.n,
            "level": self.level,
            "verdict": self.verdict,
        }


@like_input
def compare_partitions(
    a: Any,
    b: Any,
    *,
    sample_weight: Any = None,
    n_permutations: int = 999,
    n_resamples: int = 999,
    level: float = 0.95,
    random_state: Seed = None,
) -> PartitionComparison:
    """Return how alike two partitions are: ``(index - E index) / (max - E index)`` and a distance, with
    chance.

    Parameters
    ----------
    a, b : array of labels, shape (n,)
        Numbers or words, of the same rows; a label such as -1 is a cluster like the others.
    sample_weight : array of whole numbers >= 0, shape (n,), optional
        How often each row counts.
    n_permutations : int >= 99, default 999
        Tables with these cluster sizes, drawn as if labels were dealt at random.
    n_resamples : int >= 99, default 999
        Subsamples of four fifths of the rows, for the intervals.
    level : float in (0, 1), default 0.95
    random_state : int, Generator, RandomState or None, default None
        None is seed 0.

    Returns
    -------
    PartitionComparison

    Raises
    ------
    ValueError
        Different lengths, missing labels, weights that are no whole numbers or sum to 1e9 or more.
    MemoryError
        When the table of counts does not fit.

    Notes
    -----
    O(n log n) once, then O(k l) a table, whatever n is: permuting labels is drawing a table with the same
    sums of rows and columns (Patefield 1981), a part of the rows is a draw from its cells.  The interval of
    an agreement is that of the delete-d jackknife (Shao and Wu 1989), about its mean over samples of n rows:
    information of few rows in many cells is far from that of a population.  The share of matched rows has
    Wilson's interval.  Labels are taken as given.

    Examples
    --------
    >>> import empirisk as er
    >>> a = [0] * 20 + [1] * 20
    >>> found = er.compare_partitions(a, ["x"] * 19 + ["y"] * 21)
    >>> found.matching, round(found.estimates["adjusted_rand"].value, 3)
    ({'x': 0, 'y': 1}, 0.9)
    """
    check_level(level)
    check_count("n_permutations", n_permutations, 99)
    check_count("n_resamples", n_resamples, FEW_RESAMPLES)
    rng = generator_of(0 if random_state is None else random_state)
    count, a_labels, b_labels = _table(a, b, sample_weight)
    n = int(count.sum())
    if n >= MANY:
        raise ValueError(
            f"sample_weight counts {n:,} rows, and tables of {MANY:,} rows or more cannot be drawn; divide "
            "the weights by a common factor"
        )
    chance = permuted(count, int(n_permutations), rng)
    again = subsampled(count, int(n_resamples), rng)
    estimates: dict[str, Estimate] = {}
    ranges: dict[str, tuple[float, float]] = {}
    p_values: dict[str, float] = {}
    tail = 0.5 * (1.0 - level)
    for name, kind in REGISTRY.items():
        agreement = kind()
        value = float(agreement.of_tables(count))
        null = chance[name]
        ranges[name] = tuple(float(v) for v in np.quantile(null, [tail, 1.0 - tail]))  # type: ignore[assignment]
        sign = 1.0 if agreement.greater_is_better else -1.0
        # Equal tables may differ in the last bits of their sums.
        beyond = int((sign * null >= sign * value - 1e-12 * max(1.0, abs(value))).sum())
        p_values[name] = (1.0 + beyond) / (1.0 + len(null))
        estimates[name] = again.interval(agreement, value, level)
    left, right = linear_sum_assignment(-count)
    pairs = [(i, j) for i, j in zip(left, right, strict=True) if count[i, j] > 0]
    matching = {b_labels[j]: a_labels[i] for i, j in sorted(pairs, key=lambda pair: pair[1])}
    held = int(sum(count[i, j] for i, j in pairs))
    return PartitionComparison(
        estimates,
        {name: kind().expected(count) for name, kind in REGISTRY.items()},
        ranges,
        p_values,
        count,
        a_labels,
        b_labels,
        matching,
        wilson(held, n, level, target="the share of rows like these in the pairs matched here"),
        n,
        int(n_permutations),
        level,
    )


def _table(a: Any, b: Any, sample_weight: Any) -> tuple[IndexArray, tuple[Any, ...], tuple[Any, ...]]:
    """Return the counts of both labels, and the labels in sorted order."""
    first = np.asarray(a)
    n = len(first) if first.ndim else None
    weight = None if sample_weight is None else check_weights(sample_weight, int(n or 0))
    if weight is not None and (weight != np.rint(weight)).any():
        row = int(np.flatnonzero(weight != np.rint(weight))[0])
        raise ValueError(
            f"sample_weight is {weight[row]:g} in row {row}; partitions are compared by counts of pairs of "
            "rows, so give whole numbers (how often each row counts)"
        )
    kept = None if weight is None else weight > 0.0
    a_names, a_codes = named_codes(a, n, "a", kept)
    b_names, b_codes = named_codes(b, n, "b", kept)
    k, l_ = len(a_names), len(b_names)
    refuse_memory(f"a table of {k:,} x {l_:,} clusters", 8.0 * 4.0 * k * l_, "compare coarser partitions")
    once = None if weight is None else weight[kept]
    flat = np.bincount(a_codes * l_ + b_codes, once, minlength=k * l_)
    counts = np.rint(flat).astype(np.int64).reshape(k, l_)
    return counts, tuple(a_names.tolist()), tuple(b_names.tolist())
