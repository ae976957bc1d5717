"""How much a model changes when one of its rows is replaced, and what that says about overfitting.

For any algorithm A, any loss, and m independent rows S (Shalev-Shwartz and Ben-David 2014, theorem 13.2):

    E[L_D(A(S)) - L_S(A(S))] = E[l(A(S^(i)), z_i) - l(A(S), z_i)],

S^(i) being S with its row z_i replaced by a fresh one: an algorithm overfits as much as it is unstable. The
left side is the out-of-fold minus the training loss; the right side is measured by refits with a row of the
held-out fold in the place of z_i.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from empirisk.bounds import stability as stability_bound
from empirisk.bounds.base import Guarantee
from empirisk.data.frames import like_input
from empirisk.data.progress import Progress, teller
from empirisk.data.seeds import Seed, generator_of
from empirisk.data.tabular import Tabular, estimate_columns
from empirisk.estimators import LogisticRegression
from empirisk.evaluation.fit_folds import one_thread_if_small
from empirisk.evaluation.folds import FOLDS, Plan
from empirisk.evaluation.intervals.base import Floats, accept, refuse, too_few
from empirisk.evaluation.intervals.repeated_kfold import repeated_kfold, widened
from empirisk.evaluation.intervals.student import MIN_ROWS, student_limits
from empirisk.evaluation.metrics.row_loss import RowLoss
from empirisk.evaluation.outputs import model_name
from empirisk.evaluation.row_losses import fit_on, pick_loss, row_losses
from empirisk.evaluation.sample import Sample
from empirisk.partitions.grouping import groups_rows
from empirisk.partitions.stability import PartitionStability, partition_stability
from empirisk.results import Estimate
from empirisk.results.estimate import check_level

__all__ = ["Stability", "stability"]

WORDS = {
    "gap": "held-out minus training loss",
    "replaced": "loss on a row without it minus with it",
    "difference": "the two sides apart",
}


@dataclass(frozen=True, repr=False)
class Stability(Tabular):
    """Both sides of the stability identity.

    Parameters
    ----------
    gap : Estimate
        ``E[L_D - L_S]``: expected held-out loss minus training loss.
    replaced : Estimate
        ``E[l(A(S^(i)), z_i) - l(A(S), z_i)]``.
    difference : Estimate
        Their difference, 0 by the theorem.
    mean_change, largest_change : float
        Mean and largest ``|l(A(S^(i)), z) - l(A(S), z)|`` seen on held-out rows z. The latter is at most the
        uniform stability of the algorithm.
    bound : Guarantee or None
        ``2 rho^2/(alpha m)`` where it applies.
    bound_reason : str
        Why it does not.
    n_train, n_fits : int
        Rows m of a fit, and models fitted.
    label, name : str
        The loss in words, and the estimator.
    """

    gap: Estimate
    replaced: Estimate
    difference: Estimate
    mean_change: float
    largest_change: float
    bound: Guarantee | None
    bound_reason: str
    n_train: int
    n_fits: int
    label: str
    name: str

    @property
    def agree(self) -> bool | None:
        """Whether the interval of the difference holds 0; None when there is no interval."""
        if self.difference.low is None or self.difference.high is None:
            return None
        return self.difference.low <= 0.0 <= self.difference.high

    @property
    def title(self) -> str:
        """The first line above the table: which model was refitted, and how often."""
        return f"Stability of {self.name}, {self.label}, {self.n_train} training rows ({self.n_fits} fits)"

    def _shown(self) -> dict[str, list[Any]]:
        return {
            "quantity": list(WORDS.values()),
            "value": [self.gap, self.replaced, self.difference],
        }

    def _columns(self) -> dict[str, list[Any]]:
        every = [self.gap, self.replaced, self.difference]
        return {
            "quantity": list(WORDS),
            **estimate_columns(every),
            "level": [e.level for e in every],
            "n": [e.n for e in every],
            "method": [e.method for e in every],
            "reason": [e.reason for e in every],
        }

    def _notes(self) -> list[str]:
        notes = [
            f"{100 * self.gap.level:g} % intervals. Replacing one row moves the loss of a held-out row by "
            f"{self.mean_change:.3g} on average, by {self.largest_change:.3g} at most.",
            *dict.fromkeys(f"Note: {e.reason}." for e in (self.gap, self.replaced) if e.reason),
        ]
        if self.bound is None:
            return [*notes, f"No bound by regularisation: {self.bound_reason}."]
        return [*notes, f"Bound on both sides: 2 rho^2/(alpha m) = {self.bound.epsilon:.4g}."]


@like_input
def stability(
    est: Any,
    X: Any,
    y: ArrayLike | None = None,
    *,
    loss: str | None = None,
    n_resamples: int = 50,
    n_replace: int = 100,
    repeats: int = 1,
    rho: float | None = None,
    level: float = 0.95,
    random_state: Seed = None,
    progress: Progress | None = None,
) -> Stability | PartitionStability:
    """Measure both sides of ``E[L_D - L_S] = E[l(A(S^(i)), z_i) - l(A(S), z_i)]``.

    Parameters
    ----------
    est : estimator
        Scikit-learn-compatible classifier, regressor or pipeline.
    X : array, sparse matrix or data frame of shape (n, p)
        Independent rows.
    y : array of shape (n,), optional
        Targets.  Without them an estimator that groups rows (``fit_predict``) is asked which of its clusters
        come back when rows are drawn again: see :func:`empirisk.partitions.partition_stability`.
    loss : str, optional
        As in :func:`learning_curve`.
    n_resamples : int, default 50
        Draws of the rows, where clusters are asked about; all that follows but the last three is for
        predictions.
    n_replace : int, default 100
        Rows that are replaced, one refit each (at most n).
    repeats : int, default 1
        Repeats of the five folds that measure the left side.
    rho : float > 0, optional
        Lipschitz constant of the loss in the coefficients, for every row that can occur: for the log-loss a
        bound on ``||x||`` known in advance (the largest norm seen is none). With it, the bound
        ``2 rho^2/(alpha m)`` is put beside the measured values.
    level : float in (0, 1), default 0.95
        Nominal coverage.
    random_state : int, Generator, RandomState or None
        Seed.
    progress : callable or bool, optional
        Called with (fits done, fits in all); True counts on the error stream.

    Returns
    -------
    Stability
        :class:`PartitionStability` for clusters.

    Raises
    ------
    ValueError
        Fewer than 10 rows, an infinite loss, a number out of range.

    Notes
    -----
    The right side has the smaller variance: ``A(S^(i))`` and ``A(S)`` share all rows but one. Cost:
    5 repeats + n_replace fits.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(150, 5))
    >>> y = X @ np.ones(5) + rng.normal(size=150)
    >>> s = stability(er.LinearRegression(), X, y, random_state=0)
    >>> s.agree, s.replaced.value > 0.0
    (True, True)
    """
    check_level(level)
    if y is None and not isinstance(X, Sample):
        if not groups_rows(est):
            raise TypeError(
                f"y is missing: {type(est).__name__} predicts, and its stability is about losses; give "
                "targets"
            )
        return partition_stability(
            est, X, n_resamples=n_resamples, level=level, random_state=random_state, progress=progress
        )
    sample = Sample.of(est, X, y)
    metric = pick_loss(est, sample, loss)
    if sample.n < 2 * FOLDS:
        raise ValueError(f"stability needs at least {2 * FOLDS} rows, got {sample.n}.")
    if not (isinstance(n_replace, int | np.integer) and n_replace >= 1):
        raise ValueError(f"n_replace must be a whole number from 1 on, got {n_replace!r}.")
    if rho is not None and not (isinstance(rho, int | float) and math.isfinite(rho) and rho > 0.0):
        raise ValueError(f"rho must be a positive number, got {rho!r}.")
    rng = generator_of(random_state)
    if sample.time is not None:
        raise ValueError("stability needs folds that test every row; give the rows without their time.")
    plan = sample.plan(None, repeats, rng)
    count = min(int(n_replace), sample.n)
    with one_thread_if_small(sample.X):
        run = _Run(est, sample, plan, metric, rng, progress, len(plan.splits) + count)
        gaps = run.folds()
        moved = run.replacements(count)
    if not (np.isfinite(gaps).all() and np.isfinite(moved).all()):
        raise ValueError("a loss is infinite (probability 0 for the class that occurred); try 'brier_score'.")
    left = repeated_kfold(
        gaps, FOLDS, level, kind="difference", target="expected held-out minus training loss"
    )
    right = _replaced(moved, level)
    bound, reason = _bound(run.models[0], metric, plan.n_train, rho)
    return Stability(
        left,
        right,
        _difference(left, right, gaps, moved, level),
        float(np.mean(run.changes)),
        run.largest,
        bound,
        reason,
        plan.n_train,
        run.done,
        metric.loss_label,
        model_name(est),
    )


class _Run:
    """The fits: on all folds of all repeats, then with one row replaced."""

    def __init__(
        self,
        est: Any,
        sample: Sample,
        plan: Plan,
        metric: RowLoss,
        rng: np.random.Generator,
        progress: Progress | None,
        total: int,
    ) -> None:
        self.est, self.sample, self.plan, self.metric, self.rng = est, sample, plan, metric, rng
        self.tell, self.total, self.done = teller(progress), total, 0
        self.models: list[Any] = []
        self.inside: list[Floats] = []
        self.outside: list[Floats] = []
        self.changes: list[float] = []
        self.largest = 0.0

    def _fit(self, rows: NDArray[np.intp]) -> Any:
        model = fit_on(self.est, self.sample, rows)
        self.done += 1
        self.tell(self.done, self.total)
        return model

    def folds(self) -> Floats:
        """Out-of-fold minus mean training loss of each row in each repeat, shape (r, n)."""
        n = self.sample.n
        out = np.zeros((self.plan.repeats, n))
        for r in range(self.plan.repeats):
            for j in self.plan.repeat(r):
                train, test = self.plan.splits[j]
                model = self._fit(train)
                self.models.append(model)
                self.inside.append(row_losses(model, self.sample, train, self.metric))
                self.outside.append(row_losses(model, self.sample, test, self.metric))
                out[r, test] += self.outside[-1]
                out[r, train] -= self.inside[-1] / (FOLDS - 1.0)
        return out

    def replacements(self, count: int) -> Floats:
        """``l(A(S^(i)), z_i) - l(A(S), z_i)`` for `count` rows i, each in a random fold that trains on it."""
        out = np.empty(count)
        for k, i in enumerate(self.rng.permutation(self.sample.n)[:count]):
            holders = [j for j, (train, _) in enumerate(self.plan.splits) if np.any(train == i)]
            j = int(self.rng.choice(holders))
            train, test = self.plan.splits[j]
            spare = int(self.rng.integers(test.size))
            model = self._fit(np.append(train[train != i], test[spare]))
            before = self.inside[j][np.flatnonzero(train == i)[0]]
            out[k] = row_losses(model, self.sample, np.array([i]), self.metric)[0] - before
            others = np.delete(test, spare)
            change = np.abs(
                row_losses(model, self.sample, others, self.metric) - np.delete(self.outside[j], spare)
            )
            self.changes.append(float(change.mean()))
            self.largest = max(self.largest, float(change.max()), abs(float(out[k])))
        return out


def _spread(moved: Floats) -> float:
    """Return the variance of the mean of the replacements: rows share folds, so K/(K-1) as for out-of-fold
    losses.
    """
    return float(moved.var(ddof=1)) / moved.size * FOLDS / (FOLDS - 1.0)


def _replaced(moved: Floats, level: float) -> Estimate:
    target = "expected loss on a row of a model without it minus with it"
    value, method = float(moved.mean()), f"t over {moved.size} replaced rows, {widened(FOLDS, 'rows')}"
    if moved.size < MIN_ROWS:
        return refuse(
            value, level, moved.size, method, too_few(moved.size, MIN_ROWS, "replaced rows"), target
        )
    limits = student_limits(value, _spread(moved), moved.size - 1, level)
    return accept(value, limits, level, moved.size, method, target=target)


def _difference(left: Estimate, right: Estimate, gaps: Floats, moved: Floats, level: float) -> Estimate:
    value, method = left.value - right.value, "t, both variances"
    target = "the two sides of the identity: 0"
    if left.low is None or right.low is None:
        return refuse(value, level, left.n, method, left.reason or right.reason, target)
    one = float(gaps.var(axis=1, ddof=1).mean()) / gaps.shape[1] * FOLDS / (FOLDS - 1.0)
    limits = student_limits(value, one + _spread(moved), min(gaps.shape[1], moved.size) - 1, level)
    return accept(value, limits, level, left.n, method, target=target)


def _bound(model: Any, metric: RowLoss, m: int, rho: float | None) -> tuple[Guarantee | None, str]:
    """Return the bound of regularised loss minimisation, or why it does not apply."""
    if not isinstance(model, LogisticRegression) or metric.name != "log_loss":
        return (
            None,
            "it is about the Lipschitz loss that the model minimises: the log-loss of our logistic models",
        )
    alpha = model.certificate_.strong_convexity
    if alpha <= 0.0:
        return None, "the penalty is not strongly convex (no L2 part)"
    if model.fit_intercept:
        return None, "the intercept is free; fit without one"
    if model.alpha == "cv":
        return None, "the strength was chosen on the rows"
    if rho is None:
        return None, "it needs rho, here a bound on the norm of every row that can occur"
    gap = model.certificate_.suboptimality() or 0.0
    return stability_bound(n=m, rho=float(rho), alpha=float(alpha), gap=gap), ""
