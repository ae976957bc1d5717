"""Every loss, penalty, set, update rule, step size and solver has a page; its constants are the class's."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from empirisk import losses, optimizers, penalties, solvers
from empirisk.typing import Capability
from tests.oracles.complete import complete, page_of

MATHS = Path(__file__).parents[2] / "docs" / "maths"
NOUNS: dict[str, dict[str, type]] = {
    "losses": losses.REGISTRY,
    "penalties": penalties.REGISTRY,
    "optimizers": {**optimizers.REGISTRY, **optimizers.SCHEDULES},
    "solvers": solvers.REGISTRY,
}
EACH = [pytest.param(folder, name, id=f"{folder}-{name}") for folder, rows in NOUNS.items() for name in rows]

# An example of each penalty on four coefficients.
EXAMPLES: dict[str, Any] = {
    "zero": penalties.Zero(),
    "l2": penalties.L2(0.5),
    "l1": penalties.L1(0.5),
    "elastic_net": penalties.ElasticNetPenalty(0.5, 0.5),
    "group_lasso": penalties.GroupLasso(0.5, groups=[[0, 1], [2, 3]]),
    "sorted_l1": penalties.SortedL1(0.5),
    "l2_ball": penalties.L2Ball(1.0),
    "l1_ball": penalties.L1Ball(1.0),
    "simplex": penalties.Simplex(),
    "box": penalties.Box(-1.0, 1.0),
    "non_negative": penalties.NonNegative(),
    "half_space": penalties.HalfSpace([1.0, 1.0, 0.0, 0.0], 1.0),
    "affine_set": penalties.AffineSet([[1.0, 1.0, 0.0, 0.0]], [1.0]),
    "intersection": penalties.Intersection([penalties.NonNegative(), penalties.L1Ball(1.0)]),
}


# The skeleton of a page, or one to copy.
COPY = {"losses": "docs/skeletons/loss.md"}


def page(folder: str, name: str) -> str:
    return page_of(MATHS / folder, name, COPY.get(folder, "a neighbour"))


@pytest.mark.parametrize(("folder", "name"), EACH)
def test_every_row_has_a_page_and_the_index_knows_it(folder: str, name: str) -> None:
    text = page(folder, name)
    use = f'solver="{name}"' if folder == "solvers" else f"er.{folder}.{NOUNS[folder][name].__name__}"
    for part in (use, "**When.**", "**A number.**", "**Source.**", ">>>"):
        assert part in text, f"add {part!r} to docs/maths/{folder}/{name}.md"
    index = (MATHS / f"{folder}.md").read_text(encoding="utf-8")
    assert f"({folder}/{name}.md)" in index, (
        f"add a row that links {folder}/{name}.md to docs/maths/{folder}.md"
    )


@pytest.mark.parametrize("folder", NOUNS)
def test_no_page_is_left_over(folder: str) -> None:
    complete(
        {p.stem for p in (MATHS / folder).glob("*.md")}, NOUNS[folder], "a page", f"docs/maths/{folder}/"
    )


def example(name: str) -> Any:
    """Return a penalty of this name with some arguments, or say where one is to be added."""
    assert name in EXAMPLES, f"add an example of {name!r} to EXAMPLES in tests/docs/test_nouns.py"
    return EXAMPLES[name]


# -- constants, as the classes have them ---------------------------------------------------------


def written(value: float) -> str:
    return str(value) if math.isinf(value) else f"{value:.4g}"


def loss_constants(name: str) -> str:
    loss = losses.REGISTRY[name]()
    low, high = loss.curvature
    return (
        f"Constants of `{type(loss).__name__}()`: curvature {written(low)} to {written(high)}, slope at most "
        f"{written(loss.lipschitz)}, {'convex' if loss.convex else 'not convex'}."
    )


def penalty_constants(name: str) -> str:
    one = example(name)
    gap = "the duality gap" if one.coercive(4) else "the KKT residual"
    if isinstance(one, penalties.ConstraintSet):
        return f"Constants: a set, so that no strength varies; certified by {gap}."
    return (
        f"Constants at strength {written(getattr(one, 'alpha', 0.0))}: strong convexity "
        f"{written(one.strong_convexity)}, smoothness {written(one.smoothness)}; certified by {gap}."
    )


def rule_defaults(name: str) -> str:
    fields = dataclasses.fields(NOUNS["optimizers"][name])
    known = [f"{f.name} = {f.default:g}" for f in fields if isinstance(f.default, float | int)]
    return f"Defaults: {', '.join(known)}." if known else ""


def solver_needs(name: str) -> str:
    return f"| needs | {'; '.join(c.value for c in Capability if c in solvers.REGISTRY[name].needs)} |"


SAID = {
    "losses": loss_constants,
    "penalties": penalty_constants,
    "optimizers": rule_defaults,
    "solvers": solver_needs,
}


@pytest.mark.parametrize(("folder", "name"), EACH)
def test_constants_on_a_page_are_those_of_the_class(folder: str, name: str) -> None:
    said = SAID[folder](name)
    assert said in page(folder, name), f"add the sentence {said!r} to docs/maths/{folder}/{name}.md"


@pytest.mark.parametrize("name", penalties.REGISTRY)
def test_a_penalty_is_as_curved_as_its_page_says(name: str, rng: np.random.Generator) -> None:
    """The constants themselves, on random chords: ``mu/2 t(1-t)|x-y|^2 <= chord - P <= L/2 ...``."""
    one = example(name)
    if isinstance(one, penalties.ConstraintSet):
        inside = one.project(rng.normal(size=4))
        assert one.value(inside) == 0.0
        return
    for _ in range(20):
        x, y = rng.normal(size=(2, 4))
        chord = 0.5 * one.value(x) + 0.5 * one.value(y) - one.value(0.5 * (x + y))
        size = float((x - y) @ (x - y)) / 8.0
        assert chord >= one.strong_convexity * size - 1e-12
        assert math.isinf(one.smoothness) or chord <= one.smoothness * size + 1e-12
