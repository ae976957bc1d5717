"""Decision regions: what the model says at every place, and refusals of what has no map."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import empirisk as er


def rows(n: int = 60) -> tuple[Any, Any]:
    """Return rows of two words that a slanted line parts, with a few on the wrong side."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    return X, np.where(X @ [1.0, 2.0] + 0.5 * rng.normal(size=n) > 0.0, "yes", "no")


@pytest.mark.parametrize("frame", [None, pd.DataFrame, pl.DataFrame], ids=["array", "pandas", "polars"])
def test_a_linear_model_has_its_line_where_its_score_is_zero(frame: Any) -> None:
    X, y = rows()
    table = X if frame is None else frame({"age": X[:, 0], "size": X[:, 1]})
    model = er.LogisticRegression(alpha=0.1).fit(table, y)
    regions = er.decision_regions(model, table, y, resolution=30)
    z = (
        regions.x[None, :] * model.coef_.ravel()[0]
        + regions.y[:, None] * model.coef_.ravel()[1]
        + model.intercept_
    )
    np.testing.assert_array_equal(regions.code, (z > 0.0).astype(int))
    assert regions.chance is not None
    np.testing.assert_allclose(regions.chance, 1.0 / (1.0 + np.exp(-np.abs(z))), rtol=1e-9)
    assert regions.score is None
    assert regions.support.size == 0
    assert regions.features == (["x0", "x1"] if frame is None else ["age", "size"])
    assert regions.x[0] < X[:, 0].min() < X[:, 0].max() < regions.x[-1]
    wrong = int(np.sum(model.predict(table) != y))
    assert regions.plot().axes.get_title(loc="left").startswith(f"{wrong} of 60 rows")


def test_support_vectors_and_the_margin_are_those_of_the_model() -> None:
    X, y = rows()
    model = er.SVC(kernel="linear", alpha=0.1).fit(X, y)
    regions = er.decision_regions(model, X, y, resolution=30)
    np.testing.assert_array_equal(regions.support, model.support_)
    corner = np.array([[regions.x[3], regions.y[7]]])
    assert regions.score is not None
    assert regions.score[7, 3] == pytest.approx(float(model.decision_function(corner)[0]), rel=1e-9)
    title = " ".join(regions.plot().axes.get_title(loc="left").split())
    assert title.endswith(f"support vectors: {len(model.support_)}")


def test_what_has_no_map_is_refused() -> None:
    X, y = rows()
    model = er.LogisticRegression(alpha=0.1).fit(X, y)
    with pytest.raises(ValueError, match="X must have two columns"):
        er.decision_regions(model, X[:, :1], y)
    with pytest.raises(ValueError, match=r"Ridge has no classes_: give a fitted classifier"):
        er.decision_regions(er.Ridge().fit(X, X[:, 0]), X, y)
    with pytest.raises(ValueError, match=r"the class 'maybe', which the model does not know"):
        er.decision_regions(model, X, np.where(y == "yes", "maybe", y))
    with pytest.raises(ValueError, match=r"y holds 3 values: give the class of each of the 60 rows"):
        er.decision_regions(model, X, y[:3])
    with pytest.raises(ValueError, match="no place on a map"):
        er.decision_regions(model, np.where(X > 1.0, np.nan, X), y)
