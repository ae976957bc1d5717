"""The section on other methods: k-means beside a mixture of Gaussians and a tree, and the tree itself."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from empirisk.plots.dendrogram import DendrogramDisplay
from empirisk.report.clusters.alternatives import Method, by_other_methods, compared
from empirisk.report.estimates import estimate
from empirisk.report.sections import prose
from empirisk.report.sections.base import Chart, Section
from empirisk.report.sections.clusters.base import ClusterMaterial
from empirisk.report.sections.methods import Pairs
from empirisk.report.sections.prose import esc
from empirisk.report.shapes import checkers as shape
from empirisk.report.shapes import values
from empirisk.wording import count, listed, p_value

__all__ = ["AGREEMENT"]

Json = dict[str, Any]
LEAVES = 24  # parts that the drawing of the tree begins with: more leave no room for words on a phone
CLOSE, FAR = 0.75, 0.4  # adjusted Rand indices from which groups count as alike, and below which as others

pair = shape.Record(
    {
        "first": shape.string,
        "second": shape.string,
        "agreement": values.estimate,
        "p_value": shape.number,
        "matched": values.estimate,
    }
)
method = shape.Record(
    {"name": shape.string, "label": shape.string, "sizes": shape.list_of(shape.integer), "note": shape.string}
)
leaf = shape.Record(
    {"height": shape.number, "rows": shape.integer, "name": shape.string, "cluster": shape.number}
)
tree = shape.Record(
    {
        "links": shape.list_of(shape.list_of(shape.number, least=6, most=6), least=1),
        "leaves": shape.list_of(leaf, least=2),
        "cut": shape.nullable(shape.number),
        "clusters": shape.integer,
        "n": shape.integer,
        "inversions": shape.integer,
        "linkage": shape.string,
        "cophenetic": shape.nullable(shape.number),
        "rule": shape.string,
    }
)
agreement = shape.Record(
    {
        "split": shape.integer,
        "rows": shape.integer,
        "sentence": shape.string,
        "methods": shape.list_of(method, least=1),
        "pairs": shape.list_of(pair),
        "tree": shape.nullable(tree),
    }
)


def _collect(m: ClusterMaterial) -> Json:
    return {"agreement": m.part("agreement", lambda: _agreement(m))}


def _agreement(m: ClusterMaterial) -> Json:
    a = m.analysis
    methods = by_other_methods(a)
    pairs = []
    for first, second in itertools.combinations(methods, 2):
        found = compared(a, first.labels, second.labels)
        pairs.append(
            {
                "first": first.label,
                "second": second.label,
                "agreement": estimate(found.estimates["adjusted_rand"]),
                "p_value": float(found.p_values["adjusted_rand"]),
                "matched": estimate(found.matched),
            }
        )
    return {
        "split": a.split,
        "rows": len(a.prepared.drawn),
        "sentence": _sentence(pairs, a.split, a.found),
        "methods": [
            {
                "name": x.name,
                "label": x.label,
                "sizes": sorted((int(n) for n in np.bincount(x.labels)), reverse=True),
                "note": x.note,
            }
            for x in methods
        ],
        "pairs": pairs,
        "tree": _tree(m, methods),
    }


def _tree(m: ClusterMaterial, methods: Sequence[Method]) -> Json | None:
    """Return the upper part of the tree, as its chart takes it."""
    found = next((x for x in methods if x.name == "tree"), None)
    if found is None:
        return None
    p = m.analysis.prepared
    view: Json = found.model.dendrogram(p.matrix.X[p.drawn], max_leaves=LEAVES).view
    sample = (
        "" if p.n == len(p.drawn) else f" of {count(len(p.drawn))} of the {count(p.n)} rows, drawn at random"
    )
    links = [[float(v) for v in link] for link in view["links"]]
    leaves = [
        {
            "height": float(x["height"]),
            "rows": int(x["rows"]),
            "name": str(x["name"]),
            "cluster": int(x["cluster"]),
        }
        for x in view["leaves"]
    ]
    shown = f"The last {len(links)} merges{sample}"
    rule = f"{shown}; what was merged before is a wedge, and colours are the parts of the cut."
    kept = {key: view[key] for key in ("cut", "clusters", "n", "inversions", "linkage", "cophenetic")}
    return {**kept, "links": links, "leaves": leaves, "rule": rule}


def _sentence(pairs: Sequence[Json], split: int, found: bool) -> str:
    what = f"{split} clusters" if found else f"the refuted cut into {split} parts"
    own = [p for p in pairs if p["first"] == "k-means"]
    if not own:
        return f"No other method was tried on {what}."
    alike = [p["second"] for p in own if p["agreement"]["value"] >= CLOSE]
    other = [p["second"] for p in own if p["agreement"]["value"] < FAR]
    half = [p["second"] for p in own if FAR <= p["agreement"]["value"] < CLOSE]
    said = [f"{_all(alike)} the rows much as k-means does"] if alike else []
    said += [f"{_all(half)} the rows so in part"] if half else []
    said += [f"{_all(other)} them otherwise"] if other else []
    return f"Asked for {what}, {'; '.join(said)}."


def _all(methods: Sequence[str]) -> str:
    """Return methods with their verb: ``a tree groups``, ``a mixture and a tree group``."""
    return f"{listed([f'a {name}' for name in methods])} group{'s' * (len(methods) == 1)}"


def _charts(report: Json) -> Iterator[Chart]:
    d = report["agreement"]
    if d and d["tree"]:
        yield Chart("tree", "the tree of merged rows", lambda: DendrogramDisplay(_whole(d["tree"])))


def _whole(shown: Json) -> Json:
    """Return the view with whole numbers of clusters, which JSON keeps as numbers."""
    links = [[*link[:5], int(link[5])] for link in shown["links"]]
    return {**shown, "links": links}


def _estimates(report: Json) -> dict[str, Pairs]:
    d = report["agreement"]
    if not d:
        return {"agreement": []}
    rows: Pairs = [("groups of two methods", p["agreement"]) for p in d["pairs"]]
    return {"agreement": [*rows, *(("matched rows", p["matched"]) for p in d["pairs"])]}


def _markdown(r: Json) -> prose.Lines:
    d = r["agreement"]
    if not d:
        return prose.absent(r, "agreement")
    rows = [
        [
            esc(f"{p['first']} and {p['second']}"),
            esc(prose.told(p["agreement"])),
            p_value(p["p_value"]),
            esc(prose.told(p["matched"])),
        ]
        for p in d["pairs"]
    ]
    head = ["Methods", "Adjusted Rand index", "As alike by chance", "Rows in matched clusters"]
    lines = [esc(d["sentence"]), "", *prose.table(head, rows)]
    lines += prose.bullets(
        "; ".join([f"{esc(x['label'])}: {listed([count(n) for n in x['sizes']])} rows", *_note(x)])
        for x in d["methods"]
    )
    return [*lines, *([esc(d["tree"]["rule"]), ""] if d["tree"] else [])]


def _note(x: Json) -> list[str]:
    return [esc(x["note"])] if x["note"] else []


AGREEMENT = Section(
    "agreement",
    "Do other methods find the same groups?",
    {"agreement": shape.nullable(agreement)},
    _collect,
    _markdown,
    "clusters/agreement.html.j2",
    charts=_charts,
    estimates=_estimates,
    parts={"agreement": "The comparison with other methods"},
    long=frozenset({"agreement"}),
)
