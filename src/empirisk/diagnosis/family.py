"""All findings together: Holm's correction, causes before symptoms, and which to show first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from empirisk.diagnosis.answer import Answer, Outcome

__all__ = ["HIDES", "correct", "holm", "ranked"]

# symptom: causes that explain it when they fire too
HIDES: dict[str, tuple[str, ...]] = {
    "ER201": ("ER205", "ER206", "ER207", "ER208"),
    "ER202": ("ER201", "ER205", "ER207", "ER208"),
    "ER203": ("ER205", "ER206", "ER207", "ER208"),
    "ER204": ("ER201", "ER202"),
    "ER205": ("ER207", "ER208", "ER209"),
    # One column alone beats a model that is too poor or stopped at the edge of its grid: no sign of a leak.
    "ER206": ("ER202", "ER215"),
    "ER210": ("ER201",),
    "ER211": ("ER216",),
    "ER214": ("ER202",),  # a curve that is missed leaves large residuals
}
# These say that the score itself is not to be believed, or that there is nothing to improve on.
FIRST = ("ER204", "ER206", "ER207", "ER208", "ER209")


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
        A finding that fired alone but not in the family becomes "cannot tell" and says so.
    adjusted : dict of str to float
        Adjusted p-value of each finding of the family.
    """
    family = [a for a in answers if a.p is not None]
    adjusted = dict(zip((a.code for a in family), holm([a.p or 0.0 for a in family]), strict=True))
    out = []
    for a in answers:
        q = adjusted.get(a.code)
        if a.outcome is Outcome.FIRES and q is not None and q > level:
            doubt = (
                f"Suspected but not shown (p = {a.p:.2g}, {q:.2g} among {len(family)} findings): {a.sentence}"
            )
            a = replace(a, outcome=Outcome.CANNOT_TELL, sentence=doubt)
        out.append(a)
    return tuple(out), adjusted


def ranked(answers: Sequence[Answer]) -> list[Answer]:
    """Findings that fire, and facts: causes before symptoms, doubts about the score first, then by gain."""
    fired = {a.code for a in answers if a.outcome is Outcome.FIRES}

    def key(a: Answer) -> tuple[bool, int, float, str]:
        symptom = any(cause in fired for cause in HIDES.get(a.code, ()))
        fires = a.outcome is Outcome.FIRES
        tier = 3 if not fires else 0 if a.code in FIRST else 1 if a.gain is not None else 2
        return symptom, tier, -(a.gain.value if a.gain is not None else 0.0), a.code

    return sorted((a for a in answers if a.outcome in (Outcome.FIRES, Outcome.FACT)), key=key)
