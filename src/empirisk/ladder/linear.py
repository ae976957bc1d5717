"""A fitted model as a linear function of features that were fixed before the rows were seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.intervals.base import Floats
from empirisk.ladder.features import LARGEST_WIDTH, FeatureMap

__all__ = ["LinearForm", "linear_form"]


@dataclass(frozen=True)
class LinearForm:
    """``scores = Z coef' + intercept``: one column of scores for two classes or a regression, else K.

    Parameters
    ----------
    Z : array or sparse matrix, shape (n, d)
        Features that do not depend on the rows.
    coef : array, shape (1, d) or (K, d)
    intercept : array, shape (1,) or (K,)
    free_intercept : bool
        Whether the model has an intercept.
    bits : int
        Bits of a stored coefficient.
    """

    Z: Any
    coef: Floats
    intercept: Floats
    free_intercept: bool
    bits: int

    def scores(self, coef: Floats | None = None, intercept: Floats | None = None) -> Floats:
        """Return the scores of the rows, shape (n, 1) or (n, K)."""
        w = self.coef if coef is None else coef
        b = self.intercept if intercept is None else intercept
        return np.asarray(self.Z @ w.T + b, dtype=np.float64)

    @property
    def dimension(self) -> int:
        """Number of parameters of one score: columns, and the intercept when there is one."""
        return int(self.coef.shape[1]) + int(self.free_intercept)


def linear_form(model: Any, features: FeatureMap, predicted: NDArray[Any], classes: Any) -> LinearForm | str:
    """Return the linear form of a fitted model, or a sentence why it has none.

    Whether a model is linear is not looked up by name: its ``coef_`` and ``intercept_`` must reproduce its
    predictions on the rows.

    Parameters
    ----------
    model : fitted estimator
        The last step of the pipeline.
    features : FeatureMap
        The features before it.
    predicted : array of shape (n,)
        Its predictions: class codes, or numbers.
    classes : array or None
        Labels of a classification.
    """
    kind = "classifier" if classes is not None else "regression"
    coef = getattr(model, "coef_", None)
    if coef is None or not hasattr(model, "intercept_"):
        return f"the model is not a linear {kind}"
    if features.problem:
        return features.problem
    if features.Z is None:
        return "the columns are not all finite numbers"
    if features.affine and features.Z.shape[1] > LARGEST_WIDTH:
        return f"the features have more than {LARGEST_WIDTH:,} columns before the scaler"
    w = np.atleast_2d(coef.toarray() if hasattr(coef, "toarray") else np.asarray(coef, dtype=np.float64))
    b = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64).ravel(), (w.shape[0],))
    bits = 8 * np.asarray(model.coef_ if not hasattr(coef, "toarray") else w).dtype.itemsize
    if features.affine:
        A, c = features.matrix()
        w, b, bits = w @ A.T, b + w @ c, 64
    if w.shape[1] != features.Z.shape[1] or w.shape[0] != (
        1 if classes is None or len(classes) == 2 else len(classes)
    ):
        return f"the model is not a linear {kind}"
    form = LinearForm(features.Z, w, np.array(b), bool(np.any(b != 0.0)) or _free(model), bits)
    same = _agree(form.scores(), predicted, classes)
    return (
        form
        if same
        else f"the model is not a linear {kind}: coef_ and intercept_ do not give its predictions"
    )


def decide(scores: Floats, two: bool) -> NDArray[np.intp]:
    """Return the class codes from scores: the sign for two classes, the largest for more."""
    return (scores[:, 0] > 0.0).astype(np.intp) if two else scores.argmax(axis=1)


def _agree(scores: Floats, predicted: NDArray[Any], classes: Any) -> bool:
    """Return whether the linear form predicts what the model predicts; ties may round either way."""
    scale = 1e-6 * max(1e-300, float(np.abs(scores).max()))
    if classes is None:
        return bool(np.abs(scores[:, 0] - predicted).max() <= scale)
    if len(classes) == 2:
        gap = np.abs(scores[:, 0])
    else:
        top = np.partition(scores, -2, axis=1)[:, -2:]
        gap = top[:, 1] - top[:, 0]
    codes = decide(scores, len(classes) == 2)
    return bool(((codes == predicted) | (gap <= scale)).all())


def _free(model: Any) -> bool:
    settings = model.get_params(deep=False) if hasattr(model, "get_params") else {}
    return bool(settings.get("fit_intercept", True))
