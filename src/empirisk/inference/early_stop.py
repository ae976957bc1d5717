"""How many rounds a sum of trees should have, by the losses of rows that the fit has not seen."""

from __future__ import annotations

from dataclasses import dataclass, replace

from empirisk.data.brief import Brief
from empirisk.inference.held_out import held_out_mean
from empirisk.results import Estimate
from empirisk.typing import Array

__all__ = ["GIVEN", "HELD_OUT", "EarlyStop", "Stopping"]

# Whose rows chose the number of rounds.
HELD_OUT = "held out of the training rows"
GIVEN = "given as X_val and y_val"
MODEL = "these rounds on new rows"
CHOSEN = "the number of rounds was chosen on these rows, so that the loss is a little too good"


@dataclass(frozen=True, repr=False)
class Stopping(Brief):
    """What the validation rows say about the number of rounds.

    Parameters
    ----------
    n_rounds : int
        The rounds that are kept: those with the least validation loss; 0 where no number of rounds has a
        smaller one than the best constant.
    n_grown : int
        The rounds that were looked at.
    n_rows : int
        Validation rows.
    loss : Estimate
        Validation loss of the rounds kept.
    against_last : Estimate
        Loss of the rounds kept minus that of all rounds grown, row by row.
    against_none : Estimate
        Loss of the rounds kept minus that of the best constant.
    ended_early : bool
        Whether growing stopped because the loss no longer fell.
    rows : str
        Which rows these are: held out of the training rows, or given by the user.
    """

    n_rounds: int
    n_grown: int
    n_rows: int
    loss: Estimate
    against_last: Estimate
    against_none: Estimate
    ended_early: bool
    rows: str = HELD_OUT

    @property
    def sentence(self) -> str:
        """The choice of the number of rounds in one sentence, with the loss that it was made by."""
        how = "stopped" if self.ended_early else "never stopped falling for long"
        head = (
            f"validation loss {self.loss} on {self.n_rows} rows {self.rows} with {self.n_rounds} of "
            f"{self.n_grown} rounds ({how})"
        )
        if self.n_rounds == 0:
            head += "; no number of rounds did better on them than the best constant, which is the model"
        return (
            f"{head}; difference to no rounds {self.against_none}, to all {self.n_grown} rounds "
            f"{self.against_last}"
        )

    def __str__(self) -> str:
        return self.sentence


class EarlyStop:
    """Watches the validation losses of the rounds.

    Parameters
    ----------
    weight : array, shape (m,)
        Weights of the validation rows, positive.
    start : array, shape (m,)
        Their losses before the first round.
    patience : int
        Rounds without a new least loss after which :meth:`look` says to stop.
    rows : str, optional
        Which rows these are, in words that go behind their number.

    Attributes
    ----------
    losses : list of Estimate
        Mean loss before the first round and after each.
    best : int
        The number of rounds with the least loss so far, 0 for none.

    Examples
    --------
    >>> import numpy as np
    >>> watch = EarlyStop(np.ones(40), np.full(40, 3.0) + np.arange(40) % 2, patience=2)
    >>> [watch.look(loss + np.arange(40) % 3) for loss in (2.0, 1.0, 1.5, 1.2)]
    [False, False, False, True]
    >>> watch.result().n_rounds
    2
    """

    def __init__(self, weight: Array, start: Array, patience: int, rows: str = HELD_OUT) -> None:
        self.weight, self.rows = weight, rows
        self.patience = patience
        self.losses = [held_out_mean(start, weight, target=MODEL)]
        self._none = self._last = self._best = start
        self.best = 0

    @property
    def rounds(self) -> int:
        """The number of rounds looked at so far; the losses before the first round do not count."""
        return len(self.losses) - 1

    @property
    def over(self) -> bool:
        """Whether the last `patience` rounds brought nothing new."""
        return self.rounds - self.best >= self.patience

    def look(self, losses: Array) -> bool:
        """Take the row losses after one more round; whether `patience` rounds brought nothing new."""
        told = held_out_mean(losses, self.weight, target=MODEL)
        self.losses.append(told)
        self._last = losses
        if told.value < self.losses[self.best].value:
            self.best, self._best = self.rounds, losses
        return self.over

    def result(self) -> Stopping:
        """Return the choice, with the paired intervals of the differences."""
        loss = self.losses[self.best]
        if loss.low is not None:
            loss = replace(loss, reason=CHOSEN)
        return Stopping(
            self.best,
            self.rounds,
            len(self.weight),
            loss,
            held_out_mean(self._best - self._last, self.weight, target="fewer rounds instead of all"),
            held_out_mean(self._best - self._none, self.weight, target="these rounds instead of none"),
            self.over,
            self.rows,
        )
