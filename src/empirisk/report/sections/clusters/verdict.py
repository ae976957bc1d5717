"""The verdict on clusters: three sentences that anybody can read, the sizes, and the next step."""

from __future__ import annotations

from typing import Any

from empirisk.report.sections import prose
from empirisk.report.sections.base import Section
from empirisk.report.sections.clusters.base import ClusterMaterial
from empirisk.report.sections.clusters.words import certificate_said, next_step, sentences
from empirisk.report.sections.prose import esc, told
from empirisk.report.sections.verdict.section import named_findings, top_findings, worst_findings
from empirisk.report.shapes import checkers as shape
from empirisk.report.shapes import values
from empirisk.wording import counted

__all__ = ["CLUSTER_VERDICT"]

Json = dict[str, Any]
SHOWN = 6  # clusters whose size stands at the top

task = shape.Record({"kind": shape.one_of("clusters"), "columns": shape.strings, "sentence": shape.string})
verdict = shape.Record(
    {
        "clusters": shape.boolean,
        "k": shape.integer,
        "sentences": shape.list_of(shape.string, least=3, most=3),
        "sizes": shape.list_of(shape.Record({"name": shape.string, "share": values.estimate})),
        "certificate": shape.nullable(shape.string),
        "next_step": shape.nullable(shape.string),
        "findings": shape.list_of(shape.string, most=3),
    }
)


def _collect(m: ClusterMaterial) -> Json:
    a, table = m.analysis, m.analysis.prepared.table
    shown = (m.made["profile"] or {"clusters": []})["clusters"]
    return {
        "task": {
            "kind": "clusters",
            "columns": table.features,
            "sentence": (
                f"Group the {counted(table.n_rows, 'row')} of {table.source.name} by"
                f" {counted(len(table.features), 'column')}."
            ),
        },
        "verdict": {
            "clusters": a.found,
            "k": a.k,
            "sentences": sentences(m.made, a.k, a.split, table.source.name),
            "sizes": [{"name": c["name"], "share": c["share"]} for c in shown],
            "certificate": certificate_said(m.made["certificates"], a.k),
            "next_step": next_step(m.made, a.k, a.split),
            "findings": worst_findings(a.findings),
        },
    }


def _markdown(r: Json) -> prose.Lines:
    v = r["verdict"]
    lines = [esc(" ".join(v["sentences"])), ""]
    if v["sizes"]:
        lines += prose.table(
            ["Cluster", "Share of the rows"], [[s["name"], esc(told(s["share"]))] for s in v["sizes"]]
        )
    said = [v["certificate"], v["next_step"] and f"Next step: {v['next_step']}"]
    lines += [line for s in said if s for line in (esc(s), "")]
    lines += [line for part in r.get("failed", []) for line in (esc(part["sentence"]), "")]
    return lines + prose.bullets(
        f"**{f['level']}** {esc(f['code'])}: {esc(f['sentence'])}" for _, f in top_findings(r)
    )


CLUSTER_VERDICT = Section(
    "verdict",
    "Verdict",
    {"task": task, "verdict": verdict},
    _collect,
    _markdown,
    "clusters/verdict.html.j2",
    cross=named_findings,
    names=lambda report: {"badges": top_findings(report), "most_sizes": SHOWN},
    needs=("number", "profile", "stability", "agreement", "map", "certificates"),
)
