"""A risk certificate: what a theorem says about rows that nobody has seen, and what it assumes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from empirisk.results.form import Form, Formed

__all__ = ["Assumption", "RiskCertificate"]


@dataclass(frozen=True)
class Assumption:
    """One condition of a theorem, and how it is known to hold.

    Parameters
    ----------
    text : str
        The condition in words.
    source : {"declared", "computed", "assumed"}, default "assumed"
        Told by the user; verified here from the model and the rows; or taken on trust (rows drawn
        independently, say), because no computation can verify it.

    Examples
    --------
    >>> print(Assumption("||x|| <= 3 for every row that can occur", "declared"))
    ||x|| <= 3 for every row that can occur (declared)
    """

    text: str
    source: str = "assumed"

    def __post_init__(self) -> None:
        if self.source not in ("declared", "computed", "assumed"):
            raise ValueError(f"source must be 'declared', 'computed' or 'assumed', got {self.source!r}")

    def __str__(self) -> str:
        return f"{self.text} ({self.source})"


@dataclass(frozen=True)
class RiskCertificate(Formed):
    """An upper bound on a risk (expected loss on new rows), or the reason why a theorem gives none.

    Parameters
    ----------
    bound : str
        Name of the theorem.
    value : float
        The risk is at most this; NaN when the theorem does not apply.
    measured : float or None
        The measured risk to hold beside it, None when there is none.
    delta : float or None
        Probability with which the statement may fail; None for a statement in expectation.
    n : int
        Number of rows that the theorem uses.
    assumptions : tuple of Assumption
        Its conditions, each with its source.
    vacuous : bool
        Whether the value says no more than the range of the loss does.
    applies : bool
        Whether the conditions hold as far as they can be checked.
    reason : str
        Why it does not apply, or what weakens it.
    kind : str
        What the statement is about: ``"the fitted model"``, ``"the algorithm, in expectation"``,
        ``"every model of the class"`` or ``"a randomised model"``.
    risk : str
        Which loss the risk is the mean of.
    measured_on : str
        Rows behind `measured`: ``"test rows"``, ``"training rows"`` or ``"out-of-bag rows"``.

    Examples
    --------
    >>> RiskCertificate("Hoeffding", 0.186, 0.1, 0.05, 200).claim
    'risk <= 0.186 with probability at least 0.95 (Hoeffding, n = 200)'
    """

    bound: str
    value: float
    measured: float | None
    delta: float | None
    n: int
    assumptions: tuple[Assumption, ...] = ()
    vacuous: bool = False
    applies: bool = True
    reason: str = ""
    kind: str = "the fitted model"
    risk: str = ""
    measured_on: str = ""

    @property
    def claim(self) -> str:
        """The statement about the risk in one sentence, with its probability and the name of the bound."""
        if not self.applies:
            return f"{self.bound} does not apply: {self.reason}"
        name = f"risk of {self.kind}" if self.kind != "the fitted model" else "risk"
        how = "" if self.delta is None else f" with probability at least {1.0 - self.delta:g}"
        vacuous = ", vacuous" if self.vacuous else ""
        return f"{name} <= {self.value:.4g}{how} ({self.bound}, n = {self.n}{vacuous})"

    def to_dict(self) -> dict[str, Any]:
        """Return the stable JSON form; `value` is None when the theorem does not apply."""
        return {
            "bound": self.bound,
            "value": self.value if math.isfinite(self.value) else None,
            "measured": self.measured,
            "measured_on": self.measured_on,
            "delta": self.delta,
            "n": self.n,
            "vacuous": self.vacuous,
            "applies": self.applies,
            "reason": self.reason,
            "kind": self.kind,
            "risk": self.risk,
            "assumptions": [{"text": a.text, "source": a.source} for a in self.assumptions],
            "claim": self.claim,
        }

    def _form(self) -> Form:
        columns: dict[str, list[Any]] = {
            "theorem": [self.bound],
            "risk at most": [self.value],
            "measured": [self.measured],
            "n": [self.n],
        }
        return Form(self.claim, columns, [f"It assumes: {given}." for given in self.assumptions])

    def __str__(self) -> str:
        return self.claim

    def __repr__(self) -> str:
        return f"RiskCertificate({self.bound!r}, value={self.value:.4g}, n={self.n})  # {self.claim}"
