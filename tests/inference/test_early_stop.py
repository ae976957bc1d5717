"""Means of weighted held-out rows by simulation; the choice of a number of rounds by definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from empirisk.inference.early_stop import EarlyStop
from empirisk.inference.held_out import held_out_mean


def test_equal_weights_give_students_interval() -> None:
    x = np.random.default_rng(0).exponential(size=50)
    told = held_out_mean(x, np.full(50, 3.0), level=0.9)
    low, high = stats.t.interval(0.9, 49, x.mean(), stats.sem(x))
    assert (told.value, told.low, told.high) == pytest.approx((x.mean(), low, high), rel=1e-12)


def test_weighted_means_are_covered() -> None:
    rng = np.random.default_rng(1)
    inside, draws = 0, 1000
    for _ in range(draws):
        s = rng.uniform(0.2, 3.0, size=120)
        told = held_out_mean(rng.normal(1.0, 1.0, size=120) * (1.0 + s), s)
        # E[s (1 + s)] / E[s], s uniform on (0.2, 3).
        truth = 1.0 + ((3.0**3 - 0.2**3) / (3 * 2.8)) / 1.6
        inside += told.low <= truth <= told.high
    assert inside / draws == pytest.approx(0.95, abs=4.0 * np.sqrt(0.95 * 0.05 / draws))


def test_refusals_have_a_reason() -> None:
    assert "5 rows are too few" in held_out_mean(np.arange(5.0), np.ones(5)).reason
    assert "same value" in held_out_mean(np.ones(40), np.ones(40)).reason
    assert "infinite" in held_out_mean(np.append(np.ones(40), np.inf), np.ones(41)).reason


@pytest.mark.parametrize("patience", [1, 3, 50])
def test_the_round_with_the_least_loss_is_kept(patience: int) -> None:
    rng = np.random.default_rng(2)
    start = rng.exponential(size=60)
    rounds = [start * f for f in (0.9, 0.7, 0.75, 0.6, 0.65, 0.66, 0.67, 0.5)]
    s = rng.uniform(0.5, 2.0, size=60)
    watch = EarlyStop(s, start, patience)
    seen = 0
    for row_losses in rounds:
        seen += 1
        if watch.look(row_losses):
            break
    means = [np.average(r, weights=s) for r in rounds[:seen]]
    best = int(np.argmin(means)) + 1
    told = watch.result()
    assert (told.n_rounds, told.n_grown) == (best, seen) == {1: (2, 3), 3: (4, 7), 50: (8, 8)}[patience]
    assert told.ended_early == (patience < 50)
    assert told.loss.value == pytest.approx(min(means))
    paired = held_out_mean(rounds[best - 1] - start, s)
    assert (told.against_none.low, told.against_none.high) == (paired.low, paired.high)
    assert told.against_last.value == pytest.approx(means[best - 1] - means[-1])
    assert f"{best} of {seen} rounds" in str(told)


def test_no_round_is_kept_and_told_when_every_round_hurts() -> None:
    start = np.arange(40.0) % 3
    watch = EarlyStop(np.ones(40), start, 2)
    assert [watch.look(start + v + 0.01 * start) for v in (0.5, 0.6)] == [False, True]
    told = watch.result()
    assert told.n_rounds == 0
    assert told.loss.value == pytest.approx(start.mean())
    assert told.against_none.value == 0.0
    assert told.against_last.high < 0.0
    assert "no number of rounds did better on them than the best constant" in str(told)
