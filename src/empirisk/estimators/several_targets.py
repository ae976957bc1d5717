"""Several targets at once: estimators of one target take y of shape (n, k) by one fit for each column.

Every public ``fit`` and every method of :data:`JOINED` of an estimator passes through here.  A fit on one
target goes straight on.  Of k targets each has a model of its own, an estimator of the same class and
parameters that was fitted on that column alone: it stands in ``by_target_`` under the column's name (its
number, for an array), and what the models say is put side by side.  Estimators that fit several targets
together say so by ``_fits_together``.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial, wraps
from inspect import getattr_static
from types import FunctionType
from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin, RegressorMixin, clone

from empirisk.data.as_before import as_before
from empirisk.data.offered import Offered, offered
from empirisk.results import Certificate, Kind, Solution

__all__ = [
    "JOINED",
    "join_methods",
    "naming_target",
    "of_one_target",
    "refuse_several",
    "target_columns",
    "verify_targets",
]

# Arguments of fits that are targets of other rows: they are dealt to the fits as y is.
TARGETS = ("y_val",)
# Methods about parameters, which a fit does not change.
PARAMETERS = ("get_params", "set_params")
PREDICTORS = (ClassifierMixin, RegressorMixin)


def target_columns(y: Any) -> dict[Any, Any] | None:
    """Return the columns of several targets by name, or by number where they have no names; None for one
    target.

    Parameters
    ----------
    y : array, data frame or list of rows
        Numbers, labels, or some columns of each.

    Examples
    --------
    >>> target_columns([[1.5, "yes"], [2.5, "no"]])
    {0: array([1.5, 2.5]), 1: array(['yes', 'no'], dtype='<U3')}
    >>> target_columns([1.5, 2.5]) is None
    True
    """
    if isinstance(y, list | tuple):
        if not (len(y) and isinstance(y[0], list | tuple | np.ndarray) and np.ndim(y[0]) == 1):
            return None
        if len({np.shape(row) for row in y}) > 1:
            raise ValueError("y holds rows of different lengths: give each row the same number of targets")
        y = np.array([list(row) for row in y], dtype=object)
    shape: Any = getattr(y, "shape", ())
    if sp.issparse(y) or len(shape) != 2 or shape[1] < 2:
        return None
    if hasattr(y, "columns"):
        names = list(getattr(y, "column_names", y.columns))  # the columns of an Arrow table are its cells
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(
                f"y has {names.count(twice)} columns called {twice!r}: give each target its own name"
            )
        frame = nw.from_native(y, eager_only=True)
        return {name: frame[name].to_native() for name in frame.columns}
    table: Any = np.asarray(y)
    plain = table.dtype != object
    return {j: table[:, j] if plain else _plain(table[:, j]) for j in range(shape[1])}


def _plain(column: Any) -> Any:
    """Return a column of objects as numbers or text, where it holds nothing else."""
    values = column.tolist()
    numbers = all(isinstance(v, int | float | np.number | np.bool_) for v in values)
    return np.array(values) if numbers or all(isinstance(v, str) for v in values) else column


@contextmanager
def naming_target(name: Any) -> Iterator[None]:
    """Return a context in which what refuses a fit says which target it was about."""
    try:
        yield
    except (TypeError, ValueError) as e:
        e.args = (f"in the target {name!r}: {e}",)  # the same object, whose type may want other arguments
        raise


# -- fits ------------------------------------------------------------------------------------------------


def _fitting(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Return a ``fit`` that fits each of several targets by itself."""

    @wraps(fit)
    def by_columns(self: Any, *args: Any, **rows: Any) -> Any:
        columns = None if self._fits_together else target_columns(args[1] if len(args) > 1 else rows.get("y"))
        if columns is None and "by_target_" not in vars(self):
            return fit(self, *args, **rows)
        with as_before(self):
            if columns is None:
                _forget(self)
                return fit(self, *args, **rows)
            X, rest = (args[0], args[2:]) if args else (rows["X"], ())
            _fit_each_target(self, X, columns, rest, {a: of for a, of in rows.items() if a not in ("X", "y")})
        return self

    return by_columns


