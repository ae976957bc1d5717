"""The race on few rows: who leaves, where, by how much, and what is told of it."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from empirisk.data.deadline import Deadline
from empirisk.evaluation.folds import Plan as Splits
from empirisk.evaluation.metrics import METRICS
from empirisk.report.fit.candidates import Candidate
from empirisk.report.fit.engine import Analysis
from empirisk.report.fit.folds import Folds, make_folds
from empirisk.report.fit.looks import look_sizes, on_all_rows, some_rows
from empirisk.report.fit.planning import _chosen_seconds, _searched, make_plan
from empirisk.report.fit.race import Race, Raced, race
from empirisk.report.fit.recipe import Encoders
from empirisk.report.fit.sample import take
from empirisk.report.progress import Silent
from empirisk.report.schema import validate_report
from tests.report.reports import make_report
from tests.report.tables import table_of

N, TESTED = 20_000, 4_000
LINE = Candidate("ridge", "Line", "candidate", 0.0, kind="linear")
SPARSE = Candidate("lasso", "Sparse line", "candidate", 1.0, kind="linear")
TREE = Candidate("tree", "Tree", "candidate", kind="tree")
BOOST = Candidate("boosting", "Boosting", "candidate", kind="boosting")
NET = Candidate("mlp", "Network", "candidate", kind="network")
BASE = Candidate("baseline", "Mean", "baseline")


class Given(Race):
    """A race whose looks are given: for each size the mean loss of each candidate."""

    means: dict[str, list[float]]
    seen: list[list[str]]

    def _look(self, live: Any, size: int, seconds: float) -> Any:
        rng = np.random.default_rng(0)
        shared = rng.normal(size=TESTED)
        found = {}
        for c in live:
            own = np.full(N, np.nan)
            own[:TESTED] = self.means[c.name][len(self.seen)] + shared + 0.1 * rng.normal(size=TESTED)
            found[c.name] = own
        self.seen.append([c.name for c in live])
        return found, {}


def given(means: dict[str, list[float]], room: float = 1e9, **cost: float) -> tuple[Raced, list[list[str]]]:
    """Run a race with three looks of these mean losses; the folds have 16,000 training rows."""
    table = table_of({"a": np.arange(4.0) ** 2, "y": np.arange(4.0)})
    sample = take(table, np.arange(4))
    splits = tuple((np.arange(16_000), np.arange(16_000, N)) for _ in range(2))
    folds = Folds(Splits(N, splits, None, 0), 2, 1, "")
    run = Given(sample, folds, Encoders(table), METRICS["mse"], 4, Silent(), 0, Deadline(None))  # type: ignore[arg-type]
    object.__setattr__(run, "means", {"baseline": [9.0] * 3} | means)
    object.__setattr__(run, "seen", [])
    rows = [c for c in (BASE, LINE, SPARSE, TREE, BOOST, NET) if c.name in run.means]
    return run.over(rows, cost, room), run.seen


def names(raced: Raced) -> set[str]:
    return {c.name for c in raced.rows}


def test_one_that_stays_behind_leaves_at_the_second_look_and_says_by_how_much() -> None:
    raced, seen = given({"tree": [1.5, 1.5, 1.5], "boosting": [1.0, 1.0, 1.0]})
    assert names(raced) == {"baseline", "boosting"}
    assert [("tree" in one) for one in seen] == [
        True,
        True,
    ]  # then one candidate is left, and no look is needed
    (left,) = raced.left
    sizes = look_sizes(16_000)
    assert (left.rows, left.why, left.leader) == (sizes[1], "behind", "Boosting")
    assert left.gap is not None
    assert left.gap.value == pytest.approx(0.5, abs=0.02)
    assert left.gap.low is not None
    assert left.gap.low > 0.0
    assert left.score is not None
    assert left.score.value == pytest.approx(np.nanmean(left.losses), rel=1e-12)  # type: ignore[arg-type]
    assert left.reason.startswith("behind Boosting by 0.5")
    assert left.reason.endswith(f"both fitted on {sizes[1]:,} rows")


def test_one_whose_curve_may_cross_stays_while_the_time_allows() -> None:
    """0.4, 0.3, 0.2 behind: the line is at 0 after two more doublings, and all rows are further away."""
    means = {"boosting": [1.0, 1.0, 1.0], "mlp": [1.4, 1.3, 1.2], "tree": [1.4, 1.39, 1.38]}
    raced, _ = given(means, room=10.0, mlp=9.0)
    assert names(raced) == {"baseline", "boosting", "mlp"}
    raced, _ = given(means, room=10.0, mlp=11.0)
    left = {one.candidate.name: one for one in raced.left}
    assert left["mlp"].why == "time"
    assert left["mlp"].reason.endswith(
        "more rows may still bring it to the front, and its fits on all rows would take about 11 s"
    )
    assert left["tree"].why == "behind"


def test_the_leader_and_the_simplest_of_the_best_linear_models_stay_whatever_they_cost() -> None:
    means = {"ridge": [2.0] * 3, "lasso": [2.0] * 3, "boosting": [1.0] * 3}
    raced, _ = given(means, room=0.0, boosting=1e6, ridge=1e6)
    assert names(raced) == {"baseline", "ridge", "boosting"}
    raced, _ = given(means | {"lasso": [1.5] * 3}, room=0.0)
    assert names(raced) == {"baseline", "lasso", "boosting"}


def test_those_that_are_not_behind_come_first_the_cheapest_of_them() -> None:
    means = {"boosting": [1.0] * 3, "tree": [1.0] * 3, "mlp": [1.4, 1.3, 1.2]}
    raced, _ = given(means, room=10.0, tree=8.0, boosting=8.0, mlp=1.0)
    assert {"tree", "boosting"} <= names(raced)
    assert "mlp" in names(raced)  # room for one of them beside the leader, and for the network
    raced, _ = given(means, room=8.0, tree=8.0, boosting=8.0, mlp=1.0)
    (left,) = raced.left
    assert left.candidate.name == "mlp"
    raced, _ = given(means, room=7.0, tree=8.0, boosting=8.0)
    assert any("it was not seen to be behind" in one.reason for one in raced.left)


def test_the_settings_name_whom_the_race_left_out_to_save_time() -> None:
    means = {"boosting": [1.0] * 3, "tree": [1.4, 1.39, 1.38], "mlp": [1.4, 1.3, 1.2]}
    raced, _ = given(means, room=10.0, mlp=11.0)
    made = SimpleNamespace(left=raced.left, left_out=["1 repeat instead of 5"])
    spared = vars(Analysis)["spared"].fget
    assert spared(made) == "Network on all rows; 1 repeat instead of 5"
    assert spared(SimpleNamespace(left=(), left_out=[])) is None


def test_a_race_whose_fits_all_took_too_long_leaves_all_to_the_cross_validation() -> None:
    class Late(Given):
        def _look(self, live: Any, size: int, seconds: float) -> Any:
            return {}, {c.name: "a fit took more than 1 s" for c in live}

    rows = [BASE, LINE, BOOST]
    table = table_of({"a": np.arange(4.0) ** 2, "y": np.arange(4.0)})
    splits = tuple((np.arange(16_000), np.arange(16_000, N)) for _ in range(2))
    folds = Folds(Splits(N, splits, None, 0), 2, 1, "")
    sample = take(table, np.arange(4))
    run = Late(sample, folds, Encoders(table), METRICS["mse"], 4, Silent(), 0, Deadline(None))  # type: ignore[arg-type]
    assert run.over(rows, {}, 1e9) == Raced(rows)


def test_a_loss_that_is_infinite_leaves() -> None:
    raced, _ = given({"boosting": [1.0] * 3, "tree": [math.inf] * 3})
    assert [one.candidate.name for one in raced.left] == ["tree"]


def test_the_best_candidate_leaves_by_chance_in_few_races() -> None:
    """Nobody is better than another: the interval that all looks share is about the leader of each."""
    table = table_of({"a": np.arange(4.0) ** 2, "y": np.arange(4.0)})
    run = Race(
        take(table, np.arange(4)), None, Encoders(table), METRICS["mse"], 4, Silent(), 0, Deadline(None)
    )  # type: ignore[arg-type]
    rng, gone = np.random.default_rng(2), 0
    for _ in range(300):
        looks = [{c.name: rng.normal(size=400) for c in (TREE, NET, BOOST)} for _ in range(2)]
        first = min((TREE, NET, BOOST), key=lambda c: looks[1][c.name].mean())
        rest = [c for c in (TREE, NET, BOOST) if c is not first]
        at = [run._standing(c, first, looks[1], looks[0], 400, 0.05 / 6.0, 3.0) for c in rest]
        gone += any(one.behind and not one.crosses for one in at)
    assert gone <= 15  # of 300; the binomial standard error of 5 % is 1.3 %


# -- the looks ---------------------------------------------------------------------------------------


def test_few_rows_hold_every_class_and_more_rows_hold_the_few(rng: np.random.Generator) -> None:
    y = np.repeat([0, 1, 2], [900, 97, 3])
    rows = rng.permutation(1_000)[:800]
    few, more = (some_rows(rows, y, 3, size, 7) for size in (60, 120))
    assert set(few) <= set(more) <= set(rows.tolist())
    assert set(y[few]) == set(y[rows])
    assert abs(np.mean(y[more] == 1) - np.mean(y[rows] == 1)) < 0.02
    assert np.all(np.diff(few) > 0)
    assert some_rows(rows, rng.normal(size=1_000), 0, 60, 7).size == 60


def test_losses_of_few_rows_are_carried_over_by_the_differences(rng: np.random.Generator) -> None:
    few, of_few, of_all = rng.normal(size=(6, 2)), rng.normal(size=6), rng.normal(size=6)
    assert np.allclose(on_all_rows(few, of_few, of_all) - of_all[:, None], few - of_few[:, None])
    few[2:4] = np.nan
    carried = on_all_rows(few, of_few, of_all)
    assert np.allclose(carried[2] - of_all[2], np.nanmean(few - of_few[:, None], axis=0))


def test_a_search_on_many_rows_takes_some_of_them() -> None:
    table = table_of({"a": np.arange(400.0), "y": np.arange(400.0) ** 2})
    plan = replace(
        make_plan(take(table, np.arange(400)), 40, kinds=("boosting",)), n=400_000, looks=(750, 1_500)
    )
    few = _searched(plan, 20.0 + _chosen_seconds(plan))
    assert 2_000 <= dict(few.on)["boosting"] < 100_000
    assert not dict(_searched(plan, 1e6).on)


def test_small_tables_have_no_race() -> None:
    table = table_of({"a": np.arange(300.0), "y": np.arange(300.0) ** 2})
    train = take(table, np.arange(300))
    plan = make_plan(train, 1)
    assert plan.looks == ()
    folds = make_folds(train, plan.n_folds, 1, 0)
    stays = race(train, folds, plan, Encoders(table), METRICS["mse"], Silent(), 0, Deadline(None), math.inf)  # type: ignore[arg-type]
    assert stays.rows == plan.rows
    raced = replace(plan, looks=(60, 120))
    assert raced.race_seconds > 0.0
    short = race(train, folds, raced, Encoders(table), METRICS["mse"], Silent(), 0, Deadline(None), 1e-3)  # type: ignore[arg-type]
    assert short == Raced(plan.rows)  # no time for a race


def test_the_plan_tells_the_race_and_counts_it() -> None:
    rng = np.random.default_rng(0)
    table = table_of({"a": rng.normal(size=5_000), "y": rng.normal(size=5_000)})
    plan = make_plan(take(table, np.arange(5_000)), 40)
    assert plan.looks == tuple(look_sizes(4_000))
    assert f"first on {plan.looks[0]:,}" in plan.lines("all")[0]
    assert 0.0 < plan.race_seconds < plan.tuning_seconds < plan.seconds
    assert not any(c.role == "reference" for c in plan.rows)
    assert dict(plan.searches)["boosting"] >= 15


def line(n: int = 5_200) -> pl.DataFrame:
    """A weighted sum of five columns with hardly any noise, which steps and neighbours follow slowly."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5))
    y = X @ np.array([1.0, -1.0, 0.5, 1.5, -0.5]) + 0.05 * rng.normal(size=n)
    return pl.DataFrame({f"x{j}": X[:, j] for j in range(5)} | {"y": y})


@pytest.mark.full  # a whole report on 5,200 rows
def test_a_report_with_a_race_tells_who_left_where(tmp_path: Any) -> None:
    made = make_report(tmp_path, line(), "y", models="linear,tree,neighbors", time_limit=None)
    validate_report(made.report)
    selection, shown = made.report["selection"], {c["name"] for c in made.report["candidates"]}
    left = {one["name"]: one for one in selection["left_out"] if "name" in one}
    assert "neighbors" in left
    assert not shown & left.keys()
    for one in left.values():
        assert f"{one['rows']:,} rows" in one["reason"]
        assert one["why"] == "time" or one["versus_leader"]["low"] > 0.0
        assert one["rows"] in look_sizes(3_328)
    assert selection["winner"]["n_candidates"] > len(left)
    assert not made.report["failed"]
