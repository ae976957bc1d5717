"""The search for the settings of boosting and forests: what it chose is scored as all are, and it says so."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import polars as pl
import pytest

import empirisk as er
from empirisk.data.deadline import Deadline
from empirisk.evaluation.metrics import METRICS
from empirisk.evaluation.scoring import Scoring
from empirisk.report.fit.candidates import candidates
from empirisk.report.fit.choose import choose
from empirisk.report.fit.engine import analyse, prepare
from empirisk.report.fit.folds import make_folds
from empirisk.report.fit.held_out_scores import comparison
from empirisk.report.fit.planning import make_plan
from empirisk.report.fit.recipe import Encoders, recipe
from empirisk.report.fit.sample import take
from empirisk.report.fit.searched import Search
from empirisk.report.fit.tuning import CrossValidated, cross_validate
from empirisk.report.progress import Silent
from empirisk.report.sections.candidates.searches import search_sentences
from empirisk.report.sections.candidates.winner import winner
from empirisk.search.tuning.ranges import ROUNDS
from tests.report.tables import table_of

FITS = 9  # the settings as given, more rounds of them, and one draw


def searched(
    kinds: tuple[str, ...], seconds: float = math.inf, n: int = 90
) -> tuple[Search, list[CrossValidated], Any, Any]:
    """Cross-validate and search on a step function; return the search, what it began with and its answer."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 2))
    y = np.where(x[:, 0] > 0.0, 2.0, 0.0) + 0.3 * rng.normal(size=n)
    table = table_of({"a": x[:, 0], "b": x[:, 1], "y": y})
    train = take(table, np.arange(n))
    folds, metric = make_folds(train, 3, 2, 0), METRICS["mse"]
    rows = candidates("regression", reference=False, kinds=kinds)
    encoders, deadline = Encoders(table), Deadline(None)
    results, *_ = cross_validate(train, folds, rows, encoders, metric, 4, Silent(), 0)  # type: ignore[arg-type]
    scoring = Scoring(train.dealt, folds.plan, metric, 0.95)  # type: ignore[arg-type]
    planned = {c.name: FITS for c in rows if c.kind in ("boosting", "forest")}
    search = Search(train, folds, scoring, encoders, metric, planned, 16, Silent(), 0, deadline)  # type: ignore[arg-type]
    return search, results, *search.over(results, seconds)


@pytest.fixture(scope="module")
def boosted() -> Any:
    """A search for the settings of boosting."""
    return searched(("boosting",))


@pytest.mark.parametrize(
    "kind", ["boosting", pytest.param("forest", marks=pytest.mark.full)]
)  # a search each
def test_what_a_search_chose_is_scored_on_all_folds(kind: str, boosted: Any) -> None:
    search, before, after, (told,) = boosted if kind == "boosting" else searched((kind,))
    row = after[-1]
    assert row.candidate.name == before[-1].candidate.name == kind
    assert told.fits <= told.planned == FITS
    assert told.trials >= 2
    assert told.losses is not None
    scoring = search.scoring
    least = min(np.nanmean(told.losses, axis=0))
    at = int(np.argmin([scoring.value(row.losses[:, :, i]) for i in range(row.alphas.size)]))
    assert row.losses[0].mean(axis=0).min() == pytest.approx(least, rel=1e-12)
    alone = er.cross_evaluate(row.estimator(at), search.sample.dealt, cv=3, repeats=2, random_state=0)
    assert alone["mse"].value == pytest.approx(scoring.value(row.losses[:, :, at]), rel=1e-12)
    names = {"min_samples_leaf", "max_features"} if kind == "forest" else {"learning_rate", "subsample"}
    assert names <= set(told.drawn)
    assert {name for name, _ in row.candidate.settings} <= set(told.drawn)
    model = recipe(row.candidate, search.encoders.table, 7.0, 0)[-1]
    assert dict(row.candidate.settings).items() <= model.get_params().items()


