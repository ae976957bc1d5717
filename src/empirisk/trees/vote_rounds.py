"""The rounds of boosting by votes: scores and weights of the rows, and what each round measured."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from empirisk import _loops
from empirisk.trees.votes import Vote
from empirisk.typing import Array

__all__ = ["RoundRecord", "VoteRounds", "normalised_margins"]


@dataclass(frozen=True)
class RoundRecord:
    """What one round of boosting measured on the training rows, all rounds so far together.

    Parameters
    ----------
    error : float
        Share of the weight that the vote misclassifies.
    bound : float
        What the theory says that `error` is at most: the product of the Z of all rounds (for real votes of
        K > 2 classes the exponential loss of the margins, as no product is a bound there).
    loss : float
        Exponential loss: the weighted mean of ``exp(-margin)``.
    least_margin : float
        The smallest margin of a row, divided by the largest that these members could give: in [-1, 1].
    member_error, edge, weight : float
        Of the round's member under the round's weights.
    """

    error: float
    bound: float
    loss: float
    least_margin: float
    member_error: float
    edge: float
    weight: float


@dataclass
class VoteRounds:
    """The state of AdaBoost between rounds.

    Parameters
    ----------
    y : array of int32, shape (n,)
        Class codes.
    base : array, shape (n,)
        Weights > 0 of sum 1.
    n_classes : int
        K.
    real : bool
        Whether members vote by class shares.

    Notes ----- The margin of a row is ``y F(x)`` for two classes (y = -1, 1) and ``(F_y - max of the other
    F)/2`` for more; the weight of a row in the next round is proportional to ``base exp(-y F)``.  A row is
    misclassified only if its margin is <= 0, so the training error is at most the mean of exp(-margin),
    which for two classes is the product of ``Z_t = sum over rows of D_t(i) exp(-y_i f_t(x_i))``.  One step
    costs O(n K).

    Examples
    --------
    >>> from empirisk.trees.votes import discrete_vote
    >>> rounds = VoteRounds(np.array([0, 0, 0, 1], dtype=np.int32), np.full(4, 0.25), 2)
    >>> leaf = np.array([0, 0, 1, 1], dtype=np.int32)
    >>> mass = np.array([[0.5, 0.0], [0.25, 0.25]])
    >>> record = rounds.step(leaf, discrete_vote(mass, np.array([0, 1])))
    >>> round(record.bound, 6), record.error  # 2 sqrt(1/4 * 3/4)
    (0.866025, 0.25)
    """

    y: NDArray[np.int32]
    base: NDArray[np.float64]
    n_classes: int
    real: bool = False
    records: list[RoundRecord] = field(default_factory=list)
    reaches: list[float] = field(default_factory=list)
    log_product: float = 0.0

    def __post_init__(self) -> None:
        outputs = 1 if self.n_classes == 2 else self.n_classes
        self.score = np.zeros((len(self.y), outputs))
        self.weight = self.base.copy()

    @property
    def reach(self) -> float:
        """The largest margin that the members so far could give."""
        return float(sum(self.reaches))

    def weights_of(self, score: Array) -> Array:
        """Return the weights that go with scores: ``base exp(-y F)`` over its sum, y F = F_y for K > 2."""
        return self._weights_and_log_sum(score)[0]

    def _weights_and_log_sum(self, score: Array) -> tuple[Array, float]:
        signed = (
            np.where(self.y == 1, score[:, 0], -score[:, 0])
            if score.shape[1] == 1
            else score[np.arange(len(self.y)), self.y]
        )
        weight = self.base * np.exp(signed.min() - signed)
        return np.asarray(weight / weight.sum()), float(np.log(weight.sum()) - signed.min())

    def step(self, leaf: NDArray[np.int32], vote: Vote) -> RoundRecord:
        """Add a member that puts row i into leaf[i]; the weights have sum 1 again."""
        total, wrong, loss, least = _loops.vote_step(
            self.y, self.base, leaf, vote.value, vote.factor, self.score, self.weight
        )
        if 0.0 < total < np.inf:
            self.weight /= total
            self.log_product += float(np.log(total))
        else:  # the step left the range of exp
            weight, self.log_product = self._weights_and_log_sum(self.score)
            self.weight[:] = weight
        self.reaches.append(vote.reach)
        product = float(np.exp(self.log_product))
        bound = loss if self.real and self.n_classes > 2 else product
        record = RoundRecord(
            wrong,
            bound,
            product if self.n_classes == 2 else loss,
            least / self.reach,
            vote.error,
            vote.edge,
            vote.weight,
        )
        self.records.append(record)
        return record


def normalised_margins(score: Array, y: NDArray[np.int32], reach: float) -> Array:
    """``y F / reach``, or ``(F_y - max of the other F) / (2 reach)`` for more than two classes."""
    if score.shape[1] == 1:
        raw = np.where(y == 1, score[:, 0], -score[:, 0])
    else:
        rows = np.arange(len(y))
        others = score.copy()
        others[rows, y] = -np.inf
        raw = 0.5 * (score[rows, y] - others.max(axis=1))
    return np.asarray(raw / reach if reach > 0.0 else 0.0 * raw)
