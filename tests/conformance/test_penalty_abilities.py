"""What penalties and sets say about themselves is true: every answer against its definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from empirisk.penalties import (
    L1,
    L2,
    REGISTRY,
    Box,
    ConstraintSet,
    ElasticNetPenalty,
    GroupLasso,
    HalfSpace,
    Intersection,
    L1Ball,
    L2Ball,
    NonNegative,
    Simplex,
    SortedL1,
    Zero,
)

GROUPS = GroupLasso(0.7, [[0, 2], [3]], [1.0, 3.0])
PENALTIES: list[Any] = [L1(0.7), L2(0.7), ElasticNetPenalty(0.7), GROUPS, SortedL1(0.7), Zero()]
SETS: list[Any] = [
    Box(-1.0, 1.0),
    HalfSpace([1.0, 1.0, 0.0, 0.0], 1.0),
    L1Ball(1.5),
    L2Ball(1.5),
    NonNegative(),
    Simplex(2.0),
]
NORMS = {
    "||w||_1": lambda w: np.abs(w).sum(),
    "||w||": np.linalg.norm,
    "sum_j w_j (w >= 0)": lambda w: w.sum(),
}


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_groups(penalty: Any, rng: np.random.Generator) -> None:
    if not penalty.grouped:
        with pytest.raises(TypeError, match="no sum over groups"):
            penalty.blocks(4)
        return
    w = rng.normal(size=4)
    labels, strength = penalty.blocks(4)
    norms = [np.linalg.norm(w[labels == g]) for g in range(len(strength))]
    assert penalty.value(w) == pytest.approx(strength @ norms, rel=1e-13)


@pytest.mark.parametrize("name", REGISTRY)
def test_a_strength_makes_those_that_have_one(name: str) -> None:
    kind = REGISTRY[name]
    assert kind.has_strength == (not issubclass(kind, ConstraintSet) and name != "zero")
    if kind.has_strength:
        assert kind(0.5).alpha == 0.5
        assert kind(0.5).formula != "Omega(w)", f"say what {name} multiplies: `formula`"


@pytest.mark.parametrize("constraint", SETS, ids=repr)
def test_sizes_and_excesses(constraint: Any, rng: np.random.Generator) -> None:
    assert constraint.members == (constraint,)
    for w in rng.normal(size=(40, 4)) * 0.6:
        if constraint.size is not None and not constraint.positive:
            inside = NORMS[constraint.size.formula](w) <= constraint.size.bound
            assert inside == constraint.contains(w)
        if constraint.smooth_border:
            with pytest.raises(TypeError, match="smooth inequalities"):
                constraint.excess(w)
        else:
            assert (constraint.excess(w) <= 0.0) == constraint.contains(w)
    if constraint.size is not None:
        on_the_border = constraint.project(np.array([5.0, 4.0, 0.5, 0.0]))
        formula, bound, euclidean = constraint.size
        assert NORMS[formula](on_the_border) == pytest.approx(bound)
        assert euclidean == (formula == "||w||")


def test_members_of_nested_intersections() -> None:
    inner = Intersection([NonNegative(), L1Ball(1.0)])
    assert Intersection([inner, L2Ball(2.0)]).members == (NonNegative(), L1Ball(1.0), L2Ball(2.0))
