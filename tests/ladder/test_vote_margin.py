"""The margin bound of boosted votes: by hand, its refusals, and its class by enumeration."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er
from empirisk.ladder.boosted_class import BoostedClass
from tests.oracles.boosted_stumps import all_sides

NAME = "margins of a vote"


def data(rng: np.random.Generator, n: int = 20_000) -> tuple[np.ndarray, np.ndarray]:
    X = rng.standard_normal((n, 3))
    return X, ((X[:, 0] > 0) ^ (rng.random(n) < 0.05)).astype(int)


@pytest.mark.parametrize("variant", ["discrete", "real"])
def test_by_hand(variant: str, rng: np.random.Generator) -> None:
    X, y = data(rng)
    model = er.AdaBoostClassifier(20, variant=variant).fit(X, y)
    found = er.risk_bounds(model, X, y)[NAME]
    n, growth = len(y), math.log(3 * 2 * 20_000) + 2 * math.log(2)
    values = []
    for gap in np.geomspace(1.0, 1e-3, 60):
        rest = 4 / gap * math.sqrt(2 * growth / n) + math.sqrt(
            math.log(math.log2(2 / gap)) / n if gap < 1 else 0.0
        )
        values.append(np.mean(model.margins_ < gap) + rest + math.sqrt(math.log(2 / 0.05) / (2 * n)))
    assert found.value == pytest.approx(min(1.0, *values), rel=1e-12)
    assert found.vacuous == (min(values) >= 1.0) == (variant == "real")  # the real votes waste their margins
    assert np.mean(model.predict(X) != y) < found.value


@pytest.mark.parametrize("gaps", [False, True])
def test_no_more_labellings_than_counted(gaps: bool, rng: np.random.Generator) -> None:
    for n in (2, 5, 9):
        X = np.column_stack([rng.standard_normal((n, 2)), rng.integers(0, 3, n)])
        if gaps:
            X[rng.random(X.shape) < 0.3] = np.nan
        sides = {tuple(s) for s in all_sides(X, [0, 0, 3])}
        labellings = sides | {tuple(~np.array(s)) for s in sides}
        assert math.log(len(labellings)) <= BoostedClass(1, (0, 0, 3)).log_growth(n) + 1e-12


def test_refusals_say_why(rng: np.random.Generator) -> None:
    X, y = data(rng, 300)
    three = np.digitize(X[:, 0], [-0.5, 0.5])
    for model, target, words in (
        (er.LogisticRegression(0.1), y, "no vote of boosted classifiers"),
        (er.AdaBoostClassifier(5), three, "two classes"),
        (er.AdaBoostClassifier(5, estimator=GaussianNB()), y, "known for trees only"),
        (make_pipeline(StandardScaler(), er.AdaBoostClassifier(5)), y, "was fitted on these rows"),
    ):
        found = er.risk_bounds(model.fit(X, target), X, target)[NAME]
        assert not found.applies
        assert words in found.reason
