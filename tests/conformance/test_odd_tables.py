"""What every estimator says of odd tables: hidden cells, names twice or out of order, one huge weight."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils.validation import has_fit_parameter

import empirisk as er
from tests.conformance import clusterers
from tests.conformance.estimators import data_for
from tests.conformance.mixture_estimators import USES as MIXTURES
from tests.conformance.test_frames_without_columns import CLASSES
from tests.conformance.test_refusals_in_words import ONE_OF_EACH
from tests.estimators.features.test_feature_maps import USES as FEATURES
from tests.estimators.unsupervised.test_unsupervised import USES as UNSUPERVISED
from tests.oracles.complete import complete

MADE = [u.make() for u in [*ONE_OF_EACH, *MIXTURES]]
# The first use of each class.
EVERY: dict[str, Any] = {
    type(est).__name__: est for est in reversed([*MADE, *clusterers.USES, *FEATURES, *UNSUPERVISED])
}
each = pytest.mark.parametrize("name", sorted(EVERY))


def rows(est: Any, rng: np.random.Generator) -> tuple[np.ndarray, Any]:
    """Return rows that an estimator can fit, and targets, None where it has none."""
    if is_classifier(est) or is_regressor(est):
        d = data_for(est, rng)
        return d.X, d.y
    X, _ = clusterers.groups(rng)
    return X, None


def test_every_class_is_tested() -> None:
    complete(set(EVERY), CLASSES, "a use", "USES in the tests of its kind")


def hidden(values: Any, *cell: int) -> Any:
    """Return an array that hides one of its cells behind a mask."""
    mask = np.zeros(np.shape(values), dtype=bool)
    mask[cell] = True
    return np.ma.masked_array(values, mask=mask)


@each
def test_cells_behind_a_mask_are_refused_in_words(name: str, rng: np.random.Generator) -> None:
    est = EVERY[name]
    X, y = rows(est, rng)
    with pytest.raises(
        ValueError, match=r"^X hides 1 cell behind a mask, the first in column 1, row 2: fill"
    ):
        clone(est).fit(hidden(X, 2, 1), y)
    if y is not None:
        with pytest.raises(ValueError, match=r"^y hides 1 cell behind a mask, the first in row 3: fill"):
            clone(est).fit(X, hidden(y, 3))
    if has_fit_parameter(est, "sample_weight"):
        with pytest.raises(
            ValueError, match=r"^sample_weight hides 1 cell behind a mask, the first in row 4"
        ):
            clone(est).fit(X, y, sample_weight=hidden(np.ones(len(X)), 4))


@each
def test_new_rows_with_cells_behind_a_mask_are_refused(name: str, rng: np.random.Generator) -> None:
    est = EVERY[name]
    X, y = rows(est, rng)
    model = quiet_fit(est, X, y)
    for ask in ("predict", "transform"):
        if hasattr(model, ask):
            with pytest.raises(ValueError, match="X hides 1 cell behind a mask"):
                getattr(model, ask)(hidden(X, 2, 1))


@each
def test_a_mask_that_hides_nothing_changes_nothing(name: str, rng: np.random.Generator) -> None:
    est = EVERY[name]
    X, y = rows(est, rng)
    quiet_fit(est, np.ma.masked_array(X, mask=np.zeros(X.shape, dtype=bool)), y)


def test_questions_about_rows_refuse_masks_too(rng: np.random.Generator) -> None:
    X, _ = clusterers.groups(rng)
    with pytest.raises(ValueError, match="X hides 1 cell behind a mask"):
        er.choose_k(er.KMeans(), hidden(X, 0, 0), range(1, 3))
    with pytest.raises(ValueError, match="X hides 1 cell behind a mask"):
        er.hypotheses.REGISTRY["boxes"]().fit(hidden(X, 0, 0), np.arange(60) % 2)


@each
def test_two_columns_of_one_name_are_refused(name: str, rng: np.random.Generator) -> None:
    """Frames of pandas may have such, those of polars cannot."""
    est = EVERY[name]
    X, y = rows(est, rng)
    names = ["a", "b", "a", "c", "d"][: X.shape[1]]
    with pytest.raises(ValueError, match=r"^X has 2 columns called 'a', at 0 and 2: rename or drop"):
        clone(est).fit(pd.DataFrame(X, columns=names), y)


def quiet_fit(est: Any, X: Any, y: Any) -> Any:
    """Return a fitted clone, whatever the fit warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(est).fit(X, y)


