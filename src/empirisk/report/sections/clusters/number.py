"""The section on the number of clusters: the test of no clusters, and six criteria with their intervals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from empirisk.partitions.criteria import REGISTRY as CRITERIA
from empirisk.partitions.k_choice import KChoice
from empirisk.plots.criterion import CriterionDisplay
from empirisk.plots.gap import GapDisplay
from empirisk.report.estimates import estimate, number
from empirisk.report.sections import prose
from empirisk.report.sections.base import Chart, Section
from empirisk.report.sections.clusters.base import ClusterMaterial
from empirisk.report.sections.methods import Pairs
from empirisk.report.sections.prose import esc
from empirisk.report.shapes import checkers as shape
from empirisk.report.shapes import values
from empirisk.wording import count, counted, p_value

__all__ = ["NUMBER"]

Json = dict[str, Any]
DRAWN = ("stability", "silhouette")  # criteria that are drawn
_RULE = (
    "Rows without clusters are refuted first: clusters are claimed only where the inertia (the squared"
    " distances to the centres) falls faster than it does for rows drawn from each cloud of the table below."
    " The last of them has the correlations of these rows, columns as skewed as theirs, and the same values"
    " where a column takes few. Only then the criteria vote on the number."
)

_whole = shape.list_of(shape.integer, most=values.MAX_POINTS)
gap = shape.Record(
    {
        "ks": _whole,
        "observed": values.numbers,
        "mean": values.numbers,
        "low": values.numbers,
        "high": values.numbers,
    },
    also=values.same_length("ks", "observed", "mean", "low", "high"),
)
criterion = shape.Record(
    {
        "label": shape.string,
        "k": shape.nullable(shape.integer),
        "why": shape.string,
        "ks": _whole,
        "values": shape.list_of(values.estimate),
    },
    also=values.same_length("ks", "values"),
)
test = shape.Record(
    {
        "name": shape.string,
        "label": shape.string,
        "p_value": shape.number,
        "statistic": shape.number,
        "k": shape.integer,
        "draws": shape.integer,
    }
)
number_of_clusters = shape.Record(
    {
        "k": shape.nullable(shape.integer),
        "split": shape.integer,
        "ks": _whole,
        "sentence": shape.string,
        "rule": shape.string,
        "p_value": shape.nullable(shape.number),
        "tests": shape.list_of(test),
        "criteria": shape.map_of(criterion),
        "gap_null": shape.nullable(gap),
        "parameter": shape.string,
        "n": shape.integer,
        "n_tested": shape.integer,
        "notes": shape.strings,
    }
)


def _collect(m: ClusterMaterial) -> Json:
    choice: KChoice = m.analysis.choice
    return {
        "number": {
            "k": choice.k,
            "split": m.analysis.split,
            "ks": [1, *choice.ks],
            "sentence": choice.verdict,
            "rule": _RULE,
            "p_value": None if choice.p_value is None else float(choice.p_value),
            "tests": [
                {
                    "name": t.name,
                    "label": t.label,
                    "p_value": float(t.p_value),
                    "statistic": number(t.statistic) or 0.0,
                    "k": int(t.k),
                    "draws": int(t.draws),
                }
                for t in choice.tests
            ],
            "criteria": {name: _criterion(name, judged) for name, judged in choice.criteria.items()},
            "gap_null": choice.gap_null or None,
            "parameter": "number of clusters",
            "n": choice.n,
            "n_tested": choice.n_tested,
            "notes": list(choice.notes),
        }
    }


def _criterion(name: str, judged: Any) -> Json:
    return {
        "label": CRITERIA[name].label,
        "k": None if judged.k is None else int(judged.k),
        "why": judged.why,
        "ks": [int(k) for k in judged.values],
        "values": [estimate(e) for e in judged.values.values()],
    }


def _charts(report: Json) -> Iterator[Chart]:
    d = report["number"]
    if d["gap_null"]:
        yield Chart("gap", "the inertia beside that of uniform rows", lambda: GapDisplay(d))
    for name in DRAWN:
        c = d["criteria"].get(name)
        if c and c["values"]:
            yield Chart(f"criterion_{name}", f"the {c['label']}", _of(d, name), c["values"][0])


def _of(d: Json, name: str) -> Any:
    return lambda: CriterionDisplay(d, name)


def _said(k: int | None) -> str:
    return "–" if k is None else "no clusters" if k == 1 else str(k)


def _cell(c: Json, k: int) -> Json | None:
    return c["values"][c["ks"].index(k)] if k in c["ks"] else None


def _estimates(report: Json) -> dict[str, Pairs]:
    criteria = report["number"]["criteria"].values()
    return {"number": [(c["label"], e) for c in criteria for e in c["values"][-1:]]}


def _markdown(r: Json) -> prose.Lines:
    d = r["number"]
    lines = [esc(d["sentence"]), "", esc(d["rule"]), ""]
    rows = [[esc(t["label"]), p_value(t["p_value"]), count(t["draws"])] for t in d["tests"]]
    lines += prose.table(["Rows without clusters", "As grouped as these", "Draws"], rows)
    shown = [c for c in d["criteria"].values() if c["values"]]
    table = [[str(k), *(esc(prose.told(_cell(c, k))) for c in shown)] for k in d["ks"]]
    lines += prose.table(["Clusters", *(esc(c["label"]) for c in shown)], table)
    lines += prose.bullets(
        f"{esc(c['label'])}: {_said(c['k'])} ({esc(c['why'])})" for c in d["criteria"].values()
    )
    return [*lines, *prose.bullets(esc(note) for note in d["notes"])]


NUMBER = Section(
    "number",
    "How many clusters are there?",
    {"number": number_of_clusters},
    _collect,
    _markdown,
    "clusters/number.html.j2",
    charts=_charts,
    estimates=_estimates,
    names=lambda report: {"cell": _cell, "k_said": _said, "counted": counted},
)
