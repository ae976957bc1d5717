"""What a report on clusters cannot tell: the lines that apply, and what was not done."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from empirisk.report.sections.clusters.base import ClusterMaterial
from empirisk.report.sections.limits import LIMITS
from empirisk.wording import count

__all__ = ["CLUSTER_LIMITS"]

Json = dict[str, Any]


def _collect(m: ClusterMaterial) -> Json:
    a = m.analysis
    table, n = a.prepared.table, a.prepared.n
    out = [
        "Whether the clusters mean anything: they are groups of like rows in the columns that were"
        " chosen and scaled"
        " as above, and other columns can give other groups.",
        "Whether cases of another population, place or time fall into the same groups.",
        "Clusters of other forms: k-means and the tests look for groups around centres; rings and long"
        " chains need"
        " other methods (spectral clustering, single linkage).",
        "Clusters of so few rows that chance makes them: the evidence is about groups of some per cent"
        " of the rows.",
    ]
    if a.found:
        out.append(
            "That the clusters differ in a column that chose them: they must, for they were made so."
            " Only columns that"
            " were set aside can show it."
        )
    if any(c.kind == "categorical" for c in table.columns if c.role == "feature"):
        out.append(
            "Which weight a level should have beside a number: the one that was used is a convention,"
            " and the section"
            " on scaling shows the groups without levels."
        )
    if any(c.n_missing for c in table.columns if c.role == "feature"):
        out.append("Where rows with missing values really lie: a median stands in for what is not known.")
    few = len(a.prepared.drawn)
    if n > few:
        out.append(
            "Not done on all rows: the tests, the stability, the other methods and the tree used"
            f" {count(few)} of"
            f" {count(n)} rows, drawn at random; the clusters, their sizes and their profile are of all rows."
        )
    out.append("Not done: weights of rows, dependence between rows, and clusters over time.")
    return {"limits": out, "absent": m.absent, "failed": []}


CLUSTER_LIMITS = replace(LIMITS, collect=_collect)
