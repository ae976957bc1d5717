"""The three directions of every theorem invert each other, also at the ends of every argument's range.

A theorem is one monotone relation between n, epsilon and delta.  What it gives for one of them from the other
two must hold when it is asked back, and the next smaller number must not: that is the definition of each
answer, and needs no formula.
"""

from __future__ import annotations

import inspect
import math
from itertools import pairwise
from typing import Any

import pytest

import empirisk as er
from empirisk.bounds.base import TINY, Guarantee
from tests.bounds.cases import CASES

BOTH = {"n", "epsilon"}
RELATIONS = {
    name: f for name, f in er.bounds.REGISTRY.items() if set(inspect.signature(f).parameters) >= BOTH
}
SOLVABLE = [name for name in RELATIONS if "delta" in inspect.signature(RELATIONS[name]).parameters]
EXPECTED = [name for name in RELATIONS if name not in SOLVABLE]

# Numbers for theorems about an expectation.
USUAL: dict[str, dict[str, Any]] = {
    "averaged_subgradient": {"rho": 1.0, "norm": 2.0},
    "gradient_descent": {"smoothness": 1.0, "strong_convexity": 0.1, "distance": 2.0},
    "nearest_neighbors": {"dimension": 2, "lipschitz": 0.5},
    "pegasos": {"rho": 1.0, "alpha": 0.1},
    "perceptron_risk": {"radius": 1.0, "margin": 0.1},
    "regularised_oracle": {"rho": 1.0, "norm": 1.0},
    "sgd_constant_step": {
        "smoothness": 1.0, "strong_convexity": 0.1, "distance": 2.0, "noise": 0.1, "step": 0.5,
    },
    "sgd_decreasing_step": {"gradient": 1.0, "strong_convexity": 0.1},
    "stability": {"rho": 1.0, "alpha": 0.1},
}  # fmt: skip

# The ends of the range of each argument, or far towards an open end.
ENDS: dict[str, list[Any]] = {
    "alpha": [1e-3, 1e3],
    "any_margin": [True],
    "at_minimiser": [True],
    "bayes_risk": [0.0, 0.5],
    "bits": [1, 1000],
    "candidates": [1, 10**6],
    "classes": [1, 10**6],
    "dimension": [1, 4],
    "distance": [1e-3, 1e3],
    "domain_size": [2, 10**6],
    "gap": [0.0, 0.01],
    "gradient": [1e-2, 1e2],
    "high": [1e-6, 1e6],
    "hypotheses": [1, 2**400],
    "k": [1, 10],
    "largest_loss": [1e-3, 1e3],
    "lipschitz": [1e-3, 10.0],
    "loss_range": [1e-6, 1e6],
    "low": [-1e6],
    "margin": [1e-3, 1.0],
    "noise": [0.0, 10.0],
    "norm": [1e-3, 1e3],
    "observed": [True],
    "parameters": [1, 1000],
    "points": [2, 10**9],
    "radius": [1e-3, 1e3],
    "rate": [0.0, 1e-9, 0.5, 1.0 - 1e-9, 1.0],
    "rho": [1e-3, 1e3],
    "row_norm": [1.0, 1e3],
    "sensitivity": [1e-6, 1e6],
    "sides": [1, 2],
    "smoothness": [0.5, 1e3],
    "step": [1e-3],
    "strong_convexity": [1e-3, 0.5],
    "variance": [0.0, 1e-9, 0.25],
    "vc": [1, 2, 1000],
    "weight": [1e-9, 1.0],
    "weight_norm": [1.0, 1e3],
}
# Where a class is asked for in place of the logarithm of a number of hypotheses.
CLASSES = [er.hypotheses.Halfspaces(1), er.hypotheses.Halfspaces(50)]
ROWS = (1, 2, 7, 60, 4000, 10**7, 10**9)
RISKS = (1e-200, 1e-12, 0.03, 0.5, 1.0 - 1e-9)
SHARES = (1e-6, 1e-2, 0.3, 0.9, 1.0 - 1e-9)
# These search in every call: few points each, all of them with `slow`.
SEARCHES = {name for name in SOLVABLE if name.startswith("ghost_")}
# Of the solved number: a bisection ends at neighbouring floats, and formulas round.
TOL = 1e-7
HERE = "tests/conformance/test_bound_directions.py"


