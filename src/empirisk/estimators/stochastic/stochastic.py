"""What the stochastic gradient estimators share: parameters, epochs, streams, and what theory promises."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin

from empirisk.bounds import pegasos
from empirisk.bounds.base import Guarantee
from empirisk.data.as_before import as_before
from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.seeds import check_seed
from empirisk.estimators.checks import check_alpha, check_count, check_flag, check_number
from empirisk.estimators.linear.base import LinearEstimator
from empirisk.estimators.linear.scalar_regression import elastic_net
from empirisk.estimators.linear.warm_start import fitted_before
from empirisk.estimators.loss_names import loss_named, scalar_losses
from empirisk.estimators.stochastic.stream import Stream, continue_stream
from empirisk.losses import Loss
from empirisk.optimizers import SCHEDULES
from empirisk.problems.linear import LinearProblem
from empirisk.results import Certificate, Kind, Solution, Status
from empirisk.solvers.one_by_one import single_problems, together
from empirisk.solvers.sgd import SGD
from empirisk.solvers.solve import solve
from empirisk.solvers.step_sizes import named_schedule
from empirisk.solvers.svrg import SVRG
from empirisk.solvers.truncation import with_zeros
from empirisk.typing import Array

__all__ = ["StochasticEstimator"]

# "auto" takes as many epochs as make this many steps, between these.  On 3,000 rows of 10 and 50 columns
# they end within 1e-4 to 7e-4 of the null model's loss of the optimum, less than the rows leave open; ten
# times as many within 1e-6 to 8e-5.
STEPS, FEWEST, MOST = 100_000, 5, 1_000

STREAMED = Certificate(
    Kind.NONE,
    math.inf,
    1.0,
    "none: the rows of a stream are gone; er.verify(est, X, y) measures the gap on rows that you still have",
)


class StochasticEstimator(LinearEstimator):
    """Base; a subclass gives the admissible losses, targets and the public layout."""

    loss: Any
    alpha: float | str
    l1_ratio: float
    fit_intercept: bool | str
    schedule: Any
    step: float | str
    output: str
    n_epochs: int | str
    batch_size: int
    momentum: float
    sampling: str
    precondition: bool | str
    tol: Any
    max_iter: int
    warm_start: bool
    random_state: Any
    t_: int
    _stream: Stream

    # -- parameters -------------------------------------------------------------------------------

    def _base_loss(self) -> Loss:
        """Return the loss that the parameter names."""
        given = self.loss
        if isinstance(given, str):
            made = loss_named(given)
        else:  # what a name stands for is a loss; of an object every member of the protocol is looked for
            made = given if not isinstance(given, type) and isinstance(given, Loss) else None
        if made is not None and self._takes(made):
            return made
        known = ", ".join(scalar_losses(self._takes))
        raise ValueError(
            f"loss must be one of {known}, or such an object of er.losses with parameters "
            f"of its own, got {given!r}"
        )

    def _takes(self, loss: Loss) -> bool:
        """Return whether a loss is for labels, as the classifier's, or for numbers, and its steps are
        compiled.
        """
        return loss.row_slope and loss.labels == isinstance(self, ClassifierMixin)

    def _epochs(self, rows: int) -> int:
        if isinstance(self.n_epochs, str) and self.n_epochs == "auto":
            return min(max(-(-STEPS // max(rows, 1)), FEWEST), MOST)
        return check_count("n_epochs", self.n_epochs, 1)

    def _values_together(self, parameter: str, values: Sequence[Any]) -> bool:
        """Answer no: where a walk ends depends on where it began."""
        return False

    def _solver(self, rows: int) -> SGD:
        if self.step != "auto":
            check_number("step", self.step, 0.0, closed=False)
        return SGD(
            schedule=self.schedule,
            step_size=self.step if self.step == "auto" else float(self.step),
            output=self.output,
            n_epochs=self._epochs(rows),
            batch_size=check_count("batch_size", self.batch_size, 1),
            momentum=check_number("momentum", self.momentum, 0.0),
            sampling=self.sampling,
            precondition=self._flag("precondition"),
            seed=check_seed(self.random_state),
            at_once=True,
        )

    def _flag(self, name: str) -> bool | str:
        """Return a flag that may be left open, as "auto"."""
        given = getattr(self, name)
        return "auto" if isinstance(given, str) and given == "auto" else check_flag(name, given)

    def _has_intercept(self) -> bool:
        """Return whether b is free: where that is left open, as the schedule says."""
        given = self._flag("fit_intercept")
        said = getattr(named_schedule(self.schedule), "run", {})
        return bool(said.get("fit_intercept", True) if given == "auto" else given)

    def _tolerance(self) -> float:
        return 0.0 if self.tol is None else check_number("tol", self.tol, 0.0, closed=False)

    def _loss_of(self, y: Array) -> tuple[Loss, int]:
        """Return the loss of the problem and its number of scores per row, 0 for one."""
        return self._base_loss(), 0

    def _build(self, design: Design, y: Array, weight: Array, alpha: float | None) -> LinearProblem:
        ratio = check_number("l1_ratio", self.l1_ratio, 0.0, 1.0)
        intercept = self._has_intercept()
        self._tolerance()
        check_count("max_iter", self.max_iter, 1)
        data = ArrayBlocks(design, y, weight)
        given = check_alpha(self.alpha, ("1/n",)) if alpha is None else alpha
        strength = 1.0 / data.total_weight if given == "1/n" else float(given)
        loss, outputs = self._loss_of(y)
        return LinearProblem(loss, elastic_net(strength, ratio), data, intercept, n_outputs=outputs)

    # -- all rows in memory -----------------------------------------------------------------------

    def _start(self, problem: LinearProblem, before: Mapping[str, Any]) -> Array | None:
        warm = check_flag("warm_start", self.warm_start)
        return fitted_before(self, problem, before) if warm else None

    def _solve(self, problem: LinearProblem, start: Array | None) -> Solution:
        parts = single_problems(problem)
        starts = [None] * len(parts) if start is None else np.reshape(start, (problem.n_params, -1)).T
        solution = together(problem, [self._one(p, w0) for p, w0 in zip(parts, starts, strict=True)])
        self.t_ = self._epochs(int(np.count_nonzero(problem.data.weight))) * -(
            -int(np.count_nonzero(problem.data.weight)) // self.batch_size
        )
        self.__dict__.pop("_stream", None)
        return solution

    def _one(self, problem: LinearProblem, start: Array | None) -> Solution:
        """Epochs of descent; with a `tol`, epochs with reduced variance until it is reached."""
        solver = self._solver(int(np.count_nonzero(problem.data.weight)))
        epochs, tol = solver.n_epochs, self._tolerance()
        solution = solve(
            problem, solver, w0=start, tol=tol, max_steps=epochs + 2 * 10, check_every=epochs + 100
        )
        if solution.status is not Status.COMPLETED or self.tol is None:
            return solution
        if SVRG.needs - problem.capabilities:
            note = (
                f"tol was not reached in {epochs} epochs; raise n_epochs, or take a loss without kinks: it "
                "goes on with reduced variance"
            )
            return replace(solution, status=Status.MAX_STEPS, note=note)
        more = solve(
            problem, SVRG(seed=solver.seed), w0=solution.w, tol=tol, max_steps=self.max_iter, check_every=1
        )
        more = with_zeros(problem, more, tol)
        better = more.certificate.value <= solution.certificate.value
        return replace(
            more if better else replace(solution, status=more.status),
            n_steps=solution.n_steps + more.n_steps,
            n_passes=solution.n_passes + more.n_passes,
        )

    # -- rows that come in blocks -----------------------------------------------------------------

    def _partial_fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Take one step per batch of the block, in the order of its rows (or as `sampling` says)."""
        first = not hasattr(self, "_stream")
        with as_before(self):
            if self.output == "best":
                raise ValueError('output="best" compares epochs on all rows, which a stream does not keep')
            if self.alpha == "1/n":
                raise ValueError(
                    'alpha="1/n" needs the number of rows, which a stream does not know: give a number'
                )
            problem = self._prepare(X, y, sample_weight, fitting=first and not hasattr(self, "coef_"))
            solver = self._solver(len(problem.data.y))
            held = None if first else self._stream
            start = self._pack(problem) if first and hasattr(self, "coef_") else None
            stream = continue_stream(problem, solver, held, start)
            self._unpack(problem, stream.parameters(problem))
            self._stream, self.t_ = stream, stream.taken
            self.alpha_ = float(getattr(problem.penalty, "alpha", 0.0))
            self.n_iter_, self._training = stream.blocks, None
            self.solution_ = Solution(
                self._pack(problem), Status.COMPLETED, STREAMED, n_steps=stream.blocks, solver="sgd"
            )
        return self

    # -- theory -----------------------------------------------------------------------------------

    def guarantee(self, X: Any, y: Any, sample_weight: Any = None) -> Guarantee:
        """How near to the minimum the fit is in expectation, by the theorem on steps ``1/(alpha t)``.

        Asked of ``schedule="pegasos"``, or of the same settings one by one.

        ``E J(average) - J* <= 2 rho^2 (1 + log T) / (alpha T)``, with rho from the rows of the fit.

        Parameters
        ----------
        X, y, sample_weight
            The rows of the fit.

        Returns
        -------
        Guarantee
            See :func:`empirisk.bounds.pegasos`; its n is the number of steps T.

        Raises
        ------
        ValueError
            When a condition of the theorem does not hold; the message lists them.
        """
        problem = self.problem(X, y, sample_weight)
        solver = self._solver(int(np.count_nonzero(problem.data.weight)))
        base = getattr(problem.loss, "base", problem.loss)
        wanted = {
            'schedule="pegasos"': getattr(SCHEDULES.get(str(self.schedule)), "of_modulus", False),
            'output="average"': solver.output == "average",
            'sampling="replacement"': solver.sampling == "replacement",
            "precondition=False": not solver.precondition,
            "fit_intercept=False": not problem.intercept,
            "warm_start=False": not self.warm_start,
            "tol=None": self.tol is None,
            "momentum=0": self.momentum == 0.0,
            "l1_ratio=0 and alpha > 0": problem.penalty.l1 == 0.0 and problem.penalty.l2 > 0.0,
            "a loss whose slope is bounded": math.isfinite(base.lipschitz),
            "one score a row": not problem.n_outputs,
        }
        missing = [name for name, holds in wanted.items() if not holds]
        if missing:
            raise ValueError(f"the theorem on steps 1/(alpha t) needs {', '.join(missing)}")
        s, live = problem.data.weight, problem.data.weight > 0.0
        heaviest = float(s.max()) * int(live.sum()) / problem.data.total_weight
        return pegasos(n=self.t_, rho=problem.constants.rho.value * heaviest, alpha=problem.penalty.l2)
