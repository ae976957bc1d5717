"""Coefficient tables: against algebra, R's and Stata's published numbers, peers and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
import statsmodels.api as sm
from scipy import stats
from scipy.special import expit

from empirisk.data import ArrayBlocks, Design
from empirisk.estimators import LinearRegression, LogisticRegression, Ridge
from empirisk.inference import Summary, summarise_glm
from empirisk.losses import HalfSquared, Logistic, Softmax
from empirisk.penalties import L1, L2, Zero
from empirisk.problems import LinearProblem
from empirisk.solvers import solve

# R 4.2.2: lm(stack.loss ~ ., stackloss); the data are those of Brownlee (1960), which statsmodels has too.
STACKLOSS = {
    "coef": [-39.919674420124, 0.715640200485283, 1.29528612438857, -0.152122519148653],
    "se": [11.8959968506443, 0.134858185355372, 0.368024265272704, 0.156294043248621],
    "sigma": 3.24336391818523,
    "r2": 0.913576904460682,
    "adjusted_r2": 0.898325769953743,
}


def linear(X, y, weight=None, intercept=True, penalty=None):
    X = X if sp.issparse(X) else np.asarray(X)
    y = np.asarray(y, dtype=float)
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    outputs = y.shape[1] if y.ndim == 2 else 0
    return LinearProblem(
        HalfSquared(), penalty or Zero(), ArrayBlocks(Design(X), y, weight), intercept, n_outputs=outputs
    )


def logistic(X, y, weight=None, intercept=True, penalty=None, k=0):
    y = np.asarray(y) if k else np.asarray(y, dtype=float)
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    data = ArrayBlocks(Design(X), y, weight)
    return LinearProblem(Softmax() if k else Logistic(), penalty or Zero(), data, intercept, n_outputs=k)


def ols(problem: LinearProblem, **options) -> Summary:
    return summarise_glm(problem, solve(problem, tol=1e-12), **options)


def logit(problem: LinearProblem, **options) -> Summary:
    return summarise_glm(problem, solve(problem, tol=1e-12), **options)


def spector():
    data = sm.datasets.spector.load()
    return np.asarray(data.exog, dtype=float), np.asarray(data.endog, dtype=float)


# -- least squares ----------------------------------------------------------------------------------


def test_stackloss_as_published():
    data = sm.datasets.stackloss.load_pandas()
    table = ols(linear(data.exog.to_numpy(float), data.endog), names=list(data.exog.columns))
    np.testing.assert_allclose(table.coef, STACKLOSS["coef"], rtol=1e-11)
    np.testing.assert_allclose(table.se, STACKLOSS["se"], rtol=1e-11)
    for name in ("sigma", "r2", "adjusted_r2"):
        assert table[name] == pytest.approx(STACKLOSS[name], rel=1e-12)
    assert table.terms == ("intercept", "AIRFLOW", "WATERTEMP", "ACIDCONC")
    assert table["df"] == 17
    # Printed by R's summary(): t and p of air flow, F and its p.
    assert table.statistic[1] == pytest.approx(5.307, abs=5e-4)
    assert table.p[1] == pytest.approx(5.8e-05, abs=5e-7)
    assert table["F"] == pytest.approx(59.9, abs=0.05)
    assert table["F_p"] == pytest.approx(3.016e-09, rel=1e-3)


@pytest.mark.parametrize("intercept", [True, False])
def test_the_textbook_formula_with_weights_as_repetition(rng, intercept):
    X, y = rng.standard_normal((40, 3)) + 5.0, rng.standard_normal(40)
    weight = rng.integers(0, 4, size=40)
    table = ols(linear(X, y, weight, intercept))
    again = ols(linear(np.repeat(X, weight, axis=0), np.repeat(y, weight), None, intercept))
    A = np.column_stack([np.ones(40), X]) if intercept else X
    inverse = np.linalg.inv(A.T @ (weight[:, None] * A))
    coef = inverse @ (A.T @ (weight * y))
    df = weight.sum() - A.shape[1]
    covariance = inverse * (weight @ (y - A @ coef) ** 2) / df
    np.testing.assert_allclose(table.coef, coef, rtol=1e-9)
    np.testing.assert_allclose(table.covariance, covariance, rtol=1e-9)
    np.testing.assert_allclose(table.se, np.sqrt(np.diag(covariance)), rtol=1e-10)
    np.testing.assert_allclose(table.high - table.coef, stats.t.ppf(0.975, df) * table.se, rtol=1e-9)
    assert any("repetitions" in note for note in table.notes)
    for part in ("coef", "se", "statistic", "p", "low", "high"):
        np.testing.assert_allclose(getattr(table, part), getattr(again, part), rtol=1e-8)
    for fact in table.facts:
        assert fact.value == pytest.approx(again[fact.name], rel=1e-8), fact.name


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("level", [0.8, 0.99])
def test_statsmodels_agrees(rng, intercept, level):
    X = rng.standard_normal((60, 4)) @ rng.standard_normal((4, 4)) + 3.0
    y = X[:, 0] + rng.standard_normal(60)
    table = ols(linear(X, y, None, intercept), level=level)
    peer = sm.OLS(y, sm.add_constant(X) if intercept else X).fit()
    np.testing.assert_allclose(table.coef, peer.params, rtol=1e-8)
    np.testing.assert_allclose(table.se, peer.bse, rtol=1e-8)
    np.testing.assert_allclose(table.p, peer.pvalues, rtol=1e-6, atol=1e-300)
    np.testing.assert_allclose(np.column_stack([table.low, table.high]), peer.conf_int(1 - level), rtol=1e-7)
    for name, value in {
        "r2": peer.rsquared,
        "adjusted_r2": peer.rsquared_adj,
        "F": peer.fvalue,
        "F_p": peer.f_pvalue,
        "log_likelihood": peer.llf,
        "aic": peer.aic + 2.0,  # sigma counts as a parameter, as in R
    }.items():
        assert table[name] == pytest.approx(value, rel=1e-8), name


def test_hc3_and_its_weights(rng):
    X = rng.standard_normal((50, 3))
    y = X[:, 0] + rng.standard_normal(50) * np.exp(X[:, 1])
    table = ols(linear(X, y), covariance="HC3")
    peer = sm.OLS(y, sm.add_constant(X)).fit(cov_type="HC3", use_t=True)
    np.testing.assert_allclose(table.se, peer.bse, rtol=1e-9)
    many = ols(linear(X, y), covariance="HC1")  # HC3 takes fewer degrees of freedom than peers
    np.testing.assert_allclose(
        many.p, sm.OLS(y, sm.add_constant(X)).fit(cov_type="HC1", use_t=True).pvalues, rtol=1e-7
    )
    assert (table.p >= peer.pvalues).all()
    weight = rng.integers(1, 4, size=50)
    again = ols(linear(np.repeat(X, weight, axis=0), np.repeat(y, weight)), covariance="HC3")
    np.testing.assert_allclose(
        ols(linear(X, y, weight), covariance="HC3", weights="frequency").se, again.se, rtol=1e-9
    )
    assert any("HC3" in note for note in table.notes)
    X[0] = [0.0, 0.0, 1e9]
    X[1:, 2] = 0.0
    assert np.isnan(ols(linear(X, y), covariance="HC3").se).all()


def cr2(A, y, groups):
    """CR2 and Satterthwaite degrees of freedom with n x n matrices, as Bell and McCaffrey write them."""
    inverse = np.linalg.inv(A.T @ A)
    M = np.eye(len(y)) - A @ inverse @ A.T
    e = M @ y
    meat, columns = np.zeros((A.shape[1],) * 2), []
    for g in np.unique(groups):
        rows = groups == g
        value, vector = np.linalg.eigh(M[np.ix_(rows, rows)])
        root = vector @ np.diag(1.0 / np.sqrt(value)) @ vector.T
        v = A[rows].T @ root @ e[rows]
        meat += np.outer(v, v)
        columns.append(M[:, rows] @ root @ A[rows] @ inverse)
    df = []
    for j in range(A.shape[1]):
        P = np.column_stack([c[:, j] for c in columns])
        value = np.linalg.eigvalsh(P.T @ P)
        df.append(value.sum() ** 2 / (value**2).sum())
    return inverse @ meat @ inverse, np.array(df)


def test_cluster_robust_is_bell_mccaffrey(rng):
    groups = rng.integers(0, 9, size=45)
    X = rng.standard_normal((45, 2)) + rng.standard_normal(9)[groups][:, None]
    y = X[:, 0] + rng.standard_normal(9)[groups] + rng.standard_normal(45)
    table = ols(linear(X, y), covariance="cluster", groups=groups)
    covariance, df = cr2(np.column_stack([np.ones(45), X]), y, groups)
    np.testing.assert_allclose(table.covariance, covariance, rtol=1e-8)
    width = stats.t.ppf(0.975, df) * np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(table.high - table.coef, width, rtol=1e-8)
    weight = rng.integers(1, 3, size=45)
    again = ols(
        linear(np.repeat(X, weight, axis=0), np.repeat(y, weight)),
        covariance="cluster",
        groups=np.repeat(groups, weight),
    )
    weighted = ols(linear(X, y, weight), covariance="cluster", groups=groups)
    np.testing.assert_allclose(weighted.se, again.se, rtol=1e-8)
    np.testing.assert_allclose(weighted.low, again.low, rtol=1e-7)


def test_several_targets_are_the_single_ones(rng):
    X, Y = rng.standard_normal((30, 2)), rng.standard_normal((30, 2))
    table = ols(linear(X, Y), outputs=["a", "b"])
    assert table.groups == ("a",) * 3 + ("b",) * 3
    for k, name in enumerate("ab"):
        alone = ols(linear(X, Y[:, k]))
        np.testing.assert_allclose(table.se[3 * k : 3 * k + 3], alone.se, rtol=1e-9)
        assert table[f"sigma [{name}]"] == pytest.approx(alone["sigma"], rel=1e-9)


def test_sparse_and_large_offsets_agree_with_dense(rng):
    X = rng.standard_normal((80, 3)) * (rng.random((80, 3)) < 0.4)
    y = rng.standard_normal(80)
    dense = ols(linear(X, y), covariance="HC3")
    for form in (sp.csr_array, sp.csc_array):
        problem = linear(form(X), y)
        w = solve(linear(X, y), tol=1e-12).w
        table = summarise_glm(problem, w, covariance="HC3")
        np.testing.assert_allclose(table.se, dense.se, rtol=1e-9)
    moved = ols(linear(X + 1e6, y))
    np.testing.assert_allclose(moved.se[1:], ols(linear(X, y)).se[1:], rtol=1e-8)


@pytest.mark.full  # simulated
def test_intervals_cover_at_their_level():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((12, 2))
    hits = 0
    for _ in range(1000):
        problem = linear(X, 1.0 + X @ [2.0, -1.0] + rng.standard_normal(12))
        A = np.column_stack([X, np.ones(12)])
        table = summarise_glm(problem, np.linalg.lstsq(A, problem.data.y, rcond=None)[0], level=0.9)
        hits += int(table.low[1] <= 2.0 <= table.high[1])
    assert stats.binomtest(hits, 1000, 0.9).pvalue > 1e-3


# -- where inference is not valid -------------------------------------------------------------------


def blocked(table: Summary, words: str) -> None:
    assert not table.valid
    assert np.isnan(table.se).all()
    assert np.isnan(table.p).all()
    assert any(words in note for note in table.notes), table.notes
    assert words in repr(table)
    assert np.isfinite(table.coef).all()


def test_penalties_get_words_instead_of_numbers(rng):
    X, y = rng.standard_normal((30, 3)), rng.standard_normal(30)
    blocked(ols(linear(X, y, penalty=L2(0.1))), "shrinks")
    blocked(ols(linear(X, y, penalty=L1(0.01))), "chose")
    blocked(ols(linear(X, y, penalty=Zero(positive=True))), "boundary")
    labels = np.where(y > 0, 1.0, -1.0)
    blocked(logit(logistic(X, labels, penalty=L2(0.1))), "shrinks")
    assert "sigma" not in [f.name for f in ols(linear(X, y, penalty=L2(0.1))).facts]


def test_no_degrees_of_freedom(rng):
    for n, p in ((4, 3), (4, 8), (1, 0)):
        table = ols(linear(rng.standard_normal((n, p)), rng.standard_normal(n)))
        assert not table.valid
        assert any("no degrees of freedom" in note for note in table.notes)


def test_only_the_undetermined_coefficients_are_missing(rng):
    a, b, c = rng.standard_normal((3, 40))
    y = a + b + rng.standard_normal(40)
    table = ols(linear(np.column_stack([a, b, c, a - c]), y), names=["a", "b", "c", "d"])
    assert np.isnan(table.se).tolist() == [False, True, False, True, True]
    assert np.isnan(table.coef).tolist() == [False, True, False, True, True]
    alone = ols(linear(np.column_stack([a, b, c]), y))
    np.testing.assert_allclose(table.se[[0, 2]], alone.se[[0, 2]], rtol=1e-9)
    assert table["df"] == alone["df"]
    relations = ("c = a - d", "a = c + d", "d = a - c")
    assert any("not determined" in note and "a, c, d" in note for note in table.notes)
    assert any(relation in note for note in table.notes for relation in relations)
    constant = ols(linear(np.column_stack([a, np.full(40, 2.0)]), y), names=["a", "k"])
    assert np.isnan(constant.se).tolist() == [True, False, True]


def test_a_perfect_fit_says_so(rng):
    X = rng.standard_normal((20, 2))
    table = ols(linear(X, 1.0 + X @ [1.0, 2.0]))
    assert np.all(table.se == 0.0)
    assert table["sigma"] == 0.0
    assert any("perfect" in note for note in table.notes)
    noisy = ols(linear(X, 1.0 + X @ [1.0, 2.0] + 1e-9 * rng.standard_normal(20)))
    assert noisy["sigma"] > 1e-10


def test_separable_classes_get_words():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    problem = logistic(X, y)
    table = summarise_glm(problem, np.array([10.0, -15.0]), names=["dose"])
    blocked(table, "no finite minimiser")
    assert "dose" in repr(table)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"level": 1.0}, "level"),
        ({"covariance": "HC9"}, "covariance"),
        ({"covariance": "cluster"}, "groups"),
        ({"groups": [1, 2, 3]}, "groups"),
        ({"names": ["a"]}, "names has 1"),
        ({"covariance": "cluster", "groups": np.zeros(10)}, "at least 2 groups"),
        ({"covariance": "cluster", "groups": np.zeros(3)}, "one entry per row"),
    ],
)
def test_wrong_arguments_are_named(rng, options, words):
    problem = linear(rng.standard_normal((10, 2)), rng.standard_normal(10))
    with pytest.raises(ValueError, match=words):
        ols(problem, **options)


def test_other_rows_than_those_of_the_fit_are_refused(rng):
    X, y = rng.standard_normal((30, 2)), rng.standard_normal(30)
    solution = solve(linear(X, y))
    summarise_glm(linear(X, y), solution)
    with pytest.raises(ValueError, match="not the rows"):
        summarise_glm(linear(X, y[::-1]), solution)
    with pytest.raises(ValueError, match="not the rows"):
        summarise_glm(linear(X[:, :1], y), solution)


def test_the_estimators_give_the_same_tables(rng):
    frame = sm.datasets.spector.load_pandas()
    model = LogisticRegression(alpha=0.0, class_weight=None).fit(frame.exog, frame.endog)
    table = model.summary(frame.exog, frame.endog)
    assert table.terms == ("intercept", *frame.exog.columns)
    np.testing.assert_allclose(
        table.se, sm.Logit(frame.endog, sm.add_constant(frame.exog)).fit(disp=0).bse, 1e-6
    )
    weighted = LogisticRegression(alpha=0.0, class_weight="balanced").fit(frame.exog, frame.endog)
    assert any("class weights" in note for note in weighted.summary(frame.exog, frame.endog).notes)
    groups = rng.integers(0, 6, size=len(frame.endog))
    ridge = Ridge().fit(frame.exog, frame.endog).summary(frame.exog, frame.endog)
    assert not ridge.valid
    ordinary = LinearRegression().fit(frame.exog, frame.endog)
    clustered = ordinary.summary(frame.exog, frame.endog, covariance="cluster", groups=groups)
    assert "CR2" in clustered.notes[0]
    rows = (frame.exog["GPA"] < 2.8) | (frame.exog["GPA"] > 3.5)
    with pytest.raises(ValueError, match="separable by GPA"):
        LogisticRegression(alpha=0.0).fit(frame.exog[rows], frame.exog["GPA"][rows] > 3)


# -- logistic ---------------------------------------------------------------------------------------


def test_spector_as_published():
    # Greene, Econometric Analysis, logit table, as Stata prints it (single-precision stopping rule).
    X, y = spector()
    table = logit(logistic(X, 2 * y - 1), names=["gpa", "tuce", "psi"], classes=[0, 1])
    np.testing.assert_allclose(
        table.coef, [-13.0213483201, 2.82611297201, 0.0951576702557, 2.37868772835], 1e-6
    )
    np.testing.assert_allclose(table.se, [4.93132462871, 1.26294114526, 0.141554207662, 1.06456430165], 1e-6)
    assert table["log_likelihood"] == pytest.approx(-12.8896334653335, rel=1e-7)
    assert table["null_deviance"] == pytest.approx(2 * 20.5917296966173, rel=1e-12)
    assert table["aic"] == pytest.approx(33.779266930667, rel=1e-7)
    assert table["bic"] == pytest.approx(39.642210541866, rel=1e-7)


def test_binary_information_by_algebra_and_peer(rng):
    X, y = spector()
    for weight in (np.ones(32), rng.integers(1, 4, size=32).astype(float)):
        problem = logistic(X, 2 * y - 1, weight)
        table = logit(problem)
        A = np.column_stack([np.ones(32), X])
        q = expit(A @ table.coef)
        covariance = np.linalg.inv(A.T @ ((weight * q * (1 - q))[:, None] * A))
        np.testing.assert_allclose(table.covariance, covariance, rtol=1e-6)
        repeats = weight.astype(int)
        peer = sm.Logit(np.repeat(y, repeats), np.repeat(A, repeats, axis=0)).fit(disp=0, tol=1e-14)
        np.testing.assert_allclose(table.se, peer.bse, rtol=1e-7)
        np.testing.assert_allclose(table.p, peer.pvalues, rtol=1e-6)
        np.testing.assert_allclose(np.column_stack([table.low, table.high]), peer.conf_int(), rtol=1e-6)
        assert table["aic"] == pytest.approx(peer.aic, rel=1e-10)
        assert table["bic"] == pytest.approx(peer.bic, rel=1e-10)
        assert table["pseudo_r2"] == pytest.approx(peer.prsquared, rel=1e-8)
        assert table["LR_p"] == pytest.approx(peer.llr_pvalue, rel=1e-7)


def test_multinomial_against_statsmodels():
    data = sm.datasets.anes96.load()
    X = np.asarray(data.exog[["logpopul", "selfLR", "age", "educ", "income"]], dtype=float)
    y = np.asarray(data.endog, dtype=int)
    labels = [f"c{k}" for k in range(7)]
    table = logit(logistic(X, y, k=7), classes=labels)
    peer = sm.MNLogit(y, sm.add_constant(X)).fit(disp=0, maxiter=100)
    np.testing.assert_allclose(table.coef, np.asarray(peer.params).T.ravel(), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(table.se, np.asarray(peer.bse).T.ravel(), rtol=1e-7)
    np.testing.assert_allclose(table.covariance, np.asarray(peer.cov_params()), rtol=1e-5, atol=1e-9)
    counts = np.bincount(y)
    null = counts @ np.log(counts / counts.sum())  # the peer finds it by iteration, to fewer digits
    assert table["LR"] == pytest.approx(2.0 * (peer.llf - null), rel=1e-9)
    assert table["LR_p"] == pytest.approx(peer.llr_pvalue, rel=1e-5)
    assert table.groups[0] == "c1"
    assert any("against class c0" in note for note in table.notes)


def test_two_class_softmax_is_the_binary_model():
    X, y = spector()
    binary = logit(logistic(X, 2 * y - 1))
    softmax = logit(logistic(X, y.astype(int), k=2))
    np.testing.assert_allclose(softmax.coef, binary.coef, rtol=1e-5)
    np.testing.assert_allclose(softmax.se, binary.se, rtol=1e-5)
    assert softmax["LR"] == pytest.approx(binary["LR"], rel=1e-9)


def test_collinear_logistic_keeps_what_is_determined():
    X, y = spector()
    table = logit(logistic(np.column_stack([X, X[:, 0] + X[:, 2]]), 2 * y - 1), names=list("abcd"))
    assert np.isnan(table.se).tolist() == [False, True, False, True, True]
    alone = logit(logistic(X, 2 * y - 1))
    np.testing.assert_allclose(table.se[[0, 2]], alone.se[[0, 2]], rtol=1e-5)


# -- rendering --------------------------------------------------------------------------------------


def test_frame_text_and_html():
    pd = pytest.importorskip("pandas")
    X, y = spector()
    table = logit(logistic(X, 2 * y - 1), names=["<gpa>", "tuce", "psi"])
    frame = table.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["coef", "se", "z", "p", "low", "high", "vif"]
    assert list(frame.index) == ["intercept", "<gpa>", "tuce", "psi"]
    assert frame.loc["psi", "coef"] == table.coef[3]
    text, page = repr(table), table._repr_html_()
    assert all(name in text for name in ("<gpa>", "tuce", "deviance", "97.5 %", "log odds"))
    assert "&lt;gpa&gt;" in page
    assert "<gpa>" not in page
    assert page.count("<tr>") == 1 + 4 + len(table.facts)
    with pytest.raises(KeyError, match="no fact 'sigma'"):
        table["sigma"]


def test_frame_without_pandas_is_polars(monkeypatch, rng):
    pl = pytest.importorskip("polars")
    import sys

    table = ols(linear(rng.standard_normal((9, 1)), rng.standard_normal((9, 2))))
    assert table.to_frame().index.names == ["group", "term"]
    monkeypatch.setitem(sys.modules, "pandas", None)
    frame = table.to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame.columns == ["group", "term", "coef", "se", "t", "p", "low", "high"]
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match="pandas or polars"):
        table.to_frame()


def test_numbers_print_in_words_that_fit():
    nan = np.array([math.nan, math.nan])
    table = Summary(
        "t", ("a", "b"), ("", ""), np.array([3.0, math.inf]), nan, nan, np.array([1e-30, 0.04]), nan, nan
    )
    assert "<1e-16" in repr(table)
    assert "0.04" in repr(table)
    assert "inf" in repr(table)
