"""The training error of a boosted vote round by round, below its bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, on_end
from empirisk.plots.labels import move_apart
from empirisk.plots.style import colour
from empirisk.wording import counted, plain, share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["VoteRoundsDisplay"]


@dataclass(frozen=True)
class VoteRoundsDisplay(Display):
    """Training error and its bound after each round; and, where given, the error on other rows.

    Parameters
    ----------
    vote : dict
        ``AdaBoostClassifier.to_dict()``: ``training_error`` and ``training_error_bound``, one number a round.
    held_out : list of float, optional
        Error after each round on rows that the fit has not seen (from ``staged_predict``).

    Examples
    --------
    >>> VoteRoundsDisplay({"training_error": [0.3, 0.2], "training_error_bound": [0.92, 0.8]}).title
    'After 2 rounds the vote errs on 20 % of the training rows, where the bound allows 80 %'
    """

    vote: Json
    held_out: list[float] | None = None

    @property
    def title(self) -> str:
        error, bound = self.vote["training_error"], self.vote["training_error_bound"]
        n = len(error)
        rounds = "round" if n == 1 else "rounds"
        allows = "anything" if bound[-1] >= 1.0 else share(bound[-1])
        head = f"After {n} {rounds} the vote errs on {share(error[-1])} of the training rows"
        if self.held_out is not None:
            return f"{head} and {share(self.held_out[-1])} of the held-out ones"
        return f"{head}, where the bound allows {allows}"

    @property
    def description(self) -> str:
        error, bound = self.vote["training_error"], self.vote["training_error_bound"]
        said = (
            f"Line chart: training error from {plain(error[0], 3)} to {plain(error[-1], 3)}, its bound from "
            f"{plain(bound[0], 3)} to {plain(bound[-1], 3)}"
        )
        if self.held_out is not None:
            said += f", held-out error from {plain(self.held_out[0], 3)} to {plain(self.held_out[-1], 3)}"
        return f"{said}, over {counted(len(error), 'round')}."

    def draw(self, ax: Axes) -> None:
        curves = [("the bound", self.vote["training_error_bound"], "baseline", "--")]
        if self.held_out is not None:
            curves.append(("held out", self.held_out, "test", "-"))
        curves.append(("training", self.vote["training_error"], "train", "-"))
        names = []
        for name, values, role, line in curves:
            x = range(1, len(values) + 1)
            ax.plot(
                x,
                values,
                color=colour(role),
                linewidth=1.8,
                linestyle=line,
                marker="o" if len(x) == 1 else None,
            )
            names.append(on_end(ax, len(values), values[-1], name, role))
        ax.set_ylim(bottom=0.0)
        move_apart(ax, names)  # the errors are often close
        ax.set_xlabel("rounds")
        ax.set_ylabel("share of rows")
