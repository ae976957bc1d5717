"""Epochs of minibatch steps: the driver of the compiled loop, which owns what lives between two epochs.

The order of the rows in epoch e is a function of the seed and e alone (a counter-based generator: Salmon,
Moraes, Dror and Shaw, SC 2011), so that a run can be stopped and gone on with.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.linalg.cython_blas  # loads the BLAS of the products, whose threads are limited below
from threadpoolctl import ThreadpoolController

from empirisk import _loops
from empirisk.data.seeds import within
from empirisk.problems.network import NetworkProblem
from empirisk.typing import Array, IndexArray

__all__ = ["Bad", "Training", "begin", "epoch_order", "epoch_rows", "one_epoch"]

# Numbers of a rule that the loop reads: those that its means keep.
SHARES = ("m", "rho", "beta1")


@lru_cache(maxsize=1)
def _pools() -> ThreadpoolController:
    assert scipy.linalg.cython_blas.__pyx_capi__
    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep the products of the loop on the thread that asks for them: the loop has threads of its own."""
    with _pools().limit(limits=1, user_api="blas"):
        yield


@dataclass(frozen=True, eq=False)
class Training:
    """A run between two epochs.

    Parameters
    ----------
    w : array, shape (d,)
        Parameters, in the format of the rows.
    memory : tuple of array
        Of the update rule.
    taken : int
        Steps so far.
    epochs : int
        Epochs so far.
    """

    w: Array
    memory: tuple[Array, Array]
    taken: int = 0
    epochs: int = 0


@dataclass(frozen=True)
class Bad:
    """Where a run met numbers that are not finite: epoch and layer, both from 1."""

    epoch: int
    layer: int


def begin(w: Array, dtype: Any) -> Training:
    """Return a run before its first step, with its own copy of w."""
    w = np.array(w, dtype=dtype)
    return Training(w, (np.zeros_like(w), np.zeros_like(w)))


def epoch_order(rows: IndexArray, seed: int, epoch: int) -> IndexArray:
    """Return the rows in the random order of one epoch.

    Examples
    --------
    >>> epoch_order(np.arange(4), seed=0, epoch=1).tolist() == epoch_order(np.arange(4), 0, 1).tolist()
    True
    """
    rng = np.random.Generator(np.random.Philox(key=within(seed, 64), counter=[0, 0, 0, epoch]))
    return np.ascontiguousarray(rng.permutation(rows), dtype=np.int64)


def epoch_rows(problem: NetworkProblem, run: Training, order: IndexArray, batch: int) -> IndexArray:
    """Return the rows that an epoch takes: not a last batch of one row, where that has to have a variance.

    A run of other layers is refused.
    """
    if len(run.w) != problem.layers.size:
        raise ValueError(
            f"the network has {problem.layers.size} parameters with these layers and targets, and "
            f"{len(run.w)} were trained so far: a stream of rows goes on with the same hidden layers and "
            "number of targets; fit() begins anew"
        )
    over_rows = any(f is not None and f.over_rows for f in problem.layers.normalizations)
    return order[:-1] if over_rows and len(order) % batch == 1 else order  # the next epoch has another one


def one_epoch(
    problem: NetworkProblem,
    run: Training,
    rule: Any,
    order: IndexArray,
    batch: int,
    *,
    clip: float = 0.0,
    dropout: float = 0.0,
) -> tuple[Training, Bad | None]:
    """Return the run after the rows of `order`, and where it met numbers that are not finite.

    Parameters
    ----------
    problem : NetworkProblem
        Rows in memory, dense or CSR, in the format of the run's parameters.
    run : Training
        It is left as it is: an interrupt loses the epoch and nothing else.
    rule : UpdateRule
        A row of :data:`empirisk.optimizers.REGISTRY` that the loop knows.
    order : array of int
        Rows, each batch after the one before.
    batch : int
        Rows a step; the last one may have fewer, and is left out where it would be a single row that is
        normalised over rows.
    clip : float
        Longest gradient, 0 for any.
    dropout : float
        Share of the hidden units that a row leaves out, in [0, 1).
    """
    (block,) = problem.data
    order = epoch_rows(problem, run, order, batch)
    w, memory = run.w.copy(), (run.memory[0].copy(), run.memory[1].copy())
    steps = -(-len(order) // batch)
    sizes = np.array([rule.schedule.at(run.taken + t + 1) for t in range(steps)])
    weight = np.asarray(block.weight, dtype=np.float64)
    live = weight[weight > 0.0]
    relative = None if (live == live[0]).all() else weight / live.mean()
    y = np.asarray(block.y, dtype=np.float64)
    taken, layer = _loops.network_steps(
        block.design.X,
        y if problem.loss.vector or y.ndim == 2 else y[:, None],
        relative,
        w,
        list(problem.layers.widths),
        [f.name for f in problem.layers.activations],
        problem.loss.name,
        float(problem.loss.parameter),
        order,
        batch,
        sizes,
        rule.name,
        memory_one=memory[0],
        memory_two=memory[1],
        first=next((getattr(rule, name) for name in SHARES if hasattr(rule, name)), 0.0),
        second=getattr(rule, "beta2", 0.0),
        eps=getattr(rule, "eps", 0.0),
        decay=getattr(rule, "decay", 0.0),
        taken=run.taken,
        center=problem.center,
        inverse=None if problem.scaling is None else 1.0 / problem.scaling,
        l1=problem.alpha * problem.l1_ratio,
        l2=problem.alpha * (1.0 - problem.l1_ratio),
        clip=clip,
        dropout=dropout,
        seed=within(problem.seed, 64),
        normalizations=[f.name if f is not None else "" for f in problem.layers.normalizations],
    )
    after = replace(run, w=w, memory=memory, taken=run.taken + taken, epochs=run.epochs + 1)
    return after, Bad(after.epochs, layer) if layer else None
