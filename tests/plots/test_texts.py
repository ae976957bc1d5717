"""No text of a chart leaves the figure or lies on another one: every Display, and fits of hard tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris

import empirisk as er
from empirisk import plots
from empirisk.plots.display import Display
from empirisk.plots.labels import in_lines
from tests.oracles.chart_texts import faults
from tests.plots.test_displays import DISPLAYS, NAMED


def tables() -> dict[str, pd.DataFrame]:
    """Return eight rows, the irises, and 300 rows of 30 columns with long names, all of one scale."""
    rng = np.random.default_rng(0)
    tiny = np.concatenate([rng.normal(size=(4, 3)), rng.normal(size=(4, 3)) + 5.0])
    wide = np.concatenate([rng.normal(size=(100, 30)) + m for m in (0.0, 1.2, -1.5)])
    long = [f"a rather long column name of the measurement number {j}" for j in range(30)]
    found = {
        "eight rows": pd.DataFrame(tiny, columns=list("abc")),
        "irises": load_iris(as_frame=True).data,
        "long names": pd.DataFrame(wide, columns=long),
    }
    return {name: (X - X.mean()) / X.std() for name, X in found.items()}


TABLES = tables()


def stable(X: pd.DataFrame) -> Any:
    """Return the stability of clusters, of rows that are there twice where they are few."""
    rows = X if len(X) > 10 else pd.concat([X, X + 0.01])
    return er.selection.stability(er.KMeans(3, n_init=1), rows, n_resamples=20)


def silhouettes(X: pd.DataFrame) -> Any:
    """Return the chart of the silhouettes of two clusters."""
    labels = er.KMeans(2).fit(X).labels_
    return plots.SilhouettesDisplay(er.partitions.Silhouette().rows(X.to_numpy(), labels), labels)


def neighbours(X: pd.DataFrame, k: Any) -> Any:
    """Return spectral clusters, on few neighbours where rows are few."""
    return er.SpectralClustering(k, n_neighbors=3 if len(X) < 10 else 10, max_clusters=4).fit(X)


CHARTS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "dendrogram": lambda X: er.AgglomerativeClustering(2).fit(X).dendrogram(X).plot(),
    "DIANA": lambda X: er.DivisiveClustering(2, method="diana").fit(X).dendrogram().plot(),
    "silhouettes": lambda X: silhouettes(X).plot(),
    "eigengap": lambda X: neighbours(X, "eigengap").plot_eigengap(),
    "eigenvalues": lambda X: neighbours(X, 2).plot_eigengap(),
    "graph": lambda X: neighbours(X, 2).plot_graph(X),
    "biplot": lambda X: er.PCA(2).fit(X).plot(X),
    "scree": lambda X: er.PCA(2).fit(X).plot(),
    "parallel analysis": lambda X: er.PCA("parallel").fit(X).plot(),
    "mixture": lambda X: er.GaussianMixture(2, covariance="diagonal", ridge=0.1).fit(X).plot(X),
    "distortion": lambda X: er.RandomProjection(2, epsilon=0.5).fit(X).distortion_report(X).plot(),
    "map": lambda X: er.KMeans(6).fit(X).plot(X),
    "map of distances": lambda X: er.KMedoids(2, metric="precomputed").fit(D := cdist(X, X)).plot(D),
    "stability": lambda X: stable(X).plot(),
}


@pytest.mark.parametrize("display", DISPLAYS, ids=NAMED)
def test_no_text_of_a_display_is_cut_or_hidden(display: Display) -> None:
    assert not faults(display.plot().axes)


@pytest.mark.full  # many fits
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("chart", CHARTS)
def test_no_text_of_a_fit_is_cut_or_hidden(chart: str, table: str) -> None:
    assert not faults(CHARTS[chart](TABLES[table]).axes)


@pytest.mark.full  # many fits
@pytest.mark.parametrize("table", ["irises", "long names"])
def test_no_text_of_a_choice_is_cut_or_hidden(table: str) -> None:
    found = er.choose_k(er.KMeans(n_init=1), TABLES[table], range(1, 5), n_draws=19)
    for kind in ("gap", *(name for name, j in found.criteria.items() if j.values)):
        assert not faults(found.plot(kind=kind).axes), kind


def test_a_text_that_is_cut_or_hidden_is_found() -> None:
    ax = DISPLAYS[0].axes()
    ax.set_title(
        "a title of one line that no figure of this width can hold, whatever its letters are", loc="left"
    )
    ax.text(0.5, 0.5, "one word")
    ax.text(0.51, 0.5, "another word")
    assert [f.split("'")[1][:7] for f in faults(ax)] == ["a title", "one wor"]


def test_lines_break_between_words_and_words_that_fill_a_figure_are_broken() -> None:
    assert in_lines("a bb  ccc", lambda line: len(line) <= 5) == "a bb \nccc"
    assert [len(line) for line in in_lines("x" * 170, lambda line: True).split("\n")] == [80, 80, 10]