def settings(name: str) -> list[dict[str, Any]]:
    """The usual arguments, and with each argument in turn at its ends (sides and rates together)."""
    theorem, base = RELATIONS[name], dict(CASES[name].kwargs) if name in CASES else dict(USUAL.get(name, {}))
    takes = set(inspect.signature(theorem).parameters)
    out = [base]
    for parameter in sorted(takes & ENDS.keys()):
        either = parameter == "hypotheses" and "vc" in takes
        for value in CLASSES if either else ENDS[parameter]:
            more = {parameter: value}
            out.append({**base, **more})
            if parameter == "rate" and "sides" in takes:
                out.append({**base, **more, "sides": 1})
            if either:
                out[-1].pop("vc")
    return [s for s in out if allowed(theorem, s)]


def allowed(theorem: Any, arguments: dict[str, Any]) -> bool:
    """Whether the theorem takes these arguments at all: refusals are tested elsewhere."""
    try:
        theorem(
            n=50, **arguments, **({"delta": 0.5} if "delta" in inspect.signature(theorem).parameters else {})
        )
    except ValueError:
        return False
    return True


def ask(name: str, arguments: dict[str, Any], **given: Any) -> Guarantee | None:
    """The answer, or None where the theorem is not stated or no sample is large enough."""
    try:
        found: Guarantee = RELATIONS[name](**arguments, **given)
    except ValueError:
        return None
    return found


def points(name: str) -> tuple[list[dict[str, Any]], tuple[int, ...], tuple[float, ...]]:
    """Arguments, rows and risks to try."""
    every = settings(name)
    return (every[:2], (1, 60, 4000), (1e-12, 0.03)) if name in SEARCHES else (every, ROWS, RISKS)


def close_below(a: float, b: float) -> bool:
    """``a <= b`` up to rounding, also that of rates near 1."""
    return a <= b * (1.0 + TOL) + 4e-16


@pytest.mark.parametrize("name", RELATIONS)
def test_every_argument_has_its_ends_tried(name: str) -> None:
    free = set(inspect.signature(RELATIONS[name]).parameters) - {"n", "epsilon", "delta"}
    assert free <= ENDS.keys(), f"add the ends of {sorted(free - ENDS.keys())} to ENDS in {HERE}"
    assert name in CASES or name in USUAL, f"add numbers to call {name!r} with to USUAL in {HERE}"
    tried = {key for s in settings(name) for key in s}
    assert free <= tried, (
        f"add values that {name!r} takes to ENDS in {HERE}: {sorted(free - tried)} are never given"
    )


@pytest.mark.parametrize("name", SOLVABLE)
def test_epsilon_and_delta_invert_each_other(name: str) -> None:
    invert_epsilon_and_delta(name, *points(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SEARCHES))
def test_epsilon_and_delta_invert_each_other_everywhere(name: str) -> None:
    invert_epsilon_and_delta(name, settings(name), ROWS[:-1], RISKS)


def invert_epsilon_and_delta(name: str, every: Any, rows: Any, risks: Any) -> None:
    """Each tolerance that is asked for comes back at its risk, and not at a smaller one."""
    for arguments in every:
        for n in rows:
            given = [ask(name, arguments, n=n, delta=delta) for delta in risks]
            widest = max((g.epsilon for g in given if g is not None), default=1.0)
            asked = [widest * share for share in (SHARES if len(risks) > 2 else SHARES[1:3])]
            asked += [g.epsilon for g in given if g is not None]
            for epsilon in asked:
                back = ask(name, arguments, n=n, epsilon=epsilon) if epsilon > 0.0 else None
                if back is not None:
                    check_smallest_delta(name, arguments, n, epsilon, back.delta)