def _fit_each_target(
    est: Any, X: Any, columns: dict[Any, Any], args: tuple[Any, ...], rows: dict[str, Any]
) -> None:
    """Fit one model for each target, and keep what they say together."""
    models = est._fit_targets(X, columns, *args, **rows) or _by_column(est, X, columns, args, rows)
    _forget(est)
    est.by_target_ = models
    first = next(iter(models.values()))
    est._learn_columns(first)
    est._rows_fitted = first._size_of_fit()[0]
    if isinstance(est, ClassifierMixin):
        est.classes_ = [model.classes_ for model in models.values()]
    certificates = {
        name: model.certificate_ for name, model in models.items() if hasattr(model, "certificate_")
    }
    if certificates:
        worst = _worst(certificates)
        told = models[worst].solution_
        steps = sum(model.solution_.n_steps for model in models.values())
        together = _of_all(certificates, worst)
        est.solution_ = Solution(np.zeros(0), told.status, together, steps, solver=told.solver)
        if "certificate_" in vars(first):
            est.certificate_ = together
    est._put_together(list(models.values()))


def _by_column(
    est: Any, X: Any, columns: Mapping[Any, Any], args: tuple[Any, ...], rows: dict[str, Any]
) -> dict[Any, Any]:
    """Return a model for each target, fitted on its column alone."""
    goes_on = getattr(est, "warm_start", False) is True
    before = vars(est).get("by_target_", {}) if goes_on else {}
    dealt = {name: _dealt(name, rows[name], columns) for name in TARGETS if rows.get(name) is not None}
    models: dict[Any, Any] = {}
    lent: dict[str, Any] = {}
    for number, (name, y) in enumerate(columns.items()):
        model = clone(est)
        if name in before:
            model = copy.copy(before[name]).set_params(**est.get_params(deep=False))
        est._prepare_target(model, number, len(columns), lent)
        with naming_target(name):
            models[name] = model.fit(X, y, *args, **rows | {a: of[name] for a, of in dealt.items()})
    return models


