"""Searches with a memory: the answers of a search without one, and no answer to another question."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import empirisk as er
from empirisk.evaluation.candidate import Candidate
from empirisk.evaluation.sample import Sample
from empirisk.neighbors import Index, Remembered, metric_of


@pytest.fixture
def rows() -> np.ndarray:
    """Rows of small integers, which have many ties."""
    return np.random.default_rng(3).integers(0, 4, size=(60, 3)).astype(np.float64)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "hamming"])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_smaller_questions_have_the_answers_of_their_own_searches(
    rows: np.ndarray, metric: str, layout: Any
) -> None:
    kept, asked = layout(rows), layout(rows[:20] + 0.5)
    memory, plain = Remembered(kept, metric_of(metric), most=9), Index(kept, metric_of(metric))
    for k in (4, 9, 1, 12):
        for query, left_out in ((asked, None), (kept, np.arange(60))):
            for ours, theirs in zip(
                memory.nearest(query, k, left_out), plain.nearest(query, k, left_out), strict=True
            ):
                np.testing.assert_array_equal(ours, theirs)


def test_one_search_for_all(rows: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    searches: list[int] = []
    search = Index.nearest

    def counted(self: Index, Q: Any, k: int, left_out: Any = None) -> Any:
        searches.append(k)
        return search(self, Q, k, left_out)

    monkeypatch.setattr(Index, "nearest", counted)
    memory = Remembered(rows, metric_of("euclidean"), most=9)
    for k in (9, 3, 1):
        memory.nearest(rows, k)
    assert searches == [9]


def test_rows_that_were_written_into_are_a_new_question(rows: np.ndarray) -> None:
    memory, query = Remembered(rows, metric_of("euclidean"), most=5), rows[:4].copy()
    memory.nearest(query, 2)
    query += 1.0
    plain = Index(rows, metric_of("euclidean")).nearest(query, 2)
    for ours, theirs in zip(memory.nearest(query, 2), plain, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    memory.nearest(query, 2)[0][:] = -1.0  # what is given away may be written into
    np.testing.assert_array_equal(memory.nearest(query, 2)[0], plain[0])


def test_answers_are_no_part_of_a_pickle(rows: np.ndarray) -> None:
    memory = Remembered(rows, metric_of("euclidean"), most=5)
    before = len(pickle.dumps(memory))
    memory.nearest(np.repeat(rows, 50, axis=0), 5)
    again = pickle.dumps(memory)
    assert len(again) == before
    np.testing.assert_array_equal(pickle.loads(again).nearest(rows, 3)[1], memory.nearest(rows, 3)[1])


def test_models_of_a_search_share_their_questions_and_answer_as_fits_of_their_own(rows: np.ndarray) -> None:
    y = (rows.sum(axis=1) > 4).astype(int)
    numbers = [1, 4, 9]
    sample = Sample(rows, y)
    candidate = Candidate(er.KNeighborsClassifier(), "n_neighbors", numbers)
    for k, model in zip(numbers, candidate.fits(sample, np.arange(40)), strict=True):
        own = clone(er.KNeighborsClassifier(k)).fit(rows[:40], y[:40])
        np.testing.assert_array_equal(model.predict_proba(rows[40:]), own.predict_proba(rows[40:]))
        np.testing.assert_array_equal(model.predict_proba(rows[:40]), own.predict_proba(rows[:40]))
