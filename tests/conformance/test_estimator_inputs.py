"""What users get wrong, and the sentence that they read; and what must not go wrong."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags

import empirisk as er
from empirisk.results import Status
from tests.conformance.estimators import (
    ALL,
    BY_STEPS,
    FIXED,
    data_for,
    each,
    exact,
    has_intercept,
    is_regression,
    parameters,
)

# -- refused in words ---------------------------------------------------------------------------


@pytest.mark.parametrize(("bad", "word"), [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "inf")])
@each(ALL)
def test_not_finite_is_named_by_column_and_row(
    est: Any, bad: float, word: str, rng: np.random.Generator
) -> None:
    d = data_for(est, rng)
    d.X[7, 3] = bad
    with pytest.raises(ValueError, match=f"{word}.*column 3.*row 7"):
        clone(est).fit(d.X, d.y)
    with pytest.raises(ValueError, match=f"{word}.*column 'pulse'.*row 7"):
        clone(est).fit(pd.DataFrame(d.X, columns=["age", "height", "weight", "pulse", "income"]), d.y)
    with pytest.raises(ValueError, match=f"{word}.*column 3.*row 7"):
        clone(est).fit(sp.csr_array(d.X), d.y)


@each(ALL)
def test_not_finite_in_predict_is_named(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    fitted = clone(est).fit(d.X, d.y)
    d.X[2, 1] = np.nan
    with pytest.raises(ValueError, match=r"NaN.*column 1.*row 2"):
        fitted.predict(d.X)


@each(ALL)
def test_not_finite_target_is_named_by_row(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    if is_classifier(est):
        y = np.arange(len(d.y)) % 2 * 1.0
    else:
        y = d.y.copy()
    y[5] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        clone(est).fit(d.X, y)
    if not is_classifier(est):
        with pytest.raises(ValueError, match=r"y .*row 5"):
            clone(est).fit(d.X, y)


@each(ALL)
def test_strings_among_the_features(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    X = d.X.astype(object)
    X[3, 2] = "tall"
    with pytest.raises(ValueError, match=r"text 'tall' in column 2, row 3; encode"):
        clone(est).fit(X, d.y)
    names = ["age", "height", "weight", "pulse", "income"]
    fitted = clone(est).fit(pd.DataFrame(d.X, columns=names), d.y)
    with pytest.raises(ValueError, match=r"text 'tall' in column 'weight', row 3; encode"):
        fitted.predict(pd.DataFrame(X, columns=names))


DATES = np.arange("2024-01-01", "2024-03-01", dtype="datetime64[D]")
DATED = {
    "pandas": pd.DataFrame({"size": np.ones(60), "when": pd.to_datetime(DATES)}),
    "polars": pl.DataFrame({"size": np.ones(60), "when": DATES}),
    "array": DATES[:, None],
}


@pytest.mark.parametrize("kind", DATED)
def test_dates_are_no_numbers(kind: str, rng: np.random.Generator) -> None:
    X = DATED[kind]
    where = "X" if kind == "array" else "column 'when' of X"
    with pytest.raises(ValueError, match=f"{where} holds dates or times .*days since"):
        er.Ridge().fit(X, rng.normal(size=60))


NO_NUMBERS = {
    "category": lambda n: pd.Categorical(np.arange(n) % 4),
    "enum": lambda n: pl.Series(["a", "b"] * (n // 2), dtype=pl.Enum(["a", "b"])),
    "period": lambda n: pd.period_range("2020-01", periods=n, freq="M"),
    "interval": lambda n: pd.interval_range(0, n),
    "list": lambda n: [[1]] * n,
}


@pytest.mark.parametrize("kind", NO_NUMBERS)
@each([*ALL, *BY_STEPS])
def test_column_that_is_no_number_is_refused_by_name(est: Any, kind: str, rng: np.random.Generator) -> None:
    """Codes of categories are no amounts where they are no factors; other cells are no numbers at all."""
    d = data_for(est, rng)
    make = pl.DataFrame if kind == "enum" else pd.DataFrame
    good = make({f"x{j}": d.X[:, j] for j in range(5)})
    bad = make({**{f"x{j}": d.X[:, j] for j in range(4)}, "x4": NO_NUMBERS[kind](60)})
    with pytest.raises((TypeError, ValueError), match="column 'x4'"):
        clone(est).set_params(categorical_features=None).fit(bad, d.y)
    fitted = clone(est).fit(good, d.y)
    with pytest.raises((TypeError, ValueError), match="column 'x4'"):
        fitted.predict(bad)


@each([*ALL, *BY_STEPS])
def test_infinity_is_not_sent_to_the_imputer(est: Any, rng: np.random.Generator) -> None:
    """The advice must not be an imputer, because scikit-learn's SimpleImputer refuses infinity."""
    d = data_for(est, rng)
    d.X[7, 3] = np.inf
    with pytest.raises(ValueError, match=r"infinity \(inf\) in column 3, row 7 \(1 such .*put finite") as e:
        clone(est).fit(d.X, d.y)
    assert "Imputer" not in str(e.value)


