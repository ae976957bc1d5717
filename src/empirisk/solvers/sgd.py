"""Stochastic gradient descent in compiled epochs, with the four outputs of the lecture notes.

Robbins and Monro, Annals of Mathematical Statistics 22 (1951).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.data.seeds import Seed, check_seed
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.base import State
from empirisk.solvers.smoothed_dual import smoothed_dual
from empirisk.solvers.step_sizes import STAIRS, make_schedule, named_schedule
from empirisk.solvers.stochastic_rows import (
    SAMPLE,
    StochasticRows,
    curvature_scale,
    random_order,
    stochastic_rows,
)
from empirisk.solvers.stochastic_walk import Walk, advance, start
from empirisk.solvers.truncation import truncate
from empirisk.typing import Array, Capability, IndexArray

__all__ = ["OUTPUTS", "SAMPLINGS", "SGD"]

OUTPUTS = ("average", "last", "suffix", "best")
SAMPLINGS = ("permutation", "replacement", "given")
# What "auto" stands for, unless the schedule says otherwise.
USUAL: dict[str, Any] = {"output": "suffix", "sampling": "permutation", "precondition": True}
# "suffix" is the mean over this share of the steps, the last ones.
SUFFIX = 0.5
# Steps of a run above which the automatic step gets shorter; measured, like the power of it.
LONG_RUN = 1e5
# Steps of short epochs that one compiled call takes: their orders and sizes are arrays of so many numbers.
AT_ONCE = 100_000
# An automatic step that made things worse is divided by this, at most so many times.
CUT, CUTS = 4.0, 10


@dataclass(frozen=True)
class SGDState(State):
    """`size` is the first step, cut `cuts` times; `best` the smallest objective at the end of an epoch;
    `origin` is where the run began; `apart` says that epochs are taken one by one."""

    rows: StochasticRows | None = None
    walk: Walk | None = None
    epoch: int = 0
    size: float = 0.0
    best: float = math.inf
    cuts: int = 0
    origin: Walk | None = None
    apart: bool = False


@dataclass(frozen=True)
class SGD:
    """``w <- prox(w - g_t (l'(y_i, x_i.w) x_i))``, i random; one epoch (n rows) a step.

    Parameters
    ----------
    schedule : str or Schedule, default "cosine"
        "constant", "cosine" (falls to 0 over `n_epochs`), "inverse_time" (``step_size / t``),
        "strongly_convex" (``1 / (l2 t)``, whatever `step_size` is), "pegasos" (the same sizes, with the
        output, sampling and coordinates of its theorem), "step_decay" (halved ten times), or an object of
        :mod:`empirisk.optimizers`; t counts steps, not epochs.
    step_size : float or "auto", default "auto"
        First step in the coordinates of :mod:`empirisk.solvers.stochastic_rows`.  "auto" is 1 over the
        smoothness of the longest row among 4096, times ``(1e5 / T)^(3/4)`` for runs of T > 1e5 steps, and a
        quarter of it as often as the first epoch makes matters worse.
    output : {"auto", "suffix", "average", "last", "best"}, default "auto"
        The mean of the iterates of the second half of the run, of all iterates (Polyak and Ruppert), the last
        iterate, or the end of the epoch with the smallest objective (one more pass each epoch).  "auto" is
        "suffix", and "average" for "pegasos".
    n_epochs : int, default 20
        Length of the run.
    batch_size : int, default 1
        Rows a step.
    momentum : float, default 0.0
        Share of the last step that is kept, in [0, 1); dense X only.
    sampling : {"auto", "permutation", "replacement", "given"}, default "auto"
        A fresh random order each epoch (of blocks of 8 neighbouring rows where X exceeds the caches);
        independent draws, as the theorems ask; or the order of the data.  "auto" is "permutation", and
        "replacement" for "pegasos".
    precondition : bool or "auto", default "auto"
        Whether steps are taken in the coordinates of centred and scaled columns; "auto" is True, and False
        for "pegasos".
    seed : int, Generator, RandomState or None, default 0
        Of the order of the rows.  A generator is drawn from once, when the solver is made.
    at_once : bool, default False
        Whether one call of `step` may take all short epochs that nothing asks about in between: the same
        iterates, and no look at those between.

    Notes
    -----
    Row i counts with ``s_i m / S`` (m rows with weight), so that the mean of a step over the rows is the step
    along the full gradient: exactly over i with "replacement"; with "permutation" for every step before the
    epoch's order is known, and in sum over an epoch at a fixed point.  O(entries of X) an epoch.  The steps
    do not converge with a constant size; the certificate says how far the output is from the optimum, and may
    be far looser than the truth where the penalty is weak.

    References
    ----------
    Robbins & Monro 1951; Polyak & Juditsky 1992; Rakhlin, Shamir & Sridharan, ICML 2012 (suffix averages);
    Shalev-Shwartz et al. 2011 (Pegasos).
    """

    schedule: Any = "cosine"
    step_size: float | str = "auto"
    output: str = "auto"
    n_epochs: int = 20
    batch_size: int = 1
    momentum: float = 0.0
    sampling: str = "auto"
    precondition: bool | str = "auto"
    seed: Seed = 0
    at_once: bool = False

    name = "sgd"
    needs = frozenset(
        {
            Capability.DESIGN,
            Capability.ROW_SLOPE,
            Capability.SEPARABLE_PENALTY,
            Capability.SCALAR_SCORE,
            Capability.CONVEX,
        }
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", check_seed(self.seed, "seed"))
        said = {**USUAL, **getattr(named_schedule(self.schedule), "run", {})}
        for setting in USUAL:
            if isinstance(getattr(self, setting), str) and getattr(self, setting) == "auto":
                object.__setattr__(self, setting, said[setting])
        for name, value, known in (
            ("output", self.output, OUTPUTS),
            ("sampling", self.sampling, SAMPLINGS),
        ):
            if value not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, got {value!r}")
        if self.step_size != "auto" and (
            isinstance(self.step_size, str) or not 0.0 < float(self.step_size) < math.inf
        ):
            raise ValueError(f'step_size must be "auto" or a finite number > 0, got {self.step_size!r}')
        if self.n_epochs < 1 or self.batch_size < 1:
            raise ValueError(
                f"n_epochs and batch_size must be at least 1, got {self.n_epochs!r} and {self.batch_size!r}"
            )
        if not 0.0 <= self.momentum < 1.0:
            raise ValueError(f"momentum must lie in [0, 1), got {self.momentum!r}")

    def init(self, problem: LinearProblem, w0: Array | None = None) -> SGDState:
        """Begin at w0, or at the null model when none is given."""
        w = problem.null.copy() if w0 is None else np.array(w0, dtype=np.float64)
        if problem.data.total_weight == 0.0:
            return SGDState(w, done=True)
        if self.momentum > 0.0 and problem.design.sparse:
            raise ValueError("momentum would move every column at every step: use momentum=0 with sparse X")
        rows = stochastic_rows(problem, precondition=bool(self.precondition), stored_only=True)
        steps = self.n_epochs * -(-len(rows.active) // self.batch_size)
        size = automatic_size(problem, rows, steps) if self.step_size == "auto" else float(self.step_size)
        walk = start(rows.inside(w), self.momentum)
        return SGDState(w, None, False, rows=rows, walk=walk, origin=walk, size=size, n_passes=2.0)

    def step(self, problem: LinearProblem, state: Any) -> SGDState:
        now: SGDState = state
        rows, walk = now.rows, now.walk
        if rows is None or walk is None or now.epoch >= self.n_epochs:
            return replace(now, done=rows is None, complete=rows is not None, taken=1)
        steep = not (math.isfinite(problem.loss.curvature[1]) or math.isfinite(problem.loss.lipschitz))
        count = 1 if steep or self.output == "best" else self._together(now, rows)
        after = self._epoch(problem, now, rows, walk, count)
        if count > 1 and not after.finite:  # which epoch it was is told by taking them one by one
            now, count = now.then(apart=True), 1
            after = self._epoch(problem, now, rows, walk, count)
        passes = now.n_passes + count
        origin = now.origin or walk
        worse = not after.finite or ((now.epoch == 0 or steep) and _worse(problem, rows, origin, after))
        if worse and self._may_cut and now.cuts < CUTS:
            size = now.size / CUT
            note = f"the automatic step was cut to {size:.2g} because a longer one led away"
            cuts = now.cuts + 1
            return now.then(
                size=size, cuts=cuts, n_passes=passes, note=note, walk=origin, epoch=0, taken=count
            )
        now = now.then(walk=after, epoch=now.epoch + count, n_passes=passes, taken=count)
        if not after.finite:
            return replace(now, diverged=True, done=True, note=self._too_long(problem, now) or now.note)
        w = rows.outside(after.output)
        if self.output != "best" and now.epoch < self.n_epochs:
            return now.then(w=w, evaluation=None, hint=None)
        return self._look(problem, now, w)

    @property
    def _may_cut(self) -> bool:
        """Whether a shorter first step is ours to take, and changes the steps."""
        return self.step_size == "auto" and isinstance(self.schedule, str) and not self._of_modulus

    @property
    def _of_modulus(self) -> bool:
        """Whether the sizes follow from the strength of the penalty alone."""
        return getattr(named_schedule(self.schedule), "of_modulus", False)

    def _together(self, now: SGDState, rows: StochasticRows) -> int:
        """Return the number of epochs that the next call takes: the first is compared with the start."""
        steps = -(-len(rows.active) // self.batch_size)
        whole = steps * self.batch_size == len(rows.active)  # no batch ends with an epoch before it is full
        if not (self.at_once and now.epoch and whole and 0 < steps <= STAIRS) or now.apart:
            return 1
        return min(self.n_epochs - now.epoch, max(AT_ONCE // steps, 1))

    def _epoch(
        self, problem: LinearProblem, now: SGDState, rows: StochasticRows, walk: Walk, count: int
    ) -> Walk:
        """Return the steps of `count` epochs; what counts towards the mean begins where `output` says."""
        horizon = self.n_epochs * -(-len(rows.active) // self.batch_size)
        begin = {"average": 0, "suffix": horizon - int(SUFFIX * horizon)}.get(self.output, math.inf)
        return advance(
            walk,
            rows,
            problem,
            self._orders(rows, now.epoch, count),
            make_schedule(self.schedule, now.size, horizon, problem.penalty.l2),
            begin=begin,
            batch=self.batch_size,
            momentum=self.momentum,
            stairs=STAIRS * count,
        )

    def _orders(self, rows: StochasticRows, first: int, count: int) -> IndexArray:
        if count == 1:
            return self._order(rows, first)
        return np.concatenate([self._order(rows, first + k) for k in range(count)])

    def _look(self, problem: LinearProblem, now: SGDState, w: Array) -> SGDState:
        """Objective of the output; after the last epoch what certifies it, too."""
        e = problem.evaluate(w)
        value = e.loss + problem.penalty.value(problem.split(w)[0])
        if self.output == "best" and not value < now.best:
            w, value = now.w, now.best
            e = problem.evaluate(w)
        over, passes = now.epoch >= self.n_epochs, now.n_passes + 1.0
        lost, note = not math.isfinite(value), ""
        hint = smoothed_dual(problem, w, e) if over else None
        if over and not lost and now.rows is not None:
            w, e, more = truncate(problem, now.rows, w, e, hint)
            value, passes = problem.objective(w, e), passes + more
        if not value <= problem.null_loss + 10.0 * problem.null_excess:
            note = self._too_long(problem, now)
        return replace(
            now,
            w=w,
            evaluation=e,
            hint=hint,
            best=value,
            n_passes=passes,
            complete=over and not (lost or note),
            done=over and lost,
            diverged=lost or bool(note),
            note=note or now.note,
        )

    def _order(self, rows: StochasticRows, epoch: int) -> IndexArray:
        active = rows.active
        if self.sampling == "given":
            return active
        rng = generator_of(self.seed, epoch)
        if self.sampling == "replacement":
            return active[rng.integers(0, len(active), size=len(active))]
        return random_order(rows, rng)

    def _too_long(self, problem: LinearProblem, state: SGDState) -> str:
        """Return the sentence about a first step beyond the stability limit of the longest row, if it is.

        Steps ``1/(mu t)`` begin beyond it by design, and come back.
        """
        if self._of_modulus:
            return ""
        longest = 0.0 if state.rows is None else state.rows.longest
        limit = 2.0 / (curvature_scale(problem) * max(longest, 1e-300) + problem.penalty.l2)
        first = make_schedule(self.schedule, state.size, 1, problem.penalty.l2).at(1)
        if first <= limit:
            return ""
        return f"step {first:.3g} exceeds 2/L = {limit:.3g} of the longest row; take a shorter one or 'auto'"


def generator_of(*numbers: Any) -> np.random.Generator:
    """``np.random.default_rng(numbers)``, whose words NumPy need not split when they are short."""
    short = max(numbers) < 2**32
    return np.random.Generator(np.random.PCG64(np.array(numbers, dtype=np.uint32) if short else numbers))


def automatic_size(problem: LinearProblem, rows: StochasticRows, steps: float = 0.0) -> float:
    """1 over the smoothness of the longest row, and shorter for runs of many steps.

    What noise leaves falls with the step, what is left of the start with the step times their number: between
    ``1/sqrt(T)`` (no curvature to rely on) and ``1/T`` (much of it) lies the power that is taken here.
    """
    patience = min(1.0, LONG_RUN / max(steps, 1.0)) ** 0.75
    return float(patience / (curvature_scale(problem) * max(rows.longest, 1e-300)))


def _worse(problem: LinearProblem, rows: StochasticRows, before: Walk, after: Walk) -> bool:
    """Return whether an epoch raised the objective by more than its noise can, by a sample of the rows."""
    if not problem.null_excess > 0.0:
        return False  # at the minimum already: nothing to compare with
    sample = rows.active[:: -(-len(rows.active) // SAMPLE)]
    y, s = problem.data.y[sample], problem.data.weight[sample]

    def value(v: Array) -> float:
        w = rows.outside(v)
        loss = problem.loss.value(y, rows.scores(w, sample))
        return float(s @ loss) / float(s.sum()) + problem.penalty.value(problem.split(w)[0])

    end = value(after.v)
    return not end <= value(before.v) + 0.5 * problem.null_excess
