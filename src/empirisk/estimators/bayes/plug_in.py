"""Plug-in rules: posterior chances by regression, and the class of the largest one.

Devroye, Gyorfi and Lugosi, A Probabilistic Theory of Pattern Recognition (1996), theorem 2.2: of two classes
the excess risk of the rule is at most twice the mean absolute error of the regression.
"""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, clone, is_classifier, is_regressor
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from empirisk.data.as_before import as_before
from empirisk.data.plain_numbers import refuse_odd_table
from empirisk.estimators.agreement import agreeing
from empirisk.estimators.checks import check_weights
from empirisk.estimators.estimator import Estimator
from empirisk.estimators.label_codes import encode_labels, weigh_classes
from empirisk.estimators.linear.linear import Ridge
from empirisk.estimators.log_probabilities import LogProbabilities
from empirisk.results import Certificate, Kind, Solution, Status
from empirisk.typing import Array

__all__ = ["PlugInClassifier"]


class PlugInClassifier(LogProbabilities, ClassifierMixin, Estimator):
    """A classifier from a regressor: regress whether a row has a class, and predict the likeliest class.

    ``g(x) = argmax_k e_k(x)`` with ``e_k(x)`` an estimate of ``P(k | x) = E([y = k] | x)``.  For two classes
    ``R(g) - R* <= 2 E|e(x) - P(1 | x)|``, R* the Bayes risk; for more ``R(g) - R* <= sum_k E|e_k(x) - P(k |
    x)|``: a good regression is a good rule, and the rule may be good where the regression is not.

    Parameters
    ----------
    regressor : estimator, optional
        Regressor of this library, of scikit-learn or a pipeline, which is fitted to the indicators of the
        classes: once for two classes, of the second one, and once a class for more.  A
        :class:`Ridge` by default.

    Attributes
    ----------
    classes_ : array, shape (K,)
        Sorted labels.
    regressors_ : list of estimators
        One for the second of two classes; one for each of more.
    certificate_ : Certificate
        Of kind NONE: the rule minimises no risk itself; each regressor has a certificate of its own.

    Raises
    ------
    TypeError
        For a regressor without ``fit`` and ``predict``, what is no regressor by scikit-learn's
        ``is_regressor`` (a classifier, a clusterer, a detector of outliers), or weights that it does not
        take.

    Notes
    -----
    The regressions need not be chances: they are projected on the simplex, the nearest point whose entries
    are at least 0 and sum to 1, which keeps the largest where it is.  The cost is that of the regressions.

    References
    ----------
    Devroye, Gyorfi and Lugosi, A Probabilistic Theory of Pattern Recognition (1996), theorem 2.2.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> rule = er.PlugInClassifier(er.KNeighborsRegressor(3)).fit(X, ["a", "a", "b", "b"])
    >>> rule.predict([[0.4]]), rule.predict_proba([[0.4]]).round(2)
    (array(['a'], dtype='<U1'), array([[0.67, 0.33]]))
    """

    classes_: Any
    regressors_: list[Any]
    solution_: Solution

    def __init__(self, regressor: Any = None) -> None:
        self._set(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the regressions.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features, as the regressor takes them.
        y : array, shape (n,)
            Labels.
        sample_weight : array, shape (n,), optional
            Weights >= 0, where the regressor takes any.

        Returns
        -------
        self
        """
        with as_before(self):
            recipe = self._recipe()
            if y is None:
                raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
            refuse_odd_table(X)
            self.classes_, codes = encode_labels(y)
            rows = {}
            if sample_weight is not None:
                if not has_fit_parameter(recipe, "sample_weight"):
                    raise TypeError(f"{type(recipe).__name__} takes no sample_weight: leave the weights out")
                weight = check_weights(sample_weight, len(codes))
                rows["sample_weight"] = weigh_classes(None, self.classes_, codes, weight)
            wanted = range(1, 2) if len(self.classes_) == 2 else range(len(self.classes_))
            self.regressors_ = [clone(recipe).fit(X, (codes == k).astype(float), **rows) for k in wanted]
            self._learn_columns(self.regressors_[0])
            claim = "none: a plug-in rule minimises no risk itself; its regressions have claims of their own"
            certificate = Certificate(Kind.NONE, math.inf, 1.0, claim)
            self.solution_ = Solution(np.zeros(0), Status.COMPLETED, certificate, 0)
        return self

    def _recipe(self) -> Any:
        """Return the unfitted regressor, or refuse what is none."""
        recipe = Ridge() if self.regressor is None else self.regressor
        needed = ("fit", "predict", "__sklearn_tags__")
        if isinstance(recipe, type) or not all(hasattr(recipe, name) for name in needed):
            raise TypeError(
                "regressor must be an estimator with fit and predict (and the tags of scikit-learn's "
                f"BaseEstimator), got {recipe!r}"
            )
        if is_classifier(recipe):
            raise TypeError(
                f"regressor must predict numbers, and {type(recipe).__name__} predicts classes: fit it "
                "itself, or give a regressor"
            )
        if not is_regressor(recipe):
            raise TypeError(
                f"regressor must learn numbers from targets, and {type(recipe).__name__} is no regressor "
                "(scikit-learn's is_regressor says so): give one, such as er.Ridge()"
            )
        return recipe

    def predict_proba(self, X: Any) -> Array:
        """Return the estimated chances of the classes, shape (m, K), in the order of ``classes_``.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (m, p)
        """
        told = self._regressed(X)
        return agreeing(on_simplex(told), told)

    def predict(self, X: Any) -> Any:
        """Return the class of the largest estimated chance, the first of equal ones, shape (m,).

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (m, p)
        """
        chosen = self._regressed(X).argmax(axis=1)
        return self.classes_[chosen]

    def _regressed(self, X: Any) -> Array:
        """Return what the regressions say of each class, shape (m, K)."""
        check_is_fitted(self)
        told = np.column_stack([np.asarray(r.predict(X), dtype=np.float64).ravel() for r in self.regressors_])
        return np.column_stack([1.0 - told, told]) if len(self.classes_) == 2 else told

    @property
    def certificate_(self) -> Certificate:
        """Nothing is claimed about the risk of the rule; the regressors have certificates of their own."""
        check_is_fitted(self, "solution_")
        return self.solution_.certificate

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(Ridge() if self.regressor is None else self.regressor)
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags


def on_simplex(V: Array) -> Array:
    """Return the nearest points of the rows whose entries are at least 0 and sum to 1.

    ``max(v - t, 0)`` with t so that the sum is 1, found among the sorted entries (Held, Wolfe and Crowder,
    Mathematical Programming 6, 1974).

    Examples
    --------
    >>> on_simplex(np.array([[0.9, 0.3, -0.4], [0.2, 0.2, 0.6]]))
    array([[0.8, 0.2, 0. ],
           [0.2, 0.2, 0.6]])
    """
    falling = -np.sort(-V, axis=1)
    level = (np.cumsum(falling, axis=1) - 1.0) / np.arange(1, V.shape[1] + 1)
    last = (falling > level).sum(axis=1) - 1
    return np.asarray(np.maximum(V - level[np.arange(len(V)), last][:, None], 0.0))
