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
    note : str, optional
        What the numbers are, where they are no coefficients of the draws.
    """

    names: list[str]
    credible: Array
    confidence: Array
    level: float
    target: str
    note: str = ""

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
        return [*filter(None, [self.note]), meaning, longest]

    def plot(self, ax: Any = None) -> Any:
        """Draw both intervals of each coefficient; returns the Plot (the extra ``report``).

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
    names, values, note = _as_a_summary(draws)
    _refuse_others(draws, names, terms, str(getattr(summary, "loss", "")))
    shared = [name for name in names if name in terms]
    at = [terms.index(name) for name in shared]
    confidence = np.array([summary.coef, summary.low, summary.high], dtype=np.float64)[:, at]
    if not np.isfinite(confidence).all():
        why = " ".join(str(note) for note in summary.notes)
        raise ValueError(
            f"the summary has no confidence intervals to stand beside: {why or 'they are not valid'}; give "
            "that of a fit without a penalty"
        )
    values = values[:, :, [names.index(name) for name in shared]]
    ends = [0.5 * (1.0 - summary.level), 0.5 * (1.0 + summary.level)]
    credible = np.concatenate([values.mean(axis=(0, 1))[None], np.quantile(values, ends, axis=(0, 1))])
    return SideBySide(shared, credible, confidence, float(summary.level), draws.target, note)


def _as_a_summary(draws: Any) -> tuple[list[str], Array, str]:
    """Names, draws and a note of the quantities that a summary is about.

    Of several classes these are changes of log odds against the first one: what the rows tell of the
    coefficients of the classes is their differences alone.
    """
    law = draws.likelihood
    if not hasattr(law, "contrasts"):
        return draws.names, draws.draws, ""
    names, values = law.contrasts(draws.names, draws.draws)
    note = f"Of both kinds the numbers are those of a class minus those of class {law.classes[0]}."
    return names, values, note


def _refuse_others(draws: Any, names: list[str], terms: list[str], loss: str) -> None:
    """Refuse the summary of another model: other coefficients, or another loss."""
    if not set(names) & set(terms):
        raise ValueError(
            f"the draws ({quoted(names)}) and the summary ({quoted(terms)}) have no parameter in common"
        )
    own = "" if draws.likelihood is None else draws.likelihood.loss_name
    if own and loss and own != loss:
        raise ValueError(
            f"the summary is that of a fit with loss {loss!r}, and the draws are those of loss {own!r}: "
            "their coefficients do not mean the same; give the summary of the model that was sampled"
        )
    # A target that is no model may have parameters of its own, such as the noise.
    absent = set(terms) - set(names) if draws.likelihood is None else set(terms) ^ set(names)
    if absent:
        raise ValueError(
            f"the summary ({quoted(terms)}) and the draws ({quoted(names)}) are not of the same model: "
            f"{quoted(sorted(absent))} {'is' if len(absent) == 1 else 'are'} in one of them alone; give the "
            "summary of the model that was sampled"
        )
