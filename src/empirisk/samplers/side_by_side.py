"""Credible beside confidence intervals of the same coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.tabular import Tabular
from empirisk.typing import Array
from empirisk.wording import quoted

__all__ = ["SideBySide", "side_by_side"]


@dataclass(frozen=True, eq=False, repr=False)
class SideBySide(Tabular):
    """One line a coefficient: posterior mean and credible interval, estimate and confidence interval.

    Parameters
    ----------
    names : list of str
    credible : array, shape (3, d)
        Mean, and both ends.
    confidence : array, shape (3, d)
        Estimate, and both ends.
    level : float
        Of both intervals.
    target : str
        What was sampled.
    """

    names: list[str]
    credible: Array
    confidence: Array
    level: float
    target: str

    @property
    def title(self) -> str:
        """The level of both kinds of intervals, and what was sampled."""
        return f"{self.target}: intervals of {100.0 * self.level:g} %"

    @property
    def ratio(self) -> Array:
        """Lengths of the credible intervals over those of the confidence intervals, (d,)."""
        lengths = [ends[2] - ends[1] for ends in (self.credible, self.confidence)]
        return np.asarray(lengths[0] / lengths[1])

    def _columns(self) -> dict[str, list[Any]]:
        rows = {
            **dict(zip(("mean", "credible_low", "credible_high"), self.credible, strict=True)),
            **dict(zip(("coef", "confidence_low", "confidence_high"), self.confidence, strict=True)),
            "ratio": self.ratio,
        }
        return {"parameter": self.names, **{k: [float(x) for x in v] for k, v in rows.items()}}

    def _shown(self) -> dict[str, list[Any]]:
        return self._columns()

    def _notes(self) -> list[str]:
        j = int(np.argmax(np.abs(np.log(self.ratio))))
        meaning = (
            "A credible interval holds the coefficient with this probability, given rows and prior; a "
            "confidence interval is made by a rule that covers the coefficient in this share of samples."
        )
        longest = (
            f"Lengths differ most for {self.names[j]!r}: the credible interval is {self.ratio[j]:.3g} times "
            "as long as the confidence interval."
        )
        return [meaning, longest]

    def plot(self, ax: Any = None) -> Any:
        """Draw both intervals of each coefficient; returns the Axes (the extra ``report``).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from empirisk.plots import IntervalPairsDisplay

        keys = ("value", "low", "high")
        pairs = [
            {
                "name": name,
                "credible": dict(zip(keys, self.credible[:, j].tolist(), strict=True)),
                "confidence": dict(zip(keys, self.confidence[:, j].tolist(), strict=True)),
            }
            for j, name in enumerate(self.names)
        ]
        return IntervalPairsDisplay(pairs, self.level).plot(ax)


def side_by_side(draws: Any, summary: Any) -> SideBySide:
    """Put the intervals of draws beside those of a table of coefficients.

    The parameters are those of :meth:`~empirisk.samplers.Draws.against`.
    """
    needed = ("terms", "coef", "low", "high", "level")
    if any(not hasattr(summary, name) for name in needed):
        raise TypeError(
            f"summary must be the table of model.summary(), got a {type(summary).__name__}; fit the model "
            "and ask it"
        )
    terms = [f"{t}[{g}]" if g else str(t) for t, g in zip(summary.terms, summary.groups, strict=True)]
    shared = [name for name in draws.names if name in terms]
    if not shared:
        raise ValueError(
            f"the draws ({quoted(draws.names)}) and the summary ({quoted(terms)}) have no parameter in common"
        )
    at = [terms.index(name) for name in shared]
    confidence = np.array([summary.coef, summary.low, summary.high], dtype=np.float64)[:, at]
    if not np.isfinite(confidence).all():
        why = " ".join(str(note) for note in summary.notes)
        raise ValueError(
            f"the summary has no confidence intervals to stand beside: {why or 'they are not valid'}; give "
            "that of a fit without a penalty"
        )
    places = [draws.names.index(name) for name in shared]
    ends = [0.5 * (1.0 - summary.level), 0.5 * (1.0 + summary.level)]
    quantiles = np.quantile(draws.draws[:, :, places], ends, axis=(0, 1))
    credible = np.concatenate([draws.mean[places][None], quantiles])
    return SideBySide(shared, credible, confidence, float(summary.level), draws.target)
