"""All findings together: Holm's correction, causes before symptoms, and which to show first.

Holm, Scandinavian Journal of Statistics 6 (1979).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from empirisk.diagnosis.alone import KEEPS
from empirisk.diagnosis.answer import Answer, Outcome
from empirisk.wording import number, p_value

__all__ = ["HIDES", "comes_first", "correct", "holm", "ranked"]

_BETTER = ("ER201", "ER202", "ER210", "ER215")  # each names a model that would do better

# symptom: causes that explain it when they fire too
HIDES: dict[str, tuple[str, ...]] = {
    "ER201": ("ER205", "ER206", "ER207", "ER208"),
    "ER202": ("ER201", "ER205", "ER207", "ER208"),
    "ER203": ("ER205", "ER206", "ER207", "ER208"),
    "ER204": ("ER201", "ER202"),
    "ER205": ("ER207", "ER208", "ER209"),
    # One column alone beats a model that is too poor or stopped at the edge of its grid: no sign of a leak,
    # unless it keeps nearly all of the skill of the better model, too.
    "ER206": ("ER202", "ER215"),
    "ER210": ("ER201",),
    "ER211": ("ER216",),
    "ER214": ("ER202",),  # a curve that is missed leaves large residuals
}
# These say that the score itself is not to be believed, or that there is nothing to improve on.
FIRST = ("ER204", "ER206", "ER207", "ER208", "ER209", "ER219")
FORMULA = "ER219"  # makes every other finding idle


def holm(p: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values: ``max_{j <= i} min(1, (m - j) p_(j))`` in increasing order.

    References
    ----------
    S. Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6 (1979), 65-70.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p)), key=lambda i: p[i])
    out, running = [0.0] * len(p), 0.0
    for rank, i in enumerate(order):
        running = max(running, min(1.0, (len(p) - rank) * p[i]))
        out[i] = running
    return out


def correct(answers: Sequence[Answer], level: float) -> tuple[tuple[Answer, ...], dict[str, float]]:
    """Withdraw findings that Holm's correction over all computable p-values does not reject.

    Returns
    -------
    answers : tuple of Answer
        A finding that fired alone but not in the family becomes "cannot tell" and says so; one that tells a
        fact besides becomes that fact.
    adjusted : dict of str to float
        Adjusted p-value of each finding of the family.
    """
    family = [a for a in answers if a.p is not None]
    adjusted = dict(zip((a.code for a in family), holm([a.p or 0.0 for a in family]), strict=True))
    out = []
    for a in answers:
        q = adjusted.get(a.code)
        if a.outcome is Outcome.FIRES and q is not None and q > level:
            odds = f"{p_value(a.p or 0.0)}, {number(q, 2)} among {len(family)} findings"
            doubt = f"Suspected but not shown ({odds}): {a.sentence}"
            a = replace(a, outcome=Outcome.CANNOT_TELL, sentence=doubt)
            if a.fact:
                a = replace(a, outcome=Outcome.FACT, sentence=a.fact, evidence=f"{a.evidence}; {odds}")
        out.append(a)
    better = [a.code for a in out if a.code in _BETTER and a.outcome is Outcome.FIRES]
    if better:  # "other columns, not tuning" would contradict them
        advice = f"Change the model first ({', '.join(better)}); other columns are needed if it still fails."
        hopeless = [a.code == "ER204" and a.outcome is Outcome.FIRES for a in out]
        out = [replace(a, advice=advice) if h else a for a, h in zip(out, hopeless, strict=True)]
    return tuple(out), adjusted


def ranked(answers: Sequence[Answer]) -> list[Answer]:
    """Return the findings that fire, and facts: causes before symptoms, doubts about the score first, then by
    gain.
    """
    fired = {a.code for a in answers if a.outcome is Outcome.FIRES}
    leaks = _leaks(answers)

    def key(a: Answer) -> tuple[bool, int, float, str]:
        symptom = any(cause in fired for cause in HIDES.get(a.code, ())) and not (a.code == "ER206" and leaks)
        fires = a.outcome is Outcome.FIRES
        tier = 3 if not fires else 0 if comes_first(a) else 1 if a.gain is not None else 2
        tier = -1 if fires and a.code == FORMULA else tier
        return symptom, tier, -(a.gain.value if a.gain is not None else 0.0), a.code

    return sorted((a for a in answers if a.outcome in (Outcome.FIRES, Outcome.FACT)), key=key)


def comes_first(a: Answer) -> bool:
    """Return whether a finding puts the score itself in doubt, so that it comes before any gain."""
    return a.code in FIRST and not a.slight


def _leaks(answers: Sequence[Answer]) -> bool:
    """Return whether one column keeps 95 % of the skill of the better models of ER202 and ER215, too."""
    by_code = {a.code: a for a in answers}
    column, skill = by_code.get("ER206"), by_code.get("ER204")
    if column is None or column.keeps is None or skill is None or skill.gain is None:
        return False
    better = [by_code[c] for c in HIDES["ER206"] if c in by_code and by_code[c].outcome is Outcome.FIRES]
    more = max((a.gain.value for a in better if a.gain is not None), default=0.0)
    return column.keeps * skill.gain.value >= KEEPS * (skill.gain.value + more)
