"""What a decomposition returns: the parts with intervals, at one setting or against capacity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from empirisk.data.tabular import Tabular, band, estimate_columns
from empirisk.results import Estimate

__all__ = ["BiasVariance", "BiasVarianceCurve"]

SQUARED = {
    "noise": "noise",
    "bias": "bias squared",
    "variance": "variance",
    "bias + noise": "bias squared + noise",
}
ZERO_ONE = {
    "noise": "noise effect",
    "bias": "bias",
    "variance": "net variance",
    "bias + noise": "bias + noise",
}


@dataclass(frozen=True, repr=False)
class BiasVariance(Tabular):
    """The parts of the expected loss; their values add up to the total.

    Parameters
    ----------
    parts : mapping of str to Estimate
        ``noise``, ``bias`` (squared for the squared loss) and ``variance`` when the generator tells the mean
        of y given x, else ``bias + noise`` and ``variance``.
    total : Estimate
        Expected loss.
    loss : {"squared", "0-1"}
        The loss.
    name, words : str
        The estimator; over which training sets.
    """

    parts: Mapping[str, Estimate]
    total: Estimate
    loss: str
    name: str
    words: str

    @property
    def title(self) -> str:
        """The first line above the table: which loss of which model was decomposed."""
        return f"{self.loss.capitalize()} loss of {self.name}, {self.words}"

    @property
    def labels(self) -> dict[str, str]:
        """The name of each part in words, by its short name."""
        words = SQUARED if self.loss == "squared" else ZERO_ONE
        return {name: words[name] for name in self.parts}

    def _shown(self) -> dict[str, list[Any]]:
        names = [*self.labels.values(), "expected loss"]
        return {"part": names, "value": [*self.parts.values(), self.total]}

    def _columns(self) -> dict[str, list[Any]]:
        every = [*self.parts.values(), self.total]
        return {
            "part": [*self.parts, "total"],
            **estimate_columns(every),
            "level": [e.level for e in every],
            "n": [e.n for e in every],
            "method": [e.method for e in every],
            "reason": [e.reason for e in every],
        }

    def _notes(self) -> list[str]:
        notes = [f"{100 * self.total.level:g} % intervals; {self.total.method}."]
        if "noise" not in self.parts:
            notes.append("One table of rows cannot tell noise from bias: both are in one part.")
        if self.loss == "0-1":
            notes.append("Net variance is negative where varying predictions mend a wrong main prediction.")
        return [*notes, *dict.fromkeys(f"Note: {e.reason}." for e in self.parts.values() if e.reason)]


@dataclass(frozen=True, repr=False)
class BiasVarianceCurve(Tabular):
    """The decomposition at several values of one parameter, on the same training sets.

    Parameters
    ----------
    param : str
        Name of the parameter.
    values : tuple
        Its values.
    at : tuple of BiasVariance
        The decomposition at each.
    """

    param: str
    values: tuple[Any, ...]
    at: tuple[BiasVariance, ...]

    @property
    def title(self) -> str:
        """The first line above the table: which loss was decomposed, and along which parameter."""
        first = self.at[0]
        return f"{first.loss.capitalize()} loss of {first.name} against {self.param}, {first.words}"

    @property
    def best(self) -> int:
        """Position of the smallest expected loss."""
        losses = [b.total.value for b in self.at]
        return losses.index(min(losses))

    def plot(self, ax: Any = None) -> Any:
        """Return the parts and their sum against the parameter; returns the Plot."""
        from empirisk.plots import BiasVarianceDisplay

        return BiasVarianceDisplay(self.to_dict()).plot(ax)

    def to_dict(self) -> dict[str, Any]:
        """Return what a chart needs: parameter, x, label, a band for each part and for the total."""
        labels = self.at[0].labels
        return {
            "parameter": self.param,
            "x": list(self.values),
            "label": f"{self.at[0].loss} loss",
            "parts": {label: band([b.parts[name] for b in self.at]) for name, label in labels.items()},
            "total": band([b.total for b in self.at]),
        }

    def _shown(self) -> dict[str, list[Any]]:
        labels = self.at[0].labels
        parts = {label: [b.parts[name] for b in self.at] for name, label in labels.items()}
        return {self.param: list(self.values), **parts, "expected loss": [b.total for b in self.at]}

    def _columns(self) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {"parameter": [self.param] * len(self.at), "value": list(self.values)}
        for name in self.at[0].parts:
            columns |= estimate_columns([b.parts[name] for b in self.at], name)
        total = [b.total for b in self.at]
        return {
            **columns,
            **estimate_columns(total, "total"),
            "level": [e.level for e in total],
            "n": [e.n for e in total],
            "method": [e.method for e in total],
        }

    def _notes(self) -> list[str]:
        return self.at[self.best]._notes()
