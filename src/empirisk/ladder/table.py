"""The table of all bounds on the risk of one model."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from empirisk.data.tabular import Tabular
from empirisk.results import RiskCertificate

__all__ = ["RiskBounds"]


class RiskBounds(Tabular, Sequence[RiskCertificate]):
    """Bounds on the risk of a model: those from test rows, then tightest first, then those that say nothing.

    Parameters
    ----------
    rows : sequence of RiskCertificate
        In the order of the table.
    model : str
        Name of the model.
    risk : str
        The loss whose mean is bounded.
    trivial : float or None
        What every such mean is below (1 for a rate of errors), None when nothing is known.
    delta : float
        Probability with which each row may fail, or all of them together.
    simultaneous : bool
        Whether delta is that of all rows together.
    constant : float or None
        Measured risk of the best constant answer, to hold the bounds against.

    Examples
    --------
    >>> row = RiskCertificate("Hoeffding on test rows", 0.186, 0.1, 0.05, 200, measured_on="test rows")
    >>> table = RiskBounds([row], "Ridge", "0-1 loss", 1.0, 0.05)
    >>> table.best.value, len(table), table["Hoeffding on test rows"].n
    (0.186, 1, 200)
    """

    def __init__(
        self,
        rows: Sequence[RiskCertificate],
        model: str,
        risk: str,
        trivial: float | None,
        delta: float,
        simultaneous: bool = False,
        constant: float | None = None,
    ) -> None:
        self.rows = tuple(rows)
        self.model = model
        self.risk = risk
        self.trivial = trivial
        self.delta = delta
        self.simultaneous = simultaneous
        self.constant = constant

    def __getitem__(self, key: Any) -> Any:
        """Return a row by its position or by the name of its bound."""
        if not isinstance(key, str):
            return self.rows[key]
        for row in self.rows:
            if row.bound == key:
                return row
        raise KeyError(f"{key!r} is no row; the bounds are {', '.join(r.bound for r in self.rows)}")

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[RiskCertificate]:
        return iter(self.rows)

    @property
    def best(self) -> RiskCertificate | None:
        """The smallest bound on the fitted model that is not vacuous; None when there is none.

        Choosing it is free only with ``simultaneous=True``, or when it is named before looking.
        """
        sure = [r for r in self.rows if r.applies and not r.vacuous and _about_the_fit(r)]
        return min(sure, key=lambda r: r.value, default=None)

    @property
    def sentence(self) -> str:
        """The sentence that says for what each row holds: by itself, or all rows together."""
        level = f"{100.0 * (1.0 - self.delta):g} %"
        if self.simultaneous:
            return f"All rows with a delta hold together with probability at least {level} (union bound)."
        return (
            f"Each row with a delta holds by itself with probability at least {level}; for all at once, "
            "simultaneous=True divides delta among them."
        )

    @property
    def title(self) -> str:
        return f"Upper bounds on the risk of {self.model} ({self.risk})"

    def _shown(self) -> dict[str, list[Any]]:
        used = [r for r in self.rows if r.applies]
        return {
            "bound": [r.bound for r in used],
            "risk at most": [f"{r.value:.4g}" + (" (vacuous)" if r.vacuous else "") for r in used],
            "measured": ["" if r.measured is None else f"{r.measured:.4g}, {r.measured_on}" for r in used],
            "about": [r.kind for r in used],
        }

    def _notes(self) -> list[str]:
        out = [self.sentence] if any(r.applies for r in self.rows) else ["No bound applies."]
        if self.constant is not None:
            out.append(f"Always giving the same answer has a measured risk of {self.constant:.4g}.")
        by_reason: dict[str, list[str]] = {}
        others: list[str] = []
        for row in self.rows:
            if not row.applies and row.reason.startswith("the model is not"):
                others.append(row.bound)
            elif not row.applies:
                by_reason.setdefault(row.reason, []).append(row.bound)
        out += [f"Not {', '.join(names)}: {reason}." for reason, names in by_reason.items()]
        return out + ([f"For other kinds of models: {', '.join(others)}."] if others else [])

    def __repr__(self) -> str:
        lines = super().__repr__().splitlines()
        table = 2 + sum(r.applies for r in self.rows)
        wrapped = (
            textwrap.fill(note.strip(), 100, initial_indent="  ", subsequent_indent="    ")
            for note in lines[table:]
        )
        return "\n".join([*lines[:table], *wrapped])

    def _columns(self) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {
            name: [getattr(r, name) for r in self.rows]
            for name in ("bound", "value", "measured", "measured_on", "vacuous", "applies", "reason", "kind")
        }
        columns["delta"] = [math.nan if r.delta is None else r.delta for r in self.rows]
        columns["n"] = [r.n for r in self.rows]
        columns["assumptions"] = ["; ".join(str(a) for a in r.assumptions) for r in self.rows]
        columns["claim"] = [r.claim for r in self.rows]
        return columns

    def plot(self, ax: Any = None) -> Any:
        """Draw a bar for each bound, from the measured risk to its value; returns the Plot."""
        from empirisk.plots import BoundsDisplay

        told = self.to_dict()
        return BoundsDisplay(told["rows"], told["label"], told["trivial"]).plot(ax)

    def to_dict(self) -> dict[str, Any]:
        """Return the stable JSON form: label, trivial, sentence, and one `to_dict` a row."""
        label = "rate of errors" if self.risk == "0-1 loss" else self.risk
        return {
            "label": label,
            "trivial": self.trivial,
            "sentence": self.sentence,
            "rows": [r.to_dict() for r in self.rows],
        }


def _about_the_fit(row: RiskCertificate) -> bool:
    return row.kind in ("the fitted model", "every model of the class")
