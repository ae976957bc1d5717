"""The table of small fits: turns are taken, and a row holds medians and ratios."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest

from bench import small


class Slow:
    """An estimator that remembers the order of the fits."""

    order: ClassVar[list[str]] = []

    def __init__(self, name: str) -> None:
        self.name = name

    def fit(self, X: Any, y: Any) -> Slow:
        """Write the name down, in the order of the fits."""
        Slow.order.append(self.name)
        return self


def test_both_sides_take_turns() -> None:
    """After one fit of each, they are timed alternately, as often as was asked for."""
    Slow.order = []
    took = small.measure(lambda: Slow("a"), lambda: Slow("b"), np.eye(2), np.ones(2), 3)
    assert Slow.order == ["a", "b"] * 4
    assert [len(t["wall"]) for t in took] == [3, 3]


def test_a_row_holds_medians_quartiles_and_ratios() -> None:
    """Ratios above 1 say that scikit-learn takes longer."""
    took = [
        {"wall": [1.0, 2.0, 3.0], "cpu": [1.0, 1.0, 1.0]},
        {"wall": [4.0, 4.0, 4.0], "cpu": [3.0, 3.0, 3.0]},
    ]
    told = small.line("Ridge", "diabetes", 442, took)
    assert told == "| Ridge | diabetes 442 | 2 (1 to 3) | 4 (4 to 4) | 2.00 | 3.00 |"


@pytest.mark.full  # imports the whole of scikit-learn, seconds on a busy machine
def test_every_pair_has_its_table() -> None:
    """The estimators of every row can be made, and its table exists with as many targets as rows."""
    tables = small.tables()
    for name, table, ours, theirs in (*small.regressions(442), *small.classifications(450)):
        X, y = tables[table]
        assert len(X) == len(y) <= 450, name
        assert hasattr(ours(), "fit"), name
        assert hasattr(theirs(), "fit"), name