def framed(X: Any, kind: Any = pd.DataFrame) -> Any:
    """Return rows as a frame with names of columns."""
    return kind({f"c{j}": X[:, j] for j in range(X.shape[1])})


@each
def test_columns_in_another_order_are_refused_with_what_to_do(name: str, rng: np.random.Generator) -> None:
    est = EVERY[name]
    X, y = rows(est, rng)
    model = quiet_fit(est, framed(X), y)
    other = framed(X)[[f"c{j}" for j in reversed(range(X.shape[1]))]]
    ask = next(
        (a for a in ("predict", "transform", "score_samples", "kneighbors") if hasattr(model, a)), None
    )
    if ask is not None:
        with pytest.raises(ValueError, match=r"same order as they were in fit.\nReorder them: X\[list\("):
            getattr(model, ask)(other)


@pytest.mark.parametrize("form", ["array", "list", "objects", "frame", "frame of objects"])
@each
def test_complex_numbers_are_refused(name: str, form: str, rng: np.random.Generator) -> None:
    """As amounts and as categories: their imaginary parts would be dropped, or have no order."""
    est = EVERY[name]
    X, y = rows(est, rng)
    Z = X.astype(object) if form.endswith("objects") else X.astype(complex)
    Z[3, 0] = 1.0 + 2.0j
    Z = framed(Z) if form.startswith("frame") else Z.tolist() if form == "list" else Z
    with pytest.raises((ValueError, TypeError), match=r"(?i)complex") as caught:
        quiet_fit(est, Z, y)
    assert len(str(caught.value)) < 200  # a sentence, which the table does not follow
    model = quiet_fit(est, framed(X) if form.startswith("frame") else X, y)
    for ask in ("predict", "transform", "score_samples", "kneighbors"):
        if hasattr(model, ask):
            with pytest.raises((ValueError, TypeError), match=r"(?i)complex") as caught:
                getattr(model, ask)(Z)
            assert len(str(caught.value)) < 200


def questions(model: Any) -> Iterator[tuple[str, bool]]:
    """Yield the public methods that are asked with X alone or with X and y, and whether they want y."""
    for ask in dir(type(model)):
        thing = getattr(model, ask, None) if not ask.startswith(("_", "fit", "set_", "get_")) else None
        if not callable(thing):
            continue
        takes = list(inspect.signature(thing).parameters.values())
        needed = [p.name for p in takes if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
        if takes and takes[0].name == "X" and needed in (["X"], ["X", "y"], []):
            yield ask, needed == ["X", "y"]


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@each
def test_no_question_about_a_frame_forgets_its_names(name: str, kind: Any, rng: np.random.Generator) -> None:
    """scikit-learn warns where a method hands rows without names to a model that was fitted with names."""
    est = EVERY[name]
    X, y = rows(est, rng)
    model, asked = quiet_fit(est, framed(X, kind), y), 0
    for ask, wants_y in questions(model):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                getattr(model, ask)(*((framed(X, kind), y) if wants_y else (framed(X, kind),)))
                asked += 1
            except (ValueError, TypeError, AttributeError):
                pass  # questions that this use does not answer
        assert not [str(w.message) for w in told if "feature names" in str(w.message)], ask
    assert asked or name in ("AgglomerativeClustering", "DivisiveClustering", "SpectralClustering")


def one_huge(n: int) -> np.ndarray:
    """Return weights of which the last is so large that the others vanish beside it."""
    weight = np.ones(n)
    weight[-1] = 1e300
    return weight


@each
def test_a_fit_that_fails_beside_one_huge_weight_names_it(name: str, rng: np.random.Generator) -> None:
    est = EVERY[name]
    X, y = rows(est, rng)
    if not has_fit_parameter(est, "sample_weight"):
        return
    said = ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            clone(est).fit(X, y, sample_weight=one_huge(len(X)))
    except ValueError as e:
        said = str(e)
    assert not said or (f"row {len(X) - 1}" in said and "weight" in said), said
