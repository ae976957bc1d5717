"""What the searches promise, by simulation with a known truth.

Candidates are least squares on a few columns each, so that the truth is a formula: with independent standard
normal columns the risk of coefficients w on columns C is ``1 + ||w - beta_C||^2 + ||beta outside C||^2``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone

from empirisk.evaluation.sample import Sample
from empirisk.selection import GridSearch
from tests.conftest import SEED


class OnColumns(RegressorMixin, BaseEstimator):
    """Least squares with an intercept on the columns start, ..., start + width - 1."""

    def __init__(self, start: int = 0, width: int = 2) -> None:
        self.start = start
        self.width = width

    def _part(self, X: np.ndarray) -> np.ndarray:
        part = X[:, self.start : self.start + self.width]
        return np.column_stack([np.ones(len(X)), part])

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        self.coef_ = np.linalg.lstsq(self._part(X), y, rcond=None)[0]
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self._part(X) @ self.coef_

    def risk(self, beta: np.ndarray) -> float:
        gap = beta.copy()
        gap[self.start : self.start + self.width] -= self.coef_[1:]
        return 1.0 + float(self.coef_[0] ** 2 + gap @ gap)


class SignOnColumns(ClassifierMixin, OnColumns):
    """Its sign as a class 0 or 1."""

    _estimator_type = "classifier"

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        self.classes_ = np.array([0, 1])
        return super().fit(X, 2.0 * y - 1.0)

    def predict(self, X: np.ndarray) -> np.ndarray:
        return (super().predict(X) > 0.0).astype(int)


@dataclass
class Tally:
    """Share of successes, and three of its standard errors."""

    hits: list[bool]

    @property
    def share(self) -> float:
        return float(np.mean(self.hits))

    @property
    def slack(self) -> float:
        p = min(max(self.share, 0.5 / len(self.hits)), 1 - 0.5 / len(self.hits))
        return 3.0 * float(np.sqrt(p * (1 - p) / len(self.hits)))


def starts(m: int, width: int = 2) -> dict[str, list[int]]:
    return {"start": [width * k for k in range(m)]}


def covers(e: Any, truth: float) -> bool:
    return bool(e.low <= truth <= e.high)


# -- the winner's curse ------------------------------------------------------------------------------


def winner(sims: int, kind: str, n: int = 100, m: int = 20) -> dict[str, Any]:
    """Twenty candidates on columns of noise: coverage of the corrected and of the plain interval.

    The truth is the mean risk of the models that gave the score of the chosen candidate, those of its folds.
    """
    found, truths = [], []
    for s in range(sims):
        rng = np.random.default_rng([SEED, s])
        X = rng.normal(size=(n, 2 * m))
        if kind == "accuracy":
            y, est = rng.integers(0, 2, size=n), SignOnColumns()
        else:
            y, est = rng.normal(size=n), OnColumns()
        search = GridSearch(est, starts(m), metric=kind, repeats=1, refit=False, random_state=s).fit(X, y)
        risk = 0.5
        if kind == "mse":
            best, plan = OnColumns(**search.best_params_), Sample.of(est, X, y).plan(None, 1, s)
            risk = float(
                np.mean([clone(best).fit(X[fit], y[fit]).risk(np.zeros(2 * m)) for fit, _ in plan.splits])
            )
        found.append((search.best_score_, search.naive_score_))
        truths.append(risk)
    sign = -1.0 if kind == "accuracy" else 1.0
    return {
        "shift": sign * np.array([a.value - b.value for a, b in found]),
        "corrected": Tally([covers(a, t) for (a, _), t in zip(found, truths, strict=True)]),
        "naive": Tally([covers(b, t) for (_, b), t in zip(found, truths, strict=True)]),
        "bias corrected": float(np.mean([a.value for a, _ in found]) - np.mean(truths)),
        "bias naive": float(np.mean([b.value for _, b in found]) - np.mean(truths)),
    }


@pytest.mark.full  # simulated
@pytest.mark.parametrize("kind", ["accuracy", "mse"])
def test_the_correction_takes_the_curse_off(kind: str) -> None:
    shift = winner(15, kind)["shift"]
    assert shift.mean() > 3 * shift.std() / np.sqrt(15)
    if kind == "accuracy":
        assert 0.02 < shift.mean() < 0.15  # the best of 20 coins on 100 rows shows 0.5 + 0.09


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["accuracy", "mse"])
def test_the_corrected_score_covers(kind: str) -> None:
    found = winner(400, kind)
    corrected, naive = (np.array(found[name].hits) for name in ("corrected", "naive"))
    assert corrected.mean() >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / corrected.size)
    # On the same samples: were neither better, each would be the only one to cover equally often.
    gained, lost = int(np.sum(corrected & ~naive)), int(np.sum(naive & ~corrected))
    assert gained - lost > 3 * np.sqrt(gained + lost)
    # Out-of-fold losses of one candidate are not independent, so that a third of the bias stays (accuracy).
    assert abs(found["bias corrected"]) < 0.5 * abs(found["bias naive"])


# -- racing ------------------------------------------------------------------------------------------


def race(sims: int, delta: float, n: int = 150, m: int = 6, worse: float = 0.0) -> dict[str, Any]:
    """m exchangeable candidates, the last one `worse` off: how often the first is dropped, and the last."""
    lost, caught, fits = [], [], []
    beta = np.full(2 * m, 0.4)
    beta[-2:] -= worse
    for s in range(sims):
        rng = np.random.default_rng([SEED, s])
        X = rng.normal(size=(n, 2 * m))
        y = X @ beta + rng.normal(size=n)
        search = GridSearch(OnColumns(), starts(m), metric="mse", repeats=2, racing=delta, random_state=s)
        states = search.fit(X, y).cv_results_["state"]
        lost.append(states[0] == "dropped")
        caught.append(states[-1] == "dropped")
        fits.append(sum(t.size for t in search.result_.seconds))
    return {"best lost": Tally(lost), "worst dropped": Tally(caught), "fits": float(np.mean(fits)) / (10 * m)}


@pytest.mark.full  # simulated
def test_racing_keeps_the_best() -> None:
    found = race(20, 0.1)
    assert found["best lost"].share <= 0.1 + 3 * np.sqrt(0.1 * 0.9 / 20)


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 150, 500])
def test_racing_errs_at_most_as_often_as_it_says(n: int) -> None:
    equal = race(300, 0.1, n)
    assert equal["best lost"].share <= 0.1 + equal["best lost"].slack
    if n == 500:
        bad = race(100, 0.1, n, worse=0.4)
        assert bad["worst dropped"].share > 0.5
        assert bad["fits"] < 1.0


# -- probabilities -----------------------------------------------------------------------------------


def chances(sims: int, spread: float, n: int = 150, m: int = 4) -> dict[str, Any]:
    """P(best) of the leader and P(first beats second), against how often it is so.

    Columns have coefficients ``0.4 + spread N(0, 1)``: the candidate with the largest ones is the best.
    """
    said, right, pair_said, pair_right = [], [], [], []
    for s in range(sims):
        rng = np.random.default_rng([SEED, s])
        size = 0.4 + spread * rng.normal(size=m)
        X = rng.normal(size=(n, m))
        y = X @ size + rng.normal(size=n)
        search = GridSearch(
            OnColumns(width=1), starts(m, 1), metric="mse", repeats=2, refit=False, random_state=s
        )
        p = search.fit(X, y).probability_best_
        said.append(float(p.max()))
        right.append(int(np.argmax(p)) == int(np.argmax(np.abs(size))))
        pair_said.append(search.beats(0, 1)[0])
        pair_right.append(abs(size[0]) > abs(size[1]))
    return {
        "said": np.array(said),
        "right": np.array(right),
        "pair said": np.array(pair_said),
        "pair right": np.array(pair_right),
    }


@pytest.mark.full  # simulated
def test_probabilities_track_the_truth() -> None:
    found = chances(20, 0.5)
    assert abs(found["said"].mean() - found["right"].mean()) < 3 * np.sqrt(0.25 / 20)


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.1, 0.5])
def test_probabilities_are_calibrated(spread: float) -> None:
    found = chances(500, spread)
    for said, right in (("said", "right"), ("pair said", "pair right")):
        for low, high in ((0.0, 0.5), (0.5, 0.8), (0.8, 0.95), (0.95, 1.001)):
            inside = (found[said] >= low) & (found[said] < high)
            if inside.sum() >= 30:
                gap = found[said][inside].mean() - found[right][inside].mean()
                assert abs(gap) < 0.03 + 3 * np.sqrt(0.25 / inside.sum()), (said, low, high, gap)


# -- all intervals at once ----------------------------------------------------------------------------


def simultaneous(sims: int, n: int = 200, m: int = 10) -> dict[str, Any]:
    """Whether the intervals of all candidates hold at once, alone and with the union bound."""
    beta, wide, alone, risks = np.full(2 * m, 0.2), [], [], []
    for s in range(sims):
        rng = np.random.default_rng([SEED, s])
        X = rng.normal(size=(n, 2 * m))
        y = X @ beta + rng.normal(size=n)
        search = GridSearch(OnColumns(), starts(m), metric="mse", repeats=5, refit=False, random_state=s).fit(
            X, y
        )
        risks.append([OnColumns(2 * k).fit(X, y).risk(beta) for k in range(m)])
        wide.append(search.result_.simultaneous)
        alone.append(search.result_.scores)
    truth = float(np.mean(risks))  # the candidates are exchangeable
    return {
        "union bound": Tally([all(covers(e, truth) for e in row) for row in wide]),
        "each alone": Tally([all(covers(e, truth) for e in row) for row in alone]),
    }


def test_union_bound_holds_more_often() -> None:
    found = simultaneous(3)
    assert found["union bound"].share >= found["each alone"].share


@pytest.mark.slow
def test_union_bound_covers_all_at_once() -> None:
    found = simultaneous(200)
    assert found["union bound"].share >= 0.95 - found["union bound"].slack
    assert found["each alone"].share < found["union bound"].share


# -- one standard error -------------------------------------------------------------------------------


def simpler(sims: int, n: int = 200, p: int = 10) -> dict[str, Any]:
    """Nested models of 1, ..., p columns of which three matter: what the two rules choose."""
    beta = np.r_[np.full(3, 0.5), np.zeros(p - 3)]
    widths: dict[str, list[int]] = {"min": [], "one_se": []}
    risks: dict[str, list[float]] = {"min": [], "one_se": []}
    for s in range(sims):
        rng = np.random.default_rng([SEED, s])
        X = rng.normal(size=(n, p))
        y = X @ beta + rng.normal(size=n)
        for rule in widths:
            search = GridSearch(
                OnColumns(),
                {"width": list(range(1, p + 1))},
                metric="mse",
                repeats=2,
                rule=rule,
                complexity="width",
                random_state=s,
            ).fit(X, y)
            widths[rule].append(search.best_params_["width"])
            risks[rule].append(search.best_estimator_.risk(beta))
    exact = {rule: float(np.mean(np.array(w) == 3)) for rule, w in widths.items()}
    return {"exact": exact, "risk": {rule: float(np.mean(r)) for rule, r in risks.items()}, "widths": widths}


def test_one_standard_error_is_never_richer() -> None:
    found = simpler(4)["widths"]
    assert all(a <= b for a, b in zip(found["one_se"], found["min"], strict=True))


@pytest.mark.slow
def test_one_standard_error_finds_the_size_more_often() -> None:
    found = simpler(150)
    assert found["exact"]["one_se"] > found["exact"]["min"]
    assert found["risk"]["one_se"] < 1.02 * found["risk"]["min"]
