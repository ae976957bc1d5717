"""Cost of a threshold: counts by brute force, interval by simulated coverage."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk.evaluation.pictures.costs import costs


def _scores(p: np.ndarray, y: np.ndarray, edges: np.ndarray) -> dict[str, object]:
    return {
        "edges": edges.tolist(),
        "positive": np.histogram(p[y], edges)[0].tolist(),
        "negative": np.histogram(p[~y], edges)[0].tolist(),
        "threshold": 0.5,
        "level": 0.95,
    }


def test_counts_agree_with_the_rows_themselves(rng: np.random.Generator) -> None:
    y = rng.random(500) < 0.3
    p = rng.beta(1 + 2 * y, 3 - 2 * y)
    edges = np.linspace(0, 1, 21)
    for c in costs(_scores(p, y, edges), 2.0, 5.0):
        called = p >= c.threshold
        assert c.false_accepts == np.sum(called & ~y)
        assert c.false_rejects == np.sum(~called & y)
        assert c.hits == np.sum(called & y)
        assert c.cost == pytest.approx(np.mean(2.0 * (called & ~y) + 5.0 * (~called & y)))
        assert c.low <= c.cost <= c.high


def test_no_error_seen_still_leaves_room() -> None:
    scores = {"edges": [0, 0.5, 1], "positive": [0, 20], "negative": [20, 0], "threshold": 0.5, "level": 0.95}
    middle = costs(scores)[1]
    assert middle.cost == 0.0
    assert middle.low == 0.0
    assert middle.high > 0.05


@pytest.mark.parametrize(
    ("p", "q", "a", "b"), [(0.05, 0.1, 1, 1), (0.02, 0.05, 1, 10), (0.2, 0.1, 3, 1), (0.01, 0.01, 1, 1)]
)
def test_coverage(rng: np.random.Generator, p: float, q: float, a: float, b: float) -> None:
    n, draws = 400, 3000
    counts = rng.multinomial(n, [p, q, 0.2, 0.8 - p - q], size=draws)
    hit = 0
    for accepts, rejects, hits, rest in counts:
        scores = {
            "edges": [0, 0.5, 1],
            "positive": [int(rejects), int(hits)],
            "negative": [int(rest), int(accepts)],
            "threshold": 0.5,
            "level": 0.95,
        }
        c = costs(scores, a, b)[1]
        hit += c.low <= a * p + b * q <= c.high
    # 3,000 draws: the binomial standard error of 0.95 is 0.004.
    assert 0.93 < hit / draws < 0.975
