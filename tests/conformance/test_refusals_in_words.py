"""What cannot be fitted is refused in a sentence that names the user's row, in every estimator."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier
from sklearn.utils import get_tags

import empirisk as er
from tests.conformance.bayes_estimators import USES as BAYES
from tests.conformance.estimators import AS_WRITTEN, BY_STEPS, Use, data_for, use
from tests.conformance.kernel_estimators import EVERY as KERNELS
from tests.conformance.likelihood_estimators import COUNTS, SETS
from tests.conformance.likelihood_estimators import USES as LIKELIHOODS
from tests.conformance.neighbor_estimators import USES as NEIGHBORS
from tests.conformance.network_estimators import USES as NETWORKS
from tests.conformance.posterior_estimators import USES as POSTERIORS
from tests.conformance.process_estimators import USES as PROCESSES
from tests.conformance.smoother_estimators import USES as SMOOTHERS
from tests.conformance.tree_estimators import USES as TREES

BAGS = [
    use("BaggingClassifier", n_estimators=3),
    use("BaggingRegressor", n_estimators=3),
    use("PlugInClassifier"),
]
ONE_OF_EACH = list(
    {
        u.kind: u
        for u in reversed(
            [
                *AS_WRITTEN,
                *BY_STEPS,
                *TREES,
                *KERNELS,
                *NEIGHBORS,
                *POSTERIORS,
                *PROCESSES,
                *NETWORKS,
                *SMOOTHERS,
                *BAYES,
                *LIKELIHOODS,
                *COUNTS,
                *SETS,
                *BAGS,
            ]
        )
    }.values()
)
REGRESSORS = [u for u in ONE_OF_EACH if not is_classifier(u.make())]
CLASSIFIERS = [u for u in ONE_OF_EACH if is_classifier(u.make())]

DAYS = np.datetime64("2020-01-01") + np.arange(60)
DATES = {
    "datetime64": DAYS,
    "timedelta64": DAYS - DAYS[0],
    "pandas": pd.Series(pd.to_datetime(DAYS)),
    "time zone": pd.Series(pd.to_datetime(DAYS)).dt.tz_localize("UTC"),
    "datetime": DAYS.astype(object),
    "list of dates": [datetime.date(2020, 1, 1) + datetime.timedelta(days=k) for k in range(60)],
}


@pytest.mark.parametrize("kind", DATES)
@pytest.mark.parametrize("u", REGRESSORS, ids=str)
def test_dates_as_a_target_are_refused(u: Use, kind: str, rng: np.random.Generator) -> None:
    est = u.make()
    X = data_for(est, rng).X
    with pytest.raises(ValueError, match=r"^y holds dates or times .*turn them into numbers with a unit"):
        est.fit(X, DATES[kind])


MIXED = {
    "array": lambda y: np.array(y, dtype=object),
    "list": list,
    "pandas": lambda y: pd.Series(y, dtype=object),
}


@pytest.mark.parametrize("kind", MIXED)
@pytest.mark.parametrize("u", CLASSIFIERS, ids=str)
def test_labels_of_two_types_are_refused(u: Use, kind: str, rng: np.random.Generator) -> None:
    est = u.make()
    X = data_for(est, rng).X
    y: list[Any] = ["a", 1] * (len(X) // 2)
    words = r"^y holds labels of several types, .* 'a' \(str\) in row 0 and 1 \(int\) in row 1"
    with pytest.raises(ValueError, match=words):
        est.fit(X, MIXED[kind](y))


@pytest.mark.parametrize("kind", ["BaggingClassifier", "BaggingRegressor"])
@pytest.mark.parametrize("features", [1.0, 0.6])
def test_bagging_names_the_row_and_column_of_the_user(
    kind: str, features: float, rng: np.random.Generator
) -> None:
    member = er.LogisticRegression() if kind == "BaggingClassifier" else er.Ridge()
    est = getattr(er, kind)(member, 20, max_features=features, random_state=1)
    X = rng.normal(size=(40, 5))
    y = X[:, 0] > 0.0 if is_classifier(est) else X[:, 0]
    X[33, 4] = np.nan
    with pytest.raises(ValueError, match="X contains NaN in column 4, row 33") as caught:
        est.fit(X, y)
    assert "while fitting the members of the ensemble" in caught.value.__notes__[0]
    # Of rows without weight nothing is said, and the count begins at the first that has some.
    weight = np.ones(40)
    weight[:3] = 0.0
    with pytest.raises(ValueError, match="X contains NaN in column 4, row 30") as caught:
        est.fit(X, y, sample_weight=weight)
    assert "counted among those with positive weight" in caught.value.__notes__[0]


def test_swapped_arguments_of_bootstrap_are_named() -> None:
    x = np.arange(20.0)
    with pytest.raises(TypeError, match=r"statistic comes first .* write er\.bootstrap\('mean', data\)"):
        er.bootstrap(x, "mean")
    with pytest.raises(TypeError, match=r"write er\.bootstrap\(median, data\)"):
        er.bootstrap(x, np.median)


def test_bagging_shows_missing_values_to_members_that_take_them(rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 2))
    X[3, 0] = np.nan
    est = er.BaggingRegressor(n_estimators=3)
    assert get_tags(est).input_tags.allow_nan
    assert np.isfinite(est.fit(X, X[:, 1]).predict(X)).all()


WORDS = {"str": np.array, "list": list, "object": lambda y: np.array(y, dtype=object)}


@pytest.mark.parametrize("make", WORDS.values(), ids=WORDS)
@pytest.mark.parametrize("u", REGRESSORS, ids=str)
def test_words_as_a_target_are_refused(u: Use, make: Any, rng: np.random.Generator) -> None:
    est = u.make()
    X = data_for(est, rng).X
    with pytest.raises(ValueError, match=r"^y holds the text 'no' in row 0, .* take a classifier"):
        est.fit(X, make(["no", "yes"] * (len(X) // 2)))


@pytest.mark.parametrize("u", ONE_OF_EACH, ids=str)
def test_a_path_is_drawn_or_refused_by_name(u: Use, rng: np.random.Generator) -> None:
    est = u.make()
    d = data_for(est, rng)
    if hasattr(est, "_prepare") and hasattr(est, "alphas"):
        assert len(er.path(est, d.X, d.y, alphas=[1.0, 0.1]).alphas) == 2
        return
    with pytest.raises(TypeError, match=rf"^path needs .*{u.kind}"):
        er.path(est, d.X, d.y)


HIDDEN = [
    (er.SVC(), "predict_proba", "probability=True"),
    (er.SVC(), "predict_log_proba", "probability=True"),
    (er.SGDClassifier(loss="hinge"), "predict_proba", 'use loss="logistic"'),
    (er.SGDClassifier(loss="hinge"), "predict_log_proba", 'use loss="logistic"'),
]


@pytest.mark.parametrize(("est", "method", "remedy"), HIDDEN, ids=str)
def test_a_method_that_is_not_there_says_why(est: Any, method: str, remedy: str) -> None:
    assert not hasattr(est, method)
    assert hasattr(type(est), method)  # documentation finds it
    with pytest.raises(AttributeError, match=remedy):
        getattr(est, method)
