"""Half-spaces by linear programming, with a proof that the classes are separable or that they are not.

Mangasarian, Operations Research 13 (1965).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import Tags

from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.estimators.checks import check_count, check_flag
from empirisk.estimators.documented import documented
from empirisk.estimators.linear.factor_columns import FactorColumns
from empirisk.estimators.linear.labels import LinearClassifier
from empirisk.estimators.linear.witness import ConvexWitness, find_witness, on_their_sides
from empirisk.losses import Hinge, Logistic
from empirisk.penalties import Zero
from empirisk.problems.linear import LinearProblem
from empirisk.problems.separation import find_separation
from empirisk.results import Solution
from empirisk.solvers.hard_margin import hard_margin
from empirisk.solvers.solve import solve
from empirisk.typing import Array

__all__ = ["HalfspaceClassifier"]

# Margins are made a little larger than 1, so that no rounding leaves one below.
ABOVE_ONE = 1.0 + 1e-9


@documented(FactorColumns)
class HalfspaceClassifier(LinearClassifier):
    """Two classes on two sides of a hyperplane: exactly whether they can be, and the best one.

    ``min_{w,b} (1/S) sum_i s_i max(0, 1 - y_i (x_i.w + b))``, a linear programme.  Its minimum is 0 exactly
    when a half-space holds one class and not the other.  Then, of all hyperplanes that separate, the one
    farthest from the nearest row is returned; otherwise a minimiser, together with a proof that nothing
    separates: a point in the convex hulls of both classes.

    Parameters
    ----------
    fit_intercept : bool, default True
        Whether b is free (else 0).
    class_weight : dict, "balanced" or None, default None
        Factors on the weights of the rows of each class; they matter only where nothing separates.
    solver : str or Solver, default "auto"
        See :mod:`empirisk.solvers.auto`; ``"linear_program"`` is HiGHS.
    tol : float, default 1e-6
        Largest accepted ``certificate.value / certificate.scale``.
    max_iter : int, default 10000
        Step limit.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    classes_ : array, shape (2,)
        Sorted labels; the second is the positive class.
    coef_ : array, shape (1, p)
    intercept_ : array, shape (1,)
    separable_ : bool or None
        Whether a hyperplane has every row with weight strictly on its side; None where rounding leaves it
        open.
    proof_ : str
        The proof in a sentence.
    witness_ : ConvexWitness or None
        Where nothing separates: rows of both classes, and weights with which their means are equal.
    margin_ : float
        Distance of the nearest row to the hyperplane; 0 where nothing separates.
    margin_bound_ : float
        No separating hyperplane is farther from the nearest row (weak duality).
    n_errors_ : int
        Training rows with weight that are not strictly on their side.
    certificate_ : Certificate
        Of the linear programme, with the multipliers of the rows.
    solution_ : Solution
        Status, steps, trace.

    Raises
    ------
    ValueError
        With more than two classes; wrap it in :class:`sklearn.multiclass.OneVsRestClassifier`.

    Notes
    -----
    O(n p^2) a step of an interior point, 20 to 100 steps.  A separating rule is checked on every row with a
    bound on the rounding, a common point of the hulls in whole numbers of any length (up to 60 columns).  The
    rule with the fewest errors is another matter: finding it is NP-hard where nothing separates, which is why
    the sum of hinge losses is minimised; it may well name one class for all rows.

    References
    ----------
    Gordan 1873 (the alternative); Mangasarian 1965, Operations Research 13 (linear separation by linear
    programming); Ben-David, Eiron & Long 2003 (hardness of fewest errors).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X, y = np.array([[0.0], [1.0], [4.0]]), ["a", "a", "b"]
    >>> model = er.HalfspaceClassifier().fit(X, y)
    >>> model.separable_, round(model.margin_, 6)
    (True, 1.5)
    >>> model = er.HalfspaceClassifier().fit([[0.0], [2.0], [1.0]], y)
    >>> model.separable_, model.witness_.rows, model.witness_.weights
    (False, array([0, 1, 2]), array([0.5, 0.5, 1. ]))
    """

    separable_: bool | None
    proof_: str
    witness_: ConvexWitness | None
    margin_: float
    margin_bound_: float
    n_errors_: int

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        class_weight: Any = None,
        solver: Any = "auto",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self._set(locals())

    def _build(self, design: Design, y: Array, weight: Array, alpha: float | None) -> LinearProblem:
        intercept = check_flag("fit_intercept", self.fit_intercept)
        self._tolerance()
        check_count("max_iter", self.max_iter, 1)
        if len(self.classes_) > 2:
            raise ValueError(
                f"Only binary classification is supported: y holds {len(self.classes_)} classes, a half-"
                "space tells two apart; wrap this in sklearn.multiclass.OneVsRestClassifier"
            )
        return LinearProblem(Hinge(), Zero(), ArrayBlocks(design, y, weight), intercept)

    def _solve(self, problem: LinearProblem, start: Array | None) -> Solution:
        steps = check_count("max_iter", self.max_iter, 1)
        solution = solve(problem, self.solver, tol=self._tolerance(), max_steps=steps)
        self.margin_, self.margin_bound_, self.witness_ = 0.0, 0.0, None
        separated, margins = on_their_sides(problem, solution.w)
        if separated:
            return self._separated(problem, solution, margins)
        if solution.dual is not None and np.any(solution.dual):
            self.witness_ = find_witness(problem, solution.dual * problem.data.y)
        if self.witness_ is not None and self.witness_.exact:
            self.separable_, count = False, len(self.witness_.rows)
            self.proof_ = (
                f"not separable: a weighted mean of rows of one class equals one of the other ({count} rows, "
                "verified without rounding)"
            )
            return solution
        return self._in_doubt(problem, solution)

    def _separated(self, problem: LinearProblem, solution: Solution, margins: Array) -> Solution:
        """Find, of the hyperplanes that separate the rows, the one with the widest margin."""
        live = problem.data.weight > 0.0
        w = solution.w / float(margins[live].min())
        widest = hard_margin(problem, w)
        if widest is not None and on_their_sides(problem, widest.w)[0]:
            w = widest.w
            self.margin_bound_ = 1.0 / widest.least_norm if widest.least_norm > 0.0 else np.inf
        else:
            self.margin_bound_ = np.inf
        least = float(on_their_sides(problem, w)[1][live].min())
        w = w * (ABOVE_ONE / least)
        norm = float(np.linalg.norm(problem.split(w)[0]))
        self.margin_ = 1.0 / norm if norm > 0.0 else np.inf
        self.separable_ = True
        self.proof_ = (
            f"separable: every row is on its side by at least {self.margin_:.3g}, verified on each with a "
            "bound on the rounding"
        )
        dual = np.zeros(len(problem.data.y))
        return replace(solution, w=w, dual=dual, certificate=problem.certify(w, theta=dual))

    def _in_doubt(self, problem: LinearProblem, solution: Solution) -> Solution:
        """Return what the search for separation says where the linear programme was too close to call."""
        found = find_separation(replace(problem, loss=Logistic()), self._names())
        if found.kind == "complete" and found.direction is not None:
            separated, margins = on_their_sides(problem, found.direction)
            if separated:
                return self._separated(problem, replace(solution, w=found.direction), margins)
        self.separable_ = False if found.kind in ("none", "quasi") else None
        self.proof_ = (
            "not separable, by multipliers in floating point" if self.separable_ is False else found.sentence
        )
        return solution

    def _finish(self, problem: LinearProblem, solution: Solution) -> None:
        super()._finish(problem, solution)
        margins = problem.data.y * problem.scores(self._pack(problem))
        self.n_errors_ = int(np.sum((margins <= 0.0) & (problem.data.weight > 0.0)))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
