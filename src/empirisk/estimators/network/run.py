"""A whole training run: epochs until they are done, a tolerance is met or held-out rows get no better."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from empirisk.estimators.network.training import Bad, Training, begin, epoch_order, one_blas_thread, one_epoch
from empirisk.optimizers import UpdateRule
from empirisk.problems.network import NetworkProblem
from empirisk.results import Estimate, Status
from empirisk.typing import Array, IndexArray

__all__ = ["Plan", "Trained", "train"]

# Epochs between two looks at the certificate.
LOOK = 10


@dataclass(frozen=True)
class Plan:
    """How a network is trained.

    Parameters
    ----------
    rule : UpdateRule
        With its schedule.
    epochs, batch : int
        Most passes over the rows, and rows a step.
    clip, dropout : float
        Longest gradient (0 for any), and the share of hidden units that each row leaves out.
    tol : float
        Certificate over its scale at which to stop; 0 goes on.
    patience : int
        Epochs without a smaller loss of the held-out rows after which to stop.
    """

    rule: UpdateRule
    epochs: int
    batch: int
    clip: float = 0.0
    dropout: float = 0.0
    tol: float = 0.0
    patience: int = 10


@dataclass(frozen=True, eq=False)
class Trained:
    """Where a run ended.

    Parameters
    ----------
    run : Training
        Parameters and memories; with held-out rows those of the best epoch.
    status : Status
        How it ended.
    note : str
        What went wrong, in a sentence; empty otherwise.
    curve : array, shape (epochs,)
        Mean loss of the held-out rows after each epoch; empty without such rows.
    held : Estimate or None
        The smallest of them, with its interval.
    """

    run: Training
    status: Status
    note: str
    curve: Array
    held: Estimate | None


def train(problem: NetworkProblem, start: Array, plan: Plan, held: IndexArray, weight: Array) -> Trained:
    """Train from `start` on the rows of positive weight in `problem`, watched on the rows `held`.

    Parameters
    ----------
    problem : NetworkProblem
        Rows in memory; the weights of the held-out ones are 0 there.
    start : array, shape (d,)
        First parameters.
    plan : Plan
    held : array of int
        Held-out rows, or none.
    weight : array, shape (n,)
        Weights of all rows.
    """
    (block,) = problem.data
    run = begin(start, block.design.dtype)
    live = np.flatnonzero(np.asarray(block.weight) > 0.0)
    curve: list[float] = []
    best, estimate, status, bad = run, None, Status.COMPLETED, None
    with one_blas_thread():
        for epoch in range(1, plan.epochs + 1):
            order = epoch_order(live, problem.seed, epoch)
            after, bad = one_epoch(
                problem, run, plan.rule, order, plan.batch, clip=plan.clip, dropout=plan.dropout
            )
            if bad is not None:
                break
            run = after
            if len(held):
                now = held_out(problem, run.w, held, weight)
                curve.append(now.value)
                if estimate is None or now.value < estimate.value:
                    best, estimate = run, now
                elif epoch - best.epochs >= plan.patience:
                    break
            elif plan.tol > 0.0 and epoch % LOOK == 0 and problem.certify(run.w).within(plan.tol):
                status = Status.CERTIFIED
                break
    last = best if estimate is not None else run
    if bad is not None:
        last = best  # of no epoch, and so the start, where nothing was held out
        return Trained(last, Status.DIVERGED, _diverged(bad), np.array(curve), estimate)
    if plan.tol > 0.0 and status is Status.COMPLETED and not len(held):
        status = Status.MAX_STEPS
    return Trained(last, status, "", np.array(curve), estimate)


def _diverged(bad: Bad) -> str:
    """Return what to say of a run that left the finite numbers."""
    return (
        f"in epoch {bad.epoch} the outputs or gradients of layer {bad.layer} were not finite; the weights "
        "are those of the start, or of the best epoch on held-out rows: take a tenth of the step, or clip=1"
    )


def held_out(problem: NetworkProblem, w: Array, held: IndexArray, weight: Array) -> Estimate:
    """Return the mean loss of held-out rows, weighted, with a 95 % interval from its own spread."""
    (block,) = problem.data
    s = weight[held]
    with np.errstate(over="ignore", invalid="ignore"):
        losses = problem.row_losses(block.y[held], problem.scores(w, block.design.X[held]))
        mean = float((s * losses).sum() / s.sum())
        error = float(np.sqrt((s**2 * (losses - mean) ** 2).sum()) / s.sum())
    n, method = len(held), "Student t of the held-out losses"
    target = "mean loss on new rows, of the epoch that was best on these"
    if n < 10 or not math.isfinite(error):
        why = f"{n} rows are fewer than 10" if n < 10 else "the losses are not finite"
        return Estimate(mean, None, None, 0.95, n, method, why, target)
    reach = float(student.ppf(0.975, n - 1)) * error * math.sqrt(n / (n - 1))
    why = "the epoch was chosen on the same rows, which makes the number a little small"
    return Estimate(mean, mean - reach, mean + reach, 0.95, n, method, why, target)
