"""choose_k: false claims on rows without clusters, power, what is asked of estimators, layouts, words."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.decomposition import PCA

import empirisk as er
from empirisk.partitions.choose_k import GAP_DRAWS
from empirisk.partitions.criteria.distortion import slope_price
from empirisk.partitions.criteria.gap import NULL as GAP_NULL
from empirisk.partitions.criteria.gap import GapCriterion
from empirisk.partitions.no_clusters import NullFalls
from tests.partitions.lean import LeanKMeans, LeanTree

QUICK: dict[str, Any] = {"n_draws": 39, "n_subsamples": 5}


def groups(rng: np.random.Generator, n: int = 60, apart: float = 9.0) -> Any:
    return apart * np.eye(3, 2)[np.arange(n) % 3] + rng.normal(size=(n, 2))


NULLS = {
    "Gaussian": lambda rng: rng.normal(size=(40, 2)),
    "correlated Gaussian": lambda rng: rng.normal(size=(40, 2)) @ np.array([[1.0, 0.9], [0.0, 0.4]]),
    "uniform": lambda rng: rng.uniform(size=(40, 2)),
    "t with 4 degrees": lambda rng: rng.normal(size=(40, 2)) / np.sqrt(rng.chisquare(4, size=(40, 1)) / 4),
}


@pytest.mark.parametrize("name", list(NULLS))
def test_rows_without_clusters_are_seldom_given_any(name: str) -> None:
    rng = np.random.default_rng([5, *name.encode()])
    claims = sum(
        er.choose_k(LeanKMeans(), NULLS[name](rng), range(1, 4), n_draws=19, n_subsamples=5, random_state=k).k
        > 1
        for k in range(20)
    )
    # At a rate of 5 %, more than 4 of 20 has probability 0.3 %.
    assert claims <= 4


def test_three_groups_apart_are_found() -> None:
    rng = np.random.default_rng(6)
    found = [
        er.choose_k(LeanKMeans(), groups(rng, 60, 7.0), range(1, 6), **QUICK, random_state=k).k
        for k in range(6)
    ]
    # At a power of 95 %, fewer than 4 of 6 has probability 0.2 %.
    assert found.count(3) >= 4


def test_the_rank_of_the_rows_among_draws_is_the_p_value() -> None:
    rng = np.random.default_rng(0)
    logs = [np.array([0.0, -z, -1.5 * z]) for z in rng.normal(1.0, 0.1, size=99)]
    null = NullFalls("uniform", (1, 2, 3), logs)
    for z in (0.8, 1.0, 1.1, 2.0):
        beyond = sum(-log[1] >= z for log in logs)
        assert null.test(np.array([0.0, -z, -1.5 * z]))[0] == pytest.approx((1 + beyond) / 100)
    # Every number counts: three clusters may show what two do not.
    p, _, k = null.test(np.array([0.0, -1.0, -4.0]))
    assert (p, k) == (pytest.approx(0.01), 3)


def test_inertias_and_the_gap_are_those_of_scikit_learn(rng: np.random.Generator) -> None:
    X = groups(rng)
    found = er.choose_k(LeanKMeans(), X, [1, 2, 3], **QUICK, penalty=0.0)
    for k in (1, 2, 3):
        labels = found.partitions[k]
        direct = sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in range(k))
        assert found.criteria["distortion"].values[k].value == pytest.approx(direct)
    # Uniform numbers on an interval of length L: W_1 is n L^2/12 on average, so that the first gap is known.
    x = np.linspace(-1.0, 1.0, 400)[:, None]
    gap = er.choose_k(LeanKMeans(), x, [1, 2], **QUICK).criteria["gap"].values[1].value
    assert gap == pytest.approx(0.0, abs=0.05)


def test_the_gap_is_as_uncertain_as_its_definition_says() -> None:
    """``s = sd sqrt(1 + 1/B)`` with divisor B in sd (Tibshirani, Walther, Hastie 2001, section 4)."""
    logs = [np.array([0.0, off - 1.0, off - 2.0]) for off in (-0.3, 0.0, 0.3)]
    evidence: Any = SimpleNamespace(
        falls={GAP_NULL: NullFalls(GAP_NULL, (1, 2, 3), logs)},
        # The gaps are 0, 0.73 and 1: two clusters are within s = 0.283 of the largest, not within sd = 0.245.
        observed=np.array([0.0, -1.73, -3.0]),
        level=0.95,
        rows=SimpleNamespace(n=40),
        cut_short="",
    )
    judged = GapCriterion().judge(evidence)
    assert [judged.values[k].value for k in (1, 2, 3)] == pytest.approx([0.0, 0.73, 1.0])
    s = np.sqrt(0.06) * np.sqrt(4.0 / 3.0)
    assert judged.values[3].low == pytest.approx(1.0 - 1.959963984540054 * s)
    assert judged.values[3].high == pytest.approx(1.0 + 1.959963984540054 * s)
    assert judged.k == 2


def test_the_slope_of_a_line_is_the_price() -> None:
    assert slope_price({k: 100.0 - 3.0 * k for k in range(1, 9)}) == pytest.approx(6.0)
    assert slope_price({1: 3.0, 2: 2.0}) is None


@pytest.mark.parametrize("penalty", [0.0, 1e6])
def test_the_price_of_a_cluster_rules_the_penalised_distortion(
    penalty: float, rng: np.random.Generator
) -> None:
    found = er.choose_k(LeanKMeans(), groups(rng), [1, 2, 3], **QUICK, penalty=penalty)
    assert found.criteria["distortion"].k == (3 if penalty == 0.0 else 1)


def test_an_estimator_that_cuts_is_fitted_once_a_set_of_rows(rng: np.random.Generator) -> None:
    x = np.concatenate([rng.normal(size=20), 20.0 + rng.normal(size=20)])[:, None]
    LeanTree.fits = 0
    found = er.choose_k(LeanTree(), x, range(1, 9), n_draws=19, n_subsamples=5)
    draws = sum(t.draws for t in found.tests)
    shared = next(t.draws for t in found.tests if t.name == GAP_NULL)
    assert LeanTree.fits == 1 + draws + max(GAP_DRAWS - shared, 0) + 2 * 5
    assert found.k == 2
    for k in range(2, 9):
        np.testing.assert_array_equal(found.partitions[k], LeanTree(k).fit(x).labels_)


def test_numbers_that_an_estimator_refuses_are_left_out_with_its_words(rng: np.random.Generator) -> None:
    class Shy(LeanKMeans):
        def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
            if self.n_clusters > 3 or (self.random_state or 0) % 7 == 1:
                raise ValueError(f"{self.n_clusters} are too many for me")
            return super().fit(X, y, sample_weight)

    found = er.choose_k(Shy(random_state=0), groups(rng), range(1, 6), **QUICK)
    assert found.k == 3
    assert found.ks == (2, 3)
    assert "n_clusters = 4 was refused: 4 are too many for me" in repr(found)
    with pytest.raises(ValueError, match="groups these rows into no number of ks; 4: 4 are too many"):
        er.choose_k(Shy(random_state=0), groups(rng), [4, 5], **QUICK)


def test_numbers_that_rows_without_clusters_refuse_are_left_out(rng: np.random.Generator) -> None:
    X = np.concatenate([rng.normal(0.0, 1.0, (15, 3)), rng.normal(8.0, 1.0, (15, 3))])

    class Timid(LeanKMeans):
        """It groups the rows themselves into any number, and others into two alone."""

        def fit(self, X_: Any, y: Any = None, sample_weight: Any = None) -> Any:
            if self.n_clusters > most and not any(np.array_equal(X_[0], x) for x in X):
                raise ValueError("too many for me")
            return super().fit(X_, y, sample_weight)

    most = 2
    found = er.choose_k(Timid(), X, range(1, 5), **QUICK)
    assert (found.k, found.ks) == (2, (2,))
    for k in (3, 4):
        assert f"n_clusters = {k} was refused: in 5 draws rows without clusters could not be" in repr(found)
    plain = er.choose_k(LeanKMeans(), X, [1, 2], **QUICK)
    assert found.p_value == plain.p_value, "what is left is tested as if it had been asked for alone"
    most = 1
    with pytest.raises(
        ValueError, match=r"could not be grouped .*too many for me.*take a form of it with fewer"
    ):
        er.choose_k(Timid(), X, range(1, 5), **QUICK)


def test_seeds_jobs_and_the_order_of_ks_give_the_same(rng: np.random.Generator) -> None:
    X = groups(rng)
    one = er.choose_k(LeanKMeans(), X, [3, 2, 4], **QUICK, random_state=7)
    for other in (
        er.choose_k(LeanKMeans(), X, [2, 3, 4], **QUICK, random_state=7),
        er.choose_k(LeanKMeans(), X, [4, 3, 2], **QUICK, random_state=7, n_jobs=2),
    ):
        assert other.to_dict() == one.to_dict()
    assert er.choose_k(LeanKMeans(), X, [2, 3, 4], **QUICK, random_state=8).to_dict() != one.to_dict()


def test_layouts_and_frames_give_the_same(rng: np.random.Generator) -> None:
    X = groups(rng)
    est = KMeans(n_init=1, random_state=0)
    one = er.choose_k(est, X, [2, 3], **QUICK)
    for other in (pd.DataFrame(X), pl.DataFrame(X), np.asfortranarray(X), sp.csr_array(X)):
        assert er.choose_k(est, other, [2, 3], **QUICK).k == one.k == 3
    assert er.choose_k(est, X.astype(np.float32), [2, 3], **QUICK).k == 3
    assert er.choose_k(est, 2.0**-200 * X, [2, 3], **QUICK).p_value == one.p_value


def test_weights_have_no_scale_and_zero_is_absence(rng: np.random.Generator) -> None:
    X = groups(rng)
    s = rng.integers(0, 3, len(X)).astype(float)
    one = er.choose_k(LeanKMeans(), X, [2, 3], sample_weight=s, **QUICK)
    assert er.choose_k(LeanKMeans(), X, [2, 3], sample_weight=8.0 * s, **QUICK).to_dict() == one.to_dict()
    assert (one.labels[s == 0.0] == -1).all()
    assert one.n == int((s > 0).sum())
    with pytest.raises(ValueError, match=r"AgglomerativeClustering.fit takes none"):
        er.choose_k(AgglomerativeClustering(), X, [2, 3], sample_weight=s)


def test_many_rows_are_tested_on_a_part_of_them(rng: np.random.Generator) -> None:
    found = er.choose_k(LeanKMeans(), groups(rng, 300), [2, 3], **QUICK, max_rows=60)
    assert found.n_tested == 60
    assert "used 60 of 300 rows" in repr(found)
    assert found.k == 3


def test_time_that_runs_out_is_told(rng: np.random.Generator) -> None:
    class Slow(LeanKMeans):
        def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
            time.sleep(0.02)
            return super().fit(X, y, sample_weight)

    X = groups(rng)
    found = er.choose_k(Slow(), X, [2, 3], time_limit=0.3)
    assert found.k is None
    assert "time ran out" in found.verdict
    assert "Incomplete: the time limit of 0.3 s ran out" in repr(found)
    assert found.criteria["silhouette"].k == 3
    with pytest.raises(TimeoutError, match="before the rows were grouped once"):
        er.choose_k(Slow(), X, [2, 3], time_limit=0.01)


def test_a_result_reads_as_words_html_frame_and_charts(rng: np.random.Generator) -> None:
    found = er.choose_k(LeanKMeans(), groups(rng), range(1, 6), **QUICK)
    assert found.verdict.startswith("3 clusters: rows without clusters are refuted")
    assert found.verdict in repr(found)
    assert "<table>" in found._repr_html_()
    frame = found.to_frame()
    assert set(frame["criterion"]) == {name for name, j in found.criteria.items() if j.values}
    assert frame[frame["recommended"]].groupby("criterion").size().max() == 1
    none = er.choose_k(LeanKMeans(), rng.normal(size=(50, 2)), [1, 2, 3], **QUICK)
    assert none.verdict.startswith("No clusters: ")
    assert (none.labels == 0).all()
    pytest.importorskip("matplotlib")
    for kind in ("gap", "silhouette", "stability", "distortion"):
        assert found.plot(kind=kind).axes.get_title(loc="left")
    with pytest.raises(ValueError, match="kind must be one of"):
        found.plot(kind="elbow")


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (PCA(), "PCA does not group rows"),
        (DBSCAN(), "DBSCAN has neither of the parameters n_clusters and n_components"),
        (KMeans, "estimator is the class KMeans; give an object"),
        ("kmeans", "str does not group rows"),
    ],
)
def test_estimators_are_asked_and_refused_by_what_they_lack(estimator: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        er.choose_k(estimator, np.eye(12))


@pytest.mark.parametrize(
    ("X", "rest", "words"),
    [
        (np.eye(12), {"ks": []}, "ks is empty"),
        (np.eye(12), {"ks": [1]}, "ks holds 1 alone"),
        (np.eye(12), {"ks": [2, 2.5]}, "ks must hold integers >= 1, got 2.5"),
        (np.eye(12), {"ks": [True, 2]}, "ks must hold integers >= 1, got True"),
        (np.eye(12), {"ks": [0, 2]}, "ks must hold integers >= 1, got 0"),
        (np.eye(12), {"ks": 3}, "ks must hold several numbers"),
        (np.eye(12), {"ks": "23"}, "ks must hold several numbers"),
        (np.eye(12), {"ks": [2, 13]}, "ks holds 13 and X has 12 different rows"),
        (np.tile(np.eye(3), (4, 1)), {"ks": [2, 4]}, "ks holds 4 and X has 3 different rows"),
        (np.ones((12, 2)), {"ks": [2]}, "ks holds 2 and X has 1 different row;"),
        (np.ones((12, 2)), {}, "all rows of X are equal"),
        (np.ones((1, 2)), {}, "X has 1 row; choose_k needs at least 10"),
        (np.eye(12), {"n_draws": 5}, "n_draws must be an integer >= 19"),
        (np.eye(12), {"penalty": -1.0}, "penalty must be a finite number >= 0"),
        (np.eye(12), {"level": 95}, "level must lie strictly between 0 and 1"),
        (
            np.eye(12),
            {"sample_weight": -np.ones(12)},
            "sample_weight must be finite and >= 0, got -1 in row 0",
        ),
        (np.where(np.eye(12) > 0, np.nan, 1.0), {}, "NaN in column 0, row 0"),
    ],
)
def test_bad_input_is_refused_in_words(X: Any, rest: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        er.choose_k(LeanKMeans(), X, **rest)


def test_flat_columns_and_few_different_rows_are_answered(rng: np.random.Generator) -> None:
    X = np.column_stack([groups(rng), np.full(60, 7.0)])
    assert er.choose_k(LeanKMeans(), X, [2, 3], **QUICK).k == 3
    points = np.tile(np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]]), (10, 1))
    found = er.choose_k(LeanKMeans(), points, **QUICK)
    assert found.ks == (2, 3)
    # Two columns of two values each that are never both large are one column of three levels: no clusters.
    assert (found.k, found.tests[-1].name) == (1, "one_cloud")
    assert found.criteria["silhouette"].k == 3
