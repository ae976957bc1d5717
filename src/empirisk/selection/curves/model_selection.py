"""Training and held-out loss against one parameter, with the best and the one-standard-error choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from empirisk.results import Estimate
from empirisk.selection.cross import Sample
from empirisk.selection.curves.along import check_values, fit_along, has_path
from empirisk.selection.curves.row_losses import loss_label, one_thread, pick_loss, row_losses
from empirisk.selection.curves.summaries import train_estimate, validation_estimate
from empirisk.selection.fit_folds import Progress
from empirisk.selection.folds import Plan
from empirisk.selection.intervals.base import Floats, check_level, refuse
from empirisk.selection.intervals.bbc import best_of
from empirisk.selection.metrics.row_loss import RowLoss, mean_error
from empirisk.selection.outputs import model_name
from empirisk.selection.rows import take_rows
from empirisk.selection.tabular import Tabular, estimate_columns

__all__ = ["ModelSelectionCurve", "model_selection_curve"]

REPEATS, REPEATS_MANY, MANY = 3, 1, 1000
LOG_SPREAD = 20.0  # positive values that span more than this factor stand on a logarithmic axis


@dataclass(frozen=True, repr=False)
class ModelSelectionCurve(Tabular):
    """Expected loss of an algorithm at several values of one parameter.

    Parameters
    ----------
    param : str
        Name of the parameter.
    values : tuple
        Its values, in the order given.
    validation, train : tuple of Estimate
        Loss on rows outside and inside the training part.
    best : int
        Position of the smallest held-out loss.
    one_se : int
        Position of the simplest value within one standard error of it: that with the largest training loss.
    standard_error : float
        Of the smallest held-out loss.
    best_loss : Estimate
        Expected loss of choosing the best value on such a sample, corrected for the winner's luck.
    n, loss, label, level, method, name
        As in :class:`LearningCurve`.
    """

    param: str
    values: tuple[Any, ...]
    validation: tuple[Estimate, ...]
    train: tuple[Estimate, ...]
    best: int
    one_se: int
    standard_error: float
    best_loss: Estimate
    n: int
    loss: str
    label: str
    level: float
    method: str
    name: str = "model"

    @property
    def title(self) -> str:
        """What was measured."""
        return f"{self.label.capitalize()} of {self.name} against {self.param}, {self.n} rows"

    @property
    def scale(self) -> str:
        """``"log"``, ``"linear"`` or ``"category"``: how an axis of the values is drawn best."""
        if not all(not isinstance(v, bool) and isinstance(v, Real) for v in self.values):
            return "category"
        numbers = [float(v) for v in self.values]
        return "log" if min(numbers) > 0.0 and max(numbers) > LOG_SPREAD * min(numbers) else "linear"

    def plot(self, ax: Any = None) -> Any:
        """Both losses against the parameter; returns the Axes."""
        from empirisk.plots import SelectionCurveDisplay

        return SelectionCurveDisplay(self.to_dict(), {"label": self.label, "unit": ""}, self.name).plot(ax)

    def to_dict(self) -> dict[str, Any]:
        """What a chart needs: x, both bands, the chosen and the best value, the scale of the axis."""
        return {
            "parameter": self.param,
            "x": list(self.values),
            "scale": self.scale,
            "validation": _band(self.validation),
            "train": _band(self.train),
            "chosen": self.values[self.one_se],
            "minimum": self.values[self.best],
        }

    def _marks(self) -> list[str]:
        marks = [""] * len(self.values)
        marks[self.one_se] = "one-standard-error choice"
        marks[self.best] = "best" if self.best != self.one_se else "best, and one-standard-error choice"
        return marks

    def _shown(self) -> dict[str, list[Any]]:
        return {
            self.param: list(self.values),
            "held out": list(self.validation),
            "training": list(self.train),
            "choice": self._marks(),
        }

    def _columns(self) -> dict[str, list[Any]]:
        count = len(self.values)
        return {
            "parameter": [self.param] * count,
            "value": list(self.values),
            **estimate_columns(self.validation, "validation"),
            **estimate_columns(self.train, "train"),
            "best": [j == self.best for j in range(count)],
            "one_se": [j == self.one_se for j in range(count)],
            "level": [self.level] * count,
            "n": [self.n] * count,
            "method": [e.method for e in self.validation],
            "reason": [e.reason for e in self.validation],
        }

    def _notes(self) -> list[str]:
        edge = self.values[self.best] in (self.values[0], self.values[-1]) and len(self.values) > 2
        notes = [
            f"{100 * self.level:g} % intervals; {self.method}.",
            f"Loss of choosing the best value on such rows: {self.best_loss}.",
        ]
        more = "The best value is the first or the last one tried: values beyond it may do better."
        return [*notes, more] if edge and self.scale != "category" else notes


def _band(points: tuple[Estimate, ...]) -> dict[str, Any]:
    known = all(e.low is not None for e in points)
    return {
        "value": [e.value for e in points],
        "low": [e.low for e in points] if known else None,
        "high": [e.high for e in points] if known else None,
        "level": points[0].level,
        "n": points[0].n,
        "method": points[0].method,
    }


def model_selection_curve(
    est: Any,
    X: Any,
    y: ArrayLike,
    param: str,
    values: Sequence[Any],
    *,
    loss: str | None = None,
    cv: Any = None,
    groups: ArrayLike | None = None,
    repeats: int | None = None,
    level: float = 0.95,
    random_state: int | np.random.Generator | None = None,
    progress: Progress | None = None,
) -> ModelSelectionCurve:
    """Expected training and held-out loss against one parameter, all values on the same folds.

    Parameters
    ----------
    est : estimator
        Unfitted (or fitted: it is cloned) scikit-learn-compatible classifier, regressor or pipeline.
    X : array, sparse matrix or data frame of shape (n, p)
        Rows.
    y : array of shape (n,)
        Targets.
    param : str
        Name of the parameter, as in ``set_params`` (``"step__name"`` in a pipeline).
    values : sequence
        Values to try. For ``alpha`` of our models they are one warm-started path in each fold.
    loss, cv, groups, level, random_state
        As in :func:`learning_curve`.
    repeats : int, optional
        Repeats of the folds: 3 up to 1000 rows, 1 above.
    progress : callable, optional
        Called with (fits done, fits in all).

    Returns
    -------
    ModelSelectionCurve
        ``.best`` and ``.one_se`` are positions in ``.values``; ``.best_loss`` is corrected for the choice.

    Raises
    ------
    ValueError
        No values, an unknown parameter, splits that do not test every row once in each repeat.

    Notes
    -----
    The interval of each value is right for that value had it been chosen in advance. The smallest of them is
    too good: ``best_loss`` (BBC-CV) is the loss to expect from this way of choosing. Cost: folds x
    repeats fits a value, or folds x repeats paths.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(120, 8))
    >>> y = X[:, 0] + rng.normal(size=120)
    >>> curve = model_selection_curve(er.Ridge(), X, y, "alpha", [1e-3, 1e-1, 10.0], random_state=0)
    >>> curve.values[curve.best], len(curve.validation)
    (0.1, 3)
    """
    check_level(level)
    sample = Sample(est, X, y, groups)
    metric = pick_loss(est, sample, loss)
    tried = check_values(est, param, values)
    if repeats is None and (cv is None or isinstance(cv, int | np.integer)):
        repeats = REPEATS if sample.n <= MANY else REPEATS_MANY
    plan = sample.plan(cv, repeats, random_state)
    if plan.folds is None:
        raise ValueError("model_selection_curve needs folds that test every row once in each repeat.")
    test, train, means = _collect(est, sample, plan, param, tried, metric, progress)
    cap = metric.bound(sample.like)
    size = plan.n_train
    validation = tuple(validation_estimate(t, plan, size, sample, metric, level, cap) for t in test)
    training = tuple(
        train_estimate(rows, m, plan, size, sample, level) for rows, m in zip(train, means, strict=True)
    )
    best, one_se, error = _choose(test, means, plan, sample)
    return ModelSelectionCurve(
        param,
        tuple(tried),
        validation,
        training,
        best,
        one_se,
        error,
        _corrected(test, plan, sample, level, random_state),
        sample.n,
        metric.name,
        loss_label(metric),
        level,
        f"{plan.folds} folds x {plan.repeats}"
        + (", warm-started paths" if has_path(est, param, tried) else ""),
        model_name(est),
    )


def _words(est: Any, plan: Plan, param: str, values: list[Any]) -> str:
    how = ", warm-started paths" if has_path(est, param, values) else ""
    return f"{plan.folds} folds x {plan.repeats}{how}"


def _collect(
    est: Any,
    sample: Sample,
    plan: Plan,
    param: str,
    values: list[Any],
    metric: RowLoss,
    progress: Progress | None,
) -> tuple[list[Floats], list[Floats], list[Floats]]:
    """Out-of-fold losses (r, 1, n), training losses (r, n) and mean training losses (fits,) of each value."""
    count, n = len(values), sample.n
    test = np.full((count, plan.repeats, 1, n), np.nan)
    sums, seen = np.zeros((count, plan.repeats, n)), np.zeros((plan.repeats, n))
    means = np.empty((count, len(plan.splits)))
    done = 0
    with one_thread(sample.X):
        for r in range(plan.repeats):
            for j in plan.repeat(r):
                rows, held = plan.splits[j]
                seen[r, rows] += 1.0
                X, y = take_rows(sample.X, rows), sample.y[rows]
                for v, model in enumerate(fit_along(est, X, y, param, values)):
                    test[v, r, 0, held] = row_losses(model, sample, held, metric)
                    inside = row_losses(model, sample, rows, metric)
                    sums[v, r, rows] += inside
                    means[v, j] = inside.mean()
                    done += 1
                    if progress is not None:
                        progress(done, count * len(plan.splits))
    train = np.divide(sums, seen, out=np.full_like(sums, np.nan), where=seen > 0.0)
    return list(test), list(train), list(means)


def _choose(test: list[Floats], means: list[Floats], plan: Plan, sample: Sample) -> tuple[int, int, float]:
    """Positions of the best and of the simplest within one standard error; that standard error."""
    losses = np.array([t.mean() for t in test])
    if not np.isfinite(losses).any():
        raise ValueError("every value has an infinite loss; try loss='brier_score' or another loss.")
    best = int(np.argmin(losses))
    p = replace(sample.like, groups=sample.groups)
    error = mean_error(test[best][:, 0], plan.folds, p)
    close = np.flatnonzero(losses <= losses[best] + error) if np.isfinite(error) else np.array([best])
    fit = np.array([means[j].mean() for j in close])
    return best, int(close[int(np.argmax(fit))]), float(error)


def _corrected(
    test: list[Floats], plan: Plan, sample: Sample, level: float, seed: int | np.random.Generator | None
) -> Estimate:
    """Loss of the winner by BBC-CV on the first repeat."""
    table = np.column_stack([t[0, 0] for t in test])
    if not np.isfinite(table).all():
        value = float(min(t.mean() for t in test))
        reason = "a loss is infinite, so the winner cannot be corrected"
        return refuse(value, level, sample.n, "none", reason, "loss of the best value")
    return best_of(table, plan.folds or 2, level, random_state=seed, groups=sample.groups)
