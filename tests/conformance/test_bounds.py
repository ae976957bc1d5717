"""Every theorem: it fails at most as often as it says, is monotone, and its three forms agree."""

from __future__ import annotations

import inspect
import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import empirisk as er
from empirisk.bounds.base import Guarantee
from empirisk.bounds.search import MAX_ROWS
from tests.bounds.cases import CASES, Case

# The theorems that solve for any one of n, epsilon and delta.
SOLVABLE = {
    name: f
    for name, f in er.bounds.REGISTRY.items()
    if {"n", "epsilon", "delta"} <= set(inspect.signature(f).parameters)
}
# More than this many failures have a probability below 1e-4 when the theorem holds with equality.
SURPRISE = 1e-4
NAMES = sorted(set(SOLVABLE) & set(CASES))


def solve(name: str, **given: Any) -> Guarantee:
    found: Guarantee = SOLVABLE[name](**{**CASES[name].kwargs, **given})
    return found


def failures(name: str, case: Case, factor: float, rng: np.random.Generator, reps: int) -> int:
    """Samples, of so many, on which the claim fails with the tolerance divided by a factor."""

    def epsilon(**observed: Any) -> float:
        return solve(name, n=case.n, delta=case.delta, **observed).epsilon / factor

    return int(case.simulate(case.n, epsilon, reps, rng).sum())


@pytest.mark.parametrize("name", NAMES)
def test_fails_at_most_as_often_as_it_says(name: str, rng: np.random.Generator) -> None:
    case = CASES[name]
    assert not solve(name, n=case.n, delta=case.delta).vacuous, "a vacuous statement cannot fail"
    seen = failures(name, case, 1.0, rng, case.reps)
    if solve(name, n=case.n, delta=case.delta).claim.startswith("whatever the learner"):
        # A lower bound: with so few rows the risk is that large at least as often as delta.
        assert stats.binomtest(seen, case.reps, case.delta, "less").pvalue > SURPRISE
        return
    assert stats.binomtest(seen, case.reps, case.delta, "greater").pvalue > SURPRISE
    # The simulation would see a bound that is too small by the factor `slack`.
    wrong = failures(name, case, case.slack, rng, case.reps)
    assert stats.binomtest(wrong, case.reps, case.delta, "greater").pvalue < SURPRISE


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("delta", [0.02, 0.05, 0.1])
def test_fails_at_most_as_often_as_it_says_at_other_levels(
    name: str, delta: float, rng: np.random.Generator
) -> None:
    case = CASES[name]
    reps = 10 * case.reps

    def epsilon(**observed: Any) -> float:
        return solve(name, n=case.n, delta=delta, **observed).epsilon

    seen = int(case.simulate(case.n, epsilon, reps, rng).sum())
    side = "less" if solve(name, n=case.n, delta=delta).claim.startswith("whatever") else "greater"
    assert stats.binomtest(seen, reps, delta, side).pvalue > SURPRISE


def test_every_theorem_has_a_case() -> None:
    missing = set(SOLVABLE) - set(CASES)
    assert not missing, f"add a case of each to CASES in tests/bounds/cases.py: {sorted(missing)}"


def test_every_other_theorem_is_tried_by_name() -> None:
    """Those from rows or in expectation have simulations of their own beside the cases."""
    folder = Path(__file__).parents[1] / "bounds"
    texts = [f.read_text(encoding="utf-8") for f in folder.glob("test_*.py") if f.name != "test_page.py"]
    simulated = "\n".join(t for t in texts if "rng: np.random.Generator" in t)
    untried = [n for n in set(er.bounds.REGISTRY) - set(CASES) if not re.search(rf"\b{n}\b", simulated)]
    assert not untried, (
        f"add a simulation of each by name to tests/bounds/test_from_rows.py: {sorted(untried)}"
    )


@pytest.mark.parametrize("name", NAMES)
def test_more_rows_or_more_failures_allow_a_smaller_epsilon(name: str) -> None:
    case = CASES[name]
    by_n = [solve(name, n=n, delta=case.delta).epsilon for n in (case.n, case.n + 1, 2 * case.n, 50 * case.n)]
    by_delta = [solve(name, n=case.n, delta=case.delta * f).epsilon for f in (1.0, 0.5, 0.01)]
    assert by_n == sorted(by_n, reverse=True)
    assert by_n[0] > by_n[-1]
    assert by_delta == sorted(by_delta)
    epsilon = by_n[2]
    by_epsilon = [solve(name, n=case.n, epsilon=epsilon * f).delta for f in (0.9, 1.0, 1.1)]
    assert by_epsilon == sorted(by_epsilon, key=lambda d: -(d or 0.0))


