"""The out-of-bag risk of a forest and its two errors, against their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk.trees.out_of_bag_tally import OutOfBagTally

N, GROUPS, TREES = 30, 5, 4


@pytest.mark.parametrize("weighted", [False, True])
def test_risk_and_errors_by_hand(weighted: bool, rng: np.random.Generator) -> None:
    y = rng.normal(size=N)
    weight = rng.uniform(0.5, 2.0, N) if weighted else None
    tally = OutOfBagTally(lambda z, rows: (y[rows] - z[:, 0]) ** 2, weight)
    sums, counts = rng.normal(size=(GROUPS, N)), rng.integers(1, 4, size=(GROUPS, N))
    for s, c in zip(sums, counts, strict=True):
        tally.add(s, c, trees=TREES)
    found = tally.risk()

    w = np.full(N, 1.0 / N) if weight is None else weight / weight.sum()
    losses = (y - sums.sum(axis=0) / counts.sum(axis=0)) ** 2
    assert found.n == N
    assert found.risk == pytest.approx(float(w @ losses), rel=1e-12)
    if not weighted:  # the standard error of a mean
        assert found.standard_error == pytest.approx(losses.std(ddof=1) / np.sqrt(N), rel=1e-12)
    else:
        square = sum(w[i] ** 2 * (losses[i] - w @ losses) ** 2 for i in range(N)) * N / (N - 1)
        assert found.standard_error == pytest.approx(np.sqrt(square), rel=1e-12)
    # The jackknife that leaves out one group of trees at a time.
    without = []
    for g in range(GROUPS):
        others = [k for k in range(GROUPS) if k != g]
        without.append(w @ (y - sums[others].sum(axis=0) / counts[others].sum(axis=0)) ** 2)
    spread = (GROUPS - 1) / GROUPS * np.sum((np.array(without) - np.mean(without)) ** 2)
    assert found.mc_error == pytest.approx(np.sqrt(spread), rel=1e-10)
    share = float(w @ counts.sum(axis=0)) / (GROUPS * TREES)
    excess = share * (GROUPS - 1) * (np.mean(without) - w @ losses)
    assert found.excess == pytest.approx(excess, rel=1e-9)
