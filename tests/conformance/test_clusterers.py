"""What every estimator that groups rows owes: scikit-learn's contract, weights, layouts, certificates."""

from __future__ import annotations

import pickle
import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

import empirisk as er
from empirisk.estimators.clusters import REGISTRY
from empirisk.results import Kind
from tests.conformance.clusterers import USES, excuses, groups, same_partition
from tests.conformance.test_estimators import STORED
from tests.oracles.changed_numbers import confirmed_changes
from tests.oracles.complete import complete

EACH = pytest.mark.parametrize("est", USES, ids=repr)


def excuse(est: Any, test: str) -> None:
    """Skip a test that cannot hold for a class, with the reason."""
    reason = excuses(est).get(test)
    if reason is not None:
        pytest.skip(reason)


def fitted(est: Any, X: Any, **rows: Any) -> Any:
    return clone(est).fit(X, **rows)


def test_every_row_is_tested() -> None:
    complete(
        {type(use).__name__ for use in USES}, REGISTRY, "a use", "USES in tests/conformance/clusterers.py"
    )
    for name, thing in REGISTRY.items():
        assert getattr(er, name, None) is thing, f"add {name!r} to src/empirisk/__init__.pyi"


def expected_failures(est: Any) -> dict[str, str]:
    """Checks that cannot hold, with the reason; an expected failure that passes is a failure."""
    return {name: why for name, why in excuses(est).items() if name.startswith("check_")}


@parametrize_with_checks(USES, expected_failed_checks=expected_failures)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@EACH
def test_groups_that_lie_far_apart_are_found(est: Any, rng: np.random.Generator) -> None:
    X, group = groups(rng)
    model = fitted(est, X)
    assert same_partition(model.labels_, group)
    seen = list(dict.fromkeys(model.labels_.tolist()))
    assert seen == list(range(3)), "clusters are numbered in the order of their first rows"
    np.testing.assert_array_equal(clone(est).fit_predict(X), model.labels_)
    if hasattr(model, "predict"):
        np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("stored", sorted(STORED))
@EACH
def test_storage_does_not_matter(est: Any, stored: str, rng: np.random.Generator) -> None:
    X, _ = groups(rng)
    X[np.abs(X) < 0.5] = 0.0
    other = STORED[stored](X)
    if sp.issparse(other) and not est._takes_sparse:
        with pytest.raises(TypeError, match=r"[Ss]parse"):
            clone(est).fit(other)
        return
    np.testing.assert_array_equal(fitted(est, other).labels_, fitted(est, X).labels_)


@EACH
def test_repeated_and_unsorted_cells_are_their_sums(est: Any, rng: np.random.Generator) -> None:
    if not est._takes_sparse:
        pytest.skip("takes no sparse rows")
    X, _ = groups(rng, 30)
    halves = sp.coo_array(
        (
            np.concatenate([0.25 * X.ravel(), 0.75 * X.ravel()])[::-1],
            (
                np.tile(np.repeat(np.arange(30), 3), 2)[::-1],
                np.tile(np.tile(np.arange(3), 30), 2)[::-1],
            ),
        ),
        shape=X.shape,
    )
    order = np.argsort(halves.coords[0], kind="stable")
    starts = np.searchsorted(halves.coords[0][order], np.arange(31))
    doubled = sp.csr_array((halves.data[order], halves.coords[1][order], starts), shape=X.shape)
    np.testing.assert_array_equal(fitted(est, doubled).labels_, fitted(est, X).labels_)


@EACH
def test_float32_stays_float32(est: Any, rng: np.random.Generator) -> None:
    X, group = groups(rng)
    model = fitted(est, X.astype(np.float32))
    assert same_partition(model.labels_, group)
    for name in ("cluster_centers_", "means_"):
        if hasattr(model, name):
            assert getattr(model, name).dtype == np.float32, name


@EACH
def test_frames_keep_their_names(est: Any, rng: np.random.Generator) -> None:
    X, _ = groups(rng)
    for frame in (pd.DataFrame(X, columns=list("abc")), pl.DataFrame(X, schema=list("abc"))):
        model = fitted(est, frame)
        assert list(model.feature_names_in_) == list("abc")
        np.testing.assert_array_equal(model.labels_, fitted(est, X).labels_)


@EACH
def test_row_order_does_not_matter(est: Any, rng: np.random.Generator) -> None:
    X, _ = groups(rng)
    order = rng.permutation(len(X))
    assert same_partition(fitted(est, X[order]).labels_, fitted(est, X).labels_[order])


@EACH
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1024.0, 1e153, 1e300])
def test_scale_of_the_weights_does_not_matter(est: Any, scale: float, rng: np.random.Generator) -> None:
    """Graphs count copies, which are whole: their weights are refused below 1, and equal ones are ones."""
    X, _ = groups(rng)
    copies = isinstance(est, er.SpectralClustering) or (isinstance(est, er.DivisiveClustering) and
              est.method == "diana")  # fmt: skip
    s = np.ones(len(X)) if copies else rng.integers(1, 4, len(X)).astype(float)
    one = fitted(est, X, sample_weight=s)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        if copies and scale != 1024.0 and est.get_params().get("affinity") in ("epsilon", "gaussian"):
            with pytest.raises(ValueError, match="sample_weight"):
                fitted(est, X, sample_weight=scale * s)
            return
        other = fitted(est, X, sample_weight=scale * s)
    np.testing.assert_array_equal(one.labels_, other.labels_)
    assert one.certificate_.kind is other.certificate_.kind
    if hasattr(one, "inertia_"):
        np.testing.assert_allclose(other.inertia_ / scale, one.inertia_, rtol=1e-9)
    assert other.certificate_.kind is Kind.NONE or er.verify(other, X, None, sample_weight=scale * s).within(
        1e-4
    )


