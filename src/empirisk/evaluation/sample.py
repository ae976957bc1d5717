"""The rows that an algorithm is judged on: targets, what ties rows together, and how folds are dealt."""

from __future__ import annotations

from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier

from empirisk.data.sparse_cells import canonical
from empirisk.estimators.linear.offsets import refuse_without
from empirisk.evaluation.beside import numbers, of_rows, sizes, taken_as
from empirisk.evaluation.folds import Plan, plan_folds
from empirisk.evaluation.intervals.base import group_codes
from empirisk.evaluation.metrics import CLASSIFICATION, REGRESSION, Predictions
from empirisk.evaluation.metrics.predictions import (
    check_length,
    classes_of,
    encode,
    finite,
    labels_of,
    relative,
)
from empirisk.evaluation.outputs import Outputs, model_name, n_rows, outputs_of
from empirisk.evaluation.rows import take_pairs, take_rows
from empirisk.evaluation.tags import of_pairs

__all__ = ["Sample"]

Rows = NDArray[np.intp]
AGAIN = (
    "Pass exposure= (or offset=) of these rows, or an unfitted model, such as sklearn.base.clone(model), "
    "for fits without."
)
FORWARD = 5  # blocks of rows that are predicted from all earlier ones, where rows have a time


class Sample:
    """Rows, targets and what ties the rows together, checked once; folds are dealt from it.

    Everything that scores an algorithm by fits on parts of the rows runs on a sample.
    :func:`empirisk.cross_evaluate`, :func:`empirisk.compare` and
    :func:`empirisk.selection.learning_curve` take one in the place of `X` and `y`.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n, p)
        Rows.
    y : array of shape (n,)
        Targets: labels or numbers.
    task : {"classification", "regression"}, optional
        By default classification where the targets are text or truth values, else regression.
    groups : array of shape (n,), optional
        Which rows belong together: folds hold whole groups, intervals count groups, and a ``fit`` that takes
        `groups` gets those of its rows.
    together : array of shape (n,), optional
        Rows with the same entry stay in one fold, although every row counts by itself: copies of a row.
    time : array of shape (n,), optional
        When each row came. Rows are then predicted from earlier ones only; rows of one moment stay together.
    weights : array of shape (n,), optional
        What each row counts, in the fits (their ``sample_weight``) and in the scores, which are weighted
        means. The intervals take them for weights of sampling; their scale changes no score. Curves count
        every row once.
    exposure : array of shape (n,), optional
        The exposure of each row, for models of rates: fits and predictions get it.
    offset : array of shape (n,), optional
        A known part of the score of each row (a logarithm of an exposure, say): fits and predictions get it.

    Raises
    ------
    ValueError
        Lengths that disagree, missing targets, times or weights, one class only.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2))
    >>> sample = er.selection.Sample(X, X[:, 0] + rng.normal(size=100), time=np.arange(100))
    >>> sample
    Sample(100 rows, regression, in time)
    >>> plan = sample.plan()
    >>> [(int(train.size), int(test.size)) for train, test in plan.splits]
    [(50, 10), (60, 10), (70, 10), (80, 10), (90, 10)]
    >>> er.cross_evaluate(er.Ridge(), sample)["mse"].low > 0.0
    True
    """

    def __init__(
        self,
        X: Any,
        y: ArrayLike,
        *,
        task: str | None = None,
        groups: ArrayLike | None = None,
        together: ArrayLike | None = None,
        time: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        exposure: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> None:
        self.X, self.y = canonical(X), labels_of(y, "y")
        self._columns: WeakKeyDictionary[Any, Rows] = WeakKeyDictionary()
        self.n = int(self.y.size)
        check_length("X", n_rows(X), self.n)
        self.groups = None if groups is None else group_codes(groups, self.n)[0]
        self.together = None if together is None else group_codes(together, self.n)[0]
        if self.together is not None and self.groups is not None:
            raise ValueError("give groups or together: the rows of a group stay together already.")
        self.time = None if time is None else _times(time, self.n)
        self.weights = None if weights is None else sizes("sample_weight", weights, self.n)
        self.exposure = None if exposure is None else sizes("exposure", exposure, self.n)
        self.offset = None if offset is None else numbers("offset", offset, self.n)
        if task is None:
            task = REGRESSION if self.y.dtype.kind in "iuf" else CLASSIFICATION
        if task not in (CLASSIFICATION, REGRESSION):
            raise ValueError(f"task must be {CLASSIFICATION!r} or {REGRESSION!r}, got {task!r}.")
        self.classes: NDArray[Any] | None = None
        if task == CLASSIFICATION:
            self.classes = classes_of(self.y)
            if self.classes.size < 2:
                raise ValueError(
                    f"y holds one class only ({self.classes[0]}); there is nothing to learn or score."
                )
            codes = encode(self.y, self.classes)
            counted = relative(self.weights)
            self.like = Predictions(CLASSIFICATION, codes, codes, classes=self.classes, weights=counted)
        else:
            self.y = finite(self.y, "y")
            self.like = Predictions(REGRESSION, self.y, self.y, weights=relative(self.weights))

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_columns": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state | {"_columns": WeakKeyDictionary()})

    @classmethod
    def of(
        cls, est: Any, X: Any, y: ArrayLike | None = None, groups: ArrayLike | None = None, **more: Any
    ) -> Self:
        """Return the sample that `est` is judged on: `X` itself where that is one, else its rows and targets.

        Raises
        ------
        TypeError
            What is no estimator, a sample of the other task, or `y` or `groups` beside a sample.
        ValueError
            A model that was fitted with an exposure or offset, and rows without.
        """
        check_estimator(est)
        task = CLASSIFICATION if is_classifier(est) else REGRESSION
        if not isinstance(X, cls):
            if y is None:
                raise TypeError("y is missing: give X and y, or one Sample of both.")
            refuse_without(est, more.get("exposure"), more.get("offset"), advice=AGAIN)
            return cls(X, y, task=task, groups=groups, **more)
        refuse_without(est, X.exposure, X.offset, advice=AGAIN)
        beside = [k for k, v in {"y": y, "groups": groups, **more}.items() if v is not None]
        if beside:
            raise TypeError(f"a Sample holds its {' and '.join(beside)}; leave them out beside it.")
        if X.task != task:
            raise TypeError(
                f"the estimator is for {task} and the sample is one of {X.task}; make it with task={task!r}."
            )
        return X

    @property
    def task(self) -> str:
        """``"classification"`` or ``"regression"``, as the targets are read."""
        return self.like.task

    @property
    def plain(self) -> bool:
        """Whether the rows stand alone: no groups, times, weights, exposures or offsets."""
        return self.groups is self.time is self.weights is self.exposure is self.offset is None

    def repeated(self, cv: Any) -> bool:
        """Return whether `cv` leaves the dealing of K folds, and so their repeats, to :meth:`plan`."""
        return (cv is None and self.time is None) or isinstance(cv, int | np.integer)

    @property
    def strata(self) -> Rows | None:
        """The class code of each row, which folds spread evenly; None where numbers are predicted."""
        return None if self.classes is None else self.like.y

    def plan(
        self,
        cv: Any = None,
        repeats: int | None = None,
        random_state: int | np.random.Generator | None = None,
    ) -> Plan:
        """Return the splits of these rows.

        Parameters
        ----------
        cv : None, int, splitter or iterable of (train, test), optional
            As in :func:`empirisk.cross_evaluate`. Where the rows have a time, the default is the last half of
            them in five blocks of whole moments (fewer where there are fewer moments), each of which is
            predicted from all rows of earlier moments.
        repeats : int, optional
            Repeats of the folds; 5 up to 1000 rows and with groups, 2 above.
        random_state : int, Generator or None
            Seed of the folds.

        Raises
        ------
        ValueError
            Splits that tear groups or rows kept together, folds or splits that predict rows from later ones
            where rows have a time, and row numbers that are none.
        """
        if self.time is not None and cv is None:
            if repeats not in (None, 1):
                raise ValueError(f"rows with a time are predicted once, from earlier ones; got {repeats=}.")
            cv, repeats = self._forward(), None
        return plan_folds(
            self.strata, self.n, cv, self.groups, repeats, random_state,
            together=self.together, time=self.time, X=self.X, y=self.y,
        )  # fmt: skip

    def _forward(self) -> list[tuple[Rows, Rows]]:
        """Return the splits forward in time: blocks of the last half, each after all earlier moments.

        Rows of one moment are in one block: a block begins at the change of the moment that is nearest to
        where it would begin by the count of the rows, so there are fewer blocks where there are few moments.
        """
        if self.groups is not None:
            raise ValueError("give groups or time, or both with cv = a splitter that respects both.")
        assert self.time is not None
        start = self.n // 2
        if start < 2 or self.n - start < FORWARD:
            raise ValueError(
                f"{self.n} rows are too few for five test blocks in time; at least 10 are needed."
            )
        order = np.argsort(self.time, kind="stable")
        moments = self.time[order]
        changes = 1 + np.flatnonzero(moments[1:] != moments[:-1])
        changes = changes[changes >= 2]  # a single row fits nothing
        if not changes.size:
            raise ValueError(
                "time is the same in all rows, or in all but the first: no row has earlier rows to be "
                "predicted from; give the moments more finely, or leave time out."
            )
        wanted = start + np.cumsum([0, *(b.size for b in np.array_split(order[start:], FORWARD)[:-1])])
        begins = np.unique([changes[np.argmin(np.abs(changes - w))] for w in wanted])
        return [(order[:a], order[a:b]) for a, b in zip(begins, [*begins[1:], self.n], strict=True)]

    def fit(self, model: Any, rows: Rows | None = None) -> Any:
        """Fit `model` itself (no clone) on some rows, or on all, and return it.

        Its ``fit`` gets the groups of the rows where it takes them, and their weights, exposures and offsets
        where the sample has any.

        Raises
        ------
        TypeError
            The sample has weights, exposures or offsets, and the model takes none.
        """
        X, y = (self.X, self.y) if rows is None else (self.rows_to_fit(model, rows), self.y[rows])
        fitted = model.fit(X, y, **self.arguments(model, rows))
        if rows is not None:
            self.fitted_on(fitted, rows)
        return fitted

    def arguments(self, model: Any, rows: Rows | None = None) -> dict[str, Any]:
        """Return what ``model.fit`` takes of these rows beside X and y, by the names that it has there."""
        held: dict[str, Any] = {
            "groups": self.groups,
            "sample_weight": self.weights,
            "exposure": self.exposure,
            "offset": self.offset,
        }
        out: dict[str, Any] = {}
        for name, values in of_rows(held, rows).items():
            key = taken_as(model, name)
            if key:
                out[key] = values
            elif name != "groups":
                raise TypeError(
                    f"{model_name(model)}.fit takes no {name}, which these rows have: leave {name} out, or "
                    "give a model that takes it."
                )
        return out

    def outputs(self, model: Any, rows: Rows | None = None, need: str = "score") -> Outputs:
        """Return what a fitted model says about some rows, or about all."""
        return self.outputs_on(model, self.rows_for(model, rows), rows, need)

    def rows_to_fit(self, est: Any, rows: Rows) -> Any:
        """Return rows as an unfitted estimator takes them: of a matrix of pairs only their own columns."""
        return take_pairs(self.X, rows, rows) if of_pairs(est, self.X) else take_rows(self.X, rows)

    def fitted_on(self, model: Any, rows: Rows) -> None:
        """Remember which rows a model was fitted on, where it wants their columns of a matrix of pairs."""
        if of_pairs(model, self.X):
            self._columns[model] = rows

    @property
    def holds_pairs(self) -> bool:
        """Whether models were fitted on columns of a matrix of pairs of rows, and take no others."""
        return bool(self._columns)

    def rows_for(self, model: Any, rows: Rows | None) -> Any:
        """Return some rows, or all, as a fitted model takes them."""
        # Asked only where some model wants columns: models of other samples need not be hashable.
        columns = self._columns.get(model) if self._columns else None
        if columns is not None:
            return take_pairs(self.X, np.arange(self.n) if rows is None else rows, columns)
        return self.X if rows is None else take_rows(self.X, rows)

    def outputs_on(self, model: Any, X: Any, rows: Rows | None, need: str = "score") -> Outputs:
        """Return the same from `X`, which is those rows as this model takes them."""
        return outputs_of(model, X, need, **self.known(rows))

    def known(self, rows: Rows | None = None) -> dict[str, Any]:
        """Return the exposures and offsets of some rows, or of all; empty where the sample has none."""
        return of_rows({"exposure": self.exposure, "offset": self.offset}, rows)

    def against(self, out: Outputs, rows: Rows) -> Predictions:
        """Return outputs for some rows together with the targets and groups of these rows.

        They are over all classes of the sample: one that the model never saw has the probability 0, so that
        a metric means the same whichever classes the training part of a split held.
        """
        return out.over(self.classes).against(
            self.y[rows],
            None if self.groups is None else self.groups[rows],
            None if self.weights is None else self.weights[rows],
        )

    def __repr__(self) -> str:
        said = [f"{self.n:,} rows", self.task]
        said += [f"{int(self.groups.max()) + 1:,} groups"] if self.groups is not None else []
        said += [f"{int(self.together.max()) + 1:,} kept together"] if self.together is not None else []
        said += ["in time"] if self.time is not None else []
        said += ["weighted"] if self.weights is not None else []
        said += ["with exposures"] if self.exposure is not None else []
        said += ["with offsets"] if self.offset is not None else []
        return f"Sample({', '.join(said)})"


def check_estimator(est: Any) -> None:
    """Refuse what is no estimator: a class, None, or a recipe where the estimator itself is wanted."""
    if isinstance(est, type):
        raise TypeError(
            f"an estimator is wanted and the class {est.__name__} was given: write {est.__name__}()."
        )
    if not hasattr(est, "fit"):
        inside = "the estimator inside it" if hasattr(est, "fits") else "an unfitted estimator"
        raise TypeError(f"an estimator is wanted and {est!r} has no fit: give {inside}.")


def _times(time: ArrayLike, n: int) -> NDArray[Any]:
    """Return the times, one a row, none missing."""
    values = np.asarray(time)
    if values.ndim != 1:
        raise ValueError(f"time must hold one value a row, got shape {values.shape}.")
    check_length("time", values.size, n)
    missing = np.isnat(values) if values.dtype.kind in "mM" else values != values
    if np.any(missing):
        raise ValueError(f"time is missing in row {int(np.flatnonzero(missing)[0])}; remove those rows.")
    return values
