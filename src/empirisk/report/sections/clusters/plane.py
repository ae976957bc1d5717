"""The map: the plane of the two leading principal components, and what its axes are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from empirisk.plots.cluster_map import ClusterMapDisplay
from empirisk.report.clusters.plane import CELLS, Plane, plane_of
from empirisk.report.sections import prose
from empirisk.report.sections.base import Chart, Section
from empirisk.report.sections.clusters.base import ClusterMaterial
from empirisk.report.sections.prose import esc
from empirisk.report.shapes import checkers as shape
from empirisk.report.shapes import values
from empirisk.wording import listed, percent, shorten

__all__ = ["MAP"]

Json = dict[str, Any]
ONE_COLUMN = "Only one column varies: there is no plane to draw."

axis = shape.Record({"share": shape.number, "terms": shape.list_of(shape.string), "sentence": shape.string})
view = shape.Record(
    {
        "rows": shape.list_of(shape.list_of(shape.number, least=3, most=3)),
        "sizes": shape.list_of(shape.integer),
        "outside": shape.integer,
        "centres": shape.nullable(shape.list_of(values.numbers)),
        "axes": shape.list_of(shape.string, least=2, most=2),
        "share": shape.nullable(shape.number),
        "columns": shape.boolean,
        "n": shape.integer,
        "rule": shape.string,
    }
)
plane = shape.Record(
    {
        "sentence": shape.string,
        "shares": values.numbers,
        "axes": shape.list_of(axis, least=2, most=2),
        "view": view,
    }
)


def _collect(m: ClusterMaterial) -> Json:
    found = m.part("map", lambda: _map(m))
    if found is None and "map" not in m.analysis.guard.failed and "map" not in m.analysis.guard.late:
        m.absent["map"] = ONE_COLUMN
    return {"map": found}


def _map(m: ClusterMaterial) -> Json | None:
    a = m.analysis
    found = plane_of(a)
    if found is None:
        return None
    shares = [min(1.0, s) for s in found.shares]
    return {
        "sentence": _sentence(found),
        "shares": shares,
        "axes": [
            {
                "share": shares[j],
                "terms": [name for name, _ in found.loadings[j]],
                "sentence": _axis(found, j),
            }
            for j in range(2)
        ],
        "view": {
            "rows": found.cells,
            "sizes": [int(n) for n in np.bincount(a.parts, minlength=a.split)],
            "outside": 0,
            "centres": [[float(x), float(y)] for x, y in found.centres],
            "axes": [f"component {j + 1} ({percent(shares[j])} of the variance)" for j in range(2)],
            "share": sum(shares[:2]),
            "columns": False,
            "n": a.prepared.n,
            "rule": (
                f"Each sign is a cell of a grid of {CELLS} by {CELLS} that holds rows of the cluster;"
                " single rows are"
                " not shown."
            ),
        },
    }


def _sentence(found: Plane) -> str:
    both = percent(min(1.0, sum(found.shares[:2])))
    return (
        f"The plane shows {both} of the variance of the rows as the clusters see them (principal"
        " components of the"
        " scaled columns): groups that lie apart in it are apart, and groups that overlap in it may be"
        " apart in"
        " other directions."
    )


def _axis(found: Plane, j: int) -> str:
    """Return what an axis of the plane is made of: columns that go up along it, and those that go down."""
    up = [shorten(name, 32) for name, weight in found.loadings[j] if weight > 0.0]
    down = [shorten(name, 32) for name, weight in found.loadings[j] if weight < 0.0]
    parts = [f"more {listed(up)}"] if up else []
    parts += [f"less {listed(down)}"] if down else []
    side = "right" if j == 0 else "top"
    return f"Component {j + 1} ({percent(found.shares[j])}): {', '.join(parts)} to the {side}."


def _charts(report: Json) -> Iterator[Chart]:
    d = report["map"]
    if d:
        yield Chart("map", "the map of the rows", lambda: ClusterMapDisplay(_named(d["view"])))


def _named(shown: Json) -> Json:
    """Return the map with clusters counted from 1, as readers do."""
    return {**shown, "first": 1}


def _markdown(r: Json) -> prose.Lines:
    d = r["map"]
    if not d:
        return prose.absent(r, "map")
    said: Sequence[str] = [x["sentence"] for x in d["axes"]]
    return [esc(d["sentence"]), "", *prose.bullets(esc(s) for s in said)]


MAP = Section(
    "map",
    "What do the groups look like?",
    {"map": shape.nullable(plane)},
    _collect,
    _markdown,
    "clusters/plane.html.j2",
    charts=_charts,
    parts={"map": "The map of the rows"},
)
