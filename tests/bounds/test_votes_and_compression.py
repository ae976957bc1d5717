"""PAC-Bayes, votes and compression: algebra, enumeration and independent computations."""

from __future__ import annotations

import math
from itertools import product

import mpmath
import numpy as np
import pytest
from scipy import sparse, special

import empirisk as er
from empirisk.bounds.pac_bayes_linear import gibbs_error, normalised_margins

b = er.bounds


def test_the_gibbs_error_is_that_of_drawn_weights(rng: np.random.Generator) -> None:
    X, w, scale = rng.normal(size=(6, 3)), np.array([1.0, -2.0, 0.5]), 1.7
    y = np.array([1.0, -1.0, 1.0, 1.0, -1.0, -1.0])
    drawn = scale * w / np.linalg.norm(w) + rng.normal(size=(200_000, 3))
    simulated = np.mean(np.sign(X @ drawn.T) != y[:, None])
    exact = gibbs_error(normalised_margins(X, y, w), scale)
    assert exact == pytest.approx(simulated, abs=5 * math.sqrt(0.25 / 1.2e6) * math.sqrt(6))


def test_the_prior_scale_is_a_change_of_units(rng: np.random.Generator) -> None:
    X, w, d = rng.normal(size=(300, 3)), np.array([1.0, 0.3, -0.4]), np.array([1.0, 10.0, 0.1])
    y = np.sign(X @ w)
    scaled = b.pac_bayes_linear(X / d, y, w * d, prior_scale=d).value
    assert scaled == pytest.approx(b.pac_bayes_linear(X, y, w).value, rel=1e-9)
    assert b.pac_bayes_linear(X, y, 7.0 * w).value == pytest.approx(
        b.pac_bayes_linear(X, y, w).value, rel=1e-9
    )
    thin = b.pac_bayes_linear(sparse.csr_array(X), y, w).value
    assert thin == pytest.approx(b.pac_bayes_linear(X, y, w).value, rel=1e-12)
    alone = b.pac_bayes_linear(X, y, w, 0.05 / 2).value
    grid = b.pac_bayes_linear(X, y, w, prior_scale=np.stack([np.ones(3), np.full(3, 2.0)]))
    assert grid.value == pytest.approx(alone, rel=1e-9)  # equal priors: only the union's price


def test_the_scale_of_the_posterior_is_the_best(rng: np.random.Generator) -> None:
    X, w = rng.normal(size=(400, 4)), np.array([1.0, -1.0, 0.5, 0.0])
    y = np.sign(X @ w + 0.3 * rng.normal(size=400))
    margins = normalised_margins(X, y, w)
    found = b.pac_bayes_linear(X, y, w).value
    each = [
        b.pac_bayes_kl(gibbs_error(margins, m), m * m / 2, 400).value for m in np.geomspace(0.1, 100, 2000)
    ]
    assert found <= min(each) * (1 + 1e-6)
    assert found >= min(each) * (1 - 1e-3)


def test_pac_bayes_in_many_digits() -> None:
    # kl(q || p) = (KL + log(xi/delta))/n by mpmath, with xi = exp(1/(12 n)) sqrt(pi n/2) + 2.
    with mpmath.workdps(30):
        n, q, divergence, delta = 1000, mpmath.mpf("0.1"), 5, mpmath.mpf("0.05")
        xi = mpmath.exp(mpmath.mpf(1) / (12 * n)) * mpmath.sqrt(mpmath.pi * n / 2) + 2
        budget = (divergence + mpmath.log(xi / delta)) / n
        p = mpmath.findroot(
            lambda t: q * mpmath.log(q / t) + (1 - q) * mpmath.log((1 - q) / (1 - t)) - budget,
            (0.12, 0.2),
            "anderson",
        )
    assert b.pac_bayes_kl(0.1, 5.0, 1000).value == pytest.approx(float(p), rel=1e-12)


def test_votes_follow_their_inequalities() -> None:
    """With so many rows only the inequality is left: all ways in which three members can err."""
    huge = 10**15
    for masses in product([0.0, 0.1, 0.25], repeat=3):
        # P(exactly this set errs) for {}, {1}, {1,2}, {1,2,3}: the vote errs on the last two.
        one, two, three = masses
        gibbs = (one + 2 * two + 3 * three) / 3
        tandem = (one + 4 * two + 9 * three) / 9
        risk = two + three
        assert risk <= b.first_order_vote(gibbs, huge).value + 1e-6
        assert risk <= b.tandem_vote(tandem, huge).value + 1e-6
        assert risk <= b.c_bound(gibbs, 2 * (gibbs - tandem), huge, huge).value + 1e-6
    # Half of the weight wrong on a share 0.2 of the rows: Markov is sharp.
    assert b.first_order_vote(0.1, huge).value == pytest.approx(0.2, abs=1e-6)
    assert b.tandem_vote(0.05, huge).value == pytest.approx(0.2, abs=1e-6)


def test_votes_are_monotone_and_vacuous_at_one() -> None:
    for f in (b.first_order_vote, b.tandem_vote):
        assert f(0.1, 500).value > f(0.1, 5000).value
        assert f(0.1, 500, divergence=1.0).value > f(0.1, 500).value
        assert f(0.6, 500).vacuous
        assert f(0.6, 500).value == 1.0
    assert b.c_bound(0.45, 0.1, 100, 100).vacuous
    assert b.c_bound(0.2, 0.3, 5000, 5000).value < b.c_bound(0.2, 0.2, 5000, 5000).value


