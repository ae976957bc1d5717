"""Tables of models side by side hold the numbers of their summaries."""

import numpy as np
import pytest

import empirisk as er


def three(rng):
    X = rng.normal(size=(80, 3))
    y = X @ [1.0, 2.0, 0.0] + rng.normal(size=80)
    return X, y, [er.LinearRegression().fit(X[:, :k], y) for k in (1, 2, 3)]


def test_cells_are_the_numbers_of_the_summaries(rng):
    _, _, models = three(rng)
    table = er.regression_table(models, names=["a", "b", "c"])
    frame = table.to_frame()
    for name, model in zip("abc", models, strict=True):
        part, want = frame[frame["model"] == name], model.summary()
        assert list(part["term"]) == list(want.terms)
        np.testing.assert_array_equal(part["coef"], want.coef)
        np.testing.assert_array_equal(part["se"], want.se)
    shown = table._shown()
    assert shown["term"][:4] == ["intercept", "x0", "x1", "x2"]
    assert shown["a"][2:4] == ["", ""]
    first = models[0].summary()
    assert shown["a"][1] == f"{first.coef[1]:.4g} ({first.se[1]:.4g})"
    facts = table.facts_frame()
    assert list(facts["r2"]) == [m.summary()["r2"] for m in models]
    assert list(facts["aic"]) == [m.summary()["aic"] for m in models]
    assert "deviance" not in facts


def test_options_reach_every_summary_and_stars_come_only_when_asked(rng):
    _, _, models = three(rng)
    robust = er.regression_table(models, covariance="HC3", show="interval", level=0.9)
    want = models[2].summary(covariance="HC3", level=0.9)
    assert robust._shown()["(3)"][1] == f"{want.coef[1]:.4g} [{want.low[1]:.4g}, {want.high[1]:.4g}]"
    assert "90 % intervals" in robust.title
    assert "*" not in repr(er.regression_table(models))
    marked = er.regression_table(models, stars=True)
    assert "***" in marked._shown()["(3)"][2]
    assert "*" not in marked._shown()["(3)"][3] or want.p[3] < 0.1
    assert "of single tests" in repr(marked)
    assert "(" not in er.regression_table(models, show="none")._shown()["(1)"][1]


def test_models_of_different_kinds_stand_beside_each_other(rng):
    X, y, _ = three(rng)
    counts = rng.poisson(np.exp(0.3 * X[:, 0]))
    models = [
        er.PoissonRegressor(alpha=0).fit(X, counts),
        er.LogisticRegression(alpha=0).fit(X, rng.integers(0, 3, 80)),
        er.Ridge(alpha=1.0).fit(X, y),
    ]
    table = er.regression_table(models, names=["counts", "classes", "shrunk"])
    assert "1: x0" in table.terms
    assert table.terms[:3] == ["intercept", "1: intercept", "2: intercept"]
    assert "shrunk has no standard errors" in repr(table)
    assert "scale of their model" in repr(table)
    assert "\\toprule" in table.to_latex()
    assert "| counts |" in table.to_markdown()
    assert "<table>" in table._repr_html_()
    pytest.importorskip("matplotlib")
    assert len(table.plot("x0").axes.texts) == 4
    with pytest.raises(ValueError, match="no term 'age'"):
        table.plot("age")


def test_summaries_may_stand_in_the_place_of_models(rng):
    _, _, models = three(rng)
    mixed = er.regression_table([models[0].summary(covariance="HC3"), models[1]])
    assert mixed.summaries[0].se[1] == models[0].summary(covariance="HC3").se[1]
    with pytest.raises(ValueError, match="a summary was given already"):
        er.regression_table([models[0].summary()], covariance="HC3")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"names": ["a", "b"]}, "3 different words"),
        ({"names": ["a", "b", "a"]}, "3 different words"),
        ({"show": "t"}, "show must be one of"),
        ({"facts": ["gini"]}, "facts names 'gini'"),
    ],
)
def test_odd_requests_are_refused(rng, options, words):
    with pytest.raises(ValueError, match=words):
        er.regression_table(three(rng)[2], **options)


def test_what_is_no_linear_model_is_refused():
    with pytest.raises(ValueError, match="models is empty"):
        er.regression_table([])
    with pytest.raises(TypeError, match="DecisionTreeClassifier"):
        er.regression_table([er.DecisionTreeClassifier()])
