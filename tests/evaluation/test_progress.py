"""Everything that takes a progress takes True, False and a callable, and refuses the rest."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.data import progress
from empirisk.estimators.trees import forest_task
from empirisk.explanations.margins import refits
from empirisk.resampling.bootstrap import plan

X = np.random.default_rng(0).standard_normal((60, 2))
Y = X[:, 0] + np.random.default_rng(1).standard_normal(60)
RIDGE = er.Ridge(0.1)

CALLS: dict[str, Callable[[Any], Any]] = {
    "cross_evaluate": lambda p: er.cross_evaluate(RIDGE, X, Y, repeats=1, random_state=0, progress=p),
    "diagnose": lambda p: er.diagnose(RIDGE, X, Y, random_state=0, progress=p),
    "nested_cross_evaluate": lambda p: er.selection.nested_cross_evaluate(
        er.selection.GridSearch(er.Ridge(), {"alpha": [0.1, 1.0]}, cv=3), X, Y, cv=3, progress=p
    ),
    "learning_curve": lambda p: er.selection.learning_curve(RIDGE, X, Y, random_state=0, progress=p),
    "model_selection_curve": lambda p: er.selection.model_selection_curve(
        er.Ridge(), X, Y, "alpha", [0.1, 1.0], random_state=0, progress=p
    ),
    "bias_variance": lambda p: er.selection.bias_variance(RIDGE, X, Y, n_sets=10, random_state=0, progress=p),
    "bootstrap": lambda p: er.bootstrap(lambda x: x.mean(), X[:, 0], n_resamples=999, progress=p),
    "leave_one_out": lambda p: er.selection.leave_one_out(
        er.HuberRegressor(scale=1.0), X[:12], Y[:12], progress=p
    ),
    "replace_one": lambda p: er.selection.replace_one(RIDGE, X, Y, random_state=0, progress=p),
    "stability": lambda p: er.selection.stability(RIDGE, X, Y, random_state=0, progress=p),
    "choose_k": lambda p: er.choose_k(er.KMeans(n_init=1), X[:40], [1, 2], n_draws=19, progress=p),
    "partition_stability": lambda p: er.selection.stability(er.KMeans(2), X[:40], progress=p),
    "GridSearch": lambda p: er.selection.GridSearch(er.Ridge(), {"alpha": [0.1, 1.0]}, progress=p).fit(X, Y),
    "RandomSearch": lambda p: er.selection.RandomSearch(
        er.Ridge(), {"alpha": [0.1, 1.0, 2.0]}, n_iter=2, random_state=0, progress=p
    ).fit(X, Y),
    "tune": lambda p: er.tune(er.Ridge(), X, Y, budget=6, progress=p),
    "sample_sizes": lambda p: er.bounds.sample_sizes(epsilon=0.2, delta=0.1, vc=2, progress=p),
}


def taking() -> set[str]:
    """Public names with a parameter `progress`."""
    found = set()
    for module in (er, er.selection, er.bounds):
        for name in getattr(module, "__all__", dir(module)):
            thing = getattr(module, name, None)
            if callable(thing) and not name.startswith("_"):
                try:
                    takes = "progress" in inspect.signature(thing).parameters
                except (TypeError, ValueError):
                    continue
                found |= {name} if takes else set()
    return found


def test_every_function_with_a_progress_is_tried() -> None:
    assert taking() - set(CALLS) == set()


@pytest.mark.parametrize("name", sorted(set(CALLS) & taking()))
def test_true_counts_false_is_silent_and_a_callable_is_called(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if name != "sample_sizes":  # which says something before long simulations only
        CALLS[name](True)
        assert capsys.readouterr().err == ""  # a pipe
    with monkeypatch.context() as watched:
        watched.setattr(progress, "_watched", lambda: True)
        CALLS[name](True)
    told = capsys.readouterr()
    assert told.out == ""
    if name not in ("sample_sizes", "choose_k", "RandomizedSearch"):
        assert told.err.endswith("\r"), "the line is wiped at the end"
        assert " of " in told.err
    CALLS[name](False)
    assert capsys.readouterr().err == ""
    if name == "sample_sizes":
        return
    seen: list[tuple[int, int]] = []
    CALLS[name](lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1]
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    with pytest.raises(TypeError, match="progress must be True, False, None or a callable"):
        CALLS[name]("yes")


def test_the_default_appears_after_two_seconds_and_says_what_is_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_watched", lambda: True)
    now = [0.0]
    bar = progress.Bar(progress.PATIENCE, clock=lambda: now[0])
    for done, at in ((1, 1.0), (2, 1.9), (3, 3.0), (4, 3.01), (10, 9.0)):
        now[0] = at
        bar(done, 10)
    told = capsys.readouterr().err
    assert told.count("left") == 1  # not before two seconds, not twice within a tenth, not at the end
    assert "3 of 10, 0:07 left" in told
    assert told.endswith("\r")


def test_work_within_work_has_no_bar_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_watched", lambda: True)
    monkeypatch.setattr(progress, "_outermost", lambda: 7)
    outer = progress.teller(None)
    assert isinstance(outer, progress.Bar)
    assert not isinstance(progress.teller(None), progress.Bar)
    monkeypatch.setattr(progress, "_outermost", lambda: 8)
    assert isinstance(progress.teller(None), progress.Bar)
    del outer
    monkeypatch.setattr(progress, "_outermost", lambda: 7)
    assert isinstance(progress.teller(None), progress.Bar)


@pytest.mark.parametrize("n_trees", [3, 20, 47])
def test_forests_that_are_watched_are_the_same_forests(n_trees: int, monkeypatch: pytest.MonkeyPatch) -> None:
    forest = er.RandomForestRegressor(n_trees, random_state=0).fit(X, Y)
    told: list[tuple[int, int]] = []
    monkeypatch.setattr(forest_task, "teller", lambda given: lambda *steps: told.append(steps))
    monkeypatch.setattr(forest_task, "FEWEST", 1)  # a part is a tree a processor
    again = er.RandomForestRegressor(n_trees, random_state=0).fit(X, Y)
    assert np.array_equal(forest.predict(X), again.predict(X))
    assert forest.oob_risk_ == again.oob_risk_
    assert forest.monte_carlo_error_ == again.monte_carlo_error_
    assert told[-1] == (n_trees, n_trees)
    assert len(told) == -(-n_trees // (os.cpu_count() or 1))


def test_resamples_and_refits_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int]] = []
    for module in (plan, refits):
        monkeypatch.setattr(module, "teller", lambda given: lambda *steps: told.append(steps))
    er.bootstrap("mean", X[:, 0], n_resamples=999, random_state=0)
    assert told[-1] == (999, 999)
    model = er.LinearRegression().fit(X, Y)
    er.margins(model, X, training=(X, Y), method="bootstrap", n_boot=20)
    assert told[-1] == (20, 20)


def test_a_bar_that_is_given_up_leaves_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    bar = progress.Bar(0.0)
    bar(1, 10)
    del bar
    assert capsys.readouterr().err.endswith("\r")
