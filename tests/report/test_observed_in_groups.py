"""What groups of test rows show of the target, beside their scores."""

from types import SimpleNamespace

import numpy as np
import pytest

from empirisk.report.sections.test.subgroups import _observed


def test_the_share_of_a_group_counts_each_row_as_often_as_its_weight_says() -> None:
    y, rows = np.array([1, 0, 1, 1]), np.array([True, True, False, True])
    one = SimpleNamespace(task="binary", y=y, weights=None)
    assert _observed(one, rows) == pytest.approx(2 / 3, rel=1e-15)
    often = SimpleNamespace(task="binary", y=y, weights=np.array([1.0, 3.0, 9.0, 1.0]))
    written_out = np.repeat(y, [1, 3, 9, 1])[np.repeat(rows, [1, 3, 9, 1])]
    assert _observed(often, rows) == pytest.approx(written_out.mean(), rel=1e-15)
    assert _observed(SimpleNamespace(task="multiclass"), rows) is None
