"""Simultaneous intervals against Tukey's and Dunnett's exact laws; Holm's steps by hand."""

import numpy as np
import pytest
from scipy import stats

from empirisk.inference.simultaneous import adjusted


def pairwise(k):
    """The covariance of all differences of k independent means of equal variance."""
    first, second = np.triu_indices(k, 1)
    C = np.eye(k)[first] - np.eye(k)[second]
    return C @ C.T


@pytest.mark.parametrize(("k", "df"), [(3, 12.0), (5, 40.0)])
def test_all_pairs_have_the_interval_of_tukey(k, df):
    V = pairwise(k)
    m = len(V)
    t = np.linspace(0.5, 3.0, m)
    critical, p = adjusted(t, V, np.full(m, df), 0.95, "simultaneous")
    np.testing.assert_allclose(critical, stats.studentized_range.ppf(0.95, k, df) / np.sqrt(2), rtol=3e-3)
    np.testing.assert_allclose(p, stats.studentized_range.sf(t * np.sqrt(2), k, df), rtol=0.02, atol=1e-3)


def test_comparisons_with_a_control_have_the_law_of_dunnett(rng):
    samples, control = rng.normal(size=(3, 20)), rng.normal(size=20)
    want = stats.dunnett(*samples, control=control, random_state=rng)
    df = 4 * 19.0
    V = np.eye(3) + 1.0
    critical, p = adjusted(np.asarray(want.statistic), V, np.full(3, df), 0.95, "simultaneous")
    np.testing.assert_allclose(p, want.pvalue, atol=3e-3)
    assert stats.t.ppf(0.975, df) < critical[0] < stats.t.isf(0.025 / 3, df)


def test_estimates_that_repeat_each_other_count_once():
    t, V = np.array([2.0, -2.0]), np.array([[1.0, -1.0], [-1.0, 1.0]])
    critical, p = adjusted(t, V, np.full(2, np.inf), 0.95, "simultaneous")
    np.testing.assert_allclose(critical, stats.norm.ppf(0.975), rtol=3e-3)
    np.testing.assert_allclose(p, 2 * stats.norm.sf(2.0), rtol=0.02)


def test_holm_and_bonferroni_by_hand():
    wanted = np.array([0.01, 0.04, 0.03, 0.5])
    t, V, df = stats.norm.isf(wanted / 2), np.eye(4), np.full(4, np.inf)
    assert adjusted(t, V, df, 0.95, "holm")[1] == pytest.approx([0.04, 0.09, 0.09, 0.5])
    critical, p = adjusted(t, V, df, 0.95, "bonferroni")
    assert p == pytest.approx([0.04, 0.16, 0.12, 1.0])
    assert critical == pytest.approx(stats.norm.isf(0.025 / 4))


def test_tiny_probabilities_are_bounded_by_bonferroni_and_unknown_words_refused():
    t, df = np.array([8.0, 1.0]), np.full(2, np.inf)
    assert adjusted(t, np.eye(2), df, 0.95, "simultaneous")[1][0] == pytest.approx(4 * stats.norm.sf(8.0))
    assert np.isnan(adjusted(np.array([np.nan, 1.0]), np.eye(2), df, 0.95, "holm")[1][0])
    with pytest.raises(ValueError, match="adjust must be None or one of"):
        adjusted(t, np.eye(2), df, 0.95, "tukey")