@EACH
def test_a_weight_is_a_repetition_and_zero_is_absence(est: Any, rng: np.random.Generator) -> None:
    excuse(est, "weights")
    X, group = groups(rng)
    s = rng.integers(0, 3, len(X))
    s[:3] = 1
    weighted = fitted(est, X, sample_weight=s.astype(float))
    repeated = fitted(est, np.repeat(X, s, axis=0))
    assert same_partition(weighted.labels_[s > 0], repeated.labels_[np.cumsum(s)[s > 0] - 1])
    assert same_partition(weighted.labels_[s > 0], group[s > 0])
    for name in ("cluster_centers_", "means_"):
        if hasattr(weighted, name):
            np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-7)


@EACH
def test_same_bits_for_any_number_of_threads(est: Any, rng: np.random.Generator) -> None:
    X, _ = groups(rng, 900)
    with threadpool_limits(1):
        one = fitted(est, X)
    other = fitted(est, X)
    np.testing.assert_array_equal(one.labels_, other.labels_)
    assert one.certificate_ == other.certificate_
    for name in ("cluster_centers_", "means_"):
        if hasattr(one, name):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@EACH
def test_certificates_are_shown_kept_and_verified(est: Any, rng: np.random.Generator) -> None:
    X, _ = groups(rng)
    model = fitted(est, X)
    assert model.certificate_.claim in repr(model)
    assert model.certificate_.claim.split(",")[0][:20] in model._repr_html_()
    again = pickle.loads(pickle.dumps(model))
    assert again.certificate_ == model.certificate_
    np.testing.assert_array_equal(again.labels_, model.labels_)
    if model.certificate_.kind is Kind.NONE:
        with pytest.raises(
            TypeError, match=f"{type(est).__name__} has no certificate that could be verified"
        ):
            er.verify(again, X, None)
        return
    assert er.verify(again, X, None).kind is model.certificate_.kind
    other = er.verify(again, rng.permutation(X) * np.array([1.0, -0.7, 1.3]), None)
    assert other.kind is Kind.NONE or not other.within(1e-4)


@EACH
def test_no_changed_number_is_confirmed(est: Any, rng: np.random.Generator) -> None:
    X, _ = groups(rng)
    model = fitted(est, X)
    if model.certificate_.kind is not Kind.NONE:
        assert not confirmed_changes(model, X)


@EACH
def test_a_failed_fit_leaves_the_state_before(est: Any, rng: np.random.Generator) -> None:
    X, _ = groups(rng)
    model = fitted(est, X)
    before = {k: v for k, v in vars(model).items() if k.endswith("_")}
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.where(X > 40.0, np.inf, X))
    assert all(vars(model)[k] is v for k, v in before.items())


@EACH
def test_weights_out_of_range_are_refused_by_their_row(est: Any, rng: np.random.Generator) -> None:
    excuse(est, "weights")
    X, _ = groups(rng)
    for bad, words in ((-1.0, "got -1 in row 5"), (np.nan, "got nan in row 5")):
        s = np.ones(len(X))
        s[5] = bad
        with pytest.raises(ValueError, match=words):
            clone(est).fit(X, sample_weight=s)
    with pytest.raises(ValueError, match="zero for every row"):
        clone(est).fit(X, sample_weight=np.zeros(len(X)))


@EACH
def test_identical_points_and_few_rows_end_in_an_answer_or_in_words(est: Any) -> None:
    for X in (np.ones((12, 3)), np.ones((1, 3)), np.vstack([np.zeros((6, 3)), np.ones((6, 3))])):
        said = ""
        try:
            model = clone(est).fit(X)
        except ValueError as error:
            said = str(error)
        if said:
            assert len(said.split()) > 5, "say what is wrong with these rows and what to do"
        else:
            assert np.isfinite(model.labels_).all()
            assert all(np.isfinite(v).all() for k, v in vars(model).items() if k.endswith("s_") and
                       isinstance(v, np.ndarray) and v.dtype.kind == "f")  # fmt: skip


@EACH
def test_a_chart_can_be_drawn(est: Any, rng: np.random.Generator) -> None:
    pytest.importorskip("matplotlib")
    X, _ = groups(rng)
    display = fitted(est, X).plot(X)
    assert display is not None


@EACH
@pytest.mark.parametrize("scale", [2.0**-300, 2.0**300])
def test_units_do_not_matter(est: Any, scale: float, rng: np.random.Generator) -> None:
    excuse(est, "units")
    X, group = groups(rng)
    assert same_partition(fitted(est, X * scale).labels_, group)


@EACH
@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**1000, 2.0**1017])
def test_numbers_without_squares_are_grouped_or_refused_in_words(
    est: Any, scale: float, rng: np.random.Generator
) -> None:
    """What is said of them is not that they are equal, or that they have no spread."""
    X, group = groups(rng)
    said = ""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        try:
            labels = fitted(est, X * scale).labels_
        except ValueError as error:
            said = str(error)
    assert re.search("overflow|vanish", said) if said else same_partition(labels, group)


@EACH
def test_more_clusters_than_places_are_refused_or_rows_of_a_place_stay_together(est: Any) -> None:
    excuse(est, "places")
    X = np.repeat([[0.0, 1.0, 2.0], [3.0, 5.0, 4.0]], 12, axis=0)
    said, labels = "", np.zeros(0)
    try:
        labels = fitted(est, X).labels_
    except ValueError as error:
        said = str(error)
    if said:
        assert re.search("distinct|different|no spread|no rows left", said), said
    else:
        assert len({*labels[:12]}) == len({*labels[12:]}) == 1
