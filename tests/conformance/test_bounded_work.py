"""A fit of a few rows ends after a bounded amount of work: certified, or with its sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from empirisk.problems.linear import LinearProblem
from tests.conformance.small_problems import small

# A Newton step on 30 rows takes some 0.1 ms and a pass over their losses 0.01 ms: about a second at most.
STEPS, PASSES = 1_000, 60_000


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often all losses were looked at since the list was set to 0."""
    count = [0]
    for name in ("mean_loss", "evaluate"):
        plain = getattr(LinearProblem, name)

        def counted(self: Any, *a: Any, _plain: Any = plain, **k: Any) -> Any:
            count[0] += 1
            return _plain(self, *a, **k)

        monkeypatch.setattr(LinearProblem, name, counted)
    return count


def worst(seeds: range, passes: list[int]) -> list[tuple[int, int, int, str, str]]:
    """Passes, steps, seed, family and sentence of the five fits that worked most."""
    found = []
    for seed in seeds:
        family, model, X, y, weight = small(seed)
        passes[0] = 0
        try:
            model.fit(X, y, sample_weight=weight)
        except ValueError as refusal:
            found.append((passes[0], 0, seed, family, str(refusal)))
            continue
        assert np.isfinite(model.coef_).all(), (seed, family)
        found.append((passes[0], model.solution_.n_steps, seed, family, model.solution_.sentence))
    return sorted(found, reverse=True)[:5]


def check(found: list[tuple[int, int, int, str, str]]) -> None:
    assert found[0][0] <= PASSES, found
    assert max(f[1] for f in found) <= STEPS, found
    assert all(sentence for *_, sentence in found)


@pytest.mark.filterwarnings("ignore:ER001")
@pytest.mark.parametrize("first", range(0, 120, 40))
def test_work_is_bounded(first: int, passes: list[int]) -> None:
    check(worst(range(first, first + 40), passes))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:ER001")
@pytest.mark.parametrize("first", range(120, 2_000, 235))
def test_work_is_bounded_on_many_problems(first: int, passes: list[int]) -> None:
    check(worst(range(first, first + 235), passes))
