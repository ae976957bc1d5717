"""er.diagnose on whatever users bring: tables, pipelines, few rows, odd targets, interrupts."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

import empirisk as er
from empirisk.diagnosis import REGISTRY, Outcome
from empirisk.diagnosis.result import Diagnosis

Sample = tuple[np.ndarray, np.ndarray]


@pytest.fixture
def numbers(rng: np.random.Generator) -> Sample:
    X = rng.normal(size=(300, 3))
    return X, X[:, 0] + rng.normal(size=300)


@pytest.fixture
def classes(rng: np.random.Generator) -> Sample:
    X = rng.normal(size=(300, 3))
    return X, np.array(["no", "yes"])[(X[:, 0] + rng.normal(size=300) > 0).astype(int)]


def whole(d: Diagnosis) -> Diagnosis:
    """Every finding answered in words, everything prints and converts."""
    assert [a.code for a in d.answers] == list(REGISTRY)
    for a in d.answers:
        assert a.sentence.endswith("."), a
        assert a.name
        assert (a.p is None) or 0.0 <= a.p <= 1.0
        assert a.outcome is not Outcome.FIRES or a.evidence
    assert json.loads(json.dumps(d.to_dict()))["answers"][0]["code"] == "ER201"
    assert len(d.to_frame()) == len(REGISTRY)
    for text in (repr(d), d._repr_html_()):
        assert "Next:" in text
        assert d.title in text
        assert "nan" not in text.lower().replace("finance", "")
    return d


def outcome(d: Diagnosis, code: str) -> str:
    return d.checks[code].outcome.value


def test_clean_data(numbers: Sample) -> None:
    d = whole(er.diagnose(Ridge(), *numbers, random_state=0))
    assert outcome(d, "ER204") == "clear"
    assert {outcome(d, c) for c in ("ER201", "ER202")} <= {"clear", "cannot tell"}
    assert d.decomposition["approximation"].status == "not identifiable"
    assert d.decomposition["noise"].low == 0.0


def test_a_missed_curve_is_found_and_named(rng: np.random.Generator) -> None:
    X = rng.normal(size=(600, 3))
    y = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=600)
    d = whole(er.diagnose(er.Ridge(), X, y, random_state=0))
    assert d.findings[0].code == "ER202"
    gain = d.checks["ER202"].gain
    assert gain is not None
    assert gain.low is not None
    # The square holds 2 of the variance 4: half of the baseline's loss, less what the estimation costs.
    assert gain.low < 0.5 < gain.high + 0.05
    assert "squares and products" in d.next_step
    assert "Expected gain" in d.next_step


def test_the_optimum_of_our_estimators_is_bounded(numbers: Sample) -> None:
    part = er.diagnose(er.Ridge(), *numbers, random_state=0).decomposition["optimisation"]
    assert part.status == "bounded"
    assert 0.0 <= part.high < 1e-8
    assert (
        er.diagnose(Ridge(), *numbers, random_state=0).decomposition["optimisation"].status
        == "not identifiable"
    )


def test_the_same_seed_the_same_answers(classes: Sample) -> None:
    first, second, other = (er.diagnose(LogisticRegression(), *classes, random_state=s) for s in (0, 0, 1))
    drop = ("seconds",)
    assert first.to_frame().drop(columns=list(drop)).equals(second.to_frame().drop(columns=list(drop)))
    assert [a.p for a in first.answers] != [a.p for a in other.answers]


# -- tables and pipelines -----------------------------------------------------------------------


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_levels_in_a_pipeline(rng: np.random.Generator, frame: Any) -> None:
    x, site = rng.normal(size=400), np.array(["a", "b", "c", "d"])[rng.integers(4, size=400)]
    table = frame({"site": site, "x": x})
    y = (x + (site == "a") + rng.logistic(size=400) > 0).astype(int)
    # Dense: scikit-learn 1.7 cannot stack sparse columns beside those of a polars frame.
    coded = make_column_transformer((OneHotEncoder(sparse_output=False), ["site"]), remainder="passthrough")
    d = whole(er.diagnose(make_pipeline(coded, LogisticRegression()), table, y, random_state=0))
    assert outcome(d, "ER201") in ("clear", "cannot tell")
    assert "squares and products" in d.checks["ER202"].sentence
    assert outcome(d, "ER204") == "clear"


def test_text_in_a_pipeline(rng: np.random.Generator) -> None:
    words = np.array(["red", "green", "blue", "large", "small"])
    X = pd.Series([" ".join(rng.choice(words, 4)) for _ in range(200)])
    y = X.str.contains("red").to_numpy() ^ (rng.random(200) < 0.1)
    d = whole(er.diagnose(make_pipeline(TfidfVectorizer(), MultinomialNB()), X, y, random_state=0))
    assert "no table" in d.checks["ER202"].sentence


def test_sparse_rows(numbers: Sample) -> None:
    X, y = numbers
    table = sp.csr_matrix(np.where(np.abs(X) < 0.5, 0.0, X))
    dense = er.diagnose(er.Ridge(), table.toarray(), y, random_state=0)
    d = whole(er.diagnose(er.Ridge(), table, y, random_state=0))
    for code in ("ER201", "ER203", "ER204", "ER205"):
        assert d.checks[code].p == pytest.approx(dense.checks[code].p), code


def test_missing_cells_where_the_model_takes_them(classes: Sample, rng: np.random.Generator) -> None:
    X, y = classes
    X[rng.random(X.shape) < 0.1] = np.nan
    d = whole(er.diagnose(HistGradientBoostingClassifier(max_iter=20), X, y, random_state=0))
    assert "richer than boosted trees" in d.checks["ER202"].sentence
    assert outcome(d, "ER201") != "not run"


def test_lists(numbers: Sample) -> None:
    X, y = numbers
    whole(er.diagnose(make_pipeline(StandardScaler(), Ridge()), X.tolist(), y.tolist(), random_state=0))


def test_three_classes(rng: np.random.Generator) -> None:
    X = rng.normal(size=(300, 2))
    y = np.array(["x", "y", "z"])[
        (X @ rng.normal(size=(2, 3)) * 2 + rng.gumbel(size=(300, 3))).argmax(axis=1)
    ]
    d = whole(er.diagnose(LogisticRegression(), X, y, random_state=0))
    assert outcome(d, "ER204") == "clear"


def test_groups(rng: np.random.Generator) -> None:
    g = np.repeat(np.arange(60), 5)
    X = rng.normal(size=(300, 3)) + rng.normal(size=(60, 3))[g]
    y = X[:, 0] + rng.normal(size=300) + rng.normal(size=60)[g]
    d = whole(er.diagnose(Ridge(), X, y, groups=g, random_state=0))
    assert "60 groups" in d.title
    assert "60 groups" in d.checks["ER201"].evidence


def test_a_search_is_diagnosed_with_its_folds(numbers: Sample) -> None:
    search = GridSearchCV(Ridge(), {"alpha": [1e3, 1e4]}, cv=3)
    d = whole(er.diagnose(search, *numbers, random_state=0))
    assert outcome(d, "ER215") == "fires"
    assert "100" in d.checks["ER215"].advice
    assert not hasattr(search, "best_params_")


# -- too little, or odd -------------------------------------------------------------------------


@pytest.mark.parametrize("n", [10, 20, 49])
def test_few_rows_cannot_tell(numbers: Sample, n: int) -> None:
    X, y = numbers
    d = whole(er.diagnose(Ridge(), X[:n], y[:n], random_state=0))
    for code in ("ER201", "ER202", "ER203", "ER204"):
        assert outcome(d, code) == "cannot tell", code
    assert f"{n} rows are fewer than 50" in d.checks["ER201"].sentence


def test_a_rare_class_cannot_tell(rng: np.random.Generator) -> None:
    X = rng.normal(size=(400, 2))
    y = np.zeros(400, dtype=int)
    y[:8] = 1
    d = whole(er.diagnose(LogisticRegression(), X, y, random_state=0))
    assert "rarest class has 8 rows" in d.checks["ER204"].sentence


def test_no_probabilities(classes: Sample) -> None:
    d = whole(er.diagnose(LinearSVC(), *classes, random_state=0))
    assert outcome(d, "ER201") == "not run"
    assert "CalibratedClassifierCV" in d.checks["ER201"].sentence
    assert not d.decomposition.parts


def test_constant_target(rng: np.random.Generator) -> None:
    d = whole(er.diagnose(Ridge(), rng.normal(size=(100, 2)), np.full(100, 3.0), random_state=0))
    assert outcome(d, "ER204") == "not run"
    with pytest.raises(ValueError, match="one class only"):
        er.diagnose(LogisticRegression(), rng.normal(size=(100, 2)), np.ones(100, dtype=int))


def test_a_perfect_model(rng: np.random.Generator) -> None:
    X = rng.normal(size=(200, 2))
    d = whole(er.diagnose(LinearRegression(), X, X @ [1.0, 2.0], random_state=0))
    assert outcome(d, "ER201") == outcome(d, "ER204") == "clear"


def test_pure_noise_is_said_to_be_noise(rng: np.random.Generator) -> None:
    d = er.diagnose(Ridge(), rng.normal(size=(3000, 3)), rng.normal(size=3000), random_state=0)
    assert d.findings[0].code == "ER204"
    assert d.findings[0].level == "serious"


def test_overfitting_explains_a_useless_model(rng: np.random.Generator) -> None:
    X = rng.normal(size=(200, 4))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    d = er.diagnose(KNeighborsClassifier(1), X, y, random_state=0)
    codes = [f.code for f in d.findings]
    assert codes[0] == "ER201"
    assert "n_neighbors=15" in d.next_step


# -- the call itself ----------------------------------------------------------------------------


def test_ignored_findings_leave_the_family(numbers: Sample) -> None:
    d = er.diagnose(Ridge(), *numbers, ignore=["ER202", "ER217"], random_state=0)
    assert not {"ER202", "ER217"} & set(d.checks)
    assert "ER202" not in d.adjusted


def test_a_larger_margin_clears_more(numbers: Sample) -> None:
    strict, lax = (er.diagnose(Ridge(), *numbers, margin=m, random_state=0) for m in (0.0, 0.2))
    assert lax.checks["ER202"].p > strict.checks["ER202"].p
    assert (outcome(strict, "ER203"), outcome(lax, "ER203")) == ("fires", "clear")


def test_progress_counts_to_the_end(numbers: Sample) -> None:
    steps: list[tuple[int, int]] = []
    er.diagnose(Ridge(), *numbers, progress=lambda done, total: steps.append((done, total)), random_state=0)
    assert steps == [(i + 1, 5 + len(REGISTRY)) for i in range(5 + len(REGISTRY))]


class Stops(RegressorMixin, BaseEstimator):
    """Fits five times, then the user presses Ctrl-C."""

    fits = 0

    def fit(self, X: Any, y: Any) -> Stops:
        type(self).fits += 1
        if type(self).fits > 5:
            raise KeyboardInterrupt
        self.mean_ = np.mean(y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.full(len(X), self.mean_)


def test_an_interrupt_is_an_interrupt(numbers: Sample) -> None:
    with pytest.raises(KeyboardInterrupt):
        er.diagnose(Stops(), *numbers, random_state=0)


@pytest.mark.parametrize(
    ("arguments", "error", "why"),
    [
        ({"ignore": ["ER999"]}, ValueError, "ER999"),
        ({"ignore": "ER201"}, TypeError, "list of codes"),
        ({"margin": -0.1}, ValueError, "margin"),
        ({"margin": 2.0}, ValueError, "margin"),
        ({"level": 0.0}, ValueError, "level"),
        ({"cv": 1}, ValueError, "cv"),
    ],
)
def test_wrong_arguments(
    numbers: Sample, arguments: dict[str, Any], error: type[Exception], why: str
) -> None:
    with pytest.raises(error, match=why):
        er.diagnose(Ridge(), *numbers, **arguments)


def test_missing_targets_are_named(numbers: Sample) -> None:
    X, y = numbers
    y[4] = np.nan
    with pytest.raises(ValueError, match="row 4"):
        er.diagnose(Ridge(), X, y)
