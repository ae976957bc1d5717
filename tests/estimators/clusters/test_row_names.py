"""Leaves of a dendrogram have the names of the rows, of a frame or as given, and no file holds them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import empirisk as er

TOWNS = ["Oslo", "Bergen", "Trondheim", "Bodo", "Hamar"]
PLACES = np.array([[0.0, 1.0], [0.5, 1.0], [5.0, 2.0], [5.5, 2.2], [9.0, 0.0]])
FRAME = pd.DataFrame(PLACES, index=TOWNS, columns=["a", "b"])
TREES = [er.AgglomerativeClustering(2), er.DivisiveClustering(2, method="diana")]
EACH = pytest.mark.parametrize("model", TREES, ids=lambda m: type(m).__name__)


def leaves(display: Any) -> set[str]:
    return {leaf["name"] for leaf in display.view["leaves"]}


@EACH
def test_leaves_have_the_names_of_the_index(model: Any) -> None:
    model.fit(FRAME)
    assert leaves(model.dendrogram()) == set(TOWNS)
    assert {t.get_text() for t in model.dendrogram().plot().axes.get_xticklabels()} == set(TOWNS)
    assert leaves(model.dendrogram(labels=list("vwxyz"))) == set("vwxyz")
    assert leaves(model.fit(FRAME.reset_index(drop=True)).dendrogram()) == set("01234")
    assert leaves(model.fit(PLACES).dendrogram()) == set("01234")


@EACH
def test_rows_without_weight_leave_the_names_of_the_others(model: Any) -> None:
    model.fit(FRAME, sample_weight=[1, 0, 1, 1, 1])
    assert leaves(model.dendrogram()) == set(TOWNS) - {"Bergen"}


@EACH
def test_levels_of_an_index_are_joined_and_numbers_of_an_index_are_names(model: Any) -> None:
    levels = pd.MultiIndex.from_tuples([(town, 2000 + i) for i, town in enumerate(TOWNS)])
    assert "Oslo, 2000" in leaves(model.fit(FRAME.set_axis(levels)).dendrogram())
    assert leaves(model.fit(FRAME.set_axis([7, 5, 3, 2, 11])).dendrogram()) == {"7", "5", "3", "2", "11"}


@EACH
def test_no_copy_and_no_file_holds_the_names(model: Any) -> None:
    model.fit(FRAME)
    assert b"Trondheim" not in pickle.dumps(model)
    again = pickle.loads(pickle.dumps(model))
    assert leaves(again.dendrogram()) == set("01234")
    assert leaves(copy.deepcopy(model).dendrogram()) == set("01234")
    sio = pytest.importorskip("skops.io")
    loaded = sio.loads(sio.dumps(model), trusted=sio.get_untrusted_types(data=sio.dumps(model)))
    assert leaves(loaded.dendrogram(labels=TOWNS)) == set(TOWNS)
    assert leaves(loaded.dendrogram()) == set("01234")


def test_rows_of_the_fit_bring_their_names() -> None:
    model = er.AgglomerativeClustering(2).fit(PLACES)
    assert leaves(model.dendrogram(FRAME)) == set(TOWNS)
    assert leaves(model.fit(FRAME).dendrogram(PLACES)) == set(TOWNS)


@EACH
def test_too_few_names_are_refused(model: Any) -> None:
    with pytest.raises(ValueError, match="labels must be 5 names, one for each row of the fit, got 2"):
        model.fit(FRAME).dendrogram(labels=["a", "b"])


def test_splits_by_means_have_clusters_as_leaves() -> None:
    model = er.DivisiveClustering(2).fit(FRAME)
    assert leaves(model.dendrogram()) == {"0", "1"}
    assert leaves(model.dendrogram(labels=["west", "east"])) == {"west", "east"}
    with pytest.raises(ValueError, match="labels must be 2 names, one for each cluster, got 5"):
        model.dendrogram(labels=TOWNS)
