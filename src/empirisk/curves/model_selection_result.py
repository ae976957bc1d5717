"""What a curve against one parameter returns: losses, the best value, the one-standard-error choice."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

from empirisk.data.tabular import Tabular, band, estimate_columns
from empirisk.results import Estimate

__all__ = ["ModelSelectionCurve"]

LOG_SPREAD = 20.0  # positive values that span more than this factor stand on a logarithmic axis


@dataclass(frozen=True, repr=False)
class ModelSelectionCurve(Tabular):
    """Expected loss of an algorithm at several values of one parameter.

    Parameters
    ----------
    param : str
        Name of the parameter.
    values : tuple
        Its values, in the order given.
    validation, train : tuple of Estimate
        Loss on rows outside and inside the training part.
    best : int
        Position of the smallest held-out loss.
    one_se : int
        Position of the simplest value within one standard error of it: that with the largest training loss.
    standard_error : float
        Of the smallest held-out loss.
    best_loss : Estimate
        Expected loss of choosing the best value on such a sample, corrected for the winner's luck.
    n, loss, label, level, method, name
        As in :class:`LearningCurve`.
    """

    param: str
    values: tuple[Any, ...]
    validation: tuple[Estimate, ...]
    train: tuple[Estimate, ...]
    best: int
    one_se: int
    standard_error: float
    best_loss: Estimate
    n: int
    loss: str
    label: str
    level: float
    method: str
    name: str = "model"

    @property
    def title(self) -> str:
        """The first line above the table: which score of which model, along which parameter."""
        return f"{self.label.capitalize()} of {self.name} against {self.param}, {self.n} rows"

    @property
    def scale(self) -> str:
        """``"log"``, ``"linear"`` or ``"category"``: how an axis of the values is drawn best."""
        if not all(not isinstance(v, bool) and isinstance(v, Real) for v in self.values):
            return "category"
        numbers = [float(v) for v in self.values]
        return "log" if min(numbers) > 0.0 and max(numbers) > LOG_SPREAD * min(numbers) else "linear"

    def plot(self, ax: Any = None) -> Any:
        """Draw both losses against the parameter; returns the Plot."""
        from empirisk.plots import SelectionCurveDisplay

        return SelectionCurveDisplay(self.to_dict(), {"label": self.label, "unit": ""}, self.name).plot(ax)

    def to_dict(self) -> dict[str, Any]:
        """Return what a chart needs: x, both bands, the chosen and the best value, the scale of the axis."""
        return {
            "parameter": self.param,
            "x": list(self.values),
            "scale": self.scale,
            "validation": band(self.validation),
            "train": band(self.train),
            "chosen": self.values[self.one_se],
            "minimum": self.values[self.best],
        }

    def _marks(self) -> list[str]:
        marks = [""] * len(self.values)
        marks[self.one_se] = "one-standard-error choice"
        marks[self.best] = "best" if self.best != self.one_se else "best, and one-standard-error choice"
        return marks

    def _shown(self) -> dict[str, list[Any]]:
        return {
            self.param: list(self.values),
            "held out": list(self.validation),
            "training": list(self.train),
            "choice": self._marks(),
        }

    def _columns(self) -> dict[str, list[Any]]:
        count = len(self.values)
        return {
            "parameter": [self.param] * count,
            "value": list(self.values),
            **estimate_columns(self.validation, "validation"),
            **estimate_columns(self.train, "train"),
            "best": [j == self.best for j in range(count)],
            "one_se": [j == self.one_se for j in range(count)],
            "level": [self.level] * count,
            "n": [self.n] * count,
            "method": [e.method for e in self.validation],
            "reason": [e.reason for e in self.validation],
        }

    def _notes(self) -> list[str]:
        edge = self.values[self.best] in (self.values[0], self.values[-1]) and len(self.values) > 2
        notes = [
            f"{100 * self.level:g} % intervals; {self.method}.",
            f"Loss of choosing the best value on such rows: {self.best_loss}.",
        ]
        more = "The best value is the first or the last one tried: values beyond it may do better."
        return [*notes, more] if edge and self.scale != "category" else notes