def test_compression_by_hand() -> None:
    # No errors on the other n - k rows: 1 - (delta/(n C(n,k)))^(1/(n-k)).
    n, k, delta = 1000, 10, 0.05
    expected = 1.0 - math.exp((math.log(delta) - math.log(n) - math.log(math.comb(n, k))) / (n - k))
    assert b.compression(0, n, k, delta).value == pytest.approx(expected, rel=1e-10)
    # Kept rows may repeat: C(n+k-1, k) multisets, prior 1/((k+1)(k+2)), and fewer rows are used up.
    log_tail = math.log(delta) - math.log(11 * 12) - math.log(math.comb(n + k - 1, k))
    assert b.compression(0, n, k, delta, used=4).value == pytest.approx(
        -math.expm1(log_tail / (n - 4)), rel=1e-10
    )
    assert b.compression(0, 50, 50).vacuous
    assert b.compression(3, 1000, 10).value > b.compression(2, 1000, 10).value
    assert b.compression(2, 1000, 11).value > b.compression(2, 1000, 10).value


def test_compression_of_a_perceptron_covers(rng: np.random.Generator) -> None:
    """Run to convergence on separable rows: the mistakes determine w; the risk on a circle is known."""
    failures, reps = 0, 100
    everywhere = np.linspace(0.0, 2 * np.pi, 20_000)
    everywhere = everywhere[np.abs(np.cos(everywhere)) > 0.2]
    for _ in range(reps):
        turn = rng.choice(everywhere, size=120)
        X = np.column_stack([np.cos(turn), np.sin(turn)])
        y = np.where(X[:, 0] > 0, 1.0, -1.0)
        w, counts = np.zeros(2), np.zeros(120, dtype=int)
        while (wrong := y * (X @ w) <= 0).any():
            i = int(wrong.argmax())
            w = w + y[i] * X[i]
            counts[i] += 1
        assert int(counts.sum()) <= b.perceptron(radius=1.0, margin=0.2)
        made = b.compression(0, 120, int(counts.sum()), 0.1, used=int((counts > 0).sum()))
        said = w[0] * np.cos(everywhere) + w[1] * np.sin(everywhere) > 0
        failures += np.mean(said != (np.cos(everywhere) > 0)) > made.value
    assert failures <= special.bdtrik(1 - 1e-4, reps, 0.1)


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: b.compression(0, 10, 11), "size must be at most n"),
        (lambda: b.compression(9, 10, 2), "8 rows that were not kept"),
        (lambda: b.compression(0, 10, 2, used=3), "used must be at most"),
        (lambda: b.pac_bayes_kl(1.1, 0.0, 10), "gibbs must"),
        (lambda: b.pac_bayes_kl(0.1, -1.0, 10), "divergence must"),
        (lambda: b.pac_bayes_kl(0.1, 0.0, 0), "n must"),
        (lambda: b.pac_bayes_kl(0.1, 0.0, 10, side="both"), "side must"),
        (lambda: b.pac_bayes_linear(np.eye(2), [1, 1], [0.0, 0.0]), "not zero"),
        (lambda: b.pac_bayes_linear(np.eye(2), [1, 0], [1.0, 0.0]), "-1 or \\+1"),
        (lambda: b.pac_bayes_linear(np.eye(2), [1, 1], [1.0]), "one weight for each"),
        (lambda: b.pac_bayes_linear(np.eye(2), [1, 1], [1.0, 0.0], prior_scale=-1.0), "positive"),
        (lambda: b.pac_bayes_linear(np.eye(2), [1, 1], [1.0, 0.0], 1.5), "delta must"),
        (lambda: b.occam([0.0], -1.0), "description must"),
        (lambda: b.neighbors_leave_one_out([0.0], 0), "k must"),
    ],
)
def test_wrong_numbers_are_refused(call, word: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=word):
        call()


def test_a_prior_from_other_rows(rng: np.random.Generator) -> None:
    X, w = rng.normal(size=(1000, 4)), np.array([1.0, -1.0, 0.5, 0.0])
    y = np.sign(X @ w + 0.3 * rng.normal(size=1000))
    margins = normalised_margins(X, y, w)
    near = w + np.array([0.05, 0.0, 0.0, 0.05])
    cosine = float(w @ near / np.linalg.norm(w) / np.linalg.norm(near))
    best = min(  # by hand: twelve lengths, half the squared distance of the two centres
        b.pac_bayes_kl(
            gibbs_error(margins, m), (m * m - 2 * m * c * cosine + c * c) / 2, 1000, candidates=12
        ).value
        for c in 2.0 ** np.arange(12)
        for m in np.geomspace(0.1, 1e3, 300)
    )
    found = b.pac_bayes_linear(X, y, w, prior_mean=near).value
    assert found == pytest.approx(best, rel=2e-3)
    assert found < 0.7 * b.pac_bayes_linear(X, y, w).value
    assert b.pac_bayes_linear(X, y, w, prior_mean=-near).value > b.pac_bayes_linear(X, y, w).value
    with pytest.raises(ValueError, match="prior_mean must hold 4 finite weights"):
        b.pac_bayes_linear(X, y, w, prior_mean=np.zeros(4))
