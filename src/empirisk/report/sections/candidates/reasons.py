"""Why candidates were left out, by the kind of the reason, and which one another rule would have chosen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from empirisk.report.fit.choose import Row
from empirisk.wording import number

__all__ = ["best_label", "by_minimum", "left_told"]

Json = dict[str, Any]
# A reason of the race, as `fit/left.py` and `fit/behind.py` word it: the best so far, by how much, on what.
_BEHIND = re.compile(
    r"behind (?P<best>.+) by (?P<much>.+?)(, both fitted on | \()(?P<rows>[\d,]+ rows?)\)?(?P<more>; .+)?"
)
# What those who left for one kind of reason share; a candidate that time took was never shown to be worse on
# all rows.
_KINDS = {
    "behind": "Worse, by more than chance explains, than the one that led when they left:",
    "early": "Behind on the first folds by more than one standard error, and left to save time:",
    "late": "Behind on few rows, and left to save time (more rows might bring them to the front):",
    "time": "Left to save time, not shown to be worse (with more time one of them might win):",
    "other": "Not fitted:",
}
# What the sentence of the group says of each of its candidates already.
_SAID = (
    "it was not seen to be behind, and ",
    "more rows may still bring it to the front, and ",
    "it was not seen to be behind",
    "more rows may still bring it to the front",
)


def left_told(left_out: Sequence[Json]) -> list[Json]:
    """Return, for each kind of reason, a sentence that its candidates share and a row for each of them.

    Examples
    --------
    >>> told = left_told([{"label": "Tree", "reason": "behind Ridge by 0.3, standard error 0.2 (400 rows)"}])
    >>> told[0]["sentence"]
    'Behind on the first folds by more than one standard error, and left to save time:'
    >>> told[0]["rows"]
    [{'label': 'Tree', 'reason': '0.3, standard error 0.2 behind Ridge on 400 rows'}]
    """
    kinds = [_kind(c) for c in left_out]
    return [
        {"sentence": sentence, "rows": [_row(c) for c, of in zip(left_out, kinds, strict=True) if of == kind]}
        for kind, sentence in _KINDS.items()
        if kind in kinds
    ]


def best_label(left_out: Sequence[Json]) -> str:
    """Return the head of the column of differences: those who left took no part in them."""
    return "Against the best that stayed" if left_out else "Against the best"


def by_minimum(lowest: Row, same: bool) -> str:
    """Return what the smallest mean score of all settings would have chosen, and where the table shows it.

    The table has each candidate at one value of its penalty, which is a larger one where that costs less than
    one standard error: the smallest score of all may be none of those in the table.
    """
    result, candidate = lowest.result, lowest.result.candidate
    begin = "chooses the same:" if same else "of all settings would have chosen"
    said = f"The smallest mean score {begin} {candidate.label}"
    if not candidate.parameter:
        return f"{said}."
    said += f" with {candidate.parameter} = {number(float(result.alphas[lowest.lowest]))}"
    if lowest.at == lowest.lowest:
        return f"{said}."
    shown = f"{candidate.parameter} = {number(float(result.alphas[lowest.at]))}"
    return f"{said}; the table shows it with {shown}, within one standard error of that."


def _kind(left: Json) -> str:
    """Return which of the kinds a reason is of."""
    low = (left.get("versus_leader") or {}).get("low")
    if left.get("why") == "time" and low is not None and low > 0.0:
        return "late"
    if left.get("why"):
        return str(left["why"])
    found = _BEHIND.fullmatch(left["reason"])
    if found is None:
        return "other"
    return "early" if "standard error" in found["much"] else "behind"


def _row(left: Json) -> Json:
    """Return a candidate with its reason, in which how far it was behind comes first."""
    found = _BEHIND.fullmatch(left["reason"])
    said = left["reason"]
    if found:
        more = (found["more"] or "").removeprefix("; ")
        for known in _SAID:
            more = more.removeprefix(known)
        said = f"{found['much']} behind {found['best']} on {found['rows']}" + (more and f"; {more}")
    return {"label": left["label"], "reason": said}
