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


# A class says these itself, and does not inherit them: its base sets them.
ITS_OWN = {"fused", "row_slope"}


@pytest.mark.parametrize("kind", [OfLosses, ScalarLoss, OfPenalties])
def test_answers_are_properties(kind: type) -> None:
    of_class = {name for name, told in inspect.get_annotations(kind).items() if "ClassVar" in told}
    answers = {name: value for name, value in dict(vars(kind)).items() if not name.startswith("_")}
    plain = {name for name, value in answers.items() if not hasattr(value, "__get__")} - of_class - ITS_OWN
    assert not plain, f"make these properties, so that an object may compute them: {sorted(plain)}"
