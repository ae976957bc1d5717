"""The certificates of the candidates, one line each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from empirisk.wording import plain

__all__ = ["certified", "confirmed"]

Json = dict[str, Any]


def certified(candidates: Sequence[Json]) -> list[dict[str, str]]:
    """Return candidate, distance from the optimum and argument of each certificate.

    A fit without a certificate has the first words of the reason, which its claim gives in full in
    ``report.json``.
    """
    return [
        {"label": c["label"], "within": _within(c["certificate"]), "how": _how(c["certificate"])}
        for c in candidates
        if c["certificate"]
    ]


def _within(certificate: Json) -> str:
    """Return the relative distance; that of an exact solution is what its equations leave."""
    if certificate["kind"] == "NONE":
        return "none"
    relative = certificate["relative"]
    return "0" if not relative else plain(float(relative), 2)


def _how(certificate: Json) -> str:
    """Return the argument in a few words, and whether it was recomputed or fell short of the tolerance."""
    kind = certificate["kind"].replace("_", " ").lower()
    claim = re.sub(r"^(worst of \d+ fits: )?(no certificate: )?", "", certificate["claim"])
    said = re.split(r"[,;]", claim)[0] if certificate["kind"] == "NONE" else kind
    loose = certificate["relative"] is not None and certificate["relative"] > certificate["tolerance"]
    if loose and certificate["kind"] != "NONE":
        said += ", above the tolerance"
    return f"{said}, not confirmed in plain NumPy" if certificate["verified"] is False else said


def confirmed(candidates: Sequence[Json]) -> str:
    """Return how many of the certificates were recomputed, once for all rows; "" where none was."""
    found = [c["certificate"]["verified"] for c in candidates if c["certificate"]]
    known = [v for v in found if v is not None]
    return f"Recomputed with plain NumPy and confirmed: {sum(known)} of {len(known)}." if known else ""
