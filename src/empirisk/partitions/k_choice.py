"""What choose_k returns: a table of criteria, a test of no clusters, and one verdict."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from empirisk.data.tabular import Tabular, estimate_columns
from empirisk.partitions.criteria import REGISTRY
from empirisk.partitions.criteria.base import Judged
from empirisk.partitions.no_clusters import NullTest
from empirisk.typing import IndexArray
from empirisk.wording import p_value

__all__ = ["KChoice"]


@dataclass(frozen=True, repr=False)
class KChoice(Tabular):
    """The number of clusters with its evidence.

    Parameters
    ----------
    k : int or None
        The verdict: 1 for no clusters, None when time ran out before it could be told.
    ks : tuple of int
        The numbers above 1 that were tried.
    criteria : dict of str to Judged
        By registry name: ``.values`` (an Estimate for each K), ``.k`` (what it recommends), ``.why``.
    tests : tuple of NullTest
        One for each null, up to the first that was not refuted: it settles the matter.
    p_value : float or None
        Of no clusters: the largest over the nulls.
    partitions : dict of int to array of int
        The labels of the rows for each number, 0 first in sorted order; -1 for rows of weight 0.
    n, n_tested : int
        Rows, and rows that took part in the test and the subsamples.
    level : float
        Nominal level of the intervals; the test is made at ``1 - level``.
    name : str
        The estimator.
    parameter : str
        Its number of clusters.
    notes : tuple of str
        What a reader should know: time that ran out, ties.
    gap_null : dict
        Log inertias of the rows and of the uniform null, for the chart.
    """

    k: int | None
    ks: tuple[int, ...]
    criteria: dict[str, Judged]
    tests: tuple[NullTest, ...]
    p_value: float | None
    partitions: dict[int, IndexArray]
    n: int
    n_tested: int
    level: float
    name: str
    parameter: str
    notes: tuple[str, ...]
    gap_null: dict[str, Any]

    @property
    def title(self) -> str:
        """The first line above the table: which estimator was asked, and on how many rows."""
        return f"Number of clusters by {self.name}, {self.n:,} rows"

    @property
    def labels(self) -> IndexArray | None:
        """The labels of the rows at the chosen number; None without one."""
        return None if self.k is None else self.partitions[self.k]

    @property
    def votes(self) -> dict[int, int]:
        """How many criteria recommend each number, the most first; those that cannot are left out."""
        given = Counter(j.k for j in self.criteria.values() if j.k is not None)
        return dict(sorted(given.items(), key=lambda vote: (-vote[1], vote[0])))

    @property
    def verdict(self) -> str:
        """One sentence: no clusters, a number of clusters with who says so, or why it cannot be told."""
        if self.p_value is None or self.k is None:
            return "Cannot tell whether there are clusters: time ran out before the test was done."
        if self.k == 1:
            worst = max(self.tests, key=lambda t: t.p_value)
            return (
                f"No clusters: rows from {worst.label} look as grouped as these ({p_value(self.p_value)}), "
                f"whatever the criteria below prefer."
            )
        votes = self.votes
        for_it = votes.get(self.k, 0)
        count = sum(votes.values())
        if len(self.ks) == 1:
            return (
                f"{self.k} clusters: rows without clusters are refuted ({p_value(self.p_value)}, "
                f"{len(self.tests)} nulls); no other number was tried."
            )
        said = (
            f"{self.k} clusters: rows without clusters are refuted ({p_value(self.p_value)}, "
            f"{len(self.tests)} nulls), and {for_it} of {count} criteria say {self.k}"
        )
        others = [k for k in votes if k not in (1, self.k)]
        if 2 * for_it <= count and others:
            return f"{said}; the number is not clear: {', '.join(map(str, others))} have votes, too."
        return f"{said}."

    def _shown(self) -> dict[str, list[Any]]:
        every = [1, *self.ks]
        shown: dict[str, list[Any]] = {self.parameter: [f"{k} <-" if k == self.k else k for k in every]}
        for name, judged in self.criteria.items():
            if judged.values:
                shown[REGISTRY[name]().label] = [judged.values.get(k, "") for k in every]
        return shown

    def _columns(self) -> dict[str, list[Any]]:
        cells = [(name, k, e, j) for name, j in self.criteria.items() for k, e in j.values.items()]
        every = [e for _, _, e, _ in cells]
        return {
            "criterion": [name for name, _, _, _ in cells],
            "k": [k for _, k, _, _ in cells],
            **estimate_columns(every),
            "recommended": [j.k == k for _, k, _, j in cells],
            "chosen": [k == self.k for _, k, _, _ in cells],
            "level": [e.level for e in every],
            "n": [e.n for e in every],
            "method": [e.method for e in every],
            "reason": [e.reason for e in every],
        }

    def _notes(self) -> list[str]:
        said = [
            f"{REGISTRY[name]().label}: {'none' if j.k is None else j.k} ({j.why})"
            for name, j in self.criteria.items()
        ]
        tested = [f"{t.label} {p_value(t.p_value)} ({t.draws} draws)" for t in self.tests]
        return [
            self.verdict,
            f"{100 * self.level:g} % intervals. Recommended: {'; '.join(said)}.",
            *([f"Tests of no clusters: {'; '.join(tested)}."] if tested else []),
            *self.notes,
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers: verdict, tests, and every criterion with its values by K."""
        return {
            "k": self.k,
            "ks": list(self.ks),
            "verdict": self.verdict,
            "p_value": self.p_value,
            "parameter": self.parameter,
            "n": self.n,
            "n_tested": self.n_tested,
            "level": self.level,
            "tests": [
                {
                    "name": t.name,
                    "label": t.label,
                    "p_value": t.p_value,
                    "statistic": t.statistic,
                    "k": t.k,
                    "draws": t.draws,
                }
                for t in self.tests
            ],
            "criteria": {
                name: {
                    "label": REGISTRY[name]().label,
                    "k": j.k,
                    "why": j.why,
                    "ks": list(j.values),
                    "values": [e.to_dict() for e in j.values.values()],
                }
                for name, j in self.criteria.items()
            },
            "gap_null": self.gap_null,
            "notes": list(self.notes),
        }

    def plot(self, ax: Any = None, kind: str = "gap") -> Any:
        """Draw one of the charts; returns the Plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        kind : {"gap", "stability", "silhouette", ...}, default "gap"
            ``"gap"`` is the elbow of the inertia beside that of uniform rows; another criterion by its name
            is its values with intervals.
        """
        from empirisk.plots import CriterionDisplay, GapDisplay

        if kind == "gap" and self.gap_null:
            return GapDisplay(self.to_dict()).plot(ax)
        known = [name for name, j in self.criteria.items() if j.values]
        if kind not in known:
            raise ValueError(f"kind must be one of {', '.join(known)}, got {kind!r}")
        return CriterionDisplay(self.to_dict(), kind).plot(ax)
