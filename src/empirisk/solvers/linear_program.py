"""Linear programming by HiGHS, for piecewise linear losses with no penalty or L1.

    min_w max_{low <= u <= high} u.(A w - at)  =  - min at.u   subject to   A' u = 0,  low <= u <= high

one kink a row (two for epsilon-insensitive), one more for each coefficient with L1.  The programme on the
right has as few equations as there are parameters, and bounds are free for the simplex method: it is the fast
one of the pair.  Its multipliers are the parameters, and its u are the dual values that certify them
(Koenker & Bassett 1978, Econometrica 46; Huangfu & Hall 2018, Mathematical Programming Computation 10, on
HiGHS).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult, linprog

from empirisk.problems.linear import LinearProblem
from empirisk.solvers.base import State
from empirisk.solvers.crossover import crossover
from empirisk.solvers.kinked_rows import KinkedRows, kinked_rows
from empirisk.typing import Array, Capability

__all__ = ["LinearProgram"]

# What HiGHS says, in words; other codes are numerical difficulties.
REASONS = {
    1: "reached its time limit; give a longer one, or leave the solver to solver='auto'",
    2: "found the programme infeasible, which rounding alone can cause here; standardise the columns",
    3: "found the programme unbounded, which rounding alone can cause here; standardise the columns",
}


@dataclass(frozen=True)
class LinearProgram:
    """One call of HiGHS, its answer moved exactly onto the kinks.

    Parameters
    ----------
    seconds : float, default 600.0
        Time limit.

    Notes
    -----
    Simplex or interior point as HiGHS chooses.  Of use as a reference and where p is large and X sparse;
    :class:`empirisk.solvers.InteriorPoint` is measured to be some hundred times faster at many rows and few
    columns.
    """

    seconds: float = 600.0

    name = "linear_program"
    needs = frozenset(
        {Capability.DESIGN, Capability.PIECEWISE_LINEAR, Capability.POLYHEDRAL, Capability.SCALAR_SCORE}
    )

    def init(self, problem: LinearProblem, w0: Array | None = None) -> State:
        return State(problem.zeros() if w0 is None else np.array(w0, dtype=np.float64), check=False)

    def step(self, problem: LinearProblem, state: Any) -> State:
        if problem.data.total_weight == 0.0 or problem.n_params == 0:
            return State(problem.zeros(), done=True)
        rows = kinked_rows(problem, standardised=not problem.design.sparse)
        found = self._call(rows, problem.penalty.positive)
        if found.x is None or found.status != 0:
            reason = REASONS.get(found.status, f"failed ({found.message.strip()}); standardise the columns")
            note = f"the linear programme: HiGHS {reason}"
            return State(state.w, None, True, True, state.n_passes, note)
        u: Array = np.clip(np.asarray(found.x) * _unit(rows), rows.low, rows.high)
        w: Array = np.concatenate([-np.asarray(found.ineqlin.marginals), np.asarray(found.eqlin.marginals)])
        w *= _height(rows)
        # HiGHS is content with violations of 1e-9; positive coefficients are not kinks of these rows.
        exact = None if problem.penalty.positive else crossover(rows, w, u)
        w, u = (w, u) if exact is None else exact
        return State(rows.standard.to_w(w), None, True, True, float(found.nit), "", hint=rows.theta(u))

    def _call(self, rows: KinkedRows, positive: bool) -> OptimizeResult:
        unit, matrix = _unit(rows), rows.matrix().T.tocsr()
        # Coefficients that may not be negative are multipliers of inequalities.
        cut = rows.problem.data.n_cols if positive else 0
        options: Any = {
            "time_limit": self.seconds,
            "primal_feasibility_tolerance": 1e-10,
            "dual_feasibility_tolerance": 1e-10,
        }
        bounds: Any = np.column_stack([rows.low, rows.high]) / unit
        above: Any = -matrix[:cut]
        equal: Any = matrix[cut:]
        return linprog(
            rows.at / _height(rows), above, np.zeros(cut), equal, np.zeros(matrix.shape[0] - cut), bounds,
            "highs", options=options,
        )  # fmt: skip


def _unit(rows: KinkedRows) -> float:
    """Return the mean length of the intervals: HiGHS's tolerances are absolute."""
    return max(float(np.mean(rows.high - rows.low)), 1e-300)


def _height(rows: KinkedRows) -> float:
    """Return the largest place of a kink: HiGHS takes costs of 1e20 for infinity."""
    return max(float(np.max(np.abs(rows.at), initial=0.0)), 1e-300)
