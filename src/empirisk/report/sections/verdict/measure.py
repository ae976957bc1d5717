"""How the number at the top is read: in right answers of 100, in pairs of 100, or in the target's unit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from empirisk.wording import interval, text

__all__ = ["Measure", "ends", "measure_of"]

Json = dict[str, Any]


@dataclass(frozen=True)
class Measure:
    """The scale and the words of a metric.

    Parameters
    ----------
    factor : float
        What its values are multiplied with.
    unit : str
        What is written after a value; "" for nothing.
    title : str
        What the picture shows, with the direction that is better.
    more, less : str
        What stands after a difference, where the value is larger and where it is smaller.
    """

    factor: float
    unit: str
    title: str
    more: str
    less: str

    @property
    def short(self) -> Measure:
        """The same for a second difference, whose words need not say again what is counted."""
        return replace(self, more=self.more.split()[0], less=self.less.split()[0])

    def scaled(self, e: Json) -> Json:
        """Return an estimate on this scale."""
        return e | {k: None if e[k] is None else self.factor * e[k] for k in ("value", "low", "high")}

    def said(self, e: Json) -> str:
        """Return the value of an estimate on this scale, with its unit."""
        return f"{text(self.scaled(e))}{self.unit and f' {self.unit}'}"


def ends(e: Json) -> str:
    """Return the interval of an estimate in round brackets, after a space; empty where there is none.

    Examples
    --------
    >>> ends({"value": 87.8, "low": 87.0, "high": 88.6})
    ' (87.0 to 88.6)'
    """
    shown = interval(e)
    return f" ({shown[1:-1].replace(', ', ' to ')})" if shown else ""


def measure_of(name: str, unit: str | None) -> Measure:
    """Return how a metric is read.

    Parameters
    ----------
    name : str
        ``"accuracy"``, ``"roc_auc"``, ``"log_loss"`` or ``"mae"``.
    unit : str or None
        That of the target, for errors.
    """
    if name == "accuracy":
        return Measure(
            100.0, "", "Right answers in 100 test rows; more is better", "more of 100", "fewer of 100"
        )
    if name == "roc_auc":
        return Measure(
            100.0, "", "Pairs of rows ranked right, of 100; more is better", "more of 100", "fewer of 100"
        )
    if name == "log_loss":
        return Measure(
            1.0, "", "Log-loss of the probabilities; less is better", "more log-loss", "less log-loss"
        )
    of = f" in {unit}" if unit else ""
    return Measure(
        1.0,
        unit or "",
        f"Mean absolute error on the test rows{of}; less is better",
        "more error",
        "less error",
    )
