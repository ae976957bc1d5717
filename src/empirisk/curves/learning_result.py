"""A learning curve: losses against training rows, and what they say about more rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from empirisk.curves.extrapolation import (
    Extrapolation,
    extrapolate,
    needed_for_gain,
    needed_for_loss,
)
from empirisk.curves.moments import LastStep
from empirisk.curves.power_law import PowerLaw, fit_power_law
from empirisk.data.tabular import Tabular, band, estimate_columns
from empirisk.evaluation.metrics import METRICS
from empirisk.evaluation.metrics.row_loss import RowLoss
from empirisk.results import Estimate

__all__ = ["LearningCurve"]


@dataclass(frozen=True, repr=False)
class LearningCurve(Tabular):
    """Expected loss of an algorithm at growing numbers of training rows.

    Parameters
    ----------
    sizes : tuple of int
        Training rows (mean over fits), increasing.
    validation, train : tuple of Estimate
        Loss on rows outside and inside the training part, at each size.
    n : int
        Rows of the sample.
    loss : str
        Name of the metric behind the loss.
    label : str
        The loss in words.
    level : float
        Nominal coverage of every interval.
    method : str
        How the rows were split and reused.
    n_fits : int
        Models fitted.
    last : LastStep or None
        The last step of the curve, None when `reason` says why nothing can be told about more rows.
    reason : str
        Why not.
    coefficients : float or None
        Mean number of non-zero coefficients of the largest fits, where the model has some.
    name : str
        The estimator.
    """

    sizes: tuple[int, ...]
    validation: tuple[Estimate, ...]
    train: tuple[Estimate, ...]
    n: int
    loss: str
    label: str
    level: float
    method: str
    n_fits: int
    last: LastStep | None = field(default=None, repr=False)
    reason: str = ""
    coefficients: float | None = None
    name: str = "model"

    @property
    def title(self) -> str:
        """The first line above the table: the curve of which model, of which loss, on how many rows."""
        return f"Learning curve of {self.name}: {self.label} on {self.n} rows ({self.n_fits} fits)"

    @property
    def proportion(self) -> bool:
        """Whether the loss is the share of wrong answers, which 1 bounds."""
        metric = METRICS.get(self.loss)
        return isinstance(metric, RowLoss) and metric.proportion

    @cached_property
    def power_law(self) -> PowerLaw | None:
        """``a + b rows^-c`` through the validation losses: a line for the eye, not an interval."""
        return fit_power_law(self.sizes, [e.value for e in self.validation])

    def extrapolate(self, *factors: float) -> Extrapolation:
        """Return the expected loss and gain with this many times the rows of the sample; 2 and 5 by
        default.

        The gain over the last measured step (usually a doubling) is carried on under two assumptions:
        a doubling never gains more than the one before, and the excess loss falls no faster than
        ``rows^-3/2``. The power law gives the value inside that bracket, never its ends.

        Parameters
        ----------
        *factors : float > 1
            Multiples of the n rows of the sample.

        Returns
        -------
        Extrapolation
        """
        return extrapolate(self, factors or (2.0, 5.0))

    def rows_for(self, gain: float) -> Estimate:
        """Return the rows in all after which the expected loss has fallen by `gain` from that at n rows.

        Parameters
        ----------
        gain : float > 0
            In units of the loss.

        Returns
        -------
        Estimate
            The value (NaN when the power law never gets there), the fewest and the most rows; no interval
            and a sentence when no number of rows can be promised.
        """
        return needed_for_gain(self, gain)

    def rows_to_reach(self, loss: float) -> Estimate:
        """Return the rows in all after which the expected loss is at most `loss`; as :meth:`rows_for`."""
        return needed_for_loss(self, loss)

    def plot(self, ax: Any = None) -> Any:
        """Draw the training and the held-out loss against the number of rows; returns the Plot."""
        from empirisk.plots import LearningCurveDisplay

        return LearningCurveDisplay(self.to_dict()).plot(ax)

    def to_dict(self) -> dict[str, Any]:
        """Return what a chart needs: x, train and validation bands, label, unit, and the point at 2n rows."""
        more = self.extrapolate(2.0)
        gain, loss = more.gain[0], more.loss[0]
        ahead = {"n_rows": more.rows[0], "gain": gain.to_dict(), "score": loss.to_dict()}
        return {
            "label": self.label,
            "unit": "",
            "x": list(self.sizes),
            "validation": band(self.validation),
            "train": band(self.train),
            "extrapolation": ahead if gain.low is not None else None,
        }

    def _shown(self) -> dict[str, list[Any]]:
        return {"rows": list(self.sizes), "held out": list(self.validation), "training": list(self.train)}

    def _columns(self) -> dict[str, list[Any]]:
        return {
            "rows": list(self.sizes),
            **estimate_columns(self.validation, "validation"),
            **estimate_columns(self.train, "train"),
            "level": [self.level] * len(self.sizes),
            "n": [self.n] * len(self.sizes),
            "method": [e.method for e in self.validation],
            "reason": [e.reason for e in self.validation],
        }

    def _notes(self) -> list[str]:
        more = self.extrapolate()
        reasons = dict.fromkeys(e.reason for e in self.validation if e.reason)
        notes = [f"{100 * self.level:g} % intervals; {self.method}.", *(f"Note: {r}." for r in reasons)]
        return [*notes, *more.sentences]