def _dealt(name: str, given: Any, columns: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the targets of other rows by the names of those of the training rows."""
    found = target_columns(given)
    if found is None or list(found) != list(columns):
        told = f"{len(found)} columns, {list(found)}" if found else "one column"
        raise ValueError(f"{name} must hold the targets of y, {list(columns)}, got {told}")
    return found


def _forget(est: Any) -> None:
    """Drop what an earlier fit left on an estimator: all but its parameters and what scikit-learn notes."""
    noted = ("_metadata_request", "_sklearn_output_config", "_parent_callback", "_skl_")
    for name in set(vars(est)) - set(est._get_param_names()):
        if not name.startswith(noted):
            delattr(est, name)


def _worst(certificates: Mapping[Any, Certificate]) -> Any:
    """Return the target whose fit is known to be nearest to its optimum the least."""
    return max(
        certificates, key=lambda name: (certificates[name].kind is Kind.NONE, certificates[name].relative)
    )


def _of_all(certificates: Mapping[Any, Certificate], worst: Any) -> Certificate:
    """Return the certificate of the worst target, whose sentence says that it is."""
    one = certificates[worst]
    none = "none: " if one.kind is Kind.NONE else ""
    claim = f"{none}worst of {len(certificates)} targets, {worst!r}: {one.claim.removeprefix('none: ')}"
    return replace(one, claim=claim)


def verify_targets(est: Any, y: Any, verify: Callable[[Any, Any], Certificate]) -> Certificate:
    """Return the worst of the certificates that `verify` finds, model by model and column by column."""
    columns = target_columns(y)
    if columns is None or list(columns) != list(est.by_target_):
        raise ValueError(f"y must hold the targets of the fit, {list(est.by_target_)}, as columns")
    found = {}
    for name, model in est.by_target_.items():
        with naming_target(name):
            found[name] = verify(model, columns[name])
    return _of_all(found, _worst(found))


# -- answers ---------------------------------------------------------------------------------------------


def _side_by_side(said: Sequence[Any]) -> Any:
    """Return arrays of one shape with the targets as last axis; labels of several types keep theirs."""
    if isinstance(said[0], tuple):
        return tuple(_side_by_side(part) for part in zip(*said, strict=True))
    arrays = [np.asarray(one) for one in said]
    kinds = {"n" if a.dtype.kind in "iuf" else a.dtype.kind for a in arrays}
    return np.stack(arrays if len(kinds) == 1 else [a.astype(object) for a in arrays], axis=-1)


def _scores(said: Sequence[Any]) -> Any:
    """Return one score a target side by side; a list where a target of more classes has several."""
    return _side_by_side(said) if all(np.ndim(one) == 1 for one in said) else list(said)


# What each method of the models becomes together: arrays side by side, or a list with an entry a target.
JOINED: dict[str, Callable[[Sequence[Any]], Any]] = {
    "predict": _side_by_side,
    "decision_function": _scores,
    "predict_proba": list,
    "predict_log_proba": list,
}


def _answering(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that asks each model of several targets, and puts their answers together."""

    @wraps(method)
    def of_each(self: Any, *args: Any, **rows: Any) -> Any:
        models = vars(self).get("by_target_")
        if models is None:
            return method(self, *args, **rows)
        return JOINED[name]([getattr(model, name)(*args, **rows) for model in models.values()])

    return of_each


def _of_one(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method about one target, which says where it is to be asked when there are several."""

    @wraps(method)
    def asked(self: Any, *args: Any, **rows: Any) -> Any:
        if "by_target_" in vars(self):
            raise ValueError(_elsewhere(self, f"{name}()"))
        return method(self, *args, **rows)

    return asked


def _elsewhere(est: Any, what: str) -> str:
    """Return that a model of several targets is to be asked target by target."""
    first = next(iter(est.by_target_))
    return (
        f"{type(est).__name__} was fitted on {len(est.by_target_)} targets, each with a model of its own: "
        f"ask by_target_[{first!r}], say, for {what}"
    )


def _scoring(score: Callable[..., Any]) -> Callable[..., Any]:
    """Return a ``score`` of several targets: their mean, for classes the share of rows all right."""

    @wraps(score)
    def of_all(self: Any, X: Any, y: Any, *args: Any, **rows: Any) -> Any:
        models = vars(self).get("by_target_")
        if models is None:
            return score(self, X, y, *args, **rows)
        columns = target_columns(y)
        if columns is None or len(columns) != len(models):
            raise ValueError(f"y must hold the {len(models)} targets of the fit, {list(models)}, as columns")
        pairs = list(zip(models.values(), columns.values(), strict=True))
        if isinstance(self, ClassifierMixin):
            right = np.all([np.asarray(m.predict(X)) == np.asarray(column) for m, column in pairs], axis=0)
            weight = args[0] if args else rows.get("sample_weight")
            return float(np.average(right, weights=weight))
        return float(np.mean([m.score(X, column, *args, **rows) for m, column in pairs]))

    return of_all


# -- the door --------------------------------------------------------------------------------------------


def join_methods(cls: type) -> None:
    """Let the methods of a class take several targets, its own ones and those that it inherits."""
    if not issubclass(cls, PREDICTORS):
        return
    makers: dict[str, Callable[[Any], Any]] = {"fit": _fitting, "score": _scoring}
    makers |= {name: partial(_answering, name) for name in JOINED}
    asked = (name for name in dir(cls) if not name.startswith("_") and name not in PARAMETERS)
    makers = {name: partial(_of_one, name) for name in asked} | makers
    for name, made in makers.items():
        method = getattr_static(cls, name, None)
        inner = method.method if isinstance(method, Offered) else method
        ours = isinstance(inner, FunctionType) and (
            inner.__module__.startswith("empirisk.") or name in JOINED
        )
        if (ours or (name == "score" and isinstance(inner, FunctionType))) and not hasattr(
            inner, "_takes_targets"
        ):
            # A copy in this class would hide the method of a sibling base: what a base of estimators has
            # is joined there.
            base: Any = next(c for c in cls.__mro__ if name in vars(c))
            owner = base if hasattr(base, "_fits_together") else cls
            joined = made(inner) if issubclass(owner, PREDICTORS) else _of_predictors(made(inner), inner)
            joined._takes_targets = True
            setattr(owner, name, offered(method.check)(joined) if isinstance(method, Offered) else joined)


def _of_predictors(joined: Callable[..., Any], method: Callable[..., Any]) -> Any:
    """Return the joined method for classifiers and regressors, and the plain one for all others."""

    @wraps(method)
    def chosen(self: Any, *args: Any, **kwargs: Any) -> Any:
        return (joined if isinstance(self, PREDICTORS) else method)(self, *args, **kwargs)

    return chosen


def of_one_target(est: Any, name: str) -> str | None:
    """Return why a model of several targets lacks what one of one target has; None for other reasons."""
    models = vars(est).get("by_target_")
    if models is None or name.startswith("__"):
        return None
    return _elsewhere(est, name) if hasattr(next(iter(models.values())), name) else None


def refuse_several(model: Any, what: str) -> None:
    """Refuse a model of several targets where one is needed, with the name of what is about one target.

    Raises
    ------
    ValueError
        For models of this library and others that were fitted on several targets.
    """
    if getattr(model, "by_target_", None):
        raise ValueError(_elsewhere(model, what))
    if isinstance(getattr(model, "classes_", None), list):
        raise ValueError(
            f"{type(model).__name__} predicts several targets at once, and {what} is about one: fit a model "
            "for it"
        )
