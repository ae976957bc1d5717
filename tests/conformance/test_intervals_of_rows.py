"""What gives an interval of rows gives one table: estimates with their ends, under one name everywhere."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from empirisk.inference import Bands
from tests.conformance.test_verify import CASES, Case


def intervals_of(est: Any) -> list[str]:
    """Return the methods of an estimator that give intervals at the rows X."""
    names = [n for n in dir(type(est)) if n.endswith("interval") and not n.startswith("_")]
    asked = [n for n in names if "X" in inspect.signature(getattr(type(est), n)).parameters]
    return [n for n in asked if n != "dispersion_interval"]  # about one number of the fit


ASKED = [(case, name) for case in CASES for name in intervals_of(case.est)]


@pytest.mark.parametrize(("case", "name"), ASKED, ids=lambda v: v if isinstance(v, str) else v.name)
def test_intervals_of_rows_are_one_table(case: Case, name: str, rng: np.random.Generator) -> None:
    X, y, weight = case.rows(rng)
    model = clone(case.est).fit(X, *(() if y is None else (y,)), **weight)
    if not hasattr(model, name):
        return
    try:
        told = getattr(model, name)(X, level=0.8)
    except ValueError:  # an interval that this fit does not have; its reason is tried elsewhere
        return
    assert isinstance(told, Bands)
    assert told.level == 0.8
    ends = np.asarray(told.low), np.asarray(told.high)
    assert np.shape(told.value)[0] == X.shape[0]
    assert np.all(ends[0] <= ends[1])
    assert "80 %" in repr(told).splitlines()[0]
    assert {"value", "low", "high"} <= set(told.to_frame().columns)
