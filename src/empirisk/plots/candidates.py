"""Cross-validated scores of the candidates, as dots with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, IntervalRow, Json, interval_rows, reference_line
from empirisk.wording import brief, difference, estimate, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CandidatesDisplay"]

_ROLES = {"baseline": "baseline", "candidate": "validation", "reference": "reference"}


@dataclass(frozen=True)
class CandidatesDisplay(Display):
    """One row a candidate.

    Parameters
    ----------
    candidates : list of dict
        ``report["candidates"]``.
    selection : dict
        ``report["selection"]``.

    Examples
    --------
    >>> gain = {"value": -0.2, "low": -0.3, "high": -0.1}
    >>> rows = [{"label": "Ridge", "chosen": True, "versus_baseline": gain}]
    >>> CandidatesDisplay(rows, {"label": "error", "greater_is_better": False}).title
    'Ridge is better than the baseline in cross-validation: error −0.20 [−0.30, −0.10]'
    """

    candidates: list[Json]
    selection: Json

    @property
    def title(self) -> str:
        chosen = next(c for c in self.candidates if c["chosen"])
        gain = chosen["versus_baseline"]
        label = self.selection["label"]
        if gain is None or gain["low"] is None or gain["high"] is None:
            return f"{chosen['label']} was chosen by {label}"
        sign = 1 if self.selection["greater_is_better"] else -1
        clear = min(sign * gain["low"], sign * gain["high"]) > 0
        found = "is better than the baseline" if clear else "cannot be told from the baseline"
        return f"{chosen['label']} {found} in cross-validation: {label} {difference(gain)}"

    @property
    def description(self) -> str:
        said = [f"{c['label']}: {estimate(c['score'])}" for c in self.candidates if c["score"]]
        return (
            f"Dots with intervals of the cross-validated {self.selection['label']}. " + "; ".join(said) + "."
        )

    @property
    def height(self) -> float:
        return 0.8 + 0.41 * len(self._rows())

    def _rows(self) -> list[IntervalRow]:
        return [
            IntervalRow(
                c["label"] + (" (chosen)" if c["chosen"] else ""), c["score"], _ROLES[c["role"]], c["chosen"]
            )
            for c in self.candidates
            if c["score"] is not None
        ]

    def draw(self, ax: Axes) -> None:
        rows = self._rows()
        unit = f" ({self.selection['unit']})" if self.selection["unit"] else ""
        better = "higher" if self.selection["greater_is_better"] else "lower"
        label = f"cross-validated {shorten(self.selection['label'], 26)}{unit}, {better} is better"
        interval_rows(ax, rows, [brief(r.estimate) for r in rows], label)
        for row in rows:
            if row.role == "baseline" and row.estimate["value"] is not None:
                reference_line(ax, row.estimate["value"], len(rows))
