"""The table of a structural choice: training errors, penalties, bounds, and what the theorem promises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from empirisk.data.brief import Brief
from empirisk.data.frames import as_frame
from empirisk.results import RiskCertificate
from empirisk.results.form import Form, Formed


@dataclass(frozen=True, repr=False)
class Row(Brief):
    """One class.

    Parameters
    ----------
    name : str
    vc : float
        VC dimension; NaN where none is needed.
    error : float
        Training or validation error of its fit.
    penalty : float
        What is added.
    oracle : float
        How far the risk of the choice may exceed the smallest in this class; NaN when not known.
    """

    name: str
    vc: float
    error: float
    penalty: float
    oracle: float

    @property
    def bound(self) -> float:
        """``error + penalty``: what the risk is at most, for all classes at once."""
        return self.error + self.penalty


@dataclass(frozen=True)
class StructuralChoice(Formed):
    """All classes and the chosen one.

    Parameters
    ----------
    rows : tuple of Row
    chosen : int
    certificate : RiskCertificate
        Of the chosen classifier.
    measured : str
        "training error" or "validation error".
    oracle_note : str
        Why there is no oracle inequality; empty when there is one.
    """

    rows: tuple[Row, ...]
    chosen: int
    certificate: RiskCertificate
    measured: str
    oracle_note: str

    def to_frame(self) -> Any:
        """Return the columns class, vc_dimension, error, penalty, bound, oracle, chosen."""
        return as_frame(
            {
                "class": [r.name for r in self.rows],
                "vc_dimension": [r.vc for r in self.rows],
                self.measured.replace(" ", "_"): [r.error for r in self.rows],
                "penalty": [r.penalty for r in self.rows],
                "bound": [r.bound for r in self.rows],
                "oracle": [r.oracle for r in self.rows],
                "chosen": [i == self.chosen for i in range(len(self.rows))],
            },
            self._like,
        )

    def __repr__(self) -> str:
        width = max(len(r.name) for r in self.rows)
        lines = [f"Choice among {len(self.rows)} classes by {self.measured} + penalty"]
        for i, r in enumerate(self.rows):
            mark = ">" if i == self.chosen else " "
            vc = "" if r.vc != r.vc else f"  VC {r.vc:g}"
            lines.append(f"{mark} {r.name:<{width}}  {r.error:.4f} + {r.penalty:.4f} = {r.bound:.4f}{vc}")
        lines.append(self.certificate.claim)
        if self.oracle_note:
            return "\n".join([*lines, f"No oracle inequality: {self.oracle_note}"])
        tail = "; ".join(f"{r.oracle:.4f} above the best of {r.name}" for r in self.rows)
        return "\n".join([*lines, f"Oracle inequality: its risk is at most {tail}."])

    def _form(self) -> Form:
        rows = self.rows
        columns: dict[str, list[Any]] = {
            "class": [r.name for r in rows],
            "VC dimension": [float(r.vc) for r in rows],
            self.measured: [float(r.error) for r in rows],
            "penalty": [float(r.penalty) for r in rows],
            "bound": [float(r.bound) for r in rows],
            "": ["chosen" if i == self.chosen else "" for i in range(len(rows))],
        }
        said = repr(self).splitlines()
        return Form(said[0], columns, said[len(rows) + 1 :])
