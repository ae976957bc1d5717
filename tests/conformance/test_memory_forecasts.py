"""Work that memory cannot hold is refused before it begins, in words that say what to change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import empirisk as er

N = 3000
X = np.random.default_rng(0).normal(size=(N, 2))
Y = (X[:, 0] > 0.0).astype(int)


def fitted(est: Any) -> Any:
    return est.fit(X) if isinstance(est, er.NearestNeighbors) else est.fit(X, Y)


# Each needs more than 20 MB and is asked where 10 MB are free; the call in small needs less.
CASES: dict[str, tuple[Callable[[], Any], Callable[[], Any], str]] = {
    "kneighbors": (
        lambda: fitted(er.NearestNeighbors(2000)).kneighbors(X),
        lambda: fitted(er.NearestNeighbors(5)).kneighbors(X),
        "2,000 neighbours of each of 3,000 rows .* ask for fewer neighbours",
    ),
    "kneighbors_others": (
        lambda: fitted(er.NearestNeighbors(2000)).kneighbors(),
        lambda: fitted(er.NearestNeighbors(5)).kneighbors(),
        "2,000 neighbours of each of 3,000 rows",
    ),
    "kneighbors_graph": (
        lambda: er.kneighbors_graph(X, 2000),
        lambda: er.kneighbors_graph(X, 5),
        "2,000 neighbours of each of 3,000 rows",
    ),
    "radius_graph": (
        lambda: er.radius_graph(X, 100.0),
        lambda: er.radius_graph(X, 0.01),
        "neighbours within 100 .* take a smaller radius",
    ),
    "radius_neighbors": (
        lambda: fitted(er.NearestNeighbors(radius=100.0)).radius_neighbors(X),
        lambda: fitted(er.NearestNeighbors(radius=0.01)).radius_neighbors(X),
        "neighbours within 100 .* take a smaller radius",
    ),
    "fourier": (
        lambda: er.RandomFourierFeatures(n_components=1000).fit_transform(X),
        lambda: er.RandomFourierFeatures(n_components=20).fit_transform(X),
        r"the features of 3,000 rows \(1,000 each\) .* lower n_components",
    ),
    "fourier_fit": (
        lambda: er.RandomFourierFeatures(n_components=10_000).fit(X),
        lambda: er.RandomFourierFeatures(n_components=20).fit(X),
        "a draw of 10,000 features .* lower n_components",
    ),
    "nystroem": (
        lambda: er.Nystroem(n_components=1000).fit_transform(X),
        lambda: er.Nystroem(n_components=1000).fit_transform(X[:20]),
        "the features of 3,000 rows",
    ),
    "kernel_matrix": (
        lambda: er.kernel_matrix("gaussian", X, max_rows=2000),
        lambda: er.kernel_matrix("gaussian", X, max_rows=50),
        "the kernel matrix of 2,000 rows .* lower max_rows",
    ),
    "decision_regions": (
        lambda: er.decision_regions(fitted(er.LogisticRegression()), X, Y, resolution=1000),
        lambda: er.decision_regions(fitted(er.LogisticRegression()), X, Y, resolution=20),
        "a map of 1,000 times 1,000 places .* lower resolution",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_does_not_fit_is_refused_before_the_work(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    large, small, words = CASES[name]
    for place in ("data.memory", "neighbors.index"):
        monkeypatch.setattr(f"empirisk.{place}.available_memory", lambda: 0.01)
    with pytest.raises(MemoryError, match=words):
        large()
    small()


def test_features_of_few_landmarks_are_forecast_by_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    few = er.Nystroem(n_components=1000).fit(X[:20])
    monkeypatch.setattr("empirisk.data.memory.available_memory", lambda: 0.01)
    assert few.transform(X).shape == (N, few.n_components_)
