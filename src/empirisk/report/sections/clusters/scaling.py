"""The section on the scales of the columns: what columns become, how much each counts, what would change."""

from __future__ import annotations

from typing import Any

from empirisk.report.clusters.alternatives import rescaled
from empirisk.report.clusters.engine import Clustered
from empirisk.report.clusters.matrix import LEVEL_WEIGHT, column_shares
from empirisk.report.estimates import estimate
from empirisk.report.read.table import Column
from empirisk.report.sections import prose
from empirisk.report.sections.base import Section
from empirisk.report.sections.clusters.base import ClusterMaterial
from empirisk.report.sections.methods import Pairs
from empirisk.report.sections.prose import esc
from empirisk.report.shapes import checkers as shape
from empirisk.report.shapes import values
from empirisk.wording import counted, plain, share, shorten

__all__ = ["SCALING"]

Json = dict[str, Any]
COLUMNS = 8  # that the Markdown lists
KEPT = 0.75  # adjusted Rand index from which groups count as much the same

scaled = shape.Record(
    {
        "column": shape.string,
        "rule": shape.string,
        "terms": shape.integer,
        "weight": shape.number,
        "scale": shape.nullable(shape.number),
        "share": shape.number,
    }
)
alternative = shape.Record(
    {
        "name": shape.string,
        "label": shape.string,
        "agreement": values.estimate,
        "p_value": shape.number,
        "sentence": shape.string,
    }
)
scaling = shape.Record(
    {
        "sentence": shape.string,
        "level_weight": shape.nullable(shape.number),
        "columns": shape.list_of(scaled, least=1),
        "alternatives": shape.nullable(shape.list_of(alternative)),
    }
)


def _collect(m: ClusterMaterial) -> Json:
    a = m.analysis
    table = a.prepared.table
    features = [c for c in table.columns if c.role == "feature"]
    levels = any(c.kind == "categorical" for c in features)
    return {
        "scaling": {
            "sentence": _sentence(features),
            "level_weight": LEVEL_WEIGHT if levels else None,
            "columns": _columns(a, features),
            "alternatives": m.part("scaling.alternatives", lambda: [_told(a, r) for r in rescaled(a)]),
        }
    }


def _sentence(features: list[Column]) -> str:
    kinds = {c.kind for c in features}
    said = (
        [
            "Numbers are standardised (mean 0, standard deviation 1): otherwise the column with the largest"
            " numbers would decide alone, and a change of unit would change the groups."
        ]
        if "number" in kinds
        else []
    )
    if kinds & {"categorical", "boolean"}:
        said.append(
            "Each level is a 0/1 column with the weight 0.71 (the root of one half) and a truth value"
            " one with"
            " the weight 1, so that two rows that differ in one of them are as far apart as two rows"
            " whose number"
            " differs by one standard deviation."
        )
    said.append(
        "Groups depend on these decisions, and no row can say which are right: the columns that count are a"
        " choice (--drop)."
    )
    return " ".join(said)


def _columns(a: Clustered, features: list[Column]) -> list[Json]:
    matrix = a.prepared.matrix
    shares = column_shares(matrix)
    out = []
    for c in features:
        own = [o for o in matrix.origins if o.source == c.name]
        number = c.kind == "number"
        rule = {
            "number": "standardised",
            "boolean": "0 or 1",
        }.get(c.kind, f"{counted(len(own), 'level')}, one 0/1 column each")
        out.append(
            {
                "column": c.name,
                "rule": rule,
                "terms": len(own),
                "weight": LEVEL_WEIGHT if c.kind == "categorical" else 1.0,
                "scale": float(own[0].scale) if number and own else None,
                "share": shares.get(c.name, 0.0),
            }
        )
    return sorted(out, key=lambda row: -row["share"])


def _told(a: Clustered, r: Any) -> Json:
    found = r.comparison.estimates["adjusted_rand"]
    p = float(r.comparison.p_values["adjusted_rand"])
    same = (
        "the groups stay much the same"
        if found.value >= KEPT
        else "the groups are others"
        if found.value < 0.4
        else "the groups change in part"
    )
    return {
        "name": r.name,
        "label": r.label,
        "agreement": estimate(found),
        "p_value": p,
        "sentence": f"With {r.label}, {same}.",
    }


def _estimates(report: Json) -> dict[str, Pairs]:
    rows = report["scaling"]["alternatives"] or []
    return {"scaling": [("groups under other decisions", row["agreement"]) for row in rows]}


def _markdown(r: Json) -> prose.Lines:
    d = r["scaling"]
    rows = [
        [
            esc(shorten(c["column"], 60)),
            esc(c["rule"]),
            plain(c["weight"], 2),
            share(c["share"]),
        ]
        for c in d["columns"][:COLUMNS]
    ]
    head = ["Column", "Becomes", "Weight", "Share of the variance"]
    more = prose.more_in_json(len(d["columns"]) - COLUMNS, "more columns", "scaling.columns")
    lines = [esc(d["sentence"]), "", *prose.table(head, rows), *more]
    if d["alternatives"]:
        told = [[esc(x["sentence"]), esc(prose.told(x["agreement"]))] for x in d["alternatives"]]
        lines += prose.table(["Decided otherwise", "Adjusted Rand index"], told)
    return lines + prose.absent(r, "scaling.alternatives")


SCALING = Section(
    "scaling",
    "Do the scales of the columns decide?",
    {"scaling": scaling},
    _collect,
    _markdown,
    "clusters/scaling.html.j2",
    estimates=_estimates,
    parts={"scaling.alternatives": "The comparison of scaling decisions"},
    long=frozenset({"scaling.alternatives"}),
)
