"""Rosenblatt's perceptron, with the bound on its mistakes.

Rosenblatt, Psychological Review 65 (1958); Novikoff (1962) for the bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from empirisk.data.as_before import as_before
from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.seeds import check_seed
from empirisk.estimators.checks import check_count, check_flag
from empirisk.estimators.documented import documented
from empirisk.estimators.linear.factor_columns import FactorColumns
from empirisk.estimators.linear.labels import LinearClassifier
from empirisk.estimators.linear.mistake_bounds import MistakeBounds
from empirisk.estimators.linear.perceptron_walk import PerceptronWalk, row_major
from empirisk.estimators.linear.witness import on_their_sides
from empirisk.estimators.streamed_labels import declared_classes
from empirisk.losses import Loss, OneVersusRest
from empirisk.losses import Perceptron as PerceptronLoss
from empirisk.penalties import Zero
from empirisk.problems.linear import LinearProblem
from empirisk.results import Certificate, Kind, Solution, Status, unconfirmed
from empirisk.solvers.one_by_one import single_problems
from empirisk.typing import Array

__all__ = ["Perceptron"]

VARIANTS = ("averaged", "pocket", "last")


@documented(FactorColumns)
class Perceptron(LinearClassifier):
    """Whenever a row is on the wrong side, add it: ``w <- w + y x``, ``b <- b + y``.

    Start at 0 and pass over the rows until a pass makes no mistake.  On classes that a hyperplane separates
    with margin 1/B that happens after at most ``(R B)^2`` mistakes, R the length of the longest row with its
    constant 1; otherwise it never does.  With more than two classes, one walk per class against the rest.

    Parameters
    ----------
    variant : {"averaged", "pocket", "last"}, default "averaged"
        The mean of the weights over all rows seen (steadier where classes overlap); of the weights that
        stood the longest run and those at the end of each pass those with the fewest training errors; or the
        last weights.  After a pass without mistakes the last weights are right on every row, and every
        variant returns them.
    fit_intercept : bool, default True
        Whether b is learnt, as the weight of a constant column of ones.
    n_epochs : int, default 100
        Passes over the rows at most: one without a mistake is the last.
    shuffle : bool, default True
        A fresh random order each pass; else that of the data.
    random_state : int, Generator, RandomState or None, default None
        Seed of the order; None is 0.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    classes_ : array, shape (K,)
        Sorted labels; of two the second is positive.
    coef_ : array, shape (1, p) or (K, p)
    intercept_ : array, shape (1,) or (K,)
    mistakes_ : array of int, shape (1,) or (K,)
        Updates.
    bound_ : array, shape (1,) or (K,)
        ``(R B)^2`` with B from the widest margin; infinite where nothing separates, NaN where it was too dear
        to compute (more than 300 columns or a million numbers).
    converged_ : bool
        Whether the last pass of every walk made no mistake.
    n_iter_ : int
        Passes.
    certificate_ : Certificate
        EXACT after a pass without mistakes; else NONE, with the reason.

    Notes
    -----
    O(stored numbers) a pass.  Weights of rows are not taken, because the bound counts rows.

    References
    ----------
    Rosenblatt 1958; Novikoff 1962 (the bound); Gallant 1990 (pocket); Freund & Schapire 1999 (averages).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 4.0], [4.0, 3.0]]), [0, 0, 1, 1]
    >>> model = er.Perceptron().fit(X, y)
    >>> model.converged_, bool(model.mistakes_[0] <= model.bound_[0]), model.predict(X)
    (True, True, array([0, 0, 1, 1]))
    """

    class_weight = None
    mistakes_: Any
    _bounds: MistakeBounds
    converged_: bool
    tol = 1e-6
    _elsewhere: ClassVar[Mapping[str, str]] = {"max_iter": "the largest number of passes is n_epochs"}
    _walks: list[PerceptronWalk] | None = None

    def __init__(
        self,
        variant: str = "averaged",
        *,
        fit_intercept: bool = True,
        n_epochs: int = 100,
        shuffle: bool = True,
        random_state: Any = None,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self._set(locals())

    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]
        """Walk from zero until a pass makes no mistake, `n_epochs` passes at most.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features.
        y : array, shape (n,)
            Labels.

        Returns
        -------
        self
        """
        self._fit(X, y, None)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Go on with one pass over one block of rows, in their order.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features, the same columns in every block.
        y : array, shape (n,)
            Labels among `classes`.
        classes : array, shape (K,), optional
            All labels that can come; needed at the first call.

        Returns
        -------
        self
        """
        first = not hasattr(self, "classes_")
        declared = declared_classes(classes, None if first else self.classes_)
        with as_before(self) as before:
            self.classes_ = declared
            self.alpha_ = 0.0
            problem = self._prepare_block(X, y, first)
            walks = before.get("_walks") or self._new_walks(problem)
            self._walks = [_copied(walk) for walk in walks]
            rows, order = row_major(problem.design), np.arange(len(problem.data.y))
            for walk, signs in zip(self._walks, self._signs(problem), strict=True):
                walk.go(rows, signs, order)
                if self.variant == "pocket":
                    walk.put_in_pocket(rows, signs)
            claim = "none: the rows came in blocks, of which none is kept"
            self._keep(problem, self._walks, False, Certificate(Kind.NONE, np.inf, 1.0, claim), 1)
        return self

    # -- parts --------------------------------------------------------------------------------------

    def _prepare_block(self, X: Any, y: Any, first: bool) -> LinearProblem:
        """Return the rows of a block, with the columns learnt from the first."""
        if first:
            self._declared = self.classes_
        try:
            return self._prepare(X, y, None, fitting=first)
        finally:
            self.__dict__.pop("_declared", None)

    def _targets(self, y: Any, fitting: bool) -> Array:
        return super()._targets(y, fitting and not hasattr(self, "_declared"))

    def _weights(self, weight: Array, targets: Array) -> Array:
        return weight

    def _build(self, design: Design, y: Array, weight: Array, alpha: float | None) -> LinearProblem:
        if self.variant not in VARIANTS:
            listed = ", ".join(repr(v) for v in VARIANTS)
            raise ValueError(f"variant must be one of {listed}, got {self.variant!r}")
        intercept = check_flag("fit_intercept", self.fit_intercept)
        check_count("n_epochs", self.n_epochs, 1)
        check_flag("shuffle", self.shuffle)
        check_seed(self.random_state)
        k = len(self.classes_)
        loss: Loss = PerceptronLoss() if k == 2 else OneVersusRest(PerceptronLoss(), k)
        return LinearProblem(loss, Zero(), ArrayBlocks(design, y, weight), intercept, 1.0, 0 if k == 2 else k)

    def _signs(self, problem: LinearProblem) -> list[Array]:
        """Return the labels -1 and +1 of each walk: one walk for two classes, else one for each class."""
        if not problem.n_outputs:
            return [problem.data.y]
        return [np.where(problem.data.y == k, 1.0, -1.0) for k in range(problem.n_outputs)]

    def _new_walks(self, problem: LinearProblem) -> list[PerceptronWalk]:
        return [PerceptronWalk(problem.n_params, problem.intercept) for _ in range(max(problem.n_outputs, 1))]

    def _solve(self, problem: LinearProblem, start: Array | None) -> Solution:
        rows, n = row_major(problem.design), len(problem.data.y)
        rng = np.random.default_rng(check_seed(self.random_state))
        walks, signs = self._new_walks(problem), self._signs(problem)
        running, passes = set(range(len(walks))), 0
        while running and passes < self.n_epochs:
            order = rng.permutation(n) if self.shuffle else np.arange(n)
            passes += 1
            for k in sorted(running):
                if walks[k].go(rows, signs[k], order) == 0:
                    running.discard(k)
                elif self.variant == "pocket":
                    walks[k].put_in_pocket(rows, signs[k])
        self.converged_ = not running
        self.mistakes_ = np.array([walk.mistakes for walk in walks])
        self._bounds = MistakeBounds.of(problem, signs)
        w = self._weights_of(problem, walks, [k not in running for k in range(len(walks))])
        certificate = self._certify(passes)
        status = Status.CERTIFIED if self.converged_ else Status.COMPLETED
        return Solution(w, status, certificate, passes, float(passes), solver="perceptron")

    def _weights_of(self, problem: LinearProblem, walks: list[PerceptronWalk], right: list[bool]) -> Array:
        """Return the variant's weights in the problem's layout; the last ones of walks that are right
        everywhere.
        """
        chosen = [
            walk.v
            if done or self.variant == "last"
            else walk.average
            if self.variant == "averaged"
            else walk.pocket
            for walk, done in zip(walks, right, strict=True)
        ]
        return np.stack(chosen, axis=1) if problem.n_outputs else chosen[0].copy()

    @property
    def bound_(self) -> Array:
        """The largest number of mistakes of each walk, computed when it is first asked for."""
        check_is_fitted(self, "_bounds")
        return self._bounds.values

    def _settle(self) -> None:
        """Compute what waits for a question, and let go of its rows."""
        if hasattr(self, "_bounds"):
            _ = self._bounds.values

    def __getstate__(self) -> dict[str, Any]:
        self._settle()
        return super().__getstate__()

    def _certify(self, passes: int) -> Certificate:
        """Return what the walk has reached; the sentence needs the bound, and is written when it is read."""
        kind, value = (Kind.EXACT, 0.0) if self.converged_ else (Kind.NONE, np.inf)
        mistakes, bounds, converged = self.mistakes_, self._bounds, self.converged_
        return Certificate.told_later(
            kind, value, 1.0, lambda: _claim(passes, converged, mistakes, bounds.values)
        )

    def _verify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Return whether every row is on its side, proved, for ``er.verify``."""
        problem = self.problem(X, y)
        w = np.reshape(self._pack(problem), (problem.n_params, -1))
        wrong = np.zeros(len(problem.data.y), dtype=bool)
        proved = True
        for part, column in zip(single_problems(problem), w.T, strict=True):
            right, margin = on_their_sides(part, column)
            proved &= right
            wrong |= margin <= 0.0
        if proved:
            return Certificate(Kind.EXACT, 0.0, 1.0, "every row is on its side, proved on each")
        return unconfirmed(f"{int(wrong.sum())} of {len(wrong)} rows are not on their side")

    def _collinear_note(self, problem: LinearProblem, solution: Solution) -> str:
        return ""  # the walk does not ask for unique weights

    def _finish(self, problem: LinearProblem, solution: Solution) -> None:
        super()._finish(problem, solution)
        certificate, z = solution.certificate, problem.scores(self._pack(problem))
        columns = z.T if z.ndim == 2 else z[None]
        right = all(np.all(s * c > 0.0) for s, c in zip(self._signs(problem), columns, strict=True))
        if self.converged_ and not right:  # weights are rounded to float32 with X
            claim = "none: rounded to the precision of X, the weights no longer have every row on its side"
            certificate = Certificate(Kind.NONE, np.inf, 1.0, claim)
        self.solution_ = replace(self.solution_, certificate=certificate)

    def _keep(
        self,
        problem: LinearProblem,
        walks: list[PerceptronWalk],
        converged: bool,
        certificate: Certificate,
        passes: int,
    ) -> None:
        """Set what a block has led to."""
        self.converged_ = converged
        self.mistakes_ = np.array([walk.mistakes for walk in walks])
        self._bounds = MistakeBounds.unknown(len(walks))
        w = self._weights_of(problem, walks, [False] * len(walks))
        before = getattr(self, "n_iter_", 0)
        self._unpack(problem, w)
        self.solution_ = Solution(w, Status.COMPLETED, certificate, passes, 1.0, solver="perceptron")
        self.n_iter_ = before + passes


def _copied(walk: PerceptronWalk) -> PerceptronWalk:
    """Return a walk that can go on while the one before stays as it is."""
    out = PerceptronWalk(walk.size, walk.intercept, walk.mistakes, walk.seen, walk.run, walk.best)
    out.pocket_errors = walk.pocket_errors
    out.v, out.lag, out.longest, out.pocket = (
        a.copy() for a in (walk.v, walk.lag, walk.longest, walk.pocket)
    )
    return out


def _claim(passes: int, converged: bool, mistakes: Any, bound: Array) -> str:
    """Return what a fit has reached, with the bound on its mistakes where that is known."""
    if converged:
        pairs = zip(mistakes, bound, strict=True)
        listed = ", ".join(f"{m} <= {b:.0f}" for m, b in pairs if np.isfinite(b))
        within = listed and bool(np.all(mistakes <= bound))
        checked = f"; mistakes within the bound (R B)^2: {listed}" if within else ""
        return f"every training row is on its side: a pass without mistakes{checked}"
    if np.isinf(bound).any():
        rest = "a class from the rest" if len(bound) > 1 else "the classes"
        why = f"no hyperplane separates {rest}, so that the walk never ends"
    elif np.isfinite(bound).all():
        why = f"{int(mistakes.max())} mistakes of at most {bound.max():.0f} so far: raise n_epochs"
    else:
        why = "the classes overlap, or more passes are needed"
    return f"none after {passes} passes: {why}"
