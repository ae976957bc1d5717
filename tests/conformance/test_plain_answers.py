"""Losses and penalties answer by properties that class attributes may replace: no type looks away."""

from __future__ import annotations

import inspect

import pytest

from empirisk.losses.abilities import Abilities as OfLosses
from empirisk.losses.base import ScalarLoss
from empirisk.penalties.abilities import Abilities as OfPenalties
from tests.oracles.structure import PACKAGE


@pytest.mark.parametrize("room", ["losses", "penalties"])
def test_no_type_is_told_to_look_away(room: str) -> None:
    marked = [f.name for f in sorted((PACKAGE / room).glob("*.py")) if "type: ignore" in f.read_text("utf-8")]
    assert not marked, f"make a property of Abilities of what these override: {marked}"


@pytest.mark.parametrize("kind", [OfLosses, ScalarLoss, OfPenalties])
def test_answers_are_properties(kind: type) -> None:
    plain = [
        name
        for name, value in dict(vars(kind)).items()
        if not name.startswith("_")
        and "ClassVar" not in inspect.get_annotations(kind).get(name, "")
        and not hasattr(value, "__get__")
    ]
    assert not plain, f"make these properties, so that an object may compute them: {plain}"