@each(ALL)
def test_text_for_a_number_is_named(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    if is_regression(est):
        y = np.where(np.arange(len(d.y)) < 4, "1.5", "much")
        with pytest.raises(ValueError, match=r"y holds .*'much'"):
            clone(est).fit(d.X, y)


@each(ALL)
def test_lengths_must_agree(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    with pytest.raises(ValueError, match=r"59.*60|60.*59"):
        clone(est).fit(d.X, d.y[:-1])
    with pytest.raises(ValueError, match=r"sample_weight.*59.*60"):
        clone(est).fit(d.X, d.y, sample_weight=np.ones(59))


WEIGHTS = {
    "negative": (-1.0, r"sample_weight.*-1.*row 4"),
    "NaN": (np.nan, r"sample_weight.*nan.*row 4"),
    "infinite": (np.inf, r"sample_weight.*inf.*row 4"),
}


@pytest.mark.parametrize("kind", sorted(WEIGHTS))
@each(ALL)
def test_bad_weight_is_named_by_row(est: Any, kind: str, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    value, message = WEIGHTS[kind]
    s = np.ones(len(d.y))
    s[4] = value
    with pytest.raises(ValueError, match=message):
        clone(est).fit(d.X, d.y, sample_weight=s)


@each(ALL)
def test_weights_that_are_complex_and_targets_without_a_column_are_refused(
    est: Any, rng: np.random.Generator
) -> None:
    d = data_for(est, rng)
    with pytest.raises(ValueError, match="sample_weight holds complex numbers"):
        clone(est).fit(d.X, d.y, sample_weight=np.ones(len(d.y)) + 1j)
    with pytest.raises(ValueError, match=r"^y has the shape \(\d+, 0\), which holds no target"):
        clone(est).fit(d.X, np.empty((len(d.y), 0)))


@each(ALL)
def test_all_weights_zero(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    with pytest.raises(
        ValueError, match=r"sample_weight is zero for every row|only one class|at least 2 classes"
    ):
        clone(est).fit(d.X, d.y, sample_weight=np.zeros(len(d.y)))


def test_missing_and_unknown_classes_are_named_plainly() -> None:
    X = np.eye(4)
    with pytest.raises(ValueError, match="y holds None in row 2; drop the rows without a class"):
        er.LinearSVC().fit(X, np.array(["a", "b", None, "a"], dtype=object))
    with pytest.raises(ValueError, match=r"class_weight names 'c', .* \(\['a', 'b'\]\)"):
        er.LinearSVC(class_weight={"c": 2.0}).fit(X, ["a", "b", "a", "b"])


@pytest.mark.parametrize("cv", [[1, 2], [[0, 1, 2]]])
def test_folds_that_are_no_pairs_are_refused(cv: Any) -> None:
    with pytest.raises(ValueError, match=r"cv must hold pairs \(train, test\) of row numbers, got .* at 0"):
        er.Lasso(alpha="cv", cv=cv).fit(np.eye(4), [1.0, 2.0, 4.0, 3.0])


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        (-1.0, "sample_weight must be finite and >= 0, got -1 in row 0"),
        (np.nan, "sample_weight must be finite and >= 0, got nan in row 0"),
        (0.0, "sample_weight is zero for every row"),
        ("balanced", "sample_weight must hold numbers, one for each row of X"),
    ],
)
def test_a_single_weight_for_all_rows_is_checked_too(weight: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        er.Ridge().fit(np.eye(3), [1.0, 2.0, 4.0], sample_weight=weight)


@each(ALL)
def test_no_rows_and_no_columns(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    with pytest.raises(ValueError, match=r"0 sample"):
        clone(est).fit(d.X[:0], d.y[:0])
    with pytest.raises(ValueError, match=r"0 feature"):
        clone(est).fit(d.X[:, :0], d.y)


@each(ALL)
def test_wrong_number_of_columns_in_predict(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    with pytest.raises(ValueError, match=r"4 features.*5 features"):
        clone(est).fit(d.X, d.y).predict(d.X[:, :4])


BAD_PARAMETERS: dict[str, list[Any]] = {
    "alpha": [-1.0, np.nan, np.inf, "strong", None, True],
    "l1_ratio": [-0.1, 1.1, np.nan, "half"],
    "tol": [0.0, -1e-6, np.nan, "small"],
    "max_iter": [0, -1, 1.5, "many"],
    "fit_intercept": ["yes", 2],
    "q": [0.0, 1.0, -0.5, np.nan, "half", True],
    "delta": [0.0, -1.0, np.nan, np.inf, "wide"],
    "scale": [0.0, -1.0, np.nan, "sd", None],
    "solver": ["fast"],
    "rule": ["best"],
    "class_weight": ["even", {"no such class": 2.0}, {"ash": -1.0}],
}


BAD = [
    pytest.param(u.make(**{name: value}), name, id=f"{u}-{name}={value!r}")
    for name, values in BAD_PARAMETERS.items()
    for value in values
    for u in ALL
    if name in u.make().get_params()
    and not (value is None and u.kind == "PenalizedRegressor")  # the strength that the penalty has
    and (name != "rule" or u.make().alpha == "cv")
]


@pytest.mark.parametrize(("est", "name"), BAD)
def test_bad_parameter_is_named(est: Any, name: str, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    with pytest.raises(
        (ValueError, TypeError), match=name
    ):  # construction never refuses: scikit-learn's rule
        clone(est).fit(d.X, d.y)


def test_one_class_is_refused(rng: np.random.Generator) -> None:
    X = rng.normal(size=(10, 2))
    with pytest.raises(ValueError, match=r"one class only \(.*oak.*\)"):
        er.LogisticRegression().fit(X, np.full(10, "oak"))
    s = np.r_[np.ones(5), np.zeros(5)]
    with pytest.raises(ValueError, match="positive sample_weight"):
        er.LogisticRegression().fit(X, np.repeat(["oak", "elm"], 5), sample_weight=s)


def test_separable_classes_without_a_penalty() -> None:
    X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
    y = ["low", "low", "high", "high"]
    with pytest.raises(ValueError, match=r"no finite minimiser: the classes are separable by"):
        er.LogisticRegression(alpha=0.0).fit(X, y)
    with pytest.raises(ValueError, match=r"separable by .*dose"):
        er.LogisticRegression(alpha=0.0).fit(pd.DataFrame(X, columns=["dose", "noise"]), y)
    # Quasi-separable: one row of each class on the plane.
    with pytest.raises(ValueError, match=r"no finite minimiser"):
        er.LogisticRegression(alpha=0.0).fit([[0.0], [1.0], [1.0], [2.0]], y)
    # Overlapping classes are no such case.
    overlap = er.LogisticRegression(alpha=0.0).fit([[0.0], [2.0], [1.0], [3.0]], y)
    assert overlap.solution_.status.ok


# -- fits that must not go wrong ----------------------------------------------------------------


def certified(est: Any, X: Any, y: Any) -> Any:
    """Fit without any warning; certified and finite."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = clone(est).fit(X, y)
    assert fitted.solution_.status.ok
    assert np.isfinite(parameters(fitted)).all()
    assert er.verify(fitted, X, y).within(1e-5)
    return fitted


@each(FIXED)
def test_constant_column(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    d.X[:, 2] = 7.0
    fitted = certified(est, d.X, d.y)
    if est.fit_intercept:
        np.testing.assert_allclose(np.atleast_2d(fitted.coef_)[:, 2], 0.0, atol=1e-12)


@each(FIXED)
def test_collinear_columns(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    d.X[:, 4] = d.X[:, 0] + d.X[:, 1]
    certified(est, d.X, d.y)
    d.X[:, 4] += 1e-9 * rng.normal(size=len(d.y))
    certified(est, d.X, d.y)


@each(FIXED)
def test_more_columns_than_rows(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng, n=20, p=50)
    certified(est, d.X, d.y)
    certified(est, sp.csr_array(d.X), d.y)


# Projections and steps over groups tie the columns to each other: scaling them apart is another problem.  The
# interior point of the hinge stalls in about one of eighteen such problems (at 1e-6 to 6e-5, with a warning).
APART = ("ConstrainedRegressor", "PenalizedRegressor")
HINGED = [u for u in FIXED if u.kind == "LinearSVC" and dict(u.params).get("loss", "hinge") == "hinge"]


# What rounding leaves of the conjugate of L2 is bounded by the square of the largest slope, 4 here: over
# these columns, whose squares are 1e24 apart, no more than 2e-5 can be certified.
STEEP = [u for u in FIXED if dict(u.params).get("loss") == "modified_huber"]


@each([u for u in FIXED if u.kind not in APART and u not in [*HINGED, *STEEP]], exact)
def test_extreme_scales_together(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    fitted = certified(est, d.X * [1e-12, 1e12, 1.0, 1e-6, 1e6], d.y)
    assert fitted.solution_.status in {Status.CERTIFIED, Status.FLOOR}


@each(FIXED)
def test_one_row(est: Any) -> None:
    if is_classifier(est):
        with pytest.raises(ValueError, match="one class only"):
            clone(est).fit([[1.0, 2.0]], ["oak"])
        return
    fitted = certified(est, [[1.0, 2.0]], [3.0])
    if est.fit_intercept:
        tube = getattr(est, "epsilon", 0.0)  # in which every answer is as good
        assert fitted.predict([[1.0, 2.0]]) == pytest.approx([3.0], abs=tube + 3e-6)
        np.testing.assert_allclose(fitted.coef_, 0.0, atol=1e-12)


@each(FIXED, lambda est: is_regression(est) and has_intercept(est))
def test_constant_target(est: Any, rng: np.random.Generator) -> None:
    if get_tags(est).target_tags.positive_only:
        for value in (0.3, 5.0, 1e9):  # a log link: the logarithm is exact to its own rounding
            fitted = certified(est, data_for(est, rng).X, np.full(60, value))
            np.testing.assert_allclose(fitted.coef_, 0.0, atol=1e-12)
            assert np.exp(fitted.intercept_) == pytest.approx(value, rel=1e-12)
        return
    for value in (0.0, 5.0, -1e9):
        X = data_for(est, rng).X
        fitted = certified(est, X, np.full(len(X), value))
        np.testing.assert_allclose(fitted.coef_, 0.0, atol=1e-12 * max(1.0, abs(value)))
        tube = getattr(est, "epsilon", 0.0)
        assert fitted.intercept_ == pytest.approx(value, rel=1e-12, abs=max(1e-12, tube))


@each(FIXED)
def test_all_features_zero(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    fitted = certified(est, np.zeros_like(d.X), d.y)
    np.testing.assert_array_equal(fitted.coef_, np.zeros_like(fitted.coef_))


@each(FIXED, lambda est: is_regression(est) and get_tags(est).target_tags.multi_output)
def test_multi_output(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    Y = np.column_stack([d.y, -2.0 * d.y + rng.normal(size=len(d.y))])
    both = clone(est).set_params(tol=1e-12).fit(d.X, Y)
    assert both.predict(d.X).shape == (60, 2)
    for j in range(2):
        single = clone(est).set_params(tol=1e-12).fit(d.X, Y[:, j])
        np.testing.assert_allclose(both.coef_[j], single.coef_, rtol=1e-5, atol=1e-5)


@each(ALL, lambda est: hasattr(est, "predict_proba"))
def test_probabilities(est: Any, rng: np.random.Generator) -> None:
    for classes in (2, 3):
        d = data_for(est, rng, classes=classes)
        fitted = clone(est).fit(d.X, d.y)
        p = fitted.predict_proba(d.X * 1e4)  # far in the tails
        assert p.shape == (60, classes)
        np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
        assert ((p >= 0.0) & (p <= 1.0)).all()
        logs = fitted.predict_log_proba(d.X * 1e4)
        assert np.isfinite(logs[p > 0.0] if fitted.probabilities_open is False else logs).all()
        np.testing.assert_array_equal(
            fitted.predict(d.X), fitted.classes_[fitted.predict_proba(d.X).argmax(axis=1)]
        )
        assert list(fitted.classes_) == sorted(set(d.y))


# -- an interrupted fit -------------------------------------------------------------------------


class Interrupted:
    """A solver under which the user presses Ctrl-C."""

    name = "interrupted"
    needs: frozenset[Any] = frozenset()

    def init(self, problem: Any, w0: Any) -> Any:
        """Raise what a press of Ctrl-C raises."""
        raise KeyboardInterrupt

    def step(self, problem: Any, state: Any) -> Any:
        """Fail, because the solve must have ended before its first step."""
        raise AssertionError


@each(FIXED, lambda est: hasattr(est, "solver"))
def test_interrupted_fit_leaves_the_previous_state(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    fitted = clone(est).fit(d.X, d.y)
    before = dict(vars(fitted))
    other = data_for(est, rng, n=30, p=3)
    fitted.set_params(solver=Interrupted())
    with pytest.raises(KeyboardInterrupt):
        fitted.fit(other.X, other.y)
    fitted.set_params(solver="auto")
    after = vars(fitted)
    assert set(after) == set(before)
    assert all(after[key] is before[key] for key in before if key != "solver")
    fresh = clone(est).set_params(solver=Interrupted())
    with pytest.raises(KeyboardInterrupt):
        fresh.fit(d.X, d.y)
    assert not [key for key in vars(fresh) if key.endswith("_")]


@each(FIXED)
def test_failed_fit_leaves_the_previous_state(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    fitted = clone(est).fit(d.X, d.y)
    before = parameters(fitted)
    bad = d.X[:, :3].copy()
    bad[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        fitted.fit(bad, d.y)
    np.testing.assert_array_equal(parameters(fitted), before)
    np.testing.assert_array_equal(fitted.predict(d.X), fitted.predict(d.X))


@each(FIXED)
def test_step_limit_warns_with_a_code(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng, n=200, p=20)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted = clone(est).set_params(max_iter=1, tol=1e-15).fit(d.X, d.y)
    if fitted.solution_.status.ok:  # one direct solve may be all that it takes
        assert not caught
    else:
        assert [w.category.__name__ for w in caught] == ["CertificateWarning"]
        assert str(caught[0].message).startswith("ER001: ")
        assert "max_iter" in str(caught[0].message)
