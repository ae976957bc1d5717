"""The certificate of the fit in one line; the section on the model has the argument and its numbers."""

from __future__ import annotations

from typing import Any

from empirisk.results import Kind
from empirisk.wording import number

__all__ = ["certificate_line"]

Json = dict[str, Any]
# Why nothing bounds the distance of a fit to the smallest loss, by the kind of the candidate.
GREEDY = {
    "tree": "a tree grows greedily",
    "boosting": "boosting is greedy",
    "forest": "its trees grow greedily",
    "neighbors": "neighbours minimise nothing",
    "network": "a network has many minima",
}


def certificate_line(certificate: Json | None, kind: str) -> str | None:
    """Return what is certified about the fit, in one line; None for a constant prediction.

    Examples
    --------
    >>> gap = {"kind": "DUALITY_GAP", "verified": True, "relative": 2e-9}
    >>> certificate_line(gap, "linear")
    'Fit certified: within 2 × 10⁻⁹ of the smallest training loss there is.'
    >>> certificate_line({"kind": "NONE", "verified": None, "relative": None}, "boosting")
    'Fit without certificate, as boosting is greedy; the scores do not need one.'
    """
    if certificate is None:
        return None
    named = certificate["kind"]
    if named == Kind.STATIONARITY.name:
        return f"Fit without proof of an optimum: {GREEDY.get(kind, 'only its slope was shown to be small')}."
    if named == Kind.NONE.name:
        why = GREEDY.get(kind, "nothing bounds its distance")
        return f"Fit without certificate, as {why}; the scores do not need one."
    if not certificate["verified"]:
        return "Fit not certified: the proof did not hold when it was computed again."
    if named == Kind.EXACT.name:
        return "Fit certified: computed exactly, but for rounding."
    relative = certificate["relative"]
    if relative is None:
        return f"Fit certified by {Kind[named].value}."
    if named == Kind.DUALITY_GAP.name:
        return f"Fit certified: within {number(relative, 1)} of the smallest training loss there is."
    return f"Fit certified by {Kind[named].value}, {number(relative, 1)} of its scale."
