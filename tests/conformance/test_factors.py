"""Factors in linear models: every estimator fits a frame as it fits the columns that were coded by hand."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import statsmodels.formula.api as smf
from sklearn.base import clone, is_classifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import empirisk as er
from empirisk.codings import REGISTRY
from empirisk.codings.factors import Factors
from empirisk.estimators import REGISTRY as ESTIMATORS
from empirisk.estimators.linear.base import LinearEstimator
from empirisk.results import Kind
from tests.conformance.estimators import ALL, BY_STEPS, Use, data_for
from tests.conformance.posterior_estimators import USES as POSTERIORS
from tests.oracles.complete import complete

LINEAR = [u for u in [*ALL, *BY_STEPS, *POSTERIORS] if isinstance(u.make(), LinearEstimator)]
LEVELS = ("ash", "birch", "cedar", "elm")
# The matrices for four levels of which the second is the most frequent, by hand.
MATRICES = {
    "treatment": (["ash", "cedar", "elm"], [[1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1]]),
    "sum": (["S.ash", "S.birch", "S.cedar"], [[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, -1, -1]]),
    "helmert": (["H.birch", "H.cedar", "H.elm"], [[-1, -1, -1], [1, -1, -1], [0, 2, -1], [0, 0, 3]]),
    "indicators": (list(LEVELS), [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]),
}


def rows_for(est: Any, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """Return two numbers, a text and a category, and targets that suit the estimator."""
    rng = np.random.default_rng(seed)
    data = data_for(est, rng, n=80)
    tree = np.array(LEVELS)[np.r_[np.arange(4), rng.choice(4, size=76, p=[0.2, 0.4, 0.2, 0.2])]]
    soil = pd.Categorical(rng.choice(["wet", "dry", "mid"], 80), categories=["dry", "mid", "wet"])
    return pd.DataFrame({"a": data.X[:, 0], "tree": tree, "b": data.X[:, 1], "soil": soil}), data.y


def by_hand(X: pd.DataFrame, intercept: bool) -> pd.DataFrame:
    """Return treatment coding against the most frequent level, cell by cell."""
    out: dict[str, Any] = {"a": X["a"]}
    for at, name in enumerate(("tree", "soil")):
        if name == "soil":
            out["b"] = X["b"]
        counts = {level: int((X[name] == level).sum()) for level in sorted(set(X[name]))}
        most = max(counts, key=lambda level: counts[level])
        for level in counts:
            if level != most or (at == 0 and not intercept):
                out[f"{name}[{level}]"] = [float(cell == level) for cell in X[name]]
    return pd.DataFrame(out)


@pytest.mark.parametrize("name", REGISTRY)
def test_matrix_of_each_coding(name: str) -> None:
    complete(MATRICES, REGISTRY, "the matrix", "MATRICES in tests/conformance/test_factors.py")
    labels, C = MATRICES[name]
    found, named = REGISTRY[name]().contrasts(LEVELS, np.array([2.0, 5.0, 2.0, 2.0]))
    np.testing.assert_array_equal(found, np.array(C, dtype=float))
    assert named == labels
    assert REGISTRY[name].name == name


def test_every_linear_estimator_is_tried() -> None:
    kinds = {name for name, cls in ESTIMATORS.items() if issubclass(cls, LinearEstimator)}
    assert kinds == {u.kind for u in LINEAR}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("u", LINEAR, ids=str)
def test_a_frame_with_factors_is_fitted_as_its_coded_columns(u: Use) -> None:
    est = u.make()
    X, y = rows_for(est)
    coded = by_hand(X, bool(getattr(est, "fit_intercept", True)))
    model, plain = clone(est).fit(X, y), clone(est).fit(coded, y)
    assert model.terms_ == tuple(coded.columns) == plain.terms_
    assert list(model.feature_names_in_) == list(X.columns)
    assert model.n_features_in_ == 4
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-10, atol=1e-10 * np.abs(plain.coef_).max())
    np.testing.assert_allclose(model.intercept_, plain.intercept_, rtol=1e-10, atol=1e-10)
    assert model.certificate_.kind is plain.certificate_.kind
    assert model.certificate_.scale == pytest.approx(plain.certificate_.scale, rel=1e-10, nan_ok=True)
    expected, answers = plain.predict(coded), model.predict(X)
    same = np.array_equal(answers, expected) if is_classifier(est) else np.allclose(answers, expected, 1e-9)
    assert same
    assert model.terms_groups_ == {
        name: tuple(j for j, term in enumerate(coded.columns) if term.partition("[")[0] == name)
        for name in X.columns
    }
    assert np.shape(model.coef_)[-1] == len(model.terms_)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), answers)
    if model.certificate_.kind not in (Kind.NONE, Kind.MONTE_CARLO):
        assert er.verify(model, X, y).within(float(model.tol or 1e-6) * 10.0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "u", [u for u in LINEAR if u.kind in ("Ridge", "SGDClassifier", "Perceptron")], ids=str
)
def test_bad_rows_are_refused_by_column_level_and_row(u: Use) -> None:
    X, y = rows_for(u.make())
    model = u.make().fit(X, y)
    new = X.iloc[:5].reset_index(drop=True)
    with pytest.raises(
        ValueError, match=r"column 'tree' of X holds the level 'oak' in row 3, .*'ash', 'birch'"
    ):
        model.predict(new.assign(tree=["ash", "elm", "ash", "oak", "ash"]))
    with pytest.raises(ValueError, match=r"empty cell in column 'tree', row 1"):
        model.predict(new.assign(tree=["ash", None, "ash", "elm", "ash"]))
    with pytest.raises(ValueError, match=r"empty cell in column 'soil', row 2"):
        u.make().fit(X.assign(soil=X["soil"].where(np.arange(80) != 2)), y)
    with pytest.raises(ValueError, match=r"NaN in column 'b', row 4"):
        model.predict(new.assign(b=[0.0, 0.0, 0.0, 0.0, np.nan]))
    with pytest.raises(ValueError, match="same order"):
        model.predict(new[["b", "a", "tree", "soil"]])
    with pytest.raises(ValueError, match="soil"):
        model.predict(new[["a", "tree", "b"]])
    with pytest.raises(ValueError, match=r"column 'tree'.*'text'|text 'ash' in column 'tree'"):
        u.make().set_params(categorical_features=None).fit(X[["a", "tree"]], y)


def test_levels_have_the_means_of_their_rows() -> None:
    rng = np.random.default_rng(1)
    site = rng.integers(0, 4, 300)
    y = rng.poisson(np.exp(np.array([0.0, 2.0, 0.0, 1.0])[site])).astype(float)
    means = np.array([y[site == k].mean() for k in range(4)])
    X, each = pd.DataFrame({"site": pd.Categorical(site)}), pd.DataFrame({"site": pd.Categorical(range(4))})
    for coding in REGISTRY.values():
        for est in (er.LinearRegression(), er.PoissonRegressor(alpha=0.0, tol=1e-12)):
            model = est.set_params(categorical_features={"site": coding()}).fit(X, y)
            np.testing.assert_allclose(model.predict(each), means, rtol=1e-9)
    model = er.LinearRegression(fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.coef_, means, rtol=1e-12)
    assert model.terms_ == ("site[0]", "site[1]", "site[2]", "site[3]")


@pytest.mark.parametrize(
    ("coding", "formula"),
    [
        (er.codings.Treatment("cedar"), "C(tree, Treatment('cedar'))"),
        (er.codings.Sum(), "C(tree, Sum)"),
        (er.codings.Helmert(), "C(tree, Helmert)"),
    ],
    ids=["treatment", "sum", "helmert"],
)
def test_coefficients_and_errors_are_those_of_statsmodels(coding: Any, formula: str) -> None:
    X, y = rows_for(er.LinearRegression())
    table = X.assign(y=y)
    peer = smf.ols(f"y ~ a + {formula} + b", table).fit()
    model = er.LinearRegression(categorical_features={"tree": coding}).fit(X.drop(columns="soil"), y)
    names = ["a", *(n for n in peer.params.index if n.startswith("C(")), "b"]
    np.testing.assert_allclose(model.coef_, peer.params[names], rtol=1e-9)
    se = model.summary(X.drop(columns="soil"), y).se[1:]
    np.testing.assert_allclose(se, peer.bse[names], rtol=1e-9)
    test = model.wald_test([model.terms_[j] for j in model.terms_groups_["tree"]])
    R = np.array([[float(n == m) for n in peer.params.index] for m in names[1:4]])
    assert test.statistic == pytest.approx(float(peer.f_test(R).fvalue), rel=1e-8)


def test_references_ties_weights_and_declared_orders() -> None:
    y = np.arange(6.0)
    X = pd.DataFrame({"k": ["b", "a", "b", "a", "c", "b"]})
    assert er.LinearRegression().fit(X, y).terms_ == ("k[a]", "k[c]")
    assert er.LinearRegression().fit(X[1:], y[1:]).terms_ == ("k[b]", "k[c]")  # a tie: the first in order
    heavy = er.LinearRegression().fit(X, y, sample_weight=[1, 1, 1, 1, 5, 1])
    assert heavy.terms_ == ("k[a]", "k[b]")
    twice = np.repeat(np.arange(6), [1, 1, 1, 1, 5, 1])
    np.testing.assert_allclose(
        heavy.coef_, er.LinearRegression().fit(X.iloc[twice], y[twice]).coef_, rtol=1e-12
    )
    absent = er.LinearRegression().fit(X, y, sample_weight=[1, 1, 1, 1, 0, 1])
    np.testing.assert_allclose(absent.coef_, er.LinearRegression().fit(X.drop(4), np.delete(y, 4)).coef_)
    assert absent.terms_ == ("k[a]",)
    assert er.verify(absent, X, y, sample_weight=[1, 1, 1, 1, 0, 1]).within(1e-6)
    ordered = pd.DataFrame({"k": pd.Categorical(X["k"], ["c", "b", "a", "unused"], ordered=True)})
    assert er.Ridge(categorical_features={"k": er.codings.Helmert()}).fit(ordered, y).terms_ == (
        "k[H.b]",
        "k[H.a]",
    )
    enum = pl.DataFrame({"k": pl.Series(X["k"].tolist(), dtype=pl.Enum(["c", "b", "a"]))})
    assert er.Ridge(categorical_features={"k": er.codings.Sum()}).fit(enum, y).terms_ == ("k[S.c]", "k[S.b]")
    assert er.Ridge(categorical_features={"k": "c"}).fit(X, y).terms_ == ("k[a]", "k[b]")
    with pytest.raises(
        ValueError, match=r"column 'k': no row has the reference level 'C'; levels are .*mean 'c'"
    ):
        er.Ridge(categorical_features={"k": "C"}).fit(X, y)
    with pytest.raises(ValueError, match="names 'kk', which X does not have"):
        er.Ridge(categorical_features={"kk": "c"}).fit(X, y)
    with pytest.raises(ValueError, match="factor of one level"):
        er.Ridge().fit(pd.DataFrame({"k": ["a"] * 6}), y)
    with pytest.raises(ValueError, match="two columns would be called 'k\\[a\\]'"):
        er.Ridge().fit(X.assign(**{"k[a]": y}), y)
    with pytest.raises(ValueError, match=r"5,001 levels on 5,001 rows"):
        er.Ridge().fit(pd.DataFrame({"k": [f"n{i}" for i in range(5001)]}), np.arange(5001.0))


def test_frames_of_polars_arrays_of_objects_and_lists_of_columns() -> None:
    X, y = rows_for(er.Ridge())
    model = er.Ridge().fit(X, y)
    P = pl.DataFrame(
        {**{c: X[c].tolist() for c in ("a", "tree", "b")}, "soil": X["soil"].astype(str).tolist()}
    )
    other = er.Ridge().fit(P, y)
    np.testing.assert_array_equal(other.coef_, model.coef_)
    np.testing.assert_array_equal(other.predict(P), model.predict(X))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        objects = er.Ridge(categorical_features=[1, 3]).fit(X.to_numpy(dtype=object), y)
    np.testing.assert_array_equal(objects.coef_, model.coef_)
    assert objects.terms_[1] == "x1[ash]"
    flags = er.Ridge(categorical_features=["b", "tree", "soil"]).fit(X.assign(b=np.arange(80) % 2), y)
    assert flags.terms_groups_["b"] == (4,)


def test_float32_stays_and_truth_values_are_numbers() -> None:
    X, y = rows_for(er.Ridge())
    single = X.astype({"a": np.float32, "b": np.float32})
    assert er.Ridge().fit(single, y).coef_.dtype == np.float32
    assert er.Ridge().fit(X.assign(b=X["b"] > 0.0), y).terms_[4] == "b"


def test_a_factor_of_many_levels_is_sparse_and_has_the_means() -> None:
    rng = np.random.default_rng(2)
    code = rng.permutation(np.r_[np.arange(1000), rng.integers(0, 1000, 4000)])
    X = pd.DataFrame({"id": [f"i{c:04d}" for c in code]})
    y = rng.normal(size=5000) + code / 100.0
    model = er.LinearRegression(tol=1e-12).fit(X, y)
    assert sp.issparse(model._design(X))
    assert model._design(X).nnz == 5000 - int((code == np.bincount(code).argmax()).sum())
    means = np.bincount(code, y) / np.bincount(code)
    np.testing.assert_allclose(model.predict(X), means[code], rtol=1e-6, atol=1e-7)


@pytest.mark.filterwarnings("ignore")
def test_searches_pipelines_and_paths_take_factors() -> None:
    X, y = rows_for(er.Ridge())
    search = GridSearchCV(make_pipeline(er.Ridge()), {"ridge__alpha": [0.1, 1.0]}).fit(X, y)
    assert search.best_estimator_[-1].terms_[1] == "tree[ash]"
    assert er.path(er.Lasso(), X, y).feature_names == er.Ridge().fit(X, y).terms_
    assert er.cross_evaluate(er.Ridge(), X, y).losses("mae").shape[1] == 80
    fits = list(er.Ridge()._fit_each(X, y, "alpha", [0.1, 1.0]))
    np.testing.assert_allclose(fits[0].predict(X), er.Ridge(0.1).fit(X, y).predict(X), rtol=1e-5)
    small, large = er.LinearRegression().fit(X[["a", "b"]], y), er.LinearRegression().fit(X, y)
    assert er.likelihood_ratio(small, large, X, y).df == 5
    failing = er.Ridge().fit(X, y)
    before = failing.coef_.copy()
    with pytest.raises(ValueError, match="empty cell"):
        failing.fit(X.assign(tree=None, soil=X["soil"]).astype({"tree": "category"}), y)
    np.testing.assert_array_equal(failing.coef_, before)
    assert failing.fit(X[["a", "b"]], y).terms_ == ("a", "b")


def test_the_coder_of_factors_reads_all_frames() -> None:
    X, _ = rows_for(er.Ridge())
    arrow = nw.from_native(X[["a", "tree"]]).to_arrow()
    found, same = Factors.fit(arrow, "from_dtype"), Factors.fit(X[["a", "tree"]], "from_dtype")
    assert found is not None
    assert same is not None
    np.testing.assert_array_equal(found.matrix(arrow), same.matrix(X[["a", "tree"]]))