def test_a_sentence_says_what_was_searched_and_whether_the_edge_was_chosen(boosted: Any) -> None:
    search, _, after, told = boosted
    choice = choose(after, search.scoring, 0)
    (said,) = search_sentences(told, choice)
    row = choice.rows[-1]
    assert said.startswith("Of Gradient boosting, learning_rate, ")
    assert f"{told[0].fits} fits" in said
    assert "on the first repeat of the folds" in said
    at, most = int(row.result.alphas[row.at]), int(row.result.alphas[-1])
    assert f"{at} round" in said
    assert ("the most that were tried" in said) == (at == most)
    full = replace(
        told[0], candidate=replace(told[0].candidate, settings=(("l2", 10.0),)), ends={"l2": "highest"}
    )
    last = replace(row, result=replace(row.result, candidate=full.candidate), at=row.result.alphas.size - 1)
    rows = (*choice.rows[:-1], last)
    (edge,) = search_sentences([full], replace(choice, rows=rows))
    assert "chosen were l2 = 10, l2 at the upper end of its range" in edge
    assert "the most that were tried" in edge


def test_without_time_the_settings_stay_and_a_sentence_says_so() -> None:
    search, before, after, told = searched(("boosting",), 1e-9)
    assert after == before
    (said,) = search_sentences(told, choose(after, search.scoring, 0))
    assert said == (
        "The settings of Gradient boosting were not searched: the time limit left no time for it."
    )


def test_a_family_that_is_far_behind_is_not_searched() -> None:
    search, before, _, _ = searched((), n=60)
    good = before[0]
    bad = replace(good, candidate=candidates("regression", kinds=("forest",))[1], losses=good.losses + 100.0)
    search.planned = {"forest": 9}
    noisy = replace(good, losses=good.losses - 0.1)
    after, (told,) = search.over([good, noisy, bad], math.inf)
    assert after[-1] is bad
    assert told.why == "it is far behind the best candidate"


@pytest.mark.parametrize(
    ("fall", "rounds", "stays"),
    [(0.001, 312, True), (0.01, 312, False), (0.001, 120, False), (-0.001, 312, False)],
)
def test_settings_that_gain_little_for_many_more_rounds_are_not_taken(
    fall: float, rounds: int, stays: bool
) -> None:
    """A gain is little beside what the settings as given gain over the baseline, 1 here."""
    search, *_ = searched((), n=60)
    losses = np.full((1, search.sample.n, 3), 1.0)
    losses[:, :, 1], losses[:, :, 2] = 1.5, 1.0 - fall
    found: Any = SimpleNamespace(
        losses=losses, ranked=np.array([4, 0, 7]), best=7, settings={4: {}, 0: {}, 7: {"l2": 1.0}},
        values={4: 100.0, 0: 10.0, 7: float(rounds)},
    )  # fmt: skip
    why = search._not_worth(found, 2.0)
    assert bool(why) == stays
    if stays:
        assert "only 0.1 % more over the baseline" in why
        assert "3.1 times the rounds" in why


def test_the_plan_says_what_is_searched() -> None:
    rng = np.random.default_rng(0)
    train = take(table_of({"a": rng.normal(size=300), "y": rng.normal(size=300)}), np.arange(300))
    plan = make_plan(train, 1)
    assert dict(plan.searches).keys() == {"boosting", "forest"}
    assert any("settings are searched for: Gradient boosting (up to 150 fits" in s for s in plan.lines("all"))
    assert plan.search_seconds > 0.0
    assert not make_plan(train, 1, kinds=("linear",)).searches


def test_what_several_searches_share_and_how_many_rounds_one_may_choose() -> None:
    search, *_ = searched((), n=60)
    search.planned, search.shares = {"boosting": 40, "forest": 30}, {"boosting": 0.75, "forest": 0.25}
    assert [search._fits("boosting", 2), search._fits("forest", 2)] == [30, 9]  # at least 3 x 3 folds
    assert [search._fits("boosting", 1), search._fits("forest", 1)] == [40, 30]
    rng = np.random.default_rng(0)
    columns = {f"c{j}": rng.normal(size=4_500) for j in range(6)}
    plan = make_plan(take(table_of(columns | {"y": rng.normal(size=4_500)}), np.arange(4_500)), 6)
    assert plan.looks
    assert plan.search_shares == {"boosting": 0.75, "forest": 0.25}
    boosting = next(c for c in plan.rows if c.kind == "boosting")
    chosen = plan.longest / ROUNDS[-1] * plan.n_folds * plan.n_repeats * plan.searching(boosting)
    assert ROUNDS[-1] < plan.longest <= 5_000
    assert 4.0 * chosen <= 0.41 * plan.budget or plan.longest == ROUNDS[-1]
    assert replace(plan, budget=0.01).longest == ROUNDS[-1]
    assert replace(plan, budget=math.inf).longest == ROUNDS[-1]


