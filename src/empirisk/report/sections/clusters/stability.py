"""The section on stability: whether each cluster is found again on other draws of the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from empirisk.partitions.stability import PartitionStability, partition_stability
from empirisk.plots.cluster_stability import ClusterStabilityDisplay
from empirisk.report.clusters.engine import FEWER, Clustered, kmeans
from empirisk.report.estimates import estimate
from empirisk.report.sections import prose
from empirisk.report.sections.base import Chart, Section
from empirisk.report.sections.clusters.base import ClusterMaterial, cluster_name
from empirisk.report.sections.methods import Pairs
from empirisk.report.sections.prose import esc
from empirisk.report.shapes import checkers as shape
from empirisk.report.shapes import values
from empirisk.results import Estimate
from empirisk.wording import count, listed

__all__ = ["STABILITY"]

Json = dict[str, Any]
# Hennig's limits: at 0.75 a cluster has come back, and at 0.5 as many other rows as its own are in its place.
COMES_BACK, DISSOLVED = 0.75, 0.5
SUBSAMPLES = 40

stable = shape.Record(
    {
        "cluster": shape.string,
        "rows": shape.integer,
        "jaccard": values.estimate,
        "dissolved": values.estimate,
        "sentence": shape.string,
    }
)
stability = shape.Record(
    {
        "split": shape.integer,
        "n": shape.integer,
        "n_resamples": shape.integer,
        "overall": values.estimate,
        "weakest": shape.nullable(shape.number),
        "sentence": shape.string,
        "clusters": shape.list_of(stable, least=2),
    }
)


def _collect(m: ClusterMaterial) -> Json:
    return {"stability": m.part("stability", lambda: _told(m))}


def _told(m: ClusterMaterial) -> Json:
    a = m.analysis
    found, numbers = _found_again(a)
    rows: list[Json] = [
        {
            "cluster": cluster_name(number),
            "rows": int(found.sizes[c]),
            "jaccard": estimate(found.clusters[c]),
            "dissolved": estimate(found.dissolved[c]),
            "sentence": _one(found.clusters[c]),
        }
        for c, number in enumerate(numbers)
    ]
    rows.sort(key=lambda row: int(row["cluster"]))
    seen = [row["jaccard"]["value"] for row in rows if row["jaccard"]["value"] is not None]
    return {
        "split": a.split,
        "n": found.n,
        "n_resamples": found.n_resamples,
        "overall": estimate(found.overall),
        "weakest": float(min(seen)) if seen else None,
        "sentence": _sentence(a.found, rows, found.n_resamples, found.n),
        "clusters": rows,
    }


def _found_again(a: Clustered) -> tuple[PartitionStability, list[int]]:
    """Group subsamples of 80 % of the drawn rows anew; return how much of each cluster comes back.

    Returns
    -------
    stability : PartitionStability
        Its clusters are those of the drawn rows.
    numbers : list of int
        Which cluster of the report each of them is: those that share the most rows.
    """
    p = a.prepared
    found = partition_stability(
        kmeans(a.split, p.seed, FEWER),
        p.matrix.X[p.drawn],
        scheme="subsample",
        n_resamples=SUBSAMPLES,
        level=p.level,
        random_state=p.seed,
    )
    shared = np.zeros((a.split, a.split))
    np.add.at(shared, (found.labels, a.parts[p.drawn]), 1.0)
    numbers = linear_sum_assignment(-shared)[1]
    return found, [int(c) for c in numbers]


def _one(e: Estimate) -> str:
    """Return what the similarity says about one cluster."""
    if e.value >= COMES_BACK:
        return "comes back"
    if e.value > DISSOLVED:
        return "comes back in part: which rows belong to it is open"
    return "dissolves: do not rely on it"


def _sentence(clusters: bool, rows: list[Json], draws: int, n: int) -> str:
    weak = [row["cluster"] for row in rows if not (row["jaccard"]["value"] or 0.0) >= COMES_BACK]
    one, many = ("cluster", "clusters") if clusters else ("part of the cut", "parts of the cut")
    drawn = f"{draws} subsamples of 80 % of {count(n)} rows"
    if not weak:
        return f"Every {one} comes back in {drawn}."
    if len(weak) == len(rows):
        return f"No {one} comes back reliably in {drawn}."
    said = f"{one} {weak[0]} does" if len(weak) == 1 else f"{many} {listed(weak)} do"
    return f"In {drawn}, {said} not come back as a whole; the others do."


def _charts(report: Json) -> Iterator[Chart]:
    d = report["stability"]
    if d:
        yield Chart("stability", "how well each cluster is found again", lambda: ClusterStabilityDisplay(d))


def _estimates(report: Json) -> dict[str, Pairs]:
    d = report["stability"]
    return {"stability": _pairs(d) if d else []}


def _pairs(d: Json) -> Pairs:
    own: Pairs = [("all clusters", d["overall"])]
    own += [("similarity of each cluster", c["jaccard"]) for c in d["clusters"]]
    return [*own, *(("subsamples without a cluster", c["dissolved"]) for c in d["clusters"])]


def _markdown(r: Json) -> prose.Lines:
    d = r["stability"]
    if not d:
        return prose.absent(r, "stability")
    rows = [
        [c["cluster"], *(esc(prose.told(c[key])) for key in ("jaccard", "dissolved"))] for c in d["clusters"]
    ]
    said: dict[str, list[str]] = {}
    for c in d["clusters"]:
        said.setdefault(c["sentence"], []).append(c["cluster"])
    told = prose.bullets(f"{', '.join(who)}: {esc(sentence)}" for sentence, who in said.items())
    table = prose.table(["Cluster", "Similarity", "Dissolved"], rows)
    return [esc(d["sentence"]), "", *table, *told]


STABILITY = Section(
    "stability",
    "Would other rows give the same groups?",
    {"stability": shape.nullable(stability)},
    _collect,
    _markdown,
    "clusters/stability.html.j2",
    charts=_charts,
    estimates=_estimates,
    parts={"stability": "The stability of the clusters"},
    long=frozenset({"stability"}),
)
