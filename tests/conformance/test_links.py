"""Every family under every link: values and derivatives against mpmath, convexity, conjugates, means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from empirisk.estimators.linear.families import FAMILIES, family_loss
from empirisk.inference.law import Law

POWER, EXTRA = 1.4, 0.7
# Tweedie's other powers stand beside the families, which have one.
POWERS = {"tweedie(2.5)": 2.5, "tweedie(4)": 4.0, "tweedie(-1)": -1.0}
PAIRS = [(family, link) for family, links in FAMILIES.items() for link in links]
PAIRS += [(family, link) for family in POWERS for link in FAMILIES["tweedie"]]
each = pytest.mark.parametrize(("family", "link"), PAIRS)

MEAN: dict[str, Callable[[Any], Any]] = {
    "identity": lambda z: z,
    "log": mp.exp,
    "inverse": lambda z: 1 / z,
    "sqrt": lambda z: z**2,
    "inverse_squared": lambda z: 1 / mp.sqrt(z),
    "logit": lambda z: 1 / (1 + mp.exp(-z)),
    "probit": lambda z: mp.erfc(-z / mp.sqrt(2)) / 2,
    "cloglog": lambda z: -mp.expm1(-mp.exp(z)),
    "loglog": lambda z: mp.exp(-mp.exp(-z)),
    "cauchit": lambda z: mp.mpf(1) / 2 + mp.atan(z) / mp.pi,
}
A = mp.mpf(EXTRA)


def tweedie(power: float) -> tuple[Callable[[Any], Any], Callable[[Any, Any], Any]]:
    p = mp.mpf(power)
    return (lambda m: m**p, lambda y, m: m ** (2 - p) / (2 - p) - y * m ** (1 - p) / (1 - p))


# The variance function, and half the deviance as a function of the mean but for terms in y.
FAMILY: dict[str, tuple[Callable[[Any], Any], Callable[[Any, Any], Any]]] = {
    "gaussian": (lambda m: mp.mpf(1), lambda y, m: (y - m) ** 2 / 2),
    "binomial": (
        lambda m: m * (1 - m),
        lambda y, m: -(y * mp.log(m) if y else 0) - ((1 - y) * mp.log(1 - m) if y < 1 else 0),
    ),
    "poisson": (lambda m: m, lambda y, m: m - y * mp.log(m)),
    "gamma": (lambda m: m**2, lambda y, m: y / m + mp.log(m)),
    "inverse_gaussian": (lambda m: m**3, lambda y, m: y / (2 * m**2) - 1 / m),
    "tweedie": tweedie(POWER),
    **{family: tweedie(power) for family, power in POWERS.items()},
    "negative_binomial": (
        lambda m: m + A * m**2,
        lambda y, m: (y + 1 / A) * mp.log1p(A * m) - y * mp.log(m),
    ),
}  # fmt: skip


def loss_of(family: str, link: str) -> Any:
    return family_loss(family.split("(")[0], link, POWERS.get(family, POWER), EXTRA)


def targets(family: str) -> list[float]:
    if family == "binomial":
        return [0.0, 0.3, 1.0]
    zero = [] if family in ("gamma", "inverse_gaussian", "tweedie(2.5)", "tweedie(4)") else [0.0]
    return [*zero, 0.4, 1.0, 30.0] + ([-2.0] if family in ("gaussian", "tweedie(-1)") else [])


def scores(family: str, link: str) -> np.ndarray:
    """Return scores with a mean, some of them near the ends of their range."""
    if family == "binomial" and link in ("identity", "log"):
        share = np.array([1e-8, 1e-3, 0.2, 0.5, 0.9, 1.0 - 1e-6])
        return share if link == "identity" else np.log(share)
    if link in ("sqrt", "inverse", "inverse_squared") or (link == "identity" and family != "gaussian"):
        return np.array([1e-4, 0.03, 0.5, 1.0, 4.0, 60.0])
    # Beyond 2 the mean under cloglog is 1 in floating point, and its information below 1e-20.
    return np.array([-5.0, -1.0, -0.1, 0.0, 0.4, 1.5, 2.0 if link == "cloglog" else 4.0])


def table(family: str, link: str) -> tuple[Any, np.ndarray, np.ndarray]:
    y, z = np.meshgrid(targets(family), scores(family, link))
    return loss_of(family, link), y.ravel(), z.ravel()


@each
def test_values_and_derivatives_are_those_of_the_family_at_the_mean(family: str, link: str) -> None:
    loss, y, z = table(family, link)
    _, half = FAMILY[family]
    with mp.workdps(100):
        rows = []
        for yi, zi in zip(y, z, strict=True):
            at, target = mp.mpf(float(zi)), mp.mpf(float(yi))
            curve = mp.taylor(lambda t, target=target: half(target, MEAN[link](t)), at, 2)
            # What is added up in a curvature: the expected part and what the residual adds.
            m, slope, bend = mp.taylor(MEAN[link], at, 2)
            V, rise = mp.taylor(FAMILY[family][0], m, 1)
            size = slope**2 / V + abs(target - m) / V * (2 * abs(bend) + slope**2 * abs(rise) / V)
            steep = (abs(target) + abs(m)) * abs(slope) / V
            rows.append([float(v) for v in (curve[0], curve[1], 2 * curve[2], steep, size)])
        value, grad, hess, steep, size = np.array(rows).T
    # Some losses leave out terms in y, so that differences of two scores of one target are compared.
    found = loss.value(y, z)
    for target in np.unique(y):
        row = y == target
        change = found[row] - found[row][0]
        spread = np.abs(value[row]) + abs(value[row][0]) + np.abs(found[row])
        np.testing.assert_array_less(np.abs(change - (value[row] - value[row][0])), 1e-14 + 4e-15 * spread)
    np.testing.assert_array_less(np.abs(loss.grad(y, z) - grad), 1e-13 * (steep + np.abs(grad)) + 1e-300)
    np.testing.assert_array_less(np.abs(loss.hess(y, z) - hess), 1e-12 * (size + np.abs(hess)) + 1e-300)


@each
def test_means_information_and_slopes_of_the_mean(family: str, link: str) -> None:
    loss, _, _ = table(family, link)
    z = scores(family, link)
    with mp.workdps(100):
        rows = []
        for zi in z:
            m, slope = mp.taylor(MEAN[link], mp.mpf(float(zi)), 1)
            rows.append([float(v) for v in (m, slope, slope**2 / FAMILY[family][0](m))])
    mean, slope, information = np.array(rows).T
    np.testing.assert_allclose(loss.mean(z), mean, rtol=1e-13)
    np.testing.assert_allclose(Law(loss).fisher(z), information, rtol=1e-9)
    np.testing.assert_allclose(Law(loss).mean_slope(z), slope, rtol=1e-9)


@each
def test_convex_exactly_where_it_is_said(family: str, link: str) -> None:
    loss = loss_of(family, link)
    z = np.linspace(
        *{True: (0.002, 0.998), False: (0.05, 40.0)}[link == "identity" and family == "binomial"], 400
    )
    z = -z if family == "binomial" and link == "log" else z
    z = z if loss.outside(np.array([-1.0]))[0] else np.linspace(-6.0, 6.0, 400)
    worst = min(float(loss.hess(np.full(len(z), y), z).min()) for y in targets(family))
    assert (worst >= 0.0) == loss.convex
    # Curvature of the tweedie power under a power link: 1 - p <= k <= 2 - p.
    if loss.convex:
        for y in targets(family):
            u = np.array([-3.0, -0.4, 0.1, 0.8])
            least = (np.multiply.outer(u, z) - loss.value(np.full(len(z), y), z)).max(axis=1)
            slack = 1e-12 * (1.0 + np.abs(least))
            assert np.all(loss.conjugate(np.full(len(u), y), u) >= least - slack)


@each
def test_best_constants_are_the_link_of_the_mean_target(
    family: str, link: str, rng: np.random.Generator
) -> None:
    loss = loss_of(family, link)
    y, s = np.array([v for v in targets(family) if v >= 0.0]), np.array([3.0, 1.0, 0.5, 2.0])
    s = s[: len(y)]
    constant = float(loss.best_constant(y, s))
    assert float(loss.mean(np.array([constant]))[0]) == pytest.approx(float(s @ y) / s.sum(), rel=1e-9)
    slope = s * loss.grad(y, np.full(len(y), constant))
    assert abs(slope.sum()) <= 1e-8 * np.abs(slope).sum()


@each
def test_scores_without_a_mean_cost_infinitely_much_and_point_back(family: str, link: str) -> None:
    loss = loss_of(family, link)
    z = np.array([-2.0, 2.0])
    out = loss.outside(z)
    y = np.full(2, 0.4)
    assert np.array_equal(np.isinf(loss.value(y, z)), out != 0.0)
    assert np.all((loss.grad(y, z) * out)[out != 0.0] > 1e100)
    assert np.isfinite(loss.mean(z)).all()


@pytest.mark.parametrize(("family", "link"), [pair for pair in PAIRS if pair[0] == "binomial"])
def test_labels_are_shares_of_0_and_1(family: str, link: str) -> None:
    loss = loss_of(family, link)
    z, y = np.repeat(scores(family, link), 2), np.tile([0.0, 1.0], len(scores(family, link)))
    found = loss.labelled(y)
    if found is None:
        assert loss.escape != "classes"
        return
    labels, _, signs = found
    for method in ("value", "grad", "hess"):
        np.testing.assert_allclose(getattr(labels, method)(signs, z), getattr(loss, method)(y, z), rtol=1e-12)