def test_a_reference_that_costs_much_is_left_out_and_boosting_is_searched_all_the_same() -> None:
    """Ten classes: 50 fits of scikit-learn's boosting, and as many as the whole report of its own."""
    rng = np.random.default_rng(0)
    columns = {f"c{j}": rng.normal(size=900) for j in range(60)}
    many = table_of(columns | {"y": [f"k{i % 10}" for i in range(900)]})
    few = table_of({"a": rng.normal(size=200), "y": rng.normal(size=200)})
    plan, small = (make_plan(take(t, np.arange(t.n_rows)), p) for t, p in ((many, 60), (few, 1)))
    assert not plan.looks
    assert "reference" not in {c.role for c in plan.rows}
    assert [s.split(", ")[1] for s in plan.large] == [
        "for reference: its fits would take too much of the time"
    ]
    assert dict(plan.searches)["boosting"] >= 8 * plan.n_folds
    assert "reference" in {c.role for c in small.rows}
    assert not small.large


def test_the_correction_counts_rows_as_the_scores_do() -> None:
    """Half of the rows have small losses and nearly all of the weight: the curse is about these."""
    rng = np.random.default_rng(4)
    light = np.repeat([1.0, 1e-6], 60)
    losses = rng.exponential(size=(1, 120, 3)) * np.repeat([1.0, 100.0], 60)[:, None]
    table = table_of({"a": rng.normal(size=120), "y": rng.normal(size=120)})
    train = replace(take(table, np.arange(120)), weights=light)
    metric: Any = METRICS["mse"]
    scoring = Scoring(train.dealt, make_folds(train, 5, 1, 0).plan, metric, 0.95)
    held = SimpleNamespace(losses=losses, candidate=SimpleNamespace(role="candidate"))
    found = winner(cast(Any, SimpleNamespace(rows=[SimpleNamespace(result=held)])), scoring, 0, None)
    assert found is not None
    least = min(np.average(losses[0], axis=0, weights=light))
    assert found["naive"]["value"] == pytest.approx(least, rel=1e-6)
    assert min(found["candidates"]) == pytest.approx(least, rel=1e-6)
    assert found["corrected"]["value"] == pytest.approx(least, abs=0.4)  # without weights it is near 50


@pytest.mark.full  # twelve analyses, each with a search of 60 fits
def test_on_pure_noise_no_score_flatters() -> None:
    """No model has an expected squared error below the variance 1 of the noise, and the interval on the test
    part holds that of the chosen model, ``1 + E f(x)^2``.
    """
    corrected, naive, covered, more = [], [], 0, 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(300, 3)), rng.normal(size=300)
        table = table_of({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y})
        p = prepare(table, None, seed=seed, level=0.95, kinds=("tree", "boosting", "forest"))
        rows = [c for c in p.plan.rows if c.role != "reference"]
        plan = replace(p.plan, rows=rows, shares=[1.0], searches=(("boosting", 40), ("forest", 20)))
        a = analyse(replace(p, plan=plan, folds=make_folds(p.train, 5, 1, seed)), Silent())
        found = winner(
            a.choice, a.scoring, seed, None, [s.losses for s in a.searches if s.losses is not None]
        )
        assert found is not None
        more += found["n_candidates"] > sum(row.result.alphas.size for row in a.choice.rows)
        level = float(np.mean(p.train.y**2))  # what the rows happen to hold of the variance 1
        corrected.append(found["corrected"]["value"] - level)
        naive.append(found["naive"]["value"] - level)
        new = p.train.frame.clear().vstack(pl.DataFrame(rng.normal(size=(2_000, 3)), p.train.frame.columns))
        truth = 1.0 + float(np.mean(a.model.pipeline.predict(new) ** 2))
        held_out = comparison(a.scores, "mse")
        assert held_out is not None
        covered += held_out["model"]["low"] <= truth <= held_out["model"]["high"]
    assert more >= 6  # trials are among those that the correction chooses from
    error = np.std(corrected, ddof=1) / np.sqrt(12)
    assert np.mean(corrected) > -2.0 * error
    assert np.mean(corrected) > np.mean(naive)
    assert covered >= 9  # of 12 at 95 %: fewer have a chance of 0.0005