def check_smallest_delta(
    name: str, arguments: dict[str, Any], n: int, epsilon: float, risk: float | None
) -> None:
    """At `risk` epsilon is kept, at a smaller one it is not."""
    where = f"{name}({arguments}, n={n}, epsilon={epsilon!r}) gave delta={risk!r}"
    assert risk is not None
    assert TINY <= risk <= 1.0, where
    if risk < 1.0 - 1e-9:
        # TINY stands for 0; a union over candidates refuses it for each.
        kept = ask(name, arguments, n=n, delta=risk * (1.0 + 1e-9))
        assert kept is None or close_below(kept.epsilon, epsilon), where
    least = max(10.0 * TINY, TINY * arguments.get("candidates", 1) * 10.0)
    if risk > least:
        less = ask(name, arguments, n=n, delta=min(risk, 1.0) * (1.0 - 1e-6))
        assert less is None or close_below(epsilon, less.epsilon), where


@pytest.mark.parametrize("name", SOLVABLE)
def test_the_number_of_rows_inverts_both(name: str) -> None:
    every, rows, risks = points(name)
    for arguments in every:
        for n in rows:
            for delta in risks[-4:]:
                there = ask(name, arguments, n=n, delta=delta)
                if there is None or there.epsilon <= 0.0:
                    continue
                back = ask(name, arguments, epsilon=there.epsilon, delta=delta)
                if back is None:  # epsilon is as large as the range: refused
                    assert there.vacuous, (name, arguments, n, delta, there.epsilon)
                    continue
                where = (
                    f"{name}({arguments}, epsilon={there.epsilon!r}, delta={delta}) gave n={back.n}, not {n}"
                )
                assert back.n <= n * (1.0 + TOL), where
                again = ask(name, arguments, n=back.n, delta=delta)
                assert again is not None
                assert close_below(again.epsilon, there.epsilon), where
                before = ask(name, arguments, n=back.n - 1, delta=delta) if back.n > 1 else None
                assert before is None or close_below(there.epsilon, before.epsilon), where


@pytest.mark.parametrize("name", SOLVABLE)
def test_more_rows_and_more_risk_never_ask_for_a_larger_epsilon(name: str) -> None:
    every, rows, levels = points(name)
    for arguments in every:
        table = [[ask(name, arguments, n=n, delta=delta) for delta in levels] for n in rows]
        for line in [*table, *map(list, zip(*table, strict=True))]:
            numbers = [g.epsilon for g in line if g is not None]
            for larger, smaller in pairwise(numbers):
                assert close_below(smaller, larger), (name, arguments, numbers)
            assert all(e >= 0.0 and not math.isnan(e) for e in numbers), (name, arguments, numbers)
        for n in rows:
            risks = [ask(name, arguments, n=n, epsilon=e) for e in (1e-9, 1e-3, 0.1, 0.5, 0.999)]
            numbers = [float(g.delta or 0.0) for g in risks if g is not None]
            for larger, smaller in pairwise(numbers):
                assert smaller <= larger * (1.0 + TOL), (name, arguments, n, numbers)


@pytest.mark.parametrize("name", EXPECTED)
def test_rows_and_epsilon_of_an_expectation_invert_each_other(name: str) -> None:
    for arguments in settings(name):
        known = [(n, ask(name, arguments, n=n)) for n in ROWS]
        numbers = [g.epsilon for _, g in known if g is not None]
        for larger, smaller in pairwise(numbers):
            assert close_below(smaller, larger), (name, arguments, numbers)
        for n, there in known:
            # Rounding reaches a limit that no number of rows reaches.
            limit = min(numbers, default=0.0) if len(set(numbers)) < len(numbers) else 0.0
            if there is None or not limit < there.epsilon < math.inf:
                continue
            back = ask(name, arguments, epsilon=there.epsilon)
            assert back is not None, (name, arguments, n)
            assert back.n <= n, (name, arguments, n, back.n)
            again = ask(name, arguments, n=back.n)
            assert again is not None
            assert close_below(again.epsilon, there.epsilon), (name, arguments, n, back.n)
            before = ask(name, arguments, n=back.n - 1) if back.n > 1 else None
            assert before is None or close_below(there.epsilon, before.epsilon), (name, arguments, n, back.n)
