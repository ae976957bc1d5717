"""Why candidates were left out, with what all reasons share said once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

__all__ = ["left_told"]

Json = dict[str, Any]
# A reason of the race, as `fit/left.py` and `fit/behind.py` word it: the best so far, by how much, on what.
_BEHIND = re.compile(
    r"behind (?P<best>.+) by (?P<much>.+?)(, both fitted on | \()(?P<rows>[\d,]+ rows?)\)?(?P<more>; .+)?"
)


def left_told(left_out: Sequence[Json]) -> Json:
    """Return a sentence about the race and the rows of a table, in which no reason is repeated.

    Examples
    --------
    >>> told = left_told([{"label": "Tree", "reason": "behind Ridge by 0.3, standard error 0.1 (400 rows)"}])
    >>> told["sentence"]
    'A candidate leaves once its loss is above that of the best by more than chance. Above that of Ridge:'
    >>> told["rows"]
    [{'label': 'Tree', 'reason': '0.3, standard error 0.1 on 400 rows'}]
    """
    raced = [_BEHIND.fullmatch(c["reason"]) for c in left_out]
    leaders = Counter(found["best"] for found in raced if found)
    if not leaders:
        return {"sentence": "", "rows": [_plain(c) for c in left_out]}
    best = leaders.most_common(1)[0][0]
    return {
        "sentence": (
            f"A candidate leaves once its loss is above that of the best by more than chance. Above that of"
            f" {best}:"
        ),
        "rows": [
            _plain(c, f"{found['much']} on {found['rows']}{found['more'] or ''}")
            if found and found["best"] == best
            else _plain(c)
            for c, found in zip(left_out, raced, strict=True)
        ],
    }


def _plain(left: Json, reason: str = "") -> Json:
    return {"label": left["label"], "reason": reason or left["reason"]}
