"""What losses say about themselves is true: every answer of the registry against its definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, logsumexp

from empirisk.losses import REGISTRY, Absolute, Bernoulli, CostSensitive, Hinge, Offset, Probit, Quantile
from empirisk.losses.quantile import weighted_quantile
from empirisk.typing import Array, Capability
from tests.conformance.test_loss_contract import CLASSES, points, targets

LOSSES: list[Any] = [kind() for kind in REGISTRY.values()]
WRAPPED = [Offset(Absolute()), Offset(Quantile(0.8)), CostSensitive(Hinge(), 3.0, 0.5)]
each = pytest.mark.parametrize("loss", LOSSES, ids=list(REGISTRY))


def those(keep: Any, *more: Any) -> Any:
    """The losses of which a claim can be tested."""
    return pytest.mark.parametrize("loss", [x for x in [*LOSSES, *more] if keep(x)], ids=repr)


def same(a: Any, b: Any) -> bool:
    """Return whether two answers are equal up to rounding."""
    return bool(np.allclose(a, b, rtol=1e-12, atol=1e-12))


def mean_of(loss: Any, z: Array) -> Any:
    """The inverse link, None where there is none."""
    try:
        return loss.mean(z)
    except TypeError:
        return None


@each
def test_quadratic_and_of_difference(loss: Any, rng: np.random.Generator) -> None:
    y, z = points(loss, rng)
    assert loss.quadratic == (not loss.vector and same(loss.value(y, z), 0.5 * (z - y) ** 2))
    free = not loss.vector and np.isneginf(loss.y_domain.low)
    assert loss.of_difference == (free and same(loss.value(y + 0.7, z + 0.7), loss.value(y, z)))
    assert loss.of_difference or not (loss.absorbs_offset or loss.exact_leaves)


@each
def test_links(loss: Any, rng: np.random.Generator) -> None:
    _, z = points(loss, rng)
    mean = mean_of(loss, z)
    assert loss.log_link == (mean is not None and not loss.labels and same(mean, np.exp(z)))
    assert loss.log_odds == (loss.labels and mean is not None and same(mean, expit(z)))


def ratios_of(loss: Any, z: Array) -> dict[str, Array]:
    """Return, by its name, every quantity of the mean whose ratio an exponential of a coefficient may be."""
    mean = np.asarray(loss.mean(z))
    if loss.vector:
        return {"odds ratio": mean[:, 1] / mean[:, 0]}
    with np.errstate(all="ignore"):
        return {"odds ratio": mean / (1.0 - mean), "hazard ratio": -np.log1p(-mean), "mean ratio": mean}


@each
def test_ratio(loss: Any, rng: np.random.Generator) -> None:
    """One more unit of the score multiplies the odds, the hazard or the mean by e, or nothing of them."""
    z = rng.uniform(-2.0, 1.0, (20, 3) if loss.vector else 20)
    if mean_of(loss, z) is None:
        assert loss.ratio == ""
        return
    more = z + (np.array([0.0, 1.0, 0.0]) if loss.vector else 1.0)
    before, after = ratios_of(loss, z), ratios_of(loss, more)
    with np.errstate(all="ignore"):
        factor = {name: after[name] / before[name] for name in before}
    true = {name for name, by in factor.items() if np.allclose(by, np.e, rtol=1e-9, atol=0.0)}
    assert true == ({loss.ratio} if loss.ratio else set())
    if not loss.vector:
        assert Offset(loss).ratio == ("rate ratio" if loss.log_link else loss.ratio)


@each
def test_multinomial(loss: Any, rng: np.random.Generator) -> None:
    y, z = points(loss, rng)
    own = logsumexp(z, axis=1) - z[np.arange(len(y)), y.astype(int)] if loss.vector else None
    assert loss.multinomial == (own is not None and same(loss.value(y, z), own))


@each
def test_by_class(loss: Any, rng: np.random.Generator) -> None:
    y, z = points(loss, rng)
    if loss.by_class is None:
        with pytest.raises(TypeError, match="no sum over the classes"):
            loss.signs(y)
        return
    columns = (loss.by_class.value(s, c) for s, c in zip(loss.signs(y).T, z.T, strict=True))
    np.testing.assert_allclose(loss.value(y, z), sum(columns), rtol=1e-13)


@each
def test_shares_mix_two_labels(loss: Any, rng: np.random.Generator) -> None:
    y, z = points(loss, rng)
    found = loss.labelled(y)
    assert loss.shares == (found is not None)
    if found is not None:
        base, rows, labels = found
        one = np.ones_like(z)
        mixed = y * base.value(one, z) + (1.0 - y) * base.value(-one, z)
        np.testing.assert_allclose(loss.value(y, z), mixed, rtol=1e-12)
        assert set(rows.tolist()) == set(range(len(y)))
        assert len(rows) == len(labels) == 2 * len(y)
        _, rows, labels = loss.labelled(np.array([0.0, 1.0]))
        assert rows is None
        assert labels.tolist() == [-1.0, 1.0]


@each
def test_likelihoods_and_their_dispersion(loss: Any, rng: np.random.Generator) -> None:
    y = targets(loss, rng, 20) + (0.0 if loss.y_domain.low_closed else 0.1)
    if loss.name == "tweedie_stable":  # its density is an infinite series, which is not summed
        with pytest.raises(TypeError, match="has no normaliser"):
            loss.log_normalizer(y, 1.0)
    elif loss.title:
        assert np.isfinite(loss.log_normalizer(y, 1.0)).all()
        if loss.unit_dispersion:
            with pytest.raises(ValueError, match="dispersion must be 1"):
                loss.log_normalizer(y, 2.0)
        else:
            assert np.isfinite(loss.log_normalizer(y, 2.0)).all()
    else:
        assert not loss.unit_dispersion


@those(lambda x: np.isfinite(x.concordance) and not x.vector)
def test_concordance(loss: Any, rng: np.random.Generator) -> None:
    y, z = points(loss, rng)
    h = 1e-4
    third = (loss.hess(y, z + h) - loss.hess(y, z - h)) / (2.0 * h)
    assert (np.abs(third) <= loss.concordance * loss.hess(y, z) * (1.0 + 1e-5) + 1e-10).all()
    if loss.concordance:
        assert (np.abs(third) > 0.5 * loss.concordance * loss.hess(y, z)).any(), "half of it would do"


@each
def test_quantile_level(loss: Any, rng: np.random.Generator) -> None:
    y, s = targets(loss, rng, 41), rng.random(41) + 0.1
    if loss.quantile_level is not None:
        assert loss.best_constant(y, s) == weighted_quantile(y, s, loss.quantile_level)


@those(lambda x: True, *WRAPPED)
def test_kinks_add_up_to_the_loss(loss: Any, rng: np.random.Generator) -> None:
    plain, _ = loss.plain(np.zeros((1, 2)))
    y, z = points(plain, rng)
    if plain is not loss:
        y = np.column_stack([y, rng.normal(size=len(y))])
    if Capability.PIECEWISE_LINEAR not in loss.offers:
        with pytest.raises(ValueError, match="no kinks"):
            loss.kinks(y)
        return
    for score in (z, z + rng.normal(size=z.shape)):
        parts = [np.maximum(low * (score - at), high * (score - at)) for at, low, high in loss.kinks(y)]
        rest = loss.value(y, score) - sum(parts)
        first = loss.value(y, z) - sum(
            np.maximum(low * (z - at), high * (z - at)) for at, low, high in loss.kinks(y)
        )
        np.testing.assert_allclose(rest, first, atol=1e-12)


@each
def test_null_rows_have_the_same_losses(loss: Any, rng: np.random.Generator) -> None:
    y, _ = points(loss, rng)
    s = rng.random(len(y))
    k = CLASSES if loss.vector else 0
    few, weight = loss.null_rows(y, s, k)
    for b in rng.normal(size=(3, k) if k else 3):
        at = [np.broadcast_to(b, (len(t), *np.shape(b))) for t in (y, few)]
        assert weight @ loss.value(few, at[1]) == pytest.approx(s @ loss.value(y, at[0]), rel=1e-12)
    assert len(few) < len(y) or not (loss.log_odds or loss.multinomial)


@those(lambda x: x.predictive)
def test_distribution_function_belongs_to_the_likelihood(loss: Any) -> None:
    phi = 1.0 if loss.unit_dispersion else 0.4
    z = np.array([0.3])
    mean = np.asarray(loss.mean(z))

    def density(t: float) -> float:
        y = np.array([t])
        return float(np.exp(-loss.value(y, z) / phi - loss.log_normalizer(y, phi))[0])

    for low, high in ((1.0, 2.0), (2.0, 4.0)):
        told = float((loss.cdf(np.array([high]), mean, phi) - loss.cdf(np.array([low]), mean, phi))[0])
        wanted = (
            sum(density(t) for t in np.arange(low + 1.0, high + 1.0))
            if loss.counts
            else quad(density, low, high, epsabs=1e-12)[0]
        )
        assert told == pytest.approx(wanted, rel=1e-9)


def test_a_loss_without_a_distribution_function_refuses() -> None:
    with pytest.raises(TypeError, match="no distribution function"):
        Probit().cdf(np.zeros(1), np.zeros(1), 1.0)


def test_loops_are_not_inherited() -> None:
    # A subclass may have another formula, and the loops go by the name.
    for kind in REGISTRY.values():
        mine = type("Mine", (kind,), {})
        assert not mine.fused
        assert not mine.row_slope


def test_wrappers_pass_on_what_they_wrap() -> None:
    y = np.array([[0.5, 1.5]])
    wrapped = Offset(Bernoulli(Probit()))
    assert wrapped.title == "Probit regression"
    assert wrapped.plain(y)[0] == Bernoulli(Probit())
    assert wrapped.offset(y).tolist() == [1.5]
    assert Probit().offset(y) is None
