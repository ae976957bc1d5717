"""The matrix of a kernel on sorted rows: blocks by brute force, eigenvalues, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import empirisk as er
from empirisk.kernels import Gaussian


def rows(n: int = 40) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y = np.array(["ash", "birch", "cedar"])[rng.integers(0, 3, n)]
    y[y == "cedar"] = "birch"
    y[7] = "cedar"  # a class of one row
    return rng.normal(size=(n, 2)) + (y == "ash")[:, None], y


def given(form: str, X: Any) -> Any:
    return {
        "array": lambda: X,
        "sparse": lambda: sp.csr_matrix(X),
        "pandas": lambda: pd.DataFrame(X, columns=["a", "b"]),
        "polars": lambda: pl.DataFrame({"a": X[:, 0], "b": X[:, 1]}),
    }[form]()


@pytest.mark.parametrize("form", ["array", "sparse", "pandas", "polars"])
def test_blocks_are_means_over_pairs(form: str) -> None:
    X, y = rows()
    found = er.kernel_matrix(Gaussian(gamma=0.7), given(form, X), y)
    pairs: dict[tuple[str, str], list[float]] = {}
    for i in range(len(y)):
        for j in range(len(y)):
            if i != j:
                value = float(np.exp(-0.7 * np.sum((X[i] - X[j]) ** 2)))
                pairs.setdefault((y[i], y[j]), []).append(value)
    for a, one in enumerate(found.classes):
        for b, other in enumerate(found.classes):
            if (one, other) == ("cedar", "cedar"):
                assert np.isnan(found.likeness[a, b])
            else:
                assert found.likeness[a, b] == pytest.approx(np.mean(pairs[one, other]), rel=1e-9)
    within = [v for (a, b), values in pairs.items() if a == b for v in values]
    between = [v for (a, b), values in pairs.items() if a != b for v in values]
    assert found.within == pytest.approx(np.mean(within), rel=1e-9)
    assert found.between == pytest.approx(np.mean(between), rel=1e-9)
    assert found.sizes.tolist() == [int(np.sum(y == c)) for c in found.classes]
    assert (y[found.rows] == np.sort(y)).all()
    eigenvalues = np.linalg.eigvalsh(found.values)
    assert found.check.smallest == pytest.approx(eigenvalues[0], abs=1e-12)
    assert found.check.holds


def test_the_chart_says_the_same_as_the_numbers() -> None:
    X, y = rows()
    found = er.kernel_matrix(Gaussian(gamma=0.7), X, y)
    title = " ".join(found.plot().axes.get_title(loc="left").split())
    assert title == (
        f"gaussian (gamma = 0.7): rows of one class are alike by {found.within:.3f} on average, of different "
        f"classes by {found.between:.3f}"
    )


def test_a_matrix_that_is_no_kernel_names_rows_of_the_user() -> None:
    K = np.eye(30)
    K[12, 25] = K[25, 12] = 2.0  # eigenvalues 1 + 2 and 1 - 2, the vectors on these two rows alone
    found = er.kernel_matrix("precomputed", K, order=np.arange(30)[::-1])
    assert not found.check.holds
    assert found.check.smallest == pytest.approx(-1.0)
    assert set(found.most_weighed[:2]) == {12, 25}
    assert "is no Mercer kernel" in found.plot().axes.get_title(loc="left")
    assert found.rows.tolist() == list(range(29, -1, -1))
    np.testing.assert_array_equal(found.values, K[::-1, ::-1])
    assert np.isnan(found.between)


def test_an_order_with_classes_is_the_order_inside_them() -> None:
    X, y = rows()
    found = er.kernel_matrix("linear", X, y, order=np.argsort(X[:, 0]))
    for name in found.classes:
        inside = X[[i for i in found.rows if y[i] == name], 0]
        assert (np.diff(inside) >= 0.0).all()


def test_of_many_rows_some_are_shown_from_every_part() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(400, 2)), np.repeat([0, 1], [300, 100])
    found = er.kernel_matrix("gaussian", X, y, max_rows=40)
    assert found.sizes.tolist() == [30, 10]
    assert found.n_given == 400
    whole = er.kernels.Gaussian().resolved(X)  # the width is that of all rows
    np.testing.assert_allclose(found.values, whole.block(X[found.rows]))


def test_a_kernel_that_tells_nothing_says_so() -> None:
    X, y = rows()
    assert er.kernel_matrix(Gaussian(gamma=1e9), X, y).note.startswith("no two rows are alike")


def test_what_is_no_matrix_is_refused() -> None:
    X, y = rows()
    with pytest.raises(ValueError, match=r"y holds 40 different values, more than 20 classes"):
        er.kernel_matrix("gaussian", X, X[:, 0])
    with pytest.raises(ValueError, match=r"one class for each of the 40 rows of X, got shape \(3,\)"):
        er.kernel_matrix("gaussian", X, y[:3])
    for order in ([0, 0, 1], [1, 40], [0.5, 1.0], [3]):
        with pytest.raises(ValueError, match="order must be two or more different numbers of rows"):
            er.kernel_matrix("gaussian", X, order=order)
    with pytest.raises(ValueError, match="NaN"):
        er.kernel_matrix("gaussian", np.where(X > 1.0, np.nan, X))
    with pytest.raises(ValueError, match="max_rows"):
        er.kernel_matrix("gaussian", X, max_rows=1)
    with pytest.raises(ValueError, match="kernel must be one of"):
        er.kernel_matrix("squared", X)


def test_the_check_names_rows_of_the_user() -> None:
    K = np.eye(6)
    K[1, 4] = K[4, 1] = 3.0  # e_1 - e_4 has the eigenvalue -2, and no other row takes part
    found = er.kernel_matrix("precomputed", K, ["b", "b", "a", "a", "b", "a"])
    assert not found.check.holds
    assert set(found.most_weighed[:2]) == {1, 4}
    named = found.check.sentence.rpartition("rows ")[2].removesuffix(" most").split(", ")
    assert [int(row) for row in named] == found.most_weighed
    assert er.kernels.check_psd(er.kernels.Precomputed(), K).rows is None
