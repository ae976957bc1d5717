"""A whole training run: epochs until they are done, a tolerance is met or held-out rows get no better."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import t as student

from empirisk.estimators.network.checkpoint import Checkpoint, Progress
from empirisk.estimators.network.torch_epochs import TorchEpochs
from empirisk.estimators.network.training import Bad, Training, begin, epoch_order, one_blas_thread, one_epoch
from empirisk.optimizers import UpdateRule
from empirisk.problems.network import NetworkProblem
from empirisk.results import Estimate, Status
from empirisk.typing import Array, IndexArray

__all__ = ["Plan", "Trained", "epochs_on", "train"]

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
    device : str
        Where steps are computed: "cpu" is the compiled loop, the others are PyTorch's.
    """

    rule: UpdateRule
    epochs: int
    batch: int
    clip: float = 0.0
    dropout: float = 0.0
    tol: float = 0.0
    patience: int = 10
    device: str = "cpu"


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


def epochs_on(problem: NetworkProblem, device: str) -> Callable[..., tuple[Training, Bad | None]]:
    """Return what trains an epoch on a device: the compiled loop on "cpu", PyTorch on the others."""
    return one_epoch if device == "cpu" else TorchEpochs(problem, device)


def train(
    problem: NetworkProblem,
    start: Array,
    plan: Plan,
    held: IndexArray,
    weight: Array,
    number: int = 0,
    kept: Checkpoint | None = None,
) -> Trained:
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
    number : int
        Of the start among those of a fit, from 0.
    kept : Checkpoint, optional
        Where the run goes on from, and is written to.
    """
    run = begin(start, next(iter(problem.data)).design.dtype)
    now = (kept.at(number) if kept is not None else None) or Progress(run, run)
    if now.status is None:
        now = _trained(problem, plan, now, held, weight, number, kept)
        if kept is not None:
            kept.put(number, now)
    assert now.status is not None
    last, estimate = now.run, None
    if now.curve or now.status is Status.DIVERGED:
        last = now.best  # of no epoch, and so the start, where nothing was held out
    if now.curve:
        estimate = held_out(problem, last.w, held, weight)
    return Trained(last, now.status, now.note, np.array(now.curve), estimate)


def _trained(
    problem: NetworkProblem,
    plan: Plan,
    now: Progress,
    held: IndexArray,
    weight: Array,
    number: int,
    kept: Checkpoint | None,
) -> Progress:
    """Return the end of a run that is on its way."""
    (block,) = problem.data
    live = np.flatnonzero(np.asarray(block.weight) > 0.0)
    epoch_on = epochs_on(problem, plan.device)
    with one_blas_thread():
        for epoch in range(now.run.epochs + 1, plan.epochs + 1):
            order = epoch_order(live, problem.seed, epoch)
            after, bad = epoch_on(
                problem, now.run, plan.rule, order, plan.batch, clip=plan.clip, dropout=plan.dropout
            )
            if bad is not None:
                return replace(now, status=Status.DIVERGED, note=_diverged(bad))
            now = replace(now, run=after)
            if len(held):
                loss = held_out(problem, after.w, held, weight).value
                better = loss < min(filter(math.isfinite, now.curve), default=math.inf) or not now.curve
                now = replace(now, curve=(*now.curve, loss), best=after if better else now.best)
                if epoch - now.best.epochs >= plan.patience:
                    break
            elif plan.tol > 0.0 and epoch % LOOK == 0 and problem.certify(after.w).within(plan.tol):
                return replace(now, status=Status.CERTIFIED)
            if kept is not None and kept.due(epoch):
                kept.put(number, now)
    return replace(now, status=Status.MAX_STEPS if plan.tol > 0.0 and not len(held) else Status.COMPLETED)


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
    loss = problem.loss
    never_negative = loss.of_difference or loss.labels or loss.multinomial
    low = max(mean - reach, 0.0) if never_negative else mean - reach
    return Estimate(mean, low, mean + reach, 0.95, n, method, why, target)
