"""A limit of time cuts the work and leaves a smaller, valid report; no test measures how long it takes."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from empirisk.data.deadline import Deadline, OutOfTime, stopped_here
from empirisk.evaluation.metrics import METRICS
from empirisk.evaluation.scoring import Scoring
from empirisk.report.fit.allowance import Allowance
from empirisk.report.fit.candidates import Candidate, candidates
from empirisk.report.fit.choose import choose
from empirisk.report.fit.encode import make_encoder
from empirisk.report.fit.families import FAMILIES
from empirisk.report.fit.folds import make_folds
from empirisk.report.fit.recipe import Encoders
from empirisk.report.fit.sample import take
from empirisk.report.fit.tuning import _held, cross_validate
from empirisk.report.progress import Silent
from empirisk.report.schema import validate_report
from empirisk.report.sections.candidates.section import _family
from tests.report.reports import make_report, numbers, two_classes
from tests.report.tables import table_of


def endless() -> None:
    while True:
        pass


def test_work_without_end_is_ended_and_the_alarm_goes_back() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(OutOfTime), Deadline(None).within(0.02):
        endless()
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0.0


def test_no_handler_of_failures_takes_the_end_of_the_time_for_one() -> None:
    def forgiving() -> None:
        try:
            endless()
        except Exception:
            pytest.fail("caught as a failure")

    with pytest.raises(OutOfTime), Deadline(None).within(0.02):
        forgiving()


def test_limits_stand_inside_each_other() -> None:
    deadline = Deadline(None)
    with deadline.within(60.0):
        with pytest.raises(OutOfTime), deadline.within(0.02):
            endless()
        with deadline.within(0.02), pytest.raises(OutOfTime):
            endless()
        with pytest.raises(OutOfTime), deadline.within(0.02), deadline.within(60.0):
            endless()
        assert not [None for _ in range(1000) if signal.getitimer(signal.ITIMER_REAL)[0] == 0.0]


def test_no_time_at_all_begins_nothing() -> None:
    with pytest.raises(OutOfTime), Deadline(0.0).within(Deadline(0.0).left()):
        pytest.fail("begun")


def test_a_block_that_stops_by_itself_is_left_in_peace() -> None:
    with Deadline(None).within(0.02):
        try:
            endless()
        except OutOfTime:
            assert stopped_here()
        sum(range(3_000_000))  # the alarm that would have rung again


def test_the_first_fold_teaches_who_must_leave() -> None:
    left = [100.0]
    a = Allowance(lambda: left[0], 5)
    assert a.first(path=False) == 50.0
    a.told("baseline", 0.1, False)
    a.told("tree", 1.0, True)
    assert a.first(path=False) == pytest.approx(100 / 5 - 1.1)
    a.told("boosting", 12.0, True)
    a.told("forest", 6.0, True)
    left[0] = 80.0
    assert a.shorten(4, ["tree", "boosting", "forest"])  # 4 x 19.1 fits into 80, hardly
    left[0] = 40.0
    assert a.shorten(4, ["tree", "boosting", "forest"])
    assert set(a.dropped) == {"boosting"}
    left[0] = 1.0
    assert not a.shorten(4, ["tree", "boosting", "forest"])
    assert set(a.dropped) == {"boosting", "forest"}
    assert a.kept == "tree"
    assert Allowance(lambda: float("inf"), 5).first(path=True) == float("inf")


class Stingy(Deadline):
    """Has time for so many blocks, and then for none."""

    def __init__(self, blocks: int) -> None:
        super().__init__(1000.0)
        self.blocks = blocks

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        if np.isfinite(seconds):
            self.blocks -= 1
            if self.blocks < 0:
                raise OutOfTime
        yield


@pytest.mark.parametrize("blocks", [1, 4, 5, 7, 10, 13, 22, 33, 45, 61, 90])
def test_whatever_is_cut_the_rest_is_a_valid_choice(blocks: int) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(80, 3))
    table = table_of({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "y": x[:, 0] + rng.normal(size=80)})
    train = take(table, np.arange(80))
    folds, metric = make_folds(train, 3, 2, 0), METRICS["mse"]
    rows = candidates("regression", reference=False, kinds=("linear", "tree"))
    results, kept, dropped, _ = cross_validate(
        train, folds, rows, Encoders(table), metric, 4, Silent(), 0, Stingy(blocks), 500.0
    )
    assert results[0].candidate.role == "baseline"
    assert len(results) + len(dropped) == len(rows)
    for r in results:
        assert r.losses.shape == (kept.n_repeats, train.n, r.alphas.size)
        tested = np.zeros(r.losses.shape[:2], dtype=bool)
        for j, (_, test) in enumerate(kept.plan.splits):
            tested[j // kept.n_folds, test] = True
        # The fold that the time ended is nobody's: candidates are compared on the same rows.
        assert np.isfinite(r.losses[tested]).all()
        assert np.isnan(r.losses[~tested]).all()
        assert len(r.train) == kept.n_splits
        assert len(r.sizes) in (0, kept.n_splits)
    choice = choose(results, Scoring(train.dealt, kept.plan, metric, 0.95), 0)
    assert choice.row.result in results
    assert make_encoder(table) is not None


@pytest.mark.parametrize("blocks", range(8))
@pytest.mark.parametrize("name", ["tree", "mlp"])  # one that cannot fall behind, and one that can
def test_a_candidate_by_itself_may_be_cut_in_every_fold(name: str, blocks: int) -> None:
    """The search for settings cross-validates what it chose by itself: what the time ends is told."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 2))
    table = table_of({"a": x[:, 0], "b": x[:, 1], "y": x[:, 0] + rng.normal(size=60)})
    train = take(table, np.arange(60))
    folds = make_folds(train, 3, 1, 0)
    (row,) = [c for c in candidates("regression", reference=False) if c.name == name]
    results, kept, dropped, outrun = cross_validate(
        train, folds, [row], Encoders(table), METRICS["mse"], 4, Silent(), 0, Stingy(blocks), 500.0
    )
    assert not outrun
    assert [r.candidate for r in results] == ([] if dropped else [row])
    assert set(dropped) <= {row.label}
    assert bool(dropped) == (blocks == 0)  # once fitted, it stays, on the folds that were finished
    assert kept.n_splits == (3 if dropped else min(3, blocks))


