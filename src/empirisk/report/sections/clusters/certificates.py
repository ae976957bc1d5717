"""The section on the certificates: how far the groups can be from the best of their kind, and why."""

from __future__ import annotations

from typing import Any

from empirisk.estimators.verify import verify
from empirisk.report.estimates import number
from empirisk.report.sections import prose
from empirisk.report.sections.base import Section
from empirisk.report.sections.clusters.base import ClusterMaterial
from empirisk.report.sections.prose import esc
from empirisk.report.shapes import checkers as shape
from empirisk.report.shapes import values
from empirisk.wording import spelled

__all__ = ["CERTIFICATES"]

Json = dict[str, Any]
NOT_ABOUT = (
    "A certificate is about the fit: whether k-means found the best groups of its kind in these columns."
    " It says"
    " nothing about whether there are groups, nor about their use."
)

certificates = shape.Record(
    {
        "sentence": shape.string,
        "rows": shape.list_of(shape.Record({"of": shape.string, "certificate": values.certificate})),
    }
)


def _collect(m: ClusterMaterial) -> Json:
    return {"certificates": m.part("certificates", lambda: _certificates(m))}


def _certificates(m: ClusterMaterial) -> Json:
    a = m.analysis
    model = a.pipeline[-1]
    rows = [
        {
            "of": f"k-means with {a.k} cluster{'s' * (a.k > 1)}",
            "certificate": _told(model, a.prepared.matrix.X),
        }
    ]
    return {"sentence": NOT_ABOUT, "rows": rows}


def _told(model: Any, X: Any) -> Json:
    own, again = model.certificate_, verify(model, X, None)
    return {
        "kind": own.kind.name,
        "value": number(own.value),
        "scale": number(own.scale),
        "relative": number(own.relative),
        "tolerance": number(getattr(model, "tol", 0.0)),
        "claim": spelled(own.claim),
        "status": "fitted",
        "verified": bool(again.kind is own.kind and again.value <= 2.0 * own.value + 1e-9 * own.scale),
    }


def _markdown(r: Json) -> prose.Lines:
    d = r["certificates"]
    if not d:
        return prose.absent(r, "certificates")
    rows = [f"{esc(x['of'])}: {esc(x['certificate']['claim'])}" for x in d["rows"]]
    return [*prose.bullets(rows), esc(d["sentence"]), ""]


CERTIFICATES = Section(
    "certificates",
    "Is there a better grouping of the same kind?",
    {"certificates": shape.nullable(certificates)},
    _collect,
    _markdown,
    "clusters/certificates.html.j2",
    parts={"certificates": "The certificates"},
)
