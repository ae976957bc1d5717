"""A formula and an estimator: tables in, fitted and predicted by the columns that the formula makes.

Chambers and Hastie, Statistical Models in S (1992), chapter 2.
"""

from __future__ import annotations

from typing import Any, Self

import narwhals as nw
import numpy as np
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from empirisk.data.as_before import as_before
from empirisk.data.frames import like_input
from empirisk.data.offered import offered
from empirisk.estimators.checks import check_choice
from empirisk.estimators.estimator import Estimator
from empirisk.estimators.formulas.formula_columns import (
    FormulaColumns,
    evaluated,
    is_empty,
    read_columns,
    refuse_missing,
    spelled,
    split_formula,
)
from empirisk.typing import Array

__all__ = ["FormulaModel", "formula"]


def _has(method: str) -> Any:
    """Return a check whether the estimator of a model has a method."""

    def check(self: Any) -> bool:
        getattr(getattr(self, "estimator_", self.estimator), method)
        return True

    return check


class FormulaModel(MetaEstimatorMixin, Estimator):
    """An estimator on the columns that a formula makes of a table, for the fit and for new rows.

    ``y ~ C(region) * age + bs(bmi, 5) + offset(log(t))``: formulaic reads the formula; what it learns
    (levels, knots, means, scales) stays that of the training rows.  ``offset(...)`` and ``exposure(...)`` go
    to ``fit`` and to predictions of estimators that take them.

    Parameters
    ----------
    formula : str
        With a left side, which ``fit(data)`` takes as targets, or without one (``~ a + b``), for
        ``fit(data, y)``, cross-validation and searches.
    estimator : estimator
        It is cloned.  Where it has ``fit_intercept``, the formula says whether there is one (``- 1``: none).
    missing : {"raise", "drop"}, default "raise"
        Whether empty cells of the training rows are refused by row, or those rows dropped and counted.

    Attributes
    ----------
    estimator_ : estimator
        The fitted estimator, whose columns have the names of the formula.
    columns_ : FormulaColumns
        The fitted formula.
    n_dropped_ : int
        Training rows with empty cells that were dropped.
    terms_groups_ : dict
        For each term of the formula the positions of its columns.

    Raises
    ------
    ImportError
        Where formulaic is not installed: ``pip install 'empirisk[formula]'``.
    ValueError
        For columns that the table lacks (with near names), empty cells, and levels of factors that training
        did not have, by column and row.

    Notes
    -----
    A fitted model can be pickled.  Files of skops refuse it: they would have to trust types of formulaic.
    The columns are dense.

    References
    ----------
    Wilkinson & Rogers 1973 (Applied Statistics 22).

    Examples
    --------
    >>> import pandas as pd, empirisk as er
    >>> data = pd.DataFrame({"y": [1.0, 2.0, 4.0, 3.0], "k": ["a", "a", "b", "b"], "x": [0.0, 1.0, 1.0, 0.0]})
    >>> model = er.FormulaModel("y ~ k + x", er.LinearRegression()).fit(data)
    >>> model.estimator_.terms_
    ('k[T.b]', 'x')
    >>> model.predict(data[:1]).round(6)
    array([1.])
    """

    estimator_: Any
    columns_: FormulaColumns

    def __init__(self, formula: str, estimator: Any, *, missing: str = "raise") -> None:
        self._set(locals())

    def fit(self, data: Any, y: Any = None, **rows: Any) -> Self:
        """Learn the columns of the formula, and fit the estimator to them.

        Parameters
        ----------
        data : data frame, shape (n, p)
            Training rows, of pandas or polars.
        y : array, shape (n,), optional
            Targets, where the formula has no left side.
        **rows
            What ``fit`` of the estimator takes beside these, such as ``sample_weight``.

        Returns
        -------
        self
        """
        with as_before(self):
            text = spelled(str(self.formula), data)
            data, y, rows = self._training_rows(text, data, y, rows)
            self.columns_, X, known = FormulaColumns.fit(text, data)
            if y is None:
                y = _targets(str(split_formula(self.formula)[0]), data)
            model = clone(self.estimator)
            for kind in known:
                if not has_fit_parameter(model, kind):
                    raise ValueError(f"the formula has {kind}(...), and {type(model).__name__} takes none")
            if "fit_intercept" in model.get_params(deep=False):
                model.set_params(fit_intercept=self.columns_.intercept)
            self.estimator_ = model.fit(X, y, **known, **rows)
        return self

    def _training_rows(
        self, text: str, data: Any, y: Any, rows: dict[str, Any]
    ) -> tuple[Any, Any, dict[str, Any]]:
        """Return the rows without empty cells, where those are to be dropped, and count the others."""
        left, right, known = split_formula(text)
        if (left is None) == (y is None):
            why = (
                "has no left side: pass y, or write 'y ~ ...'"
                if y is None
                else "has a left side, and y was given"
            )
            raise ValueError(
                f"the formula {self.formula!r} {why}" + ("" if y is None else ": give one of the two")
            )
        variables = read_columns(" ".join([left or "", right, *known.values()]), data)
        self.n_dropped_ = 0
        if not check_choice("missing", self.missing, {"raise": False, "drop": True}):
            refuse_missing(data, variables)
            return data, y, rows
        kept = ~np.any(
            [is_empty(data, name) for name in variables] or [np.zeros(len(data), dtype=bool)], axis=0
        )
        self.n_dropped_ = int((~kept).sum())
        frame = nw.from_native(data, eager_only=True).filter(kept.tolist()).to_native()
        taken = {k: v if v is None or np.ndim(v) == 0 else np.asarray(v)[kept] for k, v in rows.items()}
        return frame, None if y is None else np.asarray(y)[kept], taken

    @property
    def terms_groups_(self) -> dict[str, tuple[int, ...]]:
        """The positions of the columns of each term of the formula."""
        check_is_fitted(self, "estimator_")
        return self.columns_.groups

    @property
    def classes_(self) -> Any:
        """The classes of a classifier, in the order of its columns of probabilities."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.classes_

    def _new(self, data: Any) -> tuple[Any, dict[str, Array]]:
        """Return the columns of new rows, and their offset and exposure."""
        check_is_fitted(self, "estimator_")
        return self.columns_.transform(data)

    @offered(_has("predict"))
    def predict(self, data: Any) -> Any:
        """Return the predictions of the estimator for the rows of a table."""
        X, known = self._new(data)
        return self.estimator_.predict(X, **known)

    @offered(_has("predict_proba"))
    def predict_proba(self, data: Any) -> Any:
        """Return the probability of each class for the rows of a table."""
        X, known = self._new(data)
        return self.estimator_.predict_proba(X, **known)

    @offered(_has("predict_log_proba"))
    def predict_log_proba(self, data: Any) -> Any:
        """Return the logarithm of the probability of each class for the rows of a table."""
        X, known = self._new(data)
        return self.estimator_.predict_log_proba(X, **known)

    @offered(_has("decision_function"))
    def decision_function(self, data: Any) -> Any:
        """Return the scores of the classes for the rows of a table."""
        X, known = self._new(data)
        return self.estimator_.decision_function(X, **known)

    @offered(_has("interval"))
    @like_input
    def interval(self, data: Any, **options: Any) -> Any:
        """Return intervals at the rows of a table, as ``interval`` of the estimator has them."""
        X, known = self._new(data)
        return self.estimator_.interval(X, **known, **options)

    @offered(_has("summary"))
    @like_input
    def summary(self, **options: Any) -> Any:
        """Return the table of coefficients of the estimator, by the names of the formula."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.summary(**options)

    @offered(_has("wald_test"))
    @like_input
    def wald_test(self, R: Any, r: Any = 0.0, **options: Any) -> Any:
        """Return the Wald test of a hypothesis; a term of the formula stands for all of its coefficients."""
        check_is_fitted(self, "estimator_")
        if isinstance(R, str) and R in self.terms_groups_:
            R = [self.columns_.names[j] for j in self.terms_groups_[R]]
        return self.estimator_.wald_test(R, r, **options)

    @offered(_has("score"))
    def score(self, data: Any, y: Any = None, **rows: Any) -> float:
        """Return the score of the estimator on a table, whose left side holds the targets where y is None."""
        X, known = self._new(data)
        left = split_formula(self.formula)[0]
        self._refuse_other_scale(data, y)
        if y is None and left is None:
            raise ValueError(f"the formula {self.formula!r} has no left side: pass y")
        return float(self.estimator_.score(X, _targets(str(left), data) if y is None else y, **known, **rows))

    def _refuse_other_scale(self, data: Any, y: Any) -> None:
        """Refuse targets that are a column of the table where the formula predicts a function of it."""
        left = split_formula(str(self.formula))[0]
        if y is None or left is None or left.strip("`") in list(data.columns):
            return
        for name in read_columns(left, data):
            if np.array_equal(np.ravel(np.asarray(y)), np.asarray(data[name])):
                raise ValueError(
                    f"the formula predicts {left}, and y holds {name!r} as it is: pass y on the scale of the "
                    "predictions, or fit a model of the column, such as er.GeneralizedLinearModel with a link"
                )

    def _headline(self) -> str:
        return (
            str(self.estimator_._headline())
            if hasattr(getattr(self, "estimator_", None), "_headline")
            else ""
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        own = get_tags(self.estimator)
        tags.estimator_type, tags.classifier_tags, tags.regressor_tags = (
            own.estimator_type,
            own.classifier_tags,
            own.regressor_tags,
        )
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def inside(model: Any) -> Any:
    """Return the fitted estimator of a model with a formula, and any other model as it is."""
    if not isinstance(model, FormulaModel):
        return model
    check_is_fitted(model, "estimator_")
    return model.estimator_


def formula(text: str, data: Any, estimator: Any = None, **options: Any) -> Any:
    """Fit an estimator to the columns that a formula makes of a table.

    ``er.formula("y ~ C(region) * age + bs(bmi, 5) + offset(log(t))", data, er.PoissonRegressor(alpha=0))``

    Parameters
    ----------
    text : str
        The formula, with a left side.
    data : data frame, shape (n, p)
        Training rows.
    estimator : estimator, optional
        Least squares by default.
    **options
        ``missing=`` of :class:`FormulaModel`; all else goes to ``fit``, such as ``sample_weight``.

    Returns
    -------
    FormulaModel
        Fitted: ``predict(new_frame)``, ``summary()``, ``interval(new_frame)`` and the others take tables.

    Raises
    ------
    ImportError, ValueError
        As :class:`FormulaModel`.

    Examples
    --------
    >>> import pandas as pd, empirisk as er
    >>> data = pd.DataFrame({"y": [1.0, 2.0, 4.0, 3.0], "x": [0.0, 1.0, 3.0, 2.0]})
    >>> er.formula("y ~ x", data).predict(pd.DataFrame({"x": [5.0]})).round(6)
    array([6.])
    """
    from empirisk.estimators.linear.linear import LinearRegression

    missing = options.pop("missing", "raise")
    return FormulaModel(text, LinearRegression() if estimator is None else estimator, missing=missing).fit(
        data, **options
    )


def _targets(left: str, data: Any) -> Any:
    """Return the targets that a left side names, or the numbers that it computes."""
    if left.strip("`") in list(data.columns):
        column = data[left.strip("`")]
        # The order of ordered categories is part of the targets of ordered models.
        return column if getattr(getattr(column, "dtype", None), "ordered", False) else np.asarray(column)
    values = np.asarray(evaluated("0 + {" + left + "}", data), dtype=np.float64)
    return values[:, 0] if values.shape[1] == 1 else values