@pytest.mark.parametrize(("name", "parameter"), [(name, p) for name in NAMES for p in CASES[name].grows])
def test_a_larger_problem_asks_for_more(name: str, parameter: str) -> None:
    case, larger = CASES[name], CASES[name].grows[parameter]
    before = solve(name, n=case.n, delta=case.delta).epsilon
    assert solve(name, n=case.n, delta=case.delta, **{parameter: larger}).epsilon > before


def test_every_number_of_a_theorem_is_tried() -> None:
    # Choices of form, and the parameters that make epsilon smaller.
    free = {"sides", "low", "weight", "observed", "any_margin", "hypotheses", "margin", "alpha"}
    for name in NAMES:
        tried = {"n", "epsilon", "delta", *CASES[name].grows}
        untried = sorted(set(inspect.signature(SOLVABLE[name]).parameters) - tried - free)
        assert not untried, (
            f"add a larger value of {untried} to `grows` of the case of {name!r} in tests/bounds/cases.py"
        )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shrink", [1.0, 0.7])
def test_the_number_of_rows_is_the_smallest(name: str, shrink: float) -> None:
    case = CASES[name]
    epsilon = shrink * solve(name, n=case.n, delta=case.delta).epsilon
    found = solve(name, epsilon=epsilon, delta=case.delta)
    assert found.solved == "n"
    assert solve(name, n=found.n, delta=case.delta).epsilon <= epsilon * (1 + 1e-11)
    assert solve(name, n=found.n - 1, delta=case.delta).epsilon > epsilon
    if shrink == 1.0:
        assert found.n == case.n or "whatever" in found.claim


@pytest.mark.parametrize("name", NAMES)
def test_small_tolerances_have_an_answer(name: str) -> None:
    coarse, fine = (solve(name, epsilon=epsilon, delta=1e-9).n for epsilon in (1e-3, 1e-5))
    assert fine > 90 * coarse or (name == "lower_agnostic" and fine == 1) or name == "no_free_lunch"


@pytest.mark.parametrize("name", NAMES)
def test_delta_comes_back(name: str) -> None:
    case = CASES[name]
    epsilon = solve(name, n=case.n, delta=case.delta).epsilon
    again = solve(name, n=case.n, epsilon=epsilon)
    assert again.solved == "delta"
    if "whatever" not in again.claim:  # steps of a lower bound forget delta
        assert again.delta == pytest.approx(case.delta, rel=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_wrong_input_is_refused(name: str) -> None:
    call = partial(solve, name)
    for given in (
        {},
        {"n": 100},
        {"n": 100, "epsilon": 0.1, "delta": 0.1},
    ):
        with pytest.raises(ValueError, match="exactly two of n, epsilon, delta"):
            call(**given)
    for wrong, word in (
        ({"n": 0, "delta": 0.1}, "n must"),
        ({"n": 10.5, "delta": 0.1}, "n must"),
        ({"n": True, "delta": 0.1}, "n must"),
        ({"n": 10 * MAX_ROWS, "delta": 0.1}, "n must"),
        ({"n": 100, "delta": 0.0}, "delta must"),
        ({"n": 100, "delta": 1.0}, "delta must"),
        ({"n": 100, "delta": np.nan}, "delta must"),
        ({"n": 100, "delta": "x"}, "delta must"),
        ({"n": 100, "epsilon": np.inf}, "epsilon must"),
        ({"n": 100, "epsilon": -0.1}, "epsilon must"),
        ({"epsilon": 0.0, "delta": 0.1}, "epsilon must"),
    ):
        with pytest.raises(ValueError, match=word):
            call(**wrong)


@pytest.mark.parametrize("name", NAMES)
def test_it_prints(name: str) -> None:
    case = CASES[name]
    found = solve(name, n=np.int64(case.n), delta=case.delta)
    assert max(map(len, str(found).splitlines())) <= 80
    assert found.theorem == name
    for text in (found.claim, found.source, *found.assumptions):
        assert text in found._repr_html_().replace("&lt;", "<").replace("&gt;", ">").replace("&#x27;", "'")
    assert found.to_dict()["n"] == case.n
    assert list(found.to_frame()["epsilon"]) == [found.epsilon]
    assert set(found.to_dict()) >= {"theorem", "n", "epsilon", "delta", "claim", "assumptions", "source"}
