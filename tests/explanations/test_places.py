"""Places at which a model is asked along a column: in the tail too, where most rows are equal."""

import numpy as np
import pytest

from empirisk.explanations.places import places


@pytest.mark.parametrize("method", ["linear", "nearest"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 0.92, 0.98])
def test_ties_leave_as_many_places_as_there_are_values(share: float, method: str) -> None:
    rng = np.random.default_rng(0)
    x = np.where(rng.random(20_000) < share, 0.0, rng.lognormal(8.0, 1.0, 20_000))
    found = places(x, 20, method)
    assert len(found) == 20
    assert (np.diff(found) > 0.0).all()
    low, high = np.quantile(x, [0.01, 0.99], method=method)
    assert found[0] == low
    assert found[-1] == high
    if share >= 0.5:  # all but the first place lie among the few rows that differ
        assert (found > 0.0).sum() == 19


def test_few_values_are_all_places() -> None:
    assert places(np.repeat([3.0, 1.0, 2.0], 50), 3).tolist() == [1.0, 2.0, 3.0]


def test_one_value_holds_nearly_all_rows() -> None:
    """The 1 % and the 99 % quantile are the same: one place, as there is nothing between."""
    x = np.append(np.zeros(10_000), np.arange(1.0, 31.0))
    assert places(x, 10).tolist() == [0.0]
