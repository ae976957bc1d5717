"""The section on each cluster: its size, and what its rows are like beside all rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from empirisk.plots.cluster_profile import ClusterProfileDisplay
from empirisk.report.clusters.profile import Line, Trait, sizes, traits
from empirisk.report.estimates import estimate, number
from empirisk.report.sections import prose
from empirisk.report.sections.base import Chart, Section
from empirisk.report.sections.clusters.base import ClusterMaterial, cluster_name
from empirisk.report.sections.methods import Pairs
from empirisk.report.sections.prose import esc
from empirisk.report.shapes import checkers as shape
from empirisk.report.shapes import values
from empirisk.wording import amount, count, listed, percent, shorten

__all__ = ["PROFILE", "trait_said"]

Json = dict[str, Any]
LINES = 6  # columns and levels that the Markdown lists
DRAWN = 10  # lines of the chart
WEAK = 0.05  # share of the variance below which clusters differ little in a column
CAVEAT = (
    "The same rows chose the clusters and are described here: the differences between clusters were"
    " looked for,"
    " so their intervals describe the groups, and are no evidence that there are any (that is the test"
    " above)."
    " Holding rows out would not change this, for they would be put into clusters by the same columns."
)
NOT_TOLD = "Whether there are clusters could not be told in the time, so that none are described."
NO_CLUSTERS = "There are no clusters to describe: what holds for all rows stands in the table of columns."

cluster = shape.Record(
    {
        "name": shape.string,
        "n": shape.integer,
        "share": values.estimate,
        "traits": shape.strings,
    }
)
line = shape.Record(
    {
        "column": shape.string,
        "level": shape.nullable(shape.string),
        "takes_part": shape.boolean,
        "effect": values.estimate,
        "whole": values.estimate,
        "parts": shape.list_of(values.estimate),
        "distances": shape.list_of(shape.nullable(shape.number)),
    },
    also=values.same_length("parts", "distances"),
)
profile = shape.Record(
    {
        "sentence": shape.string,
        "caveat": shape.string,
        "clusters": shape.list_of(cluster, least=2),
        "lines": shape.list_of(line),
    }
)


def _collect(m: ClusterMaterial) -> Json:
    if not m.analysis.found:
        m.absent["profile"] = NO_CLUSTERS if m.analysis.choice.k == 1 else NOT_TOLD
        return {"profile": None}
    return {"profile": m.part("profile", lambda: _profile(m))}


def _profile(m: ClusterMaterial) -> Json:
    a = m.analysis
    lines = m.lines()
    shares = sizes(a.labels, a.k, a.prepared.level)
    counts = [int((a.labels == c).sum()) for c in range(a.k)]
    return {
        "sentence": _sentence(lines),
        "caveat": CAVEAT + _aside(lines),
        "clusters": [
            {
                "name": cluster_name(c),
                "n": counts[c],
                "share": estimate(shares[c]),
                "traits": [trait_said(t) for t in traits(lines, c)],
            }
            for c in range(a.k)
        ],
        "lines": [_line(x) for x in lines],
    }


def _line(x: Line) -> Json:
    return {
        "column": x.column.name,
        "level": x.level or None,
        "takes_part": x.takes_part,
        "effect": estimate(x.effect),
        "whole": estimate(x.whole),
        "parts": [estimate(e) for e in x.parts],
        "distances": [number(d) for d in x.distances],
    }


def _sentence(lines: Sequence[Line]) -> str:
    """Return which columns tell the clusters apart, and by how much."""
    told = {x.column.name: x.effect.value for x in lines if x.takes_part}
    best = sorted(told.items(), key=lambda pair: -pair[1])[:3]
    said = listed([f"{shorten(name)} ({percent(value)})" for name, value in best])
    weak = [shorten(name) for name, value in told.items() if value < WEAK]
    tail = f" Clusters differ little in {listed(weak[:4])}." if weak else ""
    return f"Of the variance of a column, the clusters explain most in {said}.{tail}"


def _aside(lines: Sequence[Line]) -> str:
    if all(x.takes_part for x in lines):
        return ""
    return (
        " Columns that were set aside (--drop) did not choose the clusters: their differences are evidence."
    )


def trait_said(t: Trait) -> str:
    """Return what stands out in a cluster, in a few words: ``age high (mean 61, all rows 42)``."""
    x, e = t.line, t.line.parts[t.cluster]
    name = shorten(x.column.name, 32)
    if not x.level:
        word = "high" if t.distance > 0.0 else "low"
        return f"{name} {word} (mean {amount(estimate(e))}, all rows {amount(estimate(x.whole))})"
    often = "more often" if t.distance > 0.0 else "less often"
    return f"{name} = {shorten(x.level, 24)} {often} ({percent(e.value)}, all rows {percent(x.whole.value)})"


def _named(x: Json) -> str:
    return x["column"] if x["level"] is None else f"{x['column']} = {x['level']}"


def _charts(report: Json) -> Iterator[Chart]:
    d = report["profile"]
    if d:
        rows = _drawn(d["lines"])
        names = [c["name"] for c in d["clusters"]]
        if rows:
            yield Chart(
                "profile", "how far each cluster is from all rows", lambda: ClusterProfileDisplay(rows, names)
            )


def _drawn(lines: Sequence[Json]) -> list[Json]:
    """Return the lines of the chart: of each column that takes part the most telling one, the first ten."""
    best: dict[str, Json] = {}
    for x in lines:
        spread = max((abs(d) for d in x["distances"] if d is not None), default=0.0)
        if x["takes_part"] and spread > best.get(x["column"], {"spread": 0.0})["spread"]:
            best[x["column"]] = {"label": _named(x), "distances": x["distances"], "spread": spread}
    return [{"label": x["label"], "distances": x["distances"]} for x in list(best.values())[:DRAWN]]


def _estimates(report: Json) -> dict[str, Pairs]:
    d = report["profile"]
    if not d:
        return {"sizes": [], "profile": []}
    pairs: Pairs = [("effect", x["effect"]) for x in d["lines"][:1]]
    for x in d["lines"]:
        label = "share of a level" if x["level"] else "mean of a number"
        pairs += [(label, e) for e in (x["whole"],)]
        pairs += [(f"{label} in a cluster", e) for e in x["parts"]]
    return {"sizes": [("size of a cluster", c["share"]) for c in d["clusters"]], "profile": pairs}


def _markdown(r: Json) -> prose.Lines:
    d = r["profile"]
    if not d:
        return prose.absent(r, "profile")
    names = [f"Cluster {c['name']}" for c in d["clusters"]]
    rows = [
        [f"{c['name']}", count(c["n"]), esc(prose.told(c["share"])), esc("; ".join(c["traits"]))]
        for c in d["clusters"]
    ]
    lines = [esc(d["sentence"]), "", *prose.table(["Cluster", "Rows", "Share", "What stands out"], rows)]
    lines += [esc(d["caveat"]), ""]
    table = [
        [esc(shorten(_named(x), 60)), *(esc(prose.told(e)) for e in (x["effect"], x["whole"], *x["parts"]))]
        for x in d["lines"][:LINES]
    ]
    more = prose.more_in_json(len(d["lines"]) - LINES, "more lines", "profile.lines")
    return lines + prose.table(["Column", "Explained", "All rows", *names], table) + more


PROFILE = Section(
    "profile",
    "What is in each cluster?",
    {"profile": shape.nullable(profile)},
    _collect,
    _markdown,
    "clusters/profile.html.j2",
    charts=_charts,
    estimates=_estimates,
    names=lambda report: {"line_name": _named},
    parts={"profile": "The profile of the clusters"},
)
