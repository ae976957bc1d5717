"""Every loss, penalty, set, update rule and step size has a page; its constants are those of the class."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from empirisk import losses, optimizers, penalties

MATHS = Path(__file__).parents[2] / "docs" / "maths"
NOUNS = {
    "losses": losses.REGISTRY,
    "penalties": penalties.REGISTRY,
    "optimizers": {**optimizers.REGISTRY, **optimizers.SCHEDULES},
}
EACH = [pytest.param(folder, name, id=f"{folder}-{name}") for folder, rows in NOUNS.items() for name in rows]


@pytest.mark.parametrize(("folder", "name"), EACH)
def test_every_row_has_a_page_and_the_index_knows_it(folder: str, name: str) -> None:
    page = (MATHS / folder / f"{name}.md").read_text(encoding="utf-8")
    assert f"er.{folder}.{NOUNS[folder][name].__name__}" in page
    for part in ("**When.**", "**A number.**", "**Source.**", ">>>"):
        assert part in page
    assert f"({folder}/{name}.md)" in (MATHS / f"{folder}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", NOUNS)
def test_no_page_is_left_over(folder: str) -> None:
    assert {p.stem for p in (MATHS / folder).glob("*.md")} == set(NOUNS[folder])


def written(value: float) -> str:
    return str(value) if math.isinf(value) else f"{value:.4g}"


@pytest.mark.parametrize("name", losses.REGISTRY)
def test_constants_on_the_page_of_a_loss_are_its_own(name: str) -> None:
    loss = losses.REGISTRY[name]()
    page = (MATHS / "losses" / f"{name}.md").read_text(encoding="utf-8")
    low, high = loss.curvature
    line = (
        f"Constants of `{type(loss).__name__}()`: curvature {written(low)} to {written(high)}, slope at most "
        f"{written(loss.lipschitz)}, {'convex' if loss.convex else 'not convex'}."
    )
    assert line in page
