"""What a search answers after the fit: the choice, its score, its predictions."""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from empirisk.data.offered import offered
from empirisk.evaluation.intervals.base import Floats
from empirisk.results import Estimate
from empirisk.search.points import Params
from empirisk.search.result import SearchResult


def _chosen_has(method: str) -> Any:
    """Return whether the chosen estimator (before the fit: the given one) offers a method."""

    def check(self: Any) -> bool:
        getattr(getattr(self, "best_estimator_", self.estimator), method)
        return True

    return check


class Answers:
    """Attributes and methods that look into ``result_`` and ``best_estimator_``."""

    estimator: Any
    result_: SearchResult
    best_estimator_: Any

    @property
    def best_index_(self) -> int:
        """Position of the chosen candidate in ``cv_results_``."""
        return self._found().best

    @property
    def best_params_(self) -> Params:
        """The settings of the candidate that was chosen."""
        return self._found().points[self.best_index_]

    @property
    def best_score_(self) -> Estimate:
        """Score of the chosen candidate, corrected for the choice; ``naive_score_`` is not.

        It is about the models of its folds, each trained on n(K-1)/K rows, on new rows that count once
        (of new groups where groups were given); not about `best_estimator_`, which all rows trained.
        """
        return self._found().score

    @property
    def naive_score_(self) -> Estimate:
        """Score of the chosen candidate as if it had been the only one."""
        return self._found().naive

    @property
    def probability_best_(self) -> Floats:
        """The probability that each candidate is the best of all."""
        return self._found().probability_best

    @property
    def edge_(self) -> dict[str, str]:
        """Parameters chosen at the "lowest" or "highest" value that was tried."""
        return dict(self._found().edge)

    @property
    def classes_(self) -> Any:
        """The classes of the chosen model."""
        return self._chosen().classes_

    def beats(self, i: int, j: int, rope: float = 0.0) -> tuple[float, float, float]:
        """Return how likely candidate i is better than j; :meth:`SearchResult.beats` describes the
        arguments.
        """
        return self._found().beats(i, j, rope)

    def _found(self) -> SearchResult:
        check_is_fitted(self, "result_")
        return self.result_

    def _chosen(self) -> Any:
        self._found()
        if not hasattr(self, "best_estimator_"):
            raise NotFittedError("the chosen model was not fitted on all rows: refit=False, or interrupted.")
        return self.best_estimator_

    @offered(_chosen_has("predict"))
    def predict(self, X: Any, *, exposure: Any = None, offset: Any = None) -> Any:
        """Return the predictions of the chosen model, fitted on all rows; it gets the exposures or offsets of
        these rows where they have any.
        """
        known = {name: v for name, v in {"exposure": exposure, "offset": offset}.items() if v is not None}
        return self._chosen().predict(X, **known)

    @offered(_chosen_has("predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """Return the class probabilities of the chosen model."""
        return self._chosen().predict_proba(X)

    @offered(_chosen_has("predict_log_proba"))
    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithms of the class probabilities of the chosen model."""
        return self._chosen().predict_log_proba(X)

    @offered(_chosen_has("decision_function"))
    def decision_function(self, X: Any) -> Any:
        """Return the scores that the chosen model gives the rows of X."""
        return self._chosen().decision_function(X)

    @offered(_chosen_has("transform"))
    def transform(self, X: Any) -> Any:
        """Return the rows as the chosen model transforms them."""
        return self._chosen().transform(X)

    @offered(_chosen_has("score"))
    def score(self, X: Any, y: Any) -> float:
        """``score`` of the chosen model: accuracy or R2, whatever `metric` the choice was made by."""
        return float(self._chosen().score(X, y))