class Ringing(Deadline):
    """Ends the work of a block after so many models were scored in it."""

    def __init__(self, models: int) -> None:
        super().__init__(1000.0)
        self.models, self.seen = models, 0

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        self.seen = 0
        yield

    def scored(self) -> None:
        self.seen += 1
        if self.seen > self.models:
            raise OutOfTime


@pytest.mark.parametrize("models", [1, 2, 3, 8])
def test_a_path_that_the_time_cut_is_told_and_known(models: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four penalties are planned, of which the smallest fits best; what the time leaves is not their best."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(80, 2))
    table = table_of({"a": x[:, 0], "b": x[:, 1], "y": 9.0 * x[:, 0] + 0.1 * rng.normal(size=80)})
    train = take(table, np.arange(80))
    folds, metric, deadline = make_folds(train, 3, 1, 0), METRICS["mse"], Ringing(models)

    def held(*arguments: Any) -> Any:
        deadline.scored()
        return _held(*arguments)

    monkeypatch.setattr("empirisk.report.fit.tuning._held", held)
    rows = [c for c in candidates("regression", reference=False) if c.name in ("baseline", "lasso")]
    results, kept, *_ = cross_validate(
        train, folds, rows, Encoders(table), metric, 4, Silent(), 0, deadline, 500.0
    )
    lasso = choose(results, Scoring(train.dealt, kept.plan, metric, 0.95), 0).rows[-1]
    assert lasso.result.alphas.size == min(4, models)
    assert lasso.unfinished == (models < 4)
    label = lasso.result.candidate.label
    said = f"{4 - models} of 4 values of alpha of {label}, those of the richest models"
    assert lasso.result.cut_words == (said if models < 4 else "")


@pytest.mark.full  # a whole report
@pytest.mark.parametrize("target", ["answer", "y"])
def test_a_report_without_time_is_small_valid_and_says_so(tmp_path: Path, target: str) -> None:
    frame = two_classes() if target == "answer" else numbers()
    made = make_report(tmp_path, frame, target, models=None, deadline=Deadline(0.0))
    validate_report(made.report)
    assert any(line.startswith("What was left out to keep the time limit") for line in made.report["limits"])
    assert made.report["provenance"]["settings"]["left_out_for_time"]
    assert not made.report["failed"]
    assert (tmp_path / "out" / "report.html").stat().st_size > 10_000
    assert "NaN" not in json.dumps(made.report)


def test_an_alarm_inside_compiled_code_that_calls_it_unreadable_ends_the_block() -> None:
    with pytest.raises(OutOfTime), Deadline(None).within(60.0):
        raise ValueError("not a valid format string") from OutOfTime()


def test_a_family_is_said_to_be_tried_only_where_it_was_fitted() -> None:
    family = FAMILIES["poisson"]
    straight = candidates("regression", reference=False)
    both = candidates("regression", family=family, reference=False)

    def said(fitted: list[Candidate], planned: list[Candidate]) -> str:
        rows = [SimpleNamespace(result=SimpleNamespace(candidate=c)) for c in fitted]
        return _family(
            cast(Any, SimpleNamespace(rows=rows)),
            cast(Any, SimpleNamespace(family=family, rows=planned)),
            "mse",
        )

    assert "Poisson regression (log link) was tried because of the target" in said(both, both)
    late = said(straight, both)
    assert "was not tried: it was left out to keep the time limit." in late
    assert "was tried" not in late
    assert "was not tried: --models names no linear models." in said([], [])


@pytest.mark.full  # a whole report
def test_the_clock_of_a_report_is_that_of_the_program(tmp_path: Path) -> None:
    began = time.perf_counter() - 1000.0
    outcome = make_report(
        tmp_path, numbers(60), "y", time_limit=None, models="tree", deadline=Deadline(None, began)
    )
    assert outcome.seconds >= outcome.report["provenance"]["seconds"] >= 1000.0
