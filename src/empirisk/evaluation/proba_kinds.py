"""Which kinds of classifiers may give a class the probability 0, so that their log-loss can be infinite."""

from __future__ import annotations

from typing import Any

__all__ = ["may_answer_zero", "probability_metric"]

# Scores through a logistic or softmax link, or shares of a prior: by the module that defines the class.
LINKED = (
    "catboost",
    "lightgbm",
    "sklearn.ensemble._gb",
    "sklearn.ensemble._hist_gradient_boosting",
    "sklearn.gaussian_process",
    "sklearn.linear_model",
    "sklearn.neural_network",
    "sklearn.svm",
    "xgboost",
)
LINKED_CLASSES = ("LinearDiscriminantAnalysis",)
# Settings of classes above, or of others, that decide.
OPEN_SETTINGS = {
    "CalibratedClassifierCV": ("method", ("sigmoid", "temperature")),
    "DummyClassifier": ("strategy", ("prior", "uniform")),
}


def may_answer_zero(est: Any) -> bool:
    """Return whether this kind of classifier can answer exactly 0 or 1, whatever it answers on the rows at
    hand.

    Trees, forests, votes, nearest neighbours and bagging of those answer with shares of rows, which may be
    none; naive Bayes and quadratic discriminants multiply densities until one is rounded to 0.  Models with a
    logistic or softmax link cannot.  A class says so itself by the attribute ``probabilities_open = True``;
    pipelines, searches, bagging and ensembles are what their members are, and a kind that nothing is known of
    may answer 0.  What a linked model rounds to 0 is computed anew from its score
    (:func:`empirisk.evaluation.outputs.never_zero`).

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
    >>> may_answer_zero(RandomForestClassifier()), may_answer_zero(LogisticRegression())
    (True, False)
    >>> may_answer_zero(BaggingClassifier(LogisticRegression()))
    False
    """
    said = getattr(est, "probabilities_open", None)
    if said is not None:
        return not said
    steps = getattr(est, "steps", None)
    if steps:
        return may_answer_zero(steps[-1][1])
    kind = type(est)
    settings = est.get_params(deep=False) if hasattr(est, "get_params") else {}
    if kind.__name__ in OPEN_SETTINGS:
        name, known = OPEN_SETTINGS[kind.__name__]
        return settings.get(name) not in known
    if kind.__name__ == "StackingClassifier":
        final = settings.get("final_estimator")  # logistic regression by default
        return final is not None and may_answer_zero(final)
    members = settings.get("estimators")
    if isinstance(members, list):
        return any(may_answer_zero(m[1] if isinstance(m, tuple) else m) for m in members if m is not None)
    inner = settings.get("estimator")
    if hasattr(inner, "fit") and not kind.__name__.startswith("AdaBoost"):
        return may_answer_zero(inner)
    linked = kind.__module__.startswith(LINKED) or kind.__name__ in LINKED_CLASSES
    return not linked or settings.get("loss") == "modified_huber"


def probability_metric(*models: Any) -> str:
    """``"log_loss"``, or ``"brier_score"`` where a model may answer 0 and the log-loss may be infinite.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> probability_metric(LogisticRegression(), DecisionTreeClassifier())
    'brier_score'
    """
    return "brier_score" if any(may_answer_zero(m) for m in models) else "log_loss"
