"""The flow that structural risk minimisation and dictionary selection share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from empirisk.estimators.estimator import Estimator
from empirisk.estimators.verify import verify
from empirisk.evaluation.metrics.predictions import check_length, classes_of, labels_of
from empirisk.evaluation.outputs import model_name, n_rows
from empirisk.evaluation.rows import table_and_target
from empirisk.results import Assumption, Certificate, RiskCertificate, unconfirmed
from empirisk.search.structural.capacity import Capacity, capacity_of
from empirisk.search.structural.choice import Row, StructuralChoice
from empirisk.search.structural.penalty import PENALTIES, oracle_slack, penalty_of

INEXACT = "the fits of {names} are not proved to have the smallest training error of their class"


class Structural(MetaEstimatorMixin, ClassifierMixin, Estimator):
    """Base: fit one classifier for each class, add what the class pays, take the smallest sum."""

    delta: float
    penalty: str
    classes_: NDArray[Any]
    result_: StructuralChoice
    estimator_: Any

    def _named(self) -> list[tuple[str, Any]]:
        """Return the classes to choose from, each with its name."""
        raise NotImplementedError

    def _by_bound(
        self, X: Any, y: NDArray[Any], named: Sequence[tuple[str, Any]], declared: Sequence[float | None]
    ) -> None:
        n, count = y.size, len(named)
        if self.classes_.size != 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: the VC "
                f"bound is about two classes, and y holds {self.classes_.size}; for more use "
                'StructuralRiskMinimizer(method="validation").'
            )
        models = [clone(est).fit(X, y) for _, est in named]
        predicted = [np.asarray(m.predict(X)) for m in models]
        found = [capacity_of(m, X, p, d) for m, p, d in zip(models, predicted, declared, strict=True)]
        self._look_at(found, [name for name, _ in named])
        inexact = [name for (name, _), c in zip(named, found, strict=True) if not c.exact]
        rows = []
        for (name, _), p, c in zip(named, predicted, found, strict=True):
            if not math.isfinite(c.vc):
                paid = slack = math.inf
            else:
                paid = penalty_of(c.log_growth, n, count, self.delta, self.penalty)
                slack = oracle_slack(c.log_growth, n, count, self.delta, self.penalty)
            error = float(np.mean(p != y))
            rows.append(Row(name, c.vc, error, paid, math.nan if inexact else slack))
        chosen = int(np.argmin([r.bound for r in rows]))
        if not math.isfinite(rows[chosen].bound):
            raise ValueError("every class has an infinite VC dimension, so no bound holds for all laws.")
        note = INEXACT.format(names=", ".join(inexact)) if inexact else ""
        certificate = self._certificate(rows[chosen], found[chosen], n, count)
        self.estimator_ = models[chosen]
        self.result_ = StructuralChoice(tuple(rows), chosen, certificate, "training error", note)

    def _look_at(self, found: Sequence[Capacity], names: Sequence[str]) -> None:
        """Hook for conditions on the classes."""

    def _certificate(self, row: Row, capacity: Capacity, n: int, count: int) -> RiskCertificate:
        what = f"VC dimension {row.vc:g} of {row.name}"
        return RiskCertificate(
            "structural risk minimisation",
            min(1.0, row.bound),
            row.error,
            self.delta,
            n,
            (
                Assumption("the rows are drawn independently"),
                Assumption(f"the {count} classes were fixed before the rows were seen"),
                Assumption(what, capacity.source),
            ),
            row.bound >= 1.0,
            risk="0-1 loss",
            measured_on="training rows",
        )

    # -- shared preparation ---------------------------------------------------------------------------

    def _prepare(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any]]:
        if not 0.0 < self.delta < 1.0:
            raise ValueError(f"delta must lie in (0, 1), got {self.delta!r}.")
        if self.penalty not in PENALTIES:
            raise ValueError(f'penalty must be "tight" or "notes", got {self.penalty!r}.')
        X, y = table_and_target(type(self).__name__, X, y)
        labels = labels_of(y, "y")
        check_classification_targets(labels)
        check_length("X", n_rows(X), labels.size)
        self.classes_ = classes_of(labels)
        if self.classes_.size < 2:
            raise ValueError(f"y holds one class only ({self.classes_[0]}); there is nothing to learn.")
        return X, labels

    def _verify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Return the certificate of the choice and of the fit that was chosen, for ``er.verify``."""
        check_is_fitted(self, "result_")
        if getattr(self, "method", "bound") == "validation":
            raise TypeError(
                f"{type(self).__name__} chose by the errors on rows that were held out at random: it "
                "claims no optimum that could be verified"
            )
        row = self.result_.rows[self.result_.chosen]
        error = float(np.mean(np.asarray(self.estimator_.predict(X)) != np.asarray(y)))
        if not math.isclose(error, row.error, abs_tol=1e-12):
            return unconfirmed(f"the training error on these rows is {error:.6g}, stated was {row.error:.6g}")
        least = min(self.result_.rows, key=lambda r: r.bound)
        if row.bound > least.bound:
            return unconfirmed(f"{least.name} has a smaller bound than {row.name}, which was chosen")
        return verify(self.estimator_, X, y)

    # -- the answers ----------------------------------------------------------------------------------

    @property
    def risk_certificate_(self) -> RiskCertificate:
        """What is proved about the risk of the chosen classifier."""
        check_is_fitted(self, "result_")
        return self.result_.certificate

    @property
    def chosen_(self) -> str:
        """The name of the class that was chosen."""
        check_is_fitted(self, "result_")
        return self.result_.rows[self.result_.chosen].name

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels by the chosen classifier.

        Parameters
        ----------
        X : table of shape (n, p)
            Rows.

        Returns
        -------
        array of shape (n,)
        """
        check_is_fitted(self, "result_")
        return np.asarray(self.estimator_.predict(X))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags.multi_class = getattr(self, "method", "bound") == "validation"
        with suppress(TypeError, ValueError):  # what is wrong with the classes is said by fit
            tags.input_tags.sparse = all(get_tags(est).input_tags.sparse for _, est in self._named())
        return tags

    def _headline(self) -> str:
        if not hasattr(self, "result_"):
            return ""
        return f"{self.result_.rows[self.result_.chosen].name}: {self.result_.certificate.claim}"


def name_all(given: Any, parameter: str) -> list[tuple[str, Any]]:
    """Pairs of name and class, from a mapping, from pairs, or from bare estimators (named by their kind)."""
    if isinstance(given, Mapping):
        pairs = list(given.items())
    elif isinstance(given, Sequence) and not isinstance(given, str):
        pairs = [g if isinstance(g, tuple) and len(g) == 2 else (None, g) for g in given]
    else:
        raise TypeError(f"{parameter} must be a mapping or a list, got {type(given).__name__}.")
    if not pairs:
        raise ValueError(f"{parameter} is empty; give at least one class.")
    named = [(model_name(g) if name is None else str(name), g) for name, g in pairs]
    counts: dict[str, int] = {}
    out = []
    for name, g in named:
        counts[name] = counts.get(name, 0) + 1
        repeated = sum(other == name for other, _ in named) > 1
        out.append((f"{name} {counts[name]}" if repeated else name, g))
    return out
