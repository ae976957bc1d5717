"""Which penalty and which candidate: the simplest within one standard error of the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.scoring import Scoring
from empirisk.evaluation.standing import stand_losses
from empirisk.report.fit.tuning import CrossValidated
from empirisk.results import Estimate
from empirisk.search.rules import simplest_close

__all__ = ["Choice", "Row", "choose", "complexity", "one_standard_error"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """One candidate at the penalty that was chosen for it.

    Parameters
    ----------
    result : CrossValidated
    at, lowest : int
        Value that is taken (of a penalty by the one-standard-error rule, of rounds by the smallest loss), and
        that with the smallest mean loss.
    complexity : int
        Numbers in the candidate's unit (median over fits); 0 for the baseline.
    score, versus_baseline, versus_best : Estimate or None
        Cross-validated loss and paired differences.
    best_probability : float or None
        Probability of being the best of all rows but the reference; None where few rows decide.
    """

    result: CrossValidated
    at: int
    lowest: int
    complexity: int
    score: Estimate
    versus_baseline: Estimate | None
    versus_best: Estimate | None
    best_probability: float | None

    @property
    def unfinished(self) -> bool:
        """Whether the time cut the values of the parameter off while the loss still fell along them."""
        return self.result.lost > 0 and self.lowest == self.result.alphas.size - 1

    @property
    def losses(self) -> Floats:
        """Out-of-fold losses at the chosen penalty, shape (repeats, n)."""
        return self.result.losses[:, :, self.at]


@dataclass(frozen=True)
class Choice:
    """All rows, which one was chosen, and which one the smallest mean would have chosen."""

    rows: tuple[Row, ...]
    chosen: int
    by_minimum: int

    @property
    def row(self) -> Row:
        """The row of the candidate that was chosen."""
        return self.rows[self.chosen]


def one_standard_error(losses: Floats, scoring: Scoring) -> tuple[int, int]:
    """Return the largest penalty whose loss is within one standard error of the smallest, and the smallest's.

    The standard error is that of the paired difference on the same rows, which is what the two penalties
    are compared by.

    Parameters
    ----------
    losses : array of shape (repeats, n, a)
        Penalties fall along the last axis.
    scoring : Scoring

    Examples
    --------
    >>> import numpy as np
    >>> from empirisk.evaluation.metrics import METRICS
    >>> from empirisk.evaluation.sample import Sample
    >>> rows = np.random.default_rng(0).normal(size=(1, 50))
    >>> sample = Sample(np.zeros((50, 1)), rows[0])
    >>> scoring = Scoring(sample, sample.plan(5, 1, 0), METRICS["mse"], 0.95)
    >>> one_standard_error(np.stack([rows + 1.0, rows + 0.01, rows], axis=2), scoring)
    (2, 2)
    """
    each = [losses[:, :, i] for i in range(losses.shape[2])]
    means = np.array([scoring.value(one) for one in each])
    lowest = int(np.argmin(means))
    return simplest_close(
        means, _errors(each, each[lowest], scoring), np.arange(means.size, dtype=np.float64)
    ), lowest


def _picked(result: CrossValidated, scoring: Scoring) -> tuple[int, int]:
    """Return the position of the value that is taken, and of that with the smallest loss.

    A stronger penalty is a simpler model, for which one standard error is paid. Fewer rounds of boosting
    are no simpler to read, and smaller steps with more rounds are seldom worse: the smallest loss is taken.
    """
    careful, lowest = one_standard_error(result.losses, scoring)
    return (lowest if result.candidate.parameter == "rounds" else careful), lowest


def _errors(losses: Sequence[Floats], best: Floats, scoring: Scoring) -> Floats:
    """Return the standard errors of the differences to the losses of the best."""
    return np.array([0.0 if one is best else scoring.standard_error(one, best) for one in losses])


def complexity(result: CrossValidated, at: int) -> int:
    """Return the median over the fits of the numbers that a fit holds, in the unit of its candidate."""
    return int(np.median([sizes[at] for sizes in result.sizes])) if result.sizes else 0


def choose(results: list[CrossValidated], scoring: Scoring, seed: int) -> Choice:
    """Choose a penalty (or what else the candidate is chosen by) for each, then a candidate.

    A candidate is eligible when its loss is within one standard error (of the paired difference) of the
    smallest loss of any candidate at any value; the one that holds the fewest numbers (non-zero
    coefficients, or leaves) is chosen.
    The reference takes no part.
    """
    picks = [_picked(r, scoring) for r in results]
    own = [i for i, r in enumerate(results) if r.candidate.role != "reference"]
    lowest = np.array([scoring.value(results[i].losses[:, :, picks[i][1]]) for i in own])
    best = own[int(np.argmin(lowest))]
    floor = results[best].losses[:, :, picks[best][1]]
    sizes = [complexity(r, at) for r, (at, _) in zip(results, picks, strict=True)]
    shown = [r.losses[:, :, at] for r, (at, _) in zip(results, picks, strict=True)]
    means = np.array([scoring.value(one) for one in shown])
    # Few numbers come first, then small losses; the floor is no candidate, what is shown of the best is.
    rank = np.empty(len(own))
    rank[np.lexsort((means[own], np.array(sizes)[own]))] = np.arange(len(own))
    found = simplest_close(
        np.append(means[own], lowest.min()),
        _errors([*(shown[i] for i in own), floor], floor, scoring),
        np.append(rank, np.inf),
    )
    chosen = own[found]
    top = own[int(np.argmin(means[own]))]
    decided, chances = _best_probability({i: shown[i] for i in own if np.isfinite(means[i])}, scoring, seed)
    rows = tuple(
        Row(
            r,
            *picks[i],
            sizes[i],
            scoring.loss(shown[i], r.estimator(picks[i][0])),
            scoring.difference(shown[i], shown[0]) if i else None,
            scoring.difference(shown[i], shown[top]) if i != top else None,
            chances.get(i, 0.0) if i in own and not decided else None,
        )
        for i, r in enumerate(results)
    )
    return Choice(rows, chosen, best)


def _best_probability(
    losses: dict[int, Floats], scoring: Scoring, seed: int
) -> tuple[bool, dict[int, float]]:
    """Return whether few rows decide, and the share of draws around the mean losses in which each is the
    smallest, as searches give it.
    """
    standing = stand_losses(list(losses.values()), scoring)
    found = standing.probability_best(seed)
    even = 1.0 / len(losses)  # of so few rows or splits that nothing measures an error
    chances = {i: float(v) if np.isfinite(v) else even for i, v in zip(losses, found, strict=True)}
    return standing.decided_by_few, chances
